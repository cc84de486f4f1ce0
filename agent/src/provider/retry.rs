//! How long to wait before a request is sent again.
//!
//! Invariant: never shorter than the server asks, never longer than the cap (give or take the jitter); a server that asks
//! for more than the cap is not waited for at all.

use std::time::Duration;

use super::spec::Patience;

/// The wait before attempt `attempt + 1` (attempts count from 1), or none if there is to be no other.
///
/// `random` is from 0 to 1: up to a quarter is added, so that many clients of one server do not come back at once.
pub(super) fn wait(patience: &Patience, attempt: u32, asked: Option<Duration>, random: f64) -> Option<Duration> {
    if attempt >= patience.attempts || asked.is_some_and(|asked| asked > patience.longest_wait) {
        return None;
    }
    let doubled = patience.first_wait.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
    let base = doubled.min(patience.longest_wait).max(asked.unwrap_or_default());
    Some(base.mul_f64(1.0 + 0.25 * random.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        attempts: 5,
        first_wait: Duration::from_secs(1),
        longest_wait: Duration::from_secs(6),
        silence: Duration::ZERO,
        loading: Duration::ZERO,
        loading_poll: Duration::ZERO,
    };

    #[track_caller]
    fn check(attempt: u32, asked: Option<f64>, random: f64, expected: Option<f64>) {
        let wait = wait(&PATIENCE, attempt, asked.map(Duration::from_secs_f64), random);
        assert_eq!(wait, expected.map(Duration::from_secs_f64));
    }

    #[test]
    fn waits_double_up_to_the_cap() {
        for (attempt, seconds) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 6.0)] {
            check(attempt, None, 0.0, Some(seconds));
        }
        check(5, None, 0.0, None);
    }

    #[test]
    fn what_the_server_asks_for_is_the_least() {
        check(1, Some(3.0), 0.0, Some(3.0));
        check(1, Some(3.0), 1.0, Some(3.75));
        check(4, Some(0.1), 0.0, Some(6.0));
        check(1, Some(0.0), 0.5, Some(1.125));
    }

    #[test]
    fn a_server_that_asks_for_too_long_is_given_up() {
        check(1, Some(6.0), 0.0, Some(6.0));
        check(1, Some(6.1), 0.0, None);
    }
}
