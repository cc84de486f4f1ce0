//! `--stat` and `--numstat`, as git lays them out.

use std::io::Write;

use editor::Cancel;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Counts, ExportError, all_counts, is_counted};
use crate::{git::FileChange, source::Comparison};

/// Prints added lines, removed lines and path of each file, separated by tabs; dashes for binary files.
pub fn numstat(
    comparison: &Comparison,
    changes: &[FileChange],
    out: &mut impl Write,
    cancel: &Cancel,
) -> Result<(), ExportError> {
    for (change, counts) in changes.iter().zip(all_counts(comparison, changes, cancel)?) {
        match counts.binary {
            Some(_) => writeln!(out, "-\t-\t{}", name(change))?,
            None => writeln!(out, "{}\t{}\t{}", counts.added, counts.removed, name(change))?,
        }
    }
    Ok(())
}

/// Prints a line with a bar for each file and a summary, within `width` columns (80 where there is no terminal).
pub fn stat(
    comparison: &Comparison,
    changes: &[FileChange],
    width: usize,
    out: &mut impl Write,
    cancel: &Cancel,
) -> Result<(), ExportError> {
    let counts = all_counts(comparison, changes, cancel)?;
    let files: Vec<File> = changes.iter().zip(&counts).map(|(change, counts)| File::new(change, *counts)).collect();
    let layout = Layout::new(&files, width);
    for file in &files {
        writeln!(out, "{}", layout.line(file))?;
    }
    writeln!(out, "{}", summary(changes, &counts))?;
    Ok(())
}

/// What is printed of a file.
struct File {
    name: String,
    added: u64,
    removed: u64,
    /// In place of counts and bar.
    instead: Option<String>,
}

impl File {
    fn new(change: &FileChange, counts: Counts) -> Self {
        let instead = match counts.binary {
            _ if !is_counted(change) => Some("Unmerged".to_owned()),
            Some((0, 0)) => Some("Bin".to_owned()),
            Some((old, new)) => Some(format!("Bin {old} -> {new} bytes")),
            None => None,
        };
        Self { name: name(change), added: counts.added, removed: counts.removed, instead }
    }
}

/// The path; of a rename, both, with what they share at both ends only once.
fn name(change: &FileChange) -> String {
    let new = change.path.display();
    let Some(old) = &change.old_path else { return new.into_owned() };
    let old = old.display();
    let start = shared_folders(&old, &new);
    let end = shared_end(&old[start..], &new[start..]);
    if start == 0 && end == 0 {
        return format!("{old} => {new}");
    }
    let middle = |path: &str| path[start..path.len() - end].to_owned();
    let mut out = format!("{}{{{} => {}}}", &new[..start], middle(&old), middle(&new));
    out.push_str(&new[new.len() - end..]);
    out
}

/// Bytes of the folders both paths begin with, the last slash included.
fn shared_folders(old: &str, new: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    old.as_bytes()[..same].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

/// Bytes of the ends that both have from a slash on. The slash before the middle may be the one after it.
fn shared_end(old: &str, new: &str) -> usize {
    let same = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    let tail = &old.as_bytes()[old.len() - same..];
    tail.iter().position(|&byte| byte == b'/').map_or(0, |slash| same - slash)
}

/// How columns are shared out: names at most five eighths, bars at least six columns.
struct Layout {
    names: usize,
    numbers: usize,
    bars: usize,
    most: u64,
}

impl Layout {
    fn new(files: &[File], width: usize) -> Self {
        let counted = files.iter().filter(|file| file.instead.is_none());
        let most = counted.map(|file| file.added + file.removed).max().unwrap_or(0);
        let longest = files.iter().map(|file| file.name.width()).max().unwrap_or(0);
        let instead = files.iter().filter_map(|file| file.instead.as_deref()).map(instead_width).max().unwrap_or(0);
        let is_binary = files.iter().any(|file| file.instead.as_ref().is_some_and(|text| text.starts_with("Bin")));
        let numbers = digits(most).max(if is_binary { 3 } else { 0 });
        let width = width.max(16 + 6 + numbers);
        let most_columns = usize::try_from(most).unwrap_or(usize::MAX);
        let mut bars = if most_columns.saturating_add(4) > instead { most_columns } else { instead - 4 };
        let mut names = longest;
        if names.saturating_add(numbers + 6).saturating_add(bars) > width {
            let fair = (width * 3 / 8).saturating_sub(numbers + 6);
            bars = bars.min(fair.max(6));
            if names > width - numbers - 6 - bars {
                names = width - numbers - 6 - bars;
            } else {
                bars = width - numbers - 6 - names;
            }
        }
        Self { names, numbers, bars, most }
    }

    fn line(&self, file: &File) -> String {
        let (prefix, name) = self.fitted(&file.name);
        let padding = self.names.saturating_sub(prefix.len() + name.width());
        let (space, numbers) = ("", self.numbers);
        if let Some(text) = &file.instead {
            // Only the word is aligned with the numbers; sizes stand behind it.
            let (word, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
            return format!(" {prefix}{name}{space:padding$} | {word:>numbers$}{rest}");
        }
        let total = file.added + file.removed;
        let (plus, minus) = self.bar(file.added, file.removed);
        let gap = if total > 0 { " " } else { "" };
        let bar = "+".repeat(plus) + &"-".repeat(minus);
        format!(" {prefix}{name}{space:padding$} | {total:>numbers$}{gap}{bar}")
    }

    /// The name, its beginning replaced by dots if it is too long; rather from a slash on.
    fn fitted<'a>(&self, name: &'a str) -> (&'static str, &'a str) {
        let mut width = name.width();
        if width <= self.names {
            return ("", name);
        }
        let room = self.names.saturating_sub(3);
        let mut rest = name.chars();
        while width > room {
            let Some(c) = rest.next() else { break };
            width -= c.width().unwrap_or(0);
        }
        let rest = rest.as_str();
        ("...", rest.find('/').map_or(rest, |slash| &rest[slash..]))
    }

    /// Plus and minus signs, scaled to the room there is; something that changed has at least one of its kind.
    fn bar(&self, added: u64, removed: u64) -> (usize, usize) {
        let all = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        if all(self.most) < self.bars {
            return (all(added), all(removed));
        }
        let scale =
            |count: u64| if count == 0 { 0 } else { 1 + all(count * (self.bars as u64 - 1) / self.most.max(1)) };
        let mut total = scale(added + removed);
        if total < 2 && added > 0 && removed > 0 {
            total = 2;
        }
        if added < removed {
            let plus = scale(added);
            (plus, total - plus)
        } else {
            let minus = scale(removed);
            (total - minus, minus)
        }
    }
}

fn digits(number: u64) -> usize {
    number.to_string().len()
}

/// The columns git reckons with for what stands in place of a bar.
fn instead_width(text: &str) -> usize {
    // Of equal binary files no size is shown, but room for two zeros is kept.
    let sizes = text.bytes().filter(u8::is_ascii_digit).count().max(2);
    if text.starts_with("Bin") { 14 + sizes } else { text.len() }
}

fn summary(changes: &[FileChange], counts: &[Counts]) -> String {
    let files = changes.iter().filter(|change| is_counted(change)).count();
    let sum = |of: fn(&Counts) -> u64| {
        counts.iter().zip(changes).filter(|(_, change)| is_counted(change)).map(|(counts, _)| of(counts)).sum::<u64>()
    };
    let (added, removed) = (sum(|counts| counts.added), sum(|counts| counts.removed));
    let plural = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let mut out = format!(" {}", plural(files as u64, "file changed", "files changed"));
    if files == 0 {
        return out;
    }
    if added > 0 || removed == 0 {
        out = out + ", " + &plural(added, "insertion(+)", "insertions(+)");
    }
    if removed > 0 || added == 0 {
        out = out + ", " + &plural(removed, "deletion(-)", "deletions(-)");
    }
    out
}
