//! What a model asks for: one type, whichever way it was written.
//!
//! Text tags, native tool calls and JSON calls all end here, so permission, execution, the log and the tests know one
//! thing only. Serialised, an action is the object that `recto agent replay --json` prints: its kind stands in
//! `type`, its fields beside it.
//!
//! Paths are as the model wrote them, without quotes and emphasis; whether they may be touched is judged by whoever
//! touches them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing a model asks to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// Read a file, or some of its lines.
    ReadFile {
        /// From the project root.
        path: String,
        /// Only these lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<Lines>,
    },
    /// Search the project for a regular expression.
    SearchCode {
        /// The expression.
        query: String,
        /// Only below this folder, or in this file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// List a folder.
    ListDirectory {
        /// From the project root; empty for the root itself.
        path: String,
    },
    /// Change a file by blocks, all or none.
    EditFile {
        /// From the project root.
        path: String,
        /// Applied in order, each to what the one before left.
        blocks: Vec<Block>,
    },
    /// Put a new version of one function, method, type or section in the place of the old.
    WriteSymbol {
        /// From the project root.
        path: String,
        /// Its name, with those around it before a dot or `::` where needed.
        name: String,
        /// The whole new version.
        content: String,
    },
    /// Code for a file, without saying whether it is the whole file or some of its symbols: a fenced block after the
    /// file's name, or an edit without blocks. The applier decides by what is in it.
    WriteCode {
        /// From the project root; `None` when the reply named no file, which is then the only one under discussion.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// The code.
        content: String,
    },
    /// The whole new content of a file that exists.
    WriteFile {
        /// From the project root.
        path: String,
        /// All of it.
        content: String,
    },
    /// A new file; refused when there is one.
    CreateFile {
        /// From the project root.
        path: String,
        /// All of it.
        content: String,
    },
    /// Move or rename a file.
    RenameFile {
        /// What there is.
        from: String,
        /// What it shall be; must not exist.
        to: String,
    },
    /// Remove a file.
    DeleteFile {
        /// From the project root.
        path: String,
    },
    /// Run a command of the shell. Nothing after it in the reply counts.
    RunCommand {
        /// One line.
        command: String,
    },
    /// Any tool that has no tag of its own.
    Tool {
        /// As it was registered.
        name: String,
        /// What its schema asks for.
        arguments: serde_json::Value,
    },
    /// The run is over; the text of the reply is the report.
    Done,
}

impl Action {
    /// Its kind as it is written and logged: the tag, or the name of the tool.
    pub fn name(&self) -> &str {
        match self {
            Self::ReadFile { .. } => "read_file",
            Self::SearchCode { .. } => "search_code",
            Self::ListDirectory { .. } => "list_directory",
            Self::EditFile { .. } => "edit_file",
            Self::WriteSymbol { .. } => "write_symbol",
            Self::WriteCode { .. } => "write_code",
            Self::WriteFile { .. } => "write_file",
            Self::CreateFile { .. } => "create_file",
            Self::RenameFile { .. } => "rename_file",
            Self::DeleteFile { .. } => "delete_file",
            Self::RunCommand { .. } => "run_command",
            Self::Tool { name, .. } => name,
            Self::Done => "done",
        }
    }

    /// All of it that fits in one line, for people.
    pub fn title(&self) -> String {
        match self {
            Self::ReadFile { path, lines: Some(lines) } => format!("read_file {path} {lines}"),
            Self::SearchCode { query, path: Some(path) } => format!("search_code {query} in {path}"),
            Self::SearchCode { query, path: None } => format!("search_code {query}"),
            Self::RenameFile { from, to } => format!("rename_file {from} to {to}"),
            Self::WriteSymbol { path, name, .. } => format!("write_symbol {name} in {path}"),
            Self::RunCommand { command } => format!("run_command {command}"),
            Self::Tool { name, arguments } => {
                let arguments: String = arguments.to_string().chars().take(80).collect();
                format!("{name} {arguments}")
            }
            action => format!("{} {}", action.name(), action.path().unwrap_or_default()).trim_end().to_owned(),
        }
    }

    /// The file or folder it is about, if it is about one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::ReadFile { path, .. }
            | Self::ListDirectory { path }
            | Self::EditFile { path, .. }
            | Self::WriteSymbol { path, .. }
            | Self::WriteFile { path, .. }
            | Self::CreateFile { path, .. }
            | Self::DeleteFile { path }
            | Self::RenameFile { from: path, .. } => Some(path),
            Self::SearchCode { path, .. } | Self::WriteCode { path, .. } => path.as_deref(),
            Self::RunCommand { .. } | Self::Tool { .. } | Self::Done => None,
        }
    }

    /// Whether it changes the content of a file: an edit of any form, or a new file.
    pub fn writes_content(&self) -> bool {
        matches!(
            self,
            Self::EditFile { .. }
                | Self::WriteSymbol { .. }
                | Self::WriteCode { .. }
                | Self::WriteFile { .. }
                | Self::CreateFile { .. }
        )
    }

    /// The same with every text changed that it looks for or writes.
    #[must_use]
    pub fn with_written(&self, change: impl Fn(&str) -> String) -> Self {
        let mut action = self.clone();
        match &mut action {
            Self::EditFile { blocks, .. } => blocks.iter_mut().for_each(|block| {
                block.search = change(&block.search);
                block.replace = change(&block.replace);
            }),
            Self::WriteSymbol { content, .. }
            | Self::WriteCode { content, .. }
            | Self::WriteFile { content, .. }
            | Self::CreateFile { content, .. } => *content = change(content),
            _ => {}
        }
        action
    }

    /// Whether it only looks. What a tool does is known where it was registered; here it counts as doing something.
    pub fn only_reads(&self) -> bool {
        matches!(self, Self::ReadFile { .. } | Self::SearchCode { .. } | Self::ListDirectory { .. })
    }
}

/// One replacement within a file: lines that are there, and what takes their place.
///
/// Both are whole lines, joined by LF, with a LF after the last; empty for no line at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What is looked for.
    pub search: String,
    /// What takes its place.
    pub replace: String,
}

/// A range of lines, counted from 1, both ends included. Written `a-b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The first, at least 1.
    pub first: u32,
    /// The last, not before the first; `u32::MAX` for the end of the file.
    pub last: u32,
}

impl Lines {
    /// Reads `12-40`, `12`, `12-`, `L12-L40`, `12:40`, `12,40` and `12..40`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let text = text.trim();
            text.strip_prefix(['L', 'l']).unwrap_or(text).parse::<u32>().ok()
        };
        let text = text.trim();
        let (first, last) = match ["..", "-", "–", ":", ","].iter().find_map(|between| text.split_once(between)) {
            Some((first, "")) => (number(first)?, u32::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        let first = first.max(1);
        (last >= first).then_some(Self { first, last })
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            u32::MAX => write!(f, "{}-", self.first),
            last => write!(f, "{}-{last}", self.first),
        }
    }
}

impl Serialize for Lines {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no range of lines like 12-40")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_one_flat_object() {
        let check = |action: Action, json: &str| {
            assert_eq!(serde_json::to_string(&action).unwrap(), json);
            assert_eq!(serde_json::from_str::<Action>(json).unwrap(), action);
        };
        check(
            Action::ReadFile { path: "a.rs".into(), lines: Lines::parse("3-9") },
            r#"{"type":"read_file","path":"a.rs","lines":"3-9"}"#,
        );
        check(
            Action::EditFile {
                path: "a.rs".into(),
                blocks: vec![Block { search: "a\n".into(), replace: "b\n".into() }],
            },
            r#"{"type":"edit_file","path":"a.rs","blocks":[{"search":"a\n","replace":"b\n"}]}"#,
        );
        check(Action::Done, r#"{"type":"done"}"#);
    }

    #[test]
    fn lines_are_read_as_people_and_models_write_them() {
        for (text, expected) in [
            ("12-40", Some((12, 40))),
            (" L12 - L40 ", Some((12, 40))),
            ("12:40", Some((12, 40))),
            ("12..40", Some((12, 40))),
            ("7", Some((7, 7))),
            ("7-", Some((7, u32::MAX))),
            ("0-3", Some((1, 3))),
            ("9-3", None),
            ("all", None),
            ("", None),
        ] {
            assert_eq!(Lines::parse(text).map(|lines| (lines.first, lines.last)), expected, "{text:?}");
        }
    }
}
