//! `recto lsp FILE`: what the language servers of a file say, without a window.
//!
//! Being asked for by name, servers are started without a question. They are waited for until each has said how the file is
//! and none works on anything any more, but no longer than told.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use crossbeam_channel::{Receiver, bounded};
use editor::Text;
use editor::file::{self, RealFs};
use editor::limits::Limits;
use editor::lsp::{self, Diagnostic, Event, Known, Launch, ServerId, Servers, Severity, State};
use editor::syntax::Language;
use serde::Serialize;

use super::{Failure, Outcome, tell};
use crate::state::servers::problems;

/// Prints what the language servers of a file say
///
/// A line each: `PATH:LINE:COLUMN: SEVERITY: MESSAGE [SOURCE CODE]`, lines and columns counted from 1, columns in characters;
/// further lines of a message follow indented.
/// Servers are started for it and ended after it; one may run code of the project. The exit code is 0 when a server
/// was heard, whatever it said, and 1 when none could be had.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file
    file: PathBuf,
    /// Prints one JSON object
    ///
    /// `{"path","servers":[{"name","root","state","why"?}],"diagnostics":[{"server","line","column","end_line","end_column",
    /// "start","end","severity","message","source"?,"code"?,"link"?,"unnecessary"?,"deprecated"?,
    /// "related"?:[{"path","line","message"}]}]}`. `start` and `end` are bytes of the text. `state` is ready, working, starting,
    /// stopped or missing; `severity` is error, warning, information or hint.
    #[arg(long)]
    json: bool,
    /// Only this server, by name; may be given more than once. Names servers that are not used by themselves, too
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
    /// This command as the server, in place of those that are known: words between blanks
    #[arg(long, value_name = "COMMAND", conflicts_with = "server")]
    command: Option<String>,
    /// The folder of the project; the nearest above the file that git knows, or the file's own
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Waits no longer than this for all servers
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(..=86_400))]
    wait: u64,
}

/// A server that has said all it has to say is silent for so long.
const QUIET: Duration = Duration::from_millis(700);

/// A server that says nothing at all of a file is waited for so long after it was ready.
const MUTE: Duration = Duration::from_secs(30);

/// How long servers have to end.
const END: Duration = Duration::from_secs(5);

pub fn run(args: &Args, output: &mut impl Write) -> Outcome {
    let path = args.file.canonicalize().with_context(|| format!("{} cannot be opened", args.file.display()))?;
    let limits = Limits::default();
    let loaded = file::load(&RealFs, &path, &limits)?;
    if loaded.text.len() > limits.server_document_bytes {
        return Err(anyhow!("{} is larger than what servers are sent", args.file.display()).into());
    }
    let language = Language::from_path(&path, &loaded.text.line(0))
        .ok_or_else(|| anyhow!("{} is in no language that Recto knows", args.file.display()))?;
    let launches = launches(args, language)?;
    if lsp::language_id(language, &path).is_none() {
        return Err(anyhow!("servers of {} do not read files like {}", language.name(), args.file.display()).into());
    }
    let root = match &args.root {
        Some(root) => root.canonicalize().with_context(|| format!("{} cannot be opened", root.display()))?,
        None => root_of(&path),
    };
    let (wake, wakes) = bounded(1);
    let wake = Arc::new(move || {
        let _ = wake.try_send(()); // it is awake already
    });
    let count = launches.len();
    let servers = Servers::start(root, launches, wake).context("no thread can be had")?;
    servers.open(&path, language, &loaded.text, 1);
    let heard = listen(&servers, &wakes, &path, count, Duration::from_secs(args.wait));
    servers.shut_down(END);
    if args.json {
        serde_json::to_writer(&mut *output, &heard.report(&args.file, &loaded.text))?;
        writeln!(output)?;
    } else {
        heard.print(&args.file, &loaded.text, output)?;
    }
    heard.outcome()
}

/// The servers that are asked.
fn launches(args: &Args, language: Language) -> Result<Vec<Launch>, Failure> {
    if let Some(command) = &args.command {
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let program = command.first().ok_or_else(|| Failure::Usage("the command has no words".to_owned()))?;
        let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let languages = vec![language.name().to_owned()];
        return Ok(vec![Launch { name, command, languages, ..Launch::default() }]);
    }
    if args.server.is_empty() {
        let launches = lsp::launches(language);
        return match launches.is_empty() {
            true => Err(anyhow!("no server is known for {}; name one with --command", language.name()).into()),
            false => Ok(launches),
        };
    }
    let named = |name: &String| {
        let launch = lsp::by_name(name).map(Known::launch).ok_or_else(|| {
            let names: Vec<_> = lsp::known().iter().map(|known| known.name).collect();
            Failure::Usage(format!("there is no server {name}; known are {}", names.join(", ")))
        })?;
        match launch.serves(language) {
            true => Ok(launch),
            false => Err(Failure::Usage(format!("{name} does not serve {}", language.name()))),
        }
    };
    let mut names: Vec<&String> = Vec::new();
    for name in &args.server {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(named).collect()
}

/// The folder above that git knows, else the file's own.
fn root_of(path: &Path) -> PathBuf {
    let known = path.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    known.or(path.parent()).unwrap_or(path).to_owned()
}

/// What was heard.
#[derive(Default)]
struct Heard {
    states: BTreeMap<ServerId, (State, Instant)>,
    /// What each says of the file; nothing at all of those that have not spoken.
    said: BTreeMap<ServerId, Vec<Diagnostic>>,
    messages: Vec<(ServerId, Severity, String)>,
}

/// Listens until nothing more is to be expected.
fn listen(servers: &Servers, wakes: &Receiver<()>, path: &Path, count: usize, longest: Duration) -> Heard {
    let mut heard = Heard::default();
    let end = Instant::now() + longest;
    let mut last = Instant::now();
    loop {
        let events = servers.drain();
        if !events.is_empty() {
            last = Instant::now();
        }
        for event in events {
            heard.take(event, path);
        }
        let now = Instant::now();
        let all = heard.states.len() == count;
        if now >= end || (all && now >= last + QUIET && heard.states.iter().all(|(id, at)| heard.is_done(id, at, now)))
        {
            return heard;
        }
        // Silence is looked for now and then, and news at once.
        let _ = wakes.recv_timeout(QUIET.min(end - now));
    }
}

impl Heard {
    fn take(&mut self, event: Event, of: &Path) {
        match event {
            Event::State { server, state } => {
                self.states.insert(server, (state, Instant::now()));
            }
            Event::Diagnostics { server, path, diagnostics, .. } if path == of => {
                self.said.insert(server, diagnostics);
            }
            Event::Diagnostics { .. } => {}
            Event::Message { server, severity, text } => self.messages.push((server, severity, text)),
        }
    }

    /// Whether nothing more is expected of a server.
    fn is_done(&self, id: &ServerId, (state, since): &(State, Instant), now: Instant) -> bool {
        match state {
            State::Starting | State::Working { .. } => false,
            State::Ready => self.said.contains_key(id) || now.duration_since(*since) >= MUTE,
            State::Stopped { .. } | State::Missing { .. } => true,
        }
    }

    /// All that is said, in the order of the text.
    fn diagnostics(&self) -> Vec<(&ServerId, &Diagnostic)> {
        let mut all: Vec<_> =
            self.said.iter().flat_map(|(id, said)| said.iter().map(move |found| (id, found))).collect();
        all.sort_by_key(|(id, found)| (found.range.start, found.range.end, found.severity, id.name.clone()));
        all
    }

    fn print(&self, path: &Path, text: &Text, output: &mut impl Write) -> std::io::Result<()> {
        for (_, found) in self.diagnostics() {
            let place = Place::of(text, found.range.start);
            let mut lines = found.message.lines().filter(|line| !line.trim().is_empty());
            let (severity, first) = (found.severity.name(), lines.next().unwrap_or_default());
            write!(output, "{}:{}:{}: {severity}: {first}", path.display(), place.line, place.column)?;
            match (&found.source, &found.code) {
                (None, None) => writeln!(output)?,
                (Some(only), None) | (None, Some(only)) => writeln!(output, " [{only}]")?,
                (Some(source), Some(code)) => writeln!(output, " [{source} {code}]")?,
            }
            lines.try_for_each(|line| writeln!(output, "    {line}"))?;
        }
        Ok(())
    }

    /// Tells on standard error what was not as it should be, and fails if there was no server at all.
    fn outcome(&self) -> Outcome {
        for (server, severity, text) in &self.messages {
            tell(&format!("{server} says, as {}: {text}", severity.name()));
        }
        let mut reasons = Vec::new();
        for (server, (state, _)) in &self.states {
            let reason = match state {
                State::Ready => continue,
                State::Working { title, .. } => {
                    tell(&format!("{server} still works on: {title}"));
                    continue;
                }
                State::Starting => format!("{server} was not ready in time"),
                State::Stopped { why } => why.clone(),
                State::Missing { command, install: Some(install) } => {
                    format!("{command} is not installed; `{install}` installs it")
                }
                State::Missing { command, install: None } => format!("{command} is not installed"),
            };
            reasons.push(reason);
        }
        if reasons.len() == self.states.len() {
            return Err(match reasons.is_empty() {
                true => anyhow!("no server could be had"),
                false => anyhow!(reasons.join("\nrecto: ")),
            }
            .into());
        }
        for reason in &reasons {
            tell(reason);
        }
        Ok(())
    }

    fn report<'a>(&'a self, path: &'a Path, text: &Text) -> Report<'a> {
        let server = |(id, (state, _)): (&'a ServerId, &'a (State, Instant))| {
            let (state, why) = match state {
                State::Starting => ("starting", None),
                State::Ready => ("ready", None),
                State::Working { title, .. } => ("working", Some(&**title)),
                State::Stopped { why } => ("stopped", Some(&**why)),
                State::Missing { install, .. } => ("missing", install.as_deref()),
            };
            ReportServer { name: &id.name, root: &id.root, state, why }
        };
        let diagnostics = self.diagnostics().into_iter().map(|(id, found)| Found::of(id, found, text)).collect();
        Report { path, servers: self.states.iter().map(server).collect(), diagnostics }
    }
}

/// A place as people count: from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    line: u32,
    column: u32,
}

impl Place {
    fn of(text: &Text, offset: usize) -> Self {
        let (line, column) = problems::place(text, offset);
        Self { line: line + 1, column: column + 1 }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    path: &'a Path,
    servers: Vec<ReportServer<'a>>,
    diagnostics: Vec<Found<'a>>,
}

#[derive(Serialize)]
struct ReportServer<'a> {
    name: &'a str,
    root: &'a Path,
    state: &'static str,
    /// Why it stopped, what it works on, or how it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct Found<'a> {
    server: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    start: usize,
    end: usize,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unnecessary: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<FoundRelated<'a>>,
}

#[derive(Serialize)]
struct FoundRelated<'a> {
    path: &'a Path,
    line: u32,
    message: &'a str,
}

impl<'a> Found<'a> {
    fn of(server: &'a ServerId, found: &'a Diagnostic, text: &Text) -> Self {
        let (start, end) = (Place::of(text, found.range.start), Place::of(text, found.range.end));
        let related = found.related.iter().map(|other| FoundRelated {
            path: &other.path,
            line: other.line.saturating_add(1),
            message: &other.message,
        });
        Self {
            server: &server.name,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            start: found.range.start,
            end: found.range.end,
            severity: found.severity.name(),
            message: &found.message,
            source: found.source.as_deref(),
            code: found.code.as_deref(),
            link: found.link.as_deref(),
            unnecessary: found.unnecessary,
            deprecated: found.deprecated,
            related: related.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_one_in_characters() {
        let text = Text::from("aé\r\nconst 𝒳 = foo");
        let at = |offset: usize| {
            let place = Place::of(&text, offset);
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (1, 3));
        assert_eq!(at(5 + 13), (2, 11));
    }

    #[test]
    fn the_project_is_what_git_knows_or_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b/c.rs");
        assert_eq!(root_of(&file), folder.path().join("a/b"));
        std::fs::create_dir_all(folder.path().join(".git")).unwrap();
        assert_eq!(root_of(&file), folder.path());
    }
}
