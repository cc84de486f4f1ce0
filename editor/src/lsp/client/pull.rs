//! Asking a server what it says of a file: after it was opened and after changes, once they pause.
//!
//! One question a file is under way at a time. A change makes the question one of an old text, so it is cancelled and asked
//! anew. Servers may put off an answer, and may say that everything changed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_lsp::ErrorCode;
use serde_json::{Value, json};

use super::{Client, Order, Way, report};
use crate::lsp::calls::{DocumentDiagnostic, Unanswered};

/// What is asked about one file.
#[derive(Debug, Default)]
pub struct Pulling {
    /// Counts what was put off; an older one that comes due is of no use any more.
    turn: u64,
    /// Whether something is put off, and whether for its own sake.
    due: Option<Due>,
    /// The question that is under way, and the number of the text it is about.
    asked: Option<(i32, i32)>,
    /// How often in a row the server put it off.
    refused: u32,
}

/// Why a file is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// Another file changed.
    Other,
    /// It was opened or changed, or the server wants it.
    Own,
}

impl Client {
    /// Asks about a file when its changes pause.
    pub(super) fn pull_soon(&mut self, path: &Path) {
        let pause = self.setting.pace.pull;
        self.pull_later(path, pause, Due::Own);
    }

    /// Asks about all other files after a change of `path`, where one depends on the other.
    pub(super) fn pull_others(&mut self, path: &Path) {
        if !self.can().pull.is_some_and(|pull| pull.between_files) {
            return;
        }
        let pause = self.setting.pace.pull_others;
        let others: Vec<_> = self.documents.keys().filter(|other| *other != path).cloned().collect();
        for other in others {
            self.pull_later(&other, pause, Due::Other);
        }
    }

    /// Asks about all files, for the server says that its answers have changed.
    pub(super) fn pull_all(&mut self) {
        let paths: Vec<_> = self.documents.keys().cloned().collect();
        for path in paths {
            self.pull_soon(&path);
        }
    }

    fn pull_later(&mut self, path: &Path, pause: Duration, why: Due) {
        if self.can().pull.is_none() || !self.documents.contains_key(path) {
            return;
        }
        let pulling = self.pulling.entry(path.to_owned()).or_default();
        if pulling.due > Some(why) {
            return; // it is asked about sooner
        }
        pulling.turn += 1;
        pulling.due = Some(why);
        if let Some((id, _)) = pulling.asked.take_if(|_| why == Due::Own) {
            self.calls.cancel(id);
        }
        let (path, turn, socket) = (path.to_owned(), pulling.turn, self.calls.socket().clone());
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            // A server that is gone is asked nothing.
            let _ = socket.emit(Order::PullDue { path, turn });
        });
    }

    /// Asks about a file, if nothing has happened since it was put off.
    pub(super) fn pull(&mut self, path: &Path, turn: u64) {
        let (Some(can), Some(document)) = (self.can().pull, self.documents.get(path)) else { return };
        let Some(pulling) = self.pulling.get_mut(path).filter(|pulling| pulling.turn == turn) else { return };
        pulling.due = None;
        if let Some((id, _)) = pulling.asked.take() {
            self.calls.cancel(id);
        }
        let mut parameters = json!({"textDocument": {"uri": document.uri}});
        if let Some(identifier) = can.identifier {
            parameters["identifier"] = identifier.into();
        }
        let previous = self.files.get(path).and_then(|of_file| of_file.pulled.name.clone());
        if let Some(previous) = previous {
            parameters["previousResultId"] = previous.into();
        }
        let call = self.calls.send::<DocumentDiagnostic>(parameters);
        pulling.asked = Some((call.id, document.number()));
        let (calls, time, path, id) = (self.calls.clone(), self.setting.pace.request, path.to_owned(), call.id);
        tokio::spawn(async move {
            let answer = call.within(time, &calls).await;
            // A client that is gone is not told.
            let _ = calls.socket().emit(Order::Pulled { path, id, answer });
        });
    }

    /// Takes the answer about a file, if it is the one that is waited for.
    pub(super) fn pulled(&mut self, path: &Path, id: i32, answer: Result<Value, Unanswered>) {
        if answer.as_ref().is_err_and(|error| error.is(ErrorCode::METHOD_NOT_FOUND)) {
            // It said that it could be asked, and cannot: of the one text as little as of the next.
            if let Some(capabilities) = &mut self.capabilities {
                capabilities.pull = None;
            }
        }
        let Some(pulling) = self.pulling.get_mut(path) else { return };
        let Some((_, number)) = pulling.asked.take_if(|(asked, _)| *asked == id) else { return };
        let error = match answer {
            Ok(answer) => {
                pulling.refused = 0;
                return self.take_answer(path, number, &answer);
            }
            Err(error) => error,
        };
        if !asks_again(&error) {
            return;
        }
        let pause = self.setting.pace.pull * 2u32.saturating_pow(pulling.refused.min(6));
        pulling.refused += 1;
        self.pull_later(path, pause, Due::Own);
    }

    fn take_answer(&mut self, path: &Path, number: i32, answer: &Value) {
        let related = answer["relatedDocuments"].as_object().into_iter().flatten();
        let related: Vec<(PathBuf, &Value)> =
            related.filter_map(|(uri, report)| Some((report::path_of(uri)?, report))).collect();
        self.take_report(path.to_owned(), Some(number), answer);
        for (path, report) in related {
            // They are about the texts as they are.
            self.take_report(path, None, report);
        }
    }

    fn take_report(&mut self, path: PathBuf, number: Option<i32>, report: &Value) {
        let name = report["resultId"].as_str().map(str::to_owned);
        if report["kind"] == "unchanged" {
            if let Some(of_file) = self.files.get_mut(&path) {
                of_file.pulled.name = name;
            }
            // All the same it is news that nothing changed: who waits for an answer has it.
            return self.tell(&path);
        }
        self.take(path, Way::Pulled, &report["items"], number, name);
    }

    /// Asks nothing more about a file.
    pub(super) fn stop_pulling(&mut self, path: &Path) {
        let Some(pulling) = self.pulling.remove(path) else { return };
        if let Some((id, _)) = pulling.asked {
            self.calls.cancel(id);
        }
    }
}

/// Whether the server put the answer off, and wants to be asked again.
fn asks_again(error: &Unanswered) -> bool {
    let Unanswered::Refused(refused) = error else { return false };
    match refused.code {
        ErrorCode::CONTENT_MODIFIED => true,
        ErrorCode::SERVER_CANCELLED => {
            let data = refused.data.as_ref();
            data.and_then(|data| data["retriggerRequest"].as_bool()).unwrap_or(true)
        }
        _ => false,
    }
}
