//! Our side of a conversation with one server: what it is told, what it says, what it asks.
//!
//! Everything happens in the main loop of the protocol's library, one thing after the other: messages of the server, and
//! [`Order`]s of ours, which come the same way. Nothing here waits; what takes time comes back as an order.
//!
//! Invariant: nothing a server sends ends the loop. What is unknown is ignored or refused as the protocol has it.

pub mod capabilities;
mod documents;
mod progress;
mod pull;
mod report;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use async_lsp::lsp_types::notification::Notification;
use async_lsp::router::Router;
use async_lsp::{AnyNotification, AnyRequest, ErrorCode, ResponseError};
use serde_json::{Value, json};

use super::calls::{Calls, Unanswered};
use super::event::{Diagnostic, Event, ServerId, Severity, State};
use super::launch::Launch;
use super::news::News;
use super::pace::Pace;
use crate::change::ChangeSet;
use crate::file;
use crate::limits::Limits;
use crate::text::Text;

use capabilities::{Capabilities, SyncKind};
use documents::Document;
use progress::Progress;
use pull::Pulling;
use report::Said;

/// What a client is to do. Sent through the main loop, so that it happens in order with what the server says.
#[derive(Debug)]
pub enum Order {
    /// The server answered `initialize`.
    Initialized(Value),
    Open {
        path: PathBuf,
        language: &'static str,
        text: Text,
        version: u64,
    },
    Change {
        path: PathBuf,
        version: u64,
        text: Text,
        change: Option<ChangeSet>,
    },
    Save {
        path: PathBuf,
        text: Text,
    },
    Close {
        path: PathBuf,
    },
    /// The time has come to ask what the server says of a file.
    PullDue {
        path: PathBuf,
        turn: u64,
    },
    /// What it answered.
    Pulled {
        path: PathBuf,
        id: i32,
        answer: Result<Value, Unanswered>,
    },
}

/// What the client of a server is made of.
pub struct Setting {
    pub id: ServerId,
    pub launch: Arc<Launch>,
    pub news: News,
    pub pace: Arc<Pace>,
    pub limits: Arc<Limits>,
}

/// A conversation with a server.
pub struct Client {
    setting: Setting,
    calls: Calls,
    /// `None` until the server has answered `initialize`.
    capabilities: Option<Capabilities>,
    documents: HashMap<PathBuf, Document>,
    files: HashMap<PathBuf, OfFile>,
    pulling: HashMap<PathBuf, Pulling>,
    progress: Progress,
    /// When a report of progress was last told.
    reported: Option<Instant>,
}

/// What a server said of a file: by itself and when asked, which do not replace each other.
#[derive(Debug, Default)]
struct OfFile {
    pushed: Report,
    pulled: Report,
    /// Whether it was told that something was left out.
    cut: bool,
}

/// One list of diagnostics.
#[derive(Debug, Default)]
struct Report {
    /// In the protocol's positions.
    said: Vec<Said>,
    /// In the newest text of the document, if it is open.
    found: Vec<Diagnostic>,
    /// What the server calls it, to say later that nothing has changed.
    name: Option<String>,
}

/// Which of the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Pushed,
    Pulled,
}

/// The part of the main loop that is ours.
pub fn router(setting: Setting, calls: Calls) -> Router<Client> {
    let client = Client {
        setting,
        calls,
        capabilities: None,
        documents: HashMap::new(),
        files: HashMap::new(),
        pulling: HashMap::new(),
        progress: Progress::default(),
        reported: None,
    };
    let mut router = Router::new(client);
    router
        .unhandled_notification(|client, said| {
            client.hear(&said);
            ControlFlow::Continue(())
        })
        .unhandled_request(|client, asked| std::future::ready(client.answer(&asked)))
        .unhandled_event(|_, _| ControlFlow::Continue(()))
        .event::<Order>(|client, order| {
            client.obey(order);
            ControlFlow::Continue(())
        });
    router
}

/// A notification whose parameters are written as JSON.
macro_rules! notifications {
    ($($name:ident = $method:literal;)+) => {$(
        enum $name {}

        impl Notification for $name {
            type Params = Value;
            const METHOD: &'static str = $method;
        }
    )+};
}

notifications! {
    Initialized = "initialized";
    DidChangeConfiguration = "workspace/didChangeConfiguration";
    DidOpen = "textDocument/didOpen";
    DidChange = "textDocument/didChange";
    DidSave = "textDocument/didSave";
    DidClose = "textDocument/didClose";
}

impl Client {
    /// Takes a notification of the server.
    fn hear(&mut self, said: &AnyNotification) {
        match &*said.method {
            "textDocument/publishDiagnostics" => self.published(&said.params),
            "window/showMessage" => self.show(&said.params),
            "$/progress" => self.progressed(&said.params),
            // Logs, telemetry, and what only one server knows.
            _ => {}
        }
    }

    /// Takes `$/progress`. Some report a hundred times a second, which nobody reads and every time is drawn.
    fn progressed(&mut self, parameters: &Value) {
        self.progress.take(parameters);
        let is_report = parameters["value"]["kind"] == "report";
        if is_report && self.reported.is_some_and(|at| at.elapsed() < self.setting.pace.progress) {
            return;
        }
        self.reported = is_report.then(Instant::now);
        self.tell_state();
    }

    /// Answers a request of the server.
    fn answer(&mut self, asked: &AnyRequest) -> Result<Value, ResponseError> {
        match &*asked.method {
            "workspace/configuration" => {
                let items = asked.params["items"].as_array().map(Vec::as_slice).unwrap_or_default();
                let settings = &self.setting.launch.settings;
                let section =
                    |item: &Value| capabilities::section(settings, item["section"].as_str().unwrap_or_default());
                Ok(items.iter().map(section).collect())
            }
            "workspace/workspaceFolders" => Ok(capabilities::folders(&self.setting.id.root)),
            "workspace/diagnostic/refresh" => {
                self.pull_all();
                Ok(Value::Null)
            }
            "window/showMessageRequest" => {
                self.show(&asked.params);
                Ok(Value::Null) // none of the actions was chosen
            }
            // Nothing is announced that could be registered, yet some do and end over a refusal.
            "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create" => {
                Ok(Value::Null)
            }
            method => Err(ResponseError::new(ErrorCode::METHOD_NOT_FOUND, format!("{method} is not supported"))),
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Initialized(result) => self.initialized(&result),
            Order::Open { path, language, text, version } => self.open(path, language, &text, version),
            Order::Change { path, version, text, change } => self.change(&path, version, &text, change),
            Order::Save { path, text } => self.save(&path, &text),
            Order::Close { path } => self.close(&path),
            Order::PullDue { path, turn } => self.pull(&path, turn),
            Order::Pulled { path, id, answer } => self.pulled(&path, id, answer),
        }
    }

    fn initialized(&mut self, result: &Value) {
        self.capabilities = Some(Capabilities::of(result));
        self.notify::<Initialized>(json!({}));
        let settings = &self.setting.launch.settings;
        if !settings.is_null() {
            self.notify::<DidChangeConfiguration>(json!({"settings": settings}));
        }
        self.tell_state();
    }

    fn open(&mut self, path: PathBuf, language: &'static str, text: &Text, version: u64) {
        if self.documents.contains_key(&path) {
            self.close(&path);
        }
        let Some(document) = Document::new(&path, text, version) else { return };
        if self.can().open_close {
            let item = json!({
                "uri": document.uri, "languageId": language, "version": document.number(), "text": text.to_string(),
            });
            self.notify::<DidOpen>(json!({"textDocument": item}));
        }
        self.documents.insert(path.clone(), document);
        if self.files.contains_key(&path) {
            // It was spoken of before it was open: the same again, now in this text.
            self.place(&path);
            self.tell(&path);
        }
        self.pull_soon(&path);
    }

    fn change(&mut self, path: &Path, version: u64, text: &Text, change: Option<ChangeSet>) {
        let can = self.can();
        let Some(document) = self.documents.get_mut(path) else { return };
        let before = document.number();
        let parts = document.change(version, text, change, can.sync, can.encoding);
        let identifier = json!({"uri": document.uri, "version": document.number()});
        for report in self.files.get_mut(path).into_iter().flat_map(OfFile::reports) {
            for found in &mut report.found {
                found.range = document.to_newest(found.range.clone(), Some(before));
            }
        }
        if can.sync != SyncKind::None {
            self.notify::<DidChange>(json!({"textDocument": identifier, "contentChanges": parts}));
        }
        self.pull_soon(path);
        self.pull_others(path);
    }

    fn save(&mut self, path: &Path, text: &Text) {
        let can = self.can();
        let Some(document) = self.documents.get(path).filter(|_| can.save) else { return };
        let mut parameters = json!({"textDocument": {"uri": document.uri}});
        if can.save_text {
            parameters["text"] = text.to_string().into();
        }
        self.notify::<DidSave>(parameters);
    }

    fn close(&mut self, path: &Path) {
        let Some(document) = self.documents.remove(path) else { return };
        self.stop_pulling(path);
        if self.can().open_close {
            self.notify::<DidClose>(json!({"textDocument": {"uri": document.uri}}));
        }
        if let Some(of_file) = self.files.get_mut(path) {
            // What was asked for is over; what it said by itself stays until it takes it back.
            of_file.pulled = Report::default();
            if of_file.is_empty() {
                self.files.remove(path);
            }
        }
    }

    /// Takes `textDocument/publishDiagnostics`.
    fn published(&mut self, parameters: &Value) {
        if self.capabilities.is_none() {
            return; // in which units they are is not known yet, and nothing is open that they could be about
        }
        let number = parameters["version"].as_i64().and_then(|number| i32::try_from(number).ok());
        let Some(path) = parameters["uri"].as_str().and_then(report::path_of) else { return };
        self.take(path, Way::Pushed, &parameters["diagnostics"], number, None);
    }

    /// Takes a list of what the server says of a file, in the text of `number`.
    fn take(&mut self, path: PathBuf, way: Way, items: &Value, number: Option<i32>, name: Option<String>) {
        let path = self.as_opened(path);
        let limit = self.setting.limits.server_diagnostics;
        let count = items.as_array().map_or(0, Vec::len);
        let (said, encoding) = (report::read(items, limit), self.can().encoding);
        let found = self.documents.get(&path).map(|document| {
            let text = document.text_of(number);
            let found = said.iter().cloned().map(|said| said.within(text, encoding));
            let placed =
                found.map(|found| Diagnostic { range: document.to_newest(found.range.clone(), number), ..found });
            placed.collect()
        });
        let of_file = self.files.entry(path.clone()).or_default();
        let report = match way {
            Way::Pushed => &mut of_file.pushed,
            Way::Pulled => &mut of_file.pulled,
        };
        *report = Report { said, found: found.unwrap_or_default(), name };
        if count > limit && !std::mem::replace(&mut of_file.cut, true) {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            self.say(Severity::Warning, format!("it says {count} things of {name}; the first {limit} are shown"));
        }
        self.tell(&path);
        if self.files.get(&path).is_some_and(|of_file| of_file.is_empty() && !self.documents.contains_key(&path)) {
            self.files.remove(&path);
        }
    }

    /// A path as it was opened, where the server calls it by another name.
    fn as_opened(&self, path: PathBuf) -> PathBuf {
        if self.documents.contains_key(&path) {
            return path;
        }
        let same = |(_, document): &(&PathBuf, &Document)| document.real == path;
        self.documents.iter().find(same).map(|(opened, _)| opened.clone()).unwrap_or(path)
    }

    /// Finds the places of what was said of a file in the text it was opened with.
    fn place(&mut self, path: &Path) {
        let encoding = self.can().encoding;
        let (Some(document), Some(of_file)) = (self.documents.get(path), self.files.get_mut(path)) else { return };
        for report in of_file.reports() {
            report.found = report.said.iter().cloned().map(|said| said.within(document.text(), encoding)).collect();
        }
    }

    /// Tells all that is said of a file.
    fn tell(&self, path: &Path) {
        let Some(of_file) = self.files.get(path) else { return };
        let (version, mut diagnostics) = match self.documents.get(path) {
            Some(document) => (document.version, of_file.found()),
            None => (0, self.on_disk(path, of_file)),
        };
        diagnostics.sort_by_key(|found| (found.range.start, found.range.end));
        let server = self.setting.id.clone();
        self.setting.news.tell(Event::Diagnostics { server, path: path.to_owned(), version, diagnostics });
    }

    /// What is said of a file that is not open, in its text on disk; nothing if that cannot be read.
    fn on_disk(&self, path: &Path, of_file: &OfFile) -> Vec<Diagnostic> {
        let said = || of_file.pushed.said.iter().chain(&of_file.pulled.said).cloned();
        if said().next().is_none() {
            return Vec::new();
        }
        let limits =
            Limits { open_bytes: self.setting.limits.server_document_bytes as u64, ..(*self.setting.limits).clone() };
        let Ok(loaded) = file::load(&file::RealFs, path, &limits) else { return Vec::new() };
        let encoding = self.can().encoding;
        said().map(|said| said.within(&loaded.text, encoding)).collect()
    }

    /// Takes `window/showMessage`.
    fn show(&self, parameters: &Value) {
        let severity = match parameters["type"].as_i64() {
            Some(1) => Severity::Error,
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            _ => return, // a log line
        };
        if let Some(text) = parameters["message"].as_str().map(str::trim).filter(|text| !text.is_empty()) {
            self.say(severity, text.to_owned());
        }
    }

    fn say(&self, severity: Severity, text: String) {
        self.setting.news.tell(Event::Message { server: self.setting.id.clone(), severity, text });
    }

    fn tell_state(&self) {
        let state = match &self.capabilities {
            Some(_) => self.progress.state(),
            None => State::Starting,
        };
        self.setting.news.tell(Event::State { server: self.setting.id.clone(), state });
    }

    /// What the server can do; nothing until it has said so.
    fn can(&self) -> Capabilities {
        self.capabilities.clone().unwrap_or_default()
    }

    fn notify<N: Notification<Params = Value>>(&self, parameters: Value) {
        // A server that is gone is started again, and told anew.
        let _ = self.calls.socket().notify::<N>(parameters);
    }
}

impl OfFile {
    fn reports(&mut self) -> impl Iterator<Item = &mut Report> {
        [&mut self.pushed, &mut self.pulled].into_iter()
    }

    fn is_empty(&self) -> bool {
        self.pushed.said.is_empty() && self.pulled.said.is_empty()
    }

    /// Both lists as one; what stands in both stands once.
    fn found(&self) -> Vec<Diagnostic> {
        let mut all = self.pushed.found.clone();
        let new = self.pulled.found.iter().filter(|found| !self.pushed.found.contains(found));
        all.extend(new.cloned());
        all
    }
}
