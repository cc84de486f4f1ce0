//! The functions, types, constants and sections of a file by their names, and one of them as it is shown.

use std::path::Path;

use editor::syntax::{Item, Language, Syntax, What};
use editor::{Cancel, Text};

use super::browse::{fenced, read};
use super::{Outcome, World};
use crate::context::{Piece, Shown};

/// Something in a file that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// With the names of what it is in: `Engine.run`.
    pub name: String,
    /// What it is.
    pub what: What,
    /// Its first line, from 1, with the comments and attributes that stand before it.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

/// All symbols of a text, in order; none if its language has no grammar. Parses: not for a thread that draws.
pub fn symbols(path: &str, text: &str) -> Vec<Symbol> {
    let first = text.lines().next().unwrap_or_default();
    let Some(language) = Language::from_path(Path::new(path), first) else { return Vec::new() };
    let rope = Text::from(text);
    let Some(syntax) = Syntax::parse(language, &rope, &Cancel::new()) else { return Vec::new() };
    let (mut found, mut within) = (Vec::new(), Vec::new());
    let line = |at: usize| rope.line_of(at.min(rope.len())) + 1;
    collect(&syntax.outline(&rope).items, &mut within, &line, &mut found);
    found
}

fn collect(items: &[Item], within: &mut Vec<String>, line: &dyn Fn(usize) -> u32, found: &mut Vec<Symbol>) {
    // What describes an item stands before it.
    let mut lead: Option<usize> = None;
    for item in items {
        if matches!(item.what, What::Comment | What::Attribute) {
            lead.get_or_insert(item.range.start);
            continue;
        }
        let start = lead.take().unwrap_or(item.range.start);
        if !item.what.is_symbol() {
            continue;
        }
        let is_block = item.name.starts_with("impl ");
        if !is_block {
            let of = Some(&item.of).filter(|of| !of.is_empty());
            let parts: Vec<&str> = within.iter().chain(of).chain([&item.name]).map(String::as_str).collect();
            let last = line(item.range.end.saturating_sub(1).max(item.range.start));
            found.push(Symbol { name: parts.join("."), what: item.what, first: line(start), last });
        }
        within.push(if is_block { implemented(&item.name) } else { item.name.clone() });
        collect(&item.members, within, line, found);
        within.pop();
    }
}

/// The type that a block is of: `impl<T> Display for Engine<T>` is of `Engine`.
fn implemented(name: &str) -> String {
    let name = name.rsplit(" for ").next().unwrap_or(name);
    let name = name.strip_prefix("impl").unwrap_or(name).trim();
    let name = if name.starts_with('<') { name.split_once('>').map_or(name, |(_, name)| name.trim()) } else { name };
    name.split(['<', ' ']).next().unwrap_or(name).to_owned()
}

/// A symbol with all its lines, as it comes along with a prompt: the one of that name at this line, or the first of
/// that name if the file has changed.
///
/// # Errors
/// What to say where the file or the symbol is not there.
pub fn symbol(world: &World, path: &str, name: &str, line: u32) -> Result<Piece, String> {
    let (path, text) = read(world, path).map_err(|Outcome { text, .. }| text)?;
    let all = symbols(path.as_str(), &text);
    let same = || all.iter().filter(|symbol| symbol.name == name);
    let found = same().find(|symbol| symbol.first == line).or_else(|| same().next());
    let Symbol { first, last, .. } = found.ok_or_else(|| format!("there is no `{name}` in {path} any more"))?;
    let lines: Vec<&str> = text.lines().skip(*first as usize - 1).take((last - first + 1) as usize).collect();
    let body = fenced(path.as_str(), &lines.join("\n"));
    Ok(Piece {
        title: format!("{name} in {path}, lines {first}-{last}"),
        text: body,
        shown: Some(Shown::new(path.as_str(), &text, *first, *last)),
        ..Piece::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_known_by_what_they_are_in_and_have_what_describes_them() {
        let text = "use a;\n\n/// Runs.\n#[inline]\nfn go() {}\n\nstruct Engine;\n\nimpl Engine {\n    // Once.\n    fn run(&self) {\n        go();\n    }\n}\n";
        let found: Vec<_> = symbols("a.rs", text).into_iter().map(|s| (s.name, s.first, s.last)).collect();
        let expected = [("go", 3, 5), ("Engine", 7, 7), ("Engine.run", 10, 13)];
        assert_eq!(found, expected.map(|(name, first, last)| (name.to_owned(), first, last)));
        assert_eq!(symbols("a.unknown", text), []);
        assert_eq!(implemented("impl<T> Display for Engine<T>"), "Engine");
        assert_eq!(implemented("impl<T> Engine<T>"), "Engine");
    }
}
