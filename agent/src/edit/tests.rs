//! Blocks as models write them, over files as people have them.

use super::*;
use crate::action::{Action, Block};

/// Applies blocks written as `search=>replace`, lines joined by `|`.
fn edit(before: &str, blocks: &[(&str, &str)]) -> Result<Edited, EditError> {
    let block = |(search, replace): &(&str, &str)| Block { search: (*search).into(), replace: (*replace).into() };
    let action = Action::EditFile { path: "a.rs".into(), blocks: blocks.iter().map(block).collect() };
    apply(&action, Target { path: "a.rs", before: Some(before), failed: 0 })
}

#[track_caller]
fn check(before: &str, search: &str, replace: &str, rung: Rung, after: &str) {
    let edited = edit(before, &[(search, replace)]).unwrap();
    assert_eq!((edited.text.as_str(), edited.rung), (after, Some(rung)));
}

#[test]
fn every_rung_is_climbed_and_told() {
    check("a\nb\nc\n", "b\n", "x\n", Rung::Exact, "a\nx\nc\n");
    check("a\r\nb\r\nc\r\n", "b\n", "x\ny\n", Rung::LineEndings, "a\r\nx\r\ny\r\nc\r\n");
    check("a  \nb\t\nc\n", "a\nb\n", "a\nx\n", Rung::TrailingSpace, "a  \nx\nc\n");
    check("f {\n    a;\n    b;\n}\n", "a;\nb;\n", "a;\n  x;\n", Rung::Indentation, "f {\n    a;\n      x;\n}\n");
    check("a;\nb;\n", "    b;\n", "    if c {\n        b;\n    }\n", Rung::Indentation, "a;\nif c {\n    b;\n}\n");
    check(
        "f {\n\ta;\n\tif b {\n\t\tc;\n\t}\n}\n",
        "    if b {\n        c;\n    }\n",
        "    if b {\n        d;\n        e;\n    }\n",
        Rung::Tabs,
        "f {\n\ta;\n\tif b {\n\t\td;\n\t\te;\n\t}\n}\n",
    );
    check(
        "f {\n  if b {\n    c;\n  }\n}\n",
        "\tif b {\n\t\tc;\n",
        "\tif b {\n\t\td;\n",
        Rung::Tabs,
        "f {\n  if b {\n    d;\n  }\n}\n",
    );
    check(
        "x = \u{201c}a\u{201d};\ny\u{a0}= 1;\n",
        "x = \"a\";\ny = 1;\n",
        "x = \"b\";\ny = 1;\n",
        Rung::Punctuation,
        "x = \u{201c}b\u{201d};\ny\u{a0}= 1;\n",
    );
    // A1
    check("a\n  b\nc\n", "2 |   b\n3 | c\n", "2 |   x\n3 | c\n", Rung::Gutter, "a\n  x\nc\n");
    check("a\nb\n", "```rust\nb\n```\n", "```rust\nx\n```\n", Rung::Fence, "a\nx\n");
    // A3
    check("if a && b {}\n", "if a &amp;&amp; b {}\n", "if a &lt; b {}\n", Rung::Entities, "if a < b {}\n");
}

#[test]
fn a_file_with_entities_is_not_decoded_for() {
    let error = edit("x &amp; y\nif a && b {}\n", &[("if a &amp;&amp; b {}\n", "z\n")]).unwrap_err();
    assert!(matches!(error, EditError::NotFound { .. }), "{error}");
}

#[test]
fn every_line_keeps_its_own_ending_and_the_last_its_none() {
    // A5
    check("a\r\nb\nc\r\nd", "b\nc\n", "b\nx\n", Rung::LineEndings, "a\r\nb\nx\r\nd");
    check("a\nb", "b\n", "x\ny\n", Rung::Exact, "a\nx\ny");
    check("a\nb", "a\n", "a\nx\n", Rung::Exact, "a\nx\nb");
    check("a\nb\n", "b\n", "", Rung::Exact, "a\n");
    check("a\nb", "b\n", "", Rung::Exact, "a");
}

#[test]
fn several_places_are_refused_with_all_their_lines() {
    // A8
    let error = edit("f\n  return x\ng\n  return x\n", &[("  return x\n", "  return y\n")]).unwrap_err();
    assert_eq!(error, EditError::Several { number: 1, lines: vec![2, 4], first: "  return x".into() });
    assert!(error.to_string().contains("lines 2, 4"), "{error}");
    // Not even where a looser rung would tell them apart, or a shift makes them alike.
    let error = edit("  a\nb\n    a\n", &[("a\n", "c\n")]).unwrap_err();
    assert!(matches!(error, EditError::Several { .. }), "{error}");
}

#[test]
fn blocks_apply_in_order_and_all_or_none() {
    let edited = edit("a\nb\n", &[("a\n", "c\n"), ("c\nb\n", "d\n")]).unwrap();
    assert_eq!(edited.text, "d\n");
    // A9
    let error = edit("a\nb\n", &[("a\n", "c\n"), ("nowhere\n", "d\n")]).unwrap_err();
    assert!(matches!(error, EditError::NotFound { number: 2, .. }), "{error}");
}

#[test]
fn what_is_in_the_file_already_is_no_change() {
    // A20
    for (before, search, replace) in [
        ("a\nnew line\nc\n", "a\nold line\nc\n", "a\nnew line\nc\n"),
        ("use a;\nuse b;\n", "use a;\n", "use a;\nuse b;\n"),
        ("    first\n    second\n", "second\n", "first\nsecond\n"),
        ("f {\n    new line;\n}\n", "old line;\n", "new line;\n"),
    ] {
        let edited = edit(before, &[(search, replace)]).unwrap();
        assert!(edited.already && edited.text == before, "{edited:?}");
    }
}

#[test]
fn lazy_empty_and_equal_blocks_are_refused() {
    // A13
    let lazy = "a\n// ... rest of code unchanged ...\n";
    assert!(matches!(edit("a\nb\n", &[("a\nb\n", lazy)]), Err(EditError::Lazy { .. })));
    let before = "a\n// ... rest of code unchanged ...\n";
    assert!(edit(before, &[(before, &format!("x\n{lazy}"))]).is_ok());
    assert!(matches!(edit("a\n", &[("", "b\n")]), Err(EditError::EmptySearch { .. })));
    assert_eq!(edit("", &[("", "b\n")]).unwrap().text, "b\n");
    assert!(matches!(edit("a\n", &[("a\n", "a\n")]), Err(EditError::SameHalves { .. })));
}

#[test]
fn what_is_not_found_is_answered_with_the_closest() {
    let before = "one\nfn total(items: &[Item]) -> u32 {\n    items.len()\n}\ntwo\n";
    let Err(EditError::NotFound { closest: Some(closest), .. }) =
        edit(before, &[("fn total(items: &[Item]) -> u64 {\n    items.len()\n}\n", "x\n")])
    else {
        panic!("nothing close")
    };
    assert_eq!(closest.line, 2);
    assert_eq!(closest.text, "fn total(items: &[Item]) -> u32 {\n    items.len()\n}");
    assert_eq!(closest.difference.unwrap().0, "fn total(items: &[Item]) -> u32 {");
    assert!(matches!(
        edit(before, &[("something else entirely\n", "x\n")]),
        Err(EditError::NotFound { closest: None, .. })
    ));
}

#[test]
fn a_half_that_cannot_be_shifted_back_is_not() {
    // Its second line is not as deep as the shift that the first needs.
    let error = edit("a;\nb;\n", &[("    b;\n", "    c;\nd;\n")]).unwrap_err();
    assert!(matches!(error, EditError::NotFound { .. }), "{error}");
}
