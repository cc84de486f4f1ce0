//! Merges of lines that are words: what becomes of them, chunk by chunk.

use proptest::prelude::*;

use super::*;

fn content(text: impl AsRef<[u8]>) -> Content {
    Content::new(text.as_ref()).unwrap()
}

fn lines(words: &str) -> Content {
    content(words.split_whitespace().fold(String::new(), |text, word| text + word + "\n"))
}

fn merge(base: &Content, ours: &Content, theirs: &Content, options: &MergeOptions) -> Merge {
    let merge = Merge::new(base, ours, theirs, options, &Cancel::new()).unwrap();
    check_chunks(&merge, options);
    merge
}

/// What holds of every merge.
fn check_chunks(merge: &Merge, options: &MergeOptions) {
    for version in [Version::Base, Version::Ours, Version::Theirs] {
        let mut at = 0;
        for chunk in merge.chunks() {
            assert_eq!(chunk.lines(version).start, at, "chunks leave no gap in {version:?}: {:?}", merge.chunks());
            at = chunk.lines(version).end;
            assert!(chunk.lines(version).start <= at);
        }
        assert_eq!(at, merge.content(version).line_count(), "chunks end with {version:?}");
    }
    let equal = |a: Version, b: Version, chunk: &Chunk| {
        let (a_lines, b_lines) = (chunk.lines(a), chunk.lines(b));
        let same = |(x, y)| options.whitespace.equal(merge.content(a).line(x), merge.content(b).line(y));
        assert!(a_lines.len() == b_lines.len() && a_lines.zip(b_lines).all(same), "{a:?} is not {b:?} in {chunk:?}");
    };
    for chunk in merge.chunks() {
        match chunk.kind {
            ChunkKind::Unchanged => {
                equal(Version::Base, Version::Ours, chunk);
                equal(Version::Base, Version::Theirs, chunk);
            }
            ChunkKind::Ours => equal(Version::Base, Version::Theirs, chunk),
            ChunkKind::Theirs => equal(Version::Base, Version::Ours, chunk),
            ChunkKind::Both => equal(Version::Ours, Version::Theirs, chunk),
            ChunkKind::Conflict => {}
        }
    }
}

/// The chunks of a merge of words: `=` unchanged, `<` ours, `>` theirs, `&` both, `!` base|ours|theirs.
fn draw(base: &str, ours: &str, theirs: &str, options: &MergeOptions) -> String {
    let merge = merge(&lines(base), &lines(ours), &lines(theirs), options);
    let text = |version: Version, chunk: &Chunk| {
        let text = String::from_utf8_lossy(merge.content(version).lines(chunk.lines(version))).into_owned();
        text.trim_end().replace('\n', " ")
    };
    let drawn = merge.chunks().iter().map(|chunk| match chunk.kind {
        ChunkKind::Unchanged => format!("={}", text(Version::Ours, chunk)),
        ChunkKind::Ours => format!("<{}", text(Version::Ours, chunk)),
        ChunkKind::Theirs => format!(">{}", text(Version::Theirs, chunk)),
        ChunkKind::Both => format!("&{}", text(Version::Ours, chunk)),
        ChunkKind::Conflict => {
            let parts = [Version::Base, Version::Ours, Version::Theirs].map(|version| text(version, chunk));
            format!("!{}", parts.join("|"))
        }
    });
    drawn.collect::<Vec<_>>().join("  ")
}

fn check(base: &str, ours: &str, theirs: &str, expected: &str) {
    assert_eq!(draw(base, ours, theirs, &MergeOptions::git_merge()), expected);
}

#[test]
fn changes_that_do_not_meet_resolve_themselves() {
    check("a b c d e", "a B c d e", "a b c D e", "=a  <B  =c  >D  =e");
    check("a b c d e", "b c d e", "a b c d e f", "<  =b c d e  >f");
}

#[test]
fn the_same_change_on_both_sides_is_no_conflict() {
    check("a b c d e f", "a X c d e F", "a X c d e f", "=a  &X  =c d e  <F");
}

#[test]
fn changes_that_touch_are_a_conflict() {
    check("a b c", "A b c", "a B c", "!a b|A b|a B  =c");
    check("a b", "a x b", "a y b", "=a  !|x|y  =b");
}

#[test]
fn a_conflict_is_no_larger_than_what_differs() {
    let common = "1 2 3 4";
    check("a z", &format!("a x {common} y z"), &format!("a X {common} Y z"), "=a  !|x|X  &1 2 3 4  !|y|Y  =z");
    // Three lines between are not worth two more markers.
    check("a z", "a x 1 2 3 y z", "a X 1 2 3 Y z", "=a  !|x 1 2 3 y|X 1 2 3 Y  =z");
}

#[test]
fn lines_without_letters_divide_no_conflict_of_merge_file() {
    let (ours, theirs) = ("a x { } { } y z", "a X { } { } Y z");
    let expected = "=a  !|x { } { } y|X { } { } Y  =z";
    assert_eq!(draw("a z", ours, theirs, &MergeOptions::git_merge_file()), expected);
    check("a z", ours, theirs, "=a  !|x|X  &{ } { }  !|y|Y  =z");
}

#[test]
fn with_the_base_shown_conflicts_stay_whole() {
    let (base, ours, theirs) = ("a b z", "a 1 x 2 3 z", "a 1 y 2 3 z");
    let style = |style| draw(base, ours, theirs, &MergeOptions::git_merge().with_style(style));
    assert_eq!(style(MarkerStyle::Diff3), "=a  !b|1 x 2 3|1 y 2 3  =z");
    assert_eq!(style(MarkerStyle::ZealousDiff3), "=a  &1  !b|x|y  &2 3  =z");
    assert_eq!(style(MarkerStyle::Merge), "=a  &1  !b|x|y  &2 3  =z");
}

#[test]
fn accepting_follows_the_arrow_and_leaves_conflicts_alone() {
    let options = MergeOptions::git_merge();
    let merge = merge(&lines("a b c d e f g h i"), &lines("a B c d e X g h i"), &lines("a b c D e Y g h I"), &options);
    let text = |takes: &[Option<Take>]| {
        let composed = merge.compose(takes, &MarkerFormat::default());
        (String::from_utf8(composed.bytes).unwrap().replace('\n', " "), composed.open)
    };
    let mut takes = merge.nothing_accepted();
    assert_eq!(text(&takes).0, "a b c d e <<<<<<< X ======= Y >>>>>>> g h i ");
    merge.accept(&mut takes, Accept::Ours);
    assert_eq!(text(&takes).0, "a B c d e <<<<<<< X ======= Y >>>>>>> g h i ");
    merge.accept(&mut takes, Accept::Theirs);
    assert_eq!(text(&takes), ("a B c D e <<<<<<< X ======= Y >>>>>>> g h I ".to_owned(), 1));
    let conflict = merge.chunks().iter().position(Chunk::is_conflict).unwrap();
    for (take, expected) in [
        (Take::Ours, "X"),
        (Take::Theirs, "Y"),
        (Take::OursTheirs, "X Y"),
        (Take::TheirsOurs, "Y X"),
        (Take::Base, "f"),
        (Take::Text(b"z\n".to_vec()), "z"),
    ] {
        takes[conflict] = Some(take);
        assert_eq!(text(&takes), (format!("a B c D e {expected} g h I "), 0));
    }
    takes[conflict] = Some(Take::Nothing);
    assert_eq!(text(&takes).0, "a B c D e g h I ");
    assert_eq!(text(&merge.accepted()).0, "a B c D e <<<<<<< X ======= Y >>>>>>> g h I ");
}

#[test]
fn words_of_a_conflict_are_offered_where_they_do_not_touch() {
    let text = |middle: &str| content(format!("one\n{middle}\nthree\n"));
    let options = MergeOptions::git_merge();
    let merge = merge(&text("let a = b(1);"), &text("let x = b(1);"), &text("let a = b(2);"), &options);
    assert_eq!(merge.words(1, &Cancel::new()), Ok(Some(Take::Text(b"let x = b(2);\n".to_vec()))));
    assert_eq!(merge.words(0, &Cancel::new()), Ok(None), "nobody changed that chunk");
    assert_eq!(merge.words(9, &Cancel::new()), Ok(None), "there is no such chunk");
}

#[test]
fn case_44_markers_have_the_line_endings_of_the_file() {
    let text = |middle: &str| content(format!("one\r\n{middle}\r\nthree"));
    let merge = merge(&text("two"), &text("zwei"), &text("deux"), &MergeOptions::git_merge());
    let labels = Labels { ours: "HEAD".into(), base: "base".into(), theirs: "topic".into() };
    let format = MarkerFormat { style: MarkerStyle::Diff3, labels, ..MarkerFormat::default() };
    let composed = merge.compose(&merge.accepted(), &format);
    assert_eq!(
        String::from_utf8(composed.bytes).unwrap(),
        "one\r\n<<<<<<< HEAD\r\nzwei\r\n||||||| base\r\ntwo\r\n=======\r\ndeux\r\n>>>>>>> topic\r\nthree"
    );
}

#[test]
fn case_44_a_missing_final_newline_stays_missing() {
    let options = MergeOptions::git_merge();
    let merge = merge(&content("a\nb"), &content("a\nB"), &content("a\nx"), &options);
    let text = |take: Option<Take>| {
        let takes =
            merge.chunks().iter().map(|chunk| if chunk.is_conflict() { take.clone() } else { Some(Take::Ours) });
        String::from_utf8(merge.compose(&takes.collect::<Vec<_>>(), &MarkerFormat::default()).bytes).unwrap()
    };
    assert_eq!(text(Some(Take::Ours)), "a\nB");
    assert_eq!(text(Some(Take::Theirs)), "a\nx");
    assert_eq!(text(Some(Take::OursTheirs)), "a\nB\nx");
    assert_eq!(text(Some(Take::TheirsOurs)), "a\nx\nB");
    assert_eq!(text(Some(Take::Nothing)), "a\n");
    assert_eq!(text(None), "a\n<<<<<<<\nB\n=======\nx\n>>>>>>>\n");
}

#[test]
fn white_space_that_is_overlooked_is_taken_from_the_side_that_changed_more() {
    let options = MergeOptions { whitespace: Whitespace::IgnoreAmount, ..MergeOptions::git_merge() };
    let merge = merge(&content("a b\nc\nd\n"), &content("a  b\nc\nd\n"), &content("a b\nc\nD\n"), &options);
    assert_eq!(merge.conflicts(), 0);
    // Ours changed nothing that counts, so theirs is the result, as git has it.
    assert_eq!(merge.compose(&merge.accepted(), &MarkerFormat::default()).bytes, b"a b\nc\nD\n");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::collection::vec("[a-d{}]?\n", 0..30).prop_map(|lines| lines.concat()),
        proptest::collection::vec("[a-c]\r?\n", 0..20).prop_map(|lines| lines.concat()),
        "[ab\n]{0,30}",
    ]
}

fn any_options() -> impl Strategy<Value = MergeOptions> {
    let algorithm = prop_oneof![Just(Algorithm::Myers), Just(Algorithm::Histogram)];
    let level = prop_oneof![Just(Level::Minimal), Just(Level::Eager), Just(Level::Zealous), Just(Level::ZealousAlnum)];
    let style = prop_oneof![Just(MarkerStyle::Merge), Just(MarkerStyle::Diff3), Just(MarkerStyle::ZealousDiff3)];
    let whitespace = prop_oneof![
        3 => Just(Whitespace::Exact),
        1 => Just(Whitespace::IgnoreCr),
        1 => Just(Whitespace::IgnoreEnd),
        1 => Just(Whitespace::IgnoreAmount),
        1 => Just(Whitespace::IgnoreAll),
    ];
    (algorithm, whitespace, level, style).prop_map(|(algorithm, whitespace, level, style)| MergeOptions {
        algorithm,
        whitespace,
        level,
        style,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn chunks_are_the_whole_of_each_text(base in text(), ours in text(), theirs in text(), options in any_options()) {
        merge(&content(base), &content(ours), &content(theirs), &options);
    }

    #[test]
    fn a_side_that_changed_nothing_lets_the_other_win(base in text(), other in text(), options in any_options()) {
        let (base, other) = (content(base), content(other));
        for (ours, theirs) in [(&base, &other), (&other, &base)] {
            let merge = merge(&base, ours, theirs, &options);
            prop_assert_eq!(merge.conflicts(), 0);
            let composed = merge.compose(&merge.accepted(), &MarkerFormat::default());
            if options.whitespace == Whitespace::Exact {
                prop_assert_eq!(composed.bytes, other.bytes().to_vec());
            }
        }
    }

    #[test]
    fn the_same_change_on_both_sides_is_the_result(base in text(), both in text(), options in any_options()) {
        prop_assume!(options.level != Level::Minimal);
        let both = content(both);
        let merge = merge(&content(base), &both, &both, &options);
        prop_assert_eq!(merge.conflicts(), 0);
        prop_assert_eq!(merge.compose(&merge.accepted(), &MarkerFormat::default()).bytes, both.bytes().to_vec());
    }

    #[test]
    fn sides_change_places(base in text(), ours in text(), theirs in text(), style in 0..3) {
        let style = [MarkerStyle::Merge, MarkerStyle::Diff3, MarkerStyle::ZealousDiff3][style as usize];
        let options = MergeOptions { level: Level::Eager, style, ..MergeOptions::git_merge() };
        let (base, ours, theirs) = (content(base), content(ours), content(theirs));
        let there = merge(&base, &ours, &theirs, &options);
        let back = merge(&base, &theirs, &ours, &options);
        prop_assert_eq!(there.conflicts(), back.conflicts());
    }

    #[test]
    fn the_whole_of_a_side_comes_out_where_it_is_taken_everywhere(
        base in text(), ours in text(), theirs in text(), options in any_options(),
    ) {
        let merge = merge(&content(base), &content(ours), &content(theirs), &options);
        for (take, version) in [(Take::Base, Version::Base), (Take::Ours, Version::Ours), (Take::Theirs, Version::Theirs)] {
            let takes = vec![Some(take); merge.chunks().len()];
            prop_assert_eq!(
                merge.compose(&takes, &MarkerFormat::default()).bytes,
                merge.content(version).bytes().to_vec()
            );
        }
    }
}
