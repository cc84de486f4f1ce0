//! What the user is told: few lines, each once as a toast, all kept in the bell.

use std::time::{Duration, Instant};

use crate::commands::Command;
use crate::widgets::{Toast, Toasts, Tone};

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Info,
    Warning,
    Error,
}

impl Level {
    /// What it looks like.
    pub fn tone(self) -> Tone {
        match self {
            Self::Info => Tone::Accent,
            Self::Warning => Tone::Warning,
            Self::Error => Tone::Danger,
        }
    }
}

/// One thing to say.
#[derive(Clone, Debug)]
pub struct Notice {
    pub level: Level,
    /// What happened, to which thing, and what to do.
    pub text: String,
    /// What can be done about it, and how that reads.
    pub action: Option<(Command, String)>,
    pub at: Instant,
    /// How often it was said in a row.
    pub times: u32,
}

/// Notices kept; the oldest go.
const KEPT: usize = 200;

/// How long a toast is on screen.
const SHOWN: Duration = Duration::from_secs(6);

/// Everything said since the start, newest last.
#[derive(Default)]
pub struct Notices {
    all: Vec<Notice>,
    toasts: Toasts,
    unseen: usize,
}

impl Notices {
    /// Tells that something happened.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Level::Info, text.into(), None);
    }

    /// Tells that something is not as it should be.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.push(Level::Warning, text.into(), None);
    }

    /// Tells that something failed: what, to which thing, and what to do.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Level::Error, text.into(), None);
    }

    /// Tells something and offers a command about it, which reads `label`.
    pub fn offer(&mut self, level: Level, text: impl Into<String>, command: Command, label: &str) {
        self.push(level, text.into(), Some((command, label.to_owned())));
    }

    /// Everything said, the newest first.
    pub fn history(&self) -> impl Iterator<Item = &Notice> {
        self.all.iter().rev()
    }

    /// How many were said since the bell was last opened, and the gravest of them.
    pub fn unseen(&self) -> (usize, Option<Level>) {
        let new = self.all.iter().rev().take(self.unseen).map(|notice| notice.level);
        (self.unseen, new.max_by_key(|level| *level as u8))
    }

    /// The bell was opened.
    pub fn mark_seen(&mut self) {
        self.unseen = 0;
        self.toasts.mark_seen();
    }

    /// Forgets everything said.
    pub fn clear(&mut self) {
        self.all.clear();
        self.unseen = 0;
    }

    /// Shows the toasts that are due, in the lower right corner of `area`; the command that was pressed.
    pub fn show(&mut self, ctx: &eframe::egui::Context, area: eframe::egui::Rect) -> Option<Command> {
        self.toasts.show(ctx, area).and_then(|id| Command::by_id(&id))
    }

    fn push(&mut self, level: Level, text: String, action: Option<(Command, String)>) {
        tracing::info!(?level, "{text}");
        // Said again and again, it is one line with a count, and no second toast while the first is on screen.
        if let Some(last) = self.all.last_mut().filter(|last| last.text == text && last.at.elapsed() < SHOWN) {
            last.times += 1;
            last.at = Instant::now();
            self.unseen = self.unseen.max(1);
            return;
        }
        self.toasts.push(Toast {
            tone: level.tone(),
            text: text.clone(),
            action: action.as_ref().map(|(command, label)| (command.spec().id.to_owned(), label.clone())),
        });
        self.all.push(Notice { level, text, action, at: Instant::now(), times: 1 });
        let over = self.all.len().saturating_sub(KEPT);
        self.all.drain(..over);
        self.unseen = (self.unseen + 1).min(self.all.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_again_is_counted() {
        let mut notices = Notices::default();
        notices.error("no");
        notices.error("no");
        notices.info("yes");
        let said: Vec<_> = notices.history().map(|n| (n.text.as_str(), n.times)).collect();
        assert_eq!(said, [("yes", 1), ("no", 2)]);
    }

    #[test]
    fn the_bell_counts_what_is_new_and_how_grave_it_is() {
        let mut notices = Notices::default();
        notices.warn("a");
        notices.mark_seen();
        notices.info("b");
        assert_eq!(notices.unseen(), (1, Some(Level::Info)));
        notices.error("c");
        assert_eq!(notices.unseen(), (2, Some(Level::Error)));
    }
}
