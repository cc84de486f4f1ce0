//! How well a text matches a few letters, as in every list that is filtered by typing: letters in order, with gaps; those
//! at starts of words count more. Case counts once there is a capital.

use std::ops::Range;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Letters that texts are matched with.
pub struct Ranker {
    matcher: Matcher,
    pattern: Pattern,
    buffer: Vec<char>,
}

impl Ranker {
    /// What was typed; nothing matches everything.
    pub fn new(typed: &str) -> Self {
        let pattern = Pattern::new(typed.trim(), CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        Self { matcher: Matcher::new(Config::DEFAULT), pattern, buffer: Vec::new() }
    }

    /// The same for sentences: what was typed has to stand in them in one piece, for nearly every letter is somewhere in one.
    pub fn of_sentences(typed: &str) -> Self {
        let pattern = Pattern::new(typed.trim(), CaseMatching::Smart, Normalization::Smart, AtomKind::Substring);
        Self { pattern, ..Self::new(typed) }
    }

    /// How well a text matches; none if it does not.
    pub fn score(&mut self, text: &str) -> Option<u32> {
        self.pattern.score(Utf32Str::new(text, &mut self.buffer), &mut self.matcher)
    }

    /// How well something matches by what it is called, which counts for more, or by what stands beside that.
    pub fn score_with(&mut self, label: &str, detail: &str) -> Option<u32> {
        self.score(label).map(|score| score + 24).max(self.score(detail))
    }

    /// The bytes of a text that match.
    pub fn matches(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut indices = Vec::new();
        self.pattern.indices(Utf32Str::new(text, &mut self.buffer), &mut self.matcher, &mut indices);
        indices.sort_unstable();
        indices.dedup();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for at in indices {
            let Some((start, letter)) = text.char_indices().nth(at as usize) else { continue };
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end += letter.len_utf8(),
                _ => ranges.push(start..start + letter.len_utf8()),
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matches_is_told_in_bytes() {
        let mut ranker = Ranker::new("rn");
        assert!(ranker.score("run").is_some() && ranker.score("nothing").is_none());
        assert_eq!(ranker.matches("ärun"), [2..3, 4..5]);
        let mut sentence = Ranker::of_sentences("art");
        assert!(sentence.score("a start").is_some() && sentence.score("a great test").is_none());
        assert_eq!(Ranker::new("un").matches("run in").first(), Some(&(1..3)));
    }
}
