//! Typing: characters, brackets that close and surround, tabs and new lines.

use super::{EditContext, Piece, brackets, each};
use crate::change::Transaction;
use crate::document::Indent;
use crate::movement::{indent_end, is_word};
use crate::selection::{Selection, Selections};

/// Puts `text` in the place of every selection, as it is.
pub fn insert_text(context: &EditContext<'_>, selections: &Selections, text: &str) -> Option<Transaction> {
    each(context, selections, |selection| Piece::replace(selection.range(), text))
}

/// Puts typed `text` in the place of every selection.
///
/// One bracket or quote does more, if the context says so: it surrounds a selection, brings its partner at a caret, and
/// is stepped over where it already closes what is open. A closing bracket on a line of its own goes to the indentation
/// of the line that its partner is on.
pub fn type_text(context: &EditContext<'_>, selections: &Selections, text: &str) -> Option<Transaction> {
    let mut chars = text.chars();
    let (Some(typed), None) = (chars.next(), chars.next()) else {
        return insert_text(context, selections, text);
    };
    each(context, selections, |selection| typed_piece(context, selection, typed, text))
}

fn typed_piece(context: &EditContext<'_>, selection: &Selection, typed: char, text: &str) -> Piece {
    let plain = || Piece::replace(selection.range(), text);
    let closing = context.closing(typed);
    let quote = context.quotes.contains(&typed);
    if !selection.is_empty() {
        return match closing.or(quote.then_some(typed)) {
            Some(closing) if context.auto_close => surround(context, selection, typed, closing),
            _ => plain(),
        };
    }
    let head = selection.head;
    if let Some(opening) = context.opening(typed) {
        if context.auto_close
            && context.text.char_at(head) == Some(typed)
            && brackets::closes_all(context, head, (opening, typed))
        {
            return Piece::caret(head + text.len());
        }
        return outdented(context, head, text).unwrap_or_else(plain);
    }
    if !context.auto_close {
        return plain();
    }
    if let Some(closing) = closing
        && may_close_before(context, head)
    {
        return pair(head, text, closing);
    }
    if quote {
        if context.text.char_at(head) == Some(typed) {
            return Piece::caret(head + text.len());
        }
        let before = context.text.char_before(head);
        let apart = !before.is_some_and(|before| is_word(before) || before == typed || before == '\\');
        if apart && may_close_before(context, head) {
            return pair(head, text, typed);
        }
    }
    plain()
}

fn pair(head: usize, opening: &str, closing: char) -> Piece {
    let at = opening.len();
    Piece { range: head..head, insert: format!("{opening}{closing}"), anchor: at, head: at }
}

/// Puts a pair around a selection, which stays on what it selected.
fn surround(context: &EditContext<'_>, selection: &Selection, opening: char, closing: char) -> Piece {
    let content = context.text.slice(selection.range());
    let inside = selection.with_range(opening.len_utf8()..opening.len_utf8() + content.len());
    Piece {
        insert: format!("{opening}{content}{closing}"),
        range: selection.range(),
        anchor: inside.anchor,
        head: inside.head,
    }
}

/// Whether what follows leaves room for a closing partner: an end of line, white space, a closing sign.
fn may_close_before(context: &EditContext<'_>, head: usize) -> bool {
    context.text.char_at(head).is_none_or(|next| {
        next.is_whitespace() || matches!(next, ',' | ';' | ':' | '.' | '>') || context.opening(next).is_some()
    })
}

/// A closing bracket typed as the first thing on its line, with the indentation of its partner's line.
fn outdented(context: &EditContext<'_>, head: usize, closing: &str) -> Option<Piece> {
    let text = context.text;
    let line = text.line_of(head);
    let start = text.line_start(line);
    if !context.auto_indent || start == head || indent_end(text, line) < head {
        return None;
    }
    let opening = brackets::enclosing(context, head, closing.chars().next()?)?;
    let partner = text.line_of(opening);
    let indent = text.slice(text.line_start(partner)..indent_end(text, partner));
    Some(Piece::replace(start..head, format!("{indent}{closing}")))
}

/// Starts a new line at every caret.
///
/// With auto-indent it is indented like the one it leaves, one step more after an opening bracket (or what else the
/// language indents after); between two brackets the closing one gets a line of its own. White space after the caret goes,
/// and so does the indentation of a line that has nothing else.
pub fn newline(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    each(context, selections, |selection| {
        if context.auto_indent {
            indented_newline(context, selection)
        } else {
            Piece::replace(selection.range(), context.line_ending.as_str())
        }
    })
}

fn indented_newline(context: &EditContext<'_>, selection: &Selection) -> Piece {
    let text = context.text;
    let first = text.line_start(text.line_of(selection.start()));
    let before = skip_blanks(text.chars_before(selection.start()), selection.start() - first);
    let line_end = text.line_end(text.line_of(selection.end()));
    let after = skip_blanks(text.chars_at(selection.end()), line_end.saturating_sub(selection.end()));
    // A line that is only indentation loses it; other text loses none before the break.
    let blank = before == selection.start() - first;
    let range = if blank { first } else { selection.start() }..selection.end() + after;

    let indent_to = indent_end(text, text.line_of(selection.start())).min(selection.start());
    let last = text.char_before(selection.start() - before).filter(|_| !blank);
    let closing = last.and_then(|last| context.closing(last));
    let deeper = closing.is_some() || (last.is_some() && last == context.indent_after);

    let ending = context.line_ending.as_str();
    // Kept as it is written where it does not change: tabs among spaces stay.
    let same = text.slice(first..indent_to);
    if !deeper {
        return Piece::replace(range, format!("{ending}{same}"));
    }
    let column = context.columns.width(&same, 0) + context.indent_cells();
    let mut insert = format!("{ending}{}", context.indentation(column));
    let caret = insert.len();
    if closing.is_some() && text.char_at(range.end) == closing {
        insert.push_str(ending);
        insert.push_str(&same);
    }
    Piece { range, insert, anchor: caret, head: caret }
}

/// How many of at most `limit` spaces and tabs come first.
fn skip_blanks(chars: impl Iterator<Item = char>, limit: usize) -> usize {
    chars.take(limit).take_while(|c| matches!(c, ' ' | '\t')).count()
}

/// Starts a new line below every caret's line, wherever in it the caret is.
pub fn newline_below(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let ends =
        selections.transform(|selection| Selection::caret(context.text.line_end(context.text.line_of(selection.head))));
    newline(context, &ends)
}

/// Starts a new line above every caret's line, indented like it.
pub fn newline_above(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    each(context, selections, |selection| {
        let line = context.text.line_of(selection.head);
        let start = context.text.line_start(line);
        let indent = context.text.slice(start..indent_end(context.text, line));
        let caret = indent.len();
        Piece {
            range: start..start,
            insert: format!("{indent}{}", context.line_ending.as_str()),
            anchor: caret,
            head: caret,
        }
    })
}

/// What the Tab key does: indents lines if a selection spans several, or goes on to the next step of indentation.
pub fn tab(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let spans = |selection: &Selection| text.line_of(selection.start()) != text.line_of(selection.end());
    if selections.iter().any(spans) {
        return super::indent(context, selections);
    }
    each(context, selections, |selection| match context.indent {
        Indent::Tabs => Piece::replace(selection.range(), "\t"),
        Indent::Spaces(_) => {
            let cells = context.indent_cells();
            let column = context.columns.column(text, selection.start());
            Piece::replace(selection.range(), " ".repeat((cells - column % cells) as usize))
        }
    })
}
