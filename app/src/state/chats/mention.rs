//! What `@` can name: what is open, files and folders, symbols, commits, past conversations.
//!
//! Everything is gathered and searched by workers. What takes long to gather (symbols of a large project) comes later and
//! is searched then; until the rows of a word are there, those of the one before stay.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use agent::session::Info;
use diff::git::{Named, Repo};
use editor::Cancel;
use editor::project::{PathIndex, Searcher};
use editor::syntax::What;

use super::draft::{Attachment, Thing};
use super::thread::Room;
use crate::shell::pick::ago;
use crate::state::rank::Ranker;
use crate::state::servers::problems::Counts;
use crate::state::servers::told::counted;
use crate::state::symbols::SymbolIndex;
use crate::tasks::{Poll, Task, Tasks};

/// What a row is, and the heading that it stands under. In the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    Open,
    Problems,
    Files,
    Folders,
    Symbols,
    Commits,
    Conversations,
}

impl Heading {
    /// As it is written.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "In sight",
            Self::Problems => "Problems",
            Self::Files => "Files",
            Self::Folders => "Folders",
            Self::Symbols => "Symbols",
            Self::Commits => "Commits",
            Self::Conversations => "Conversations",
        }
    }

    /// Rows under it at most: without a word, and with one.
    fn most(self, typed: &str) -> usize {
        let (bare, searched) = match self {
            Self::Open => (8, 8),
            Self::Problems => (2, 8),
            Self::Files => (5, 10),
            Self::Folders => (0, 5),
            Self::Symbols => (4, 12),
            Self::Commits => (3, 8),
            Self::Conversations => (3, 6),
        };
        if typed.is_empty() { bare } else { searched }
    }

    /// Whether its name is being typed, which lists what stands under it.
    fn is_named(self, typed: &str) -> bool {
        // What others call problems finds them, too.
        let other = if self == Self::Problems { "diagnostics" } else { "" };
        let typed = typed.to_lowercase();
        typed.len() > 2 && (self.title().to_lowercase().starts_with(&typed) || other.starts_with(&typed))
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    pub heading: Heading,
    pub label: String,
    /// The bytes of it that match what was typed.
    pub matches: Vec<Range<usize>>,
    pub detail: String,
    pub note: String,
    pub thing: Thing,
}

impl Mention {
    fn new(heading: Heading, label: String, thing: Thing) -> Self {
        Self { heading, label, matches: Vec::new(), detail: String::new(), note: String::new(), thing }
    }
}

/// What is gathered quickly.
#[derive(Default)]
struct Quick {
    folders: PathIndex,
    commits: Vec<Named>,
    sessions: Vec<Info>,
}

/// Commits and conversations that are searched.
const COMMITS: usize = 2000;
const SESSIONS: usize = 500;

/// What is known of the open folder.
#[derive(Clone, Default)]
struct Known {
    root: PathBuf,
    /// Files that are open, which come first.
    open: Vec<PathBuf>,
    front: Option<String>,
    files: Option<Arc<PathIndex>>,
    /// The files in which something is wrong, and how much.
    problems: Vec<(String, Counts)>,
    quick: Arc<Quick>,
    symbols: Arc<SymbolIndex>,
    /// The conversation that is being written in is not offered.
    current: Option<String>,
}

/// What the list shows, and how far its making is.
#[derive(Default)]
pub struct Mentions {
    known: Known,
    quick: Option<Task<Quick>>,
    symbols: Option<Task<SymbolIndex>>,
    search: Option<Task<Vec<Mention>>>,
    rows: Vec<Mention>,
    /// What the rows, or the search under way, are of.
    of: Option<(String, u32)>,
    /// How often something new came to be known.
    news: u32,
}

/// What a search needs of the window.
pub struct Around<'a> {
    pub room: Option<&'a Room>,
    pub repo: Option<&'a Repo>,
    pub files: Option<Arc<PathIndex>>,
    pub open: Vec<PathBuf>,
    pub front: Option<String>,
    pub problems: Vec<(String, Counts)>,
    pub current: Option<String>,
}

impl Mentions {
    /// The list is opened: what there is is gathered anew.
    pub fn begin(&mut self, around: Around<'_>, tasks: &Tasks) {
        let Some(room) = around.room.cloned() else { return };
        if self.known.root != room.root {
            *self = Self::default();
        }
        let root = room.root.clone();
        self.known = Known { root: root.clone(), open: around.open, current: around.current, ..self.known.clone() };
        (self.known.front, self.known.problems) = (around.front, around.problems);
        (self.known.files, self.of) = (around.files.clone(), None);
        let (repo, files) = (around.repo.cloned(), around.files.unwrap_or_default());
        if self.quick.is_none() {
            let files = files.clone();
            self.quick =
                Some(tasks.spawn("gather mentions", move |cancel| quick(&room, repo.as_ref(), &files, cancel)));
        }
        if self.symbols.is_none() && !files.is_empty() {
            let before = self.known.symbols.clone();
            let read = move |cancel: &Cancel| SymbolIndex::read(&root, &files, &before, cancel);
            self.symbols = Some(tasks.spawn("read symbols", read));
        }
    }

    /// Whether anything was gathered.
    pub fn has_begun(&self) -> bool {
        !self.known.root.as_os_str().is_empty()
    }

    /// What is still being read, or was not read, in words.
    pub fn still_reads(&self) -> Option<&'static str> {
        match (&self.quick, &self.symbols) {
            (_, Some(_)) => Some("Reading symbols…"),
            (Some(_), None) => Some("Reading commits and conversations…"),
            (None, None) => self.known.symbols.is_cut().then_some("Some symbols are missing: there are too many files"),
        }
    }

    /// Whether the files were not known when the list was opened, and are by now.
    pub fn lacks_files(&self) -> bool {
        self.known.files.is_none()
    }

    /// The list is closed; what was gathered stays.
    pub fn end(&mut self) {
        (self.search, self.of) = (None, None);
        self.rows.clear();
    }

    /// The rows for what was typed: those there are. Looks for others if it is not these.
    pub fn rows(&mut self, typed: &str, tasks: &Tasks) -> &[Mention] {
        self.take();
        let wanted = (typed.to_owned(), self.news);
        if self.of.as_ref() != Some(&wanted) && self.search.is_none() {
            self.of = Some(wanted);
            let (known, typed) = (self.known.clone(), typed.to_owned());
            self.search = Some(tasks.spawn("find mentions", move |cancel| search(&known, &typed, cancel)));
        }
        &self.rows
    }

    fn take(&mut self) {
        if let Some(found) = done(&mut self.quick) {
            self.known.quick = Arc::new(found);
            self.news += 1;
        }
        if let Some(found) = done(&mut self.symbols) {
            self.known.symbols = Arc::new(found);
            self.news += 1;
        }
        if let Some(found) = done(&mut self.search) {
            self.rows = found;
        }
    }
}

/// What a task gave, once.
fn done<T>(task: &mut Option<Task<T>>) -> Option<T> {
    let found = match task.as_ref()?.poll() {
        Poll::Pending => return None,
        Poll::Ready(found) => Some(found),
        Poll::Lost => None,
    };
    *task = None;
    found
}

/// What is open and matches, the best first. There are few of them: they are ranked at once.
pub fn in_sight(things: &[Thing], typed: &str) -> Vec<Mention> {
    let (mut of_paths, mut ranker) = (Ranker::new(typed), Ranker::of_sentences(typed));
    let score = |thing: &Thing| {
        let is_path = matches!(thing, Thing::Here(Attachment::File(_) | Attachment::Text { .. }));
        let ranker = if is_path { &mut of_paths } else { &mut ranker };
        let is_named = typed.len() > 1 && thing.kinds().iter().any(|kind| kind.starts_with(&typed.to_lowercase()));
        let score = ranker.score(&thing.label());
        if is_named { Some((u32::MAX, thing.clone())) } else { Some((score?, thing.clone())) }
    };
    let mut scored: Vec<_> = things.iter().filter_map(score).collect();
    if !typed.is_empty() {
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    let row = |(_, thing): (u32, Thing)| {
        let label = thing.label().into_owned();
        Mention { matches: of_paths.matches(&label), ..Mention::new(Heading::Open, label, thing) }
    };
    scored.into_iter().map(row).take(Heading::Open.most(typed)).collect()
}

fn quick(room: &Room, repo: Option<&Repo>, files: &PathIndex, cancel: &Cancel) -> Quick {
    let mut folders: Vec<&Path> =
        files.ids().flat_map(|id| files.path(id).ancestors().skip(1)).filter(|path| *path != Path::new("")).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut index = PathIndex::new();
    index.extend(folders);
    // What cannot be read is not offered; whoever opens it is told why.
    let commits = repo.and_then(|repo| repo.commits(COMMITS, cancel).ok()).unwrap_or_default();
    let project = room.root.to_string_lossy();
    let sessions = room.store_if_any().ok().flatten().and_then(|mut s| s.sessions(Some(&project), SESSIONS).ok());
    Quick { folders: index, commits, sessions: sessions.unwrap_or_default() }
}

fn search(known: &Known, typed: &str, cancel: &Cancel) -> Vec<Mention> {
    let mut rows = ranked(&with_problems(&known.problems), Heading::Problems, typed, Clone::clone);
    if let Some(files) = &known.files {
        let open = known.open.iter().map(PathBuf::as_path);
        rows.extend(paths(files, Heading::Files, typed, open, cancel));
    }
    rows.extend(paths(&known.quick.folders, Heading::Folders, typed, [].into_iter(), cancel));
    let most = Heading::Symbols.most(typed);
    let symbols = known.symbols.search(typed, known.front.as_deref(), most, cancel);
    rows.extend(symbols.into_iter().map(|hit| {
        let thing = Attachment::Symbol { path: hit.path.clone(), name: hit.name.clone(), line: hit.line };
        let note = match hit.what {
            What::Function => "function",
            What::Type => "type",
            What::Section => "section",
            _ => "value",
        };
        let row = Mention::new(Heading::Symbols, hit.name, Thing::Here(thing));
        Mention { matches: hit.matches, detail: hit.path, note: note.to_owned(), ..row }
    }));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs() as i64);
    rows.extend(ranked(&known.quick.commits, Heading::Commits, typed, |commit| {
        let thing = Attachment::Commit { id: commit.name.clone(), subject: commit.subject.clone() };
        let row = Mention::new(Heading::Commits, commit.subject.clone(), Thing::Here(thing));
        Mention { detail: format!("{} {}", commit.name, commit.author), note: ago(now - commit.when), ..row }
    }));
    let others: Vec<&Info> =
        known.quick.sessions.iter().filter(|info| Some(info.id.as_str()) != known.current.as_deref()).collect();
    rows.extend(ranked(&others, Heading::Conversations, typed, |info| {
        let title = crate::widgets::markdown::first_line(&info.title);
        let thing = Attachment::Session { id: info.id.as_str().to_owned(), title: title.clone() };
        let row = Mention::new(Heading::Conversations, title, Thing::Here(thing));
        Mention { note: ago(now - info.touched.0 / 1000), ..row }
    }));
    rows
}

/// The problems of the whole project, then those of each file.
fn with_problems(files: &[(String, Counts)]) -> Vec<Mention> {
    let count = files.iter().map(|(_, counts)| counts.all()).sum();
    let row = |label: &str, detail: String, thing| Mention {
        detail,
        ..Mention::new(Heading::Problems, label.to_owned(), Thing::Here(thing))
    };
    let whole = Attachment::Problems { path: None, count };
    let whole = (count > 0).then(|| row(&whole.label(), String::new(), whole.clone()));
    let of_files = files.iter().map(|(path, counts)| {
        row(path, counted(*counts), Attachment::Problems { path: Some(path.clone()), count: counts.all() })
    });
    whole.into_iter().chain(of_files).collect()
}

fn paths<'a>(
    index: &PathIndex,
    heading: Heading,
    typed: &str,
    open: impl Iterator<Item = &'a Path>,
    cancel: &Cancel,
) -> Vec<Mention> {
    let most = heading.most(typed);
    if most == 0 {
        return Vec::new();
    }
    let mut index = index.clone();
    index.set_used(open, []);
    let hits = index.search(&mut Searcher::default(), typed, most, cancel);
    let row = |hit: &editor::project::Hit| {
        let text = index.text(hit.id).replace('\\', "/");
        let from = text.rfind('/').map_or(0, |at| at + 1);
        let (folder, name) = (text[..from].trim_end_matches('/').to_owned(), text[from..].to_owned());
        let thing = match heading {
            Heading::Folders => Attachment::Folder(text.clone()),
            _ => Attachment::File(text.clone()),
        };
        let mut matches: Vec<Range<usize>> = Vec::new();
        for at in hit.positions.iter().filter_map(|at| at.checked_sub(from)) {
            let length = name.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            match matches.last_mut() {
                Some(last) if last.end == at => last.end += length,
                _ => matches.push(at..at + length),
            }
        }
        Mention { matches, detail: folder, ..Mention::new(heading, name, Thing::Here(thing)) }
    };
    hits.best.iter().map(row).collect()
}

/// The best of a list that is in order already: of time, which decides between what matches as well.
fn ranked<T>(all: &[T], heading: Heading, typed: &str, row: impl Fn(&T) -> Mention) -> Vec<Mention> {
    let most = heading.most(typed);
    if typed.is_empty() || heading.is_named(typed) {
        return all.iter().take(most).map(row).collect();
    }
    let mut ranker = Ranker::of_sentences(typed);
    let mut scored: Vec<(u32, Mention)> =
        all.iter().map(row).filter_map(|row| Some((ranker.score_with(&row.label, &row.detail)?, row))).collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.truncate(most);
    scored.into_iter().map(|(_, row)| Mention { matches: ranker.matches(&row.label), ..row }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(name: &str, subject: &str) -> Named {
        let commit = diff::git::blob_id(name.as_bytes()).unwrap();
        let (kind, when) = (diff::git::NameKind::Commit, 0);
        Named { kind, name: name.into(), commit, subject: subject.into(), author: "Ann".into(), when }
    }

    fn known() -> Known {
        let mut files = PathIndex::new();
        files.extend(["src/parser.rs", "src/deep/main.rs", "README.md"].map(Path::new));
        let mut folders = PathIndex::new();
        folders.extend(["src", "src/deep"].map(Path::new));
        let commits = vec![commit("abc123", "Fix the parser"), commit("def456", "Begin")];
        let quick = Arc::new(Quick { folders, commits, sessions: Vec::new() });
        Known { files: Some(Arc::new(files)), quick, ..Known::default() }
    }

    #[test]
    fn one_list_has_what_matches_under_its_headings() {
        let found = |typed: &str| {
            let rows = search(&known(), typed, &Cancel::new());
            rows.iter().map(|row| format!("{:?} {} {}", row.heading, row.label, row.detail)).collect::<Vec<_>>()
        };
        assert_eq!(found("parser"), ["Files parser.rs src", "Commits Fix the parser abc123 Ann"]);
        assert_eq!(found("deep"), ["Files main.rs src/deep", "Folders deep src"]);
        assert_eq!(found("def4"), ["Commits Begin def456 Ann"]);
        assert_eq!(found("commits").len(), 2, "the name of a heading lists what stands under it");
        assert_eq!(found("").len(), 5, "files and commits");
        let mut wrong = known();
        let counts = Counts { errors: 1, warnings: 2, infos: 0 };
        wrong.problems = vec![("src/parser.rs".to_owned(), counts)];
        let found = |typed: &str| {
            let rows = search(&wrong, typed, &Cancel::new());
            let problems = rows.into_iter().filter(|row| row.heading == Heading::Problems);
            problems.map(|row| format!("{} {}", row.label, row.detail).trim().to_owned()).collect::<Vec<_>>()
        };
        let all = ["3 problems of the project", "src/parser.rs 1 error, 2 warnings"];
        assert_eq!(
            (found("diag"), found("problems"), found("")),
            (all.map(str::to_owned).into(), all.map(str::to_owned).into(), all.map(str::to_owned).into())
        );
        assert_eq!(found("parser"), all[1..]);
    }

    #[test]
    fn what_is_in_sight_is_ranked_at_once() {
        let file = |path: &str| Thing::Here(Attachment::File(path.to_owned()));
        let things = [file("b.rs"), file("lib/bar.rs"), Thing::Here(Attachment::Changes)];
        let found = |typed: &str| in_sight(&things, typed).into_iter().map(|row| row.label).collect::<Vec<_>>();
        assert_eq!(found("bar"), ["lib/bar.rs"]);
        assert_eq!(found("").len(), 3);
    }
}
