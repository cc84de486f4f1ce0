//! The window: whether it is known, and whether a prompt that does not fit is refused instead of cut.

use std::time::Duration;

use super::{Check, Examination, Seen, Unasked};
use crate::provider::{Chat as _, Event, Facts, ProviderError, Request};

/// Larger windows are believed: to overfill one would take minutes, or money.
const LARGEST: u32 = 40_000;

/// A server that refuses does so at once; one that begins to read does not refuse.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a server did with a prompt that does not fit.
enum Did {
    Refused,
    Took,
    Failed(ProviderError),
    Nothing,
    /// The time for the whole examination ended first.
    NoTime,
}

impl Examination<'_> {
    pub(super) async fn context(&mut self, facts: &Facts) {
        const NAME: &str = "context";
        let Some(window) = facts.window else {
            let detail = "the server does not say how much fits; set `context` for the model";
            return self.note(Check::new(NAME, 15, 0.0, detail));
        };
        // A reply may take a quarter of the window, and never more than is of use.
        self.recommended.output = self.recommended.output.min(window / 4).max(256);
        if window > LARGEST || self.provider.spec().price.is_some() {
            return self.note(Check::new(
                NAME,
                15,
                1.0,
                format!("{window} tokens, as the server says; not overfilled"),
            ));
        }
        let check = match self.overfill(window).await {
            Did::Refused => Check::new(NAME, 15, 1.0, format!("{window} tokens, and a longer prompt is refused")),
            Did::Took => Check::new(
                NAME,
                15,
                0.3,
                format!("{window} tokens, but a longer prompt is taken, so it must have been cut"),
            ),
            Did::Nothing => Check::new(
                NAME,
                15,
                0.5,
                format!("{window} tokens, but a longer prompt is not refused within a minute"),
            ),
            Did::NoTime => Unasked::NoTime.as_check(NAME, 15),
            Did::Failed(error) => {
                Check::new(NAME, 15, 0.5, format!("{window} tokens, but a longer prompt fails: {error}"))
            }
        };
        self.note(check);
    }

    async fn overfill(&mut self, window: u32) -> Did {
        // A word and its space are one token in the vocabularies of the field.
        let mut request = Request::ask("word ".repeat(window as usize + window as usize / 4));
        request.output_limit = Some(1);
        let watch = async |examination: &mut Self| {
            (examination.seen)(Seen::Doing("sending more than fits, which should be refused"));
            let mut reply = examination.provider.send(request);
            while let Some(event) = reply.next().await {
                match event {
                    Err(ProviderError::ContextOverflow { .. }) => return Did::Refused,
                    Err(error) => return Did::Failed(error),
                    Ok(Event::Text(_) | Event::Reasoning(_) | Event::Finished(_)) => return Did::Took,
                    Ok(_) => {}
                }
            }
            Did::Nothing
        };
        let patient = async |examination: &mut Self| {
            tokio::time::timeout(PATIENCE, watch(examination)).await.unwrap_or(Did::Nothing)
        };
        self.in_time(patient).await.unwrap_or(Did::NoTime)
    }
}
