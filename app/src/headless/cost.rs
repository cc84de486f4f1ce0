//! What a frame costs this thread, without what the graphics card does.

use std::time::{Duration, Instant};

/// Processor time of one frame on the UI thread, and how long it took by the clock.
///
/// Processor time leaves out what other programs took meanwhile, so figures of a busy machine compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Laying out and drawing into shapes.
    pub build: Duration,
    /// Making triangles of the shapes.
    pub tessellate: Duration,
    /// Both by the clock on the wall.
    pub wall: Duration,
}

impl Cost {
    /// Adds up the two parts of a frame.
    pub fn of(build: Lap, tessellate: Lap) -> Self {
        Self { build: build.cpu, tessellate: tessellate.cpu, wall: build.wall + tessellate.wall }
    }

    /// Processor time of the whole frame.
    pub fn cpu(&self) -> Duration {
        self.build + self.tessellate
    }
}

/// One part of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Lap {
    cpu: Duration,
    wall: Duration,
}

/// Measures the parts of a frame, one after the other.
pub struct Stopwatch {
    cpu: Duration,
    wall: Instant,
}

impl Stopwatch {
    /// Starts the first part.
    pub fn start() -> Self {
        Self { cpu: thread_time(), wall: Instant::now() }
    }

    /// Ends a part and starts the next.
    pub fn lap(&mut self) -> Lap {
        let (cpu, wall) = (thread_time(), Instant::now());
        let lap = Lap { cpu: cpu.saturating_sub(self.cpu), wall: wall - self.wall };
        (self.cpu, self.wall) = (cpu, wall);
        lap
    }
}

/// Processor time that this thread has used.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn thread_time() -> Duration {
    clock(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn clock(id: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(id);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds)
}

/// Processor time that all threads of this process have used; none where the system does not tell.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub fn process_time() -> Option<Duration> {
    Some(clock(rustix::time::ClockId::ProcessCPUTime))
}

/// See above.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn process_time() -> Option<Duration> {
    None
}

/// Where the system does not tell processor time of a thread, the clock on the wall stands for it.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn thread_time() -> Duration {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
