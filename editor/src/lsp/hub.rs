//! The one who knows all servers and all documents, and brings them together.
//!
//! It runs on the thread of the servers: takes what the owner of the documents says, starts servers for what they are
//! allowed to serve, and tells each about its documents as soon as it is ready, again after every restart.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_lsp::ServerSocket;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::client::Order;
use super::event::{Event, ServerId, Severity, State};
use super::known::language_id;
use super::launch::Launch;
use super::mailbox::{Deed, Mail, Mailbox, Wish};
use super::news::News;
use super::pace::Pace;
use super::supervisor::{Happened, Key, Supervisor};
use super::transport::Start;
use crate::change::ChangeSet;
use crate::limits::Limits;
use crate::syntax::Language;
use crate::text::Text;

/// Supervisors wait when so much has happened that the hub has not heard.
const HAPPENED: usize = 64;

/// Servers and documents.
pub(super) struct Hub {
    root: PathBuf,
    launches: Vec<Arc<Launch>>,
    start: Arc<dyn Start>,
    news: News,
    pace: Arc<Pace>,
    limits: Arc<Limits>,
    documents: HashMap<PathBuf, Open>,
    servers: HashMap<ServerId, Server>,
    supervisors: JoinSet<Key>,
    /// Supervisors there were.
    turns: u64,
    happened: (mpsc::Sender<Happened>, mpsc::Receiver<Happened>),
}

/// A document that is open.
struct Open {
    language: Language,
    id: &'static str,
    text: Text,
    version: u64,
    /// Who is to know of it.
    servers: Vec<ServerId>,
}

/// A server that has a supervisor, or had one that gave up.
struct Server {
    launch: Arc<Launch>,
    /// Which supervisor it has.
    turn: u64,
    /// While it is ready.
    socket: Option<ServerSocket>,
    /// While it is supervised.
    stop: Option<oneshot::Sender<()>>,
    /// Whether it is to be started again once it has ended.
    again: bool,
}

impl Hub {
    pub fn new(
        root: PathBuf,
        launches: Vec<Launch>,
        start: Arc<dyn Start>,
        news: News,
        pace: Pace,
        limits: Limits,
    ) -> Self {
        Self {
            root,
            launches: launches.into_iter().map(Arc::new).collect(),
            start,
            news,
            pace: Arc::new(pace),
            limits: Arc::new(limits),
            documents: HashMap::new(),
            servers: HashMap::new(),
            supervisors: JoinSet::new(),
            turns: 0,
            happened: mpsc::channel::<Happened>(HAPPENED),
        }
    }

    /// Works until the box is closed, and then until all servers have ended.
    pub async fn run(mut self, mailbox: Arc<Mailbox>) {
        loop {
            tokio::select! {
                mail = mailbox.take() => {
                    let closed = mail.closed;
                    self.deliver(mail);
                    if closed {
                        break;
                    }
                }
                Some(happened) = self.happened.1.recv() => self.hear(happened),
                Some(Ok(key)) = self.supervisors.join_next() => self.ended(&key),
            }
        }
        for server in self.servers.values_mut() {
            server.end();
        }
        // They tell the hub, too, which is not to make them wait.
        self.happened.1.close();
        while self.supervisors.join_next().await.is_some() {}
    }

    fn deliver(&mut self, mail: Mail) {
        for wish in mail.wishes {
            match wish {
                Wish::Allow(launch) => self.allow(launch),
                Wish::Forbid(name) => self.forbid(&name),
                Wish::Restart(name) => self.restart(&name),
            }
        }
        for (path, deeds) in mail.deeds {
            for deed in deeds {
                self.do_deed(&path, deed);
            }
        }
    }

    fn do_deed(&mut self, path: &Path, deed: Deed) {
        match deed {
            Deed::Open { language, text, version } => self.open(path, language, text, version),
            Deed::Change { version, before, text, change } => self.change(path, version, &before, text, change),
            Deed::Save { text } => self.tell_all(path, || Order::Save { path: path.to_owned(), text: text.clone() }),
            Deed::Close => {
                self.tell_all(path, || Order::Close { path: path.to_owned() });
                self.documents.remove(path);
            }
        }
    }

    fn open(&mut self, path: &Path, language: Language, text: Text, version: u64) {
        if self.documents.contains_key(path) {
            self.do_deed(path, Deed::Close);
        }
        let Some(id) = language_id(language, path).filter(|_| path.is_absolute()) else { return };
        self.documents.insert(path.to_owned(), Open { language, id, text, version, servers: Vec::new() });
        for launch in self.launches.clone() {
            self.attach(path, &launch);
        }
    }

    fn change(&mut self, path: &Path, version: u64, before: &Text, text: Text, change: Option<ChangeSet>) {
        let Some(open) = self.documents.get_mut(path) else { return };
        // A change of a text that is not the one we know is of no use.
        let change = change.filter(|_| open.text.same(before) || open.text == *before);
        (open.text, open.version) = (text.clone(), version);
        self.tell_all(path, || Order::Change {
            path: path.to_owned(),
            version,
            text: text.clone(),
            change: change.clone(),
        });
    }

    /// Has a document served as `launch` says, if it serves its language.
    fn attach(&mut self, path: &Path, launch: &Arc<Launch>) {
        let Some(open) = self.documents.get(path).filter(|open| launch.serves(open.language)) else { return };
        let root = launch.root_of(path, &self.root);
        let id = ServerId { name: launch.name.as_str().into(), root: root.into() };
        let limit = self.limits.server_document_bytes;
        if open.text.len() > limit {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let text = format!("{name} is not checked: it is larger than {} MiB", limit >> 20);
            return self.news.tell(Event::Message { server: id, severity: Severity::Information, text });
        }
        self.supervise(&id, launch);
        if let Some(open) = self.documents.get_mut(path) {
            open.servers.push(id.clone());
        }
        self.tell_open(path, &id);
    }

    /// Tells a server that a document is open, if it is ready; else it is told when it is.
    fn tell_open(&self, path: &Path, id: &ServerId) {
        let socket = self.servers.get(id).and_then(|server| server.socket.as_ref());
        let (Some(open), Some(socket)) = (self.documents.get(path), socket) else { return };
        let (language, text, version) = (open.id, open.text.clone(), open.version);
        // One that ends at this moment is told when it is ready again.
        let _ = socket.emit(Order::Open { path: path.to_owned(), language, text, version });
    }

    fn tell_all(&self, path: &Path, order: impl Fn() -> Order) {
        let Some(open) = self.documents.get(path) else { return };
        for socket in open.servers.iter().filter_map(|id| self.servers.get(id)?.socket.as_ref()) {
            // As above.
            let _ = socket.emit(order());
        }
    }

    /// Has a server supervised, if it never was.
    fn supervise(&mut self, id: &ServerId, launch: &Arc<Launch>) {
        if self.servers.contains_key(id) {
            return;
        }
        self.turns += 1;
        let turn = self.turns;
        let supervisor = Supervisor {
            id: id.clone(),
            turn,
            launch: Arc::clone(launch),
            start: Arc::clone(&self.start),
            hub: self.happened.0.clone(),
            news: self.news.clone(),
            pace: Arc::clone(&self.pace),
            limits: Arc::clone(&self.limits),
        };
        let (stop, stopped) = oneshot::channel();
        let key = (id.clone(), turn);
        self.supervisors.spawn(async move {
            supervisor.run(stopped).await;
            key
        });
        let server = Server { launch: Arc::clone(launch), turn, socket: None, stop: Some(stop), again: false };
        self.servers.insert(id.clone(), server);
    }

    fn hear(&mut self, happened: Happened) {
        let (Happened::Ready(key, _) | Happened::Gone(key)) = &happened;
        // It may have been asked to end a moment ago.
        let Some(server) = self.server(key).filter(|server| server.stop.is_some()) else { return };
        let id = match happened {
            Happened::Gone(_) => return server.socket = None,
            Happened::Ready((id, _), socket) => {
                server.socket = Some(socket);
                id
            }
        };
        let served = self.documents.iter().filter(|(_, open)| open.servers.contains(&id));
        let mut paths: Vec<_> = served.map(|(path, _)| path.clone()).collect();
        paths.sort();
        for path in paths {
            self.tell_open(&path, &id);
        }
    }

    /// A server, if it still has this supervisor.
    fn server(&mut self, (id, turn): &Key) -> Option<&mut Server> {
        self.servers.get_mut(id).filter(|server| server.turn == *turn)
    }

    /// A supervisor has ended.
    fn ended(&mut self, key: &Key) {
        let Some(server) = self.server(key) else { return };
        (server.socket, server.stop) = (None, None);
        if std::mem::take(&mut server.again) {
            let launch = Arc::clone(&server.launch);
            self.servers.remove(&key.0);
            self.supervise(&key.0, &launch);
        }
    }

    fn allow(&mut self, launch: Launch) {
        if self.launches.iter().any(|known| known.name == launch.name) {
            self.forbid(&launch.name);
        }
        let launch = Arc::new(launch);
        self.launches.push(Arc::clone(&launch));
        let mut paths: Vec<_> = self.documents.keys().cloned().collect();
        paths.sort();
        for path in paths {
            self.attach(&path, &launch);
        }
    }

    fn forbid(&mut self, name: &str) {
        self.launches.retain(|launch| launch.name != name);
        for open in self.documents.values_mut() {
            open.servers.retain(|id| &*id.name != name);
        }
        for (id, mut server) in self.servers.extract_if(|id, _| &*id.name == name) {
            server.end();
            self.news.forget(&id);
            let why = format!("{id} was stopped");
            self.news.tell(Event::State { server: id, state: State::Stopped { why } });
        }
    }

    fn restart(&mut self, name: &str) {
        let ids: Vec<_> = self.servers.keys().filter(|id| &*id.name == name).cloned().collect();
        for id in ids {
            let Some(server) = self.servers.get_mut(&id) else { continue };
            self.news.tell(Event::State { server: id.clone(), state: State::Starting });
            if server.stop.is_some() {
                server.again = true;
                server.end();
            } else {
                let launch = Arc::clone(&server.launch);
                self.servers.remove(&id);
                self.supervise(&id, &launch);
            }
        }
    }
}

impl Server {
    /// Asks for its end.
    fn end(&mut self) {
        self.socket = None;
        // A supervisor that has ended needs not be asked.
        let _ = self.stop.take().map(|stop| stop.send(()));
    }
}
