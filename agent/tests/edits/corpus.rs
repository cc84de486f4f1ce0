//! A corpus of noisy edits over real source files, whose right outcome is known by construction.
//!
//! An edit begins clean: some lines of a file that stand there once, and *operations* on them (a word changed, a line
//! added, a line removed). Then comes *noise*: the file has something the model does not write, or the model writes
//! something the file does not have. What must come out is the operations on the file's own lines. Other edits must be
//! refused: lines that stand there several times, lines left out, lines mistyped.
//!
//! The same number and the same files give the same corpus.

use std::path::Path;

/// What is wrong with an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noise {
    Clean,
    CrlfFile,
    MixedEndings,
    NoFinalNewline,
    TrailingSpaceInFile,
    TrailingSpaceInReply,
    Dedented,
    Indented,
    TabsOrSpaces,
    CurlyInFile,
    CurlyInReply,
    HardSpaceInFile,
    LineNumbers,
    FencedHalves,
    Entities,
    OtherMarkers,
    BlankEdges,
    SeveralBlocks,
    WrongClosing,
    OuterFence,
    JsonCall,
    AlreadyApplied,
    Ambiguous,
    AmbiguousShifted,
    Lazy,
    Mistyped,
    SecondMistyped,
    CutOff,
}

impl Noise {
    pub const ALL: [Self; 28] = [
        Self::Clean,
        Self::CrlfFile,
        Self::MixedEndings,
        Self::NoFinalNewline,
        Self::TrailingSpaceInFile,
        Self::TrailingSpaceInReply,
        Self::Dedented,
        Self::Indented,
        Self::TabsOrSpaces,
        Self::CurlyInFile,
        Self::CurlyInReply,
        Self::HardSpaceInFile,
        Self::LineNumbers,
        Self::FencedHalves,
        Self::Entities,
        Self::OtherMarkers,
        Self::BlankEdges,
        Self::SeveralBlocks,
        Self::WrongClosing,
        Self::OuterFence,
        Self::JsonCall,
        Self::AlreadyApplied,
        Self::Ambiguous,
        Self::AmbiguousShifted,
        Self::Lazy,
        Self::Mistyped,
        Self::SecondMistyped,
        Self::CutOff,
    ];
}

/// What must come of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    Text(String),
    /// Nothing is written.
    Refused,
    /// Nothing is written, and it is no error.
    Already,
}

/// An edit of the corpus.
#[derive(Clone, Debug)]
pub struct Case {
    pub noise: Noise,
    pub path: String,
    pub before: String,
    /// As a model would write it.
    pub reply: String,
    /// The same in the form that aider teaches, where the noise has a meaning there.
    pub aider: Option<String>,
    pub truth: Truth,
}

/// A source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub path: String,
    pub text: String,
}

/// Reads the source files under `folder`, in order of their names: those of 20 to 2,000 lines of UTF-8 with LF.
pub fn sources(folder: &Path, extensions: &[&str], most: usize) -> Vec<SourceFile> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() {
                if !matches!(name.as_str(), "target" | ".git" | "node_modules" | "__pycache__" | "corpus") {
                    open.push(path);
                }
                continue;
            }
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if !extensions.contains(&extension) || path.is_symlink() {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let lines = text.lines().count();
            let longest = text.lines().map(str::len).max().unwrap_or(0);
            if (20..2_000).contains(&lines) && longest < 400 && !text.contains('\r') && text.ends_with('\n') {
                found.push(SourceFile { path: name, text });
            }
        }
    }
    // Spread over the folder rather than its first files.
    let step = found.len().div_ceil(most.max(1)).max(1);
    found.into_iter().step_by(step).collect()
}

/// SplitMix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What is done to lines.
#[derive(Clone, Debug)]
enum Operation {
    /// The first word of that line that is long enough becomes another.
    Rename(usize, String, String),
    /// A line after that line, indented like it.
    Insert(usize, String),
    Delete(usize),
}

fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.len() >= 3 && word.starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect()
}

fn operations(lines: &[String], random: &mut Random) -> Option<Vec<Operation>> {
    let named: Vec<usize> = (0..lines.len()).filter(|at| !words(&lines[*at]).is_empty()).collect();
    if named.is_empty() {
        return None;
    }
    let at = *random.pick(&named);
    let word = (*random.pick(&words(&lines[at]))).to_owned();
    let rename = Operation::Rename(at, word.clone(), format!("{word}_{}", ["new", "next", "two"][random.below(3)]));
    let insert = Operation::Insert(at, format!("note_{}(\"it's - done\");", random.below(1_000_000)));
    Some(match random.below(5) {
        0 => vec![insert],
        1 if lines.len() > 2 => vec![Operation::Delete(at)],
        2 => vec![rename, insert],
        _ => vec![rename],
    })
}

fn done(lines: &[String], operations: &[Operation]) -> Vec<String> {
    let mut result: Vec<Vec<String>> = lines.iter().map(|line| vec![line.clone()]).collect();
    for operation in operations {
        match operation {
            Operation::Rename(at, old, new) => result[*at][0] = result[*at][0].replacen(old.as_str(), new, 1),
            Operation::Insert(at, body) => {
                let indent = &lines[*at][..lines[*at].len() - lines[*at].trim_start().len()];
                result[*at].push(format!("{indent}{body}"));
            }
            Operation::Delete(at) => result[*at].clear(),
        }
    }
    result.concat()
}

/// Lines with the ending of each.
type Ended = Vec<(String, &'static str)>;

/// The operations on lines of a file: new lines end like the one before.
fn done_ended(lines: &Ended, operations: &[Operation]) -> Ended {
    let plain: Vec<String> = lines.iter().map(|(line, _)| line.clone()).collect();
    let mut result: Vec<Ended> = lines.iter().map(|line| vec![line.clone()]).collect();
    for operation in operations {
        match operation {
            Operation::Rename(at, old, new) => result[*at][0].0 = result[*at][0].0.replacen(old.as_str(), new, 1),
            Operation::Insert(at, body) => {
                let indent = &plain[*at][..plain[*at].len() - plain[*at].trim_start().len()];
                let ending = lines[*at].1;
                result[*at].push((format!("{indent}{body}"), ending));
            }
            Operation::Delete(at) => result[*at].clear(),
        }
    }
    result.concat()
}

fn plain_char(c: char) -> String {
    match c {
        '\u{2018}' | '\u{2019}' => "'".to_owned(),
        '\u{201c}' | '\u{201d}' => "\"".to_owned(),
        '\u{2013}' | '\u{2014}' => "-".to_owned(),
        '\u{2026}' => "...".to_owned(),
        '\u{a0}' => " ".to_owned(),
        other => other.to_string(),
    }
}

fn key(line: &str) -> String {
    line.trim().chars().map(plain_char).collect()
}

/// How often lines stand in a file, indentation and punctuation left out.
fn count(file: &[String], lines: &[String]) -> usize {
    let wanted: Vec<String> = lines.iter().map(|line| key(line)).collect();
    let file: Vec<String> = file.iter().map(|line| key(line)).collect();
    file.windows(wanted.len()).filter(|window| *window == wanted).count()
}

/// Makes up to `each` edits of every kind of noise.
pub fn corpus(files: &[SourceFile], each: usize, seed: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, noise) in Noise::ALL.into_iter().enumerate() {
        let mut random = Random(seed.wrapping_add(index as u64 * 7_919));
        let mut made = 0;
        for _ in 0..each * 60 {
            if made == each {
                break;
            }
            if let Some(case) = case(noise, random.pick(files).clone(), &mut random) {
                cases.push(case);
                made += 1;
            }
        }
    }
    cases
}

/// What a model writes for one block.
struct Halves {
    search: Vec<String>,
    replace: Vec<String>,
}

fn case(noise: Noise, file: SourceFile, random: &mut Random) -> Option<Case> {
    match noise {
        Noise::Ambiguous | Noise::AmbiguousShifted => return ambiguous(noise, file, random),
        Noise::SeveralBlocks | Noise::SecondMistyped => return several(noise, file, random),
        _ => {}
    }
    let mut lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
    let size = 1 + random.below(8);
    let at = if noise == Noise::NoFinalNewline { lines.len().checked_sub(size)? } else { random.below(lines.len()) };
    let end = at + size;
    if end > lines.len() || lines[at].trim().is_empty() || lines[end - 1].trim().is_empty() {
        return None;
    }
    let window = lines[at..end].to_vec();
    let operations = operations(&window, random)?;
    let clean = Halves { search: window.clone(), replace: done(&window, &operations) };
    if count(&lines, &window) != 1 || clean.search == clean.replace || !strange(&window) {
        return None;
    }
    // The file as it is on the disk, and the halves as the model writes them.
    let own = in_file(noise, &window, &operations, random)?;
    let halves = in_reply(noise, &clean, at, &file, random)?;
    lines.splice(at..end, own.iter().cloned());
    let endings = endings(noise, lines.len(), random);
    let mut ended: Ended = lines.iter().cloned().zip(endings).collect();
    let mut before = text(&ended);
    let after = done_ended(&ended[at..end].to_vec(), &operations);
    ended.splice(at..end, after);
    if noise == Noise::NoFinalNewline {
        let last = ended.len().checked_sub(1)?;
        for line in &mut ended[..last] {
            line.1 = "\n";
        }
        ended[last].1 = "";
    }
    let after = text(&ended);
    let truth = match noise {
        Noise::Lazy | Noise::Mistyped | Noise::CutOff => Truth::Refused,
        Noise::AlreadyApplied => {
            // Sent again: the lines that were replaced are gone.
            let clash =
                before.contains(&(clean.search.join("\n") + "\n")) && after.contains(&(clean.search.join("\n") + "\n"));
            let removes = operations.iter().any(|operation| matches!(operation, Operation::Delete(_)));
            if clash || removes {
                return None;
            }
            before = after;
            Truth::Already
        }
        _ => Truth::Text(after),
    };
    let (reply, aider) = written(noise, &file.path, &[halves], random);
    Some(Case { noise, path: file.path, before, reply, aider, truth })
}

/// Whether lines say something of their own: a brace alone is found by luck.
fn strange(lines: &[String]) -> bool {
    lines.iter().any(|line| line.trim().len() > 8)
}

fn text(lines: &Ended) -> String {
    lines.iter().map(|(line, ending)| format!("{line}{ending}")).collect()
}

fn endings(noise: Noise, count: usize, random: &mut Random) -> Vec<&'static str> {
    let mut endings: Vec<&'static str> = (0..count)
        .map(|_| match noise {
            Noise::CrlfFile => "\r\n",
            Noise::MixedEndings => ["\n", "\r\n"][random.below(2)],
            _ => "\n",
        })
        .collect();
    if noise == Noise::NoFinalNewline
        && let Some(last) = endings.last_mut()
    {
        *last = "";
    }
    endings
}

/// The lines as the file has them.
fn in_file(noise: Noise, window: &[String], operations: &[Operation], random: &mut Random) -> Option<Vec<String>> {
    let renamed =
        |at: usize| operations.iter().any(|operation| matches!(operation, Operation::Rename(line, ..) if *line == at));
    let changed: Vec<String> = match noise {
        Noise::TrailingSpaceInFile => window
            .iter()
            .enumerate()
            .map(
                |(at, line)| {
                    if renamed(at) { line.clone() } else { format!("{line}{}", ["  ", "\t", " "][random.below(3)]) }
                },
            )
            .collect(),
        Noise::CurlyInFile => window.iter().map(|line| curled(line)).collect(),
        Noise::HardSpaceInFile => window
            .iter()
            .map(|line| {
                let indent = line.len() - line.trim_start().len();
                format!("{}{}", &line[..indent], line[indent..].replacen(' ', "\u{a0}", 1))
            })
            .collect(),
        _ => return Some(window.to_vec()),
    };
    (changed != window).then_some(changed)
}

fn curled(line: &str) -> String {
    let mut open = false;
    let mut result = String::new();
    let indent = line.len() - line.trim_start().len();
    result.push_str(&line[..indent]);
    for c in line[indent..].chars() {
        result.push(match c {
            '"' => {
                open = !open;
                if open { '\u{201c}' } else { '\u{201d}' }
            }
            '\'' => '\u{2019}',
            '-' => '\u{2013}',
            other => other,
        });
    }
    result
}

/// The halves as the model writes them.
fn in_reply(noise: Noise, clean: &Halves, at: usize, file: &SourceFile, random: &mut Random) -> Option<Halves> {
    let both = |change: &dyn Fn(usize, &str) -> String| {
        let all = |lines: &[String]| lines.iter().enumerate().map(|(index, line)| change(index, line)).collect();
        Halves { search: all(&clean.search), replace: all(&clean.replace) }
    };
    let noisy = match noise {
        Noise::TrailingSpaceInReply => {
            let search =
                clean.search.iter().map(|line| format!("{line}{}", ["", " ", "  "][random.below(3)])).collect();
            Halves { search, replace: clean.replace.clone() }
        }
        Noise::Dedented => {
            let filled = clean.search.iter().chain(&clean.replace).filter(|line| !line.trim().is_empty());
            let common = filled.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len()).min()?;
            both(&|_, line| line.get(common..).unwrap_or_default().to_owned())
        }
        Noise::Indented => {
            let more = if file.text.contains("\n\t") { "\t" } else { ["  ", "    "][random.below(2)] };
            both(&|_, line| if line.trim().is_empty() { line.to_owned() } else { format!("{more}{line}") })
        }
        Noise::TabsOrSpaces => {
            let tabs = file.text.lines().filter(|line| line.starts_with('\t')).count();
            let spaces = file.text.lines().filter(|line| line.starts_with("    ")).count();
            let step = file.text.lines().any(|line| line.starts_with("  ") && !line.starts_with("    "));
            if tabs > spaces * 4 {
                both(&|_, line| {
                    let depth = line.len() - line.trim_start_matches('\t').len();
                    format!("{}{}", "    ".repeat(depth), &line[depth..])
                })
            } else if spaces > tabs * 4 && !step {
                both(&|_, line| {
                    let depth = (line.len() - line.trim_start_matches(' ').len()) / 4;
                    format!("{}{}", "\t".repeat(depth), &line[depth * 4..])
                })
            } else {
                return None;
            }
        }
        Noise::CurlyInReply => both(&|_, line| curled(line)),
        Noise::LineNumbers => {
            let form = random.below(3);
            both(&|index, line| match form {
                0 => format!("{} | {line}", at + index + 1),
                1 => format!("{:>5} | {line}", at + index + 1),
                _ => format!("{:>6}\t{line}", at + index + 1),
            })
        }
        Noise::FencedHalves => {
            let fenced = |lines: &[String]| {
                let mut all = vec!["```".to_owned()];
                all.extend_from_slice(lines);
                all.push("```".to_owned());
                all
            };
            Halves { search: fenced(&clean.search), replace: fenced(&clean.replace) }
        }
        Noise::Entities => {
            if ["&amp;", "&lt;", "&gt;"].iter().any(|entity| file.text.contains(entity)) {
                return None;
            }
            both(&|_, line| line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
        }
        Noise::BlankEdges => {
            let edged = |lines: &[String]| {
                let mut all = vec![String::new()];
                all.extend_from_slice(lines);
                all.push(String::new());
                all
            };
            // One blank line more than the file has: where it has one there, it is met as it is.
            let lines: Vec<&str> = file.text.lines().collect();
            let free = |index: Option<usize>| {
                index.is_none_or(|index| lines.get(index).is_none_or(|line| !line.trim().is_empty()))
            };
            if !free(at.checked_sub(1)) || !free(Some(at + clean.search.len())) {
                return None;
            }
            Halves { search: edged(&clean.search), replace: edged(&clean.replace) }
        }
        Noise::Lazy => {
            if clean.replace.len() < 4 {
                return None;
            }
            let sign = match Path::new(&file.path).extension().and_then(|extension| extension.to_str()) {
                Some("py" | "rb" | "sh" | "toml") => "#",
                _ => "//",
            };
            let words =
                ["... rest of code unchanged ...", "... existing code ...", "rest of the code remains the same", "..."];
            let mut replace = clean.replace.clone();
            let middle = 1..replace.len() - 1;
            replace.splice(middle, [format!("    {sign} {}", random.pick(&words))]);
            Halves { search: clean.search.clone(), replace }
        }
        Noise::Mistyped => mistyped(clean, file, random)?,
        _ => return Some(Halves { search: clean.search.clone(), replace: clean.replace.clone() }),
    };
    (noisy.search != clean.search || noise == Noise::Lazy).then_some(noisy)
}

/// A word of the search is another one, and stays so in the other half.
fn mistyped(clean: &Halves, file: &SourceFile, random: &mut Random) -> Option<Halves> {
    let line = (0..clean.search.len()).find(|at| words(&clean.search[*at]).iter().any(|word| word.len() > 4))?;
    let found = words(&clean.search[line]);
    let word = found.iter().find(|word| word.len() > 4)?;
    let wrong = match random.below(3) {
        0 => format!("{}{}", &word[..2], &word[3..]),
        1 => format!("{word}s"),
        _ => format!("{}x{}", &word[..3], &word[3..]),
    };
    let change =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| line.replacen(*word, &wrong, 1)).collect() };
    let halves = Halves { search: change(&clean.search), replace: change(&clean.replace) };
    let lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
    (count(&lines, &halves.search) == 0 && halves.search != halves.replace).then_some(halves)
}

fn ambiguous(noise: Noise, file: SourceFile, random: &mut Random) -> Option<Case> {
    let lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
    let at = random.below(lines.len());
    let size = 1 + random.below(3);
    let window = lines.get(at..at + size)?.to_vec();
    let operations = operations(&window, random)?;
    let mut halves = Halves { search: window.clone(), replace: done(&window, &operations) };
    if window.iter().any(|line| line.trim().is_empty()) || halves.search == halves.replace {
        return None;
    }
    let exactly = lines.windows(size).filter(|other| **other == window[..]).count();
    if noise == Noise::Ambiguous {
        if exactly < 2 {
            return None;
        }
    } else {
        // Shifted, it fits several places, and none as it is written.
        let cut = |lines: &[String]| -> Option<Vec<String>> {
            let common = lines.iter().map(|line| line.len() - line.trim_start_matches(' ').len()).min()?;
            (common > 0).then(|| lines.iter().map(|line| line[common..].to_owned()).collect())
        };
        let search = cut(&window)?;
        let shifted = lines.windows(size).filter(|other| cut(other).as_ref() == Some(&search)).count();
        let as_written = lines.windows(size).any(|other| other == search);
        if shifted < 2 || as_written {
            return None;
        }
        halves = Halves { replace: done(&search, &operations), search };
    }
    let (reply, aider) = written(noise, &file.path, &[halves], random);
    Some(Case { noise, path: file.path, before: file.text, reply, aider, truth: Truth::Refused })
}

fn several(noise: Noise, file: SourceFile, random: &mut Random) -> Option<Case> {
    let lines: Vec<String> = file.text.lines().map(str::to_owned).collect();
    let mut after = lines.clone();
    let mut blocks = Vec::new();
    // From the end, so that places stay.
    let mut limit = lines.len();
    for _ in 0..2 + random.below(2) {
        let size = 1 + random.below(5);
        let at = random.below(limit.checked_sub(size)?);
        let window = lines[at..at + size].to_vec();
        let operations = operations(&window, random)?;
        let replace = done(&window, &operations);
        if count(&lines, &window) != 1 || window == replace || !strange(&window) || window[0].trim().is_empty() {
            return None;
        }
        if window[size - 1].trim().is_empty() {
            return None;
        }
        after.splice(at..at + size, replace.clone());
        blocks.push(Halves { search: window, replace });
        limit = at;
    }
    let truth = if noise == Noise::SecondMistyped {
        let clean = blocks.pop()?;
        blocks.push(mistyped(&clean, &file, random)?);
        Truth::Refused
    } else {
        Truth::Text(after.iter().map(|line| format!("{line}\n")).collect())
    };
    let (reply, aider) = written(noise, &file.path, &blocks, random);
    Some(Case { noise, path: file.path, before: file.text, reply, aider, truth })
}

/// The reply in our form and in that of aider.
fn written(noise: Noise, path: &str, blocks: &[Halves], random: &mut Random) -> (String, Option<String>) {
    let markers: [&str; 3] = match noise {
        Noise::OtherMarkers => *random.pick(&[
            ["<<<<<< SEARCH", "======", ">>>>>> REPLACE"],
            ["<<<<<<<< SEARCH", "========", ">>>>>>>> REPLACE"],
            ["<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE"],
            ["<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"],
        ]),
        _ => ["<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"],
    };
    let lines = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let mut body = String::new();
    for block in blocks {
        let (search, replace) = (lines(&block.search), lines(&block.replace));
        body.push_str(&format!("{}\n{search}{}\n{replace}{}\n", markers[0], markers[1], markers[2]));
    }
    if noise == Noise::CutOff {
        body.truncate(body.rfind(">>>>>>>").unwrap_or(body.len()));
    }
    let fence = if body.contains("```") { "````" } else { "```" };
    let tail = if noise == Noise::CutOff { String::new() } else { format!("{fence}\n") };
    let aider = format!("{path}\n{fence}\n{body}{tail}");
    let open = format!("<edit_file path=\"{path}\">\n");
    let reply = match noise {
        Noise::CutOff => format!("I change it.\n\n{open}{body}"),
        Noise::WrongClosing => {
            let closing = ["</parameter></invoke>", "</edit>", "</file>", ""];
            format!("{open}{body}{}\n", random.pick(&closing))
        }
        Noise::OuterFence => format!("```xml\n<edit_file path=\"`{path}`\">\n{body}</edit_file>\n```\n"),
        Noise::JsonCall => {
            let block =
                |half: &Halves| serde_json::json!({"search": lines(&half.search), "replace": lines(&half.replace)});
            let blocks: Vec<_> = blocks.iter().map(block).collect();
            let call = serde_json::json!({"name": "edit_file", "arguments": {"path": path, "blocks": blocks}});
            format!("```json\n{call}\n```\n")
        }
        _ => format!("I change it.\n\n{open}{body}</edit_file>\n"),
    };
    let ours_only = matches!(noise, Noise::WrongClosing | Noise::OuterFence | Noise::JsonCall);
    (reply, (!ours_only).then_some(aider))
}
