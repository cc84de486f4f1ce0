//! Picks the escape sequences out of the bytes that the engine does not know: those that shells and programs use to say
//! where prompts, commands and directories are.
//!
//! It is no second parser. It looks for `ESC ]` alone, gives every other byte on as it came, and works at any split of
//! the input. What an operating system command (OSC) says is read in [`super::osc`].
//!
//! Invariants: the bytes given on, put together, do not depend on the splits, and lack nothing but the sequences that
//! were picked out, and what went over the limit. Nothing is held back but the beginning of a sequence that may be one
//! of ours.

use super::osc::{self, Osc};

/// What an OSC may hold. An endless one would otherwise fill the memory, the engine's too.
pub const LONGEST_OSC: usize = 64 * 1024;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// A part of the input, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// For the engine.
    Bytes(&'a [u8]),
    /// Said at this place of the stream.
    Osc(Osc),
}

/// Remembers where in a sequence the input was cut.
#[derive(Debug, Default)]
pub struct Scanner {
    state: State,
    /// Digits of an OSC's number, or the body of one that is ours.
    held: Vec<u8>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// After ESC; it is held back.
    Escape,
    /// After `ESC ]` and some digits, all of them held back.
    Number,
    /// In the body of one of ours.
    Ours,
    /// In another's; how long it is so far.
    Other(usize),
    /// Over the limit: everything to its end is dropped.
    Dropped,
}

impl Scanner {
    /// Goes through `bytes`; `sink` gets the pieces in order.
    pub fn scan<'a>(&mut self, mut bytes: &'a [u8], mut sink: impl FnMut(Piece<'a>)) {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Ground => self.ground(bytes, &mut sink),
                State::Escape => self.escape(bytes, &mut sink),
                State::Number => self.number(bytes, &mut sink),
                State::Ours => self.ours(bytes, &mut sink),
                State::Other(_) => self.other(bytes, &mut sink),
                State::Dropped => self.dropped(bytes),
            };
        }
    }

    fn ground<'a>(&mut self, bytes: &'a [u8], sink: &mut impl FnMut(Piece<'a>)) -> &'a [u8] {
        // Of many escape sequences few are OSCs: look on until one is, so that the engine gets long pieces.
        let mut from = 0;
        while let Some(at) = memchr::memchr(ESC, &bytes[from..]).map(|at| at + from) {
            match bytes.get(at + 1) {
                Some(b']') | None => {
                    give(&bytes[..at], sink);
                    self.state = State::Escape;
                    return &bytes[at + 1..];
                }
                Some(_) => from = at + 1,
            }
        }
        give(bytes, sink);
        &[]
    }

    /// `bytes` begins with what follows ESC.
    fn escape<'a>(&mut self, bytes: &'a [u8], sink: &mut impl FnMut(Piece<'a>)) -> &'a [u8] {
        match bytes[0] {
            b']' => {
                self.held.clear();
                self.state = State::Number;
                &bytes[1..]
            }
            ESC => {
                give(b"\x1b", sink);
                &bytes[1..]
            }
            _ => {
                give(b"\x1b", sink);
                self.state = State::Ground;
                bytes
            }
        }
    }

    fn number<'a>(&mut self, bytes: &'a [u8], sink: &mut impl FnMut(Piece<'a>)) -> &'a [u8] {
        match bytes[0] {
            digit @ b'0'..=b'9' if self.held.len() < 4 => {
                self.held.push(digit);
                &bytes[1..]
            }
            b';' if osc::is_ours(&self.held) => {
                self.held.push(b';');
                self.state = State::Ours;
                &bytes[1..]
            }
            _ => {
                give(b"\x1b]", sink);
                // The digits are given one by one, as they are no part of `bytes` any more.
                for digit in std::mem::take(&mut self.held) {
                    give(one_digit(digit), sink);
                }
                self.state = State::Other(0);
                bytes
            }
        }
    }

    fn ours<'a>(&mut self, bytes: &'a [u8], sink: &mut impl FnMut(Piece<'a>)) -> &'a [u8] {
        let end = bytes.iter().position(|byte| matches!(*byte, BEL | ESC | CAN | SUB));
        let body = &bytes[..end.unwrap_or(bytes.len())];
        if self.held.len() + body.len() > LONGEST_OSC {
            self.held = Vec::new();
            self.state = State::Dropped;
            return &bytes[body.len()..];
        }
        self.held.extend_from_slice(body);
        let Some(end) = end else { return &[] };
        if matches!(bytes[end], BEL | ESC)
            && let Some(said) = osc::read(&self.held)
        {
            sink(Piece::Osc(said));
        }
        self.held.clear();
        self.end(&bytes[end..])
    }

    fn other<'a>(&mut self, bytes: &'a [u8], sink: &mut impl FnMut(Piece<'a>)) -> &'a [u8] {
        let State::Other(before) = self.state else { return bytes };
        let end = bytes.iter().position(|byte| matches!(*byte, BEL | ESC | CAN | SUB));
        let length = end.unwrap_or(bytes.len());
        if before + length > LONGEST_OSC {
            // Cancelled, so that the engine does not act on half of it.
            give(&bytes[..LONGEST_OSC - before], sink);
            give(&[CAN], sink);
            self.state = State::Dropped;
            return &bytes[length..];
        }
        give(&bytes[..length], sink);
        match end.map(|end| bytes[end]) {
            None => {
                self.state = State::Other(before + length);
                &[]
            }
            Some(ESC) => {
                self.state = State::Escape;
                &bytes[length + 1..]
            }
            Some(_) => {
                give(&bytes[length..=length], sink);
                self.state = State::Ground;
                &bytes[length + 1..]
            }
        }
    }

    fn dropped<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match bytes.iter().position(|byte| matches!(*byte, BEL | ESC | CAN | SUB)) {
            None => &[],
            Some(end) => self.end(&bytes[end..]),
        }
    }

    /// `bytes` begins with what ended an OSC that was not given on. `ESC \` after it means nothing to the engine.
    fn end<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.state = if bytes[0] == ESC { State::Escape } else { State::Ground };
        &bytes[1..]
    }
}

fn give<'a>(bytes: &'a [u8], sink: &mut impl FnMut(Piece<'a>)) {
    if !bytes.is_empty() {
        sink(Piece::Bytes(bytes));
    }
}

/// A digit as bytes that live for ever.
fn one_digit(digit: u8) -> &'static [u8] {
    const DIGITS: &[u8; 10] = b"0123456789";
    let at = usize::from(digit.saturating_sub(b'0').min(9));
    &DIGITS[at..=at]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::screen::osc::Mark;

    fn scan(parts: &[&[u8]]) -> (Vec<u8>, Vec<Osc>) {
        let (mut bytes, mut said) = (Vec::new(), Vec::new());
        let mut scanner = Scanner::default();
        for part in parts {
            scanner.scan(part, |piece| match piece {
                Piece::Bytes(more) => bytes.extend_from_slice(more),
                Piece::Osc(osc) => said.push(osc),
            });
        }
        (bytes, said)
    }

    #[test]
    fn marks_are_taken_out_and_the_rest_is_given_on() {
        let (bytes, said) = scan(&[b"a\x1b]133;A\x07$ \x1b]0;title\x07\x1b[31mx\x1b]133;B\x1b\\y"]);
        assert_eq!(bytes, b"a$ \x1b]0;title\x07\x1b[31mx\x1b\\y");
        assert_eq!(said, [Osc::Mark(Mark::Prompt), Osc::Mark(Mark::Input)]);
    }

    #[test]
    fn every_split_gives_the_same() {
        let all: &[u8] =
            b"\x1b]133;A;click_events=1\x07$ \x1b]133;B\x07ls\x1b]7;file://h/tmp\x1b\\\x1b]8;;http://x\x1b\\t\
            \x1b]8;;\x1b\\\x1b\x1b]1337;CurrentDir=/a\x07\x1bPq\x1b\\\x1b]52;c;AA==\x07\x1b]13";
        let whole = scan(&[all]);
        for first in 0..all.len() {
            for second in first..all.len() {
                let parts = [&all[..first], &all[first..second], &all[second..]];
                assert_eq!(scan(&parts), whole, "split at {first} and {second}");
            }
        }
    }

    #[test]
    fn what_never_ends_is_dropped_at_the_limit() {
        let mut all = b"\x1b]633;E;".to_vec();
        all.extend(std::iter::repeat_n(b'x', 3 * LONGEST_OSC));
        all.extend_from_slice(b"\x07after");
        assert_eq!(scan(&[&all]), (b"after".to_vec(), vec![]));

        let mut all = b"\x1b]52;c;".to_vec();
        all.extend(std::iter::repeat_n(b'x', 3 * LONGEST_OSC));
        all.extend_from_slice(b"\x1b\\after");
        let (bytes, _) = scan(&[&all]);
        assert!(bytes.len() < LONGEST_OSC + 20);
        assert!(bytes.ends_with(b"x\x18\x1b\\after"), "cancelled, then read on");
    }

    #[test]
    fn a_cancelled_mark_is_none() {
        assert_eq!(scan(&[b"\x1b]133;A\x18b"]), (b"b".to_vec(), vec![]));
    }

    proptest! {
        #[test]
        fn any_bytes_at_any_splits_give_the_same(
            tokens in prop::collection::vec(prop::sample::select(vec![
                &b"\x1b"[..], b"]", b"133;A", b"133", b";", b"7;file:///x", b"\x07", b"\\", b"x", b"\xff", b"\x18", b"9;9;C:\\a",
                b"1337;CurrentDir=/b", b"0;t", b"[1m", b"\x1b]", b"633;D;1", b"99999",
            ]), 0..40),
            cuts in prop::collection::vec(0usize..200, 0..6),
        ) {
            let all = tokens.concat();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(all.len())).collect();
            cuts.sort_unstable();
            let mut parts = Vec::new();
            let mut from = 0;
            for cut in cuts {
                parts.push(&all[from..cut]);
                from = cut;
            }
            parts.push(&all[from..]);
            prop_assert_eq!(scan(&parts), scan(&[&all]));
        }
    }
}
