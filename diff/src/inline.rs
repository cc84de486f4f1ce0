//! What changed inside a line.
//!
//! Two lines are trimmed, cut into *tokens* (words, runs of white space, single other characters as people see them) and
//! compared by token. Long lines are first cut into *chunks* at places that their content decides, so that an insertion
//! moves no other cut; only chunks that differ are looked at by token. That makes a line of 10 MB a matter of reading it.
//!
//! Spans are byte ranges on character boundaries, ascending and apart. Replacing the spans of one line by those of the
//! other, in turn, is not promised; what is outside spans is equal on both sides, in order. Under a white-space mode that
//! holds but for the white space the mode overlooks, which is never marked.

use std::ops::Range;

use editor::{Cancel, Cancelled};
use rustc_hash::FxHashMap;
use unicode_segmentation::UnicodeSegmentation;

use crate::affix;
use crate::engine::{Budget, Hunk, TokenDiff, Whitespace, is_space};

/// Steps that a pair of lines may cost, some 5 ms.
pub const PAIR_STEPS: u64 = 2_500_000;
/// Lines longer than this, both, are compared by chunks first.
const LONG: usize = 16 << 10;
/// Chunks are this long on average; a power of two.
const CHUNK: u64 = 256;
/// Below this share of text in common, in percent, marking words would mark noise.
const RELATED_PERCENT: usize = 15;

/// The outcome of looking into a pair of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// What is gone from the old line and new in the new one.
    Spans(Spans),
    /// The lines have too little in common: the whole of both changed.
    Unrelated,
    /// It would have cost too much; nothing is known.
    Skipped,
}

/// Changed parts of both lines, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// In the old line.
    pub old: Vec<Range<u32>>,
    /// In the new line.
    pub new: Vec<Range<u32>>,
}

/// Compares two lines, given without their endings. `steps` bounds the work; see [`PAIR_STEPS`].
///
/// Reading lines of `LONG` bytes and more is not counted, being linear: some 4 ms a megabyte.
pub fn spans(old: &str, new: &str, steps: u64, cancel: &Cancel) -> Result<Inline, Cancelled> {
    spans_under(Whitespace::Exact, old, new, steps, cancel)
}

/// The same for lines that were compared under a white-space mode.
pub fn spans_under(
    whitespace: Whitespace,
    old: &str,
    new: &str,
    steps: u64,
    cancel: &Cancel,
) -> Result<Inline, Cancelled> {
    let core = core(old, new);
    let mut changes = Changes::default();
    let mut differ = TokenDiff::default();
    let budget = Budget { histogram: 0, total: steps };
    let is_long = core.old.len().min(core.new.len()) > LONG;
    let parts = if is_long { chunked(old, new, &core, &mut differ, cancel)? } else { vec![core.clone()] };
    let mut left = steps;
    for part in parts {
        let cost = (part.old.len() + part.new.len()) as u64;
        if cost > left {
            if is_long {
                changes.push(&part); // called changed as a whole; the rest of the line is still of use
                continue;
            }
            return Ok(Inline::Skipped);
        }
        left -= cost;
        let budget = Budget { total: left, ..budget };
        let texts = Texts { old, new, whitespace };
        if !by_tokens(&texts, &part, &mut differ, budget, &mut changes, cancel)? {
            return Ok(Inline::Skipped);
        }
    }
    let mut joined = changes.joined(old);
    if !is_long && is_unrelated(old, new, &joined) {
        return Ok(Inline::Unrelated);
    }
    overlook(whitespace, old, new, &mut joined);
    Ok(Inline::Spans(Spans {
        old: joined.iter().map(|change| change.old.clone()).filter(|span| !span.is_empty()).map(narrow).collect(),
        new: joined.iter().map(|change| change.new.clone()).filter(|span| !span.is_empty()).map(narrow).collect(),
    }))
}

/// Takes out of changes what a white-space mode overlooks.
fn overlook(whitespace: Whitespace, old: &str, new: &str, changes: &mut Vec<Part>) {
    match whitespace {
        // The CR before a newline is of the line's ending, which is not looked at here.
        Whitespace::Exact | Whitespace::IgnoreCr => {}
        Whitespace::IgnoreEnd | Whitespace::IgnoreAmount => {
            let (old_end, new_end) = (without_end(old), without_end(new));
            for change in &mut *changes {
                change.old = change.old.start.min(old_end)..change.old.end.min(old_end);
                change.new = change.new.start.min(new_end)..change.new.end.min(new_end);
            }
        }
        Whitespace::IgnoreAll => {
            for change in &mut *changes {
                change.old = without_blank_ends(old, &change.old);
                change.new = without_blank_ends(new, &change.new);
            }
        }
    }
    if whitespace != Whitespace::Exact {
        changes.retain(|change| {
            let texts = (&old.as_bytes()[change.old.clone()], &new.as_bytes()[change.new.clone()]);
            match whitespace {
                Whitespace::IgnoreAll => !whitespace.equal(texts.0, texts.1),
                _ => texts.0 != texts.1,
            }
        });
    }
}

/// Where the white space at the end of a line begins.
fn without_end(line: &str) -> usize {
    line.bytes().rposition(|byte| !is_space(byte)).map_or(0, |at| at + 1)
}

/// A range without the white space at both its ends.
fn without_blank_ends(line: &str, range: &Range<usize>) -> Range<usize> {
    let bytes = &line.as_bytes()[range.clone()];
    let start = bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|&byte| !is_space(byte)).map_or(start, |at| at + 1);
    range.start + start..range.start + end
}

fn narrow(span: Range<usize>) -> Range<u32> {
    span.start as u32..span.end as u32
}

/// A stretch of the old line and one of the new line in its place, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    old: Range<usize>,
    new: Range<usize>,
}

/// What is left without the common ends, cut back to whole tokens.
fn core(old: &str, new: &str) -> Part {
    let prefix = affix::common_prefix(old.as_bytes(), new.as_bytes());
    let prefix = whole_tokens(old, new, prefix);
    let suffix = affix::common_suffix(&old.as_bytes()[prefix..], &new.as_bytes()[prefix..]);
    let mut suffix = suffix;
    while suffix > 0 && (splits_token(old, old.len() - suffix) || splits_token(new, new.len() - suffix)) {
        suffix -= 1;
    }
    Part { old: prefix..old.len() - suffix, new: prefix..new.len() - suffix }
}

/// The longest prefix of at most `len` bytes that splits no token on either side.
fn whole_tokens(old: &str, new: &str, mut len: usize) -> usize {
    while len > 0 && (splits_token(old, len) || splits_token(new, len)) {
        len -= 1;
    }
    len
}

/// Whether `at` is within a token. Looks at the characters beside it only, and takes characters that are not ASCII for
/// joined with whatever stands before: they may combine.
fn splits_token(text: &str, at: usize) -> bool {
    if !text.is_char_boundary(at) {
        return true;
    }
    let (Some(before), Some(behind)) = (text[..at].chars().next_back(), text[at..].chars().next()) else {
        return false;
    };
    if !behind.is_ascii() {
        return !is_ideograph(behind) || before == '\u{200d}';
    }
    match class(behind) {
        Class::Single => before == '\r' && behind == '\n',
        class_behind => class(before) == class_behind,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Single,
}

fn class(character: char) -> Class {
    if character == '_' || character.is_alphanumeric() && !is_ideograph(character) {
        Class::Word
    } else if character.is_whitespace() {
        Class::Space
    } else {
        Class::Single
    }
}

/// Characters of scripts that put no space between words: each is a token, as a change of one is what is read.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Calls `found` with the end of each token of `text`.
fn tokens(text: &str, mut found: impl FnMut(usize)) {
    let mut last: Option<Class> = None;
    let mut visit = |at: usize, class: Class| {
        if last.is_some_and(|last| last != class || class == Class::Single) {
            found(at);
        }
        last = Some(class);
    };
    if text.is_ascii() {
        text.bytes().enumerate().for_each(|(at, byte)| visit(at, class(byte as char)));
    } else {
        for (at, grapheme) in text.grapheme_indices(true) {
            visit(at, grapheme.chars().next().map_or(Class::Single, class));
        }
    }
    if !text.is_empty() {
        found(text.len());
    }
}

/// Two lines and how they are compared.
struct Texts<'a> {
    old: &'a str,
    new: &'a str,
    whitespace: Whitespace,
}

/// Compares a part by tokens; whether the budget sufficed.
fn by_tokens(
    texts: &Texts<'_>,
    part: &Part,
    differ: &mut TokenDiff,
    budget: Budget,
    changes: &mut Changes,
    cancel: &Cancel,
) -> Result<bool, Cancelled> {
    if part.old.is_empty() || part.new.is_empty() {
        changes.push(part);
        return Ok(true);
    }
    let (old_text, new_text) = (&texts.old[part.old.clone()], &texts.new[part.new.clone()]);
    let any_blank = matches!(texts.whitespace, Whitespace::IgnoreAmount | Whitespace::IgnoreAll);
    let key = |token| if any_blank && is_blank(token) { b" " } else { token };
    let mut numbers = FxHashMap::default();
    let (old_tokens, old_starts) = number(old_text.as_bytes(), &mut numbers, key, |found| tokens(old_text, found));
    let (new_tokens, new_starts) = number(new_text.as_bytes(), &mut numbers, key, |found| tokens(new_text, found));
    let (hunks, limited) = differ.minimal(&old_tokens, &new_tokens, numbers.len() as u32, budget, cancel)?;
    for hunk in hunks {
        changes.push(&part_of(&hunk, &old_starts, &new_starts, part));
    }
    Ok(!limited)
}

fn is_blank(token: &[u8]) -> bool {
    token.iter().all(|&byte| is_space(byte))
}

/// Numbers pieces of `bytes` by their keys, given a function that tells where each ends; returns numbers, and starts with
/// one more.
fn number<'a>(
    bytes: &'a [u8],
    numbers: &mut FxHashMap<&'a [u8], u32>,
    key: impl Fn(&'a [u8]) -> &'a [u8],
    cut: impl FnOnce(&mut dyn FnMut(usize)),
) -> (Vec<u32>, Vec<usize>) {
    let (mut tokens, mut starts) = (Vec::new(), vec![0]);
    let mut start = 0;
    cut(&mut |end| {
        let next = numbers.len() as u32;
        tokens.push(*numbers.entry(key(&bytes[start..end])).or_insert(next));
        starts.push(end);
        start = end;
    });
    (tokens, starts)
}

/// Numbers the words of several texts, equal ones alike; each line ending is a word of its own.
#[derive(Default)]
pub(crate) struct Words<'a>(FxHashMap<&'a [u8], u32>);

/// A text as numbers of its words.
pub(crate) struct NumberedWords {
    pub tokens: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> Words<'a> {
    pub fn number(&mut self, text: &'a str) -> NumberedWords {
        let (tokens, starts) = number(
            text.as_bytes(),
            &mut self.0,
            |token| token,
            |found| {
                let mut start = 0;
                for line in text.split_inclusive('\n') {
                    let content = line.trim_end_matches(['\r', '\n']);
                    tokens(content, |end| found(start + end));
                    start += line.len();
                    if content.len() < line.len() {
                        found(start);
                    }
                }
            },
        );
        NumberedWords { tokens, starts }
    }

    /// All numbers are below this.
    pub fn count(&self) -> u32 {
        self.0.len() as u32
    }
}

impl NumberedWords {
    /// Where a range of words is in the text.
    pub fn bytes(&self, words: &Range<u32>) -> Range<usize> {
        self.starts[words.start as usize]..self.starts[words.end as usize]
    }
}

fn part_of(hunk: &Hunk, old_starts: &[usize], new_starts: &[usize], base: &Part) -> Part {
    let range = |starts: &[usize], range: &Range<u32>, base: usize| {
        base + starts[range.start as usize]..base + starts[range.end as usize]
    };
    Part { old: range(old_starts, &hunk.old, base.old.start), new: range(new_starts, &hunk.new, base.new.start) }
}

/// The parts of two long lines whose chunks differ, widened to whole tokens.
fn chunked(old: &str, new: &str, core: &Part, differ: &mut TokenDiff, cancel: &Cancel) -> Result<Vec<Part>, Cancelled> {
    let mut numbers = FxHashMap::default();
    let (old_bytes, new_bytes) = (&old.as_bytes()[core.old.clone()], &new.as_bytes()[core.new.clone()]);
    let (old_chunks, old_starts) = number(old_bytes, &mut numbers, |chunk| chunk, |found| chunks(old_bytes, found));
    let (new_chunks, new_starts) = number(new_bytes, &mut numbers, |chunk| chunk, |found| chunks(new_bytes, found));
    let limit = numbers.len() as u32;
    let (hunks, _) = differ.readable(&old_chunks, &new_chunks, limit, Budget::default(), cancel)?;
    let mut parts: Vec<Part> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let part = part_of(&hunk, &old_starts, &new_starts, core);
        // What is beside a hunk is equal on both sides, so both widen alike, until they meet the part before.
        let (mut before, mut behind) = (0, 0);
        let splits =
            |before: usize| splits_token(old, part.old.start - before) || splits_token(new, part.new.start - before);
        let room = parts.last().map_or(core.old.start, |last| last.old.end);
        while part.old.start - before > room && splits(before) {
            before += 1;
        }
        let splits =
            |behind: usize| splits_token(old, part.old.end + behind) || splits_token(new, part.new.end + behind);
        while part.old.end + behind < core.old.end && part.new.end + behind < core.new.end && splits(behind) {
            behind += 1;
        }
        let part = Part {
            old: part.old.start - before..part.old.end + behind,
            new: part.new.start - before..part.new.end + behind,
        };
        match parts.last_mut() {
            Some(last) if part.old.start <= last.old.end || part.new.start <= last.new.end => {
                last.old.end = last.old.end.max(part.old.end);
                last.new.end = last.new.end.max(part.new.end);
            }
            _ => parts.push(part),
        }
    }
    Ok(parts)
}

/// Calls `found` with the end of each chunk: behind any eight bytes whose hash ends in zeros.
fn chunks(bytes: &[u8], found: &mut dyn FnMut(usize)) {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut last = 0;
    for (at, window) in bytes.windows(8).enumerate() {
        let word = window.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        if word.wrapping_mul(K) >> (64 - CHUNK.trailing_zeros()) == 0 {
            last = at + 8;
            found(last);
        }
    }
    if last < bytes.len() {
        found(bytes.len());
    }
}

/// Changes in ascending order, touching ones joined.
#[derive(Default)]
struct Changes(Vec<Part>);

impl Changes {
    fn push(&mut self, part: &Part) {
        if part.old.is_empty() && part.new.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.old.end == part.old.start && last.new.end == part.new.start => {
                last.old.end = part.old.end;
                last.new.end = part.new.end;
            }
            _ => self.0.push(part.clone()),
        }
    }

    /// Joins neighbours between which nothing readable remains: one separator amid changed words.
    fn joined(self, old: &str) -> Vec<Part> {
        let mut joined: Vec<Part> = Vec::with_capacity(self.0.len());
        for part in self.0 {
            if let Some(last) = joined.last_mut() {
                let between = &old[last.old.end..part.old.start];
                let is_island = between.len() <= 2 && !between.chars().any(|character| class(character) == Class::Word);
                let on_one_side =
                    !last.old.is_empty() && !part.old.is_empty() || !last.new.is_empty() && !part.new.is_empty();
                if is_island && on_one_side {
                    last.old.end = part.old.end;
                    last.new.end = part.new.end;
                    continue;
                }
            }
            joined.push(part);
        }
        joined
    }
}

/// Whether so little is common, white space aside, that single words mean nothing.
fn is_unrelated(old: &str, new: &str, changes: &[Part]) -> bool {
    let visible = |text: &str| text.chars().filter(|character| class(*character) != Class::Space).count();
    let changed_old: usize = changes.iter().map(|change| visible(&old[change.old.clone()])).sum();
    let changed_new: usize = changes.iter().map(|change| visible(&new[change.new.clone()])).sum();
    let (all_old, all_new) = (visible(old), visible(new));
    let common = all_old.saturating_sub(changed_old);
    // An addition to a line keeps all of it, however short it is.
    changed_old > 0 && changed_new > 0 && common * 100 < RELATED_PERCENT * all_old.max(all_new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark(text: &str, spans: &[Range<u32>]) -> String {
        let mut marked = String::new();
        let mut at = 0;
        for span in spans {
            let span = span.start as usize..span.end as usize;
            marked += &text[at..span.start];
            marked += &format!("«{}»", &text[span.clone()]);
            at = span.end;
        }
        marked + &text[at..]
    }

    fn check(old: &str, new: &str, expected: (&str, &str)) {
        match spans(old, new, PAIR_STEPS, &Cancel::new()).unwrap() {
            Inline::Spans(found) => {
                assert_eq!((mark(old, &found.old).as_str(), mark(new, &found.new).as_str()), expected);
            }
            other => panic!("{other:?} for {old:?} and {new:?}"),
        }
    }

    #[test]
    fn marks_whole_words() {
        check("let value = 1;", "let values = 1;", ("let «value» = 1;", "let «values» = 1;"));
        check("foo(bar, baz)", "foo(bar, qux, baz)", ("foo(bar, baz)", "foo(bar, «qux, »baz)"));
        check("a b c", "a b c", ("a b c", "a b c"));
    }

    #[test]
    fn joins_words_around_a_lone_separator() {
        check("see the old.name here", "see the new.path here", ("see the «old.name» here", "see the «new.path» here"));
    }

    #[test]
    fn keeps_words_between_changes() {
        check("one two three", "uno two tres", ("«one» two «three»", "«uno» two «tres»"));
    }

    #[test]
    fn a_sentence_added_to_a_long_line_is_marked_exactly() {
        let old = "The quick brown fox jumps over the lazy dog. ".repeat(32) + "End.";
        let new = format!("{old} A sentence more.");
        check(&old, &new, (&old, &format!("{old}« A sentence more.»")));
    }

    #[test]
    fn an_indent_is_white_space() {
        check("  x = 1", "    x = 1", ("«  »x = 1", "«    »x = 1"));
    }

    /// What is marked in both lines under a mode.
    fn check_under(whitespace: Whitespace, old: &str, new: &str, expected: (&str, &str)) {
        match spans_under(whitespace, old, new, PAIR_STEPS, &Cancel::new()).unwrap() {
            Inline::Spans(found) => {
                assert_eq!(
                    (mark(old, &found.old).as_str(), mark(new, &found.new).as_str()),
                    expected,
                    "{whitespace:?}"
                );
            }
            other => panic!("{other:?} for {old:?} and {new:?}"),
        }
    }

    #[test]
    fn what_a_mode_overlooks_is_not_marked() {
        let (old, new) = ("  one(a,  b) \t", "\tuno(a, b)");
        check_under(Whitespace::Exact, old, new, ("«  one»(a,«  »b)« \t»", "«\tuno»(a,« »b)"));
        check_under(Whitespace::IgnoreEnd, old, new, ("«  one»(a,«  »b) \t", "«\tuno»(a,« »b)"));
        check_under(Whitespace::IgnoreAmount, old, new, ("  «one»(a,  b) \t", "\t«uno»(a, b)"));
        check_under(Whitespace::IgnoreAll, old, new, ("  «one»(a,  b) \t", "\t«uno»(a, b)"));
        check_under(Whitespace::IgnoreAmount, "a = b", "  a = c", ("a = «b»", "«  »a = «c»"));
        check_under(Whitespace::IgnoreAll, "a = b", "  a = c", ("a = «b»", "  a = «c»"));
        check_under(Whitespace::IgnoreAll, "f(a b) + x", "f(ab) + y", ("f(a b) + «x»", "f(ab) + «y»"));
    }

    #[test]
    fn ideographs_are_words_and_marks_stay_with_their_letter() {
        check("改变了文件", "改变的文件", ("改变«了»文件", "改变«的»文件"));
        check("a cafe\u{301} b", "a cafe b", ("a «cafe\u{301}» b", "a «cafe» b"));
        check("hi 👩‍💻 there", "hi 👨‍💻 there", ("hi «👩‍💻» there", "hi «👨‍💻» there"));
    }

    #[test]
    fn nothing_in_common_is_unrelated() {
        assert_eq!(spans("alpha beta", "x = y(z)", PAIR_STEPS, &Cancel::new()), Ok(Inline::Unrelated));
    }

    #[test]
    fn says_when_it_was_too_much() {
        let (old, new) = ("a b ".repeat(2000), "b c ".repeat(2000));
        assert_eq!(spans(&old, &new, 1000, &Cancel::new()), Ok(Inline::Skipped));
    }

    #[test]
    fn edits_in_a_very_long_line_are_found_each() {
        let words: Vec<String> =
            (0..200_000).map(|at| format!("word{}{}", at * 7919 % 1000, ";,(=".as_bytes()[at % 4] as char)).collect();
        let mut edited = words.clone();
        for at in 1..=50 {
            edited[at * 3_900] = "changed;".into();
        }
        let (old, new) = (words.concat(), edited.concat());
        let Inline::Spans(found) = spans(&old, &new, PAIR_STEPS, &Cancel::new()).unwrap() else { panic!("skipped") };
        assert_eq!((found.old.len(), found.new.len()), (50, 50));
        assert!(found.new.iter().all(|span| new[span.start as usize..span.end as usize].starts_with("changed")));
    }

    proptest! {
        #[test]
        fn what_is_outside_spans_is_equal(old in "[ab é文;.]{0,40}", new in "[ab é文;.]{0,40}", long in any::<bool>()) {
            let filler = if long { "some words; of, a (long) line.".repeat(700) } else { String::new() };
            let (old, new) = (format!("{old}{filler}{new}"), format!("{new}{filler}{old}"));
            if let Inline::Spans(found) = spans(&old, &new, PAIR_STEPS, &Cancel::new()).unwrap() {
                let outside = |text: &str, spans: &[Range<u32>]| {
                    let mut at = 0;
                    let mut rest = String::new();
                    for span in spans {
                        assert!(at <= span.start && span.start < span.end, "spans ascend");
                        rest += &text[at as usize..span.start as usize];
                        at = span.end;
                    }
                    rest + &text[at as usize..]
                };
                prop_assert_eq!(outside(&old, &found.old), outside(&new, &found.new));
            }
        }

        #[test]
        fn what_is_outside_spans_is_equal_under_the_mode(old in "[ab \t;]{0,24}", new in "[ab \t;]{0,24}", mode in 0usize..5) {
            let mode = Whitespace::ALL[mode];
            if let Inline::Spans(found) = spans_under(mode, &old, &new, PAIR_STEPS, &Cancel::new()).unwrap() {
                // A span stands for something, wherever it is.
                let outside = |text: &str, spans: &[Range<u32>]| {
                    let mut rest = text.to_owned();
                    for span in spans.iter().rev() {
                        rest.replace_range(span.start as usize..span.end as usize, "");
                    }
                    rest
                };
                let (old, new) = (outside(&old, &found.old), outside(&new, &found.new));
                prop_assert!(mode.equal(old.as_bytes(), new.as_bytes()), "{:?} {:?} {:?}", mode, old, new);
            }
        }
    }
}
