//! The undo tree and what pulls from a document, against plain strings.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::edit::{self, EditContext};
use crate::marked::{document as marked_document, format};
use crate::selection::Selection;

/// A document with a view on it, and a clock of its own.
struct View {
    document: Document,
    selections: Selections,
    now: Instant,
}

impl View {
    fn new(marked: &str) -> Self {
        let (document, selections) = marked_document(marked);
        Self { document, selections, now: Instant::now() }
    }

    fn edit(&mut self, kind: EditKind, command: impl FnOnce(&EditContext<'_>, &Selections) -> Option<Transaction>) {
        self.now += Duration::from_millis(100);
        let Some(transaction) = command(&EditContext::new(&self.document), &self.selections) else { return };
        let after = transaction.selections_after(&self.selections).into_owned();
        self.document.apply_at(transaction, kind, &self.selections, self.now);
        self.selections = after;
    }

    fn type_(&mut self, typed: &str) {
        for c in typed.chars() {
            self.edit(EditKind::Typing, |context, selections| edit::type_text(context, selections, &c.to_string()));
        }
    }

    fn undo(&mut self) -> bool {
        let step = self.document.undo();
        step.map(|(_, selections)| self.selections = selections).is_some()
    }

    fn redo(&mut self) -> bool {
        let step = self.document.redo();
        step.map(|(_, selections)| self.selections = selections).is_some()
    }

    fn marked(&self) -> String {
        format(&self.document.text().to_string(), &self.selections)
    }
}

/// Case 14: three carets type, then save, undo, save, redo.
#[test]
fn redo_survives_saving_and_undo_brings_back_all_carets() {
    let mut view = View::new("aˇ\nbˇ\ncˇ");
    view.type_("x");
    assert_eq!(view.marked(), "axˇ\nbxˇ\ncxˇ");
    view.document.mark_saved();
    // The view moves on; undo returns to where the edit was.
    view.selections = Selections::caret(0);
    assert!(view.undo());
    assert_eq!(view.marked(), "aˇ\nbˇ\ncˇ");
    assert!(view.document.is_dirty());
    view.document.mark_saved();
    assert!(!view.document.is_dirty());
    assert!(view.redo());
    assert_eq!(view.marked(), "axˇ\nbxˇ\ncxˇ");
    assert!(view.document.is_dirty());
    assert!(!view.redo());
}

/// Case 14: formatting on save is one step.
#[test]
fn a_format_of_many_edits_is_one_step() {
    let mut view = View::new("a  ˇ\nb  \nc  \n");
    view.type_("x");
    view.edit(EditKind::Command, |context, selections| edit::trim_trailing_whitespace(context, selections, 0..4));
    view.document.mark_saved();
    assert_eq!(view.marked(), "a  xˇ\nb\nc\n");
    assert!(view.undo());
    assert_eq!(view.marked(), "a  xˇ\nb  \nc  \n");
    assert!(view.redo());
    assert!(!view.document.is_dirty());
}

/// The extra case: undoing to the saved state clears the mark, by either way.
#[test]
fn undo_to_the_saved_state_clears_the_dirty_mark() {
    let mut view = View::new("ˇ");
    assert!(!view.document.is_dirty());
    view.type_("a");
    assert!(view.document.is_dirty());
    view.undo();
    assert!(!view.document.is_dirty());
    view.redo();
    view.document.mark_saved();
    // Typing on does not join the run that was saved.
    view.type_("b");
    assert!(view.document.is_dirty());
    view.undo();
    assert_eq!(view.marked(), "aˇ");
    assert!(!view.document.is_dirty());
    view.undo();
    assert!(view.document.is_dirty());
    view.redo();
    assert!(!view.document.is_dirty());
}

#[test]
fn a_save_that_ends_late_marks_the_state_it_wrote() {
    let mut view = View::new("ˇ");
    view.type_("a");
    let written = view.document.history().current();
    view.document.close_run();
    view.type_("b");
    view.document.mark_saved_at(written);
    assert!(view.document.is_dirty());
    view.undo();
    assert_eq!((view.marked().as_str(), view.document.is_dirty()), ("aˇ", false));
}

#[test]
fn a_run_of_typing_is_one_step() {
    let mut view = View::new("ˇ");
    view.type_("one two");
    view.undo();
    assert_eq!(view.marked(), "ˇ");
    view.redo();
    assert_eq!(view.marked(), "one twoˇ");
}

#[test]
fn a_run_ends_at_a_pause_a_jump_and_another_kind_of_edit() {
    let mut view = View::new("ˇ");
    view.type_("ab");
    view.now += history::PAUSE;
    view.type_("cd");
    view.edit(EditKind::Backspace, edit::backspace);
    view.edit(EditKind::Backspace, edit::backspace);
    view.selections = Selections::caret(0);
    view.type_("e");
    let mut states = Vec::new();
    while view.undo() {
        states.push(view.marked());
    }
    assert_eq!(states, ["ˇab", "abcdˇ", "abˇ", "ˇ"]);
}

#[test]
fn commands_are_steps_of_their_own() {
    let mut view = View::new("ˇ");
    view.edit(EditKind::Command, edit::newline);
    view.edit(EditKind::Command, edit::newline);
    view.undo();
    assert_eq!(view.marked(), "\nˇ");
}

#[test]
fn an_edit_after_undo_starts_a_branch_and_loses_nothing() {
    let mut view = View::new("ˇ");
    view.type_("a");
    let a = view.document.history().current();
    view.undo();
    view.type_("b");
    let b = view.document.history().current();
    assert_ne!(a, b);
    assert_eq!(view.document.go_to(a).map(|selections| selections.primary().head), Some(1));
    assert_eq!(view.document.text(), &"a");
    // Redo now follows the branch last taken.
    view.undo();
    view.redo();
    assert_eq!(view.document.text(), &"a");
    view.document.go_to(b);
    assert_eq!(view.document.text(), &"b");
    view.document.go_to(StateId::FIRST);
    assert_eq!(view.document.text(), &"");
    assert_eq!(view.document.go_to(StateId::FIRST), None);
}

/// Case 12: a reload is one step that can be undone.
#[test]
fn a_reload_is_one_step() {
    let mut view = View::new("one\ntwˇo\n");
    let reload = ChangeSet::replace_all(view.document.text().len(), "eins\nzwei\n");
    view.edit(EditKind::Command, |_, _| Some(reload.into()));
    view.document.mark_saved();
    assert!(!view.document.is_dirty());
    view.undo();
    assert_eq!(view.marked(), "one\ntwˇo\n");
    assert!(view.document.is_dirty());
}

#[test]
fn the_oldest_states_go_when_there_is_too_much_to_undo() {
    let mut document = Document::new(Text::new());
    document.history = History::new(100_000);
    let insert = |document: &mut Document| {
        let changes = ChangeSet::from_edits(document.text().len(), [(0..0, "x".repeat(1_000))]);
        document.apply(changes.into(), EditKind::Command, &Selections::default());
    };
    for _ in 0..200 {
        insert(&mut document);
        // A branch at every state.
        document.undo();
        insert(&mut document);
    }
    assert!(document.history().root() > StateId::FIRST);
    assert!(document.go_to(StateId::FIRST).is_none());
    let mut undone = 0;
    while document.undo().is_some() {
        undone += 1;
    }
    assert!((20..100).contains(&undone), "{undone}");
    assert_eq!(document.text().len(), (200 - undone) * 1_000);
    // What was saved at first cannot be returned to, so nothing is clean.
    assert!(document.is_dirty());
    while document.redo().is_some() {}
    assert_eq!(document.text().len(), 200_000);
}

#[test]
fn a_change_larger_than_the_limit_can_be_undone() {
    let mut document = Document::new(Text::new());
    document.history = History::new(1_000);
    let changes = ChangeSet::from_edits(0, [(0..0, "x".repeat(10_000))]);
    document.apply(changes.into(), EditKind::Command, &Selections::default());
    assert!(document.undo().is_some());
    assert!(!document.is_dirty());
}

#[test]
fn what_does_nothing_is_no_step() {
    let mut document = Document::new(Text::from("é"));
    let nothing = document.apply(ChangeSet::identity(2).into(), EditKind::Command, &Selections::default());
    assert!(nothing.is_empty());
    // Nor is what does not fit: it would tear a character.
    let torn = ChangeSet::from_edits(2, [(1..2, "")]);
    assert!(document.apply(torn.into(), EditKind::Command, &Selections::default()).is_empty());
    assert_eq!((document.version(), document.is_dirty(), document.undo().is_none()), (0, false, true));
}

#[test]
fn who_is_too_far_behind_starts_anew() {
    let mut document = Document::new(Text::new());
    for _ in 0..=LOG {
        let insert = ChangeSet::from_edits(document.text().len(), [(0..0, "x")]);
        document.apply(insert.into(), EditKind::Command, &Selections::default());
    }
    assert!(document.changes_since(0).is_none());
    assert_eq!(document.changes_since(1).map(|changes| changes.len()), Some(LOG));
    assert_eq!(document.changes_since(document.version()).map(|changes| changes.len()), Some(0));
    assert!(document.changes_since(document.version() + 1).is_none());
}

#[test]
fn the_dominant_line_ending_is_told() {
    for (text, ending) in [
        ("", LineEnding::Lf),
        ("a\r\nb\nc\r\n", LineEnding::Crlf),
        ("a\nb\r\n", LineEnding::Lf),
        ("a\rb", LineEnding::Lf),
    ] {
        assert_eq!(LineEnding::dominant(&Text::from(text)), ending, "{text:?}");
    }
}

/// Case 5: editing one line of a mixed file leaves the bytes of the others.
#[test]
fn a_mixed_file_keeps_its_line_endings() {
    let mut view = View::new("a\r\nbˇ\nc\rd");
    view.type_("x");
    assert_eq!(view.document.text(), &"a\r\nbx\nc\rd");
    view.edit(EditKind::Command, edit::newline);
    assert_eq!(view.document.text(), &"a\r\nbx\n\nc\rd");
}

#[derive(Clone, Debug)]
enum Act {
    Insert(prop::sample::Index, String),
    Delete(prop::sample::Index, usize),
    Undo,
    Redo,
    Save,
    Pause,
    GoTo(prop::sample::Index),
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (any::<prop::sample::Index>(), "[a-cé\n]{1,3}").prop_map(|(at, text)| Act::Insert(at, text)),
        2 => (any::<prop::sample::Index>(), 1..4_usize).prop_map(|(at, len)| Act::Delete(at, len)),
        3 => Just(Act::Undo),
        2 => Just(Act::Redo),
        1 => Just(Act::Save),
        1 => Just(Act::Pause),
        1 => any::<prop::sample::Index>().prop_map(Act::GoTo),
    ]
}

proptest! {
    /// Whatever is done, a state that is returned to has the text it had, dirty means different from what was saved
    /// last or never saved, and whoever pulls changes follows.
    #[test]
    fn the_undo_tree_keeps_every_state(acts in prop::collection::vec(any_act(), 1..40)) {
        let mut document = Document::new(Text::from("start\n"));
        let mut now = Instant::now();
        let mut texts = std::collections::BTreeMap::from([(StateId::FIRST, document.text().to_string())]);
        let mut saved = StateId::FIRST;
        let mut selections = Selections::default();
        let mut follower = (document.version(), document.text().clone());
        for act in acts {
            let text = document.text().clone();
            let before = document.history().current();
            match act {
                Act::Insert(at, insert) => {
                    let at = text.floor_char(at.index(text.len() + 1));
                    let changes = ChangeSet::from_edits(text.len(), [(at..at, insert.as_str())]);
                    let after = Selections::single(Selection::caret(at + insert.len()));
                    let transaction = Transaction { changes, selections: Some(after.clone()) };
                    document.apply_at(transaction, EditKind::Typing, &Selections::caret(at), now);
                    selections = after;
                }
                Act::Delete(at, len) => {
                    let start = text.floor_char(at.index(text.len() + 1));
                    let end = text.floor_char(start + len).max(start);
                    let changes = ChangeSet::from_edits(text.len(), [(start..end, "")]);
                    document.apply_at(changes.into(), EditKind::Delete, &selections, now);
                }
                Act::Undo => {
                    let parent = document.history().parent(before);
                    prop_assert_eq!(document.undo().is_some(), parent.is_some());
                    prop_assert_eq!(document.history().current(), parent.unwrap_or(before));
                }
                Act::Redo => {
                    let can = document.history().can_redo();
                    prop_assert_eq!(document.redo().is_some(), can);
                    prop_assert!(!can || document.history().parent(document.history().current()) == Some(before));
                }
                Act::Save => {
                    document.mark_saved();
                    saved = before;
                }
                Act::Pause => now += history::PAUSE,
                Act::GoTo(index) => {
                    let states: Vec<StateId> = texts.keys().copied().collect();
                    let target = *index.get(&states);
                    document.go_to(target);
                    prop_assert_eq!(document.history().current(), target);
                }
            }
            let here = document.history().current();
            let present = document.text().to_string();
            if let Some(known) = texts.get(&here).filter(|_| here != before) {
                prop_assert_eq!(known, &present);
            }
            texts.insert(here, present);
            prop_assert_eq!(texts.len(), document.history().state_count());
            prop_assert_eq!(document.is_dirty(), here != saved);

            for changes in document.changes_since(follower.0).unwrap() {
                follower.1 = changes.apply(&follower.1);
            }
            follower.0 = document.version();
            prop_assert_eq!(&follower.1, document.text());
        }
        for (state, text) in texts {
            document.go_to(state);
            prop_assert_eq!(document.text().to_string(), text);
        }
    }
}
