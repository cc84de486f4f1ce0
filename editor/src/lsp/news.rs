//! What there is to tell, until it is fetched.
//!
//! Bounded by what it is about, not by a queue: of each file and each server only the latest is kept, and of messages as many as
//! anybody reads.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::{Event, ServerId};

/// Messages that wait; further ones are dropped.
const MESSAGES: usize = 50;

/// Where news go and where they are fetched. Clones share them.
#[derive(Clone)]
pub(super) struct News {
    waiting: Arc<Mutex<Waiting>>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Waiting {
    events: Vec<Event>,
    /// Where in `events` the latest of each subject is.
    latest: HashMap<Subject, usize>,
    messages: usize,
    /// How each server was when it was last told.
    told: HashMap<ServerId, super::State>,
    /// Of which files a server has something to say, and of which of their versions.
    spoken_of: HashMap<ServerId, HashMap<PathBuf, u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Subject(ServerId, Option<PathBuf>);

impl News {
    /// `wake` is called when there is something to fetch.
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { waiting: Arc::default(), wake }
    }

    /// Tells an event, in place of an earlier one about the same that was not fetched yet.
    pub fn tell(&self, event: Event) {
        if self.lock().add(event) {
            (self.wake)();
        }
    }

    /// Takes back all that a server said of files.
    pub fn forget(&self, server: &ServerId) {
        let spoken_of = self.lock().spoken_of.remove(server).unwrap_or_default();
        for (path, version) in spoken_of {
            self.tell(Event::Diagnostics { server: server.clone(), path, version, diagnostics: Vec::new() });
        }
    }

    /// Everything since the last time.
    pub fn fetch(&self) -> Vec<Event> {
        let mut waiting = self.lock();
        waiting.latest.clear();
        waiting.messages = 0;
        std::mem::take(&mut waiting.events)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Adds an event; whether it is the first that waits.
    fn add(&mut self, event: Event) -> bool {
        let subject = match &event {
            Event::Diagnostics { server, path, version, diagnostics } => {
                let of_server = self.spoken_of.entry(server.clone()).or_default();
                match diagnostics.is_empty() {
                    true => of_server.remove(path),
                    false => of_server.insert(path.clone(), *version),
                };
                Subject(server.clone(), Some(path.clone()))
            }
            Event::State { server, state } => {
                if self.told.insert(server.clone(), state.clone()).as_ref() == Some(state) {
                    return false; // no news
                }
                Subject(server.clone(), None)
            }
            Event::Message { .. } if self.messages == MESSAGES => return false,
            Event::Message { .. } => {
                self.messages += 1;
                self.events.push(event);
                return self.events.len() == 1;
            }
        };
        match self.latest.get(&subject).and_then(|at| self.events.get_mut(*at)) {
            Some(earlier) => {
                *earlier = event;
                false
            }
            None => {
                self.latest.insert(subject, self.events.len());
                self.events.push(event);
                self.events.len() == 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::lsp::{Severity, State};

    #[test]
    fn what_was_said_is_taken_back() {
        let news = News::new(Arc::new(|| {}));
        let server = ServerId { name: "a".into(), root: Path::new("/").into() };
        let found = crate::lsp::Diagnostic {
            range: 0..0,
            severity: Severity::Error,
            message: String::new(),
            source: None,
            code: None,
            link: None,
            unnecessary: false,
            deprecated: false,
            related: Vec::new(),
        };
        for (path, diagnostics) in [("/a", vec![found]), ("/b", Vec::new())] {
            news.tell(Event::Diagnostics { server: server.clone(), path: path.into(), version: 7, diagnostics });
        }
        news.fetch();
        news.forget(&server);
        let back =
            Event::Diagnostics { server: server.clone(), path: "/a".into(), version: 7, diagnostics: Vec::new() };
        assert_eq!(news.fetch(), [back]);
        news.forget(&server);
        assert_eq!(news.fetch(), []);
    }

    #[test]
    fn of_each_subject_the_latest_is_fetched_and_the_first_wakes() {
        let wakes = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&wakes);
        let news = News::new(Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        }));
        let server = ServerId { name: "a".into(), root: Path::new("/").into() };
        let state = |state: State| Event::State { server: server.clone(), state };
        let said = |version: u64| Event::Diagnostics {
            server: server.clone(),
            path: PathBuf::from("/a"),
            version,
            diagnostics: Vec::new(),
        };
        let message = Event::Message { server: server.clone(), severity: Severity::Error, text: "m".to_owned() };
        for event in [state(State::Starting), said(1), message.clone(), message.clone(), state(State::Ready), said(2)] {
            news.tell(event);
        }
        assert_eq!(news.fetch(), [state(State::Ready), said(2), message.clone(), message]);
        assert_eq!(wakes.load(Ordering::Relaxed), 1);
        news.tell(state(State::Ready));
        assert_eq!(news.fetch(), []);
        news.tell(state(State::Starting));
        assert_eq!(wakes.load(Ordering::Relaxed), 2);
    }
}
