//! What matches are replaced by.

use std::borrow::Cow;
use std::ops::Range;

use regex::Captures;

use super::Matcher;
use crate::change::{ChangeSet, Transaction};
use crate::document::LineEnding;
use crate::text::Text;

/// What a match becomes.
///
/// For a regular expression, `$1` and `${1}` stand for what a group matched, `${name}` for a named one, `$0` or `$&` for
/// all of it, `$$` for a dollar sign, `\n`, `\t` and `\\` for themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// The text or template.
    pub template: String,
    /// Whether `Foo` becomes `Bar` and `FOO` becomes `BAR`.
    pub preserve_case: bool,
    /// What a line break of the template is written as.
    pub line_ending: LineEnding,
}

impl Matcher {
    /// Replaces `matches`, which are sorted and were found in `text`.
    pub fn replace(&self, text: &Text, matches: &[Range<usize>], replacement: &Replacement) -> Transaction {
        if !self.groups && !replacement.preserve_case {
            let plain = with_ending(replacement.template.clone(), replacement.line_ending);
            return ChangeSet::from_edits(text.len(), matches.iter().map(|place| (place.clone(), &plain))).into();
        }
        let mut around: Option<(Range<usize>, Cow<'_, str>)> = None;
        let edits = matches.iter().map(|place| {
            // Many matches may be in one long line; it is put together once.
            let inside = |(range, _): &(Range<usize>, _)| range.start <= place.start && place.end <= range.end;
            let (range, haystack) = match around.take() {
                Some(around) if inside(&around) => around,
                _ => self.haystack(text, place),
            };
            let at = place.start.saturating_sub(range.start);
            let insert = self.replaced(&haystack, at, &text.slice(place.clone()), replacement);
            around = Some((range, haystack));
            (place.clone(), insert)
        });
        ChangeSet::from_edits(text.len(), edits).into()
    }

    fn replaced(&self, haystack: &str, at: usize, matched: &str, replacement: &Replacement) -> String {
        let template = replacement.template.as_str();
        let plain = if self.groups {
            match self.regex.captures_at(haystack, at) {
                Some(groups) => expand(template, &groups),
                None => template.to_owned(),
            }
        } else {
            template.to_owned()
        };
        let cased = if replacement.preserve_case { like(matched, &plain) } else { plain };
        with_ending(cased, replacement.line_ending)
    }
}

fn with_ending(text: String, ending: LineEnding) -> String {
    match ending {
        LineEnding::Crlf if text.contains('\n') => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        _ => text,
    }
}

fn expand(template: &str, groups: &Captures<'_>) -> String {
    let mut expanded = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['$', '\\']) {
        expanded.push_str(&rest[..at]);
        let (value, taken) = special(&rest[at..], groups);
        expanded.push_str(value);
        rest = &rest[at + taken..];
    }
    expanded + rest
}

/// What the escape at the start of `rest` stands for, and how long it is. What is none stands for itself.
fn special<'g>(rest: &'g str, groups: &'g Captures<'_>) -> (&'g str, usize) {
    let group = |number: usize| groups.get(number).map_or("", |group| group.as_str());
    let bytes = rest.as_bytes();
    match (bytes[0], bytes.get(1)) {
        (b'\\', Some(b'n')) => ("\n", 2),
        (b'\\', Some(b't')) => ("\t", 2),
        (b'\\', Some(b'\\')) => ("\\", 2),
        (b'$', Some(b'$')) => ("$", 2),
        (b'$', Some(b'&')) => (group(0), 2),
        (b'$', Some(b'{')) => match rest.find('}') {
            Some(end) => {
                let name = &rest[2..end];
                let value = match name.parse() {
                    Ok(number) => group(number),
                    Err(_) => groups.name(name).map_or("", |group| group.as_str()),
                };
                (value, end + 1)
            }
            None => (&rest[..1], 1),
        },
        (b'$', Some(b'0'..=b'9')) => {
            // The longest number that is a group: `$12` is the first group and a 2 where there is no twelfth.
            let digits = bytes[1..].iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
            let longest = (1..=digits).rev().find_map(|count| {
                let number = rest[1..=count].parse().ok()?;
                (number < groups.len()).then_some((number, count))
            });
            longest.map_or((&rest[..1], 1), |(number, count)| (group(number), count + 1))
        }
        _ => (&rest[..1], 1),
    }
}

/// `replacement` in the case that `matched` is in: all upper, all lower, or with a capital; by parts where both have as
/// many, joined by `-` or `_`.
fn like(matched: &str, replacement: &str) -> String {
    for joint in ['-', '_'] {
        let parts = matched.split(joint).count();
        if parts > 1 && parts == replacement.split(joint).count() {
            let pairs = matched.split(joint).zip(replacement.split(joint));
            return pairs.map(|(matched, part)| like_one(matched, part)).collect::<Vec<_>>().join(&joint.to_string());
        }
    }
    like_one(matched, replacement)
}

fn like_one(matched: &str, replacement: &str) -> String {
    let mut letters = matched.chars().filter(|c| c.is_alphabetic()).peekable();
    let Some(first) = letters.peek().copied() else { return replacement.to_owned() };
    let (mut upper, mut lower) = (true, true);
    for letter in letters {
        upper &= !letter.is_lowercase();
        lower &= !letter.is_uppercase();
    }
    if lower {
        return replacement.to_lowercase();
    }
    if upper {
        return replacement.to_uppercase();
    }
    let mut chars = replacement.chars();
    match chars.next() {
        Some(head) if first.is_uppercase() => head.to_uppercase().chain(chars).collect(),
        Some(head) => head.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
