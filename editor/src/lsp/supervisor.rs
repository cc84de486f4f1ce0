//! The life of one server: started, spoken to, started again when it crashes, ended when it is not wanted any more.
//!
//! A server that ends before it was ever ready is not started again: it is not installed, or cannot run here, and would
//! only say so again. One that was ready is started again after a pause, until it has crashed too often.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_lsp::lsp_types::notification;
use async_lsp::{MainLoop, ServerSocket};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::calls::{Calls, Initialize, Shutdown, Unanswered};
use super::client::{Order, Setting, capabilities, router};
use super::event::{Event, ServerId, Severity, State};
use super::launch::Launch;
use super::news::News;
use super::pace::Pace;
use super::tail::Tail;
use super::transport::{Exit, NotStarted, Running, Start};
use super::wire::{Aside, Incoming, Outgoing, incoming, outgoing};
use crate::limits::Limits;

/// What the hub is told.
pub(super) enum Happened {
    /// A server answers; it knows no document.
    Ready(Key, ServerSocket),
    /// It does not any more.
    Gone(Key),
}

/// Which supervisor of which server: one that was asked to end may still do so when there is another.
pub(super) type Key = (ServerId, u64);

/// What a supervisor works with.
pub(super) struct Supervisor {
    pub id: ServerId,
    /// Tells it from earlier ones of the same server.
    pub turn: u64,
    pub launch: Arc<Launch>,
    pub start: Arc<dyn Start>,
    pub hub: mpsc::Sender<Happened>,
    pub news: News,
    pub pace: Arc<Pace>,
    pub limits: Arc<Limits>,
}

/// A server that runs.
struct Run<'a> {
    calls: Calls,
    main_loop: JoinHandle<()>,
    end: Pin<Box<dyn Future<Output = Exit> + Send>>,
    kill: Box<dyn FnMut() + Send>,
    tail: &'a Tail,
}

impl Run<'_> {
    /// Asks it to end: `shutdown`, `exit` whatever it answers, and by force if it does not within `time` each.
    async fn shut_down(&mut self, time: Duration) {
        let answer = self.calls.send::<Shutdown>(Value::Null).within(time, &self.calls);
        tokio::select! {
            _ = answer => {}
            // Some end over the question.
            exit = &mut self.end => return drop(exit),
        }
        // As those do.
        let _ = self.calls.socket().notify::<notification::Exit>(());
        if timeout(time, &mut self.end).await.is_err() {
            self.end_by_force().await;
        }
    }

    async fn end_by_force(&mut self) {
        (self.kill)();
        (&mut self.end).await;
    }
}

/// How a run of a server ended.
enum Ended {
    /// As it was asked to.
    Asked,
    /// Before it was ready.
    Never { exit: Option<Exit>, why: String },
    /// After it was.
    Crashed { why: String },
}

impl Supervisor {
    /// Has the server run until `stop` is heard, or until it is of no use.
    pub async fn run(self, mut stop: oneshot::Receiver<()>) {
        let mut crashes: VecDeque<Instant> = VecDeque::new();
        loop {
            self.tell(State::Starting);
            let tail = Tail::default();
            let ended = match self.start.start(&self.launch, &self.id.root) {
                Ok(running) => self.run_once(running, &tail, &mut stop).await,
                Err(NotStarted::Missing) => return self.tell(self.missing()),
                Err(NotStarted::Failed(error)) => {
                    Ended::Never { exit: None, why: format!("could not be started: {error}") }
                }
            };
            let why = match ended {
                Ended::Asked => return,
                // Once it was ready, a failed start is a crash like others.
                Ended::Never { exit, why } if crashes.is_empty() => {
                    let state = match is_stand_in(exit.as_ref(), &tail) {
                        true => self.missing(),
                        false => State::Stopped { why: format!("{} {why}", self.id) },
                    };
                    return self.tell(state);
                }
                Ended::Never { why, .. } | Ended::Crashed { why } => why,
            };
            self.news.forget(&self.id);
            let now = Instant::now();
            crashes.push_back(now);
            crashes.retain(|crash| now.duration_since(*crash) < self.pace.window);
            if crashes.len() >= self.pace.crashes {
                let (times, minutes) = (crashes.len(), self.pace.window.as_secs().div_ceil(60));
                let why = format!("{} crashed {times} times in {minutes} minutes; the last time it {why}", self.id);
                return self.tell(State::Stopped { why });
            }
            self.tell(State::Starting);
            let text = format!("it {why}; it is started again");
            self.news.tell(Event::Message { server: self.id.clone(), severity: Severity::Warning, text });
            let doubled = self.pace.restart * 2u32.saturating_pow(crashes.len() as u32 - 1);
            tokio::select! {
                () = sleep(doubled.min(self.pace.restart_longest)) => {}
                _ = &mut stop => return,
            }
        }
    }

    /// Has it run once.
    async fn run_once(&self, running: Running, tail: &Tail, stop: &mut oneshot::Receiver<()>) -> Ended {
        let Running { output, input, errors, end, kill } = running;
        if let Some(errors) = errors {
            tokio::spawn(tail.clone().follow(errors));
        }
        let (from, to) = (incoming(output, self.limits.server_message_bytes, self.aside(tail)), outgoing(input));
        let (calls, main_loop) = self.converse(from, to);
        let mut run = Run { calls, main_loop, end, kill, tail };
        let ended = match self.initialize(&mut run, stop).await {
            Ok(result) => self.attend(&mut run, result, stop).await,
            Err(ended) => ended,
        };
        run.main_loop.abort();
        ended
    }

    /// Says who we are, and waits for who the server is.
    async fn initialize(&self, run: &mut Run<'_>, stop: &mut oneshot::Receiver<()>) -> Result<Value, Ended> {
        let first = run.calls.send::<Initialize>(capabilities::initialize(&self.launch, &self.id.root));
        let error = tokio::select! {
            // Its answer first: one that answers and ends was ready.
            biased;
            answer = first.within(self.pace.initialize, &run.calls) => match answer {
                Ok(result) => return Ok(result),
                Err(error) => error,
            },
            exit = &mut run.end => return Err(self.never(Some(exit), None, run.tail).await),
            _ = stop => {
                run.end_by_force().await;
                return Err(Ended::Asked);
            }
        };
        // One that closes its output is about to exit, and knows better why.
        let exit = timeout(self.pace.rest, &mut run.end).await.ok();
        if exit.is_none() {
            run.end_by_force().await;
        }
        Err(self.never(exit, Some(error), run.tail).await)
    }

    /// Goes on until it ends, or until it is asked to.
    async fn attend(&self, run: &mut Run<'_>, result: Value, stop: &mut oneshot::Receiver<()>) -> Ended {
        // One that is gone already is seen below.
        let _ = run.calls.socket().emit(Order::Initialized(result));
        let _ = self.hub.send(Happened::Ready(self.key(), run.calls.socket().clone())).await;
        let exit = tokio::select! {
            exit = &mut run.end => {
                // What it still said is heard.
                let _ = timeout(self.pace.rest, &mut run.main_loop).await;
                exit
            }
            _ = &mut run.main_loop => match timeout(self.pace.rest, &mut run.end).await {
                Ok(exit) => exit,
                Err(_) => {
                    run.end_by_force().await;
                    Exit { code: None, words: "closed its output".to_owned() }
                }
            },
            _ = stop => {
                run.shut_down(self.pace.shutdown).await;
                return Ended::Asked;
            }
        };
        run.tail.ended(self.pace.rest).await;
        let _ = self.hub.send(Happened::Gone(self.key())).await;
        Ended::Crashed { why: with_reason(&exit.words, run.tail) }
    }

    /// Starts the main loop over a pair of ends.
    fn converse(&self, from: Incoming, to: Outgoing) -> (Calls, JoinHandle<()>) {
        let setting = Setting {
            id: self.id.clone(),
            launch: Arc::clone(&self.launch),
            news: self.news.clone(),
            pace: Arc::clone(&self.pace),
            limits: Arc::clone(&self.limits),
        };
        let mut calls = None;
        let (main_loop, socket) =
            MainLoop::new_client(|socket| router(setting, calls.insert(Calls::new(socket)).clone()));
        let calls = calls.unwrap_or_else(|| Calls::new(socket));
        // How it ends does not matter: the end of the process says more.
        let running = tokio::spawn(async move { drop(main_loop.run(from, to).await) });
        (calls, running)
    }

    /// It ended, or was ended, before it was ready.
    async fn never(&self, exit: Option<Exit>, error: Option<Unanswered>, tail: &Tail) -> Ended {
        tail.ended(self.pace.rest).await;
        let why = match (&exit, &error) {
            (Some(exit), _) => format!("{} before it was ready", exit.words),
            (None, Some(Unanswered::Refused(error))) => format!("does not start: {}", error.message),
            (None, Some(error)) => format!("is not ready: {error}"),
            (None, None) => "is not ready".to_owned(),
        };
        Ended::Never { exit, why: with_reason(&why, tail) }
    }

    /// What becomes of what it says besides messages.
    fn aside(&self, tail: &Tail) -> impl FnMut(Aside) + Send + 'static {
        let (tail, news, server, limit) =
            (tail.clone(), self.news.clone(), self.id.clone(), self.limits.server_message_bytes);
        move |aside| match aside {
            Aside::Line(line) => tail.line(&line),
            Aside::TooLarge(size) => {
                let mib = |bytes: usize| bytes.div_ceil(1 << 20);
                let text = format!("a message of {} MiB was skipped; the limit is {} MiB", mib(size), mib(limit));
                news.tell(Event::Message { server: server.clone(), severity: Severity::Warning, text });
            }
        }
    }

    fn key(&self) -> Key {
        (self.id.clone(), self.turn)
    }

    fn tell(&self, state: State) {
        self.news.tell(Event::State { server: self.id.clone(), state });
    }

    fn missing(&self) -> State {
        State::Missing { command: self.launch.program().to_owned(), install: self.launch.install.clone() }
    }
}

/// Whether what was started only stands in for a program that is not there, as rustup and version managers have it.
fn is_stand_in(exit: Option<&Exit>, tail: &Tail) -> bool {
    const NOT_FOUND: i32 = 127;
    let words = ["Unknown binary", "is not installed for the toolchain", "command not found"];
    exit.is_some_and(|exit| exit.code == Some(NOT_FOUND) || words.iter().any(|words| tail.says(words)))
}

fn with_reason(why: &str, tail: &Tail) -> String {
    match tail.reason() {
        Some(reason) => format!("{why}: {reason}"),
        None => why.to_owned(),
    }
}
