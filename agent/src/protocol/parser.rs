//! The incremental parser of a reply.
//!
//! Bytes are kept until they decide something: a *step* looks at what is kept from `at` on and either takes some of it or
//! waits for more. A step never depends on how much more there happens to be, which is what makes any split of the
//! bytes give the same. What has no end marker in sight (tags' content, fences) is taken line by line; a line of a fence
//! that cannot be its end, as it comes.

use std::ops::Range;

use super::body::{Body, Taken};
use super::call::{self, NativeCall};
use super::fence::{self, Fence, MarkdownReader};
use super::json::{JsonScan, json_call_begins};
use super::prose::{NAMING, ProseLine};
use super::reply::{Ending, Event, Item, Malformed, Quirk, Reply};
use super::tag::{self, HeadPeek, Peek, Shape};
use crate::action::Action;

/// Which fenced blocks of Markdown are edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fences {
    /// None: the mode edits nothing.
    Shown,
    /// Those that name a file, before the fence or in it.
    #[default]
    Named,
    /// Those without a name, too: only one file is under discussion.
    Any,
}

/// What a parser should know of the run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which fences are edits.
    pub fences: Fences,
    /// Names of the tools that are enabled. A tag of such a name is a call.
    pub tools: Vec<String>,
}

/// Reads one reply.
#[derive(Debug)]
pub struct Parser {
    options: Options,
    /// The beginning of a character whose other bytes have not come.
    carry: Vec<u8>,
    buffer: String,
    /// What is before this in the buffer is done with.
    at: usize,
    /// Up to here the buffer is known to have no line ending from `at` on.
    scanned: usize,
    state: State,
    prose: ProseLine,
    /// The fence around tags that is yet to close.
    outer: Option<Fence>,
    /// How much of an opening tag had come when it was last looked at, and needed more.
    looked: usize,
    /// Bytes of what began like opening tags and were none.
    wasted: usize,
    /// Bytes that were kept for Markdown files whose end only the end of the reply told.
    late: usize,
    events: Vec<Event>,
    reply: Reply,
}

#[derive(Debug)]
enum State {
    Prose,
    Thought,
    Body(Body),
    Json(JsonScan),
    Fenced(Fenced),
    /// Nothing counts after a command.
    Dropped,
}

/// A fenced block that is being read.
#[derive(Debug)]
struct Fenced {
    fence: Fence,
    kind: FencedKind,
    content: String,
    /// What is at `at` is within a line whose beginning was taken.
    within: bool,
}

#[derive(Debug)]
enum FencedKind {
    /// Part of the answer.
    Shown,
    /// Perhaps a call.
    Json,
    /// Code for a file.
    Code(Option<String>),
    /// A Markdown file, whose end only what follows tells.
    Markdown(Option<String>, MarkdownReader),
}

impl Fenced {
    fn new(fence: Fence, kind: FencedKind) -> Self {
        Self { fence, kind, content: String::new(), within: false }
    }

    /// Whether this beginning of a line is certain to be content: somebody reads along while the line is written.
    fn is_content(&self, begun: &str) -> bool {
        matches!(self.kind, FencedKind::Shown | FencedKind::Code(_)) && (self.within || !self.fence.may_close(begun))
    }
}

enum Step {
    Took,
    Wait,
}

/// White space that is looked through for what follows it; beyond, it is text.
const BLANKS: usize = 256;

/// Values that begin like a call and have no end, as many as are read anew for what is in them.
const OPEN_VALUES: usize = 8;

/// Markdown files whose end only the end of the reply tells have all behind them read anew. Once that were so many bytes, the
/// first bare fence is the end of further ones.
const LATE: usize = 512 << 10;

/// Once so many bytes began like opening tags and were none, long ones are not believed in any more.
const WASTE: usize = 256 << 10;
/// The longest opening tag then.
const SHORT: usize = 256;

impl Parser {
    /// A parser at the start of a reply.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            carry: Vec::new(),
            buffer: String::new(),
            at: 0,
            scanned: 0,
            state: State::Prose,
            prose: ProseLine::default(),
            outer: None,
            looked: 0,
            wasted: 0,
            late: 0,
            events: Vec::new(),
            reply: Reply::default(),
        }
    }

    /// Takes the next bytes of the answer. Bytes that are no UTF-8 become U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.carry.extend_from_slice(bytes);
        let mut rest = &self.carry[..];
        let kept = loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.buffer.push_str(text);
                    break Vec::new();
                }
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    self.buffer.push_str(&String::from_utf8_lossy(good));
                    let Some(length) = error.error_len() else { break bad.to_vec() };
                    self.buffer.push(char::REPLACEMENT_CHARACTER);
                    rest = &bad[length..];
                }
            }
        };
        self.carry = kept;
        self.run(false);
        let done = self.at - self.may_be_read_anew();
        if done > 1 << 16 {
            self.buffer.drain(..done);
            self.scanned = self.scanned.saturating_sub(done);
            self.at -= done;
        }
        std::mem::take(&mut self.events)
    }

    /// Bytes before `at` that do not belong to the Markdown file that is being read, if it has ended.
    fn may_be_read_anew(&self) -> usize {
        match &self.state {
            State::Fenced(Fenced { kind: FencedKind::Markdown(_, reader), content, .. }) => {
                reader.closing().map_or(0, |closing| content.len() - closing.end)
            }
            _ => 0,
        }
    }

    /// Takes a piece of reasoning that the server sent apart from the answer.
    pub fn push_reasoning(&mut self, text: &str) -> Vec<Event> {
        self.reason(text);
        std::mem::take(&mut self.events)
    }

    /// Takes a native call, once it is whole.
    pub fn push_call(&mut self, call: &NativeCall) -> Vec<Event> {
        if !matches!(self.state, State::Dropped) {
            self.item(call::item(call.action()));
        }
        std::mem::take(&mut self.events)
    }

    /// Ends the reply. The last events, and all of it.
    pub fn finish(mut self, ending: Ending) -> (Vec<Event>, Reply) {
        if !std::mem::take(&mut self.carry).is_empty() {
            self.buffer.push(char::REPLACEMENT_CHARACTER);
        }
        let mut open_values = 0;
        loop {
            self.run(true);
            match std::mem::replace(&mut self.state, State::Prose) {
                State::Prose | State::Thought | State::Dropped => break,
                State::Body(body) => self.end_of_body(body, ending),
                State::Fenced(fenced) => self.end_of_fence(fenced, ending),
                State::Json(_) => {
                    // No call: its first bracket is text, and what follows is read anew.
                    open_values += 1;
                    self.prose.blank = false;
                    self.take_text(if open_values < OPEN_VALUES { 1 } else { self.buffer.len() - self.at });
                }
            }
            if self.at == self.buffer.len() {
                break;
            }
        }
        (self.events, self.reply)
    }

    fn run(&mut self, at_end: bool) {
        loop {
            let step = match &mut self.state {
                State::Prose => self.prose(at_end),
                State::Thought => self.thought(at_end),
                State::Body(_) => self.body(at_end),
                State::Json(_) => self.json(),
                State::Fenced(_) => self.fenced(at_end),
                State::Dropped => {
                    self.at = self.buffer.len();
                    Step::Wait
                }
            };
            if matches!(step, Step::Wait) || (self.at == self.buffer.len() && !matches!(self.state, State::Json(_))) {
                break;
            }
        }
    }

    // ---- Prose

    fn prose(&mut self, at_end: bool) -> Step {
        let rest = &self.buffer[self.at..];
        if self.prose.blank {
            // As a line of prose counts them.
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
            let indent = rest.bytes().take(BLANKS).take_while(is_blank).count();
            if indent == BLANKS {
                return self.take_text(indent);
            }
            match rest.as_bytes().get(indent) {
                None if at_end => return self.take_text(rest.len()),
                None => return Step::Wait,
                Some(sign @ (b'`' | b'~')) => {
                    let count = rest[indent..].bytes().take(3).take_while(|byte| byte == sign).count();
                    if count == 3 {
                        return self.fence_line(at_end);
                    }
                    if indent + count == rest.len() && !at_end {
                        return Step::Wait;
                    }
                }
                Some(b'{' | b'[') => match json_call_begins(&rest[indent..], at_end) {
                    None => return Step::Wait,
                    Some(false) => {}
                    Some(true) => {
                        self.take_text(indent);
                        self.state = State::Json(JsonScan::default());
                        return Step::Took;
                    }
                },
                Some(_) => {}
            }
        }
        match mark(rest.as_bytes()) {
            Some(0) if rest.starts_with('<') => self.angle(at_end),
            None => self.take_text(rest.len()),
            Some(found) if rest.as_bytes()[found] == b'\n' => {
                self.take_text(found + 1);
                self.prose.end_line();
                Step::Took
            }
            Some(found) => self.take_text(found),
        }
    }

    /// A `<` in prose: a tag of ours, or text.
    fn angle(&mut self, at_end: bool) -> Step {
        // In backticks it is spoken of.
        if self.prose.last == Some('`') {
            return self.take_text(1);
        }
        let rest = &self.buffer[self.at..];
        match tag::peek(rest, at_end, &self.options.tools) {
            // What follows is text up to the next mark.
            Peek::No => self.take_text(1 + mark(&rest.as_bytes()[1..]).unwrap_or(rest.len() - 1)),
            Peek::Wait => Step::Wait,
            Peek::Close(name, length) => {
                self.at += length;
                match tag::shape(&name, &self.options.tools) {
                    Some(Shape::Thought) => self.all_was_reasoning(),
                    Some(Shape::Void) => {}
                    _ => self.quirk(Quirk::StrayClosing),
                }
                Step::Took
            }
            Peek::Open(_, Shape::Thought) => {
                let Some(end) = rest.bytes().take(200).position(|byte| byte == b'>') else {
                    return if at_end || rest.len() >= 200 { self.take_text(1) } else { Step::Wait };
                };
                self.at += end + 1;
                self.state = State::Thought;
                Step::Took
            }
            // Without its end it is seldom looked at again: each look reads all of it.
            Peek::Open(..) if self.looked > 0 && !at_end && !self.may_end_now(rest) => Step::Wait,
            Peek::Open(name, shape) => match tag::head(rest, &name, shape, at_end, self.longest()) {
                HeadPeek::No(read) => {
                    self.looked = 0;
                    self.wasted += read;
                    self.take_text(1)
                }
                HeadPeek::Wait => {
                    self.looked = rest.len();
                    Step::Wait
                }
                HeadPeek::Head(head) => {
                    self.looked = 0;
                    self.at += head.length;
                    self.open(name, shape, head);
                    Step::Took
                }
            },
        }
    }

    /// The longest opening tag that is read as one.
    fn longest(&self) -> usize {
        if self.wasted < WASTE { tag::LONGEST } else { SHORT }
    }

    /// Whether an opening tag that needed more has its end now, or may be none after all.
    fn may_end_now(&self, rest: &str) -> bool {
        rest.len() >= self.looked * 2 || memchr::memchr(b'>', &rest.as_bytes()[self.looked.min(rest.len())..]).is_some()
    }

    fn open(&mut self, name: String, shape: Shape, head: tag::Head) {
        self.reply.quirks.extend(&head.quirks);
        let body = Body::new(name, shape, head.attributes);
        let path = body.path();
        self.events.push(Event::Opened { name: body.tool_name(), path });
        if head.closed || body.is_complete() {
            self.close(body, Ending::Whole);
        } else {
            self.state = State::Body(body);
        }
    }

    fn close(&mut self, body: Body, ending: Ending) {
        let (items, quirks) = body.finish(ending, &self.options.tools);
        self.reply.quirks.extend(quirks);
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: Item) {
        let last = matches!(item, Item::Action(Action::RunCommand { .. }));
        self.events.push(Event::Item(item.clone()));
        self.reply.items.push(item);
        self.prose.forget();
        if last {
            self.state = State::Dropped;
        }
    }

    fn all_was_reasoning(&mut self) {
        self.quirk(Quirk::LoneThoughtEnd);
        let text = std::mem::take(&mut self.reply.text);
        self.reply.reasoning.push_str(&text);
        self.reply.items.clear();
        self.outer = None;
        self.prose.forget();
        self.events.push(Event::AllWasReasoning);
    }

    // ---- Thoughts

    fn thought(&mut self, at_end: bool) -> Step {
        let rest = &self.buffer[self.at..];
        // Only a closing tag matters.
        let next = |from: usize| {
            let bytes = &rest.as_bytes()[from..];
            let closes = |at: &usize| bytes.get(at + 1).is_none_or(|next| *next == b'/');
            memchr::memchr_iter(b'<', bytes).find(closes).map_or(rest.len(), |at| from + at)
        };
        let found = next(0);
        if rest.is_empty() {
            return Step::Wait;
        }
        if found > 0 {
            return self.take_reasoning(found);
        }
        match tag::peek(rest, at_end, &[]) {
            Peek::Wait => Step::Wait,
            Peek::Close(name, length) if tag::shape(&name, &[]) == Some(Shape::Thought) => {
                self.at += length;
                self.state = State::Prose;
                Step::Took
            }
            _ => self.take_reasoning(next(1)),
        }
    }

    // ---- Content of tags

    fn body(&mut self, at_end: bool) -> Step {
        let Some((line, ended)) = self.next_line(at_end) else { return Step::Wait };
        let State::Body(body) = &mut self.state else { return Step::Wait };
        match body.line(&self.buffer[self.at..self.at + line], ended, &self.options.tools) {
            Taken::Line => {
                let length = line + usize::from(ended);
                add_content(&mut self.events, &self.buffer[self.at..self.at + length]);
                self.advance(length);
            }
            Taken::Closed(length) => {
                self.advance(length);
                self.close_state();
            }
        }
        Step::Took
    }

    fn close_state(&mut self) {
        if let State::Body(body) = std::mem::replace(&mut self.state, State::Prose) {
            self.prose.blank = true;
            self.close(body, Ending::Whole);
        }
    }

    fn end_of_body(&mut self, body: Body, ending: Ending) {
        self.close(body.at_end_of_reply(), ending);
    }

    // ---- JSON

    fn json(&mut self) -> Step {
        let State::Json(scan) = &mut self.state else { return Step::Wait };
        let rest = &self.buffer[self.at..];
        if !scan.follow(rest) {
            return Step::Wait;
        }
        let length = scan.length;
        self.state = State::Prose;
        match call::from_json(&rest[..length], &self.options.tools) {
            Some(items) => {
                self.quirk(Quirk::JsonCall);
                self.advance(length);
                for item in items {
                    self.item(item);
                }
                Step::Took
            }
            None => {
                self.take_text(length);
                Step::Took
            }
        }
    }

    // ---- Fences

    /// A line of prose that begins with three backticks or tildes.
    fn fence_line(&mut self, at_end: bool) -> Step {
        let Some((length, ended)) = self.next_line(at_end) else { return Step::Wait };
        let line = &self.buffer[self.at..self.at + length];
        let after = self.at + length + usize::from(ended);
        if self.outer.as_ref().is_some_and(|outer| outer.closed_by(line)) {
            self.outer = None;
            self.advance(after - self.at);
            self.prose.end_line();
            return Step::Took;
        }
        let Some(fence) = Fence::open(line) else {
            return self.take_text(after - self.at);
        };
        let Some(kind) = self.fence_kind(&fence, &self.buffer[after..], at_end) else { return Step::Wait };
        match kind {
            None => {
                self.quirk(Quirk::OuterFence);
                self.outer = Some(fence);
                self.advance(after - self.at);
                return Step::Took;
            }
            Some(FencedKind::Shown) => {
                self.take_text(after - self.at);
                self.state = State::Fenced(Fenced::new(fence, FencedKind::Shown));
            }
            Some(kind) => {
                if let FencedKind::Code(path) | FencedKind::Markdown(path, _) = &kind {
                    self.events.push(Event::Opened { name: "write_code".to_owned(), path: path.clone() });
                }
                self.advance(after - self.at);
                self.state = State::Fenced(Fenced::new(fence, kind));
            }
        }
        Step::Took
    }

    /// What a fence holds, by its first line that is not blank: outer `None` to wait for that line, inner `None` for tags
    /// of ours, which the fence only surrounds.
    #[expect(clippy::option_option, reason = "waiting and surrounding are both answers, given once, a line above")]
    fn fence_kind(&self, fence: &Fence, after: &str, at_end: bool) -> Option<Option<FencedKind>> {
        // Cut first, and then judged: how much has come in must not matter.
        let (after, at_end) = match after.len() >= BLANKS + NAMING {
            true => (&after[..after.floor_char_boundary(BLANKS + NAMING)], true),
            false => (after, at_end),
        };
        let content = after.trim_start();
        if content.is_empty() && !at_end {
            return None;
        }
        if content.starts_with('<') {
            match tag::peek(content, at_end, &self.options.tools) {
                Peek::Wait => return None,
                Peek::Open(..) => return Some(None),
                Peek::No | Peek::Close(..) => {}
            }
        }
        if content.starts_with(['{', '['])
            && matches!(fence.language.as_str(), "" | "json" | "jsonc" | "tool_call" | "tool_code" | "tool" | "xml")
        {
            match json_call_begins(content, at_end) {
                None => return None,
                Some(true) => return Some(Some(FencedKind::Json)),
                Some(false) => {}
            }
        }
        if self.options.fences == Fences::Shown {
            return Some(Some(FencedKind::Shown));
        }
        let named = fence.path().or_else(|| fence::path_in_line(&self.prose.before));
        let path = match named {
            Some(path) => Some(path),
            None => {
                let end = content.find('\n').or(at_end.then_some(content.len()))?;
                fence::path_in_comment(&content[..end])
            }
        };
        let named = path.is_some() || self.options.fences != Fences::Named;
        Some(Some(if !named || fence.only_shows(path.as_deref()) {
            FencedKind::Shown
        } else if fence.is_markdown(path.as_deref()) {
            FencedKind::Markdown(path, MarkdownReader::default())
        } else {
            FencedKind::Code(path)
        }))
    }

    fn fenced(&mut self, at_end: bool) -> Step {
        let Some((line, ended)) = self.next_line(at_end).or_else(|| self.begun_line()) else { return Step::Wait };
        let length = line + usize::from(ended);
        let State::Fenced(fenced) = &mut self.state else { return Step::Wait };
        let whole = &self.buffer[self.at..self.at + length];
        // Where a Markdown file ends its reader finds out.
        let is_read = matches!(fenced.kind, FencedKind::Markdown(..));
        let closes = !is_read && !fenced.within && fenced.fence.closed_by(&whole[..line]);
        fenced.within = !ended;
        match &mut fenced.kind {
            FencedKind::Shown => {
                add_text(&mut self.reply.text, &mut self.events, whole);
                self.at += length;
                if closes {
                    self.state = State::Prose;
                    self.prose.forget();
                }
                return Step::Took;
            }
            FencedKind::Markdown(_, reader) => {
                let from = fenced.content.len();
                fenced.content.push_str(whole);
                let mut closing = reader.line(&fenced.fence, &fenced.content, from);
                if self.late >= LATE {
                    closing = closing.or(reader.closing());
                }
                self.advance(length);
                if let Some(closing) = closing {
                    self.markdown_closed(&closing);
                }
                return Step::Took;
            }
            FencedKind::Code(_) if !closes => {
                fenced.content.push_str(whole);
                add_content(&mut self.events, whole);
            }
            FencedKind::Json if !closes => fenced.content.push_str(whole),
            FencedKind::Code(_) | FencedKind::Json => {
                self.advance(length);
                let State::Fenced(fenced) = std::mem::replace(&mut self.state, State::Prose) else {
                    return Step::Wait;
                };
                self.prose.forget();
                self.fence_closed(fenced);
                return Step::Took;
            }
        }
        self.advance(length);
        Step::Took
    }

    fn fence_closed(&mut self, fenced: Fenced) {
        match fenced.kind {
            FencedKind::Json => match call::from_json(&fenced.content, &self.options.tools) {
                Some(items) => {
                    self.quirk(Quirk::JsonCall);
                    for item in items {
                        self.item(item);
                    }
                }
                None => self.text(&fenced.content),
            },
            FencedKind::Code(path) | FencedKind::Markdown(path, _) => self.code(path, fenced.content),
            FencedKind::Shown => {}
        }
    }

    /// A Markdown file has ended with that line of its content; what came after it is read anew, for what it is.
    fn markdown_closed(&mut self, closing: &Range<usize>) {
        let State::Fenced(mut fenced) = std::mem::replace(&mut self.state, State::Prose) else { return };
        self.at -= fenced.content.len() - closing.end;
        self.scanned = self.at;
        fenced.content.truncate(closing.start);
        self.events.push(Event::Content(fenced.content.clone()));
        self.prose.forget();
        self.fence_closed(fenced);
    }

    fn code(&mut self, path: Option<String>, content: String) {
        let item = if content.trim().is_empty() {
            Item::Malformed(Malformed::Empty { tag: "write_code".to_owned() })
        } else {
            Item::Action(Action::WriteCode { path, content })
        };
        self.item(item);
    }

    fn end_of_fence(&mut self, fenced: Fenced, ending: Ending) {
        match fenced.kind {
            FencedKind::Shown => {}
            FencedKind::Json => match call::from_json(&fenced.content, &self.options.tools) {
                Some(_) => self.fence_closed(fenced),
                None => self.text(&fenced.content),
            },
            FencedKind::Code(path) => self.item(Item::Malformed(Malformed::FenceNotClosed { path, ending })),
            FencedKind::Markdown(path, _) => self.markdown(fenced.fence, path, fenced.content, ending),
        }
    }

    /// A Markdown file, and all of the reply after it.
    fn markdown(&mut self, fence: Fence, path: Option<String>, content: String, ending: Ending) {
        self.late += content.len();
        let lines: Vec<&str> = content.split_inclusive('\n').collect();
        let Some(end) = fence::markdown_end(&fence, &lines) else {
            let fenced_inside = lines.iter().any(|line| fence.closed_by(line));
            if ending == Ending::Whole && fenced_inside {
                self.quirk(Quirk::MissingClosing);
                self.events.push(Event::Content(content.clone()));
                self.code(path, content);
            } else {
                self.item(Item::Malformed(Malformed::FenceNotClosed { path, ending }));
            }
            return;
        };
        let inside: String = lines[..end].concat();
        let after: String = lines[end + 1..].concat();
        self.events.push(Event::Content(inside.clone()));
        self.prose.forget();
        self.code(path, inside);
        // What follows it has not been read yet, for what it is.
        self.buffer.truncate(self.at);
        self.buffer.push_str(&after);
        self.scanned = self.at;
    }

    // ---- Taking

    /// The length of the line at `at`, and whether it has an ending; `None` when more of it may come.
    fn next_line(&mut self, at_end: bool) -> Option<(usize, bool)> {
        let from = self.scanned.max(self.at);
        match memchr::memchr(b'\n', &self.buffer.as_bytes()[from..]) {
            Some(found) => {
                self.scanned = from + found;
                Some((from + found - self.at, true))
            }
            None => {
                self.scanned = self.buffer.len();
                (at_end && self.at < self.buffer.len()).then_some((self.buffer.len() - self.at, false))
            }
        }
    }

    /// The beginning of the line at `at` of a fenced block, once it is certain that the line is content.
    fn begun_line(&self) -> Option<(usize, bool)> {
        let State::Fenced(fenced) = &self.state else { return None };
        let begun = &self.buffer[self.at..];
        (!begun.is_empty() && fenced.is_content(begun)).then_some((begun.len(), false))
    }

    fn advance(&mut self, length: usize) {
        self.at += length;
    }

    fn take_text(&mut self, length: usize) -> Step {
        let piece = &self.buffer[self.at..self.at + length];
        self.prose.push(piece);
        add_text(&mut self.reply.text, &mut self.events, piece);
        self.at += length;
        Step::Took
    }

    fn text(&mut self, piece: &str) {
        add_text(&mut self.reply.text, &mut self.events, piece);
    }

    fn take_reasoning(&mut self, length: usize) -> Step {
        add_reasoning(&mut self.reply.reasoning, &mut self.events, &self.buffer[self.at..self.at + length]);
        self.at += length;
        Step::Took
    }

    fn reason(&mut self, piece: &str) {
        add_reasoning(&mut self.reply.reasoning, &mut self.events, piece);
    }

    fn quirk(&mut self, quirk: Quirk) {
        self.reply.quirks.push(quirk);
    }
}

/// Adds a piece of the answer, to the event before it where that is one, too.
fn add_text(answer: &mut String, events: &mut Vec<Event>, piece: &str) {
    if piece.is_empty() {
        return;
    }
    answer.push_str(piece);
    match events.last_mut() {
        Some(Event::Text(text)) => text.push_str(piece),
        _ => events.push(Event::Text(piece.to_owned())),
    }
}

/// The same for reasoning.
fn add_reasoning(reasoning: &mut String, events: &mut Vec<Event>, piece: &str) {
    if piece.is_empty() {
        return;
    }
    reasoning.push_str(piece);
    match events.last_mut() {
        Some(Event::Reasoning(text)) => text.push_str(piece),
        _ => events.push(Event::Reasoning(piece.to_owned())),
    }
}

/// Adds what an action writes. A file of a million lines is no million events.
fn add_content(events: &mut Vec<Event>, piece: &str) {
    match events.last_mut() {
        Some(Event::Content(text)) => text.push_str(piece),
        _ => events.push(Event::Content(piece.to_owned())),
    }
}

/// Where a line of prose ends, or something begins that may be a tag.
fn mark(rest: &[u8]) -> Option<usize> {
    let may_begin = |next: Option<&u8>| next.is_none_or(|next| next.is_ascii_alphabetic() || *next == b'/');
    memchr::memchr2_iter(b'<', b'\n', rest).find(|at| rest[*at] == b'\n' || may_begin(rest.get(at + 1)))
}

/// Reads a whole reply at once.
pub fn parse(bytes: &[u8], options: Options, ending: Ending) -> Reply {
    let mut parser = Parser::new(options);
    parser.push(bytes);
    parser.finish(ending).1
}
