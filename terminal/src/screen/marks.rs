//! Commands of a shell: where prompt, input and output of each are, how it ended.
//!
//! The shell says so by marks in its output (see [`super::osc`]); their places are pins, so they survive scrolling and
//! re-wrapping. A command whose lines are forgotten is forgotten too.
//!
//! Terms: a *command* begins with its prompt; it *runs* from its output mark to its end mark. A prompt at which nothing
//! was run stays the last command, without output.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::engine::Engine;
use super::osc::Mark;
use super::position::{LineId, Pin, Position};

/// A command, counted from the terminal's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandId(pub u64);

/// How far a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandState {
    /// At the prompt.
    Waiting,
    Running,
    /// With the exit code that the shell said, if it did.
    Ended(Option<i32>),
}

impl CommandState {
    /// Whether it ended without an error.
    pub fn succeeded(self) -> bool {
        matches!(self, Self::Ended(Some(0) | None))
    }
}

/// What is known of a command.
#[derive(Clone, Debug)]
pub struct Command {
    pub id: CommandId,
    pub state: CommandState,
    /// The command line, when the shell told it with the session's nonce: safe to run again.
    pub line: Option<String>,
    /// Where it was run.
    pub directory: Option<PathBuf>,
    pub started: Option<Instant>,
    pub duration: Option<Duration>,
    prompt: Pin,
    input: Option<Pin>,
    output: Option<Pin>,
    end: Option<Pin>,
}

/// Where the parts of a command are, as far as they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPlaces {
    pub prompt: Option<Position>,
    pub input: Option<Position>,
    pub output: Option<Position>,
    pub end: Option<Position>,
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Nothing,
    Started(CommandId),
    Ended(CommandId),
}

/// Commands that are remembered at most; more prompts than lines of history are rare.
const MOST_COMMANDS: usize = 20_000;

/// Forgotten commands that are kept until they are taken out together: moving all the others costs.
const FORGOTTEN_AT_ONCE: usize = 512;

/// All commands of a terminal, oldest first.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Those before `first` are forgotten; they are taken out many at a time.
    commands: Vec<Command>,
    first: usize,
    places: Vec<Pin>,
    next: u64,
    /// What the next command that runs was said to be.
    line: Option<String>,
}

impl Marks {
    /// Takes in a mark at `pin`, which is its own from now on.
    pub fn on(&mut self, mark: Mark, pin: Pin, directory: Option<&Path>, engine: &mut dyn Engine) -> Changed {
        match mark {
            Mark::Prompt => {
                self.prompt(pin, engine);
                Changed::Nothing
            }
            Mark::Input => {
                self.ensure_prompt(pin, engine);
                replace(self.commands.last_mut().map(|command| &mut command.input), pin, engine);
                Changed::Nothing
            }
            Mark::Output => self.output(pin, directory, engine),
            Mark::End(code) => self.end(code, pin, engine),
            Mark::Place => {
                self.places.push(pin);
                Changed::Nothing
            }
        }
    }

    pub fn set_line(&mut self, line: String) {
        self.line = Some(line);
    }

    pub fn all(&self) -> &[Command] {
        &self.commands[self.first..]
    }

    pub fn get(&self, id: CommandId) -> Option<&Command> {
        self.all().binary_search_by_key(&id, |command| command.id).ok().map(|at| &self.all()[at])
    }

    /// The last that ran, or runs.
    pub fn last_run(&self) -> Option<&Command> {
        self.all().iter().rev().find(|command| command.output.is_some())
    }

    /// Lines to jump between: prompts and the user's marks, in order.
    pub fn stops(&self, engine: &dyn Engine) -> Vec<LineId> {
        let pins = self.all().iter().map(|command| command.prompt).chain(self.places.iter().copied());
        let mut lines: Vec<_> = pins.filter_map(|pin| engine.position(pin)).map(|at| at.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Drops what scrolled out of history.
    pub fn forget_lost(&mut self, engine: &mut dyn Engine) {
        let over = self.all().len().saturating_sub(MOST_COMMANDS);
        // The last one's output may still grow, whether its prompt is there or not.
        let all_but_last = &self.commands[self.first..self.commands.len().max(self.first + 1) - 1];
        let lost = all_but_last.iter().take_while(|command| engine.is_lost(command.newest())).count();
        for command in &self.commands[self.first..self.first + lost.max(over)] {
            command.pins().for_each(|pin| engine.unpin(pin));
        }
        self.first += lost.max(over);
        if self.first >= FORGOTTEN_AT_ONCE {
            self.commands.drain(..self.first);
            self.first = 0;
        }
        self.places.retain(|pin| {
            let lost = engine.is_lost(*pin);
            if lost {
                engine.unpin(*pin);
            }
            !lost
        });
    }

    fn prompt(&mut self, pin: Pin, engine: &mut dyn Engine) {
        let at = engine.position(pin);
        // What is drawn over is no longer there: prompts at and below this line are older drawings.
        while let Some(last) = self.all().last() {
            let prompt = engine.position(last.prompt);
            let below = prompt.zip(at).is_some_and(|(prompt, at)| prompt.line >= at.line);
            let drawn_again = last.state == CommandState::Waiting;
            if !below && !drawn_again {
                break;
            }
            let Some(gone) = self.commands.pop() else { break };
            gone.pins().for_each(|pin| engine.unpin(pin));
            if drawn_again {
                // Still the same command, at another place.
                self.next = self.next.saturating_sub(1);
            }
        }
        self.next += 1;
        self.commands.push(Command {
            id: CommandId(self.next),
            state: CommandState::Waiting,
            line: None,
            directory: None,
            started: None,
            duration: None,
            prompt: pin,
            input: None,
            output: None,
            end: None,
        });
    }

    /// A shell that marks no prompts still has commands.
    fn ensure_prompt(&mut self, pin: Pin, engine: &mut dyn Engine) {
        if self.commands.last().is_none_or(|last| last.state != CommandState::Waiting)
            && let Some(at) = engine.position(pin)
        {
            let own = engine.pin(at);
            self.prompt(own, engine);
        }
    }

    fn output(&mut self, pin: Pin, directory: Option<&Path>, engine: &mut dyn Engine) -> Changed {
        if self.commands.last().is_some_and(|last| last.state == CommandState::Running) {
            // Another shell within the command marks its own.
            engine.unpin(pin);
            return Changed::Nothing;
        }
        self.ensure_prompt(pin, engine);
        let line = self.line.take();
        let Some(command) = self.commands.last_mut() else { return Changed::Nothing };
        command.output = Some(pin);
        command.state = CommandState::Running;
        command.started = Some(Instant::now());
        command.directory = directory.map(Path::to_owned);
        command.line = line;
        Changed::Started(command.id)
    }

    fn end(&mut self, code: Option<i32>, pin: Pin, engine: &mut dyn Engine) -> Changed {
        self.line = None;
        let running = self.commands.last_mut().filter(|command| command.state == CommandState::Running);
        let Some(command) = running else {
            engine.unpin(pin);
            return Changed::Nothing;
        };
        command.end = Some(pin);
        command.state = CommandState::Ended(code);
        command.duration = command.started.map(|started| started.elapsed());
        Changed::Ended(command.id)
    }
}

impl Command {
    /// Line of the prompt, while it is there.
    pub(super) fn prompt_line(&self, engine: &dyn Engine) -> Option<LineId> {
        engine.position(self.prompt).map(|at| at.line)
    }

    pub(super) fn places(&self, engine: &dyn Engine) -> CommandPlaces {
        let at = |pin: Option<Pin>| engine.position(pin?);
        CommandPlaces {
            prompt: at(Some(self.prompt)),
            input: at(self.input),
            output: at(self.output),
            end: at(self.end),
        }
    }

    /// From where to where its output goes, and whether its beginning is gone.
    pub(super) fn output_range(&self, engine: &dyn Engine) -> Option<(Position, Position, bool)> {
        let output = self.output?;
        let first = Position::new(engine.top().above(engine.history() as u64), 0);
        let from = engine.position(output);
        if from.is_none() && !engine.is_lost(output) {
            return None; // behind the alternate screen
        }
        let to = match self.end {
            Some(end) => engine.position(end).unwrap_or(first),
            None => Position::new(engine.top().below(u64::from(engine.size().rows)), 0),
        };
        Some((from.unwrap_or(first), to, from.is_none()))
    }

    /// From where to where its input goes.
    pub(super) fn input_range(&self, engine: &dyn Engine) -> Option<(Position, Position)> {
        Some((engine.position(self.input?)?, engine.position(self.output?)?))
    }

    fn newest(&self) -> Pin {
        self.end.or(self.output).or(self.input).unwrap_or(self.prompt)
    }

    fn pins(&self) -> impl Iterator<Item = Pin> + use<> {
        [Some(self.prompt), self.input, self.output, self.end].into_iter().flatten()
    }
}

fn replace(place: Option<&mut Option<Pin>>, pin: Pin, engine: &mut dyn Engine) {
    match place {
        Some(place) => {
            if let Some(old) = place.replace(pin) {
                engine.unpin(old);
            }
        }
        None => engine.unpin(pin),
    }
}
