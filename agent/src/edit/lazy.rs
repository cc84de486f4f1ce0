//! Lazy lines: comments that stand for code the model did not write, as `// ... rest of the code unchanged ...`.
//!
//! Such a line in what is written, that the file did not have, would delete what it stands for.

use std::path::Path;

/// The first lazy line among `new` that `old` does not have.
pub(super) fn elided(new: &[String], old: &[String], path: &str) -> Option<String> {
    let had = |line: &str| old.iter().any(|old| old.trim() == line.trim());
    new.iter().find(|line| is_lazy(line, path) && !had(line)).map(|line| line.trim().to_owned())
}

/// Words that say that something is left as it is.
const KEPT: [&str; 20] = [
    "rest",
    "remaining",
    "remainder",
    "existing",
    "unchanged",
    "same",
    "other",
    "others",
    "previous",
    "omitted",
    "code",
    "keep",
    "implementation",
    "before",
    "continue",
    "continues",
    "original",
    "methods",
    "functions",
    "imports",
];

fn is_lazy(line: &str, path: &str) -> bool {
    let line = line.trim();
    let comment = comment_text(line);
    let text = comment.unwrap_or(line).trim();
    let text = text.trim_start_matches(['[', '(', '<', '{']).trim_end_matches([']', ')', '>', '}']).trim();
    let text = text.replace('\u{2026}', "...").to_lowercase();
    let dotted = text.starts_with("...") || text.ends_with("...");
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    if dotted && words.is_empty() {
        // Alone, three dots are code in Python and a spread or a pattern elsewhere only with something behind them.
        let language = editor::syntax::Language::from_path(Path::new(path), "");
        let python = language.is_some_and(|language| language.name() == "Python");
        return comment.is_some() || (!python && line.trim_matches(['.', '\u{2026}']).is_empty());
    }
    if dotted && (comment.is_some() || line.starts_with(['[', '(', '.', '<', '\u{2026}'])) {
        let spread = comment.is_none() && !text.contains(' ');
        return !spread && words.len() <= 14 && words.iter().any(|word| KEPT.contains(word));
    }
    comment.is_some() && says_unchanged(&words)
}

/// What a line says that is only a comment.
fn comment_text(line: &str) -> Option<&str> {
    let pairs =
        [("{/*", "*/}"), ("/*", "*/"), ("<!--", "-->"), ("//", ""), ("#", ""), ("--", ""), ("%", ""), (";", "")];
    let (start, end) = pairs.into_iter().find(|(start, _)| line.starts_with(start))?;
    let inside = line[start.len()..].trim_start_matches(['/', '#', '-', '!', '*', ';', '%']);
    Some(inside.strip_suffix(end).unwrap_or(inside))
}

/// Sentences that say so without dots: "rest of the code remains the same", "existing methods unchanged".
fn says_unchanged(words: &[&str]) -> bool {
    if words.len() > 12 {
        return false;
    }
    let ends = ["unchanged", "same", "before", "omitted", "here", "above", "intact"];
    let starts = ["rest", "remainder", "remaining", "existing", "other", "previous", "original", "same", "all"];
    let from = words.iter().take_while(|word| matches!(**word, "the" | "keep" | "and")).count();
    let words = &words[from..];
    match words {
        [] => false,
        [only] => *only == "unchanged",
        [first, .., last] => {
            starts.contains(first)
                && ends.contains(last)
                && (*last != "here" || matches!(*first, "existing" | "rest" | "remaining"))
                && (words.contains(&"code") || words.len() <= 7)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_stand_for_code_are_seen() {
        for line in [
            "// ... rest of code unchanged ...",
            "    # ... existing code ...",
            "# rest of the code remains the same",
            "/* ... */",
            "<!-- ... rest of the page ... -->",
            "{/* ... other fields ... */}",
            "// …",
            "...",
            "[... rest of file ...]",
            "// existing methods unchanged",
            "-- remaining columns unchanged",
            "// Rest of the implementation here...",
            "// (unchanged)",
        ] {
            assert!(is_lazy(line, "a.rs"), "{line}");
        }
    }

    #[test]
    fn ordinary_comments_and_code_are_not() {
        for line in [
            "// Parses the rest of the arguments.",
            "# the same as before, but for the last",
            "...spread,",
            "let a = [1, ..];",
            "..Default::default()",
            "// wait...",
            "// Loading...",
            "// Other threads may hold it here",
            "// see https://example.org/...",
            "/// Unchanged lines keep their bytes.",
            "* All of these are the same.",
            "# Keep the order.",
        ] {
            assert!(!is_lazy(line, "a.rs"), "{line}");
        }
        assert!(!is_lazy("    ...", "a.py"));
    }
}
