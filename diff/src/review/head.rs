//! The beginning of a large file, compared by itself, so that there is something to read before all of it is compared.
//!
//! What differs first and a stretch behind it are cut out of both sides and compared as if the files ended there. The
//! end of such a cut is guesswork (a line may find its partner behind it), so the last hunks are cut off again, at lines
//! that pair up.

use std::ops::Range;

use editor::Cancel;

use crate::affix::Common;
use crate::engine::{Cancelled, Engine, Hunk, Options};
use crate::lines::{Bytes, Content};

/// Bytes of each side that are looked at behind the first difference: some 2,000 lines.
const WINDOW: usize = 96 << 10;

/// Where less than this is left between the common ends, comparing all of it is a matter of a few frames anyway.
const WORTH: usize = 2 << 20;

/// Equal lines at which a cut is sound enough.
const SOUND: u32 = 3;

/// The beginning of both sides.
pub struct Head {
    pub old: Content,
    pub new: Content,
    pub hunks: Vec<Hunk>,
}

/// Compares the beginning of two sides; none if comparing all of them is fast, or where lines are too long for it.
///
/// # Errors
/// When cancelled.
pub fn compare(
    old: &Bytes,
    new: &Bytes,
    common: Common,
    engine: &mut Engine,
    options: &Options,
    cancel: &Cancel,
) -> Result<Option<Head>, Cancelled> {
    let core = old.len().max(new.len()) - common.prefix - common.suffix;
    if core < WORTH {
        return Ok(None);
    }
    let (Some(old), Some(new)) = (beginning(old, common.prefix), beginning(new, common.prefix)) else {
        return Ok(None);
    };
    let common = Common { prefix: common.prefix.min(old.len()).min(new.len()), suffix: 0 };
    let Ok((old, new)) = Content::pair_with(old, new, common) else { return Ok(None) };
    let mut hunks = engine.compare_with(&old, &new, common, options, cancel)?.hunks;
    let Some(end) = sound_end(&hunks, old.line_count()) else { return Ok(Some(Head { old, new, hunks })) };
    hunks.retain(|hunk| hunk.old.end <= end.old.start && hunk.new.end <= end.new.start);
    Ok(Some(Head { old: old.first(end.old.end), new: new.first(end.new.end), hunks }))
}

/// The part of a side that is compared: whole lines.
fn beginning(side: &Bytes, prefix: usize) -> Option<Bytes> {
    let end = (prefix + WINDOW).min(side.len());
    let end = if end == side.len() { end } else { prefix + memchr::memrchr(b'\n', &side[prefix..end])? + 1 };
    Some(side.clone().first(end))
}

/// The last equal lines before the last hunk, those of them that are kept: in the second half of the window a stretch of
/// some lines, else whatever there is.
fn sound_end(hunks: &[Hunk], old_lines: u32) -> Option<Hunk> {
    let gap = |pair: &[Hunk]| Hunk { old: pair[0].old.end..pair[1].old.start, new: pair[0].new.end..pair[1].new.start };
    let first = hunks.first()?.old.start;
    let half = first + (old_lines - first) / 2;
    let gaps = || hunks.windows(2).rev().map(gap);
    let sound = |gap: &Hunk| gap.old.len() as u32 >= SOUND;
    let end = gaps().take_while(|gap| gap.old.start >= half).find(sound).or_else(|| gaps().next())?;
    let keep = |lines: &Range<u32>| lines.start..lines.end.min(lines.start + SOUND);
    Some(Hunk { old: keep(&end.old), new: keep(&end.new) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(old: &str, new: &str) -> Option<Head> {
        let (old, new) = (Bytes::from(old.as_bytes()), Bytes::from(new.as_bytes()));
        let common = Common::of(&old, &new);
        compare(&old, &new, common, &mut Engine::new(), &Options::default(), &Cancel::new()).unwrap()
    }

    fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
        (0..count).map(line).collect()
    }

    #[test]
    fn the_beginning_says_what_comparing_all_says_of_it() {
        let old = lines(200_000, |n| format!("line number {n}\n"));
        let new =
            lines(200_000, |n| if n % 100 == 50 { format!("changed {n}\n") } else { format!("line number {n}\n") });
        let head = head(&old, &new).unwrap();
        let count = head.hunks.len() as u32;
        assert!(count > 40, "{count} hunks");
        let expected = (0..count).map(|n| Hunk { old: n * 100 + 50..n * 100 + 51, new: n * 100 + 50..n * 100 + 51 });
        assert_eq!(head.hunks, expected.collect::<Vec<_>>());
        assert_eq!(head.old.line_count(), (count - 1) * 100 + 51 + SOUND, "some equal lines behind the last hunk");
        assert!(new.as_bytes().starts_with(head.new.bytes()));
    }

    #[test]
    fn sides_with_nothing_in_common_begin_with_one_hunk() {
        let head = head(&lines(200_000, |n| format!("old {n} text\n")), &lines(200_000, |n| format!("new {n} text\n")));
        let head = head.unwrap();
        assert_eq!(head.hunks, [Hunk { old: 0..head.old.line_count(), new: 0..head.new.line_count() }]);
    }

    #[test]
    fn small_differences_and_endless_lines_have_no_beginning() {
        let long = lines(200_000, |n| format!("line number {n}\n"));
        assert!(head(&long, &long.replacen("line number 7\n", "seven\n", 1)).is_none());
        assert!(head(&"a;".repeat(4 << 20), &"b;".repeat(4 << 20)).is_none());
    }
}
