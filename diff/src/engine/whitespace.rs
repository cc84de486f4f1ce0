//! White-space modes: what of a line counts when lines are compared, as git's options have it.
//!
//! A line's *key* under a mode is what is left of it when the white space to overlook is gone; lines are equal under
//! the mode if their keys are. So equality is an equivalence, hashes can be taken of keys, and the lines a script calls
//! equal may differ in bytes.
//!
//! Git's own ways are kept where they surprise: white space are blank, tab, CR and LF and nothing else (no form feed),
//! and a newline that is missing at the end is white space, too, so no mode but [`Whitespace::Exact`] shows it.

use super::Script;
use crate::lines::{Content, without_ending};

/// What white space to overlook when lines are compared, as git's options of that name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Whitespace {
    /// Lines are equal if their bytes are.
    #[default]
    Exact,
    /// A CR before the newline (`--ignore-cr-at-eol`).
    IgnoreCr,
    /// White space at the end of lines, which a CR and the newline are, too (`--ignore-space-at-eol`).
    IgnoreEnd,
    /// Also how much white space there is, but not whether there is any (`-b`).
    IgnoreAmount,
    /// All white space (`-w`).
    IgnoreAll,
}

impl Whitespace {
    /// All modes, from the strictest to the most lenient: lines that are equal in one are equal in those behind it.
    pub const ALL: [Self; 5] = [Self::Exact, Self::IgnoreCr, Self::IgnoreEnd, Self::IgnoreAmount, Self::IgnoreAll];

    /// The mode for people, as in "white space: …".
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "none ignored",
            Self::IgnoreCr => "carriage returns at line ends ignored",
            Self::IgnoreEnd => "ignored at line ends",
            Self::IgnoreAmount => "amount ignored",
            Self::IgnoreAll => "all ignored",
        }
    }

    /// What of `line`, given with its ending, counts in comparing; `buffer` is room to build it.
    pub(crate) fn key<'a>(self, line: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        match self {
            Self::Exact => line,
            Self::IgnoreCr => without_ending(line),
            Self::IgnoreEnd => without_end(line),
            Self::IgnoreAmount | Self::IgnoreAll => {
                buffer.clear();
                buffer.extend(self.squeezed(line));
                buffer
            }
        }
    }

    /// A line with a blank, or nothing, for each run of white space, and nothing for the last.
    fn squeezed(self, line: &[u8]) -> impl Iterator<Item = u8> + '_ {
        let mut in_space = false;
        without_end(line).iter().filter_map(move |&byte| {
            let is_first = !std::mem::replace(&mut in_space, is_space(byte));
            match is_space(byte) {
                true => (is_first && self == Self::IgnoreAmount).then_some(b' '),
                false => Some(byte),
            }
        })
    }

    /// Whether two lines are equal in this mode.
    pub fn equal(self, old: &[u8], new: &[u8]) -> bool {
        old == new
            || match self {
                Self::Exact => false,
                Self::IgnoreCr => without_ending(old) == without_ending(new),
                Self::IgnoreEnd => without_end(old) == without_end(new),
                Self::IgnoreAmount | Self::IgnoreAll => self.squeezed(old).eq(self.squeezed(new)),
            }
    }
}

/// White space in the sense of git, which has its own `isspace`.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn without_end(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|&byte| !is_space(byte)).map_or(0, |at| at + 1);
    &line[..end]
}

impl Script {
    /// How many pairs of lines outside the hunks differ in bytes: what a white-space mode hides. A sequential read.
    pub fn hidden(&self, old: &Content, new: &Content) -> u64 {
        let mut hidden = 0;
        for (old_lines, new_lines) in self.equal_runs(old.line_count(), new.line_count()) {
            if old.lines(old_lines.clone()) != new.lines(new_lines.clone()) {
                hidden += old_lines.zip(new_lines).filter(|&(a, b)| old.line(a) != new.line(b)).count() as u64;
            }
        }
        hidden
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// In which modes two lines are equal, from the strictest on.
    fn check(old: &str, new: &str, expected: &[Whitespace]) {
        let equal = Whitespace::ALL.into_iter().filter(|mode| mode.equal(old.as_bytes(), new.as_bytes()));
        assert_eq!(equal.collect::<Vec<_>>(), expected, "{old:?} {new:?}");
    }

    #[test]
    fn each_mode_overlooks_what_it_says() {
        use Whitespace::{IgnoreAll, IgnoreAmount, IgnoreCr, IgnoreEnd};
        check("a\n", "a\n", &Whitespace::ALL);
        check("a\r\n", "a\n", &[IgnoreCr, IgnoreEnd, IgnoreAmount, IgnoreAll]);
        check("a\n", "a", &[IgnoreCr, IgnoreEnd, IgnoreAmount, IgnoreAll]);
        check("a\r", "a\n", &[IgnoreEnd, IgnoreAmount, IgnoreAll]);
        check("a \t\n", "a\n", &[IgnoreEnd, IgnoreAmount, IgnoreAll]);
        check("a  b\n", "a\tb\n", &[IgnoreAmount, IgnoreAll]);
        check("  a\n", "\ta\n", &[IgnoreAmount, IgnoreAll]);
        check("  a\n", "a\n", &[IgnoreAll]);
        check("a b\n", "ab\n", &[IgnoreAll]);
        check("a\u{c}b\n", "ab\n", &[]);
        check(" \n", "\n", &[IgnoreEnd, IgnoreAmount, IgnoreAll]);
    }

    proptest! {
        #[test]
        fn what_is_equal_in_a_mode_is_equal_in_more_lenient_ones(old in "[ab \t\r]{0,6}\n?", new in "[ab \t\r]{0,6}\n?") {
            let equal: Vec<_> = Whitespace::ALL.iter().map(|mode| mode.equal(old.as_bytes(), new.as_bytes())).collect();
            prop_assert!(equal.is_sorted(), "{:?}", equal);
        }
    }
}
