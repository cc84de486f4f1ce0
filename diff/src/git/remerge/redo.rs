//! Merging what two sides did to each file: the rules of `git merge`, for contents in memory.
//!
//! A file's *fate* is what it is in the base and on both sides, wherever it went. Fates are settled one by one; what comes
//! of them is kept by path.

use std::sync::Arc;

use editor::Cancel;
use rustc_hash::FxHashMap;

use super::super::filters::MergeDriver;
use super::super::{Blob, BlobSource, ConflictKind, FileChange, GitError, Mode, Reader, RepoPath, Side};
use super::Merged;
use crate::content::{self, SideContent};
use crate::engine::Engine;
use crate::lines::Content;
use crate::merge::{Labels, MarkerFormat, MarkerStyle, Merge, MergeOptions, Take};

/// A file of the base, or one that is new, as a side has it.
#[derive(Clone, Debug)]
struct Here {
    path: RepoPath,
    blob: Blob,
}

/// What became of a file on both sides. `None` is gone, or never there.
#[derive(Default)]
struct Fate {
    base: Option<Here>,
    ours: Option<Here>,
    theirs: Option<Here>,
}

/// A merge in the making.
pub(super) struct Redo {
    pub reader: Reader,
    pub engine: Engine,
    pub style: MarkerStyle,
    pub labels: Labels,
    /// How far within merges of merge bases; 0 is the merge itself. Their markers are longer, and where there is nothing
    /// to choose by the base stays.
    pub depth: usize,
    /// By path: what there is of both sides together.
    pub files: FxHashMap<RepoPath, Merged>,
    pub conflicts: Vec<(RepoPath, ConflictKind)>,
}

impl Redo {
    /// Settles all fates that two lists of changes from the base make.
    pub fn run(mut self, ours: Vec<FileChange>, theirs: Vec<FileChange>, cancel: &Cancel) -> Result<Self, GitError> {
        for fate in fates(ours, theirs) {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            self.merge(fate, cancel)?;
        }
        Ok(self)
    }

    fn put(&mut self, path: RepoPath, auto: Option<Blob>) {
        match self.files.entry(path) {
            std::collections::hash_map::Entry::Occupied(mut known) => known.get_mut().auto = auto,
            std::collections::hash_map::Entry::Vacant(new) => drop(new.insert(Merged { base: None, auto })),
        }
    }

    fn merge(&mut self, fate: Fate, cancel: &Cancel) -> Result<(), GitError> {
        let Fate { base, mut ours, mut theirs } = fate;
        if base.is_none() {
            self.meet_renamed(&mut ours, &mut theirs);
        }
        if let Some(base) = &base {
            let known = self.files.get(&base.path).and_then(|known| known.auto.clone());
            self.files.insert(base.path.clone(), Merged { base: Some(base.blob.clone()), auto: known });
        }
        let is_kept = |side: &Here| base.as_ref().is_some_and(|base| base.path == side.path && base.blob == side.blob);
        match (ours, theirs) {
            (None, None) => {}
            (Some(side), None) if is_kept(&side) => {}
            (None, Some(side)) if is_kept(&side) => {}
            (Some(side), None) => self.one_sided(base, side, ConflictKind::DeletedByThem),
            (None, Some(side)) => self.one_sided(base, side, ConflictKind::DeletedByUs),
            (Some(ours), Some(theirs)) => {
                let blob = self.merge_blobs(base.as_ref(), &ours, &theirs, cancel)?;
                let moved = |side: &Here| base.as_ref().is_some_and(|base| base.path != side.path);
                match (moved(&ours), moved(&theirs)) {
                    (true, true) if ours.path != theirs.path => {
                        if let Some(base) = &base {
                            self.conflicts.push((base.path.clone(), ConflictKind::BothDeleted));
                        }
                        self.put(ours.path, Some(blob.clone()));
                        self.put(theirs.path, Some(blob));
                    }
                    (false, true) => self.put(theirs.path, Some(blob)),
                    _ => self.put(ours.path, Some(blob)),
                }
            }
        }
        Ok(())
    }

    /// A file that one side changed and the other does not have; it is new, or the other deleted it.
    fn one_sided(&mut self, base: Option<Here>, side: Here, deleted: ConflictKind) {
        let stays = match base {
            None => side.blob,
            Some(base) => {
                self.conflicts.push((side.path.clone(), deleted));
                if self.depth > 0 { base.blob } else { side.blob }
            }
        };
        self.put(side.path, Some(stays));
    }

    /// What stays where contents cannot be merged.
    fn unmerged(&self, base: Option<&Here>, ours: &Here) -> Blob {
        let base = base.filter(|_| self.depth > 0);
        base.map_or(&ours.blob, |base| &base.blob).clone()
    }

    /// A file that one side added to where the other renamed one is merged with that, as if both had added it.
    fn meet_renamed(&self, ours: &mut Option<Here>, theirs: &mut Option<Here>) {
        let (side, other) = if ours.is_some() { (ours, theirs) } else { (theirs, ours) };
        let Some(path) = side.as_ref().map(|side| side.path.clone()) else { return };
        if other.is_none()
            && let Some(blob) = self.files.get(&path).and_then(|known| known.auto.clone())
        {
            *other = Some(Here { path, blob });
        }
    }

    fn merge_blobs(
        &mut self,
        base: Option<&Here>,
        ours: &Here,
        theirs: &Here,
        cancel: &Cancel,
    ) -> Result<Blob, GitError> {
        let base_blob = base.map(|base| &base.blob);
        let is_base = |side: &Blob| base_blob.is_some_and(|base| base.source == side.source);
        let base_mode = base_blob.map(|base| base.mode);
        let mode = if base_mode == Some(ours.blob.mode) { theirs.blob.mode } else { ours.blob.mode };
        let taken = if ours.blob.source == theirs.blob.source || is_base(&theirs.blob) {
            Some(&ours.blob)
        } else if is_base(&ours.blob) {
            Some(&theirs.blob)
        } else {
            None
        };
        let same_type = ours.blob.mode.same_type(theirs.blob.mode);
        if let Some(blob) = taken.filter(|_| same_type) {
            let modes_apart = ours.blob.mode != theirs.blob.mode
                && ![ours.blob.mode, theirs.blob.mode].map(Some).contains(&base_mode);
            if modes_apart {
                self.conflict(base, ours);
            }
            return Ok(Blob { mode, ..blob.clone() });
        }
        if !(ours.blob.mode.is_file() && theirs.blob.mode.is_file()) {
            self.conflict(base, ours);
            return Ok(self.unmerged(base, ours));
        }
        self.merge_contents(base, ours, theirs, mode, cancel)
    }

    fn conflict(&mut self, base: Option<&Here>, ours: &Here) {
        let kind = if base.is_some() { ConflictKind::BothModified } else { ConflictKind::BothAdded };
        self.conflicts.push((ours.path.clone(), kind));
    }

    fn merge_contents(
        &mut self,
        base: Option<&Here>,
        ours: &Here,
        theirs: &Here,
        mode: Mode,
        cancel: &Cancel,
    ) -> Result<Blob, GitError> {
        let driver = self.reader.merge_driver(&ours.path)?;
        // A symbolic link that became a file on both sides has nothing to go by.
        let base_file = base.filter(|base| base.blob.mode.is_file());
        let base_text = base_file.map(|base| self.read(base)).transpose()?.unwrap_or_default();
        let (our_text, their_text) = (self.read(ours)?, self.read(theirs)?);
        let is_binary = |text: &Content| content::is_binary(text.bytes());
        if driver == MergeDriver::Binary || [&base_text, &our_text, &their_text].into_iter().any(is_binary) {
            self.conflict(base, ours);
            return Ok(Blob { mode, ..self.unmerged(base, ours) });
        }
        let options = MergeOptions::git_merge().with_style(self.style);
        let merged = Merge::with_engine(&mut self.engine, &base_text, &our_text, &their_text, &options, cancel);
        let merged = merged.map_err(|_| GitError::Cancelled)?;
        let mut takes = merged.accepted();
        if driver == MergeDriver::Union {
            for take in &mut takes {
                take.get_or_insert(Take::OursTheirs);
            }
        } else if merged.conflicts() > 0 {
            self.conflict(base, ours);
        }
        let format = MarkerFormat {
            style: self.style,
            size: self.reader.marker_rules(&ours.path)?.size + 2 * self.depth,
            labels: self.labels_of(base, ours, theirs),
            ..MarkerFormat::default()
        };
        let bytes: Arc<[u8]> = merged.compose(&takes, &format).bytes.into();
        Ok(Blob { mode, size: Some(bytes.len() as u64), source: BlobSource::Memory(bytes) })
    }

    /// Labels tell the path as well where it is not the same in all versions.
    fn labels_of(&self, base: Option<&Here>, ours: &Here, theirs: &Here) -> Labels {
        let base_path = base.map_or(&ours.path, |base| &base.path);
        if *base_path == ours.path && ours.path == theirs.path {
            return self.labels.clone();
        }
        let with = |label: &str, path: &RepoPath| format!("{label}:{path}");
        Labels {
            ours: with(&self.labels.ours, &ours.path),
            base: with(&self.labels.base, base_path),
            theirs: with(&self.labels.theirs, &theirs.path),
        }
    }

    fn read(&mut self, here: &Here) -> Result<Content, GitError> {
        let change = FileChange::at(here.path.clone(), Some(here.blob.clone()), None);
        let bytes = match self.reader.read(&change, Side::Old)? {
            SideContent::Text(text) => text.bytes,
            _ => return Err(GitError::object(format!("{}", here.path), &"it is no file")),
        };
        let size = bytes.len() as u64;
        Content::new(bytes).map_err(|_| GitError::TooLarge { path: here.path.clone(), size })
    }
}

/// Puts together what both sides did to each file that either touched. New files at one path are one file.
fn fates(ours: Vec<FileChange>, theirs: Vec<FileChange>) -> Vec<Fate> {
    // By the path in the base, for those that are in it; by the path they are added at, for others.
    let mut known: FxHashMap<RepoPath, Fate> = FxHashMap::default();
    let mut added: FxHashMap<RepoPath, Fate> = FxHashMap::default();
    for (changes, is_ours) in [(ours, true), (theirs, false)] {
        for FileChange { path, old_path, old, new, .. } in changes {
            let here = new.map(|blob| Here { path: path.clone(), blob });
            let fate = match old {
                Some(blob) => {
                    let base = Here { path: old_path.unwrap_or(path), blob };
                    // What the other side does not mention it has as it was.
                    known.entry(base.path.clone()).or_insert_with(|| Fate {
                        ours: Some(base.clone()),
                        theirs: Some(base.clone()),
                        base: Some(base),
                    })
                }
                None => added.entry(path).or_default(),
            };
            if is_ours {
                fate.ours = here;
            } else {
                fate.theirs = here;
            }
        }
    }
    // Those of the base first: what is new may have been renamed to where the other side added something.
    [known, added]
        .into_iter()
        .flat_map(|fates| {
            let mut fates: Vec<_> = fates.into_values().collect();
            fates.sort_unstable_by(|a, b| path_of(a).cmp(&path_of(b)));
            fates
        })
        .collect()
}

fn path_of(fate: &Fate) -> Option<&RepoPath> {
    [&fate.base, &fate.ours, &fate.theirs].into_iter().flatten().map(|here| &here.path).next()
}
