//! Naming the hunks of files that are edited, so that their ticks hold on to them.
//!
//! A hunk is known by a hash of what it says, which is made off the UI thread and not for every key: when the text has
//! been at rest for a moment.

use std::time::Duration;

use diff::lines::Content;
use diff::review::{FileEntry, Prints};

use super::{LiveSide, OpenReview};
use crate::tasks::{Poll, Tasks};

/// How long a text is at rest before its hunks are named.
const REST: Duration = Duration::from_millis(200);

impl OpenReview {
    /// Whether hunks of an edited file are to be named, or just are.
    pub(super) fn is_naming(&self) -> bool {
        self.live.iter().any(|(&file, live)| {
            live.prints.is_some() || self.page.file(file).is_some_and(|entry| is_unnamed(entry, live))
        })
    }

    /// Names the hunks of edited files that are at rest; says when the next will be.
    pub(super) fn name_hunks(&mut self, tasks: &Tasks) -> Option<Duration> {
        let mut wait: Option<Duration> = None;
        for (&file, live) in &mut self.live {
            if let Some(task) = &live.prints {
                let prints = match task.poll() {
                    Poll::Pending => continue,
                    Poll::Ready(prints) => Some(prints),
                    Poll::Lost => None,
                };
                live.prints = None;
                if let Some(prints) = prints.filter(|_| live.named == Some(live.version)) {
                    let was_folded = self.page.file(file).is_some_and(|entry| entry.folded);
                    self.page.set_prints(file, prints);
                    // Undoing may make it what was viewed; it does not close under the caret.
                    if !was_folded {
                        self.page.set_folded(file, false);
                    }
                }
            }
            let Some(entry) = self.page.file(file).filter(|entry| is_unnamed(entry, live)) else { continue };
            let left = REST.saturating_sub(live.edited.elapsed());
            if !left.is_zero() {
                wait = Some(wait.map_or(left, |wait| wait.min(left)));
                continue;
            }
            let Some(lines) = entry.lines() else { continue };
            let (change, notes, hunks) = (entry.change.clone(), entry.notes.clone(), lines.hunks().to_vec());
            let (old, text, whitespace) = (lines.old.clone(), live.text.clone(), lines.whitespace);
            let tracer = self.page.loader_options().tracer;
            live.named = Some(live.version);
            live.prints = Some(tasks.spawn("name hunks", move |_| {
                let Ok(new) = Content::new(text.to_string().into_bytes()) else { return Prints::default() };
                Prints::of_lines(&change, (&old, &new), &hunks, &notes, whitespace, &tracer)
            }));
        }
        wait
    }
}

/// Whether it is not known what the ticks of an edited file hang on, and can be found out.
fn is_unnamed(entry: &FileEntry, live: &LiveSide) -> bool {
    entry.needs_prints() && !entry.needs_full() && live.named != Some(live.version)
}
