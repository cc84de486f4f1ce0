//! Paths as git keeps them: bytes, `/` between names, relative to the root of the working tree.
//!
//! Git knows no encoding of names, so a path stays bytes until it is shown. What is shown is readable: UTF-8 as it is,
//! anything else escaped, never git's octal quoting of every letter beyond ASCII.

use std::{
    borrow::Cow,
    ffi::OsStr,
    fmt::{self, Write},
    path::Path,
    sync::Arc,
};

/// A path inside a repository or a compared folder.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// Wraps `bytes` as they are; separators are `/`.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// The path of a file below some root, from the platform's notation.
    pub fn from_path(relative: &Path) -> Self {
        let mut bytes = Vec::with_capacity(relative.as_os_str().len());
        for part in relative.components() {
            if !bytes.is_empty() {
                bytes.push(b'/');
            }
            bytes.extend_from_slice(&os_bytes(part.as_os_str()));
        }
        Self(bytes.into())
    }

    /// The bytes as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path in the platform's notation, to be joined to a root.
    pub fn to_path(&self) -> Cow<'_, Path> {
        path_of_bytes(&self.0)
    }

    /// The last name of the path.
    pub fn file_name(&self) -> &[u8] {
        let start = memchr::memrchr(b'/', &self.0).map_or(0, |slash| slash + 1);
        &self.0[start..]
    }

    /// The names of the folders above, joined by `/`; empty at the top.
    pub fn folder(&self) -> &[u8] {
        &self.0[..memchr::memrchr(b'/', &self.0).unwrap_or(0)]
    }

    /// The path for people: UTF-8 where it is, `\xNN` for other bytes and `\n`, `\t`, `\u{…}` for control characters.
    pub fn display(&self) -> Cow<'_, str> {
        readable(&self.0)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.display())
    }
}

impl From<&str> for RepoPath {
    fn from(path: &str) -> Self {
        Self::new(path.as_bytes())
    }
}

/// `bytes` as text without control characters: see [`RepoPath::display`].
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => Cow::Borrowed(text),
        _ => {
            let mut out = String::with_capacity(bytes.len() + 8);
            for chunk in bytes.utf8_chunks() {
                for c in chunk.valid().chars() {
                    if c.is_control() {
                        out.extend(c.escape_default());
                    } else {
                        out.push(c);
                    }
                }
                for byte in chunk.invalid() {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
            Cow::Owned(out)
        }
    }
}

/// The bytes of a platform name: exact on Unix, WTF-8 made readable elsewhere.
#[cfg(unix)]
pub(crate) fn os_bytes(name: &OsStr) -> Cow<'_, [u8]> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(name.as_bytes())
}

/// The bytes of a platform name: exact on Unix, WTF-8 made readable elsewhere.
#[cfg(not(unix))]
pub(crate) fn os_bytes(name: &OsStr) -> Cow<'_, [u8]> {
    match name.to_string_lossy() {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> Cow<'_, Path> {
    Cow::Owned(String::from_utf8_lossy(bytes).into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_ascii_are_shown_as_they_are() {
        assert_eq!(RepoPath::from("Aufträge/B — x.md").display(), "Aufträge/B — x.md");
        assert_eq!(RepoPath::from("本/🦀.rs").display(), "本/🦀.rs");
    }

    #[test]
    fn bytes_that_are_no_text_are_escaped_and_kept() {
        let path = RepoPath::new(b"a\xff\n\"b");
        assert_eq!(path.display(), "a\\xff\\n\"b");
        assert_eq!(path.as_bytes(), b"a\xff\n\"b");
    }

    #[test]
    fn a_path_splits_into_folder_and_name() {
        let path = RepoPath::from("src/git/path.rs");
        assert_eq!((path.folder(), path.file_name()), (&b"src/git"[..], &b"path.rs"[..]));
        let top = RepoPath::from("top");
        assert_eq!((top.folder(), top.file_name()), (&b""[..], &b"top"[..]));
    }
}
