//! A terminal: a process and its screen, for the window and for programs that drive it alike.
//!
//! One thread reads and writes (it never blocks on either, so neither a flood nor a program that does not read can stop
//! it), and one waits for the end of the process. Both sleep in the kernel while nothing happens.
//!
//! Invariants: at most 64 KiB are drawn under one lock. The window is woken once until it looks again, and not before 4 ms
//! of a flood are drawn. The end of the process is told only when everything it wrote is drawn.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::fair::Fair;
use crate::keys::{self, KeyInput};
use crate::process::{Exit, Launch, Process, StartError};
use crate::screen::{
    CommandId, CommandState, DEFAULT_HISTORY, Frame, Matches, Palette, Pattern, SEARCH_STEP, Screen, ScreenEvent, Size,
};

/// Drawn under one lock.
const AT_ONCE: usize = 64 * 1024;
/// A flood is shown this often.
const WAKE_EVERY: Duration = Duration::from_millis(4);
/// Input that a program has not read yet; more is refused.
const MOST_INPUT: usize = 16 * 1024 * 1024;
/// Written at once, so that reading is not kept waiting.
const WRITE_AT_ONCE: usize = 16 * 1024;

/// How a terminal is set up.
pub struct Options {
    pub size: Size,
    pub history: usize,
    pub palette: Palette,
    /// Called when there is something new, from another thread: once, until somebody looks.
    pub wake: Box<dyn Fn() + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: Size::default(), history: DEFAULT_HISTORY, palette: Palette::default(), wake: Box::new(|| {}) }
    }
}

/// Why input was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    #[error("the program has not read what was sent before; nothing more is sent")]
    Full,
    #[error("nothing runs in this terminal")]
    Ended,
}

/// Why a wait is over without what was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    #[error("it has not happened in time")]
    TimedOut,
    #[error("the process has ended: {0}")]
    Ended(Exit),
    #[error(transparent)]
    NotSent(#[from] SendError),
}

/// A command that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub id: CommandId,
    pub code: Option<i32>,
    pub output: String,
    /// The beginning of the output has scrolled out of history.
    pub truncated: bool,
}

/// A terminal. Dropping it ends everything in it.
pub struct Terminal {
    shared: Arc<Shared>,
    /// None for one that only shows.
    process: Option<Arc<Process>>,
}

struct Shared {
    screen: Fair<Screen>,
    state: Mutex<State>,
    /// Something was drawn or has ended.
    changed: Condvar,
    /// The window has been woken and has not looked yet.
    woken: AtomicBool,
    /// Events wait to be taken: told even when nobody looks, as at a terminal behind another tab.
    happened: AtomicBool,
    wake: Box<dyn Fn() + Send + Sync>,
    /// Interrupts the thread that reads and writes.
    bell: Option<OwnedFd>,
}

#[derive(Default)]
struct State {
    input: VecDeque<u8>,
    /// The process has ended, but not all it wrote is drawn.
    ending: Option<Exit>,
    ended: Option<Exit>,
    closing: bool,
}

impl Terminal {
    /// Starts something.
    pub fn start(launch: &Launch, options: Options) -> Result<Self, StartError> {
        let nonce = nonce();
        let size = options.size.within_limits();
        let process = Arc::new(Process::start(launch, size, &nonce)?);
        let no_terminal = |error: io::Error| StartError::NoTerminal(error.to_string());
        let (listener, bell) =
            rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC | rustix::pipe::PipeFlags::NONBLOCK)
                .map_err(|error| no_terminal(error.into()))?;
        let mut screen = Screen::new(size, options.history);
        screen.set_palette(options.palette);
        screen.set_nonce(Some(nonce));
        let shared = Arc::new(Shared::new(screen, options.wake, Some(bell)));

        let worker = Worker { shared: shared.clone(), process: process.clone(), listener };
        let spawned = thread::Builder::new().name("terminal-io".into()).spawn(move || worker.run());
        let waiter = (shared.clone(), process.clone());
        let waits = spawned.and_then(|_| {
            thread::Builder::new().name("terminal-wait".into()).spawn(move || {
                let exit = waiter.1.wait();
                waiter.0.state().ending = Some(exit);
                waiter.0.ring();
            })
        });
        let terminal = Self { shared, process: Some(process) };
        // Dropped on failure, which ends what was started.
        waits.map_err(no_terminal)?;
        Ok(terminal)
    }

    /// One that shows what it is given.
    pub fn display(options: Options) -> Self {
        let mut screen = Screen::new(options.size.within_limits(), options.history);
        screen.set_palette(options.palette);
        Self { shared: Arc::new(Shared::new(screen, options.wake, None)), process: None }
    }

    /// Draws bytes as if a program had written them. Nothing is answered.
    pub fn show(&self, bytes: &[u8]) {
        for part in bytes.chunks(AT_ONCE) {
            self.shared.draw(part);
        }
        self.shared.tell();
    }

    /// Runs `with` on the screen, under its lock: nothing slow belongs in it.
    pub fn with_screen<R>(&self, with: impl FnOnce(&mut Screen) -> R) -> R {
        with(&mut self.shared.screen.lock())
    }

    /// Fills `frame` with what is to be shown. False, and untouched, when nothing changed since it was filled.
    pub fn frame(&self, frame: &mut Frame) -> bool {
        // Before looking: what comes after is told again.
        self.shared.woken.store(false, Ordering::Release);
        let screen = self.shared.screen.lock();
        if screen.generation() == frame.generation {
            return false;
        }
        screen.frame(frame);
        true
    }

    /// Everything that happened since the last call. Waits for nobody when that is nothing.
    pub fn take_events(&self) -> Vec<ScreenEvent> {
        if !self.shared.happened.swap(false, Ordering::AcqRel) {
            return Vec::new();
        }
        self.shared.screen.lock().take_events()
    }

    /// Sends input as it is.
    pub fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        if self.process.is_none() {
            return Err(SendError::Ended);
        }
        let mut state = self.shared.state();
        if state.ended.is_some() || state.ending.is_some() || state.closing {
            return Err(SendError::Ended);
        }
        if state.input.len() + bytes.len() > MOST_INPUT {
            return Err(SendError::Full);
        }
        state.input.extend(bytes);
        drop(state);
        self.shared.ring();
        Ok(())
    }

    /// Sends a key, as the program wants it. The view goes to the bottom, and nothing stays selected.
    pub fn send_key(&self, key: &KeyInput<'_>) -> Result<(), SendError> {
        let modes = self.with_screen(|screen| screen.modes());
        let bytes = keys::encode(key, &modes);
        if bytes.is_empty() { Ok(()) } else { self.type_bytes(&bytes) }
    }

    /// Sends what the user types or pastes.
    pub fn type_bytes(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.send(bytes)?;
        self.with_screen(|screen| {
            screen.clear_selection();
            screen.scroll_to_bottom();
        });
        Ok(())
    }

    /// Draws everything anew at another size; the program is told.
    pub fn resize(&self, size: Size) {
        let size = size.within_limits();
        let changed = self.with_screen(|screen| {
            let changed = screen.size() != size;
            if changed {
                screen.resize(size);
            }
            changed
        });
        if changed && let Some(process) = &self.process {
            process.resize(size);
        }
    }

    /// How the process ended, once it has and all it wrote is drawn.
    pub fn exit(&self) -> Option<Exit> {
        self.shared.state().ended
    }

    pub fn is_running(&self) -> bool {
        self.process.is_some() && self.exit().is_none()
    }

    /// Number of the first process; its session has the same.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.id())
    }

    /// Whether something runs that closing would end: not a shell at its prompt.
    pub fn is_busy(&self) -> bool {
        self.is_running() && self.process.as_ref().is_some_and(|process| process.is_busy())
    }

    /// The name of what runs in front. Asks the system, so not for every frame.
    pub fn foreground_name(&self) -> Option<String> {
        self.process.as_ref().filter(|_| self.is_running())?.foreground_name()
    }

    /// The directory the shell says it is in; else the one its process is in. Asks the system, so not for every frame.
    pub fn directory(&self) -> Option<PathBuf> {
        let said = self.with_screen(|screen| screen.directory().map(PathBuf::from));
        said.or_else(|| self.process.as_ref().filter(|_| self.is_running())?.directory())
    }

    // For programs

    /// Waits until the process has ended.
    pub fn wait_for_exit(&self, timeout: Duration) -> Result<Exit, WaitError> {
        match self.wait_until(timeout, |_| None::<()>) {
            Err(WaitError::Ended(exit)) => Ok(exit),
            Err(other) => Err(other),
            Ok(()) => Err(WaitError::TimedOut),
        }
    }

    /// Waits until the shell stands at a prompt.
    pub fn wait_for_prompt(&self, timeout: Duration) -> Result<(), WaitError> {
        self.wait_until(timeout, |screen| (screen.at_prompt() == Some(true)).then_some(()))
    }

    /// Waits until a command after `after` has ended (any command, when `None`).
    pub fn wait_for_command(&self, after: Option<CommandId>, timeout: Duration) -> Result<Finished, WaitError> {
        self.wait_until(timeout, |screen| {
            let last = screen.last_command().filter(|last| Some(last.id) > after)?;
            let CommandState::Ended(code) = last.state else { return None };
            let id = last.id;
            let output = screen.output(id)?;
            Some(Finished { id, code, output: output.text, truncated: output.truncated })
        })
    }

    /// Types a line into the shell and waits for the end of the command.
    pub fn run(&self, line: &str, timeout: Duration) -> Result<Finished, WaitError> {
        let before = self.with_screen(|screen| screen.last_command().map(|last| last.id));
        self.send(format!("{line}\r").as_bytes())?;
        self.wait_for_command(before, timeout)
    }

    /// Waits until `ready` finds something; it is asked whenever something was drawn.
    pub fn wait_until<R>(
        &self,
        timeout: Duration,
        mut ready: impl FnMut(&mut Screen) -> Option<R>,
    ) -> Result<R, WaitError> {
        let end = Instant::now() + timeout;
        loop {
            // The state is locked before the screen is looked at, so that no change falls in between.
            let state = self.shared.state();
            let ended = state.ended;
            if let Some(found) = ready(&mut self.shared.screen.lock()) {
                return Ok(found);
            }
            if let Some(exit) = ended {
                return Err(WaitError::Ended(exit));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(WaitError::TimedOut);
            }
            drop(self.shared.changed.wait_timeout(state, left));
        }
    }

    /// Finds every match in all lines. Takes a while for long histories, so it is nothing for the thread of a window; ends
    /// early, with what it has, when `cancelled` says so.
    pub fn find_all(&self, pattern: &Pattern, cancelled: &dyn Fn() -> bool) -> Matches {
        let mut matches = Matches::default();
        let mut next = Some(self.with_screen(|screen| screen.first_line()));
        while let Some(from) = next.filter(|_| !cancelled()) {
            let lines = self.with_screen(|screen| screen.lines_for_search(from, SEARCH_STEP));
            next = lines.next;
            if !pattern.find_in(&lines, &mut matches) {
                break;
            }
        }
        matches
    }

    /// The same as [`Terminal::end`], for one that others hold, too.
    pub fn shut_down(&self) -> bool {
        self.process.as_ref().is_none_or(|process| end(&self.shared, process))
    }

    /// Ends every process of the session and waits until they are gone; takes up to 400 ms. Returns whether they are.
    pub fn end(mut self) -> bool {
        self.process.take().is_none_or(|process| end(&self.shared, &process))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else { return };
        // The window must not wait for it; without a thread it has to.
        let (shared, other) = (self.shared.clone(), process.clone());
        let ends = thread::Builder::new().name("terminal-end".into()).spawn(move || end(&shared, &other));
        if ends.is_err() {
            end(&self.shared, &process);
        }
    }
}

fn end(shared: &Shared, process: &Process) -> bool {
    {
        let mut state = shared.state();
        state.closing = true;
        state.input = VecDeque::new();
    }
    let gone = process.end();
    shared.ring();
    gone
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal")
            .field("process", &self.process_id())
            .field("exit", &self.exit())
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn new(screen: Screen, wake: Box<dyn Fn() + Send + Sync>, bell: Option<OwnedFd>) -> Self {
        Self {
            screen: Fair::new(screen),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
            woken: AtomicBool::new(false),
            happened: AtomicBool::new(false),
            wake,
            bell,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Interrupts the thread that reads and writes. A full pipe has rung already.
    fn ring(&self) {
        if let Some(bell) = &self.bell {
            let _ = rustix::io::write(bell, &[1]);
        }
    }

    /// Returns what has to be sent back.
    fn draw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut screen = self.screen.lock();
        // The engine is not ours, and programs write anything: a mistake of it costs the screen, not the window.
        let drawn = catch_unwind(AssertUnwindSafe(|| screen.feed(bytes)));
        let replies = drawn.unwrap_or_else(|_| {
            screen.start_again();
            Vec::new()
        });
        self.note_events(&screen);
        replies
    }

    /// Draws what a synchronized update held back. Returns what has to be sent back.
    fn end_synchronized(&self) -> Vec<u8> {
        let mut screen = self.screen.lock();
        let replies = screen.end_synchronized();
        self.note_events(&screen);
        replies
    }

    fn note_events(&self, screen: &Screen) {
        if screen.has_events() {
            self.happened.store(true, Ordering::Release);
        }
    }

    /// Sends what the program asked for. One that asks for ever and reads nothing gets no more than fits.
    fn reply(&self, bytes: &[u8]) {
        let mut state = self.state();
        if state.input.len() + bytes.len() <= MOST_INPUT {
            state.input.extend(bytes);
        }
    }

    /// Wakes the window, unless it was and has not looked yet, and whoever waits.
    fn tell(&self) {
        // Whoever waits holds the state's lock between looking and waiting.
        drop(self.state());
        self.changed.notify_all();
        if !self.woken.swap(true, Ordering::AcqRel) || self.happened.load(Ordering::Acquire) {
            (self.wake)();
        }
    }

    /// The process has ended: whoever looks, and whoever looks elsewhere, wants to know.
    fn tell_end(&self) {
        self.woken.store(false, Ordering::Release);
        self.tell();
    }
}

/// The thread that reads and writes.
struct Worker {
    shared: Arc<Shared>,
    process: Arc<Process>,
    listener: OwnedFd,
}

impl Worker {
    fn run(self) {
        let mut buffer = vec![0; AT_ONCE];
        // Something was drawn that nobody was told of, since then.
        let mut untold: Option<Instant> = None;
        let mut open = true;
        loop {
            let has_input = !self.shared.state().input.is_empty();
            let sync = self.shared.screen.lock().synchronized_until();
            let flood_ends = untold.map(|since| since + WAKE_EVERY);
            // What is drawn is told when no more comes right away, or when the time of a flood is over.
            let until = if untold.is_some() { Some(Instant::now()) } else { sync };
            let Some((readable, writable)) = self.wait(open, has_input, until) else { continue };

            if readable && open {
                match self.read(&mut buffer) {
                    Read::Some(length) => {
                        let replies = self.shared.draw(&buffer[..length]);
                        self.shared.reply(&replies);
                        untold.get_or_insert_with(Instant::now);
                    }
                    Read::Nothing => {}
                    Read::End => open = false,
                }
            }
            if writable {
                self.write();
            }
            if sync.is_some_and(|until| Instant::now() >= until) {
                let replies = self.shared.end_synchronized();
                self.shared.reply(&replies);
                untold.get_or_insert_with(Instant::now);
            }
            let flood_is_over = flood_ends.is_some_and(|end| Instant::now() >= end);
            if untold.is_some() && (!readable || flood_is_over) {
                untold = None;
                self.shared.tell();
            }
            let mut state = self.shared.state();
            // At once: those who left the session may keep the terminal open for ever.
            if state.closing {
                break;
            }
            // Drained: what the process wrote before its end is drawn.
            if !readable && let Some(exit) = state.ending.take() {
                state.ended = Some(exit);
                state.input = VecDeque::new();
                drop(state);
                self.shared.tell_end();
            }
        }
        let mut state = self.shared.state();
        if let Some(exit) = state.ending.take() {
            state.ended = Some(exit);
        }
        drop(state);
        self.shared.tell_end();
    }

    /// Waits for something to do. Returns whether there is something to read, and whether input can be written; nothing
    /// when it was interrupted.
    fn wait(&self, open: bool, has_input: bool, until: Option<Instant>) -> Option<(bool, bool)> {
        let wanted = if has_input { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let (file, listener) = (self.process.file(), self.listener.as_fd());
        let mut both = [PollFd::new(&listener, PollFlags::IN), PollFd::new(&file, wanted)];
        let polled = if open { &mut both[..] } else { &mut both[..1] };
        // The exit is told only after a look that found nothing to read.
        let draining = self.shared.state().ending.is_some();
        let until = if draining { Some(Instant::now()) } else { until };
        let timeout = until.map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) }
        });
        poll(polled, timeout.as_ref()).ok()?;
        if polled[0].revents().intersects(PollFlags::IN) {
            let mut rung = [0; 256];
            let _ = rustix::io::read(&self.listener, &mut rung);
        }
        let of_file = polled.get(1).map_or(PollFlags::empty(), PollFd::revents);
        let readable = of_file.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR);
        Some((readable, of_file.intersects(PollFlags::OUT)))
    }

    /// Fills the buffer as far as there is something: the kernel hands out 4 KiB at a time.
    fn read(&self, buffer: &mut [u8]) -> Read {
        let mut length = 0;
        while length < buffer.len() {
            match rustix::io::read(self.process.file(), &mut buffer[length..]) {
                Ok(0) if length == 0 => return Read::End,
                Ok(0) => break,
                Ok(more) => length += more,
                Err(Errno::INTR) => {}
                Err(_) if length > 0 => break,
                Err(Errno::AGAIN) => return Read::Nothing,
                // EIO: nobody has the other end any more.
                Err(_) => return Read::End,
            }
        }
        Read::Some(length)
    }

    fn write(&self) {
        let mut state = self.shared.state();
        while !state.input.is_empty() {
            let part = state.input.as_slices().0;
            let part = &part[..part.len().min(WRITE_AT_ONCE)];
            match rustix::io::write(self.process.file(), part) {
                Ok(written) => drop(state.input.drain(..written)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => state.input = VecDeque::new(),
            }
        }
    }
}

enum Read {
    Some(usize),
    Nothing,
    End,
}

/// A word that nobody guesses, from the random numbers that hash maps are seeded with.
fn nonce() -> String {
    use std::hash::{BuildHasher, RandomState};
    format!("{:016x}{:016x}", RandomState::new().hash_one(0u8), RandomState::new().hash_one(1u8))
}
