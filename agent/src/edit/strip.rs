//! The last rung: what a model put around its lines in both halves of a block, taken off both or neither.

/// Both halves without what was around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stripped {
    pub search: Vec<String>,
    pub replace: Vec<String>,
    /// The number of the first line, where the gutter alone could also be code.
    pub must_be_at: Option<usize>,
}

/// Line numbers before each line: `17 | x`, `17│x`, `17→x`, `17:x` or `17` and a tab.
pub(super) fn gutter(search: &[String], replace: &[String]) -> Option<Stripped> {
    let numbered = |lines: &[String]| -> Option<Vec<(Option<usize>, String, char)>> {
        lines
            .iter()
            .map(|line| match line.trim() {
                "" => Some((None, String::new(), '|')),
                _ => numbered(line).map(|(number, rest, sign)| (Some(number), rest.to_owned(), sign)),
            })
            .collect()
    };
    let (old, new) = (numbered(search)?, numbered(replace)?);
    let numbers: Vec<(usize, usize)> = old.iter().enumerate().filter_map(|(at, line)| Some((at, line.0?))).collect();
    let (first_at, first) = *numbers.first()?;
    let in_order = numbers.iter().all(|(at, number)| *number == first + (at - first_at));
    let doubtful = old.iter().any(|line| line.2 == ':');
    let text = |lines: Vec<(Option<usize>, String, char)>| lines.into_iter().map(|line| line.1).collect();
    let must_be_at = doubtful.then(|| first.saturating_sub(first_at));
    in_order.then(|| Stripped { search: text(old), replace: text(new), must_be_at })
}

fn numbered(line: &str) -> Option<(usize, &str, char)> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=7).contains(&digits) {
        return None;
    }
    let number = line[..digits].parse().ok()?;
    if let Some(rest) = line[digits..].strip_prefix('\t') {
        return Some((number, rest, '\t'));
    }
    let rest = line[digits..].trim_start_matches(' ');
    let sign = rest.chars().next().filter(|sign| matches!(sign, '|' | '\u{2502}' | '\u{2192}' | ':'))?;
    let rest = &rest[sign.len_utf8()..];
    Some((number, rest.strip_prefix(' ').unwrap_or(rest), sign))
}

/// A fence of Markdown around each half.
pub(super) fn fence(search: &[String], replace: &[String]) -> Option<Stripped> {
    let inside = |lines: &[String]| -> Option<Vec<String>> {
        let [first, inside @ .., last] = lines else { return None };
        let sign = |line: &str| line.trim_start().starts_with("```");
        (sign(first) && last.trim() == "```").then(|| inside.to_vec())
    };
    let search = inside(search)?;
    let replace = if replace.iter().all(|line| line.trim().is_empty()) { Vec::new() } else { inside(replace)? };
    Some(Stripped { search, replace, must_be_at: None })
}

const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];

/// Entities of XML, if the search has any and the file has none of those.
pub(super) fn entities(search: &[String], replace: &[String], file: &str) -> Option<Stripped> {
    let used = |entity: &str| search.iter().any(|line| line.contains(entity));
    let found: Vec<_> = ENTITIES.iter().filter(|(entity, _)| used(entity)).collect();
    if found.is_empty() || found.iter().any(|(entity, _)| file.contains(entity)) {
        return None;
    }
    let decoded = |lines: &[String]| lines.iter().map(|line| decoded(line)).collect();
    Some(Stripped { search: decoded(search), replace: decoded(replace), must_be_at: None })
}

fn decoded(line: &str) -> String {
    // `&amp;` comes last: `&amp;lt;` stands for `&lt;`.
    ENTITIES.iter().fold(line.to_owned(), |line, (entity, plain)| line.replace(entity, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_gutter_goes_from_both_halves_or_stays() {
        let stripped = gutter(&lines("17 | a\n18 |   b\n19 |"), &lines("17 | c")).unwrap();
        assert_eq!((stripped.search, stripped.replace), (lines("a\n  b\n\n")[..3].to_vec(), lines("c")));
        assert_eq!(gutter(&lines("17 | a"), &lines("c")), None);
        assert_eq!(gutter(&lines("17 | a\n30 | b"), &lines("17 | c")), None);
        assert_eq!(gutter(&lines("x = 1"), &lines("1 | c")), None);
        assert_eq!(gutter(&lines("3: a"), &[]).unwrap().must_be_at, Some(3));
    }

    #[test]
    fn entities_are_decoded_unless_the_file_has_them() {
        let (search, replace) = (lines("a &amp;&amp; b"), lines("a &lt; b"));
        let stripped = entities(&search, &replace, "a && b").unwrap();
        assert_eq!((stripped.search, stripped.replace), (lines("a && b"), lines("a < b")));
        assert_eq!(entities(&search, &replace, "x &amp; y\na && b"), None);
        assert_eq!(entities(&lines("a"), &replace, "a"), None);
    }
}
