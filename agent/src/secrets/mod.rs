//! One filter over everything that leaves the machine or is stored: what is secret in it becomes `«secret:NAME»`.
//!
//! A secret is known by what it looks like ([`kinds`]), by where it stands (values of `.env` files), or because it was seen
//! once and is known from then on, wherever it turns up. The same value has the same name all through a session, so a
//! model can speak of it, move it and leave it alone; [`Secrets::restore`] puts the value back when a file that has it
//! is written. The human sees the original.
//!
//! Invariant: filtering what was filtered changes nothing.

mod dotenv;
mod kinds;
#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexSet};

use kinds::{Check, KINDS, Kind};

/// What stands before the name of a secret.
const OPEN: &str = "«secret:";
/// What stands after it.
const CLOSE: char = '»';
/// Shorter values are told by where they stand only: as words they would be masked everywhere.
const KNOWN: usize = 8;

/// The filter of a session.
pub struct Secrets {
    set: RegexSet,
    each: Vec<Regex>,
    known: Mutex<Known>,
}

/// Secrets that were seen. A file of random letters may have tens of thousands.
#[derive(Default)]
struct Known {
    names: HashMap<String, String>,
    values: BTreeMap<String, String>,
    /// How many values have a name that begins so.
    named: HashMap<String, usize>,
    /// What finds the values that are long enough; none once another was seen.
    finder: Option<AhoCorasick>,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'a> {
    /// The text; borrowed if there was none.
    pub text: Cow<'a, str>,
    /// How many were masked.
    pub count: usize,
}

/// A secret in a text.
struct Found {
    range: Range<usize>,
    name: String,
}

impl Secrets {
    /// A filter that knows no values yet. Compiles its expressions: some tens of milliseconds.
    ///
    /// # Errors
    /// Never, unless the table of kinds is wrong, which a test sees.
    pub fn new() -> Result<Self, regex::Error> {
        let patterns = || KINDS.iter().map(|kind| kind.pattern);
        let set = RegexSet::new(patterns())?;
        let each = patterns().map(Regex::new).collect::<Result<_, _>>()?;
        Ok(Self { set, each, known: Mutex::default() })
    }

    /// A text of any kind.
    pub fn text<'a>(&self, text: &'a str) -> Masked<'a> {
        self.mask(text, Vec::new())
    }

    /// The text of a file, or some lines of it.
    pub fn file<'a>(&self, path: &str, text: &'a str) -> Masked<'a> {
        let found = if dotenv::is_secret(path) { dotenv::values(text) } else { Vec::new() };
        self.mask(text, found)
    }

    /// The filtered text, where the original is no longer wanted.
    pub fn clean(&self, text: String) -> String {
        match self.text(&text).text {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        }
    }

    /// All texts in a JSON value.
    pub fn json(&self, value: &mut serde_json::Value) {
        match value {
            serde_json::Value::String(text) => {
                if let Cow::Owned(masked) = self.text(text).text {
                    *text = masked;
                }
            }
            // A picture has no words, and changed anywhere it is none any more.
            serde_json::Value::Object(fields) if fields.contains_key("media_type") && fields.contains_key("base64") => {
            }
            serde_json::Value::Array(values) => values.iter_mut().for_each(|value| self.json(value)),
            serde_json::Value::Object(fields) => fields.values_mut().for_each(|value| self.json(value)),
            _ => {}
        }
    }

    /// Puts values back in the place of their names, but only those that `within`, the file as it is, has: a secret does
    /// not get into another file this way.
    pub fn restore(&self, text: &str, within: &str) -> String {
        if !text.contains(OPEN) {
            return text.to_owned();
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut restored, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find(OPEN) {
            let name = &rest[at + OPEN.len()..];
            let end = name.find(CLOSE).filter(|&end| end <= 80);
            let value = end.and_then(|end| known.values.get(&name[..end])).filter(|value| within.contains(*value));
            let (Some(end), Some(value)) = (end, value) else {
                restored.push_str(&rest[..at + OPEN.len()]);
                rest = name;
                continue;
            };
            restored.push_str(&rest[..at]);
            restored.push_str(value);
            rest = &name[end + CLOSE.len_utf8()..];
        }
        restored.push_str(rest);
        restored
    }

    fn mask<'a>(&self, text: &'a str, mut found: Vec<Found>) -> Masked<'a> {
        let first = found.len();
        self.find(text, &mut found);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.find(text, &mut found);
        if found.is_empty() {
            return Masked { text: Cow::Borrowed(text), count: 0 };
        }
        let taken = joined(found, first);
        let (mut masked, mut at, mut count) = (String::with_capacity(text.len()), 0, 0);
        for found in taken {
            masked.push_str(&text[at..found.range.start]);
            masked.push_str(OPEN);
            masked.push_str(&known.name(&text[found.range.clone()], &found.name));
            masked.push(CLOSE);
            at = found.range.end;
            count += 1;
        }
        masked.push_str(&text[at..]);
        Masked { text: Cow::Owned(masked), count }
    }

    fn find(&self, text: &str, found: &mut Vec<Found>) {
        for kind in self.set.matches(text) {
            let Kind { name, check, .. } = &KINDS[kind];
            for captures in self.each[kind].captures_iter(text) {
                // Kinds without a name have it as their first group and the secret as their second.
                let secret = captures.get(captures.len() - 1).or_else(|| captures.get(0));
                let Some(secret) = secret else { continue };
                let value = secret.as_str();
                if value.contains(OPEN) || value.contains(CLOSE) || !passes(*check, value) {
                    continue;
                }
                let beside = captures.get(1).filter(|_| captures.len() > 2).map(|name| tidy(name.as_str()));
                let name = beside.unwrap_or_else(|| (*name).to_owned());
                found.push(Found { range: secret.range(), name });
            }
        }
    }
}

/// Secrets that overlap as one, for neither end may show, in the order of the text. Its name is that of the one which is told
/// by where it stands (the first so many), or of the longest of those that begin first.
fn joined(found: Vec<Found>, by_place: usize) -> Vec<Found> {
    let mut order: Vec<_> = found.into_iter().enumerate().collect();
    order.sort_by_key(|(n, found)| (found.range.start, usize::MAX - found.range.end, *n));
    let mut joined: Vec<(bool, Found)> = Vec::new();
    for (n, next) in order {
        let placed = n < by_place;
        match joined.last_mut().filter(|(_, last)| next.range.start < last.range.end) {
            None => joined.push((placed, next)),
            Some((is_placed, last)) => {
                last.range.end = last.range.end.max(next.range.end);
                if placed && !*is_placed {
                    (*is_placed, last.name) = (true, next.name);
                }
            }
        }
    }
    joined.into_iter().map(|(_, found)| found).collect()
}

impl Known {
    /// Where values stand that were seen before.
    fn find(&mut self, text: &str, found: &mut Vec<Found>) {
        if self.finder.is_none() {
            let values = self.names.keys().filter(|value| value.len() >= KNOWN);
            // That it cannot be made takes gigabytes of secrets.
            self.finder = AhoCorasick::new(values).ok();
        }
        let Some(finder) = &self.finder else { return };
        let places = finder.find_overlapping_iter(text).map(|place| place.range());
        found.extend(places.map(|range| Found { range, name: String::new() }));
    }

    /// The name of a value: the one it has, or a new one that no other value has.
    fn name(&mut self, value: &str, wished: &str) -> String {
        if let Some(name) = self.names.get(value) {
            return name.clone();
        }
        let wished = if wished.is_empty() { "SECRET" } else { wished };
        let name = loop {
            let count = self.named.entry(wished.to_owned()).or_default();
            *count += 1;
            let name = if *count == 1 { wished.to_owned() } else { format!("{wished}_{count}") };
            if !self.values.contains_key(&name) {
                break name;
            }
        };
        self.names.insert(value.to_owned(), name.clone());
        self.values.insert(name.clone(), value.to_owned());
        self.finder = None;
        name
    }
}

/// A name of a variable or field as the name of a secret.
fn tidy(name: &str) -> String {
    let name = name.trim_matches(['_', '-', '.']);
    let upper: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    upper.chars().take(60).collect()
}

fn passes(check: Check, value: &str) -> bool {
    match check {
        Check::Nothing => true,
        Check::Random => !is_example(value) && looks_random(value),
        Check::Chosen => !is_example(value) && !is_code(value) && looks_chosen(value),
    }
}

/// What people write where a secret would stand.
fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "example",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "your-",
        "your_",
        "yourtoken",
        "xxxx",
        "....",
        "****",
        "dummy",
        "redacted",
        "insert",
        "replace",
        "sample",
        "todo",
        "undefined",
        "<",
        "${",
        "{{",
        "%(",
    ];
    words.iter().any(|word| lower.contains(word)) || value.chars().all(|c| value.starts_with(c))
}

/// Names of variables, calls, paths and messages stand beside `token =` far more often than tokens do.
fn is_code(value: &str) -> bool {
    let identifier = value.chars().all(|c| c.is_alphabetic() || "_.:-/\\*%$@#?&=+".contains(c));
    let word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() + 2 >= part.len() && letters.len() > 1 && letters.chars().all(char::is_alphabetic)
    };
    let words = value.contains(['_', '-', '.', ':', '/']) && value.split(['_', '-', '.', ':', '/']).all(word);
    let path = value.starts_with(['/', '.', '~']) || value.contains("://") || value.contains("\\n");
    let format = value.contains('{') || value.contains('(') || value.contains("%s") || value.contains("%d");
    identifier || words || path || format || value.starts_with(['$', '%', '@', '#', '&', '-'])
}

/// Letters and digits, or a mark that no name has: what people think of as a good password.
fn looks_chosen(value: &str) -> bool {
    let has = |of: fn(&char) -> bool| value.chars().any(|c| of(&c));
    let letters = has(|c| c.is_alphabetic());
    let digits = has(char::is_ascii_digit);
    let marks = has(|c| "!$^*%#&?+=".contains(*c));
    // `sha256`, `oauth2`, `utf-8` and the like are words with a number behind them.
    let words = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered =
        !marks && words.len() + 3 > value.len() && words.chars().all(|c| c.is_alphabetic() || "_-.".contains(c));
    letters && (digits || marks) && !numbered && entropy(value) >= 2.3
}

fn looks_random(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    value.chars().any(char::is_alphanumeric) && digits >= 1 && entropy(value) >= 2.8
}

/// Bits a character, by how often each comes.
fn entropy(value: &str) -> f64 {
    let mut counts: HashMap<char, f64> = HashMap::new();
    value.chars().for_each(|c| *counts.entry(c).or_default() += 1.0);
    let all = value.chars().count() as f64;
    counts.values().map(|n| -(n / all) * (n / all).log2()).sum()
}
