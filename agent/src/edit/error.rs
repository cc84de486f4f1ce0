//! Why an edit was not applied. Nothing was written then.

use super::closest::Closest;

/// Why an edit was not applied: what was wrong, with the place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// There is no such file.
    #[error("`{path}` does not exist")]
    Missing {
        /// The file.
        path: String,
    },
    /// There is such a file already.
    #[error("`{path}` exists already, and was not overwritten")]
    Exists {
        /// The file.
        path: String,
    },
    /// The reply names no file.
    #[error("the code names no file")]
    NoPath,
    /// The action changes no content.
    #[error("{name} is no edit")]
    NoEdit {
        /// Its name.
        name: String,
    },
    /// The lines looked for are not there.
    #[error("the SEARCH of block {number} is not in the file")]
    NotFound {
        /// Which block, from 1.
        number: usize,
        /// What is most like it.
        closest: Option<Closest>,
    },
    /// The lines looked for are there several times.
    #[error("the SEARCH of block {number} is in the file {} times, at lines {}", .lines.len(), listed(.lines))]
    Several {
        /// Which block, from 1.
        number: usize,
        /// Where each begins, from 1.
        lines: Vec<u32>,
        /// Its first line that is not blank.
        first: String,
    },
    /// Nothing is looked for.
    #[error("the SEARCH of block {number} is empty, but the file is not")]
    EmptySearch {
        /// Which block, from 1.
        number: usize,
    },
    /// Both halves of a block are the same.
    #[error("SEARCH and REPLACE of block {number} are the same, so nothing would change")]
    SameHalves {
        /// Which block, from 1.
        number: usize,
    },
    /// Code was left out.
    #[error("the line `{line}` stands for code that was not written; it would delete that code")]
    Lazy {
        /// Which block, from 1; none for a symbol or a whole file.
        number: Option<usize>,
        /// The line.
        line: String,
    },
    /// The language is not known well enough to find symbols.
    #[error("`{path}` is in no language whose functions can be found by name")]
    NoGrammar {
        /// The file.
        path: String,
    },
    /// There is no symbol of that name.
    #[error("there is no `{name}` in the file")]
    NoSymbol {
        /// As it was written.
        name: String,
        /// Those there are.
        names: Vec<String>,
    },
    /// Several symbols have that name.
    #[error("`{name}` is in the file {} times: {}", .places.len(), placed(.places))]
    SeveralSymbols {
        /// As it was written.
        name: String,
        /// Their full names and lines.
        places: Vec<(String, u32)>,
    },
    /// The content defines another symbol than it is said to.
    #[error("the content defines `{got}`, not `{wanted}`")]
    OtherSymbol {
        /// What was to be written.
        wanted: String,
        /// What is in it.
        got: String,
    },
    /// There is nothing in the code that has a name.
    #[error("the code holds no function, type or section that could replace one of the file")]
    NoSymbolInCode,
    /// A part of a file that has no symbols.
    #[error("the code is only a part of `{path}`, and it is not clear which")]
    Part {
        /// The file.
        path: String,
    },
    /// It does not parse.
    #[error("the new code does not parse, at `{line}`")]
    Broken {
        /// The first line that does not.
        line: String,
    },
    /// Two parts of the code are about the same place.
    #[error("the code changes the same place twice")]
    Overlapping,
    /// A file too long to be written whole.
    #[error("`{path}` has {lines} lines; files of more than 150 are not written whole")]
    TooLong {
        /// The file.
        path: String,
        /// How many.
        lines: usize,
    },
    /// The new version is the old one.
    #[error("the new code is the same as the file's, so nothing would change")]
    Unchanged,
}

fn placed(places: &[(String, u32)]) -> String {
    places.iter().take(12).map(|(name, line)| format!("{name} (line {line})")).collect::<Vec<_>>().join(", ")
}

fn listed(lines: &[u32]) -> String {
    // A brace may be in a file a thousand times; the first dozen show enough.
    let mut listed = lines.iter().take(12).map(u32::to_string).collect::<Vec<_>>().join(", ");
    if lines.len() > 12 {
        listed.push_str(", …");
    }
    listed
}
