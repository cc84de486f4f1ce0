//! Processes in pseudo-terminals: starting, ending, and whether one is busy.
//!
//! Unix only. Windows needs ConPTY and a Job Object, and is not there yet.

mod session;

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize};
use rustix::process::{Pid, WaitId, WaitIdOptions};

use crate::screen::Size;
use crate::shell::{self, ShellKind};

/// What to start, where, and with which environment.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    pub program: Program,
    /// The user's home if there is none, or if it is gone.
    pub directory: Option<PathBuf>,
    /// On top of ours; `None` takes a variable away.
    pub environment: Vec<(OsString, Option<OsString>)>,
}

/// What runs in a terminal.
#[derive(Clone, Debug)]
pub enum Program {
    /// An interactive shell.
    Shell {
        /// The user's own when `None`.
        path: Option<PathBuf>,
        login: bool,
        /// Where the scripts are put that make it mark prompts and commands; without, it marks nothing.
        scripts: Option<PathBuf>,
    },
    /// A program and its arguments.
    Command(Vec<OsString>),
    /// A line for the system's shell.
    Line(String),
}

impl Default for Program {
    fn default() -> Self {
        Self::Shell { path: None, login: false, scripts: None }
    }
}

impl Launch {
    pub fn line(line: impl Into<String>) -> Self {
        Self { program: Program::Line(line.into()), ..Self::default() }
    }

    pub fn command<S: Into<OsString>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self { program: Program::Command(arguments.into_iter().map(Into::into).collect()), ..Self::default() }
    }

    pub fn shell(scripts: Option<PathBuf>) -> Self {
        Self { program: Program::Shell { path: None, login: false, scripts }, ..Self::default() }
    }

    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), Some(value.into())));
        self
    }
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("no pseudo-terminal could be opened: {0}")]
    NoTerminal(String),
    #[error("{program} could not be started: {reason}")]
    NotStarted { program: String, reason: String },
    #[error("the scripts for the shell could not be written to {}: {source}", folder.display())]
    Scripts { folder: PathBuf, source: io::Error },
    #[error("there is no command to start")]
    Nothing,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    pub fn succeeded(self) -> bool {
        self == Self::Code(0)
    }

    /// As a shell says it: 128 and the signal's number.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
        }
    }
}

/// A process, its session and our end of its terminal.
pub(crate) struct Process {
    pid: Pid,
    is_shell: bool,
    master: Mutex<Box<dyn MasterPty>>,
    /// Nothing once it was reaped: its number may be another's then.
    child: Mutex<Option<Box<dyn Child + Send + Sync>>>,
    /// A second handle of our end, for reading and writing without the lock.
    file: OwnedFd,
}

impl Process {
    pub fn start(launch: &Launch, size: Size, nonce: &str) -> Result<Self, StartError> {
        let (mut command, is_shell) = command(launch, nonce)?;
        let directory = launch.directory.clone().filter(|directory| directory.is_dir());
        if let Some(directory) = directory.or_else(std::env::home_dir) {
            command.cwd(directory);
        }
        set_environment(&mut command, launch);

        let system = portable_pty::native_pty_system();
        let pair = system.openpty(pty_size(size)).map_err(|error| StartError::NoTerminal(error.to_string()))?;
        let program = command.get_argv().first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let child = pair.slave.spawn_command(command).map_err(|error| StartError::NotStarted {
            program: program.clone(),
            reason: error.root_cause().to_string(),
        })?;
        // Our copy would keep the terminal open when the program is gone.
        drop(pair.slave);
        let file = own_handle(pair.master.as_ref()).map_err(|error| StartError::NoTerminal(error.to_string()))?;
        let pid = child.process_id().and_then(|pid| Pid::from_raw(pid as i32));
        let pid = pid.ok_or_else(|| StartError::NotStarted { program, reason: "it has no number".into() })?;
        Ok(Self { pid, is_shell, master: Mutex::new(pair.master), child: Mutex::new(Some(child)), file })
    }

    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Our end, for polling; it never blocks.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    pub fn resize(&self, size: Size) {
        // Fails when the process has ended, and then nobody is there to notice.
        let _ = self.master.lock().unwrap_or_else(PoisonError::into_inner).resize(pty_size(size));
    }

    /// Blocks until the first process has ended; it is not reaped.
    pub fn wait(&self) -> Exit {
        loop {
            match rustix::process::waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Ok(Some(status)) => {
                    return match (status.exit_status(), status.terminating_signal()) {
                        (Some(code), _) => Exit::Code(code),
                        (None, Some(signal)) => Exit::Signal(signal),
                        (None, None) => continue,
                    };
                }
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                // Somebody else has reaped it.
                Err(_) => return Exit::Code(0),
            }
        }
    }

    /// The process group that has the terminal, if it is not the shell's own.
    fn foreground(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(&self.file).ok()
    }

    /// Whether something runs that would be lost. A shell at its prompt is idle.
    pub fn is_busy(&self) -> bool {
        !self.is_shell || self.foreground().is_some_and(|group| group != self.pid)
    }

    /// The name of what runs in front.
    pub fn foreground_name(&self) -> Option<String> {
        session::name_of(self.foreground()?)
    }

    /// Where the first process is.
    pub fn directory(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/cwd", self.id())).ok()
    }

    /// Ends all processes of the session; takes up to 400 ms. Returns whether all are gone.
    pub fn end(&self) -> bool {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = child.as_mut() else { return true };
        let gone = session::end(self.pid, self.foreground());
        if gone {
            // Only now may its number be given to another.
            let _ = first.wait();
            *child = None;
        }
        gone
    }
}

/// Living processes of the session that a process began. For tests, and for whoever wants to know what still runs.
pub fn session_members(leader: u32) -> Vec<u32> {
    let members = Pid::from_raw(leader as i32).map(session::members).unwrap_or_default();
    members.into_iter().map(|member| member.as_raw_nonzero().get().unsigned_abs()).collect()
}

fn command(launch: &Launch, nonce: &str) -> Result<(CommandBuilder, bool), StartError> {
    match &launch.program {
        Program::Command(arguments) if arguments.is_empty() => Err(StartError::Nothing),
        Program::Command(arguments) => Ok((CommandBuilder::from_argv(arguments.clone()), false)),
        Program::Line(line) => {
            let mut command = CommandBuilder::new("/bin/sh");
            command.args(["-c", line]);
            Ok((command, false))
        }
        Program::Shell { path, login, scripts } => {
            let shell = path.clone().unwrap_or_else(shell::default_shell);
            let start = match scripts {
                Some(folder) => shell::integrate(&shell, *login, folder, nonce)
                    .map_err(|source| StartError::Scripts { folder: folder.clone(), source })?,
                None => shell::plain(ShellKind::of(&shell), *login),
            };
            let mut command = CommandBuilder::new(&shell);
            command.args(start.arguments);
            for (name, value) in start.environment {
                command.env(name, value);
            }
            Ok((command, true))
        }
    }
}

fn set_environment(command: &mut CommandBuilder, launch: &Launch) {
    // What another terminal has told us about itself is not true of this one.
    for name in ["LINES", "COLUMNS", "WINDOWID", "TMUX", "STY", "VTE_VERSION", "KITTY_WINDOW_ID", "TERM_SESSION_ID"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env("TERM_PROGRAM", "recto");
    command.env("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION"));
    for (name, value) in &launch.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        }
    }
}

fn pty_size(size: Size) -> PtySize {
    PtySize {
        rows: size.rows,
        cols: size.columns,
        pixel_width: size.columns.saturating_mul(size.cell_width),
        pixel_height: size.rows.saturating_mul(size.cell_height),
    }
}

/// A handle of our end that never blocks. The library's own reader and writer would, and the writer sends an end of input
/// when it is dropped, which a program would take for the user's.
fn own_handle(master: &dyn MasterPty) -> io::Result<OwnedFd> {
    let raw = master.as_raw_fd().ok_or_else(|| io::Error::other("the pseudo-terminal has no handle"))?;
    #[expect(unsafe_code, reason = "the library gives a number; the master it belongs to outlives the borrow")]
    let file = unsafe { BorrowedFd::borrow_raw(raw) }.try_clone_to_owned()?;
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::NONBLOCK)?;
    Ok(file)
}
