//! One step: a request that fits, its reply as it comes in, and what follows from it.

use std::time::{Duration, Instant};

use editor::Cancel;

use super::detect::Runaway;
use super::unkept::PAUSE;
use super::{Agent, Flow, Running, keep_changed, prompt, second, start};
use crate::audit::{self, Deed};
use crate::context::{Body, Entry, budget};
use crate::event::{End, EventKind, Progress, Recast};
use crate::protocol::{self, Ending, Fences, Item, NativeCall, Parser};
use crate::provider::{
    Call, EditForm, Event, Finish, FinishReason, Message, ProviderError, Reasoning, Request, SessionKey, Token, Tool,
    Usage, Waiting,
};
use crate::session::Place;
use crate::tool::Toolbox;

/// How often a stop is looked for while the model is waited for.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// The temperature of a step after one that repeated an error: cold, the model would write the same once more.
const WARM: f32 = 0.6;
/// How often a small model is asked anew in a run.
const ANEW: u32 = 3;
/// What is said once while a server loads its model.
pub(super) const LOADING: &str = "the server loads the model; the request waits for it";
/// Malformed native calls after which text is used.
pub(super) const BENT: u32 = 2;

/// A reply, whole or as far as it came.
pub(super) struct Received {
    pub(super) reply: protocol::Reply,
    /// As the model wrote it.
    text: String,
    reasoning: Option<Reasoning>,
    pub(super) calls: Vec<Call>,
    reason: FinishReason,
    /// The tokens of the text, if they were asked for and the server told them.
    tokens: Vec<Token>,
    stopped: bool,
    runaway: bool,
}

impl Agent {
    pub(super) fn step(&mut self, run: &mut Running, cancel: &Cancel) -> Flow {
        run.step += 1;
        let model = self.setup.chat.spec().name.clone();
        self.emit(run.number, EventKind::Step { step: run.step, limit: run.limit, model });
        self.hear_tasks(run);
        if run.step > 1 {
            self.snapshot(run, &[]);
        }
        let tools = start::tools(self, run.mode);
        let mut overflows = 0;
        let received = loop {
            let Some(request) = self.request(run, &tools, cancel) else { return self.too_long(run) };
            match self.receive(run, request, &tools, cancel) {
                Ok(received) => break received,
                Err(ProviderError::ContextOverflow { prompt, limit }) if overflows < 2 => {
                    overflows += 1;
                    self.learn_overflow(prompt, limit);
                    if !self.summarise(run, cancel) {
                        return self.too_long(run);
                    }
                }
                // There are templates that let nobody begin a reply for the model.
                Err(ProviderError::Refused { .. } | ProviderError::Failed { .. }) if run.begun.take().is_some() => {
                    run.beginnings.clear();
                    run.stuck = true;
                }
                Err(error) => return self.failed(run, &error),
            }
        };
        self.after_reply(run, received, &tools, cancel)
    }

    /// The request of this step, made to fit; none if it cannot be.
    fn request(&mut self, run: &mut Running, tools: &Toolbox, cancel: &Cancel) -> Option<Request> {
        let system = prompt::system(self.teaching(run.mode), tools);
        let schemas = if self.native { super::act::schemas(run.mode, tools) } else { Vec::new() };
        let fixed =
            system.len() + schemas.iter().map(|t| t.description.len() + t.schema.to_string().len()).sum::<usize>();
        let limits = self.budget();
        let reduced = budget::reduce(&mut self.conversation, &limits, fixed);
        if !reduced.told.is_empty() {
            keep_changed(self, &reduced.entries, run.number);
            self.notice(
                run.number,
                format!("to make room, these are no longer shown whole: {}", reduced.told.join(", ")),
            );
        }
        if limits.is_tight(fixed + budget::bytes(&self.conversation)) {
            self.summarise(run, cancel);
        }
        if !limits.fits(fixed + budget::bytes(&self.conversation)) {
            return None;
        }
        let mut messages = self.conversation.messages(&system);
        messages.extend(run.begun.as_deref().map(Message::assistant));
        let mut request = Request {
            messages,
            tools: schemas,
            tokens: self.may_ask_anew(run),
            output_limit: u32::try_from(limits.reply).ok(),
            temperature: run.stuck.then_some(WARM),
            effort: run.effort,
            session: Some(self.key()),
            ..Request::default()
        };
        if !self.sees {
            request.without_pictures(); // what another model was shown
        }
        Some(request)
    }

    /// Requests of one session share a slot of the server.
    pub(super) fn key(&self) -> SessionKey {
        let hash = blake3::hash(self.session.as_str().as_bytes());
        SessionKey(u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default()))
    }

    /// Sends a request and takes its reply in.
    pub(super) fn receive(
        &mut self,
        run: &mut Running,
        request: Request,
        tools: &Toolbox,
        cancel: &Cancel,
    ) -> Result<Received, ProviderError> {
        // How many tokens a picture is, nobody knows: with one, the tokens of a text cannot be learnt.
        let bytes = if request.picture_bytes() > 0 { 0 } else { request.text_bytes() };
        let sent = Sent::of(run, &request);
        let options = protocol::Options { fences: self.fences(run), tools: tools.names() };
        let mut incoming = Incoming::new(options, run.begun.clone());
        let events = incoming.begin();
        self.tell(run, events);
        let runtime = self.setup.runtime.clone();
        let mut reply = {
            let _inside = runtime.enter();
            self.setup.chat.send(request)
        };
        loop {
            if cancel.is_cancelled() {
                incoming.stopped = true;
                break;
            }
            let patience = if self.unkept.is_any() { PAUSE } else { LOOK };
            let next = runtime.block_on(async { tokio::time::timeout(patience, reply.next()).await });
            let event = match next {
                Err(_) => {
                    self.keep_rest();
                    continue; // nothing for a while: look whether to stop
                }
                Ok(None) => break,
                Ok(Some(Err(error))) if incoming.text.trim().is_empty() || !is_cut(&error) => {
                    self.keep_void(run, &incoming.text);
                    return Err(error);
                }
                Ok(Some(Err(error))) => {
                    // What came is worth keeping; what is not whole in it is not done.
                    incoming.finish.reason = FinishReason::Broken;
                    self.notice(run.number, error.to_string());
                    break;
                }
                Ok(Some(Ok(event))) => event,
            };
            match &event {
                Event::Sending { to, model } => self.record(run.number, sent.deed(to, model)),
                Event::Restarted { .. } => self.keep_void(run, &incoming.text),
                _ => {}
            }
            let events = incoming.take(event);
            self.tell(run, events);
            if incoming.runaway {
                self.notice(run.number, "the reply repeated itself without end and was cut off");
                break;
            }
        }
        // Closes the connection of one that is not whole. It may just have gone out to another server.
        for event in runtime.block_on(reply.give_up()) {
            if let Event::Sending { to, model } = event {
                self.record(run.number, sent.deed(&to, &model));
            }
        }
        let written = incoming.first.map(|first| first.elapsed()).unwrap_or_default();
        let (events, received, answer) = incoming.finish();
        self.tell(run, events);
        self.learn_usage(run, bytes, answer, written);
        Ok(received)
    }

    fn tell(&mut self, run: &Running, events: Vec<EventKind>) {
        for kind in events {
            let is_reply =
                matches!(kind, EventKind::Text { .. } | EventKind::Reasoning { .. } | EventKind::Writing { .. });
            if !run.quiet || !is_reply {
                self.emit(run.number, kind);
            }
        }
    }

    /// Keeps a reply that does not count, beside the conversation: it may be what somebody wants to look into.
    fn keep_void(&mut self, run: &Running, text: &str) {
        if run.quiet || text.trim().is_empty() {
            return;
        }
        let body = Body::Reply { text: text.trim_end().to_owned(), reasoning: None, calls: Vec::new() };
        let entry = Entry { place: Place::default(), run: run.number, step: run.step, body };
        if let Ok(message) = serde_json::to_value(&entry) {
            let kept = self.store.keep_void(&self.session, run.number, &message);
            self.note_store(kept, run.number);
        }
    }

    fn learn_usage(&mut self, run: &Running, bytes: usize, answer: Answered, written: Duration) {
        let Answered { usage, by, because, cost } = answer;
        let Some(prompt) = usage.prompt else { return };
        if bytes > 0 {
            self.estimate.learn(bytes, prompt);
        }
        let kind = EventKind::Usage {
            prompt,
            cached: usage.cached.unwrap_or(0),
            completion: usage.completion.unwrap_or(0),
            window: self.window.unwrap_or(0),
            milliseconds: usage.timings.completion.unwrap_or(written).as_millis() as u64,
            answered_by: by,
            because,
            reading: usage.timings.prompt.map(|time| time.as_millis() as u64),
            cost,
        };
        self.emit(run.number, kind);
    }

    fn learn_overflow(&mut self, prompt: Option<u64>, limit: Option<u64>) {
        let sent = prompt.unwrap_or_else(|| self.estimate.tokens(budget::bytes(&self.conversation)));
        self.window = Some(limit.unwrap_or(sent / 10 * 9));
    }

    /// Which fenced blocks are edits: with one file under discussion, those without a name, too.
    fn fences(&self, run: &Running) -> Fences {
        match (run.mode.edits(), self.only_file(run).is_some()) {
            (false, _) => Fences::Shown,
            (true, true) if self.edit_form() != EditForm::Blocks => Fences::Any,
            (true, _) => Fences::Named,
        }
    }

    /// The only file under discussion, if there is just one.
    pub(super) fn only_file(&self, run: &Running) -> Option<String> {
        let mut paths = self.shown_paths();
        paths.extend(run.changed.iter().cloned());
        match paths.len() {
            0 => run.named.clone(),
            1 => paths.pop_first(),
            _ => None,
        }
    }

    fn too_long(&mut self, run: &Running) -> Flow {
        let window = self.window.unwrap_or(0);
        let text = format!(
            "the conversation does not fit the model's window of {window} tokens, whatever is left out; give the server a \
             larger context, or begin anew with fewer files"
        );
        self.emit(run.number, EventKind::Error { text });
        Flow::End(End::Overflow)
    }

    fn failed(&mut self, run: &Running, error: &ProviderError) -> Flow {
        self.emit(run.number, EventKind::Error { text: error.to_string() });
        Flow::End(match error {
            ProviderError::ContextOverflow { .. } => End::Overflow,
            ProviderError::Unreachable { .. }
            | ProviderError::Silent { .. }
            | ProviderError::Busy { .. }
            | ProviderError::NoneAnswered { .. } => End::Unreachable,
            _ => End::Failed,
        })
    }

    /// Keeps the reply, does what it asks, and says what follows.
    fn after_reply(&mut self, run: &mut Running, received: Received, tools: &Toolbox, cancel: &Cancel) -> Flow {
        let Received { reply, text, reasoning, calls, reason, tokens, stopped, runaway } = received;
        run.begun = None;
        if !stopped && !runaway && self.asks_anew(run, &reply.items, &text, &tokens) {
            self.keep_void(run, &text);
            return Flow::Next;
        }
        let report = reply.text.trim();
        if !report.is_empty() {
            report.clone_into(&mut run.report);
        }
        if !text.trim().is_empty() || !calls.is_empty() {
            // A reply that ran away is not worth its room, and would be gone on with.
            let text = if runaway { text.chars().take(400).collect() } else { text };
            let calls = if stopped { Vec::new() } else { calls.clone() };
            self.say(run, Body::Reply { text: text.trim_end().to_owned(), reasoning, calls });
        }
        if stopped {
            return Flow::End(End::Stopped);
        }
        self.count_bent(run, &reply, &calls);
        if reply.items.is_empty() {
            return self.only_talked(run, report, &reason, runaway);
        }
        self.act(run, &reply.items, &calls, tools, cancel)
    }

    /// Whether a reply may be asked for anew. While it may, its tokens are of use.
    fn may_ask_anew(&self, run: &Running) -> bool {
        self.is_small && !self.native && run.mode.edits() && run.changed.is_empty() && run.anew < ANEW
    }

    /// Whether a small model is asked the same once more, as if the reply had not been: it said nothing but code that
    /// changes nothing or cannot be taken. Told of its mistake it would excuse itself, and stay with it. It is asked for what
    /// it would have written otherwise, or, where the server does not tell that, warmer.
    fn asks_anew(&mut self, run: &mut Running, items: &[Item], text: &str, tokens: &[Token]) -> bool {
        if !self.may_ask_anew(run) || !self.comes_to_nothing(run, items) {
            return false;
        }
        if run.anew == 0 {
            run.beginnings = second::beginnings(text, tokens, self.only_file(run).as_deref(), ANEW as usize);
        }
        run.anew += 1;
        run.begun = run.beginnings.pop();
        run.stuck = run.begun.is_none();
        let text = "the reply changes nothing; the model is asked once more".to_owned();
        self.emit(run.number, EventKind::Notice { text, recast: Some(Recast::Void) });
        true
    }

    /// Two native calls that cannot be read, and text is used from then on.
    fn count_bent(&mut self, run: &Running, reply: &protocol::Reply, calls: &[Call]) {
        if !self.native || calls.is_empty() {
            return;
        }
        self.bent += reply.items.iter().filter(|item| matches!(item, Item::Malformed(_))).count() as u32;
        if self.bent >= BENT {
            self.native = false;
            self.notice(run.number, "the model's tool calls cannot be read; it is asked for text from now on");
        }
    }

    /// A reply without any action: an answer, the end, or a model that announces instead of acting.
    fn only_talked(&mut self, run: &mut Running, report: &str, reason: &FinishReason, runaway: bool) -> Flow {
        let cut = runaway || *reason == FinishReason::Length;
        let broken = *reason == FinishReason::Broken;
        let announces = announces(report);
        let answered = !report.is_empty() && !announces && !cut && !broken;
        let native = self.native;
        match (run.mode.edits(), answered) {
            (false, true) => return Flow::End(End::Answered),
            // It did something and now speaks of it, or the server's tools have no other way to say that it is done.
            (true, true) if !run.changed.is_empty() || native => return Flow::End(End::Done),
            _ => {}
        }
        if std::mem::replace(&mut run.reminded, true) {
            return Flow::End(if broken { End::Unreachable } else { End::NoAction });
        }
        if broken {
            // A server that is gone says so now; one that is there goes on.
            self.say(run, Body::Reminder { text: prompt::BROKEN.to_owned() });
            return Flow::Next;
        }
        run.stuck = true;
        let file = self.only_file(run);
        let mut text = prompt::reminder(run.mode, self.edit_form(), file.as_deref());
        if cut {
            text = format!("Your reply was cut off because it was too long. Write less at once.\n{text}");
        }
        self.say(run, Body::Reminder { text });
        Flow::Next
    }
}

/// A request as the log has it, whoever it goes to.
struct Sent {
    bytes: u64,
    hash: String,
    messages: usize,
    masked: usize,
}

impl Sent {
    fn of(run: &mut Running, request: &Request) -> Self {
        let text = serde_json::to_vec(&request.messages).unwrap_or_default();
        Self {
            bytes: (request.text_bytes() + request.picture_bytes()) as u64,
            hash: audit::hash(&text),
            messages: request.messages.len(),
            masked: std::mem::take(&mut run.masked),
        }
    }

    fn deed(&self, to: &str, model: &str) -> Deed {
        let Self { bytes, messages, masked, .. } = *self;
        Deed::Sent { to: to.to_owned(), model: model.to_owned(), bytes, hash: self.hash.clone(), messages, masked }
    }
}

/// Whether an error leaves a part of a reply that is worth having.
fn is_cut(error: &ProviderError) -> bool {
    matches!(error, ProviderError::Truncated { .. } | ProviderError::BrokeOff { .. })
}

/// Whether a text says what will be done, and not what is so.
fn announces(text: &str) -> bool {
    let last = text.trim().rsplit("\n\n").next().unwrap_or_default().to_lowercase();
    let begins = [
        "let me ",
        "let's ",
        "i will ",
        "i'll ",
        "first, i",
        "i need to ",
        "i am going to ",
        "i'm going to ",
        "next, i",
    ];
    begins.iter().any(|words| last.starts_with(words)) || last.ends_with(':')
}

/// A reply while it comes in.
struct Incoming {
    parser: Option<Parser>,
    options: protocol::Options,
    text: String,
    tokens: Vec<Token>,
    /// How the reply begins, if it was begun for the model.
    begun: Option<String>,
    watch: Runaway,
    usage: Usage,
    finish: Finish,
    stopped: bool,
    runaway: bool,
    /// Whether it was said that the server loads the model.
    loads: bool,
    /// How much of the prompt was last said to be read, in tenths.
    read: u64,
    /// When the reply began to come.
    first: Option<Instant>,
}

impl Incoming {
    fn new(options: protocol::Options, begun: Option<String>) -> Self {
        Self {
            parser: Some(Parser::new(options.clone())),
            options,
            text: String::new(),
            tokens: Vec::new(),
            begun,
            watch: Runaway::default(),
            usage: Usage::default(),
            finish: Finish::default(),
            stopped: false,
            runaway: false,
            loads: false,
            read: 0,
            first: None,
        }
    }

    /// Takes what the reply begins with; what there is to tell.
    fn begin(&mut self) -> Vec<EventKind> {
        let (Some(begun), Some(parser)) = (&self.begun, &mut self.parser) else { return Vec::new() };
        self.text.push_str(begun);
        told(parser.push(begun.as_bytes()))
    }

    /// Takes an event of the server; what there is to tell.
    fn take(&mut self, event: Event) -> Vec<EventKind> {
        let Some(parser) = &mut self.parser else { return Vec::new() };
        if matches!(event, Event::Text(_) | Event::Reasoning(_) | Event::CallStarted { .. }) {
            self.first.get_or_insert_with(Instant::now);
        }
        match event {
            Event::Text(piece) => {
                self.runaway |= self.watch.push(&piece);
                self.text.push_str(&piece);
                told(parser.push(piece.as_bytes()))
            }
            Event::Reasoning(piece) => {
                self.runaway |= self.watch.push(&piece);
                told(parser.push_reasoning(&piece))
            }
            Event::Token(token) => {
                self.tokens.push(token);
                Vec::new()
            }
            Event::Usage(usage) => {
                self.usage.merge(&usage);
                Vec::new()
            }
            Event::Finished(finish) => {
                self.usage.merge(&finish.usage);
                let native = |call: &Call| NativeCall {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                };
                let mut events = Vec::new();
                for call in &finish.calls {
                    events.extend(told(parser.push_call(&native(call))));
                }
                self.finish = finish;
                events
            }
            Event::Restarted { why } => {
                self.parser = Some(Parser::new(self.options.clone()));
                self.text.clear();
                self.tokens.clear();
                let text = format!("the reply begins anew: {why}");
                let mut events = vec![EventKind::Notice { text, recast: Some(Recast::Void) }];
                events.extend(self.begin());
                events
            }
            Event::Notice(text) => vec![notice(text.to_string())],
            Event::Sending { .. } => Vec::new(),
            Event::Waiting(Waiting::Loading) if std::mem::replace(&mut self.loads, true) => Vec::new(),
            Event::Waiting(Waiting::Loading) => vec![notice(LOADING.to_owned())],
            Event::Waiting(Waiting::Retry { after, why, .. }) => {
                let seconds = after.as_secs_f64();
                let digits = usize::from(seconds < 10.0);
                let joint = if why.ends_with(['.', '?']) { " The" } else { "; the" };
                vec![notice(format!("{why}{joint} next attempt is in {seconds:.digits$} s"))]
            }
            Event::Reading(progress) => {
                let tenth = progress.done * 10 / progress.total.max(1);
                if tenth == std::mem::replace(&mut self.read, tenth) {
                    return Vec::new();
                }
                let text = format!("reading the prompt: {} of {} tokens", progress.done, progress.total);
                let progress = Some(Progress { done: progress.done, total: progress.total });
                vec![EventKind::ActionProgress { action: 0, text, progress }]
            }
            Event::CallStarted { name, .. } => vec![EventKind::Writing { name, path: None, text: String::new() }],
            Event::CallArguments { text, .. } => {
                vec![EventKind::Writing { name: String::new(), path: None, text }]
            }
        }
    }

    fn finish(self) -> (Vec<EventKind>, Received, Answered) {
        let ending = match &self.finish.reason {
            _ if self.stopped || self.runaway => Ending::Broken,
            FinishReason::Length => Ending::Length,
            FinishReason::Broken | FinishReason::Other(_) => Ending::Broken,
            _ => Ending::Whole,
        };
        let (events, reply) = self.parser.map(|parser| parser.finish(ending)).unwrap_or_default();
        let Finish { answered_by: by, because, cost, .. } = self.finish;
        let answer = Answered { usage: self.usage, by, because, cost };
        let received = Received {
            reply,
            text: self.text,
            reasoning: self.finish.reasoning,
            calls: self.finish.calls,
            reason: self.finish.reason,
            tokens: self.tokens,
            stopped: self.stopped,
            runaway: self.runaway,
        };
        (told(events), received, answer)
    }
}

fn notice(text: String) -> EventKind {
    EventKind::Notice { text, recast: None }
}

/// Who answered, and what it took.
struct Answered {
    usage: Usage,
    by: String,
    because: Option<String>,
    cost: Option<f64>,
}

/// What people are told of a reply while it comes in.
fn told(events: Vec<protocol::Event>) -> Vec<EventKind> {
    let kind = |event| match event {
        protocol::Event::Text(text) => Some(EventKind::Text { text }),
        protocol::Event::Reasoning(text) => Some(EventKind::Reasoning { text }),
        protocol::Event::AllWasReasoning => {
            let text = "what came so far was reasoning, and no answer".to_owned();
            Some(EventKind::Notice { text, recast: Some(Recast::Reasoning) })
        }
        protocol::Event::Opened { name, path } => Some(EventKind::Writing { name, path, text: String::new() }),
        protocol::Event::Content(text) => Some(EventKind::Writing { name: String::new(), path: None, text }),
        // Told when they are done.
        protocol::Event::Item(_) => None,
    };
    events.into_iter().filter_map(kind).collect()
}

impl Received {
    /// The text of an answer that was asked for as such.
    pub(super) fn answer(&self) -> Option<String> {
        let text = self.reply.text.trim();
        (!text.is_empty() && !self.stopped && !self.runaway).then(|| text.to_owned())
    }
}

/// A native tool as the provider sends it.
pub(super) fn schema(name: &str, description: &str, schema: serde_json::Value) -> Tool {
    Tool { name: name.to_owned(), description: description.to_owned(), schema }
}
