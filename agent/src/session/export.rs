//! A session as one document: Markdown for people, JSON for programs.
//!
//! Both hold what the store holds, which has no secrets in it.

use std::fmt::Write as _;

use serde_json::{Value, json as value};

use super::{Said, Store, StoreError};
use crate::event::{Event, EventKind, SessionId};

/// Longer results of actions are cut in Markdown.
const RESULT: usize = 4000;

/// The session with its conversation, its events, its checkpoints and its sub-sessions; and all replies as the model wrote
/// them, those that count no more, too: what `recto agent replay` reads.
pub fn json(store: &mut Store, session: &SessionId) -> Result<Value, StoreError> {
    let info = store.session(session.as_str())?;
    let said = |said: Said| value!({"place": said.place, "run": said.run, "part": said.part, "message": said.message});
    let conversation: Vec<_> = store.conversation(session)?.into_iter().map(said).collect();
    let replies: Vec<_> = store
        .replies(session)?
        .into_iter()
        .map(|(said, there)| {
            value!({"run": said.run, "text": said.message.pointer("/body/text"), "in_conversation": there})
        })
        .collect();
    let children = store.children(session)?;
    let children: Vec<_> = children.iter().map(|child| json(store, &child.id)).collect::<Result<_, _>>()?;
    Ok(value!({
        "session": info,
        "conversation": conversation,
        "replies": replies,
        "events": store.events(session)?,
        "checkpoints": store.checkpoints(session)?,
        "sessions": children,
    }))
}

/// The session as people read it.
pub fn markdown(store: &mut Store, session: &SessionId) -> Result<String, StoreError> {
    let info = store.session(session.as_str())?;
    let mut out = format!("# {}\n\n", info.title.trim());
    let _ = writeln!(out, "Session {} in `{}`, begun {}, model {}.", info.id, info.project, info.begun, info.model);
    let prompts = store.prompts(session)?;
    let mut run = 0;
    for event in store.events(session)? {
        if event.run != run {
            run = event.run;
            let _ = write!(out, "\n## Run {run}\n");
            if let Some((_, prompt)) = prompts.iter().find(|(of, _)| *of == run) {
                let _ = write!(out, "\n{}\n", quoted(prompt));
            }
        }
        write_event(&mut out, &event);
    }
    for child in store.children(session)? {
        let _ = write!(out, "\n---\n\n{}", markdown(store, &child.id)?);
    }
    Ok(out)
}

/// What was asked and what was answered, in at most so many bytes, for a model that is shown it: with what was done if
/// there is room for that, then without, then the last of it.
pub fn brief(store: &mut Store, session: &SessionId, most: usize) -> Result<String, StoreError> {
    let whole = markdown(store, session)?;
    if whole.len() <= most {
        return Ok(whole);
    }
    let prompts = store.prompts(session)?;
    let mut runs: Vec<(u32, String)> = Vec::new();
    let mut step = String::new();
    for event in store.events(session)?.into_iter().filter(|event| event.session == *session) {
        if runs.last().is_none_or(|(run, _)| *run != event.run) {
            let asked = prompts.iter().find(|(of, _)| *of == event.run).map_or("", |(_, prompt)| prompt.as_str());
            runs.push((event.run, format!("{}\n", quoted(asked))));
        }
        let Some((_, said)) = runs.last_mut() else { continue };
        match &event.kind {
            EventKind::Step { .. } => step.clear(),
            EventKind::Text { text } => step.push_str(text),
            // What it said in its last step is the answer; before that it was on the way.
            EventKind::Done { end, files, .. } => {
                let _ = write!(said, "{}\n({} Changed: {}.)\n\n", step.trim(), end.sentence(), list(files));
                step.clear();
            }
            _ => {}
        }
    }
    let title = format!("# {}\n\n", store.session(session.as_str())?.title.trim());
    let (mut left, mut from) = (most.saturating_sub(title.len() + 60), runs.len());
    while let Some((_, said)) = from.checked_sub(1).map(|at| &runs[at]).filter(|(_, said)| said.len() <= left) {
        (left, from) = (left - said.len(), from - 1);
    }
    let gone = if from > 0 { format!("… ({from} earlier messages are left out)\n\n") } else { String::new() };
    let kept: String = runs.drain(from..).map(|(_, said)| said).collect();
    Ok(format!("{title}{gone}{}", kept.trim_end()))
}

fn write_event(out: &mut String, event: &Event) {
    // Writing into a string cannot fail.
    let _ = match &event.kind {
        EventKind::Text { text } if text.trim().is_empty() => Ok(()),
        EventKind::Text { text } => write!(out, "\n{}\n", text.trim()),
        EventKind::Reasoning { text } => {
            write!(out, "\n<details><summary>Reasoning</summary>\n\n{}\n\n</details>\n", text.trim())
        }
        EventKind::ActionStarted { title, .. } => write!(out, "\n**{title}**\n"),
        EventKind::ActionFinished { ok, result, changes, .. } => {
            let patches = changes.iter().map(|change| fenced("diff", &change.patch)).collect::<String>();
            let result = if patches.is_empty() || !ok { fenced("", result) } else { patches };
            write!(out, "{}{result}", if *ok { "" } else { "\nfailed:\n" })
        }
        EventKind::Permission { title, answer: Some(answer), .. } => write!(out, "\n*{title}: {answer:?}*\n"),
        EventKind::Notice { text, .. } => write!(out, "\n*{text}*\n"),
        EventKind::Error { text } => write!(out, "\n**Error:** {text}\n"),
        EventKind::Done { end, steps, files, .. } => {
            write!(out, "\n*{} {steps} steps; changed: {}*\n", end.sentence(), list(files))
        }
        EventKind::Permission { .. }
        | EventKind::Writing { .. }
        | EventKind::ActionProgress { .. }
        | EventKind::Usage { .. }
        | EventKind::Checkpoint { .. }
        | EventKind::Step { .. } => Ok(()),
    };
}

fn list(files: &[String]) -> String {
    if files.is_empty() { "nothing".to_owned() } else { files.join(", ") }
}

fn quoted(text: &str) -> String {
    text.trim().lines().map(|line| format!("> {line}\n")).collect()
}

/// In a fence that is longer than any in the text.
fn fenced(language: &str, text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = text.char_indices().nth(RESULT).map_or(text.len(), |(at, _)| at);
    let cut = if end < text.len() { "\n…" } else { "" };
    format!("\n{fence}{language}\n{}{cut}\n{fence}\n", text[..end].trim_end())
}
