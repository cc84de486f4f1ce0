//! The log of what was sent: every server that a request really went to stands in it, in order.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use agent::audit::{self, Audit, Deed};
use agent::event::{End, EventKind};
use agent::host::{DiskHost, Unattended};
use agent::provider::{Chat, Kind, ModelSpec, Provider, ProviderSpec};
use agent::router::Router;
use agent::run::{Agent, Mode, Setup, Sink, Task};
use agent::secrets::Secrets;
use agent::session::Store;
use agent::tool::Toolbox;
use editor::Cancel;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use super::server::{Answer, Server, Step};

/// A project and a log.
struct Home {
    folder: tempfile::TempDir,
    runtime: Runtime,
}

impl Home {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Self { folder: tempfile::tempdir().unwrap(), runtime }
    }

    /// A server that gives these replies one after the other, and says nothing about its model.
    fn server(&self, answers: Vec<Answer>) -> Server {
        let mut answers = answers.into_iter();
        self.runtime.block_on(Server::start(move |request| match request.path.ends_with("/messages") {
            true => answers.next().unwrap_or_else(|| Answer::new(400, "that was all")),
            false => Answer::new(404, ""),
        }))
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("audit.jsonl")
    }

    fn run(&self, chat: Arc<dyn Chat>, sink: Sink, cancel: &Cancel) -> End {
        let secrets = Arc::new(Secrets::new().unwrap());
        let setup = Setup {
            host: Arc::new(DiskHost::open(self.folder.path(), Unattended { edits: false }).unwrap()),
            chat,
            runtime: self.runtime.handle().clone(),
            audit: Some(Arc::new(Audit::open(&self.log()).unwrap())),
            tools: Toolbox::standard(),
            project: self.folder.path().to_owned(),
            rules: None,
            sink,
            allow_edits: false,
            always: Vec::new(),
            edit_form: None,
        };
        let store = Store::open(&self.folder.path().join("sessions.sqlite"), secrets).unwrap().store;
        let mut agent = Agent::begin(Arc::new(setup), store, "").unwrap();
        agent.run(&Task { prompt: "Why?".to_owned(), mode: Mode::Ask, ..Task::default() }, cancel).end
    }

    /// What was sent: to which address, to which model, and the hash of it.
    fn sent(&self) -> Vec<(String, String, String)> {
        let sent = |deed| match deed {
            Deed::Sent { to, model, hash, .. } => Some((to, model, hash)),
            _ => None,
        };
        audit::check(&self.log()).unwrap().records.into_iter().filter_map(|record| sent(record.deed)).collect()
    }
}

fn named(server: &Server, name: &str) -> ModelSpec {
    ModelSpec { name: name.to_owned(), ..server.model(Kind::Anthropic) }
}

fn unseen() -> Sink {
    Arc::new(|_| {})
}

/// What Anthropic's stream says of a reply.
fn answers() -> Answer {
    Answer::events(&[
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Because."}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        r#"{"type":"message_stop"}"#,
    ])
}

#[test]
fn a_failover_is_on_record_with_both_that_got_the_request() {
    let home = Home::new();
    let refuses = Answer::json(500, &json!({ "error": { "message": "out of memory" } }));
    let (first, second) = (home.server(vec![refuses]), home.server(vec![answers()]));
    let router = Router::new("best", vec![named(&first, "first"), named(&second, "second")]).unwrap();
    let end = home.run(Arc::new(router), unseen(), &Cancel::new());
    assert_eq!(end, End::Answered);
    let sent = home.sent();
    let to: Vec<_> = sent.iter().map(|(to, model, _)| (to.as_str(), model.as_str())).collect();
    assert_eq!(to, [(first.address.as_str(), "first"), (second.address.as_str(), "second")]);
    assert_eq!(sent[0].2, sent[1].2, "the same request");
}

#[test]
fn a_model_that_was_passed_over_is_not_on_record() {
    let home = Home::new();
    let (first, second) = (home.server(vec![answers()]), home.server(vec![answers()]));
    let of = |server: &Server, name: &str, window| ModelSpec { context: Some(window), ..named(server, name) };
    let router = Router::new("best", vec![of(&first, "small", 10), of(&second, "second", 16_384)]).unwrap();
    home.run(Arc::new(router), unseen(), &Cancel::new());
    let to: Vec<_> = home.sent().into_iter().map(|(_, model, _)| model).collect();
    assert_eq!(to, ["second"]);
}

#[test]
fn each_attempt_is_on_record() {
    let home = Home::new();
    let busy = Answer::json(529, &json!({ "error": { "type": "overloaded_error", "message": "later" } }));
    let server = home.server(vec![busy, answers()]);
    home.run(Arc::new(Provider::new(named(&server, "m")).unwrap()), unseen(), &Cancel::new());
    let asked = server.received().iter().filter(|request| request.path.ends_with("/messages")).count();
    assert_eq!((home.sent().len(), asked), (2, 2));
}

#[test]
fn a_server_that_is_not_there_was_sent_nothing() {
    let home = Home::new();
    // An address at which nobody listens any more.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = home.server(vec![answers()]);
    let away = ModelSpec { name: "away".to_owned(), ..named(&server, "m") };
    let away = ModelSpec { provider: ProviderSpec { url: format!("http://{gone}"), ..away.provider }, ..away };
    let router = Router::new("best", vec![away, named(&server, "second")]).unwrap();
    let notices = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notices);
    let sink: Sink = Arc::new(move |event| kept.lock().unwrap().push(format!("{:?}", event.kind)));
    assert_eq!(home.run(Arc::new(router), sink, &Cancel::new()), End::Answered);
    let to: Vec<_> = home.sent().into_iter().map(|(_, model, _)| model).collect();
    assert_eq!(to, ["second"]);
    let notices = notices.lock().unwrap();
    assert!(notices.iter().any(|notice| notice.contains("nothing answers at")), "it was asked first: {notices:#?}");
}

#[test]
fn a_server_that_took_the_request_and_hung_up_is_on_record() {
    let home = Home::new();
    let server = home.server(vec![Answer::silence(), answers()]);
    let end = home.run(Arc::new(Provider::new(named(&server, "m")).unwrap()), unseen(), &Cancel::new());
    assert_eq!((end, home.sent().len()), (End::Answered, 2));
    let asked = server.received();
    assert!(asked.iter().filter(|request| request.path.ends_with("/messages")).all(|request| request.body.is_object()));
}

#[test]
fn what_was_sent_before_a_stop_is_on_record() {
    let home = Home::new();
    let server = home.server(vec![Answer::stream("").then(Step::Pause(Arc::new(Notify::new())))]);
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let sink: Sink = Arc::new(move |event| {
        if matches!(event.kind, EventKind::Step { .. }) {
            stop.cancel();
        }
    });
    let end = home.run(Arc::new(Provider::new(named(&server, "m")).unwrap()), sink, &cancel);
    assert_eq!(end, End::Stopped);
    let asked = server.received().iter().filter(|request| request.path.ends_with("/messages")).count();
    assert!(home.sent().len() >= asked, "{asked} requests came, and the log has {:?}", home.sent());
}
