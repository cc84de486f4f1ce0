//! Finding a file by a few letters of its path, among all of a project.
//!
//! Letters match in order, with gaps; those at starts of words and in the file's name count more, as do files that are
//! open or were used lately. Case counts once a word of the query has a capital.
//!
//! Each key looks at all paths, on all cores, in two rounds. The first only sorts out and sorts roughly (is it in the
//! name, in one piece, at its start?), in some tens of nanoseconds a path; a set of letters kept for each path rules
//! most of them out before, and a query that continues the last one looks only at what that one found. The second
//! finds the best way the letters match, which is far dearer, and only for the first few thousand.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use unicode_segmentation::UnicodeSegmentation;

use crate::cancel::Cancel;

/// A path of a [`PathIndex`]; valid until the index is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(u32);

/// The paths of a project, relative to its root.
#[derive(Clone, Debug, Default)]
pub struct PathIndex {
    /// All paths, one after the other.
    text: String,
    /// The same with small ASCII letters for capital ones.
    folded: String,
    rows: Vec<PathRow>,
    /// Paths that are not Unicode, as the system has them.
    odd: HashMap<u32, PathBuf>,
    boosts: HashMap<u32, u32>,
    /// Counts changes of the set, so that a search knows when its last result no longer holds.
    generation: u64,
}

#[derive(Clone, Copy, Debug)]
struct PathRow {
    start: usize,
    name: u32,
    len: u32,
    /// Letters that occur in it; none once it is removed.
    letters: u64,
    ascii: bool,
}

/// What a search keeps between keys. One for each place that searches.
#[derive(Debug, Default)]
pub struct Searcher {
    matcher: Option<Matcher>,
    query: String,
    matched: Vec<u32>,
    generation: Option<u64>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// The best, best first.
    pub best: Vec<Hit>,
    /// How many paths matched in all.
    pub matched: usize,
}

/// A path that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The path.
    pub id: PathId,
    /// How well it matches; comparable within one search.
    pub score: u32,
    /// Byte offsets in [`PathIndex::text`] of the characters that matched, ascending.
    pub positions: Vec<usize>,
}

/// A query as typed: letters of a path, and after colons a line and column to go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathQuery<'a> {
    /// The letters.
    pub pattern: &'a str,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
}

impl<'a> PathQuery<'a> {
    /// Takes `name:12:3` apart. What is no number belongs to the pattern.
    pub fn parse(typed: &'a str) -> Self {
        let typed = typed.trim();
        let cut = |text: &'a str| -> Option<(&'a str, Option<u32>)> {
            let (before, number) = text.rsplit_once(':')?;
            if number.is_empty() { Some((before, None)) } else { Some((before, Some(number.parse().ok()?))) }
        };
        match cut(typed) {
            None => Self { pattern: typed, line: None, column: None },
            Some((before, last)) => match cut(before) {
                Some((pattern, line @ Some(_))) => Self { pattern, line, column: last },
                _ => Self { pattern: before, line: last, column: None },
            },
        }
    }
}

/// A match in the name alone counts this much more than its score, about one letter at a word's start.
const IN_NAME: u32 = 24;
/// The name without its extension is just what was typed.
const WHOLE_NAME: u32 = 48;
/// An open file, and the one used last; older ones count less.
const OPEN: u32 = 12;
const RECENT: u32 = 20;
/// So many of the first round go to the second.
const FINALISTS: usize = 2000;
/// Below this, more threads cost more than they bring.
const PER_THREAD: usize = 4096;

impl PathIndex {
    /// No paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many paths it has.
    pub fn len(&self) -> usize {
        self.rows.iter().filter(|row| row.letters != 0).count()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| row.letters == 0)
    }

    /// The paths it has, in the order in which they came.
    pub fn ids(&self) -> impl Iterator<Item = PathId> + '_ {
        self.rows.iter().enumerate().filter(|(_, row)| row.letters != 0).map(|(id, _)| PathId(id as u32))
    }

    /// Appends paths that it does not have yet: what a walk found.
    pub fn extend<'a>(&mut self, paths: impl IntoIterator<Item = &'a Path>) {
        for path in paths {
            self.push(path);
        }
        self.generation += 1;
    }

    /// Appends a path, unless it is there. O(n).
    pub fn insert(&mut self, path: &Path) {
        if self.find(path).is_none() {
            self.push(path);
            self.generation += 1;
        }
    }

    /// Removes a path, and all below it. O(n).
    pub fn remove(&mut self, path: &Path) {
        for id in 0..self.rows.len() as u32 {
            if self.rows[id as usize].letters != 0 && self.path(PathId(id)).starts_with(path) {
                self.rows[id as usize].letters = 0;
                self.generation += 1;
            }
        }
    }

    /// The path, relative to the root.
    pub fn path(&self, id: PathId) -> &Path {
        self.odd.get(&id.0).map_or_else(|| Path::new(self.text(id)), PathBuf::as_path)
    }

    /// The path as it is shown and matched.
    pub fn text(&self, id: PathId) -> &str {
        let row = &self.rows[id.0 as usize];
        &self.text[row.start..row.start + row.len as usize]
    }

    /// Says which files are open, and which were used, the last one first. They come before others that match as well,
    /// and are all there is first when nothing was typed.
    pub fn set_used<'a>(
        &mut self,
        open: impl IntoIterator<Item = &'a Path>,
        recent: impl IntoIterator<Item = &'a Path>,
    ) {
        let mut used: HashMap<&Path, u32> = HashMap::new();
        for (place, path) in recent.into_iter().take(RECENT as usize).enumerate() {
            used.entry(path).or_insert(RECENT - place as u32);
        }
        for path in open {
            *used.entry(path).or_default() += OPEN;
        }
        self.boosts =
            (0..self.rows.len() as u32).filter_map(|id| Some((id, *used.get(self.path(PathId(id)))?))).collect();
    }

    /// The best `limit` matches of `pattern`. Words of it apart by spaces match in any order. A cancelled search finds
    /// nothing.
    pub fn search(&self, searcher: &mut Searcher, pattern: &str, limit: usize, cancel: &Cancel) -> Hits {
        let pattern = pattern.trim();
        let candidates = self.candidates(searcher, pattern);
        let words: Vec<Word> = pattern.split_whitespace().map(Word::new).collect();
        let Some(mut rough) = self.first_round(&words, &candidates, cancel) else { return Hits::default() };
        pattern.clone_into(&mut searcher.query);
        searcher.matched = rough.iter().map(|&(_, id)| id).collect();
        searcher.generation = Some(self.generation);
        let matched = rough.len();

        let finalists = FINALISTS.max(limit);
        if rough.len() > finalists {
            rough.select_nth_unstable_by_key(finalists, |&(place, id)| {
                (Reverse(self.boosts.get(&id)), Reverse(place), self.rows[id as usize].len, id)
            });
            rough.truncate(finalists);
        }
        let atoms = Pattern::new(pattern, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let matcher = searcher.matcher.get_or_insert_with(new_matcher);
        let scored = rough.into_iter().filter_map(|(_, id)| Some((self.score(matcher, &atoms, pattern, id)?, id)));
        let best = self.best(scored.collect(), limit);
        let hit = |(score, id)| Hit { id: PathId(id), score, positions: self.positions(matcher, &atoms, PathId(id)) };
        Hits { best: best.into_iter().map(hit).collect(), matched }
    }

    fn push(&mut self, path: &Path) {
        let text: Cow<'_, str> = path.to_string_lossy();
        let id = self.rows.len() as u32;
        if let Cow::Owned(_) = text {
            self.odd.insert(id, path.to_owned());
        }
        let name = text.rfind(std::path::is_separator).map_or(0, |at| at + 1);
        let row = PathRow {
            start: self.text.len(),
            name: name as u32,
            len: text.len() as u32,
            letters: letters_of(&text) | PRESENT,
            ascii: text.is_ascii(),
        };
        self.rows.push(row);
        self.text.push_str(&text);
        self.folded.push_str(&text);
        self.folded[row.start..].make_ascii_lowercase();
    }

    fn find(&self, path: &Path) -> Option<PathId> {
        let ids = (0..self.rows.len() as u32).map(PathId);
        ids.into_iter().find(|&id| self.rows[id.0 as usize].letters != 0 && self.path(id) == path)
    }

    /// Paths that may match: those the last search found, when this one is narrower, else all.
    fn candidates(&self, searcher: &Searcher, pattern: &str) -> Vec<u32> {
        let wanted = letters_of_pattern(pattern);
        let may = |id: &u32| self.rows[*id as usize].letters & wanted == wanted;
        // A capital makes case count from then on, which only narrows, too.
        let narrower = searcher.generation == Some(self.generation)
            && !searcher.query.is_empty()
            && pattern.starts_with(&searcher.query);
        if narrower {
            searcher.matched.iter().copied().filter(may).collect()
        } else {
            (0..self.rows.len() as u32).filter(may).collect()
        }
    }

    /// All that match, each with a rough place, higher for better; none when cancelled.
    fn first_round(&self, words: &[Word], candidates: &[u32], cancel: &Cancel) -> Option<Vec<(u32, u32)>> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(candidates.len().div_ceil(PER_THREAD)).max(1);
        let mut shares = candidates.chunks(candidates.len().div_ceil(threads).max(1));
        let own = shares.next().unwrap_or_default();
        let rough = std::thread::scope(|scope| {
            let mut rough = Vec::with_capacity(candidates.len());
            let mut others = Vec::new();
            for ids in shares {
                let job = move || self.rough(words, ids, cancel);
                match std::thread::Builder::new().name("path-search".into()).spawn_scoped(scope, job) {
                    Ok(thread) => others.push(thread),
                    // No more threads to be had: slower, not less.
                    Err(_) => rough.append(&mut self.rough(words, ids, cancel)),
                }
            }
            rough.append(&mut self.rough(words, own, cancel));
            for thread in others {
                match thread.join() {
                    Ok(mut found) => rough.append(&mut found),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            rough
        });
        (!cancel.is_cancelled()).then_some(rough)
    }

    fn rough(&self, words: &[Word], ids: &[u32], cancel: &Cancel) -> Vec<(u32, u32)> {
        let mut matcher = None;
        let mut rough = Vec::with_capacity(ids.len() / 2);
        for (done, &id) in ids.iter().enumerate() {
            if done % 4096 == 0 && cancel.is_cancelled() {
                return Vec::new();
            }
            let row = &self.rows[id as usize];
            let place = |word: &Word| {
                if !row.ascii || !word.text.is_ascii() {
                    // Rare enough for the dear way: accents, and what a reader takes for one letter.
                    let matcher = matcher.get_or_insert_with(new_matcher);
                    return word.anywhere(self.text(PathId(id)), matcher);
                }
                let all = if word.has_capital { &self.text } else { &self.folded };
                let path = &all.as_bytes()[row.start..row.start + row.len as usize];
                word.place(path, row.name as usize)
            };
            if let Some(place) = words.iter().map(place).sum() {
                rough.push((place, id));
            }
        }
        rough
    }

    /// How well a path matches, in the best way.
    fn score(&self, matcher: &mut Matcher, atoms: &Pattern, pattern: &str, id: u32) -> Option<u32> {
        let mut buffer = Vec::new();
        let text = self.text(PathId(id));
        let mut score = atoms.score(Utf32Str::new(text, &mut buffer), matcher)?;
        if !pattern.is_empty() && !pattern.contains(std::path::is_separator) {
            let name = &text[self.rows[id as usize].name as usize..];
            if let Some(in_name) = atoms.score(Utf32Str::new(name, &mut buffer), matcher) {
                score = score.max(in_name) + IN_NAME;
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                if name.eq_ignore_ascii_case(pattern) || stem.eq_ignore_ascii_case(pattern) {
                    score += WHOLE_NAME;
                }
            }
        }
        Some(score + self.boosts.get(&id).copied().unwrap_or(0))
    }

    /// The first `limit`, sorted: by score, then short before long, then by text.
    fn best(&self, mut scored: Vec<(u32, u32)>, limit: usize) -> Vec<(u32, u32)> {
        let key = |&(score, id): &(u32, u32)| (Reverse(score), self.rows[id as usize].len, self.text(PathId(id)));
        if limit == 0 {
            return Vec::new();
        }
        if scored.len() > limit {
            scored.select_nth_unstable_by(limit - 1, |a, b| key(a).cmp(&key(b)));
            scored.truncate(limit);
        }
        scored.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        scored
    }

    fn positions(&self, matcher: &mut Matcher, atoms: &Pattern, id: PathId) -> Vec<usize> {
        let text = self.text(id);
        let name = self.rows[id.0 as usize].name as usize;
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        // Where the name alone matches, that is what the eye looks for.
        let in_name = atoms.indices(Utf32Str::new(&text[name..], &mut buffer), matcher, &mut found).is_some();
        let (within, offset) = if in_name { (&text[name..], name) } else { (text, 0) };
        if !in_name {
            found.clear();
            atoms.indices(Utf32Str::new(text, &mut buffer), matcher, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        if within.is_ascii() {
            return found.into_iter().map(|at| at as usize + offset).collect();
        }
        // The matcher counts graphemes.
        let starts: Vec<usize> = within.grapheme_indices(true).map(|(at, _)| at).collect();
        found.into_iter().filter_map(|at| Some(starts.get(at as usize)? + offset)).collect()
    }
}

/// A word of a query, for the first round.
struct Word<'a> {
    text: &'a str,
    has_capital: bool,
    finder: Finder<'a>,
}

impl<'a> Word<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, has_capital: text.chars().any(char::is_uppercase), finder: Finder::new(text) }
    }

    /// Roughly how well it matches an ASCII path whose name starts at `name`.
    fn place(&self, path: &[u8], name: usize) -> Option<u32> {
        let in_name = &path[name..];
        if let Some(at) = self.finder.find(in_name) {
            let starts_word = at == 0 || !in_name[at - 1].is_ascii_alphanumeric();
            return Some(4 + u32::from(starts_word) + u32::from(at == 0));
        }
        if self.in_order(in_name) {
            Some(3)
        } else if self.finder.find(path).is_some() {
            Some(2)
        } else {
            self.in_order(path).then_some(1)
        }
    }

    fn in_order(&self, mut text: &[u8]) -> bool {
        self.text.bytes().all(|wanted| {
            let found = memchr::memchr(wanted, text);
            text = found.map_or(&[], |at| &text[at + 1..]);
            found.is_some()
        })
    }

    fn anywhere(&self, text: &str, matcher: &mut Matcher) -> Option<u32> {
        let atoms = Pattern::new(self.text, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        atoms.score(Utf32Str::new(text, &mut Vec::new()), matcher).map(|_| 3)
    }
}

fn new_matcher() -> Matcher {
    Matcher::new(Config::DEFAULT.match_paths())
}

/// Set for every path that is there.
const PRESENT: u64 = 1 << 63;

/// The letters of a path as a set of bits; all of them when it has others than ASCII, which match more than themselves.
fn letters_of(text: &str) -> u64 {
    if !text.is_ascii() {
        return u64::MAX;
    }
    text.bytes().fold(0, |letters, byte| letters | letter(byte))
}

fn letters_of_pattern(pattern: &str) -> u64 {
    let letters = pattern.bytes().filter(|byte| byte.is_ascii() && !byte.is_ascii_whitespace());
    letters.fold(PRESENT, |letters, byte| letters | letter(byte))
}

fn letter(byte: u8) -> u64 {
    match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => 1 << (letter - b'a'),
        digit @ b'0'..=b'9' => 1 << (26 + digit - b'0'),
        other => 1 << (36 + other % 16),
    }
}
