//! Files that hold nothing but secrets: `.env` in its forms. Every value in them is one.

use super::{Found, tidy};

/// Whether every value of the file is a secret, by its name.
pub(super) fn is_secret(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let shown = [".example", ".sample", ".template", ".dist"];
    let env = name.starts_with(".env") && name[4..].chars().next().is_none_or(|c| !c.is_ascii_alphanumeric());
    (env || name.rsplit_once('.').is_some_and(|(_, extension)| extension == "env"))
        && !shown.iter().any(|end| name.ends_with(end))
}

/// The values, quotes left out. Lines may come with their number before them, as a model is shown them.
pub(super) fn values(text: &str) -> Vec<Found> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let line = &text[at..end];
        let next = end + 1;
        let Some((name, value_at)) = assignment(line) else {
            at = next;
            continue;
        };
        let value = &text[at + value_at..];
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let (from, to) = match quote {
            // A quoted value may go on over lines.
            Some(quote) => {
                let inside = &value[1..];
                let close = closing(inside, quote).or_else(|| inside.find('\n')).unwrap_or(inside.len());
                (at + value_at + 1, at + value_at + 1 + close)
            }
            None => {
                let rest = line[value_at..].trim_end_matches('\r');
                let rest = rest.find(" #").map_or(rest, |comment| &rest[..comment]).trim_end();
                (at + value_at, at + value_at + rest.len())
            }
        };
        if to > from {
            found.push(Found { range: from..to, name });
        }
        at = text[to..].find('\n').map_or(text.len(), |n| to + n + 1).max(next);
    }
    found
}

/// The name, and where the value begins.
fn assignment(line: &str) -> Option<(String, usize)> {
    let equals = line.find('=').or_else(|| line.find(": ").map(|at| at + 1))?;
    let before = line[..equals].trim_end_matches([':', ' ']);
    if before.trim_start().starts_with('#') {
        // A value that was put out of use is still one.
        let name = before.trim_start().trim_start_matches(['#', ' ']);
        if name.is_empty() || name.contains(' ') {
            return None;
        }
    }
    let name = before.rsplit([' ', '\t', '|', ':', '#']).next().unwrap_or(before);
    if name.is_empty() {
        return None;
    }
    let value = line[equals + 1..].len() - line[equals + 1..].trim_start_matches([' ', '\t']).len();
    Some((tidy(name), equals + 1 + value))
}

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped && quote == '"';
        ends.then_some(at)
    })
}
