//! What is said of a review: where each thread stands on its page, and what is being written.
//!
//! A *composer* is an input that is open: for a new thread, a reply, a draft, or a message that is edited. What it holds
//! goes to the store whenever its writer pauses, as a draft in its thread or, of a message that is edited, beside it; so
//! closing it, the window or the machine loses a moment at most.
//!
//! Nothing here draws, and nothing here looks for places; see [`super::discussing`].

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use diff::comments::{Anchor, Id, Message, Moment, Origin, Placement, Thread};
use diff::git::Side;
use diff::store::{SheetId, Write};

use super::FileIndex;
use super::discussing::Job;
use crate::state::desk::ReviewDesk;
use crate::tasks::Task;

/// How long somebody does not type before what is written is kept.
const PAUSE: Duration = Duration::from_millis(300);

/// Where a thread is on the page.
#[derive(Clone, Debug)]
pub struct Placed {
    pub thread: Id,
    pub file: FileIndex,
    pub side: Side,
    /// Where its lines are; none until that was found out.
    pub placement: Option<Placement>,
    /// Which contents of the file that is true of.
    pub(super) contents: u32,
}

/// What a composer is for.
#[derive(Clone, Debug)]
pub enum Target {
    /// A thread that is not begun.
    New { file: FileIndex, side: Side, lines: Range<u32>, anchor: Box<Anchor>, origin: Option<Origin> },
    /// A message at the end of a thread.
    Reply(Id),
    /// A message that is kept but not sent.
    Draft { thread: Id, message: Id },
    /// A message that was sent.
    Edit { thread: Id, message: Id },
}

/// An input that is open.
#[derive(Clone, Debug)]
pub struct Composer {
    /// Tells it from others for as long as the window lives.
    pub number: u64,
    pub target: Target,
    pub text: String,
    /// What of it the store has.
    kept: String,
    /// When it was last typed into, while that is not kept.
    changed: Option<Instant>,
    /// It is to have the keyboard.
    pub take_focus: bool,
}

impl Composer {
    /// The thread it is in, if that is begun.
    pub fn thread(&self) -> Option<Id> {
        match &self.target {
            Target::New { .. } => None,
            Target::Reply(thread) | Target::Draft { thread, .. } | Target::Edit { thread, .. } => Some(*thread),
        }
    }

    /// The message it changes, if that is begun.
    pub fn message(&self) -> Option<Id> {
        match &self.target {
            Target::New { .. } | Target::Reply(_) => None,
            Target::Draft { message, .. } | Target::Edit { message, .. } => Some(*message),
        }
    }

    /// Its text was typed into.
    pub fn touch(&mut self) {
        self.changed = Some(Instant::now());
    }
}

/// What is said of a review.
#[derive(Default)]
pub struct Discussion {
    /// Threads of files that are in the review, in the order of its page.
    pub placed: Vec<Placed>,
    pub composers: Vec<Composer>,
    /// Who comments, as git is told; none where it is not.
    pub author: Option<String>,
    /// Files that have something below their lines.
    pub below: BTreeSet<FileIndex>,
    /// What `placed` was made of: the desk's version, and the listing.
    pub(super) seen: Option<(u64, u64)>,
    pub(super) job: Option<Task<Vec<Job>>>,
    last: u64,
}

/// The name under which what a message becomes is kept while it is edited.
fn draft_name(message: Id) -> String {
    let digits = message.as_bytes().iter().map(|byte| format!("{byte:02x}"));
    format!("edit {}", digits.collect::<String>())
}

impl Discussion {
    /// Whether places are being looked for, or something typed is not kept.
    pub fn is_busy(&self) -> bool {
        self.job.is_some() || self.composers.iter().any(|composer| composer.changed.is_some())
    }

    /// Where a thread is.
    pub fn place(&self, thread: Id) -> Option<&Placed> {
        self.placed.iter().find(|placed| placed.thread == thread)
    }

    /// How many threads a file has.
    pub fn count(&self, file: FileIndex) -> usize {
        let from = self.placed.partition_point(|placed| placed.file < file);
        self.placed[from..].iter().take_while(|placed| placed.file == file).count()
    }

    /// A composer by its number.
    pub fn composer_mut(&mut self, number: u64) -> Option<&mut Composer> {
        self.composers.iter_mut().find(|composer| composer.number == number)
    }

    /// Opens a composer, or gives the keyboard to the one that is open for the same.
    pub fn compose(&mut self, target: Target, desk: &ReviewDesk, sheet: SheetId) {
        let is_same = |composer: &Composer| match (&composer.target, &target) {
            (
                Target::New { file, side, lines, .. },
                Target::New { file: new_file, side: new_side, lines: new_lines, .. },
            ) => (file, side, lines.end) == (new_file, new_side, new_lines.end),
            (Target::Reply(one) | Target::Draft { thread: one, .. }, Target::Reply(other)) => one == other,
            _ => composer.message().is_some() && composer.message() == message_of(&target),
        };
        if let Some(open) = self.composers.iter_mut().find(|composer| is_same(composer)) {
            open.take_focus = true;
            return;
        }
        let said = |thread: Id, message: Id| {
            let thread = desk.comments(sheet)?.thread(thread)?;
            Some(thread.messages.iter().find(|known| known.id == message)?.text.clone())
        };
        let (text, kept) = match &target {
            Target::New { .. } | Target::Reply(_) => (String::new(), String::new()),
            Target::Draft { thread, message } => {
                let text = said(*thread, *message).unwrap_or_default();
                (text.clone(), text)
            }
            Target::Edit { thread, message } => {
                let begun = desk.drafts(sheet).and_then(|drafts| drafts.get(&draft_name(*message))).cloned();
                let kept = begun.clone().unwrap_or_default();
                (begun.or_else(|| said(*thread, *message)).unwrap_or_default(), kept)
            }
        };
        self.last += 1;
        self.composers.push(Composer { number: self.last, target, text, kept, changed: None, take_focus: true });
    }

    /// Whether an edit of a message was begun and not finished.
    pub fn is_edit_kept(message: Id, desk: &ReviewDesk, sheet: SheetId) -> bool {
        desk.drafts(sheet).is_some_and(|drafts| drafts.contains_key(&draft_name(message)))
    }

    /// Keeps what was typed where its writer paused; all of it if `at_once`. Says when the next pause will be long enough.
    pub(super) fn keep(
        &mut self,
        desk: &mut ReviewDesk,
        sheet: SheetId,
        source: &str,
        at_once: bool,
    ) -> Option<Duration> {
        let mut wait: Option<Duration> = None;
        for at in 0..self.composers.len() {
            let Some(changed) = self.composers[at].changed else { continue };
            let left = PAUSE.saturating_sub(changed.elapsed());
            if !at_once && !left.is_zero() {
                wait = Some(wait.map_or(left, |wait| wait.min(left)));
                continue;
            }
            self.keep_one(at, desk, sheet, source);
        }
        wait
    }

    fn author(&self) -> String {
        self.author.clone().unwrap_or_else(|| "You".to_owned())
    }

    fn keep_one(&mut self, at: usize, desk: &mut ReviewDesk, sheet: SheetId, source: &str) {
        let author = self.author();
        let composer = &mut self.composers[at];
        composer.changed = None;
        if composer.text == composer.kept {
            return;
        }
        let (before, text) = (composer.kept.clone(), composer.text.clone());
        match &composer.target {
            Target::New { .. } | Target::Reply(_) if text.trim().is_empty() => return,
            Target::New { .. } | Target::Reply(_) => {
                let message = Message::draft(author, &text);
                self.begin(at, message, desk, sheet, source);
            }
            Target::Draft { message, .. } => {
                let (message, at, beside) = (*message, Moment::now(), Id::new());
                desk.write(sheet, Write::Edit { message, before, text, at, beside });
            }
            Target::Edit { message, .. } => {
                desk.write(sheet, Write::Draft { name: draft_name(*message), before, text });
            }
        }
        let composer = &mut self.composers[at];
        composer.kept.clone_from(&composer.text);
    }

    /// Puts the first message of a composer into its thread, which is begun if it is new.
    fn begin(&mut self, at: usize, message: Message, desk: &mut ReviewDesk, sheet: SheetId, source: &str) {
        let id = message.id;
        let thread = match &self.composers[at].target {
            Target::New { file, side, lines, anchor, origin } => {
                let thread = Thread::new((**anchor).clone(), source, message);
                let (id, file, side, lines) = (thread.id, *file, *side, lines.clone());
                desk.write(sheet, Write::Begin { thread: Box::new(thread), origin: origin.clone() });
                // Where it is is known: it was just put there.
                let placement = Some(Placement::At { lines, how: diff::comments::How::Unmoved });
                let contents = u32::MAX; // looked up again when places are
                self.placed.push(Placed { thread: id, file, side, placement, contents });
                id
            }
            Target::Reply(thread) => {
                desk.write(sheet, Write::Say { thread: *thread, message });
                *thread
            }
            Target::Draft { .. } | Target::Edit { .. } => return,
        };
        self.composers[at].target = Target::Draft { thread, message: id };
    }

    /// Sends what a composer holds and closes it; an empty one is closed.
    pub fn submit(&mut self, number: u64, desk: &mut ReviewDesk, sheet: SheetId, source: &str) {
        let Some(at) = self.composers.iter().position(|composer| composer.number == number) else { return };
        if self.composers[at].text.trim().is_empty() {
            return self.discard(number, desk, sheet);
        }
        let text = self.composers[at].text.trim_end().to_owned();
        match self.composers[at].target.clone() {
            Target::New { .. } | Target::Reply(_) => {
                let message = Message::sent(self.author(), &text);
                self.begin(at, message, desk, sheet, source);
            }
            Target::Draft { message, .. } => {
                let before = self.composers[at].kept.clone();
                if before != text {
                    let (at, beside) = (Moment::now(), Id::new());
                    desk.write(sheet, Write::Edit { message, before, text, at, beside });
                }
                desk.write(sheet, Write::Send { message });
            }
            Target::Edit { thread, message } => {
                let thread = desk.comments(sheet).and_then(|comments| comments.thread(thread));
                let said = thread.and_then(|thread| thread.messages.iter().find(|known| known.id == message));
                let before = said.map(|message| message.text.clone()).unwrap_or_default();
                if before != text {
                    let (at, beside) = (Moment::now(), Id::new());
                    desk.write(sheet, Write::Edit { message, before, text, at, beside });
                }
                self.forget_edit(at, message, desk, sheet);
            }
        }
        self.composers.remove(at);
    }

    /// Closes a composer; what it holds is kept as a draft.
    pub fn leave(&mut self, number: u64, desk: &mut ReviewDesk, sheet: SheetId, source: &str) {
        let Some(at) = self.composers.iter().position(|composer| composer.number == number) else { return };
        if self.composers[at].text.trim().is_empty() {
            return self.discard(number, desk, sheet);
        }
        self.keep_one(at, desk, sheet, source);
        self.composers.remove(at);
    }

    /// Closes a composer and gives up what it holds.
    pub fn discard(&mut self, number: u64, desk: &mut ReviewDesk, sheet: SheetId) {
        let Some(at) = self.composers.iter().position(|composer| composer.number == number) else { return };
        match self.composers[at].target {
            Target::New { .. } | Target::Reply(_) => {}
            Target::Draft { thread, message } => desk.delete(sheet, thread, Some(message)),
            Target::Edit { message, .. } => self.forget_edit(at, message, desk, sheet),
        }
        self.composers.remove(at);
    }

    fn forget_edit(&mut self, at: usize, message: Id, desk: &mut ReviewDesk, sheet: SheetId) {
        let before = self.composers[at].kept.clone();
        if !before.is_empty() {
            desk.write(sheet, Write::Draft { name: draft_name(message), before, text: String::new() });
        }
    }
}

fn message_of(target: &Target) -> Option<Id> {
    match target {
        Target::New { .. } | Target::Reply(_) => None,
        Target::Draft { message, .. } | Target::Edit { message, .. } => Some(*message),
    }
}
