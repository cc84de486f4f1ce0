//! What a small model would have written otherwise, where it wrote nothing new.
//!
//! A small model that is to mend code often copies it, mistake and all: at the one token that matters the copy was only a
//! little likelier than the right thing. Asked once more at a higher temperature it mostly copies again, for chance changes
//! any token. Its own doubt says more: the reply is begun for the model up to the token where another one was likeliest,
//! with that other one, and the model goes on from there, cold. What it has read stays in the server's cache, and only the
//! rest is written anew.
//!
//! Choosing among the first tokens by their likelihood and going on greedily is how Wang and Zhou decode for chains of
//! thought ("Chain-of-Thought Reasoning Without Prompting", 2024); here it is done at every token of the code.

use std::ops::Range;
use std::path::Path;

use editor::syntax::{Budget, Language, Syntax, Token as Paint};
use editor::{Cancel, Text};

use crate::protocol::Fence;
use crate::provider::Token;

/// What was less likely than that is no doubt.
const LEAST: f64 = 0.01;

/// Beginnings of other replies than `reply`, the likeliest last, `most` at most. `path` is the file under discussion, if
/// there is one.
pub(super) fn beginnings(reply: &str, tokens: &[Token], path: Option<&str>, most: usize) -> Vec<String> {
    // Tokens of something else than this text would lead astray.
    if tokens.iter().map(|token| token.length).sum::<usize>() != reply.len() {
        return Vec::new();
    }
    let code = code(reply, path);
    let mut doubts: Vec<(f64, usize, &str)> = Vec::new();
    let mut at = 0;
    for token in tokens {
        let is_code = code.iter().any(|range| range.contains(&at)) && reply.is_char_boundary(at);
        for (text, probability) in token.choices.iter().filter(|_| is_code) {
            let is_written = text.len() == token.length && reply[at..].starts_with(text.as_str());
            if *probability >= LEAST && !is_written && leads_elsewhere(text, &reply[at..]) {
                doubts.push((*probability, at, text));
            }
        }
        at += token.length;
    }
    doubts.sort_by(|a, b| b.0.total_cmp(&a.0));
    doubts.truncate(most);
    doubts.into_iter().rev().map(|(_, at, text)| format!("{}{text}", &reply[..at])).collect()
}

/// Whether a token in the place of what a reply has there would be other code, as far as one token tells.
fn leads_elsewhere(token: &str, written: &str) -> bool {
    let word = token.trim_start();
    if word.is_empty() || ["```", "~~~", "#", "//", "/*", "\"\"\"", "'''"].iter().any(|mark| word.starts_with(mark)) {
        return false;
    }
    // The same with fewer or more line ends behind it.
    let trimmed = token.trim_end();
    let only_layout =
        trimmed != token && written.strip_prefix(trimmed).is_some_and(|rest| rest.starts_with(['\n', '\r']));
    !only_layout
}

/// Where a reply has code: what is in its fences but for comments, and strings that stand alone, which are comments, too.
fn code(reply: &str, path: Option<&str>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, Fence)> = None;
    let mut at = 0;
    for line in reply.split_inclusive('\n') {
        open = match open {
            None => Fence::open(line).map(|fence| (at + line.len(), fence)),
            Some((start, fence)) if fence.closed_by(line) => {
                found.extend(said(reply, start..at, &fence, path));
                None
            }
            inside => inside,
        };
        at += line.len();
    }
    if let Some((start, fence)) = open {
        found.extend(said(reply, start..at, &fence, path));
    }
    found
}

/// A block without what is not code in it.
fn said(reply: &str, block: Range<usize>, fence: &Fence, path: Option<&str>) -> Vec<Range<usize>> {
    let code = &reply[block.clone()];
    let by_path = || Language::from_path(Path::new(path?), code.lines().next().unwrap_or_default());
    let text = Text::from(code);
    let language = Language::from_name(&fence.language).or_else(by_path);
    let syntax = language.and_then(|language| Syntax::parse(language, &text, &Cancel::new()));
    let Some(mut syntax) = syntax else { return vec![block] };
    let mut parts = Vec::new();
    let mut from = 0;
    for span in syntax.spans(&text, 0..code.len(), &Budget::until(&Cancel::new())) {
        let is_comment = match span.token {
            Paint::Comment | Paint::DocComment => true,
            Paint::String => stands_alone(code, &span.range),
            _ => false,
        };
        if is_comment {
            parts.push(from..span.range.start);
            from = span.range.end;
        }
    }
    parts.push(from..code.len());
    parts.into_iter().map(|part| block.start + part.start..block.start + part.end).collect()
}

/// Whether nothing else is on the lines of a span.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].rsplit('\n').next().unwrap_or_default();
    let after = text[span.end..].split('\n').next().unwrap_or_default();
    before.trim().is_empty() && after.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens of a text, `|` between them, each with the others that are named for it.
    fn tokens(text: &str, doubts: &[(usize, &str, f64)]) -> (String, Vec<Token>) {
        let pieces: Vec<&str> = text.split('|').collect();
        let all = pieces.iter().enumerate().map(|(at, piece)| {
            let others = doubts.iter().filter(|(of, ..)| *of == at);
            let mut choices = vec![((*piece).to_owned(), 0.5)];
            choices.extend(others.map(|(_, text, probability)| ((*text).to_owned(), *probability)));
            Token { length: piece.len(), choices }
        });
        (pieces.concat(), all.collect())
    }

    fn of(text: &str, doubts: &[(usize, &str, f64)]) -> Vec<String> {
        let (reply, tokens) = tokens(text, doubts);
        let mut found = beginnings(&reply, &tokens, Some("a.py"), 3);
        found.reverse();
        found
    }

    const REPLY: &str = "Here|:\n|```python\n|def| f|(a|):\n|    \"\"\"|Adds| one|.\"\"\"|\n|    #| one|\n|    return| a| -| 1|\n|```|\nDone";

    #[test]
    fn the_likeliest_other_token_comes_first_and_takes_the_place_of_the_one_that_was_written() {
        let found = of(REPLY, &[(17, " +", 0.3), (16, " b", 0.1), (18, " 2", 0.2), (15, "    a", 0.05)]);
        assert_eq!(found.len(), 3);
        assert!(found[0].ends_with("return a +"), "{found:?}");
        assert!(found[1].ends_with("return a - 2"), "{found:?}");
        assert!(found[2].ends_with("return b"), "{found:?}");
        assert!(found.iter().all(|text| text.starts_with("Here:\n```python\ndef f(a):\n")));
    }

    #[test]
    fn prose_comments_and_layout_are_no_code() {
        let doubts = [
            (0, "There", 0.4),
            (8, "Takes", 0.4),
            (13, " two", 0.4),
            (18, " 1\n\n", 0.4),
            (19, "  # one", 0.4),
            (21, "!", 0.4),
        ];
        assert_eq!(of(REPLY, &doubts), Vec::<String>::new());
    }

    #[test]
    fn what_was_hardly_likely_is_no_doubt_and_what_was_written_is_none() {
        assert!(of(REPLY, &[(17, " +", 0.001), (17, " -", 0.5)]).is_empty());
    }

    #[test]
    fn tokens_that_are_not_those_of_the_text_are_left_alone() {
        let (reply, mut all) = tokens(REPLY, &[(17, " +", 0.3)]);
        all.pop();
        assert!(beginnings(&reply, &all, Some("a.py"), 3).is_empty());
        // A letter of which a token is a part only.
        let (reply, _) = tokens("```\nß = 1\n```", &[]);
        let part = |length| Token { length, choices: vec![("x".to_owned(), 0.4)] };
        let all = [part(4), part(1), part(1), part(reply.len() - 6)];
        assert_eq!(beginnings(&reply, &all, None, 9).len(), 2);
    }

    #[test]
    fn a_block_that_is_not_closed_is_code_to_its_end() {
        assert_eq!(of("```python\n|x| =| 1", &[(3, " 2", 0.2)]), ["```python\nx = 2"]);
    }
}
