//! Ticks: what was viewed folds and is counted, comes back after a restart, and opens again where it changed.

use std::time::Duration;

use diff::ticks::Viewed;
use recto::state::reviews::Request;

use crate::scratch::{Scratch, numbered};
use crate::window::{Home, Window};

const PATIENCE: Duration = Duration::from_mins(1);

/// Twelve files, each changed in two places, in two commits.
fn twelve() -> Scratch {
    let name = |n: usize| format!("src/part{n:02}.txt");
    let repo = Scratch::repository(&[("readme.txt", "twelve\n")]);
    (1..=12).for_each(|n| repo.write(&name(n), &numbered(80, &[])));
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "before"]);
    (1..=12).for_each(|n| repo.write(&name(n), &numbered(80, &[10, 60])));
    repo.git(&["commit", "-qam", "after"]);
    repo
}

fn range(repo: &Scratch) -> Request {
    Request::Revisions { folder: repo.path().to_owned(), words: "HEAD~1..HEAD".to_owned() }
}

fn viewed(window: &Window) -> Vec<Viewed> {
    window.review().page.files().iter().map(|file| file.viewed).collect()
}

#[test]
fn a_range_is_viewed_file_by_file_and_stays_so_after_a_restart() {
    let (home, repo) = (Home::new(), twelve());
    let mut window = Window::reviewing(&home, range(&repo));
    window.check_says("0 of 12 viewed");

    window.keys("v");
    window.check_says("1 of 12 viewed");
    let first = window.review().page.file(0).unwrap();
    assert_eq!((first.viewed, first.folded), (Viewed::Yes, true), "what was viewed folds");
    window.keys("v");
    window.check_says("0 of 12 viewed");
    assert!(!window.review().page.file(0).unwrap().folded);

    for done in 1..=12 {
        window.keys("Shift+V");
        window.check_says(&format!("{done} of 12 viewed"));
    }
    window.exit();

    let window = Window::reviewing(&home, range(&repo));
    window.check_says("12 of 12 viewed");
    assert!(window.review().page.files().iter().all(|file| file.folded));
}

#[test]
fn boxes_in_the_header_and_in_the_tree_do_the_same() {
    let (home, repo) = (Home::new(), twelve());
    let mut window = Window::reviewing(&home, range(&repo));
    window.click("Viewed: src/part01.txt");
    window.check_says("1 of 12 viewed");
    window.click("part03.txt");
    window.check_says("2 of 12 viewed");
    assert_eq!(viewed(&window)[..4], [Viewed::Yes, Viewed::No, Viewed::Yes, Viewed::No]);
    window.keys("b");
    assert_eq!(window.review().page.progress().come_back, 1);
    window.check_says("come back");
}

#[test]
fn hunks_are_ticked_one_by_one_and_the_next_open_one_is_found() {
    let (home, repo) = (Home::new(), twelve());
    let mut window = Window::reviewing(&home, range(&repo));
    window.keys("j h");
    assert_eq!(viewed(&window)[0], Viewed::Part { seen: 1, of: 2 });
    window.check_says("1 of 2 viewed");
    window.keys("h");
    assert_eq!(viewed(&window)[0], Viewed::Yes, "the last hunk makes the file viewed");
    window.check_says("1 of 12 viewed");
    window.keys("Shift+H");
    assert_eq!(window.review().page.index().height(0), 0, "viewed files are off the page");
    window.keys("Shift+H");
    assert!(window.review().page.index().height(0) > 0);
}

#[test]
fn a_viewed_file_opens_again_where_it_changed_and_says_so() {
    let repo = Scratch::repository(&[("a.txt", &numbered(80, &[])), ("b.txt", &numbered(80, &[]))]);
    repo.write("a.txt", &numbered(80, &[10, 60]));
    repo.write("b.txt", &numbered(80, &[10]));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("Shift+V Shift+V");
    window.check_says("2 of 2 viewed");

    repo.write("a.txt", &numbered(80, &[10, 40, 60]));
    window.keys("F5");
    assert_eq!(viewed(&window), [Viewed::Part { seen: 2, of: 3 }, Viewed::Yes]);
    window.check_says("changed since viewed");
    let files = window.review().page.files();
    assert_eq!((files[0].folded, files[1].folded), (false, true));
}

#[test]
fn typing_into_a_viewed_file_opens_only_its_hunk() {
    let repo = Scratch::repository(&[("a.txt", &numbered(80, &[]))]);
    repo.write("a.txt", &numbered(80, &[10, 60]));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("j h h");
    assert_eq!(viewed(&window), [Viewed::Yes]);
    window.keys("v j h"); // open again, its first hunk ticked
    assert_eq!(viewed(&window), [Viewed::Part { seen: 1, of: 2 }]);
    window.keys("j e End 'x' Escape");
    assert_eq!(viewed(&window), [Viewed::Part { seen: 1, of: 2 }], "the other hunk is as it was");
}

#[test]
fn two_windows_on_one_repository_do_not_lose_each_others_ticks() {
    let (home, repo) = (Home::new(), twelve());
    let mut one = Window::reviewing(&home, range(&repo));
    let mut other = Window::reviewing(&home, range(&repo));
    one.click("Viewed: src/part01.txt");
    other.click("part05.txt");
    for window in [&mut one, &mut other] {
        window.headless().app_mut().state.desk.look();
        let all =
            |app: &mut recto::app::App| app.state.reviews.iter().all(|(_, review)| review.page.progress().viewed == 2);
        if window.review().page.progress().viewed < 2 {
            window.headless().run_until("tick of the other window", PATIENCE, all).unwrap();
        }
        window.rest();
        window.check_says("2 of 12 viewed");
        assert_eq!((viewed(window)[0], viewed(window)[4]), (Viewed::Yes, Viewed::Yes));
    }
}
