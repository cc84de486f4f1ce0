//! Pieces of a reply on their way to the store.
//!
//! A token is a few letters, and two hundred may come in a second. Each of them kept for itself would be a transaction of
//! several pages, and whoever waits for the disk hears of the next token late. So neighbouring pieces are put together,
//! for a quarter of a second at most; a reply that pauses is kept at once.

use std::time::{Duration, Instant};

use crate::event::{Event, EventKind};

/// How long pieces are put together.
const LONGEST: Duration = Duration::from_millis(250);
/// A reply of which nothing came for so long pauses.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// See the module.
#[derive(Default)]
pub(super) struct Unkept(Option<(Event, Instant)>);

impl Unkept {
    /// Takes an event; what is to be kept now, in order.
    pub(super) fn take(&mut self, event: Event) -> Vec<Event> {
        if let Some((before, since)) = &mut self.0
            && join(before, &event)
        {
            let is_over = since.elapsed() >= LONGEST;
            return if is_over { self.rest().into_iter().collect() } else { Vec::new() };
        }
        let mut all: Vec<_> = self.rest().into_iter().collect();
        match event.kind {
            EventKind::Text { .. } | EventKind::Reasoning { .. } => self.0 = Some((event, Instant::now())),
            _ => all.push(event),
        }
        all
    }

    /// Whether there is something.
    pub(super) fn is_any(&self) -> bool {
        self.0.is_some()
    }

    /// What is left to be kept.
    pub(super) fn rest(&mut self) -> Option<Event> {
        self.0.take().map(|(event, _)| event)
    }
}

/// Adds a piece to one before it; not what is of another kind.
fn join(before: &mut Event, event: &Event) -> bool {
    match (&mut before.kind, &event.kind) {
        _ if before.run != event.run => false,
        (EventKind::Text { text }, EventKind::Text { text: more })
        | (EventKind::Reasoning { text }, EventKind::Reasoning { text: more }) => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Moment, SessionId};

    fn event(kind: EventKind) -> Event {
        Event { session: SessionId::from("s".to_owned()), run: 1, time: Moment(0), kind }
    }

    fn text(text: &str) -> EventKind {
        EventKind::Text { text: text.to_owned() }
    }

    #[test]
    fn neighbouring_pieces_are_one_and_what_follows_comes_after_them() {
        let mut unkept = Unkept::default();
        let thought = EventKind::Reasoning { text: "Hm".to_owned() };
        assert!(unkept.take(event(thought.clone())).is_empty());
        assert_eq!(unkept.take(event(text("Hel"))), [event(thought)]);
        assert!(unkept.take(event(text("lo"))).is_empty());
        let notice = EventKind::Notice { text: "n".to_owned(), recast: None };
        assert_eq!(unkept.take(event(notice.clone())), [event(text("Hello")), event(notice)]);
        assert!(!unkept.is_any() && unkept.rest().is_none());
    }
}
