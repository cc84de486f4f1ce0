//! Staging and unstaging: what the index holds afterwards, byte for byte.

use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink};

use diff::{
    Cancel,
    git::GitError,
    source::Source,
    staging::{
        Chosen, FileStage, FileStages, HunkStage, LineStage, Pick, Stages, StagingError, What, index_side, stage,
        unstage, write_back,
    },
};

use super::scratch::{Scratch, command};
use super::seen::{Seen, lines};

const HEAD: Source = Source::WorkingTree { against: None };

/// What the index has at a path: its mode and its bytes; empty if it has nothing.
pub fn indexed(s: &Scratch, path: &str) -> (String, Vec<u8>) {
    let listed = s.git(&["ls-files", "-s", "--", path]);
    match listed.split_whitespace().next() {
        Some(mode) => (mode.to_owned(), s.git_bytes(&["cat-file", "blob", &format!(":{path}")])),
        None => (String::new(), Vec::new()),
    }
}

fn text(s: &Scratch, path: &str) -> String {
    String::from_utf8(indexed(s, path).1).unwrap()
}

fn executable(s: &Scratch, path: &str, yes: bool) {
    fs::set_permissions(s.path().join(path), fs::Permissions::from_mode(if yes { 0o755 } else { 0o644 })).unwrap();
}

/// Stages lines of a file, counted from 1, out of the comparison with the index; what the index has then.
fn staged(s: &Scratch, path: &str, removed: &[u32], added: &[u32]) -> String {
    Seen::of(s, Source::Unstaged, path).stage_lines(removed, added).unwrap();
    text(s, path)
}

/// Unstages lines of a file out of the comparison with HEAD; what the index has then.
fn unstaged(s: &Scratch, path: &str, removed: &[u32], added: &[u32]) -> String {
    Seen::of(s, Source::Staged, path).unstage_lines(removed, added).unwrap();
    text(s, path)
}

#[test]
fn case_33_chosen_lines_are_staged_in_their_places() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\nd\ne\n").commit().write("f", "A\nB\nC\nD\nE\n");
    assert_eq!(staged(&s, "f", &[1, 5], &[1, 5]), "A\nb\nc\nd\nE\n");
    assert_eq!(staged(&s, "f", &[3], &[3]), "A\nb\nC\nd\nE\n");
    assert_eq!(unstaged(&s, "f", &[1], &[1]), "a\nb\nC\nd\nE\n");
    assert_eq!(unstaged(&s, "f", &[3, 5], &[3, 5]), "a\nb\nc\nd\ne\n");
    assert_eq!(s.stages(), (String::new(), "M 100644 100644 f".to_owned()));
}

#[test]
fn case_1_a_newline_at_the_end_is_staged() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "Hello").commit().write("f", "Hello\n");
    assert_eq!(staged(&s, "f", &[1], &[1]), "Hello\n");
    assert_eq!(s.stages(), ("M 100644 100644 f".to_owned(), String::new()));
    assert_eq!(unstaged(&s, "f", &[1], &[1]), "Hello");
}

#[test]
fn case_2_the_lines_of_a_new_file_are_the_file() {
    let Some(s) = Scratch::new() else { return };
    s.write("other", "").commit().write("f", "a\nb");
    assert_eq!(staged(&s, "f", &[], &[1, 2]), "a\nb");
    assert_eq!(s.stages(), ("A 000000 100644 f".to_owned(), String::new()));
    assert_eq!(s.git(&["status", "--porcelain"]), "A  f\n");
}

#[test]
fn case_4_the_last_line_is_staged_apart_from_the_one_before() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "fn a() {\n    one();\n}").commit().write("f", "fn a() {\n    two();\n}\n");
    assert_eq!(staged(&s, "f", &[2], &[2]), "fn a() {\n    two();\n}");
    assert_eq!(staged(&s, "f", &[3], &[3]), "fn a() {\n    two();\n}\n");
    assert_eq!(s.stages().1, "");
}

#[test]
fn case_6_a_line_is_staged_as_the_attribute_has_it_stored() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.ts eol=crlf\n").write("a.ts", "one\r\ntwo\r\nthree\r\n").commit();
    s.write("a.ts", "1\r\ntwo\r\n3\r\n");
    assert_eq!(staged(&s, "a.ts", &[1], &[1]), "1\ntwo\nthree\n");
    assert_eq!(s.git(&["diff", "--numstat"]), "1\t1\ta.ts\n");
    assert_eq!(staged(&s, "a.ts", &[3], &[3]), "1\ntwo\n3\n");
    assert_eq!(s.stages().1, "");
}

#[test]
fn case_7_lines_of_a_crlf_file_stay_crlf_in_the_index() {
    let Some(s) = Scratch::new() else { return };
    s.write("a.csv", "1;a\r\n2;b\r\n").commit().write("a.csv", "1;a\r\n3;c\r\n4;d\r\n2;b\r\n5;e\r\n");
    assert_eq!(staged(&s, "a.csv", &[], &[2]), "1;a\r\n3;c\r\n2;b\r\n");
    assert_eq!(staged(&s, "a.csv", &[], &[3, 5]), "1;a\r\n3;c\r\n4;d\r\n2;b\r\n5;e\r\n");
    assert_eq!(s.stages().1, "");
}

#[test]
fn case_10_a_mode_is_staged_alone() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").write("g", "a\n").commit();
    executable(&s, "f", true);
    executable(&s, "g", true);
    Seen::of(&s, Source::Unstaged, "f").stage(What::Parts { lines: None, mode: true }).unwrap();
    Seen::of(&s, Source::Unstaged, "g").stage(What::File).unwrap();
    assert_eq!(s.stages(), ("M 100644 100755 f\nM 100644 100755 g".to_owned(), String::new()));
    Seen::of(&s, Source::Staged, "f").unstage(What::Parts { lines: None, mode: true }).unwrap();
    Seen::of(&s, Source::Staged, "g").unstage(What::File).unwrap();
    assert_eq!(s.stages(), (String::new(), "M 100644 100755 f\nM 100644 100755 g".to_owned()));
}

#[test]
fn case_11_mode_and_lines_are_staged_apart() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\n").commit().write("f", "A\nb\n");
    executable(&s, "f", true);
    assert_eq!(staged(&s, "f", &[1], &[1]), "A\nb\n");
    assert_eq!(s.stages(), ("M 100644 100644 f".to_owned(), "M 100644 100755 f".to_owned()));
    Seen::of(&s, Source::Unstaged, "f").stage(What::Parts { lines: None, mode: true }).unwrap();
    assert_eq!(s.stages(), ("M 100644 100755 f".to_owned(), String::new()));
    assert_eq!(unstaged(&s, "f", &[1], &[1]), "a\nb\n");
    assert_eq!(s.stages(), ("M 100644 100755 f".to_owned(), "M 100755 100755 f".to_owned()));
}

#[test]
fn a_file_staged_whole_is_not_looked_into_again() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").write("gone", "g\n").commit().write("f", "b\n").write("new", "n\n").remove("gone");
    for path in ["f", "gone", "new"] {
        Seen::of(&s, Source::Unstaged, path).stage(What::File).unwrap();
    }
    // Plumbing that compares no contents sees no difference.
    assert_eq!(s.git(&["diff-files"]), "");
    assert_eq!(s.stages(), ("M 100644 100644 f\nD 100644 000000 gone\nA 000000 100644 new".to_owned(), String::new()));
}

#[test]
fn a_new_file_is_staged_in_part_and_unstaged_until_nothing_is_left() {
    let Some(s) = Scratch::new() else { return };
    s.write("other", "").commit().write("dir/f", "a\nb\nc\n");
    executable(&s, "dir/f", true);
    assert_eq!(staged(&s, "dir/f", &[], &[1, 3]), "a\nc\n");
    assert_eq!(s.stages(), ("A 000000 100755 dir/f".to_owned(), "M 100755 100755 dir/f".to_owned()));
    assert_eq!(unstaged(&s, "dir/f", &[], &[1]), "c\n");
    unstaged(&s, "dir/f", &[], &[1]);
    assert_eq!(s.stages(), (String::new(), "? 000000 100755 dir/f".to_owned()));
}

#[test]
fn a_deletion_is_staged_and_unstaged_in_part() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\n").commit().remove("f");
    assert_eq!(staged(&s, "f", &[2], &[]), "a\nc\n");
    staged(&s, "f", &[1, 2], &[]);
    assert_eq!(s.stages(), ("D 100644 000000 f".to_owned(), String::new()));
    assert_eq!(unstaged(&s, "f", &[2], &[]), "b\n");
    Seen::of(&s, Source::Staged, "f").unstage(What::File).unwrap();
    assert_eq!(s.stages(), (String::new(), "D 100644 000000 f".to_owned()));
}

#[test]
fn any_part_of_a_renamed_file_stages_its_name() {
    let Some(s) = Scratch::new() else { return };
    let content: String = (0..20).map(|line| format!("line {line}\n")).collect();
    s.write("old", &content).commit();
    let edited = content.replace("line 3\n", "three\n").replace("line 9\n", "nine\n");
    s.remove("old").write("new", &edited);
    let renamed = Seen::renamed(&s, Source::Unstaged, "new");
    renamed.stage_lines(&[4], &[4]).unwrap();
    assert_eq!(text(&s, "new"), content.replace("line 3\n", "three\n"));
    assert_eq!(s.git(&["ls-files"]), "new\n");
    // It keeps its name when a line of it is unstaged; whole, it gets the old one back.
    Seen::renamed(&s, Source::Staged, "new").unstage_lines(&[4], &[4]).unwrap();
    assert_eq!(s.stages().0, "R100 100644 100644 old -> new");
    Seen::renamed(&s, Source::Staged, "new").unstage(What::File).unwrap();
    assert_eq!((s.git(&["ls-files"]).as_str(), text(&s, "old").as_str()), ("old\n", content.as_str()));
    // Only the name.
    Seen::renamed(&s, Source::Unstaged, "new").stage(What::Parts { lines: None, mode: false }).unwrap();
    assert_eq!((s.git(&["ls-files"]).as_str(), text(&s, "new").as_str()), ("new\n", content.as_str()));
}

#[test]
fn a_move_of_which_the_index_knows_one_half_becomes_whole() {
    let Some(s) = Scratch::new() else { return };
    let content: String = (0..9).map(|line| format!("line {line}\n")).collect();
    s.write("old", &content).commit().remove("old").write("new", &content);
    s.git(&["add", "new"]);
    s.write("new", content.replace("line 1\n", "one\n"));
    Seen::renamed(&s, HEAD, "new").stage_lines(&[2], &[2]).unwrap();
    assert_eq!((s.git(&["ls-files"]).as_str(), s.stages().1.as_str()), ("new\n", ""));
}

#[test]
fn links_and_submodules_are_staged_whole() {
    let Some(inner) = Scratch::new() else { return };
    inner.write("f", "1\n").commit();
    let Some(s) = Scratch::new() else { return };
    s.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.path().to_str().unwrap(), "sub"]);
    symlink("one", s.path().join("link")).unwrap();
    s.write("file", "f\n").commit();
    fs::remove_file(s.path().join("link")).unwrap();
    symlink("two", s.path().join("link")).unwrap();
    s.remove("file");
    symlink("link", s.path().join("file")).unwrap();
    let sub = s.path().join("sub");
    let commit = ["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "2"];
    assert!(command(&sub).args(commit).status().unwrap().success());
    for path in ["link", "sub", "file"] {
        let seen = Seen::of(&s, Source::Unstaged, path);
        let parts = seen.stage(What::Parts { lines: None, mode: true }).unwrap_err();
        assert!(matches!(parts, StagingError::WholeOnly { .. }), "{parts}");
        seen.stage(What::File).unwrap();
    }
    let expected = "T 100644 120000 file\nM 120000 120000 link\nM 160000 160000 sub";
    assert_eq!(s.stages(), (expected.to_owned(), String::new()));
    assert_eq!(s.git_bytes(&["cat-file", "blob", ":link"]), b"two");
    for path in ["link", "sub", "file"] {
        Seen::of(&s, Source::Staged, path).unstage(What::File).unwrap();
    }
    assert_eq!(s.stages(), (String::new(), expected.to_owned()));
}

#[test]
fn a_file_takes_the_place_of_a_folder_and_a_folder_that_of_a_file() {
    let Some(s) = Scratch::new() else { return };
    s.write("a/b", "1\n").write("c", "1\n").commit();
    s.remove("a/b").remove("c");
    fs::remove_dir(s.path().join("a")).unwrap();
    s.write("a", "2\n").write("c/d", "2\n");
    for path in ["a", "c/d"] {
        Seen::of(&s, Source::Unstaged, path).stage_lines(&[], &[1]).unwrap();
    }
    assert_eq!(s.git(&["ls-files"]), "a\nc/d\n");
    for path in ["a/b", "c"] {
        Seen::of(&s, Source::Staged, path).unstage(What::File).unwrap();
    }
    assert_eq!(s.git(&["ls-files"]), "a/b\nc\n");
}

#[test]
fn a_conflict_is_resolved_by_the_whole_file_alone() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "base\n").commit();
    s.git(&["checkout", "-q", "-b", "theirs"]);
    s.write("f", "theirs\n").commit();
    s.git(&["checkout", "-q", "main"]);
    s.write("f", "ours\n").commit();
    assert!(!command(s.path()).args(["merge", "-q", "theirs"]).output().unwrap().status.success());
    let seen = Seen::of(&s, Source::Unstaged, "f");
    let error = seen.stage(What::Parts { lines: None, mode: true }).unwrap_err();
    assert_eq!(error.to_string(), "f is in conflict: resolve it and stage the whole file");
    let error = Seen::of(&s, Source::Staged, "f").unstage(What::File).unwrap_err();
    assert!(matches!(error, StagingError::Conflict { .. }), "{error}");
    s.write("f", "both\n");
    assert_eq!(seen.stage(What::File).unwrap(), [], "three entries cannot be written back by one");
    assert_eq!((text(&s, "f").as_str(), s.git(&["ls-files", "-u"]).as_str()), ("both\n", ""));
}

#[test]
fn a_filter_runs_for_the_whole_file_and_forbids_parts() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.up filter=upper\n");
    s.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    s.write("f.up", "one\ntwo\n").commit().write("f.up", "one\nthree\n");
    let seen = Seen::of(&s, Source::Unstaged, "f.up");
    let error = seen.stage_lines(&[2], &[2]).unwrap_err();
    assert!(matches!(&error, StagingError::Filtered { filter, .. } if filter == "upper"), "{error}");
    seen.stage(What::File).unwrap();
    assert_eq!(text(&s, "f.up"), "ONE\nTHREE\n");
    // Among what is stored no filter matters.
    assert_eq!(unstaged(&s, "f.up", &[2], &[2]), "ONE\nTWO\n");
}

#[test]
fn a_filter_that_fails_is_shown_with_all_it_said() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.bad filter=bad\n").commit().write("f.bad", "one\n");
    s.git(&["config", "filter.bad.clean", "echo 'no such key' >&2; false"]);
    s.git(&["config", "filter.bad.required", "true"]);
    let error = Seen::of(&s, Source::Unstaged, "f.bad").stage(What::File).unwrap_err().to_string();
    assert!(error.starts_with("`git update-index` failed:\n") && error.contains("no such key"), "{error}");
    assert_eq!(s.git(&["ls-files", "f.bad"]), "");
}

#[test]
fn encodings_and_marks_of_the_working_tree_are_undone() {
    let Some(s) = Scratch::new() else { return };
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    s.write(".gitattributes", "wide working-tree-encoding=UTF-16LE\nlatin working-tree-encoding=latin1\nid ident\n");
    s.write("wide", utf16("één\ntwee\n")).write("latin", b"\xe9\nb\n").write("id", "$Id$\nb\n").commit();
    s.remove("id");
    s.git(&["checkout", "id"]);
    let expanded = fs::read_to_string(s.path().join("id")).unwrap();
    s.write("wide", utf16("twéé\ndrie\ntwee\n"))
        .write("latin", b"\xe8\nB\n")
        .write("id", expanded.replace("b\n", "B\nC\n"));
    assert_eq!(staged(&s, "wide", &[1], &[1]), "twéé\ntwee\n");
    assert_eq!(staged(&s, "latin", &[1], &[1]), "è\nb\n");
    assert_eq!(staged(&s, "id", &[2], &[3]), "$Id$\nC\n");
    assert_eq!(s.git(&["diff", "--numstat", "wide", "latin"]), "1\t1\tlatin\n1\t0\twide\n");
}

#[test]
fn lines_are_staged_out_of_the_comparison_with_head() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\nd\ne\n").commit().write("f", "A\nb\nC\nd\nE\n");
    Seen::of(&s, HEAD, "f").stage_lines(&[1], &[1]).unwrap();
    assert_eq!(text(&s, "f"), "A\nb\nc\nd\ne\n");
    Seen::of(&s, HEAD, "f").stage_lines(&[1, 3], &[1, 3]).unwrap();
    assert_eq!(text(&s, "f"), "A\nb\nC\nd\ne\n");
    Seen::of(&s, HEAD, "f").unstage_lines(&[1, 5], &[1, 5]).unwrap();
    assert_eq!(text(&s, "f"), "a\nb\nC\nd\ne\n");
    Seen::of(&s, HEAD, "f").stage(What::File).unwrap();
    assert_eq!(s.stages().1, "");
    Seen::of(&s, HEAD, "f").unstage(What::File).unwrap();
    assert_eq!(s.stages().0, "");
}

#[test]
fn the_comparison_with_head_knows_what_is_staged() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "* text=auto eol=crlf\n").write("f", "a\r\nb\r\nc\r\n").commit();
    s.write("f", "A\r\nb\r\nC\r\n");
    Seen::of(&s, HEAD, "f").stage_lines(&[1], &[1]).unwrap();
    let seen = Seen::of(&s, HEAD, "f");
    let index = index_side(&s.repo(), &mut s.reader(), &seen.change).unwrap();
    let stages = Stages::compare(&seen.old, &index.content, &seen.new, &Cancel::new()).unwrap();
    let of = |line| [diff::git::Side::Old, diff::git::Side::New].map(|side| stages.of_line(side, line));
    assert_eq!((of(0), of(2)), ([LineStage::Staged; 2], [LineStage::Unstaged; 2]));
    let hunks: Vec<_> = seen.hunks.iter().map(|hunk| stages.of_hunk(hunk)).collect();
    assert_eq!(hunks, [HunkStage::Staged, HunkStage::Unstaged]);
}

#[test]
fn new_moved_and_deleted_files_are_staged_out_of_the_comparison_with_head() {
    let Some(s) = Scratch::new() else { return };
    let content: String = (0..9).map(|line| format!("line {line}\n")).collect();
    s.write("moved", &content).write("gone", "a\nb\n").commit();
    s.remove("moved").write("there", content.replace("line 1\n", "one\n")).remove("gone").write("new", "n\nm\n");
    Seen::of(&s, HEAD, "new").stage_lines(&[], &[2]).unwrap();
    Seen::of(&s, HEAD, "gone").stage_lines(&[1], &[]).unwrap();
    Seen::renamed(&s, HEAD, "there").stage_lines(&[2], &[2]).unwrap();
    assert_eq!(s.git(&["ls-files"]), "gone\nnew\nthere\n");
    assert_eq!([text(&s, "new"), text(&s, "gone")], ["m\n", "b\n"]);
    Seen::of(&s, HEAD, "new").unstage_lines(&[], &[2]).unwrap();
    Seen::of(&s, HEAD, "gone").unstage_lines(&[1], &[]).unwrap();
    Seen::renamed(&s, HEAD, "there").unstage(What::File).unwrap();
    assert_eq!(s.stages().0, "");
}

#[test]
fn what_is_not_head_is_staged_and_not_unstaged() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\n").commit().write("f", "A\nb\nc\n").commit().write("f", "A\nb\nC\n");
    let against = || Source::WorkingTree { against: Some("HEAD~".to_owned()) };
    Seen::of(&s, against(), "f").stage_lines(&[1, 3], &[1, 3]).unwrap();
    assert_eq!(text(&s, "f"), "A\nb\nC\n");
    let error = Seen::of(&s, against(), "f").unstage_lines(&[3], &[3]).unwrap_err();
    assert!(matches!(error, StagingError::NotHead { .. }), "{error}");
}

#[test]
fn what_changed_since_it_was_shown_is_refused() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\n").commit().write("f", "A\nb\n");
    let seen = Seen::of(&s, Source::Unstaged, "f");
    s.write("f", "x\nA\nb\n");
    let error = seen.stage_lines(&[1], &[1]).unwrap_err();
    assert_eq!(error.to_string(), "f is not what it was when it was shown; look at it again and choose once more");
    s.git(&["add", "f"]);
    let staged = Seen::of(&s, Source::Staged, "f");
    s.write("f", "y\n");
    s.git(&["add", "f"]);
    assert!(matches!(staged.unstage_lines(&[1], &[1]), Err(StagingError::Changed { .. })));
    assert_eq!(text(&s, "f"), "y\n");
}

#[test]
fn what_the_index_had_is_written_back() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\n").write("moved", "m\n").commit().write("f", "A\nB\n").write("new", "n\n");
    s.remove("moved").write("there", "m\n");
    Seen::of(&s, Source::Unstaged, "f").stage_lines(&[1], &[1]).unwrap();
    let listed = s.git(&["ls-files", "-s"]);
    let mut before = Vec::new();
    for path in ["f", "new", "there"] {
        before.push(Seen::of(&s, Source::Unstaged, path).stage(What::File).unwrap());
    }
    assert_eq!(s.stages().1, "");
    for entries in before.iter().rev() {
        write_back(&s.repo(), entries).unwrap();
    }
    assert_eq!(s.git(&["ls-files", "-s"]), listed);
}

#[test]
fn several_files_are_staged_at_once() {
    let Some(s) = Scratch::new() else { return };
    for n in 0..50 {
        s.write(&format!("f{n}"), format!("{n}\nb\n"));
    }
    s.commit();
    for n in 0..50 {
        s.write(&format!("f{n}"), format!("{n}\nB{}\nc\n", n % 7));
    }
    let seen: Vec<_> = (0..50).map(|n| Seen::of(&s, Source::Unstaged, &format!("f{n}"))).collect();
    let chosen = lines(&[2], &[2]);
    let picks = seen.iter().map(|seen| seen.pick(What::Parts { lines: Some((seen.shown(), &chosen)), mode: false }));
    let picks = picks.collect::<Vec<_>>();
    stage(&s.compare(Source::Unstaged), &picks, &Cancel::new()).unwrap();
    for n in 0..50 {
        assert_eq!(text(&s, &format!("f{n}")), format!("{n}\nB{}\n", n % 7));
    }
}

#[test]
fn the_index_keeps_its_form() {
    let Some(s) = Scratch::new() else { return };
    s.write("in/f", "a\nb\n").write("out/g", "g\n").commit();
    s.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    s.git(&["update-index", "--index-version", "4"]);
    s.write("in/f", "A\nb\n");
    assert_eq!(staged(&s, "in/f", &[1], &[1]), "A\nb\n");
    assert!(s.git(&["ls-files", "--sparse"]).contains("out/\n"));
    assert_eq!(s.stages().0, "M 100644 100644 in/f");

    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\n").commit();
    s.git(&["update-index", "--split-index"]);
    s.write("f", "A\nb\n");
    assert_eq!(staged(&s, "f", &[1], &[1]), "A\nb\n");
    assert!(
        fs::read_dir(s.path().join(".git"))
            .unwrap()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("sharedindex"))
    );
    assert_eq!(s.stages().0, "M 100644 100644 f");
}

#[test]
fn what_git_was_told_not_to_look_at_is_refused() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").write("g", "a\n").commit().write("f", "b\n").write("g", "b\n");
    let (f, g) = (Seen::of(&s, Source::Unstaged, "f"), Seen::of(&s, Source::Unstaged, "g"));
    s.git(&["update-index", "--assume-unchanged", "f"]);
    s.git(&["update-index", "--skip-worktree", "g"]);
    for seen in [f, g] {
        let error = seen.stage(What::File).unwrap_err();
        assert!(matches!(error, StagingError::Unwatched { .. }), "{error}");
        let error = seen.stage_lines(&[1], &[1]).unwrap_err();
        assert!(matches!(error, StagingError::Unwatched { .. }), "{error}");
    }
    assert_eq!(s.git(&["ls-files", "-v"]), "h f\nS g\n");
}

#[test]
fn a_file_that_was_only_meant_to_be_added_is_staged_in_part() {
    let Some(s) = Scratch::new() else { return };
    s.write("other", "").commit().write("f", "a\nb\n");
    s.git(&["add", "-N", "f"]);
    assert_eq!(staged(&s, "f", &[], &[2]), "b\n");
    assert_eq!(s.stages(), ("A 000000 100644 f".to_owned(), "M 100644 100644 f".to_owned()));
}

#[test]
fn before_the_first_commit_lines_are_staged_and_unstaged() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\n");
    assert_eq!(staged(&s, "f", &[], &[1]), "a\n");
    unstaged(&s, "f", &[], &[1]);
    assert_eq!(s.git(&["ls-files"]), "");
}

#[test]
fn an_index_that_stays_locked_is_told_and_not_broken() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit().write("f", "b\n");
    s.write(".git/index.lock", "");
    let error = Seen::of(&s, Source::Unstaged, "f").stage_lines(&[1], &[1]).unwrap_err();
    assert!(matches!(&error, StagingError::Git(GitError::Locked { said }) if said.contains("index.lock")), "{error}");
    s.remove(".git/index.lock");
    assert_eq!(staged(&s, "f", &[1], &[1]), "b\n");
}

#[test]
fn comparisons_that_show_something_else_are_refused() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit().write("f", "b\n");
    s.git(&["add", "f"]);
    s.write("f", "c\n");
    let cancel = Cancel::new();
    let error = stage(&s.compare(Source::Staged), &[], &cancel).unwrap_err();
    assert_eq!(error.to_string(), "nothing can be staged out of a comparison of staged changes");
    let error = unstage(&s.compare(Source::Unstaged), &[], &cancel).unwrap_err();
    assert_eq!(error.to_string(), "nothing can be unstaged out of a comparison of unstaged changes");
    let stopped = Cancel::new();
    stopped.cancel();
    let seen = Seen::of(&s, Source::Unstaged, "f");
    let error = stage(&seen.comparison, &[seen.pick(What::File)], &stopped).unwrap_err();
    assert!(matches!(error, StagingError::Git(GitError::Cancelled)), "{error}");
}

#[test]
fn choosing_nothing_that_changed_changes_nothing() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\n").commit().write("f", "a\nb\nC\n");
    let listed = s.git(&["ls-files", "-s"]);
    let seen = Seen::of(&s, Source::Unstaged, "f");
    for chosen in [Chosen::default(), lines(&[1, 2], &[1, 2])] {
        let before = seen.stage(What::Parts { lines: Some((seen.shown(), &chosen)), mode: false }).unwrap();
        assert_eq!((before.len(), s.git(&["ls-files", "-s"])), (0, listed.clone()));
    }
}

#[test]
fn files_stand_where_status_has_them() {
    let Some(s) = Scratch::new() else { return };
    s.write("both", "a\nb\n")
        .write("staged", "a\n")
        .write("not", "a\n")
        .write("same", "a\n")
        .write("moved", "m\n1\n2\n3\n");
    s.commit().write("both", "A\nb\n").write("staged", "A\n").write("not", "A\n").write("new", "n\n");
    s.git(&["mv", "moved", "there"]);
    s.git(&["add", "both", "staged"]);
    s.write("both", "A\nB\n");
    let stages = FileStages::list(&s.repo(), &Cancel::new()).unwrap();
    let changes = s.compare(HEAD).changes(&Cancel::new()).unwrap();
    let found: Vec<_> = changes.iter().map(|change| (change.path.to_string(), stages.of_file(change))).collect();
    let expected = [
        ("both", FileStage::Partly),
        ("new", FileStage::Unstaged),
        ("not", FileStage::Unstaged),
        ("staged", FileStage::Staged),
        ("there", FileStage::Staged),
    ];
    assert_eq!(found, expected.map(|(path, stage)| (path.to_owned(), Some(stage))));
    assert_eq!(stages.staged(), 3);
}

#[test]
fn text_that_is_not_saved_is_staged_for_what_is_on_disk() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\n").commit().write("f", "A\nb\nc\n");
    let mut seen = Seen::of(&s, HEAD, "f");
    let unsaved = b"A\nb\nC\n".to_vec().into();
    seen.show_new("A\nb\nC\n");
    let last = lines(&[3], &[3]);
    let what = What::Parts { lines: Some((seen.shown(), &last)), mode: false };
    let pick = Pick { unsaved: Some(&unsaved), ..seen.pick(what) };
    stage(&seen.comparison, &[pick], &Cancel::new()).unwrap();
    assert_eq!(text(&s, "f"), "a\nb\nC\n");
    assert_eq!(fs::read_to_string(s.path().join("f")).unwrap(), "A\nb\nc\n", "the disk is as it was");
    unstage(&seen.comparison, &[pick], &Cancel::new()).unwrap();
    assert_eq!(text(&s, "f"), "a\nb\nc\n");
    assert!(matches!(stage(&seen.comparison, &[seen.pick(what)], &Cancel::new()), Err(StagingError::Changed { .. })));
}
