//! How long what takes: when it is asked, waited, given up. Tests have it faster.

use std::time::Duration;

/// The times of servers.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// Changes of a file that are this far apart are asked about.
    pub pull: Duration,
    /// The same after changes of another file.
    pub pull_others: Duration,
    /// Reports of progress are told this far apart.
    pub progress: Duration,
    /// A request may take this long.
    pub request: Duration,
    /// `initialize` may take this long: some read a whole project first.
    pub initialize: Duration,
    /// A server has this long to answer `shutdown`, and as long again to exit.
    pub shutdown: Duration,
    /// What a server still has to say when its process has ended is read for so long.
    pub rest: Duration,
    /// The pause before it is started again after its first crash; it doubles with each.
    pub restart: Duration,
    /// The longest such pause.
    pub restart_longest: Duration,
    /// With so many crashes …
    pub crashes: usize,
    /// … in so long it is given up.
    pub window: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            pull: Duration::from_millis(200),
            pull_others: Duration::from_secs(1),
            progress: Duration::from_millis(150),
            request: Duration::from_mins(1),
            initialize: Duration::from_mins(2),
            shutdown: Duration::from_secs(2),
            rest: Duration::from_millis(300),
            restart: Duration::from_millis(500),
            restart_longest: Duration::from_secs(10),
            crashes: 5,
            window: Duration::from_mins(3),
        }
    }
}
