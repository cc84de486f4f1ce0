//! Soft wrap: where a line that is wider than its view goes on in another row.
//!
//! A line is cut into *pieces*, preferably behind white space, else behind punctuation, else where the row is full.
//! Pieces after the first are indented as the line is, at most to the middle of the view. Columns stay those of the
//! unwrapped line, so tab stops are where they are without wrapping.

use unicode_segmentation::UnicodeSegmentation;

use super::Columns;

/// One row's part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its first byte in the line.
    pub start: usize,
    /// The column of that byte in the unwrapped line.
    pub column: u32,
}

/// The pieces of a line; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapped {
    /// Columns that pieces after the first are moved to the right.
    pub indent: u32,
    pieces: Vec<Piece>,
}

impl Wrapped {
    /// A line that is not wrapped.
    pub fn whole() -> Self {
        Self { indent: 0, pieces: vec![Piece { start: 0, column: 0 }] }
    }

    /// All pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The piece that holds a byte of the line; at a break, the one that starts there.
    pub fn piece_of(&self, byte: usize) -> usize {
        self.pieces.partition_point(|piece| piece.start <= byte).saturating_sub(1)
    }
}

/// What a row can be broken behind, better ones later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Break {
    Anywhere,
    Punctuation,
    Space,
}

impl Columns {
    /// How many rows of `width` columns `line` takes. A line that fits costs a look at its length and for tabs.
    pub fn rows(&self, line: &str, width: u32) -> u32 {
        if self.fits(line, width) { 1 } else { self.wrap(line, width).pieces.len() as u32 }
    }

    /// Cuts `line` for rows of `width` columns (at least 8). O(n).
    pub fn wrap(&self, line: &str, width: u32) -> Wrapped {
        let mut wrapped = Wrapped::whole();
        if self.fits(line, width) {
            return wrapped;
        }
        let width = width.max(8);
        let blank = line.len() - line.trim_start().len();
        wrapped.indent = self.width(&line[..blank], 0).min(width / 2);
        let mut start = 0; // the column at which the row starts
        let mut room = width;
        let mut best: Option<(Break, Piece)> = None;
        let mut column = 0;
        for (byte, cluster) in line.grapheme_indices(true) {
            let after = self.after(cluster, column);
            let here = Piece { start: byte, column };
            if after - start > room && column > start {
                room = width - wrapped.indent;
                // What stands behind the break must fit into the next row.
                let at = best.filter(|(_, at)| after - at.column <= room).map_or(here, |(_, at)| at);
                wrapped.pieces.push(at);
                start = at.column;
                best = None;
            }
            column = after;
            let kind = break_behind(cluster);
            let behind = Piece { start: byte + cluster.len(), column };
            // Not right behind the indentation, and not in the first quarter of the row: that would waste most of it.
            if kind > Break::Anywhere
                && byte >= blank
                && column - start > room / 4
                && best.is_none_or(|(b, _)| kind >= b)
            {
                best = Some((kind, behind));
            }
        }
        wrapped
    }

    fn fits(&self, line: &str, width: u32) -> bool {
        // A character takes at least a byte a column, but for tabs.
        line.len() <= width as usize
            && (memchr::memchr(b'\t', line.as_bytes()).is_none() || self.width(line, 0) <= width)
    }
}

fn break_behind(cluster: &str) -> Break {
    match cluster.as_bytes() {
        [b' ' | b'\t'] => Break::Space,
        [b',' | b';' | b')' | b']' | b'}' | b'>' | b'/' | b'|' | b'&' | b'-'] => Break::Punctuation,
        [_] => Break::Anywhere,
        // Scripts that are written without spaces are broken between any two characters.
        _ if cluster.chars().next().is_some_and(|c| super::columns::lone_width(c) == Some(2)) => Break::Punctuation,
        _ => Break::Anywhere,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrap(line: &str, width: u32) -> Vec<String> {
        let wrapped = Columns::new(4).wrap(line, width);
        let ends = wrapped.pieces().iter().skip(1).map(|p| p.start).chain([line.len()]);
        let parts = wrapped.pieces().iter().zip(ends).enumerate();
        parts
            .map(|(n, (p, end))| " ".repeat(if n > 0 { wrapped.indent as usize } else { 0 }) + &line[p.start..end])
            .collect()
    }

    #[test]
    fn breaks_behind_white_space_before_anything_else() {
        assert_eq!(wrap("one two three, four", 12), ["one two ", "three, four"]);
        assert_eq!(wrap("let value = call(argument);", 20), ["let value = ", "call(argument);"]);
    }

    #[test]
    fn breaks_a_word_that_is_longer_than_the_row() {
        assert_eq!(wrap("0123456789abcdef", 10), ["0123456789", "abcdef"]);
        assert_eq!(wrap("path/to/some/file.rs", 12), ["path/to/", "some/file.rs"]);
    }

    #[test]
    fn goes_on_under_the_first_character() {
        assert_eq!(wrap("    let a = b + c;", 12), ["    let a = ", "    b + c;"]);
        assert_eq!(wrap("\tif condition {", 12), ["\tif ", "    conditio", "    n {"]);
    }

    #[test]
    fn a_line_that_fits_is_one_piece() {
        assert_eq!(wrap("fits exactly", 12), ["fits exactly"]);
        assert_eq!(wrap("", 12), [""]);
    }

    #[test]
    fn wide_characters_count_two_columns() {
        assert_eq!(wrap("漢字漢字漢字", 8), ["漢字漢字", "漢字"]);
    }

    proptest! {
        #[test]
        fn pieces_are_the_line_and_none_is_too_wide(line in "[a-z ,\t漢é👶🏾]{0,120}", width in 8u32..40) {
            let columns = Columns::new(4);
            let wrapped = columns.wrap(&line, width);
            let pieces = wrapped.pieces();
            prop_assert_eq!(pieces[0], Piece { start: 0, column: 0 });
            prop_assert_eq!(columns.rows(&line, width) as usize, pieces.len());
            for (n, piece) in pieces.iter().enumerate() {
                prop_assert_eq!(columns.width(&line[..piece.start], 0), piece.column);
                let end = pieces.get(n + 1).map_or(line.len(), |next| next.start);
                prop_assert!(n == 0 || piece.start > pieces[n - 1].start);
                let taken = columns.width(&line[piece.start..end], piece.column);
                let room = if n == 0 { width } else { width - wrapped.indent };
                prop_assert!(taken <= room.max(4), "{taken} columns in {room}");
                prop_assert_eq!(wrapped.piece_of(piece.start), n);
            }
        }
    }
}
