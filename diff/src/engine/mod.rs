//! The line engine: which lines of the old side became which lines of the new one.
//!
//! A *script* is a list of *hunks*, each replacing a range of old lines by a range of new ones; the lines between hunks
//! are equal and pair up one to one. The *core* is what is left when equal lines at both ends are cut off by bytes.
//!
//! How: lines of the core become tokens; a large core is cut at lines that are unique on both sides ([`anchors`]), which
//! takes care of evenly spread edits and of shuffled blocks; what remains goes to [`histogram`] if it is small and
//! within its budget, for readable hunks, and to [`myers`] otherwise. Then hunks that could stand in several places are
//! moved to where they read best ([`slide`]), as git does.
//!
//! The algorithms are our own and not those of gix-imara-diff, which are the reference in tests: a call into that
//! library can neither be cancelled nor bounded, and its results cannot be built from parts. Here every loop counts its
//! work, looks at the cancel flag every few hundred thousand steps (well under 10 ms), and falls back to something
//! cheaper at a limit. Budgets are counted in steps, not in time: a result never depends on how busy the machine is.
//!
//! Invariant: a script is always valid. It is checked against both texts before it is returned.

mod anchors;
mod as_git;
mod histogram;
mod intern;
mod matches;
mod myers;
mod slide;
mod whitespace;
mod work;

#[cfg(test)]
mod tests;

use std::ops::Range;

use editor::Cancel;

pub use editor::Cancelled;

pub use self::as_git::{Algorithm, AsGit};
pub use self::whitespace::Whitespace;
pub(crate) use self::{slide::slide, whitespace::is_space};

use self::intern::Tokens;
use self::matches::Matches;
use self::work::Work;
use crate::affix::{self, Common};
use crate::lines::Content;

/// How much work a comparison may be, in steps of a nanosecond or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// What the histogram algorithm may cost, over all of a comparison, before Myers takes over.
    pub histogram: u64,
    /// What all may cost before the rest is given up and called replaced ([`Script::limited`]).
    pub total: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { histogram: 30_000_000, total: 3_000_000_000 }
    }
}

/// How to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What white space to overlook.
    pub whitespace: Whitespace,
    /// What it may cost.
    pub budget: Budget,
}

/// Old lines that were replaced by new ones; either range, not both, may be empty. Lines count from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hunk {
    /// Lines of the old side that are gone.
    pub old: Range<u32>,
    /// Lines of the new side in their place.
    pub new: Range<u32>,
}

impl Hunk {
    /// Lines removed and added.
    pub fn counts(&self) -> (u32, u32) {
        (self.old.len() as u32, self.new.len() as u32)
    }
}

/// The difference of two texts. Hunks ascend and at least one equal line is between two of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// What changed.
    pub hunks: Vec<Hunk>,
    /// Whether the budget ran out, so that some lines are called changed which need not be.
    pub limited: bool,
}

impl Script {
    /// Lines removed and added by all hunks.
    pub fn counts(&self) -> (u64, u64) {
        self.hunks.iter().fold((0, 0), |(removed, added), hunk| {
            (removed + u64::from(hunk.counts().0), added + u64::from(hunk.counts().1))
        })
    }

    /// The new side, made from the old side and the lines this script inserts: the oracle of all that shows a diff.
    ///
    /// Of a script made under a white-space mode this is the new side but for what the mode overlooks.
    pub fn apply(&self, old: &Content, new: &Content) -> Vec<u8> {
        let mut text = Vec::with_capacity(new.len());
        let mut at = 0;
        for hunk in &self.hunks {
            text.extend_from_slice(old.lines(at..hunk.old.start));
            text.extend_from_slice(new.lines(hunk.new.clone()));
            at = hunk.old.end;
        }
        text.extend_from_slice(old.lines(at..old.line_count()));
        text
    }

    /// The stretches of lines that are equal, of texts with that many lines: before, between and behind the hunks.
    pub fn equal_runs(&self, old_lines: u32, new_lines: u32) -> impl Iterator<Item = (Range<u32>, Range<u32>)> + '_ {
        let end = Hunk { old: old_lines..old_lines, new: new_lines..new_lines };
        let mut at = (0, 0);
        self.hunks.iter().cloned().chain([end]).map(move |hunk| {
            let run = (at.0..hunk.old.start, at.1..hunk.new.start);
            at = (hunk.old.end, hunk.new.end);
            run
        })
    }
}

/// Compares two texts. To compare many, keep an [`Engine`].
pub fn compare(old: &Content, new: &Content, options: &Options, cancel: &Cancel) -> Result<Script, Cancelled> {
    Engine::default().compare(old, new, options, cancel)
}

/// Different lines of an input whose working memory is kept for the next: some megabytes.
const KEEP_TOKENS: u32 = 1 << 17;

/// Compares texts and keeps its working memory from one to the next; one a thread.
#[derive(Default)]
pub struct Engine {
    tokens: Tokens,
    scratch: Scratch,
}

/// Working memory of the algorithms.
#[derive(Default)]
struct Scratch {
    anchors: anchors::Scratch,
    histogram: histogram::Scratch,
    myers: myers::Scratch,
}

impl Engine {
    /// An engine without memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Compares two texts.
    ///
    /// The result is valid whatever the budget: outside hunks, lines are equal under the white-space mode.
    pub fn compare(
        &mut self,
        old: &Content,
        new: &Content,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Script, Cancelled> {
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        self.compare_with(old, new, Common::of(old.bytes(), new.bytes()), options, cancel)
    }

    /// Compares two texts of which it is known what they have in common.
    pub fn compare_with(
        &mut self,
        old: &Content,
        new: &Content,
        common: Common,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Script, Cancelled> {
        if cancel.is_cancelled() {
            return Err(Cancelled);
        }
        let (prefix, suffix) = affix::common_lines(old, new, common);
        let core = Hunk { old: prefix..old.line_count() - suffix, new: prefix..new.line_count() - suffix };
        let mut script = self.compare_lines(old, new, core, options, cancel)?;
        slide(&mut script.hunks, old, new, options.whitespace, cancel)?;
        Ok(script)
    }

    /// Compares a range of lines of each side; hunks are not slid yet.
    pub(crate) fn compare_lines(
        &mut self,
        old: &Content,
        new: &Content,
        core: Hunk,
        options: &Options,
        cancel: &Cancel,
    ) -> Result<Script, Cancelled> {
        if core.old.is_empty() || core.new.is_empty() {
            let hunks = if core.old.is_empty() && core.new.is_empty() { Vec::new() } else { vec![core] };
            return Ok(Script { hunks, limited: false });
        }
        let sides = || ((old, core.old.clone()), (new, core.new.clone()));
        self.tokens.intern(sides().0, sides().1, options.whitespace, cancel)?;
        let mut script = self.compare_tokens(&core, options, cancel)?;
        if !holds(&script, old, new, &core, options.whitespace, cancel)? {
            self.tokens.intern_exactly(sides().0, sides().1, options.whitespace, cancel)?;
            script = self.compare_tokens(&core, options, cancel)?;
        }
        // Give room back after an unusually large input: there may be an engine for each thread.
        if self.tokens.limit > KEEP_TOKENS {
            *self = Self::default();
        }
        Ok(script)
    }

    fn compare_tokens(&mut self, core: &Hunk, options: &Options, cancel: &Cancel) -> Result<Script, Cancelled> {
        let mut work = Work::new(options.budget, cancel);
        let hunks = diff_tokens(&self.tokens.old, &self.tokens.new, self.tokens.limit, &mut self.scratch, &mut work)?;
        let hunks = hunks
            .into_iter()
            .map(|hunk| Hunk {
                old: hunk.old.start + core.old.start..hunk.old.end + core.old.start,
                new: hunk.new.start + core.new.start..hunk.new.end + core.new.start,
            })
            .collect();
        Ok(Script { hunks, limited: work.is_limited() })
    }
}

/// Compares sequences of any tokens: parts of a line, say.
#[derive(Default)]
pub(crate) struct TokenDiff(Scratch);

impl TokenDiff {
    /// The shortest script, or nearly so; and whether the budget ran out.
    pub fn minimal(
        &mut self,
        old: &[u32],
        new: &[u32],
        limit: u32,
        budget: Budget,
        cancel: &Cancel,
    ) -> Result<(Vec<Hunk>, bool), Cancelled> {
        let mut work = Work::new(budget, cancel);
        let mut matches = Matches::default();
        let sides = Sides { old, new, limit };
        let mut region = Region::new(0..old.len() as u32, 0..new.len() as u32);
        let (prefix, suffix) = region.trim(&sides);
        matches.push(0, 0, prefix);
        myers::diff(&sides, region, &mut self.0.myers, &mut matches, &mut work)?;
        matches.push(region.old_to, region.new_to, suffix);
        Ok((matches.finish(old.len() as u32, new.len() as u32), work.is_limited()))
    }

    /// A script as of lines, for many tokens; and whether the budget ran out.
    pub fn readable(
        &mut self,
        old: &[u32],
        new: &[u32],
        limit: u32,
        budget: Budget,
        cancel: &Cancel,
    ) -> Result<(Vec<Hunk>, bool), Cancelled> {
        let mut work = Work::new(budget, cancel);
        let hunks = diff_tokens(old, new, limit, &mut self.0, &mut work)?;
        Ok((hunks, work.is_limited()))
    }
}

/// Compares two sequences of tokens below `limit`.
fn diff_tokens(
    old: &[u32],
    new: &[u32],
    limit: u32,
    scratch: &mut Scratch,
    work: &mut Work<'_>,
) -> Result<Vec<Hunk>, Cancelled> {
    let mut matches = Matches::default();
    let all = Region::new(0..old.len() as u32, 0..new.len() as u32);
    anchors::diff(&Sides { old, new, limit }, all, scratch, &mut matches, work)?;
    Ok(matches.finish(old.len() as u32, new.len() as u32))
}

/// The tokens that are compared.
#[derive(Clone, Copy)]
struct Sides<'a> {
    old: &'a [u32],
    new: &'a [u32],
    limit: u32,
}

/// A rectangle of old and new lines.
#[derive(Clone, Copy, Debug)]
struct Region {
    old_from: u32,
    old_to: u32,
    new_from: u32,
    new_to: u32,
}

impl Region {
    fn new(old: Range<u32>, new: Range<u32>) -> Self {
        Self { old_from: old.start, old_to: old.end, new_from: new.start, new_to: new.end }
    }

    fn is_empty(&self) -> bool {
        self.old_from >= self.old_to || self.new_from >= self.new_to
    }

    fn old_len(&self) -> u32 {
        self.old_to - self.old_from
    }

    fn new_len(&self) -> u32 {
        self.new_to - self.new_from
    }

    fn old<'a>(&self, sides: &Sides<'a>) -> &'a [u32] {
        &sides.old[self.old_from as usize..self.old_to as usize]
    }

    fn new_side<'a>(&self, sides: &Sides<'a>) -> &'a [u32] {
        &sides.new[self.new_from as usize..self.new_to as usize]
    }

    /// Cuts equal tokens off both ends; returns how many, at the beginning and at the end.
    fn trim(&mut self, sides: &Sides<'_>) -> (u32, u32) {
        let pairs = self.old(sides).iter().zip(self.new_side(sides));
        let prefix = pairs.take_while(|(old, new)| old == new).count() as u32;
        self.old_from += prefix;
        self.new_from += prefix;
        let pairs = self.old(sides).iter().rev().zip(self.new_side(sides).iter().rev());
        let suffix = pairs.take_while(|(old, new)| old == new).count() as u32;
        self.old_to -= suffix;
        self.new_to -= suffix;
        (prefix, suffix)
    }
}

/// Whether the lines outside the hunks are equal, which tokens alone do not guarantee.
fn holds(
    script: &Script,
    old: &Content,
    new: &Content,
    core: &Hunk,
    whitespace: Whitespace,
    cancel: &Cancel,
) -> Result<bool, Cancelled> {
    const STRIDE: u32 = 1 << 16;
    let (mut old_at, mut new_at) = (core.old.start, core.new.start);
    let end = Hunk { old: core.old.end..core.old.end, new: core.new.end..core.new.end };
    for hunk in script.hunks.iter().chain([&end]) {
        if hunk.old.start - old_at != hunk.new.start - new_at {
            return Ok(false);
        }
        while old_at < hunk.old.start {
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let len = STRIDE.min(hunk.old.start - old_at);
            let equal = old.lines(old_at..old_at + len) == new.lines(new_at..new_at + len)
                || whitespace != Whitespace::Exact
                    && (0..len).all(|at| whitespace.equal(old.line(old_at + at), new.line(new_at + at)));
            if !equal {
                return Ok(false);
            }
            old_at += len;
            new_at += len;
        }
        (old_at, new_at) = (hunk.old.end, hunk.new.end);
    }
    Ok(true)
}
