//! A recording, and a project in which it is played.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agent::event::{End, Event};
use agent::host::{DiskHost, Unattended};
use agent::provider::{Kind, Provider};
use agent::run::{Agent, Ended, Mode, Setup, Task};
use agent::secrets::Secrets;
use agent::session::Store;
use agent::tool::Toolbox;
use editor::Cancel;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{Answer, Server};

/// See the module above.
#[derive(Clone, Debug, Deserialize)]
pub struct Recording {
    #[serde(skip)]
    pub name: String,
    pub mode: String,
    pub prompt: String,
    pub files: BTreeMap<String, String>,
    pub replies: Vec<String>,
    pub after: BTreeMap<String, String>,
    pub end: End,
}

impl Recording {
    pub fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let read = serde_json::from_str(&text);
        Self { name, ..read.unwrap_or_else(|error| panic!("{}: {error}", path.display())) }
    }
}

/// What a server with this model says of it.
fn facts(path: &str) -> Value {
    match path {
        path if path.starts_with("/props") => json!({
            "default_generation_settings": { "n_ctx": 16384 }, "total_slots": 1, "modalities": { "vision": false },
            "chat_template_caps": { "supports_tools": true },
        }),
        _ => json!({ "data": [{ "id": "qwen2.5-coder-1.5b-q4", "meta": { "n_params": 1_777_088_000_u64 } }] }),
    }
}

/// A project with the files of a recording, and a server that plays its replies.
pub struct Home {
    folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    pub server: Server,
    pub events: Arc<Mutex<Vec<Event>>>,
}

impl Home {
    pub fn new(recording: &Recording) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in &recording.files {
            let path = folder.path().join("root").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let mut replies = recording.replies.clone().into_iter();
        let server = runtime.block_on(Server::start(move |request| match request.path.contains("chat/completions") {
            false => Answer::json(200, &facts(&request.path)),
            true => match replies.next() {
                Some(reply) => Answer::stream(reply),
                None => Answer::json(400, &json!({ "error": { "message": "the recording has no more replies" } })),
            },
        }));
        Self { folder, runtime, server, events: Arc::default() }
    }

    pub fn run(&self, recording: &Recording) -> Ended {
        let root = self.folder.path().join("root");
        let secrets = Arc::new(Secrets::new().unwrap());
        let store = Store::open(&self.folder.path().join("sessions.sqlite"), secrets).unwrap().store;
        let mut spec = self.server.model(Kind::LlamaCpp);
        spec.provider.patience.attempts = 1;
        let events = self.events.clone();
        let setup = Setup {
            host: Arc::new(DiskHost::open(&root, Unattended { edits: true }).unwrap()),
            chat: Arc::new(Provider::new(spec).unwrap()),
            runtime: self.runtime.handle().clone(),
            audit: None,
            tools: Toolbox::standard(),
            project: root,
            rules: None,
            sink: Arc::new(move |event| events.lock().unwrap().push(event.clone())),
            allow_edits: true,
            always: Vec::new(),
            edit_form: None,
        };
        let mut agent = Agent::begin(Arc::new(setup), store, "").unwrap();
        let mode = Mode::parse(&recording.mode).unwrap();
        agent.run(&Task { prompt: recording.prompt.clone(), mode, ..Task::default() }, &Cancel::new())
    }

    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join("root").join(path)).ok()
    }

    /// The requests for replies.
    pub fn asked(&self) -> Vec<Value> {
        let all = self.server.received().into_iter();
        all.filter(|request| request.path.contains("chat/completions")).map(|request| request.body).collect()
    }
}
