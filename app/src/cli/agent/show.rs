//! Events as people read them: the answer on standard output; what is done, and what is noticed, on standard error when
//! the output goes to a file or another program, so that this has the answer alone.

use std::io::{IsTerminal as _, Write as _};

use agent::event::{Event, EventKind, SessionId};

use super::desk::print_patch;
use crate::cli::output::Output;

/// The tool whose result is for people, too: the list of what is to do.
const TODO: &str = "todo";
/// Lines of a failed result that are shown.
const LINES: usize = 8;

/// Prints a run.
pub(super) struct Show {
    colour: bool,
    /// Whether the answer and what is done go to the same place.
    together: bool,
    /// Whether the last character was no line's end.
    open: bool,
    /// Whether a line stands that is taken back by what follows: how far things are.
    passing: bool,
    /// The action that the person was asked about last, and has seen.
    asked: Option<u32>,
    /// The session that was first seen: what others say is theirs, and shown as such.
    session: Option<SessionId>,
    prompt: u64,
    cached: u64,
    completion: u64,
}

impl Show {
    pub(super) fn new(colour: bool) -> Self {
        let together = std::io::stdout().is_terminal();
        Self {
            colour,
            together,
            open: false,
            passing: false,
            asked: None,
            session: None,
            prompt: 0,
            cached: 0,
            completion: 0,
        }
    }

    pub(super) fn event(&mut self, event: &Event, output: &mut Output) -> anyhow::Result<()> {
        match &event.kind {
            EventKind::Step { step, limit, .. } => return self.pass(output, &format!("step {step} of {limit} …")),
            EventKind::ActionProgress { text, .. } => return self.pass(output, &format!("{text} …")),
            _ => self.take_back(output)?,
        }
        let other = self.session.get_or_insert_with(|| event.session.clone()) != &event.session;
        match &event.kind {
            // Another agent's words come as the result of the action that started it.
            EventKind::Text { .. } | EventKind::Reasoning { .. } | EventKind::Done { .. } if other => {}
            EventKind::Text { text } => {
                write!(output, "{text}")?;
                output.flush()?;
                self.open = !text.ends_with('\n');
            }
            EventKind::Reasoning { text } if self.together => {
                write!(output, "{}", self.dim(text))?;
                output.flush()?;
                self.open = !text.ends_with('\n');
            }
            EventKind::ActionStarted { name, .. } if name == TODO => self.line(output, &format!("> {name}"))?,
            EventKind::ActionStarted { title, .. } => self.line(output, &format!("> {title}"))?,
            EventKind::Permission { action, .. } => self.asked = Some(*action),
            EventKind::ActionFinished { name, ok: true, result, .. } if name == TODO => {
                let lines: Vec<_> = result.lines().map(|line| format!("  {line}")).collect();
                self.line(output, &lines.join("\n"))?;
            }
            EventKind::ActionFinished { action, ok, result, changes, .. } => {
                let seen = self.asked.take() == Some(*action);
                for change in changes.iter().filter(|_| self.together && !seen) {
                    print_patch(&change.patch, output)?;
                }
                if !changes.is_empty() && !self.together {
                    let told: Vec<_> =
                        changes.iter().map(|c| format!("  {} +{} -{}", c.path, c.added, c.removed)).collect();
                    self.line(output, &told.join("\n"))?;
                }
                if !ok {
                    let lines: Vec<_> = result.lines().take(LINES).map(|line| format!("  {line}")).collect();
                    self.line(output, &format!("  failed:\n{}", lines.join("\n")))?;
                }
            }
            EventKind::Notice { text, .. } => self.line(output, text)?,
            EventKind::Error { text } => self.line(output, &format!("error: {text}"))?,
            EventKind::Usage { prompt, cached, completion, .. } => {
                self.prompt += prompt;
                self.cached += cached;
                self.completion += completion;
            }
            EventKind::Done { end, steps, .. } => {
                let (prompt, cached, completion) = (self.prompt, self.cached, self.completion);
                let steps = counted(u64::from(*steps), "step");
                let tokens = format!("{steps}, {prompt} tokens read ({cached} cached), {completion} written");
                self.line(output, &format!("{} {tokens}", end.sentence()))?;
                (self.prompt, self.cached, self.completion) = (0, 0, 0);
                // The next run may be of another one.
                self.session = None;
            }
            EventKind::Step { .. }
            | EventKind::Checkpoint { .. }
            | EventKind::Writing { .. }
            | EventKind::ActionProgress { .. }
            | EventKind::Reasoning { .. } => {}
        }
        Ok(())
    }

    /// Says how far things are, on a line that the next words take the place of. Without a terminal nobody waits.
    fn pass(&mut self, output: &mut Output, text: &str) -> anyhow::Result<()> {
        self.take_back(output)?;
        if std::mem::take(&mut self.open) {
            writeln!(output)?;
        }
        if !self.together {
            return Ok(());
        }
        write!(output, "{}", self.dim(text))?;
        output.flush()?;
        self.passing = true;
        Ok(())
    }

    fn take_back(&mut self, output: &mut Output) -> anyhow::Result<()> {
        if std::mem::take(&mut self.passing) {
            write!(output, "\r\x1b[K")?;
        }
        Ok(())
    }

    /// A line beside the answer.
    fn line(&mut self, output: &mut Output, text: &str) -> anyhow::Result<()> {
        if std::mem::take(&mut self.open) {
            writeln!(output)?;
        }
        output.flush()?;
        match self.together {
            true => writeln!(output, "{}", self.dim(text))?,
            // Nobody is left to tell when even this cannot be written.
            false => drop(writeln!(std::io::stderr(), "{text}")),
        }
        Ok(())
    }

    fn dim(&self, text: &str) -> String {
        if self.colour { format!("\x1b[2m{text}\x1b[m") } else { text.to_owned() }
    }
}

/// A number with what it counts: `1 step`, `2 steps`.
pub(in crate::cli) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
