//! `--patch`: all changes as one patch that `git apply` takes.

use std::io::Write;

use editor::Cancel;

use super::{ExportError, Printed, Worker, in_order};
use crate::{
    git::{Blob, FileChange, GitError, Mode, ObjectId, Side, Status, blob_id},
    patch::{Body, Header, Link, WriteOptions, write},
    source::Comparison,
};

/// Digits of object names in the `index` lines.
const DIGITS: usize = 10;

/// Prints all changes as one patch. Binary files are said to differ, as git does without `--binary`.
pub fn patch(
    comparison: &Comparison,
    changes: &[FileChange],
    out: &mut impl Write,
    cancel: &Cancel,
) -> Result<(), ExportError> {
    if let Some(text) = comparison.patch_text() {
        // It is one already, and tells more than what is made of it.
        return Ok(out.write_all(text)?);
    }
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
    // The name of a submodule's commit says nothing about changes of its own, which make another line.
    let is_submodule = change.new.as_ref().is_some_and(|blob| blob.mode == Mode::Submodule);
    let (old_id, new_id) = (id(change, Side::Old, &old)?, id(change, Side::New, &new)?);
    let ids = (hex(old_id), hex(new_id));
    let header = header(change, &ids);
    let options = WriteOptions::default();
    let same = old_id.is_some() && old_id == new_id && !is_submodule;
    match (old, new) {
        _ if same => write(out, &header, Body::Same, &options),
        (Printed::Lines(old), Printed::Lines(new)) => {
            let compared = worker.compare(change, old, new)?;
            let body = Body::Text { old: &compared.old, new: &compared.new, script: &compared.script };
            write(out, &header, body, &options);
        }
        _ => write(out, &header, Body::Binary, &options),
    }
    Ok(())
}

fn header<'a>(change: &'a FileChange, ids: &'a (String, String)) -> Header<'a> {
    let mode = |side| change.blob(side).map(|blob: &Blob| blob.mode.bits());
    let path = |side| change.blob(side).map(|_| change.path_of(side).as_bytes());
    let similarity = change.similarity.unwrap_or(100);
    Header {
        old_path: path(Side::Old),
        new_path: path(Side::New),
        old_mode: mode(Side::Old),
        new_mode: mode(Side::New),
        ids: Some((&ids.0, &ids.1)),
        link: match change.status {
            Status::Renamed => Some(Link::Rename { similarity }),
            Status::Copied => Some(Link::Copy { similarity }),
            _ => None,
        },
    }
}

/// The name of a side's content; none for a missing side, or a binary file on disk, which is not read for it.
fn id(change: &FileChange, side: Side, content: &Printed) -> Result<Option<ObjectId>, GitError> {
    let Some(blob) = change.blob(side) else { return Ok(None) };
    match (blob.id(), content) {
        (Some(id), _) => Ok(Some(id)),
        (None, Printed::Lines(bytes)) => blob_id(bytes).map(Some),
        (None, Printed::Binary { id, .. }) => Ok(*id),
    }
}

fn hex(id: Option<ObjectId>) -> String {
    id.map_or_else(|| "0".repeat(DIGITS), |id| id.short(DIGITS))
}
