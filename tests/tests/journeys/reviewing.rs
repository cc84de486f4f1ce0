//! Reading a change and editing inside it.

use recto::state::reviews::{Request, Stage};

use crate::scratch::{Scratch, numbered};
use crate::window::{Home, Window};

/// A repository with two changed files, one of them in two places, and a new one.
fn changed() -> Scratch {
    let repo = Scratch::repository(&[
        ("src/long.txt", &numbered(200, &[])),
        ("src/short.rs", "fn main() {\n    old();\n}\n"),
        ("same.txt", "same\n"),
    ]);
    repo.write("src/long.txt", &numbered(200, &[10, 150]));
    repo.write("src/short.rs", "fn main() {\n    new();\n}\n");
    repo.write("added.txt", "fresh\n");
    repo
}

#[test]
fn a_repository_with_changes_opens_on_its_review() {
    let (home, repo) = (Home::new(), changed());
    let window = Window::on(&home, &[repo.path()]);
    assert_eq!(window.counts(), (4, 3));
    let paths: Vec<_> = window.review().page.files().iter().map(|file| file.change.path.to_string()).collect();
    assert_eq!(paths, ["added.txt", "src/long.txt", "src/short.rs"]);
    let page = window.page();
    for row in ["+fresh\n", "-line 10\n", "+line 10 changed\n", " line 9\n"] {
        assert!(page.contains(row), "no row {row:?} in\n{page}");
    }
    assert!(!page.contains("line 50\n"), "context is hidden\n{page}");
}

#[test]
fn a_line_that_only_ends_otherwise_says_how_it_ends() {
    let repo = Scratch::repository(&[("a.txt", "one\r\ntwo\r\nthree\r\n"), ("b.txt", "one\ntwo\n")]);
    repo.write("a.txt", "one\r\ntwo\nthree\r\n");
    repo.write("b.txt", "one\ntwo");
    let window = Window::on(&Home::new(), &[repo.path()]);
    let page = window.page();
    for row in ["-two (CRLF)\n", "+two (LF)\n", " three\n", "-two (LF)\n", "+two (no newline at end)\n"] {
        assert!(page.contains(row), "no row {row:?} in\n{page}");
    }
}

#[test]
fn a_lone_carriage_return_ends_no_line() {
    let repo = Scratch::repository(&[("a.txt", "a\rb\nsame\n")]);
    repo.write("a.txt", "a\rc\nsame\n");
    let window = Window::on(&Home::new(), &[repo.path()]);
    assert_eq!(window.counts(), (1, 1));
    assert!(window.page().contains("-a\rb\n+a\rc\n same\n"), "{:?}", window.page());
}

#[test]
fn the_caret_goes_by_what_is_read_as_one_character() {
    let repo = Scratch::repository(&[("a.txt", "e\u{301}x\n👩‍👩‍👧a\n漢字\nשלום\n")]);
    repo.write("a.txt", "e\u{301}xy\n👩‍👩‍👧ab\n漢字c\nשלוםd\n");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("e Ctrl+Home Right 'X' Down Home Right 'X' Down Home Right 'X' Down Home Right 'X'");
    let page = window.page();
    for row in ["+e\u{301}Xxy\n", "+👩‍👩‍👧Xab\n", "+漢X字c\n", "+שXלוםd\n"] {
        assert!(page.contains(row), "no row {row:?} in\n{page}");
    }
}

#[test]
fn a_clean_repository_opens_on_its_files() {
    let repo = Scratch::repository(&[("readme.txt", "hello\n")]);
    let window = Window::on(&Home::new(), &[repo.path()]);
    window.check_says("readme.txt");
}

#[test]
fn keys_go_from_hunk_to_hunk_and_file_to_file() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    let at = |window: &Window| {
        let anchor = window.review_pane().anchor();
        (anchor.file, anchor.row)
    };
    let start = at(&window);
    for _ in 0..6 {
        window.keys("j");
    }
    let page = window.page();
    assert!(page.contains("+    new();"), "the last hunk is in view\n{page}");
    for _ in 0..6 {
        window.keys("k");
    }
    assert_eq!(at(&window), start, "back at the first hunk");
}

#[test]
fn the_new_side_is_the_file_itself() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    let before = window.counts();

    // The first file is the added one: its first line is where the caret goes.
    window.keys("e");
    assert!(window.review_pane().is_editing());
    window.keys("'typed here' Enter");
    assert_eq!(window.counts(), (before.0 + 1, before.1), "compared again at each key");
    assert!(window.page().contains("+typed here\n"), "{}", window.page());
    assert_eq!(repo.read("added.txt"), "fresh\n", "nothing is written unasked");

    window.keys("Ctrl+S");
    assert_eq!(repo.read("added.txt"), "typed here\nfresh\n");

    window.keys("Ctrl+Z Ctrl+Z Ctrl+Z");
    assert_eq!(window.counts(), before, "undo works after saving");
    window.keys("Ctrl+S Escape");
    assert!(!window.review_pane().is_editing());
    assert_eq!(repo.read("added.txt"), "fresh\n");
}

#[test]
fn split_and_unified_show_the_same_change() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    let split = window.review().page.index().total();
    window.keys("u");
    let unified = window.review().page.index().total();
    assert!(unified > split, "changed lines stand below each other: {unified} rows, {split} beside each other");
    assert_eq!(window.counts(), (4, 3));
    window.keys("u");
    assert_eq!(window.review().page.index().total(), split);
}

#[test]
fn wrapped_lines_are_whole_on_screen_and_can_be_edited() {
    let long = "word ".repeat(60);
    let repo = Scratch::repository(&[("a.txt", &format!("first\n{long}\nlast\n"))]);
    repo.write("a.txt", &format!("first\n{long}end\nlast\n"));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    let rows = window.review().page.index().total();
    window.keys("w");
    let wrapped = window.review().page.index().total();
    assert!(wrapped >= rows + 3, "300 columns take several rows: {wrapped} instead of {rows}");
    window.keys("e Ctrl+End 'more'");
    assert_eq!(window.counts(), (2, 1), "typed below what is wrapped");
    window.keys("Escape w");
    assert_eq!(window.review().page.wrap(), None);
}

#[test]
fn up_and_down_go_by_rows_where_a_line_is_wrapped() {
    let long = "word ".repeat(60);
    let repo = Scratch::repository(&[("a.txt", &format!("first\n{long}\nlast\n"))]);
    repo.write("a.txt", &format!("first\n{long}end\nlast\n"));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("w e Ctrl+Home Down Down 'X'");
    let page = window.page();
    assert!(page.contains("+word word") && page.contains(" Xword"), "the second row of the line\n{page}");
    window.keys("Up Home 'Y'");
    assert!(window.page().contains("+Yword word"), "and back in the first\n{}", window.page());
}

#[test]
fn shorter_rows_between_do_not_change_the_column() {
    let long = "word ".repeat(60);
    let repo = Scratch::repository(&[("a.txt", &format!("abcdefghij\nab\n{long}\nlast\n"))]);
    repo.write("a.txt", &format!("abcdefghij\nab\n{long}end\nlast\n"));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("w e Ctrl+Home Right Right Right Right Right Right Right Down Down 'X'");
    assert!(window.page().contains("+word woXrd"), "over a short line into a wrapped one\n{}", window.page());
    window.keys("Up Up 'Y'");
    assert!(window.page().contains("+abcdefghYij"), "and back\n{}", window.page());
}

#[test]
fn white_space_can_be_overlooked() {
    let repo = Scratch::repository(&[("a.txt", "one\n  two\nthree\nfour\n")]);
    repo.write("a.txt", "one\n\ttwo\nthree\nFOUR\n");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    assert_eq!(window.counts(), (2, 2));
    window.click("White space: none ignored");
    window.click("White space: all ignored");
    assert_eq!(window.counts(), (1, 1), "only what reads differently is left");
    window.check_says("white space of 1 line hidden");
    window.click("White space: all ignored");
    window.click("White space: none ignored");
    assert_eq!(window.counts(), (2, 2));
}

#[test]
fn a_folded_file_has_no_rows() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    let rows = window.review().page.index().total();
    window.keys("x");
    assert!(window.review().page.file(0).unwrap().folded);
    assert!(window.review().page.index().total() < rows);
    window.keys("x");
    assert_eq!(window.review().page.index().total(), rows);
}

#[test]
fn a_change_from_outside_is_seen_after_a_refresh() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    repo.write("same.txt", "different\n");
    window.keys("F5");
    assert_eq!(window.counts(), (5, 4));
}

#[test]
fn a_folder_without_a_repository_says_so() {
    let folder = Scratch::folder(&[("a.txt", "a\n")]);
    let window = Window::reviewing(&Home::new(), Request::WorkingTree(folder.path().to_owned()));
    assert!(matches!(window.review().stage, Stage::Failed(_)));
    window.check_says("is not in a git repository");
    window.check_says("Try again");
}

#[test]
fn a_patch_is_read_with_its_own_numbers_and_nothing_else() {
    let patch = "diff --git a/src/x.rs b/src/x.rs\n--- a/src/x.rs\n+++ b/src/x.rs\n@@ -40,3 +40,3 @@ fn far()\n     one();\n\
                 -    two();\n+    three();\n     four();\n@@ -90 +90 @@\n-last\n+end\n";
    let found = diff::source::Comparison::of_patch("fix.patch", patch.as_bytes().to_vec()).unwrap();
    let mut window = Window::reviewing(&Home::new(), Request::Found(found));
    assert_eq!(window.counts(), (2, 2));
    assert_eq!(window.page(), "     one();\n-    two();\n+    three();\n     four();\n-last\n+end\n");
    window.check_says("read only");
    window.keys("o");
    assert!(!window.page().contains('\u{10}'), "what is not told is not shown: {}", window.page());
    window.keys("e");
    assert!(!window.review_pane().is_editing(), "there is no file behind it");
}

#[test]
fn a_merge_is_seen_against_one_parent_by_hand_and_against_all() {
    let repo = Scratch::repository(&[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "b\n")]);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("a.txt", "one\ntheirs\nthree\n");
    repo.git(&["commit", "-qam", "theirs"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", "one\nours\nthree\n");
    repo.write("b.txt", "B\n");
    repo.git(&["commit", "-qam", "ours"]);
    repo.git_stops(&["merge", "-q", "topic"]);
    repo.write("a.txt", "one\nby hand\nthree\n");
    repo.git(&["commit", "-qam", "merge"]);

    let request = Request::Revisions { folder: repo.path().to_owned(), words: "HEAD^!".to_owned() };
    let mut window = Window::reviewing(&Home::new(), request);
    assert_eq!(window.counts(), (1, 1));
    window.click("By hand");
    assert!(window.page().contains("->>>>>>> ") && window.page().contains("by hand\n"), "{}", window.page());
    window.click("All parents");
    assert_eq!(window.page(), "a.txt\n@@@ -1,3 -1,3 +1,3 @@@\n  one\n- ours\n -theirs\n++by hand\n  three\n");
    window.click("First parent");
    assert!(window.page().contains("-ours\n+by hand\n"), "{}", window.page());
    let merges = window.app().layout.panes().count();
    assert_eq!(merges, 3, "each view has one tab");
}

#[test]
fn a_bad_revision_says_so() {
    let repo = changed();
    let folder = repo.path().to_owned();
    let window = Window::reviewing(&Home::new(), Request::Revisions { folder, words: "nowhere..HEAD".to_owned() });
    window.check_says("nowhere");
}

/// A function that went from one file to another, indented on the way.
fn moved() -> Scratch {
    let body = "fn carry(items: &[u32]) -> u32 {\n    let sum = items.iter().sum();\n    sum + 1\n}\n";
    let repo = Scratch::repository(&[
        ("from.rs", &format!("fn before() {{}}\n{body}fn after() {{}}\n")),
        ("to.rs", "mod inner {\n}\n"),
    ]);
    repo.write("from.rs", "fn before() {}\nfn after() {}\n");
    let indented: String = body.lines().map(|line| format!("    {line}\n")).collect();
    repo.write("to.rs", &format!("mod inner {{\n{indented}}}\n"));
    repo
}

#[test]
fn a_moved_block_says_where_it_went_and_a_key_goes_there() {
    let (home, repo) = (Home::new(), moved());
    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("moved to to.rs, lines 2–5");
    window.check_says("moved from from.rs, lines 2–5");
    window.keys("j m");
    let cursor = window.review_pane().cursor().map(|at| at.file);
    assert_eq!(cursor, Some(1), "in the other file");
    window.keys("m");
    assert_eq!(window.review_pane().cursor().map(|at| at.file), Some(0), "and back");
}

#[test]
fn a_moved_block_that_is_edited_has_not_moved_any_more() {
    let (home, repo) = (Home::new(), moved());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("n e Down Down 'other '");
    assert!(!window.says("moved from from.rs, lines 2–5"), "{:?}", window.names());
}

#[test]
fn a_lock_file_is_folded_and_says_why_until_it_is_unfolded() {
    let (home, repo) = (Home::new(), Scratch::repository(&[("Cargo.lock", "one\n"), ("a.rs", "fn a() {}\n")]));
    repo.write("Cargo.lock", "two\n");
    repo.write("a.rs", "fn b() {}\n");
    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("lock file");
    assert!(!window.page().contains("+two"), "folded\n{}", window.page());
    window.keys("x");
    assert!(window.page().contains("+two"), "unfolded\n{}", window.page());
    window.keys("F5");
    assert!(window.page().contains("+two"), "and stays so\n{}", window.page());
}

#[test]
fn a_restart_finds_the_line_and_the_folds_of_a_review() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("x n j j");
    let before = window.page();
    assert!(before.contains("+line 150 changed\n"), "{before}");
    window.keys("Down Down Down");
    let before = window.page();
    window.exit();

    let window = Window::on(&home, &[]);
    assert!(window.review().page.file(0).unwrap().folded, "what was folded is");
    assert_eq!(window.page(), before, "the same rows are in view");
}
