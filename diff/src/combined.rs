//! A merge against all of its parents at once: what its result has from none, or not from all, of them.
//!
//! Each parent is compared with the result. Lines that the result has and a parent has not are marked for that parent;
//! lines that are gone hang before the line of the result they stood before, and equal ones of several parents become one
//! line. A hunk is *dense* if it says something that no parent alone explains: where the result took the whole hunk from
//! one parent (or from several that agree), nothing was decided, and git's `--cc` leaves it out.
//!
//! Invariant: the same hunks, to the byte, as `git diff-tree -p --cc` and `-c` print. Tested against both.

use std::borrow::Cow;
use std::ops::Range;

use editor::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use crate::affix;
use crate::engine::{Algorithm, AsGit, Budget, Engine, Hunk, TokenDiff, Whitespace, is_space};
use crate::lines::{Content, without_ending};
use crate::patch::combined::{CombinedHunk, CombinedLine, MAX_PARENTS};

/// Lines of a function's header that git shows beside a hunk.
const SECTION_BYTES: usize = 40;
/// Cells of the table in which removed lines of two parents are paired; larger ones are paired by the line engine.
const MAX_CELLS: usize = 4 << 20;

/// How to combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CombineOptions {
    /// Whether to leave out hunks in which nothing was decided (`--cc`), or to show all (`-c`).
    pub dense: bool,
    /// Lines of context. The line of the result that removed ones stood before is always shown.
    pub context: u32,
    /// What white space to overlook.
    pub whitespace: Whitespace,
}

impl Default for CombineOptions {
    fn default() -> Self {
        Self { dense: true, context: 3, whitespace: Whitespace::Exact }
    }
}

/// Why a merge cannot be shown against its parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CombineError {
    /// There are too many of them.
    #[error("a merge of {parents} parents cannot be shown against all of them; at most {MAX_PARENTS} can")]
    TooManyParents {
        /// How many.
        parents: usize,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Compares the result of a merge with each of its parents.
pub fn combine<'a>(
    parents: &'a [Content],
    result: &'a Content,
    options: &CombineOptions,
    cancel: &Cancel,
) -> Result<Vec<CombinedHunk<'a>>, CombineError> {
    if parents.len() > MAX_PARENTS {
        return Err(CombineError::TooManyParents { parents: parents.len() });
    }
    let mut table = Table { slots: vec![Slot::default(); result.line_count() as usize + 1], parents: parents.len() };
    let mut engine = Engine::new();
    for (at, parent) in parents.iter().enumerate() {
        let same = parents[..at].iter().position(|earlier| **earlier.bytes() == **parent.bytes());
        match same {
            Some(earlier) => table.repeat(earlier, at),
            None => table.add(at, parent, result, options.whitespace, &mut engine, cancel)?,
        }
    }
    table.mark(options);
    Ok(table.hunks(result))
}

/// A line of the result, or its end, and what hangs before it.
#[derive(Clone, Default)]
struct Slot<'a> {
    /// The parents that do not have the line.
    added: u64,
    /// Lines that were there before it.
    lost: Vec<Lost<'a>>,
    /// Whether it is in a hunk.
    shown: bool,
    /// Whether what hangs before it is not shown: leading context.
    hides_lost: bool,
}

/// A line that the result does not have.
#[derive(Clone)]
struct Lost<'a> {
    /// Without its LF.
    text: &'a [u8],
    /// The parents that had it.
    parents: u64,
}

impl Slot<'_> {
    fn is_interesting(&self) -> bool {
        self.added != 0 || !self.lost.is_empty()
    }
}

struct Table<'a> {
    /// One a line of the result, and one for its end.
    slots: Vec<Slot<'a>>,
    parents: usize,
}

impl<'a> Table<'a> {
    /// Takes in what differs from a parent.
    fn add(
        &mut self,
        at: usize,
        parent: &'a Content,
        result: &Content,
        whitespace: Whitespace,
        engine: &mut Engine,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let how = AsGit { algorithm: Algorithm::Myers, indent_heuristic: true, whitespace };
        // Git does not look at a common end when it wants no context, and finds other hunks with it than without.
        let tail = common_tail(parent.bytes(), result.bytes());
        let cut = |side: &Content| Content::new(&side.bytes()[..side.len() - tail]);
        let script = match (tail, cut(parent), cut(result)) {
            (1.., Ok(parent), Ok(result)) => engine.compare_as_git(&parent, &result, &how, cancel)?,
            _ => engine.compare_as_git(parent, result, &how, cancel)?,
        };
        let bit = 1 << at;
        for Hunk { old, new } in script.hunks {
            for line in &mut self.slots[new.start as usize..new.end as usize] {
                line.added |= bit;
            }
            let text = |line| parent.line(line).strip_suffix(b"\n").unwrap_or(parent.line(line));
            let lost: Vec<_> = old.map(|line| Lost { text: text(line), parents: bit }).collect();
            let slot = &mut self.slots[new.start as usize].lost;
            *slot = coalesce(std::mem::take(slot), lost, whitespace, cancel)?;
        }
        Ok(())
    }

    /// A parent that is the same as an earlier one.
    fn repeat(&mut self, earlier: usize, at: usize) {
        let copy = |mask: &mut u64| *mask |= (*mask >> earlier & 1) << at;
        for slot in &mut self.slots {
            copy(&mut slot.added);
            slot.lost.iter_mut().for_each(|lost| copy(&mut lost.parents));
        }
    }

    /// Finds out what to show.
    fn mark(&mut self, options: &CombineOptions) {
        for slot in &mut self.slots {
            slot.shown = slot.is_interesting();
        }
        if options.dense {
            self.leave_out_decided(options.context as usize);
        }
        self.give_context(options.context as usize);
    }

    /// The first slot from `from` on that is shown, or is not; one behind the last if there is none.
    fn find(&self, from: usize, shown: bool) -> usize {
        let found = self.slots[from.min(self.slots.len())..].iter().position(|slot| slot.shown == shown);
        found.map_or(self.slots.len(), |after| from + after)
    }

    /// Where context behind a hunk begins, given the first slot that is not of it. A slot that is of the hunk only for
    /// what hangs before it is itself the first line of context.
    fn tail_of(&self, hunk: usize, end: usize) -> usize {
        if hunk < end && self.slots[end - 1].added == 0 { end - 1 } else { end }
    }

    /// Marks hunks of no interest as not shown: those whose changes are all against the same parents, but not all of them.
    fn leave_out_decided(&mut self, context: usize) {
        let all = (1u64 << self.parents) - 1;
        let mut at = self.find(0, true);
        while at < self.slots.len() {
            let end = self.hunk_end(at, context);
            let hunk = &self.slots[at..end];
            let lost = |slot: &Slot<'a>| slot.lost.iter().map(|lost| lost.parents).collect::<Vec<_>>();
            let mut against = hunk.iter().flat_map(|slot| [slot.added].into_iter().chain(lost(slot)));
            let first = against.find(|&parents| parents != 0).unwrap_or(0);
            let agree = against.all(|parents| parents == 0 || parents == first);
            if agree && first != all {
                for slot in &mut self.slots[at..end] {
                    slot.shown = false;
                }
            }
            at = self.find(end, true);
        }
    }

    /// The end of the hunk that begins at `start`, with what follows it within the context.
    fn hunk_end(&self, start: usize, context: usize) -> usize {
        let mut end = self.find(start, false);
        while end < self.slots.len() {
            let reach = (self.tail_of(start, end) + context).min(self.slots.len());
            let Some(last) = (end..reach).rev().find(|&at| self.slots[at].shown) else { break };
            end = self.find(last, false);
        }
        end
    }

    /// Shows lines around what is shown, and the few between two hunks that are near each other.
    fn give_context(&mut self, context: usize) {
        let len = self.slots.len();
        let mut at = self.find(0, true);
        while at < len {
            for slot in &mut self.slots[at.saturating_sub(context)..at] {
                slot.hides_lost |= !slot.shown;
                slot.shown = true;
            }
            loop {
                let end = self.find(at, false);
                if end >= len {
                    return;
                }
                let next = self.find(end, true);
                let tail = self.tail_of(at, end);
                let is_near = next < tail + context;
                let until = if is_near { next } else { (tail + context).min(len) };
                for slot in &mut self.slots[tail.min(until)..until] {
                    slot.shown = true;
                }
                at = next;
                if !is_near {
                    break;
                }
            }
        }
    }

    fn hunks(self, result: &'a Content) -> Vec<CombinedHunk<'a>> {
        let numbers = self.numbers();
        let line_count = self.slots.len() - 1;
        let mut hunks = Vec::new();
        let mut end = 0;
        loop {
            let start = self.find(end, true);
            if start >= self.slots.len() {
                return hunks;
            }
            let before = end..start.min(line_count);
            end = self.find(start, false);
            let span = |parent: usize| numbers[start][parent]..numbers[end][parent];
            let mut hunk = CombinedHunk {
                parents: (0..self.parents).map(span).collect(),
                result: start as u32..end.min(line_count) as u32,
                section: Cow::Borrowed(section(result, before)),
                lines: Vec::new(),
            };
            for (slot, line) in self.slots[start..end].iter().zip(start..) {
                hunk.lines.extend(slot.lost.iter().map(|lost| CombinedLine {
                    in_result: false,
                    signs: lost.parents,
                    hidden: slot.hides_lost,
                    text: Cow::Borrowed(lost.text),
                }));
                if line == line_count {
                    continue;
                }
                let text = result.line(line as u32);
                let text = Cow::Borrowed(text.strip_suffix(b"\n").unwrap_or(text));
                hunk.lines.push(CombinedLine { in_result: true, signs: slot.added, hidden: false, text });
            }
            hunks.push(hunk);
        }
    }

    /// By slot, and one more for the end: the number of each parent's line there, before what hangs before it.
    fn numbers(&self) -> Vec<Vec<u32>> {
        let mut next = vec![0; self.parents];
        let mut numbers = Vec::with_capacity(self.slots.len() + 1);
        for (at, slot) in self.slots.iter().enumerate() {
            numbers.push(next.clone());
            for (parent, next) in next.iter_mut().enumerate() {
                let has = |mask: u64| mask >> parent & 1 == 1;
                *next += slot.lost.iter().filter(|lost| has(lost.parents)).count() as u32;
                *next += u32::from(at + 1 < self.slots.len() && !has(slot.added));
            }
        }
        numbers.push(next);
        numbers
    }
}

/// How many bytes both texts end with alike, as git counts them: in whole blocks, and from the start of a line.
fn common_tail(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 1024;
    let common = affix::common_suffix(old, new) / BLOCK * BLOCK;
    let tail = &new[new.len() - common..];
    memchr::memchr(b'\n', tail).map_or(0, |newline| common - newline - 1)
}

/// What git names a hunk for: the last line before it, since the hunk before, that begins like a definition. It cuts off
/// its last character as well.
fn section(result: &Content, lines: Range<usize>) -> &[u8] {
    let begins = |&line: &usize| {
        let first = result.line(line as u32).first();
        first.is_some_and(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
    };
    let Some(line) = lines.rev().find(begins) else { return &[] };
    let text = result.line(line as u32);
    let text = &text[..text
        .iter()
        .take(SECTION_BYTES)
        .position(|&byte| byte == 0 || byte == b'\n')
        .unwrap_or(SECTION_BYTES.min(text.len()))];
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    &text[..text.iter().rposition(|byte| !is_space(byte)).unwrap_or(0)]
}

/// Puts removed lines of another parent into those known: equal ones become one line, all others keep their order.
fn coalesce<'a>(
    base: Vec<Lost<'a>>,
    more: Vec<Lost<'a>>,
    whitespace: Whitespace,
    cancel: &Cancel,
) -> Result<Vec<Lost<'a>>, Cancelled> {
    if base.is_empty() || more.is_empty() {
        return Ok(if base.is_empty() { more } else { base });
    }
    let steps = if base.len().saturating_mul(more.len()) <= MAX_CELLS {
        pair_by_table(&base, &more, whitespace)
    } else {
        pair_by_engine(&base, &more, whitespace, cancel)?
    };
    let mut joined = Vec::with_capacity(steps.len());
    let (mut base, mut more) = (base.into_iter(), more.into_iter());
    for step in steps {
        let (old, new) = match step {
            Step::Both => (base.next(), more.next()),
            Step::Base => (base.next(), None),
            Step::More => (None, more.next()),
        };
        if let Some(mut line) = old.clone().or(new.clone()) {
            line.parents |= new.map_or(0, |new| new.parents);
            joined.push(line);
        }
    }
    Ok(joined)
}

/// Whether git takes two removed lines for one. It reads them from their ends, which differs from comparing lines: all
/// white space at an end is overlooked in any mode but the exact one, and of white space that a line begins with the first
/// character counts.
fn are_alike(a: &[u8], b: &[u8], whitespace: Whitespace) -> bool {
    let is_space = |byte: &u8| is_space(*byte);
    let without_end = |line: &[u8]| line.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last + 1);
    let (mut a_at, mut b_at) = match whitespace {
        Whitespace::Exact => return a == b,
        _ => (without_end(a), without_end(b)),
    };
    if matches!(whitespace, Whitespace::IgnoreCr | Whitespace::IgnoreEnd) {
        return a[..a_at] == b[..b_at];
    }
    // Moves to the first of a run of white space's characters but one: what is before the run, or the line's first.
    let skip =
        |line: &[u8], at: usize| line[1..=at].iter().rposition(|byte| !is_space(byte)).map_or(0, |before| before + 1);
    while a_at > 0 && b_at > 0 {
        (a_at, b_at) = (a_at - 1, b_at - 1);
        let spaces = (is_space(&a[a_at]), is_space(&b[b_at]));
        if spaces.0 != spaces.1 && whitespace == Whitespace::IgnoreAmount {
            return false;
        }
        if spaces.0 || spaces.1 {
            (a_at, b_at) = (skip(a, a_at), skip(b, b_at));
        }
        if a[a_at] != b[b_at] {
            return false;
        }
    }
    let left = |line: &[u8], at: usize| whitespace != Whitespace::IgnoreAll || line[..at].iter().any(|b| !is_space(b));
    !(a_at > 0 && left(a, a_at) || b_at > 0 && left(b, b_at))
}

/// Where the next line comes from when two lists are put together.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Both,
    Base,
    More,
}

/// Pairs equal lines by the table of longest common subsequences, read from its end as git reads it: of two ways as good
/// as each other, that which takes the last line of `more` first.
fn pair_by_table(base: &[Lost<'_>], more: &[Lost<'_>], whitespace: Whitespace) -> Vec<Step> {
    let width = more.len() + 1;
    let mut ways = vec![Step::More; width * (base.len() + 1)];
    let mut above = vec![0u32; width];
    for (row, line) in base.iter().enumerate() {
        let mut current = vec![0u32; width];
        ways[(row + 1) * width] = Step::Base;
        for (column, other) in more.iter().enumerate() {
            let (way, length) = if are_alike(line.text, other.text, whitespace) {
                (Step::Both, above[column] + 1)
            } else if current[column] >= above[column + 1] {
                (Step::More, current[column])
            } else {
                (Step::Base, above[column + 1])
            };
            ways[(row + 1) * width + column + 1] = way;
            current[column + 1] = length;
        }
        above = current;
    }
    let (mut row, mut column) = (base.len(), more.len());
    let mut steps = Vec::with_capacity(row + column);
    while row > 0 || column > 0 {
        let way = ways[row * width + column];
        row -= usize::from(way != Step::More);
        column -= usize::from(way != Step::Base);
        steps.push(way);
    }
    steps.reverse();
    steps
}

fn pair_by_engine(
    base: &[Lost<'_>],
    more: &[Lost<'_>],
    whitespace: Whitespace,
    cancel: &Cancel,
) -> Result<Vec<Step>, Cancelled> {
    let mut numbers: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
    let mut buffer = Vec::new();
    let mut number = |line: &Lost<'_>| {
        let next = numbers.len() as u32;
        *numbers.entry(whitespace.key(without_ending(line.text), &mut buffer).to_vec()).or_insert(next)
    };
    let old: Vec<u32> = base.iter().map(&mut number).collect();
    let new: Vec<u32> = more.iter().map(&mut number).collect();
    let (hunks, _) = TokenDiff::default().readable(&old, &new, numbers.len() as u32, Budget::default(), cancel)?;
    let mut steps = Vec::with_capacity(old.len() + new.len());
    let mut at = 0;
    for hunk in hunks {
        steps.extend((at..hunk.old.start).map(|_| Step::Both));
        steps.extend(hunk.old.clone().map(|_| Step::Base));
        steps.extend(hunk.new.map(|_| Step::More));
        at = hunk.old.end;
    }
    steps.extend((at..old.len() as u32).map(|_| Step::Both));
    Ok(steps)
}
