//! Merging by words what conflicts by lines.
//!
//! If one side changed one word of a line and the other side another, both changes can be made. Whether that is what
//! anybody meant is not known, so the result is offered and never taken by itself. Changes that touch, that are not
//! text, or that leave too little of the base to go by give no result.

use editor::{Cancel, Cancelled};

use crate::engine::{Budget, Hunk, TokenDiff};
use crate::inline::Words;

/// Steps that a conflict may cost, some 10 ms.
const STEPS: u64 = 5_000_000;
/// Of the larger one of base and side, in percent, so much must be in both: or there is nothing to go by.
const RELATED_PERCENT: usize = 40;

/// Puts two changes of `base` together word by word; none if that cannot be done.
pub fn merge_words(base: &[u8], ours: &[u8], theirs: &[u8], cancel: &Cancel) -> Result<Option<Vec<u8>>, Cancelled> {
    let text = std::str::from_utf8;
    let (Ok(base), Ok(ours), Ok(theirs)) = (text(base), text(ours), text(theirs)) else { return Ok(None) };
    let mut numbering = Words::default();
    let texts = [base, ours, theirs].map(|text| numbering.number(text));
    if texts.iter().map(|words| words.tokens.len() as u64).sum::<u64>() > STEPS / 4 {
        return Ok(None);
    }
    let [base_words, our_words, their_words] = &texts;
    let mut differ = TokenDiff::default();
    let budget = Budget { histogram: 0, total: STEPS };
    let mut scripts = Vec::with_capacity(2);
    for (words, side) in [(our_words, ours), (their_words, theirs)] {
        let limit = numbering.count();
        let (hunks, limited) = differ.minimal(&base_words.tokens, &words.tokens, limit, budget, cancel)?;
        let gone: usize = hunks.iter().map(|hunk| visible(&base[base_words.bytes(&hunk.old)])).sum();
        let kept = visible(base).saturating_sub(gone);
        if limited || kept * 100 < RELATED_PERCENT * visible(base).max(visible(side)) {
            return Ok(None);
        }
        scripts.push(hunks);
    }
    let (Some(their_hunks), Some(our_hunks)) = (scripts.pop(), scripts.pop()) else { return Ok(None) };
    let replaced_by = |hunk: &Hunk, is_ours: bool| {
        if is_ours { &ours[our_words.bytes(&hunk.new)] } else { &theirs[their_words.bytes(&hunk.new)] }
    };
    let mut changes: Vec<(&Hunk, bool)> =
        our_hunks.iter().map(|hunk| (hunk, true)).chain(their_hunks.iter().map(|hunk| (hunk, false))).collect();
    changes.sort_by_key(|(hunk, _)| (hunk.old.start, hunk.old.end));
    let mut merged = String::with_capacity(ours.len() + theirs.len());
    let (mut at, mut last): (u32, Option<(&Hunk, bool)>) = (0, None);
    for (hunk, is_ours) in changes {
        if let Some((before, before_is_ours)) = last
            && before.old.end >= hunk.old.start
        {
            if before.old == hunk.old && replaced_by(before, before_is_ours) == replaced_by(hunk, is_ours) {
                continue; // the same word, changed alike
            }
            return Ok(None);
        }
        merged += &base[base_words.bytes(&(at..hunk.old.start))];
        merged += replaced_by(hunk, is_ours);
        at = hunk.old.end;
        last = Some((hunk, is_ours));
    }
    merged += &base[base_words.bytes(&(at..base_words.tokens.len() as u32))];
    Ok(Some(merged.into_bytes()))
}

fn visible(text: &str) -> usize {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: Option<&str>) {
        let merged = merge_words(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), &Cancel::new()).unwrap();
        assert_eq!(merged.map(|text| String::from_utf8(text).unwrap()).as_deref(), expected);
    }

    #[test]
    fn different_words_of_a_line_are_both_changed() {
        check(
            "let total = sum(items, 10);\n",
            "let total = sum(entries, 10);\n",
            "let total = sum(items, 20);\n",
            Some("let total = sum(entries, 20);\n"),
        );
        check("fn a(x: u8)\n", "pub fn a(x: u8)\n", "fn a(x: u8) -> u8\n", Some("pub fn a(x: u8) -> u8\n"));
    }

    #[test]
    fn the_same_change_of_a_word_is_made_once() {
        check(
            "call(first, one, two)\n",
            "call(first, uno, two)\n",
            "call(first, uno, dos)\n",
            Some("call(first, uno, dos)\n"),
        );
    }

    #[test]
    fn changes_that_touch_are_left_to_people() {
        check("let value = 1;\n", "let value = 2;\n", "let value = 3;\n", None);
        check("f(a)\n", "f(a, b)\n", "f(a, c)\n", None);
    }

    #[test]
    fn a_side_that_has_nothing_of_the_base_gives_nothing_to_go_by() {
        check("return old_value;\n", "completely(different, text);\n", "return old_value + 1;\n", None);
    }

    #[test]
    fn bytes_that_are_no_text_are_not_merged_by_words() {
        assert_eq!(merge_words(b"a \xff b", b"c \xff b", b"a \xff d", &Cancel::new()), Ok(None));
    }

    #[test]
    fn a_changed_line_and_a_line_behind_it_are_two_changes() {
        check("one\ntwo\n", "one!\ntwo\n", "one\ntwo\nthree\n", Some("one!\ntwo\nthree\n"));
    }
}
