//! Commands on whole lines: indenting, moving, copying, deleting and joining them.
//!
//! A *block* is a run of lines that a selection touches; one that ends at the start of a line does not touch that line.
//! Line endings stay with the lines they end, and a last line without one gets or gives one as it must.

use std::ops::Range;

use super::{EditContext, Piece, each};
use crate::change::{Bias, ChangeSet, Transaction};
use crate::document::Indent;
use crate::movement::indent_end;
use crate::selection::{Selection, Selections};
use crate::text::Text;

/// The lines that selections touch, sorted and apart.
pub(super) fn blocks(text: &Text, selections: &Selections) -> Vec<Range<u32>> {
    let mut blocks: Vec<Range<u32>> = Vec::with_capacity(selections.count());
    for selection in selections {
        let first = text.line_of(selection.start());
        let last = text.line_of(selection.end());
        let excluded = last > first && selection.end() == text.line_start(last);
        let lines = first..last + u32::from(!excluded);
        match blocks.last_mut() {
            Some(block) if block.end > lines.start => block.end = block.end.max(lines.end),
            _ => blocks.push(lines),
        }
    }
    blocks
}

/// The blocks with neighbours made one: what moves as one.
fn joined(blocks: Vec<Range<u32>>) -> Vec<Range<u32>> {
    let mut joined: Vec<Range<u32>> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match joined.last_mut() {
            Some(last) if last.end == block.start => last.end = block.end,
            _ => joined.push(block),
        }
    }
    joined
}

/// A change of lines; what is selected stays so, and a selection keeps what is put before it at its start.
pub(super) fn of_lines(
    context: &EditContext<'_>,
    selections: &Selections,
    edits: impl IntoIterator<Item = (Range<usize>, String)>,
) -> Option<Transaction> {
    let changes = ChangeSet::from_edits(context.text.len(), edits);
    if changes.is_empty() {
        return None;
    }
    let after = selections.transform(|selection| {
        if selection.is_empty() {
            return selection.map(&changes);
        }
        let start = changes.map(selection.start(), Bias::Before);
        selection.with_range(start..changes.map(selection.end(), Bias::After))
    });
    Some(Transaction { changes, selections: Some(after) })
}

/// Goes one step of indentation deeper with every line touched that is not blank.
pub fn indent(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let lines = blocks(text, selections).into_iter().flat_map(|block| text.indents(block)).filter(|line| !line.blank);
    let edits = lines.map(|line| {
        let step = match context.indent {
            Indent::Tabs => "\t".to_owned(),
            Indent::Spaces(_) => {
                let cells = context.indent_cells();
                let column = context.columns.width(&text.slice(line.start..line.end), 0);
                " ".repeat((cells - column % cells) as usize)
            }
        };
        (line.start..line.start, step)
    });
    of_lines(context, selections, edits.collect::<Vec<_>>())
}

/// Goes one step of indentation back with every line touched.
pub fn outdent(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let cells = context.indent_cells();
    let lines = blocks(text, selections).into_iter().flat_map(|block| text.indents(block));
    let edits = lines.filter_map(|line| {
        let indent = text.slice(line.start..line.end);
        let column = context.columns.width(&indent, 0);
        let target = (column.checked_sub(1)? / cells) * cells;
        // From the end of the indentation, as much as must go; a tab may be more than that.
        let mut kept = indent.len();
        while kept > 0 && context.columns.width(&indent[..kept], 0) > target {
            kept -= 1;
        }
        let fill = target - context.columns.width(&indent[..kept], 0);
        Some((line.start + kept..line.end, " ".repeat(fill as usize)))
    });
    of_lines(context, selections, edits.collect::<Vec<_>>())
}

/// Moves every line touched up by one, with the selections.
pub fn move_lines_up(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let moves = joined(blocks(text, selections)).into_iter().filter_map(|block| {
        let above = block.start.checked_sub(1)?;
        // The line above goes below, with the break that stood between; the block's own ending stays at its place.
        let (start, end) = (text.line_start(block.start), text.line_end(block.end - 1));
        let content = text.line(above);
        let ending = text.slice(text.line_end(above)..start);
        let cut = text.line_start(above)..start;
        Some(Move {
            by: -(cut.len() as isize),
            ending: ending.len(),
            edits: [(cut, String::new()), (end..end, format!("{ending}{content}"))],
            block,
        })
    });
    moved(context, selections, moves.collect())
}

/// Moves every line touched down by one, with the selections.
pub fn move_lines_down(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let count = text.line_count();
    let moves = joined(blocks(text, selections)).into_iter().filter(|block| block.end < count).map(|block| {
        let (start, end) = (text.line_start(block.start), text.line_end(block.end - 1));
        let below = text.line_range(block.end);
        let insert = format!("{}{}", text.slice(below.clone()), text.slice(end..below.start));
        Move {
            by: insert.len() as isize,
            ending: text.line_end_full(block.end) - below.end,
            edits: [(start..start, insert), (end..below.end, String::new())],
            block,
        }
    });
    moved(context, selections, moves.collect())
}

/// A block that changes places with a line beside it.
struct Move {
    block: Range<u32>,
    /// How far its text moves.
    by: isize,
    /// The length of the line ending it gets.
    ending: usize,
    edits: [(Range<usize>, String); 2],
}

/// Makes the moves. Not by mapping: to a change set the line is what moved, and a caret in an empty line stands at the
/// very place where something is put.
fn moved(context: &EditContext<'_>, selections: &Selections, mut moves: Vec<Move>) -> Option<Transaction> {
    let text = context.text;
    let edits = moves.iter_mut().flat_map(|step| std::mem::take(&mut step.edits));
    let changes = ChangeSet::from_edits(text.len(), edits.collect::<Vec<_>>());
    if changes.is_empty() {
        return None;
    }
    let after = selections.transform(|selection| {
        let first = text.line_of(selection.start());
        let step = moves.partition_point(|step| step.block.end <= first);
        let Some(step) = moves.get(step).filter(|step| step.block.contains(&first)) else { return *selection };
        let start = selection.start().saturating_add_signed(step.by);
        let end = if text.line_of(selection.end()) < step.block.end {
            selection.end().saturating_add_signed(step.by)
        } else {
            // At the start of the line below the block: after the ending of its last line.
            let end = text.line_end(step.block.end - 1).saturating_add_signed(step.by);
            (end + step.ending).min(changes.len_after())
        };
        Selection { goal: selection.goal, ..selection.with_range(start..end) }
    });
    Some(Transaction { changes, selections: Some(after) })
}

/// Copies every line touched; the selections stand in the upper copy.
pub fn copy_lines_up(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let edits = blocks(text, selections).into_iter().map(|block| {
        let (content, ending) = content_and_ending(context, &block);
        let end = text.line_end(block.end - 1);
        (end..end, format!("{ending}{content}"))
    });
    let changes = ChangeSet::from_edits(text.len(), edits);
    let after = selections.transform(|selection| {
        let range = changes.map(selection.start(), Bias::Before)..changes.map(selection.end(), Bias::Before);
        selection.with_range(range)
    });
    Some(Transaction { changes, selections: Some(after) })
}

/// Copies every line touched; the selections stand in the lower copy.
pub fn copy_lines_down(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let edits = blocks(text, selections).into_iter().map(|block| {
        let (content, ending) = content_and_ending(context, &block);
        let start = text.line_start(block.start);
        (start..start, format!("{content}{ending}"))
    });
    let changes = ChangeSet::from_edits(text.len(), edits);
    let after = selections.transform(|selection| {
        let range = changes.map(selection.start(), Bias::After)..changes.map(selection.end(), Bias::After);
        selection.with_range(range)
    });
    Some(Transaction { changes, selections: Some(after) })
}

/// Repeats every selection after itself and selects the repetition; at a caret, copies its line down.
pub fn duplicate(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    if selections.are_carets() {
        return copy_lines_down(context, selections);
    }
    each(context, selections, |selection| {
        let content = context.text.slice(selection.range()).into_owned();
        let end = selection.end();
        let inside = selection.with_range(0..content.len());
        Piece { range: end..end, insert: content, anchor: inside.anchor, head: inside.head }
    })
}

/// The text of a block without the ending of its last line, and that ending or, where there is none, the document's.
fn content_and_ending(context: &EditContext<'_>, block: &Range<u32>) -> (String, String) {
    let text = context.text;
    let (start, end) = (text.line_start(block.start), text.line_end(block.end - 1));
    let ending = text.slice(end..text.line_end_full(block.end - 1));
    let ending = if ending.is_empty() { context.line_ending.as_str() } else { &ending };
    (text.slice(start..end).into_owned(), ending.to_owned())
}

/// Deletes every line touched. Carets stay in their columns, in the line that comes up.
pub fn delete_lines(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let edits = joined(blocks(text, selections)).into_iter().map(|block| {
        let (start, end) = (text.line_start(block.start), text.line_end_full(block.end - 1));
        // The last line has no ending to go with it, so the break before it goes.
        let start =
            if block.end == text.line_count() && block.start > 0 { text.line_end(block.start - 1) } else { start };
        (start..end, "")
    });
    let changes = ChangeSet::from_edits(text.len(), edits);
    if changes.is_empty() {
        return None;
    }
    let after_text = changes.apply(text);
    let after = selections.transform(|selection| {
        let goal = selection.goal.unwrap_or_else(|| context.columns.column(text, selection.head));
        let line = after_text.line_of(changes.map(text.line_start(text.line_of(selection.start())), Bias::After));
        Selection { goal: Some(goal), ..Selection::caret(context.columns.offset(&after_text, line, goal)) }
    });
    Some(Transaction { changes, selections: Some(after) })
}

/// Joins every line touched with the next one, or the lines of a selection with each other: indentation goes, and one
/// space stays between what is not empty. Carets go where the lines meet.
pub fn join_lines(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let text = context.text;
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let mut done = 0;
    for block in blocks(text, selections) {
        let last = if block.len() == 1 { block.end } else { block.end - 1 }.min(text.last_line());
        // Whether a space is due before the next line that has text.
        let mut due = false;
        for line in block.start.max(done)..last {
            let (start, end) = (text.line_end(line), indent_end(text, line + 1));
            if let Some(last) = text.char_before(start).filter(|_| text.line_start(line) < start) {
                due = !last.is_whitespace();
            }
            let blank = end == text.line_end(line + 1);
            edits.push((start..end, if due && !blank { " " } else { "" }));
        }
        done = done.max(last);
    }
    let changes = ChangeSet::from_edits(text.len(), edits);
    if changes.is_empty() {
        return None;
    }
    let after = selections.transform(|selection| {
        if selection.is_empty() {
            let end = text.line_end(text.line_of(selection.head));
            return Selection::caret(changes.map(end, Bias::Before));
        }
        selection.map(&changes)
    });
    Some(Transaction { changes, selections: Some(after) })
}

/// Removes white space at the end of every line of `lines`, but for lines where a caret stands in it.
pub fn trim_trailing_whitespace(
    context: &EditContext<'_>,
    selections: &Selections,
    lines: Range<u32>,
) -> Option<Transaction> {
    let text = context.text;
    let carets: Vec<usize> = selections.iter().map(|selection| selection.head).collect();
    let edits = lines.filter_map(|line| {
        let range = text.line_range(line);
        let blanks = text.chars_before(range.end).take(range.len()).take_while(|c| matches!(c, ' ' | '\t')).count();
        let cut = range.end - blanks;
        let next = carets.partition_point(|caret| *caret <= cut);
        let caret = carets.get(next).is_some_and(|caret| *caret <= range.end);
        (blanks > 0 && !caret).then(|| (cut..range.end, String::new()))
    });
    of_lines(context, selections, edits.collect::<Vec<_>>())
}

/// Ends the text with a line ending, if it has any text.
pub fn ensure_final_newline(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    let end = context.text.len();
    if context.text.char_before(end).is_none_or(|last| last == '\n') {
        return None;
    }
    let changes = ChangeSet::from_edits(end, [(end..end, context.line_ending.as_str())]);
    // A caret at the end of the text stays in its line.
    Some(Transaction { changes, selections: Some(selections.clone()) })
}
