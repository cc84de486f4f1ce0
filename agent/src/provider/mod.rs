//! One interface to every kind of model server.
//!
//! A [`Chat`] takes a [`Request`] and gives a [`Reply`], a stream of typed [`Event`]s. A [`Provider`] is a `Chat` with one
//! model at one server; the router (a `Chat` over several) and scripted ones for tests look the same from outside.
//!
//! - [`message`]: what is sent; [`reply`]: what comes back; [`error`]: why nothing came
//! - [`spec`]: a model as it is set up
//! - [`facts`]: what a server says about a model; [`keys`]: where keys come from
//! - `frames`: events out of bytes; `draft`: a reply while it comes in
//! - `dialect`: what differs from kind to kind: `openai` (and llama.cpp), `ollama`, `anthropic`; `effort`: thinking
//! - `exchange`: one request with its attempts; `classify`, `overflow`, `retry`: what a failure means and what follows
//! - [`discovery`]: servers on this machine; [`web`]: pages, for the tools that read them
//! - `http`: the only place where a model server is dialled; `slots`: who has which slot of a llama.cpp server
//!
//! Everything runs on the tokio runtime of the caller; nothing blocks it. Dropping a [`Reply`] cancels its request.

mod anthropic;
mod classify;
mod dialect;
pub mod discovery;
mod draft;
mod effort;
pub mod error;
mod exchange;
pub mod facts;
mod frames;
mod http;
pub mod keys;
pub mod message;
mod ollama;
mod openai;
mod outgoing;
mod overflow;
pub mod reply;
mod retry;
mod slots;
pub mod spec;
pub mod web;

use std::pin::Pin;
use std::sync::Arc;

pub use effort::Effort;
pub use error::ProviderError;
pub use facts::Facts;
pub(crate) use http::random_token;
pub use message::{Call, Image, Message, Reasoning, Request, SessionKey, Tool};
pub use reply::{Collected, Event, Finish, FinishReason, Notice, Progress, Reply, Token, Usage, Waiting};
use spec::Patience;
pub use spec::{Capabilities, EditForm, Kind, ModelSpec, Price, Protocol, ProviderSpec};

/// What can be talked to.
pub trait Chat: Send + Sync {
    /// The model, or the one that would be asked first.
    fn spec(&self) -> &ModelSpec;

    /// Sends a request; must be called on a tokio runtime. Returns at once: every failure is in the reply.
    fn send(&self, request: Request) -> Reply;

    /// What the server says about the model, and the window as it is configured if it is. Asks at most once.
    fn facts(&self) -> Asked<'_, Facts>;

    /// Whether it sees pictures: as it is set up, or else as the server says.
    fn sees(&self) -> Asked<'_, bool> {
        Box::pin(async move { Ok(self.spec().capabilities.vision || self.facts().await?.vision == Some(true)) })
    }

    /// The context window in tokens: as configured, or as the server says. Nothing if it does not say.
    fn window(&self) -> Asked<'_, Option<u32>> {
        Box::pin(async move { Ok(self.facts().await?.window) })
    }
}

/// An answer that a server is asked for.
pub type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// One model at one server. Cheap to clone; clones share connections and what was learnt.
#[derive(Clone, Debug)]
pub struct Provider {
    inner: Arc<exchange::Exchange>,
}

impl Provider {
    /// Nothing is dialled yet.
    pub fn new(spec: ModelSpec) -> Result<Self, ProviderError> {
        Ok(Self { inner: Arc::new(exchange::Exchange::new(spec)?) })
    }

    /// Like [`Chat::send`], but a server that is busy is not waited for: somebody else is asked.
    pub fn send_once(&self, request: Request) -> Reply {
        let inner = Arc::clone(&self.inner);
        let patience = Patience { attempts: 1, ..inner.spec.provider.patience };
        Reply::run(|events| async move { inner.run(&request, &patience, &events).await })
    }

    /// The window as far as it is known without asking.
    pub fn known_window(&self) -> Option<u32> {
        self.inner.known_window()
    }
}

impl Chat for Provider {
    fn spec(&self) -> &ModelSpec {
        &self.inner.spec
    }

    fn send(&self, request: Request) -> Reply {
        let inner = Arc::clone(&self.inner);
        Reply::run(|events| async move { inner.run(&request, &inner.spec.provider.patience, &events).await })
    }

    fn facts(&self) -> Asked<'_, Facts> {
        Box::pin(self.inner.facts())
    }
}
