//! What a bench found, as `cli.md`-style JSON: only the figures that apply.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use crate::headless::{Cost, Renderer};

/// One object of figures. Times are milliseconds.
#[derive(Serialize, Default)]
pub struct Figures {
    /// What was measured.
    pub bench: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// From the request to the list of changed files on screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_frame_ms: Option<f64>,
    /// From the request to the counts of all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_ms: Option<f64>,
    /// From the first rows to all changed words in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words_ms: Option<f64>,
    /// The same comparison by `git diff --numstat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_ms: Option<f64>,
    /// `counted_ms` by `git_ms`: what git counts, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_to_git: Option<f64>,
    /// `complete_ms` by `git_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_to_git: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_cpu_ms: Option<Percentiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blank_rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_to_frame_ms: Option<Percentiles>,
    /// The frame that folds a file, shows a whole file, and changes between two columns and one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold_all_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expand_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toggle_split_ms: Option<f64>,
    /// Frames in five seconds, after the caret stopped blinking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_frames: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_mb: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_rss_mb: Option<f64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<super::terminal::Measured>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub chat: Option<super::chat::Measured>,
    pub machine: Machine,
}

/// Where it was measured.
#[derive(Serialize, Default)]
pub struct Machine {
    pub cores: usize,
    pub adapter: Option<String>,
    pub system: String,
    pub version: &'static str,
}

impl Machine {
    fn here() -> Self {
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            adapter: Renderer::new().ok().map(|renderer| renderer.adapter()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl Figures {
    /// Prints the object. Looking for the adapter comes last: its driver takes memory, which is not the window's.
    pub fn print(mut self, output: &mut impl Write) -> anyhow::Result<()> {
        self.machine = Machine::here();
        serde_json::to_writer_pretty(&mut *output, &self)?;
        writeln!(output)?;
        Ok(())
    }

    /// Sets git's time and the ratios of ours to it.
    pub fn beside_git(&mut self, git: Option<Duration>) {
        self.git_ms = git.map(ms);
        let ratio = |ours: Option<f64>| ours.zip(self.git_ms).map(|(ours, git)| rounded(ours / git));
        (self.counted_to_git, self.complete_to_git) = (ratio(self.counted_ms), ratio(self.complete_ms));
    }

    /// Sets what frames cost.
    pub fn frames(&mut self, costs: &[Cost]) {
        self.frames = Some(costs.len());
        self.frame_cpu_ms = Percentiles::of(costs.iter().map(Cost::cpu));
    }
}

/// Half of all, and the slowest twentieth and hundredth; times in milliseconds.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct Percentiles {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

impl Percentiles {
    /// Of these times; none of none.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Option<Self> {
        Self::of_numbers(times.into_iter().map(ms))
    }

    /// Of these numbers, whatever they count.
    pub fn of_numbers(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<_> = numbers.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |share: f64| rounded(sorted[(last as f64 * share).ceil() as usize]);
        Some(Self { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: rounded(sorted[last]) })
    }
}

/// Milliseconds to a thousandth.
pub fn ms(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e3)
}

fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Memory that this process holds and the most it held, in megabytes (2^20 bytes); none where the system does not say.
pub fn memory_mb() -> Option<(f64, f64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(rounded(kilobytes / 1024.0))
    };
    Some((field("VmRSS")?, field("VmHWM")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_occurred() {
        let times = (1..=100).rev().map(Duration::from_millis);
        assert_eq!(Percentiles::of(times), Some(Percentiles { p50: 51.0, p95: 96.0, p99: 100.0, max: 100.0 }));
        let one = Percentiles { p50: 7.0, p95: 7.0, p99: 7.0, max: 7.0 };
        assert_eq!(Percentiles::of([Duration::from_millis(7)]), Some(one));
        assert_eq!(Percentiles::of([]), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory() {
        let (now, peak) = memory_mb().unwrap();
        assert!(now > 1.0 && peak >= now, "{now} {peak}");
    }
}
