//! In which order the files of a review are read: by their paths, the largest first, or what others use first.
//!
//! An order is a permutation of the listed files; nothing here reads or compares one. Files that an order says nothing
//! about stay in the order of their paths, so that the same change is always read the same way.

mod imports;

use rustc_hash::FxHashMap;

use crate::git::FileChange;

pub use imports::{MAX_READ, names_used};

/// An order of review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReviewOrder {
    /// Folder by folder, as paths sort.
    #[default]
    Path,
    /// Those with most changed lines first.
    Size,
    /// What others import comes before who imports it.
    Dependency,
}

impl ReviewOrder {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Path, Self::Size, Self::Dependency];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Path => "by folder",
            Self::Size => "largest first",
            Self::Dependency => "dependencies first",
        }
    }
}

/// The files by changed lines, most first. `lines` tells how many a file has; files that are not counted come last.
pub fn by_size(changes: &[FileChange], lines: impl Fn(&FileChange) -> Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(lines(&changes[at]).map_or(0, |lines| lines + 1)));
    order
}

/// The files such that what a file imports comes before it. `imports` are the names that each file uses, as
/// [`names_used`] finds them; names of files that are not in the change say nothing. Files that import each other stay
/// together, in the order of their paths.
pub fn by_dependency(changes: &[FileChange], imports: &[Vec<String>]) -> Vec<usize> {
    let files = Files::of(changes);
    let needs: Vec<Vec<usize>> = imports
        .iter()
        .enumerate()
        .map(|(at, names)| {
            let mut found: Vec<usize> = names.iter().filter_map(|name| files.find(at, name)).collect();
            found.sort_unstable();
            found.dedup();
            found
        })
        .collect();
    let mut walk = Walk { needs: &needs, state: vec![State::New; changes.len()], order: Vec::new() };
    (0..changes.len()).for_each(|at| walk.visit(at));
    walk.order
}

/// Files by what they can be imported as.
struct Files {
    /// The parts of each path, without what a language leaves out of a name.
    parts: Vec<Vec<String>>,
    by_last: FxHashMap<String, Vec<usize>>,
}

/// File names that stand for the folder they are in.
const OF_FOLDER: [&str; 4] = ["mod", "lib", "index", "__init__"];

impl Files {
    fn of(changes: &[FileChange]) -> Self {
        let parts: Vec<Vec<String>> = changes.iter().map(|change| parts_of(&change.path.display())).collect();
        let mut by_last: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, parts) in parts.iter().enumerate() {
            if let Some(last) = parts.last() {
                by_last.entry(last.clone()).or_default().push(at);
            }
        }
        Self { parts, by_last }
    }

    /// The file that a name used in the file `from` means: that whose path ends with most of the name; of several, the
    /// one that is nearest. A name may go on past the file, to something in it.
    fn find(&self, from: usize, name: &str) -> Option<usize> {
        let name: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
        let ends = (1..=name.len()).rev().take(3);
        for end in ends {
            let known = self.by_last.get(name[end - 1]).into_iter().flatten().copied();
            let matching = |at: &usize| {
                let shared = self.parts[*at].iter().rev().zip(name[..end].iter().rev()).take_while(|(a, b)| a == *b);
                shared.count()
            };
            let near = |at: &usize| self.parts[*at].iter().zip(&self.parts[from]).take_while(|(a, b)| a == b).count();
            let best = known.filter(|&at| at != from).max_by_key(|at| (matching(at), near(at), std::cmp::Reverse(*at)));
            // One part of several could be anything's name, unless it stands beside who uses it.
            let enough = |at: &usize| {
                let shared = matching(at);
                name.len() == 1
                    || shared > 1
                    || shared == self.parts[*at].len()
                    || near(at) + 1 >= self.parts[from].len()
            };
            if let Some(found) = best.filter(enough) {
                return Some(found);
            }
        }
        None
    }
}

/// The parts of a path as names use them: without extension, and without a last part that stands for its folder.
fn parts_of(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if let Some(last) = parts.last_mut() {
        if let Some((stem, _)) = last.split_once('.').filter(|(stem, _)| !stem.is_empty()) {
            *last = stem.to_owned();
        }
        // A package of Go is its folder, whatever its files are called.
        let of_folder =
            OF_FOLDER.contains(&last.as_str()) || path.rsplit_once('.').is_some_and(|(_, extension)| extension == "go");
        if of_folder && parts.len() > 1 {
            parts.pop();
        }
    }
    parts
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// A walk that leaves a file after all that it needs. Without recursion: a change may import in a chain of thousands.
struct Walk<'a> {
    needs: &'a [Vec<usize>],
    state: Vec<State>,
    order: Vec<usize>,
}

impl Walk<'_> {
    fn visit(&mut self, first: usize) {
        if self.state[first] != State::New {
            return;
        }
        self.state[first] = State::Open;
        let mut path = vec![(first, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            match self.needs.get(at).and_then(|needs| needs.get(*next)) {
                Some(&need) => {
                    *next += 1;
                    // One that is open imports this one in turn: whichever came first stays first.
                    if self.state[need] == State::New {
                        self.state[need] = State::Open;
                        path.push((need, 0));
                    }
                }
                None => {
                    self.state[at] = State::Done;
                    self.order.push(at);
                    path.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::RepoPath;

    fn changes(paths: &[&str]) -> Vec<FileChange> {
        paths.iter().map(|path| FileChange::at(RepoPath::new(path.as_bytes()), None, None)).collect()
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let listed = changes(&files.iter().map(|(path, _)| *path).collect::<Vec<_>>());
        let imports: Vec<_> = files.iter().map(|(path, text)| names_used(path, text)).collect();
        let order = by_dependency(&listed, &imports);
        assert_eq!(order.iter().map(|&at| files[at].0).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_used_comes_before_who_uses_it() {
        check(
            &[
                ("src/app.rs", "use crate::model::Point;\nuse std::fmt;\n"),
                ("src/main.rs", "mod app;\nmod model;\n"),
                ("src/model.rs", "pub struct Point;\n"),
            ],
            &["src/model.rs", "src/app.rs", "src/main.rs"],
        );
        check(
            &[
                ("web/a.ts", "import { b } from './lib/b';\nexport const a = b;\n"),
                ("web/lib/b.ts", "const c = require('../c')\n"),
                ("web/c.js", "module.exports = 1\n"),
            ],
            &["web/c.js", "web/lib/b.ts", "web/a.ts"],
        );
        check(
            &[("pkg/a.py", "from .core import x\nimport os\n"), ("pkg/core/__init__.py", "x = 1\n")],
            &["pkg/core/__init__.py", "pkg/a.py"],
        );
        check(&[("a.c", "#include \"b.h\"\n#include <stdio.h>\n"), ("b.h", "int b;\n")], &["b.h", "a.c"]);
        check(
            &[
                ("cmd/main.go", "import (\n\t\"fmt\"\n\t\"example.com/x/store\"\n)\n"),
                ("store/store.go", "package store\n"),
            ],
            &["store/store.go", "cmd/main.go"],
        );
    }

    #[test]
    fn files_that_use_each_other_or_nothing_stay_as_they_were() {
        check(&[("a.py", "import b\n"), ("b.py", "import a\n"), ("c.py", "")], &["b.py", "a.py", "c.py"]);
        check(&[("x.md", "use crate::y;\n"), ("y.rs", "")], &["x.md", "y.rs"]);
    }

    #[test]
    fn a_name_that_many_files_have_is_that_of_the_nearest() {
        check(
            &[
                ("a/error.rs", ""),
                ("b/error.rs", ""),
                ("b/load.rs", "use super::error::Error;\n"),
                ("z.rs", "use crate::error_of_another;\n"),
            ],
            &["a/error.rs", "b/error.rs", "b/load.rs", "z.rs"],
        );
    }

    #[test]
    fn the_largest_come_first_and_ties_by_path() {
        let listed = changes(&["a", "b", "c", "d"]);
        let lines = [Some(1), None, Some(9), Some(1)];
        let of = |change: &FileChange| lines[listed.iter().position(|other| other.path == change.path).unwrap()];
        assert_eq!(by_size(&listed, of), [2, 0, 3, 1]);
    }

    #[test]
    fn a_chain_of_thousands_does_not_overflow() {
        let listed = changes(&(0..20_000).map(|_| "f.rs").collect::<Vec<_>>());
        let needs: Vec<Vec<usize>> = (0..20_000).map(|n| if n + 1 < 20_000 { vec![n + 1] } else { vec![] }).collect();
        let mut walk = Walk { needs: &needs, state: vec![State::New; listed.len()], order: Vec::new() };
        (0..listed.len()).for_each(|at| walk.visit(at));
        assert_eq!(walk.order[0], 19_999);
    }
}
