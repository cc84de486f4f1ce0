//! Git's own test suites for diffs and merges, replayed: what its commands were given there is given to us, and what they
//! gave is what we have to give.
//!
//! The scripts are those of a checkout of git's source, whose folder is in `RECTO_GIT_SOURCE`; without it, the tests are
//! skipped with a message. They run with the git that is installed and with a shim before it, which records every command
//! that compares or merges: its words, the contents it was about and its output. What the scripts expect of git, they
//! check themselves; the expectations that lie beside them as files are read as well.
//!
//! Each test prints how much it replayed, and what it left out for which reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test fails where something is not as it should be, and says what it did"
)]

#[path = "../merge/changed.rs"]
mod changed;
mod diffs;
mod merges;
mod pairs;
mod record;

use record::Suite;

/// Runs a script and hands over its records; or says that there is no source.
fn suite(script: &str) -> Option<Suite> {
    Suite::run(script)
}

#[test]
fn t6403_merge_file() {
    let Some(suite) = suite("t6403-merge-file") else { return };
    let done = merges::merge_files(&suite);
    assert!(done >= 20, "only {done} merges were replayed");
}

#[test]
fn t6427_conflict_markers() {
    let Some(suite) = suite("t6427-diff3-conflict-markers") else { return };
    let done = merges::conflicts(&suite);
    assert!(done >= 8, "only {done} conflicts were replayed");
}

#[test]
fn t7610_mergetool() {
    let Some(suite) = suite("t7610-mergetool") else { return };
    let done = merges::conflicts(&suite);
    assert!(done >= 10, "only {done} conflicts were replayed");
}

#[test]
fn t4015_white_space() {
    let Some(suite) = suite("t4015-diff-whitespace") else { return };
    let done = diffs::outputs(&suite);
    assert!(done >= 20, "only {done} files were replayed");
}

#[test]
fn t4013_diffs_of_all_kinds() {
    let Some(suite) = suite("t4013-diff-various") else { return };
    let done = diffs::outputs(&suite) + diffs::expectations(&suite, "t4013");
    assert!(done >= 300, "only {done} files were replayed");
}

#[test]
fn t7800_difftool() {
    let Some(suite) = suite("t7800-difftool") else { return };
    let done = pairs::compared(&suite);
    assert!(done >= 30, "only {done} pairs were replayed");
}
