//! The user's models as an OpenAI-compatible endpoint on loopback, for other programs on this machine.
//!
//! `GET /v1/models`, `POST /v1/chat/completions` (streamed or whole) and `GET /health`. A model is named as in the file of
//! models; a route goes through the router, with its health and failover. The last chunk says who answered and why, in
//! `recto`.
//!
//! Invariants: only loopback is listened on. Whoever has not the token gets nothing but `/health`. A request that a web
//! page made is refused, token or not: it has an `Origin`, or a `Host` that is not this machine's name. A client that goes
//! away ends the request to the model.

mod reply;
mod request;

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, channel};

use crate::models::{Models, NoModel};
use crate::provider::{Chat, Event, ProviderError};

/// A body is a conversation, perhaps with pictures.
const LARGEST_BODY: usize = 64 << 20;

/// Why the endpoint cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("port {port} of this machine cannot be listened on: {reason}. Choose another with --port")]
    Port { port: u16, reason: std::io::Error },
    #[error("no token could be made: the system gives no random numbers")]
    Token,
    #[error("the token is too short: it needs 16 characters")]
    ShortToken,
}

/// An endpoint that listens.
pub struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    models: Models,
    token: String,
    /// What was opened, so that health and connections last from request to request.
    open: Mutex<HashMap<String, Arc<dyn Chat>>>,
}

impl Endpoint {
    /// Listens on this port of loopback, on any free one for 0; makes a token if there is none.
    pub async fn bind(models: Models, port: u16, token: Option<String>) -> Result<Self, ServeError> {
        let token = match token {
            Some(token) if token.len() < 16 => return Err(ServeError::ShortToken),
            Some(token) => token,
            None => crate::provider::random_token().ok_or(ServeError::Token)?,
        };
        let port_error = |reason| ServeError::Port { port, reason };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(port_error)?;
        let address = listener.local_addr().map_err(port_error)?;
        let shared = Arc::new(Shared { models, token, open: Mutex::default() });
        Ok(Self { listener, address, shared })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn token(&self) -> &str {
        &self.shared.token
    }

    /// Answers until the future is dropped.
    pub async fn run(self) {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else {
                // Too many connections for the moment.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let shared = Arc::clone(&self.shared);
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let shared = Arc::clone(&shared);
                    async move { Ok::<_, Infallible>(answer(&shared, request).await) }
                });
                let mut builder = hyper::server::conn::http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
                // A client that goes away in the middle is no failure of ours.
                drop(builder.serve_connection(TokioIo::new(stream), service).await);
            });
        }
    }
}

impl Shared {
    fn open(&self, name: &str) -> Result<Arc<dyn Chat>, NoModel> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chat) = open.get(name) {
            return Ok(Arc::clone(chat));
        }
        let chat = self.models.open(Some(name))?;
        open.insert(name.to_owned(), Arc::clone(&chat));
        Ok(chat)
    }
}

async fn answer(shared: &Shared, request: Request<Incoming>) -> Response<Pieces> {
    if let Err(refusal) = is_welcome(shared, &request) {
        return refusal;
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/health") => whole(StatusCode::OK, &json!({ "status": "ok" })),
        (&Method::GET, "/v1/models") => whole(StatusCode::OK, &list(&shared.models)),
        (&Method::POST, "/v1/chat/completions") => match chat(shared, request).await {
            Ok(response) => response,
            Err(refusal) => refusal.response(),
        },
        (_, "/health" | "/v1/models" | "/v1/chat/completions") => {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_request_error", "another method is needed").response()
        }
        (_, path) => {
            Refusal::new(StatusCode::NOT_FOUND, "invalid_request_error", &format!("there is no {path} here")).response()
        }
    }
}

/// Whether who asks may be answered at all.
fn is_welcome(shared: &Shared, request: &Request<Incoming>) -> Result<(), Response<Pieces>> {
    let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST).unwrap_or_default();
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    let is_ours = matches!(name, "127.0.0.1" | "localhost" | "[::1]");
    if !is_ours || request.headers().contains_key(ORIGIN) {
        let message = "web pages are not answered; call from a program, by the name 127.0.0.1 or localhost";
        return Err(Refusal::new(StatusCode::FORBIDDEN, "forbidden", message).response());
    }
    if request.uri().path() == "/health" {
        return Ok(());
    }
    let given = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if same(given.as_bytes(), shared.token.as_bytes()) {
        return Ok(());
    }
    let message = "the token is missing or wrong; `recto serve` prints it";
    Err(Refusal::new(StatusCode::UNAUTHORIZED, "invalid_api_key", message).response())
}

/// Compares without telling by the time where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn list(models: &Models) -> Value {
    let entries: Vec<_> =
        models.names().iter().map(|name| json!({ "id": name, "object": "model", "owned_by": "recto" })).collect();
    json!({ "object": "list", "data": entries })
}

async fn chat(shared: &Shared, request: Request<Incoming>) -> Result<Response<Pieces>, Refusal> {
    let bad = |message: &str| Refusal::new(StatusCode::BAD_REQUEST, "invalid_request_error", message);
    let body = Limited::new(request.into_body(), LARGEST_BODY).collect().await;
    let body = body.map_err(|error| bad(&format!("the body could not be read: {error}")))?.to_bytes();
    let body: Value = serde_json::from_slice(&body).map_err(|error| bad(&format!("the body is no JSON: {error}")))?;
    let asked = request::read(&body).map_err(|why| bad(&why))?;
    let name = asked.model.as_deref().or(shared.models.preferred()).ok_or_else(|| Refusal::from(NoModel::NoneAtAll))?;
    let chat = shared.open(name)?;
    let reply = chat.send(asked.request);
    if !asked.stream {
        let whole_reply = reply.collect().await?;
        return Ok(whole(StatusCode::OK, &reply::whole(name, &whole_reply)));
    }
    stream(name.to_owned(), reply).await
}

/// The head of the answer waits for the first event, so that a failure before it has its status.
async fn stream(name: String, mut reply: crate::provider::Reply) -> Result<Response<Pieces>, Refusal> {
    let first = reply.next().await.unwrap_or(Err(ProviderError::Interrupted))?;
    let (sender, pieces) = channel(64);
    tokio::spawn(async move {
        let mut writer = reply::Writer::new(name);
        let mut next: Option<Result<Event, ProviderError>> = Some(Ok(first));
        while let Some(event) = next {
            let text = match &event {
                Ok(event) => writer.event(event),
                Err(error) => writer.error(&Refusal::from(error.clone()).body()),
            };
            // Nobody listens any more: dropping the reply ends the request to the model.
            if !text.is_empty() && sender.send(Bytes::from(text)).await.is_err() {
                return;
            }
            if writer.is_over() {
                return;
            }
            next = tokio::select! {
                next = reply.next() => next,
                () = sender.closed() => return,
            };
        }
    });
    let mut response = Response::new(Pieces(pieces));
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

/// An answer that is an error, as OpenAI's clients read it.
struct Refusal {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Refusal {
    fn new(status: StatusCode, code: &'static str, message: &str) -> Self {
        Self { status, code, message: message.to_owned() }
    }

    fn body(&self) -> Value {
        json!({ "error": { "message": self.message, "type": self.code, "code": self.code } })
    }

    fn response(&self) -> Response<Pieces> {
        whole(self.status, &self.body())
    }
}

impl From<NoModel> for Refusal {
    fn from(error: NoModel) -> Self {
        Self::new(StatusCode::NOT_FOUND, "model_not_found", &error.to_string())
    }
}

impl From<ProviderError> for Refusal {
    fn from(error: ProviderError) -> Self {
        let (status, code) = match &error {
            ProviderError::ContextOverflow { prompt, limit } => {
                // In OpenAI's words, which clients look for.
                let limit = limit.map(|limit| format!(" is {limit} tokens")).unwrap_or_default();
                let prompt =
                    prompt.map(|prompt| format!("; your messages resulted in {prompt} tokens")).unwrap_or_default();
                let message = format!("This model's maximum context length{limit} and was exceeded{prompt}.");
                return Self { status: StatusCode::BAD_REQUEST, code: "context_length_exceeded", message };
            }
            ProviderError::Busy { .. } => (StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded"),
            ProviderError::Refused { .. } | ProviderError::NoTools { .. } => {
                (StatusCode::BAD_REQUEST, "invalid_request_error")
            }
            ProviderError::UnknownModel { .. } => (StatusCode::NOT_FOUND, "model_not_found"),
            ProviderError::Silent { .. } => (StatusCode::GATEWAY_TIMEOUT, "timeout"),
            _ => (StatusCode::BAD_GATEWAY, "upstream_error"),
        };
        Self::new(status, code, &error.to_string())
    }
}

/// A body that comes in pieces.
struct Pieces(Receiver<Bytes>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}

fn whole(status: StatusCode, body: &Value) -> Response<Pieces> {
    let (sender, pieces) = channel(1);
    // There is room for the one piece.
    drop(sender.try_send(Bytes::from(body.to_string())));
    let mut response = Response::new(Pieces(pieces));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    response
}
