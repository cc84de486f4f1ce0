//! What both sides of a change hold.

use std::fs;

use diff::{
    Cancel,
    content::SideContent,
    git::{FileChange, Form, Reader, Side},
    source::Comparison,
};

use super::scratch::Scratch;

/// Both sides as text; a side that is none is described.
fn sides(reader: &mut Reader, change: &FileChange) -> (String, String) {
    let mut side = |side| match reader.read(change, side).unwrap() {
        SideContent::Text(text) => String::from_utf8_lossy(&text.bytes).into_owned(),
        other => format!("{other:?}"),
    };
    (side(Side::Old), side(Side::New))
}

fn document(s: &Scratch) -> (String, String) {
    sides(&mut s.reader(), &s.changes(&[])[0])
}

fn stored(s: &Scratch) -> (String, String) {
    sides(&mut s.reader().with_form(Form::Stored), &s.changes(&[])[0])
}

fn pair(old: &str, new: &str) -> (String, String) {
    (old.to_owned(), new.to_owned())
}

#[test]
fn case_18_a_new_file_has_no_old_side() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n");
    assert_eq!(document(&s), pair("Missing", "a\n"));
}

/// Forty files in two commits, each made of the same lines but for a few: git stores most as deltas of others.
fn forty_files() -> Option<Scratch> {
    let s = Scratch::new()?;
    for round in 0..2 {
        for file in 0..40 {
            let line = |n: usize| format!("line {n} {}\n", if n % 41 == file { round } else { 7 });
            let text: Vec<String> = (0..200).map(line).collect();
            s.write(&format!("d{}/f{file}", file % 7), text.concat());
        }
        s.commit();
    }
    Some(s)
}

/// Reads both sides of every change as the order goes and compares them with what git says they are.
fn check_against_git(s: &Scratch) {
    let changes = s.changes(&["HEAD~..HEAD"]);
    assert_eq!(changes.len(), 40);
    let order = s.repo().reading_order(&changes);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..40), "every file once: {order:?}");
    let mut reader = s.reader();
    for change in order.into_iter().map(|at| &changes[at]) {
        let text = |revision: &str| s.git_bytes(&["cat-file", "blob", &format!("{revision}:{}", change.path)]);
        let git = |revision| String::from_utf8(text(revision)).unwrap();
        assert_eq!(sides(&mut reader, change), (git("HEAD~"), git("HEAD")), "{}", change.path);
    }
}

#[test]
fn contents_are_the_same_loose_and_packed() {
    let Some(s) = forty_files() else { return };
    check_against_git(&s);
    s.git(&["repack", "-adfq", "--depth=20"]);
    check_against_git(&s);
    // Bases named by their ids instead of how far away they are.
    s.git(&["-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq"]);
    check_against_git(&s);
}

#[test]
fn files_are_read_as_they_lie_in_the_pack() {
    let Some(s) = forty_files() else { return };
    s.git(&["repack", "-adfq"]);
    let changes = s.changes(&["HEAD~..HEAD"]);
    let index = s.git(&["rev-parse", "--git-path", "objects/pack"]);
    let index = fs::read_dir(s.path().join(index.trim())).unwrap().flatten().map(|entry| entry.path());
    let index = index.into_iter().find(|path| path.extension().is_some_and(|it| it == "idx")).unwrap();
    let listed = s.git(&["verify-pack", "-v", index.to_str().unwrap()]);
    let offset = |at: &usize| {
        let id = changes[*at].old.as_ref().unwrap().id().unwrap().to_string();
        let line = listed.lines().find(|line| line.starts_with(&id)).unwrap();
        line.split_whitespace().nth(4).unwrap().parse::<u64>().unwrap()
    };
    let offsets: Vec<_> = s.repo().reading_order(&changes).iter().map(offset).collect();
    assert!(offsets.is_sorted(), "{offsets:?}");
}

#[test]
fn an_object_that_stands_in_for_another_is_what_is_read() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "old\n").commit().write("a", "new\n").write("b", "instead\n").commit();
    s.git(&["replace", s.git(&["rev-parse", "HEAD:a"]).trim(), s.git(&["rev-parse", "HEAD:b"]).trim()]);
    s.git(&["repack", "-adfq"]);
    let changes = s.changes(&["HEAD~..HEAD"]);
    let change = changes.iter().find(|change| change.path.display() == "a").unwrap();
    assert_eq!(sides(&mut s.reader(), change), pair("old\n", "instead\n"));
}

#[test]
fn case_17_empty_files_have_an_empty_side() {
    let Some(s) = Scratch::new() else { return };
    s.write("gone", "").commit().remove("gone");
    assert_eq!(document(&s), pair("", "Missing"));
}

#[test]
fn case_6_a_side_is_compared_after_line_endings_are_converted() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.ts eol=crlf\n").write("a.ts", "one\r\ntwo\r\n").commit();
    assert_eq!(s.git(&["cat-file", "-p", "HEAD:a.ts"]), "one\ntwo\n");
    assert_eq!(s.worktree(), "");
    s.write("a.ts", "one\r\n2\r\n");
    assert_eq!(document(&s), pair("one\r\ntwo\r\n", "one\r\n2\r\n"));
    assert_eq!(stored(&s), pair("one\ntwo\n", "one\n2\n"));
}

#[test]
fn case_6_converted_files_that_are_the_same_are_not_listed() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "* text=auto\n").write("a", "one\n").commit();
    s.write("a", "one\r\n");
    assert_eq!(s.worktree(), "", "text=auto stores both as one");
}

#[test]
fn case_6_endings_that_are_stored_as_one_do_not_differ() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "* text=auto\n").write("a", "one\ntwo\nthree").commit();
    s.write("a", "one\r\n2\r\nthree");
    assert_eq!(document(&s), pair("one\r\ntwo\r\nthree", "one\r\n2\r\nthree"));
    assert_eq!(stored(&s), pair("one\ntwo\nthree", "one\n2\nthree"));
    s.write("a", "one\n2\nthree");
    assert_eq!(document(&s), pair("one\ntwo\nthree", "one\n2\nthree"));
    // What is stored with CR is no longer converted.
    s.write("b", "one\r\n");
    s.git(&["-c", "core.attributesFile=/dev/null", "hash-object", "-w", "--no-filters", "b"]);
    let id = s.git(&["hash-object", "-w", "--no-filters", "b"]);
    s.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{},b", id.trim())]);
    s.git(&["commit", "-q", "-m", "b"]);
    s.write("b", "one\ntwo\n").remove("a");
    s.git(&["checkout", "a"]);
    assert_eq!(document(&s), pair("one\r\n", "one\ntwo\n"));
}

#[test]
fn case_7_a_crlf_file_stays_crlf_on_both_sides() {
    let Some(s) = Scratch::new() else { return };
    s.write("a.csv", "1\r\n2\r\n").commit().write("a.csv", "1\r\n2\r\n3\r\n");
    assert_eq!(document(&s), pair("1\r\n2\r\n", "1\r\n2\r\n3\r\n"));
    assert_eq!(stored(&s), document(&s));
}

#[test]
fn autocrlf_of_the_configuration_holds() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "one\n").commit();
    s.git(&["config", "core.autocrlf", "true"]);
    s.write("a", "one\r\ntwo\r\n");
    assert_eq!(document(&s), pair("one\r\n", "one\r\ntwo\r\n"));
    assert_eq!(stored(&s), pair("one\n", "one\ntwo\n"));
}

#[test]
fn ident_is_collapsed_in_what_is_stored() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "a ident\n").write("a", "$Id$\n").commit().remove("a");
    s.git(&["checkout", "a"]);
    assert_eq!(s.worktree(), "");
    let expanded = fs::read_to_string(s.path().join("a")).unwrap();
    s.write("a", format!("{expanded}more\n"));
    assert_eq!(stored(&s), pair("$Id$\n", "$Id$\nmore\n"));
    assert_eq!(document(&s), pair(&expanded, &format!("{expanded}more\n")));
}

#[test]
fn an_encoding_of_the_working_tree_is_undone() {
    let Some(s) = Scratch::new() else { return };
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    s.write(".gitattributes", "a working-tree-encoding=UTF-16LE\n").write("a", utf16("één\n")).commit();
    assert_eq!(s.git(&["cat-file", "-p", "HEAD:a"]), "één\n");
    s.write("a", utf16("één\ntwee\n"));
    assert_eq!(document(&s), pair("één\n", "één\ntwee\n"));
    assert_eq!(stored(&s), document(&s));
}

#[test]
fn text_in_a_legacy_encoding_is_decoded_for_display_only() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", b"caf\xe9\n").commit().write("a", b"caf\xe9s\n");
    assert_eq!(document(&s), pair("café\n", "cafés\n"));
    let change = &s.changes(&[])[0];
    let raw = s.reader().with_form(Form::Stored).read(change, Side::New).unwrap();
    assert_eq!(&*raw.text().unwrap().bytes, b"caf\xe9s\n");
}

#[test]
fn case_19_a_byte_order_mark_is_noted_and_not_compared() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "one\n").commit().write("a", "\u{feff}one\n");
    let change = &s.changes(&[])[0];
    let mut reader = s.reader();
    let (old, new) = (reader.read(change, Side::Old).unwrap(), reader.read(change, Side::New).unwrap());
    let (old, new) = (old.text().unwrap(), new.text().unwrap());
    assert_eq!((&*old.bytes, old.bom, &*new.bytes, new.bom), (&b"one\n"[..], false, &b"one\n"[..], true));
}

#[test]
fn case_9_a_lone_cr_stays_within_its_line() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit().write("a", "a\rb\n");
    let change = &s.changes(&[])[0];
    let text = s.reader().read(change, Side::New).unwrap().text().unwrap().content().unwrap();
    assert_eq!((text.line_count(), text.line(0)), (1, &b"a\rb\n"[..]));
}

#[test]
fn case_21_a_nul_makes_it_binary_unless_text_is_forced() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", b"a\0b\n").commit().write("a", b"a\0bc\n");
    let change = &s.changes(&[])[0];
    let old = s.reader().read(change, Side::Old).unwrap();
    let id = s.git(&["rev-parse", "HEAD:a"]);
    assert!(
        matches!(old, SideContent::Binary { size: 4, id: Some(found), .. } if found.to_string() == id.trim()),
        "{old:?}"
    );
    let SideContent::Binary { size, .. } = s.reader().read(change, Side::New).unwrap() else { panic!("not binary") };
    assert_eq!(size, 5);
    let hash = s.reader().hash(change, Side::New).unwrap().unwrap();
    assert_eq!(hash.to_string(), s.git(&["hash-object", "a"]).trim());
    let mut forced = s.reader().forcing_text(true);
    assert_eq!(sides(&mut forced, change), pair("a\0b\n", "a\0bc\n"));
}

#[test]
fn attributes_say_what_is_text() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.bin binary\n*.nodiff -diff\n*.forced diff\n").commit();
    s.write("a.bin", "text\n").write("b.nodiff", "text\n").write("c.forced", b"a\0\n");
    let kinds: Vec<bool> =
        s.changes(&[]).iter().map(|change| s.reader().read(change, Side::New).unwrap().text().is_some()).collect();
    assert_eq!(kinds, [false, false, true]);
}

/// The child that is measured: what other tests take is not its own.
#[cfg(target_os = "linux")]
const MEASURED: &str = "RECTO_TESTS_SPARSE";

#[cfg(target_os = "linux")]
#[test]
fn case_22_a_sparse_file_of_250_mb_needs_no_memory() {
    if let Some(folder) = std::env::var_os(MEASURED) {
        return read_sparse(folder.as_ref());
    }
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    fs::File::create(s.path().join("sparse")).unwrap().set_len(250 << 20).unwrap();
    let this = "contents::case_22_a_sparse_file_of_250_mb_needs_no_memory";
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", this, "--nocapture"]).env(MEASURED, s.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let told = |what: &str| said.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(": "));
    assert_eq!(told("hash"), Some(s.git(&["hash-object", "sparse"]).trim()), "{said}");
    let most: u64 = told("most memory in kB").unwrap().parse().unwrap();
    assert!(most < 50 << 10, "{most} kB, the program included");
}

/// Lists, reads and names a sparse file, and prints what was found and the most memory that took.
#[cfg(target_os = "linux")]
fn read_sparse(folder: &std::path::Path) {
    let comparison = Comparison::parse(&[], &[], folder).unwrap();
    let changes = comparison.changes(&Cancel::new()).unwrap();
    let mut reader = comparison.reader();
    assert!(matches!(reader.read(&changes[0], Side::New).unwrap(), SideContent::Binary { size: 262_144_000, .. }));
    println!("\nhash: {}", reader.hash(&changes[0], Side::New).unwrap().unwrap());
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("most memory in kB: {}", most.trim().trim_end_matches(" kB"));
}

#[test]
fn links_and_submodules_are_no_text() {
    let Some(s) = Scratch::new() else { return };
    std::os::unix::fs::symlink("target", s.path().join("link")).unwrap();
    let change = &s.changes(&[])[0];
    assert!(
        matches!(s.reader().read(change, Side::New).unwrap(), SideContent::Symlink { target } if target.to_string() == "target")
    );
    s.commit();
    let change = &s.changes(&["HEAD^!"])[0];
    assert!(
        matches!(s.reader().read(change, Side::New).unwrap(), SideContent::Symlink { target } if target.to_string() == "target")
    );
}

#[test]
fn a_filter_is_named_and_never_run() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.big filter=lfs\n").write("a.big", "pointer\n").commit();
    let ran = s.path().join("ran");
    let touch = format!("touch {}", ran.display());
    for key in ["filter.lfs.clean", "filter.lfs.smudge", "filter.lfs.process"] {
        s.git(&["config", key, &touch]);
    }
    s.git(&["config", "filter.lfs.required", "true"]);
    s.write("a.big", "other\n");
    let changes = s.changes(&["--", "a.big"][1..]);
    let mut reader = s.reader();
    assert_eq!(sides(&mut reader, &changes[0]), pair("pointer\n", "other\n"));
    assert_eq!(reader.filter_of(&changes[0].path).unwrap().as_deref(), Some("lfs"));
    assert!(!ran.exists());
}

#[test]
fn the_live_side_knows_its_path() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit().write("a", "b\n");
    let change = &s.changes(&[])[0];
    let reader = s.reader();
    let live = reader.live_path(change, Side::New).unwrap();
    assert_eq!(live.canonicalize().unwrap(), s.path().join("a").canonicalize().unwrap());
    assert_eq!(reader.live_path(change, Side::Old), None);
}
