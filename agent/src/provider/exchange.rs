//! One request with all its attempts: sending, waiting, reading, and what is learnt on the way.
//!
//! An *attempt* is one request on the wire. A failure before the reply begins is tried again in silence, apart from a
//! [`Waiting`] event; one in the middle voids what came ([`Event::Restarted`]) if the server says that it will pass, and is
//! an error otherwise.
//!
//! Invariant: a prompt that is too long is never sent again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::classify::{Meaning, Told};
use super::draft::Draft;
use super::error::{ProviderError, quote};
use super::frames::{Frame, Framing, Splitter};
use super::http::{Broken, Connection, header_value};
use super::keys::{self, Key};
use super::message::Request;
use super::openai;
use super::reply::{Event, Events, Finish, FinishReason, Notice, Waiting};
use super::retry;
use super::spec::ModelSpec;

/// A model and the way to it.
#[derive(Debug)]
pub(super) struct Exchange {
    pub spec: ModelSpec,
    connection: Connection,
    /// Fields that the server refused once.
    refused: Mutex<Vec<String>>,
    key: Mutex<Option<Key>>,
}

/// How an attempt failed.
enum Failed {
    Loading,
    UnknownField(String),
    /// The key was refused, and it had been found before: it may have run out.
    StaleKey,
    Error {
        error: ProviderError,
        /// Something of the reply was sent on.
        midway: bool,
        retry_after: Option<Duration>,
    },
}

impl From<ProviderError> for Failed {
    fn from(error: ProviderError) -> Self {
        Self::Error { error, midway: false, retry_after: None }
    }
}

impl Exchange {
    pub fn new(spec: ModelSpec) -> Result<Self, ProviderError> {
        let connection = Connection::new(&spec.provider)?;
        Ok(Self { spec, connection, refused: Mutex::default(), key: Mutex::default() })
    }

    /// Sends until there is a reply or no hope.
    pub async fn run(&self, request: &Request, events: &Events) -> Result<Finish, ProviderError> {
        let patience = self.spec.provider.patience;
        let began = Instant::now();
        let mut attempt = 1;
        loop {
            let (error, midway, asked) = match self.attempt(request, events).await {
                Ok(finish) => return Ok(finish),
                Err(Failed::Loading) if began.elapsed() < patience.loading => {
                    events.send(Event::Waiting(Waiting::Loading)).await?;
                    tokio::time::sleep(patience.loading_poll).await;
                    continue;
                }
                Err(Failed::Loading) => return Err(self.still_loading(patience.loading)),
                Err(Failed::StaleKey) => {
                    lock(&self.key).take();
                    continue;
                }
                Err(Failed::UnknownField(field)) => {
                    self.remember_refused(&field);
                    events.send(Event::Notice(Notice::FieldDropped { field })).await?;
                    continue;
                }
                Err(Failed::Error { error, midway, retry_after }) => (error, midway, retry_after),
            };
            // A server that is not there at all is asked once more: it may just be starting again.
            let is_hopeless = matches!(error, ProviderError::Unreachable { .. }) && attempt > 1;
            let wait = retry::wait(&patience, attempt, asked, fastrand::f64());
            let (true, false, Some(after)) = (error.is_passing(), is_hopeless, wait) else { return Err(error) };
            let why = error.to_string();
            if midway {
                events.send(Event::Restarted { why: why.clone() }).await?;
            }
            events.send(Event::Waiting(Waiting::Retry { after, attempt, why })).await?;
            tokio::time::sleep(after).await;
            attempt += 1;
        }
    }

    fn still_loading(&self, waited: Duration) -> ProviderError {
        ProviderError::Busy {
            address: self.connection.address(),
            status: 503,
            message: format!("the model was still being loaded after {} s", waited.as_secs()),
            retry_after: None,
        }
    }

    async fn attempt(&self, request: &Request, events: &Events) -> Result<Finish, Failed> {
        let (headers, is_kept) = self.headers().await?;
        let mut response = self.connection.send("v1/chat/completions", Some(self.body(request)), &headers).await?;
        let status = response.status().as_u16();
        if status == 401 && is_kept {
            return Err(Failed::StaleKey);
        }
        if status != 200 {
            return Err(self.refusal(status, response).await);
        }
        self.read(&mut response, events).await
    }

    /// What says who asks, and whether the key was one that is kept from an earlier request.
    async fn headers(&self) -> Result<(HeaderMap, bool), ProviderError> {
        let kept = lock(&self.key).clone();
        let is_kept = kept.is_some();
        let key = if is_kept { kept } else { keys::find(&self.spec.provider).await? };
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let value = header_value(&format!("Bearer {}", key.0));
            let wrong = |reason| ProviderError::NoKey { provider: self.spec.provider.name.clone(), reason };
            headers.insert("authorization", value.map_err(wrong)?);
        }
        *lock(&self.key) = key;
        Ok((headers, is_kept))
    }

    fn body(&self, request: &Request) -> String {
        let mut body = openai::body(&self.spec, request, None);
        self.adapt(&mut body);
        body.extend(self.spec.extra.clone());
        body.extend(request.extra.clone());
        Value::Object(body).to_string()
    }

    /// Leaves out what the server refused before, or says it the other way.
    fn adapt(&self, body: &mut Map<String, Value>) {
        let refused = lock(&self.refused);
        for field in refused.iter() {
            let value = body.remove(field);
            if let ("max_tokens", Some(limit)) = (field.as_str(), value) {
                body.insert("max_completion_tokens".to_owned(), limit);
            }
        }
    }

    fn remember_refused(&self, field: &str) {
        lock(&self.refused).push(field.to_owned());
    }

    /// An answer that is not 200.
    async fn refusal(&self, status: u16, mut response: Response) -> Failed {
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        // What comes until it breaks off is told.
        while let Ok(Some(chunk)) = self.connection.chunk(&mut response).await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > 1 << 20 {
                break;
            }
        }
        let told = Told::from_answer(status, &headers, &String::from_utf8_lossy(&bytes));
        let retry_after = told.retry_after;
        match told.meaning(&self.connection.address(), &self.spec.id) {
            Meaning::Loading => Failed::Loading,
            // Refused a second time: it was something else.
            Meaning::UnknownField(field) if self.is_refused(&field) => Failed::from(ProviderError::Refused {
                address: self.connection.address(),
                status,
                message: quote(&String::from_utf8_lossy(&bytes)),
            }),
            Meaning::UnknownField(field) => Failed::UnknownField(field),
            Meaning::Error(error) => Failed::Error { error, midway: false, retry_after },
        }
    }

    fn is_refused(&self, field: &str) -> bool {
        lock(&self.refused).iter().any(|known| known == field)
    }

    /// Reads a stream to its end.
    async fn read(&self, response: &mut Response, events: &Events) -> Result<Finish, Failed> {
        let mut splitter = Splitter::new(framing(response));
        let mut draft = Draft::default();
        let mut frames = Vec::new();
        let why = loop {
            let chunk = self.connection.chunk(response).await;
            match &chunk {
                Ok(Some(bytes)) => {
                    splitter.push(bytes, &mut frames).map_err(|_| self.malformed("a line of more than 64 MiB"))?;
                }
                Ok(None) | Err(_) => splitter.finish(&mut frames),
            }
            for frame in frames.drain(..) {
                self.frame(&frame, &mut draft)?;
            }
            for event in draft.events.drain(..) {
                events.send(event).await?;
            }
            match chunk {
                _ if draft.is_over => break "it ended without saying why".to_owned(),
                Ok(Some(_)) => {}
                Ok(None) => break "the connection was closed before the reply was finished".to_owned(),
                // A reply that is whole stays whole, however the connection ends.
                Err(_) if draft.reason.is_some() => break String::new(),
                Err(Broken::Reset(reason)) => break reason,
                Err(Broken::Silent(error)) => {
                    return Err(Failed::Error { error, midway: draft.has_begun(), retry_after: None });
                }
            }
        };
        draft.flush();
        for event in draft.events.drain(..) {
            events.send(event).await?;
        }
        let reason = draft.reason.take().or(draft.is_over.then_some(FinishReason::Unstated));
        match reason {
            Some(reason) => Ok(draft.finish(reason, &self.spec.name)),
            None => {
                let (address, bytes) = (self.connection.address(), draft.text_bytes);
                Err(ProviderError::Truncated { address, bytes, reason: why }.into())
            }
        }
    }

    /// Takes one frame in.
    fn frame(&self, frame: &Frame, draft: &mut Draft) -> Result<(), Failed> {
        let data = frame.data.trim();
        if data == "[DONE]" {
            draft.is_over = true;
            return Ok(());
        }
        let value: Value = serde_json::from_str(data)
            .map_err(|error| Failed::from(self.malformed(&format!("{error} in {}", quote(data)))))?;
        if let Some(told) = Told::from_frame(&value) {
            let midway = draft.has_begun();
            let error = told.meaning_midway(&self.connection.address());
            return Err(Failed::Error { error, midway, retry_after: None });
        }
        openai::read(&value, draft);
        Ok(())
    }

    fn malformed(&self, detail: &str) -> ProviderError {
        ProviderError::Malformed { address: self.connection.address(), detail: quote(detail) }
    }
}

/// Nothing of ours panics while it holds one of these; what they hold is whole in any case.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server that does not stream answers with one object, which may have line ends in it.
fn framing(response: &Response) -> Framing {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim() {
        "application/x-ndjson" | "application/jsonl" => Framing::JsonLines,
        "application/json" => Framing::Whole,
        _ => Framing::ServerSentEvents,
    }
}
