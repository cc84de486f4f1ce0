//! What a conversation shows, made from the events of its runs.
//!
//! A [`Transcript`] is a list of items that only grows at its end, where the run is; whoever lays them out keeps what it
//! made of one until the item's [`version`](Entry::version) grows. The same events give the same list, whether they come
//! one by one from a run or all at once from the store.

use std::collections::BTreeMap;

use agent::action::Action;
use agent::event::{Answer, End, Event, EventKind, FileChange, Moment, Progress, SessionId};
use agent::host::Scope;

use super::comments::Cut;

/// An item, and how often it changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub item: Item,
    pub version: u32,
    /// Shown whole; what is folded shows its first line.
    pub open: bool,
}

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What the person asked.
    Prompt { run: u32, text: String, attached: Vec<String> },
    /// What the model thought, and how long it took it.
    Thought { text: String, from: Moment, until: Option<Moment> },
    /// What the model said.
    Answer { text: String },
    /// What it did.
    Action(Box<Card>),
    /// What it is about to do, while it writes that down. Always the last.
    Writing(Box<Writing>),
    /// Something to know.
    Notice { text: String, is_error: bool },
    /// The end of a run.
    Ended { run: u32, end: End, files: Vec<String> },
    /// A run that the process did not live to see the end of.
    Interrupted { run: u32 },
}

impl Item {
    /// Whether a run ended here that had said what it had to say.
    pub fn ends_whole(&self) -> bool {
        matches!(self, Self::Ended { end, .. } if Cut::of(*end).is_none())
    }
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub run: u32,
    pub number: u32,
    pub name: String,
    pub title: String,
    pub call: Action,
    pub state: CardState,
    /// What it says meanwhile, and then what came of it.
    pub said: String,
    pub changes: Vec<FileChange>,
    /// What was asked about it, if anything was.
    pub permission: Option<Permission>,
    pub since: Moment,
    pub milliseconds: u64,
}

/// A question whether an action may be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    pub reason: String,
    /// What would become of the file.
    pub patch: String,
    pub scope: Option<Scope>,
    pub answer: Option<Answer>,
}

/// An action that is being written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writing {
    /// The tag or the tool.
    pub name: String,
    pub path: Option<String>,
    pub text: String,
}

/// How far an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardState {
    Running,
    /// Somebody is asked whether it may be done.
    Waiting,
    Done,
    Failed,
}

/// What the line below the conversation tells of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Which step, of how many.
    pub step: Option<(u32, u32)>,
    pub model: String,
    /// Why it was this one, where there was a choice.
    pub because: Option<String>,
    /// Tokens of the last prompt, and those of them that the server had.
    pub prompt: u64,
    pub cached: u64,
    /// Tokens the model can take; none while nobody has said.
    pub window: Option<u64>,
    /// Tokens of the last reply, and in what time it was written.
    pub reply: Option<(u64, u64)>,
    /// How much of the prompt the server has read, while it does.
    pub reading: Option<Progress>,
    /// The model was asked and has not begun to answer.
    pub waits: bool,
    /// Tokens of all prompts and replies of the session.
    pub spent: Spent,
}

/// Tokens that were paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub prompt: u64,
    pub cached: u64,
    pub completion: u64,
    /// What they cost, where that is known.
    pub cost: Option<f64>,
}

impl Spent {
    fn add(&mut self, (prompt, cached, completion): (u64, u64, u64), cost: Option<f64>) {
        self.prompt += prompt;
        self.cached += cached;
        self.completion += completion;
        if let Some(cost) = cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }
}

impl Status {
    /// The share of the window that is used, from 0 to 1.
    pub fn used(&self) -> Option<f32> {
        let window = self.window.filter(|window| *window > 0)?;
        Some(self.prompt as f32 / window as f32)
    }

    /// Tokens written in a second; none of a reply that came at once.
    pub fn speed(&self) -> Option<f32> {
        let (tokens, milliseconds) = self.reply.filter(|(tokens, time)| *tokens > 1 && *time >= 100)?;
        Some(tokens as f32 * 1000.0 / milliseconds as f32)
    }
}

/// Stands between why a request failed and when it is tried again.
const AGAIN: &str = "; the next attempt is in ";

/// Lines of a change that is shown at once.
const SMALL: usize = 24;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    entries: Vec<Entry>,
    pub status: Status,
    /// The run that the last events were of.
    run: u32,
    /// A run is under way.
    running: bool,
    /// Where the step that is under way begins.
    step_from: usize,
    /// The version of new items: none comes again at the place of one that was taken away.
    fresh: u32,
}

impl Transcript {
    /// A session as it is kept: its events, and what each of its runs was asked.
    pub fn of(session: &SessionId, events: &[Event], prompts: &BTreeMap<u32, String>) -> Self {
        let mut made = Self::default();
        for event in events {
            if event.run != made.run
                && let Some(text) = prompts.get(&event.run)
            {
                made.asked(event.run, text.clone(), Vec::new());
            }
            made.take(session, event);
        }
        if made.running {
            made.interrupt();
        }
        made
    }

    /// This in the place of another: what was laid out of an item of that is not taken for one of this.
    pub fn in_place_of(mut self, before: &Self) -> Self {
        let known = before.entries.iter().map(|entry| entry.version).fold(before.fresh, u32::max) + 1;
        self.entries.iter_mut().for_each(|entry| entry.version += known);
        self.fresh += known;
        self
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The person asked something.
    pub fn asked(&mut self, run: u32, text: String, attached: Vec<String>) {
        self.run = run;
        self.running = true;
        self.status.step = None;
        self.push(Item::Prompt { run, text, attached });
    }

    /// The run that an entry is of.
    pub fn run_of(&self, index: usize) -> Option<u32> {
        self.entries.get(..=index)?.iter().rev().find_map(|entry| match &entry.item {
            Item::Prompt { run, .. } => Some(*run),
            _ => None,
        })
    }

    /// The number that the next run will most likely have.
    pub fn next_run(&self) -> u32 {
        self.run + 1
    }

    /// Something of another process, or of none, that belongs to the conversation.
    pub fn note(&mut self, text: impl Into<String>, is_error: bool) {
        self.push(Item::Notice { text: text.into(), is_error });
    }

    /// Folds or unfolds an item.
    pub fn toggle(&mut self, index: usize) {
        if let Some(entry) = self.entries.get_mut(index) {
            entry.open = !entry.open;
            entry.version += 1;
        }
    }

    /// Takes an event in. Those of sessions that this one started are told by the action that started them.
    pub fn take(&mut self, session: &SessionId, event: &Event) {
        if event.session != *session {
            // What it takes is paid for all the same.
            if let EventKind::Usage { prompt, cached, completion, cost, .. } = &event.kind {
                self.status.spent.add((*prompt, *cached, *completion), *cost);
            }
            return self.take_of_child(&event.kind);
        }
        self.number_prompt(event.run);
        self.run = event.run;
        self.running = true;
        if !matches!(event.kind, EventKind::Reasoning { .. }) {
            self.end_thought(event.time);
        }
        if !matches!(event.kind, EventKind::Writing { .. } | EventKind::ActionProgress { .. }) {
            self.end_writing();
        }
        match &event.kind {
            EventKind::Text { text } => self.text(text),
            EventKind::Reasoning { text } => self.reasoning(text, event.time),
            EventKind::ActionStarted { action, name, title, call } => self.push(Item::Action(Box::new(Card {
                run: event.run,
                number: *action,
                name: name.clone(),
                title: title.clone(),
                call: call.clone(),
                state: CardState::Running,
                said: String::new(),
                changes: Vec::new(),
                permission: None,
                since: event.time,
                milliseconds: 0,
            }))),
            EventKind::Writing { name, path, text } => self.writing(name, path.as_deref(), text),
            EventKind::ActionProgress { action: 0, progress, .. } => {
                (self.status.reading, self.status.waits) = (*progress, false);
            }
            EventKind::ActionProgress { action, text, .. } => {
                self.card(event.run, *action, |card| card.said.clone_from(text));
            }
            EventKind::ActionFinished { action, ok, result, changes, milliseconds, .. } => {
                let lines: usize = changes.iter().map(|change| change.patch.lines().count()).sum();
                self.card(event.run, *action, |card| {
                    card.state = if *ok { CardState::Done } else { CardState::Failed };
                    card.said.clone_from(result);
                    card.changes.clone_from(changes);
                    card.milliseconds = *milliseconds;
                });
                if (1..=SMALL).contains(&lines) {
                    self.open(event.run, *action);
                }
            }
            EventKind::Permission { action, reason, patch, scope, answer, .. } => {
                self.card(event.run, *action, |card| {
                    card.state = if answer.is_none() { CardState::Waiting } else { CardState::Running };
                    // With the answer the patch does not come again.
                    let patch = card
                        .permission
                        .take()
                        .map(|asked| asked.patch)
                        .filter(|before| !before.is_empty())
                        .unwrap_or_else(|| patch.clone());
                    let (reason, scope, answer) = (reason.clone(), scope.clone(), answer.clone());
                    card.permission = Some(Permission { reason, patch, scope, answer });
                });
            }
            EventKind::Usage {
                prompt, cached, completion, window, milliseconds, answered_by, because, cost, ..
            } => {
                let status = &mut self.status;
                (status.prompt, status.cached) = (*prompt, *cached);
                status.window = (*window > 0).then_some(*window).or(status.window);
                status.reply = Some((*completion, *milliseconds));
                status.spent.add((*prompt, *cached, *completion), *cost);
                (status.reading, status.waits) = (None, false);
                // Where a name stands for several, it is known only now.
                if !answered_by.is_empty() {
                    status.model.clone_from(answered_by);
                }
                status.because.clone_from(because);
            }
            EventKind::Checkpoint { .. } => {}
            EventKind::Step { step, limit, model } => {
                self.status.step = Some((*step, *limit));
                self.status.model.clone_from(model);
                self.status.waits = true;
                self.step_from = self.entries.len();
            }
            EventKind::Notice { text, recast } => {
                if recast.is_some() {
                    self.fold_answers(event.time);
                }
                self.end_retry(text);
                self.push(Item::Notice { text: text.clone(), is_error: false });
            }
            EventKind::Error { text } => {
                self.end_retry(text);
                self.push(Item::Notice { text: text.clone(), is_error: true });
            }
            EventKind::Done { end, files, .. } => {
                self.finish_cards();
                self.running = false;
                (self.status.reading, self.status.waits) = (None, false);
                self.push(Item::Ended { run: event.run, end: *end, files: files.clone() });
            }
        }
    }

    /// The run ended without a word: its process did.
    fn interrupt(&mut self) {
        self.finish_cards();
        self.running = false;
        self.push(Item::Interrupted { run: self.run });
    }

    /// What the loop calls the run that was just asked for, which was a guess until now.
    fn number_prompt(&mut self, now: u32) {
        if now == self.run {
            return;
        }
        if let Some(Entry { item: Item::Prompt { run, .. }, .. }) = self.entries.last_mut() {
            *run = now;
        }
    }

    fn text(&mut self, text: &str) {
        self.status.waits = false;
        self.status.reading = None;
        // What another step said is another answer.
        let from = self.step_from.min(self.entries.len());
        match self.entries[from..].last_mut() {
            Some(Entry { item: Item::Answer { text: before }, version, .. }) => {
                before.push_str(text);
                *version += 1;
            }
            // Blank lines between an action and the next are no answer.
            _ if text.trim().is_empty() => {}
            _ => self.push(Item::Answer { text: text.trim_start_matches('\n').to_owned() }),
        }
    }

    fn reasoning(&mut self, text: &str, time: Moment) {
        self.status.waits = false;
        self.status.reading = None;
        match self.entries.last_mut() {
            Some(Entry { item: Item::Thought { text: before, until: None, .. }, version, .. }) => {
                before.push_str(text);
                *version += 1;
            }
            _ => self.push(Item::Thought { text: text.to_owned(), from: time, until: None }),
        }
    }

    /// A piece of an action that is being written; the first of one has its name.
    fn writing(&mut self, name: &str, path: Option<&str>, text: &str) {
        (self.status.reading, self.status.waits) = (None, false);
        if !name.is_empty() {
            self.end_writing();
            let (name, path) = (name.to_owned(), path.map(str::to_owned));
            self.push(Item::Writing(Box::new(Writing { name, path, text: text.to_owned() })));
        } else if let Some(Entry { item: Item::Writing(writing), version, .. }) = self.entries.last_mut() {
            // Behind the tag a line begins that is none of the file.
            let text = if writing.text.is_empty() { text.trim_start_matches('\n') } else { text };
            writing.text.push_str(text);
            *version += 1;
        }
    }

    /// That the same is tried again once more, or was in vain, takes the place of the last time that was said.
    fn end_retry(&mut self, now: &str) {
        let again = |text: &str| text.split_once(AGAIN).map(|(why, _)| why.to_owned());
        if let Some(Entry { item: Item::Notice { text, is_error: false }, version, .. }) = self.entries.last()
            && again(text).is_some_and(|why| now.starts_with(&why))
        {
            self.fresh = self.fresh.max(version + 1);
            self.entries.pop();
        }
    }

    /// What was being written has begun, or came to nothing.
    fn end_writing(&mut self) {
        if let Some(Entry { item: Item::Writing(_), version, .. }) = self.entries.last() {
            self.fresh = self.fresh.max(version + 1);
            self.entries.pop();
        }
    }

    /// What seemed to be the answer of this step is none: it was reasoning, or the reply begins anew.
    fn fold_answers(&mut self, time: Moment) {
        for entry in self.entries.iter_mut().skip(self.step_from) {
            if let Item::Answer { text } = &mut entry.item {
                let text = std::mem::take(text);
                entry.item = Item::Thought { text, from: time, until: Some(time) };
                entry.version += 1;
            }
        }
    }

    fn end_thought(&mut self, time: Moment) {
        if let Some(Entry { item: Item::Thought { until, .. }, version, .. }) = self.entries.last_mut()
            && until.is_none()
        {
            *until = Some(time);
            *version += 1;
        }
    }

    fn take_of_child(&mut self, kind: &EventKind) {
        let said = match kind {
            EventKind::ActionStarted { title, .. } => title.clone(),
            EventKind::Step { step, limit, .. } => format!("step {step} of {limit}"),
            EventKind::Error { text } => text.clone(),
            _ => return,
        };
        let running = self.entries.iter_mut().rev().find_map(|entry| match &mut entry.item {
            Item::Action(card) if card.state == CardState::Running => Some((card, &mut entry.version)),
            _ => None,
        });
        if let Some((card, version)) = running {
            card.said = said;
            *version += 1;
        }
    }

    fn card(&mut self, run: u32, number: u32, change: impl FnOnce(&mut Card)) {
        // Actions of a step are near the end.
        for entry in self.entries.iter_mut().rev() {
            match &mut entry.item {
                Item::Action(card) if card.run == run && card.number == number => {
                    change(card);
                    entry.version += 1;
                    return;
                }
                Item::Prompt { .. } => return,
                _ => {}
            }
        }
    }

    /// Shows a small change without being asked to.
    fn open(&mut self, run: u32, number: u32) {
        let is_it =
            |entry: &&mut Entry| matches!(&entry.item, Item::Action(card) if card.run == run && card.number == number);
        if let Some(entry) = self.entries.iter_mut().rev().find(is_it) {
            entry.open = true;
        }
    }

    /// What the end of a run found unfinished will not be finished.
    fn finish_cards(&mut self) {
        for entry in self.entries.iter_mut().rev() {
            match &mut entry.item {
                Item::Action(card) if matches!(card.state, CardState::Running | CardState::Waiting) => {
                    card.state = CardState::Failed;
                    entry.version += 1;
                }
                Item::Prompt { .. } => return,
                _ => {}
            }
        }
    }

    fn push(&mut self, item: Item) {
        self.entries.push(Entry { item, version: self.fresh, open: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Told {
        session: SessionId,
        transcript: Transcript,
        time: i64,
    }

    impl Told {
        fn new() -> Self {
            let mut transcript = Transcript::default();
            transcript.asked(1, "Fix it".into(), Vec::new());
            Self { session: SessionId::from("s".to_owned()), transcript, time: 0 }
        }

        fn tell(&mut self, kind: EventKind) {
            self.time += 1000;
            let event = Event { session: self.session.clone(), run: 1, time: Moment(self.time), kind };
            self.transcript.take(&self.session, &event);
        }

        fn kinds(&self) -> Vec<&'static str> {
            let kind = |entry: &Entry| match &entry.item {
                Item::Prompt { .. } => "prompt",
                Item::Thought { .. } => "thought",
                Item::Answer { .. } => "answer",
                Item::Action(card) => match card.state {
                    CardState::Running => "running",
                    CardState::Waiting => "waiting",
                    CardState::Done => "done",
                    CardState::Failed => "failed",
                },
                Item::Writing(_) => "writing",
                Item::Notice { .. } => "notice",
                Item::Ended { .. } => "ended",
                Item::Interrupted { .. } => "interrupted",
            };
            self.transcript.entries().iter().map(kind).collect()
        }
    }

    fn text(text: &str) -> EventKind {
        EventKind::Text { text: text.into() }
    }

    fn started(action: u32) -> EventKind {
        let call = Action::ReadFile { path: "a".into(), lines: None };
        EventKind::ActionStarted { action, name: "read_file".into(), title: "read_file a".into(), call }
    }

    #[test]
    fn pieces_of_an_answer_are_one_and_reasoning_is_another_with_its_seconds() {
        let mut told = Told::new();
        told.tell(EventKind::Reasoning { text: "Hm".into() });
        told.tell(EventKind::Reasoning { text: "m.".into() });
        told.tell(text("\n"));
        told.tell(text("Hel"));
        told.tell(text("lo"));
        assert_eq!(told.kinds(), ["prompt", "thought", "answer"]);
        let [_, thought, answer] = told.transcript.entries() else { panic!() };
        assert_eq!(
            thought.item,
            Item::Thought { text: "Hmm.".into(), from: Moment(1000), until: Some(Moment(3000)) },
            "it ended when something else came"
        );
        assert_eq!(answer.item, Item::Answer { text: "Hello".into() });
        assert_eq!(answer.version, 1);
    }

    #[test]
    fn an_action_waits_is_done_and_what_never_ended_failed() {
        let mut told = Told::new();
        told.tell(started(1));
        let ask = |answer| EventKind::Permission {
            action: 1,
            title: "t".into(),
            reason: "r".into(),
            patch: String::new(),
            scope: None,
            answer,
        };
        told.tell(ask(None));
        assert_eq!(told.kinds(), ["prompt", "waiting"]);
        told.tell(ask(Some(agent::event::Answer::Allow)));
        told.tell(EventKind::ActionFinished {
            action: 1,
            name: "read_file".into(),
            ok: true,
            result: "text".into(),
            changes: vec![],
            milliseconds: 7,
        });
        told.tell(started(2));
        told.tell(EventKind::Done { end: End::Stopped, report: String::new(), steps: 1, files: vec![] });
        assert_eq!(told.kinds(), ["prompt", "done", "failed", "ended"]);
    }

    #[test]
    fn the_status_tells_step_window_cache_and_speed() {
        let mut told = Told::new();
        told.tell(EventKind::Step { step: 2, limit: 12, model: "m".into() });
        let progress = Some(Progress { done: 120, total: 900 });
        told.tell(EventKind::ActionProgress { action: 0, text: "reading".into(), progress });
        assert_eq!(told.transcript.status.reading, progress);
        told.tell(text("a"));
        told.tell(text("b"));
        told.tell(EventKind::Usage {
            prompt: 900,
            cached: 810,
            completion: 20,
            window: 1000,
            milliseconds: 2000,
            answered_by: "other".into(),
            because: None,
            reading: None,
            cost: None,
        });
        let status = &told.transcript.status;
        assert_eq!((status.step, status.reading, status.window), (Some((2, 12)), None, Some(1000)));
        assert_eq!((status.used(), status.speed()), (Some(0.9), Some(10.0)));
        assert_eq!(status.model, "other");
    }

    #[test]
    fn what_is_being_written_is_shown_until_it_begins_or_comes_to_nothing() {
        let mut told = Told::new();
        let piece = |name: &str, text: &str| EventKind::Writing {
            name: name.into(),
            path: (!name.is_empty()).then(|| "a.txt".into()),
            text: text.into(),
        };
        told.tell(piece("edit_file", ""));
        told.tell(piece("", "\n"));
        told.tell(piece("", "one\n"));
        told.tell(piece("", "two\n"));
        assert_eq!(told.kinds(), ["prompt", "writing"]);
        let Entry { item: Item::Writing(writing), version, .. } = told.transcript.entries()[1].clone() else {
            panic!()
        };
        assert_eq!((writing.path.as_deref(), writing.text.as_str()), (Some("a.txt"), "one\ntwo\n"));
        told.tell(started(1));
        assert_eq!(told.kinds(), ["prompt", "running"]);
        assert!(
            told.transcript.entries()[1].version > version,
            "what was laid out of the one is not taken for the other"
        );
        told.tell(piece("create_file", "x"));
        told.tell(EventKind::Error { text: "it broke off".into() });
        assert_eq!(told.kinds(), ["prompt", "running", "notice"]);
    }

    #[test]
    fn attempts_that_fail_alike_are_one_line() {
        let mut told = Told::new();
        let notice = |text: &str| EventKind::Notice { text: text.into(), recast: None };
        told.tell(notice("it is busy; the next attempt is in 0.5 s"));
        told.tell(notice("it is busy; the next attempt is in 1.2 s"));
        told.tell(notice("it is gone; the next attempt is in 2.0 s"));
        assert_eq!(told.kinds(), ["prompt", "notice", "notice"]);
        told.tell(EventKind::Error { text: "it is gone".into() });
        assert_eq!(told.kinds(), ["prompt", "notice", "notice"]);
        assert_eq!(told.transcript.entries()[2].item, Item::Notice { text: "it is gone".into(), is_error: true });
    }

    #[test]
    fn one_that_takes_the_place_of_another_is_laid_out_anew() {
        let (mut before, mut after) = (Told::new(), Told::new());
        for told in [&mut before, &mut after] {
            told.tell(text("a"));
            told.tell(text("b"));
        }
        let mut now = Told { transcript: after.transcript.in_place_of(&before.transcript), ..before };
        now.tell(text("c"));
        now.tell(started(1));
        let versions: Vec<u32> = now.transcript.entries().iter().map(|entry| entry.version).collect();
        assert_eq!(versions, [2, 4, 2], "the ones before were 0 and 1");
    }

    #[test]
    fn what_a_session_costs_is_summed_with_what_it_started() {
        let mut told = Told::new();
        let usage = |cost| EventKind::Usage {
            prompt: 10,
            cached: 0,
            completion: 1,
            window: 100,
            milliseconds: 1,
            answered_by: "big".into(),
            because: Some("qwen is busy".into()),
            reading: None,
            cost,
        };
        told.tell(usage(None));
        assert_eq!(told.transcript.status.spent.cost, None, "nobody knows");
        told.tell(usage(Some(0.5)));
        let child = SessionId::from("c".to_owned());
        let event = Event { session: child, run: 1, time: Moment(0), kind: usage(Some(0.25)) };
        told.transcript.take(&told.session, &event);
        let status = &told.transcript.status;
        assert_eq!((status.spent.cost, status.spent.prompt), (Some(0.75), 30));
        assert_eq!(status.because.as_deref(), Some("qwen is busy"));
    }

    #[test]
    fn what_two_steps_say_is_two_answers() {
        let mut told = Told::new();
        told.tell(text("one"));
        told.tell(EventKind::Step { step: 2, limit: 12, model: "m".into() });
        told.tell(text("two"));
        assert_eq!(told.kinds(), ["prompt", "answer", "answer"]);
    }

    #[test]
    fn an_answer_that_turns_out_to_be_none_is_folded_away() {
        let mut told = Told::new();
        told.tell(text("kept"));
        told.tell(EventKind::Step { step: 2, limit: 12, model: "m".into() });
        told.tell(started(1));
        told.tell(text("half"));
        told.tell(EventKind::Notice { text: "anew".into(), recast: Some(agent::event::Recast::Void) });
        told.tell(text("whole"));
        assert_eq!(told.kinds(), ["prompt", "answer", "running", "thought", "notice", "answer"]);
    }

    #[test]
    fn a_session_that_was_kept_gives_the_same_and_says_that_its_last_run_was_cut() {
        let session = SessionId::from("s".to_owned());
        let event = |run, kind| Event { session: session.clone(), run, time: Moment(0), kind };
        let done = EventKind::Done { end: End::Done, report: String::new(), steps: 1, files: vec![] };
        let events = [event(1, text("one")), event(1, done), event(2, text("tw")), event(2, started(1))];
        let prompts = BTreeMap::from([(1, "first".to_owned()), (2, "second".to_owned())]);
        let told = Told { transcript: Transcript::of(&session, &events, &prompts), ..Told::new() };
        assert_eq!(told.kinds(), ["prompt", "answer", "ended", "prompt", "answer", "failed", "interrupted"]);
        assert_eq!(told.transcript.next_run(), 3);
    }

    #[test]
    fn what_a_started_agent_does_is_told_by_the_action_that_started_it() {
        let mut told = Told::new();
        told.tell(started(1));
        let child = Event { session: SessionId::from("c".to_owned()), run: 1, time: Moment(0), kind: started(4) };
        told.transcript.take(&told.session, &child);
        assert_eq!(told.kinds(), ["prompt", "running"]);
        let Item::Action(card) = &told.transcript.entries()[1].item else { panic!() };
        assert_eq!(card.said, "read_file a");
    }
}
