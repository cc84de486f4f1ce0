//! What comes back: a stream of typed events that ends with exactly one [`Event::Finished`] or one error.
//!
//! *Reasoning* and *text* never mix, in whatever field the server sent them. A reply is *restarted* when what came so far
//! is void (the server broke off in the middle, another model took over): whoever collected it throws it away.
//!
//! Invariants: nothing follows `Finished` or an error. A stream that just stops is an error, never a success. Dropping a
//! [`Reply`] cancels the request and closes its connection.

use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::AbortHandle;

use super::error::ProviderError;
use super::message::{Call, Reasoning};

/// A step of a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The request goes out now, for the first time or once more, to this address and this model. It comes when there is a
    /// connection and before anything of the text is on it: whoever keeps a log of what was sent has it first, and has
    /// nothing that a server which is not there was never sent.
    Sending {
        /// The address as it is set up.
        to: String,
        /// The model as the user calls it.
        model: String,
    },
    /// Nothing comes for a while, and why.
    Waiting(Waiting),
    /// The server reads the prompt.
    Reading(Progress),
    Reasoning(String),
    Text(String),
    /// A token of the text, for a [`Request`](super::Request) that wanted them; the text itself comes beside it.
    Token(Token),
    /// A native call begins; calls are told apart by `index`.
    CallStarted {
        index: usize,
        name: String,
    },
    /// A piece of the arguments of a call, to be shown; the whole call comes with [`Finish::calls`].
    CallArguments {
        index: usize,
        text: String,
    },
    /// Counts so far; later ones replace earlier ones.
    Usage(Usage),
    /// Something the user should know and that did not end the reply.
    Notice(Notice),
    /// What came so far is void; the reply begins anew.
    Restarted {
        why: String,
    },
    Finished(Finish),
}

/// A token of the text and what the model could have written in its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Token {
    /// Bytes of the text that it is; it may be a part of a letter.
    pub length: usize,
    /// The likeliest tokens at that place, the one that was written among them, with their probabilities from 0 to 1.
    /// Those that are no text on their own are left out.
    pub choices: Vec<(String, f64)>,
}

/// Why nothing comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The server loads the model into memory.
    Loading,
    /// The server asked to come back later, or could not be reached; the next attempt is after this time.
    Retry { after: Duration, attempt: u32, why: String },
}

/// How much of the prompt the server has read, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub total: u64,
    /// Taken from the prefix cache.
    pub cached: u64,
    /// Done, cached ones included.
    pub done: u64,
    pub elapsed: Duration,
}

/// Tokens of one exchange. What a server does not say is absent, never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// All tokens of the prompt, cached ones included.
    pub prompt: Option<u64>,
    /// Of those, served from the prefix cache.
    pub cached: Option<u64>,
    /// Of those, written to the cache, where that costs extra.
    pub cache_written: Option<u64>,
    pub completion: Option<u64>,
    /// Of the completion, spent on reasoning.
    pub reasoning: Option<u64>,
    pub timings: Timings,
}

impl Usage {
    /// Takes over what `later` says and keeps the rest.
    pub fn merge(&mut self, later: &Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.cached = later.cached.or(self.cached);
        self.cache_written = later.cache_written.or(self.cache_written);
        self.completion = later.completion.or(self.completion);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.timings.prompt = later.timings.prompt.or(self.timings.prompt);
        self.timings.completion = later.timings.completion.or(self.timings.completion);
    }

    /// The share of the prompt that the cache served, from 0 to 1.
    pub fn cached_share(&self) -> Option<f64> {
        let prompt = self.prompt.filter(|prompt| *prompt > 0)?;
        Some(self.cached? as f64 / prompt as f64)
    }
}

/// What the server measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Reading what of the prompt was not cached.
    pub prompt: Option<Duration>,
    /// Writing the reply.
    pub completion: Option<Duration>,
}

/// Something worth a line to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The server read far fewer tokens than were sent: it dropped the beginning without saying so.
    PromptCut { read: u64, at_least: u64 },
    /// The server refuses a field of the request; it is left out from now on.
    FieldDropped { field: String },
    /// A model could not answer and the next one was asked.
    Failover { from: String, to: String, why: String },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PromptCut { read, at_least } => write!(
                f,
                "the server cut the prompt: it read {read} tokens of at least {at_least}; give the model a larger context"
            ),
            Self::FieldDropped { field } => write!(f, "the server does not know the field {field}; it is left out"),
            Self::Failover { from, to, why } => write!(f, "{from} could not answer ({why}); {to} was asked"),
        }
    }
}

/// How a reply ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finish {
    pub reason: FinishReason,
    pub usage: Usage,
    /// All native calls, in the order of their index.
    pub calls: Vec<Call>,
    /// The reasoning as the next request wants it back; absent if there was none.
    pub reasoning: Option<Reasoning>,
    /// The name of the model that answered, as the configuration has it.
    pub answered_by: String,
    /// Why this one was taken, where there was a choice.
    pub because: Option<String>,
    /// What it cost, where the model has a price.
    pub cost: Option<f64>,
}

/// Why a reply ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FinishReason {
    /// The model was done.
    #[default]
    Stop,
    /// The output limit cut it.
    Length,
    /// It wants its calls answered.
    Calls,
    /// The server withheld the rest.
    Filtered,
    /// The connection, or the server, broke in the middle of it.
    Broken,
    /// The server declared the end (`[DONE]`) without a reason; whether it is whole shows in the text alone.
    Unstated,
    /// A reason we do not know, in the server's words.
    Other(String),
}

/// A reply under way; see the module.
#[derive(Debug)]
pub struct Reply {
    events: Receiver<Result<Event, ProviderError>>,
    task: Option<AbortHandle>,
    ended: bool,
}

impl Reply {
    /// The next event, or nothing after the end. May be dropped and called again without losing one.
    pub async fn next(&mut self) -> Option<Result<Event, ProviderError>> {
        if self.ended {
            return None;
        }
        let event = self.events.recv().await.unwrap_or(Err(ProviderError::Interrupted));
        self.ended = matches!(event, Ok(Event::Finished(_)) | Err(_));
        Some(event)
    }

    /// Ends it early: nothing more is sent to any server. What had come and was not taken yet.
    pub async fn give_up(mut self) -> Vec<Event> {
        self.events.close();
        let mut rest = Vec::new();
        while let Some(event) = self.events.recv().await {
            rest.extend(event);
        }
        rest
    }

    /// Reads to the end and puts everything together.
    pub async fn collect(mut self) -> Result<Collected, ProviderError> {
        let mut whole = Collected::default();
        while let Some(event) = self.next().await {
            whole.take(event?);
        }
        Ok(whole)
    }

    /// Runs `work` on the runtime that this is called on; what it sends is the reply.
    pub(crate) fn run<F>(work: impl FnOnce(Events) -> F) -> Self
    where
        F: Future<Output = Result<Finish, ProviderError>> + Send + 'static,
    {
        // Few enough that a slow reader slows the server down, many enough that it seldom waits.
        let (sender, events) = channel(256);
        let work = work(Events(sender.clone()));
        let task = tokio::spawn(async move {
            let last = work.await.map(Event::Finished);
            // Nobody listens any more when the reply was dropped.
            drop(sender.send(last).await);
        });
        Self { events, task: Some(task.abort_handle()), ended: false }
    }

    /// A reply whose events somebody else sends.
    pub fn of(events: Receiver<Result<Event, ProviderError>>) -> Self {
        Self { events, task: None, ended: false }
    }

    /// A reply that was written beforehand, for tests and for replaying recorded ones.
    pub fn scripted(events: Vec<Result<Event, ProviderError>>) -> Self {
        let (sender, receiver) = channel(events.len().max(1));
        for event in events {
            drop(sender.try_send(event));
        }
        Self { events: receiver, task: None, ended: false }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Where the events of a reply go while it is made.
#[derive(Clone, Debug)]
pub(crate) struct Events(Sender<Result<Event, ProviderError>>);

impl Events {
    /// Sends one; an error means that nobody listens any more.
    pub(crate) async fn send(&self, event: Event) -> Result<(), ProviderError> {
        self.0.send(Ok(event)).await.map_err(|_| ProviderError::Interrupted)
    }
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    pub text: String,
    pub reasoning: String,
    pub finish: Finish,
    pub notices: Vec<Notice>,
}

impl Collected {
    /// Adds one event.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Text(text) => self.text.push_str(&text),
            Event::Reasoning(text) => self.reasoning.push_str(&text),
            Event::Notice(notice) => self.notices.push(notice),
            Event::Restarted { .. } => {
                self.text.clear();
                self.reasoning.clear();
            }
            Event::Finished(finish) => self.finish = finish,
            Event::Usage(usage) => self.finish.usage.merge(&usage),
            Event::Sending { .. }
            | Event::Waiting(_)
            | Event::Reading(_)
            | Event::CallStarted { .. }
            | Event::Token(_)
            | Event::CallArguments { .. } => {}
        }
    }
}
