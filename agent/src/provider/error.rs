//! Why a model did not answer, told so that the right one acts: the user (a key, an address), the loop (a prompt that is
//! too long), the router (anybody else may try), or the provider itself (wait and ask again).
//!
//! Invariant: whatever a server does ends in one of these. Text of the server is quoted in at most 500 characters.

use std::time::Duration;

/// See the module.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProviderError {
    #[error("nothing answers at {address}: {reason}. Is the server running?")]
    Unreachable { address: String, reason: String },
    #[error("{address} sent nothing for {} s; the request was given up", silent.as_secs())]
    Silent { address: String, silent: Duration },
    #[error("{address} refused the key ({status}): {message}. Set the key with `recto model add`")]
    Unauthorised { address: String, status: u16, message: String },
    #[error("there is no key for {provider}: {reason}")]
    NoKey { provider: String, reason: String },
    #[error("{address} does not know the model {model}: {message}")]
    UnknownModel { address: String, model: String, message: String },
    #[error("the model {model} has no tool calls: {message}")]
    NoTools { model: String, message: String },
    /// The one form of all that servers say about a prompt that is too long.
    #[error("the prompt{} does not fit the context window{}", tokens(*prompt), of(*limit))]
    ContextOverflow {
        /// Tokens of the prompt, as far as the server says.
        prompt: Option<u64>,
        /// Tokens of the window, as far as the server says.
        limit: Option<u64>,
    },
    #[error("{address} is busy ({status}): {message}{}", later(*retry_after))]
    Busy { address: String, status: u16, message: String, retry_after: Option<Duration> },
    #[error("{address} says that the account is used up ({status}): {message}")]
    Exhausted { address: String, status: u16, message: String },
    #[error("{address} refused the request ({status}): {message}")]
    Refused { address: String, status: u16, message: String },
    #[error("{address} failed ({status}): {message}")]
    Failed { address: String, status: u16, message: String },
    /// It began to answer and then said that it failed.
    #[error("{address} broke off in the middle of its reply: {message}")]
    BrokeOff { address: String, message: String, overloaded: bool },
    #[error("the reply of {address} was cut off after {bytes} bytes of text: {reason}")]
    Truncated { address: String, bytes: usize, reason: String },
    #[error("{address} sent what is no reply of its kind: {detail}")]
    Malformed { address: String, detail: String },
    #[error("{address} sends the request on to {target}; only the configured address is contacted")]
    Redirected { address: String, target: String },
    #[error("the model {model} is set up wrongly: {reason}")]
    Setup { model: String, reason: String },
    #[error("no model of {name} could answer: {}", tried(attempts))]
    NoneAnswered {
        name: String,
        /// Each model that was asked or passed over, and why it did not answer.
        attempts: Vec<(String, String)>,
    },
    #[error("the request was given up because nobody waits for it")]
    Interrupted,
}

impl ProviderError {
    /// Whether the same server may answer the same request a little later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Busy { .. } | Self::Unreachable { .. } => true,
            // Nothing of the answer had come.
            Self::Truncated { bytes, .. } => *bytes == 0,
            Self::BrokeOff { overloaded, .. } => *overloaded,
            Self::Failed { status, .. } => matches!(status, 500 | 502 | 504 | 520..=529),
            _ => false,
        }
    }

    /// Whether the server is there and reads its model into memory: it says so in these words, and will be ready by itself.
    pub fn is_loading(&self) -> bool {
        matches!(self, Self::Busy { status: 503, message, .. } if message.to_lowercase().contains("loading model"))
    }

    /// Whether any request would fail this way: the server is not there, or does not let us in.
    pub fn is_about_the_server(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Silent { .. }
                | Self::Unauthorised { .. }
                | Self::NoKey { .. }
                | Self::Busy { .. }
                | Self::Redirected { .. }
        )
    }

    /// Whether another model may answer the same request.
    pub fn may_fail_over(&self) -> bool {
        !matches!(self, Self::Interrupted | Self::NoneAnswered { .. })
    }
}

/// Cuts what a server said to a length that fits a message.
pub(super) fn quote(text: &str) -> String {
    const LONGEST: usize = 500;
    let text = text.trim();
    if text.is_empty() {
        return "no message".to_owned();
    }
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((at, _)) => format!("{} …", &text[..at]),
    }
}

fn tokens(prompt: Option<u64>) -> String {
    prompt.map(|prompt| format!(" of {prompt} tokens")).unwrap_or_default()
}

fn of(limit: Option<u64>) -> String {
    limit.map(|limit| format!(" of {limit}")).unwrap_or_default()
}

fn later(after: Option<Duration>) -> String {
    after.map(|after| format!("; it asks to wait {} s", after.as_secs())).unwrap_or_default()
}

fn tried(attempts: &[(String, String)]) -> String {
    let each: Vec<_> = attempts.iter().map(|(model, why)| format!("{model}: {why}")).collect();
    each.join("; ")
}
