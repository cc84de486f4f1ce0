//! The one way in: an action that writes content, and the file's text before it.

use std::ops::Range;

use super::blocks::{Did, apply_blocks};
use super::error::EditError;
use super::ladder::Rung;
use super::symbol::write_symbol;
use super::whole::{refuse_lazy, write_code, write_whole};
use crate::action::{Action, Lines};

/// What is known of the file an edit is about.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// From the project root; its name tells the language.
    pub path: &'a str,
    /// Its text, without the mark of its encoding; `None` when there is no such file.
    pub before: Option<&'a str>,
    /// Edits of this file that failed in this run: after two, a whole file is taken of any size.
    pub failed: u32,
}

/// An edit applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The whole text after it.
    pub text: String,
    /// Whether the file had all of it already: nothing is to be written.
    pub already: bool,
    /// The loosest rung that a block needed; `None` for other forms.
    pub rung: Option<Rung>,
    /// What else the model and the user should know, a sentence each.
    pub notes: Vec<String>,
    /// The changed lines of the new text, from 1: the first, and one past the last. Empty where lines are only gone.
    pub changed: Option<Range<u32>>,
}

/// Applies an action that writes content; see [`Action::writes_content`].
pub fn apply(action: &Action, target: Target<'_>) -> Result<Edited, EditError> {
    let missing = || EditError::Missing { path: target.path.to_owned() };
    match action {
        Action::EditFile { blocks, .. } => {
            let creates = |text: &str| text.trim().is_empty();
            let before = match target.before {
                Some(before) => before,
                // A block that looks for nothing, in a file that is not there, is that file.
                None if blocks.iter().all(|block| creates(&block.search)) => "",
                None => return Err(missing()),
            };
            let (text, did) = apply_blocks(target.path, before, blocks)?;
            let rung = did.iter().filter_map(|did| match did {
                Did::Replaced(rung) => Some(*rung),
                Did::Already => None,
            });
            let rung = rung.max();
            let already = rung.is_none();
            let mut notes = Vec::new();
            if !already && did.contains(&Did::Already) {
                notes.push("some of the blocks were in the file already".to_owned());
            }
            Ok(edited(before, text, rung, notes))
        }
        Action::CreateFile { content, .. } => match target.before {
            Some(before) if before == content => Ok(edited(before, content.clone(), None, Vec::new())),
            Some(_) => Err(EditError::Exists { path: target.path.to_owned() }),
            None => Ok(edited("", content.clone(), None, Vec::new())),
        },
        Action::WriteSymbol { name, content, .. } => {
            let before = target.before.ok_or_else(missing)?;
            refuse_lazy(target.path, before, content)?;
            write_symbol(target.path, before, name, content).map(|text| edited(before, text, None, Vec::new()))
        }
        Action::WriteCode { content, .. } => match target.before {
            None => Ok(edited("", content.clone(), None, Vec::new())),
            Some(before) => {
                write_code(target, before, content).map(|merged| edited(before, merged.text, None, merged.notes))
            }
        },
        Action::WriteFile { content, .. } => match target.before {
            None => Ok(edited("", content.clone(), None, Vec::new())),
            Some(before) => write_whole(target, before, content).map(|text| edited(before, text, None, Vec::new())),
        },
        _ => Err(EditError::NoEdit { name: action.name().to_owned() }),
    }
}

/// Lines around a changed part that are shown with it.
const AROUND: usize = 3;
/// Lines that are shown at most.
const SHOWN: usize = 60;

/// Some lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Which.
    pub lines: Lines,
    /// They themselves, joined by LF.
    pub text: String,
}

/// The part of `text` that changed, with a few lines around it: what whoever made the change is shown, not the file.
pub fn fragment(text: &str, changed: &Range<u32>) -> Fragment {
    let (first, last) = (changed.start.saturating_sub(1) as usize, changed.end.saturating_sub(1) as usize);
    let (from, to) = (first.saturating_sub(AROUND), last + AROUND);
    let shown: Vec<_> = text.lines().skip(from).take((to - from).min(SHOWN)).collect();
    let lines = Lines { first: from as u32 + 1, last: (from + shown.len().max(1)) as u32 };
    Fragment { lines, text: shown.join("\n") }
}

pub(super) fn edited(before: &str, text: String, rung: Option<Rung>, notes: Vec<String>) -> Edited {
    let changed = changed_lines(before, &text);
    Edited { already: before == text, text, rung, notes, changed }
}

/// The lines of `after` that differ from `before`, as one range: from the first to the last.
fn changed_lines(before: &str, after: &str) -> Option<Range<u32>> {
    if before == after {
        return None;
    }
    let (old, new): (Vec<_>, Vec<_>) = (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let end = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    Some(start as u32 + 1..(new.len() - end) as u32 + 1)
}
