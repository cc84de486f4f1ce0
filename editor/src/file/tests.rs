//! Tests of loading and saving on the real file system, with and without faults.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::fault::{Fault, FaultFs};
use super::*;
use crate::cancel::Cancel;
use crate::document::LineEnding;
use crate::limits::Limits;
use crate::text::Text;

const OLD: &str = "old content\n";

/// A folder with a file `a.txt` in it.
struct Scene {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Scene {
    fn new(content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        fs::write(&file, content).unwrap();
        Self { folder, file }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn load(&self) -> Loaded {
        load(&RealFs, &self.file, &Limits::default()).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.file).unwrap()
    }

    /// Names in the folder, sorted.
    fn names(&self) -> Vec<String> {
        names_in(self.folder.path())
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn load_bytes(content: &[u8]) -> Result<Loaded, OpenError> {
    load(&RealFs, &Scene::new(content).file, &Limits::default())
}

fn replace(text: &Text, from: &str, to: &str) -> Text {
    Text::from(text.to_string().replace(from, to))
}

// Loading

#[test]
fn plain_text_is_utf8_without_a_mark() {
    let loaded = load_bytes("fn main() {}\nüß漢\n".as_bytes()).unwrap();
    assert_eq!(loaded.text.to_string(), "fn main() {}\nüß漢\n");
    assert_eq!((loaded.encoding, loaded.bom, loaded.exact), (Encoding::UTF_8, false, true));
    assert_eq!((loaded.line_ending, loaded.mixed, loaded.longest_line), (LineEnding::Lf, false, 13));
}

#[test]
fn an_empty_file_is_an_empty_text() {
    let loaded = load_bytes(b"").unwrap();
    assert_eq!((loaded.text.len(), loaded.line_ending, loaded.mixed), (0, LineEnding::Lf, false));
}

#[test]
fn the_mark_of_utf8_is_not_part_of_the_text() {
    let loaded = load_bytes(b"\xef\xbb\xbfa\r\n").unwrap();
    assert_eq!(loaded.text.to_string(), "a\r\n");
    assert!(loaded.bom);
    assert_eq!(loaded.line_ending, LineEnding::Crlf);
}

#[test]
fn encodings_are_recognised() {
    let (shift_jis, _, _) = encoding_rs::SHIFT_JIS.encode("これは日本語のテキストです。漢字とかなが混ざっています。\n");
    let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode("Привет, мир! Это простой текст на русском языке.\n");
    let (euc_kr, _, _) = encoding_rs::EUC_KR.encode("안녕하세요. 이것은 한국어로 쓴 글입니다.\n");
    let (gbk, _, _) = encoding_rs::GBK.encode("这是一个用中文写的简单文本文件，用来测试编码检测。\n");
    let utf16 = |text: &str, little: bool| -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let table: &[(&[u8], &str, &str)] = &[
        (b"caf\xe9\n", "windows-1252", "café\n"),
        (&shift_jis, "Shift_JIS", "これは"),
        (&cyrillic, "windows-1251", "Привет"),
        (&euc_kr, "EUC-KR", "안녕"),
        (&gbk, "GBK", "这是"),
        (&[b"\xff\xfe", &utf16("héllo\r\n", true)[..]].concat(), "UTF-16LE", "héllo\r\n"),
        (&[b"\xfe\xff", &utf16("héllo\n", false)[..]].concat(), "UTF-16BE", "héllo\n"),
        (&utf16("Windows Registry Editor\r\n", true), "UTF-16LE", "Windows Registry"),
        (&utf16("no mark, high byte first\n", false), "UTF-16BE", "no mark"),
    ];
    for (bytes, encoding, start) in table {
        let loaded = load_bytes(bytes).unwrap();
        assert_eq!(loaded.encoding.name(), *encoding, "{start}");
        assert!(loaded.text.to_string().starts_with(start), "{start}: {}", loaded.text);
        assert!(loaded.exact);
    }
}

#[test]
fn a_character_across_two_blocks_is_read_whole() {
    // Blocks are 4 MiB: the euro sign's three bytes lie around the end of the first.
    for before in (4 << 20) - 3..=4 << 20 {
        let content = format!("{}€\r\nend", "x".repeat(before));
        let loaded = load_bytes(content.as_bytes()).unwrap();
        assert_eq!(loaded.encoding, Encoding::UTF_8);
        assert!(loaded.text.to_string() == content, "{before} bytes before");
        assert_eq!(loaded.longest_line, before + 5);
    }
}

#[test]
fn a_nul_near_the_start_makes_a_file_binary() {
    for bytes in [&b"\x7fELF\x02\x01\x01\0\0\0"[..], &[0; 10_000], b"\xff\xfe\0\0a\0\0\0", b"\xff\xfea\0b"] {
        assert!(matches!(load_bytes(bytes), Err(OpenError::Binary { .. })), "{bytes:?}");
    }
    let late = [&vec![b'a'; 8000][..], b"\0"].concat();
    assert!(load_bytes(&late).is_ok(), "git looks at 8000 bytes only");
}

#[test]
fn ten_megabytes_of_nul_are_a_binary_file_and_said_so() {
    let error = load_bytes(&vec![0; 10 << 20]).unwrap_err();
    assert!(error.to_string().ends_with("looks binary; open it in the hex view, or force text"), "{error}");
}

#[test]
fn a_binary_file_can_be_forced_open_and_comes_back_the_same() {
    let bytes: Vec<u8> = (0..=255).cycle().take(3000).collect();
    let scene = Scene::new(&bytes);
    let force = LoadOptions { force_text: true, ..LoadOptions::default() };
    let loaded = load_with(&RealFs, &scene.file, &Limits::default(), force, &Cancel::new()).unwrap();
    assert!(loaded.binary && loaded.exact);
    save(&RealFs, &scene.file, &loaded.text, &SaveOptions::as_loaded(&loaded)).unwrap();
    assert!(scene.bytes() == bytes);
}

#[test]
fn a_line_of_ten_megabytes_is_loaded_and_its_length_told() {
    let line = format!("[{}1]", "{\"k\":1},".repeat((10 << 20) / 8));
    let loaded = load_bytes(line.as_bytes()).unwrap();
    assert_eq!(loaded.longest_line, line.len());
    assert!(loaded.longest_line > Limits::default().highlight_line_bytes, "so it is not highlighted");
}

#[test]
fn an_encoding_that_does_not_fit_is_not_exact() {
    let scene = Scene::new(b"caf\xe9\n");
    let options = LoadOptions { encoding: Some(Encoding::UTF_8), ..LoadOptions::default() };
    let loaded = load_with(&RealFs, &scene.file, &Limits::default(), options, &Cancel::new()).unwrap();
    assert_eq!((loaded.text.to_string().as_str(), loaded.exact), ("caf\u{fffd}\n", false));
}

#[test]
fn what_is_no_file_is_refused_by_name() {
    let scene = Scene::new(OLD);
    let limits = Limits { open_bytes: 5, ..Limits::default() };
    let missing = scene.path("none");
    assert!(matches!(load(&RealFs, &missing, &limits), Err(OpenError::Missing { path }) if path == missing));
    assert!(matches!(load(&RealFs, scene.folder.path(), &limits), Err(OpenError::Folder { .. })));
    assert!(matches!(load(&RealFs, Path::new("/dev/zero"), &limits), Err(OpenError::Special { .. })));
    assert!(matches!(load(&RealFs, &scene.file, &limits), Err(OpenError::TooLarge { size: 12, limit: 5, .. })));
}

#[test]
fn a_cancelled_load_ends() {
    let cancel = Cancel::new();
    cancel.cancel();
    let scene = Scene::new(OLD);
    let result = load_with(&RealFs, &scene.file, &Limits::default(), LoadOptions::default(), &cancel);
    assert!(matches!(result, Err(OpenError::Cancelled { .. })));
}

// Saving what was loaded

#[test]
fn mixed_line_endings_stay_and_only_the_edited_line_differs() {
    let scene = Scene::new("a\r\nb\nc\rd");
    let loaded = scene.load();
    assert!(loaded.mixed);
    assert_eq!(loaded.line_ending, LineEnding::Crlf, "as many of either: the first decides");
    let edited = replace(&loaded.text, "b", "edited");
    save(&RealFs, &scene.file, &edited, &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(scene.bytes(), b"a\r\nedited\nc\rd");
}

#[test]
fn latin_1_saves_back_the_same_bytes() {
    let scene = Scene::new(b"caf\xe9\n");
    let loaded = scene.load();
    save(&RealFs, &scene.file, &loaded.text, &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(scene.bytes(), b"caf\xe9\n");
}

#[test]
fn a_character_the_encoding_lacks_is_named_and_nothing_is_lost() {
    let scene = Scene::new(b"one\ncaf\xe9\n");
    let loaded = scene.load();
    let edited = Text::from("one\ncafé → tea\n");
    let error = save(&RealFs, &scene.file, &edited, &SaveOptions::as_loaded(&loaded)).unwrap_err();
    assert!(matches!(&error, SaveError::Unencodable { character: '→', line: 2, column: 6, .. }), "{error:?}");
    assert!(error.to_string().starts_with("windows-1252 has no '→' (line 2, column 6 of"), "{error}");
    assert_eq!(scene.bytes(), b"one\ncaf\xe9\n");
    assert_eq!(scene.names(), ["a.txt"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_loaded_is_saved_back_byte_for_byte(bytes in any_content()) {
        let scene = Scene::new(&bytes);
        let force = LoadOptions { force_text: true, ..LoadOptions::default() };
        let loaded = load_with(&RealFs, &scene.file, &Limits::default(), force, &Cancel::new()).unwrap();
        prop_assert!(loaded.exact);
        save(&RealFs, &scene.file, &loaded.text, &SaveOptions::as_loaded(&loaded)).unwrap();
        prop_assert_eq!(scene.bytes(), bytes);
    }
}

/// Bytes of any kind, and texts in any encoding, with and without a mark, cut anywhere.
fn any_content() -> impl Strategy<Value = Vec<u8>> {
    let text = "[a-z äßé€漢字かなПривет👩‍👧\r\n\0]{0,200}";
    let encoded = (text, 0..Encoding::all().len(), any::<bool>(), 0usize..4).prop_map(|(text, encoding, bom, cut)| {
        let encoding = Encoding::all()[encoding];
        let mut bytes = if bom { encoding.bom().to_vec() } else { Vec::new() };
        let mut encoder = super::encoding::Encoder::new(encoding);
        for character in text.chars() {
            let _ = encoder.push(character.encode_utf8(&mut [0; 4]), &mut bytes);
        }
        bytes.truncate(bytes.len().saturating_sub(cut));
        bytes
    });
    prop_oneof![proptest::collection::vec(any::<u8>(), 0..300), encoded]
}

// Saving on the file system as it is

#[test]
fn saving_keeps_mode_and_leaves_nothing_behind() {
    let scene = Scene::new(OLD);
    fs::set_permissions(&scene.file, fs::Permissions::from_mode(0o751)).unwrap();
    let loaded = scene.load();
    let stamp = save(&RealFs, &scene.file, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(scene.bytes(), b"new");
    assert_eq!(fs::metadata(&scene.file).unwrap().mode() & 0o7777, 0o751);
    assert_eq!(scene.names(), ["a.txt"]);
    assert_eq!(stamp.check(&RealFs, &scene.file).unwrap(), SinceStamp::Same);
}

#[test]
fn links_stay_links_and_the_last_file_changes() {
    let scene = Scene::new(OLD);
    for (link, target) in [("b", "a.txt"), ("c", "b"), ("d", "c"), ("e", "d")] {
        symlink(target, scene.path(link)).unwrap();
    }
    let through = scene.path("e");
    let loaded = load(&RealFs, &through, &Limits::default()).unwrap();
    save(&RealFs, &through, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(scene.bytes(), b"new");
    for link in ["b", "c", "d", "e"] {
        assert!(fs::symlink_metadata(scene.path(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(scene.names(), ["a.txt", "b", "c", "d", "e"]);
}

#[test]
fn a_relative_link_is_followed_from_its_own_folder() {
    let scene = Scene::new("");
    fs::create_dir(scene.path("a")).unwrap();
    fs::create_dir(scene.path("b")).unwrap();
    fs::write(scene.path("a/b"), OLD).unwrap();
    symlink("../a/b", scene.path("b/c")).unwrap();
    let through = scene.path("b/c");
    let loaded = load(&RealFs, &through, &Limits::default()).unwrap();
    save(&RealFs, &through, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(fs::read(scene.path("a/b")).unwrap(), b"new");
    assert!(fs::symlink_metadata(&through).unwrap().is_symlink());
    assert_eq!((names_in(&scene.path("a")), names_in(&scene.path("b"))), (vec!["b".into()], vec!["c".into()]));
}

#[test]
fn saving_through_a_link_to_nothing_creates_its_target() {
    let scene = Scene::new("");
    symlink("new.txt", scene.path("link")).unwrap();
    save(&RealFs, &scene.path("link"), &Text::from("x"), &SaveOptions::new_file()).unwrap();
    assert_eq!(fs::read(scene.path("new.txt")).unwrap(), b"x");
}

#[test]
fn links_in_a_circle_are_an_error() {
    let scene = Scene::new("");
    symlink("y", scene.path("x")).unwrap();
    symlink("x", scene.path("y")).unwrap();
    let error = save(&RealFs, &scene.path("x"), &Text::from("x"), &SaveOptions::new_file()).unwrap_err();
    assert!(error.to_string().contains("around in a circle"), "{error}");
}

#[test]
fn both_names_of_a_file_show_the_new_text() {
    let scene = Scene::new(OLD);
    fs::hard_link(&scene.file, scene.path("other")).unwrap();
    let loaded = scene.load();
    let stamp = save(&RealFs, &scene.file, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(fs::read(scene.path("other")).unwrap(), b"new");
    assert_eq!(fs::metadata(&scene.file).unwrap().nlink(), 2);
    assert_eq!(scene.names(), ["a.txt", "other"]);
    assert_eq!(stamp.check(&RealFs, &scene.file).unwrap(), SinceStamp::Same);
}

#[test]
fn a_device_is_written_to_and_stays_one() {
    let options = SaveOptions { expect: Expect::Anything, ..SaveOptions::new_file() };
    save(&RealFs, Path::new("/dev/null"), &Text::from("x"), &options).unwrap();
    assert_eq!(RealFs.metadata(Path::new("/dev/null")).unwrap().kind, super::fs::FileKind::Special);
}

#[test]
fn a_file_changed_by_another_program_is_not_overwritten() {
    let scene = Scene::new(OLD);
    let loaded = scene.load();
    fs::write(&scene.file, "alt content\n").unwrap(); // As long as the old one.
    let error = save(&RealFs, &scene.file, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap_err();
    assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error:?}");
    assert_eq!(scene.bytes(), b"alt content\n");
    assert_eq!(scene.names(), ["a.txt"]);
    // Decided by the person, it is.
    let options = SaveOptions { expect: Expect::Anything, ..SaveOptions::as_loaded(&loaded) };
    save(&RealFs, &scene.file, &Text::from("new"), &options).unwrap();
    assert_eq!(scene.bytes(), b"new");
}

#[test]
fn a_file_touched_or_written_with_the_same_bytes_is_unchanged() {
    let scene = Scene::new(OLD);
    let loaded = scene.load();
    fs::remove_file(&scene.file).unwrap();
    fs::write(&scene.file, OLD).unwrap();
    fs::set_permissions(&scene.file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(loaded.stamp.check(&RealFs, &scene.file).unwrap(), SinceStamp::Same);
    save(&RealFs, &scene.file, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap();
    assert_eq!(scene.bytes(), b"new");
}

#[test]
fn bytes_that_are_no_text_are_saved_over_the_bytes_that_are_expected() {
    let scene = Scene::new(b"\xff\0old");
    let stamp = Expect::Stamp(Stamp::of_bytes(b"\xff\0old"));
    let new = save_bytes(&RealFs, &scene.file, b"\0\xfenew", stamp).unwrap();
    assert_eq!(
        (scene.bytes().as_slice(), new.check(&RealFs, &scene.file).unwrap()),
        (&b"\0\xfenew"[..], SinceStamp::Same)
    );
    let error = save_bytes(&RealFs, &scene.file, b"newer", stamp).unwrap_err();
    assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error:?}");
    assert_eq!((scene.bytes().as_slice(), scene.names()), (&b"\0\xfenew"[..], vec!["a.txt".to_owned()]));
}

#[test]
fn a_file_removed_by_another_program_is_not_created_again_unasked() {
    let scene = Scene::new(OLD);
    let loaded = scene.load();
    fs::remove_file(&scene.file).unwrap();
    assert_eq!(loaded.stamp.check(&RealFs, &scene.file).unwrap(), SinceStamp::Gone);
    let error = save(&RealFs, &scene.file, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap_err();
    assert!(matches!(error, SaveError::RemovedFromDisk { .. }), "{error:?}");
    assert!(scene.names().is_empty());
}

#[test]
fn a_stamp_restored_with_a_session_sees_the_change() {
    let scene = Scene::new(OLD);
    let kept = scene.load().stamp.to_string();
    let restored: Stamp = kept.parse().unwrap();
    assert_eq!(restored.check(&RealFs, &scene.file).unwrap(), SinceStamp::Same);
    fs::write(&scene.file, "alt content\n").unwrap();
    assert_eq!(restored.check(&RealFs, &scene.file).unwrap(), SinceStamp::Changed);
}

#[test]
fn a_new_file_never_replaces_one_that_is_there() {
    let scene = Scene::new(OLD);
    let error = save(&RealFs, &scene.file, &Text::from("new"), &SaveOptions::new_file()).unwrap_err();
    assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error:?}");
    assert_eq!(scene.bytes(), OLD.as_bytes());
    save(&RealFs, &scene.path("b.txt"), &Text::from("new"), &SaveOptions::new_file()).unwrap();
    assert_eq!(scene.names(), ["a.txt", "b.txt"]);
}

#[test]
fn a_missing_folder_is_named() {
    let scene = Scene::new(OLD);
    let error = save(&RealFs, &scene.path("no/b.txt"), &Text::from("x"), &SaveOptions::new_file()).unwrap_err();
    assert!(matches!(&error, SaveError::NoFolder { folder } if *folder == scene.path("no")), "{error:?}");
}

#[test]
fn a_read_only_file_is_left_alone_until_it_is_made_writable() {
    let scene = Scene::new(OLD);
    fs::set_permissions(&scene.file, fs::Permissions::from_mode(0o444)).unwrap();
    let loaded = scene.load();
    assert!(loaded.read_only);
    let options = SaveOptions::as_loaded(&loaded);
    let error = save(&RealFs, &scene.file, &Text::from("new"), &options).unwrap_err();
    assert!(error.to_string().ends_with("is read-only; save it under another name, or make it writable"), "{error}");
    assert_eq!(scene.bytes(), OLD.as_bytes());
    make_writable(&RealFs, &scene.file).unwrap();
    save(&RealFs, &scene.file, &Text::from("new"), &options).unwrap();
    assert_eq!(scene.bytes(), b"new");
    assert_eq!(fs::metadata(&scene.file).unwrap().mode() & 0o777, 0o644);
}

// Saving when something goes wrong

/// Saves `new` over `old` with `fault`; the file has a second name when `linked`.
fn save_with(fault: Fault, linked: bool, old: &str, new: &str) -> (Scene, FaultFs, Result<Stamp, SaveError>) {
    let scene = Scene::new(old);
    if linked {
        fs::hard_link(&scene.file, scene.path("other")).unwrap();
    }
    let loaded = scene.load();
    let faulty = FaultFs::new(fault);
    let result = save(&faulty, &scene.file, &Text::from(new), &SaveOptions::as_loaded(&loaded));
    (scene, faulty, result)
}

/// Longer than the buffer of writing, so that there are several writes.
fn long(letter: char) -> String {
    String::from_iter([letter; 70]).repeat(10_000) + "\n"
}

#[test]
fn a_disk_full_at_any_byte_leaves_the_old_content_and_no_temporary_file() {
    let (old, new) = ("o".repeat(10_000), "n".repeat(10_000));
    for room in [0, 1, 5_000, 9_999] {
        let (scene, _, result) = save_with(Fault::DiskFull { room }, false, &old, &new);
        assert!(matches!(result, Err(SaveError::DiskFull { .. })), "{room}: {result:?}");
        assert!(scene.bytes() == old.as_bytes(), "room for {room}");
        assert_eq!(scene.names(), ["a.txt"], "room for {room}");
    }
    let (scene, _, result) = save_with(Fault::DiskFull { room: 10_000 }, false, &old, &new);
    result.unwrap();
    assert!(scene.bytes() == new.as_bytes());
}

#[test]
fn a_disk_full_while_writing_in_place_leaves_the_old_content() {
    let (old, new) = ("o".repeat(10_000), "n".repeat(30_000));
    // Room for the spare, but not for all that the file grows by.
    for room in [0, 29_999, 30_000, 30_001, 49_999] {
        let (scene, _, result) = save_with(Fault::DiskFull { room }, true, &old, &new);
        assert!(matches!(result, Err(SaveError::DiskFull { .. })), "{room}: {result:?}");
        assert!(scene.bytes() == old.as_bytes(), "room for {room}");
        assert_eq!(scene.names(), ["a.txt", "other"], "room for {room}");
    }
}

/// Runs a save with a fault at each of its steps, and hands over what came of it.
fn at_every_step(linked: bool, fault: impl Fn(usize) -> Fault, check: impl Fn(&str, &Scene, Result<Stamp, SaveError>)) {
    let (old, new) = (long('o'), long('n') + &long('n'));
    let (_, counted, result) = save_with(Fault::None, linked, &old, &new);
    result.unwrap();
    let steps = counted.steps();
    assert!(steps.len() > 12, "{steps:?}");
    for (at, step) in steps.iter().enumerate() {
        let (scene, _, result) = save_with(fault(at), linked, &old, &new);
        check(&format!("{:?} in {step}", fault(at)), &scene, result);
    }
}

fn is_whole(scene: &Scene, what: &str) -> bool {
    scene.file.exists() && {
        let content = String::from_utf8(scene.bytes()).unwrap();
        let old = content == long('o');
        let new = content == long('n') + &long('n');
        assert!(old || new || what.is_empty(), "a mix after {what}");
        old || new
    }
}

#[test]
fn an_error_at_any_step_leaves_a_whole_file_and_no_temporary_one() {
    for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other, ErrorKind::CrossesDevices] {
        for linked in [false, true] {
            at_every_step(
                linked,
                |at| Fault::Once { at, kind },
                |what, scene, result| {
                    assert!(is_whole(scene, what));
                    let new = String::from_utf8(scene.bytes()).unwrap() != long('o');
                    match result {
                        Ok(stamp) => {
                            assert!(new, "said to be saved after {what}");
                            assert_eq!(stamp.check(&RealFs, &scene.file).unwrap(), SinceStamp::Same, "{what}");
                        }
                        Err(SaveError::NotDurable { stamp, .. }) => {
                            assert!(new, "{what}");
                            assert_eq!(stamp.check(&RealFs, &scene.file).unwrap(), SinceStamp::Same, "{what}");
                        }
                        Err(error) => assert!(!new, "saved, but said not to be after {what}: {error}"),
                    }
                    let names = scene.names();
                    // The one step whose failure cannot but leave the file is its own removal.
                    if !what.ends_with("remove_file") {
                        assert!(names.iter().all(|name| !is_temporary(name.as_ref())), "{names:?} after {what}");
                    }
                },
            );
        }
    }
}

#[test]
fn a_kill_at_any_step_leaves_the_old_or_the_new_content_whole() {
    at_every_step(
        false,
        |at| Fault::Kill { at },
        |what, scene, result| {
            assert!(result.is_err() || what.contains("file_metadata"), "{what}");
            assert!(is_whole(scene, what));
        },
    );
}

#[test]
fn a_kill_while_writing_in_place_leaves_the_new_content_whole_in_the_spare() {
    at_every_step(
        true,
        |at| Fault::Kill { at },
        |what, scene, _| {
            let spare = scene.names().into_iter().find(|name| is_temporary(name.as_ref()));
            let whole_spare =
                spare.is_some_and(|name| fs::read_to_string(scene.path(&name)).unwrap() == long('n').repeat(2));
            assert!(is_whole(scene, "") || whole_spare, "nothing whole after {what}");
        },
    );
}

#[test]
fn a_failure_that_cannot_be_undone_names_the_spare() {
    // In place, everything that writes fails from the second sync on: the first is the spare's.
    let (old, new) = (long('o'), long('n').repeat(2));
    let (_, counted, _) = save_with(Fault::None, true, &old, &new);
    let overwrite = counted.steps().iter().rposition(|&step| step == "write").unwrap();
    let (scene, _, result) = save_with(Fault::Kill { at: overwrite }, true, &old, &new);
    let Err(SaveError::Damaged { spare, .. }) = result else { panic!("{result:?}") };
    assert!(fs::read_to_string(&spare).unwrap() == new);
    assert_eq!(spare.parent(), Some(scene.folder.path()));
}

#[test]
fn what_cannot_be_replaced_is_written_in_place() {
    for (step, kind) in [
        ("rename", ErrorKind::CrossesDevices),
        ("rename", ErrorKind::ResourceBusy),
        ("rename", ErrorKind::PermissionDenied),
        ("set_mode", ErrorKind::PermissionDenied),
        ("copy_attributes", ErrorKind::PermissionDenied),
        ("create_new", ErrorKind::PermissionDenied),
    ] {
        let (scene, faulty, result) = save_with(Fault::Always { step, kind }, false, OLD, "new");
        if step == "create_new" {
            // Not even a spare can be written anywhere: refused rather than risked.
            assert!(matches!(result, Err(SaveError::NotPermitted { .. })), "{result:?}");
            assert_eq!(scene.bytes(), OLD.as_bytes());
        } else {
            result.unwrap();
            assert_eq!(scene.bytes(), b"new", "{step}");
            assert!(faulty.steps().contains(&"set_len"), "in place, as {step} fails");
        }
        assert_eq!(scene.names(), ["a.txt"], "{step}");
    }
}

#[test]
fn an_outside_change_while_the_new_text_is_written_is_seen() {
    let scene = Scene::new(OLD);
    let loaded = scene.load();
    let meddling =
        FaultFs::new(Fault::Meddle { before: "sync", path: scene.file.clone(), content: b"by another".into() });
    let error = save(&meddling, &scene.file, &Text::from("new"), &SaveOptions::as_loaded(&loaded)).unwrap_err();
    assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error:?}");
    assert_eq!(scene.bytes(), b"by another");
    assert_eq!(scene.names(), ["a.txt"]);
}

#[test]
fn a_new_file_that_another_program_creates_meanwhile_is_not_replaced() {
    let scene = Scene::new(OLD);
    let path = scene.path("b.txt");
    let meddling = FaultFs::new(Fault::Meddle { before: "sync", path: path.clone(), content: b"by another".into() });
    let error = save(&meddling, &path, &Text::from("new"), &SaveOptions::new_file()).unwrap_err();
    assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error:?}");
    assert_eq!(fs::read(&path).unwrap(), b"by another");
    assert_eq!(scene.names(), ["a.txt", "b.txt"]);
}
