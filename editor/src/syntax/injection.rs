//! Finding pieces of other languages within a tree: scripts in pages, code in documents, documents in code.
//!
//! A *content* is one text in one language, in one or several ranges of the whole text. What its named children
//! cover does not belong to it (quote marks before each line, substitutions) unless the query says so.

use std::ops::Range;

use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator};

use super::budget::Budget;
use super::grammar::{Grammar, InjectionPattern, Injections};
use super::language::Language;
use super::paint::MATCH_LIMIT;
use super::source::{pieces, point};
use crate::text::Text;

/// Longest text that can name a language; longer ones are not worth reading.
const LONGEST_NAME: usize = 64;

/// A piece of another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    pub language: Language,
    /// Sorted, apart, not empty.
    pub ranges: Vec<tree_sitter::Range>,
}

impl Content {
    pub fn start(&self) -> usize {
        self.ranges.first().map_or(0, |range| range.start_byte)
    }

    pub fn touches(&self, range: &Range<usize>) -> bool {
        self.ranges.iter().any(|part| part.start_byte < range.end && range.start < part.end_byte)
    }
}

/// The contents that touch `range`, in no order, each place once. `within` are the ranges of the tree's own text, if it is
/// embedded itself.
pub(super) fn contents(
    grammar: &Grammar,
    root: Node<'_>,
    text: &Text,
    range: &Range<usize>,
    within: &[tree_sitter::Range],
    budget: &Budget,
) -> Vec<Content> {
    let Some(injections) = &grammar.injections else { return Vec::new() };
    // The pattern decides between two that claim the same place: the later wins, as with colours.
    let mut found: Vec<(Range<usize>, usize, Content)> = Vec::new();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    cursor.set_byte_range(range.clone());
    let mut progress = |_: &QueryCursorState| budget.flow();
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let source = |node: Node<'_>| pieces(text, node);
    let mut matches = cursor.matches_with_options(&injections.query, root, source, options);
    while let Some(matched) = matches.next() {
        let Some(pattern) = injections.patterns.get(matched.pattern_index) else { continue };
        let Some(language) = language_of(injections, *pattern, matched, text) else { continue };
        for node in matched.captures().iter().filter(|capture| capture.index == injections.content) {
            let ranges = clip(ranges_of(node.node, *pattern, text), within);
            let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { continue };
            let place = first.start_byte..last.end_byte;
            found.push((place, matched.pattern_index, Content { language, ranges }));
        }
    }
    found.sort_by_key(|(place, pattern, _)| (place.start, place.end, *pattern));
    found.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            std::mem::swap(later, kept);
        }
        same
    });
    found.into_iter().map(|(_, _, content)| content).filter(|content| content.touches(range)).collect()
}

/// The content that is spread over the whole document, one for each pattern that says so.
pub(super) fn whole_contents(
    grammar: &Grammar,
    root: Node<'_>,
    text: &Text,
    within: &[tree_sitter::Range],
    budget: &Budget,
) -> Vec<Content> {
    let Some(injections) = &grammar.injections else { return Vec::new() };
    let Some(query) = &injections.whole else { return Vec::new() };
    let mut found: Vec<(usize, Content)> = Vec::new();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let mut progress = |_: &QueryCursorState| budget.flow();
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let source = |node: Node<'_>| pieces(text, node);
    let mut matches = cursor.matches_with_options(query, root, source, options);
    while let Some(matched) = matches.next() {
        let Some(pattern) = injections.patterns.get(matched.pattern_index) else { continue };
        let Some(language) = language_of(injections, *pattern, matched, text) else { continue };
        for node in matched.captures().iter().filter(|capture| capture.index == injections.content) {
            let ranges = ranges_of(node.node, *pattern, text);
            match found.iter_mut().find(|(index, _)| *index == matched.pattern_index) {
                Some((_, content)) => content.ranges.extend(ranges),
                None => found.push((matched.pattern_index, Content { language, ranges })),
            }
        }
    }
    let tidy = |(_, mut content): (usize, Content)| {
        content.ranges.sort_by_key(|range| range.start_byte);
        content.ranges = clip(content.ranges, within);
        content
    };
    found.into_iter().map(tidy).filter(|content| !content.ranges.is_empty()).collect()
}

fn language_of(
    injections: &Injections,
    pattern: InjectionPattern,
    matched: &QueryMatch<'_, '_>,
    text: &Text,
) -> Option<Language> {
    if let Some(language) = pattern.language {
        return Some(language);
    }
    let capture = injections.language?;
    let node = matched.captures().iter().find(|found| found.index == capture)?.node;
    if node.byte_range().len() > LONGEST_NAME {
        return None;
    }
    // Fences say more than the name: `rust,ignore`, `{.python .numberLines}`.
    let name = text.slice(node.byte_range());
    let name = name.split([',', ' ', '{', '}', '.', '"', '\'']).find(|part| !part.is_empty())?;
    Language::from_name(name)
}

fn ranges_of(node: Node<'_>, pattern: InjectionPattern, text: &Text) -> Vec<tree_sitter::Range> {
    if !pattern.siblings {
        let mut ranges = Vec::new();
        add_ranges(node, pattern.include_children, text, &mut ranges);
        return ranges;
    }
    let mut ranges = Vec::new();
    let Some(parent) = node.parent() else { return ranges };
    let mut walk = parent.walk();
    for sibling in parent.children(&mut walk).filter(|sibling| sibling.kind_id() == node.kind_id()) {
        add_ranges(sibling, pattern.include_children, text, &mut ranges);
    }
    ranges
}

/// What a node covers and its named children do not.
fn add_ranges(node: Node<'_>, include_children: bool, text: &Text, ranges: &mut Vec<tree_sitter::Range>) {
    if include_children || node.named_child_count() == 0 {
        ranges.extend(Some(node.range()).filter(|range| range.start_byte < range.end_byte));
        return;
    }
    let mut start = node.start_byte();
    let mut walk = node.walk();
    for child in node.named_children(&mut walk) {
        ranges.extend(range_between(text, start, child.start_byte()));
        start = start.max(child.end_byte());
    }
    ranges.extend(range_between(text, start, node.end_byte()));
}

fn range_between(text: &Text, start: usize, end: usize) -> Option<tree_sitter::Range> {
    (start < end).then(|| tree_sitter::Range {
        start_byte: start,
        end_byte: end,
        start_point: point(text, start),
        end_point: point(text, end),
    })
}

/// The parts of `ranges` that are within `within`; both sorted. Empty `within` is everything.
fn clip(ranges: Vec<tree_sitter::Range>, within: &[tree_sitter::Range]) -> Vec<tree_sitter::Range> {
    if within.is_empty() {
        return ranges;
    }
    let mut clipped = Vec::new();
    let mut first = 0;
    for range in ranges {
        while within.get(first).is_some_and(|outer| outer.end_byte <= range.start_byte) {
            first += 1;
        }
        for outer in within[first..].iter().take_while(|outer| outer.start_byte < range.end_byte) {
            let mut part = range;
            if outer.start_byte > part.start_byte {
                (part.start_byte, part.start_point) = (outer.start_byte, outer.start_point);
            }
            if outer.end_byte < part.end_byte {
                (part.end_byte, part.end_point) = (outer.end_byte, outer.end_point);
            }
            clipped.push(part);
        }
    }
    clipped
}
