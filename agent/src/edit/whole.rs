//! Whole files, and code that may be one: which of the two it is, is read off the code.

use editor::syntax::{Item, What};

use super::apply::Target;
use super::error::EditError;
use super::lazy;
use super::lines::{lines, usual_ending};
use super::symbol::{Fragment, Merged, Outlined, merge};

/// Lines of a file that is replaced whole without further ado.
pub(super) const SMALL: usize = 150;

/// The whole new text of a file that exists.
pub(super) fn write_whole(target: Target<'_>, before: &str, content: &str) -> Result<String, EditError> {
    let count = before.lines().count();
    if count > SMALL && target.failed < 2 {
        return Err(EditError::TooLong { path: target.path.to_owned(), lines: count });
    }
    refuse_lazy(target.path, before, content)?;
    let text = in_the_manner_of(before, content);
    if text == before {
        return Err(EditError::Unchanged);
    }
    if let (Some(old), Some(new)) = (Outlined::file(target.path, before), Outlined::file(target.path, &text))
        && new.outline.errors > old.outline.errors
    {
        let line = new.outline.first_error.unwrap_or_default() as usize;
        return Err(EditError::Broken { line: text.lines().nth(line).unwrap_or_default().trim().to_owned() });
    }
    Ok(text)
}

/// Code for a file: all of it, or some of its symbols.
pub(super) fn write_code(target: Target<'_>, before: &str, content: &str) -> Result<Merged, EditError> {
    refuse_lazy(target.path, before, content)?;
    if is_whole(target, before, content) {
        return write_whole(target, before, content).map(|text| Merged { text, notes: Vec::new() });
    }
    match merge(target.path, before, content) {
        Err(EditError::NoGrammar { .. }) => Err(EditError::Part { path: target.path.to_owned() }),
        merged => merged,
    }
}

/// Whether code is the whole file: every symbol of the file is in it, and most of what stands outside of them.
fn is_whole(target: Target<'_>, before: &str, content: &str) -> bool {
    if before.lines().count() > SMALL && target.failed < 2 {
        return false;
    }
    let Some(old) = Outlined::file(target.path, before) else { return shares_most_lines(before, content) };
    let new = Fragment::read(old.language, content);
    let (mut loose, mut kept) = (0, 0);
    for item in &old.outline.items {
        match item.what {
            What::Comment | What::Attribute => {}
            what if what.is_symbol() => {
                let same = |other: &&Item| other.name == item.name && other.what == what;
                if !new.outline.items.iter().find(same).is_some_and(|other| has_members(other, item)) {
                    return false;
                }
            }
            _ => {
                loose += 1;
                let written = before[item.range.clone()].trim();
                let first = written.lines().next().unwrap_or_default();
                kept += usize::from(new.text.contains(first));
            }
        }
    }
    if old.outline.items.iter().all(|item| !item.what.is_symbol()) {
        return shares_most_lines(before, content);
    }
    // Imports or a main block that are missing: it shows the symbols only.
    kept * 2 > loose || loose == 0
}

/// Whether a new version of a type has all functions and types that the old one has.
fn has_members(new: &Item, old: &Item) -> bool {
    old.members.iter().filter(|member| matches!(member.what, What::Function | What::Type)).all(|member| {
        let same = |other: &&Item| other.name == member.name && other.what == member.what;
        new.members.iter().find(same).is_some_and(|other| has_members(other, member))
    })
}

/// Whether at least half of the lines that say something are in the new text, too.
fn shares_most_lines(before: &str, content: &str) -> bool {
    let says = |line: &&str| line.trim().len() > 2;
    let new: std::collections::HashSet<&str> = content.lines().map(str::trim).collect();
    let old: Vec<&str> = before.lines().filter(says).collect();
    let kept = old.iter().filter(|line| new.contains(line.trim())).count();
    old.is_empty() || kept * 2 >= old.len()
}

pub(super) fn refuse_lazy(path: &str, before: &str, content: &str) -> Result<(), EditError> {
    let split = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    match lazy::elided(&split(content), &split(before), path) {
        Some(line) => Err(EditError::Lazy { number: None, line }),
        None => Ok(()),
    }
}

/// `content` with the line endings and the last ending of the old text.
fn in_the_manner_of(before: &str, content: &str) -> String {
    let old = lines(before);
    let ending = usual_ending(&old);
    let plain = content.replace("\r\n", "\n");
    let body = plain.trim_end_matches('\n');
    let mut text = if ending == "\r\n" { body.replace('\n', "\r\n") } else { body.to_owned() };
    if old.last().is_none_or(|line| !line.ending.is_empty()) && !text.is_empty() {
        text.push_str(ending);
    }
    text
}
