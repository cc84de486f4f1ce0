//! Three-way merge of texts, with the results of git.
//!
//! *Base* is what both sides started from, *ours* and *theirs* are what became of it. A [`Merge`] divides the three into
//! *chunks*: lines that nobody changed, that one side changed, that both changed alike, and *conflicts*. What is not a
//! conflict resolves itself; for a conflict somebody says what to [`Take`]. [`Merge::compose`] makes the text, with
//! markers where nothing was taken yet.
//!
//! Which lines end up in which chunk is what git's own merge finds, given the same algorithm and [`Level`]; what is
//! written is equal to `git merge-file` to the byte. Nothing here touches a file or a repository.
//!
//! Invariant: the chunks, put together, are the whole of each of the three texts.

mod chunks;
mod compose;
mod draft;
pub mod markers;
pub mod rows;
pub mod session;
mod words;

use std::ops::Range;

use editor::{Cancel, Cancelled};

pub use compose::{Composed, Labels, MarkerFormat};
pub use draft::{Draft, PieceState, Replacement};
pub use words::merge_words;

use crate::engine::{Algorithm, AsGit, Engine, Whitespace};
use crate::lines::Content;

/// One of the three texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// What both sides started from.
    Base,
    /// The side that is merged into.
    Ours,
    /// The side that is merged.
    Theirs,
}

/// How far conflicts are made smaller by what both sides have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Every overlap is a conflict, even of two changes that are the same.
    Minimal,
    /// The same change on both sides is none.
    Eager,
    /// Lines that both sides have in common cut a conflict in two, if they are more than three: `git merge`.
    #[default]
    Zealous,
    /// As before, but lines without a letter or digit do not: `git merge-file`.
    ZealousAlnum,
}

/// How conflicts are written, which also says how far they are made smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MarkerStyle {
    /// Ours and theirs.
    #[default]
    Merge,
    /// Also the base between them. Conflicts stay whole, as the base belongs to all of it.
    Diff3,
    /// The same, without lines that ours and theirs begin or end with alike.
    ZealousDiff3,
}

/// How to merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MergeOptions {
    /// How changes are found.
    pub algorithm: Algorithm,
    /// What white space to overlook when they are.
    pub whitespace: Whitespace,
    /// How far conflicts are made smaller.
    pub level: Level,
    /// What conflicts will be written as.
    pub style: MarkerStyle,
}

impl MergeOptions {
    /// What `git merge`, rebase and cherry-pick do.
    pub fn git_merge() -> Self {
        Self { algorithm: Algorithm::Histogram, level: Level::Zealous, ..Self::default() }
    }

    /// What `git merge-file` does.
    pub fn git_merge_file() -> Self {
        Self { algorithm: Algorithm::Myers, level: Level::ZealousAlnum, ..Self::default() }
    }

    /// The same with another style.
    #[must_use]
    pub fn with_style(self, style: MarkerStyle) -> Self {
        Self { style, ..self }
    }

    /// Texts that show the base are not made smaller by what the base does not have.
    fn effective_level(&self) -> Level {
        match self.style {
            MarkerStyle::Merge => self.level,
            MarkerStyle::Diff3 | MarkerStyle::ZealousDiff3 => self.level.min(Level::Eager),
        }
    }
}

/// Who changed the lines of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChunkKind {
    /// Nobody.
    Unchanged,
    /// Ours alone.
    Ours,
    /// Theirs alone.
    Theirs,
    /// Both, in the same way.
    Both,
    /// Both, each in another way.
    Conflict,
}

/// Lines of the three texts that belong together. Any of the ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Who changed them.
    pub kind: ChunkKind,
    /// Lines of the base. Of a conflict that was cut in pieces, those that fit the piece best.
    pub base: Range<u32>,
    /// Lines of ours.
    pub ours: Range<u32>,
    /// Lines of theirs.
    pub theirs: Range<u32>,
}

impl Chunk {
    /// The lines of one of the texts.
    pub fn lines(&self, version: Version) -> Range<u32> {
        match version {
            Version::Base => self.base.clone(),
            Version::Ours => self.ours.clone(),
            Version::Theirs => self.theirs.clone(),
        }
    }

    /// Whether somebody has to decide.
    pub fn is_conflict(&self) -> bool {
        self.kind == ChunkKind::Conflict
    }

    /// Whether anything changed at all.
    pub fn is_change(&self) -> bool {
        self.kind != ChunkKind::Unchanged
    }
}

/// What stands in the result for a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// What was there before.
    Base,
    /// Ours.
    Ours,
    /// Theirs.
    Theirs,
    /// Both, ours first.
    OursTheirs,
    /// Both, theirs first.
    TheirsOurs,
    /// No line at all.
    Nothing,
    /// Something else, as it is.
    Text(Vec<u8>),
}

/// Which changes to accept at once, of those that conflict with nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// Those of ours alone, and those of both.
    Ours,
    /// Those of theirs alone, and those of both.
    Theirs,
    /// All.
    All,
}

/// Two changes of one text, put together.
#[derive(Clone, Debug)]
pub struct Merge {
    base: Content,
    ours: Content,
    theirs: Content,
    chunks: Vec<Chunk>,
    /// Where lines that nobody changed are taken from; they are equal but for the white space that is overlooked.
    plain: Version,
    limited: bool,
}

impl Merge {
    /// Merges three texts.
    ///
    /// O(n) where changes are few; bounded by the budget of the line engine otherwise ([`Merge::limited`]).
    pub fn new(
        base: &Content,
        ours: &Content,
        theirs: &Content,
        options: &MergeOptions,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        Self::with_engine(&mut Engine::new(), base, ours, theirs, options, cancel)
    }

    /// The same with an engine that keeps its memory, to merge many texts.
    pub fn with_engine(
        engine: &mut Engine,
        base: &Content,
        ours: &Content,
        theirs: &Content,
        options: &MergeOptions,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let how = AsGit { algorithm: options.algorithm, indent_heuristic: false, whitespace: options.whitespace };
        let our_script = engine.compare_as_git(base, ours, &how, cancel)?;
        let their_script = engine.compare_as_git(base, theirs, &how, cancel)?;
        let plain = if our_script.hunks.is_empty() { Version::Theirs } else { Version::Ours };
        let limited = our_script.limited || their_script.limited;
        let texts = chunks::Texts { base, ours, theirs };
        let chunks = chunks::find(engine, &texts, &our_script, &their_script, options, &how, cancel)?;
        Ok(Self { base: base.clone(), ours: ours.clone(), theirs: theirs.clone(), chunks, plain, limited })
    }

    /// All chunks, from top to bottom.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// One of the three texts.
    pub fn content(&self, version: Version) -> &Content {
        match version {
            Version::Base => &self.base,
            Version::Ours => &self.ours,
            Version::Theirs => &self.theirs,
        }
    }

    /// How many conflicts there are.
    pub fn conflicts(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.is_conflict()).count()
    }

    /// Whether the budget ran out, so that conflicts may be larger than need be.
    pub fn limited(&self) -> bool {
        self.limited
    }

    /// What stands in the result when everything that conflicts with nothing is accepted: nothing yet for conflicts.
    pub fn accepted(&self) -> Vec<Option<Take>> {
        let mut takes = self.nothing_accepted();
        self.accept(&mut takes, Accept::All);
        takes
    }

    /// What stands in the result when nothing is accepted yet: the base, which for conflicts is still to be decided.
    pub fn nothing_accepted(&self) -> Vec<Option<Take>> {
        let undecided = |chunk: &Chunk| if chunk.is_conflict() { None } else { Some(Take::Base) };
        self.chunks.iter().map(undecided).collect()
    }

    /// Accepts changes that conflict with nothing; what was decided about conflicts stays.
    pub fn accept(&self, takes: &mut [Option<Take>], which: Accept) {
        for (chunk, take) in self.chunks.iter().zip(takes) {
            let side = match (chunk.kind, which) {
                (ChunkKind::Unchanged, _) => Some(self.plain_take()),
                (ChunkKind::Ours, Accept::Ours | Accept::All) => Some(Take::Ours),
                (ChunkKind::Theirs, Accept::Theirs | Accept::All) => Some(Take::Theirs),
                (ChunkKind::Both, Accept::Theirs) => Some(Take::Theirs),
                (ChunkKind::Both, Accept::Ours | Accept::All) => Some(Take::Ours),
                _ => None,
            };
            if side.is_some() {
                *take = side;
            }
        }
    }

    fn plain_take(&self) -> Take {
        match self.plain {
            Version::Base => Take::Base,
            Version::Ours => Take::Ours,
            Version::Theirs => Take::Theirs,
        }
    }

    /// A text for a conflict in which both sides changed different words, put together from both; none if they touch.
    ///
    /// For a button beside the conflict: it may read wrong, so nobody should get it unasked.
    pub fn words(&self, chunk: usize, cancel: &Cancel) -> Result<Option<Take>, Cancelled> {
        let Some(chunk) = self.chunks.get(chunk).filter(|chunk| chunk.is_conflict()) else { return Ok(None) };
        let text = |version: Version| self.content(version).lines(chunk.lines(version));
        let merged = merge_words(text(Version::Base), text(Version::Ours), text(Version::Theirs), cancel)?;
        Ok(merged.map(Take::Text))
    }
}

#[cfg(test)]
mod tests;
