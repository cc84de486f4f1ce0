//! Reviews of small folders: what the loader hands out, and what the page makes of it.

mod loader;
mod page;
mod ticks;
mod whitespace;

use std::fs;

use editor::Cancel;
use tempfile::TempDir;

use super::{Loaded, LoaderOptions, Review, compare_file};
use crate::{engine::Engine, git::FileChange, plan::Layout, source::Comparison};

/// Two folders that are compared: files `f0`, `f1`, … with an old and a new text each.
struct Folders {
    _folder: TempDir,
    comparison: Comparison,
    changes: Vec<FileChange>,
    keep_equal: bool,
}

impl Folders {
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        for side in [&old, &new] {
            fs::create_dir(side).unwrap();
        }
        for (n, (before, after)) in files.into_iter().enumerate() {
            fs::write(old.join(format!("f{n:04}")), before).unwrap();
            fs::write(new.join(format!("f{n:04}")), after).unwrap();
        }
        let comparison = Comparison::of_paths(&old, &new).unwrap();
        let changes = comparison.changes(&Cancel::new()).unwrap();
        Self { _folder: folder, comparison, changes, keep_equal: true }
    }

    /// That many files of which one line changed.
    fn of(count: usize) -> Self {
        Self::new(vec![("a\nb\nc\n", "a\nB\nc\n"); count])
    }

    /// A page of them, side by side, none loaded.
    fn page(&self) -> Review {
        Review::new(self.changes.iter().cloned(), Layout::Split, 3)
    }

    /// Compares a file of a page and takes it in, as if the loader had handed it out.
    fn load(&self, page: &mut Review, file: usize) {
        let change = &page.files()[file].change;
        let options = LoaderOptions { keep_equal: self.keep_equal, ..page.loader_options() };
        let (mut reader, mut engine) = (self.comparison.reader(), Engine::new());
        let (outcome, prints) = compare_file(&mut reader, &mut engine, change, &options, &Cancel::new()).unwrap();
        page.take(Loaded { file, outcome, prints });
        page.prepare(file);
    }
}

/// Lines `0` to `count`, those in `changed` with a mark.
fn lines(count: usize, changed: &[usize]) -> String {
    (0..count).map(|line| line.to_string() + if changed.contains(&line) { "!\n" } else { "\n" }).collect()
}
