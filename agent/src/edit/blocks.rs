//! Applying the blocks of one edit, in order, all or none.

use super::align::align;
use super::closest::closest;
use super::error::EditError;
use super::ladder::{Ladder, Look, Met, Rung};
use super::lazy;
use super::lines::{Line, is_blank, lines, usual_ending};
use super::punctuation::{Manner, with_own_characters};
use crate::action::Block;

/// What one block did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Did {
    Replaced(Rung),
    /// What it asks for is there already.
    Already,
}

/// The text after all blocks, and what each did.
pub(super) fn apply_blocks(path: &str, before: &str, blocks: &[Block]) -> Result<(String, Vec<Did>), EditError> {
    let mut text = before.to_owned();
    let mut did = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let number = index + 1;
        let (after, what) = apply_block(path, &text, block, number)?;
        if let Some(after) = after {
            text = after;
        }
        did.push(what);
    }
    Ok((text, did))
}

fn apply_block(path: &str, text: &str, block: &Block, number: usize) -> Result<(Option<String>, Did), EditError> {
    let split = |half: &str| half.lines().map(str::to_owned).collect::<Vec<_>>();
    let (search, replace) = (split(&block.search), split(&block.replace));
    if search.iter().all(|line| is_blank(line)) {
        if text.trim().is_empty() {
            return Ok((Some(block.replace.clone()), Did::Replaced(Rung::Exact)));
        }
        return Err(EditError::EmptySearch { number });
    }
    if search == replace {
        return Err(EditError::SameHalves { number });
    }
    if let Some(line) = lazy::elided(&replace, &search, path) {
        return Err(EditError::Lazy { number: Some(number), line });
    }
    let file = lines(text);
    let mut ladder = Ladder::new(text, &file);
    match ladder.look(&search, &replace) {
        Look::Met(met) => match stands_already(&file, &met) {
            true => Ok((None, Did::Already)),
            false => Ok((Some(replaced(&file, &met)), Did::Replaced(met.rung))),
        },
        Look::Several(places) => {
            let lines = places.iter().map(|at| *at as u32 + 1).collect();
            Err(EditError::Several {
                number,
                lines,
                first: search.iter().find(|l| !is_blank(l)).cloned().unwrap_or_default(),
            })
        }
        Look::Nowhere if is_there(&mut ladder, &search, &replace) => Ok((None, Did::Already)),
        Look::Nowhere => Err(EditError::NotFound { number, closest: closest(&file, &search) }),
    }
}

/// Whether the lines around what was met are the other half already: an edit that adds to its lines, sent twice.
fn stands_already(file: &[Line<'_>], met: &Met) -> bool {
    let (search, replace) = (&met.search, &met.replace);
    if replace.len() <= search.len() {
        return false;
    }
    (0..=replace.len() - search.len()).filter(|offset| replace[*offset..].starts_with(search)).any(|offset| {
        let Some(start) = met.at.checked_sub(offset) else { return false };
        let Some(there) = file.get(start..start + replace.len()) else { return false };
        there.iter().zip(replace).all(|(line, wanted)| line.text.trim_end() == met.rewritten(wanted).trim_end())
    })
}

/// Whether what a block that was not met would write stands in the file, at one place, as exactly as the ladder asks.
fn is_there(ladder: &mut Ladder<'_>, search: &[String], replace: &[String]) -> bool {
    let new = replace.iter().filter(|line| !search.iter().any(|old| old.trim() == line.trim()));
    let letters = new.map(|line| line.chars().filter(|c| c.is_alphanumeric()).count()).sum::<usize>();
    if letters < 4 {
        return false;
    }
    if !matches!(ladder.look(replace, replace), Look::Met(_)) {
        return false;
    }
    // What was to be replaced must be what is gone: a search that resembles nothing of the new lines is a mistake.
    let kept = search.iter().filter(|line| !is_blank(line) && replace.iter().any(|new| new.trim() == line.trim()));
    let close =
        search.iter().any(|line| replace.iter().any(|new| super::closest::likeness(line.trim(), new.trim()) > 0.5));
    kept.count() > 0 || close
}

/// The text with the lines that were met replaced.
fn replaced(file: &[Line<'_>], met: &Met) -> String {
    let count = met.search.len();
    let (before, rest) = file.split_at(met.at);
    let (there, after) = rest.split_at(count);
    let key = |lines: &[String]| lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let kept = align(&key(&met.search), &key(&met.replace));
    let usual = usual_ending(file);
    let manner = match met.own_punctuation {
        true => Manner::of(
            there.iter().zip(&met.search).map(|(line, wanted)| (line.text, wanted.as_str())),
            &file.iter().map(|line| line.text).collect::<Vec<_>>().join("\n"),
        ),
        false => Manner::default(),
    };
    let mut new: Vec<(String, &str)> = Vec::with_capacity(met.replace.len());
    // The line of the file whose place the next new line takes.
    let mut next = 0;
    for (index, line) in met.replace.iter().enumerate() {
        if let Some(at) = kept[index] {
            new.push((there[at].text.to_owned(), there[at].ending));
            next = at + 1;
            continue;
        }
        let until = kept[index..].iter().flatten().next().copied().unwrap_or(count);
        let pair = (next < until).then_some(next);
        let text = match pair {
            Some(at) if met.own_punctuation => {
                with_own_characters(there[at].text, &met.rewritten(&met.search[at]), &met.rewritten(line), &manner)
            }
            _ => manner.undone(&met.rewritten(line)),
        };
        let own = pair.map(|at| there[at].ending).filter(|ending| !ending.is_empty());
        let neighbour = new.last().map(|(_, ending)| *ending).or_else(|| before.last().map(|line| line.ending));
        let ending = own.or(neighbour.filter(|ending| !ending.is_empty())).unwrap_or(usual);
        new.push((text, ending));
        next += usize::from(pair.is_some());
    }
    let mut result: Vec<(&str, &str)> = before.iter().map(|line| (line.text, line.ending)).collect();
    result.extend(new.iter().map(|(text, ending)| (text.as_str(), *ending)));
    result.extend(after.iter().map(|line| (line.text, line.ending)));
    written(&result, usual, file.last().is_some_and(|line| line.ending.is_empty()))
}

/// Lines as a text: all but the last end, and the last ends as the file did.
fn written(lines: &[(&str, &str)], usual: &str, open_end: bool) -> String {
    let mut text = String::with_capacity(lines.iter().map(|(text, ending)| text.len() + ending.len()).sum());
    for (index, (line, ending)) in lines.iter().enumerate() {
        text.push_str(line);
        let last = index + 1 == lines.len();
        match (last && open_end, ending.is_empty()) {
            (true, _) => {}
            (false, true) => text.push_str(usual),
            (false, false) => text.push_str(ending),
        }
    }
    text
}
