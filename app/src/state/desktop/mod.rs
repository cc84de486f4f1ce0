//! What is told outside of the window while somebody does something else: a notification of the desktop, and the request
//! for attention in its task bar.
//!
//! A notification that is pressed leads to the conversation that it is about. Where there is no service for notifications
//! nothing is lost: the same stands in the window's bell. That it is missing is logged once.
//!
//! - [`xdg`]: notifications of Linux and its like

#[cfg(all(unix, not(target_os = "macos")))]
mod xdg;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::chats::ChatId;
use crate::tasks::Waker;

/// Why somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The agent waits for an answer.
    Waits,
    /// A run is over.
    Ended,
    /// Something of a conversation went wrong.
    Failed,
}

/// Where it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Telling {
    /// In the window, and kept in its bell.
    pub in_window: bool,
    /// On the desktop.
    pub on_desktop: bool,
    /// In the task bar.
    pub attention: Option<Attention>,
}

/// How much attention is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// Once.
    Please,
    /// Until somebody comes: nothing goes on without them.
    Urgent,
}

/// Where something is told. `seen` says that the conversation is in sight, `focused` that the window has the keyboard.
pub fn telling(reason: Reason, seen: bool, focused: bool, wanted: bool) -> Telling {
    let attention = match reason {
        Reason::Waits => Attention::Urgent,
        Reason::Ended | Reason::Failed => Attention::Please,
    };
    Telling {
        in_window: !seen || !focused,
        on_desktop: wanted && !focused && reason != Reason::Failed,
        attention: (!focused).then_some(attention),
    }
}

/// Longest text of a notification; desktops cut it anyway.
const LONGEST: usize = 160;

/// Presses that were not taken yet; people press one.
const PRESSES: usize = 16;

/// A notification.
#[derive(Clone)]
pub struct Told {
    pub title: String,
    pub text: String,
    pub press: Press,
}

/// What a notification is about, and how it is said that it was pressed.
#[derive(Clone)]
pub struct Press {
    about: Option<ChatId>,
    sender: Sender<ChatId>,
    waker: Waker,
}

impl Press {
    /// The notification was pressed: the window shows what it is about.
    pub fn pressed(&self) {
        if let Some(about) = self.about {
            let _ = self.sender.try_send(about); // whoever presses that often has pressed often enough
            self.waker.wake();
        }
    }
}

/// Shows a notification; an error says why it cannot be shown.
type Show = dyn Fn(Told) -> Result<(), String> + Send + Sync;

/// The desktop around the window. Cheap to clone.
#[derive(Clone)]
pub struct Desktop {
    show: Arc<Show>,
    /// That it does not work was logged.
    failed: Arc<AtomicBool>,
    presses: (Sender<ChatId>, Receiver<ChatId>),
}

impl Default for Desktop {
    fn default() -> Self {
        Self::with(notifications())
    }
}

impl Desktop {
    /// One that shows notifications so.
    pub fn with(show: impl Fn(Told) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self { show: Arc::new(show), failed: Arc::default(), presses: bounded(PRESSES) }
    }

    /// Shows a notification, on a thread of its own: a service that does not answer is waited for. Once it is pressed,
    /// `waker` is called and [`Self::pressed`] has what it was about.
    pub fn notify(&self, title: &str, text: &str, about: Option<ChatId>, waker: &Waker) {
        let press = Press { about, sender: self.presses.0.clone(), waker: waker.clone() };
        let (desktop, told) = (self.clone(), Told { title: title.to_owned(), text: short(text), press });
        let shown = std::thread::Builder::new().name("notification".to_owned()).spawn(move || {
            if let Err(why) = (desktop.show)(told) {
                desktop.fail(&why);
            }
        });
        if let Err(error) = shown {
            self.fail(&error.to_string());
        }
    }

    /// The conversation whose notification was pressed last, once.
    pub fn pressed(&self) -> Option<ChatId> {
        self.presses.1.try_iter().last()
    }

    fn fail(&self, why: &str) {
        if !self.failed.swap(true, Ordering::Relaxed) {
            tracing::warn!("the desktop shows no notifications: {why}");
        }
    }
}

/// The first line of a text, with what would not be seen made visible, and not too long.
fn short(text: &str) -> String {
    let line = super::chats::shown(text.trim().lines().next().unwrap_or_default());
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn notifications() -> impl Fn(Told) -> Result<(), String> {
    let service = xdg::Service::default();
    move |told| service.show(told)
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn notifications() -> impl Fn(Told) -> Result<(), String> {
    |told: Told| {
        let mut notification = notify_rust::Notification::new();
        notification.appname("Recto").summary(&told.title).body(&told.text);
        notification.show().map(drop).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_looks_at_it_is_told_nothing_and_who_is_away_is_called() {
        let nowhere = Telling::default();
        for reason in [Reason::Waits, Reason::Ended, Reason::Failed] {
            assert_eq!(telling(reason, true, true, true), nowhere, "{reason:?}");
            let elsewhere = Telling { in_window: true, ..nowhere };
            assert_eq!(telling(reason, false, true, true), elsewhere, "{reason:?}: another pane is looked at");
        }
        let away = |reason, wanted| telling(reason, true, false, wanted);
        let told = |on_desktop, attention| Telling { in_window: true, on_desktop, attention: Some(attention) };
        assert_eq!(away(Reason::Waits, true), told(true, Attention::Urgent));
        assert_eq!(away(Reason::Ended, true), told(true, Attention::Please));
        assert_eq!(away(Reason::Failed, true), told(false, Attention::Please));
        assert_eq!(away(Reason::Waits, false), told(false, Attention::Urgent), "it is not wanted on the desktop");
    }

    #[test]
    fn a_notification_has_one_line_and_a_desktop_without_any_is_found_out_once() {
        let (sender, told) = sync_channel(4);
        let desktop = Desktop::with(move |told| {
            sender.send(format!("{}: {}", told.title, told.text)).unwrap();
            Err("there is no service".to_owned())
        });
        let waker = Waker::new(|| {});
        desktop.notify("Done", &format!("{}\nmore", "long ".repeat(60)), None, &waker);
        let said = told.recv_timeout(Duration::from_mins(1)).unwrap();
        assert!(said.starts_with("Done: long") && said.ends_with('…') && said.chars().count() < 180, "{said}");
        desktop.notify("Done", "again", None, &waker);
        assert_eq!(told.recv_timeout(Duration::from_mins(1)).unwrap(), "Done: again");
    }

    #[test]
    fn a_press_wakes_the_window_and_is_told_once() {
        let (sender, told) = sync_channel(4);
        let desktop = Desktop::with(move |told| {
            sender.send(told.press).unwrap();
            Ok(())
        });
        let (woken, wakes) = sync_channel(4);
        desktop.notify("Done", "", Some(ChatId(3)), &Waker::new(move || woken.send(()).unwrap()));
        let press = told.recv_timeout(Duration::from_mins(1)).unwrap();
        assert_eq!(desktop.pressed(), None);
        press.pressed();
        wakes.recv_timeout(Duration::from_mins(1)).unwrap();
        assert_eq!(desktop.pressed(), Some(ChatId(3)));
        assert_eq!(desktop.pressed(), None);
    }
}
