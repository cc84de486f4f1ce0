//! `--json`: one object for the whole comparison, written file by file.

use std::{borrow::Cow, io::Write};

use editor::Cancel;
use serde::Serialize;

use super::{
    Compared, ExportError, Printed, Worker,
    hunks::{Group, Line, groups},
    in_order,
};
use crate::{
    align, content,
    engine::Hunk,
    git::{FileChange, GitError, Side},
    inline::{self, Inline},
    lines::{Bytes, without_ending},
    notes,
    source::Comparison,
};

/// What looking into the lines of one hunk may cost, in pairs: the rest of a larger hunk has no spans.
const PAIRS: u32 = 200;

/// Prints all changes as `{"files":[…]}`; the fields are those of the command line's description.
pub fn json(
    comparison: &Comparison,
    changes: &[FileChange],
    out: &mut impl Write,
    cancel: &Cancel,
) -> Result<(), ExportError> {
    out.write_all(b"{\"files\":[")?;
    in_order(comparison, changes, out, cancel, file, |out| out.write_all(b","))?;
    out.write_all(b"]}\n")?;
    Ok(())
}

#[derive(Serialize)]
struct File<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<Cow<'a, str>>,
    status: &'static str,
    old_mode: Option<&'static str>,
    new_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<u8>,
    binary: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    notes: Vec<&'static str>,
    hunks: Vec<HunkJson<'a>>,
}

#[derive(Serialize)]
struct HunkJson<'a> {
    old_start: u32,
    old_lines: u32,
    new_start: u32,
    new_lines: u32,
    lines: Vec<LineJson<'a>>,
}

#[derive(Serialize)]
struct LineJson<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<u32>,
    text: Cow<'a, str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    no_newline: bool,
    spans: Vec<[u32; 2]>,
}

fn file(worker: &mut Worker<'_>, change: &FileChange) -> Result<Vec<u8>, GitError> {
    let (old, new) = worker.sides(change)?;
    let notes = notes::of(change, &old, &new).iter().map(notes::Note::name).collect();
    let (old, new) = (Printed::of(old), Printed::of(new));
    let mode = |side| change.blob(side).map(|blob| blob.mode.octal());
    let mut file = File {
        path: change.path.display(),
        old_path: change.old_path.as_ref().map(crate::git::RepoPath::display),
        status: change.status.name(),
        old_mode: mode(Side::Old),
        new_mode: mode(Side::New),
        similarity: change.similarity,
        binary: true,
        encoding: None,
        notes,
        hunks: Vec::new(),
    };
    let compared;
    if let (Printed::Lines(old), Printed::Lines(new)) = (old, new) {
        let shown: &Bytes = if change.new.is_some() { &new } else { &old };
        file.encoding = Some(content::encoding_of(shown));
        file.binary = false;
        compared = worker.compare(change, old, new)?;
        for group in groups(&compared.script, compared.old.line_count(), change.told(Side::New)) {
            file.hunks.push(hunk(worker, &compared, &group)?);
        }
    }
    serde_json::to_vec(&file)
        .map_err(|error| GitError::Object { what: change.path.to_string(), reason: error.to_string() })
}

fn hunk<'a>(worker: &Worker<'_>, compared: &'a Compared, group: &Group<'_>) -> Result<HunkJson<'a>, GitError> {
    let (old, new) = (&compared.old, &compared.new);
    let line = |kind, at: (Option<u32>, Option<u32>), bytes: &'a [u8]| LineJson {
        kind,
        old: at.0.map(|line| line + 1),
        new: at.1.map(|line| line + 1),
        text: decoded(without_ending(bytes)),
        no_newline: !bytes.ends_with(b"\n"),
        spans: Vec::new(),
    };
    let mut lines: Vec<LineJson<'a>> = group
        .lines()
        .into_iter()
        .map(|at| match at {
            Line::Context(a, b) => line("context", (Some(a), Some(b)), old.line(a)),
            Line::Removed(a) => line("remove", (Some(a), None), old.line(a)),
            Line::Added(b) => line("add", (None, Some(b)), new.line(b)),
        })
        .collect();
    let mut at = 0;
    let mut next = group.old.start;
    for hunk in group.hunks {
        at += (hunk.old.start - next) as usize;
        next = hunk.old.end;
        let (removed, added) = (hunk.old.len(), hunk.new.len());
        let (before, after) = lines[at..at + removed + added].split_at_mut(removed);
        add_spans(worker, hunk, before, after)?;
        at += removed + added;
    }
    let start = |lines: &std::ops::Range<u32>| lines.start + u32::from(!lines.is_empty());
    Ok(HunkJson {
        old_start: start(&group.old),
        old_lines: group.old.len() as u32,
        new_start: start(&group.new),
        new_lines: group.new.len() as u32,
        lines,
    })
}

/// Marks what changed within lines that stand beside each other.
fn add_spans(
    worker: &Worker<'_>,
    hunk: &Hunk,
    old: &mut [LineJson<'_>],
    new: &mut [LineJson<'_>],
) -> Result<(), GitError> {
    if hunk.old.is_empty() || hunk.new.is_empty() {
        return Ok(());
    }
    let texts = |lines: &[LineJson<'_>]| lines.iter().map(|line| line.text.as_bytes().to_vec()).collect::<Vec<_>>();
    let alignment = align::pairs(&texts(old), &texts(new));
    for row in 0..alignment.rows().min(PAIRS) {
        let (Some(a), Some(b)) = alignment.at(row) else { continue };
        let (old, new) = (&mut old[a as usize], &mut new[b as usize]);
        let found =
            inline::spans(&old.text, &new.text, inline::PAIR_STEPS, worker.cancel).map_err(|_| GitError::Cancelled)?;
        if let Inline::Spans(spans) = found {
            let pairs =
                |ranges: Vec<std::ops::Range<u32>>| ranges.into_iter().map(|range| [range.start, range.end]).collect();
            (old.spans, new.spans) = (pairs(spans.old), pairs(spans.new));
        }
    }
    Ok(())
}

/// A line as text; one that is not UTF-8 is decoded by itself, as its file would be.
fn decoded(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(line).0,
    }
}
