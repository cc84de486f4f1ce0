//! From two scripts to chunks.
//!
//! A *region* is a stretch in which changes of the two sides touch or overlap, or a change of one side alone. Regions are
//! found by walking both scripts; those in conflict are made smaller as the level says; what is between regions either
//! nobody changed, or both in the same way.
//!
//! Lines of a side that did not change are where its next hunk says, moved by as much as it is away.

use std::ops::Range;

use editor::{Cancel, Cancelled};

use super::{Chunk, ChunkKind, Level, MarkerStyle, MergeOptions};
use crate::engine::{AsGit, Engine, Hunk, Script, Whitespace};
use crate::lines::Content;

/// Conflicts with at most so many common lines between them are one: more markers would be read than lines saved.
const NEAR: u32 = 3;

/// The three texts.
pub(super) struct Texts<'a> {
    pub base: &'a Content,
    pub ours: &'a Content,
    pub theirs: &'a Content,
}

/// Finds the chunks of two scripts that start from the same base.
pub(super) fn find(
    engine: &mut Engine,
    texts: &Texts<'_>,
    ours: &Script,
    theirs: &Script,
    options: &MergeOptions,
    how: &AsGit,
    cancel: &Cancel,
) -> Result<Vec<Chunk>, Cancelled> {
    let level = options.effective_level();
    let mut regions = regions(texts, &ours.hunks, &theirs.hunks, level, options.whitespace);
    match options.style {
        MarkerStyle::ZealousDiff3 => {
            for region in &mut regions {
                trim(region, texts, options.whitespace);
            }
        }
        MarkerStyle::Merge | MarkerStyle::Diff3 if level >= Level::Zealous => {
            regions = refine(engine, regions, texts, &ours.hunks, how, cancel)?;
            regions = join_near(regions, texts.ours, level == Level::ZealousAlnum);
        }
        MarkerStyle::Merge | MarkerStyle::Diff3 => {}
    }
    Ok(cover(regions, texts, &ours.hunks, options.whitespace))
}

/// Walks both scripts.
fn regions(texts: &Texts<'_>, ours: &[Hunk], theirs: &[Hunk], level: Level, whitespace: Whitespace) -> Vec<Chunk> {
    let ends = (texts.base.line_count(), texts.ours.line_count(), texts.theirs.line_count());
    let mut regions = Regions::default();
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    loop {
        match (ours.peek().copied(), theirs.peek().copied()) {
            (None, None) => return regions.finish(),
            (Some(own), other) if other.is_none_or(|other| own.old.end < other.old.start) => {
                // How much farther down this base line is in the text that did not change here.
                let next = other.map_or((ends.0, ends.2), |other| (other.old.start, other.new.start));
                let unchanged = beside(&own.old, next);
                regions.add(ChunkKind::Ours, own.old.clone(), wide(&own.new), unchanged);
                ours.next();
            }
            (own, Some(other)) if own.is_none_or(|own| other.old.end < own.old.start) => {
                let next = own.map_or((ends.0, ends.1), |own| (own.old.start, own.new.start));
                let unchanged = beside(&other.old, next);
                regions.add(ChunkKind::Theirs, other.old.clone(), unchanged, wide(&other.new));
                theirs.next();
            }
            (Some(own), Some(other)) => {
                if level == Level::Minimal || !is_same(texts, own, other, whitespace) {
                    regions.add_overlap(own, other);
                }
                if own.old.end >= other.old.end {
                    theirs.next();
                }
                if other.old.end >= own.old.end {
                    ours.next();
                }
            }
            (Some(_), None) | (None, Some(_)) => return regions.finish(), // what has no partner is taken above
        }
    }
}

/// Where base lines are in a text that has them unchanged, given a later line of both.
fn beside(base: &Range<u32>, (base_line, line): (u32, u32)) -> Range<i64> {
    let by = i64::from(line) - i64::from(base_line);
    i64::from(base.start) + by..i64::from(base.end) + by
}

fn is_same(texts: &Texts<'_>, ours: &Hunk, theirs: &Hunk, whitespace: Whitespace) -> bool {
    ours.old == theirs.old && same_lines(texts, &ours.new, &theirs.new, whitespace)
}

fn same_lines(texts: &Texts<'_>, ours: &Range<u32>, theirs: &Range<u32>, whitespace: Whitespace) -> bool {
    ours.len() == theirs.len()
        && ours
            .clone()
            .zip(theirs.clone())
            .all(|(own, other)| whitespace.equal(texts.ours.line(own), texts.theirs.line(other)))
}

/// Regions as they come together. While hunks of one side are still to come, those known may reach too far: starts before
/// the text and ends behind it are set right by the hunks that follow.
#[derive(Default)]
struct Regions(Vec<Open>);

struct Open {
    kind: ChunkKind,
    base: Range<u32>,
    ours: Range<i64>,
    theirs: Range<i64>,
}

impl Regions {
    /// Adds a change, which becomes part of the region before if it touches that on either side.
    fn add(&mut self, kind: ChunkKind, base: Range<u32>, ours: Range<i64>, theirs: Range<i64>) {
        if let Some(last) = self.0.last_mut()
            && (ours.start <= last.ours.end || theirs.start <= last.theirs.end)
        {
            if last.kind != kind {
                last.kind = ChunkKind::Conflict;
            }
            (last.base.end, last.ours.end, last.theirs.end) = (base.end, ours.end, theirs.end);
            return;
        }
        self.0.push(Open { kind, base, ours, theirs });
    }

    /// Adds two hunks that share base lines or touch, each widened to what the other covers.
    fn add_overlap(&mut self, own: &Hunk, other: &Hunk) {
        let base = own.old.start.min(other.old.start)..own.old.end.max(other.old.end);
        let widened = |hunk: &Hunk| {
            let (before, behind) = (hunk.old.start - base.start, base.end - hunk.old.end);
            i64::from(hunk.new.start) - i64::from(before)..i64::from(hunk.new.end) + i64::from(behind)
        };
        self.add(ChunkKind::Conflict, base.clone(), widened(own), widened(other));
    }

    fn finish(self) -> Vec<Chunk> {
        let whole = |lines: Range<i64>| lines.start.max(0) as u32..lines.end.max(0) as u32;
        let chunk =
            |open: Open| Chunk { kind: open.kind, base: open.base, ours: whole(open.ours), theirs: whole(open.theirs) };
        self.0.into_iter().map(chunk).collect()
    }
}

fn wide(lines: &Range<u32>) -> Range<i64> {
    i64::from(lines.start)..i64::from(lines.end)
}

/// Takes lines that both sides begin or end with alike out of a conflict.
fn trim(region: &mut Chunk, texts: &Texts<'_>, whitespace: Whitespace) {
    if !region.is_conflict() {
        return;
    }
    let equal = |own: u32, other: u32| whitespace.equal(texts.ours.line(own), texts.theirs.line(other));
    let pairs = region.ours.clone().zip(region.theirs.clone());
    let prefix = pairs.take_while(|&(own, other)| equal(own, other)).count() as u32;
    (region.ours.start, region.theirs.start) = (region.ours.start + prefix, region.theirs.start + prefix);
    let pairs = region.ours.clone().rev().zip(region.theirs.clone().rev());
    let suffix = pairs.take_while(|&(own, other)| equal(own, other)).count() as u32;
    (region.ours.end, region.theirs.end) = (region.ours.end - suffix, region.theirs.end - suffix);
}

/// Compares the two sides of each conflict with each other: only where they differ is a conflict.
fn refine(
    engine: &mut Engine,
    regions: Vec<Chunk>,
    texts: &Texts<'_>,
    our_hunks: &[Hunk],
    how: &AsGit,
    cancel: &Cancel,
) -> Result<Vec<Chunk>, Cancelled> {
    let mut refined = Vec::with_capacity(regions.len());
    for region in regions {
        if !region.is_conflict() || region.ours.is_empty() || region.theirs.is_empty() {
            refined.push(region);
            continue;
        }
        let range = Hunk { old: region.ours.clone(), new: region.theirs.clone() };
        let script = engine.compare_lines_as_git(texts.ours, texts.theirs, &range, how, cancel)?;
        if script.hunks.is_empty() {
            refined.push(Chunk { kind: ChunkKind::Both, ..region });
            continue;
        }
        let mut base_at = region.base.start;
        for hunk in script.hunks {
            let base = base_of(&hunk.old, our_hunks, &region, base_at);
            base_at = base.end;
            refined.push(Chunk { kind: ChunkKind::Conflict, base, ours: hunk.old, theirs: hunk.new });
        }
    }
    Ok(refined)
}

/// The base lines that lines of ours in a region stem from, not before `from`. An edge within a hunk takes all of it.
fn base_of(ours: &Range<u32>, hunks: &[Hunk], region: &Chunk, from: u32) -> Range<u32> {
    let first = hunks.partition_point(|hunk| hunk.new.end < region.ours.start);
    let hunks = &hunks[first..];
    // How far down the base is at a line of ours: told by the last hunk before it.
    let behind = |line: u32, hunk: Option<&Hunk>| match hunk {
        Some(hunk) if hunk.new.end <= line => hunk.old.end + (line - hunk.new.end),
        _ => region.base.start + (line - region.ours.start),
    };
    let start = match hunks.iter().take_while(|hunk| hunk.new.start <= ours.start).last() {
        Some(hunk) if ours.start < hunk.new.end || hunk.new.start == ours.start => hunk.old.start,
        hunk => behind(ours.start, hunk),
    };
    let end = match hunks.iter().take_while(|hunk| hunk.new.start <= ours.end).last() {
        Some(hunk) if ours.end < hunk.new.end && hunk.new.start < ours.end => hunk.old.end,
        Some(hunk) if ours.end < hunk.new.end => hunk.old.start,
        hunk => behind(ours.end, hunk),
    };
    let start = start.clamp(from, region.base.end);
    start..end.clamp(start, region.base.end)
}

/// Joins conflicts with little between them.
fn join_near(regions: Vec<Chunk>, ours: &Content, only_alnum_divides: bool) -> Vec<Chunk> {
    let mut joined: Vec<Chunk> = Vec::with_capacity(regions.len());
    for region in regions {
        if let Some(last) = joined.last_mut()
            && last.is_conflict()
            && region.is_conflict()
        {
            let between = last.ours.end..region.ours.start;
            let divides = between.len() as u32 > NEAR
                && (!only_alnum_divides || ours.lines(between).iter().any(u8::is_ascii_alphanumeric));
            if !divides {
                (last.base.end, last.ours.end, last.theirs.end) = (region.base.end, region.ours.end, region.theirs.end);
                continue;
            }
        }
        joined.push(region);
    }
    joined
}

/// Fills the gaps between regions.
fn cover(regions: Vec<Chunk>, texts: &Texts<'_>, our_hunks: &[Hunk], whitespace: Whitespace) -> Vec<Chunk> {
    let mut chunks = Vec::with_capacity(2 * regions.len() + 1);
    let (mut base, mut ours, mut theirs) = (0, 0, 0);
    let mut hunks = our_hunks;
    let end = Chunk {
        kind: ChunkKind::Unchanged,
        base: texts.base.line_count()..texts.base.line_count(),
        ours: texts.ours.line_count()..texts.ours.line_count(),
        theirs: texts.theirs.line_count()..texts.theirs.line_count(),
    };
    for region in regions.into_iter().chain([end]) {
        let gap = Chunk {
            kind: ChunkKind::Both,
            base: base..region.base.start,
            ours: ours..region.ours.start,
            theirs: theirs..region.theirs.start,
        };
        hunks = &hunks[hunks.partition_point(|hunk| hunk.new.start < ours || hunk.old.start < base)..];
        push_gap(&mut chunks, gap, hunks, texts, whitespace);
        (base, ours, theirs) = (region.base.end, region.ours.end, region.theirs.end);
        if !(region.base.is_empty() && region.ours.is_empty() && region.theirs.is_empty()) {
            chunks.push(region);
        }
    }
    chunks
}

/// Divides a gap at the hunks in it, which both sides have. Where a conflict was cut in pieces, its hunks need not fit
/// between two of them; what is there is the same on both sides, and no more is said.
fn push_gap(chunks: &mut Vec<Chunk>, gap: Chunk, hunks: &[Hunk], texts: &Texts<'_>, whitespace: Whitespace) {
    if gap.base.is_empty() && gap.ours.is_empty() && gap.theirs.is_empty() {
        return;
    }
    let inside = hunks.partition_point(|hunk| hunk.new.end <= gap.ours.end && hunk.old.end <= gap.base.end);
    let there = chunks.len();
    let (mut base, mut ours) = (gap.base.start, gap.ours.start);
    let mut push = |kind, base: Range<u32>, ours: Range<u32>| {
        if !(base.is_empty() && ours.is_empty()) {
            let theirs = ours.start - gap.ours.start + gap.theirs.start..ours.end - gap.ours.start + gap.theirs.start;
            chunks.push(Chunk { kind, base, ours, theirs });
        }
    };
    for hunk in &hunks[..inside] {
        push(ChunkKind::Unchanged, base..hunk.old.start, ours..hunk.new.start);
        push(ChunkKind::Both, hunk.old.clone(), hunk.new.clone());
        (base, ours) = (hunk.old.end, hunk.new.end);
    }
    push(ChunkKind::Unchanged, base..gap.base.end, ours..gap.ours.end);
    let is_right =
        |chunk: &Chunk| chunk.kind == ChunkKind::Both || unchanged(texts, &chunk.base, &chunk.ours, whitespace);
    if !chunks[there..].iter().all(is_right) {
        chunks.truncate(there);
        push_agreed(chunks, gap, texts, whitespace);
    }
}

/// A gap of which is known only that both sides are the same: what it begins and ends with like the base is unchanged.
fn push_agreed(chunks: &mut Vec<Chunk>, gap: Chunk, texts: &Texts<'_>, whitespace: Whitespace) {
    let equal = |&(base, own): &(u32, u32)| whitespace.equal(texts.base.line(base), texts.ours.line(own));
    let prefix = gap.base.clone().zip(gap.ours.clone()).take_while(equal).count() as u32;
    let rest = (gap.base.start + prefix..gap.base.end, gap.ours.start + prefix..gap.ours.end);
    let suffix = rest.0.clone().rev().zip(rest.1.clone().rev()).take_while(equal).count() as u32;
    let cut = |lines: &Range<u32>| {
        [lines.start..lines.start + prefix, lines.start + prefix..lines.end - suffix, lines.end - suffix..lines.end]
    };
    let parts = cut(&gap.base).into_iter().zip(cut(&gap.ours)).zip(cut(&gap.theirs));
    let kinds = [ChunkKind::Unchanged, ChunkKind::Both, ChunkKind::Unchanged];
    for (kind, ((base, ours), theirs)) in kinds.into_iter().zip(parts) {
        if !(base.is_empty() && ours.is_empty()) {
            chunks.push(Chunk { kind, base, ours, theirs });
        }
    }
}

fn unchanged(texts: &Texts<'_>, base: &Range<u32>, ours: &Range<u32>, whitespace: Whitespace) -> bool {
    let equal = |(base, own): (u32, u32)| whitespace.equal(texts.base.line(base), texts.ours.line(own));
    base.len() == ours.len()
        && (texts.base.lines(base.clone()) == texts.ours.lines(ours.clone())
            || base.clone().zip(ours.clone()).all(equal))
}
