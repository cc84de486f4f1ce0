//! Merging by name: a new version of a symbol takes the place of the old, everything else stays.
//!
//! Old and new text are both outlined. What stands before an item (documentation, attributes, decorators, `export`)
//! belongs to it; where the new version has none of a kind, the old one's stays, since models leave it out more often
//! than they mean to remove it. The new version is shifted to the old one's indentation.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use editor::syntax::{Item, Language, Outline, Syntax, What};
use editor::{Cancel, Text};

use super::error::EditError;
use super::lines::{indent_of, is_blank, lines, usual_ending};

/// A text with its outline.
pub(super) struct Outlined<'a> {
    pub text: &'a str,
    pub outline: Outline,
    pub language: Language,
}

impl<'a> Outlined<'a> {
    /// Outlines a file; `None` when its language has no grammar.
    pub fn file(path: &str, text: &'a str) -> Option<Self> {
        let language = Language::from_path(Path::new(path), text.lines().next().unwrap_or_default())?;
        Some(Self { text, outline: outline(language, text)?, language })
    }

    /// Every symbol with the names of those around it, outermost first.
    pub fn symbols(&self) -> Vec<Symbol<'_>> {
        let mut found = Vec::new();
        collect(&self.outline.items, &mut Vec::new(), &mut found);
        found
    }

    fn line_of(&self, offset: usize) -> u32 {
        memchr::memchr_iter(b'\n', &self.text.as_bytes()[..offset]).count() as u32 + 1
    }
}

/// A symbol and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'a> {
    pub item: &'a Item,
    /// Names of what it is in, outermost first.
    pub within: Vec<String>,
    /// The items it stands among, and its place there.
    among: &'a [Item],
    at: usize,
}

impl Symbol<'_> {
    pub fn full_name(&self) -> String {
        let mut parts = self.within.clone();
        if !self.item.of.is_empty() && !self.item.name.starts_with("impl") {
            parts.push(self.item.of.clone());
        }
        parts.push(self.item.name.clone());
        parts.join(".")
    }

    /// Whether a name that a model wrote is this one's: the last part the same, those before it in order around it.
    fn answers_to(&self, wanted: &[&str]) -> bool {
        let Some((last, around)) = wanted.split_last() else { return false };
        let own = &self.item.name;
        let mut within = self.within.clone();
        within.push(self.item.of.clone());
        let mut rest = within.iter().rev();
        let same = |a: &str, b: &str| a == b || (self.item.what == What::Section && a.eq_ignore_ascii_case(b));
        same(own, last) && around.iter().rev().all(|part| rest.any(|name| name == part || header_names(name, part)))
    }
}

/// Whether the header of an `impl` is that of the type called `name`.
fn header_names(header: &str, name: &str) -> bool {
    header.starts_with("impl")
        && header
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .any(|word| word == name)
}

fn collect<'a>(items: &'a [Item], within: &mut Vec<String>, found: &mut Vec<Symbol<'a>>) {
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.what.is_symbol()) {
        found.push(Symbol { item, within: within.clone(), among: items, at });
        within.push(item.name.clone());
        collect(&item.members, within, found);
        within.pop();
    }
}

fn outline(language: Language, text: &str) -> Option<Outline> {
    let text = Text::from(text);
    Some(Syntax::parse(language, &text, &Cancel::new())?.outline(&text))
}

/// The parts of a name as a model writes it: `Engine.run`, `Engine::run`, `fn run()`, `## Usage`.
fn parts(name: &str) -> Vec<&str> {
    let name = name.trim().trim_matches('`').trim_start_matches('#').trim();
    let words = [
        "async ",
        "pub ",
        "export ",
        "default ",
        "static ",
        "fn ",
        "def ",
        "class ",
        "function ",
        "func ",
        "struct ",
        "enum ",
        "trait ",
        "interface ",
        "type ",
        "const ",
    ];
    let mut name = name;
    while let Some(rest) = words.iter().find_map(|word| name.strip_prefix(word)) {
        name = rest;
    }
    if name.starts_with("impl") {
        return vec![name];
    }
    let name = name.split('(').next().unwrap_or(name).trim();
    name.split(['.', '#']).flat_map(|part| part.split("::")).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A replacement of bytes of the old text.
type Patch = (Range<usize>, String);

/// `<write_symbol>`: the file with the symbol `name` replaced by `content`.
pub(super) fn write_symbol(path: &str, before: &str, name: &str, content: &str) -> Result<String, EditError> {
    let unknown = || EditError::NoGrammar { path: path.to_owned() };
    let file = Outlined::file(path, before).ok_or_else(unknown)?;
    let wanted = parts(name);
    let symbols = file.symbols();
    // A heading may have dots and brackets in it.
    let whole = [name.trim().trim_start_matches('#').trim()];
    let answering: Vec<_> =
        symbols.iter().filter(|symbol| symbol.answers_to(&wanted) || symbol.answers_to(&whole)).collect();
    let fragment = Fragment::read(file.language, content);
    let found = match &answering[..] {
        [] => {
            let names = symbols.iter().map(Symbol::full_name).collect();
            return Err(EditError::NoSymbol { name: name.to_owned(), names });
        }
        [only] => only,
        several => {
            let kind = fragment.outline.items.iter().find(|item| item.what.is_symbol()).map(|item| item.what);
            let alike: Vec<_> = several.iter().filter(|symbol| Some(symbol.item.what) == kind).collect();
            match &alike[..] {
                [only] => **only,
                _ => return Err(several_symbols(&file, name, several)),
            }
        }
    };
    let symbols: Vec<&Item> = fragment.symbols();
    if symbols.len() > 1 {
        // Helpers beside it, or the class around it: merged as code is.
        return merge(path, before, content).map(|merged| merged.text);
    }
    if let [other] = symbols[..]
        && other.name != found.item.name
    {
        return Err(EditError::OtherSymbol { wanted: name.to_owned(), got: other.name.clone() });
    }
    let patch = replacement(&file, found, &fragment, symbols.first().copied());
    checked(path, &file, vec![patch])
}

fn several_symbols(file: &Outlined<'_>, name: &str, symbols: &[&Symbol<'_>]) -> EditError {
    let places = symbols.iter().map(|symbol| (symbol.full_name(), file.line_of(symbol.item.core))).collect();
    EditError::SeveralSymbols { name: name.to_owned(), places }
}

/// Code as a model wrote it, outlined: alone, or as the members of a type where it is only that.
pub(super) struct Fragment {
    pub text: String,
    pub outline: Outline,
}

impl Fragment {
    pub fn read(language: Language, content: &str) -> Self {
        let text = dedented(content);
        let alone = outline(language, &text).unwrap_or_default();
        let named = |outline: &Outline| outline.items.iter().any(|item| item.what.is_symbol());
        let around = match language.name() {
            "PHP" if !text.contains("<?") => Some(("<?php ", "\n")),
            "Java" | "C#" | "JavaScript" | "TypeScript" | "JSX" | "TSX" if alone.errors > 0 || !named(&alone) => {
                Some(("class X {", "\n}"))
            }
            _ => None,
        };
        if let Some((start, end)) = around {
            let inside = outline(language, &format!("{start}{text}{end}")).unwrap_or_default();
            let items = match inside.items.first() {
                Some(class) if class.name == "X" => class.members.clone(),
                _ => inside.items.iter().filter(|item| item.range.start >= start.len()).cloned().collect(),
            };
            let moved = Outline { items: items.iter().map(|item| moved(item, start.len())).collect(), ..inside };
            if named(&moved) && moved.errors <= alone.errors {
                return Self { text, outline: moved };
            }
        }
        Self { text, outline: alone }
    }

    fn symbols(&self) -> Vec<&Item> {
        self.outline.items.iter().filter(|item| item.what.is_symbol()).collect()
    }
}

/// The item with its offsets moved down.
fn moved(item: &Item, by: usize) -> Item {
    let down = |offset: usize| offset.saturating_sub(by);
    Item {
        range: down(item.range.start)..down(item.range.end),
        core: down(item.core),
        members: item.members.iter().map(|member| moved(member, by)).collect(),
        ..item.clone()
    }
}

/// Without the indentation that all lines share, and without blank lines around.
fn dedented(text: &str) -> String {
    let common = text.lines().filter(|line| !is_blank(line)).map(indent_of).reduce(|a, b| {
        let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
        &a[..same]
    });
    let common = common.unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix(common).unwrap_or(line.trim_start())).collect();
    let first = lines.iter().position(|line| !is_blank(line)).unwrap_or(0);
    let last = lines.iter().rposition(|line| !is_blank(line)).map_or(first, |last| last + 1);
    lines[first..last].join("\n")
}

/// Where an item begins with what belongs to it: comments and attributes right above.
fn lead(text: &str, among: &[Item], at: usize) -> (usize, Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut comments, mut attributes) = (Vec::new(), Vec::new());
    let mut start = among[at].range.start;
    for item in among[..at].iter().rev() {
        let close = text[item.range.end.min(start)..start].matches('\n').count() <= 1;
        match item.what {
            What::Comment if close && starts_line(text, item.range.start) => comments.insert(0, item.range.clone()),
            What::Attribute if close => attributes.insert(0, item.range.clone()),
            _ => break,
        }
        start = item.range.start;
    }
    (start, comments, attributes)
}

fn starts_line(text: &str, offset: usize) -> bool {
    let line = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    is_blank(&text[line..offset])
}

/// The patch that puts `new` in the place of an old symbol, with what belongs to it.
fn replacement(file: &Outlined<'_>, old: &Symbol<'_>, fragment: &Fragment, new: Option<&Item>) -> Patch {
    let text = file.text;
    let (old_start, old_comments, old_attributes) = lead(text, old.among, old.at);
    let whole_section = old.item.what == What::Section && !old.item.members.is_empty();
    let old_end = match (whole_section, new) {
        // A new version of a section without parts leaves the old one's parts alone.
        (true, Some(new)) if new.members.is_empty() => old.item.members[0].range.start,
        _ => old.item.range.end,
    };
    let old_core = &text[old.item.range.start..old.item.core];
    let Some(new) = new else {
        let body = shifted(&fragment.text, text, old.item.range.start);
        return (old.item.range.start..old_end, with_tail(&body, &text[..old_end]));
    };
    let at = fragment.outline.items.iter().position(|item| std::ptr::eq(item, new)).unwrap_or(0);
    let (_, new_comments, new_attributes) = lead(&fragment.text, &fragment.outline.items, at);
    let mut written = String::new();
    if new_comments.is_empty() && new_attributes.is_empty() {
        // Everything above stays as it is.
        let own = &fragment.text[new.range.clone()];
        let bare = new.core == new.range.start && !old_core.is_empty();
        let start = if bare { old.item.core } else { old.item.range.start };
        written.push_str(&shifted(own, text, start));
        return (start..old_end, with_tail(&written, &text[..old_end]));
    }
    let slice = |source: &str, ranges: &[Range<usize>]| {
        ranges.iter().map(|range| source[range.clone()].trim_end().to_owned()).collect::<Vec<_>>()
    };
    let mut above = match new_comments.is_empty() {
        true => slice(text, &old_comments),
        false => slice(&fragment.text, &new_comments),
    };
    above.extend(match new_attributes.is_empty() {
        true => slice(text, &old_attributes),
        false => slice(&fragment.text, &new_attributes),
    });
    for line in above {
        written.push_str(&dedented(&line));
        written.push('\n');
    }
    if new.core == new.range.start && !old_core.is_empty() {
        written.push_str(&dedented(old_core));
        written.push_str(if old_core.trim_end_matches([' ', '\t']).ends_with('\n') { "\n" } else { " " });
    }
    written.push_str(&fragment.text[new.range.clone()]);
    (old_start..old_end, with_tail(&shifted(&written, text, old_start), &text[..old_end]))
}

/// `body` ending as the old text did: sections and tables include the blank lines after them.
fn with_tail(body: &str, old: &str) -> String {
    let tail = &old[old.trim_end().len()..];
    format!("{}{tail}", body.trim_end())
}

/// Every line but the first at the indentation that the place in `text` has, with its line endings.
fn shifted(body: &str, text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let indent = indent_of(&text[line..]);
    let indent = if is_blank(&text[line..at]) { &text[line..at] } else { indent };
    let ending = usual_ending(&lines(text));
    let manner = Manner::between(body, text);
    let mut written = String::with_capacity(body.len() * 2);
    for (index, line) in body.lines().enumerate() {
        if index > 0 {
            written.push_str(ending);
        }
        let line = manner.rewritten(line);
        if index > 0 && !is_blank(&line) {
            written.push_str(indent);
        }
        written.push_str(&line);
    }
    written
}

/// How indentation is rewritten: a model's four spaces in a file of tabs.
enum Manner {
    Same,
    FromSpaces(usize),
    ToSpaces(usize),
}

impl Manner {
    fn between(body: &str, text: &str) -> Self {
        let file = editor::Indent::detect(&Text::from(text));
        match (file, editor::Indent::detect(&Text::from(body))) {
            (Some(editor::Indent::Tabs), Some(editor::Indent::Spaces(step))) => Self::FromSpaces(usize::from(step)),
            (Some(editor::Indent::Spaces(step)), Some(editor::Indent::Tabs)) => Self::ToSpaces(usize::from(step)),
            _ => Self::Same,
        }
    }

    fn rewritten(&self, line: &str) -> String {
        let indent = indent_of(line);
        let rest = &line[indent.len()..];
        match self {
            Self::Same => line.to_owned(),
            Self::FromSpaces(step) => {
                format!("{}{}{rest}", "\t".repeat(indent.len() / step), " ".repeat(indent.len() % step))
            }
            Self::ToSpaces(step) => format!("{}{rest}", indent.replace('\t', &" ".repeat(*step))),
        }
    }
}

/// What a merge of code did.
#[derive(Debug)]
pub(super) struct Merged {
    pub text: String,
    /// A sentence for each thing that was not simply replaced.
    pub notes: Vec<String>,
}

/// Code of some symbols of a file: each replaces the one of its name; new ones are added after the one before.
pub(super) fn merge(path: &str, before: &str, content: &str) -> Result<Merged, EditError> {
    let unknown = || EditError::NoGrammar { path: path.to_owned() };
    let file = Outlined::file(path, before).ok_or_else(unknown)?;
    let fragment = Fragment::read(file.language, content);
    if fragment.outline.errors > 0 && file.outline.errors == 0 {
        let line = fragment.outline.first_error.unwrap_or_default() as usize;
        let line = fragment.text.lines().nth(line).unwrap_or_default().trim().to_owned();
        return Err(EditError::Broken { line });
    }
    let mut merge = Merge { file: &file, fragment: &fragment, patches: Vec::new(), notes: Vec::new(), after: None };
    merge.all()?;
    let Merge { patches, notes, .. } = merge;
    if patches.is_empty() {
        return Err(EditError::Unchanged);
    }
    Ok(Merged { text: checked(path, &file, patches)?, notes })
}

struct Merge<'a> {
    file: &'a Outlined<'a>,
    fragment: &'a Fragment,
    patches: Vec<Patch>,
    notes: Vec<String>,
    /// The end of the old symbol that the last one of the code replaced.
    after: Option<usize>,
}

impl Merge<'_> {
    fn all(&mut self) -> Result<(), EditError> {
        let symbols = self.fragment.symbols();
        if symbols.is_empty() {
            return Err(EditError::NoSymbolInCode);
        }
        let old = self.file.symbols();
        let mut added = Vec::new();
        for new in symbols {
            match self.find(&old, new)? {
                Some(found) => {
                    self.replace(&found, new);
                    self.after = Some(found.item.range.end);
                }
                None => added.push((new, self.after)),
            }
        }
        if !added.is_empty() && self.patches.is_empty() && added.iter().all(|(new, _)| new.what == What::Value) {
            return Err(EditError::NoSymbolInCode);
        }
        for (new, after) in added {
            self.add(new, after);
        }
        self.imports();
        self.leftovers();
        Ok(())
    }

    /// The old symbol that `new` is a version of: at the top level, else the only one of that name within a type.
    fn find<'b>(&self, old: &'b [Symbol<'b>], new: &Item) -> Result<Option<Symbol<'b>>, EditError> {
        let same = |symbol: &&Symbol<'_>| {
            symbol.item.name == new.name
                && symbol.item.what == new.what
                && (new.of.is_empty() || symbol.item.of.is_empty() || symbol.item.of == new.of)
        };
        let all: Vec<&Symbol<'_>> = old.iter().filter(same).collect();
        let top: Vec<&Symbol<'_>> = all.iter().copied().filter(|symbol| symbol.within.is_empty()).collect();
        let found = if top.is_empty() { all } else { top };
        match &found[..] {
            [] => Ok(None),
            [only] => Ok(Some((*only).clone())),
            several => Err(several_symbols(self.file, &new.name, several)),
        }
    }

    fn replace(&mut self, found: &Symbol<'_>, new: &Item) {
        // A type with some of its members only: those are merged, the others stay.
        let names = |items: &[Item]| -> Vec<(What, String)> {
            items.iter().filter(|item| item.what.is_symbol()).map(|item| (item.what, item.name.clone())).collect()
        };
        let (have, got) = (names(&found.item.members), names(&new.members));
        let missing: Vec<_> = have.iter().filter(|name| !got.contains(name)).collect();
        let functions = |names: &[(What, String)]| names.iter().any(|(what, _)| *what == What::Function);
        if found.item.what == What::Type && !missing.is_empty() && functions(&got) {
            self.members(found, new);
            return;
        }
        let patch = replacement(self.file, found, self.fragment, Some(new));
        if self.file.text[patch.0.clone()] != patch.1 {
            self.patches.push(patch);
        }
    }

    /// Merges the members of a type that the code shows in part.
    fn members(&mut self, found: &Symbol<'_>, new: &Item) {
        let mut after = None;
        for (at, member) in new.members.iter().enumerate().filter(|(_, member)| member.what.is_symbol()) {
            let same = |item: &&Item| item.name == member.name && item.what == member.what;
            let old: Vec<usize> = (0..found.item.members.len()).filter(|at| same(&&found.item.members[*at])).collect();
            let inner = Fragment {
                text: self.fragment.text.clone(),
                outline: Outline { items: new.members.clone(), ..Outline::default() },
            };
            // The member's own lines, without the indentation it has in the code.
            let own = dedented_member(&inner, at);
            let item = own.outline.items.iter().find(|item| item.what.is_symbol()).cloned();
            match (&old[..], item) {
                ([place], Some(item)) => {
                    let mut within = found.within.clone();
                    within.push(found.item.name.clone());
                    let symbol =
                        Symbol { item: &found.item.members[*place], within, among: &found.item.members, at: *place };
                    let own = Fragment { text: own.text.clone(), outline: own.outline.clone() };
                    let new = own.outline.items.iter().find(|other| **other == item);
                    let patch = replacement(self.file, &symbol, &own, new);
                    after = Some(symbol.item.range.end);
                    if self.file.text[patch.0.clone()] != patch.1 {
                        self.patches.push(patch);
                    }
                }
                ([], Some(_)) => {
                    let Some(end) = after.or_else(|| found.item.members.last().map(|last| last.range.end)) else {
                        continue;
                    };
                    let anchor = found.item.members.first().map_or(end, |first| first.range.start);
                    let body = shifted(&own.text, self.file.text, anchor);
                    let line = self.file.text[..anchor].rfind('\n').map_or(0, |end| end + 1);
                    let indent = indent_of(&self.file.text[line..]).to_owned();
                    let ending = usual_ending(&lines(self.file.text));
                    self.patches.push((end..end, format!("{ending}{ending}{indent}{body}")));
                    self.notes.push(format!("`{}` is new in `{}`", member.name, found.item.name));
                }
                _ => self.notes.push(format!("`{}` was left alone: there are several", member.name)),
            }
        }
        self.notes.push(format!("other members of `{}` were kept", found.item.name));
    }

    fn add(&mut self, new: &Item, after: Option<usize>) {
        let text = self.file.text;
        let at = self.fragment.outline.items.iter().position(|item| std::ptr::eq(item, new)).unwrap_or(0);
        let (start, ..) = lead(&self.fragment.text, &self.fragment.outline.items, at);
        let body = self.fragment.text[start..new.range.end].trim_end();
        let end = after.unwrap_or_else(|| self.end_of_symbols());
        let ending = usual_ending(&lines(text));
        let gap = if new.what == What::Value {
            1
        } else if self.file.language.name() == "Python" {
            3
        } else {
            2
        };
        let body = shifted(body, text, 0);
        let body = match end {
            0 => format!("{body}{}", ending.repeat(gap)),
            _ => format!("{}{body}", ending.repeat(gap)),
        };
        let open_end = end == text.len() && !text.is_empty();
        self.patches.push((
            end..end,
            if open_end && text.ends_with('\n') { body[ending.len()..].to_owned() + ending } else { body },
        ));
        self.notes.push(format!("`{}` is new in the file", new.name));
    }

    /// The end of the last function or type of the top level.
    fn end_of_symbols(&self) -> usize {
        let last = self.file.outline.items.iter().rev().find(|item| matches!(item.what, What::Function | What::Type));
        last.or(self.file.outline.items.last()).map_or(self.file.text.len(), |item| item.range.end)
    }

    /// Imports that the file lacks come after its last one.
    fn imports(&mut self) {
        let text = self.file.text;
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let imports = |items: &[Item]| -> Vec<Range<usize>> {
            items.iter().filter(|item| item.what == What::Import).map(|item| item.range.clone()).collect()
        };
        let old = imports(&self.file.outline.items);
        let have: Vec<String> = old.iter().map(|range| plain(&text[range.clone()])).collect();
        let ending = usual_ending(&lines(text));
        for range in imports(&self.fragment.outline.items) {
            let import = self.fragment.text[range].trim_end();
            let names: Vec<&str> = import.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let used = names.iter().rev().find(|name| !name.is_empty()).is_some_and(|name| {
                have.iter().any(|have| have.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *name))
            });
            if have.contains(&plain(import)) || used {
                continue;
            }
            let patch = match old.last() {
                Some(last) => (last.end..last.end, format!("{ending}{import}")),
                None => {
                    let start = self.start_of_code();
                    (start..start, format!("{import}{ending}{ending}"))
                }
            };
            self.patches.push(patch);
            self.notes.push(format!("`{import}` was added"));
        }
    }

    /// After a first line `#!`, a leading comment or a docstring.
    fn start_of_code(&self) -> usize {
        let items = &self.file.outline.items;
        let docstring =
            |item: &Item| item.what == What::Other && self.file.text[item.range.clone()].starts_with(['"', '\'']);
        let first = items.iter().find(|item| item.what != What::Comment && !docstring(item));
        first.map_or(0, |item| item.range.start)
    }

    /// What is neither symbol nor import, and not in the file: examples of use, mostly.
    fn leftovers(&mut self) {
        let text = self.file.text;
        let loose = self.fragment.outline.items.iter().filter(|item| item.what == What::Other);
        let lost = loose.filter(|item| !text.contains(self.fragment.text[item.range.clone()].trim())).count();
        if lost > 0 {
            self.notes.push(format!("{lost} statements outside of functions and types were left out"));
        }
    }
}

/// One member of a type as a fragment of its own.
fn dedented_member(inner: &Fragment, at: usize) -> Fragment {
    let (start, comments, attributes) = lead(&inner.text, &inner.outline.items, at);
    let item = &inner.outline.items[at];
    let line = inner.text[..start].rfind('\n').map_or(0, |end| end + 1);
    let indent = if is_blank(&inner.text[line..start]) { start - line } else { 0 };
    let mut text = String::new();
    // Offsets within the dedented text, line by line.
    let mut offsets: BTreeMap<usize, usize> = BTreeMap::new();
    let mut position = start;
    for (index, whole) in inner.text[start..item.range.end].split_inclusive('\n').enumerate() {
        let cut = if index == 0 { 0 } else { (whole.len() - whole.trim_start_matches([' ', '\t']).len()).min(indent) };
        offsets.insert(position + cut, text.len());
        text.push_str(&whole[cut..]);
        position += whole.len();
    }
    let mapped = |offset: usize| offsets.range(..=offset).next_back().map_or(0, |(from, to)| to + (offset - from));
    let moved = |what: What, range: &Range<usize>, core: usize, name: &str| Item {
        what,
        name: name.to_owned(),
        of: item.of.clone(),
        range: mapped(range.start)..mapped(range.end).min(text.len()),
        core: mapped(core),
        members: Vec::new(),
    };
    let mut items: Vec<Item> = comments.iter().map(|range| moved(What::Comment, range, range.start, "")).collect();
    items.extend(attributes.iter().map(|range| moved(What::Attribute, range, range.start, "")));
    items.push(moved(item.what, &item.range, item.core, &item.name));
    items.sort_by_key(|item| item.range.start);
    Fragment { text, outline: Outline { items, ..Outline::default() } }
}

/// The text with the patches made, if it still parses as well as before.
fn checked(path: &str, file: &Outlined<'_>, mut patches: Vec<Patch>) -> Result<String, EditError> {
    patches.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = String::with_capacity(file.text.len());
    let mut at = 0;
    for (range, new) in &patches {
        if range.start < at {
            return Err(EditError::Overlapping);
        }
        text.push_str(&file.text[at..range.start]);
        text.push_str(new);
        at = range.end;
    }
    text.push_str(&file.text[at..]);
    if text == file.text {
        return Err(EditError::Unchanged);
    }
    let Some(after) = Outlined::file(path, &text) else { return Ok(text) };
    if after.outline.errors > file.outline.errors {
        let line = after.outline.first_error.unwrap_or_default() as usize;
        let line = text.lines().nth(line).unwrap_or_default().trim().to_owned();
        return Err(EditError::Broken { line });
    }
    Ok(text)
}
