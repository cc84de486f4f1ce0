//! What goes along with a message, made into what the model is shown: read when the message is sent, and weighed before.
//!
//! Everything here reads files and repositories: it is for workers and for the conversation's own thread.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use agent::context::budget::{Budget, Estimate, admit};
use agent::context::{Load, Piece};
use agent::event::SessionId;
use agent::host::ProjectPath;
use agent::session;
use agent::tool::{self, World};
use anyhow::Context as _;
use diff::export;
use diff::git::Repo;
use diff::source::{Comparison, Source};
use editor::Cancel;

use super::draft::{Attachment, MOST};
use super::thread::Room;
use crate::state::agents;
use crate::state::servers::told;

/// Columns of the table of what a commit changed.
const COLUMNS: usize = 100;
/// Levels of a folder that are listed, and entries.
const DEPTH: usize = 3;
const ENTRIES: usize = 400;

/// An attachment as the model is shown it, in about so many bytes at most. None if there is nothing to show.
///
/// # Errors
/// Why it cannot be shown.
pub fn piece(attached: &Attachment, world: &World, room: &Room, most: usize) -> anyhow::Result<Option<Piece>> {
    let whole = |title: String, text: String| Some(Piece { title, text, ..Piece::default() });
    Ok(match attached {
        Attachment::File(path) => {
            let piece = tool::attachment(world, path);
            Some(piece.with_context(|| format!("{path} cannot be read"))?)
        }
        Attachment::Text { label, text } => whole(label.clone(), tool::fenced(label, text)),
        Attachment::Changes => {
            let patch = agents::uncommitted(&room.root)?;
            patch.and_then(|patch| whole(attached.label().into_owned(), fenced_patch(&patch, most)))
        }
        Attachment::Problems { path, .. } => {
            let title = path.as_ref().map_or_else(|| "problems".to_owned(), |path| format!("problems in {path}"));
            whole(title, tool::fenced("problems.txt", &problems(world, room, path.as_deref(), most)))
        }
        Attachment::Picture(picture) => Some(Piece::picture(&picture.label, picture.image())),
        Attachment::Folder(path) => whole(format!("folder {path}"), folder(world, path)?),
        Attachment::Symbol { path, name, line } => {
            Some(tool::symbol(world, path, name, *line).map_err(anyhow::Error::msg)?)
        }
        Attachment::Commit { id, .. } => whole(format!("commit {id}"), commit(&room.root, id, most)?),
        Attachment::Session { id, title } => {
            let mut store = room.store()?;
            let session = SessionId::from(id.clone());
            let text = session::brief(&mut store, &session, most)?;
            whole(format!("an earlier conversation, \"{title}\""), tool::fenced("conversation.md", &text))
        }
    })
}

/// Bytes that one attachment may have where the model's window has so many tokens: a quarter of it.
pub fn most(window: Option<u64>) -> usize {
    window.map_or(MOST, |window| (window as usize / 4 * 3).clamp(2048, MOST))
}

/// What is wrong in a file or in all, with the lines of code it is about.
fn problems(world: &World, room: &Room, path: Option<&str>, most: usize) -> String {
    let told = room.shared.problems();
    let wanted = told.iter().filter(|(of, _)| path.is_none_or(|path| of == path));
    let files: Vec<_> = wanted.map(|(path, problems)| (path.as_str(), problems.as_slice())).collect();
    let texts: RefCell<BTreeMap<String, Option<String>>> = RefCell::default();
    told::text(&files, most, |path, line| {
        let mut texts = texts.borrow_mut();
        let text = texts.entry(path.to_owned()).or_insert_with(|| {
            let path = ProjectPath::parse(path).ok()?;
            Some(world.host.read(&path).ok()?.text)
        });
        text.as_ref()?.lines().nth(line as usize).map(str::to_owned)
    })
}

fn folder(world: &World, path: &str) -> anyhow::Result<String> {
    let folder = ProjectPath::parse(path)?;
    let (entries, more) = world.host.list(&folder, DEPTH, ENTRIES)?;
    let mut out = String::new();
    for entry in &entries {
        out.push_str(&format!("{}{}\n", entry.path, if entry.folder { "/" } else { "" }));
    }
    if entries.is_empty() {
        out.push_str("(empty, but for what is ignored)\n");
    }
    if more {
        out.push_str("… (more; use list_directory)\n");
    }
    Ok(out)
}

/// What a commit says and did: with the whole patch if there is room, else the table of its files and how it begins.
fn commit(root: &Path, id: &str, most: usize) -> anyhow::Result<String> {
    let never = Cancel::new();
    let repo = Repo::discover(root)?;
    let message = repo.message(id)?;
    let comparison = Comparison::of_repo(repo, Source::Commit(id.to_owned()), Vec::new())?;
    let changes = comparison.changes(&never)?;
    let mut stat = Vec::new();
    export::stat(&comparison, &changes, COLUMNS, &mut stat, &never)?;
    let mut patch = Vec::new();
    export::patch(&comparison, &changes, &mut patch, &never)?;
    let (stat, patch) = (String::from_utf8_lossy(&stat), String::from_utf8_lossy(&patch));
    let head = format!("{}\n\n{}", message.trim(), stat.trim_end());
    Ok(format!("{head}\n\n{}", fenced_patch(&patch, most.saturating_sub(head.len()).max(512))))
}

/// A patch in a fence, cut at the end of a line where it is longer than there is room.
fn fenced_patch(patch: &str, most: usize) -> String {
    let mut end = patch.len();
    if end > most {
        end = (0..=most).rev().find(|&at| patch.is_char_boundary(at)).unwrap_or(0);
        end = patch[..end].rfind('\n').map_or(end, |at| at + 1);
    }
    let left = patch[end..].lines().count();
    let more = if left > 0 { format!("\n… (cut: {left} more lines)") } else { String::new() };
    format!("{}{more}", tool::fenced("changes.diff", &patch[..end]))
}

/// What an attachment weighs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// About how many tokens of it the model is shown.
    pub tokens: u64,
    pub load: Load,
    /// Why it cannot go along, if so.
    pub fault: Option<String>,
}

/// What attachments weigh together for a model with this window, those that are pinned among them.
///
/// `blind` is the name of the model if it does not see.
pub fn weigh(
    attached: &[(Attachment, bool)],
    room: &Room,
    window: Option<u64>,
    blind: Option<&str>,
) -> anyhow::Result<Vec<Weight>> {
    let world = room.world()?;
    let estimate = Estimate::default();
    let budget = Budget { window, reply: window.map_or(0, |window| window / 4), estimate };
    let mut made: Vec<Result<Piece, String>> = Vec::new();
    for (attached, pinned) in attached {
        if let (Attachment::Picture(_), Some(model)) = (attached, blind) {
            made.push(Err(format!("{model} does not see pictures")));
            continue;
        }
        made.push(match piece(attached, &world, room, most(window)) {
            Ok(found) => Ok(Piece { pinned: *pinned, ..found.unwrap_or_default() }),
            Err(error) => Err(format!("{error:#}")),
        });
    }
    let mut pieces: Vec<Piece> = made.iter().filter_map(|made| made.as_ref().ok().cloned()).collect();
    admit(&mut pieces, &budget);
    let mut pieces = pieces.into_iter();
    let weight = |((attached, _), made): (&(Attachment, bool), Result<Piece, String>)| match made {
        Err(fault) => Weight { tokens: 0, load: Load::Unloaded, fault: Some(fault) },
        Ok(_) => {
            let piece = pieces.next().unwrap_or_default();
            // Of a long file only its outline and how it begins are shown.
            let is_outline = matches!(attached, Attachment::File(_)) && piece.shown.is_none();
            let load = match piece.load() {
                Load::Full if is_outline || piece.text.contains("\n… (cut") => Load::Summary,
                load => load,
            };
            Weight { tokens: estimate.tokens(piece.weight()), load, fault: None }
        }
    };
    Ok(attached.iter().zip(made).map(weight).collect())
}

/// What goes along with a message, as a run is given it.
#[derive(Default)]
pub struct Gathered {
    pub files: Vec<String>,
    /// Those of the files that are pinned.
    pub pinned: Vec<String>,
    pub pieces: Vec<Piece>,
    /// What cannot go along, and why.
    pub faults: Vec<String>,
}

/// Gathers what goes along with a message that is sent now.
pub fn all(attached: &[(Attachment, bool)], world: &World, room: &Room, most: usize) -> Gathered {
    let mut gathered = Gathered::default();
    let Gathered { files, pinned, pieces, faults } = &mut gathered;
    for (attached, is_pinned) in attached {
        if let Attachment::File(path) = attached {
            files.push(path.clone());
            pinned.extend(is_pinned.then(|| path.clone()));
            continue;
        }
        match piece(attached, world, room, most) {
            Ok(found) => pieces.extend(found.map(|piece| Piece { pinned: *is_pinned, ..piece })),
            Err(error) => faults.push(format!("{} does not go along: {error:#}", attached.label())),
        }
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_cut_at_the_end_of_a_line_and_says_so() {
        let patch = "--- a\n+++ b\n-one\n+two\n";
        assert!(fenced_patch(patch, 1000).contains("+two\n"));
        let cut = fenced_patch(patch, 14);
        assert!(cut.contains("+++ b\n") && !cut.contains("one") && cut.ends_with("(cut: 2 more lines)"), "{cut}");
        assert_eq!((most(None), most(Some(4096)), most(Some(1 << 30))), (MOST, 3072, MOST));
    }
}
