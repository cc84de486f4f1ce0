//! A model that says what a script says, and a home for its runs.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use editor::Cancel;

use crate::audit::Audit;
use crate::event::{Answer, Event, EventKind, FileChange};
use crate::host::{Ask, Desk, DiskHost};
use crate::provider::{
    self, Call, Chat, Finish, FinishReason, Kind, ModelSpec, Protocol, ProviderError, ProviderSpec, Reply, Request,
    Usage,
};
use crate::run::{Agent, Setup, Task};
use crate::secrets::Secrets;
use crate::session::Store;
use crate::tool::Toolbox;

/// What a model says to one request.
pub(super) type Said = Vec<Result<provider::Event, ProviderError>>;

pub(super) struct Scripted {
    spec: ModelSpec,
    script: Mutex<VecDeque<Said>>,
    requests: Arc<Mutex<Vec<Request>>>,
    window: Option<u32>,
    parameters: Option<u64>,
}

impl Chat for Scripted {
    fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    fn send(&self, request: Request) -> Reply {
        // As with most vocabularies.
        let prompt = request.text_bytes() as u64 / 3;
        self.requests.lock().unwrap().push(request);
        let mut said = self.script.lock().unwrap().pop_front().unwrap_or_else(|| text("<done/>"));
        if let Some(Ok(provider::Event::Finished(finish))) = said.last_mut() {
            finish.usage.prompt = Some(prompt);
        }
        let (to, model) = (self.spec.provider.url.clone(), self.spec.name.clone());
        said.insert(0, Ok(provider::Event::Sending { to, model }));
        Reply::scripted(said)
    }

    fn facts(&self) -> provider::Asked<'_, provider::Facts> {
        Box::pin(async move {
            Ok(provider::Facts { window: self.window, parameters: self.parameters, ..provider::Facts::default() })
        })
    }
}

fn finished(reason: FinishReason, calls: Vec<Call>) -> provider::Event {
    let usage = Usage { prompt: Some(500), cached: Some(400), completion: Some(20), ..Usage::default() };
    provider::Event::Finished(Finish { reason, usage, calls, ..Finish::default() })
}

/// A text, in pieces.
pub(super) fn text(text: &str) -> Said {
    let letters: Vec<char> = text.chars().collect();
    let pieces = letters.chunks(7).map(|piece| Ok(provider::Event::Text(piece.iter().collect())));
    pieces.chain([Ok(finished(FinishReason::Stop, Vec::new()))]).collect()
}

/// A text cut by the limit of its length.
pub(super) fn cut(text: &str) -> Said {
    vec![Ok(provider::Event::Text(text.to_owned())), Ok(finished(FinishReason::Length, Vec::new()))]
}

/// A native call.
pub(super) fn call(name: &str, arguments: &str) -> Said {
    let call = Call { id: "call-1".into(), name: name.into(), arguments: arguments.into() };
    vec![Ok(finished(FinishReason::Calls, vec![call]))]
}

/// Somebody who answers from a list.
#[derive(Clone, Default)]
pub(super) struct Person {
    pub(super) answers: Arc<Mutex<VecDeque<Answer>>>,
    pub(super) words: Arc<Mutex<VecDeque<String>>>,
    pub(super) asked: Arc<Mutex<Vec<String>>>,
}

impl Desk for Person {
    fn permission(&self, ask: &Ask, _: &Cancel) -> Answer {
        self.asked.lock().unwrap().push(ask.title.clone());
        self.answers.lock().unwrap().pop_front().unwrap_or(Answer::Allow)
    }

    fn question(&self, question: &str, _: &[String], _: &Cancel) -> Option<String> {
        self.asked.lock().unwrap().push(question.to_owned());
        self.words.lock().unwrap().pop_front()
    }
}

pub(super) struct Home {
    pub(super) folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    events: Arc<Mutex<Vec<Event>>>,
    requests: Arc<Mutex<Vec<Request>>>,
    pub(super) person: Person,
    pub(super) window: Option<u32>,
    /// Whether the model says that it has few weights.
    pub(super) small: bool,
}

impl Home {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        for (path, text) in files {
            fs::write(folder.path().join("root").join(path), text).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let person = Person::default();
        Self { folder, runtime, events: Arc::default(), requests: Arc::default(), person, window: None, small: false }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(super) fn audit(&self) -> PathBuf {
        self.folder.path().join("audit.jsonl")
    }

    pub(super) fn store(&self) -> Store {
        let secrets = Arc::new(Secrets::new().unwrap());
        Store::open(&self.folder.path().join("sessions.sqlite"), secrets).unwrap().store
    }

    pub(super) fn chat(&self, protocol: Protocol, script: Vec<Said>) -> Arc<dyn Chat> {
        let provider = ProviderSpec::new("scripted", Kind::OpenAiCompatible, "http://127.0.0.1:1");
        let spec = ModelSpec { protocol, output: 1000, ..ModelSpec::new(provider, "scripted") };
        let script = Mutex::new(script.into());
        let parameters = self.small.then_some(1_500_000_000);
        Arc::new(Scripted { spec, script, requests: self.requests.clone(), window: self.window, parameters })
    }

    pub(super) fn native(&self, script: Vec<Said>) -> Arc<dyn Chat> {
        self.chat(Protocol::Native, script)
    }

    pub(super) fn setup(&self, replies: &[&str]) -> Setup {
        let events = self.events.clone();
        Setup {
            host: Arc::new(DiskHost::open(&self.root(), self.person.clone()).unwrap()),
            chat: self.chat(Protocol::Text, replies.iter().map(|reply| text(reply)).collect()),
            runtime: self.runtime.handle().clone(),
            audit: Some(Arc::new(Audit::open(&self.audit()).unwrap())),
            tools: Toolbox::standard(),
            project: self.root(),
            rules: None,
            sink: Arc::new(move |event| events.lock().unwrap().push(event.clone())),
            allow_edits: true,
            always: Vec::new(),
            edit_form: None,
        }
    }

    pub(super) fn begin(&self, setup: Setup) -> Agent {
        Agent::begin(Arc::new(setup), self.store(), "title").unwrap()
    }

    pub(super) fn agent(&self, replies: &[&str]) -> Agent {
        self.begin(self.setup(replies))
    }

    pub(super) fn task(&self, prompt: &str) -> Task {
        Task { prompt: prompt.to_owned(), ..Task::default() }
    }

    pub(super) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        fs::write(self.root().join(path), text).unwrap();
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    /// The kinds of events, neighbours that are the same as one.
    pub(super) fn kinds(&self) -> Vec<String> {
        let mut kinds: Vec<String> = self
            .events()
            .iter()
            .map(|event| serde_json::to_value(&event.kind).unwrap()["type"].as_str().unwrap().to_owned())
            .collect();
        kinds.dedup();
        kinds
    }

    pub(super) fn notices(&self) -> String {
        let notice = |event: Event| match event.kind {
            EventKind::Notice { text, .. } | EventKind::Error { text } => Some(text),
            _ => None,
        };
        self.events().into_iter().filter_map(notice).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn changes(&self) -> Vec<FileChange> {
        let changes = |event: Event| match event.kind {
            EventKind::ActionFinished { changes, .. } => changes,
            _ => Vec::new(),
        };
        self.events().into_iter().flat_map(changes).collect()
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}
