//! `recto agent`: a run from the command line, or a conversation on a terminal.
//!
//! The agent works on a thread of its own and sends what happens to this one, which alone prints and asks. Without a
//! terminal nobody is asked: what was not allowed on the command line is not done.
//!
//! Exit codes: 0 done, 1 failed, 2 usage, 3 all steps used up, 4 not permitted, 5 model not reached, 6 conversation too
//! long, 130 stopped.

mod commands;
mod desk;
mod interactive;
mod replay;
mod show;
mod worktree;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::audit::Audit;
use agent::event::{Event, EventKind, Moment, SessionId};
use agent::host::{DiskHost, ProjectPath, Unattended};
use agent::models::NoModel;
use agent::provider::web::Web;
use agent::run::{Agent, Ended, Mode, Setup, Task};
use agent::secrets::Secrets;
use agent::session::Store;
use agent::tool::Toolbox;
use agent::tool::web::SearchServer;
use anyhow::Context as _;
use crossbeam_channel::{Receiver, Sender, bounded};
use editor::Cancel;

use super::output::Output;
use super::{Failure, Outcome};
use crate::state::agents::{self, ModelError};
use crate::state::paths::Paths;
use desk::{Asked, Terminal};
pub(super) use show::counted;

/// Has a model work on the project in the current folder
///
/// With a prompt, or one on standard input, it does what it is asked and ends; on a terminal without a prompt it is a
/// conversation, in which /help shows what there is.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_long_help = FORMATS)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// What to do
    prompt: Option<String>,
    /// What it may do: ask (look), plan (look and plan), agent (change files)
    #[arg(long, value_name = "MODE", default_value = "agent", value_parser = ["ask", "plan", "agent"])]
    mode: String,
    /// The model or route to use, or the address of a server
    #[arg(long, value_name = "NAME|URL")]
    model: Option<String>,
    /// Goes on with the last session of this project
    #[arg(long = "continue", conflicts_with = "resume")]
    go_on: bool,
    /// Goes on with a session
    #[arg(long, value_name = "SESSION")]
    resume: Option<String>,
    /// How to print what happens
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json", "stream-json"])]
    output_format: String,
    /// Ends the run after so many steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// A file to show the model from the beginning; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Edits and makes files without asking
    #[arg(long)]
    yes_edits: bool,
    /// Lets the model read pages of the web; each is asked about
    #[arg(long)]
    web: bool,
    /// Lets it search the web, too, at a server that answers as SearXNG does; one of your own will do
    #[arg(long, value_name = "URL", requires = "web")]
    search_server: Option<String>,
    /// Works in a new git worktree instead of this folder
    #[arg(long)]
    worktree: bool,
    /// The written form of edits to teach the model: blocks, symbol, whole-file
    #[arg(long, value_name = "FORM", value_parser = ["blocks", "symbol", "whole-file"])]
    edit_form: Option<String>,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Replay(replay::Args),
}

/// What stands below the help.
const FORMATS: &str = "\
Formats of output:
  text         the answer on standard output, what is done on standard error
  json         one object at the end: end, exit_code, report, steps, files,
               usage (prompt, cached, completion); and error where no run began
  stream-json  what happens as it happens, one object a line, each with type,
               session, run and time; by type:
    step              step, limit, model
    text, reasoning   text
    writing           name, path, text: a piece of an action while it is written
    action_started    action, name, title, call
    action_progress   action, text, done, total
    action_finished   action, name, ok, result, changes, milliseconds
    permission        action, title, reason, patch, scope, answer
    checkpoint        checkpoint, files
    usage             prompt, cached, completion, window, milliseconds,
                      answered_by, because, reading, cost
    notice            text, recast
    error             text
    done              end, report, steps, files; always the last

Exit codes:
  0 done, 1 failed, 2 wrong words, 3 all steps used up, 4 not permitted,
  5 no model could be reached, 6 the conversation does not fit the model,
  130 stopped";

/// What comes from the agent's thread.
pub(super) enum Message {
    /// Something happened.
    Event(Box<Event>),
    /// Somebody is asked.
    Asked(Asked),
    /// The agent's thread is over.
    Over,
}

/// Says that a thread is over, however it ends.
struct Bell(Sender<Message>);

impl Drop for Bell {
    fn drop(&mut self) {
        // Nobody waits any more when the program is about to end.
        drop(self.0.send(Message::Over));
    }
}

/// What a conversation needs from start to end.
pub(super) struct Room {
    pub(super) paths: Paths,
    pub(super) root: PathBuf,
    pub(super) secrets: Arc<Secrets>,
    pub(super) runtime: tokio::runtime::Runtime,
    pub(super) messages: Receiver<Message>,
    sender: Sender<Message>,
    pub(super) model: Option<String>,
    edit_form: Option<agent::provider::EditForm>,
    yes_edits: bool,
    web: Option<Web>,
    search: Option<SearchServer>,
    attended: bool,
}

fn search_server(address: &str) -> anyhow::Result<SearchServer> {
    Ok(SearchServer { web: Web::to_named().map_err(anyhow::Error::msg)?, address: address.to_owned() })
}

pub(super) fn run(args: &Args, output: &mut Output) -> Outcome {
    if let Some(Command::Replay(args)) = &args.command {
        return replay::run(args, output);
    }
    let prompt = match &args.prompt {
        Some(prompt) => Some(prompt.clone()),
        None if std::io::stdin().is_terminal() => None,
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("the prompt cannot be read from standard input")?;
            Some(text)
        }
    };
    if prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Failure::Usage("the prompt is empty; say what to do".to_owned()));
    }
    if prompt.is_none() && args.output_format != "text" {
        return Err(Failure::Usage("a conversation is text; give a prompt for JSON".to_owned()));
    }
    let room = Room::new(args)?;
    let begun = room.agent(args.go_on, args.resume.as_deref(), prompt.as_deref().unwrap_or_default());
    let agent = match begun.and_then(|agent| Ok((room.named_files(&args.files, &agent)?, agent))) {
        Ok(begun) => begun,
        Err(failure) => return Err(not_begun(failure, &args.output_format, output)?),
    };
    let (files, agent) = agent;
    let mode = Mode::parse(&args.mode).unwrap_or_default();
    let Some(prompt) = prompt else { return interactive::run(room, agent, mode, args.max_steps, output) };
    let task = Task { prompt, files, mode, steps: args.max_steps, ..Task::default() };
    let mut printer = Printer::of(&args.output_format, output.has_colour());
    let work = move |agent: &mut Agent, cancel: &Cancel| agent.run(&task, cancel);
    let (_, ended) = room.aside(agent, work, &mut |message, room| printer.take(message, room, output))?;
    if let Printer::Json(usage) = &printer {
        print_json(output, &ended, usage)?;
    }
    if args.worktree {
        drop(writeln!(
            std::io::stderr(),
            "the work is in {}; review it with `recto {}`",
            room.root.display(),
            room.root.display()
        ));
    }
    if ended.end == agent::event::End::Denied && !room.yes_edits && !room.attended {
        drop(writeln!(std::io::stderr(), "nobody was there to ask; --yes-edits lets it edit and make files"));
    }
    match ended.end.exit_code() {
        0 => Ok(()),
        code => Err(Failure::Ended(code)),
    }
}

/// Tells programs why no run could begin; people are told by whoever ends the program.
fn not_begun(failure: Failure, format: &str, output: &mut Output) -> anyhow::Result<Failure> {
    let (end, code, text) = match &failure {
        Failure::Usage(text) => ("failed", 2, text.clone()),
        Failure::Failed(error) => ("failed", 1, format!("{error:#}")),
        Failure::Unreached(error) => ("unreachable", 5, format!("{error:#}")),
        Failure::Ended(_) => return Ok(failure),
    };
    match format {
        "json" => {
            let usage = Tokens::default();
            let object = serde_json::json!({
                "end": end, "exit_code": code, "report": "", "steps": 0, "files": [], "usage": usage, "error": text,
            });
            writeln!(output, "{object}")?;
        }
        "stream-json" => {
            let (session, time) = (SessionId::from(String::new()), Moment::now());
            let event = Event { session, run: 0, time, kind: EventKind::Error { text } };
            writeln!(output, "{}", serde_json::to_string(&event)?)?;
        }
        _ => {}
    }
    Ok(failure)
}

impl Room {
    fn new(args: &Args) -> Result<Self, Failure> {
        let here = std::env::current_dir().context("there is no current folder")?;
        let root = if args.worktree { worktree::begin(&here, &Paths::default())? } else { here };
        let secrets = Arc::new(Secrets::new().context("the filter of secrets cannot be made")?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("agent-net")
            .enable_all()
            .build()
            .context("no thread for the network")?;
        // Enough that the agent seldom waits for the terminal.
        let (sender, messages) = bounded(1024);
        let edit_form = args.edit_form.as_deref().map(|form| match form {
            "blocks" => agent::provider::EditForm::Blocks,
            "symbol" => agent::provider::EditForm::Symbol,
            _ => agent::provider::EditForm::WholeFile,
        });
        let paths = Paths::default();
        if let Some(models) = agents::models(&paths).ok().filter(|models| !models.models.is_empty()) {
            super::model::tell_problems(&models, &paths);
        }
        Ok(Self {
            paths,
            root,
            secrets,
            runtime,
            messages,
            sender,
            model: args.model.clone(),
            edit_form,
            yes_edits: args.yes_edits,
            web: args.web.then(Web::new).transpose().map_err(anyhow::Error::msg)?,
            search: args.search_server.as_deref().map(search_server).transpose()?,
            attended: std::io::stdin().is_terminal() && args.output_format == "text",
        })
    }

    /// The file of sessions.
    pub(super) fn store(&self) -> anyhow::Result<Store> {
        open_store(&self.paths, self.secrets.clone())
    }

    /// What a session needs, with the model that is chosen now.
    pub(super) fn setup(&self) -> Result<Arc<Setup>, Failure> {
        let host = match self.attended {
            true => DiskHost::open(&self.root, Terminal(self.sender.clone())),
            false => DiskHost::open(&self.root, Unattended { edits: self.yes_edits }),
        };
        let host = host.with_context(|| format!("{} cannot be opened", self.root.display()))?;
        let mut tools = Toolbox::standard();
        if let Some(web) = &self.web {
            agent::tool::web::add(&mut tools, web.clone(), self.runtime.handle().clone(), self.search.clone());
        }
        let sender = self.sender.clone();
        Ok(Arc::new(Setup {
            host: Arc::new(host),
            chat: agents::open_model(&self.paths, self.model.as_deref(), self.runtime.handle()).map_err(no_model)?,
            runtime: self.runtime.handle().clone(),
            audit: Some(Arc::new(Audit::open(&agents::audit_file(&self.paths))?)),
            tools,
            project: self.root.clone(),
            rules: agents::rules(&self.paths),
            sink: Arc::new(move |event| {
                // Nobody prints any more when the program is about to end.
                drop(sender.send(Message::Event(Box::new(event.clone()))));
            }),
            allow_edits: self.yes_edits,
            always: agents::always_allowed(&self.paths, &self.root)?,
            edit_form: self.edit_form,
        }))
    }

    fn agent(&self, go_on: bool, resume: Option<&str>, title: &str) -> Result<Agent, Failure> {
        let (setup, mut store) = (self.setup()?, self.store()?);
        let session = match (resume, go_on) {
            (Some(name), _) => Some(store.session(name)?.id),
            (None, true) => {
                let last = store.sessions(Some(&self.root.to_string_lossy()), 1)?;
                let none = || Failure::Usage("there is no session of this project to continue".to_owned());
                Some(last.into_iter().next().ok_or_else(none)?.id)
            }
            (None, false) => None,
        };
        Ok(match session {
            Some(session) => Agent::resume(setup, store, &session)?,
            None => Agent::begin(setup, store, title)?,
        })
    }

    /// The files that were named on the command line, as paths of the project. All of them must be there and be text.
    fn named_files(&self, names: &[String], agent: &Agent) -> Result<Vec<String>, Failure> {
        let read = |name: &String| {
            let path = Path::new(name);
            let inside = path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy();
            let path = ProjectPath::parse(&inside).map_err(|error| error.to_string())?;
            agent.world().host.read(&path).map_err(|error| error.to_string())?;
            Ok(path.as_str().to_owned())
        };
        let wrong = |name: &String, why: String| Failure::Usage(format!("{name} cannot come along: {why}"));
        names.iter().map(|name| read(name).map_err(|why| wrong(name, why))).collect()
    }

    /// Goes on with a session, or begins one, with the model that is chosen now.
    pub(super) fn again(&self, session: Option<&SessionId>, title: &str) -> Result<Agent, Failure> {
        self.agent(false, session.map(SessionId::as_str), title)
    }

    /// Has an agent do something on a thread of its own. Ctrl+C stops it; a second one ends the program.
    pub(super) fn aside<T: Send + 'static>(
        &self,
        mut agent: Agent,
        work: impl FnOnce(&mut Agent, &Cancel) -> T + Send + 'static,
        take: &mut dyn FnMut(Message, &Self) -> anyhow::Result<()>,
    ) -> Result<(Agent, T), Failure> {
        let cancel = Cancel::new();
        let stop = self.stop_on_interrupt(cancel.clone());
        let (back, returned) = bounded(1);
        let bell = Bell(self.sender.clone());
        let work = move || {
            let value = work(&mut agent, &cancel);
            drop(back.send((agent, value)));
            drop(bell);
        };
        std::thread::Builder::new().name("agent".to_owned()).spawn(work).context("no thread for the agent")?;
        loop {
            match self.messages.recv().context("the agent ended without a word")? {
                Message::Over => break,
                message => take(message, self)?,
            }
        }
        stop.abort();
        Ok(returned.recv().context("the agent failed inside; the session is kept as far as it came")?)
    }

    fn stop_on_interrupt(&self, cancel: Cancel) -> tokio::task::AbortHandle {
        let task = self.runtime.spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                if cancel.is_cancelled() {
                    std::process::exit(130);
                }
                cancel.cancel();
            }
        });
        task.abort_handle()
    }
}

/// The file of sessions of this user.
pub(super) fn open_store(paths: &Paths, secrets: Arc<Secrets>) -> anyhow::Result<Store> {
    let opened = Store::open(&agents::sessions_file(paths), secrets)?;
    if let Some(notice) = opened.notice {
        super::tell(&notice);
    }
    Ok(opened.store)
}

/// A name that is not there was typed wrongly; anything else failed.
fn no_model(error: ModelError) -> Failure {
    match error {
        ModelError::None(NoModel::Unknown { .. }) => Failure::Usage(error.to_string()),
        ModelError::None(NoModel::NoneAtAll) => Failure::Unreached(error.into()),
        ModelError::Server(server) if server.is_about_the_server() => Failure::Unreached(server.into()),
        error => Failure::Failed(error.into()),
    }
}

/// Tokens of a run.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub(super) struct Tokens {
    prompt: u64,
    cached: u64,
    completion: u64,
}

/// How events are printed.
enum Printer {
    Text(show::Show),
    Json(Tokens),
    Lines,
}

impl Printer {
    fn of(format: &str, colour: bool) -> Self {
        match format {
            "json" => Self::Json(Tokens::default()),
            "stream-json" => Self::Lines,
            _ => Self::Text(show::Show::new(colour)),
        }
    }

    fn take(&mut self, message: Message, room: &Room, output: &mut Output) -> anyhow::Result<()> {
        let event = match message {
            Message::Event(event) => event,
            Message::Asked(asked) => return desk::answer(asked, room, output),
            Message::Over => return Ok(()),
        };
        match self {
            Self::Text(show) => show.event(&event, output)?,
            Self::Json(tokens) => {
                if let EventKind::Usage { prompt, cached, completion, .. } = event.kind {
                    *tokens = Tokens {
                        prompt: tokens.prompt + prompt,
                        cached: tokens.cached + cached,
                        completion: tokens.completion + completion,
                    };
                }
            }
            Self::Lines => {
                // What reads it may be anywhere.
                let mut line = serde_json::to_value(&event)?;
                room.secrets.json(&mut line);
                writeln!(output, "{line}")?;
                output.flush()?;
            }
        }
        Ok(())
    }
}

fn print_json(output: &mut Output, ended: &Ended, tokens: &Tokens) -> anyhow::Result<()> {
    let object = serde_json::json!({
        "end": ended.end,
        "exit_code": ended.end.exit_code(),
        "report": ended.report,
        "steps": ended.steps,
        "files": ended.files,
        "usage": tokens,
    });
    Ok(writeln!(output, "{object}")?)
}

/// A path as people write it from the current folder.
pub(super) fn relative<'a>(path: &'a Path, root: &Path) -> std::path::Display<'a> {
    path.strip_prefix(root).unwrap_or(path).display()
}
