//! Comments on and off.

use std::ops::Range;

use super::lines::{blocks, of_lines};
use super::{EditContext, Piece, each};
use crate::change::Transaction;
use crate::movement::indent_end;
use crate::selection::Selections;
use crate::text::LineIndent;

/// Comments every line touched, or takes the comment signs away if all of a block have them.
///
/// A language without a comment to the end of the line has each block put in one comment. `None` for a language without
/// comments.
pub fn toggle_comment(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let blocks = blocks(context.text, selections);
    let edits: Vec<(Range<usize>, String)> = match (context.line_comment, context.block_comment) {
        (Some(sign), _) => blocks.into_iter().flat_map(|block| toggle_lines(context, block, sign)).collect(),
        (None, Some(signs)) => blocks.into_iter().flat_map(|block| toggle_block(context, &block, signs)).collect(),
        (None, None) => return None,
    };
    of_lines(context, selections, edits)
}

fn toggle_lines(context: &EditContext<'_>, block: Range<u32>, sign: &str) -> Vec<(Range<usize>, String)> {
    let text = context.text;
    let mut lines: Vec<LineIndent> = text.indents(block.clone()).filter(|line| !line.blank).collect();
    if lines.is_empty() {
        lines = text.indents(block).collect();
    }
    let commented = |line: &LineIndent| text.slice(line.end..line.end + sign.len()) == sign;
    if lines.iter().all(commented) {
        let off = lines.into_iter().map(|line| {
            let end = line.end + sign.len();
            (line.end..end + usize::from(text.byte(end) == Some(b' ')), String::new())
        });
        return off.collect();
    }
    // All signs stand in one column, the leftmost, so that taking them away leaves the lines as they were.
    let indents = lines.iter().map(|line| text.slice(line.start..line.end));
    let column = indents.map(|indent| context.columns.width(&indent, 0)).min().unwrap_or(0);
    let on = lines.into_iter().map(|line| {
        let at = context.columns.offset(text, line.line, column).min(line.end);
        (at..at, format!("{sign} "))
    });
    on.collect()
}

fn toggle_block(
    context: &EditContext<'_>,
    block: &Range<u32>,
    (opening, closing): (&str, &str),
) -> Vec<(Range<usize>, String)> {
    let text = context.text;
    let (start, end) = (indent_end(text, block.start), text.line_end(block.end - 1));
    if start > end {
        return Vec::new();
    }
    match inside(context, start..end, (opening, closing)) {
        Some(content) => vec![(start..content.start, String::new()), (content.end..end, String::new())],
        None => vec![(start..start, format!("{opening} ")), (end..end, format!(" {closing}"))],
    }
}

/// What a comment that fills `range` encloses, without the space on either side; `None` if none does.
fn inside(context: &EditContext<'_>, range: Range<usize>, (opening, closing): (&str, &str)) -> Option<Range<usize>> {
    let text = context.text;
    let (start, end) = (range.start + opening.len(), range.end.checked_sub(closing.len())?);
    if start > end || text.slice(range.start..start) != opening || text.slice(end..range.end) != closing {
        return None;
    }
    let start = start + usize::from(start < end && text.byte(start) == Some(b' '));
    let end = end - usize::from(start < end && text.byte(end - 1) == Some(b' '));
    Some(start..end)
}

/// Puts every selection in a block comment, or takes it out of the one it fills; at a caret, its line. `None` for a
/// language without block comments.
pub fn toggle_block_comment(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let signs @ (opening, closing) = context.block_comment?;
    if selections.are_carets() {
        let edits = blocks(context.text, selections).into_iter().flat_map(|block| toggle_block(context, &block, signs));
        return of_lines(context, selections, edits.collect::<Vec<_>>());
    }
    each(context, selections, |selection| {
        let range = selection.range();
        let insert = match inside(context, range.clone(), signs) {
            Some(content) => context.text.slice(content).into_owned(),
            None => format!("{opening} {} {closing}", context.text.slice(range.clone())),
        };
        let after = selection.with_range(0..insert.len());
        Piece { range, insert, anchor: after.anchor, head: after.head }
    })
}
