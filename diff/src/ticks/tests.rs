//! By what a hunk is known, and by what it is not.

use super::*;
use crate::Cancel;
use crate::engine::{Options, compare};
use crate::git::{Blob, BlobSource, Mode, RepoPath, blob_id};

fn change(path: &str) -> FileChange {
    let blob = |content: &str| {
        let id = blob_id(content.as_bytes()).unwrap();
        Some(Blob { mode: Mode::File, source: BlobSource::Object(id), size: None })
    };
    FileChange::at(RepoPath::from(path), blob("old"), blob("new"))
}

fn ids(change: &FileChange, old: &str, new: &str) -> Vec<ContentId> {
    let (old, new) = (Content::new(old.as_bytes()).unwrap(), Content::new(new.as_bytes()).unwrap());
    let script = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
    hunks(change, &old, &new, &script.hunks).unwrap().into()
}

const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

#[test]
fn a_hunk_is_known_by_its_lines_and_neighbours() {
    let known = ids(&change("f"), OLD, "one\ntwo\nTHREE\nfour\nfive\nsix\n");
    let is_known = |path: &str, old: &str, new: &str| ids(&change(path), old, new) == known;
    assert!(is_known("f", &format!("zero\n{OLD}"), "zero\none\ntwo\nTHREE\nfour\nfive\nsix\n"), "lines above");
    assert!(is_known("f", &OLD.replace("one", "1"), "1\ntwo\nTHREE\nfour\nfive\nsix\n"), "further away");
    assert!(!is_known("f", &OLD.replace("two", "2"), "one\n2\nTHREE\nfour\nfive\nsix\n"), "a neighbour");
    assert!(!is_known("f", OLD, "one\ntwo\nTHREE!\nfour\nfive\nsix\n"), "what came");
    assert!(!is_known("f", &OLD.replace("three", "3"), "one\ntwo\nTHREE\nfour\nfive\nsix\n"), "what went");
    assert!(!is_known("g", OLD, "one\ntwo\nTHREE\nfour\nfive\nsix\n"), "another file");
}

#[test]
fn the_same_lines_in_another_place_are_another_hunk() {
    let insert = |after: &str| OLD.replace(after, &format!("{after}return true;\n"));
    assert_ne!(ids(&change("f"), OLD, &insert("two\n")), ids(&change("f"), OLD, &insert("five\n")));
}

#[test]
fn a_rename_keeps_what_was_viewed() {
    let mut renamed = change("f");
    (renamed.old_path, renamed.path, renamed.status) = (Some("f".into()), "g".into(), Status::Renamed);
    let new = OLD.replace("two", "2");
    assert_eq!(ids(&renamed, OLD, &new), ids(&change("f"), OLD, &new));
    assert!(head(&renamed, &[], &[], true).is_some() && head(&change("f"), &[], &[], true).is_none());
    // Copies of one file are files of their own.
    let copied = |path: &str| FileChange { path: path.into(), status: Status::Copied, ..renamed.clone() };
    assert_ne!(ids(&copied("g"), OLD, &new), ids(&copied("h"), OLD, &new));
}

#[test]
fn equal_hunks_open_again_when_one_more_appears() {
    let block = "a\nb\nc\n";
    let (two, three) = (block.repeat(3), block.repeat(4));
    let change = change("f");
    let edit = |text: &str, which: &[usize]| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        for line in which {
            lines[*line] = "B".to_owned();
        }
        lines.join("\n") + "\n"
    };
    let before = ids(&change, &two, &edit(&two, &[1, 4]));
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1], "they are told apart");
    assert_eq!(before, ids(&change, &three, &edit(&three, &[1, 4])), "and known again");
    let after = ids(&change, &three, &edit(&three, &[1, 4, 7]));
    assert!(after.iter().all(|id| !before.contains(id)), "nobody can say which is new");
}

#[test]
fn the_head_says_what_lines_do_not() {
    let mut executable = change("f");
    executable.new.as_mut().unwrap().mode = Mode::Executable;
    let plain = head(&change("f"), &[], &[], true);
    let heads = [
        head(&executable, &[], &[], true),
        head(&change("f"), &[Note::Bom(true)], &[], true),
        head(&change("f"), &[Note::Bom(false)], &[], true),
        head(&FileChange { new: None, ..change("f") }, &[], &[], true),
        head(&change("f"), &[], &[b"binary", b"contents"], false),
        head(&change("f"), &[], &[b"binarycontents", b""], false),
        head(&change("f"), &[Note::Empty(true)], &[], false),
    ];
    assert_eq!(plain, None);
    assert!(heads.iter().all(Option::is_some));
    let different: std::collections::BTreeSet<_> = heads.iter().collect();
    assert_eq!(different.len(), heads.len());
}

#[test]
fn a_pair_is_both_contents_under_a_mode() {
    let (exact, all) = (Whitespace::Exact, Whitespace::IgnoreAll);
    let known = FileIds::unread(&change("f"), exact);
    assert!(known.pair.is_some() && known.exact.is_none());
    let hidden = FileIds::unread(&change("f"), all);
    assert_eq!((hidden.exact, hidden.pair != known.pair), (known.pair, true));
    let mut live = change("f");
    live.new.as_mut().unwrap().source = BlobSource::WorkTree(None);
    assert_eq!(FileIds::unread(&live, exact).pair, None, "nobody hashed the file on disk");
}

#[test]
fn a_part_that_is_taken_back_leaves_the_others() {
    let id = |n: u8| ContentId::from_bytes([n; 20]);
    let ids = FileIds { pair: Some(id(0)), head: Some(id(1)), hunks: [id(2), id(3)].into(), ..FileIds::default() };
    // Only the pair is marked: the file was ticked before it was read.
    let mut marks: Marks = [(id(0), Mark::Viewed)].into_iter().collect();
    assert_eq!(marks.viewed(&ids), Viewed::Yes);
    let changes = mark_hunks(&ids, 0..1, None, &marks);
    marks.extend(changes);
    assert_eq!(marks.viewed(&ids), Viewed::Part { seen: 2, of: 3 });
    let changes = mark_file(&ids, Some(Mark::ComeBack));
    marks.extend(changes);
    let changes = mark_hunks(&ids, 1..2, Some(Mark::Viewed), &marks);
    marks.extend(changes);
    assert_eq!(marks.viewed(&ids), Viewed::ComeBack);
    let changes = mark_file(&ids, None);
    marks.extend(changes);
    assert!(marks.is_empty());
}
