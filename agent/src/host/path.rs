//! Paths as a model writes them, made into paths below the project's root.
//!
//! Only the writing is judged here: nothing absolute, nothing that climbs. Where links lead is known when the path is
//! opened, and judged there, in one step with the opening.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A path below the project's root: parts joined by `/`, none of them `.` or `..`; empty for the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectPath(String);

/// Why a path is none of the project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It starts at the root of the machine, a drive or a home.
    #[error("the path `{0}` is absolute; write it from the project root, like `src/main.rs`")]
    Absolute(String),
    /// It climbs.
    #[error("the path `{0}` leaves the project with `..`; write it from the project root, like `src/main.rs`")]
    Climbs(String),
    /// It has what no name of a file has.
    #[error("the path `{0}` has a control character in it")]
    Control(String),
    /// It is the repository's own.
    #[error("the path `{0}` is inside `.git`, which belongs to git alone")]
    Git(String),
}

impl ProjectPath {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a path. `./` and doubled or trailing slashes are overlooked; a backslash separates where there is no slash.
    pub fn parse(written: &str) -> Result<Self, PathError> {
        let text = written.trim();
        if text.chars().any(char::is_control) {
            return Err(PathError::Control(text.escape_debug().to_string()));
        }
        let slashes = if text.contains('/') { text.to_owned() } else { text.replace('\\', "/") };
        let drive = slashes.as_bytes().get(1) == Some(&b':') && slashes.as_bytes()[0].is_ascii_alphabetic();
        if slashes.starts_with('/') || slashes.starts_with("~/") || slashes == "~" || drive {
            return Err(PathError::Absolute(text.to_owned()));
        }
        let parts: Vec<_> = slashes.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            return Err(PathError::Climbs(text.to_owned()));
        }
        // Whatever the file system thinks of upper and lower case.
        if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(PathError::Git(text.to_owned()));
        }
        Ok(Self(parts.join("/")))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For the system.
    pub fn as_path(&self) -> &Path {
        Path::new(if self.0.is_empty() { "." } else { &self.0 })
    }

    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Its last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it is in.
    pub fn folder(&self) -> Self {
        Self(self.0.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned()))
    }

    /// Whether it is `folder`, or below it.
    pub fn is_within(&self, folder: &Self) -> bool {
        folder.is_root() || self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_models_write_them() {
        let read = |text: &str| ProjectPath::parse(text).map(|path| path.as_str().to_owned());
        for (text, expected) in [
            ("src/main.rs", "src/main.rs"),
            ("./src//main.rs", "src/main.rs"),
            ("src\\main.rs", "src/main.rs"),
            ("a\\b/c", "a\\b/c"),
            (" src/ ", "src"),
            (".", ""),
            ("", ""),
            (".gitignore", ".gitignore"),
            ("a..b/...", "a..b/..."),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_of_the_project_is_refused() {
        for text in
            ["/etc/passwd", "~/x", "~", "C:\\x", "c:/x", "\\\\server\\x", "../x", "a/../../x", "a\\..\\x", "a\0b"]
        {
            assert!(ProjectPath::parse(text).is_err(), "{text:?}");
        }
        for text in [".git/config", "sub/.git/hooks/pre-commit", ".GIT/x", ".git"] {
            assert!(matches!(ProjectPath::parse(text), Err(PathError::Git(_))), "{text:?}");
        }
    }

    #[test]
    fn a_folder_holds_itself_and_what_is_below() {
        let path = |text| ProjectPath::parse(text).unwrap();
        assert!(path("a/b").is_within(&path("a")) && path("a").is_within(&path("a")));
        assert!(path("a").is_within(&ProjectPath::root()) && !path("ab").is_within(&path("a")));
    }
}
