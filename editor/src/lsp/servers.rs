//! The servers of a workspace, as whoever owns the documents sees them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

use crossbeam_channel::{Receiver, bounded};

use super::event::Event;
use super::hub::Hub;
use super::launch::Launch;
use super::mailbox::{Deed, Mailbox, Wish};
use super::news::News;
use super::pace::Pace;
use super::transport::{Processes, Start};
use crate::change::ChangeSet;
use crate::limits::Limits;
use crate::syntax::Language;
use crate::text::Text;

/// The servers of one workspace, on a thread of their own. Dropping it ends them all, without waiting.
///
/// No function here waits, but for [`shut_down`](Self::shut_down). A server is started when a document of its language is opened
/// and it is among those that are allowed; what none serves is ignored.
pub struct Servers {
    mailbox: Arc<Mailbox>,
    news: News,
    /// Disconnected once all servers have ended.
    ended: Receiver<()>,
}

impl Servers {
    /// Starts the thread, and no server yet. Servers of `launches` may be started in folders at or below `root`; `wake`
    /// is called from the thread when there is something to [`drain`](Self::drain).
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(root: PathBuf, launches: Vec<Launch>, wake: Arc<dyn Fn() + Send + Sync>) -> io::Result<Self> {
        Self::with(root, launches, wake, Arc::new(Processes), Pace::default(), Limits::default())
    }

    pub(super) fn with(
        root: PathBuf,
        launches: Vec<Launch>,
        wake: Arc<dyn Fn() + Send + Sync>,
        start: Arc<dyn Start>,
        pace: Pace,
        limits: Limits,
    ) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (mailbox, news) = (Arc::new(Mailbox::default()), News::new(wake));
        let hub = Hub::new(root, launches, start, news.clone(), pace, limits);
        let (end, ended) = bounded::<()>(0);
        let inbox = Arc::clone(&mailbox);
        thread::Builder::new().name("language-servers".to_owned()).spawn(move || {
            runtime.block_on(hub.run(inbox));
            // What is left of servers goes with their runtime, before their end is told.
            drop(runtime);
            drop(end);
        })?;
        Ok(Self { mailbox, news, ended })
    }

    /// A document is open; servers of its language are started, or told. A path that is not absolute is ignored.
    pub fn open(&self, path: &Path, language: Language, text: &Text, version: u64) {
        self.mailbox.deed(path, Deed::Open { language, text: text.clone(), version });
    }

    /// A document was changed: `changes` made `after` of `before`. Versions may be left out, but never go back.
    pub fn change(&self, path: &Path, version: u64, after: &Text, changes: &ChangeSet, before: &Text) {
        let (before, text, change) = (before.clone(), after.clone(), Some(changes.clone()));
        self.mailbox.deed(path, Deed::Change { version, before, text, change });
    }

    /// A document was saved as `text`.
    pub fn save(&self, path: &Path, text: &Text) {
        self.mailbox.deed(path, Deed::Save { text: text.clone() });
    }

    /// A document is not open any more.
    pub fn close(&self, path: &Path) {
        self.mailbox.deed(path, Deed::Close);
    }

    /// Allows a server, in place of one of the same name: documents that are open are told to it, too.
    pub fn allow(&self, launch: Launch) {
        self.mailbox.wish(Wish::Allow(launch));
    }

    /// Ends a server, and starts it no more. What it said is taken back.
    pub fn forbid(&self, name: &str) {
        self.mailbox.wish(Wish::Forbid(name.to_owned()));
    }

    /// Starts a server again, one that gave up or was missing, too.
    pub fn restart(&self, name: &str) {
        self.mailbox.wish(Wish::Restart(name.to_owned()));
    }

    /// What is new since the last time.
    pub fn drain(&self) -> Vec<Event> {
        self.news.fetch()
    }

    /// Ends all servers, and waits for that, but no longer than `patience`: before the program ends, so that none stays.
    pub fn shut_down(self, patience: Duration) {
        self.mailbox.close();
        // It ends by being disconnected; whoever waited long enough goes on without.
        let _ = self.ended.recv_timeout(patience);
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.mailbox.close();
    }
}
