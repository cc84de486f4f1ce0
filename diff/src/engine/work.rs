//! Counting steps: when to look at the cancel flag, and when to settle for less.

use editor::Cancel;

use super::{Budget, Cancelled};

/// Steps between two looks at the cancel flag; a step is a nanosecond or two.
const CHECK_EVERY: u64 = 1 << 19;

/// The account of one comparison.
pub(super) struct Work<'a> {
    cancel: &'a Cancel,
    budget: Budget,
    spent: u64,
    spent_histogram: u64,
    next_check: u64,
    limited: bool,
}

impl<'a> Work<'a> {
    pub fn new(budget: Budget, cancel: &'a Cancel) -> Self {
        Self { cancel, budget, spent: 0, spent_histogram: 0, next_check: CHECK_EVERY, limited: false }
    }

    /// Takes `steps` from the budget.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Cancelled> {
        self.spent += steps;
        if self.spent < self.next_check {
            return Ok(());
        }
        self.next_check = self.spent + CHECK_EVERY;
        if self.cancel.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Takes `steps` from the budgets of all and of the histogram.
    #[inline]
    pub fn spend_on_histogram(&mut self, steps: u64) -> Result<(), Cancelled> {
        self.spent_histogram += steps;
        self.spend(steps)
    }

    pub fn histogram_is_exhausted(&self) -> bool {
        self.spent_histogram >= self.budget.histogram
    }

    /// Whether nothing is left. Whoever asks and hears yes gives up, so the script is limited from then on.
    #[inline]
    pub fn is_exhausted(&mut self) -> bool {
        let exhausted = self.spent >= self.budget.total;
        self.limited |= exhausted;
        exhausted
    }

    pub fn is_limited(&self) -> bool {
        self.limited
    }
}
