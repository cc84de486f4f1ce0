//! Numbers for lines: equal lines get the same token, under a white-space mode.
//!
//! Lines are told apart by a 64-bit hash alone, of which 32 bits and the place in the table are kept; reading an earlier
//! line again to be sure would cost a cache miss for each. So tokens may, once in a great while or under attack, be equal
//! where lines are not. The engine checks its finished script against the texts, which is a sequential read, and asks for
//! [`Tokens::intern_exactly`] in the case that it fails.

use std::ops::Range;
use std::thread;

use super::{Cancelled, Whitespace};
use crate::lines::Content;
use editor::Cancel;

/// Inputs of this many lines together are hashed and numbered on two threads.
const PARALLEL_LINES: usize = 100_000;
/// Lines between two looks at the cancel flag.
const CHECK_EVERY: usize = 1 << 14;

/// Tokens of both sides' lines and room to make them, kept from file to file.
#[derive(Default)]
pub(super) struct Tokens {
    pub old: Vec<u32>,
    pub new: Vec<u32>,
    /// All tokens are below this.
    pub limit: u32,
    table: Table,
    hashes: (Vec<u64>, Vec<u64>),
}

impl Tokens {
    /// Numbers the lines of a range of both sides by their hashes.
    pub fn intern(
        &mut self,
        old: (&Content, Range<u32>),
        new: (&Content, Range<u32>),
        whitespace: Whitespace,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let lines = old.1.len() + new.1.len();
        self.old.clear();
        self.new.clear();
        if lines < PARALLEL_LINES {
            hash_lines(old.0, old.1, whitespace, &mut self.hashes.0, cancel)?;
            hash_lines(new.0, new.1, whitespace, &mut self.hashes.1, cancel)?;
            self.table.clear(lines);
            self.old.extend(self.hashes.0.iter().map(|&hash| self.table.token(hash)));
            self.new.extend(self.hashes.1.iter().map(|&hash| self.table.token(hash)));
            self.limit = self.table.len;
            return Ok(());
        }
        self.intern_parallel(old, new, whitespace, cancel)
    }

    fn intern_parallel(
        &mut self,
        old: (&Content, Range<u32>),
        new: (&Content, Range<u32>),
        whitespace: Whitespace,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let lines = old.1.len() + new.1.len();
        let (old_hashes, new_hashes) = (&mut self.hashes.0, &mut self.hashes.1);
        both(
            || hash_lines(old.0, old.1, whitespace, old_hashes, cancel),
            || hash_lines(new.0, new.1, whitespace, new_hashes, cancel),
        )?;
        // Each thread numbers the half of the hashes that have its lowest bit and leaves 0 for the others, so the two
        // results are put together by adding them.
        let hashes = (&*old_hashes, &*new_hashes);
        let mut tables = [Table::default(), Table::default()];
        let [even, odd] = &mut tables;
        let (even, odd) =
            both(|| number_half(even, hashes, 0, lines, cancel), || number_half(odd, hashes, 1, lines, cancel))?;
        let add = |(even, odd): (&u32, &u32)| even + odd;
        self.old.extend(even.0.iter().zip(&odd.0).map(add));
        self.new.extend(even.1.iter().zip(&odd.1).map(add));
        self.limit = 2 * tables[0].len.max(tables[1].len);
        self.hashes = (Vec::new(), Vec::new()); // too large to keep for the next, probably small, file
        Ok(())
    }

    /// Numbers the lines by comparing them, for inputs whose hashes collide. Slower, and always right.
    pub fn intern_exactly(
        &mut self,
        old: (&Content, Range<u32>),
        new: (&Content, Range<u32>),
        whitespace: Whitespace,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let mut numbers = std::collections::HashMap::new(); // std's hash is seeded: nobody can prepare collisions
        let mut key = Vec::new();
        for (side, lines, tokens) in [(old.0, old.1, &mut self.old), (new.0, new.1, &mut self.new)] {
            tokens.clear();
            for (at, line) in lines.enumerate() {
                if at % CHECK_EVERY == 0 && cancel.is_cancelled() {
                    return Err(Cancelled);
                }
                let line = whitespace.key(side.line(line), &mut key);
                let next = numbers.len() as u32;
                tokens.push(match numbers.get(line) {
                    Some(&token) => token,
                    None => *numbers.entry(line.to_vec()).or_insert(next),
                });
            }
        }
        self.limit = numbers.len() as u32;
        Ok(())
    }
}

/// Runs both on two threads, or one after the other if there is none to be had.
pub(super) fn both<A: Send, B: Send>(
    a: impl FnOnce() -> Result<A, Cancelled> + Send,
    b: impl FnOnce() -> Result<B, Cancelled> + Send,
) -> Result<(A, B), Cancelled> {
    // The closure is taken by whoever runs it: the thread, or us if it could not be started.
    let a = parking(a);
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("diff half".into()).spawn_scoped(scope, &a);
        let b = b();
        let a = match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(a)) => a,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => a(),
        };
        Ok((a.unwrap_or(Err(Cancelled))?, b?))
    })
}

/// A closure that can be called from either of two places, once.
fn parking<T>(once: impl FnOnce() -> T + Send) -> impl Fn() -> Option<T> + Sync + Send {
    let parked = std::sync::Mutex::new(Some(once));
    move || {
        let once = parked.lock().ok()?.take()?;
        Some(once())
    }
}

fn hash_lines(
    side: &Content,
    lines: Range<u32>,
    whitespace: Whitespace,
    hashes: &mut Vec<u64>,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let mut key = Vec::new();
    hashes.clear();
    hashes.reserve(lines.len());
    let mut from = lines.start;
    while from < lines.end {
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        let to = lines.end.min(from.saturating_add(CHECK_EVERY as u32));
        if whitespace == Whitespace::Exact {
            hashes.extend((from..to).map(|line| hash(side.line(line))));
        } else {
            hashes.extend((from..to).map(|line| hash(whitespace.key(side.line(line), &mut key))));
        }
        from = to;
    }
    Ok(())
}

type Numbers = (Vec<u32>, Vec<u32>);

fn number_half(
    table: &mut Table,
    hashes: (&Vec<u64>, &Vec<u64>),
    bit: u64,
    lines: usize,
    cancel: &Cancel,
) -> Result<Numbers, Cancelled> {
    table.clear(lines / 2);
    let mut number = |hashes: &[u64]| {
        let mut tokens = Vec::with_capacity(hashes.len());
        for chunk in hashes.chunks(CHECK_EVERY) {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            tokens.extend(chunk.iter().map(
                |&hash| {
                    if hash & 1 == bit { 2 * table.token(hash) + bit as u32 } else { 0 }
                },
            ));
        }
        Ok(tokens)
    };
    Ok((number(hashes.0)?, number(hashes.1)?))
}

/// Open addressing with linear probing; an entry is the upper half of a hash and a token plus one.
#[derive(Default)]
struct Table {
    entries: Vec<u64>,
    mask: usize,
    len: u32,
}

impl Table {
    /// Empties the table and makes room for `keys` different hashes at a load of at most one half.
    fn clear(&mut self, keys: usize) {
        let size = (2 * keys + 2).next_power_of_two();
        self.entries.clear();
        self.entries.resize(size, 0);
        self.mask = size - 1;
        self.len = 0;
    }

    fn token(&mut self, hash: u64) -> u32 {
        let tag = hash & 0xffff_ffff_0000_0000;
        let mut at = (hash >> 1) as usize & self.mask;
        loop {
            let entry = self.entries[at];
            if entry == 0 {
                // Never full: there are more entries than lines, even if all of them fall into one half.
                self.len += 1;
                self.entries[at] = tag | u64::from(self.len);
                return self.len - 1;
            }
            if entry & 0xffff_ffff_0000_0000 == tag {
                return entry as u32 - 1;
            }
            at = (at + 1) & self.mask;
        }
    }
}

/// A fast 64-bit hash of bytes, in the manner of wyhash: 16 bytes a multiplication.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const K: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03, 0x8cb9_2ba7_2f3d_8dd7];
    let mix = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        wide as u64 ^ (wide >> 64) as u64
    };
    let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mut state = K[0] ^ bytes.len() as u64;
    let mut rest = bytes;
    while rest.len() > 16 {
        state = mix(word(rest) ^ K[1] ^ state, word(&rest[8..]) ^ K[2]);
        rest = &rest[16..];
    }
    let (a, b) = match rest.len() {
        8.. => (word(rest), word(&rest[rest.len() - 8..])),
        4.. => {
            let half = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
            (half(rest), half(&rest[rest.len() - 4..]))
        }
        1.. => {
            let (first, middle, last) = (rest[0], rest[rest.len() / 2], rest[rest.len() - 1]);
            (u64::from(first) << 16 | u64::from(middle) << 8 | u64::from(last), 0)
        }
        0 => (0, 0),
    };
    mix(mix(a ^ K[1] ^ state, b ^ K[2]), K[1] ^ bytes.len() as u64)
}
