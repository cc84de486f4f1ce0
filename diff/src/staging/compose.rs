//! Composing a text from two sides of a change: the lines that are *taken* as they are on the new side, the others as on
//! the old.
//!
//! One side is the *base*, the text that is being changed; what is in no hunk is the base's, byte for byte. To stage lines
//! is to take them into the index, which is the base and the old side. To unstage or discard them is to take all *but*
//! them, with the index or the file as base, which is the new side then.
//!
//! Order within a hunk that is taken in part follows the rows in which the two sides stand beside each other. An old line
//! that stays is before the new line of its row; new lines of consecutive rows stay together, behind the old lines that
//! stay in those rows. So lines that are changed one by one keep their places, and a block that is added before the old
//! one leaves is a block.
//!
//! Every line keeps its own ending. One that had none, being the last of its text, gets one as its neighbours have it when
//! another line comes behind.
//!
//! Nothing here reads a file, and no input makes it panic: lines that do not exist are empty.

use std::ops::Range;

use crate::align::{self, Alignment};
use crate::engine::Hunk;
use crate::git::Side;
use crate::lines::Content;

use super::{Chosen, Extent};

/// A change as it was shown: both sides and the hunks between them.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The old side.
    pub old: &'a Content,
    /// The new side.
    pub new: &'a Content,
    /// The script.
    pub hunks: &'a [Hunk],
}

/// A replacement of some bytes of the base by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Which bytes.
    pub at: Range<usize>,
    /// What takes their place.
    pub text: Vec<u8>,
}

impl<'a> Shown<'a> {
    /// One of the sides.
    pub fn side(&self, side: Side) -> &'a Content {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// Whether the hunks are a script of texts with as many lines: ascending, and with as many lines between them on one
    /// side as on the other.
    pub fn is_whole(&self) -> bool {
        let (mut old, mut new) = (0, 0);
        let ends = Hunk { old: self.old.line_count()..u32::MAX, new: self.new.line_count()..u32::MAX };
        self.hunks.iter().chain([&ends]).all(|hunk| {
            let between = (hunk.old.start.checked_sub(old), hunk.new.start.checked_sub(new));
            (old, new) = (hunk.old.end, hunk.new.end);
            between.0.is_some() && between.0 == between.1 && hunk.old.start <= old && hunk.new.start <= new
        })
    }

    /// How the lines of a hunk stand beside each other, as side by side shows them.
    pub fn alignment(&self, hunk: &Hunk) -> Alignment {
        if hunk.old.len() == hunk.new.len() || hunk.old.len().saturating_mul(hunk.new.len()) > align::MAX_CELLS {
            return Alignment::by_index(hunk);
        }
        let lines = |side: &'a Content, lines: &Range<u32>| lines.clone().map(|n| side.line(n)).collect::<Vec<_>>();
        align::pairs(&lines(self.old, &hunk.old), &lines(self.new, &hunk.new))
    }

    /// What makes the base the text in which exactly the `taken` lines of the change are made.
    pub fn splices(&self, taken: &Chosen, base: Side) -> Vec<Splice> {
        let unchanged = match base {
            Side::Old => Extent::None,
            Side::New => Extent::All,
        };
        let in_part = |hunk: &&Hunk| taken.extent_in(hunk) != unchanged;
        self.hunks.iter().filter(in_part).map(|hunk| self.splice(hunk, taken, base)).collect()
    }

    /// The base with the `taken` lines of the change made and no others.
    pub fn compose(&self, taken: &Chosen, base: Side) -> Vec<u8> {
        apply(self.side(base).bytes(), &self.splices(taken, base))
    }

    fn splice(&self, hunk: &Hunk, taken: &Chosen, base: Side) -> Splice {
        let text = self.side(base);
        let lines = match base {
            Side::Old => &hunk.old,
            Side::New => &hunk.new,
        };
        let at = text.line_start(lines.start)..text.line_start(lines.end.max(lines.start));
        // Behind a last line without newline, which only white space overlooked can make equal to one that has it.
        let mut out = Joined { text: Vec::new(), open: ending_missing(text, lines.start.checked_sub(1)) };
        match taken.extent_in(hunk) {
            Extent::All => hunk.new.clone().for_each(|line| out.push(self.new, line)),
            Extent::None => hunk.old.clone().for_each(|line| out.push(self.old, line)),
            Extent::Some => self.interleave(hunk, &self.alignment(hunk), taken, &mut out),
        }
        if at.end < text.len() {
            out.close(text, lines.end);
        }
        Splice { at, text: out.text }
    }

    /// The lines of a hunk that is taken in part, in the order that the module's documentation states.
    fn interleave(&self, hunk: &Hunk, alignment: &Alignment, taken: &Chosen, out: &mut Joined) {
        let mut waiting = Vec::new();
        for row in 0..alignment.rows() {
            let (old, new) = alignment.at(row);
            let stays = old.map(|n| hunk.old.start + n).filter(|&line| !taken.contains(Side::Old, line));
            let enters = new.map(|n| hunk.new.start + n).filter(|&line| taken.contains(Side::New, line));
            if enters.is_none() {
                waiting.drain(..).for_each(|line| out.push(self.new, line));
            }
            if let Some(line) = stays {
                out.push(self.old, line);
            }
            waiting.extend(enters);
        }
        waiting.drain(..).for_each(|line| out.push(self.new, line));
    }
}

/// The text with some of it replaced; `splices` ascend and are apart.
pub fn apply(base: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut text = Vec::with_capacity(base.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    let mut at = 0;
    for splice in splices {
        text.extend_from_slice(base.get(at..splice.at.start).unwrap_or_default());
        text.extend_from_slice(&splice.text);
        at = splice.at.end;
    }
    text.extend_from_slice(base.get(at..).unwrap_or_default());
    text
}

/// Lines put together so that each but the last ends.
struct Joined {
    text: Vec<u8>,
    /// The ending that the line before still needs, if another comes.
    open: Option<Ending>,
}

/// What a line without ending would end with.
#[derive(Clone, Copy)]
enum Ending {
    /// As the line before it in its text does.
    Known(&'static [u8]),
    /// It was alone: as the line that comes behind it does.
    AsNext,
}

impl Joined {
    fn push(&mut self, side: &Content, line: u32) {
        self.close(side, line);
        self.text.extend_from_slice(side.line(line));
        self.open = ending_missing(side, Some(line));
    }

    /// Ends the line before, as `line` of `side` comes behind it.
    fn close(&mut self, side: &Content, line: u32) {
        match self.open.take() {
            Some(Ending::Known(ending)) => self.text.extend_from_slice(ending),
            Some(Ending::AsNext) => self.text.extend_from_slice(ending(side.line(line)).unwrap_or(b"\n")),
            None => {}
        }
    }
}

/// What ends a line; none if nothing does.
fn ending(line: &[u8]) -> Option<&'static [u8]> {
    match line {
        [.., b'\r', b'\n'] => Some(b"\r\n"),
        [.., b'\n'] => Some(b"\n"),
        _ => None,
    }
}

/// The ending that a line lacks.
fn ending_missing(side: &Content, line: Option<u32>) -> Option<Ending> {
    let line = line.filter(|&line| !side.line(line).is_empty() && ending(side.line(line)).is_none())?;
    let before = line.checked_sub(1).and_then(|before| ending(side.line(before)));
    Some(before.map_or(Ending::AsNext, Ending::Known))
}

#[cfg(test)]
mod tests {
    use editor::Cancel;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::{Options, Whitespace, compare};

    fn content(text: impl AsRef<[u8]>) -> Content {
        Content::new(text.as_ref()).unwrap()
    }

    fn hunks(old: &Content, new: &Content, whitespace: Whitespace) -> Vec<Hunk> {
        compare(old, new, &Options { whitespace, ..Options::default() }, &Cancel::new()).unwrap().hunks
    }

    /// What staging removed and added lines of the whole change gives; lines count from 1, as people see them.
    #[track_caller]
    fn check(old: &str, new: &str, removed: &[u32], added: &[u32], expected: &str) {
        let (a, b) = (content(old), content(new));
        let found = hunks(&a, &b, Whitespace::Exact);
        let shown = Shown { old: &a, new: &b, hunks: &found };
        let one = |&line: &u32| line - 1..line;
        let taken = Chosen::new(removed.iter().map(one), added.iter().map(one));
        let composed = |base| String::from_utf8(shown.compose(&taken, base)).unwrap();
        assert_eq!((composed(Side::Old).as_str(), composed(Side::New).as_str()), (expected, expected));
    }

    #[test]
    fn case_33_lines_keep_their_places() {
        check("a\nb\nc\nd\ne\n", "A\nB\nC\nD\nE\n", &[1, 5], &[1, 5], "A\nb\nc\nd\nE\n");
    }

    #[test]
    fn an_added_line_comes_behind_the_one_it_would_replace() {
        check("a\nb\nc\n", "A\nB\nC\n", &[], &[2], "a\nb\nB\nc\n");
        check("a\nb\nc\n", "A\nB\nC\n", &[2], &[], "a\nc\n");
    }

    #[test]
    fn added_lines_stay_a_block_before_the_old_ones_leave() {
        check("a\nb\nc\n", "A\nB\nC\n", &[], &[1, 2, 3], "a\nb\nc\nA\nB\nC\n");
        check("a\nb\nc\n", "A\nB\nC\n", &[], &[1, 2], "a\nb\nA\nB\nc\n");
        check("a\nb\nc\nd\n", "A\nB\nC\nD\n", &[2], &[1, 2, 4], "a\nA\nB\nc\nd\nD\n");
    }

    #[test]
    fn lines_of_unequal_hunks_stand_where_they_are_shown() {
        check("let total = 1;\n", "// sum\n// more\nlet total = 2;\n", &[1], &[3], "let total = 2;\n");
        check("let total = 1;\n", "// sum\n// more\nlet total = 2;\n", &[], &[1], "// sum\nlet total = 1;\n");
    }

    #[test]
    fn case_1_a_newline_at_the_end_is_staged_by_its_line() {
        check("Hello", "Hello\n", &[1], &[1], "Hello\n");
        check("Hello", "Hello\n", &[], &[], "Hello");
        check("Hello\n", "Hello", &[1], &[1], "Hello");
    }

    #[test]
    fn case_4_the_last_line_is_apart_from_the_one_before() {
        let (old, new) = ("fn a() {\n    one();\n}", "fn a() {\n    two();\n}\n");
        check(old, new, &[2], &[2], "fn a() {\n    two();\n}");
        check(old, new, &[3], &[3], "fn a() {\n    one();\n}\n");
    }

    #[test]
    fn a_line_without_ending_gets_one_when_another_follows() {
        check("Hello", "Hello\n", &[], &[1], "Hello\nHello\n");
        check("a\nb", "a\nc", &[], &[2], "a\nb\nc");
        check("a\r\nb", "a\r\nc", &[], &[2], "a\r\nb\r\nc");
        check("b", "c\r\nd\r\n", &[], &[1], "b\r\nc\r\n");
    }

    #[test]
    fn case_7_lines_enter_with_their_own_endings() {
        check("1;a\r\n2;b\r\n", "1;a\r\n3;c\r\n2;b\r\n4;d\r\n", &[], &[2], "1;a\r\n3;c\r\n2;b\r\n");
    }

    #[test]
    fn new_and_gone_texts_are_taken_in_part_as_well() {
        check("", "a\nb\nc", &[], &[1, 3], "a\nc");
        check("a\nb\nc\n", "", &[2], &[], "a\nc\n");
    }

    #[test]
    fn what_white_space_hides_is_the_bases() {
        let (old, new) = (content("a \nb\nlast"), content("a\nB\nlast\nmore\n"));
        let found = hunks(&old, &new, Whitespace::IgnoreEnd);
        let shown = Shown { old: &old, new: &new, hunks: &found };
        let all = Chosen::hunks(&found);
        assert_eq!(shown.compose(&all, Side::Old), b"a \nB\nlast\nmore\n");
        assert_eq!(shown.compose(&Chosen::default(), Side::New), b"a\nb\nlast\n");
        assert!(shown.is_whole());
    }

    #[test]
    fn hunks_of_other_texts_are_recognised() {
        let (old, new) = (content("a\nb\nc\n"), content("a\nB\nc\n"));
        let whole = |hunks: &[Hunk]| Shown { old: &old, new: &new, hunks }.is_whole();
        assert!(whole(&[Hunk { old: 1..2, new: 1..2 }]));
        assert!(!whole(&[Hunk { old: 1..2, new: 1..3 }]));
        assert!(!whole(&[Hunk { old: 1..2, new: 0..1 }]));
        assert!(!whole(&[Hunk { old: 2..9, new: 2..9 }]));
        assert!(!whole(&[Hunk { old: 2..3, new: 2..3 }, Hunk { old: 0..1, new: 0..1 }]));
    }

    /// Whatever is handed in, as numbers out of a stale view.
    fn wild_hunks() -> impl Strategy<Value = Vec<Hunk>> {
        let range = || (0u32..12, 0u32..12).prop_map(|(a, b)| a..b);
        prop::collection::vec((range(), range()).prop_map(|(old, new)| Hunk { old, new }), 0..4)
    }

    proptest! {
        #[test]
        fn taking_all_or_nothing_gives_a_side(old in "([ab]{0,2}\r?\n){0,9}[ab]{0,2}", new in "([ab]{0,2}\r?\n){0,9}[ab]{0,2}") {
            let (a, b) = (content(&old), content(&new));
            let found = hunks(&a, &b, Whitespace::Exact);
            let shown = Shown { old: &a, new: &b, hunks: &found };
            prop_assert!(shown.is_whole());
            for base in [Side::Old, Side::New] {
                prop_assert_eq!(shown.compose(&Chosen::hunks(&found), base), new.as_bytes());
                prop_assert_eq!(shown.compose(&Chosen::default(), base), old.as_bytes());
            }
        }

        #[test]
        fn nothing_makes_it_panic(
            old in "([ab]\n){0,6}b?", new in "([ab]\n){0,6}a?", hunks in wild_hunks(), chosen in wild_hunks(),
        ) {
            let (old, new) = (content(old), content(new));
            let shown = Shown { old: &old, new: &new, hunks: &hunks };
            let taken = Chosen::hunks(&chosen);
            shown.compose(&taken, Side::Old);
            shown.compose(&taken.rest(&hunks), Side::New);
            shown.is_whole();
        }
    }
}
