//! Reading the four files that `git mergetool` gives to a tool.

use std::io::ErrorKind;
use std::path::Path;

use super::SourceError;
use crate::content;
use crate::git::{GitError, MAX_SIZE, RepoPath};
use crate::lines::Content;
use crate::merge::session::ConflictFiles;

/// Reads base, ours, theirs and the file to be resolved, decoded as documents are. A version that is not there, as the
/// base of a file that both sides added, is empty.
pub fn conflict_files(
    base: Option<&Path>,
    local: &Path,
    remote: &Path,
    merged: &Path,
) -> Result<ConflictFiles, SourceError> {
    Ok(ConflictFiles {
        base: base.map_or_else(|| Ok(Content::default()), version)?,
        ours: version(local)?,
        theirs: version(remote)?,
        merged: version(merged)?,
    })
}

/// Reads a file as it is, for a version that is taken as a whole.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, SourceError> {
    std::fs::read(path).map_err(|source| GitError::File { path: path.to_owned(), source }.into())
}

fn version(path: &Path) -> Result<Content, SourceError> {
    let bytes = match std::fs::metadata(path) {
        Ok(found) if found.len() >= MAX_SIZE => {
            return Err(GitError::TooLarge { path: RepoPath::from_path(path), size: found.len() }.into());
        }
        Ok(_) => std::fs::read(path),
        Err(error) => Err(error),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Content::default()),
        Err(source) => return Err(GitError::File { path: path.to_owned(), source }.into()),
    };
    if content::is_binary(&bytes) {
        return Err(SourceError::Binary { path: path.to_owned() });
    }
    let text = content::decode(bytes, None);
    let size = text.bytes.len() as u64;
    text.content().map_err(|_| GitError::TooLarge { path: RepoPath::from_path(path), size }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_version_is_empty_and_a_binary_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("local"), "ours\n").unwrap();
        std::fs::write(path("remote"), b"\xef\xbb\xbftheirs\n").unwrap();
        std::fs::write(path("merged"), "both\n").unwrap();
        let files = conflict_files(Some(&path("base")), &path("local"), &path("remote"), &path("merged")).unwrap();
        let texts = [files.base, files.ours, files.theirs, files.merged].map(|side| side.bytes().to_vec());
        assert_eq!(texts, ["", "ours\n", "theirs\n", "both\n"].map(|text| text.as_bytes().to_vec()));
        std::fs::write(path("remote"), "1\0").unwrap();
        let error = conflict_files(None, &path("local"), &path("remote"), &path("merged")).unwrap_err();
        assert!(error.to_string().contains("remote is binary"), "{error}");
    }
}
