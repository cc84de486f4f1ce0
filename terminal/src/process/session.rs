//! The processes of a session: who they are, and ending all of them.
//!
//! Every process that a terminal starts belongs to the session of its first one, unless it makes a session of its own to
//! get away (`setsid`); that one is left alone. The first process is not reaped before its session is empty: while it is
//! there, no stranger can get its number.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// What a process has to save what it must after SIGHUP.
const GRACE: Duration = Duration::from_millis(100);
/// How long processes that were killed may take to be gone; the kernel needs a moment.
const GONE_WITHIN: Duration = Duration::from_millis(300);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Ends every process of a session. Takes up to 400 ms, so it is nothing for the thread of a window.
///
/// `foreground` is the process group that has the terminal. Returns whether all are gone.
pub(super) fn end(session: Pid, foreground: Option<Pid>) -> bool {
    // A shell saves its history when it is hung up; a job in front of it ends itself properly.
    for group in [foreground, Some(session)].into_iter().flatten() {
        let _ = rustix::process::kill_process_group(group, Signal::HUP);
        // What is stopped would never hear of it.
        let _ = rustix::process::kill_process_group(group, Signal::CONT);
    }
    if gone_within(session, GRACE) {
        return true;
    }
    let end = Instant::now() + GONE_WITHIN;
    loop {
        // Again and again: one that is just being born is in no list yet.
        let left = members(session);
        if left.is_empty() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        for process in left {
            let _ = rustix::process::kill_process(process, Signal::KILL);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn gone_within(session: Pid, time: Duration) -> bool {
    let end = Instant::now() + time;
    loop {
        if members(session).is_empty() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Living processes of a session; those that only wait to be reaped are left out.
#[cfg(target_os = "linux")]
pub fn members(session: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let living = numbers.filter(|number| {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{number}/stat")) else { return false };
        // The name in brackets may hold anything, brackets too.
        let Some((_, after)) = stat.rsplit_once(')') else { return false };
        let mut fields = after.split_whitespace();
        let state = fields.next().unwrap_or_default();
        let in_session = fields.nth(2).and_then(|field| field.parse().ok()) == Some(session.as_raw_nonzero().get());
        in_session && !matches!(state, "Z" | "X" | "x")
    });
    living.filter_map(Pid::from_raw).collect()
}

/// Without /proc, `ps` knows all processes, and each says its session.
#[cfg(not(target_os = "linux"))]
pub fn members(session: Pid) -> Vec<Pid> {
    let Ok(listed) = std::process::Command::new("ps").args(["-axo", "pid=,stat="]).output() else { return Vec::new() };
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let living = listed.lines().filter_map(|line| {
        let (number, state) = line.trim().split_once(char::is_whitespace)?;
        (!state.trim().starts_with('Z')).then(|| number.parse().ok().and_then(Pid::from_raw)).flatten()
    });
    living.filter(|process| rustix::process::getsid(Some(*process)) == Ok(session)).collect()
}

/// The name of a process.
#[cfg(target_os = "linux")]
pub fn name_of(process: Pid) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{}/comm", process.as_raw_nonzero())).ok()?;
    Some(name.trim_end().to_owned())
}

#[cfg(not(target_os = "linux"))]
pub fn name_of(process: Pid) -> Option<String> {
    let number = process.as_raw_nonzero().to_string();
    let listed = std::process::Command::new("ps").args(["-o", "comm=", "-p", &number]).output().ok()?;
    let name = String::from_utf8_lossy(&listed.stdout).trim().rsplit('/').next()?.to_owned();
    (!name.is_empty()).then_some(name)
}
