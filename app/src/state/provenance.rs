//! Who wrote the lines that are shown: which model, in which run of which conversation, as the store of sessions has it.
//!
//! It is looked up in the background, once for each text that is shown of a file that an agent ever wrote. While somebody
//! types, what is known goes with the text; once they pause it is looked up anew. A text that was read anew from the disk
//! is looked up at once.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::session::Author;
use diff::lines::Content;
use editor::document::Document;
use editor::text::Text;
use rustc_hash::FxHashMap;

use super::chats::thread::Room;
use super::documents::{DocumentId, OpenDocument};
use crate::code_view::lines::TextKey;
use crate::tasks::{Poll, Task, Tasks};

/// How long nobody types before the lines are looked up anew.
const PAUSE: Duration = Duration::from_millis(400);
/// Texts other than documents that are remembered.
const KEPT: usize = 256;

/// Where lines come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub author: Author,
    /// What the conversation is about; none if it was removed.
    pub conversation: Option<String>,
    /// What the run was asked.
    pub prompt: String,
}

/// Neighbouring lines that a model wrote in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Counted from 0.
    pub lines: Range<u32>,
    pub origin: Arc<Origin>,
}

type Found = Result<Vec<Written>, String>;

/// What is known of a document.
struct Known {
    version: u64,
    text: Text,
    written: Vec<Written>,
    /// When it was last typed in, while it is to be looked up.
    stale: Option<Instant>,
    task: Option<(u64, Task<Found>)>,
}

/// What is known of a text that does not change, which is held so that its key stays its own.
struct Fixed {
    _content: Content,
    written: Vec<Written>,
    task: Option<Task<Found>>,
}

/// See the module.
#[derive(Default)]
pub struct Provenance {
    room: Option<Room>,
    /// The files of the project that an agent ever wrote.
    files: Option<BTreeSet<String>>,
    listing: Option<Task<Result<BTreeSet<String>, String>>>,
    documents: FxHashMap<DocumentId, Known>,
    contents: FxHashMap<TextKey, Fixed>,
}

impl Provenance {
    /// The project whose files are shown.
    pub fn enter(&mut self, room: Option<&Room>) {
        let is_same = match (&self.room, room) {
            (Some(known), Some(room)) => known.root == room.root,
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            *self = Self { room: room.cloned(), ..Self::default() };
        }
    }

    /// An agent wrote files: what is shown is looked up anew.
    pub fn refresh(&mut self) {
        self.files = None;
        self.listing = None;
        self.contents.clear();
        for known in self.documents.values_mut() {
            (known.stale, known.task) = (Some(at_once()), None);
        }
    }

    /// Whether something is being looked up.
    pub fn is_busy(&self) -> bool {
        self.listing.is_some()
            || self.documents.values().any(|known| known.task.is_some())
            || self.contents.values().any(|fixed| fixed.task.is_some())
    }

    /// Takes in what was found. Never waits.
    pub fn take_results(&mut self) {
        match self.listing.as_ref().map(Task::poll) {
            Some(Poll::Ready(files)) => {
                self.files = Some(files.unwrap_or_else(|why| {
                    tracing::warn!("who wrote which lines is not known: {why}");
                    BTreeSet::new()
                }));
                self.listing = None;
            }
            Some(Poll::Lost) => (self.files, self.listing) = (Some(BTreeSet::new()), None),
            Some(Poll::Pending) | None => {}
        }
        for known in self.documents.values_mut() {
            let Some((version, task)) = &known.task else { continue };
            match task.poll() {
                Poll::Pending => continue,
                Poll::Ready(Ok(written)) if *version == known.version => known.written = written,
                Poll::Ready(_) | Poll::Lost => {}
            }
            known.task = None;
        }
        for fixed in self.contents.values_mut() {
            match fixed.task.as_ref().map(Task::poll) {
                Some(Poll::Ready(found)) => fixed.written = found.unwrap_or_default(),
                Some(Poll::Lost) => {}
                Some(Poll::Pending) | None => continue,
            }
            fixed.task = None;
        }
    }

    /// Forgets a document that was closed.
    pub fn retain(&mut self, is_open: impl Fn(DocumentId) -> bool) {
        self.documents.retain(|id, _| is_open(*id));
    }

    /// The path of a file from the project's root on, if an agent ever wrote it.
    fn written_path(&mut self, path: &Path, tasks: &Tasks) -> Option<String> {
        let room = self.room.as_ref()?;
        let within = path.strip_prefix(&room.root).ok()?.to_str()?.replace('\\', "/");
        let Some(files) = &self.files else {
            if self.listing.is_none() {
                let room = room.clone();
                self.listing = Some(tasks.spawn("list files that agents wrote", move |_| {
                    let listed =
                        || anyhow::Ok(room.store_if_any()?.map(|mut store| store.written(&project(&room.root))));
                    match listed().map_err(|error| format!("{error:#}"))? {
                        Some(files) => files.map_err(|error| error.to_string()),
                        None => Ok(BTreeSet::new()),
                    }
                }));
            }
            return None;
        };
        files.contains(&within).then_some(within)
    }

    /// Who wrote the lines of a document; what is known of it so far. Says when to look again.
    pub fn of_document(
        &mut self,
        id: DocumentId,
        path: &Path,
        open: &OpenDocument,
        tasks: &Tasks,
    ) -> (&[Written], Option<Duration>) {
        let document = &open.document;
        let Some(within) = self.written_path(path, tasks) else { return (&[], None) };
        let Some(room) = self.room.clone() else { return (&[], None) };
        let known = self.documents.entry(id).or_insert_with(|| Known {
            version: document.version(),
            text: document.text().clone(),
            written: Vec::new(),
            stale: Some(at_once()),
            task: None,
        });
        known.follow(document, open.is_dirty());
        let mut wait = None;
        if let Some(since) = known.stale.filter(|_| known.task.is_none()) {
            let left = PAUSE.saturating_sub(since.elapsed());
            if left.is_zero() {
                let (text, root) = (known.text.clone(), room.root.clone());
                let look = move || look(&room, &root, &within, &text.to_string());
                known.task = Some((known.version, tasks.spawn("who wrote lines", move |_| look())));
                known.stale = None;
            } else {
                wait = Some(left);
            }
        }
        (&known.written, wait)
    }

    /// Who wrote the lines of a text that does not change.
    pub fn of_content(&mut self, path: &Path, content: &Content, tasks: &Tasks) -> &[Written] {
        let Some(within) = self.written_path(path, tasks) else { return &[] };
        let Some(room) = self.room.clone() else { return &[] };
        let key = TextKey::of_content(content);
        if self.contents.len() >= KEPT && !self.contents.contains_key(&key) {
            self.contents.clear();
        }
        let fixed = self.contents.entry(key).or_insert_with(|| {
            let (text, root) = (content.clone(), room.root.clone());
            let look = move || look(&room, &root, &within, &String::from_utf8_lossy(text.bytes()));
            let task = tasks.spawn("who wrote lines", move |_| look());
            Fixed { _content: content.clone(), written: Vec::new(), task: Some(task) }
        });
        &fixed.written
    }
}

/// When nobody has typed for long enough.
fn at_once() -> Instant {
    Instant::now().checked_sub(PAUSE).unwrap_or_else(Instant::now)
}

/// What a project is called in the store.
fn project(root: &Path) -> String {
    root.to_string_lossy().into_owned()
}

fn look(room: &Room, root: &Path, path: &str, text: &str) -> Found {
    let found = || -> anyhow::Result<Vec<Written>> {
        let Some(mut store) = room.store_if_any()? else { return Ok(Vec::new()) };
        let mut origins: Vec<Arc<Origin>> = Vec::new();
        let mut written = Vec::new();
        for blame in store.blame(&project(root), path, text)? {
            let Some(author) = blame.author else { continue };
            let known = origins.iter().find(|origin| origin.author == author).cloned();
            let origin = known.unwrap_or_else(|| {
                let conversation = store.session(author.session.as_str()).ok().map(|info| info.title);
                let prompts = store.prompts(&author.session).unwrap_or_default();
                let prompt = prompts.into_iter().find(|(run, _)| *run == author.run).map(|(_, prompt)| prompt);
                let origin = Arc::new(Origin { author, conversation, prompt: prompt.unwrap_or_default() });
                origins.push(origin.clone());
                origin
            });
            written.push(Written { lines: blame.first..blame.first + blame.count, origin });
        }
        Ok(written)
    };
    found().map_err(|error| format!("{error:#}"))
}

impl Known {
    /// Lets what is known go with what was typed, or read anew.
    fn follow(&mut self, document: &Document, typed: bool) {
        if document.version() == self.version {
            return;
        }
        match document.changes_since(self.version) {
            Some(changes) => {
                for change in changes {
                    // From the end on, so that the lines before are still where they were.
                    let edits: Vec<_> = change.edits().map(|edit| (edit.old.clone(), edit.insert.to_owned())).collect();
                    for (old, insert) in edits.into_iter().rev() {
                        let (lines, count) = touched(&self.text, &old, &insert);
                        splice(&mut self.written, &lines, count);
                    }
                    self.text = change.apply(&self.text);
                }
            }
            None => self.written.clear(),
        }
        self.text = document.text().clone();
        self.version = document.version();
        self.stale = Some(if typed { Instant::now() } else { at_once() });
        self.task = None;
    }
}

/// The lines that an edit takes the place of, and how many it makes of them.
fn touched(text: &Text, old: &Range<usize>, insert: &str) -> (Range<u32>, u32) {
    let (first, last) = (text.line_of(old.start), text.line_of(old.end));
    let breaks = insert.matches('\n').count() as u32;
    let is_whole = old.start == text.line_start(first) && old.end == text.line_start(last);
    // Whole lines that come or go leave those around them as they are.
    if is_whole && (insert.is_empty() || insert.ends_with('\n')) {
        return (first..last, breaks);
    }
    (first..last + 1, breaks + 1)
}

/// Puts `count` lines of a person's in the place of some.
fn splice(written: &mut Vec<Written>, lines: &Range<u32>, count: u32) {
    let moved = |line: u32| line - lines.end + lines.start + count;
    let mut spliced = Vec::with_capacity(written.len() + 1);
    for Written { lines: of, origin } in written.drain(..) {
        let before = of.start..of.end.min(lines.start);
        let behind = of.start.max(lines.end)..of.end;
        if before.start < before.end {
            spliced.push(Written { lines: before, origin: origin.clone() });
        }
        if behind.start < behind.end {
            spliced.push(Written { lines: moved(behind.start)..moved(behind.end), origin });
        }
    }
    *written = spliced;
}

#[cfg(test)]
mod tests {
    use agent::event::{Moment, SessionId};

    use super::*;

    /// Lines that a model wrote, after edits; each replaces the first text by the second.
    fn followed(text: &str, written: (u32, u32), edits: &[(&str, &str)]) -> Vec<(u32, u32)> {
        let author =
            Author { session: SessionId::from("s".to_owned()), run: 1, step: 1, model: "m".to_owned(), at: Moment(0) };
        let origin = Arc::new(Origin { author, conversation: None, prompt: String::new() });
        let mut found = vec![Written { lines: written.0..written.1, origin }];
        let mut text = text.to_owned();
        for (old, new) in edits {
            let at = text.find(old).unwrap();
            let (lines, count) = touched(&Text::from(text.as_str()), &(at..at + old.len()), new);
            splice(&mut found, &lines, count);
            text.replace_range(at..at + old.len(), new);
        }
        found.into_iter().map(|written| (written.lines.start, written.lines.end)).collect()
    }

    #[test]
    fn what_a_model_wrote_goes_with_the_text_until_somebody_changes_it() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(followed(text, (1, 3), &[("one\n", "one\nmore\n")]), [(2, 4)], "a line above");
        assert_eq!(followed(text, (1, 3), &[("one\n", "")]), [(0, 2)]);
        assert_eq!(followed(text, (1, 3), &[("two", "2")]), [(2, 3)], "the changed line is a person's");
        assert_eq!(followed(text, (0, 4), &[("three\n", "3\nthree\n")]), [(0, 2), (4, 5)]);
        assert_eq!(followed(text, (0, 4), &[("wo\nth", "")]), [(0, 1), (2, 3)]);
        assert_eq!(followed(text, (0, 4), &[("three\nfour\n", "")]), [(0, 2)]);
    }
}
