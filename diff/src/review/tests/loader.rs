//! The loader: order, budget, cancelling.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::*;
use crate::review::{Counts, Loader, Outcome, PageRow};

/// Longer than anything here takes: what does not come by then never comes.
const NEVER: Duration = Duration::from_mins(1);

/// A loader whose threads start to work when they are let, and what it calls for.
struct Watched {
    loader: Loader,
    woken: Receiver<()>,
    /// Dropped to let the threads begin.
    gate: Option<Sender<()>>,
    /// Closed when the last thread has ended.
    ended: Receiver<()>,
    _folders: Folders,
}

impl Watched {
    fn start(folders: Folders, options: LoaderOptions) -> Self {
        Self::start_with(folders, 0..0, options)
    }

    fn start_with(folders: Folders, first: std::ops::Range<usize>, options: LoaderOptions) -> Self {
        let (wake, woken) = bounded(1);
        let (gate, closed) = bounded::<()>(0);
        let (alive, ended) = bounded::<()>(0);
        let comparison = folders.comparison.clone();
        let open = move || {
            let _ = closed.recv(); // until the gate is dropped
            let _held = &alive; // as long as a thread may open a reader
            comparison.reader()
        };
        let wake = move || {
            let _ = wake.try_send(()); // who was told and did not come yet need not be told again
        };
        let files = Arc::new(folders.changes.clone());
        let loader = Loader::start(files, first, options, open, Arc::new(wake)).unwrap();
        Self { loader, woken, gate: Some(gate), ended, _folders: folders }
    }

    /// Takes results until `done`.
    fn until(&mut self, mut done: impl FnMut(&Loader, &[Loaded]) -> bool) -> Vec<Loaded> {
        self.gate = None;
        let mut results = Vec::new();
        while !done(&self.loader, &results) {
            self.woken.recv_timeout(NEVER).expect("whoever waits is woken");
            while let Some(loaded) = self.loader.poll() {
                results.push(loaded);
            }
        }
        results
    }

    fn complete(&mut self) -> Vec<Loaded> {
        self.until(|loader, _| loader.is_complete())
    }
}

fn one_thread() -> LoaderOptions {
    LoaderOptions { threads: 1, ..LoaderOptions::default() }
}

fn files(results: &[Loaded]) -> Vec<usize> {
    results.iter().map(|loaded| loaded.file).collect()
}

#[test]
fn what_is_wanted_comes_first_and_everything_once() {
    let mut watched = Watched::start(Folders::of(8), one_thread());
    watched.loader.want([1]);
    watched.loader.want([5, 3]);
    assert_eq!(files(&watched.complete()), [5, 3, 0, 1, 2, 4, 6, 7], "the last wish counts, then the background");
}

#[test]
fn what_stands_first_need_not_be_asked_for() {
    let mut watched = Watched::start_with(Folders::of(3), 1..9, LoaderOptions { keep: 0, ..one_thread() });
    let kept: Vec<_> =
        watched.complete().iter().map(|l| (l.file, matches!(l.outcome, Outcome::Lines { .. }))).collect();
    assert_eq!(kept, [(1, true), (2, true), (0, false)]);
}

#[test]
fn every_file_is_counted_by_several_threads() {
    let mut watched = Watched::start(Folders::of(100), LoaderOptions::default());
    let results = watched.complete();
    let mut seen = files(&results);
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..100));
    for loaded in results {
        let Outcome::Lines { counts, .. } = loaded.outcome else { panic!("file {} has lines", loaded.file) };
        assert_eq!(counts, Counts { added: 1, removed: 1 });
    }
}

#[test]
fn what_waits_to_be_taken_is_told_of_when_there_is_no_room_for_more() {
    // More than may wait, and compared sooner than a wake-up for the background is due.
    let mut watched = Watched::start(Folders::of(1_200), LoaderOptions::default());
    assert_eq!(watched.complete().len(), 1_200);
}

#[test]
fn threads_end_when_the_loader_is_dropped() {
    let mut watched = Watched::start(Folders::of(1_200), LoaderOptions::default());
    watched.gate = None;
    watched.woken.recv_timeout(NEVER).unwrap();
    let Watched { loader, ended, .. } = watched;
    drop(loader);
    assert!(ended.recv_timeout(NEVER).unwrap_err().is_disconnected(), "all threads have ended");
}

#[test]
fn threads_that_wait_for_work_end_as_well() {
    let mut watched = Watched::start(Folders::of(2), LoaderOptions::default());
    watched.complete();
    let Watched { loader, ended, .. } = watched;
    drop(loader);
    assert!(ended.recv_timeout(NEVER).unwrap_err().is_disconnected(), "all threads have ended");
}

#[test]
fn beyond_the_budget_files_are_counted_and_not_kept_unless_wanted() {
    let mut watched = Watched::start(Folders::of(4), LoaderOptions { keep: 0, ..one_thread() });
    watched.loader.want([2]);
    let kept: Vec<_> =
        watched.complete().iter().map(|l| (l.file, matches!(l.outcome, Outcome::Lines { .. }))).collect();
    assert_eq!(kept, [(2, true), (0, false), (1, false), (3, false)]);
    assert!(watched.loader.kept() > 0);

    watched.loader.want([3]);
    let again = watched.until(|_, results| !results.is_empty());
    assert!(matches!(again[0], Loaded { file: 3, outcome: Outcome::Lines { .. }, .. }), "what was counted can be read");
}

#[test]
fn the_beginning_of_a_large_file_that_is_waited_for_comes_before_the_whole() {
    let text = |mark: &str| -> String {
        (0..200_000)
            .map(|n| if n % 50 == 25 { format!("{mark} {n}\n") } else { format!("line number {n}\n") })
            .collect()
    };
    let folders = Folders::new([(&*text("old"), &*text("new"))]);
    let mut page = folders.page();
    let mut watched = Watched::start(folders, one_thread());
    watched.loader.want([0]);
    let mut results = watched.complete().into_iter();

    let head = results.next().unwrap();
    assert!(matches!(head.outcome, Outcome::Head(..)));
    page.take(head);
    page.prepare(0);
    let first: Vec<_> = (0..100).map(|row| page.line_row(PageRow { file: 0, row })).collect();
    assert!(page.files()[0].is_ready() && page.files()[0].whole_lines().is_none());
    assert_eq!(page.counts().1, 1, "what is not compared is not counted");

    page.take(results.next().unwrap());
    page.prepare(0);
    let again: Vec<_> = (0..100).map(|row| page.line_row(PageRow { file: 0, row })).collect();
    assert_eq!(first, again, "what is read does not move");
    assert_eq!(page.counts(), (Counts { added: 4_000, removed: 4_000 }, 0));
    assert!(page.files()[0].whole_lines().is_some() && results.next().is_none());
}

#[test]
fn memory_that_is_given_back_is_used_again() {
    let folders = Folders::of(2);
    let mut page = folders.page();
    folders.load(&mut page, 0);
    let size = page.files()[0].lines().unwrap().memory();
    let mut watched = Watched::start(folders, LoaderOptions { keep: size, ..one_thread() });
    let results = watched.complete();
    assert!(
        matches!(results[0].outcome, Outcome::Lines { .. }) && matches!(results[1].outcome, Outcome::Counted { .. })
    );
    assert_eq!(watched.loader.kept(), size);
    watched.loader.give_back(size);
    assert_eq!(watched.loader.kept(), 0);
    watched.loader.give_back(size);
    assert_eq!(watched.loader.kept(), 0, "no more than was taken");
}

#[test]
fn a_file_that_cannot_be_read_says_so_and_stops_nothing() {
    let folders = Folders::of(3);
    let live = folders.comparison.reader().live_path(&folders.changes[1], crate::git::Side::New).unwrap();
    fs::remove_file(&live).unwrap();
    let mut watched = Watched::start(folders, one_thread());
    let results = watched.complete();
    let Outcome::Failed(error) = &results[1].outcome else { panic!("file 1 is gone") };
    assert!(error.contains("f0001"), "{error}");
    assert!(matches!(results[2].outcome, Outcome::Lines { .. }));
}
