//! What the window shows, told to agents and offered to go along with messages.
//!
//! It is asked for in every frame and gathered only when what it rests on is another one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use editor::text::Text;

use crate::panes::{Layout, Pane};
use crate::shell::status::document_in_use;
use crate::state::State;
use crate::state::chats::host::Editors;
use crate::state::chats::{Attachment, Basis, MOST, Thing};
use crate::state::servers::problems::Counts;
use crate::state::servers::told;

/// Says what is open: to the agents, and as what can go along with a message.
pub fn follow(state: &mut State, layout: &Layout) {
    let Some(root) = state.workspace.root().map(Path::to_owned) else { return };
    let basis = basis(&root, state, layout);
    if state.chats.basis == basis {
        return;
    }
    let selection = selection(&basis, state);
    state.chats.things = things(&root, &basis, selection.as_ref(), state);
    let git = basis.branch.as_ref().map(|branch| format!("branch {branch}")).unwrap_or_default();
    let active = basis.in_use.as_ref().and_then(|(path, ..)| path.clone());
    state.chats.show(Editors { active, open: basis.open.clone(), selection, git });
    if state.chats.basis.problems != basis.problems || state.chats.basis.root != basis.root {
        state.chats.shared().know(told::below(&root, &state.servers.problems));
    }
    let held: BTreeMap<PathBuf, Text> = state
        .documents
        .iter()
        .filter(|(_, open)| open.is_dirty())
        .filter_map(|(id, open)| Some((state.documents.path(id)?.to_owned(), open.document.text().clone())))
        .collect();
    state.chats.shared().hold(held);
    state.chats.basis = basis;
}

/// What it all rests on; cheap enough for every frame.
fn basis(root: &Path, state: &State, layout: &Layout) -> Basis {
    let in_use = document_in_use(state, layout).map(|(id, open, selections)| {
        let range = selections.primary().range();
        (state.documents.path(id).map(Path::to_owned), id, open.document.version(), range)
    });
    let mut open: Vec<PathBuf> = layout
        .panes()
        .filter_map(|(_, pane)| match pane {
            Pane::Editor(pane) => state.documents.path(pane.document).map(Path::to_owned),
            _ => None,
        })
        .filter(|path| path.starts_with(root))
        .collect();
    open.sort();
    open.dedup();
    let terminal = layout.panes().find_map(|(_, pane)| match pane {
        Pane::Terminal(pane) => state.terminals.live(pane.terminal).map(|_| pane.terminal),
        _ => None,
    });
    let unsaved = state.documents.iter().filter(|(_, open)| open.is_dirty());
    Basis {
        root: root.to_owned(),
        in_use,
        open,
        unsaved: unsaved.map(|(id, open)| (id, open.document.version())).collect(),
        terminal,
        branch: state.workspace.branch().map(str::to_owned),
        has_repository: state.workspace.repo().is_some(),
        problems: state.servers.problems.generation(),
    }
}

/// What is selected: its lines from 1, and the text.
fn selection(basis: &Basis, state: &State) -> Option<(std::ops::RangeInclusive<u32>, String)> {
    let (_, id, _, range) = basis.in_use.as_ref()?;
    let text = state.documents.get(*id)?.document.text();
    let range = range.start.min(text.len())..range.end.min(text.len()).min(range.start + MOST);
    // Of the line that a selection ends at the start of, nothing is selected.
    let last = range.end.saturating_sub(1).max(range.start);
    let lines = text.line_of(range.start) + 1..=text.line_of(last) + 1;
    (!range.is_empty()).then(|| (lines, text.slice(range).to_string()))
}

/// What can go along: the selection, the file in front, others that are open, an output, what is not committed.
fn things(
    root: &Path,
    basis: &Basis,
    selection: Option<&(std::ops::RangeInclusive<u32>, String)>,
    state: &State,
) -> Vec<Thing> {
    let mut things = Vec::new();
    let active = basis.in_use.as_ref().and_then(|(path, ..)| path.as_ref());
    if let (Some((lines, text)), Some(path)) = (selection, active) {
        let name = path.strip_prefix(root).unwrap_or(path).display();
        let label = match lines.start() == lines.end() {
            true => format!("{name} {}", lines.start()),
            false => format!("{name} {}-{}", lines.start(), lines.end()),
        };
        things.push(Thing::Here(Attachment::Text { label, text: text.clone() }));
    }
    let files = active.into_iter().chain(basis.open.iter().filter(|path| Some(*path) != active));
    let in_project = |path: &PathBuf| Some(path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"));
    things.extend(files.filter_map(in_project).map(|path| Thing::Here(Attachment::File(path))));
    let count = |path: &Path| Counts::of(state.servers.problems.of(path)).all();
    if let Some((path, count)) = active.and_then(|path| Some((in_project(path)?, count(path)))).filter(|of| of.1 > 0) {
        things.push(Thing::Here(Attachment::Problems { path: Some(path), count }));
    }
    let count = state.servers.problems.counts().all();
    if count > 0 {
        things.push(Thing::Here(Attachment::Problems { path: None, count }));
    }
    things.extend(basis.terminal.map(Thing::Output));
    if state.workspace.repo().is_some() {
        things.push(Thing::Here(Attachment::Changes));
    }
    things
}
