//! A server that a test plays: it sees what it is sent and says what it likes, byte for byte.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};

use crate::change::ChangeSet;
use crate::limits::Limits;
use crate::lsp::frame::{Found, Frames};
use crate::lsp::pace::Pace;
use crate::lsp::transport::{Exit, NotStarted, Running, Start};
use crate::lsp::{Diagnostic, Event, Launch, Servers, State};
use crate::syntax::Language;
use crate::text::Text;

/// Something that was waited for for so long does not come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Servers whose other ends the test has.
pub struct Stage {
    pub servers: Option<Servers>,
    pub root: tempfile::TempDir,
    peers: Receiver<Peer>,
    wakes: Receiver<()>,
    /// What was fetched and not asked for yet.
    events: VecDeque<Event>,
    /// The text and version of each document.
    documents: Vec<(PathBuf, Text, u64)>,
}

/// The test's end of a server.
pub struct Peer {
    received: Receiver<Value>,
    send: mpsc::Sender<Vec<u8>>,
    errors: mpsc::Sender<Vec<u8>>,
    end: Option<oneshot::Sender<Exit>>,
    pub killed: Arc<AtomicBool>,
    /// Messages that came and are still to be waited for.
    ahead: VecDeque<Value>,
    /// Messages that came before one that was waited for.
    passed: Vec<Value>,
    next_id: i64,
}

struct Script(Sender<Peer>);

impl Start for Script {
    fn start(&self, launch: &Launch, _: &Path) -> Result<Running, NotStarted> {
        match launch.program() {
            "missing" => return Err(NotStarted::Missing),
            "refused" => return Err(NotStarted::Failed(std::io::Error::other("Permission denied"))),
            _ => {}
        }
        let (input, reads) = duplex(1 << 16);
        let (writes, output) = duplex(1 << 16);
        let (error_writes, errors) = duplex(1 << 16);
        let (heard, received) = bounded(10_000);
        tokio::spawn(listen(reads, heard));
        let (send, to_send) = mpsc::channel::<Vec<u8>>(100);
        tokio::spawn(speak(writes, to_send));
        let (send_errors, to_send) = mpsc::channel::<Vec<u8>>(100);
        tokio::spawn(speak(error_writes, to_send));
        let (end, ended) = oneshot::channel();
        let (kill, killed_now) = mpsc::channel::<()>(1);
        let killed = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&killed);
        let peer = Peer {
            received,
            send,
            errors: send_errors,
            end: Some(end),
            killed,
            ahead: VecDeque::new(),
            passed: Vec::new(),
            next_id: 1000,
        };
        self.0.send(peer).expect("the test is still there");
        Ok(Running {
            output: Box::new(output),
            input: Box::new(input),
            errors: Some(Box::new(errors)),
            end: Box::pin(end_of(ended, killed_now)),
            kill: Box::new(move || {
                flag.store(true, Ordering::SeqCst);
                let _ = kill.try_send(());
            }),
        })
    }
}

async fn end_of(mut ended: oneshot::Receiver<Exit>, mut killed: mpsc::Receiver<()>) -> Exit {
    let by_signal = || Exit { code: None, words: "was ended by signal 9".to_owned() };
    tokio::select! {
        exit = &mut ended => exit.unwrap_or_else(|_| by_signal()),
        _ = killed.recv() => by_signal(),
    }
}

async fn listen(mut reads: DuplexStream, heard: Sender<Value>) {
    let mut frames = Frames::new(usize::MAX);
    let mut piece = vec![0; 1 << 16];
    while let Ok(count @ 1..) = reads.read(&mut piece).await {
        frames.push(&piece[..count], &mut |found| match found {
            Found::Body(body) => heard.try_send(serde_json::from_slice(&body).unwrap()).unwrap(),
            other => panic!("a client sends {other:?}"),
        });
    }
}

async fn speak(mut writes: DuplexStream, mut to_send: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = to_send.recv().await {
        if writes.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// Times that make a test quick.
pub fn pace() -> Pace {
    Pace {
        pull: Duration::from_millis(2),
        pull_others: Duration::from_millis(4),
        progress: Duration::ZERO,
        restart: Duration::from_millis(1),
        rest: Duration::from_secs(1),
        shutdown: Duration::from_millis(100),
        ..Pace::default()
    }
}

pub fn launch(name: &str) -> Launch {
    Launch {
        name: name.to_owned(),
        command: vec![name.to_owned()],
        languages: vec!["Rust".to_owned()],
        install: Some(format!("get {name}")),
        settings: json!({"a": {"b": 1}}),
        ..Launch::default()
    }
}

impl Stage {
    pub fn new() -> Self {
        Self::with(vec![launch("scripted")], pace(), Limits::default())
    }

    pub fn with(launches: Vec<Launch>, pace: Pace, limits: Limits) -> Self {
        let root = tempfile::tempdir().unwrap();
        let (send, peers) = bounded(100);
        let (wake, wakes) = bounded(1);
        let wake = Arc::new(move || {
            let _ = wake.try_send(());
        });
        let folder = root.path().canonicalize().unwrap();
        let servers = Servers::with(folder, launches, wake, Arc::new(Script(send)), pace, limits).unwrap();
        Self { servers: Some(servers), root, peers, wakes, events: VecDeque::new(), documents: Vec::new() }
    }

    pub fn servers(&self) -> &Servers {
        self.servers.as_ref().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    pub fn open(&mut self, name: &str, text: &str) {
        let (path, text) = (self.path(name), Text::from(text));
        self.servers().open(&path, Language::from_name("rust").unwrap(), &text, 1);
        self.documents.retain(|(known, ..)| *known != path);
        self.documents.push((path, text, 1));
    }

    /// Puts `insert` where `range` is, as the next version.
    pub fn edit(&mut self, name: &str, range: std::ops::Range<usize>, insert: &str) {
        let path = self.path(name);
        let servers = self.servers.as_ref().unwrap();
        let (_, text, version) = self.documents.iter_mut().find(|(known, ..)| *known == path).unwrap();
        let change = ChangeSet::from_edits(text.len(), [(range, insert)]);
        let after = change.apply(text);
        *version += 1;
        servers.change(&path, *version, &after, &change, text);
        *text = after;
    }

    /// The other end of the next server that is started.
    #[track_caller]
    pub fn peer(&self) -> Peer {
        self.peers.recv_timeout(PATIENCE).expect("a server is started")
    }

    /// A server that is ready and can do what `capabilities` says; a document `a.rs` is open there.
    pub fn ready(&mut self, capabilities: Value, text: &str) -> Peer {
        self.open("a.rs", text);
        let mut peer = self.peer();
        let synced = &capabilities["textDocumentSync"];
        let is_told = synced.is_number() || synced["openClose"] == true;
        peer.initialize(capabilities);
        if is_told {
            // What it says from now on is of an open document.
            let opened = peer.expect("textDocument/didOpen");
            peer.ahead.push_back(opened);
        }
        peer
    }

    /// The next event that `wanted` makes something of.
    #[track_caller]
    pub fn event<T>(&mut self, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
        let mut passed = Vec::new();
        loop {
            self.events.extend(self.servers.as_ref().unwrap().drain());
            while let Some(event) = self.events.pop_front() {
                if let Some(found) = wanted(&event) {
                    return found;
                }
                passed.push(event);
            }
            assert!(self.wakes.recv_timeout(PATIENCE).is_ok(), "it does not come; what came: {passed:#?}");
        }
    }

    #[track_caller]
    pub fn state(&mut self, wanted: impl Fn(&State) -> bool) -> State {
        self.event(|event| match event {
            Event::State { state, .. } if wanted(state) => Some(state.clone()),
            _ => None,
        })
    }

    /// The next that is said of a file: the version, and each range with its message.
    #[track_caller]
    pub fn said(&mut self, name: &str) -> (u64, Vec<String>) {
        let (version, diagnostics) = self.diagnostics(name);
        let short = |found: Diagnostic| format!("{}..{} {}", found.range.start, found.range.end, found.message);
        (version, diagnostics.into_iter().map(short).collect())
    }

    #[track_caller]
    pub fn diagnostics(&mut self, name: &str) -> (u64, Vec<Diagnostic>) {
        let wanted = self.path(name);
        self.event(|event| match event {
            Event::Diagnostics { path, version, diagnostics, .. } if *path == wanted => {
                Some((*version, diagnostics.clone()))
            }
            _ => None,
        })
    }

    #[track_caller]
    pub fn message(&mut self) -> String {
        self.event(|event| match event {
            Event::Message { text, .. } => Some(text.clone()),
            _ => None,
        })
    }

    /// Whether anything was told that was not asked for.
    pub fn is_silent(&mut self) -> bool {
        self.events.extend(self.servers.as_ref().unwrap().drain());
        self.events.is_empty()
    }
}

impl Peer {
    /// The next message with this method, or the next answer to a request with this id.
    #[track_caller]
    pub fn expect(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method, method)
    }

    #[track_caller]
    fn find(&mut self, wanted: impl Fn(&Value) -> bool, name: &str) -> Value {
        loop {
            let next = self.ahead.pop_front().map_or_else(|| self.received.recv_timeout(PATIENCE), Ok);
            match next {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.passed.push(message),
                Err(error) => panic!("{name} does not come: {error}; what came: {:#?}", self.passed),
            }
        }
    }

    /// The methods of all messages so far, up to the answer to a question that is asked now.
    pub fn methods(&mut self) -> Vec<String> {
        self.ask("window/workDoneProgress/create", json!({"token": "now"}));
        let methods = self.passed.iter().filter_map(|message| message["method"].as_str());
        methods.map(str::to_owned).collect()
    }

    pub fn send(&self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    }

    pub fn raw(&self, bytes: impl Into<Vec<u8>>) {
        // A client that is gone is what a test may be about.
        let _ = self.send.blocking_send(bytes.into());
    }

    /// Says something on standard error.
    pub fn mutter(&self, line: &str) {
        let _ = self.errors.blocking_send(format!("{line}\n").into_bytes());
    }

    pub fn notify(&self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    pub fn answer(&self, request: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    pub fn refuse(&self, request: &Value, error: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "error": error}));
    }

    /// Asks the client; its whole answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        self.find(|message| message["id"] == id && message.get("method").is_none(), method)
    }

    #[track_caller]
    pub fn initialize(&mut self, capabilities: Value) -> Value {
        let request = self.expect("initialize");
        self.answer(&request, json!({"capabilities": capabilities}));
        self.expect("initialized");
        request
    }

    pub fn publish(&self, uri: &str, version: Option<i32>, places: &[((u32, u32), (u32, u32))]) {
        let mut parameters = json!({"uri": uri, "diagnostics": items(places)});
        if let Some(version) = version {
            parameters["version"] = version.into();
        }
        self.notify("textDocument/publishDiagnostics", parameters);
    }

    /// Ends as a process does.
    pub fn exit(mut self, code: i32) {
        let _ =
            self.end.take().map(|end| end.send(Exit { code: Some(code), words: format!("ended with code {code}") }));
    }

    /// Says nothing more, and does not end. Whether it was killed is told, and what keeps it alive is returned.
    pub fn close_output(self) -> (impl Fn() -> bool, impl Sized) {
        let killed = Arc::clone(&self.killed);
        (move || killed.load(Ordering::SeqCst), (self.end, self.errors))
    }

    pub fn was_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }
}

/// Diagnostics with places, the first called `d0`.
pub fn items(places: &[((u32, u32), (u32, u32))]) -> Value {
    let place = |(line, character): (u32, u32)| json!({"line": line, "character": character});
    let item = |(n, (start, end)): (usize, &((u32, u32), (u32, u32)))| json!({"range": {"start": place(*start), "end": place(*end)}, "message": format!("d{n}")});
    places.iter().enumerate().map(item).collect()
}

/// What most servers can do.
pub fn usual() -> Value {
    json!({"textDocumentSync": {"openClose": true, "change": 2, "save": true}})
}

/// The same of one that is to be asked.
pub fn asked() -> Value {
    let mut usual = usual();
    usual["diagnosticProvider"] = json!({"interFileDependencies": false, "workspaceDiagnostics": false});
    usual
}
