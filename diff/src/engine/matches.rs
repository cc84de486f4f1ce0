//! Equal stretches, reported in ascending order, and the hunks between them.

use super::Hunk;

/// Takes matches and makes hunks of what is between.
#[derive(Default)]
pub(super) struct Matches {
    hunks: Vec<Hunk>,
    old_at: u32,
    new_at: u32,
}

impl Matches {
    /// `len` tokens from `old` on equal those from `new` on. Ascending, touching stretches are one.
    #[inline]
    pub fn push(&mut self, old: u32, new: u32, len: u32) {
        if len == 0 {
            return;
        }
        debug_assert!(old >= self.old_at && new >= self.new_at, "matches ascend");
        if old > self.old_at || new > self.new_at {
            self.hunks.push(Hunk { old: self.old_at..old, new: self.new_at..new });
        }
        self.old_at = old + len;
        self.new_at = new + len;
    }

    /// The hunks, given how many tokens each side has.
    pub fn finish(mut self, old_len: u32, new_len: u32) -> Vec<Hunk> {
        if old_len > self.old_at || new_len > self.new_at {
            self.hunks.push(Hunk { old: self.old_at..old_len, new: self.new_at..new_len });
        }
        self.hunks
    }
}
