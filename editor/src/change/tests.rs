//! Change sets against plain strings.

use super::*;

#[test]
fn two_change_sets_that_do_the_same_are_equal() {
    let one = ChangeSet::from_edits(3, [(0..1, "x"), (1..2, "y")]);
    let other = ChangeSet::from_edits(3, [(0..2, "xy")]);
    assert_eq!(one, other);
}

#[test]
fn an_inverse_restores_the_text() {
    let text = Text::from("one two three");
    let changes = ChangeSet::from_edits(text.len(), [(0..3, "1"), (4..4, "and "), (7..13, "")]);
    let after = changes.apply(&text);
    assert_eq!(after, "1 and two");
    assert_eq!(changes.invert(&text).apply(&after), text);
}
