//! From captures to spans: many overlapping ranges become few that follow each other.
//!
//! What starts later within another covers it, for as long as it lasts; of two with the same range the deeper layer
//! wins, then the later pattern. That is the rule of nvim and of Helix, so their queries mean the same here.

use std::ops::Range;

use tree_sitter::{Node, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator};

use super::budget::Budget;
use super::grammar::Grammar;
use super::source::pieces;
use super::token::{Paint, Token};
use crate::text::Text;

/// In-progress matches a query may have. Queries of grammars stay far below; more happens in broken text only.
pub(super) const MATCH_LIMIT: u32 = 512;

/// A piece of text and its kind. Offsets are bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where it is.
    pub range: Range<usize>,
    /// What it is.
    pub token: Token,
}

/// A captured node, clipped to the range asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capture {
    start: usize,
    end: usize,
    /// 0 for the text's own language, more for what is embedded in it.
    depth: u8,
    pattern: u32,
    paint: Paint,
}

/// Adds the captures of one tree within `range` to `captures`, until the budget is spent.
pub(super) fn collect(
    grammar: &Grammar,
    root: Node<'_>,
    text: &Text,
    range: &Range<usize>,
    depth: u8,
    budget: &Budget,
    captures: &mut Vec<Capture>,
) {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    cursor.set_byte_range(range.clone());
    let mut progress = |_: &QueryCursorState| budget.flow();
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let source = |node: Node<'_>| pieces(text, node);
    let mut matches = cursor.matches_with_options(&grammar.highlights, root, source, options);
    while let Some(found) = matches.next() {
        for capture in found.captures() {
            let Some(Some(paint)) = grammar.paints.get(capture.index as usize) else { continue };
            let (start, end) = (capture.node.start_byte().max(range.start), capture.node.end_byte().min(range.end));
            if start < end {
                captures.push(Capture { start, end, depth, pattern: found.pattern_index as u32, paint: *paint });
            }
        }
    }
}

/// The spans the captures make, sorted and apart; neighbours of equal kind are joined.
pub(super) fn paint(mut captures: Vec<Capture>) -> Vec<Span> {
    captures.sort_unstable_by(|a, b| {
        (a.start.cmp(&b.start)).then(b.end.cmp(&a.end)).then(a.depth.cmp(&b.depth)).then(a.pattern.cmp(&b.pattern))
    });
    let mut canvas = Canvas::default();
    let mut open: Vec<Capture> = Vec::new();
    for capture in captures {
        while let Some(top) = open.pop_if(|top| top.end <= capture.start) {
            canvas.fill(top.end, top.paint);
        }
        if let Some(top) = open.last() {
            canvas.fill(capture.start, top.paint);
        }
        canvas.skip_to(capture.start);
        open.push(capture);
    }
    while let Some(top) = open.pop() {
        canvas.fill(top.end, top.paint);
    }
    canvas.spans
}

/// Spans painted so far, left to right.
#[derive(Default)]
struct Canvas {
    spans: Vec<Span>,
    at: usize,
}

impl Canvas {
    /// Paints from where the last stroke ended up to `end`; what is behind already stays.
    fn fill(&mut self, end: usize, paint: Paint) {
        if end <= self.at {
            return;
        }
        if let Paint::Token(token) = paint {
            match self.spans.last_mut() {
                Some(last) if last.range.end == self.at && last.token == token => last.range.end = end,
                _ => self.spans.push(Span { range: self.at..end, token }),
            }
        }
        self.at = end;
    }

    fn skip_to(&mut self, start: usize) {
        self.at = self.at.max(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(captures: &[(Range<usize>, u8, u32, Option<Token>)], expected: &[(Range<usize>, Token)]) {
        let captures = captures
            .iter()
            .map(|(range, depth, pattern, token)| Capture {
                start: range.start,
                end: range.end,
                depth: *depth,
                pattern: *pattern,
                paint: token.map_or(Paint::Clear, Paint::Token),
            })
            .collect();
        let painted: Vec<_> = paint(captures).into_iter().map(|span| (span.range, span.token)).collect();
        assert_eq!(painted, expected);
    }

    #[test]
    fn the_inner_node_covers_the_outer() {
        check(
            &[(2..4, 0, 0, Some(Token::Escape)), (0..9, 0, 5, Some(Token::String))],
            &[(0..2, Token::String), (2..4, Token::Escape), (4..9, Token::String)],
        );
    }

    #[test]
    fn of_equal_ranges_the_later_pattern_wins_and_the_deeper_layer_before_it() {
        check(&[(0..3, 0, 7, Some(Token::Function)), (0..3, 0, 2, Some(Token::Variable))], &[(0..3, Token::Function)]);
        check(&[(0..3, 0, 7, Some(Token::Function)), (0..3, 1, 2, Some(Token::Variable))], &[(0..3, Token::Variable)]);
    }

    #[test]
    fn an_interpolation_is_cut_out_of_its_string() {
        check(
            &[(0..9, 0, 0, Some(Token::String)), (3..6, 0, 1, None), (4..5, 0, 2, Some(Token::Variable))],
            &[(0..3, Token::String), (4..5, Token::Variable), (6..9, Token::String)],
        );
    }

    #[test]
    fn crossing_ranges_of_two_layers_stay_apart() {
        check(
            &[(0..5, 0, 0, Some(Token::String)), (3..8, 1, 0, Some(Token::Tag)), (8..9, 0, 0, Some(Token::Number))],
            &[(0..3, Token::String), (3..8, Token::Tag), (8..9, Token::Number)],
        );
    }

    #[test]
    fn equal_neighbours_are_one_span() {
        check(&[(0..2, 0, 0, Some(Token::Comment)), (2..4, 0, 0, Some(Token::Comment))], &[(0..4, Token::Comment)]);
    }
}
