//! Keys of servers: from an environment variable, the system's keyring or a program; never from a file of ours.
//!
//! A key is looked up with the first request and kept in memory. One that the server refuses is looked up once more, for
//! programs hand out keys that run out.
//!
//! Invariant: a key is in no message, log or debug output.

use std::fmt;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::error::ProviderError;
use super::spec::{KeySource, ProviderSpec};

/// A key; its debug output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key(pub String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// A program that asks for a password forever does not hang a request.
const PATIENCE: Duration = Duration::from_secs(30);

/// The key of a server, or none if it needs none.
pub(super) async fn find(spec: &ProviderSpec) -> Result<Option<Key>, ProviderError> {
    let found = match &spec.key {
        KeySource::None => return Ok(None),
        KeySource::Environment(name) => std::env::var(name).map_err(|_| format!("the variable {name} is not set")),
        KeySource::Keyring(name) => in_keyring(name.clone()).await,
        KeySource::Command(command) => printed_by(command).await,
    };
    let key = found.and_then(|key| {
        let key = key.lines().next().unwrap_or_default().trim().to_owned();
        if key.is_empty() { Err("it is empty".to_owned()) } else { Ok(key) }
    });
    match key {
        Ok(key) => Ok(Some(Key(key))),
        Err(reason) => Err(ProviderError::NoKey { provider: spec.name.clone(), reason }),
    }
}

/// The name under which all our entries of the keyring stand.
const SERVICE: &str = "recto";

/// Asking the keyring may make it ask the user, so it is waited for on a thread of its own.
async fn in_keyring(name: String) -> Result<String, String> {
    let asked = tokio::task::spawn_blocking(move || {
        let entry = keyring::Entry::new(SERVICE, &name).map_err(|error| error.to_string())?;
        entry.get_password().map_err(|error| match error {
            keyring::Error::NoEntry => format!("the keyring has none for {name}; store one with `recto model add`"),
            error => format!("the keyring could not be read: {error}"),
        })
    });
    asked.await.map_err(|error| error.to_string())?
}

/// Stores a key in the system's keyring, in place of one that is there. Blocks.
pub fn store(name: &str, key: &str) -> Result<(), String> {
    let entry = keyring::Entry::new(SERVICE, name).map_err(|error| error.to_string())?;
    entry.set_password(key).map_err(|error| format!("the keyring did not take the key: {error}"))
}

async fn printed_by(command: &[String]) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else { return Err("the command is empty".to_owned()) };
    let mut child = Command::new(program);
    child.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, child.output())
        .await
        .map_err(|_| format!("{program} did not end within {} s", PATIENCE.as_secs()))?
        .map_err(|error| format!("{program} could not be started: {error}"))?;
    if !output.status.success() {
        // Its messages, never its output: that may hold a part of a key.
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program} failed ({}): {}", output.status, super::error::quote(&said)));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{program} printed what is no text"))
}

#[cfg(test)]
mod tests {
    use super::super::spec::Kind;
    use super::*;

    async fn found(key: KeySource) -> Result<Option<Key>, ProviderError> {
        find(&ProviderSpec { key, ..ProviderSpec::new("p", Kind::OpenAiCompatible, "localhost") }).await
    }

    fn command(words: &[&str]) -> KeySource {
        KeySource::Command(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_gives_its_first_line() {
        assert_eq!(found(command(&["printf", "sk-1\\nmore"])).await, Ok(Some(Key("sk-1".to_owned()))));
        assert!(found(command(&["printf", ""])).await.unwrap_err().to_string().contains("empty"));
        assert!(found(command(&["false"])).await.unwrap_err().to_string().contains("failed"));
        assert!(found(command(&["no-such-program-of-ours"])).await.unwrap_err().to_string().contains("started"));
    }

    #[tokio::test]
    async fn a_key_is_never_shown() {
        assert_eq!(format!("{:?}", Key("sk-secret".to_owned())), "Key(…)");
        let missing = found(KeySource::Environment("NO_SUCH_VARIABLE_OF_OURS".to_owned())).await.unwrap_err();
        assert_eq!(missing.to_string(), "there is no key for p: the variable NO_SUCH_VARIABLE_OF_OURS is not set");
        assert_eq!(found(KeySource::None).await, Ok(None));
    }
}
