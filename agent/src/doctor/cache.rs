//! The prefix cache: a conversation that goes on must not be read again from its beginning.

use super::{Check, Examination, rate};
use crate::provider::{Message, Request, SessionKey};

/// A session of its own, so that the checks before do not stand in its slot's cache.
const SESSION: SessionKey = SessionKey(0x0D0C_7012);

impl Examination<'_> {
    pub(super) async fn cache(&mut self) {
        const NAME: &str = "cache reuse";
        let first = Request {
            messages: vec![
                Message::system(register()),
                Message::user("Which value has item 7? Answer with the number."),
            ],
            output_limit: Some(40),
            session: Some(SESSION),
            ..Request::default()
        };
        let before = match self.ask("reading a register", first.clone()).await {
            Ok(timed) => timed,
            Err(none) => return self.note(none.as_check(NAME, 15)),
        };
        let usage = before.whole.finish.usage;
        let fresh = usage.prompt.map(|prompt| prompt - usage.cached.unwrap_or(0).min(prompt));
        self.figures.reading = rate(fresh, usage.timings.prompt.unwrap_or(before.to_first));
        let mut second = first;
        second.messages.push(Message::assistant(before.whole.text.clone()));
        second.messages.push(Message::user("And item 9?"));
        let after = match self.ask("reading it once more, from the cache", second).await {
            Ok(timed) => timed,
            Err(none) => return self.note(none.as_check(NAME, 15)),
        };
        self.figures.cached = after.whole.finish.usage.cached_share();
        let check = match self.figures.cached {
            Some(share) => {
                let detail = format!("{:.0} % of the second prompt came from the cache", share * 100.0);
                Check::new(NAME, 15, share, detail)
            }
            // The server does not say: the clock does.
            None if after.to_first < before.to_first / 2 => Check::new(
                NAME,
                15,
                1.0,
                format!(
                    "the server does not count it, but the second reply began after {:.1} s instead of {:.1} s",
                    after.to_first.as_secs_f64(),
                    before.to_first.as_secs_f64()
                ),
            ),
            None => Check::skipped(NAME, "the server does not count it, and the clock does not show it"),
        };
        self.note(check);
    }
}

/// Some seven hundred tokens that no model has seen.
fn register() -> String {
    let mut text = "This is a register of items and their values.\n".to_owned();
    for item in 1..=70_u32 {
        text += &format!("Item {item} has the value {}.\n", item * item % 97 + 100);
    }
    text
}
