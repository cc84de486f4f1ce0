//! Ten thousand generated files, of which random lines are staged: the index is what a plain model says, byte for byte,
//! and git applies every patch that is printed of it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
};

use diff::{
    Cancel, align,
    engine::{Hunk, Options, compare},
    export,
    git::{Side, Status, blob_id},
    lines::Content,
    source::Source,
    staging::{Chosen, Pick, Shown, What, stage, unstage},
};

use super::model::{Endings, Line, Lines, Piece, Random, Taken, bytes, choose, compose, generate, pieces};
use super::scratch::{Scratch, command};
use super::seen::Seen;

const CASES: usize = 10_000;
/// Files of one repository.
const FILES: usize = 1_000;

fn content(lines: &[Line]) -> Content {
    Content::new(bytes(lines)).unwrap()
}

fn chosen(taken: &Taken) -> Chosen {
    let lines = |taken: &[bool]| {
        let numbers = taken.iter().enumerate().filter(|(_, taken)| **taken);
        numbers.map(|(n, _)| n as u32..n as u32 + 1).collect::<Vec<_>>()
    };
    Chosen::new(lines(&taken.old), lines(&taken.new))
}

/// What both ways of composing give: into the old side, and out of the new one.
#[track_caller]
fn check_composed(old: &[Line], new: &[Line], hunks: &[Hunk], pieces: &[Piece], taken: &Taken, seed: u64) {
    let (a, b) = (content(old), content(new));
    let shown = Shown { old: &a, new: &b, hunks };
    let expected = String::from_utf8(bytes(&compose(old, new, pieces, taken))).unwrap();
    for base in [Side::Old, Side::New] {
        let composed = String::from_utf8(shown.compose(&chosen(taken), base)).unwrap();
        assert_eq!(composed, expected, "seed {seed}, {base:?}, {taken:?}\n{old:#?}\n{new:#?}");
    }
}

#[test]
fn composed_texts_are_those_of_the_plain_model() {
    for seed in 0..CASES as u64 {
        let mut random = Random(seed);
        let endings = random.of(&[Endings::Lf, Endings::CrLf, Endings::Mixed]);
        let (old, new) = generate(&mut random, endings);
        let hunks = compare(&content(&old), &content(&new), &Options::default(), &Cancel::new()).unwrap().hunks;
        let taken = choose(&mut random, old.len(), new.len());
        check_composed(&old, &new, &hunks, &pieces(&old, &new), &taken, seed);
    }
}

#[test]
fn composed_texts_of_repeated_lines_are_those_of_the_plain_model() {
    for seed in 0..CASES as u64 {
        let mut random = Random(!seed);
        let mut text = |_: usize| {
            let mut lines: Lines = Vec::new();
            for _ in 0..random.below(9) {
                lines.push(Line {
                    body: random.of(&["a", "b", "", "ab"]).to_owned(),
                    ending: random.of(&["\n", "\r\n"]),
                });
            }
            if let Some(last) = lines.last_mut()
                && random.one_in(3)
                && !last.body.is_empty()
            {
                last.ending = "";
            }
            lines
        };
        let (old, new) = (text(0), text(1));
        let hunks = compare(&content(&old), &content(&new), &Options::default(), &Cancel::new()).unwrap().hunks;
        let taken = choose(&mut random, old.len(), new.len());
        check_composed(&old, &new, &hunks, &pieces_of(&hunks, old.len()), &taken, seed);
    }
}

/// The pieces that a script says there are.
fn pieces_of(hunks: &[Hunk], old: usize) -> Vec<Piece> {
    let numbers = |lines: &std::ops::Range<u32>| lines.clone().map(|n| n as usize).collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    for hunk in hunks {
        pieces.extend((at..hunk.old.start as usize).map(|old| Piece::Equal { old }));
        pieces.push(Piece::Change { old: numbers(&hunk.old), new: numbers(&hunk.new) });
        at = hunk.old.end as usize;
    }
    pieces.extend((at..old).map(|old| Piece::Equal { old }));
    pieces
}

/// How a generated file lies on disk, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    /// `eol=crlf`: LF is stored, CRLF is on disk.
    EolCrLf,
    /// `text=auto`: LF is stored, either is on disk.
    Auto,
    /// `working-tree-encoding=UTF-16LE`.
    Wide,
    /// A filter that is a program; staged whole.
    Filtered,
}

/// What happens to a generated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Edited,
    New,
    Gone,
    Moved,
}

struct File {
    form: Form,
    fate: Fate,
    old_path: String,
    path: String,
    /// As they are stored.
    old: Lines,
    new: Lines,
    old_mode: u32,
    new_mode: u32,
}

const ATTRIBUTES: &str =
    "*.crlf eol=crlf\n*.auto text=auto\n*.wide working-tree-encoding=UTF-16LE\n*.up filter=upper\n";

impl File {
    fn generate(random: &mut Random, number: usize) -> Self {
        let form = match random.below(100) {
            0..50 => Form::Plain,
            50..75 => Form::EolCrLf,
            75..98 => Form::Auto,
            98 => Form::Wide,
            _ => Form::Filtered,
        };
        let endings = match form {
            Form::Plain => random.of(&[Endings::Lf, Endings::CrLf, Endings::Mixed]),
            _ => Endings::Lf,
        };
        let (mut old, mut new) = generate(random, endings);
        let fate = match random.below(20) {
            0 => Fate::New,
            1 => Fate::Gone,
            2 if form != Form::Wide && form != Form::Filtered => Fate::Moved,
            _ => Fate::Edited,
        };
        match fate {
            Fate::New => old.clear(),
            Fate::Gone => new.clear(),
            // Enough of it stays to be known again.
            Fate::Moved => {
                let same = (0..40).map(|n| Line { body: format!("moved {number} {n}"), ending: "\n" });
                let same: Lines = same.collect();
                (old, new) = ([&same[..], &old].concat(), [&same[..], &new].concat());
            }
            Fate::Edited => {}
        }
        let end = match form {
            Form::Plain => "txt",
            Form::EolCrLf => "crlf",
            Form::Auto => "auto",
            Form::Wide => "wide",
            Form::Filtered => "up",
        };
        let path = format!("d{}/f{number}.{end}", number % 13);
        let old_path = if fate == Fate::Moved { format!("old/f{number}.{end}") } else { path.clone() };
        let mut mode = || if random.one_in(4) { 0o100_755 } else { 0o100_644 };
        let old_mode = mode();
        let new_mode = if matches!(fate, Fate::Edited | Fate::New) { mode() } else { old_mode };
        Self { form, fate, old_path, path, old, new, old_mode, new_mode }
    }

    /// The bytes on disk of what is stored as `lines`.
    fn on_disk(&self, lines: &[Line], random: &mut Random) -> Vec<u8> {
        let stored = String::from_utf8(bytes(lines)).unwrap();
        match self.form {
            Form::Plain | Form::Filtered => stored.into_bytes(),
            Form::EolCrLf => stored.replace('\n', "\r\n").into_bytes(),
            Form::Auto if random.one_in(2) => stored.replace('\n', "\r\n").into_bytes(),
            Form::Auto => stored.into_bytes(),
            Form::Wide => stored.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        }
    }

    /// What git stores of `lines`.
    fn stored(&self, lines: &[Line]) -> Vec<u8> {
        let mut stored = bytes(lines);
        if self.form == Form::Filtered {
            stored.make_ascii_uppercase();
        }
        stored
    }
}

fn put(s: &Scratch, path: &str, content: &[u8], mode: u32) {
    s.write(path, content);
    fs::set_permissions(s.path().join(path), fs::Permissions::from_mode(mode & 0o777)).unwrap();
}

/// A repository of generated files with their old sides committed and their new ones on disk.
fn scratch(random: &mut Random) -> Option<(Scratch, Vec<File>)> {
    let s = Scratch::in_memory()?;
    // A repository that is gone in a moment need not survive a power cut.
    for (key, value) in [("core.fsync", "none"), ("core.looseCompression", "0"), ("filter.upper.clean", "tr a-z A-Z")] {
        s.git(&["config", key, value]);
    }
    s.write(".gitattributes", ATTRIBUTES);
    let files: Vec<File> = (0..FILES).map(|number| File::generate(random, number)).collect();
    for file in files.iter().filter(|file| file.fate != Fate::New) {
        put(&s, &file.old_path, &file.on_disk(&file.old, random), file.old_mode);
    }
    s.commit();
    for file in &files {
        if matches!(file.fate, Fate::Gone | Fate::Moved) {
            s.remove(&file.old_path);
        }
        if file.fate != Fate::Gone {
            put(&s, &file.path, &file.on_disk(&file.new, random), file.new_mode);
        }
    }
    Some((s, files))
}

/// What the index is expected to have: mode and content by path.
type Index = BTreeMap<String, (u32, Vec<u8>)>;

#[track_caller]
fn check_index(s: &Scratch, expected: &Index, files: &[File], seed: u64) {
    let listed = s.git(&["ls-files", "-s"]);
    let found: BTreeMap<&str, &str> =
        listed.lines().filter_map(|line| line.split_once('\t')).map(|(entry, path)| (path, entry)).collect();
    let expected: BTreeMap<&str, String> = expected
        .iter()
        .map(|(path, (mode, bytes))| (path.as_str(), format!("{mode:o} {} 0", blob_id(bytes).unwrap())))
        .collect();
    for file in files {
        for path in [&file.old_path, &file.path] {
            let (found, expected) = (found.get(path.as_str()).copied(), expected.get(path.as_str()));
            if found != expected.map(String::as_str) {
                let index = command(s.path()).args(["cat-file", "blob", &format!(":{path}")]).output().unwrap().stdout;
                panic!(
                    "seed {seed}: {path} ({:?}, {:?}) is {found:?} and should be {expected:?}\n{:?}\nold {:?}\nnew {:?}",
                    file.form,
                    file.fate,
                    String::from_utf8_lossy(&index),
                    file.old,
                    file.new
                );
            }
        }
    }
    let strange: Vec<_> =
        found.keys().filter(|path| !expected.contains_key(**path) && **path != ".gitattributes").collect();
    assert!(strange.is_empty(), "seed {seed}: {strange:?}");
}

/// What of a file is taken into the index.
struct Choice {
    taken: Taken,
    mode: bool,
    whole: bool,
}

/// What the index has of a file once its choice is staged.
fn expected(file: &File, choice: &Choice, index: &mut Index) {
    let nothing = |taken: &[bool]| !taken.iter().any(|taken| *taken);
    let all = |taken: &[bool]| taken.iter().all(|taken| *taken);
    index.remove(&file.old_path);
    let gone = match (choice.whole, file.fate) {
        (true, fate) => fate == Fate::Gone,
        (false, Fate::New) => nothing(&choice.taken.new),
        (false, Fate::Gone) => !choice.taken.old.is_empty() && all(&choice.taken.old),
        (false, Fate::Edited | Fate::Moved) => false,
    };
    if gone {
        return;
    }
    let lines = match choice.whole {
        true => file.new.clone(),
        false => compose(&file.old, &file.new, &pieces(&file.old, &file.new), &choice.taken),
    };
    let new_mode = choice.mode || choice.whole || file.fate == Fate::New;
    let mode = if new_mode { file.new_mode } else { file.old_mode };
    index.insert(file.path.clone(), (mode, file.stored(&lines)));
}

fn tree_of(s: &Scratch, index: &Path) -> String {
    let output = command(s.path()).env("GIT_INDEX_FILE", index).arg("write-tree").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Applies our patch of a comparison to a copy of the index that has its old side; the tree that comes of it.
fn patched(s: &Scratch, source: Source, start: &[&str]) -> String {
    let source_is_stored = source == Source::Staged;
    let comparison = s.compare(source);
    let mut changes = comparison.changes(&Cancel::new()).unwrap();
    s.repo().detect_renames(&mut changes, &Cancel::new()).unwrap();
    // Whether a file that goes through a program is as it is staged is not found out by running it.
    changes.retain(|change| source_is_stored || !change.path.display().ends_with(".up"));
    let mut patch = Vec::new();
    export::patch(&comparison, &changes, &mut patch, &Cancel::new()).unwrap();
    let (index, file) = (s.path().join(".git/copy"), s.path().join(".git/the.patch"));
    let run = |words: &[&str]| {
        let output = command(s.path()).env("GIT_INDEX_FILE", &index).args(words).output().unwrap();
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(start);
    fs::write(&file, &patch).unwrap();
    if !patch.is_empty() {
        run(&["apply", "--cached", "--whitespace=nowarn", file.to_str().unwrap()]);
    }
    tree_of(s, &index)
}

/// One repository: random parts of every file are staged, then some of that unstaged, then staged out of the comparison
/// with HEAD. What the index has is checked each time.
fn check_repository(seed: u64) {
    let mut random = Random(seed);
    let Some((s, files)) = scratch(&mut random) else { return };
    let by_path: HashMap<&str, &File> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut index: Index = files
        .iter()
        .filter(|file| file.fate != Fate::New)
        .map(|file| (file.old_path.clone(), (file.old_mode, file.stored(&file.old))))
        .collect();
    check_index(&s, &index, &files, seed);

    let mut choices = stage_some(&s, &by_path, &mut index, &mut random);
    check_index(&s, &index, &files, seed);
    let head = s.git(&["rev-parse", "HEAD"]);
    let real = tree_of(&s, &s.path().join(".git/index"));
    assert_eq!(patched(&s, Source::Staged, &["read-tree", head.trim()]), real, "seed {seed}: the staged patch");
    let patched = patched(&s, Source::Unstaged, &["read-tree", real.trim()]);
    let all = s.path().join(".git/all");
    fs::copy(s.path().join(".git/index"), &all).unwrap();
    assert!(command(s.path()).env("GIT_INDEX_FILE", &all).args(["add", "-A"]).output().unwrap().status.success());
    let differ = s.git(&["diff-tree", "-r", "-p", patched.trim(), tree_of(&s, &all).trim()]);
    assert_eq!(differ, "", "seed {seed}: the patch of what is not staged");

    act_against_head(&s, &by_path, &mut choices, &mut index, &mut random);
    check_index(&s, &index, &files, seed);
    unstage_some(&s, &by_path, &choices, &mut index, &mut random);
    check_index(&s, &index, &files, seed);
}

/// Stages random parts of all files at once; what was chosen of each.
fn stage_some<'a>(
    s: &Scratch,
    files: &HashMap<&str, &'a File>,
    index: &mut Index,
    random: &mut Random,
) -> HashMap<&'a str, Choice> {
    let comparison = s.compare(Source::Unstaged);
    let mut changes = comparison.changes(&Cancel::new()).unwrap();
    s.repo().detect_renames(&mut changes, &Cancel::new()).unwrap();
    let mut reader = comparison.reader();
    let mut picked: Vec<(Seen, &File, Choice, Chosen)> = Vec::new();
    for change in changes {
        let Some(file) = files.get(change.path.display().as_ref()) else { continue };
        assert_eq!(file.fate == Fate::Moved, change.status == Status::Renamed, "{change:?}");
        let whole = file.form == Form::Filtered || random.one_in(12);
        let choice = Choice { taken: choose(random, file.old.len(), file.new.len()), mode: random.one_in(2), whole };
        let seen = Seen::read(comparison.clone(), change, &mut reader);
        let chosen = chosen(&choice.taken);
        picked.push((seen, file, choice, chosen));
    }
    let picks: Vec<Pick<'_>> = picked
        .iter()
        .map(|(seen, _, choice, chosen)| {
            let parts = What::Parts { lines: Some((seen.shown(), chosen)), mode: choice.mode };
            seen.pick(if choice.whole { What::File } else { parts })
        })
        .collect();
    stage(&comparison, &picks, &Cancel::new()).unwrap();
    for (_, file, choice, _) in &picked {
        expected(file, choice, index);
    }
    picked.into_iter().map(|(_, file, choice, _)| (file.path.as_str(), choice)).collect()
}

/// Stages random parts of some edited files and unstages those of others, both out of the comparison of HEAD with the
/// working tree, where what is staged is not to be seen.
fn act_against_head(
    s: &Scratch,
    files: &HashMap<&str, &File>,
    choices: &mut HashMap<&str, Choice>,
    index: &mut Index,
    random: &mut Random,
) {
    let comparison = s.compare(Source::WorkingTree { against: None });
    let changes = comparison.changes(&Cancel::new()).unwrap();
    let mut reader = comparison.reader();
    let mut picked: [Vec<(Seen, Chosen)>; 2] = Default::default();
    for change in changes {
        let Some(file) = files.get(change.path.display().as_ref()) else { continue };
        let Some(choice) = choices.get_mut(file.path.as_str()).filter(|choice| !choice.whole) else { continue };
        // A line with an ending that was supplied is on neither side, and no line of the model.
        let ends = |lines: &[Line]| lines.last().is_none_or(|last| !last.ending.is_empty());
        if file.fate != Fate::Edited || !ends(&file.old) || !ends(&file.new) {
            continue;
        }
        let (more, staging) = (choose(random, file.old.len(), file.new.len()), random.one_in(2));
        let then = |taken: &[bool], more: &[bool]| -> Vec<bool> {
            let both = taken.iter().zip(more);
            both.map(|(&taken, &more)| if staging { taken || more } else { taken && !more }).collect()
        };
        choice.taken = Taken { old: then(&choice.taken.old, &more.old), new: then(&choice.taken.new, &more.new) };
        let lines = compose(&file.old, &file.new, &pieces(&file.old, &file.new), &choice.taken);
        let mode = index[&file.path].0;
        index.insert(file.path.clone(), (mode, file.stored(&lines)));
        picked[usize::from(staging)].push((Seen::read(comparison.clone(), change, &mut reader), chosen(&more)));
    }
    for (picked, act) in picked.iter().zip([unstage, stage]) {
        let part =
            |(seen, lines)| Seen::pick(seen, What::Parts { lines: Some((Seen::shown(seen), lines)), mode: false });
        let picks: Vec<Pick<'_>> = picked.iter().map(|(seen, lines)| part((seen, lines))).collect();
        act(&comparison, &picks, &Cancel::new()).unwrap();
    }
}

/// Unstages random parts of all edited files at once, out of the comparison with HEAD.
fn unstage_some(
    s: &Scratch,
    files: &HashMap<&str, &File>,
    choices: &HashMap<&str, Choice>,
    index: &mut Index,
    random: &mut Random,
) {
    let comparison = s.compare(Source::Staged);
    let changes = comparison.changes(&Cancel::new()).unwrap();
    let mut reader = comparison.reader();
    let mut picked: Vec<(Seen, Chosen)> = Vec::new();
    for change in changes {
        let Some(file) = files.get(change.path.display().as_ref()) else { continue };
        let Some(choice) = choices.get(file.path.as_str()) else { continue };
        if file.fate != Fate::Edited || file.form == Form::Filtered {
            continue;
        }
        let now = match choice.whole {
            true => file.new.clone(),
            false => compose(&file.old, &file.new, &pieces(&file.old, &file.new), &choice.taken),
        };
        // An ending that was supplied can make two lines equal: which of them is which, the model cannot tell.
        if now.iter().enumerate().any(|(n, line)| now[..n].contains(line)) {
            continue;
        }
        let undone = choose(random, file.old.len(), now.len());
        let rest = |undone: &[bool]| undone.iter().map(|undone| !undone).collect();
        let kept = Taken { old: rest(&undone.old), new: rest(&undone.new) };
        let lines = compose(&file.old, &now, &pieces(&file.old, &now), &kept);
        let mode = index[&file.path].0;
        index.insert(file.path.clone(), (mode, file.stored(&lines)));
        picked.push((Seen::read(comparison.clone(), change, &mut reader), chosen(&undone)));
    }
    let parts =
        picked.iter().map(|(seen, undone)| seen.pick(What::Parts { lines: Some((seen.shown(), undone)), mode: false }));
    let picks: Vec<Pick<'_>> = parts.collect();
    unstage(&comparison, &picks, &Cancel::new()).unwrap();
}

#[test]
fn the_index_is_that_of_the_plain_model() {
    for round in 0..CASES / FILES {
        check_repository(round as u64);
    }
}

#[test]
fn rows_of_the_model_are_those_that_are_shown() {
    // The one thing the model is told; it must be what a view shows.
    let (old, new) = (["let total = 1;\n"], ["// sum\n", "let total = 2;\n"]);
    assert_eq!(align::pairs(&old, &new).at(1), (Some(0), Some(1)));
}
