//! The git program: for what it alone does right.
//!
//! Contents are read without it; what changes a repository is done by it. An index may be split, sparse, watched or of a
//! version to come, hooks and filters are to run, objects are to be as durable as is configured, a commit is to be signed:
//! all that is git's own business, and done by it as if somebody had typed the command.
//!
//! A command runs at the root of the working tree. Its output is not for a program to understand but for a person to read,
//! whole, when it fails.

use std::{
    ffi::OsStr,
    io::{self, PipeReader, Read, Write},
    process::{Child, Command, ExitStatus, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use editor::Cancel;

use super::{GitError, Repo};

/// How often a command that found the index locked is run again, and after which wait: other commands, those of other
/// programs included, hold the lock for a moment.
const TRIES: u32 = 20;
const WAIT: Duration = Duration::from_millis(50);
/// How often output is waited for before looking whether to stop.
const LOOK: Duration = Duration::from_millis(50);
/// How long a command has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(3);

impl Repo {
    /// A git command to be run here; without input, and none of its output goes anywhere.
    pub(super) fn git(&self, words: &[&str]) -> GitCommand<'_> {
        let mut command = Command::new("git");
        command.current_dir(self.root().unwrap_or_else(|| self.git_dir()));
        command.args(words).stdin(Stdio::null());
        // A repository that was found by the environment is told by full paths: the command runs in another folder.
        if std::env::var_os("GIT_DIR").is_some()
            && let Ok(folder) = self.git_dir().canonicalize()
        {
            command.env("GIT_DIR", folder);
            if let Some(Ok(root)) = self.root().map(std::path::Path::canonicalize) {
                command.env("GIT_WORK_TREE", root);
            }
        }
        // Nobody could answer: questions are errors.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", ":");
        #[cfg(windows)]
        {
            const CREATE_NO_WINDOW: u32 = 0x0800_0000;
            std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
        }
        GitCommand { repo: self, command, name: words.first().copied().unwrap_or_default().to_owned() }
    }
}

/// A git command, ready to run.
pub(super) struct GitCommand<'a> {
    repo: &'a Repo,
    command: Command,
    /// What it is called in messages.
    name: String,
}

impl GitCommand<'_> {
    /// The same with another word.
    pub(super) fn with(mut self, word: impl AsRef<OsStr>) -> Self {
        self.command.arg(word);
        self
    }

    /// Runs it with what `input` writes and returns what it printed.
    pub(super) fn run(
        mut self,
        input: &(dyn Fn(&mut dyn Write) -> io::Result<()> + Sync),
    ) -> Result<Vec<u8>, GitError> {
        let mut tries = 0;
        loop {
            let output = self.once(input)?;
            if output.status.success() {
                return Ok(output.stdout);
            }
            let said = said(&[&output.stdout, &output.stderr]);
            if !said.contains("index.lock") {
                return Err(self.failed(said));
            }
            tries += 1;
            if tries == TRIES {
                return Err(GitError::Locked { said });
            }
            thread::sleep(WAIT);
        }
    }

    fn once(&mut self, input: &(dyn Fn(&mut dyn Write) -> io::Result<()> + Sync)) -> Result<Output, GitError> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(|error| self.not_run(error))?;
        let stdin = child.stdin.take();
        thread::scope(|scope| {
            // On a thread of its own: a command may say more than a pipe holds before it has read everything.
            let feed = thread::Builder::new().name("git-input".to_owned()).spawn_scoped(scope, || {
                let Some(mut stdin) = stdin else { return };
                // One that ends before it has read everything says why itself.
                let _ = input(&mut stdin);
            });
            if let Err(error) = feed {
                let _ = child.kill();
                let _ = child.wait();
                return Err(self.not_run(error));
            }
            child.wait_with_output().map_err(|error| self.not_run(error))
        })
    }

    /// Runs it with `input` and tells what it prints, errors and the output of hooks included, as it comes.
    ///
    /// Cancelling asks it, and what it started, to end, which takes its locks away; it is waited for.
    pub(super) fn stream(
        mut self,
        input: &[u8],
        tell: &mut dyn FnMut(&str),
        cancel: &Cancel,
    ) -> Result<Streamed, GitError> {
        let (reader, writer) = io::pipe().map_err(|error| self.not_run(error))?;
        let errors = writer.try_clone().map_err(|error| self.not_run(error))?;
        self.command.stdin(Stdio::piped()).stdout(writer).stderr(errors);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        let mut child = self.command.spawn().map_err(|error| self.not_run(error))?;
        // The command holds the writing ends, and while it does the pipe never ends.
        let Self { name, .. } = self;
        let not_run = |source| GitError::NotRun { name: name.clone(), source };
        let (pieces, stdin) = (pieces_of(reader).map_err(not_run)?, child.stdin.take());
        thread::scope(|scope| {
            let feed = thread::Builder::new().name("git-input".to_owned()).spawn_scoped(scope, || {
                let Some(mut stdin) = stdin else { return };
                let _ = stdin.write_all(input);
            });
            if let Err(error) = feed {
                let _ = child.kill();
                let _ = child.wait();
                return Err(not_run(error));
            }
            follow(&mut child, &pieces, tell, cancel).map_err(not_run)
        })
    }

    fn not_run(&self, source: io::Error) -> GitError {
        match source.kind() {
            io::ErrorKind::NotFound if self.repo.root().is_none_or(std::path::Path::is_dir) => GitError::NoProgram,
            _ => GitError::NotRun { name: self.name.clone(), source },
        }
    }

    fn failed(&self, said: String) -> GitError {
        GitError::Program { name: self.name.clone(), said }
    }
}

/// How a command that was followed ended.
pub(super) struct Streamed {
    pub status: ExitStatus,
    /// All it printed.
    pub said: String,
    /// Whether it was asked to end.
    pub stopped: bool,
}

/// What a command printed, for people.
fn said(outputs: &[&[u8]]) -> String {
    let texts = outputs.iter().map(|output| String::from_utf8_lossy(output).trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Reads a pipe on a thread of its own, which ends when nobody listens or nobody can write to the pipe any more.
fn pieces_of(mut reader: PipeReader) -> io::Result<Receiver<Vec<u8>>> {
    let (send, pieces) = bounded(16);
    thread::Builder::new().name("git-output".to_owned()).spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            match reader.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(read @ 1..) if send.send(buffer[..read].to_vec()).is_ok() => {}
                _ => return,
            }
        }
    })?;
    Ok(pieces)
}

/// Tells what a command prints until it has ended.
fn follow(
    child: &mut Child,
    pieces: &Receiver<Vec<u8>>,
    tell: &mut dyn FnMut(&str),
    cancel: &Cancel,
) -> io::Result<Streamed> {
    let mut text = Streamed { status: ExitStatus::default(), said: String::new(), stopped: false };
    let mut unfinished = Vec::new();
    let mut stopping: Option<Instant> = None;
    loop {
        match pieces.recv_timeout(LOOK) {
            Ok(piece) => {
                unfinished.extend_from_slice(&piece);
                let piece = whole_characters(&mut unfinished);
                tell(&piece);
                text.said.push_str(&piece);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                // What a hook leaves running in the background may hold the pipe open for ever.
                if child.try_wait()?.is_some() {
                    break;
                }
            }
        }
        match stopping {
            None if cancel.is_cancelled() => {
                text.stopped = true;
                stopping = Some(Instant::now());
                stop(child, false);
            }
            Some(since) if since.elapsed() > GRACE => {
                stop(child, true);
                break;
            }
            _ => {}
        }
    }
    text.status = child.wait()?;
    Ok(text)
}

/// Takes the text off `bytes` that does not end within a character.
fn whole_characters(bytes: &mut Vec<u8>) -> String {
    let end = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    bytes.drain(..end);
    text
}

/// Ends a command and what it started: politely, so that it takes its locks away, or by force.
#[cfg(unix)]
fn stop(child: &mut Child, by_force: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if by_force { Signal::KILL } else { Signal::TERM };
    // It may have ended by itself meanwhile.
    let _ = kill_process_group(Pid::from_child(child), signal);
}

#[cfg(not(unix))]
fn stop(child: &mut Child, _: bool) {
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_cut_between_characters() {
        let mut bytes = "aé".as_bytes()[..2].to_vec();
        assert_eq!((whole_characters(&mut bytes).as_str(), &bytes[..]), ("a", &b"\xc3"[..]));
        bytes.extend_from_slice(b"\xa9\xff");
        assert_eq!((whole_characters(&mut bytes), bytes.len()), ("é\u{fffd}".to_owned(), 0));
    }

    #[test]
    fn both_outputs_are_said() {
        assert_eq!(said(&[b"one\n", b" \n", b"two\n"]), "one\ntwo");
    }
}
