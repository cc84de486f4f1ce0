//! What both sides can do: what we say of ourselves, and what a server says of itself.
//!
//! Invariant: only what is there is announced. Servers call for what a client announces, and some end over the answer that
//! there is no such thing after all.

use std::path::Path;

use async_lsp::lsp_types::Url;
use serde_json::{Value, json};

use crate::lsp::launch::Launch;
use crate::lsp::position::Encoding;

/// How changes are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncKind {
    /// Not at all.
    #[default]
    None,
    /// As whole texts.
    Full,
    /// As what changed.
    Incremental,
}

/// What a server says it can do, as far as we ask for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// What it counts characters in.
    pub encoding: Encoding,
    /// Whether it wants to know what is opened and closed.
    pub open_close: bool,
    /// How it wants changes.
    pub sync: SyncKind,
    /// Whether it wants to know what is saved.
    pub save: bool,
    /// Whether it wants the text of what is saved.
    pub save_text: bool,
    /// Whether it is to be asked for diagnostics.
    pub pull: Option<Pull>,
}

/// How a server is asked for diagnostics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pull {
    /// The name it gives to them.
    pub identifier: Option<String>,
    /// Whether a change of one file changes what is said of others.
    pub between_files: bool,
}

impl Capabilities {
    /// Reads the answer to `initialize`. Taken piece by piece: what cannot be read counts as not there, and does not cost
    /// the rest.
    pub fn of(result: &Value) -> Self {
        let said = &result["capabilities"];
        let encoding = match said["positionEncoding"].as_str() {
            Some("utf-8") => Encoding::Utf8,
            _ => Encoding::Utf16,
        };
        let kind = |value: &Value| match value.as_i64() {
            Some(1) => SyncKind::Full,
            Some(2) => SyncKind::Incremental,
            _ => SyncKind::None,
        };
        let synced = &said["textDocumentSync"];
        let pull = &said["diagnosticProvider"];
        let pull = pull.is_object().then(|| Pull {
            identifier: pull["identifier"].as_str().map(str::to_owned),
            between_files: pull["interFileDependencies"].as_bool().unwrap_or_default(),
        });
        let common = Self { encoding, pull, ..Self::default() };
        if synced.is_number() {
            // The old way says how, and means that everything else is wanted, too.
            let sync = kind(synced);
            let wanted = sync != SyncKind::None;
            return Self { open_close: wanted, sync, save: wanted, ..common };
        }
        let save = &synced["save"];
        Self {
            open_close: synced["openClose"].as_bool().unwrap_or_default(),
            sync: kind(&synced["change"]),
            save: save.as_bool().unwrap_or_else(|| save.is_object()),
            save_text: save["includeText"].as_bool().unwrap_or_default(),
            ..common
        }
    }
}

/// What we say of ourselves. Written as JSON: the library's types name the refreshing of diagnostics otherwise than the
/// protocol does.
pub fn initialize(launch: &Launch, root: &Path) -> Value {
    let uri = Url::from_directory_path(root).ok().map(|url| trimmed(&url));
    let folders = uri.as_ref().map(|uri| json!([{"uri": uri, "name": folder_name(root)}]));
    json!({
        "processId": std::process::id(),
        "clientInfo": {"name": "Recto", "version": env!("CARGO_PKG_VERSION")},
        "rootUri": uri,
        "rootPath": root.to_str(),
        "workspaceFolders": folders,
        "initializationOptions": launch.options,
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-16"]},
            "window": {"workDoneProgress": true},
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "didChangeConfiguration": {"dynamicRegistration": false},
                "diagnostics": {"refreshSupport": true},
            },
            "textDocument": {
                "synchronization": {"dynamicRegistration": false, "didSave": true},
                "publishDiagnostics": {
                    "relatedInformation": true,
                    "tagSupport": {"valueSet": [1, 2]},
                    "versionSupport": true,
                    "codeDescriptionSupport": true,
                },
                "diagnostic": {"dynamicRegistration": false, "relatedDocumentSupport": true},
            },
        },
    })
}

/// The folders of the workspace, as they are asked for.
pub fn folders(root: &Path) -> Value {
    match Url::from_directory_path(root) {
        Ok(url) => json!([{"uri": trimmed(&url), "name": folder_name(root)}]),
        Err(()) => Value::Null,
    }
}

/// The address of a folder without the slash at its end, as other clients say it.
fn trimmed(url: &Url) -> String {
    let text = url.as_str();
    match text.strip_suffix('/') {
        Some(short) if short != "file://" => short.to_owned(),
        _ => text.to_owned(),
    }
}

fn folder_name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}

/// The settings of one section: `python.analysis` is what stands in `analysis` of `python`. Without a name, all.
pub fn section(settings: &Value, name: &str) -> Value {
    if name.is_empty() {
        return settings.clone();
    }
    // A name with dots may stand as one, too.
    if let Some(whole) = settings.get(name) {
        return whole.clone();
    }
    name.split('.').try_fold(settings, |settings, part| settings.get(part)).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_can_do_is_read_in_all_its_spellings() {
        let of = |capabilities: Value| Capabilities::of(&json!({"capabilities": capabilities}));
        let old = of(json!({"textDocumentSync": 2}));
        assert!(old.open_close && old.save && !old.save_text && old.sync == SyncKind::Incremental);
        assert_eq!(old.encoding, Encoding::Utf16);
        let new = of(json!({
            "positionEncoding": "utf-8",
            "textDocumentSync": {"openClose": true, "change": 1, "save": {"includeText": true}},
            "diagnosticProvider": {"identifier": "x", "interFileDependencies": true, "workspaceDiagnostics": false},
        }));
        assert!(new.open_close && new.save_text && new.sync == SyncKind::Full && new.encoding == Encoding::Utf8);
        assert_eq!(new.pull, Some(Pull { identifier: Some("x".to_owned()), between_files: true }));
        assert_eq!(of(json!({"textDocumentSync": {"save": true}})).sync, SyncKind::None);
        assert!(of(json!({"textDocumentSync": {"save": true}})).save);
        assert_eq!(of(json!({"textDocumentSync": "?", "diagnosticProvider": []})), Capabilities::default());
        assert_eq!(Capabilities::of(&Value::Null), Capabilities::default());
    }

    #[test]
    fn settings_are_found_by_section() {
        let settings = json!({"python": {"analysis": {"typeCheckingMode": "strict"}}, "a.b": 1});
        assert_eq!(section(&settings, "python.analysis"), json!({"typeCheckingMode": "strict"}));
        assert_eq!(section(&settings, "a.b"), json!(1));
        assert_eq!(section(&settings, ""), settings);
        assert_eq!(section(&settings, "rust-analyzer"), Value::Null);
        assert_eq!(section(&Value::Null, "x.y"), Value::Null);
    }
}
