//! The lines of the tree as they are drawn: joined folders, errors under their folder, the name that is being typed.
//!
//! A *joined* folder is an open one that holds nothing but a folder: both are one line (`a/b`), down to the first that
//! holds more. Lines refer to rows of the tree by index and are made anew whenever those change.

use std::path::{Path, PathBuf};

use editor::project::Row;

/// A line, 24 high.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A file or folder: its row, and the row of the first folder that is joined with it.
    Entry { row: usize, top: usize, depth: u16 },
    /// Why the folder above shows nothing.
    Error { row: usize, depth: u16 },
    /// The input for a name: in place of a row, or for something new.
    Input { row: Option<usize>, depth: u16 },
    /// What is wrong with the name above.
    InputError { depth: u16 },
}

/// What is being named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Something new in a folder.
    New { folder: PathBuf, is_folder: bool },
    /// Something that has a name.
    Rename { path: PathBuf },
}

/// Makes the lines of `rows`. With `compact`, folders are joined.
pub fn lines(rows: &[Row], compact: bool, naming: Option<&Naming>, name_is_wrong: bool) -> Vec<Line> {
    let ends = ends(rows);
    let mut lines = Vec::with_capacity(rows.len());
    let new_in = match naming {
        Some(Naming::New { folder, .. }) => Some(folder.as_path()),
        _ => None,
    };
    let put_input = |lines: &mut Vec<Line>, row, depth| {
        lines.push(Line::Input { row, depth });
        if name_is_wrong {
            lines.push(Line::InputError { depth });
        }
    };
    if new_in.is_some_and(|folder| folder.as_os_str().is_empty()) {
        put_input(&mut lines, None, 0);
    }
    // Ends of the folders that are open above, joined ones counted once.
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        while open.last().is_some_and(|&end| end <= at) {
            open.pop();
        }
        let (depth, top) = (open.len() as u16, at);
        let named = |row: usize| matches!(naming, Some(Naming::Rename { path }) if *path == rows[row].path);
        while compact && is_joined(rows, &ends, at) && new_in != Some(&rows[at].path) && !named(at) && !named(at + 1) {
            at += 1;
        }
        let row = &rows[at];
        if named(at) {
            put_input(&mut lines, Some(at), depth);
        } else {
            lines.push(Line::Entry { row: at, top, depth });
        }
        if row.is_open {
            open.push(ends[at]);
            if new_in == Some(&row.path) {
                put_input(&mut lines, None, depth + 1);
            }
            if row.error.is_some() {
                lines.push(Line::Error { row: at, depth: depth + 1 });
            }
        }
        at += 1;
    }
    lines
}

/// For each row, the first row behind it that is not below it.
fn ends(rows: &[Row]) -> Vec<usize> {
    let mut ends = vec![rows.len(); rows.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        while let Some(&last) = open.last().filter(|&&last| rows[last].depth >= row.depth) {
            ends[last] = at;
            open.pop();
        }
        open.push(at);
    }
    ends
}

/// Whether all that is in the folder at `at` is the folder behind it.
fn is_joined(rows: &[Row], ends: &[usize], at: usize) -> bool {
    let Some(next) = rows.get(at + 1) else { return false };
    rows[at].is_open && next.is_folder && next.depth == rows[at].depth + 1 && ends[at] == ends[at + 1]
}

/// What a line reads: the name of its row, behind those of the folders it is joined with.
pub fn label(rows: &[Row], row: usize, top: usize) -> String {
    let path = &rows[row].path;
    let from = rows[top].path.parent().unwrap_or(Path::new(""));
    let shown = path.strip_prefix(from).unwrap_or(path);
    let names: Vec<_> = shown.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows from an outline: two spaces a level, `/` behind a folder, `+` behind an open one, `!` for an error.
    fn rows(outline: &str) -> Vec<Row> {
        let mut above: Vec<String> = Vec::new();
        let row = |line: &str| {
            let depth = (line.len() - line.trim_start().len()) / 2;
            let name = line.trim().trim_end_matches(['/', '+', '!']);
            above.truncate(depth);
            above.push(name.to_owned());
            Row {
                path: above.iter().collect(),
                depth,
                is_folder: line.contains('/'),
                is_link: false,
                ignored: false,
                is_open: line.contains('+'),
                error: line.contains('!').then(|| "no".to_owned()),
            }
        };
        outline.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
    }

    fn shown(rows: &[Row], naming: Option<&Naming>, wrong: bool) -> Vec<String> {
        let indent = |depth: u16| "  ".repeat(usize::from(depth));
        lines(rows, true, naming, wrong)
            .iter()
            .map(|line| match line {
                Line::Entry { row, top, depth } => format!("{}{}", indent(*depth), label(rows, *row, *top)),
                Line::Error { depth, .. } => format!("{}!", indent(*depth)),
                Line::Input { row, depth } => format!("{}_{}", indent(*depth), if row.is_some() { "=" } else { "" }),
                Line::InputError { depth } => format!("{}?", indent(*depth)),
            })
            .collect()
    }

    const OUTLINE: &str = "\
a/+
  b/+
    c/+
      x.rs
      y.rs
d/+
  e/
  f.rs
g.rs";

    #[test]
    fn folders_that_hold_one_folder_are_joined() {
        assert_eq!(shown(&rows(OUTLINE), None, false), ["a/b/c", "  x.rs", "  y.rs", "d", "  e", "  f.rs", "g.rs"]);
    }

    #[test]
    fn nothing_is_joined_where_folders_are_shown_one_by_one() {
        let rows = rows(OUTLINE);
        let depths = lines(&rows, false, None, false);
        assert_eq!(depths.len(), rows.len());
        assert_eq!(depths[2], Line::Entry { row: 2, top: 2, depth: 2 });
    }

    #[test]
    fn a_closed_folder_ends_what_is_joined() {
        assert_eq!(shown(&rows("a/+\n  b/\nc/+\n  d.rs"), None, false), ["a/b", "c", "  d.rs"]);
    }

    #[test]
    fn something_new_is_named_first_in_its_folder() {
        let new = |folder: &str| Naming::New { folder: folder.into(), is_folder: false };
        assert_eq!(shown(&rows("a/+\n  x.rs"), Some(&new("")), false), ["_", "a", "  x.rs"]);
        assert_eq!(shown(&rows("a/+\n  x.rs"), Some(&new("a")), true), ["a", "  _", "  ?", "  x.rs"]);
        assert_eq!(shown(&rows("a/+\n  b/+\n    x.rs"), Some(&new("a")), false), ["a", "  _", "  b", "    x.rs"]);
    }

    #[test]
    fn a_name_is_changed_in_its_place() {
        let rename = |path: &str| Naming::Rename { path: path.into() };
        assert_eq!(shown(&rows("a/+\n  x.rs\nb"), Some(&rename("a/x.rs")), true), ["a", "  _=", "  ?", "b"]);
        assert_eq!(shown(&rows("a/+\n  b/+\n    x.rs"), Some(&rename("a/b")), false), ["a", "  _=", "    x.rs"]);
    }

    #[test]
    fn a_folder_says_why_it_shows_nothing() {
        assert_eq!(shown(&rows("a/+!\nb"), None, false), ["a", "  !", "b"]);
    }
}
