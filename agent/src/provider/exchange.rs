//! One request with all its attempts: sending, waiting, reading, and what is learnt on the way.
//!
//! An *attempt* is one try to get an answer: from reaching the server, which is announced before any text goes out
//! ([`Event::Sending`]), to the end of the reply. A failure before the reply begins is tried again in silence, apart from a
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
use super::dialect::{self, Known};
use super::draft::Draft;
use super::error::{ProviderError, quote};
use super::facts::{self, Facts};
use super::frames::{Frame, Framing, Splitter};
use super::http::{Broken, Connection};
use super::keys::{self, Key};
use super::message::Request;
use super::outgoing;
use super::reply::{Event, Events, Finish, FinishReason, Notice, Waiting};
use super::retry;
use super::slots::Slots;
use super::spec::{Kind, ModelSpec, Patience};

/// A model and the way to it.
#[derive(Debug)]
pub(super) struct Exchange {
    pub spec: ModelSpec,
    connection: Connection,
    /// Fields that the server refused once.
    refused: Mutex<Vec<String>>,
    key: Mutex<Option<Key>>,
    /// What the server said of the model, once it was asked.
    facts: Mutex<Option<Facts>>,
    slots: Mutex<Slots>,
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

/// A reply whose end was announced is not waited for much longer.
const AFTER_THE_END: Duration = Duration::from_secs(10);

impl Exchange {
    pub fn new(spec: ModelSpec) -> Result<Self, ProviderError> {
        let connection = Connection::new(&spec.provider)?;
        Ok(Self {
            spec,
            connection,
            refused: Mutex::default(),
            key: Mutex::default(),
            facts: Mutex::default(),
            slots: Mutex::default(),
        })
    }

    /// Sends until there is a reply or no hope.
    pub async fn run(&self, request: &Request, patience: &Patience, events: &Events) -> Result<Finish, ProviderError> {
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
                    lock(&self.refused).push(field.clone());
                    events.send(Event::Notice(Notice::FieldDropped { field })).await?;
                    continue;
                }
                Err(Failed::Error { error, midway, retry_after }) => (self.learn_from(error), midway, retry_after),
            };
            // A server that is not there at all, or says nothing, is asked once more: it may just be starting again.
            let is_hopeless =
                attempt > 1 && matches!(error, ProviderError::Unreachable { .. } | ProviderError::Truncated { .. });
            let wait = retry::wait(patience, attempt, asked, fastrand::f64());
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

    /// What is known of the model: the server is asked once.
    pub async fn facts(&self) -> Result<Facts, ProviderError> {
        let known = lock(&self.facts).clone();
        let mut facts = match known {
            Some(facts) => facts,
            None => {
                let facts = facts::ask(self).await?;
                *lock(&self.facts) = Some(facts.clone());
                facts
            }
        };
        facts.window = self.window(facts.window);
        Ok(facts)
    }

    pub fn known_window(&self) -> Option<u32> {
        self.window(lock(&self.facts).as_ref().and_then(|facts| facts.window))
    }

    /// The window as it is set up, and as the server says. Ollama makes it what it is told; all others have what they have,
    /// and were perhaps started anew with less than when it was written down.
    fn window(&self, said: Option<u32>) -> Option<u32> {
        match (self.spec.context, said) {
            (Some(set), Some(said)) if self.spec.provider.kind != Kind::Ollama => Some(set.min(said)),
            (set, said) => set.or(said),
        }
    }

    /// An overflow tells the window to who did not know it, and is told it where the server left it out.
    fn learn_from(&self, error: ProviderError) -> ProviderError {
        let ProviderError::ContextOverflow { prompt, limit } = error else { return error };
        let mut facts = lock(&self.facts);
        if let Some(limit) = limit.and_then(|limit| u32::try_from(limit).ok()) {
            facts.get_or_insert_default().window = Some(limit);
        }
        let known = self.window(facts.as_ref().and_then(|facts| facts.window));
        drop(facts);
        ProviderError::ContextOverflow { prompt, limit: limit.or(known.map(u64::from)) }
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
        let kind = self.spec.provider.kind;
        let known = self.known(request).await?;
        let mut body = dialect::body(&self.spec, request, known);
        self.adapt(&mut body);
        let (headers, is_kept) = self.headers().await?;
        let (body, held) = outgoing::held(Value::Object(body).to_string());
        let (to, model) = (self.spec.provider.url.clone(), self.spec.name.clone());
        let announced = held.release(events.send(Event::Sending { to, model }));
        let body = Some(reqwest::Body::wrap(body));
        let mut response = tokio::select! {
            response = self.connection.send(dialect::path(kind), body, &headers) => response?,
            Err(nobody_listens) = announced => return Err(nobody_listens.into()),
        };
        let status = response.status().as_u16();
        if status == 401 && is_kept {
            return Err(Failed::StaleKey);
        }
        if status != 200 {
            return Err(self.refusal(status, response).await);
        }
        self.read(&mut response, request, events).await
    }

    /// What the kind needs to know before it can be asked: Ollama its window, llama.cpp its slots.
    async fn known(&self, request: &Request) -> Result<Known, Failed> {
        match (self.spec.provider.kind, request.session) {
            (Kind::Ollama, _) if self.spec.context.is_some() => Ok(Known { window: self.spec.context, slot: None }),
            (Kind::Ollama, _) => Ok(Known { window: self.facts_or_loading().await?.window, slot: None }),
            (Kind::LlamaCpp, Some(session)) => {
                let slots = self.facts_or_loading().await?.slots;
                Ok(Known { slot: slots.map(|slots| lock(&self.slots).of(session, slots)), window: None })
            }
            _ => Ok(Known::default()),
        }
    }

    /// A server that loads its model refuses questions, too, and is waited for as in [`Self::run`].
    async fn facts_or_loading(&self) -> Result<Facts, Failed> {
        self.facts().await.map_err(|error| if error.is_loading() { Failed::Loading } else { error.into() })
    }

    /// What says who asks, and whether the key was one that is kept from an earlier request.
    async fn headers(&self) -> Result<(HeaderMap, bool), ProviderError> {
        let kept = lock(&self.key).clone();
        let is_kept = kept.is_some();
        let key = if is_kept { kept } else { keys::find(&self.spec.provider).await? };
        let headers = dialect::headers(self.spec.provider.kind, key.as_ref())
            .map_err(|reason| ProviderError::NoKey { provider: self.spec.provider.name.clone(), reason })?;
        *lock(&self.key) = key;
        Ok((headers, is_kept))
    }

    /// Asks for something about the model. A server that does not know the question has no answer, which is no error.
    pub async fn get(&self, path: &str) -> Result<Option<Value>, ProviderError> {
        self.question(path, None).await
    }

    /// The same with a body.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Option<Value>, ProviderError> {
        self.question(path, Some(body.to_string())).await
    }

    async fn question(&self, path: &str, body: Option<String>) -> Result<Option<Value>, ProviderError> {
        let (headers, _) = self.headers().await?;
        let mut response = self.connection.send(path, body.map(Into::into), &headers).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = self.text(&mut response).await;
        match status {
            200 => Ok(serde_json::from_str(&text).ok()),
            // Ollama knows the question but not the model.
            404 if self.spec.provider.kind == Kind::Ollama && text.contains("not found") && text.contains("model") => {
                Err(self.told(status, &headers, &text))
            }
            404 | 405 | 400 | 501 => Ok(None),
            _ => Err(self.told(status, &headers, &text)),
        }
    }

    fn told(&self, status: u16, headers: &HeaderMap, text: &str) -> ProviderError {
        let told = Told::from_answer(status, headers, text);
        let (address, message) = (self.connection.address(), quote(&told.message));
        match told.meaning(&address, &self.spec.id) {
            Meaning::Error(error) => error,
            Meaning::Loading => ProviderError::Busy { address, status, message, retry_after: None },
            Meaning::UnknownField(_) => ProviderError::Refused { address, status, message },
        }
    }

    /// A short answer, or what of it came.
    async fn text(&self, response: &mut Response) -> String {
        let mut bytes = Vec::new();
        while let Ok(Some(chunk)) = self.connection.chunk(response, Duration::MAX).await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > 16 << 20 {
                break;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub fn is_encrypted(&self) -> bool {
        self.connection.is_encrypted()
    }

    /// Leaves out what the server refused before, or says it the other way.
    fn adapt(&self, body: &mut Map<String, Value>) {
        let refused = lock(&self.refused);
        for field in refused.iter() {
            let value = body.remove(field);
            // OpenAI's own models of late take the one, everybody else the other.
            if let ("max_tokens", Some(limit)) = (field.as_str(), value) {
                body.insert("max_completion_tokens".to_owned(), limit);
            }
        }
    }

    /// An answer that is not 200.
    async fn refusal(&self, status: u16, mut response: Response) -> Failed {
        let headers = response.headers().clone();
        let text = self.text(&mut response).await;
        let told = Told::from_answer(status, &headers, &text);
        let (retry_after, message) = (told.retry_after, quote(&told.message));
        match told.meaning(&self.connection.address(), &self.spec.id) {
            Meaning::Loading => Failed::Loading,
            // Refused a second time: it was something else.
            Meaning::UnknownField(field) if lock(&self.refused).contains(&field) => {
                ProviderError::Refused { address: self.connection.address(), status, message }.into()
            }
            Meaning::UnknownField(field) => Failed::UnknownField(field),
            Meaning::Error(error) => Failed::Error { error, midway: false, retry_after },
        }
    }

    /// Reads a stream to its end.
    async fn read(&self, response: &mut Response, request: &Request, events: &Events) -> Result<Finish, Failed> {
        let mut splitter = Splitter::new(framing(response, self.spec.provider.kind));
        let mut draft = Draft::default();
        let mut frames = Vec::new();
        let why = loop {
            let patience = if draft.reason.is_some() { AFTER_THE_END } else { Duration::MAX };
            let chunk = self.connection.chunk(response, patience).await;
            match &chunk {
                Ok(Some(bytes)) => {
                    splitter.push(bytes, &mut frames).map_err(|_| self.malformed("a line of more than 64 MiB"))?;
                }
                Ok(None) | Err(_) => splitter.finish(&mut frames),
            }
            let is_cut = !matches!(chunk, Ok(Some(_)));
            let taken = frames.drain(..).try_for_each(|frame| self.frame(&frame, is_cut, &mut draft));
            for event in draft.events.drain(..) {
                events.send(event).await?;
            }
            taken?;
            match chunk {
                _ if draft.is_over => break String::new(),
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
        let Some(reason) = draft.reason.take().or(draft.is_over.then_some(FinishReason::Unstated)) else {
            let (address, bytes) = (self.connection.address(), draft.text_bytes);
            return Err(ProviderError::Truncated { address, bytes, reason: why }.into());
        };
        if let Some(notice) = prompt_cut(request, draft.usage.prompt) {
            events.send(Event::Notice(notice)).await?;
        }
        let finish = draft.finish(reason, &self.spec.name);
        Ok(Finish { cost: self.spec.price.and_then(|price| price.of_usage(&finish.usage)), ..finish })
    }

    /// Takes one frame in.
    fn frame(&self, frame: &Frame, is_cut: bool, draft: &mut Draft) -> Result<(), Failed> {
        let data = frame.data.trim();
        if data == "[DONE]" {
            draft.is_over = true;
            return Ok(());
        }
        let value: Value = match serde_json::from_str(data) {
            Ok(value) => value,
            // The half of a frame at the end of a connection that broke: the reply is cut, not wrong.
            Err(_) if is_cut => return Ok(()),
            Err(error) => return Err(self.malformed(&format!("{error} in {}", quote(data))).into()),
        };
        if let Some(told) = Told::from_frame(&value) {
            let midway = draft.has_begun();
            let error = told.meaning_midway(&self.connection.address());
            return Err(Failed::Error { error, midway, retry_after: None });
        }
        dialect::read(self.spec.provider.kind, &value, draft);
        Ok(())
    }

    fn malformed(&self, detail: &str) -> ProviderError {
        ProviderError::Malformed { address: self.connection.address(), detail: quote(detail) }
    }
}

/// A prompt of which the server read less than could be: no tokenizer that is in use makes tokens of more than eight
/// bytes on average, and short prompts are left alone.
fn prompt_cut(request: &Request, read: Option<u64>) -> Option<Notice> {
    const SHORT: u64 = 256;
    let at_least = request.text_bytes() as u64 / 8;
    let read = read.filter(|read| *read < at_least && at_least > SHORT)?;
    Some(Notice::PromptCut { read, at_least })
}

/// Nothing of ours panics while it holds one of these; what they hold is whole in any case.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server that does not stream answers with one object, which may have line ends in it.
fn framing(response: &Response, kind: Kind) -> Framing {
    let content = response.headers().get("content-type").and_then(|content| content.to_str().ok()).unwrap_or_default();
    match content.split(';').next().unwrap_or_default().trim() {
        "text/event-stream" => Framing::ServerSentEvents,
        "application/x-ndjson" | "application/jsonl" => Framing::JsonLines,
        // Gateways call Ollama's lines by many names.
        _ if kind == Kind::Ollama => Framing::JsonLines,
        "application/json" => Framing::Whole,
        _ => Framing::ServerSentEvents,
    }
}
