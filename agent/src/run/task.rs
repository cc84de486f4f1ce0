//! Agents that an agent starts: each in a session of its own, one after another, side by side, or in the background.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use editor::Cancel;
use serde_json::{Value, json};

use super::{Agent, Ended, Mode, Running, Setup, Task, lock};
use crate::context::Body;
use crate::event::{End, SessionId};
use crate::session::Store;
use crate::tool::{Outcome, Tool, Use};

/// Tasks in the background at a time.
const MOST: usize = 4;

/// Tasks of a run that are in the background.
#[derive(Clone, Default)]
pub struct Tasks(Arc<Mutex<Vec<Background>>>);

struct Background {
    number: usize,
    thread: JoinHandle<String>,
    cancel: Cancel,
}

impl Tasks {
    /// Stops all that still run, and waits for them.
    pub(super) fn stop(&self) {
        let tasks = std::mem::take(&mut *lock(&self.0));
        for task in &tasks {
            task.cancel.cancel();
        }
        for task in tasks {
            // What it has to say nobody waits for; that it panicked was told where it did.
            let _ = task.thread.join();
        }
    }

    /// What those say that are done.
    fn finished(&self) -> Vec<String> {
        let mut tasks = lock(&self.0);
        let (done, open) = std::mem::take(&mut *tasks).into_iter().partition(|task| task.thread.is_finished());
        *tasks = open;
        let say = |task: Background| {
            let said = task.thread.join().unwrap_or_else(|_| "it failed inside".to_owned());
            format!("[task {}]\n{said}", task.number)
        };
        Vec::into_iter(done).map(say).collect()
    }

    fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl Agent {
    /// At the end of a run: waits for tasks in the background. True if one of them had something to say, so that the run
    /// goes on.
    pub(super) fn wait_for_tasks(&mut self, run: &mut Running, end: End, cancel: &Cancel) -> bool {
        if !matches!(end, End::Done | End::Answered) || run.step >= run.limit {
            return false;
        }
        let mut said = self.tasks.finished();
        while said.is_empty() && !self.tasks.is_empty() && !cancel.is_cancelled() {
            std::thread::park_timeout(std::time::Duration::from_millis(50));
            said = self.tasks.finished();
        }
        if said.is_empty() {
            return false;
        }
        self.say(run, Body::Reminder { text: said.join("\n\n") });
        true
    }

    /// What tasks in the background have said meanwhile.
    pub(super) fn hear_tasks(&mut self, run: &mut Running) {
        let said = self.tasks.finished();
        if !said.is_empty() {
            self.say(run, Body::Reminder { text: said.join("\n\n") });
        }
    }
}

/// The tool that starts tasks; a task's own agent has none.
pub(super) fn tool(agent: &Agent, mode: Mode) -> Option<Tool> {
    let store = agent.store.again().ok().filter(|_| !agent.is_child)?;
    let (setup, session, tasks) = (agent.setup.clone(), agent.session.clone(), agent.tasks.clone());
    let store = Mutex::new(store);
    let modes: Vec<_> = Mode::ALL.into_iter().filter(|of| !of.edits() || mode.edits()).map(Mode::name).collect();
    Some(Tool {
        name: "task".to_owned(),
        description: "gives a part of the work to another agent and returns its report; it knows only what you tell it"
            .to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "prompt": {"type": "string"},
                "mode": {"type": "string", "enum": modes},
                "background": {"type": "boolean", "description": "go on at once; its report comes later"}
            },
            "required": ["prompt", "mode"]
        }),
        // Tasks that only look can run side by side; with one that writes among them they would write at once.
        reads: !mode.edits(),
        run: Arc::new(move |call| start(call, mode, &setup, &store, &session, &tasks).unwrap_or_else(|failed| failed)),
    })
}

fn start(
    call: &Use<'_>,
    most: Mode,
    setup: &Arc<Setup>,
    store: &Mutex<Store>,
    session: &SessionId,
    tasks: &Tasks,
) -> Result<Outcome, Outcome> {
    let prompt = call.text("prompt")?.to_owned();
    let mode = call.arguments.get("mode").and_then(Value::as_str).unwrap_or("ask");
    let mode = Mode::parse(mode).filter(|mode| !mode.edits() || most.edits());
    let mode =
        mode.ok_or_else(|| Outcome::failed("\"mode\" must be ask or plan, or agent where files may be changed"))?;
    let failed = |error: &dyn std::fmt::Display| Outcome::failed(format!("no agent could be started: {error}"));
    let store = store.lock().unwrap_or_else(PoisonError::into_inner).again().map_err(|error| failed(&error))?;
    let mut agent = Agent::child(setup.clone(), store, &prompt, session).map_err(|error| failed(&error))?;
    let task = Task { prompt, mode, ..Task::default() };
    if call.arguments.get("background").and_then(Value::as_bool) != Some(true) {
        return Ok(outcome(&agent.run(&task, call.cancel)));
    }
    let mut running = lock(&tasks.0);
    if running.len() >= MOST {
        return Err(Outcome::failed(format!("{MOST} tasks run already; wait for one of them")));
    }
    let (number, cancel) = (running.last().map_or(1, |task| task.number + 1), Cancel::new());
    let stop = cancel.clone();
    let work = move || outcome(&agent.run(&task, &stop)).text;
    let thread = std::thread::Builder::new().name(format!("agent-task-{number}")).spawn(work);
    let thread = thread.map_err(|error| failed(&error))?;
    running.push(Background { number, thread, cancel });
    Ok(Outcome::done(format!("task {number} has begun; its report will come")))
}

fn outcome(ended: &Ended) -> Outcome {
    let files = if ended.files.is_empty() { String::new() } else { format!("\nchanged: {}", ended.files.join(", ")) };
    let report = if ended.report.is_empty() { "(no report)" } else { &ended.report };
    match ended.end {
        End::Done | End::Answered => Outcome::done(format!("{report}{files}")),
        end => Outcome::failed(format!("{} {report}{files}", end.sentence())),
    }
}
