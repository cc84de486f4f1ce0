//! The protocol's positions as byte offsets, and back.
//!
//! A *position* is a line and a *character*, both counted from 0. A character is counted in the unit of the [`Encoding`] that
//! both sides agreed on: UTF-16 units unless the server takes bytes. Lines end at LF or CR LF here; a CR alone, which the
//! protocol also calls a line end, is one for hardly a server and not for us.
//!
//! Invariant: an offset made from a position is on a `char` boundary of the text, whatever the position: past the end of
//! a line it is that end, past the last line the end of the text, within a character its start.

use std::ops::Range;

use crate::text::Text;

/// What characters of a line are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 units; what holds where nothing was agreed on.
    #[default]
    Utf16,
}

/// A place in a text as the protocol says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, counted from 0.
    pub line: u32,
    /// How many units of the line stand before it.
    pub character: u32,
}

/// The offset of a position.
pub fn offset(text: &Text, position: Position, encoding: Encoding) -> usize {
    if position.line > text.last_line() {
        return text.len();
    }
    let line = text.line_range(position.line);
    let character = position.character as usize;
    let found = match encoding {
        Encoding::Utf8 => text.floor_char(line.start.saturating_add(character)),
        Encoding::Utf16 => text.offset_of_utf16(text.utf16_of(line.start).saturating_add(character)),
    };
    found.min(line.end)
}

/// The byte range between two positions, in whatever order they come.
pub fn range(text: &Text, start: Position, end: Position, encoding: Encoding) -> Range<usize> {
    let (start, end) = (offset(text, start, encoding), offset(text, end, encoding));
    start.min(end)..start.max(end)
}

/// The position of an offset.
pub fn position(text: &Text, offset: usize, encoding: Encoding) -> Position {
    let offset = text.floor_char(offset);
    let line = text.line_of(offset);
    let start = text.line_start(line);
    let character = match encoding {
        Encoding::Utf8 => offset - start,
        Encoding::Utf16 => text.utf16_of(offset) - text.utf16_of(start),
    };
    Position { line, character: character as u32 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, (line, character): (u32, u32), encoding: Encoding, expected: usize) {
        let found = offset(&Text::from(text), Position { line, character }, encoding);
        assert_eq!(found, expected, "{text:?} at {line}:{character} in {encoding:?}");
    }

    #[test]
    fn characters_beyond_the_basic_plane_are_two_units() {
        check("const 𝒳 = foo", (0, 11), Encoding::Utf16, 13);
        check("---\nname: 😀x\n---\n", (1, 8), Encoding::Utf16, 14);
        check("const 𝒳 = foo", (0, 13), Encoding::Utf8, 13);
    }

    #[test]
    fn within_a_character_it_is_its_start() {
        check("a😀b", (0, 2), Encoding::Utf16, 1);
        check("a😀b", (0, 3), Encoding::Utf8, 1);
    }

    #[test]
    fn past_the_end_of_a_line_it_is_that_end() {
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            check("ab\ncd", (0, 99), encoding, 2);
            check("ab\r\ncd", (0, 3), encoding, 2);
            check("ab\r\ncd", (0, u32::MAX), encoding, 2);
            check("ab\r\ncd", (1, u32::MAX), encoding, 6);
            check("ab\n", (1, 0), encoding, 3);
        }
    }

    #[test]
    fn past_the_last_line_it_is_the_end_of_the_text() {
        check("ab\ncd", (7, 0), Encoding::Utf16, 5);
        check("", (u32::MAX, u32::MAX), Encoding::Utf8, 0);
    }

    #[test]
    fn a_range_the_wrong_way_round_is_turned() {
        let (start, end) = (Position { line: 0, character: 3 }, Position { line: 0, character: 1 });
        assert_eq!(range(&Text::from("abcd"), start, end, Encoding::Utf16), 1..3);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn there_and_back_is_the_same_place(source in "[a𝒳é😀\r\n]{0,40}", at in 0usize..200) {
            let text = Text::from(&*source);
            let at = text.floor_char(at);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let back = offset(&text, position(&text, at, encoding), encoding);
                // Between CR and LF there is no place for the protocol.
                let between = at > 0 && text.byte(at - 1) == Some(b'\r') && text.byte(at) == Some(b'\n');
                prop_assert_eq!(back, if between { at - 1 } else { at }, "{:?}", encoding);
            }
        }

        #[test]
        fn any_position_is_somewhere(source in "[a𝒳é😀\r\n]{0,40}", line in 0u32..60, character in any::<u32>()) {
            let text = Text::from(&*source);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let found = offset(&text, Position { line, character }, encoding);
                prop_assert!(text.is_char_boundary(found));
            }
        }
    }
}
