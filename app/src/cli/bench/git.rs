//! The peer: the same comparison by git, timed.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time of `git diff --numstat` of a range; none when git is not there or fails.
pub fn numstat(repo: &Path, range: &str) -> Option<Duration> {
    let words = range.split_whitespace().map(OsStr::new);
    let arguments = [OsStr::new("-C"), repo.as_os_str(), OsStr::new("diff"), OsStr::new("--numstat")];
    timed(arguments.into_iter().chain(words), &[0])
}

/// The same of two files or folders.
pub fn numstat_of_paths(old: &Path, new: &Path) -> Option<Duration> {
    let arguments = ["diff", "--no-index", "--numstat", "--"].map(OsStr::new);
    timed(arguments.into_iter().chain([old.as_os_str(), new.as_os_str()]), &[0, 1])
}

fn timed<'a>(arguments: impl Iterator<Item = &'a OsStr>, fine: &[i32]) -> Option<Duration> {
    let start = Instant::now();
    let status = Command::new("git")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    let time = start.elapsed();
    status.code().is_some_and(|code| fine.contains(&code)).then_some(time)
}
