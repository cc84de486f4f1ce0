//! One interface to every kind of model server.
//!
//! A [`Chat`] takes a [`Request`] and gives a [`Reply`], a stream of typed [`Event`]s. A [`Provider`] is a `Chat` with one
//! model at one server; the router (a `Chat` over several) and scripted ones for tests look the same from outside.
//!
//! - [`message`]: what is sent; [`reply`]: what comes back; [`error`]: why nothing came
//! - [`spec`]: a model as it is set up
//! - `frames`: events out of bytes; `draft`: a reply while it comes in; `openai`: what the frames of a kind say
//! - `exchange`: one request with its attempts; `classify`, `overflow`, `retry`: what a failure means and what follows
//! - `http`: the only place where a model server is dialled; `keys`: where keys come from
//!
//! Everything runs on the tokio runtime of the caller; nothing blocks it. Dropping a [`Reply`] cancels its request.

mod classify;
mod draft;
pub mod error;
mod exchange;
mod frames;
mod http;
mod keys;
pub mod message;
mod openai;
mod overflow;
pub mod reply;
mod retry;
pub mod spec;

use std::pin::Pin;
use std::sync::Arc;

pub use error::ProviderError;
pub use message::{Call, Image, Message, Reasoning, Request, SessionKey, Tool};
pub use reply::{Collected, Event, Finish, FinishReason, Notice, Progress, Reply, Usage, Waiting};
pub use spec::{Capabilities, EditForm, Kind, ModelSpec, Price, Protocol, ProviderSpec};

/// What can be talked to.
pub trait Chat: Send + Sync {
    /// The model, or the one that would be asked first.
    fn spec(&self) -> &ModelSpec;

    /// Sends a request; must be called on a tokio runtime. Returns at once: every failure is in the reply.
    fn send(&self, request: Request) -> Reply;

    /// The context window in tokens: as configured, or as the server says. Nothing if it does not say.
    fn window(&self) -> Window<'_>;
}

/// What [`Chat::window`] gives.
pub type Window<'a> = Pin<Box<dyn Future<Output = Result<Option<u32>, ProviderError>> + Send + 'a>>;

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
}

impl Chat for Provider {
    fn spec(&self) -> &ModelSpec {
        &self.inner.spec
    }

    fn send(&self, request: Request) -> Reply {
        let inner = Arc::clone(&self.inner);
        Reply::run(|events| async move { inner.run(&request, &events).await })
    }

    fn window(&self) -> Window<'_> {
        Box::pin(async move { Ok(self.inner.spec.context) })
    }
}
