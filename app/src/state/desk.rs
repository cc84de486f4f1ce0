//! What readers leave in reviews, as this window keeps it: marks and comments of every repository under review.
//!
//! The store has a thread and a file ([`diff::store`]); this hands over what pages and panes changed, and gives pages what
//! was read or what another window wrote. The file is opened with the first review that keeps anything.
//!
//! Invariant: what a frame changed is handed over before the frame ends, so nothing that was shown waits here.

use std::path::PathBuf;

use diff::comments::{Id, Message, Thread};
use diff::store::{Comments, Desk, Drafts, Event, Identity, Kind, SheetId, Write};

use super::notices::Notices;
use super::reviews::{OpenReview, Reviews};
use crate::tasks::Tasks;

/// The store, once a review needs it.
pub struct ReviewDesk {
    path: PathBuf,
    desk: Option<Desk>,
    /// The system gave no thread: said once, and not tried again.
    failed: bool,
    /// Grows whenever comments or drafts are others, for what is derived from them.
    version: u64,
    /// What was deleted last, to be brought back.
    deleted: Option<(SheetId, Deleted)>,
}

/// See [`ReviewDesk::restore`].
enum Deleted {
    Thread(Box<Thread>),
    Message(Id, Message),
}

impl ReviewDesk {
    /// A desk over a file, which is not opened yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, desk: None, failed: false, version: 0, deleted: None }
    }

    /// The sheet of a repository, whether a review of it is open or not; none if nothing can be kept.
    pub fn sheet(&mut self, identity: &Identity, notices: &mut Notices, tasks: &Tasks) -> Option<SheetId> {
        self.open(notices, tasks);
        Some(self.desk.as_mut()?.sheet(identity))
    }

    /// Whether what is kept there was read.
    pub fn is_read(&self, sheet: SheetId) -> bool {
        self.desk.as_ref().is_some_and(|desk| desk.is_read(sheet))
    }

    /// Whether everything was read and everything is written.
    pub fn is_settled(&self) -> bool {
        self.desk.as_ref().is_none_or(Desk::is_settled)
    }

    /// Has the thread look whether another window wrote, now.
    pub fn look(&mut self) {
        if let Some(desk) = &mut self.desk {
            desk.look();
        }
    }

    /// Takes in what the store has to say, and gives pages their marks. Once a frame, after reviews took their results;
    /// never waits.
    pub fn follow(&mut self, reviews: &mut Reviews, notices: &mut Notices, tasks: &Tasks) {
        let fresh = |review: &OpenReview| review.sheet.is_none() && review.identity.is_some();
        if reviews.iter().any(|(_, review)| fresh(review)) {
            self.lay_out(reviews, notices, tasks);
        }
        self.hand_over(reviews);
        let Some(desk) = &mut self.desk else { return };
        for event in desk.poll() {
            match event {
                Event::Changed(sheet, Kind::Marks) => set_marks(desk, sheet, reviews, None),
                Event::Changed(_, Kind::Comments | Kind::Drafts) => self.version += 1,
                Event::Notice(text) => notices.warn(text),
            }
        }
    }

    /// Hands marks that pages changed to the store, and to other pages of the same repository.
    pub fn hand_over(&mut self, reviews: &mut Reviews) {
        let Some(desk) = &mut self.desk else { return };
        let mut changed = Vec::new();
        for (id, review) in reviews.iter_mut() {
            let Some(sheet) = review.sheet else { continue };
            let changes = review.page.take_mark_changes();
            if !changes.is_empty() {
                desk.write(sheet, Write::Marks(changes));
                changed.push((id, sheet));
            }
        }
        for (id, sheet) in changed {
            set_marks(desk, sheet, reviews, Some(id));
        }
    }

    /// Grows whenever comments or drafts are others.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What was said in a repository.
    pub fn comments(&self, sheet: SheetId) -> Option<&Comments> {
        self.desk.as_ref().map(|desk| desk.comments(sheet))
    }

    /// Texts that are being written there, other than comments.
    pub fn drafts(&self, sheet: SheetId) -> Option<&Drafts> {
        self.desk.as_ref().map(|desk| desk.drafts(sheet))
    }

    /// Changes what is kept: here at once, in the file as soon as may be.
    pub fn write(&mut self, sheet: SheetId, write: Write) {
        if let Some(desk) = &mut self.desk {
            desk.write(sheet, write);
            self.version += 1;
        }
    }

    /// Deletes a thread, or one message of it; it can be restored.
    pub fn delete(&mut self, sheet: SheetId, thread: Id, message: Option<Id>) {
        let Some(found) = self.comments(sheet).and_then(|comments| comments.thread(thread)) else { return };
        let message = message.and_then(|id| found.messages.iter().find(|message| message.id == id));
        match message.filter(|_| found.messages.len() > 1).cloned() {
            Some(message) => {
                let write = Write::Withdraw { message: message.id };
                self.deleted = Some((sheet, Deleted::Message(thread, message)));
                self.write(sheet, write);
            }
            None => {
                self.deleted = Some((sheet, Deleted::Thread(Box::new(found.clone()))));
                self.write(sheet, Write::Remove { thread });
            }
        }
    }

    /// Brings back what was deleted last; whether there is anything.
    pub fn restore(&mut self) -> bool {
        let Some((sheet, deleted)) = self.deleted.take() else { return false };
        let write = match deleted {
            Deleted::Thread(thread) => Write::Begin { thread, origin: None },
            // The store remembers that the old one was withdrawn.
            Deleted::Message(thread, message) => Write::Say { thread, message: Message { id: Id::new(), ..message } },
        };
        self.write(sheet, write);
        true
    }

    /// Opens the store, unless that was done.
    fn open(&mut self, notices: &mut Notices, tasks: &Tasks) {
        if self.desk.is_some() || self.failed {
            return;
        }
        match Desk::open(&self.path, tasks.waker().as_fn()) {
            Ok(desk) => self.desk = Some(desk),
            Err(error) => {
                self.failed = true;
                notices.error(format!("Ticks and comments are not kept: no thread to keep them ({error})."));
            }
        }
    }

    /// Finds the sheets of reviews that have none.
    fn lay_out(&mut self, reviews: &mut Reviews, notices: &mut Notices, tasks: &Tasks) {
        self.open(notices, tasks);
        let Some(desk) = &mut self.desk else { return };
        for (_, review) in reviews.iter_mut() {
            let (None, Some(identity)) = (review.sheet, &review.identity) else { continue };
            let sheet = desk.sheet(identity);
            review.sheet = Some(sheet);
            // What was set before anybody knew where to keep it goes on top of what is kept.
            let changes = review.page.take_mark_changes();
            if !changes.is_empty() {
                desk.write(sheet, Write::Marks(changes));
            }
            review.page.set_marks(desk.marks(sheet).clone());
            if let Some(comparison) = &review.comparison {
                review.page.set_name(&comparison.source().to_string());
            }
            self.version += 1;
        }
    }
}

/// Gives the pages of a repository, but for one that has them, the marks of its sheet.
fn set_marks(desk: &Desk, sheet: SheetId, reviews: &mut Reviews, but: Option<super::reviews::ReviewId>) {
    for (id, review) in reviews.iter_mut() {
        if review.sheet == Some(sheet) && Some(id) != but && *review.page.marks() != *desk.marks(sheet) {
            review.page.set_marks(desk.marks(sheet).clone());
        }
    }
}
