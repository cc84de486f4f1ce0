//! Resolving conflicts: in a repository, and for git's mergetool.

use std::path::{Path, PathBuf};

use diff::source::Comparison;
use recto::app::Startup;
use recto::state::conflicts::ToolFiles;
use recto::state::reviews::Request;

use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// Lines of which some are replaced.
fn lines(replaced: &[(usize, &str)]) -> String {
    let line =
        |n: usize| replaced.iter().find(|(at, _)| *at == n).map_or(format!("line {n}"), |(_, text)| (*text).to_owned());
    (1..=30).map(|n| line(n) + "\n").collect()
}

/// A repository in the middle of merging `topic` into `main`, given what each has of some files; none is a deleted file.
fn merging(files: &[(&str, &str, Option<&str>, Option<&str>)], style: &str) -> Scratch {
    let base: Vec<_> = files.iter().map(|(name, base, ..)| (*name, *base)).collect();
    let repo = Scratch::repository(&base);
    repo.git(&["config", "merge.conflictStyle", style]);
    let change = |version: fn(&(&str, &str, Option<&str>, Option<&str>)) -> Option<String>| {
        for file in files {
            match version(file) {
                Some(text) => repo.write(file.0, &text),
                None => repo.git(&["rm", "-q", file.0]),
            }
        }
        repo.git(&["commit", "-qam", "change"]);
    };
    repo.git(&["checkout", "-q", "-b", "topic"]);
    change(|(.., theirs)| theirs.map(str::to_owned));
    repo.git(&["checkout", "-q", "main"]);
    change(|(_, _, ours, _)| ours.map(str::to_owned));
    repo.git_stops(&["merge", "-q", "topic"]);
    repo
}

/// Two conflicts, and a change of each side that conflicts with nothing.
fn two_conflicts(style: &str) -> Scratch {
    let ours = lines(&[(3, "ours 3"), (20, "ours 20"), (28, "ours 28")]);
    let theirs = lines(&[(3, "theirs 3"), (10, "theirs 10"), (20, "theirs 20")]);
    merging(&[("a.txt", &lines(&[]), Some(&ours), Some(&theirs))], style)
}

#[test]
fn a_conflict_is_resolved_from_start_to_end() {
    let (home, repo) = (Home::new(), two_conflicts("merge"));
    let mut window = Window::on(&home, &[repo.path()]);
    window.click("Resolve a.txt");
    window.check_says("Merging topic");
    window.check_says("2 of 2 conflicts left");
    window.check_says("1 of 1 files left");
    let text = window.text();
    assert!(text.contains("line 2\n(conflict 1)\nline 4\n"), "a conflict is a block, and no markers\n{text}");
    assert!(text.contains("theirs 10\n") && text.contains("ours 28\n"), "what does not conflict is in\n{text}");
    assert!(window.page().contains("Ours:\nline 1\nline 2\nours 3\n"), "{}", window.page());

    window.keys("o");
    window.check_says("1 of 2 conflicts left");
    window.keys("j b");
    window.check_says("No conflict left");
    window.keys("Ctrl+Z");
    window.check_says("1 of 2 conflicts left");
    window.keys("t");
    window.check_says("No conflict left");
    assert!(repo.read("a.txt").contains("<<<<<<<"), "nothing is written unasked");

    window.keys("Ctrl+Enter");
    let resolved = lines(&[(3, "ours 3"), (10, "theirs 10"), (20, "theirs 20"), (28, "ours 28")]);
    assert_eq!(repo.read("a.txt"), resolved);
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "M  a.txt\n");
    window.check_says("Every conflict is resolved");
    window.check_says("A commit concludes merging topic.");

    window.click("Open the conflict in a.txt again");
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "UU a.txt\n");
    window.check_says("No conflict left");
}

#[test]
fn the_result_is_a_document_like_any_other() {
    let repo = two_conflicts("diff3");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.click("Resolve a.txt");
    // Typed above the conflicts: they are still known below.
    window.keys("e");
    let text = window.text();
    assert!(text.contains("<<<<<<< HEAD\nours 3\n||||||| "), "the markers are seen when it is edited by hand\n{text}");
    window.keys("Ctrl+Home 'new' Enter Escape");
    window.check_says("2 of 2 conflicts left");
    window.keys("j k t");
    window.check_says("1 of 2 conflicts left");
    window.keys("Ctrl+S");
    let saved = repo.read("a.txt");
    assert!(saved.starts_with("new\nline 1\nline 2\ntheirs 3\nline 4\n"), "{saved}");
    assert!(
        saved.contains("<<<<<<< HEAD\nours 20\n||||||| "),
        "what is left keeps its markers and their style\n{saved}"
    );
    window.keys("Ctrl+Enter");
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "UU a.txt\n", "one is left");
    window.check_says("One conflict is left in this file");

    // Somebody else goes on with the file.
    repo.write("a.txt", &lines(&[(5, "elsewhere")]));
    window.look_at_files();
    window.rest();
    window.check_says("No conflict left");
    assert!(window.text().contains("elsewhere\n"), "{}", window.text());
}

#[test]
fn work_that_was_begun_elsewhere_is_gone_on_with() {
    let repo = two_conflicts("merge");
    let half = repo.read("a.txt").replacen("<<<<<<< HEAD\nours 3\n=======\ntheirs 3\n>>>>>>> topic\n", "by hand\n", 1);
    repo.write("a.txt", &half);
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.click("Resolve a.txt");
    window.check_says("1 of 2 conflicts left");
    assert!(window.text().contains("line 2\nby hand\nline 4\n"), "{}", window.text());
    window.keys("o Ctrl+Enter");
    assert!(repo.read("a.txt").contains("by hand\n") && repo.read("a.txt").contains("ours 20\n"));
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "M  a.txt\n");
}

#[test]
fn carriage_returns_are_kept() {
    let dos = |text: &str| text.replace('\n', "\r\n");
    let (base, ours, theirs) =
        (dos(&lines(&[])), dos(&lines(&[(3, "ours 3"), (20, "o")])), dos(&lines(&[(3, "theirs 3"), (20, "t")])));
    let repo = merging(&[("a.txt", &base, Some(&ours), Some(&theirs))], "merge");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.click("Resolve a.txt");
    window.keys("b Ctrl+S");
    let saved = repo.read("a.txt");
    assert!(saved.contains("line 2\r\nours 3\r\ntheirs 3\r\nline 4\r\n"), "{saved:?}");
    assert!(saved.contains("=======\r\n"), "{saved:?}");
    assert!(!saved.replace("\r\n", "").contains(['\r', '\n']), "every line ends alike\n{saved:?}");
}

#[test]
fn words_of_both_sides_are_put_together_when_asked() {
    let text = |words: &str| lines(&[(3, words)]);
    let (base, ours, theirs) =
        ("let total = sum(items, 10);", "let total = sum(entries, 10);", "let total = sum(items, 20);");
    let repo = merging(&[("a.rs", &text(base), Some(&text(ours)), Some(&text(theirs)))], "merge");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.click("Resolve a.rs");
    window.click("Merge the words of both, conflict 1");
    assert!(window.text().contains("let total = sum(entries, 20);\n"), "{}", window.text());
    window.check_says("No conflict left");
}

#[test]
fn a_file_that_one_side_deleted_is_taken_or_deleted_as_a_whole() {
    let repo =
        merging(&[("a.txt", "1\n", None, Some("2\n")), ("b.txt", "1\n", Some("ours\n"), Some("theirs\n"))], "merge");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("Ctrl+Shift+P 'Resolve Conflicts' Enter");
    window.check_says("Ours deleted it, theirs changed it.");
    window.click("Delete the file");
    assert!(!repo.file("a.txt").exists());
    window.check_says("1 of 2 files left");
    window.check_says("1 of 1 conflict left");
    window.click("✓ a.txt, resolved");
    window.click("Open the conflict in a.txt again");
    assert_eq!(repo.read("a.txt"), "2\n", "what lay there lies there again");
    window.click("Take theirs");
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "A  a.txt\nUU b.txt\n");
}

/// The files that git gives to a mergetool.
fn tool(repo: &Scratch) -> ToolFiles {
    let path = |name: &str| repo.file(name);
    for (stage, name) in [(":1:a.txt", "BASE"), (":2:a.txt", "LOCAL"), (":3:a.txt", "REMOTE")] {
        repo.write(name, &repo.git_says(&["show", stage]));
    }
    ToolFiles { base: Some(path("BASE")), local: path("LOCAL"), remote: path("REMOTE"), merged: path("a.txt") }
}

fn merging_tool(home: &Home, files: ToolFiles) -> Window {
    Window::start(home, Startup { merge: Some(files), tool: true, ..Startup::default() })
}

#[test]
fn a_mergetool_succeeds_when_it_saved_and_nothing_is_left() {
    let (home, repo) = (Home::new(), two_conflicts("merge"));
    let mut window = merging_tool(&home, tool(&repo));
    window.check_says("2 of 2 conflicts left");
    let verdict = window.app().verdict().unwrap_err();
    assert!(verdict.ends_with("a.txt was not saved: the conflict is as it was"), "{verdict}");

    window.keys("o Ctrl+S");
    let verdict = window.app().verdict().unwrap_err();
    assert!(verdict.starts_with("one conflict is left in "), "{verdict}");
    window.keys("j o");
    assert!(window.app().verdict().is_err(), "it is not saved");
    window.click("Save and close");
    assert!(window.headless().is_closed());
    assert_eq!(window.app().verdict(), Ok(()));
    assert!(!repo.read("a.txt").contains("<<<<<<<"));
    assert!(!home.paths().sessions().exists(), "nothing is remembered of such a window");
}

#[test]
fn closing_a_mergetool_asks_about_what_is_not_saved() {
    let (home, repo) = (Home::new(), two_conflicts("merge"));
    let mut window = merging_tool(&home, tool(&repo));
    window.keys("o j o");
    window.headless().close();
    window.rest();
    assert!(!window.headless().is_closed());
    window.click("Cancel");
    assert!(!window.headless().is_closed());
    window.headless().close();
    window.rest();
    window.click("Save");
    assert!(window.headless().is_closed());
    assert_eq!(window.app().verdict(), Ok(()));

    let mut window = merging_tool(&home, tool(&two_conflicts("merge")));
    window.headless().close();
    window.rest();
    assert!(window.headless().is_closed(), "nothing was changed, nothing is asked");
    assert!(window.app().verdict().is_err());
}

#[cfg(unix)]
#[test]
fn edits_in_a_difftool_of_folders_reach_the_files_that_are_linked() {
    let (home, repo) = (Home::new(), Scratch::folder(&[("tree/a.txt", "new\n"), ("left/a.txt", "old\n")]));
    std::fs::create_dir(repo.file("right")).unwrap();
    std::os::unix::fs::symlink(repo.file("tree/a.txt"), repo.file("right/a.txt")).unwrap();
    let (old, new): (PathBuf, PathBuf) = (repo.file("left"), repo.file("right"));
    let compared = Comparison::of_paths(&old, &new).unwrap();
    let review = Some(Request::Found(compared));
    let mut window = Window::start(&home, Startup { review, tool: true, ..Startup::default() });
    assert_eq!(window.counts(), (1, 1));
    window.keys("e 'very ' Ctrl+S");
    assert_eq!(repo.read("tree/a.txt"), "very new\n");
    assert!(std::fs::symlink_metadata(repo.file("right/a.txt")).unwrap().is_symlink());
}

#[test]
fn a_difftool_of_an_added_file_has_an_empty_side() {
    let repo = Scratch::repository(&[("added.txt", "fresh\n")]);
    let found = Comparison::of_paths(Path::new("/dev/null"), &repo.file("added.txt")).unwrap();
    let window = Window::reviewing(&Home::new(), Request::Found(found));
    assert_eq!(window.counts(), (1, 0));
    assert!(window.page().contains("+fresh\n"), "{}", window.page());
}
