//! Requests to a server, with what the library leaves out: their ids, so that they can be cancelled, and a time they may take.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_lsp::lsp_types::request::Request;
use async_lsp::lsp_types::{CancelParams, NumberOrString, notification};
use async_lsp::{ErrorCode, ResponseError, ServerSocket};
use serde_json::Value;

/// Sends requests to one server. Clones share the count of them.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    socket: ServerSocket,
    /// The library counts requests from 0 in the order in which they come to its queue, and tells no one.
    next: Arc<Mutex<i32>>,
}

/// A request that was sent.
pub(super) struct Call {
    /// Its id.
    pub id: i32,
    answer: Pin<Box<dyn Future<Output = async_lsp::Result<Value>> + Send>>,
}

/// Why a request has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Unanswered {
    /// The server refused it.
    #[error("{}", .0.message)]
    Refused(ResponseError),
    /// It took too long, and was cancelled.
    #[error("it did not answer within {} seconds", .0.as_secs())]
    TooLate(Duration),
    /// The server is gone.
    #[error("it is gone")]
    Gone,
}

impl Unanswered {
    /// Whether it was refused with this code.
    pub fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Refused(error) if error.code == code)
    }
}

impl Calls {
    pub fn new(socket: ServerSocket) -> Self {
        Self { socket, next: Arc::default() }
    }

    /// Where notifications go.
    pub fn socket(&self) -> &ServerSocket {
        &self.socket
    }

    /// Sends a request at once; its answer is waited for by [`Call::within`].
    pub fn send<R: Request<Params = Value, Result = Value> + 'static>(&self, parameters: Value) -> Call {
        let socket = self.socket.clone();
        let mut answer: Pin<Box<dyn Future<Output = _> + Send>> =
            Box::pin(async move { socket.request::<R>(parameters).await });
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        // The first poll sends it, while nobody else can; only later ones wait.
        if let Poll::Ready(early) = answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            answer = Box::pin(std::future::ready(early));
        }
        let id = *next;
        *next = next.wrapping_add(1);
        Call { id, answer }
    }

    /// Tells the server that nobody waits for an answer any more.
    pub fn cancel(&self, id: i32) {
        // A server that is gone need not be told.
        let _ = self.socket.notify::<notification::Cancel>(CancelParams { id: NumberOrString::Number(id) });
    }
}

impl Call {
    /// The answer, if it comes within `time`; else the request is cancelled.
    pub async fn within(self, time: Duration, calls: &Calls) -> Result<Value, Unanswered> {
        match tokio::time::timeout(time, self.answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(async_lsp::Error::Response(error))) => Err(Unanswered::Refused(error)),
            Ok(Err(_)) => Err(Unanswered::Gone),
            Err(_) => {
                calls.cancel(self.id);
                Err(Unanswered::TooLate(time))
            }
        }
    }
}

/// Requests whose parameters and results we write and read as JSON: what a server sends need not be what the types of the
/// library expect.
macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident = $method:literal;)+) => {$(
        $(#[$doc])*
        pub(super) enum $name {}

        impl Request for $name {
            type Params = Value;
            type Result = Value;
            const METHOD: &'static str = $method;
        }
    )+};
}

requests! {
    /// The first one.
    Initialize = "initialize";
    /// What the server says of a file.
    DocumentDiagnostic = "textDocument/diagnostic";
    /// The last one.
    Shutdown = "shutdown";
}
