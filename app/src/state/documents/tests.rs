//! Opening, saving and watching, on real files.

use std::time::{Duration, Instant};

use editor::file::fs::Fs as _;

use super::*;
use crate::tasks::Waker;

/// One document of a file in a folder of its own.
struct Desk {
    folder: tempfile::TempDir,
    documents: Documents,
    notices: Notices,
    id: DocumentId,
}

impl Desk {
    fn open(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, text).unwrap();
        let mut documents = Documents::new(Tasks::start(1, Waker::new(|| {})).unwrap(), Limits::default());
        let id = documents.open(&path);
        let mut desk = Self { folder, documents, notices: Notices::default(), id };
        desk.settle();
        desk
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.txt")
    }

    fn settle(&mut self) {
        let start = Instant::now();
        loop {
            self.documents.take_results(&mut self.notices);
            if !self.documents.is_busy() {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "background work does not end");
            std::thread::yield_now();
        }
    }

    /// Another program writes the file, and the watcher says so.
    fn outside(&mut self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
        self.look();
    }

    fn outside_removes(&mut self) {
        RealFs.remove_file(&self.path()).unwrap();
        self.look();
    }

    fn look(&mut self) {
        self.documents.look_at(self.id);
        self.settle();
    }

    fn type_at(&mut self, at: usize, text: &str) {
        let open = self.documents.get_mut(self.id).unwrap();
        let changes = ChangeSet::from_edits(open.document.text().len(), [(at..at, text)]);
        open.document.apply(Transaction::new(changes), EditKind::Command, &Selections::caret(at));
    }

    fn save(&mut self) {
        self.documents.save(self.id, None, false);
        self.settle();
    }

    fn on_disk(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    /// Text, whether it is unsaved, how the file stands.
    fn check(&self, text: &str, dirty: bool, disk: Disk) {
        let open = self.documents.get(self.id).unwrap();
        assert_eq!((open.document.text().to_string().as_str(), open.is_dirty(), open.disk), (text, dirty, disk));
    }
}

#[test]
fn a_change_from_outside_touches_only_the_lines_that_differ() {
    let (old, new) = ("a\nb\nc\n".into(), "a\nB\nc\nd".into());
    let changes = changes_between(&old, &new, &Cancel::new());
    assert_eq!(changes.apply(&old).to_string(), "a\nB\nc\nd");
    let edits: Vec<_> = changes.edits().map(|edit| edit.old).collect();
    assert_eq!(edits, [2..4, 6..6]);
}

#[test]
fn a_clean_text_takes_the_file_in_as_one_step_of_undo() {
    let mut desk = Desk::open("a\nb\nc\n");
    desk.outside("A\nb\nC\n");
    desk.check("A\nb\nC\n", false, Disk::Same);
    let open = desk.documents.get_mut(desk.id).unwrap();
    assert!(open.document.undo().is_some());
    desk.check("a\nb\nc\n", true, Disk::Same);
}

#[test]
fn a_caret_stays_with_its_line_when_lines_are_added_above() {
    let mut desk = Desk::open("a\nb\nc\n");
    let version = desk.documents.get(desk.id).unwrap().document.version();
    desk.outside("new\na\nb\nc\n");
    let open = desk.documents.get(desk.id).unwrap();
    let caret = open
        .document
        .changes_since(version)
        .unwrap()
        .iter()
        .fold(4, |at, change| change.map(at, editor::change::Bias::After));
    assert_eq!(open.document.text().line_of(caret), 3);
}

#[test]
fn an_unsaved_text_is_never_replaced_and_never_replaces() {
    let mut desk = Desk::open("a\n");
    desk.type_at(0, "mine ");
    desk.outside("theirs\n");
    desk.check("mine a\n", true, Disk::Conflict);
    desk.save();
    assert_eq!(desk.on_disk(), "theirs\n", "saving without a decision writes nothing");
    desk.check("mine a\n", true, Disk::Conflict);
}

#[test]
fn reloading_in_a_conflict_can_be_undone() {
    let mut desk = Desk::open("a\n");
    desk.type_at(0, "mine ");
    desk.outside("theirs\n");
    desk.documents.reload(desk.id);
    desk.settle();
    desk.check("theirs\n", false, Disk::Same);
    assert!(desk.documents.get_mut(desk.id).unwrap().document.undo().is_some());
    desk.check("mine a\n", true, Disk::Same);
}

#[test]
fn keeping_mine_overwrites_what_was_seen_and_nothing_newer() {
    let mut desk = Desk::open("a\n");
    desk.type_at(0, "mine ");
    desk.outside("theirs\n");
    desk.documents.keep_mine(desk.id);
    desk.check("mine a\n", true, Disk::Same);
    desk.outside("theirs again\n");
    desk.check("mine a\n", true, Disk::Conflict);
    desk.documents.keep_mine(desk.id);
    desk.save();
    desk.check("mine a\n", false, Disk::Same);
    assert_eq!(desk.on_disk(), "mine a\n");
}

#[test]
fn a_conflict_ends_when_the_other_program_takes_its_change_back() {
    let mut desk = Desk::open("a\n");
    desk.type_at(0, "mine ");
    desk.outside("theirs\n");
    desk.outside("a\n");
    desk.check("mine a\n", true, Disk::Same);
}

#[test]
fn a_file_that_comes_to_hold_my_text_is_saved() {
    let mut desk = Desk::open("a\n");
    desk.type_at(0, "mine ");
    desk.outside("mine a\n");
    desk.check("mine a\n", false, Disk::Same);
}

#[test]
fn a_file_that_goes_leaves_its_text_and_comes_back() {
    let mut desk = Desk::open("a\n");
    desk.outside_removes();
    desk.check("a\n", true, Disk::Gone);
    desk.outside("other branch\n");
    desk.check("other branch\n", false, Disk::Same);
    desk.outside_removes();
    desk.type_at(0, "mine ");
    desk.outside("theirs\n");
    desk.check("mine other branch\n", true, Disk::Conflict);
}

#[test]
fn saving_what_was_removed_creates_it_anew() {
    let mut desk = Desk::open("a\n");
    desk.outside_removes();
    desk.save();
    desk.check("a\n", false, Disk::Same);
    assert_eq!(desk.on_disk(), "a\n");
}

#[test]
fn a_document_goes_with_its_file() {
    let mut desk = Desk::open("fn main() {}\n");
    let (from, to) = (desk.path(), desk.folder.path().join("sub").join("main.rs"));
    std::fs::create_dir(desk.folder.path().join("sub")).unwrap();
    std::fs::rename(&from, &to).unwrap();
    desk.type_at(0, "// mine\n");
    desk.documents.look_at(desk.id);
    desk.documents.moved(&from, &to);
    desk.settle();
    assert_eq!(desk.documents.path(desk.id), Some(&*to));
    desk.check("// mine\nfn main() {}\n", true, Disk::Same);
    assert_eq!(desk.documents.get(desk.id).unwrap().document.language().map(|name| &**name), Some("Rust"));
    desk.save();
    assert!(!from.exists() && std::fs::read_to_string(&to).unwrap().starts_with("// mine"));
}

#[test]
fn documents_go_with_a_folder_and_no_others() {
    let mut desk = Desk::open("a\n");
    let (from, to) = (desk.folder.path().to_owned(), PathBuf::from("/elsewhere"));
    let other = desk.documents.open(&from.with_extension("b.txt"));
    let before = desk.documents.path(other).map(Path::to_owned);
    desk.documents.moved(&from, &to);
    assert_eq!(desk.documents.path(desk.id), Some(Path::new("/elsewhere/a.txt")));
    assert_eq!(desk.documents.path(other).map(Path::to_owned), before);
}
