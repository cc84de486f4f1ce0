//! The store: what is kept, by whom it is seen, and what happens to files that are not as they should be.

use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::comments::Anchor;
use crate::git::Side;
use crate::lines::Content;
use crate::ticks::{ContentId, Mark, Marks};

/// A store in a folder of its own.
struct Kept {
    folder: TempDir,
    store: Store,
    repository: RepositoryId,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path());
        let repository = store.repository(&Identity::named("test")).unwrap();
        Self { folder, store, repository }
    }

    /// The same file in another window.
    fn again(&self) -> Self {
        let mut store = open(self.folder.path());
        let repository = store.repository(&Identity::named("test")).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), store, repository }
    }

    fn write(&mut self, write: Write) -> Revision {
        self.store.write(self.repository, &write).unwrap()
    }

    fn marks(&mut self) -> Marks {
        self.store.marks(self.repository).unwrap().0
    }

    fn comments(&mut self) -> Comments {
        self.store.comments(self.repository).unwrap().0
    }

    fn drafts(&mut self) -> Vec<(String, String)> {
        self.store.drafts(self.repository).unwrap().0.into_iter().collect()
    }

    /// What is said, by thread: `text`, `(draft)`, and `done` for resolved threads.
    fn said(&mut self) -> Vec<String> {
        let message = |message: &Message| format!("{}{}", message.text, if message.draft { " (draft)" } else { "" });
        let thread = |thread: &Thread| {
            let said: Vec<_> = thread.messages.iter().map(message).collect();
            format!("{}{}", said.join(", "), if thread.resolved { ": done" } else { "" })
        };
        self.comments().threads.iter().map(thread).collect()
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join("state/reviews.sqlite")
}

fn open(folder: &Path) -> Store {
    let opened = Store::open(&path(folder)).unwrap();
    assert_eq!(opened.notice, None);
    opened.store
}

fn id(n: u8) -> ContentId {
    ContentId::from_bytes([n; 20])
}

fn thread(text: &str) -> (Thread, Option<Origin>) {
    let content = Content::new(&b"one\ntwo\nthree\n"[..]).unwrap();
    let (anchor, origin) = Anchor::at("src/lib.rs".into(), Side::New, &content, 1..2);
    (Thread::new(anchor, "main...topic", Message::sent("Ann", text)), origin)
}

fn begin(text: &str) -> (Thread, Write) {
    let (thread, origin) = thread(text);
    (thread.clone(), Write::Begin { thread: Box::new(thread), origin })
}

fn edit(message: &Message, text: &str) -> Write {
    let (message, before) = (message.id, message.text.clone());
    Write::Edit { message, before, text: text.to_owned(), at: Moment::now(), beside: Id::new() }
}

#[test]
fn what_is_written_is_there_when_the_file_is_opened_again() {
    let mut kept = Kept::new();
    kept.write(Write::Marks(vec![(id(1), Some(Mark::Viewed)), (id(2), Some(Mark::ComeBack)), (id(3), None)]));
    let (mut thread, write) = begin("why?");
    kept.write(write);
    let reply = Message::draft("Ben", "because");
    kept.write(Write::Say { thread: thread.id, message: reply.clone() });
    kept.write(Write::Draft { name: "commit".into(), before: String::new(), text: "Fix it".into() });
    thread.messages.push(reply);

    let mut again = kept.again();
    assert_eq!(again.marks(), [(id(1), Mark::Viewed), (id(2), Mark::ComeBack)].into_iter().collect());
    let comments = again.comments();
    assert_eq!(comments.threads, [thread.clone()]);
    let origin = comments.origin(thread.anchor.origin.unwrap()).unwrap();
    assert_eq!(&*origin.text, b"one\ntwo\nthree\n");
    assert_eq!(again.drafts(), [("commit".to_owned(), "Fix it".to_owned())]);
}

#[test]
fn marks_are_taken_back() {
    let mut kept = Kept::new();
    kept.write(Write::Marks(vec![(id(1), Some(Mark::Viewed)), (id(2), Some(Mark::Viewed))]));
    kept.write(Write::Marks(vec![(id(1), None), (id(2), Some(Mark::ComeBack))]));
    assert_eq!(kept.again().marks(), [(id(2), Mark::ComeBack)].into_iter().collect());
}

#[test]
fn a_repository_sees_its_own_only() {
    let mut kept = Kept::new();
    kept.write(Write::Marks(vec![(id(1), Some(Mark::Viewed))]));
    kept.write(begin("here").1);
    let other = kept.store.repository(&Identity::named("other")).unwrap();
    assert!(kept.store.marks(other).unwrap().0.is_empty());
    assert_eq!(kept.store.comments(other).unwrap().0.threads, []);
}

#[test]
fn a_repository_that_was_moved_is_found_again() {
    let mut kept = Kept::new();
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    fs::create_dir(&before).unwrap();
    let known = kept.store.repository(&Identity::of_folder(&before)).unwrap();
    fs::rename(&before, &after).unwrap();
    let moved = Identity::of_folder(&after);
    if moved.folder.is_some() {
        assert_eq!(kept.store.repository(&moved).unwrap(), known);
        assert_eq!(kept.store.repository(&moved).unwrap(), known, "and by its new place");
    }
    // What is made anew in the old place is another one; what is made anew in the known place is the same.
    fs::create_dir(&before).unwrap();
    assert_ne!(kept.store.repository(&Identity::of_folder(&before)).unwrap(), known);
    fs::remove_dir(&after).unwrap();
    fs::create_dir(&after).unwrap();
    if moved.folder.is_some() {
        assert_eq!(kept.store.repository(&Identity::of_folder(&after)).unwrap(), known);
    }
}

#[test]
fn a_conversation_goes_its_way() {
    let mut kept = Kept::new();
    let (first, write) = begin("why?");
    kept.write(write);
    let (second, write) = begin("typo");
    kept.write(write);
    let reply = Message::draft("Ben", "becuase");
    kept.write(Write::Say { thread: first.id, message: reply.clone() });
    kept.write(edit(&reply, "because"));
    assert_eq!(kept.said(), ["why?, because (draft)", "typo"]);
    kept.write(Write::Send { message: reply.id });
    kept.write(Write::Resolve { thread: second.id, resolved: true });
    assert_eq!(kept.said(), ["why?, because", "typo: done"]);
    kept.write(Write::Resolve { thread: second.id, resolved: false });
    kept.write(Write::Withdraw { message: reply.id });
    assert_eq!(kept.said(), ["why?", "typo"]);
    kept.write(Write::Withdraw { message: first.messages[0].id });
    assert_eq!(kept.said(), ["typo"], "a thread goes with its last message");
    kept.write(Write::Remove { thread: second.id });
    assert_eq!(kept.said(), Vec::<String>::new());
}

#[test]
fn two_windows_keep_both_texts() {
    let mut one = Kept::new();
    let (thread, write) = begin("text");
    one.write(write);
    let mut other = one.again();
    let message = &thread.messages[0];
    one.write(edit(message, "text of one"));
    other.write(edit(message, "text of the other"));
    assert_eq!(one.said(), ["text of one, text of the other (draft)"]);
    // The same change twice is one.
    one.write(edit(message, "text of one"));
    assert_eq!(one.said(), ["text of one, text of the other (draft)"]);
}

#[test]
fn a_thread_that_somebody_writes_to_is_not_gone() {
    let mut one = Kept::new();
    let (thread, write) = begin("text");
    one.write(write);
    let mut other = one.again();
    one.write(Write::Remove { thread: thread.id });
    other.write(Write::Say { thread: thread.id, message: Message::sent("Ben", "reply") });
    assert_eq!(one.said(), ["text, reply"]);
    one.write(Write::Withdraw { message: thread.messages[0].id });
    other.write(edit(&thread.messages[0], "a better text"));
    assert_eq!(one.said(), ["a better text, reply"]);
}

#[test]
fn two_windows_keep_both_drafts() {
    let mut one = Kept::new();
    let mut other = one.again();
    let draft =
        |before: &str, text: &str| Write::Draft { name: "commit".into(), before: before.into(), text: text.into() };
    let drafts =
        |kept: &mut Kept| kept.drafts().into_iter().map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>();
    one.write(draft("", "One"));
    other.write(draft("", "Other"));
    assert_eq!(drafts(&mut one), ["commit: One", "commit (2): Other"]);
    one.write(draft("One", "One more"));
    other.write(draft("Other", "Other more"));
    assert_eq!(drafts(&mut one), ["commit: One more", "commit (2): Other more"]);
    other.write(draft("Other more", ""));
    assert_eq!(drafts(&mut one), ["commit: One more"], "each is done with its own");
    one.write(draft("One more", ""));
    assert_eq!(drafts(&mut one), Vec::<String>::new());
}

#[test]
fn changes_of_another_window_are_noticed() {
    let mut one = Kept::new();
    let mut other = one.again();
    let mut known = Revisions::default();
    known.set(Kind::Marks, one.store.marks(one.repository).unwrap().1);
    let pulse = one.store.pulse().unwrap();
    assert_eq!(one.store.pulse().unwrap(), pulse, "nothing happened");
    let made = one.write(Write::Marks(vec![(id(1), Some(Mark::Viewed))]));
    assert_eq!(one.store.pulse().unwrap(), pulse, "it was ourselves");
    assert!(made.follows(known.of(Kind::Marks)));
    known.set(Kind::Marks, made);

    other.write(Write::Marks(vec![(id(2), Some(Mark::Viewed))]));
    assert_ne!(one.store.pulse().unwrap(), pulse);
    assert_eq!(one.store.changed_since(one.repository, &known), Ok(vec![Kind::Marks]));
    let made = one.write(Write::Marks(vec![(id(3), Some(Mark::Viewed))]));
    assert!(!made.follows(known.of(Kind::Marks)), "somebody came between");
    other.write(begin("text").1);
    assert_eq!(one.store.changed_since(one.repository, &known), Ok(vec![Kind::Marks, Kind::Comments]));
}

#[test]
fn what_is_old_is_forgotten_and_nothing_else() {
    let mut kept = Kept::new();
    kept.write(Write::Marks(vec![(id(1), Some(Mark::Viewed))]));
    let ((gone, gone_write), (_, stays)) = (begin("gone"), begin("stays"));
    kept.write(gone_write);
    kept.write(stays);
    kept.write(Write::Remove { thread: gone.id });
    let now = Moment::now().0;
    kept.store.tidy(Moment(now + DAY)).unwrap();
    assert_eq!((kept.marks().len(), kept.said().len()), (1, 1));
    kept.write(Write::Say { thread: gone.id, message: Message::sent("Ben", "not yet") });
    assert_eq!(kept.said(), ["gone, not yet", "stays"]);
    kept.write(Write::Remove { thread: gone.id });
    kept.store.tidy(Moment(now + KEEP_MARKS + DAY)).unwrap();
    assert_eq!((kept.marks().len(), kept.said()), (0, vec!["stays".to_owned()]));
    assert_eq!(kept.comments().origins.len(), 1, "the text of a thread that stays");
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let folder = Kept::new().folder;
    let file = path(folder.path());
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = fs::read(&file).unwrap();
    let error = Store::open(&file).err().unwrap();
    assert_eq!(error, StoreError::Newer { path: file.clone(), version: 99, known: schema::STEPS.len() as u32 });
    assert!(error.to_string().contains("newer version (format 99, this one knows 3); update"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path());
    fs::create_dir(file.parent().unwrap()).unwrap();
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = fs::read(&file).unwrap();
    assert_eq!(Store::open(&file).err(), Some(StoreError::Foreign { path: file.clone() }));
    assert_eq!(fs::read(&file).unwrap(), before);
}

/// Damages the file of a store with these marks and threads, opens it, and returns the notice and the store.
fn damaged(damage: impl FnOnce(&mut Vec<u8>)) -> (Notice, Kept, Vec<u8>) {
    let mut kept = Kept::new();
    kept.write(Write::Marks((0..200).map(|n| (id(n), Some(Mark::Viewed))).collect()));
    for n in 0..50 {
        kept.write(begin(&format!("thread {n}")).1);
    }
    let Kept { folder, store, .. } = kept;
    drop(store); // the log goes into the file
    let file = path(folder.path());
    let mut bytes = fs::read(&file).unwrap();
    damage(&mut bytes);
    fs::write(&file, &bytes).unwrap();
    let Opened { mut store, notice } = Store::open(&file).unwrap();
    let repository = store.repository(&Identity::named("test")).unwrap();
    (notice.expect("a notice"), Kept { folder, store, repository }, bytes)
}

#[test]
fn a_file_that_is_no_database_is_set_aside() {
    let (notice, mut kept, bytes) = damaged(|bytes| bytes.fill(b'x'));
    assert_eq!(fs::read(&notice.aside).unwrap(), bytes, "nothing is lost");
    assert_eq!(notice.rescued, 0);
    assert!(notice.to_string().contains("is kept as"), "{notice}");
    assert!(kept.marks().is_empty());
    kept.write(Write::Marks(vec![(id(1), Some(Mark::Viewed))]));
    assert_eq!(kept.again().marks().len(), 1, "and the new file works");
}

#[test]
fn what_can_be_read_of_a_damaged_file_is_taken_over() {
    // A page in the middle of the file is lost; the tables begin before it.
    let (notice, mut kept, bytes) = damaged(|bytes| {
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle..middle + 4096].fill(0xaa);
    });
    assert_eq!(fs::read(&notice.aside).unwrap().len(), bytes.len());
    assert!(notice.rescued > 50, "{notice}");
    assert!(kept.marks().len() + kept.said().len() > 50, "{} marks, {} threads", kept.marks().len(), kept.said().len());
}

#[test]
fn an_older_file_takes_the_steps_it_has_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let mut connection = Connection::open(folder.path().join("file")).unwrap();
    let steps =
        ["CREATE TABLE a (x); INSERT INTO a VALUES (1)", "ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x + 1"];
    schema::migrate(&mut connection, &steps[..1]).unwrap();
    assert_eq!(schema::version(&connection), Ok(1));
    schema::migrate(&mut connection, &steps).unwrap();
    schema::migrate(&mut connection, &steps).unwrap();
    assert_eq!(connection.query_row("SELECT y FROM a", [], |row| row.get::<_, i64>(0)), Ok(2));
    assert_eq!(schema::version(&connection), Ok(3));
    // A step that fails leaves the file as it was.
    assert!(schema::migrate(&mut connection, &["", "", "", "CREATE TABLE b (x)", "nonsense"]).is_err());
    assert_eq!(schema::version(&connection), Ok(3));
    assert!(connection.prepare("SELECT * FROM b").is_err());
}

#[test]
fn many_marks_are_one_transaction_and_one_query() {
    let mut kept = Kept::new();
    let content = |n: u32| {
        let mut bytes = [0; 20];
        bytes[..4].copy_from_slice(&n.to_le_bytes());
        ContentId::from_bytes(bytes)
    };
    kept.write(Write::Marks((0..20_000).map(|n| (content(n), Some(Mark::Viewed))).collect()));
    assert_eq!(kept.again().marks().len(), 20_000);
}

/// What somebody does, by the numbers of threads and messages there are.
#[derive(Clone, Debug)]
enum Act {
    Mark(u8, bool),
    Begin,
    Say(usize, bool),
    Edit(usize, u8),
    Send(usize),
    Withdraw(usize),
    Resolve(usize, bool),
    Remove(usize),
    Draft(u8, u8),
}

impl Act {
    /// The write that it is, as things are; none if there is nothing to do it to.
    fn write(&self, sheet: &desk::Sheet) -> Option<Write> {
        let threads = &sheet.comments.threads;
        let thread = |n: &usize| threads.get(n % threads.len().max(1)).map(|thread| thread.id);
        let messages: Vec<_> = threads.iter().flat_map(|thread| &thread.messages).collect();
        let message = |n: &usize| messages.get(n % messages.len().max(1)).copied();
        Some(match self {
            Self::Mark(n, viewed) => Write::Marks(vec![(id(*n), viewed.then_some(Mark::Viewed))]),
            Self::Begin => begin("text").1,
            Self::Say(n, true) => Write::Say { thread: thread(n)?, message: Message::draft("Ben", "draft") },
            Self::Say(n, false) => Write::Say { thread: thread(n)?, message: Message::sent("Ben", "reply") },
            Self::Edit(n, text) => edit(message(n)?, &format!("text {text}")),
            Self::Send(n) => Write::Send { message: message(n)?.id },
            Self::Withdraw(n) => Write::Withdraw { message: message(n)?.id },
            Self::Resolve(n, resolved) => Write::Resolve { thread: thread(n)?, resolved: *resolved },
            Self::Remove(n) => Write::Remove { thread: thread(n)? },
            Self::Draft(name, text) => {
                let name = format!("name {name}");
                let before = sheet.drafts.get(&name).cloned().unwrap_or_default();
                Write::Draft { name, before, text: "x".repeat(usize::from(*text)) }
            }
        })
    }
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0u8..5, any::<bool>()).prop_map(|(n, viewed)| Act::Mark(n, viewed)),
        Just(Act::Begin),
        (any::<usize>(), any::<bool>()).prop_map(|(n, draft)| Act::Say(n, draft)),
        (any::<usize>(), 0u8..4).prop_map(|(n, text)| Act::Edit(n, text)),
        any::<usize>().prop_map(Act::Send),
        any::<usize>().prop_map(Act::Withdraw),
        (any::<usize>(), any::<bool>()).prop_map(|(n, resolved)| Act::Resolve(n, resolved)),
        any::<usize>().prop_map(Act::Remove),
        (0u8..3, 0u8..3).prop_map(|(name, text)| Act::Draft(name, text)),
    ]
}

/// Threads without the times, which are of two clocks.
fn timeless(mut comments: Comments) -> Vec<Thread> {
    for message in comments.threads.iter_mut().flat_map(|thread| &mut thread.messages) {
        (message.at, message.edited) = (Moment(0), message.edited.map(|_| Moment(0)));
    }
    comments.threads
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_sheet_shows_at_once_what_the_file_will_say(acts in prop::collection::vec(any_act(), 0..24)) {
        let (mut kept, mut sheet) = (Kept::new(), desk::Sheet::default());
        for write in acts {
            let Some(write) = write.write(&sheet) else { continue };
            sheet.apply(&write);
            kept.write(write);
        }
        prop_assert_eq!(kept.marks(), sheet.marks);
        prop_assert_eq!(kept.store.drafts(kept.repository).unwrap().0, sheet.drafts);
        prop_assert_eq!(timeless(kept.comments()), timeless(sheet.comments));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn marks_are_those_that_were_set_last(changes in prop::collection::vec((0u8..9, prop::option::of(any::<bool>()), any::<bool>()), 0..30)) {
        let (mut one, mut expected) = (Kept::new(), Marks::default());
        let mut other = one.again();
        for (n, mark, window) in changes {
            let mark = mark.map(|viewed| if viewed { Mark::Viewed } else { Mark::ComeBack });
            expected.set((id(n), mark));
            let kept = if window { &mut one } else { &mut other };
            kept.write(Write::Marks(vec![(id(n), mark)]));
        }
        prop_assert_eq!(one.marks(), expected.clone());
        prop_assert_eq!(other.marks(), expected);
    }
}
