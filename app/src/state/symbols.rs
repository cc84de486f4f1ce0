//! The symbols of the open folder's files: functions, types, constants, sections by their names.
//!
//! They are read by a worker when they are first asked for; a later reading takes over what it finds of files that did
//! not change. A project of very many files is read up to a limit, which [`SymbolIndex::is_cut`] tells.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use agent::tool::{self, Symbol};
use editor::file::{Fs as _, RealFs};
use editor::limits::Limits;
use editor::project::PathIndex;
use editor::syntax::{Language, What};
use editor::{Cancel, file};

use crate::state::rank::Ranker;

/// Longer files are hardly written by people.
const LONGEST: u64 = 512 << 10;
/// Bytes that are read in all: some seconds of one core.
const MOST: u64 = 48 << 20;

/// See the module. Cheap to share; a new one takes over from the one before.
#[derive(Default)]
pub struct SymbolIndex {
    files: HashMap<String, File>,
    is_cut: bool,
}

struct File {
    size: u64,
    modified: Option<SystemTime>,
    symbols: Arc<[Symbol]>,
}

/// A symbol that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub path: String,
    pub name: String,
    pub what: What,
    pub line: u32,
    /// Bytes of the name that matched.
    pub matches: Vec<std::ops::Range<usize>>,
}

impl SymbolIndex {
    /// Reads the files of a folder whose language has symbols. For a worker; a cancelled reading is worth nothing.
    pub fn read(root: &Path, paths: &PathIndex, before: &Self, cancel: &Cancel) -> Self {
        let mut index = Self::default();
        let mut left = MOST;
        for id in paths.ids() {
            if cancel.is_cancelled() {
                break;
            }
            let path = paths.path(id);
            let Some(name) = path.to_str().map(|path| path.replace('\\', "/")).filter(|name| may_have(name)) else {
                continue;
            };
            let absolute = root.join(path);
            let Ok(metadata) = RealFs.metadata(&absolute) else { continue };
            let (size, modified) = (metadata.size, metadata.modified);
            if size > LONGEST {
                continue;
            }
            let known = before.files.get(&name).filter(|known| known.size == size && known.modified == modified);
            let symbols = match known {
                Some(known) => known.symbols.clone(),
                None if size > left => {
                    index.is_cut = true;
                    continue;
                }
                None => {
                    left -= size;
                    let Ok(loaded) = file::load(&RealFs, &absolute, &Limits::default()) else { continue };
                    tool::symbols(&name, &loaded.text.to_string()).into()
                }
            };
            if !symbols.is_empty() {
                index.files.insert(name, File { size, modified, symbols });
            }
        }
        index
    }

    /// Whether files were left out because there are too many.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The best matches of what was typed; without anything, the symbols of one file in their order.
    pub fn search(&self, typed: &str, front: Option<&str>, limit: usize, cancel: &Cancel) -> Vec<Hit> {
        let hit = |path: &str, symbol: &Symbol, matches| Hit {
            path: path.to_owned(),
            name: symbol.name.clone(),
            what: symbol.what,
            line: symbol.first,
            matches,
        };
        if typed.is_empty() {
            let Some((path, file)) = front.and_then(|front| self.files.get_key_value(front)) else { return Vec::new() };
            return file.symbols.iter().take(limit).map(|symbol| hit(path, symbol, Vec::new())).collect();
        }
        let mut ranker = Ranker::new(typed);
        let mut scored = Vec::new();
        for (path, file) in &self.files {
            if cancel.is_cancelled() {
                return Vec::new();
            }
            // What is in front is most likely meant.
            let near = if front == Some(path.as_str()) { 12 } else { 0 };
            for symbol in file.symbols.iter() {
                let Some(score) = ranker.score(&symbol.name) else { continue };
                // The last part alone, whole, is the name that people know it by.
                let last = symbol.name.rsplit('.').next().unwrap_or(&symbol.name);
                let whole = if last.eq_ignore_ascii_case(typed) { 48 } else { 0 };
                let kind = if symbol.what == What::Section { 0 } else { 6 };
                scored.push((score + near + whole + kind, path, symbol));
            }
        }
        scored.sort_by(|a, b| {
            let key = |(_, path, symbol): &(u32, &String, &Symbol)| (symbol.name.len(), (*path).clone(), symbol.first);
            b.0.cmp(&a.0).then_with(|| key(a).cmp(&key(b)))
        });
        scored
            .into_iter()
            .take(limit)
            .map(|(_, path, symbol)| hit(path, symbol, ranker.matches(&symbol.name)))
            .collect()
    }
}

/// Whether a file is in a language whose symbols are looked for by name; data has keys, not symbols.
fn may_have(path: &str) -> bool {
    let data = ["json", "yaml", "yml", "toml", "css", "html", "xml", "lock", "svg"];
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    !data.contains(&extension) && Language::from_path(Path::new(path), "").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_a_folder_are_found_by_their_letters_and_read_again_only_where_a_file_changed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.rs", "fn run() {}\nstruct Engine;\nimpl Engine {\n    fn run_all(&self) {}\n}\n");
        write("b.py", "def runner():\n    pass\n");
        write("c.json", "{\"run\": 1}\n");
        let paths = || {
            let mut paths = PathIndex::new();
            paths.extend(["a.rs", "b.py", "c.json"].map(Path::new));
            paths
        };
        let read = |before: &SymbolIndex| SymbolIndex::read(folder.path(), &paths(), before, &Cancel::new());
        let first = read(&SymbolIndex::default());
        let names = |index: &SymbolIndex, typed: &str, front| {
            let hits = index.search(typed, front, 10, &Cancel::new());
            hits.into_iter().map(|hit| format!("{} {}:{}", hit.name, hit.path, hit.line)).collect::<Vec<_>>()
        };
        assert_eq!(names(&first, "run", None), ["run a.rs:1", "runner b.py:1", "Engine.run_all a.rs:4"]);
        assert_eq!(names(&first, "run", Some("b.py"))[0], "run a.rs:1", "a whole name comes first");
        assert_eq!(names(&first, "", Some("b.py")), ["runner b.py:1"]);
        assert_eq!(names(&first, "", None), [""; 0]);

        write("b.py", "def walker():\n    return 1\n");
        let second = read(&first);
        assert_eq!(names(&second, "walk", None), ["walker b.py:1"]);
        assert!(Arc::ptr_eq(&first.files["a.rs"].symbols, &second.files["a.rs"].symbols));
    }
}
