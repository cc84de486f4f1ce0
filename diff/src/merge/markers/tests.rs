//! Texts with markers: which of them are conflicts, what stands in their place, and how they follow edits.

use proptest::prelude::*;

use super::*;

fn find(text: &str) -> MarkedConflicts {
    let of_bytes = MarkedConflicts::of_bytes(text.as_bytes(), MarkerRules::default());
    let of_text = MarkedConflicts::of_text(&Text::from(text), MarkerRules::default());
    assert_eq!(of_bytes.list(), of_text.list());
    of_text
}

/// The conflicts of a text: `ours|base|theirs` with `-` for a base that is not told, lines joined by spaces.
fn draw(text: &str, found: &MarkedConflicts) -> Vec<String> {
    let part = |range: &Range<usize>| text[range.clone()].trim_end().replace(['\r', '\n'], " ").replace("  ", " ");
    let draw = |conflict: &MarkedConflict| {
        let base = conflict.base.as_ref().map_or("-".to_owned(), &part);
        format!("{}|{base}|{}", part(&conflict.ours), part(&conflict.theirs))
    };
    found.list().iter().map(draw).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(draw(text, &find(text)), expected, "in {text}");
}

#[test]
fn the_styles_git_writes_are_read() {
    check("a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\nb\n", &["x|-|y"]);
    check("<<<<<<< HEAD\nx\n||||||| 1234567\no\n=======\ny\n>>>>>>> topic\n", &["x|o|y"]);
    check("<<<<<<< HEAD\nx\n|||||||\no\n=======\ny\n>>>>>>> topic\n", &["x|o|y"]);
    check("<<<<<<< HEAD\n=======\ny\n>>>>>>> topic\n", &["|-|y"]);
    check("<<<<<<< HEAD\n||||||| base\n=======\n>>>>>>> topic", &["||"]);
    check("<<<<<<< HEAD\r\nx\r\n=======\r\ny\r\n>>>>>>> topic\r\n", &["x|-|y"]);
}

#[test]
fn labels_are_what_stands_behind_the_signs() {
    let text = "<<<<<<< HEAD\r\nx\r\n||||||| merged common ancestors\r\n=======\r\n>>>>>>> a b c\r\n";
    let found = find(text);
    let [conflict] = found.list() else { panic!("one conflict") };
    let labels = [&conflict.ours_label, &conflict.base_label, &conflict.theirs_label];
    assert_eq!(labels.map(|label| &text[label.clone()]), ["HEAD", "merged common ancestors", "a b c"]);
}

#[test]
fn what_looks_like_a_marker_is_none() {
    check("Title\n=======\n\ntext\n", &[]);
    check("> quoted\n>>>>>>> quoted seven times\n", &[]);
    check("<<<<<<< never ends\nx\n", &[]);
    check("<<<<<<< HEAD\nx\n>>>>>>> without separator\n", &[]);
    check("<<<<<<<< HEAD\nx\n========\ny\n>>>>>>>> eight\n", &[]);
    check(" <<<<<<< HEAD\nx\n=======\ny\n >>>>>>> indented\n", &[]);
    // Underlines as reStructuredText has them: no label.
    check("Heading\n<<<<<<<\n\nx\n\nHeading\n=======\n\ny\n\nHeading\n>>>>>>>\n", &[]);
    check("<<<<<<<HEAD\nx\n=======\ny\n>>>>>>>topic\n", &[]);
    check("<<<<<<< HEAD\nx\n======= text\ny\n>>>>>>> topic\n", &[]);
}

#[test]
fn a_broken_conflict_hides_no_whole_one() {
    let whole = "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n";
    check(&format!("<<<<<<< broken\na\n{whole}b\n"), &["x|-|y"]);
    check(&format!("<<<<<<< broken\na\n=======\n{whole}b\n{whole}"), &["x|-|y", "x|-|y"]);
    check(&format!("=======\n>>>>>>> broken\n{whole}"), &["x|-|y"]);
}

#[test]
fn a_conflict_within_a_conflict_belongs_to_it() {
    let inner = "<<<<<<< inner\n1\n=======\n2\n>>>>>>> inner\n";
    let text = format!("<<<<<<< HEAD\nx\n{inner}=======\ny\n>>>>>>> topic\n");
    check(&text, &["x <<<<<<< inner 1 ======= 2 >>>>>>> inner|-|y"]);
    // As git nests them where a base has conflicts of its own: longer marks.
    let inner = "<<<<<<<<< one\n1\n=========\n2\n>>>>>>>>> two\n";
    let text = format!("<<<<<<< HEAD\nx\n||||||| base\n{inner}=======\ny\n>>>>>>> topic\n");
    check(&text, &["x|<<<<<<<<< one 1 ========= 2 >>>>>>>>> two|y"]);
}

#[test]
fn other_sizes_are_read_where_attributes_say_so() {
    let text = "<<<<<<<<<< HEAD\nx\n=======\n==========\ny\n>>>>>>>>>> topic\n";
    let found = MarkedConflicts::of_bytes(text.as_bytes(), MarkerRules { size: 10, ..MarkerRules::default() });
    assert_eq!(draw(text, &found), ["x =======|-|y"]);
}

#[test]
fn marks_without_labels_are_read_where_they_are_expected() {
    let text = "<<<<<<<\nx\n=======\ny\n>>>>>>>\n";
    check(text, &[]);
    let found = MarkedConflicts::of_bytes(text.as_bytes(), MarkerRules { unlabelled: true, ..MarkerRules::default() });
    assert_eq!(draw(text, &found), ["x|-|y"]);
}

#[test]
fn an_underline_within_a_side_is_told_apart_by_what_the_sides_are() {
    let text = "<<<<<<< HEAD\nTitle\n=======\nours\n=======\nTheir title\n=======\n>>>>>>> topic\n";
    let mut found = find(text);
    assert_eq!(draw(text, &found), ["Title|-|ours ======= Their title ======="]);
    let content = |text: &str| Content::new(text.as_bytes()).unwrap();
    let (ours, theirs) = (content("Title\n=======\nours\nmore\n"), content("Their title\n=======\n"));
    let conflict = &mut found.conflicts[0];
    assert_eq!(conflict.other_separators.len(), 2);
    assert!(conflict.settle(&Text::from(text), &ours, &theirs));
    assert_eq!(draw(text, &found), ["Title ======= ours|-|Their title ======="]);
    assert!(found.conflicts[0].other_separators.is_empty());
}

#[test]
fn the_last_line_of_a_side_may_lack_the_newline_that_markers_gave_it() {
    let text = "<<<<<<< HEAD\nTitle\n=======\n=======\nother\n>>>>>>> topic\n";
    let mut found = find(text);
    let content = |text: &str| Content::new(text.as_bytes()).unwrap();
    assert!(found.conflicts[0].settle(&Text::from(text), &content("Title\n======="), &content("other")));
    assert_eq!(draw(text, &found), ["Title =======|-|other"]);
}

#[test]
fn each_choice_leaves_what_it_says() {
    let text = Text::from("a\r\n<<<<<<< HEAD\r\nx\r\n||||||| b\r\no\r\n=======\r\ny\r\n>>>>>>> topic\r\nb");
    let found = MarkedConflicts::of_text(&text, MarkerRules::default());
    let after = |take: Take| {
        let edits = found.list()[0].replacements(&text, &take)?;
        Some(ChangeSet::from_edits(text.len(), edits).apply(&text).to_string())
    };
    assert_eq!(after(Take::Ours).as_deref(), Some("a\r\nx\r\nb"));
    assert_eq!(after(Take::Theirs).as_deref(), Some("a\r\ny\r\nb"));
    assert_eq!(after(Take::Base).as_deref(), Some("a\r\no\r\nb"));
    assert_eq!(after(Take::OursTheirs).as_deref(), Some("a\r\nx\r\ny\r\nb"));
    assert_eq!(after(Take::TheirsOurs).as_deref(), Some("a\r\ny\r\nx\r\nb"));
    assert_eq!(after(Take::Nothing).as_deref(), Some("a\r\nb"));
    assert_eq!(after(Take::Text(b"z\r\n".to_vec())).as_deref(), Some("a\r\nz\r\nb"));
    let text = "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n";
    assert_eq!(find(text).list()[0].replacements(&Text::from(text), &Take::Base), None, "no base is told");
}

#[test]
fn conflicts_are_visited_in_turn() {
    let one = "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> topic\n";
    let found = find(&format!("a\n{one}b\n{one}"));
    let [first, second] = [0, 1].map(|at| found.list()[at].all.clone());
    assert_eq!((found.at(0), found.at(first.start), found.at(second.end - 1)), (None, Some(0), Some(1)));
    assert_eq!((found.next(0), found.next(first.start), found.next(second.start)), (Some(0), Some(1), None));
    assert_eq!((found.previous(first.start), found.previous(second.start)), (None, Some(0)));
}

#[test]
fn conflicts_that_a_side_was_about_are_not_left_to_resolve() {
    let example = "<<<<<<< yours\nx\n=======\ny\n>>>>>>> mine\n";
    let text = format!("An example:\n{example}<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> topic\n");
    assert_eq!(left(text.as_bytes(), MarkerRules::default(), &[example.as_bytes()]), 1);
    assert_eq!(left(text.as_bytes(), MarkerRules::default(), &[]), 2);
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => Just("<<<<<<< a\n"),
        1 => Just("||||||| b\r\n"),
        3 => Just("=======\n"),
        3 => Just(">>>>>>> c\n"),
        1 => Just("=======é\n"),
        1 => Just("<<<<<<<"),
        1 => Just("========"),
        3 => Just("text\n"),
        1 => Just("\n"),
    ];
    proptest::collection::vec(line, 0..14).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn following_an_edit_finds_what_a_new_look_finds(
        before in text(), insert in text(), more in text(), at in any::<[prop::sample::Index; 4]>(),
    ) {
        let before = Text::from(before.as_str());
        let mut at = at.map(|at| before.floor_char(at.index(before.len() + 1)));
        at.sort_unstable();
        let mut found = MarkedConflicts::of_text(&before, MarkerRules::default());
        let changes = ChangeSet::from_edits(before.len(), [(at[0]..at[1], insert), (at[2]..at[3], more)]);
        let after = changes.apply(&before);
        found.follow(&changes, &after);
        let fresh = MarkedConflicts::of_text(&after, MarkerRules::default());
        prop_assert_eq!(&found.marks, &fresh.marks);
        prop_assert_eq!(found.list(), fresh.list());
    }

    #[test]
    fn parts_are_within_the_conflict_and_in_order(text in text()) {
        for conflict in find(&text).list() {
            let base = conflict.base.clone().unwrap_or(conflict.ours.end..conflict.ours.end);
            let places = [
                conflict.all.start, conflict.ours.start, conflict.ours.end, base.start, base.end,
                conflict.theirs.start, conflict.theirs.end, conflict.all.end,
            ];
            prop_assert!(places.is_sorted(), "{:?}", conflict);
        }
    }
}
