//! What in a file is most like the lines that were looked for and not found.

use super::align::align;
use super::lines::{Line, is_blank};

/// The lines of a file that are most like what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closest {
    /// The first of them, from 1.
    pub line: u32,
    /// The lines, joined by LF, without the last ending.
    pub text: String,
    /// The first line that differs: what the file has and what was looked for.
    pub difference: Option<(String, String)>,
}

/// Places that are looked at closely.
const CANDIDATES: usize = 24;

/// Lines that are shown.
const SHOWN: usize = 40;

/// The place most like `search`; `None` where nothing is much like it.
pub(super) fn closest(file: &[Line<'_>], search: &[String]) -> Option<Closest> {
    let wanted: Vec<&str> = search.iter().map(|line| line.trim()).collect();
    let first = wanted.iter().position(|line| !line.is_empty())?;
    let last = wanted.iter().rposition(|line| !line.is_empty())?;
    let wanted = &wanted[first..=last];
    let there: Vec<&str> = file.iter().map(|line| line.text.trim()).collect();
    let width = wanted.len().min(there.len());
    // Lines that are the same say where to look; without any, every line is compared with the first.
    let mut scores: Vec<(usize, usize)> = Vec::new();
    for at in 0..=there.len().saturating_sub(width) {
        let same = there[at..at + width].iter().zip(wanted).filter(|(a, b)| a == b && a.len() > 3).count();
        if same > 0 {
            scores.push((same, at));
        }
    }
    if scores.is_empty() {
        scores = there.iter().enumerate().map(|(at, line)| (common_start(line, wanted[0]), at)).collect();
    }
    scores.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    scores.truncate(CANDIDATES);
    let score = |at: usize| {
        let window = &there[at..(at + width).min(there.len())];
        let sum: f32 = window.iter().zip(wanted).map(|(a, b)| likeness(a, b)).sum();
        sum / wanted.len() as f32
    };
    let best =
        scores.into_iter().map(|(_, at)| (score(at), at)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    if best.0 < 0.4 {
        return None;
    }
    let at = best.1;
    let window = &file[at..(at + width).min(file.len())];
    let text: Vec<&str> = window.iter().take(SHOWN).map(|line| line.text.trim_end()).collect();
    let difference = window.iter().zip(wanted).find(|(line, wanted)| line.text.trim() != **wanted);
    let difference = difference.map(|(line, wanted)| (line.text.trim().to_owned(), (*wanted).to_owned()));
    Some(Closest { line: at as u32 + 1, text: text.join("\n"), difference })
}

fn common_start(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// How alike two lines are, from 0 to 1: the share of characters they have in common, in order.
pub(super) fn likeness(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    if is_blank(a) || is_blank(b) {
        return 0.0;
    }
    let [a, b]: [Vec<char>; 2] = [a, b].map(|line| line.chars().take(300).collect());
    let common = align(&a, &b).iter().flatten().count();
    2.0 * common as f32 / (a.len() + b.len()) as f32
}
