//! Looking: reading files and ranges, searching, listing, finding definitions.
//!
//! A file is shown as its name and a fenced block, the way it would be written, too. Results go through the filter of
//! secrets before anybody else sees them.

use std::fmt::Write as _;
use std::sync::Arc;

use editor::Cancel;
use serde_json::{Value, json};

use super::{Outcome, Tool, Use, World, outline};
use crate::action::Lines;
use crate::context::{Piece, Shown};
use crate::host::{Entry, HostError, ProjectPath, SEARCH_HITS, Search};

/// A file of more lines must be asked for by range.
pub const LONG: usize = 200;
/// Lines of a long file that are shown beside its outline.
const FIRST: usize = 40;
/// Lines of a range that are shown at most.
const RANGE: usize = 400;
/// Bytes of a result at most.
const BYTES: usize = 32_000;
/// Entries of a folder that are listed.
const ENTRIES: usize = 300;

/// Reads a file, or some of its lines. `known` says whether the conversation shows these lines already.
pub fn read_file(world: &World, path: &str, lines: Option<Lines>, known: &dyn Fn(&Shown) -> bool) -> Outcome {
    let (path, text) = match read(world, path) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let all = text.lines().count();
    let range = lines.map(|lines| (lines.first as usize, (lines.last as usize).min(all)));
    let (first, last) = match range {
        Some((first, _)) if first > all => {
            return Outcome::failed(format!("`{path}` has only {all} lines; ask for lines=\"1-{}\"", all.min(RANGE)));
        }
        Some((first, last)) => (first, last.min(first + RANGE - 1)),
        None if all > LONG => return long_file(&path, &text, all),
        None => (1, all),
    };
    let shown = Shown::new(path.as_str(), &text, first as u32, last as u32);
    if known(&shown) {
        return Outcome::done(format!("`{path}` is unchanged; these lines are already above."));
    }
    let of = if (first, last) == (1, all) { String::new() } else { format!(" (lines {first}-{last} of {all})") };
    let text = cut(&slice(&text, first, last), BYTES);
    Outcome { shown: Some(shown), ..Outcome::done(format!("{path}{of}\n{}", fenced(path.as_str(), &text))) }
}

/// A file as it comes along with a prompt: whole, or as its outline if it is long. None if it cannot be read.
pub fn attachment(world: &World, path: &str) -> Option<Piece> {
    let outcome = read_file(world, path, None, &|_| false);
    outcome.ok.then(|| Piece {
        title: format!("file {path}"),
        text: outcome.text,
        shown: outcome.shown,
        ..Piece::default()
    })
}

fn long_file(path: &ProjectPath, text: &str, all: usize) -> Outcome {
    let outline = outline::render(path.as_str(), text);
    let first = slice(text, 1, FIRST);
    let outline = if outline.is_empty() { String::new() } else { format!("Its outline:\n{outline}") };
    let out = format!(
        "{path} has {all} lines. {outline}Its first {FIRST} lines:\n{}\nRead what you need: <read_file path=\"{path}\" lines=\"1-{LONG}\"/>",
        fenced(path.as_str(), &first)
    );
    Outcome::done(cut(&out, BYTES))
}

/// Searches.
pub fn search_code(world: &World, query: &str, path: Option<&str>, cancel: &Cancel) -> Outcome {
    let path = match ProjectPath::parse(path.unwrap_or_default()) {
        Ok(path) => path,
        Err(error) => return Outcome::failed(error.to_string()),
    };
    let search = Search { query: query.to_owned(), path, limit: SEARCH_HITS };
    let found = match world.host.search(&search, cancel) {
        Ok(found) => found,
        Err(error) => return Outcome::failed(error.to_string()),
    };
    let literal = if found.literal { " (as plain text: it is no regular expression)" } else { "" };
    if found.hits.is_empty() {
        return Outcome::done(format!("nothing in {} files matches `{query}`{literal}", found.files));
    }
    let (count, s) = (found.hits.len(), if found.hits.len() == 1 { "" } else { "s" });
    let mut out = format!("{count} hit{s} for `{query}`{literal}:\n");
    let mut last = None;
    for hit in &found.hits {
        if last != Some(&hit.path) {
            let _ = writeln!(out, "{}", hit.path);
            last = Some(&hit.path);
        }
        let text = world.secrets.file(hit.path.as_str(), &hit.text).text;
        let _ = writeln!(out, "  {}: {}", hit.line, text.trim_end());
    }
    if found.more {
        let _ = writeln!(out, "… there are more; search for something narrower");
    }
    Outcome::done(cut(&out, BYTES))
}

/// Lists a folder.
pub fn list_directory(world: &World, path: &str) -> Outcome {
    let listed = ProjectPath::parse(path).map_err(HostError::from).and_then(|path| {
        let listed = world.host.list(&path, 1, ENTRIES)?;
        Ok((path, listed))
    });
    let (path, (entries, more)) = match listed {
        Ok(listed) => listed,
        Err(error) => return Outcome::failed(error.to_string()),
    };
    if entries.is_empty() {
        return Outcome::done(format!("`{path}` is empty, but for what is ignored"));
    }
    let mut out = format!("{path}/\n");
    for Entry { path, folder, size } in &entries {
        let _ = match folder {
            true => writeln!(out, "  {}/", path.name()),
            false => writeln!(out, "  {} ({size} bytes)", path.name()),
        };
    }
    if more {
        let _ = writeln!(out, "… there are more");
    }
    Outcome::done(out)
}

/// A file's definitions with their lines.
pub(super) fn outline_tool() -> Tool {
    tool(
        "outline",
        "lists a file's functions, types and sections with their lines",
        json!({"path": {"type": "string"}}),
        &["path"],
        |call| {
            let (path, text) = read(call.world, call.text("path")?)?;
            let outline = outline::render(path.as_str(), &text);
            Ok(Outcome::done(if outline.is_empty() {
                format!("`{path}` has no definitions that could be told")
            } else {
                outline
            }))
        },
    )
}

/// Where something is defined.
pub(super) fn definition() -> Tool {
    tool(
        "definition",
        "shows where a function, type or constant is defined",
        json!({"name": {"type": "string"}}),
        &["name"],
        |call| {
            let name = call.text("name")?.trim().trim_end_matches("()").rsplit(['.', ':']).next().unwrap_or_default();
            if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                return Err(Outcome::failed("the name must be one word"));
            }
            let search =
                Search { query: format!(r"\b{}\b", name.replace('$', r"\$")), path: ProjectPath::root(), limit: 2000 };
            let found =
                call.world.host.search(&search, call.cancel).map_err(|error| Outcome::failed(error.to_string()))?;
            let mut out = String::new();
            for hit in found.hits.iter().filter(|hit| defines(hit.path.as_str(), &hit.text, name)).take(10) {
                let Ok((path, text)) = read(call.world, hit.path.as_str()) else { continue };
                let line = hit.line as usize;
                // Comments and attributes stand above what they are about.
                let _ = writeln!(
                    out,
                    "{path}:{line}\n{}",
                    fenced(path.as_str(), &slice(&text, line.saturating_sub(3).max(1), line + 12))
                );
            }
            match out.is_empty() {
                true => Err(Outcome::failed(format!(
                    "no definition of `{name}` was found; try <search_code query=\"{name}\"/>"
                ))),
                false => Ok(Outcome::done(cut(&out, BYTES))),
            }
        },
    )
}

/// The lines around a line.
pub(super) fn context() -> Tool {
    let fields = json!({"path": {"type": "string"}, "line": {"type": "integer"}});
    tool("context", "shows the ten lines before and after a line", fields, &["path", "line"], |call| {
        let (path, text) = read(call.world, call.text("path")?)?;
        let line =
            call.arguments.get("line").and_then(number).ok_or_else(|| Outcome::failed("\"line\" must be a number"))?;
        let all = text.lines().count();
        let (first, last) = (line.saturating_sub(10).max(1), (line + 10).min(all));
        if line == 0 || first > all {
            return Err(Outcome::failed(format!("`{path}` has the lines 1 to {all}")));
        }
        Ok(Outcome::done(format!(
            "{path} (lines {first}-{last} of {all})\n{}",
            fenced(path.as_str(), &slice(&text, first, last))
        )))
    })
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().map(|n| n as usize).or_else(|| value.as_str()?.trim().parse().ok())
}

fn tool(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
    run: impl Fn(&Use<'_>) -> Result<Outcome, Outcome> + Send + Sync + 'static,
) -> Tool {
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": properties, "required": required}),
        reads: true,
        run: Arc::new(move |call| run(call).unwrap_or_else(|failed| failed)),
    }
}

/// Whether a line defines a name: it is in an outline, or gives the name a value.
fn defines(path: &str, line: &str, name: &str) -> bool {
    let Some(at) = line.find(name) else { return false };
    let (before, after) = (&line[..at], line[at + name.len()..].trim_start());
    let constant = after.starts_with('=') && !after.starts_with("==") || after.starts_with(": ") && after.contains('=');
    let declared =
        ["const ", "static ", "let ", "var ", "val ", "#define "].iter().any(|word| before.trim_start().contains(word));
    let top = before.trim().is_empty() && before.is_empty() && constant;
    // What stands behind a bracket is an argument or a type, not what is defined.
    (!outline(path, line).is_empty() && !before.contains(['(', '=', '<', ':']))
        || declared && !before.contains('(')
        || top
}

/// A file's text without its secrets.
pub(super) fn read(world: &World, path: &str) -> Result<(ProjectPath, String), Outcome> {
    let path = ProjectPath::parse(path).map_err(|error| Outcome::failed(error.to_string()))?;
    match world.host.read(&path) {
        Ok(file) => {
            let text = world.secrets.file(path.as_str(), &file.text).text.into_owned();
            Ok((path, text))
        }
        Err(HostError::Missing(_)) => Err(Outcome::failed(missing(world, &path))),
        Err(error) => Err(Outcome::failed(error.to_string())),
    }
}

/// That there is no such file, and those it may have been meant to be.
fn missing(world: &World, path: &ProjectPath) -> String {
    let name = path.name().to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let (entries, _) = world.host.list(&ProjectPath::root(), 12, 20_000).unwrap_or_default();
    let close = |entry: &&Entry| {
        let other = entry.path.name().to_lowercase();
        !entry.folder && (other == name || stem.len() >= 3 && other.split('.').next() == Some(stem))
    };
    let found: Vec<_> = entries.iter().filter(close).take(5).map(|entry| format!("`{}`", entry.path)).collect();
    match found.is_empty() {
        true => format!("there is no `{path}`; <list_directory path=\"{}\"/> shows what there is", path.folder()),
        false => format!("there is no `{path}`; there is {}", found.join(", ")),
    }
}

/// Lines of a text, from 1, both ends included, each with its ending.
fn slice(text: &str, first: usize, last: usize) -> String {
    text.split_inclusive('\n').skip(first.saturating_sub(1)).take((last + 1).saturating_sub(first)).collect()
}

/// In a fence that is longer than any in the text.
pub fn fenced(path: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let text = text.replace("\r\n", "\n");
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{}\n{text}{end}{fence}", language(path))
}

/// What a fence says of the language of a file.
fn language(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else { return "" };
    match extension {
        "py" | "pyi" => "python",
        "rs" => "rust",
        "js" | "mjs" | "cjs" => "javascript",
        "ts" | "mts" => "typescript",
        "rb" => "ruby",
        "sh" => "bash",
        "md" => "markdown",
        "yml" => "yaml",
        "h" => "c",
        "cc" | "hpp" | "cxx" => "cpp",
        "cs" => "csharp",
        "kt" => "kotlin",
        other => other,
    }
}

fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n… (cut here; ask for less at once)", &text[..end])
}
