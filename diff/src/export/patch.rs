//! Unified patches that `git apply` takes.

use std::io::Write;

use editor::Cancel;

use super::{
    Compared, ExportError, Printed, Worker,
    hunks::{Group, Line, groups},
    in_order,
};
use crate::{
    git::{FileChange, GitError, Mode, ObjectId, RepoPath, Side, Status, blob_id},
    lines::Content,
    source::Comparison,
};

/// The longest heading behind the numbers of a hunk, as git has it.
const HEADING: usize = 80;

/// Prints all changes as one patch. Binary files are said to differ, as git does without `--binary`.
pub fn patch(
    comparison: &Comparison,
    changes: &[FileChange],
    out: &mut impl Write,
    cancel: &Cancel,
) -> Result<(), ExportError> {
    in_order(comparison, changes, out, cancel, file, |_| Ok(()))
}

fn file(worker: &mut Worker<'_>, change: &FileChange) -> Result<Vec<u8>, GitError> {
    let mut out = Vec::new();
    if change.status == Status::Unmerged {
        out.extend(format!("* Unmerged path {}\n", change.path).into_bytes());
    }
    if let (Some(old), Some(new)) = (&change.old, &change.new)
        && !old.mode.same_type(new.mode)
    {
        // A file cannot be patched into a link: one goes, the other comes.
        let old_path = change.path_of(Side::Old).clone();
        one(worker, &FileChange::at(old_path, Some(old.clone()), None), &mut out)?;
        one(worker, &FileChange::at(change.path.clone(), None, Some(new.clone())), &mut out)?;
    } else {
        one(worker, change, &mut out)?;
    }
    Ok(out)
}

fn one(worker: &mut Worker<'_>, change: &FileChange, out: &mut Vec<u8>) -> Result<(), GitError> {
    let (old, new) = worker.sides(change)?;
    let (old, new) = (Printed::of(old), Printed::of(new));
    header(change, out);
    if change.same_content() && is_file(change) {
        return Ok(());
    }
    let ids = (id(change, Side::Old, &old)?, id(change, Side::New, &new)?);
    if ids.0 == ids.1 && ids.0.is_some() && change.old.is_some() && change.new.is_some() && is_file(change) {
        return Ok(());
    }
    index_line(change, ids, out);
    let (Printed::Lines(old), Printed::Lines(new)) = (old, new) else {
        let names = (side_name(change, Side::Old), side_name(change, Side::New));
        push(out, &[b"Binary files ", &names.0, b" and ", &names.1, b" differ\n"]);
        return Ok(());
    };
    let compared = worker.compare(change, old, new)?;
    if compared.script.hunks.is_empty() {
        return Ok(());
    }
    for (sign, side) in [(&b"--- "[..], Side::Old), (b"+++ ", Side::New)] {
        let name = side_name(change, side);
        // Old patch programs end a name at a blank; a tab behind it says where it really ends.
        let end: &[u8] = if name.contains(&b' ') && !name.starts_with(b"\"") { b"\t\n" } else { b"\n" };
        push(out, &[sign, &name, end]);
    }
    for group in groups(&compared.script, compared.old.line_count()) {
        hunk(&compared, &group, out);
    }
    Ok(())
}

fn is_file(change: &FileChange) -> bool {
    change.new.as_ref().is_none_or(|blob| blob.mode.is_file())
}

fn push(out: &mut Vec<u8>, parts: &[&[u8]]) {
    for part in parts {
        out.extend_from_slice(part);
    }
}

fn header(change: &FileChange, out: &mut Vec<u8>) {
    let (old_path, new_path) = (change.path_of(Side::Old), change.path_of(Side::New));
    push(out, &[b"diff --git ", &quoted(b"a/", old_path), b" ", &quoted(b"b/", new_path), b"\n"]);
    let mode =
        |out: &mut Vec<u8>, what: &str, mode: Mode| push(out, &[what.as_bytes(), mode.octal().as_bytes(), b"\n"]);
    match (&change.old, &change.new) {
        (None, Some(new)) => mode(out, "new file mode ", new.mode),
        (Some(old), None) => mode(out, "deleted file mode ", old.mode),
        (Some(old), Some(new)) if old.mode != new.mode => {
            mode(out, "old mode ", old.mode);
            mode(out, "new mode ", new.mode);
        }
        _ => {}
    }
    let verb = match change.status {
        Status::Renamed => "rename",
        Status::Copied => "copy",
        _ => return,
    };
    out.extend(format!("similarity index {}%\n", change.similarity.unwrap_or(100)).into_bytes());
    push(out, &[verb.as_bytes(), b" from ", &quoted(b"", old_path), b"\n"]);
    push(out, &[verb.as_bytes(), b" to ", &quoted(b"", new_path), b"\n"]);
}

fn id(change: &FileChange, side: Side, content: &Printed) -> Result<Option<ObjectId>, GitError> {
    let Some(blob) = change.blob(side) else { return Ok(None) };
    match (blob.id(), content) {
        (Some(id), _) => Ok(Some(id)),
        (None, Printed::Lines(bytes)) => blob_id(bytes).map(Some),
        (None, Printed::Binary { id, .. }) => Ok(*id),
    }
}

fn index_line(change: &FileChange, ids: (Option<ObjectId>, Option<ObjectId>), out: &mut Vec<u8>) {
    let name = |id: Option<ObjectId>| id.map_or_else(|| "0".repeat(10), |id| id.short(10));
    let mode = match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.mode == new.mode => format!(" {}", new.mode.octal()),
        _ => String::new(),
    };
    out.extend(format!("index {}..{}{mode}\n", name(ids.0), name(ids.1)).into_bytes());
}

/// A side in the lines that name it; a missing one is `/dev/null`.
fn side_name(change: &FileChange, side: Side) -> Vec<u8> {
    match (change.blob(side), side) {
        (None, _) => b"/dev/null".to_vec(),
        (_, Side::Old) => quoted(b"a/", change.path_of(side)),
        (_, Side::New) => quoted(b"b/", change.path_of(side)),
    }
}

/// A name, in quotes with C's escapes if it holds what would be misread. UTF-8 stays readable.
fn quoted(prefix: &[u8], path: &RepoPath) -> Vec<u8> {
    let bytes = path.as_bytes();
    let plain = std::str::from_utf8(bytes)
        .is_ok_and(|text| !text.chars().any(|c| c.is_ascii_control() || c == '"' || c == '\\'));
    if plain {
        return [prefix, bytes].concat();
    }
    let mut out = vec![b'"'];
    out.extend_from_slice(prefix);
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\t' => out.extend(b"\\t"),
            b'\r' => out.extend(b"\\r"),
            0x20..=0x7e => out.push(byte),
            _ => out.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    out.push(b'"');
    out
}

fn hunk(compared: &Compared, group: &Group<'_>, out: &mut Vec<u8>) {
    let (old, new) = (&compared.old, &compared.new);
    out.extend(format!("@@ -{} +{} @@", range(&group.old), range(&group.new)).into_bytes());
    if let Some(heading) = heading(old, group.old.start) {
        push(out, &[b" ", heading]);
    }
    out.push(b'\n');
    for line in group.lines() {
        let (sign, text) = match line {
            Line::Context(old_line, _) => (b' ', old.line(old_line)),
            Line::Removed(line) => (b'-', old.line(line)),
            Line::Added(line) => (b'+', new.line(line)),
        };
        out.push(sign);
        out.extend_from_slice(text);
        if !text.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// A range as unified diffs count: from 1, a length of one left out, an empty one at the line before it.
fn range(lines: &std::ops::Range<u32>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        length => format!("{},{length}", lines.start + 1),
    }
}

/// The last line above that begins with a letter: most often what encloses the hunk.
fn heading(old: &Content, above: u32) -> Option<&[u8]> {
    let begins =
        |line: &[u8]| line.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$');
    let line = (0..above).rev().map(|line| old.line(line)).find(|line| begins(line))?;
    let line = &line[..line.len().min(HEADING)];
    Some(line.trim_ascii_end())
}
