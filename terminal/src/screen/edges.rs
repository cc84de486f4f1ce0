//! Keeps characters whole over the pieces that the engine is given.
//!
//! vte 0.15 loses a character when a piece ends within one of two bytes and an ASCII and another longer character follow
//! ("é" cut in two, then "aé": the "a" is gone). So a piece never ends within a character: its beginning is held back.

/// The beginning of a character that was cut.
#[derive(Debug, Default)]
pub(super) struct Edges {
    held: [u8; 4],
    length: usize,
}

impl Edges {
    /// Gives `bytes` on, with what was held before them and without what is to be held.
    pub fn pass(&mut self, mut bytes: &[u8], mut give: impl FnMut(&[u8])) {
        if self.length > 0 {
            let whole = length_of(self.held[0]);
            while self.length < whole
                && let Some((&next, rest)) = bytes.split_first()
                && is_continuation(next)
            {
                self.held[self.length] = next;
                self.length += 1;
                bytes = rest;
            }
            if self.length < whole && bytes.is_empty() {
                return;
            }
            // Whole, or broken: then the engine shows that.
            self.flush(&mut give);
        }
        let tail = cut_at_end(bytes);
        let (now, later) = bytes.split_at(bytes.len() - tail);
        if !now.is_empty() {
            give(now);
        }
        self.held[..tail].copy_from_slice(later);
        self.length = tail;
    }

    /// Gives what is held, because something else comes now.
    pub fn flush(&mut self, mut give: impl FnMut(&[u8])) {
        if self.length > 0 {
            give(&self.held[..self.length]);
            self.length = 0;
        }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// How many bytes the character has that begins with `first`.
fn length_of(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

/// How many bytes at the end are the beginning of a longer character.
fn cut_at_end(bytes: &[u8]) -> usize {
    let back = bytes.iter().rev().take(3).position(|byte| !is_continuation(*byte));
    let Some(back) = back else { return 0 };
    let first = bytes[bytes.len() - 1 - back];
    if length_of(first) > back + 1 { back + 1 } else { 0 }
}
