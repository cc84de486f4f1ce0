//! What a server runs in: a process of its own with pipes, or whatever else has an input and an output.
//!
//! Invariants: a process is the leader of a group of its own, which ends with it, so that what it started does not stay;
//! it is always waited for, so that none stays as a zombie.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncRead, AsyncWrite};

use super::launch::Launch;

/// A server that was started.
pub(super) struct Running {
    /// What it writes.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// What it reads.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it says to people.
    pub errors: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// Its end.
    pub end: Pin<Box<dyn Future<Output = Exit> + Send>>,
    /// Ends it by force.
    pub kill: Box<dyn FnMut() + Send>,
}

/// How a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exit {
    /// Its exit code, if it has one.
    pub code: Option<i32>,
    /// The same in words, to go on after "it": `ended with code 3`.
    pub words: String,
}

/// Why none was started.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotStarted {
    /// There is no such program.
    #[error("there is no such program")]
    Missing,
    /// The system does not start it.
    #[error("{0}")]
    Failed(#[from] io::Error),
}

/// Starts servers.
pub(super) trait Start: Send + Sync {
    /// Starts one with `root` as its folder.
    fn start(&self, launch: &Launch, root: &Path) -> Result<Running, NotStarted>;
}

/// Starts servers as processes, with the environment of this one.
pub(super) struct Processes;

impl Start for Processes {
    fn start(&self, launch: &Launch, root: &Path) -> Result<Running, NotStarted> {
        let program = launch.find().ok_or(NotStarted::Missing)?;
        let mut command = tokio::process::Command::new(program);
        command.args(launch.command.iter().skip(1)).current_dir(root).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("it has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().map(|errors| Box::new(errors) as Box<_>);
        let group = child.id();
        let end = async move {
            let exit = child.wait().await;
            // What it started goes with it: node leaves its workers, a wrapper what it wraps.
            kill_group(group);
            Exit::of(exit)
        };
        let kill = move || kill_group(group);
        Ok(Running {
            output: Box::new(output),
            input: Box::new(input),
            errors,
            end: Box::pin(end),
            kill: Box::new(kill),
        })
    }
}

impl Exit {
    fn of(status: io::Result<ExitStatus>) -> Self {
        let status = match status {
            Ok(status) => status,
            Err(error) => return Self { code: None, words: format!("is gone: {error}") },
        };
        let words = match status.code() {
            Some(code) => format!("ended with code {code}"),
            #[cfg(unix)]
            None => match std::os::unix::process::ExitStatusExt::signal(&status) {
                Some(signal) => format!("was ended by signal {signal}"),
                None => "ended".to_owned(),
            },
            #[cfg(not(unix))]
            None => "ended".to_owned(),
        };
        Self { code: status.code(), words }
    }
}

#[cfg(unix)]
fn kill_group(group: Option<u32>) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let Some(group) = group.and_then(|group| Pid::from_raw(group.cast_signed())) else { return };
    // It may be empty: then there is nothing to end.
    let _ = kill_process_group(group, Signal::KILL);
}

#[cfg(not(unix))]
fn kill_group(_: Option<u32>) {}
