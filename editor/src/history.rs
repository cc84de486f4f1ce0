//! The undo tree: every state a document was in, and the way between them.
//!
//! A *state* is a node; going to its parent undoes it. Editing after an undo starts a new branch and loses nothing:
//! redo follows the branch last taken, and [`History::path_to`] leads to any state. Each state keeps the selections
//! that stood before and after its change.
//!
//! A run of typed characters is one state. The run ends when the kind of edit changes, the caret was moved in between,
//! a pause passes, or the document was saved: then undo can return to exactly what is on disk.
//!
//! Invariant: the changes along the path from the root to [`History::current`], one after the other, make the present
//! text of the first one. Saving changes nothing here but a mark. A state is always newer than its parent. The tree is
//! bounded: above a limit of bytes the oldest states go, and the root with them moves on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::change::ChangeSet;
use crate::selection::Selections;

/// What made a change; decides what is undone together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// A typed character.
    Typing,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Anything else: a state of its own.
    Command,
}

impl EditKind {
    fn groups(self) -> bool {
        self != Self::Command
    }
}

/// A typed run ends after this much time without a key.
pub const PAUSE: Duration = Duration::from_secs(1);

/// A state of the document in its undo tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(u32);

impl StateId {
    /// The text the document started with.
    pub const FIRST: Self = Self(0);
}

#[derive(Clone, Debug)]
struct State {
    parent: StateId,
    /// The child that redo goes to.
    redo: Option<StateId>,
    forward: Arc<ChangeSet>,
    backward: Arc<ChangeSet>,
    before: Selections,
    after: Selections,
    kind: EditKind,
    at: Instant,
}

impl State {
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.forward.heap_bytes()
            + self.backward.heap_bytes()
            + self.before.heap_bytes()
            + self.after.heap_bytes()
    }
}

/// One step from a state to a neighbour.
#[derive(Clone, Debug)]
pub struct Step {
    /// What happens to the text.
    pub changes: Arc<ChangeSet>,
    /// The selections that belong to the state reached.
    pub selections: Selections,
}

/// A change just made, as [`History::record`] takes it.
pub(crate) struct Made<'a> {
    pub forward: &'a Arc<ChangeSet>,
    pub backward: ChangeSet,
    pub before: &'a Selections,
    pub after: &'a Selections,
    pub kind: EditKind,
    pub at: Instant,
}

/// The undo tree of one document.
#[derive(Clone, Debug)]
pub struct History {
    /// All states but the root, which has no change.
    states: BTreeMap<StateId, State>,
    root: StateId,
    /// The child of the root that redo goes to.
    root_redo: Option<StateId>,
    current: StateId,
    newest: StateId,
    saved: Option<StateId>,
    /// Whether the next edit may still join the current state.
    open: bool,
    /// What the states take, and may take at most.
    bytes: usize,
    limit: usize,
}

impl History {
    /// A tree of one state, which is saved, that keeps about `limit` bytes of changes at most.
    pub fn new(limit: usize) -> Self {
        Self {
            states: BTreeMap::new(),
            root: StateId::FIRST,
            root_redo: None,
            current: StateId::FIRST,
            newest: StateId::FIRST,
            saved: Some(StateId::FIRST),
            open: false,
            bytes: 0,
            limit,
        }
    }

    /// The oldest state that can be returned to.
    pub fn root(&self) -> StateId {
        self.root
    }

    /// The state the document is in.
    pub fn current(&self) -> StateId {
        self.current
    }

    /// How many states there are, with the root.
    pub fn state_count(&self) -> usize {
        self.states.len() + 1
    }

    /// The state that undoing `state` leads to.
    pub fn parent(&self, state: StateId) -> Option<StateId> {
        self.states.get(&state).map(|state| state.parent)
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        self.current != self.root
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        self.redo_of(self.current).is_some()
    }

    /// Whether the document is in the state it was last saved in.
    pub fn is_saved(&self) -> bool {
        self.saved == Some(self.current)
    }

    /// The present state is what is on disk.
    pub fn mark_saved(&mut self) {
        self.saved = Some(self.current);
        self.open = false;
    }

    /// An earlier state is what is on disk; none, if that one is forgotten. The present run ends, so that no later edit
    /// becomes part of what was written.
    pub fn mark_saved_at(&mut self, state: StateId) {
        self.saved = Some(state).filter(|state| *state == self.root || self.states.contains_key(state));
        self.open = false;
    }

    /// No state is what is on disk any more.
    pub fn mark_unsaved(&mut self) {
        self.saved = None;
    }

    /// The next edit starts a new state.
    pub fn close_run(&mut self) {
        self.open = false;
    }

    pub(crate) fn record(&mut self, made: Made<'_>) {
        if self.joins(&made) {
            self.join(&made);
        } else {
            self.add(made);
        }
        if self.bytes > self.limit {
            self.forget_oldest();
        }
    }

    fn add(&mut self, made: Made<'_>) {
        let state = State {
            parent: self.current,
            redo: None,
            forward: Arc::clone(made.forward),
            backward: Arc::new(made.backward),
            before: made.before.clone(),
            after: made.after.clone(),
            kind: made.kind,
            at: made.at,
        };
        self.newest = StateId(self.newest.0 + 1);
        self.set_redo(self.current, self.newest);
        self.current = self.newest;
        self.bytes += state.bytes();
        self.states.insert(self.newest, state);
        self.open = made.kind.groups();
    }

    fn joins(&self, made: &Made<'_>) -> bool {
        self.open
            && self.states.get(&self.current).is_some_and(|last| {
                last.kind == made.kind
                    && last.redo.is_none()
                    && made.at.saturating_duration_since(last.at) < PAUSE
                    && same_places(&last.after, made.before)
            })
    }

    fn join(&mut self, made: &Made<'_>) {
        if let Some(last) = self.states.get_mut(&self.current) {
            self.bytes -= last.bytes();
            last.forward = Arc::new(last.forward.compose(made.forward));
            last.backward = Arc::new(made.backward.compose(&last.backward));
            last.after = made.after.clone();
            last.at = made.at;
            self.bytes += last.bytes();
        }
    }

    /// Drops the oldest states until three quarters of the limit are left: first what is before a new root on the way
    /// to the current state, then side branches. The current state always stays, and a change larger than the limit can
    /// be undone until the next one.
    fn forget_oldest(&mut self) {
        let wanted = self.limit / 4 * 3;
        let mut root = self.current;
        let mut kept = 0;
        while let Some(state) = self.states.get(&root) {
            kept += state.bytes();
            if kept > wanted && root != self.current {
                break;
            }
            root = state.parent;
        }
        self.root_redo = self.redo_of(root);
        self.root = root;
        self.retain(|states, state| state.parent == root || states.contains_key(&state.parent));
        if self.bytes > self.limit {
            let mut path = Vec::new();
            let mut state = self.current;
            while let Some(parent) = self.parent(state) {
                path.push(state);
                state = parent;
            }
            path.sort_unstable();
            self.retain_ids(|id| path.binary_search(&id).is_ok());
        }
    }

    /// Keeps the states that `keep` says, shown from the oldest on together with those already kept.
    fn retain(&mut self, keep: impl Fn(&BTreeMap<StateId, State>, &State) -> bool) {
        let mut kept = BTreeMap::new();
        for (id, state) in std::mem::take(&mut self.states) {
            if id > self.root && keep(&kept, &state) {
                kept.insert(id, state);
            }
        }
        self.states = kept;
        self.settle();
    }

    fn retain_ids(&mut self, keep: impl Fn(StateId) -> bool) {
        self.states.retain(|id, _| keep(*id));
        self.settle();
    }

    /// Forgets what pointed to states that are gone.
    fn settle(&mut self) {
        let ids: Vec<StateId> = self.states.keys().copied().collect();
        let exists = |id: &StateId| ids.binary_search(id).is_ok();
        for state in self.states.values_mut() {
            state.redo = state.redo.filter(exists);
        }
        self.root_redo = self.root_redo.filter(exists);
        let root = self.root;
        self.saved = self.saved.filter(|saved| *saved == root || exists(saved));
        self.bytes = self.states.values().map(State::bytes).sum();
    }

    /// Goes to the parent state.
    pub(crate) fn undo(&mut self) -> Option<Step> {
        let left = self.current;
        let state = self.states.get(&left)?;
        let step = Step { changes: Arc::clone(&state.backward), selections: state.before.clone() };
        let parent = state.parent;
        // Undoing out of a branch makes it the one that redo returns to.
        self.set_redo(parent, left);
        self.current = parent;
        self.open = false;
        Some(step)
    }

    /// Goes to the child state last left.
    pub(crate) fn redo(&mut self) -> Option<Step> {
        let next = self.redo_of(self.current)?;
        let state = self.states.get(&next)?;
        let step = Step { changes: Arc::clone(&state.forward), selections: state.after.clone() };
        self.current = next;
        self.open = false;
        Some(step)
    }

    /// How often to undo, and then through which states to redo, to come to `target`.
    pub fn path_to(&self, target: StateId) -> Option<(usize, Vec<StateId>)> {
        if target != self.root && !self.states.contains_key(&target) {
            return None;
        }
        // A state is newer than its parent, so the newer of two is never an ancestor of the other.
        let (mut here, mut there) = (self.current, target);
        let (mut undos, mut redos) = (0, Vec::new());
        while here != there {
            if here > there {
                undos += 1;
                here = self.parent(here)?;
            } else {
                redos.push(there);
                there = self.parent(there)?;
            }
        }
        redos.reverse();
        Some((undos, redos))
    }

    /// Makes `child` the state that redo goes to from its parent.
    pub(crate) fn prefer(&mut self, child: StateId) {
        if let Some(parent) = self.parent(child) {
            self.set_redo(parent, child);
        }
    }

    fn redo_of(&self, state: StateId) -> Option<StateId> {
        if state == self.root { self.root_redo } else { self.states.get(&state)?.redo }
    }

    fn set_redo(&mut self, state: StateId, child: StateId) {
        match self.states.get_mut(&state) {
            Some(state) => state.redo = Some(child),
            None => self.root_redo = Some(child),
        }
    }
}

/// Whether no caret was moved between two edits. Goal columns do not count.
fn same_places(left: &Selections, right: &Selections) -> bool {
    left.count() == right.count() && left.iter().zip(right).all(|(a, b)| (a.anchor, a.head) == (b.anchor, b.head))
}
