//! What can be typed with a slash, in one table: name, arguments, what it does.
//!
//! A command does something at once, or becomes a prompt. The person's own are read by [`crate::state::slash`].

use std::io::Write as _;

use agent::checkpoint::{Report, What};
use agent::context::Piece;
use agent::context::{Body, budget};
use agent::event::EventKind;
use agent::run::{Mode, Task};
use agent::session::{json, markdown};
use anyhow::{Context as _, bail};

use super::desk::print_patch;
use super::interactive::Talk;
use super::show::counted;
use super::{Room, relative};
use crate::cli::output::Output;
use crate::state::agents::{self, prompts, rules_file};
use crate::state::slash::{self, UserCommand};
use crate::state::store;

/// What follows a command.
pub(super) enum Next {
    /// The next line.
    Line,
    /// The end.
    Leave,
    /// A run.
    Run(Task),
    /// Several, until one is not done.
    RunAll(Vec<Task>),
}

/// A command.
struct Command {
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    run: fn(&mut Talk, &str, &mut Output) -> anyhow::Result<Next>,
}

/// Times that /loop does something at most.
const LOOPS: usize = 100;

const COMMANDS: &[Command] = &[
    Command { name: "help", arguments: "", does: "shows this", run: help },
    Command { name: "mode", arguments: "[ask|plan|agent]", does: "says or sets what runs may do", run: mode },
    Command { name: "model", arguments: "[NAME|URL]", does: "says or sets the model", run: model },
    Command {
        name: "context",
        arguments: "",
        does: "shows what the conversation is made of, and how large it is",
        run: context,
    },
    Command {
        name: "pin",
        arguments: "[FILE]",
        does: "keeps a file that came along whole when room is needed; again, and no more",
        run: pin,
    },
    Command {
        name: "compact",
        arguments: "[TEXT]",
        does: "puts a summary in the place of what was said, or TEXT",
        run: compact,
    },
    Command { name: "clear", arguments: "", does: "begins a new conversation", run: clear },
    Command { name: "diff", arguments: "", does: "shows what this session changed", run: diff },
    Command {
        name: "rewind",
        arguments: "[N [files|conversation]]",
        does: "lists checkpoints, or takes back all from one on",
        run: rewind,
    },
    Command { name: "undo", arguments: "", does: "undoes the last rewind", run: undo },
    Command {
        name: "btw",
        arguments: "QUESTION",
        does: "asks something beside; it does not enter the conversation",
        run: btw,
    },
    Command {
        name: "review",
        arguments: "",
        does: "reviews what is not committed",
        run: |talk, more, output| about_changes(talk, Mode::Ask, prompts::REVIEW, more, output),
    },
    Command {
        name: "security-review",
        arguments: "",
        does: "looks for security problems",
        run: |_, more, _| Ok(asked(Mode::Ask, prompts::SECURITY_REVIEW, more)),
    },
    Command {
        name: "simplify",
        arguments: "",
        does: "makes what was changed simpler",
        run: |talk, more, output| about_changes(talk, Mode::Agent, prompts::SIMPLIFY, more, output),
    },
    Command {
        name: "recap",
        arguments: "",
        does: "sums up the conversation",
        run: |_, more, _| Ok(asked(Mode::Ask, prompts::RECAP, more)),
    },
    Command { name: "loop", arguments: "N PROMPT", does: "does the same up to N times, until it fails", run: repeat },
    Command { name: "batch", arguments: "FILE", does: "does each line of a file, until one fails", run: batch },
    Command {
        name: "lang",
        arguments: "[LANGUAGE]",
        does: "sets the language of answers; none for the model's own",
        run: lang,
    },
    Command { name: "memory", arguments: "", does: "shows the rules that count here, and their cost", run: memory },
    Command {
        name: "resume",
        arguments: "[SESSION]",
        does: "lists sessions of this project, or goes on with one",
        run: resume,
    },
    Command {
        name: "export",
        arguments: "FILE",
        does: "writes the session as Markdown, or as JSON to a .json file",
        run: export,
    },
    Command { name: "quit", arguments: "", does: "leaves", run: |_, _, _| Ok(Next::Leave) },
];

/// All names, for completion.
pub(super) fn names(user: &[UserCommand]) -> Vec<String> {
    let mut names: Vec<_> = COMMANDS.iter().map(|command| command.name.to_owned()).collect();
    names.extend(user.iter().map(|command| command.name.clone()));
    names.sort();
    names
}

/// Runs a line without its slash.
pub(super) fn run(talk: &mut Talk, line: &str, output: &mut Output) -> anyhow::Result<Next> {
    let (name, more) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
        return (command.run)(talk, more.trim(), output);
    }
    let Some(command) = talk.user.iter().find(|command| command.name == name) else {
        bail!("there is no /{name}; /help shows what there is");
    };
    Ok(Next::Run(task(command.mode.unwrap_or(talk.mode), &command.prompt(more))))
}

/// The person's own commands, and the names of those that cannot be used because there are such commands already.
pub(super) fn of_user(room: &Room) -> (Vec<UserCommand>, Vec<String>) {
    let is_taken = |command: &UserCommand| COMMANDS.iter().any(|known| known.name == command.name);
    let (taken, free): (Vec<_>, Vec<_>) = slash::of_user(&room.paths).into_iter().partition(is_taken);
    (free, taken.into_iter().map(|command| command.name).collect())
}

fn asked(mode: Mode, prompt: &str, more: &str) -> Next {
    Next::Run(task(mode, &format!("{}\n{more}", prompt.trim())))
}

fn task(mode: Mode, prompt: &str) -> Task {
    Task { mode, prompt: prompt.trim().to_owned(), ..Task::default() }
}

/// A prompt with what is not committed.
fn about_changes(talk: &Talk, mode: Mode, prompt: &str, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    let Some(patch) = agents::uncommitted(&talk.room.root)? else {
        writeln!(output, "Everything is committed; there is nothing to look at.")?;
        return Ok(Next::Line);
    };
    let mut task = task(mode, &format!("{}\n{more}", prompt.trim()));
    let text = agent::tool::fenced("changes.diff", &patch);
    task.pieces.push(Piece { title: "changes that are not committed".to_owned(), text, ..Piece::default() });
    Ok(Next::Run(task))
}

fn help(talk: &mut Talk, _: &str, output: &mut Output) -> anyhow::Result<Next> {
    for Command { name, arguments, does, .. } in COMMANDS {
        writeln!(output, "  {:<36} {does}", format!("/{name} {arguments}"))?;
    }
    for command in &talk.user {
        writeln!(output, "  {:<36} {}", format!("/{}", command.name), command.description)?;
    }
    writeln!(output, "Anything else is for the model. A file that is named in it comes along. Ctrl+C stops a run.")?;
    Ok(Next::Line)
}

fn mode(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    if !more.is_empty() {
        talk.mode =
            Mode::parse(more).with_context(|| format!("there is no mode {more}; there are ask, plan and agent"))?;
    }
    writeln!(output, "{}", talk.mode.name())?;
    Ok(Next::Line)
}

fn model(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    if !more.is_empty() {
        let before = talk.room.model.replace(more.to_owned());
        let session = talk.agent()?.session().clone();
        if let Err(error) = talk.change(Some(&session), "") {
            talk.room.model = before;
            return Err(error);
        }
    }
    writeln!(output, "{}", talk.model_name())?;
    Ok(Next::Line)
}

fn context(talk: &mut Talk, _: &str, output: &mut Output) -> anyhow::Result<Next> {
    let agent = talk.agent()?;
    let mut parts: Vec<(&str, usize, usize)> = Vec::new();
    for entry in agent.conversation().entries() {
        let bytes = match &entry.body {
            Body::Prompt { text, files } => text.len() + files.iter().map(|piece| piece.body().len()).sum::<usize>(),
            Body::Results { pieces } => pieces.iter().map(|piece| piece.body().len()).sum(),
            Body::Reply { text, .. }
            | Body::Snapshot { text, .. }
            | Body::Reminder { text }
            | Body::Summary { text } => text.len(),
        };
        match parts.iter_mut().find(|(part, ..)| *part == entry.body.part()) {
            Some((_, count, sum)) => (*count, *sum) = (*count + 1, *sum + bytes),
            None => parts.push((entry.body.part(), 1, bytes)),
        }
    }
    for (part, count, bytes) in parts {
        writeln!(output, "  {part:<10} {count:>4}  {bytes:>8} bytes")?;
    }
    for (_, piece) in budget::attachments(agent.conversation()) {
        let pinned = if piece.pinned { ", pinned" } else { "" };
        writeln!(output, "  {}: {}{pinned}, {} bytes", piece.title, piece.load().name(), piece.body().len())?;
    }
    let (tokens, window) = (agent.tokens(budget::bytes(agent.conversation())), agent.window());
    match window {
        Some(window) => writeln!(output, "about {tokens} of {window} tokens")?,
        None => writeln!(output, "about {tokens} tokens; the server does not say how many it takes")?,
    }
    Ok(Next::Line)
}

fn pin(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    let agent = talk.agent()?;
    let title = format!("file {more}");
    let known = budget::attachments(agent.conversation()).find(|(_, piece)| piece.title == title);
    let Some(pinned) = known.map(|(_, piece)| piece.pinned) else {
        let names: Vec<_> = budget::attachments(agent.conversation())
            .map(|(_, piece)| piece.title.trim_start_matches("file ").to_owned())
            .collect();
        match names.is_empty() {
            true => bail!("no file came along yet; a file that a prompt names does"),
            false => bail!("say which of these: {}", names.join(", ")),
        }
    };
    agent.pin(more, !pinned);
    writeln!(output, "{more} {}.", if pinned { "may be left out again" } else { "stays whole" })?;
    Ok(Next::Line)
}

fn compact(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    let words = Some(more.to_owned()).filter(|words| !words.is_empty());
    if let Some(words) = &words
        && talk.agent()?.correct_summary(words)
    {
        writeln!(output, "The summary is yours now.")?;
        return Ok(Next::Line);
    }
    let agent = talk.agent.take().context("there is no session")?;
    // What it tells is said by the summary itself.
    let quiet = &mut |_, _: &Room| Ok(());
    let done = talk.room.aside(agent, move |agent, cancel| agent.compact(words, cancel), quiet);
    let (agent, done) = done.map_err(super::Failure::into_error)?;
    match agent.summary().filter(|_| done) {
        Some(summary) => writeln!(output, "{summary}\n\n/compact TEXT puts other words in its place.")?,
        None => writeln!(output, "There is nothing to sum up yet.")?,
    }
    talk.agent = Some(agent);
    Ok(Next::Line)
}

fn clear(talk: &mut Talk, _: &str, output: &mut Output) -> anyhow::Result<Next> {
    talk.change(None, "")?;
    writeln!(output, "A new conversation begins.")?;
    Ok(Next::Line)
}

fn diff(talk: &mut Talk, _: &str, output: &mut Output) -> anyhow::Result<Next> {
    let agent = talk.agent()?;
    let session = agent.session().clone();
    let mut any = false;
    for event in agent.store().events(&session)? {
        let EventKind::ActionFinished { changes, .. } = event.kind else { continue };
        for change in changes {
            any = true;
            writeln!(output, "{} ({:?}, +{} -{})", change.path, change.kind, change.added, change.removed)?;
            print_patch(&change.patch, output)?;
        }
    }
    if !any {
        writeln!(output, "This session changed nothing.")?;
    }
    Ok(Next::Line)
}

fn rewind(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    let agent = talk.agent()?;
    let mut words = more.split_whitespace();
    let Some(number) = words.next() else {
        let session = agent.session().clone();
        let mut checkpoints = agent.store().checkpoints(&session)?;
        checkpoints.retain(|checkpoint| !checkpoint.rewound);
        if checkpoints.is_empty() {
            writeln!(output, "There is no checkpoint: this session changed nothing that could be taken back.")?;
            return Ok(Next::Line);
        }
        for checkpoint in checkpoints {
            writeln!(
                output,
                "  {:>3}  {}  {}  ({})",
                checkpoint.number,
                checkpoint.at,
                checkpoint.title,
                checkpoint.files.join(", ")
            )?;
        }
        writeln!(output, "/rewind N takes back all from N on.")?;
        return Ok(Next::Line);
    };
    let what = match words.next() {
        None => What::Both,
        Some("files") => What::Files,
        Some("conversation") => What::Conversation,
        Some(other) => bail!("{other} cannot be taken back; files and conversation can"),
    };
    let Ok(number) = number.parse() else { bail!("{number} is no number of a checkpoint; /rewind lists them") };
    let report = agent.rewind(number, what)?;
    tell(&report, "put back; /undo undoes it", output)?;
    Ok(Next::Line)
}

fn undo(talk: &mut Talk, _: &str, output: &mut Output) -> anyhow::Result<Next> {
    let report = talk.agent()?.undo_rewind()?;
    tell(&report, "as before the rewind", output)?;
    Ok(Next::Line)
}

fn tell(report: &Report, how: &str, output: &mut Output) -> anyhow::Result<()> {
    for path in &report.restored {
        writeln!(output, "  {path}")?;
    }
    for (path, why) in &report.kept {
        writeln!(output, "  {path}: {why}")?;
    }
    let count = report.restored.len() as u64;
    writeln!(output, "{} {} {how}.", counted(count, "file"), if count == 1 { "is" } else { "are" })?;
    Ok(())
}

fn btw(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    if more.is_empty() {
        bail!("ask something: /btw QUESTION");
    }
    let aside = talk.agent()?.beside(&format!("btw: {more}"))?;
    let main = talk.agent.replace(aside);
    let done = talk.ask(task(Mode::Ask, more), output);
    talk.agent = main;
    done.map(|_| Next::Line)
}

fn repeat(talk: &mut Talk, more: &str, _: &mut Output) -> anyhow::Result<Next> {
    let (count, prompt) = more.split_once(char::is_whitespace).context("say how often and what: /loop N PROMPT")?;
    let Some(count) = count.parse().ok().filter(|count| (1..=LOOPS).contains(count)) else {
        bail!("{count} is no number from 1 to {LOOPS}: /loop N PROMPT");
    };
    Ok(Next::RunAll(vec![task(talk.mode, prompt); count]))
}

fn batch(talk: &mut Talk, more: &str, _: &mut Output) -> anyhow::Result<Next> {
    if more.is_empty() {
        bail!("say which file has the prompts, one a line: /batch FILE");
    }
    let path = talk.room.root.join(more);
    let text = store::read(&path)?.with_context(|| format!("there is no file {}", path.display()))?;
    let prompts = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(Next::RunAll(prompts.map(|prompt| task(talk.mode, prompt)).collect()))
}

fn lang(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    talk.language = Some(more.to_owned()).filter(|language| !language.is_empty());
    writeln!(output, "Answers are in {}.", talk.language.as_deref().unwrap_or("the language of the question"))?;
    Ok(Next::Line)
}

fn memory(talk: &mut Talk, _: &str, output: &mut Output) -> anyhow::Result<Next> {
    let user = rules_file(&talk.room.paths);
    let rules = talk.agent()?.rules();
    for rule in &rules {
        writeln!(output, "  {} (about {} tokens)", rule.name, rule.tokens())?;
    }
    if rules.is_empty() {
        writeln!(output, "There are no rules.")?;
    }
    writeln!(output, "Yours are in {}, the project's in its AGENTS.md.", user.display())?;
    Ok(Next::Line)
}

fn resume(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    let root = talk.room.root.to_string_lossy().into_owned();
    if more.is_empty() {
        for info in talk.agent()?.store().sessions(Some(&root), 20)? {
            writeln!(output, "  {}  {}", info.id, info.title)?;
        }
        return Ok(Next::Line);
    }
    let session = talk.agent()?.store().session(more)?.id;
    talk.change(Some(&session), "")?;
    writeln!(output, "{session} goes on.")?;
    Ok(Next::Line)
}

fn export(talk: &mut Talk, more: &str, output: &mut Output) -> anyhow::Result<Next> {
    if more.is_empty() {
        bail!("say where to: /export FILE");
    }
    let path = talk.room.root.join(more);
    let agent = talk.agent()?;
    let session = agent.session().clone();
    let text = match path.extension().is_some_and(|extension| extension == "json") {
        true => serde_json::to_string_pretty(&json(agent.store(), &session)?)?,
        false => markdown(agent.store(), &session)?,
    };
    store::write(&path, &text)?;
    writeln!(output, "{} is written.", relative(&path, &talk.room.root))?;
    Ok(Next::Line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_name_and_says_what_it_does() {
        let mut seen = std::collections::BTreeSet::new();
        for command in COMMANDS {
            assert!(seen.insert(command.name) && !command.does.is_empty(), "{}", command.name);
        }
    }
}
