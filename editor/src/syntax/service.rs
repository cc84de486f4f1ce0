//! Highlighting in the background: requests for the lines on screen go in, their spans come out.
//!
//! A *key* names a document (or one side of a comparison) for as long as it is shown. Of several requests for one key
//! only the latest is answered; its tree is kept and follows the changes each request brings. Whatever is too large, too
//! slow or broken is answered with a [`Notice`] and no spans: the window says it once and shows the text plain.
//!
//! Nothing here blocks the caller: a request is put into a queue, an answer is fetched from a channel. Both are bounded:
//! the queue by the number of keys, the channel by dropping the oldest answer, which is stale by then.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use rustc_hash::FxHashMap;

use super::budget::{Budget, Stop};
use super::language::Language;
use super::paint::Span;
use super::store::{Parsed, Store};
use super::token::Token;
use super::tree::Syntax;
use crate::cancel::Cancel;
use crate::change::ChangeSet;
use crate::text::Text;

/// Answers that may wait to be fetched.
const ANSWERS: usize = 256;

/// What highlighting may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Larger texts, in bytes, are not highlighted.
    pub bytes: usize,
    /// Texts with a longer line, in bytes, are not highlighted.
    pub line_bytes: usize,
    /// How long a text may take to parse.
    pub parse: Duration,
    /// How long the spans of one request may take, after the parse.
    pub spans: Duration,
    /// Sum of memory of the trees kept, in bytes.
    pub trees: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 8 << 20,
            line_bytes: 100_000,
            parse: Duration::from_secs(5),
            spans: Duration::from_millis(500),
            trees: 128 << 20,
        }
    }
}

impl From<&crate::limits::Limits> for Limits {
    fn from(limits: &crate::limits::Limits) -> Self {
        Self {
            bytes: limits.highlight_bytes,
            line_bytes: limits.highlight_line_bytes,
            parse: limits.parse_time,
            ..Self::default()
        }
    }
}

/// A question: how are these lines of this text coloured?
#[derive(Clone, Debug)]
pub struct Request {
    /// Names the document; of several requests of one key the latest is answered.
    pub key: u64,
    /// The version of the text, given back with the answer.
    pub version: u64,
    /// The language of the text.
    pub language: Language,
    /// The text.
    pub text: Text,
    /// What leads from the text of this key's last request to this one, in order. If it is empty or does not fit, the
    /// service compares the two texts instead.
    pub changes: Vec<Arc<ChangeSet>>,
    /// The lines to answer for.
    pub lines: Range<u32>,
    /// Lines whose enclosing header is asked for as well (the gaps of a comparison).
    pub enclosing: Vec<u32>,
}

impl Request {
    /// A request for `lines` of a text, without changes known and without headers.
    pub fn new(key: u64, version: u64, language: Language, text: Text, lines: Range<u32>) -> Self {
        Self { key, version, language, text, changes: Vec::new(), lines, enclosing: Vec::new() }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Highlighted {
    /// The request's key.
    pub key: u64,
    /// The request's version.
    pub version: u64,
    /// The lines answered for: those asked for, as far as the text has them.
    pub lines: Range<u32>,
    /// One entry for each of `lines`: its spans, sorted and apart. Empty when there is a notice.
    pub spans: Vec<Box<[LineSpan]>>,
    /// The headers asked for, by line, each without one if the line is at the top level.
    pub enclosing: Vec<(u32, Option<String>)>,
    /// Why there are no spans, if so.
    pub notice: Option<Notice>,
}

/// A piece of one line and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpan {
    /// Offset of its first byte in the line.
    pub start: u32,
    /// Offset after its last byte in the line.
    pub end: u32,
    /// What it is.
    pub token: Token,
}

/// Why a text is shown plain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The text has more bytes than the limit.
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A line has more bytes than the limit.
    LongLine {
        /// The first such line, counted from 0.
        line: u32,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The text took longer to parse than allowed.
    TooSlow {
        /// The limit.
        limit: Duration,
    },
    /// The grammar does not work.
    Broken(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::TooLarge { limit } => {
                write!(f, "No highlighting: the file is larger than {} MB", limit.div_ceil(1 << 20))
            }
            Notice::LongLine { line, limit } => {
                write!(f, "No highlighting: line {} is longer than {} kB", line + 1, limit.div_ceil(1 << 10))
            }
            Notice::TooSlow { limit } => {
                write!(f, "No highlighting: parsing took longer than {:.1} s", limit.as_secs_f64())
            }
            Notice::Broken(reason) => write!(f, "No highlighting: {reason}"),
        }
    }
}

/// Background threads that parse and colour texts. Dropping it ends them.
pub struct Service {
    shared: Arc<Shared>,
    wake: Sender<()>,
    answers: Receiver<Highlighted>,
}

impl Service {
    /// Starts `workers` threads. `notify` is called on one of them whenever an answer can be fetched.
    pub fn start(workers: usize, limits: Limits, notify: impl Fn() + Send + Sync + 'static) -> std::io::Result<Self> {
        let workers = workers.max(1);
        // One token for each worker: a request that finds no room for its own knows that all are about to look.
        let (wake, woken) = bounded(workers);
        let (answer, answers) = bounded(ANSWERS);
        let queue = Queue {
            waiting: VecDeque::new(),
            latest: FxHashMap::default(),
            running: FxHashMap::default(),
            store: Store::new(limits.trees),
            closed: false,
        };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), limits, notify: Box::new(notify) });
        let service = Self { shared: shared.clone(), wake, answers: answers.clone() };
        for number in 0..workers {
            let worker = Worker {
                shared: shared.clone(),
                woken: woken.clone(),
                answer: answer.clone(),
                answers: answers.clone(),
            };
            std::thread::Builder::new().name(format!("syntax-{number}")).spawn(move || worker.run())?;
        }
        Ok(service)
    }

    /// Asks for spans. Replaces a request of the same key that has not been begun; one that has been is not answered any
    /// more if its text is another.
    pub fn request(&self, request: Request) {
        let mut queue = self.shared.lock();
        if let Some(running) = queue.running.get(&request.key)
            && running.version != request.version
        {
            running.superseded.cancel();
        }
        let base = queue.latest.insert(request.key, request.text.clone());
        match queue.waiting.iter_mut().find(|waiting| waiting.request.key == request.key) {
            Some(waiting) => waiting.supersede(request),
            None => queue.waiting.push_back(Waiting { request, base }),
        }
        drop(queue);
        // A full channel is as good: every worker is about to look.
        let _ = self.wake.try_send(());
    }

    /// The answers there are, oldest first. Never waits.
    pub fn poll(&self) -> Vec<Highlighted> {
        self.answers.try_iter().collect()
    }

    /// Stops work for `key` and forgets its tree: the document was closed.
    pub fn forget(&self, key: u64) {
        let mut queue = self.shared.lock();
        queue.waiting.retain(|waiting| waiting.request.key != key);
        queue.latest.remove(&key);
        queue.store.remove(key);
        if let Some(running) = queue.running.get_mut(&key) {
            running.forgotten = true;
            running.cancel.cancel();
            running.superseded.cancel();
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.waiting.clear();
        for running in queue.running.values() {
            running.cancel.cancel();
            running.superseded.cancel();
        }
        // Dropping `wake` after this ends the workers; waiting for them would make closing a window wait for a parse.
    }
}

/// A request nobody has looked at.
struct Waiting {
    request: Request,
    /// The text its changes start from; none if that is not known.
    base: Option<Text>,
}

impl Waiting {
    /// Takes the place of the request that waits, whose changes have to be followed all the same.
    fn supersede(&mut self, newer: Request) {
        let older = &mut self.request;
        let same = |text: &Text| text.same(&older.text);
        if older.changes.is_empty() && !self.base.as_ref().is_some_and(same) {
            self.base = None;
        }
        let mut changes = std::mem::take(&mut older.changes);
        if newer.changes.is_empty() && !newer.text.same(&older.text) {
            self.base = None;
        }
        changes.extend(newer.changes.iter().cloned());
        *older = Request { changes, ..newer };
    }
}

struct Shared {
    queue: Mutex<Queue>,
    limits: Limits,
    notify: Box<dyn Fn() + Send + Sync>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it holds the lock; if it did, the queue would still be whole.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Queue {
    waiting: VecDeque<Waiting>,
    /// The text each key was last asked about.
    latest: FxHashMap<u64, Text>,
    running: FxHashMap<u64, Running>,
    store: Store,
    closed: bool,
}

/// What a worker does for a key.
#[derive(Clone)]
struct Running {
    version: u64,
    /// Stops everything, the parse included.
    cancel: Cancel,
    /// Stops what only this answer needs. The parse goes on: the next request starts from its tree, and a text that is
    /// typed into faster than it parses would otherwise never be coloured.
    superseded: Cancel,
    forgotten: bool,
    /// It was too slow before.
    hopeless: bool,
}

struct Worker {
    shared: Arc<Shared>,
    woken: Receiver<()>,
    answer: Sender<Highlighted>,
    answers: Receiver<Highlighted>,
}

impl Worker {
    fn run(self) {
        while self.woken.recv().is_ok() {
            while let Some((request, parsed, running)) = self.next() {
                let outcome = work(&request, parsed, &running, &self.shared.limits);
                if let Some(answer) = self.finish(&request, outcome) {
                    self.send(answer);
                    (self.shared.notify)();
                }
            }
        }
    }

    /// The next request whose key no other worker is busy with, and the tree kept for it.
    fn next(&self) -> Option<(Request, Option<Parsed>, Running)> {
        let mut queue = self.shared.lock();
        let free = queue.waiting.iter().position(|waiting| !queue.running.contains_key(&waiting.request.key))?;
        let Waiting { mut request, base } = queue.waiting.remove(free)?;
        let parsed = queue.store.take(request.key, request.language);
        let follows = |parsed: &Parsed| base.as_ref().is_some_and(|base| base.same(&parsed.text));
        if !parsed.as_ref().is_some_and(follows) {
            request.changes.clear();
        }
        let running = Running {
            version: request.version,
            cancel: Cancel::new(),
            superseded: Cancel::new(),
            forgotten: false,
            hopeless: queue.store.is_hopeless(request.key, request.language, &request.text),
        };
        queue.running.insert(request.key, running.clone());
        Some((request, parsed, running))
    }

    /// Puts the tree back, and hands on the answer if anybody still wants it.
    fn finish(&self, request: &Request, outcome: Outcome) -> Option<Highlighted> {
        let mut queue = self.shared.lock();
        let forgotten = queue.running.remove(&request.key).is_none_or(|running| running.forgotten);
        if forgotten || queue.closed {
            return None;
        }
        if let Some(Notice::TooSlow { .. }) = outcome.answer.as_ref().and_then(|answer| answer.notice.as_ref()) {
            queue.store.gave_up(request.key, request.language, &request.text);
        }
        if let Some(parsed) = outcome.parsed {
            queue.store.put(request.key, parsed);
        }
        outcome.answer
    }

    fn send(&self, mut answer: Highlighted) {
        // Whoever is 256 answers behind has no use for the oldest.
        while let Err(TrySendError::Full(back)) = self.answer.try_send(answer) {
            let _ = self.answers.try_recv();
            answer = back;
        }
    }
}

/// What came of a request: the tree to keep, and an answer unless it was superseded.
struct Outcome {
    parsed: Option<Parsed>,
    answer: Option<Highlighted>,
}

fn work(request: &Request, parsed: Option<Parsed>, running: &Running, limits: &Limits) -> Outcome {
    let plain = |notice| Outcome { parsed: None, answer: Some(refused(request, notice)) };
    if running.hopeless {
        return plain(Notice::TooSlow { limit: limits.parse });
    }
    if let Some(notice) = refuse(request, parsed.as_ref(), limits) {
        return plain(notice);
    }
    let budget = Budget::within(limits.parse, &running.cancel);
    let result = match parsed {
        Some(mut parsed) => parsed.update(&request.text, &request.changes, &budget).map(|()| parsed),
        None => Parsed::new(request.language, &request.text, &budget),
    };
    match result {
        Ok(mut parsed) => {
            let budget = Budget::within(limits.spans, &running.superseded);
            let answer = answer(request, &mut parsed, &budget);
            Outcome { parsed: Some(parsed), answer }
        }
        Err(Stop::Cancelled) => Outcome { parsed: None, answer: None },
        Err(Stop::TimedOut) => plain(Notice::TooSlow { limit: limits.parse }),
        Err(Stop::Refused) => {
            let error = Syntax::prepare(request.language).err();
            plain(Notice::Broken(error.map_or_else(|| "the parser gave up".to_owned(), |error| error.to_string())))
        }
    }
}

fn answer(request: &Request, parsed: &mut Parsed, budget: &Budget) -> Option<Highlighted> {
    let text = &request.text;
    let lines = clamp(&request.lines, text);
    let range = text.line_start(lines.start)..text.line_start(lines.end);
    let spans = parsed.syntax.spans(text, range, budget);
    let enclosing = request.enclosing.iter().map(|line| (*line, parsed.syntax.enclosing(text, *line))).collect();
    let spans = by_line(text, &lines, &spans);
    if budget.check() == Err(Stop::Cancelled) {
        return None;
    }
    Some(Highlighted { key: request.key, version: request.version, lines, spans, enclosing, notice: None })
}

fn refused(request: &Request, notice: Notice) -> Highlighted {
    Highlighted {
        key: request.key,
        version: request.version,
        lines: clamp(&request.lines, &request.text),
        spans: Vec::new(),
        enclosing: request
            .enclosing
            .iter()
            .map(|line| (*line, super::scope::enclosing_by_indentation(&request.text, *line)))
            .collect(),
        notice: Some(notice),
    }
}

fn clamp(lines: &Range<u32>, text: &Text) -> Range<u32> {
    let end = lines.end.min(text.line_count());
    lines.start.min(end)..end
}

/// The limit the text is over, if any. A text whose tree is kept was looked through before; only new lines are.
fn refuse(request: &Request, parsed: Option<&Parsed>, limits: &Limits) -> Option<Notice> {
    let text = &request.text;
    if text.len() > limits.bytes {
        return Some(Notice::TooLarge { limit: limits.bytes });
    }
    if text.len() <= limits.line_bytes || parsed.is_some_and(|parsed| parsed.text.same(text)) {
        return None;
    }
    long_line(text, limits.line_bytes).map(|line| Notice::LongLine { line, limit: limits.line_bytes })
}

/// The first line longer than `limit`. O(n), at the speed of `memchr`.
fn long_line(text: &Text, limit: usize) -> Option<u32> {
    let (mut at, mut start, mut line) = (0, 0, 0);
    for piece in text.chunks(0..text.len()) {
        for end in memchr::memchr_iter(b'\n', piece.as_bytes()) {
            if at + end - start > limit {
                return Some(line);
            }
            start = at + end + 1;
            line += 1;
        }
        at += piece.len();
        if at - start > limit {
            return Some(line);
        }
    }
    None
}

/// Cuts spans at line ends; line endings themselves have none.
fn by_line(text: &Text, lines: &Range<u32>, spans: &[Span]) -> Vec<Box<[LineSpan]>> {
    let mut next = 0;
    lines
        .clone()
        .map(|line| {
            let (start, end) = (text.line_start(line), text.line_end(line));
            while spans.get(next).is_some_and(|span| span.range.end <= start) {
                next += 1;
            }
            let of_line = spans[next..].iter().take_while(|span| span.range.start < end);
            of_line
                .filter_map(|span| {
                    let (from, to) = (span.range.start.max(start), span.range.end.min(end));
                    let offsets = ((from - start) as u32, (to - start) as u32);
                    (from < to).then_some(LineSpan { start: offsets.0, end: offsets.1, token: span.token })
                })
                .collect()
        })
        .collect()
}
