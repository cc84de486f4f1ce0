//! What two texts have in common at their beginning and end, by bytes and by lines.
//!
//! Done before anything is hashed: finding one edit in 100 MB is then a matter of reading it. Blocks are compared as
//! slices (`memcmp`), only the block that differs is searched byte by byte.

use crate::beside::{PARALLEL_BYTES, beside};
use crate::lines::Content;

const BLOCK: usize = 4096;

/// How many bytes two texts have in common at their beginning and, of the rest, at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// At the beginning.
    pub prefix: usize,
    /// At the end, without what the prefix holds.
    pub suffix: usize,
}

impl Common {
    /// Looks at two texts: as far as they are equal, at all of them. Of large texts this is most of what comparing them
    /// costs, so it is done once and passed on, and from both ends at once.
    pub fn of(old: &[u8], new: &[u8]) -> Self {
        let least = old.len().min(new.len());
        if least < PARALLEL_BYTES {
            let prefix = common_prefix(old, new);
            return Self { prefix, suffix: common_suffix(&old[prefix..], &new[prefix..]) };
        }
        let (prefix, suffix) = beside("common end", || common_prefix(old, new), || common_suffix(old, new));
        Self { prefix, suffix: suffix.min(least - prefix) }
    }
}

/// Length of the common prefix in bytes.
pub fn common_prefix(old: &[u8], new: &[u8]) -> usize {
    let len = old.len().min(new.len());
    let (old, new) = (&old[..len], &new[..len]);
    let mut at = 0;
    while at + BLOCK <= len && old[at..at + BLOCK] == new[at..at + BLOCK] {
        at += BLOCK;
    }
    while at + 16 <= len && old[at..at + 16] == new[at..at + 16] {
        at += 16;
    }
    at + old[at..].iter().zip(&new[at..]).take_while(|(old, new)| old == new).count()
}

/// Length of the common suffix in bytes.
pub fn common_suffix(old: &[u8], new: &[u8]) -> usize {
    let len = old.len().min(new.len());
    let (old, new) = (&old[old.len() - len..], &new[new.len() - len..]);
    let mut end = len;
    while end >= BLOCK && old[end - BLOCK..end] == new[end - BLOCK..end] {
        end -= BLOCK;
    }
    while end >= 16 && old[end - 16..end] == new[end - 16..end] {
        end -= 16;
    }
    len - end + old[..end].iter().rev().zip(new[..end].iter().rev()).take_while(|(old, new)| old == new).count()
}

/// Number of whole lines that are equal at the beginning and, of the rest, at the end.
pub fn common_lines(old: &Content, new: &Content, common: Common) -> (u32, u32) {
    let bytes = common.prefix;
    if bytes == old.len() && bytes == new.len() {
        return (old.line_count(), 0);
    }
    let prefix = lines_within(old, bytes);
    let (old_from, new_from) = (old.line_start(prefix), new.line_start(prefix));
    let mut bytes = common.suffix;
    if bytes == old.len().min(new.len()) - common.prefix {
        // It ends at the prefix, but the line it ends in is not of the prefix.
        bytes += common_suffix(&old.bytes()[old_from..old.len() - bytes], &new.bytes()[new_from..new.len() - bytes]);
    }
    if bytes == 0 {
        return (prefix, 0);
    }
    // A line belongs to the suffix if it starts there on both sides: behind a newline in the suffix, or by chance exactly
    // where the suffix begins.
    let starting = |side: &Content| {
        let from = side.len() - bytes;
        let first = side.starts().partition_point(|&start| (start as usize) < from);
        (side.line_count() - first as u32, side.line_start(first as u32) == from)
    };
    let ((old_lines, old_exact), (new_lines, new_exact)) = (starting(old), starting(new));
    let suffix = match (old_exact, new_exact) {
        (true, false) => old_lines - 1,
        _ => new_lines - u32::from(new_exact && !old_exact),
    };
    (prefix, suffix)
}

/// Number of lines that end within the first `bytes` bytes.
fn lines_within(side: &Content, bytes: usize) -> u32 {
    if bytes == side.len() && !side.ends_without_newline() {
        return side.line_count();
    }
    side.starts().partition_point(|&start| start as usize <= bytes).saturating_sub(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(old: &str, new: &str, expected: (u32, u32)) {
        let sides = (Content::new(old.as_bytes()).unwrap(), Content::new(new.as_bytes()).unwrap());
        let common = Common::of(old.as_bytes(), new.as_bytes());
        assert_eq!(common_lines(&sides.0, &sides.1, common), expected, "{old:?} {new:?}");
    }

    #[test]
    fn counts_whole_lines_only() {
        check("a\nb\nc\n", "a\nx\nc\n", (1, 1));
        check("a\nb\n", "a\nb\n", (2, 0));
        check("a\nb", "a\nb\n", (1, 0));
        check("", "a\n", (0, 0));
        check("a\n", "a\na\n", (1, 0));
        check("xa\n", "a\n", (0, 0));
        check("a\nb\n", "b\n", (0, 1));
        check("b\n", "a\nb\n", (0, 1));
        check("xb\nc\n", "yb\nc\n", (0, 1));
    }

    proptest! {
        #[test]
        fn finds_all_equal_lines(
            head in "[ab\n]{0,60}", old in "[ab\n]{0,9}", new in "[ab\n]{0,9}", tail in "[ab\n]{0,60}",
        ) {
            let (old, new) = (format!("{head}{old}{tail}"), format!("{head}{new}{tail}"));
            let (a, b): (Vec<_>, Vec<_>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
            let prefix = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            let suffix = a[prefix..].iter().rev().zip(b[prefix..].iter().rev()).take_while(|(a, b)| a == b).count();
            let sides = (Content::new(old.as_bytes()).unwrap(), Content::new(new.as_bytes()).unwrap());
            let common = Common::of(old.as_bytes(), new.as_bytes());
            prop_assert_eq!(common_lines(&sides.0, &sides.1, common), (prefix as u32, suffix as u32));
        }

        #[test]
        fn prefix_and_suffix_are_maximal(cut in 0usize..9000, len in 9000usize..9100) {
            let old: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
            let mut new = old.clone();
            new[cut] ^= 1;
            prop_assert_eq!(common_prefix(&old, &new), cut);
            prop_assert_eq!(common_suffix(&old, &new), len - cut - 1);
        }
    }
}
