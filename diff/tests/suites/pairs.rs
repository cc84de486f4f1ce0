//! What difftools were given: pairs of files and of folders.

use std::{collections::BTreeSet, fs, path::Path};

use diff::{
    Cancel,
    content::SideContent,
    engine::{Options, compare},
    git::{Form, Side},
    lines::Content,
    source::{Comparison, Source},
};

use super::record::Suite;

/// Replays every pair: it is opened as what it is, and what changed turns the old side into the new one.
pub fn compared(suite: &Suite) -> usize {
    let (mut files, mut folders) = (0, 0);
    for record in suite.records("difftool") {
        for entry in fs::read_dir(&record.folder).unwrap().map(|entry| entry.unwrap().path()) {
            if !entry.is_dir() {
                continue;
            }
            let side = |name: &str| {
                let path = entry.join(name);
                if entry.join(format!("{name}.none")).exists() { "/dev/null".into() } else { path }
            };
            let (old, new) = (side("old"), side("new"));
            let comparison = Comparison::of_paths(&old, &new).unwrap_or_else(|why| panic!("{}: {why}", record.words()));
            match comparison.source() {
                Source::Folders { .. } => folders += 1,
                _ => files += 1,
            }
            check(&comparison, &old, &new);
        }
    }
    suite.report("pairs of files", files);
    suite.report("pairs of folders", folders);
    files + folders
}

fn check(comparison: &Comparison, old: &Path, new: &Path) {
    let changes = comparison.changes(&Cancel::new()).unwrap();
    if let Source::Folders { .. } = comparison.source() {
        let listed: BTreeSet<_> = changes
            .iter()
            .flat_map(|change| [change.path_of(Side::Old).to_string(), change.path_of(Side::New).to_string()])
            .collect();
        let (mut differing, mut all) = (BTreeSet::new(), BTreeSet::new());
        collect(old, old, &mut all);
        collect(new, new, &mut all);
        for path in all {
            if fs::read(old.join(&path)).ok() != fs::read(new.join(&path)).ok() {
                differing.insert(path);
            }
        }
        assert_eq!(listed, differing);
    }
    let mut reader = comparison.reader().with_form(Form::Stored).forcing_text(true);
    for change in &changes {
        let mut text = |side| match reader.read(change, side).unwrap() {
            SideContent::Text(text) => Content::new(text.bytes).unwrap(),
            SideContent::Missing => Content::default(),
            other => panic!("{other:?}"),
        };
        let (old_text, new_text) = (text(Side::Old), text(Side::New));
        let script = compare(&old_text, &new_text, &Options::default(), &Cancel::new()).unwrap();
        assert_eq!(script.apply(&old_text, &new_text), new_text.bytes().to_vec());
        if let Source::Files { .. } = comparison.source() {
            assert_eq!(new_text.bytes().to_vec(), fs::read(new).unwrap_or_default());
        }
    }
}

fn collect(root: &Path, folder: &Path, into: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(root, &path, into);
        } else {
            into.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
        }
    }
}
