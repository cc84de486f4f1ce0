//! Renames: files that are gone and files that are new, paired by what is in them.
//!
//! Three stages. *Exact* ones share the name of their object and cost nothing to find. Of files that were moved and
//! edited, those with the same file name are tried first; of what is left, where it is much, files that share some of a
//! sample of their lines; then all are compared with all, as long as they are at most 1,000 by 1,000 and for two seconds. What two files share is counted in bytes of equal lines, and half is enough, so
//! that percentages are those of git. Copies are not looked for: the source of a copy did not change, and a review shows
//! what did.

use std::thread;
use std::time::{Duration, Instant};

use editor::Cancel;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{
    Blob, BlobSource, FileChange, GitError, Mode, ObjectId, Reader, Repo, RepoPath, Side, Status, filters::Filters,
    git_id, reader::Form,
};
use crate::content::SideContent;

/// Half of the larger file must have stayed.
const ENOUGH: u64 = 50;
/// A file that kept its name is taken for the same at three quarters, without looking further.
const ENOUGH_BY_NAME: u64 = 75;
/// All are compared with all up to so many on either side.
const MATRIX: usize = 1_000;
/// Lines of a file that are its sample: those whose hashes are smallest, so that two files that share lines share some
/// of their samples.
const SAMPLE: usize = 64;
/// A line that more files have than this tells none from another.
const COMMON: usize = 16;
/// Files of those that share most of a sample that are compared.
const CANDIDATES: usize = 4;
/// Threads that read contents.
const READERS: usize = 2;
/// And for so long.
const PATIENCE: Duration = Duration::from_secs(2);
/// Larger files are only renamed exactly.
const MAX_BYTES: u64 = 32 << 20;
/// Untracked files that are hashed to find out whether they were moved here.
const MAX_HASHED: usize = 5_000;
/// And all of them together.
const MAX_HASHED_BYTES: u64 = 256 << 20;

/// Pairs deleted and added files of the same content; the pair becomes one renamed entry at the new path.
///
/// Of several candidates the one with the same file name wins, then the first. Empty files are not paired, as in git:
/// that two files are empty says nothing about where one came from.
pub(super) fn exact(changes: &mut Vec<FileChange>) {
    let mut gone: FxHashMap<(ObjectId, bool), Vec<usize>> = FxHashMap::default();
    for (at, change) in changes.iter().enumerate() {
        if let (Status::Deleted, Some(old)) = (change.status, &change.old)
            && let Some(key) = key(old.id(), old.mode)
        {
            gone.entry(key).or_default().push(at);
        }
    }
    if gone.is_empty() {
        return;
    }
    let mut pairs = Vec::new();
    for (at, change) in changes.iter().enumerate().filter(|(_, change)| is_new(change)) {
        let Some(key) = change.new.as_ref().and_then(|new| key(new.id(), new.mode)) else { continue };
        let Some(candidates) = gone.get_mut(&key).filter(|list| !list.is_empty()) else { continue };
        let name = change.path.file_name();
        let best = candidates.iter().position(|&old| changes[old].path.file_name() == name).unwrap_or(0);
        pairs.push(Pair { old: candidates.remove(best), new: at, percent: 100 });
    }
    join(changes, &pairs);
}

/// Names the contents of untracked files that could have been moved here: those as large as one that is gone.
pub(super) fn name_moved(changes: &mut [FileChange], repo: &Repo, cancel: &Cancel) -> Result<(), GitError> {
    let unnamed = |change: &FileChange| is_new(change) && change.new.as_ref().is_some_and(|new| new.id().is_none());
    let gone = changes.iter().filter(|change| change.status == Status::Deleted);
    let gone: Vec<ObjectId> = gone.filter_map(|change| change.old.as_ref()?.id()).take(MAX_HASHED).collect();
    if gone.is_empty() || !changes.iter().any(unnamed) {
        return Ok(());
    }
    let mut filters = Filters::new(repo)?;
    let size = |id: ObjectId| filters.repo().find_header(git_id(id)).ok().map(|header| header.size());
    let sizes: FxHashSet<u64> = gone.into_iter().filter_map(size).collect();
    let (mut files, mut bytes) = (0, 0);
    let root = filters.repo().workdir().map(std::path::Path::to_owned).unwrap_or_default();
    for change in changes.iter_mut().filter(|change| unnamed(change)) {
        let Some(new) = &mut change.new else { continue };
        let Some(size) = new.size.filter(|size| *size > 0 && sizes.contains(size)) else { continue };
        (files, bytes) = (files + 1, bytes + size);
        if cancel.is_cancelled() || files > MAX_HASHED || bytes > MAX_HASHED_BYTES {
            return Ok(());
        }
        if new.mode.is_file() {
            let full = root.join(change.path.to_path());
            // A file that cannot be read is listed all the same; reading it says why.
            new.source = BlobSource::WorkTree(filters.hash_file(change.path.as_bytes(), &full).unwrap_or(None));
        }
    }
    Ok(())
}

/// Pairs files that were moved and edited. `open` gives each thread its reader. Returns whether limits kept it from
/// comparing all with all.
pub(super) fn similar(
    changes: &mut Vec<FileChange>,
    open: &(dyn Fn() -> Reader + Sync),
    cancel: &Cancel,
) -> Result<bool, GitError> {
    let candidates = |changes: &[FileChange], side| {
        let wanted = |change: &FileChange| match side {
            Side::Old => change.status == Status::Deleted,
            Side::New => is_new(change),
        };
        let is_file = |change: &FileChange| change.blob(side).is_some_and(|blob| blob.mode.is_file());
        let found = changes.iter().enumerate().filter(|(_, change)| wanted(change) && is_file(change));
        found.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let (olds, news) = (candidates(changes, Side::Old), candidates(changes, Side::New));
    if olds.is_empty() || news.is_empty() {
        return Ok(false);
    }
    let deadline = Instant::now() + PATIENCE;
    let mut search = Search { prints: Prints::default(), open, deadline, cancel, limited: false };
    let mut pairs = Vec::new();
    let left = |all: &[usize], pairs: &[Pair]| {
        let taken: FxHashSet<usize> = pairs.iter().flat_map(|pair| [pair.old, pair.new]).collect();
        all.iter().copied().filter(|at| !taken.contains(at)).collect::<Vec<_>>()
    };
    for stage in [Search::by_name, Search::by_sample, Search::by_content] {
        let (olds, news) = (left(&olds, &pairs), left(&news, &pairs));
        pairs.extend(stage(&mut search, changes, &olds, &news)?);
    }
    join(changes, &pairs);
    changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(search.limited)
}

fn is_new(change: &FileChange) -> bool {
    matches!(change.status, Status::Added | Status::Untracked)
}

/// What makes two sides the same file: content, and being a link or not. Submodules do not take part.
fn key(id: Option<ObjectId>, mode: Mode) -> Option<(ObjectId, bool)> {
    let id = id.filter(|id| *id != ObjectId::EMPTY_BLOB && mode != Mode::Submodule)?;
    Some((id, mode == Mode::Symlink))
}

/// A deleted and an added entry that are one file.
struct Pair {
    old: usize,
    new: usize,
    percent: u8,
}

/// Makes one entry of each pair, at the place of the new one.
fn join(changes: &mut Vec<FileChange>, pairs: &[Pair]) {
    let mut gone = vec![false; changes.len()];
    for pair in pairs {
        gone[pair.old] = true;
        let (old, old_path) = (changes[pair.old].old.clone(), changes[pair.old].path.clone());
        let change = &mut changes[pair.new];
        (change.old, change.old_path) = (old, Some(old_path));
        (change.status, change.similarity) = (Status::Renamed, Some(pair.percent));
    }
    let mut gone = gone.into_iter();
    changes.retain(|_| !gone.next().unwrap_or(false));
}

/// How much of which line is in a file: bytes by hash of the line, sorted by hash.
struct Print {
    size: u64,
    lines: Box<[(u32, u32)]>,
}

impl Print {
    /// Lines of it that stand for all.
    fn sample(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().take(SAMPLE).map(|(hash, _)| *hash)
    }
}

/// Fingerprints of files, each read once.
#[derive(Default)]
struct Prints {
    known: FxHashMap<(usize, bool), Option<Print>>,
}

impl Prints {
    fn get(&self, at: usize, side: Side) -> Option<&Print> {
        self.known.get(&(at, side == Side::Old))?.as_ref()
    }

    /// How much of the larger file is in both, in percent.
    fn percent(&self, old: usize, new: usize) -> u64 {
        match (self.get(old, Side::Old), self.get(new, Side::New)) {
            (Some(old), Some(new)) => percent(old, new),
            _ => 0,
        }
    }
}

/// The fingerprint of one side of a change; none of what is too large, or cannot be read.
fn print_of(reader: &mut Reader, change: &FileChange, side: Side) -> Result<Option<Print>, GitError> {
    let small = change.blob(side).is_some_and(|blob| blob.size.is_none_or(|size| size <= MAX_BYTES));
    match if small { reader.read(change, side) } else { Ok(SideContent::Missing) } {
        Ok(SideContent::Text(text)) if !text.bytes.is_empty() && text.bytes.len() as u64 <= MAX_BYTES => {
            Ok(Some(print(&text.bytes)))
        }
        Ok(_) | Err(GitError::File { .. } | GitError::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How alike contents of the object database are.
pub(super) struct Likeness {
    reader: Reader,
    known: FxHashMap<ObjectId, Option<Print>>,
}

impl Likeness {
    /// What is enough to be called the same file, in percent.
    pub const ENOUGH: u8 = ENOUGH as u8;

    pub fn new(reader: Reader) -> Self {
        Self { reader: reader.with_form(Form::Stored).forcing_text(true), known: FxHashMap::default() }
    }

    /// How much of the larger of two contents is in both, in percent; equal ones are 100.
    pub fn percent(&mut self, path: &RepoPath, a: ObjectId, b: ObjectId) -> Result<u8, GitError> {
        if a == b {
            return Ok(100);
        }
        for id in [a, b] {
            if !self.known.contains_key(&id) {
                let blob = Blob { mode: Mode::File, source: BlobSource::Object(id), size: None };
                let print = match self.reader.read(&FileChange::at(path.clone(), Some(blob), None), Side::Old) {
                    Ok(SideContent::Text(text)) if text.bytes.len() as u64 <= MAX_BYTES => Some(print(&text.bytes)),
                    Ok(_) | Err(GitError::TooLarge { .. }) => None,
                    Err(error) => return Err(error),
                };
                self.known.insert(id, print);
            }
        }
        let of = |id| self.known.get(&id).and_then(Option::as_ref);
        Ok(of(a).zip(of(b)).map_or(0, |(a, b)| percent(a, b)) as u8)
    }
}

struct Search<'a> {
    prints: Prints,
    open: &'a (dyn Fn() -> Reader + Sync),
    deadline: Instant,
    cancel: &'a Cancel,
    limited: bool,
}

impl Search<'_> {
    /// Whether to go on; notes when time is what ended it.
    fn goes_on(&mut self) -> Result<bool, GitError> {
        if self.cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        self.limited |= Instant::now() > self.deadline;
        Ok(!self.limited)
    }

    /// Reads the contents of files, on a few threads, as long as there is time.
    fn read(&mut self, changes: &[FileChange], olds: &[usize], news: &[usize]) -> Result<(), GitError> {
        let sides = olds.iter().map(|&at| (at, Side::Old)).chain(news.iter().map(|&at| (at, Side::New)));
        let wanted: Vec<_> =
            sides.filter(|(at, side)| !self.prints.known.contains_key(&(*at, *side == Side::Old))).collect();
        let (open, deadline, cancel) = (self.open, self.deadline, self.cancel);
        let read = |part: &[(usize, Side)]| {
            let mut reader = open().with_form(Form::Stored).forcing_text(true);
            let mut prints = Vec::with_capacity(part.len());
            for &(at, side) in part {
                if cancel.is_cancelled() || Instant::now() > deadline {
                    break;
                }
                prints.push(((at, side == Side::Old), print_of(&mut reader, &changes[at], side)?));
            }
            Ok(prints)
        };
        let read = &read;
        let (mine, others) = wanted.split_at(wanted.len().div_ceil(READERS));
        let parts: Vec<Result<Vec<_>, GitError>> = thread::scope(|scope| {
            let other = |part| {
                let name = "renames".to_owned();
                thread::Builder::new().name(name).spawn_scoped(scope, move || read(part)).map_err(|_| part)
            };
            let others: Vec<_> = others.chunks(wanted.len().div_ceil(READERS).max(1)).map(other).collect();
            let mut parts = vec![read(mine)];
            parts.extend(others.into_iter().map(|other| match other {
                Ok(thread) => thread.join().unwrap_or_else(|_| Ok(Vec::new())),
                Err(part) => read(part),
            }));
            parts
        });
        for part in parts {
            self.prints.known.extend(part?);
        }
        self.goes_on().map(|_| ())
    }

    /// Files whose name occurs once among the gone and once among the new.
    fn by_name(&mut self, changes: &[FileChange], olds: &[usize], news: &[usize]) -> Result<Vec<Pair>, GitError> {
        fn unique<'a>(changes: &'a [FileChange], list: &[usize]) -> FxHashMap<&'a [u8], Option<usize>> {
            let mut names = FxHashMap::default();
            for &at in list {
                names.entry(changes[at].path.file_name()).and_modify(|only| *only = None).or_insert(Some(at));
            }
            names
        }
        let (old_names, new_names) = (unique(changes, olds), unique(changes, news));
        let both = |&old: &usize| {
            let name = changes[old].path.file_name();
            old_names.get(name).copied().flatten().zip(new_names.get(name).copied().flatten())
        };
        let (olds, news): (Vec<_>, Vec<_>) = olds.iter().filter_map(both).unzip();
        self.read(changes, &olds, &news)?;
        let pair = |(old, new)| Pair { old, new, percent: self.prints.percent(old, new) as u8 };
        let pairs = olds.into_iter().zip(news).map(pair);
        Ok(pairs.filter(|pair| u64::from(pair.percent) >= ENOUGH_BY_NAME).collect())
    }

    /// Where all with all would be too much: each new file with those gone ones that share most of its sample.
    fn by_sample(&mut self, changes: &[FileChange], olds: &[usize], news: &[usize]) -> Result<Vec<Pair>, GitError> {
        if olds.len() <= MATRIX && news.len() <= MATRIX {
            return Ok(Vec::new());
        }
        self.read(changes, olds, news)?;
        let mut holders: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for &old in olds {
            for hash in self.prints.get(old, Side::Old).into_iter().flat_map(Print::sample) {
                holders.entry(hash).or_default().push(old);
            }
        }
        let mut scores = Vec::new();
        for &new in news {
            if !self.goes_on()? {
                break;
            }
            let mut shared: FxHashMap<usize, u32> = FxHashMap::default();
            for hash in self.prints.get(new, Side::New).into_iter().flat_map(Print::sample) {
                let Some(olds) = holders.get(&hash).filter(|olds| olds.len() <= COMMON) else { continue };
                for &old in olds {
                    *shared.entry(old).or_default() += 1;
                }
            }
            let mut candidates: Vec<_> = shared.into_iter().collect();
            candidates.sort_unstable_by_key(|&(old, shared)| (std::cmp::Reverse(shared), old));
            candidates.truncate(CANDIDATES);
            scores.extend(candidates.into_iter().filter_map(|(old, _)| self.score(changes, old, new)));
        }
        Ok(best(scores))
    }

    /// All against all; the best pair first.
    fn by_content(&mut self, changes: &[FileChange], olds: &[usize], news: &[usize]) -> Result<Vec<Pair>, GitError> {
        if olds.is_empty() || news.is_empty() {
            return Ok(Vec::new());
        }
        if olds.len() > MATRIX || news.len() > MATRIX {
            self.limited = true;
            return Ok(Vec::new());
        }
        self.read(changes, olds, news)?;
        let mut scores = Vec::new();
        for &new in news {
            if !self.goes_on()? {
                break;
            }
            scores.extend(olds.iter().filter_map(|&old| self.score(changes, old, new)));
        }
        Ok(best(scores))
    }

    /// How alike two files are, if they are alike enough.
    fn score(&self, changes: &[FileChange], old: usize, new: usize) -> Option<Score> {
        let percent = self.prints.percent(old, new);
        let same_name = changes[old].path.file_name() == changes[new].path.file_name();
        (percent >= ENOUGH).then_some((percent, same_name, std::cmp::Reverse((new, old))))
    }
}

/// Percent, whether the file names are equal, and which new and old file: the greatest is the best.
type Score = (u64, bool, std::cmp::Reverse<(usize, usize)>);

/// The best pairs in which every file is once.
fn best(mut scores: Vec<Score>) -> Vec<Pair> {
    scores.sort_unstable_by(|a, b| b.cmp(a));
    let mut taken = FxHashSet::default();
    let mut pairs = Vec::new();
    for (percent, _, std::cmp::Reverse((new, old))) in scores {
        if !taken.contains(&old) && !taken.contains(&new) {
            taken.extend([old, new]);
            pairs.push(Pair { old, new, percent: percent as u8 });
        }
    }
    pairs
}

/// Counts the bytes of each line, pieces of at most 64 bytes; a CR before the LF does not count, so that changed line
/// endings do not make another file.
fn print(bytes: &[u8]) -> Print {
    let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let window = &rest[..rest.len().min(64)];
        let (piece, next) = rest.split_at(memchr::memchr(b'\n', window).map_or(window.len(), |at| at + 1));
        rest = next;
        let without_cr = piece.strip_suffix(b"\r\n");
        let mut hasher = FxHasher::default();
        std::hash::Hasher::write(&mut hasher, without_cr.unwrap_or_else(|| piece.strip_suffix(b"\n").unwrap_or(piece)));
        let hash = std::hash::Hasher::finish(&hasher);
        let length = piece.len() - usize::from(without_cr.is_some());
        *counts.entry((hash ^ (hash >> 32)) as u32).or_default() += length as u32;
    }
    let mut lines: Box<[_]> = counts.into_iter().collect();
    lines.sort_unstable();
    Print { size: bytes.len() as u64, lines }
}

fn percent(old: &Print, new: &Print) -> u64 {
    let larger = old.size.max(new.size);
    // Two sizes so different cannot have half in common.
    if old.size.min(new.size) * 100 < larger * ENOUGH {
        return 0;
    }
    let (mut a, mut b, mut shared) = (0, 0, 0u64);
    while let (Some(&(old_hash, old_bytes)), Some(&(new_hash, new_bytes))) = (old.lines.get(a), new.lines.get(b)) {
        match old_hash.cmp(&new_hash) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                shared += u64::from(old_bytes.min(new_bytes));
                (a, b) = (a + 1, b + 1);
            }
        }
    }
    shared.min(larger) * 100 / larger.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: u64) {
        assert_eq!(percent(&print(old.as_bytes()), &print(new.as_bytes())), expected, "{old:?} {new:?}");
    }

    #[test]
    fn similarity_counts_bytes_of_equal_lines() {
        check("a\nb\nc\nd\n", "a\nb\nc\nx\n", 75);
        check("a\nb\n", "b\na\n", 100);
        check("a\n", "b\n", 0);
        check("short\n", "short\nand much longer, so that half cannot be in both\n", 0);
        check("a\r\nb\r\nc\r\n", "a\nb\nc\n", 66);
    }
}
