//! A conversation on a terminal: a line with history and completion, and a run for each.
//!
//! Ctrl+C stops a run; at the empty line it says how to leave, and leaves when it comes twice. Ctrl+D leaves.

use std::io::Write as _;

use agent::event::SessionId;
use agent::run::{Agent, Mode, Task};
use editor::Cancel;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Context, Editor, Helper, Highlighter, Hinter, Validator};

use super::commands::{self, Next};
use super::{Message, Printer, Room};
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::state::slash::UserCommand;

/// What goes on between the lines of a conversation.
pub(super) struct Talk {
    pub(super) room: Room,
    /// None only while a run has it.
    pub(super) agent: Option<Agent>,
    pub(super) mode: Mode,
    pub(super) steps: Option<u32>,
    /// The language that answers are to be in.
    pub(super) language: Option<String>,
    pub(super) user: Vec<UserCommand>,
    printer: Printer,
}

/// Talks until the person leaves.
pub(super) fn run(room: Room, agent: Agent, mode: Mode, steps: Option<u32>, output: &mut Output) -> Outcome {
    let (user, taken) = commands::of_user(&room);
    let names = commands::names(&user);
    let history = room.paths.state.join("agent").join("history.txt");
    let printer = Printer::of("text", output.has_colour());
    let mut talk = Talk { room, agent: Some(agent), mode, steps, language: None, user, printer };
    let mut editor: Editor<Completions, FileHistory> = Editor::new().map_err(anyhow::Error::from)?;
    editor.set_helper(Some(Completions { names, root: talk.room.root.clone() }));
    // The first time there is none.
    drop(editor.load_history(&history));
    writeln!(
        output,
        "{} in {}. /help shows what there is; Ctrl+D leaves.",
        talk.model_name(),
        talk.room.root.display()
    )?;
    for name in taken {
        writeln!(output, "commands/{name}.md is not used: /{name} is there already; call it otherwise.")?;
    }
    let mut interrupted = false;
    loop {
        output.flush()?;
        let line = match editor.readline(&format!("{}> ", talk.mode.name())) {
            Ok(line) => line,
            Err(ReadlineError::Eof) => break,
            Err(ReadlineError::Interrupted) if interrupted => break,
            Err(ReadlineError::Interrupted) => {
                interrupted = true;
                writeln!(output, "Ctrl+C again leaves.")?;
                continue;
            }
            Err(error) => return Err(anyhow::Error::from(error).into()),
        };
        interrupted = false;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        drop(editor.add_history_entry(line));
        match talk.line(line, output) {
            Ok(true) => {}
            Ok(false) => break,
            // A command that failed is no reason to leave.
            Err(error) => writeln!(output, "{error:#}")?,
        }
    }
    // What was typed is a convenience; that it cannot be kept ends nothing.
    drop(editor.save_history(&history));
    if let Some(agent) = &talk.agent {
        writeln!(output, "recto agent --resume {} goes on with it.", agent.session())?;
    }
    Ok(())
}

impl Talk {
    /// Does what a line says; false to leave.
    fn line(&mut self, line: &str, output: &mut Output) -> anyhow::Result<bool> {
        let next = match line.strip_prefix('/') {
            Some(command) => commands::run(self, command, output)?,
            None => Next::Run(Task { prompt: line.to_owned(), mode: self.mode, ..Task::default() }),
        };
        match next {
            Next::Line => Ok(true),
            Next::Leave => Ok(false),
            Next::Run(task) => self.ask(task, output).map(|_| true),
            Next::RunAll(tasks) => {
                for task in tasks {
                    writeln!(output, "\n{}> {}", task.mode.name(), task.prompt)?;
                    if !self.ask(task, output)? {
                        break;
                    }
                }
                Ok(true)
            }
        }
    }

    /// Has the agent do something; whether it was done.
    pub(super) fn ask(&mut self, mut task: Task, output: &mut Output) -> anyhow::Result<bool> {
        let Some(agent) = self.agent.take() else { anyhow::bail!("there is no session; /clear begins one") };
        let session = agent.session().clone();
        if let Some(language) = &self.language {
            task.prompt.push_str(&format!("\n\nAnswer in {language}."));
        }
        task.steps = task.steps.or(self.steps);
        let printer = &mut self.printer;
        let work = move |agent: &mut Agent, cancel: &Cancel| agent.run(&task, cancel);
        let done = self.room.aside(agent, work, &mut |message: Message, room| printer.take(message, room, output));
        match done {
            Ok((agent, ended)) => {
                self.agent = Some(agent);
                Ok(ended.end.exit_code() == 0)
            }
            Err(failure) => {
                // The session is whole in the store; what was lost is only the one in memory.
                self.agent = self.room.again(Some(&session), "").ok();
                Err(failure.into_error())
            }
        }
    }

    /// Goes on with another session, or with the same and another model.
    pub(super) fn change(&mut self, session: Option<&SessionId>, title: &str) -> anyhow::Result<()> {
        let agent = self.room.again(session, title).map_err(super::Failure::into_error)?;
        self.agent = Some(agent);
        Ok(())
    }

    pub(super) fn agent(&mut self) -> anyhow::Result<&mut Agent> {
        self.agent.as_mut().ok_or_else(|| anyhow::anyhow!("there is no session; /clear begins one"))
    }

    pub(super) fn model_name(&self) -> String {
        self.agent.as_ref().map_or_else(String::new, |agent| agent.model().to_owned())
    }
}

/// Completes commands at the start of a line, and paths of the project elsewhere.
#[derive(Helper, Hinter, Highlighter, Validator)]
struct Completions {
    names: Vec<String>,
    root: std::path::PathBuf,
}

impl Completer for Completions {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..at];
        if let Some(typed) = before.strip_prefix('/').filter(|typed| !typed.contains(' ')) {
            let matching = self.names.iter().filter(|name| name.starts_with(typed));
            return Ok((1, matching.map(|name| pair(name.clone())).collect()));
        }
        let start = before.rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let typed = before[start..].trim_start_matches('@');
        Ok((at - typed.len(), self.paths(typed)))
    }
}

impl Completions {
    /// Paths that begin as typed, folders with a slash.
    fn paths(&self, typed: &str) -> Vec<Pair> {
        let (folder, name) = typed.rsplit_once('/').map_or(("", typed), |(folder, name)| (folder, name));
        let listed = editor::project::list(&editor::file::RealFs, &self.root.join(folder), false).unwrap_or_default();
        let begins = |entry: &editor::project::Entry| {
            entry.name.to_str().filter(|text| text.starts_with(name)).map(str::to_owned)
        };
        let with_folder = |name: String, entry: &editor::project::Entry| {
            let slash = if entry.is_folder { "/" } else { "" };
            if folder.is_empty() { format!("{name}{slash}") } else { format!("{folder}/{name}{slash}") }
        };
        let matching = listed.iter().filter(|entry| !entry.ignored);
        matching.filter_map(|entry| begins(entry).map(|name| pair(with_folder(name, entry)))).take(200).collect()
    }
}

fn pair(text: String) -> Pair {
    Pair { display: text.clone(), replacement: text }
}
