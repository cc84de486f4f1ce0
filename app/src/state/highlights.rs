//! Colours of the lines in view, computed in the background.
//!
//! A text that is shown has a *window* of coloured lines around the view. Whoever draws says which lines it shows;
//! when they leave the window, the service is asked for a new one and the old colours stay until it answers. An edit
//! moves the colours with the text at once, so typing never flickers.

use std::ops::Range;
use std::path::Path;

use diff::lines::Content;
use editor::change::ChangeSet;
use editor::document::Document;
use editor::syntax::{Language, Limits, LineSpan, Request, Service};
use editor::text::Text;
use rustc_hash::FxHashMap;

use super::documents::DocumentId;
use crate::code_view::lines::TextKey;
use crate::tasks::{Poll, Task, Tasks, Waker};

/// A text whose colours are wanted.
pub enum Source<'a> {
    Document(DocumentId, &'a Document),
    /// A side that does not change, and the path that tells its language.
    Fixed(&'a Content, &'a Path),
}

/// Lines coloured before and after the view, so that scrolling finds them ready.
const MARGIN: u32 = 120;

/// Texts remembered; those not wanted for longest are forgotten.
const KEPT: usize = 96;

/// Fixed texts up to this many bytes become a rope at once; larger ones on a worker.
const SMALL: usize = 16 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Document(DocumentId),
    Fixed { address: usize, len: usize },
}

enum Body {
    /// Follows a document's versions.
    Document,
    Ready(Text),
    Converting(Task<Text>),
}

struct Coloured {
    number: u64,
    language: Language,
    body: Body,
    /// Keeps the bytes alive whose address is the key.
    _content: Option<Content>,
    version: u64,
    text: Option<Text>,
    asked: Option<(u64, Range<u32>)>,
    /// Whether the answer to what was asked last is still to come.
    waiting: bool,
    first: u32,
    lines: Vec<Box<[LineSpan]>>,
    headers: FxHashMap<u32, Option<String>>,
    wanted_headers: Vec<u32>,
    notice: Option<String>,
    used: u64,
}

/// All colours.
pub struct Highlights {
    service: Service,
    texts: FxHashMap<Key, Coloured>,
    last: u64,
    frame: u64,
    unasked: bool,
}

impl Highlights {
    /// Starts the worker.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(limits: Limits, waker: &Waker) -> std::io::Result<Self> {
        let waker = waker.clone();
        let service = Service::start(1, limits, move || waker.wake())?;
        Ok(Self { service, texts: FxHashMap::default(), last: 0, frame: 0, unasked: false })
    }

    /// Says that these lines of a text are in view, and which gaps want the header of what encloses them.
    pub fn want(&mut self, source: &Source<'_>, lines: Range<u32>, tasks: &Tasks) {
        let frame = self.frame;
        let Some(text) = self.text_mut(source, tasks) else { return };
        text.used = frame;
        let inside = lines.start >= text.first && lines.end <= text.first + text.lines.len() as u32;
        let known = text.asked.as_ref().is_some_and(|(version, asked)| {
            *version == text.version && asked.start <= lines.start && asked.end >= lines.end
        });
        let missing_header = text.wanted_headers.iter().any(|line| !text.headers.contains_key(line));
        if known && (inside || text.asked.is_some()) && !missing_header {
            return;
        }
        let window = lines.start.saturating_sub(MARGIN)..lines.end.saturating_add(MARGIN);
        let Some(body) = text.text.clone() else { return };
        let mut request = Request::new(text.number, text.version, text.language, body, window.clone());
        request.enclosing = std::mem::take(&mut text.wanted_headers);
        for line in &request.enclosing {
            text.headers.entry(*line).or_insert(None); // asked once
        }
        text.asked = Some((text.version, window));
        text.waiting = true;
        self.service.request(request);
    }

    /// The colours of a line; none while they are not known.
    pub fn spans(&self, key: TextKey, line: u32) -> &[LineSpan] {
        let Some(text) = self.texts.get(&key_of(key)) else { return &[] };
        let n = line.checked_sub(text.first).map(|n| n as usize);
        n.and_then(|n| text.lines.get(n)).map_or(&[], |spans| spans)
    }

    /// Whether the colours of all lines of a text are known.
    pub fn is_known(&self, key: TextKey, lines: u32) -> bool {
        let text = self.texts.get(&key_of(key));
        text.is_some_and(|text| !text.waiting && text.first == 0 && text.lines.len() as u32 >= lines)
    }

    /// The header of what encloses a line; asks for it when it is not known.
    pub fn enclosing(&mut self, key: TextKey, line: u32) -> Option<&str> {
        let text = self.texts.get_mut(&key_of(key))?;
        if !text.headers.contains_key(&line) {
            text.wanted_headers.push(line);
            self.unasked = true;
            return None;
        }
        text.headers.get(&line)?.as_deref()
    }

    /// Whether something became wanted after it could be asked for in this frame: another frame is needed.
    pub fn take_unasked(&mut self) -> bool {
        std::mem::take(&mut self.unasked)
    }

    /// Why a text has no colours, if so.
    pub fn notice(&self, key: TextKey) -> Option<&str> {
        self.texts.get(&key_of(key))?.notice.as_deref()
    }

    /// Whether every question was answered.
    pub fn is_idle(&self) -> bool {
        self.texts.values().all(|text| !text.waiting)
    }

    /// Takes answers in and forgets texts that nobody looked at for long. Called once a frame.
    pub fn take_results(&mut self) {
        self.frame += 1;
        for text in self.texts.values_mut() {
            text.take_converted();
        }
        for answer in self.service.poll() {
            let Some(text) = self.texts.values_mut().find(|t| t.number == answer.key) else { continue };
            text.waiting &= text.asked.as_ref().is_some_and(|(asked, _)| *asked != answer.version);
            if answer.version != text.version {
                continue; // the text went on; a newer request is under way
            }
            text.first = answer.lines.start;
            text.lines = answer.spans;
            text.headers.extend(answer.enclosing);
            text.notice = answer.notice.map(|notice| notice.to_string());
        }
        while self.texts.len() > KEPT {
            let Some((&key, _)) = self.texts.iter().min_by_key(|(_, text)| text.used) else { break };
            if let Some(text) = self.texts.remove(&key) {
                self.service.forget(text.number);
            }
        }
    }

    /// Forgets a closed document.
    pub fn forget(&mut self, id: DocumentId) {
        if let Some(text) = self.texts.remove(&Key::Document(id)) {
            self.service.forget(text.number);
        }
    }

    fn text_mut(&mut self, source: &Source<'_>, tasks: &Tasks) -> Option<&mut Coloured> {
        let key = match source {
            Source::Document(id, _) => Key::Document(*id),
            Source::Fixed(content, _) => Key::Fixed { address: content.bytes().as_ptr() as usize, len: content.len() },
        };
        if !self.texts.contains_key(&key) {
            let language = language_of(source)?;
            self.last += 1;
            self.texts.insert(key, Coloured::new(self.last, language, source, tasks));
        }
        let text = self.texts.get_mut(&key)?;
        text.follow(source);
        Some(text)
    }
}

fn key_of(key: TextKey) -> Key {
    match key {
        TextKey::Document { id, .. } => Key::Document(DocumentId(id)),
        TextKey::Content { address, len } => Key::Fixed { address, len },
    }
}

fn language_of(source: &Source<'_>) -> Option<Language> {
    match source {
        Source::Document(_, document) => Language::from_name(document.language()?),
        Source::Fixed(content, path) => {
            let first = &content.line_text(0)[..content.line_text(0).len().min(256)];
            Language::from_path(path, &String::from_utf8_lossy(first))
        }
    }
}

impl Coloured {
    fn new(number: u64, language: Language, source: &Source<'_>, tasks: &Tasks) -> Self {
        let (body, content, version) = match source {
            Source::Document(_, document) => (Body::Document, None, document.version()),
            Source::Fixed(content, _) if content.len() <= SMALL => {
                let text = Text::from(&*String::from_utf8_lossy(content.bytes()));
                (Body::Ready(text), Some((*content).clone()), 0)
            }
            Source::Fixed(content, _) => {
                let bytes = (*content).clone();
                let task =
                    tasks.spawn("read text to colour", move |_| Text::from(&*String::from_utf8_lossy(bytes.bytes())));
                (Body::Converting(task), Some((*content).clone()), 0)
            }
        };
        Self {
            number,
            language,
            body,
            _content: content,
            version,
            text: None,
            asked: None,
            waiting: false,
            first: 0,
            lines: Vec::new(),
            headers: FxHashMap::default(),
            wanted_headers: Vec::new(),
            notice: None,
            used: 0,
        }
    }

    /// Takes in what a worker made a rope of, whether it is still looked at or not.
    fn take_converted(&mut self) {
        if let Body::Converting(task) = &self.body
            && let Poll::Ready(text) = task.poll()
        {
            self.body = Body::Ready(text);
        }
    }

    /// Brings the text and its colours up to date with the source.
    fn follow(&mut self, source: &Source<'_>) {
        match (&mut self.body, source) {
            (Body::Document, Source::Document(_, document)) => {
                if let Some(before) = self.text.take_if(|_| document.version() != self.version) {
                    self.move_colours(before, document);
                }
                self.version = document.version();
                self.text = Some(document.text().clone());
            }
            (Body::Ready(text), _) => {
                if self.text.is_none() {
                    self.text = Some(text.clone());
                }
            }
            (Body::Converting(_), _) | (Body::Document, Source::Fixed(..)) => {}
        }
    }

    fn move_colours(&mut self, mut before: Text, document: &Document) {
        let Some(changes) = document.changes_since(self.version) else {
            self.lines.clear();
            return;
        };
        self.headers.clear();
        for change in changes {
            let after = change.apply(&before);
            self.move_over(&change, &before, &after);
            before = after;
        }
    }

    fn move_over(&mut self, change: &ChangeSet, before: &Text, after: &Text) {
        // From the end, so that line numbers before an edit still hold.
        for edit in change.edits().rev() {
            let old = before.line_of(edit.old.start)..before.line_of(edit.old.end) + 1;
            let new = after.line_of(edit.new.start)..after.line_of(edit.new.end) + 1;
            let end = self.first + self.lines.len() as u32;
            if old.start >= end {
                continue;
            }
            if old.start < self.first {
                // The window starts inside or after the edit: keep what follows it.
                let cut = old.end.saturating_sub(self.first).min(self.lines.len() as u32);
                self.lines.drain(..cut as usize);
                self.first = (self.first.max(old.end) + new.end).saturating_sub(old.end);
                continue;
            }
            let from = (old.start - self.first) as usize;
            let to = ((old.end.min(end)) - self.first) as usize;
            let column = (edit.old.start - before.line_start(old.start)) as u32;
            let kept = if old.len() == 1 && new.len() == 1 {
                shifted(&self.lines[from], column, edit.old.len() as u32, edit.insert.len() as u32)
            } else {
                self.lines[from].iter().filter(|s| s.end <= column).copied().collect()
            };
            let empty = (1..new.len()).map(|_| Box::default());
            self.lines.splice(from..to, std::iter::once(kept).chain(empty));
        }
    }
}

/// The colours of a line in which `removed` bytes at `column` became `inserted` ones.
fn shifted(spans: &[LineSpan], column: u32, removed: u32, inserted: u32) -> Box<[LineSpan]> {
    let end = column + removed;
    let map = |at: u32, grows: bool| match at {
        at if at < column || (at == column && !grows) => at,
        at if at >= end => at - removed + inserted,
        _ => column + inserted,
    };
    spans
        .iter()
        .map(|s| LineSpan { start: map(s.start, s.start > column), end: map(s.end, true), token: s.token })
        .filter(|s| s.start < s.end)
        .collect()
}

#[cfg(test)]
mod tests {
    use editor::syntax::Token;

    use super::*;

    fn spans(list: &[(u32, u32)]) -> Box<[LineSpan]> {
        list.iter().map(|&(start, end)| LineSpan { start, end, token: Token::Keyword }).collect()
    }

    fn moved(list: &[(u32, u32)], column: u32, removed: u32, inserted: u32) -> Vec<(u32, u32)> {
        shifted(&spans(list), column, removed, inserted).iter().map(|s| (s.start, s.end)).collect()
    }

    #[test]
    fn a_text_that_nobody_looks_at_any_more_keeps_nothing_busy() {
        let (woken, wakes) = crossbeam_channel::bounded(8);
        let waker = Waker::new(move || {
            let _ = woken.try_send(());
        });
        let tasks = Tasks::start(1, waker.clone()).unwrap();
        let mut highlights = Highlights::start(Limits::default(), &waker).unwrap();
        let content = Content::new("fn main() {}\n".repeat(SMALL).into_bytes()).unwrap();
        highlights.want(&Source::Fixed(&content, Path::new("main.rs")), 0..20, &tasks);
        assert!(!tasks.is_idle(), "it is made a rope of in the background");
        wakes.recv().unwrap();
        highlights.take_results();
        assert!(tasks.is_idle() && highlights.is_idle());
    }

    #[test]
    fn typing_moves_the_colours_behind_it_and_grows_the_word_it_is_in() {
        assert_eq!(moved(&[(0, 3), (4, 6)], 5, 0, 1), [(0, 3), (4, 7)]);
        assert_eq!(moved(&[(0, 3), (4, 6)], 3, 0, 2), [(0, 5), (6, 8)]);
        assert_eq!(moved(&[(4, 6)], 0, 0, 4), [(8, 10)]);
    }

    #[test]
    fn deleting_cuts_the_colours_it_covers() {
        assert_eq!(moved(&[(0, 3), (4, 9)], 2, 4, 0), [(0, 2), (2, 5)]);
        assert_eq!(moved(&[(2, 4)], 1, 5, 0), []);
    }
}
