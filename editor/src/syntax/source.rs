//! The text as tree-sitter reads it: pieces at an offset, points, and edits in its coordinates.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::{InputEdit, Node, ParseOptions, ParseState, Parser, Point, Tree};

use super::budget::{Budget, Stop};
use super::grammar::Grammar;
use crate::change::ChangeSet;
use crate::text::Text;

/// Parses `text`, or only `ranges` of it if there are any, reusing what is unchanged in `old`, which has been told of
/// all edits since.
pub(super) fn parse(
    parser: &mut Parser,
    grammar: &Grammar,
    text: &Text,
    ranges: &[tree_sitter::Range],
    old: Option<&Tree>,
    budget: &Budget,
) -> Result<Tree, Stop> {
    budget.check()?;
    if u32::try_from(text.len()).is_err() {
        return Err(Stop::Refused);
    }
    // A parse that was stopped would go on where it was, in a text that may be another by now.
    parser.reset();
    parser.set_language(&grammar.language).map_err(|_| Stop::Refused)?;
    parser.set_included_ranges(ranges).map_err(|_| Stop::Refused)?;
    let traps = if grammar.fears_long_words { long_words(text) } else { Vec::new() };
    let mut read = |offset: usize, _: Point| piece_at(text, offset, &traps);
    let mut progress = |_: &ParseState| budget.flow();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, old, Some(options));
    tree.ok_or_else(|| budget.check().err().unwrap_or(Stop::Refused))
}

/// Characters of the word of a heredoc that Ruby's scanner has room for.
const LONGEST_WORD: usize = 255;

/// Where a `<<` begins before a word or string that Ruby would take for the end of a heredoc, if it is a long one: the
/// scanner keeps its length in a byte, and ends the process when it reads another length than it has written.
fn long_words(text: &Text) -> Vec<usize> {
    let (mut found, mut from, mut before) = (Vec::new(), 0, 0);
    for piece in text.chunks(0..text.len()).map(str::as_bytes) {
        for at in memchr::memchr_iter(b'<', piece) {
            let previous = if at == 0 { before } else { piece[at - 1] };
            if previous == b'<' && is_long_word(text, from + at + 1) {
                found.push(from + at - 1);
            }
        }
        before = piece.last().copied().unwrap_or(before);
        from += piece.len();
    }
    found
}

fn is_long_word(text: &Text, from: usize) -> bool {
    let mut chars = text.chunks(from..text.len()).flat_map(str::chars).peekable();
    chars.next_if(|c| matches!(c, '~' | '-'));
    let quote = chars.next_if(|c| matches!(c, '\'' | '"' | '`'));
    let is_in_word = |c: &char| match quote {
        Some(quote) => *c != quote,
        None => c.is_alphanumeric() || *c == '_',
    };
    chars.take_while(is_in_word).take(LONGEST_WORD + 1).count() > LONGEST_WORD
}

/// The bytes from `offset` to the end of the rope's piece; none at the end of the text. `traps` are places that are read as
/// a blank.
fn piece_at<'a>(text: &'a Text, offset: usize, traps: &[usize]) -> Cow<'a, [u8]> {
    // A tree that was edited wrongly could ask within a character; what is read then must still start where asked.
    let start = text.floor_char(offset);
    let piece = text.chunks(start..text.len()).next().unwrap_or_default();
    let piece = piece.as_bytes().get(offset.saturating_sub(start)..).unwrap_or_default();
    let first = traps.partition_point(|trap| *trap < offset);
    let traps = traps[first..].iter().map(|trap| trap - offset).take_while(|trap| *trap < piece.len());
    if memchr::memchr(0, piece).is_none() && traps.clone().next().is_none() {
        return Cow::Borrowed(piece);
    }
    // To a scanner NUL is the end of the text. Met before the end, it makes that of Bash wait for ever, and no deadline
    // reaches into a scanner. DEL has the same length and no meaning in any grammar.
    let mut piece: Vec<u8> = piece.iter().map(|byte| if *byte == 0 { 0x7f } else { *byte }).collect();
    traps.for_each(|trap| piece[trap] = b' ');
    Cow::Owned(piece)
}

/// The pieces of text under a node, for predicates.
pub(super) fn pieces<'a>(text: &'a Text, node: Node<'_>) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    text.chunks(node.byte_range()).map(str::as_bytes)
}

/// Row and column, in bytes, of an offset.
pub(super) fn point(text: &Text, offset: usize) -> Point {
    let line = text.line_of(offset);
    Point { row: line as usize, column: offset - text.line_start(line) }
}

/// The edits of a change set, each in the coordinates of the text with the edits before it already made.
pub(super) fn input_edits(changes: &ChangeSet, old: &Text, new: &Text) -> Vec<InputEdit> {
    let edit = |old_range: Range<usize>, new_range: Range<usize>| {
        let start_position = point(new, new_range.start);
        let (removed_from, removed_to) = (point(old, old_range.start), point(old, old_range.end));
        let rows = removed_to.row - removed_from.row;
        let column = if rows == 0 {
            start_position.column + (removed_to.column - removed_from.column)
        } else {
            removed_to.column
        };
        InputEdit {
            start_byte: new_range.start,
            old_end_byte: new_range.start + old_range.len(),
            new_end_byte: new_range.end,
            start_position,
            old_end_position: Point { row: start_position.row + rows, column },
            new_end_position: point(new, new_range.end),
        }
    };
    changes.edits().map(|change| edit(change.old, change.new)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_of_heredocs_are_found_and_read_as_comparisons() {
        let (word, string) = ("w".repeat(256), "<p> ".repeat(80));
        let check = |source: &str, traps: &[usize]| assert_eq!(long_words(&Text::from(source)), traps, "{source}");
        check(&format!("x = <<{word}\n"), &[4]);
        check(&format!("x = <<~{}\n", &word[1..]), &[]);
        check(&format!("html <<\"{string}\"\nputs <<-'{string}"), &[5, 5 + 2 + 322 + 6]);
        check(&format!("html << \"{string}\"\nx <<<END\n{string}\nEND\n"), &[]);
        let text = Text::from(format!("x = <<{word}\n"));
        assert!(piece_at(&text, 2, &[4]).starts_with(b"=  <w"));
        assert!(piece_at(&text, 5, &[4]).starts_with(b"<w"));
    }

    #[test]
    fn edits_are_in_the_coordinates_of_the_text_they_meet() {
        let old = Text::from("ab\ncd\nef");
        let changes = ChangeSet::from_edits(old.len(), [(1..4, "X"), (6..6, "1\n2")]);
        let new = changes.apply(&old);
        assert_eq!(new.to_string(), "aXd\n1\n2ef");
        let edits = input_edits(&changes, &old, &new);
        let at = |row, column| Point { row, column };
        assert_eq!(
            edits,
            [
                InputEdit {
                    start_byte: 1,
                    old_end_byte: 4,
                    new_end_byte: 2,
                    start_position: at(0, 1),
                    old_end_position: at(1, 1),
                    new_end_position: at(0, 2),
                },
                InputEdit {
                    start_byte: 4,
                    old_end_byte: 4,
                    new_end_byte: 7,
                    start_position: at(1, 0),
                    old_end_position: at(1, 0),
                    new_end_position: at(2, 1),
                },
            ]
        );
    }
}
