//! Notifications as desktops of Linux and its like have them, over D-Bus: shown, replaced, pressed, gone.
//!
//! One connection serves for all of them, and one thread listens on it: whoever shows a notification is told of the press
//! on the connection that showed it. A conversation has one notification at a time; a new one takes its place.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zbus::blocking::{Connection, Proxy};
use zbus::zvariant::Value;

use super::{Press, Told};

const NAME: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";
/// Notifications whose press is listened for; of the oldest it is not any more. Some desktops keep them for days.
const KEPT: usize = 64;

/// See the module.
#[derive(Default)]
pub struct Service {
    proxy: Mutex<Option<Proxy<'static>>>,
    open: Arc<Mutex<Open>>,
}

/// Notifications that may be pressed, by the number that the desktop gave them, the oldest first.
type Open = VecDeque<(u32, Press)>;

impl Service {
    /// Shows a notification, or says why not. Waits for the desktop.
    pub fn show(&self, told: Told) -> Result<(), String> {
        let proxy = self.proxy().map_err(|error| error.to_string())?;
        // Held while it is shown: a press that comes at once finds it.
        let mut open = lock(&self.open);
        let about = |press: &Press| press.about.is_some() && press.about == told.press.about;
        let replaced = open.iter().position(|(_, press)| about(press)).and_then(|at| open.remove(at));
        // Desktops take the text for markup.
        let text = told.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let actions: &[&str] = &["default", "Show"];
        let hints = HashMap::from([("desktop-entry", Value::from("recto"))]);
        let replaces = replaced.map_or(0, |(number, _)| number);
        let notify = ("Recto", replaces, "recto", told.title.as_str(), text.as_str(), actions, hints, -1_i32);
        let number: u32 = proxy.call("Notify", &notify).map_err(|error| error.to_string())?;
        open.push_back((number, told.press));
        if open.len() > KEPT {
            open.pop_front();
        }
        Ok(())
    }

    /// The desktop; it is connected to when the first notification is shown.
    fn proxy(&self) -> zbus::Result<Proxy<'static>> {
        let mut known = lock(&self.proxy);
        if let Some(proxy) = &*known {
            return Ok(proxy.clone());
        }
        let proxy = Proxy::new(&Connection::session()?, NAME, PATH, NAME)?;
        let signals = proxy.receive_all_signals()?;
        let (open, desktop) = (Arc::clone(&self.open), proxy.clone());
        std::thread::Builder::new().name("notifications".to_owned()).spawn(move || {
            for signal in signals {
                let (header, body) = (signal.header(), signal.body());
                match header.member().map(zbus::names::MemberName::as_str) {
                    Some("ActionInvoked") => {
                        let Ok((number, _)) = body.deserialize::<(u32, String)>() else { continue };
                        if let Some(press) = take(&open, number) {
                            press.pressed();
                            // Some desktops leave it there; one that has closed it does not mind.
                            let _ = desktop.call_noreply("CloseNotification", &number);
                        }
                    }
                    Some("NotificationClosed") => {
                        let closed = body.deserialize::<(u32, u32)>().ok();
                        drop(closed.and_then(|(number, _)| take(&open, number)));
                    }
                    _ => {}
                }
            }
        })?;
        *known = Some(proxy.clone());
        Ok(proxy)
    }
}

/// Forgets a notification; how its press is told.
fn take(open: &Mutex<Open>, number: u32) -> Option<Press> {
    let mut open = lock(open);
    let at = open.iter().position(|(known, _)| *known == number)?;
    open.remove(at).map(|(_, press)| press)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in it is whole whatever panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
