//! The forms of one content, for those who act on it: as it lies on disk, as git stores it, as it is shown.
//!
//! Line endings and `ident` are converted here. Where an encoding is named, and in one direction where a filter is, the git
//! program converts: what it makes of a character that an encoding lacks, or of a mark that is missing, is its own.

use super::{GitError, MAX_SIZE, ObjectId, Reader, RepoPath};
use crate::content::{self, Text};
use crate::lines::Bytes;

impl Reader {
    /// The file at `path` of the working tree, as it lies there.
    pub(crate) fn on_disk(&self, path: &RepoPath) -> Result<Bytes, GitError> {
        let full = self.root.join(path.to_path());
        let failed = |source| GitError::File { path: full.clone(), source };
        let size = full.metadata().map_err(failed)?.len();
        if size >= MAX_SIZE {
            return Err(GitError::TooLarge { path: path.clone(), size });
        }
        Ok(std::fs::read(&full).map_err(failed)?.into())
    }

    /// A stored content, as it is stored.
    pub(crate) fn as_stored(&mut self, path: &RepoPath, id: ObjectId) -> Result<Bytes, GitError> {
        self.object(path, id)
    }

    /// What is shown of a content that lies on disk.
    pub(crate) fn disk_shown(&mut self, path: &RepoPath, on_disk: &Bytes) -> Result<Text, GitError> {
        let encoding = self.attributes(path)?.and_then(|attributes| attributes.encoding);
        Ok(content::decode(on_disk.clone(), encoding))
    }

    /// What is shown of a stored content; of one that is compared with a file on disk, in the way of that.
    pub(crate) fn stored_shown(
        &mut self,
        path: &RepoPath,
        stored: &Bytes,
        live: Option<&RepoPath>,
    ) -> Result<Text, GitError> {
        let bytes = match live {
            Some(live) => self.beside_live(path, stored.clone(), live)?,
            None => stored.clone(),
        };
        Ok(content::decode(bytes, None))
    }

    /// A content of the disk as git stores it; a `filter` is not run.
    pub(crate) fn disk_as_stored(&mut self, path: &RepoPath, on_disk: &Bytes) -> Result<Bytes, GitError> {
        match (self.is_encoded(path)?, self.repo.clone()) {
            (true, Some(repo)) => {
                let id = repo.store_cleaned(path, on_disk)?;
                self.object(path, id)
            }
            _ => self.converted_for_git(path, on_disk.clone()),
        }
    }

    /// A stored content as checking it out would write it, with whatever filter applies; beside a file of which it is a
    /// part, with the line endings of that.
    pub(crate) fn stored_as_disk(
        &mut self,
        path: &RepoPath,
        id: ObjectId,
        live: Option<&RepoPath>,
    ) -> Result<Bytes, GitError> {
        let by_git = self.is_encoded(path)? || self.filter_of(path)?.is_some();
        if let (true, Some(repo)) = (by_git, self.repo.clone()) {
            return Ok(repo.checked_out(path, id)?.into());
        }
        let stored = self.object(path, id)?;
        match live {
            Some(live) => self.beside_live(path, stored, live),
            None => self.converted_for_disk(path, stored),
        }
    }

    /// Whether the encoding of a path in the working tree is one that has to be converted.
    fn is_encoded(&mut self, path: &RepoPath) -> Result<bool, GitError> {
        Ok(self.attributes(path)?.is_some_and(|attributes| attributes.encoded))
    }
}
