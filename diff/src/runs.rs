//! Sharing a sequence out between threads in runs of neighbours.
//!
//! Neighbours are cheap to work on one after the other, so runs are long at first; towards the end they get short, so
//! that all threads finish at about the same time.

use std::ops::Range;

/// The longest run: what a thread may be behind the others.
const LONGEST: usize = 512;

/// The shortest, but for the last.
const SHORTEST: usize = 16;

/// What of a sequence nobody works on yet.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    left: Range<usize>,
    threads: usize,
}

impl Runs {
    /// A sequence of that many, for that many threads.
    pub(crate) fn new(len: usize, threads: usize) -> Self {
        Self { left: 0..len, threads: threads.max(1) }
    }
}

impl Iterator for Runs {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.left.is_empty() {
            return None;
        }
        let length = (self.left.len() / (2 * self.threads)).clamp(SHORTEST, LONGEST).min(self.left.len());
        let start = self.left.start;
        self.left.start += length;
        Some(start..start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_everything_once_and_get_shorter() {
        for len in [0, 1, 15, 16, 17, 40, 1_000, 5_000] {
            let runs: Vec<_> = Runs::new(len, 2).collect();
            assert!(runs.iter().cloned().flatten().eq(0..len), "{len}: {runs:?}");
            assert!(runs.is_sorted_by(|a, b| a.len() >= b.len()), "{len}: {runs:?}");
        }
        assert_eq!(Runs::new(200, 2).map(|run| run.len()).collect::<Vec<_>>(), [50, 37, 28, 21, 16, 16, 16, 16]);
    }
}
