//! Asking the person at the terminal: the agent's thread waits, this one prints and reads.

use std::io::Write as _;

use agent::event::Answer;
use agent::host::{Ask, Desk};
use crossbeam_channel::{Sender, bounded};
use editor::Cancel;

use super::{Message, Room};
use crate::cli::colour::Coloured;
use crate::cli::output::Output;
use crate::state::agents;

/// A question, where its answer goes, and what stops the run that asks.
pub(in crate::cli) enum Asked {
    Permission(Ask, Sender<Answer>, Cancel),
    Question(String, Vec<String>, Sender<Option<String>>, Cancel),
}

/// The person at the terminal.
pub(super) struct Terminal(pub(super) Sender<Message>);

impl Desk for Terminal {
    fn permission(&self, ask: &Ask, cancel: &Cancel) -> Answer {
        let (answer, answered) = bounded(1);
        let no = || Answer::Deny { comment: "stopped".to_owned() };
        match self.0.send(Message::Asked(Asked::Permission(ask.clone(), answer, cancel.clone()))) {
            Ok(()) if !cancel.is_cancelled() => answered.recv().unwrap_or_else(|_| no()),
            _ => no(),
        }
    }

    fn question(&self, question: &str, choices: &[String], cancel: &Cancel) -> Option<String> {
        let (answer, answered) = bounded(1);
        let asked = Asked::Question(question.to_owned(), choices.to_vec(), answer, cancel.clone());
        self.0.send(Message::Asked(asked)).ok()?;
        answered.recv().ok().flatten()
    }
}

/// Asks, and sends the answer. Whoever asked may be gone meanwhile.
pub(super) fn answer(asked: Asked, room: &Room, output: &mut Output) -> anyhow::Result<()> {
    match asked {
        Asked::Permission(ask, to, cancel) => {
            let answer = permission(&ask, &cancel, output)?;
            if answer == Answer::AllowAlways {
                agents::allow_always(&room.paths, &room.root, &ask.scope)?;
            }
            drop(to.send(answer));
        }
        Asked::Question(question, choices, to, cancel) => {
            drop(to.send(question_answer(&question, &choices, &cancel, output)?));
        }
    }
    Ok(())
}

fn permission(ask: &Ask, cancel: &Cancel, output: &mut Output) -> anyhow::Result<Answer> {
    writeln!(output, "\n{}: {}", ask.title, ask.reason)?;
    print_patch(&ask.patch, output)?;
    let folder = &ask.scope.folder;
    writeln!(
        output,
        "[y] yes  [s] yes, and all like it in {folder}/ until the end  [a] and always in this project  [n] no; or say \
         what to do instead"
    )?;
    let Some(line) = read_line(cancel, output)? else {
        return Ok(Answer::Deny { comment: "nobody answered".to_owned() });
    };
    Ok(match line.trim() {
        "y" | "yes" => Answer::Allow,
        "s" | "session" => Answer::AllowForSession,
        "a" | "always" => Answer::AllowAlways,
        "" | "n" | "no" => Answer::Deny { comment: String::new() },
        words => Answer::Deny { comment: words.to_owned() },
    })
}

fn question_answer(
    question: &str,
    choices: &[String],
    cancel: &Cancel,
    output: &mut Output,
) -> anyhow::Result<Option<String>> {
    writeln!(output, "\n{question}")?;
    for (n, choice) in choices.iter().enumerate() {
        writeln!(output, "  {}: {choice}", n + 1)?;
    }
    let Some(line) = read_line(cancel, output)? else { return Ok(None) };
    let chosen = line.trim().parse::<usize>().ok().and_then(|n| choices.get(n.wrapping_sub(1)));
    Ok(Some(chosen.cloned().unwrap_or_else(|| line.trim().to_owned())).filter(|answer| !answer.is_empty()))
}

/// A line that the person types; none at the end of the input, and after Ctrl+C, which stops the run here as anywhere.
fn read_line(cancel: &Cancel, output: &mut Output) -> anyhow::Result<Option<String>> {
    output.flush()?;
    match rustyline::DefaultEditor::new()?.readline("? ") {
        Ok(line) => Ok(Some(line)),
        Err(rustyline::error::ReadlineError::Eof) => Ok(None),
        Err(rustyline::error::ReadlineError::Interrupted) => {
            cancel.cancel();
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The hunks of a change, in colour where there is any.
pub(super) fn print_patch(patch: &str, output: &mut Output) -> anyhow::Result<()> {
    match output.has_colour() {
        true => {
            let mut coloured = Coloured::patch(Vec::new());
            coloured.write_all(patch.as_bytes())?;
            coloured.flush()?;
            output.write_all(&coloured.into_inner())?;
        }
        false => output.write_all(patch.as_bytes())?,
    }
    Ok(())
}
