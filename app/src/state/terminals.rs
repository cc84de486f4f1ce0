//! Terminals that are open: what runs in each, what it is called, and what it reports.
//!
//! A terminal is started when it is first shown, at the size it has then: what was restored costs nothing until somebody
//! looks, and no shell draws its prompt twice. Starting, ending, finding files and listing tasks happen off this thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use terminal::screen::{LinkTarget, Palette};
use terminal::{Exit, Launch, Options, Program, ScreenEvent, Size, StartError, Terminal};

use super::notices::Notices;
use crate::commands::Place;
use crate::tasks::{Poll, Task, Tasks};

/// A terminal of this window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TerminalId(pub u64);

/// What a terminal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A shell; it closes when the user leaves that.
    Shell,
    /// A task or a command; it stays to be read.
    Task,
}

/// One of them.
pub struct OpenTerminal {
    pub kind: Kind,
    launch: Launch,
    stage: Stage,
    /// Given by the user, or the task's.
    pub name: Option<String>,
    title: Option<String>,
    /// The program that the shell runs, as the command line names it.
    program: Option<String>,
    directory: Option<PathBuf>,
    /// It rang while somebody looked elsewhere.
    pub rang: bool,
    /// Per cent of what the program says it does.
    pub progress: Option<u8>,
    ended: bool,
}

enum Stage {
    Waiting,
    Starting(Task<Result<Terminal, StartError>>),
    Open(Arc<Terminal>),
    Failed(String),
}

/// What is asked before something is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Closing would end what runs.
    Close {
        tile: egui_tiles::TileId,
        running: String,
    },
    /// The shell would run these lines one after another.
    Paste {
        terminal: TerminalId,
        lines: usize,
        bytes: Vec<u8>,
    },
    Rename {
        terminal: TerminalId,
        name: String,
    },
}

/// What the window has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    Copy(String),
    Close(TerminalId),
    Open { path: PathBuf, at: Option<Place> },
}

/// Where a file was clicked.
pub struct Clicked {
    pub terminal: Arc<Terminal>,
    /// What the command that wrote the line said about its directory.
    pub said: Option<PathBuf>,
    /// Where else to look.
    pub folders: Vec<PathBuf>,
}

/// A command that ran this long is told when it ends while the window is in the background.
const WORTH_TELLING: Duration = Duration::from_secs(10);

/// All of them.
#[derive(Default)]
pub struct Terminals {
    open: BTreeMap<TerminalId, OpenTerminal>,
    next: u64,
    /// Text selected last in any of them, for the middle button.
    pub primary: String,
    pub question: Option<Question>,
    /// The next paste is one that a command asked the window for.
    pub paste_asked: bool,
    /// A file that is looked for, with what was clicked.
    finding: Option<(String, Task<Option<PathBuf>>, Option<Place>)>,
    /// Those that were closed and are being ended.
    ending: Vec<std::thread::JoinHandle<()>>,
    listing: Option<Task<terminal::tasks::Tasks>>,
    /// What the project names, since it was last asked for.
    tasks: Option<terminal::tasks::Tasks>,
}

impl Terminals {
    /// A shell in a directory, started when it is first shown; the user's own without `path`.
    pub fn shell(
        &mut self,
        path: Option<PathBuf>,
        directory: Option<PathBuf>,
        name: Option<String>,
        scripts: PathBuf,
    ) -> TerminalId {
        let program = Program::Shell { path, login: false, scripts: Some(scripts) };
        let launch = Launch { program, directory: directory.clone(), environment: Vec::new() };
        self.insert(Kind::Shell, launch, directory, name)
    }

    /// A command with a name of its own, started when it is first shown.
    pub fn command(&mut self, launch: Launch, name: String) -> TerminalId {
        let directory = launch.directory.clone();
        self.insert(Kind::Task, launch, directory, Some(name))
    }

    /// One that a program drives or fills: it runs already.
    pub fn driven(&mut self, terminal: Arc<Terminal>, name: String) -> TerminalId {
        let id = self.insert(Kind::Task, Launch::default(), None, Some(name));
        if let Some(open) = self.open.get_mut(&id) {
            open.stage = Stage::Open(terminal);
        }
        id
    }

    fn insert(&mut self, kind: Kind, launch: Launch, directory: Option<PathBuf>, name: Option<String>) -> TerminalId {
        self.next += 1;
        let id = TerminalId(self.next);
        let stage = Stage::Waiting;
        let (title, program, rang, progress, ended) = (None, None, false, None, false);
        let open = OpenTerminal { kind, launch, stage, name, title, program, directory, rang, progress, ended };
        self.open.insert(id, open);
        id
    }

    pub fn get(&self, id: TerminalId) -> Option<&OpenTerminal> {
        self.open.get(&id)
    }

    pub fn get_mut(&mut self, id: TerminalId) -> Option<&mut OpenTerminal> {
        self.open.get_mut(&id)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &OpenTerminal> {
        self.open.values()
    }

    /// The running terminal, if it was started.
    pub fn live(&self, id: TerminalId) -> Option<&Arc<Terminal>> {
        self.open.get(&id)?.live()
    }

    /// Starts it at a size, keeping `history` lines that scroll off, if it was not.
    pub fn start(&mut self, id: TerminalId, size: Size, history: usize, palette: Palette, tasks: &Tasks) {
        let Some(open) = self.open.get_mut(&id).filter(|open| matches!(open.stage, Stage::Waiting)) else { return };
        let (launch, waker) = (open.launch.clone(), tasks.waker().clone());
        let options = Options { size, history, palette, wake: Box::new(move || waker.wake()) };
        open.stage = Stage::Starting(tasks.spawn("start terminal", move |_| Terminal::start(&launch, options)));
    }

    /// Starts the same again in its place.
    pub fn restart(&mut self, id: TerminalId) {
        if let Some(open) = self.open.get_mut(&id) {
            open.stage = Stage::Waiting;
            (open.ended, open.title, open.program, open.progress) = (false, None, None, None);
        }
    }

    /// Ends everything in it, in the background; whoever else holds it has it ended, too.
    pub fn close(&mut self, id: TerminalId) {
        self.ending.retain(|ends| !ends.is_finished());
        let Some(OpenTerminal { stage: Stage::Open(terminal), .. }) = self.open.remove(&id) else { return };
        let ends = std::thread::Builder::new().name("terminal-end".into());
        // Without a thread for it the terminal ends when it is dropped.
        self.ending.extend(ends.spawn(move || {
            terminal.shut_down();
        }));
    }

    /// Ends everything in all of them, and waits for it: for the end of the window.
    pub fn close_all(&mut self) {
        let all: Vec<TerminalId> = self.open.keys().copied().collect();
        for id in all {
            self.close(id);
        }
        for ends in self.ending.drain(..) {
            // One that panicked has nothing to tell, and the others are to be ended all the same.
            drop(ends.join());
        }
    }

    /// Grows whenever something was drawn into any of them; nothing when none is open.
    pub fn drawn(&self) -> Option<u64> {
        let live = self.iter().filter_map(OpenTerminal::live);
        live.map(|terminal| terminal.with_screen(|screen| screen.generation())).reduce(|sum, one| sum + one)
    }

    /// Whether one is being started, or a file looked for.
    pub fn is_busy(&self) -> bool {
        self.finding.is_some() || self.open.values().any(|open| matches!(open.stage, Stage::Starting(_)))
    }

    /// Looks for a file that was clicked in `terminal`: in the directory that the line's command said, if it did, then
    /// where the process is, then in `folders`. It is opened by the window when it is there.
    pub fn find_file(&mut self, target: &LinkTarget, clicked: Clicked, tasks: &Tasks) {
        let LinkTarget::Path { path, line, column } = target else { return };
        let at = line.map(|line| Place { line, column: column.unwrap_or(1) });
        let name = path.clone();
        let task = tasks.spawn("find file", move |_| {
            let Clicked { terminal, said, folders } = clicked;
            let folders: Vec<_> = [said, terminal.directory()].into_iter().flatten().chain(folders).collect();
            found(&name, &folders)
        });
        self.finding = Some((path.clone(), task, at));
    }

    /// Begins to list what the project names.
    pub fn list_tasks(&mut self, root: &Path, tasks: &Tasks) {
        let root = root.to_owned();
        self.tasks = None;
        self.listing = Some(tasks.spawn("list tasks", move |_| terminal::tasks::discover(&root)));
    }

    /// What the project names; nothing while it is listed.
    pub fn tasks(&self) -> Option<&terminal::tasks::Tasks> {
        self.tasks.as_ref()
    }

    /// Takes in what happened. Called first in every frame; never waits. `seen` is the terminal in front.
    pub fn take_results(&mut self, seen: Option<TerminalId>, focused: bool, notices: &mut Notices) -> Vec<News> {
        let mut news = Vec::new();
        for (&id, open) in &mut self.open {
            open.take_results(id, seen == Some(id) && focused, focused, notices, &mut news);
        }
        if let Some((name, task, at)) = &self.finding {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(Some(path)) => {
                    news.push(News::Open { path, at: *at });
                    self.finding = None;
                }
                Poll::Ready(None) | Poll::Lost => {
                    notices.info(format!("{name} is no file of this directory or the open folder."));
                    self.finding = None;
                }
            }
        }
        if let Some(task) = &self.listing {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(tasks) => {
                    for problem in &tasks.problems {
                        notices.warn(problem.clone());
                    }
                    self.tasks = Some(tasks);
                    self.listing = None;
                }
                Poll::Lost => self.listing = None,
            }
        }
        news
    }
}

impl OpenTerminal {
    fn take_results(&mut self, id: TerminalId, seen: bool, focused: bool, notices: &mut Notices, news: &mut Vec<News>) {
        if let Stage::Starting(task) = &self.stage {
            match task.poll() {
                Poll::Pending => return,
                Poll::Ready(Ok(terminal)) => self.stage = Stage::Open(Arc::new(terminal)),
                Poll::Ready(Err(error)) => self.stage = Stage::Failed(error.to_string()),
                Poll::Lost => self.stage = Stage::Failed("the terminal could not be started".to_owned()),
            }
        }
        let Stage::Open(terminal) = &self.stage else { return };
        let terminal = Arc::clone(terminal);
        for event in terminal.take_events() {
            match event {
                ScreenEvent::Title(title) => self.title = title.filter(|title| !title.trim().is_empty()),
                ScreenEvent::Bell => self.rang |= !seen,
                ScreenEvent::Copy(text) => news.push(News::Copy(text)),
                ScreenEvent::Notify { title, body } if title.is_empty() => notices.info(body),
                ScreenEvent::Notify { title, body } => notices.info(format!("{title}: {body}")),
                ScreenEvent::Progress(percent) => self.progress = percent,
                ScreenEvent::Directory(directory) => self.directory = Some(directory),
                ScreenEvent::CommandStarted(id) => {
                    let line = terminal.with_screen(|screen| screen.command_text(id));
                    self.program = line.as_deref().and_then(program_of);
                }
                ScreenEvent::CommandEnded { id, code, duration } => {
                    self.program = None;
                    if focused || duration < WORTH_TELLING {
                        continue;
                    }
                    let line = terminal.with_screen(|screen| screen.command_text(id)).unwrap_or_default();
                    let how =
                        code.filter(|code| *code != 0).map_or("is done".to_owned(), |code| format!("failed ({code})"));
                    notices.info(format!("{line} {how} after {} s.", duration.as_secs()));
                }
            }
        }
        if seen {
            self.rang = false;
        }
        if let Some(exit) = terminal.exit().filter(|_| !self.ended) {
            self.ended = true;
            self.progress = None;
            // A shell leaves with the code of its last command. One that never came to its prompt has something to say.
            let was_used = || terminal.with_screen(|screen| !screen.commands().is_empty());
            let left = exit.succeeded() || (matches!(exit, Exit::Code(_)) && was_used());
            if self.kind == Kind::Shell && left {
                news.push(News::Close(id));
            } else if self.kind == Kind::Task && !focused {
                notices.info(format!("{} ended: {exit}.", self.shown_name()));
            }
        }
    }

    /// The terminal itself, if it was started.
    pub fn live(&self) -> Option<&Arc<Terminal>> {
        match &self.stage {
            Stage::Open(terminal) => Some(terminal),
            _ => None,
        }
    }

    /// What its tab says.
    pub fn shown_name(&self) -> String {
        let said = self.name.as_ref().or(self.title.as_ref()).or(self.program.as_ref()).cloned();
        said.unwrap_or_else(|| match self.directory.as_deref() {
            Some(directory) => super::workspace::name_of(directory),
            None => "Terminal".to_owned(),
        })
    }

    /// Where it is, as far as it says.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Why it could not be started.
    pub fn failure(&self) -> Option<&str> {
        match &self.stage {
            Stage::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    /// How it ended.
    pub fn exit(&self) -> Option<Exit> {
        self.live()?.exit()
    }

    /// What runs in it that closing would end.
    pub fn running(&self) -> Option<String> {
        let terminal = self.live()?;
        let name = || terminal.foreground_name().unwrap_or_else(|| self.shown_name());
        terminal.is_busy().then(name)
    }
}

/// The program that a command line starts, without its folder; what is set for it is passed over.
fn program_of(line: &str) -> Option<String> {
    let word = line.split_whitespace().find(|word| !word.contains('=') && !matches!(*word, "sudo" | "exec" | "env"))?;
    let name = word.rsplit('/').next().filter(|name| !name.is_empty())?;
    Some(name.chars().take(40).collect())
}

/// The first of `folders` in which there is such a file. `a/` and `b/` are git's in front of paths.
fn found(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let short = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    let home = name.strip_prefix("~/").and_then(|below| Some(etcetera::home_dir().ok()?.join(below)));
    let within = [Some(name), short].into_iter().flatten().flat_map(|name| folders.iter().map(move |at| at.join(name)));
    home.into_iter().chain(within).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_its_program() {
        for (line, expected) in [
            ("vim a b", Some("vim")),
            ("  RUST_LOG=debug sudo /usr/bin/htop -d 10", Some("htop")),
            ("A=1", None),
            ("", None),
        ] {
            assert_eq!(program_of(line).as_deref(), expected, "{line:?}");
        }
    }

    #[test]
    fn a_file_is_found_in_the_first_folder_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for (at, name) in [(&one, "x.rs"), (&two, "x.rs"), (&two, "y.rs")] {
            std::fs::create_dir_all(at).unwrap();
            std::fs::write(at.join(name), "").unwrap();
        }
        let folders = [one.clone(), two.clone()];
        assert_eq!(found("x.rs", &folders), Some(one.join("x.rs")));
        assert_eq!(found("b/y.rs", &folders), Some(two.join("y.rs")));
        assert_eq!(found("z.rs", &folders), None);
        let whole = two.join("y.rs");
        assert_eq!(found(&whole.display().to_string(), &folders), Some(whole));
    }
}
