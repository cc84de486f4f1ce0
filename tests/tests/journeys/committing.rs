//! Staging, discarding and committing out of a review.

use diff::source::Source;
use recto::state::reviews::Request;

use crate::scratch::{Scratch, numbered};
use crate::window::{Home, Window};

/// A repository with a file of five changed lines, and one of two changed places.
fn changed() -> Scratch {
    let repo = Scratch::repository(&[("a.txt", "a\nb\nc\nd\ne\n"), ("long.txt", &numbered(60, &[]))]);
    repo.write("a.txt", "A\nB\nC\nD\nE\n");
    repo.write("long.txt", &numbered(60, &[10, 50]));
    repo
}

fn staged(repo: &Scratch, path: &str) -> String {
    repo.git_says(&["show", &format!(":{path}")])
}

#[test]
fn two_lines_are_staged_and_committed() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("Stage all and commit");
    for line in ["removed line 1", "added line 1", "removed line 5", "added line 5"] {
        window.click(&format!("{line} staged"));
    }
    assert_eq!(staged(&repo, "a.txt"), "A\nb\nc\nd\nE\n");
    window.check_says("partly staged");
    window.check_says("Commit 1 staged");
    assert_eq!(window.counts(), (7, 7), "what is compared with HEAD is still all there");

    window.keys("Ctrl+K Ctrl+M 'Two lines' Enter Enter 'Why not more.' Ctrl+Enter");
    assert_eq!(repo.git_says(&["log", "-1", "--format=%an%n%B"]).trim_end(), "Ann\nTwo lines\n\nWhy not more.");
    assert_eq!(repo.git_says(&["show", "HEAD:a.txt"]), "A\nb\nc\nd\nE\n");
    window.check_says("Committed");
    assert_eq!(window.counts(), (5, 5), "the review is against the new commit");
    assert_eq!(repo.read("a.txt"), "A\nB\nC\nD\nE\n");
    assert_eq!(window.app().state.commits.about(&repo.file(".git")).unwrap().recent[0], "Two lines\n\nWhy not more.");
}

#[test]
fn hunks_and_files_are_staged_and_unstaged_by_keys() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("n j j");
    window.keys("s");
    assert_eq!(staged(&repo, "long.txt"), numbered(60, &[50]), "the hunk that was gone to");
    window.keys("Alt+S");
    assert_eq!(staged(&repo, "long.txt"), numbered(60, &[10, 50]));
    window.keys("Shift+S");
    assert_eq!(staged(&repo, "long.txt"), numbered(60, &[10]));
    window.keys("Alt+Shift+S");
    assert_eq!(staged(&repo, "long.txt"), numbered(60, &[]));
    assert_eq!(repo.git_says(&["diff", "--cached", "--stat"]), "");
}

#[test]
fn the_page_stays_where_it_is_while_hunks_leave_it() {
    let (home, repo) = (Home::new(), changed());
    let folder = repo.path().to_owned();
    let mut window = Window::reviewing(&home, Request::Source { folder, source: Source::Unstaged });
    assert_eq!(window.counts(), (7, 7));
    window.keys("n j");
    window.keys("s");
    assert_eq!(staged(&repo, "long.txt"), numbered(60, &[10]));
    assert_eq!(window.counts(), (6, 6), "what is staged is no more unstaged");
    let page = window.page();
    assert!(page.contains("+line 50 changed\n"), "{page}");
    window.keys("Alt+S");
    let paths: Vec<_> = window.review().page.files().iter().map(|file| file.change.path.to_string()).collect();
    assert_eq!(paths, ["a.txt"], "nothing of it is left");
    assert_eq!(repo.git_says(&["diff", "--name-only"]), "a.txt\n");
}

#[test]
fn selected_lines_are_staged_while_editing_with_text_that_is_not_saved() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("e 'x' Shift+Down");
    window.keys("Ctrl+K Ctrl+Alt+S");
    assert_eq!(staged(&repo, "a.txt"), "a\nb\nxA\nB\nc\nd\ne\n");
    assert_eq!(repo.read("a.txt"), "A\nB\nC\nD\nE\n", "the disk is as it was");
    window.check_says("what is on disk was not saved");
}

#[test]
fn what_is_discarded_comes_back() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("n j");
    window.keys("Shift+D");
    assert_eq!(repo.read("long.txt"), numbered(60, &[50]));
    assert_eq!(window.counts(), (6, 6));
    window.check_says("Discarded a hunk of long.txt.");
    window.keys("Ctrl+Z");
    assert_eq!(repo.read("long.txt"), numbered(60, &[10, 50]));
    assert_eq!(window.counts(), (7, 7));

    window.click("Discard a.txt");
    assert_eq!(repo.read("a.txt"), "a\nb\nc\nd\ne\n");
    window.keys("Ctrl+Z");
    assert_eq!(repo.read("a.txt"), "A\nB\nC\nD\nE\n");
}

#[test]
fn what_is_discarded_leaves_the_index_and_comes_back_to_it() {
    let (home, repo) = (Home::new(), changed());
    repo.git(&["add", "a.txt"]);
    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("Unstage a.txt");
    window.click("Discard a.txt");
    assert_eq!(repo.git_says(&["status", "--porcelain"]), " M long.txt\n");
    window.keys("Ctrl+Z");
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "M  a.txt\n M long.txt\n");
}

#[test]
fn unsaved_text_is_discarded_in_the_editor() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("e 'typed ' Escape");
    assert!(window.page().contains("+typed A\n"), "{}", window.page());
    window.keys("Shift+D");
    assert!(!window.page().contains("typed A\n"), "{}", window.page());
    assert_eq!(repo.read("a.txt"), "A\nB\nC\nD\nE\n", "the disk is as it was");
    window.keys("Ctrl+Z");
    assert!(window.page().contains("+typed A\n"), "{}", window.page());
}

#[test]
fn the_last_commit_is_amended_with_its_message() {
    let (home, repo) = (Home::new(), changed());
    repo.git(&["commit", "-qam", "First words"]);
    repo.write("a.txt", "a\nb\nc\nd\nnew\n");
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("Alt+S");
    window.headless().act(recto::commands::Command::AmendCommit);
    window.rest();
    window.check_says("Amend with 1 staged");
    window.keys("Ctrl+End ', and more' Ctrl+Enter");
    assert_eq!(repo.git_says(&["log", "--format=%s"]), "First words, and more\nstart\n");
    assert_eq!(repo.git_says(&["show", "HEAD:a.txt"]), "a\nb\nc\nd\nnew\n");
}

#[cfg(unix)]
#[test]
fn what_a_hook_says_is_shown_and_the_message_stays() {
    use std::os::unix::fs::PermissionsExt;
    let (home, repo) = (Home::new(), changed());
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'no tabs, please'\nexit 1\n");
    let hook = repo.file(".git/hooks/pre-commit");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("Alt+S Ctrl+K Ctrl+M 'Tabs' Ctrl+Enter");
    window.check_says("Nothing was committed");
    window.check_says("no tabs, please");
    assert_eq!(repo.git_says(&["log", "--format=%s"]), "start\n");

    window.click("How to commit");
    window.click("Skip hooks");
    window.click("Commit 1 staged");
    assert_eq!(repo.git_says(&["log", "--format=%s"]), "Tabs\nstart\n");
}

#[test]
fn everything_is_staged_and_committed_if_nothing_is() {
    let (home, repo) = (Home::new(), changed());
    repo.write("new.txt", "n\n");
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("Ctrl+K Ctrl+M 'All of it'");
    window.click("Stage all and commit");
    assert_eq!(repo.git_says(&["status", "--porcelain"]), "");
    assert!(window.review().page.files().is_empty());
    window.check_says("Nothing differs");
}
