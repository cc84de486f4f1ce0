//! Noticing that a model goes round in circles: the same actions again and again, or the same text without end.

use std::collections::HashMap;

use crate::action::Action;

/// Equal actions that bring a word about it.
const NUDGE: u32 = 3;
/// Equal actions that end the run.
const END: u32 = 5;

/// How often each action of a run was asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Repeats(HashMap<blake3::Hash, u32>);

/// What is to be done about a repeated action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    Nudge,
    End,
}

impl Repeats {
    /// Counts an action, whatever came of it. Two that alternate are counted each.
    pub(super) fn count(&mut self, action: &Action) -> Verdict {
        let Ok(written) = serde_json::to_vec(action) else { return Verdict::Fine };
        let count = self.0.entry(blake3::hash(&written)).or_default();
        *count += 1;
        match *count {
            END.. => Verdict::End,
            NUDGE => Verdict::Nudge,
            _ => Verdict::Fine,
        }
    }
}

/// Bytes between two looks at a text that comes in.
const LOOK: usize = 512;
/// The longest chunk that is looked for.
const CHUNK: usize = 400;
/// Bytes that must be nothing but repetitions.
const RUN: usize = 1600;
/// Repetitions there must be.
const TIMES: usize = 8;

/// Watches a text for chunks that repeat without end.
#[derive(Clone, Debug, Default)]
pub(super) struct Runaway {
    tail: Vec<u8>,
    unseen: usize,
}

impl Runaway {
    /// Takes a piece; whether the text has run away.
    pub(super) fn push(&mut self, piece: &str) -> bool {
        self.tail.extend_from_slice(piece.as_bytes());
        self.unseen += piece.len();
        if self.unseen < LOOK {
            return false;
        }
        self.unseen = 0;
        let keep = CHUNK * (TIMES + 1);
        if self.tail.len() > keep {
            self.tail.drain(..self.tail.len() - keep);
        }
        (1..=CHUNK).any(|chunk| self.repeats(chunk))
    }

    fn repeats(&self, chunk: usize) -> bool {
        let run = RUN.max(chunk * TIMES);
        let Some(start) = self.tail.len().checked_sub(run) else { return false };
        let tail = &self.tail[start..];
        tail[chunk..] == tail[..run - chunk]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Action {
        Action::ReadFile { path: path.into(), lines: None }
    }

    #[test]
    fn three_equal_actions_bring_a_word_and_five_the_end() {
        let mut repeats = Repeats::default();
        let verdicts: Vec<_> = (0..5).map(|_| repeats.count(&read("a"))).collect();
        assert_eq!(verdicts, [Verdict::Fine, Verdict::Fine, Verdict::Nudge, Verdict::Fine, Verdict::End]);
    }

    #[test]
    fn two_that_alternate_are_a_circle_too() {
        let mut repeats = Repeats::default();
        let verdicts: Vec<_> = (0..10).map(|n| repeats.count(&read(if n % 2 == 0 { "a" } else { "b" }))).collect();
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Verdict::Nudge), Some(4));
        assert_eq!(verdicts.iter().position(|verdict| *verdict == Verdict::End), Some(8));
        let mut others = Repeats::default();
        assert!((0..20).all(|n| others.count(&read(&n.to_string())) == Verdict::Fine));
    }

    #[track_caller]
    fn check(text: &str, runs_away: bool) {
        for size in [1, 7, 300] {
            let mut runaway = Runaway::default();
            let pieces = text.as_bytes().chunks(size);
            let found =
                pieces.map(|piece| String::from_utf8_lossy(piece).into_owned()).any(|piece| runaway.push(&piece));
            assert_eq!(found, runs_away, "in pieces of {size}");
        }
    }

    #[test]
    fn text_that_repeats_without_end_is_noticed() {
        check(&"0".repeat(4000), true);
        check(&"I will now read the file. ".repeat(200), true);
        check(&format!("An answer that began well.\n{}", "    return x\n\n".repeat(300)), true);
        check(&"a line of some three hundred bytes, again and again; ".repeat(6).repeat(12), true);
    }

    #[test]
    fn code_and_tables_are_no_runaways() {
        check(&(0..400).map(|n| format!("    ({n}, \"name{n}\", 0, 0, 0, 0),\n")).collect::<String>(), false);
        check(&format!("{}\n# Title\n{}", "=".repeat(200), "-".repeat(400)), false);
        check(include_str!("detect.rs"), false);
    }
}
