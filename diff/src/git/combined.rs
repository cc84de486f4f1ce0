//! The files of a merge that differ from all of its parents, with their versions: what `git show --cc` looks at.
//!
//! For a merge that is not finished, the parents of a path in conflict are its stages and the result lies on disk.

use editor::Cancel;
use gix::index::fs::Metadata;
use rustc_hash::FxHashMap;

use super::pathspec::Pathspecs;
use super::{
    Blob, BlobSource, FileChange, GitError, Mode, ObjectId, Reader, Repo, RepoPath, Side, delta, find_commit, own_id,
    rename, tree_of,
};
use crate::content::SideContent;
use crate::lines::{Bytes, Content};
use crate::merge::Version;

/// A file of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedFile {
    /// Where it is in the result; of a file that the result does not have, where it was.
    pub path: RepoPath,
    /// What it was in each parent.
    pub parents: Vec<CombinedParent>,
    /// What it is in the result; none if it is not there.
    pub result: Option<Blob>,
}

/// A file in a parent of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedParent {
    /// Where it was, if elsewhere.
    pub old_path: Option<RepoPath>,
    /// What it was; none if the parent does not have it.
    pub blob: Option<Blob>,
}

impl CombinedFile {
    /// Whether no parent has it.
    pub fn is_added(&self) -> bool {
        self.result.is_some() && self.parents.iter().all(|parent| parent.blob.is_none())
    }

    /// Whether the mode is another one than in some parent.
    pub fn mode_differs(&self) -> bool {
        let result = self.result.as_ref().map(|blob| blob.mode);
        self.parents.iter().any(|parent| parent.blob.as_ref().map(|blob| blob.mode) != result)
    }
}

/// What there is to show of a file of a merge.
#[derive(Clone, Debug)]
pub enum CombinedContent {
    /// Lines, for [`combine`](crate::combined::combine).
    Text {
        /// Of each parent; empty where it has no such file.
        parents: Vec<Content>,
        /// Of the result; empty if it has no such file.
        result: Content,
    },
    /// Some version is no text.
    Binary,
}

impl Repo {
    /// The parents of a commit.
    pub fn parents(&self, commit: &str) -> Result<Vec<ObjectId>, GitError> {
        Ok(find_commit(&self.local(), commit)?.parent_ids().map(|id| own_id(&id)).collect())
    }

    /// The files of a merge that differ from each of its parents and match `pathspecs` (see [`Repo::changes`]), in order.
    /// With `renames`, files that moved are followed to where they were, reading contents if need be.
    pub fn combined_files(
        &self,
        commit: &str,
        pathspecs: &[String],
        renames: bool,
        cancel: &Cancel,
    ) -> Result<Vec<CombinedFile>, GitError> {
        let repo = self.local();
        let commit = find_commit(&repo, commit)?;
        let tree = tree_of(&repo, commit.id)?;
        let mut by_path: FxHashMap<RepoPath, CombinedFile> = FxHashMap::default();
        let parents: Vec<_> = commit.parent_ids().map(gix::Id::detach).collect();
        for (number, parent) in parents.iter().enumerate() {
            let mut specs = Pathspecs::parse(&repo, pathspecs)?;
            let mut changes = delta::changes(&repo, Some(tree_of(&repo, *parent)?), Some(tree), &mut specs, cancel)?;
            if renames {
                rename::exact(&mut changes);
                rename::similar(&mut changes, &|| self.reader(), cancel)?;
            }
            for FileChange { path, old_path, old, new, .. } in changes {
                let parent = CombinedParent { old_path, blob: old };
                match by_path.get_mut(&path) {
                    Some(file) if file.parents.len() == number => file.parents.push(parent),
                    None if number == 0 => {
                        by_path.insert(path.clone(), CombinedFile { path, parents: vec![parent], result: new });
                    }
                    _ => {}
                }
            }
        }
        let mut files: Vec<_> = by_path.into_values().filter(|file| file.parents.len() == parents.len()).collect();
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// The paths in conflict against both of their sides, as they lie on disk: what `git diff` shows of them.
    pub fn combined_unmerged(&self, pathspecs: &[String], cancel: &Cancel) -> Result<Vec<CombinedFile>, GitError> {
        let root = self.root().ok_or_else(|| GitError::Bare { path: self.git_dir().to_owned() })?;
        let unmerged = self.unmerged(pathspecs, cancel)?;
        let file = |unmerged: super::Unmerged| {
            let parent = |version| CombinedParent {
                old_path: None,
                blob: unmerged.stage(version).map(|stage| Blob {
                    mode: stage.mode,
                    source: BlobSource::Object(stage.id),
                    size: None,
                }),
            };
            let on_disk = Metadata::from_path_no_follow(&root.join(unmerged.path.to_path())).ok();
            let result = on_disk.and_then(|found| {
                let mode = match () {
                    () if found.is_symlink() => Mode::Symlink,
                    () if found.is_file() && found.is_executable() => Mode::Executable,
                    () if found.is_file() => Mode::File,
                    () => return None,
                };
                Some(Blob { mode, source: BlobSource::WorkTree(None), size: Some(found.len()) })
            });
            let parents = vec![parent(Version::Ours), parent(Version::Theirs)];
            CombinedFile { path: unmerged.path, parents, result }
        };
        Ok(unmerged.into_iter().map(file).collect())
    }
}

impl Reader {
    /// Reads all versions of a file of a merge. For a reader of the stored form: versions in the object database and on
    /// disk are comparable in that one only.
    pub fn read_combined(&mut self, file: &CombinedFile) -> Result<CombinedContent, GitError> {
        let parents = file.parents.iter().map(|parent| (parent.old_path.as_ref(), parent.blob.as_ref()));
        let mut contents = Vec::with_capacity(file.parents.len() + 1);
        for (path, blob) in parents.chain([(None, file.result.as_ref())]) {
            let path = path.unwrap_or(&file.path).clone();
            let bytes = match self.read(&FileChange::at(path.clone(), None, blob.cloned()), Side::New)? {
                SideContent::Text(text) => text.bytes,
                SideContent::Missing => Bytes::default(),
                SideContent::Binary { .. } => return Ok(CombinedContent::Binary),
                SideContent::Symlink { target } => target.as_bytes().into(),
                SideContent::Submodule { commit, .. } => {
                    let commit = commit.map_or_else(|| "0".repeat(40), |commit| commit.to_string());
                    format!("Subproject commit {commit}\n").into_bytes().into()
                }
            };
            let size = bytes.len() as u64;
            contents.push(Content::new(bytes).map_err(|_| GitError::TooLarge { path, size })?);
        }
        let result = contents.pop().unwrap_or_default();
        Ok(CombinedContent::Text { parents: contents, result })
    }
}
