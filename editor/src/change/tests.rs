//! Change sets against plain strings.

use proptest::prelude::*;

use super::*;
use crate::text::tests::any_text;

#[test]
fn two_change_sets_that_do_the_same_are_equal() {
    let one = ChangeSet::from_edits(3, [(0..1, "x"), (1..2, "y")]);
    let other = ChangeSet::from_edits(3, [(0..2, "xy")]);
    assert_eq!(one, other);
    assert!(ChangeSet::from_edits(3, [(1..1, ""), (2..2, "")]).is_empty());
}

#[test]
fn an_inverse_restores_the_text() {
    let text = Text::from("one two three");
    let changes = ChangeSet::from_edits(text.len(), [(0..3, "1"), (4..4, "and "), (7..13, "")]);
    let after = changes.apply(&text);
    assert_eq!(after, "1 and two");
    assert_eq!(changes.invert(&text).apply(&after), text);
}

#[test]
fn edits_say_where_they_are_on_both_sides() {
    let changes = ChangeSet::from_edits(6, [(1..2, "xyz"), (4..4, "-")]);
    let edits: Vec<Edit<'_>> = changes.edits().collect();
    assert_eq!(edits, [Edit { old: 1..2, new: 1..4, insert: "xyz" }, Edit { old: 4..4, new: 6..7, insert: "-" }]);
    assert_eq!(changes.extent(), Some((1..4, 1..7)));
}

#[test]
fn an_offset_goes_to_the_side_its_bias_names() {
    // "abcdef" -> "a<xyz>d-ef"
    let changes = ChangeSet::from_edits(6, [(1..3, "xyz"), (4..4, "-")]);
    let mapped = |offset| (changes.map(offset, Bias::Before), changes.map(offset, Bias::After));
    assert_eq!(mapped(0), (0, 0));
    // The edges of replaced text stay edges; inside, the bias decides.
    assert_eq!(mapped(1), (1, 1));
    assert_eq!(mapped(2), (1, 4));
    assert_eq!(mapped(3), (4, 4));
    // At an insertion the bias decides.
    assert_eq!(mapped(4), (5, 6));
    assert_eq!(mapped(6), (8, 8));
}

/// Case 10: what is out of date points past the end.
#[test]
fn an_offset_past_the_end_is_the_end() {
    let changes = ChangeSet::from_edits(100, [(10..100, "")]);
    assert_eq!(changes.map(5_000, Bias::After), 10);
    assert_eq!(changes.map_range(90..5_000), 10..10);
    assert_eq!(ChangeSet::identity(3).map(9, Bias::Before), 3);
    let stale = Selections::new([crate::Selection::new(2, 70), crate::Selection::caret(900)], 1);
    let text = Text::from("e\u{301}x");
    assert_eq!(stale.clamp(&text).as_slice(), [crate::Selection::new(0, 4)]);
}

#[test]
fn a_range_does_not_take_in_what_is_inserted_at_its_edges() {
    let changes = ChangeSet::from_edits(4, [(1..1, "x"), (3..3, "y")]);
    assert_eq!(changes.map_range(1..3), 2..4);
    assert_eq!(ChangeSet::from_edits(4, [(0..4, "")]).map_range(1..3), 0..0);
}

#[test]
fn a_change_that_does_not_fit_is_known() {
    let text = Text::from("é");
    assert!(ChangeSet::from_edits(2, [(0..2, "e")]).fits(&text));
    assert!(!ChangeSet::from_edits(2, [(1..2, "e")]).fits(&text));
    assert!(!ChangeSet::from_edits(3, [(0..2, "e")]).fits(&text));
}

#[test]
fn many_edits_are_applied_like_few() {
    let line = "word word\n";
    let text = Text::from(line.repeat(1_000));
    let edits = |text: &Text| {
        (0..1_000).map(|n| (n * line.len()..n * line.len() + 4, "x")).take(text.len()).collect::<Vec<_>>()
    };
    let changes = ChangeSet::from_edits(text.len(), edits(&text));
    let after = changes.apply(&text);
    assert_eq!(after.to_string(), "x word\n".repeat(1_000));
    assert_eq!(changes.invert(&text).apply(&after), text);
}

/// A change of `text`, from places and replacements.
fn change(text: &str, seeds: &[(prop::sample::Index, usize, String)]) -> ChangeSet {
    let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut places: Vec<(usize, usize, &str)> = seeds
        .iter()
        .map(|(at, len, insert)| {
            let start = floor(at.index(text.len() + 1));
            (start, floor(start + len), insert.as_str())
        })
        .collect();
    places.sort_by_key(|place| place.0);
    let mut done = 0;
    let mut edits = Vec::new();
    for (start, end, insert) in places {
        let start = start.max(done);
        done = end.max(start);
        edits.push((start..done, insert));
    }
    ChangeSet::from_edits(text.len(), edits)
}

fn model_apply(changes: &ChangeSet, text: &str) -> String {
    let mut after = text.to_owned();
    for edit in changes.edits().rev() {
        after.replace_range(edit.old, edit.insert);
    }
    after
}

type Seeds = Vec<(prop::sample::Index, usize, String)>;

fn seeds() -> impl Strategy<Value = Seeds> {
    prop::collection::vec(
        (any::<prop::sample::Index>(), 0..20_usize, prop_oneof![Just(String::new()), "[a-z\né漢]{1,5}"]),
        0..6,
    )
}

#[test]
fn the_difference_of_two_texts_is_one_replacement() {
    let long = "x".repeat(5_000);
    let cases = [
        ("", "", None),
        ("abc", "abc", None),
        ("abc", "abXc", Some((2..2, "X"))),
        ("aaa", "aaaa", Some((3..3, "a"))),
        ("abcabc", "abc", Some((3..6, ""))),
        ("é", "è", Some((0..2, "è"))),
        ("aéb", "aĩb", Some((1..3, "ĩ"))),
        (&format!("{long}1{long}"), &format!("{long}22{long}"), Some((5_000..5_001, "22"))),
    ];
    for (old, new, expected) in cases {
        let (old, new) = (Text::from(old), Text::from(new));
        let change = ChangeSet::between(&old, &new);
        assert_eq!(change.apply(&old).to_string(), new.to_string());
        let edits: Vec<_> = change.edits().map(|edit| (edit.old, edit.insert.to_owned())).collect();
        let expected: Vec<_> = expected.into_iter().map(|(range, insert)| (range, insert.to_owned())).collect();
        assert_eq!(edits, expected);
    }
}

proptest! {
    #[test]
    fn a_replacement_makes_the_one_of_the_other(before in "[aé😀]{0,12}", after in "[aé😀]{0,12}") {
        let (before, after) = (Text::from(&*before), Text::from(&*after));
        prop_assert_eq!(ChangeSet::between(&before, &after).apply(&before), after);
    }

    #[test]
    fn applying_is_what_a_string_does(model in any_text(), seeds in seeds()) {
        let changes = change(&model, &seeds);
        let after = changes.apply(&Text::from(model.as_str()));
        prop_assert_eq!(after.to_string(), model_apply(&changes, &model));
        prop_assert_eq!(changes.len_after(), after.len());
        for edit in changes.edits() {
            prop_assert_eq!(after.slice(edit.new), edit.insert);
        }
    }

    #[test]
    fn inverting_twice_is_nothing(model in any_text(), seeds in seeds()) {
        let text = Text::from(model.as_str());
        let changes = change(&model, &seeds);
        let after = changes.apply(&text);
        let inverse = changes.invert(&text);
        prop_assert_eq!(inverse.apply(&after), text);
        prop_assert_eq!(inverse.invert(&after), changes);
    }

    #[test]
    fn composing_is_one_after_the_other(model in any_text(), first in seeds(), second in seeds(), third in seeds()) {
        let text = Text::from(model.as_str());
        let a = change(&model, &first);
        let b_text = a.apply(&text);
        let b = change(&b_text.to_string(), &second);
        let c_text = b.apply(&b_text);
        let c = change(&c_text.to_string(), &third);
        let both = a.compose(&b);
        prop_assert_eq!(both.apply(&text), c_text.clone());
        prop_assert_eq!(both.compose(&c), a.compose(&b.compose(&c)));
        prop_assert_eq!(both.invert(&text).apply(&c_text), text);
        prop_assert_eq!(a.compose(&ChangeSet::identity(b_text.len())), a);
    }

    #[test]
    fn mapping_keeps_order_and_what_is_kept(model in any_text(), seeds in seeds()) {
        let text = Text::from(model.as_str());
        let changes = change(&model, &seeds);
        let after = changes.apply(&text);
        let mut last = 0;
        for (offset, c) in model.char_indices() {
            let (before_bias, after_bias) = (changes.map(offset, Bias::Before), changes.map(offset, Bias::After));
            prop_assert!(last <= before_bias && before_bias <= after_bias && after_bias <= after.len());
            last = before_bias;
            let kept = changes.edits().all(|edit| offset < edit.old.start || edit.old.end <= offset);
            if kept {
                prop_assert_eq!(after.char_at(after_bias), Some(c));
            }
        }
        prop_assert_eq!(changes.map(model.len(), Bias::After), after.len());
    }

    #[test]
    fn selections_stay_sorted_and_apart(model in any_text(), seeds in seeds(), ends in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..8)) {
        let text = Text::from(model.as_str());
        let at = |index: prop::sample::Index| text.floor_grapheme(index.index(text.len() + 1));
        let list = ends.into_iter().map(|(anchor, head)| crate::Selection::new(at(anchor), at(head)));
        let selections = Selections::new(list, 0);
        let changes = change(&model, &seeds);
        let mapped = selections.map(&changes);
        for selections in [&selections, &mapped] {
            prop_assert!(selections.primary_index() < selections.count());
            for pair in selections.as_slice().windows(2) {
                prop_assert!(pair[0].end() <= pair[1].start());
                prop_assert!(pair[0].end() < pair[1].start() || !(pair[0].is_empty() || pair[1].is_empty()));
            }
        }
        prop_assert!(mapped.iter().all(|selection| selection.end() <= changes.len_after()));
    }
}
