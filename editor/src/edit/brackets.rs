//! Brackets by their characters alone: fast and bounded, blind to strings and comments. For what is typed now; the
//! syntax module knows better once it has parsed.

use std::ops::Range;

use super::EditContext;
use crate::text::Text;

/// How far a partner is looked for, in bytes.
const REACH: usize = 64 * 1024;

/// How far the balance of a line is counted, in bytes.
const BALANCE: usize = 4 * 1024;

/// Whether every bracket open before `at` on its line is closed after it, so that another closing one would be too many.
pub(super) fn closes_all(context: &EditContext<'_>, at: usize, (opening, closing): (char, char)) -> bool {
    let text = context.text;
    let line = text.line_range(text.line_of(at));
    let before = text.chunks_rev(line.start.max(at.saturating_sub(BALANCE))..at).flat_map(|chunk| chunk.chars().rev());
    let after = text.chunks(at..line.end.min(at + BALANCE)).flat_map(str::chars);
    unmatched(before, closing, opening) <= unmatched(after, opening, closing)
}

/// How many `wanted` have no `partner` before them.
fn unmatched(chars: impl Iterator<Item = char>, partner: char, wanted: char) -> usize {
    let (mut open, mut unmatched) = (0_usize, 0);
    for c in chars {
        if c == partner {
            open += 1;
        } else if c == wanted {
            match open.checked_sub(1) {
                Some(less) => open = less,
                None => unmatched += 1,
            }
        }
    }
    unmatched
}

/// The offset of the bracket before `at` that `closing` closes.
pub(super) fn enclosing(context: &EditContext<'_>, at: usize, closing: char) -> Option<usize> {
    backward(context.text, at, (context.opening(closing)?, closing))
}

fn backward(text: &Text, at: usize, (opening, closing): (char, char)) -> Option<usize> {
    let mut depth = 0_usize;
    let mut offset = at;
    for c in text.chunks_rev(at.saturating_sub(REACH)..at).flat_map(|chunk| chunk.chars().rev()) {
        offset -= c.len_utf8();
        if c == closing {
            depth += 1;
        } else if c == opening {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(offset),
            }
        }
    }
    None
}

fn forward(text: &Text, at: usize, (opening, closing): (char, char)) -> Option<usize> {
    let mut depth = 0_usize;
    let mut offset = at;
    for c in text.chunks(at..at + REACH).flat_map(str::chars) {
        if c == opening {
            depth += 1;
        } else if c == closing {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(offset),
            }
        }
        offset += c.len_utf8();
    }
    None
}

/// The bracket at the caret (after it, or else before it) and its partner, each as its range; `None` when there is none
/// within 64 KiB.
pub fn matching_bracket(text: &Text, caret: usize, pairs: &[(char, char)]) -> Option<(Range<usize>, Range<usize>)> {
    let at = |offset: usize, c: char| offset..offset + c.len_utf8();
    let before = text.char_before(caret).map(|c| (caret - c.len_utf8(), c));
    let after = text.char_at(caret).map(|c| (caret, c));
    [after, before].into_iter().flatten().find_map(|(offset, c)| {
        let here = at(offset, c);
        pairs.iter().find_map(|&(opening, closing)| {
            let partner = if c == opening {
                (forward(text, here.end, (opening, closing))?, closing)
            } else if c == closing {
                (backward(text, here.start, (opening, closing))?, opening)
            } else {
                return None;
            };
            Some((here.clone(), at(partner.0, partner.1)))
        })
    })
}
