//! Doing what a reply asks, in its order, and telling the model what came of it.

use std::time::Instant;

use editor::Cancel;
use serde_json::{Value, json};

use super::detect::Verdict;
use super::step::schema;
use super::{Agent, Flow, Mode, Running};
use crate::action::Action;
use crate::audit::{self, Deed};
use crate::context::{Body, Conversation, Piece, Shown};
use crate::event::{Answer, End, EventKind, FileChange};
use crate::host::{Ask, ProjectPath, Scope};
use crate::protocol::{Item, teach};
use crate::provider::{self, Call, EditForm};
use crate::tool::{self, Outcome, Toolbox, Use, World};

/// Edits that change nothing after which a run ends that has changed nothing else.
const SAME: u32 = 2;

/// Under which it is kept what was allowed for the session.
pub(super) const ALLOWED: &str = "allowed";

/// What came of an action, for the model and for everybody else.
#[derive(Default)]
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) changes: Vec<FileChange>,
}

impl From<Outcome> for Done {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, changes: Vec::new() }
    }
}

/// An action with its number.
struct Numbered<'a> {
    number: u32,
    action: &'a Action,
}

impl Agent {
    /// Does the items of a reply.
    pub(super) fn act(
        &mut self,
        run: &mut Running,
        items: &[Item],
        calls: &[Call],
        tools: &Toolbox,
        cancel: &Cancel,
    ) -> Flow {
        let (mut pieces, mut done, mut at) = (Vec::new(), false, 0);
        // Items of native calls are the last, one a call and in their order.
        let native_from = items.len().saturating_sub(calls.len());
        let mut ends = false;
        run.stuck = false;
        let written = run.writes;
        while at < items.len() {
            if cancel.is_cancelled() {
                self.say(run, Body::Results { pieces });
                return Flow::End(End::Stopped);
            }
            let group = reading(&items[at..], tools);
            let range = at..at + group.max(1);
            at = range.end;
            let told = self.do_items(run, &items[range.clone()], tools, cancel);
            for (index, (title, outcome)) in range.clone().zip(told) {
                let call = index.checked_sub(native_from).and_then(|n| calls.get(n)).cloned();
                let Some(outcome) = outcome else {
                    done = true;
                    continue;
                };
                let Outcome { ok, text, shown, .. } = outcome;
                pieces.push(Piece { title, text, failed: !ok, shown, call, ..Piece::default() });
            }
            ends = items[range].iter().any(|item| self.is_circle(run, item, &mut pieces));
            if ends {
                break;
            }
        }
        self.settle(run, items, pieces, written, (done, ends))
    }

    /// What follows from the results. `written` times a file was written before this step.
    fn settle(
        &mut self,
        run: &mut Running,
        items: &[Item],
        pieces: Vec<Piece>,
        written: u32,
        (done, circle): (bool, bool),
    ) -> Flow {
        let failed: Vec<_> = pieces.iter().filter(|piece| piece.failed).map(|piece| piece.text.as_str()).collect();
        let trouble = failed.join("\n");
        run.stuck |= !trouble.is_empty() && trouble == run.trouble;
        let fine = failed.is_empty();
        run.trouble = trouble;
        let writes = |item: &Item| matches!(item, Item::Action(action) if action.writes_content());
        // A small model that has written what it was asked for goes on with whatever its prompt spoke of last.
        let wrote = match self.is_small {
            true => items.iter().any(writes) && run.writes > written,
            false => fine && items.iter().all(writes),
        };
        let wrote_all = wrote && self.edit_form() != EditForm::Blocks && !self.native;
        if !pieces.is_empty() {
            self.say(run, Body::Results { pieces });
        }
        if circle {
            return Flow::End(End::Loop);
        }
        if run.same >= SAME && run.changed.is_empty() {
            run.report = format!("Nothing was changed: {SAME} times the model wrote the code as it is already.");
            return Flow::End(End::NoAction);
        }
        // Who says that it is done while something failed has not seen the failure.
        if done && fine || wrote_all && !run.changed.is_empty() {
            return Flow::End(End::Done);
        }
        Flow::Next
    }

    /// Counts an action; a nudge is added to what the model is told.
    fn is_circle(&mut self, run: &mut Running, item: &Item, pieces: &mut [Piece]) -> bool {
        let Item::Action(action) = item else { return false };
        if *action == Action::Done {
            return false;
        }
        match run.repeats.count(action) {
            Verdict::Fine => false,
            Verdict::End => true,
            Verdict::Nudge => {
                run.stuck = true;
                if let Some(piece) = pieces.last_mut() {
                    piece.text.push_str("\nThis is the third time that you ask for exactly this. It will not turn out otherwise: do something else, or end with <done/>.");
                }
                false
            }
        }
    }

    /// Does one item, or several that only read side by side. The outcome of the end is none.
    fn do_items(
        &mut self,
        run: &mut Running,
        items: &[Item],
        tools: &Toolbox,
        cancel: &Cancel,
    ) -> Vec<(String, Option<Outcome>)> {
        let mut actions = Vec::new();
        for item in items {
            match item {
                Item::Malformed(malformed) => {
                    let outcome = Outcome::failed(teach::malformed(malformed, self.edit_form()));
                    return vec![(malformed.name().to_owned(), Some(outcome))];
                }
                Item::Action(Action::Done) => return vec![(String::new(), None)],
                Item::Action(action) => {
                    run.action += 1;
                    let number = run.action;
                    let (name, title) = (action.name().to_owned(), self.title(run, action));
                    self.emit(
                        run.number,
                        EventKind::ActionStarted { action: number, name, title, call: action.clone() },
                    );
                    actions.push(Numbered { number, action });
                }
            }
        }
        let begun = Instant::now();
        let outcomes: Vec<Done> = match &actions[..] {
            [one] => vec![self.do_one(run, one, tools, cancel)],
            several => self.reader(tools, cancel).read_all(several),
        };
        let mut told = Vec::new();
        for (Numbered { number, action }, done) in actions.into_iter().zip(outcomes) {
            let Done { outcome, changes } = done;
            let kind = EventKind::ActionFinished {
                action: number,
                name: action.name().to_owned(),
                ok: outcome.ok,
                result: outcome.text.clone(),
                changes,
                milliseconds: begun.elapsed().as_millis() as u64,
            };
            self.emit(run.number, kind);
            told.push((self.title(run, action), Some(outcome)));
        }
        told
    }

    /// An action in one line; of code without a name of its own, the file that it is for.
    fn title(&self, run: &Running, action: &Action) -> String {
        let file = self.only_file(run).filter(|_| action.writes_content() && action.path().is_none());
        file.map_or_else(|| action.title(), |file| format!("{} {file}", action.name()))
    }

    fn do_one(&mut self, run: &mut Running, one: &Numbered<'_>, tools: &Toolbox, cancel: &Cancel) -> Done {
        let action = one.action;
        if action.writes_content() || matches!(action, Action::RenameFile { .. } | Action::DeleteFile { .. }) {
            if !run.mode.edits() {
                let text = format!(
                    "files cannot be changed in {} mode; say in your answer what should be changed",
                    run.mode.name()
                );
                return Outcome::failed(text).into();
            }
            return self.write(run, one.number, action, cancel);
        }
        if let Action::Tool { name, arguments } = action {
            return self.use_tool(run, one.number, (name, arguments), tools, cancel).into();
        }
        self.reader(tools, cancel).read(action).into()
    }

    fn reader<'a>(&'a self, tools: &'a Toolbox, cancel: &'a Cancel) -> Reader<'a> {
        Reader { world: &self.world, conversation: &self.conversation, tools, cancel }
    }

    /// Uses a tool; one that does more than read is asked about.
    fn use_tool(
        &mut self,
        run: &mut Running,
        number: u32,
        (name, arguments): (&str, &Value),
        tools: &Toolbox,
        cancel: &Cancel,
    ) -> Outcome {
        let Some(tool) = tools.get(name) else { return unknown(name, tools) };
        let asks = !tool.reads && !matches!(name, "todo" | "ask_user" | "task");
        if asks {
            let ask = Ask {
                title: format!("{name} {arguments}"),
                reason: tool.description.clone(),
                patch: String::new(),
                scope: Scope { kind: name.to_owned(), folder: ProjectPath::root() },
            };
            if let Err(refused) = self.permit(run, number, &ask, cancel) {
                return refused;
            }
        }
        let outcome = (tool.run)(&Use { arguments, world: &self.world, cancel });
        if let Some(tool::Fetched { from, bytes, hash }) = outcome.fetched.as_deref().cloned() {
            self.record(run.number, Deed::Fetched { from, bytes, hash });
        } else if asks {
            let hash = audit::hash(arguments.to_string().as_bytes());
            self.record(run.number, Deed::Ran { tool: name.to_owned(), hash, ok: outcome.ok });
        }
        outcome
    }

    /// Whether something may be done: said before, or asked now. A refusal is what the model is told.
    pub(super) fn permit(&mut self, run: &mut Running, action: u32, ask: &Ask, cancel: &Cancel) -> Result<(), Outcome> {
        let mut allowed = self.allowed.iter().chain(&self.setup.always);
        let covered = allowed.any(|scope| scope.kind == ask.scope.kind && ask.scope.folder.is_within(&scope.folder));
        if covered || self.setup.allow_edits && ask.scope.kind == "edit" {
            return Ok(());
        }
        let told = |answer: Option<Answer>| EventKind::Permission {
            action,
            title: ask.title.clone(),
            reason: ask.reason.clone(),
            // It was seen with the question.
            patch: if answer.is_some() { String::new() } else { ask.patch.clone() },
            scope: Some(ask.scope.clone()),
            answer,
        };
        self.emit(run.number, told(None));
        let answer = self.setup.host.permission(ask, cancel);
        self.emit(run.number, told(Some(answer.clone())));
        self.record(run.number, Deed::Asked { title: ask.title.clone(), answer: format!("{answer:?}") });
        match answer {
            Answer::Allow => Ok(()),
            // Whoever answered keeps what is for good; here it counts until the session is over.
            Answer::AllowForSession | Answer::AllowAlways => {
                self.allowed.insert(ask.scope.clone());
                let allowed = serde_json::to_value(&self.allowed).unwrap_or_default();
                let kept = self.store.keep(&self.session, ALLOWED, &allowed);
                self.note_store(kept, run.number);
                Ok(())
            }
            Answer::Deny { comment } => {
                run.denied += 1;
                let comment = if comment.trim().is_empty() { String::new() } else { format!(": {}", comment.trim()) };
                Err(Outcome::failed(format!(
                    "not permitted{comment}. Do not try it again; do something else, or end with <done/>."
                )))
            }
        }
    }
}

/// What actions need that only read: they may be done side by side.
struct Reader<'a> {
    world: &'a World,
    conversation: &'a Conversation,
    tools: &'a Toolbox,
    cancel: &'a Cancel,
}

impl Reader<'_> {
    /// Several actions side by side, their outcomes in order.
    fn read_all(&self, actions: &[Numbered<'_>]) -> Vec<Done> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = actions
                .iter()
                .map(|one| {
                    let name = format!("agent-read-{}", one.number);
                    std::thread::Builder::new().name(name).spawn_scoped(scope, move || self.read(one.action))
                })
                .collect();
            let outcome = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, Outcome>>| match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|_| Outcome::failed("the action failed inside; try another"))
                }
                Err(error) => Outcome::failed(format!("no thread for it: {error}; ask for less at once")),
            };
            threads.into_iter().map(|thread| outcome(thread).into()).collect()
        })
    }

    fn read(&self, action: &Action) -> Outcome {
        match action {
            Action::ReadFile { path, lines } => {
                let known = |shown: &Shown| self.conversation.shows(shown);
                tool::read_file(self.world, path, *lines, &known)
            }
            Action::SearchCode { query, path } => tool::search_code(self.world, query, path.as_deref(), self.cancel),
            Action::ListDirectory { path } => tool::list_directory(self.world, path),
            Action::Tool { name, arguments } => match self.tools.get(name) {
                Some(tool) => (tool.run)(&Use { arguments, world: self.world, cancel: self.cancel }),
                None => unknown(name, self.tools),
            },
            Action::RunCommand { .. } => {
                Outcome::failed("commands cannot be run in this mode; work with the files, and say what should be run")
            }
            other => Outcome::failed(format!("{} cannot be done here", other.name())),
        }
    }
}

/// How many items from the first on only read, and can be done side by side.
fn reading(items: &[Item], tools: &Toolbox) -> usize {
    let reads = |item: &Item| match item {
        Item::Action(Action::Tool { name, .. }) => tools.get(name).is_some_and(|tool| tool.reads),
        Item::Action(action) => action.only_reads(),
        Item::Malformed(_) => false,
    };
    // Few enough that threads are cheap.
    items.iter().take(8).take_while(|item| reads(item)).count()
}

fn unknown(name: &str, tools: &Toolbox) -> Outcome {
    let names = tools.names().join(", ");
    Outcome::failed(format!("there is no tool \"{name}\"; there are read_file, search_code, list_directory, {names}"))
}

/// Native schemas of all that a mode may do.
pub(super) fn schemas(mode: Mode, tools: &Toolbox) -> Vec<provider::Tool> {
    let text = || json!({"type": "string"});
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let path = |more: &str| json!({"type": "string", "description": format!("from the project's root{more}")});
    let mut all = vec![
        schema("list_directory", "lists a folder", object(json!({"path": path("; empty for the root")}), &["path"])),
        schema(
            "read_file",
            "shows a file, or some of its lines; one of more than 200 lines must be read by range",
            object(json!({"path": path(""), "lines": {"type": "string", "description": "as in 40-90"}}), &["path"]),
        ),
        schema(
            "search_code",
            "searches the project for a regular expression",
            object(json!({"query": text(), "path": path("; only below it")}), &["query"]),
        ),
    ];
    if mode.edits() {
        let block = object(json!({"search": text(), "replace": text()}), &["search", "replace"]);
        all.extend([
            schema(
                "edit_file",
                "replaces lines of a file; search must be in it exactly once, copied with its indentation",
                object(json!({"path": path(""), "blocks": {"type": "array", "items": block}}), &["path", "blocks"]),
            ),
            schema(
                "write_symbol",
                "puts the complete new version of a function, method or class in the place of the old one",
                object(json!({"path": path(""), "name": text(), "content": text()}), &["path", "name", "content"]),
            ),
            schema(
                "create_file",
                "makes a file",
                object(json!({"path": path(""), "content": text()}), &["path", "content"]),
            ),
            schema("rename_file", "moves a file", object(json!({"from": path(""), "to": path("")}), &["from", "to"])),
            schema("delete_file", "removes a file", object(json!({"path": path("")}), &["path"])),
        ]);
    }
    all.extend(tools.iter().map(|tool| schema(&tool.name, &tool.description, tool.schema.clone())));
    all
}
