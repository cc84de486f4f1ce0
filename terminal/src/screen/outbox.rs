//! What the engine says while it parses, in order, until somebody asks for it.

use std::sync::{Arc, Mutex, PoisonError};

use alacritty_terminal::event::{Event, EventListener};

use super::engine::Report;

/// The engine keeps one end and hands out no way to it; the other is shared.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox(Arc<Mutex<Vec<Sent>>>);

#[derive(Debug)]
pub(super) enum Sent {
    Engine(Event),
    Report(Report),
}

impl Outbox {
    pub fn report(&self, report: Report) {
        self.push(Sent::Report(report));
    }

    pub fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, sent: Sent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
    }
}

impl EventListener for Outbox {
    fn send_event(&self, event: Event) {
        match event {
            Event::Title(_)
            | Event::ResetTitle
            | Event::ClipboardStore(..)
            | Event::ColorRequest(..)
            | Event::PtyWrite(_)
            | Event::TextAreaSizeRequest(_)
            | Event::Bell => self.push(Sent::Engine(event)),
            // What the event loop and window of alacritty would want to know. Programs never read our clipboard.
            Event::MouseCursorDirty
            | Event::ClipboardLoad(..)
            | Event::CursorBlinkingChange
            | Event::Wakeup
            | Event::Exit
            | Event::ChildExit(_) => {}
        }
    }
}
