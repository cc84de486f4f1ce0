//! Calls in JSON, native or written out, and in the XML of other dialects: all become the same actions.

use serde_json::{Map, Value};

use super::blocks::blocks_of;
use super::reply::{Item, Malformed};
use super::tag::clean_path;
use crate::action::{Action, Block, Lines};

/// A native tool call, joined from its pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeCall {
    /// What the server calls it; the result goes back under this name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// JSON, as the model wrote it.
    pub arguments: String,
}

impl NativeCall {
    /// What it asks for.
    pub fn action(&self) -> Result<Action, Malformed> {
        let arguments = match self.arguments.trim() {
            "" => Value::Object(Map::new()),
            text => parse(text)
                .map_err(|error| Malformed::BadArguments { name: self.name.clone(), reason: error.to_string() })?,
        };
        action(&self.name, arguments)
    }
}

/// Joins the pieces of streamed native calls by their index.
#[derive(Clone, Debug, Default)]
pub struct CallJoiner {
    calls: Vec<(Option<u64>, NativeCall)>,
}

impl CallJoiner {
    /// Takes a piece. Servers that send no index, or the same for all, begin a new call with a new id.
    pub fn push(&mut self, index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) {
        let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
        let goes_on = |(at, call): &&mut (Option<u64>, NativeCall)| {
            let same_place = index.is_none() || *at == index;
            let same_call = match id {
                "" => index.is_some() || name.is_empty(),
                id => call.id == id || call.id.is_empty(),
            };
            same_place && same_call
        };
        let call = match self.calls.iter_mut().rev().find(goes_on) {
            Some((_, call)) => call,
            None => {
                self.calls.push((index, NativeCall::default()));
                let Some((_, call)) = self.calls.last_mut() else { return };
                call
            }
        };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // Some servers repeat the name with every piece, some send it in pieces.
        if call.name != name {
            call.name.push_str(name);
        }
        call.arguments.push_str(arguments);
    }

    /// The calls in the order they began.
    pub fn finish(self) -> Vec<NativeCall> {
        self.calls.into_iter().map(|(_, call)| call).collect()
    }
}

/// What a call asks for. A name that is none of ours is a tool; whether there is such a tool is known elsewhere.
pub(super) fn action(name: &str, arguments: Value) -> Result<Action, Malformed> {
    let name = name.rsplit(['.', ':']).next().unwrap_or(name).trim();
    let arguments = match arguments {
        Value::String(text) => parse(&text).unwrap_or(Value::String(text)),
        Value::Null => Value::Object(Map::new()),
        other => other,
    };
    let Value::Object(fields) = &arguments else {
        let reason = "they must be an object with named fields".to_owned();
        return Err(Malformed::BadArguments { name: name.to_owned(), reason });
    };
    let fields = Fields { name, fields };
    Ok(match name {
        "read_file" => Action::ReadFile { path: fields.path("path")?, lines: fields.lines()? },
        "search_code" => Action::SearchCode { query: fields.text("query")?, path: fields.path("path").ok() },
        "list_directory" => Action::ListDirectory { path: fields.path("path").unwrap_or_default() },
        "edit_file" => fields.edit()?,
        "write_symbol" => Action::WriteSymbol {
            path: fields.path("path")?,
            name: fields.text("name")?,
            content: fields.text("content")?,
        },
        "write_code" => Action::WriteCode { path: fields.path("path").ok(), content: fields.text("content")? },
        "write_file" => Action::WriteFile { path: fields.path("path")?, content: fields.text("content")? },
        "create_file" => Action::CreateFile { path: fields.path("path")?, content: fields.text("content")? },
        "rename_file" => Action::RenameFile { from: fields.path("from")?, to: fields.path("to")? },
        "delete_file" => Action::DeleteFile { path: fields.path("path")? },
        "run_command" => Action::RunCommand { command: fields.text("command")? },
        "done" => Action::Done,
        _ => Action::Tool { name: name.to_owned(), arguments },
    })
}

/// The fields of a call, with the names that other tools give them.
struct Fields<'a> {
    name: &'a str,
    fields: &'a Map<String, Value>,
}

impl Fields<'_> {
    fn any(&self, field: &str) -> Option<&Value> {
        let others: &[&str] = match field {
            "path" => &["file_path", "filepath", "filename", "file", "target_file", "directory", "dir"],
            "content" => &["contents", "text", "code", "file_text", "body", "new_content"],
            "query" => &["pattern", "regex"],
            "command" => &["cmd"],
            "name" => &["symbol"],
            "from" => &["old_path", "source"],
            "to" => &["new_path", "destination"],
            "search" => &["old_string", "old_str", "old_text", "old"],
            "replace" => &["new_string", "new_str", "new_text", "new"],
            "blocks" => &["edits", "changes", "diff"],
            _ => &[],
        };
        std::iter::once(&field).chain(others).find_map(|name| self.fields.get(*name))
    }

    fn text(&self, field: &'static str) -> Result<String, Malformed> {
        match self.any(field) {
            Some(Value::String(text)) => Ok(text.clone()),
            // Lines, or the words of a command.
            Some(Value::Array(parts)) => {
                let parts: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
                Ok(parts.join(if field == "command" { " " } else { "\n" }))
            }
            _ => {
                let reason = format!("the field \"{field}\" is missing");
                Err(Malformed::BadArguments { name: self.name.to_owned(), reason })
            }
        }
    }

    fn path(&self, field: &'static str) -> Result<String, Malformed> {
        self.text(field).map(|path| clean_path(&path).0)
    }

    fn lines(&self) -> Result<Option<Lines>, Malformed> {
        let number = |names: &[&str]| {
            let found = names.iter().find_map(|name| self.fields.get(*name))?;
            found.as_u64().or_else(|| found.as_str()?.trim().parse().ok()).and_then(|n| u32::try_from(n).ok())
        };
        let written = match ["lines", "line_range", "range"].iter().find_map(|name| self.fields.get(*name)) {
            None | Some(Value::Null) => {
                let first = number(&["start_line", "start", "from_line", "line_start"]);
                let last = number(&["end_line", "end", "to_line", "line_end"]);
                return Ok(match (first, last) {
                    (None, None) => None,
                    (first, last) => Some(Lines { first: first.unwrap_or(1).max(1), last: last.unwrap_or(u32::MAX) })
                        .filter(|lines| lines.first <= lines.last),
                });
            }
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(ends)) => ends.iter().map(ToString::to_string).collect::<Vec<_>>().join("-"),
            Some(other) => other.to_string(),
        };
        Lines::parse(&written).map(Some).ok_or(Malformed::BadLines { value: written })
    }

    fn edit(&self) -> Result<Action, Malformed> {
        let path = self.path("path")?;
        let pair = |fields: &Map<String, Value>| -> Option<Block> {
            let fields = Fields { name: self.name, fields };
            let [search, replace] = [fields.text("search").ok()?, fields.text("replace").ok()?].map(whole_lines);
            Some(Block { search, replace })
        };
        let empty = || Malformed::BadArguments {
            name: self.name.to_owned(),
            reason: "\"blocks\" must be a list of objects with \"search\" and \"replace\"".to_owned(),
        };
        let listed;
        let blocks = match self.any("blocks") {
            Some(Value::Array(list)) => list,
            Some(Value::String(text)) => {
                let blocks = blocks_of(text, &path)?;
                if !blocks.is_empty() {
                    return Ok(Action::EditFile { path, blocks });
                }
                listed = parse(text).map_err(|_| empty())?;
                listed.as_array().ok_or_else(empty)?
            }
            Some(_) => return Err(empty()),
            None => match (pair(self.fields), self.text("content")) {
                (Some(block), _) => return Ok(Action::EditFile { path, blocks: vec![block] }),
                (None, Ok(content)) => {
                    let blocks = blocks_of(&content, &path)?;
                    return Ok(match blocks.is_empty() {
                        true => Action::WriteCode { path: Some(path), content },
                        false => Action::EditFile { path, blocks },
                    });
                }
                (None, Err(_)) => return Err(empty()),
            },
        };
        let blocks: Option<Vec<_>> = blocks.iter().map(|block| pair(block.as_object()?)).collect();
        match blocks {
            Some(blocks) if !blocks.is_empty() => Ok(Action::EditFile { path, blocks }),
            _ => Err(empty()),
        }
    }
}

/// With a line ending after the last line, as blocks have it.
fn whole_lines(text: String) -> String {
    let text = if text.contains('\r') { text.replace("\r\n", "\n") } else { text };
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}

/// JSON as models write it: line breaks may stand raw within strings.
pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| {
        let (mut inside, mut escaped, mut mended) = (false, false, String::with_capacity(text.len() + 16));
        for c in text.chars() {
            match c {
                '\n' if inside => mended.push_str("\\n"),
                '\t' if inside => mended.push_str("\\t"),
                '\r' if inside => mended.push_str("\\r"),
                c => mended.push(c),
            }
            inside ^= c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
        }
        serde_json::from_str(&mended).map_err(|_| error)
    })
}

/// The calls that a JSON text is; none when it is no call but something that is shown.
pub(super) fn from_json(text: &str, tools: &[String]) -> Option<Vec<Item>> {
    let value = parse(text.trim()).ok()?;
    let calls = match value {
        Value::Array(calls) if !calls.is_empty() => calls,
        Value::Object(mut fields) => match fields.remove("tool_calls") {
            Some(Value::Array(calls)) => calls,
            _ => vec![Value::Object(fields)],
        },
        _ => return None,
    };
    calls.into_iter().map(|call| from_object(call, tools)).collect()
}

fn from_object(call: Value, tools: &[String]) -> Option<Item> {
    let Value::Object(mut fields) = call else { return None };
    // `{"type":"function","function":{"name":…,"arguments":…}}`
    if let Some(Value::Object(inner)) = fields.remove("function") {
        fields = inner;
    }
    let name = ["name", "tool", "tool_name", "action"].iter().find_map(|key| fields.get(*key)?.as_str())?.to_owned();
    let known = super::tag::shape(&name, tools).is_some();
    let keys = ["arguments", "parameters", "args", "input", "tool_input"];
    let arguments = match keys.iter().find_map(|key| fields.remove(*key)) {
        Some(arguments) => arguments,
        None if known => Value::Object(fields),
        None => return None,
    };
    Some(item(action(&name, arguments)))
}

/// Calls in the XML of other dialects: `<function=NAME><parameter=KEY>…` and `<invoke name="NAME"><parameter name="KEY">…`.
pub(super) fn from_xml(text: &str) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = named(rest, &["<function=", "<invoke name="]) {
        let end = first_of(after, &["</function>", "</invoke>"]).map_or(after.len(), |(end, _)| end);
        let (inside, after) = after.split_at(end);
        let mut arguments = Map::new();
        let mut inner = inside;
        while let Some((key, after)) = named(inner, &["<parameter=", "<parameter name="]) {
            let end = after.find("</parameter>").unwrap_or(after.len());
            let value = after[..end].strip_prefix('\n').unwrap_or(&after[..end]);
            let value = value.strip_suffix('\n').unwrap_or(value);
            arguments.insert(key, Value::String(value.to_owned()));
            inner = &after[end..];
        }
        items.push(item(action(&name, Value::Object(arguments))));
        rest = after;
    }
    (!items.is_empty()).then_some(items)
}

/// The name after the first of `openings`, and what follows its `>`.
fn named<'a>(text: &'a str, openings: &[&str]) -> Option<(String, &'a str)> {
    let (at, opening) = first_of(text, openings)?;
    let (name, after) = text[at + opening.len()..].split_once('>')?;
    Some((name.trim().trim_matches('"').to_owned(), after))
}

/// The first of some tags in a text, and where it is. One pass: to look for each would read all of the text for one that
/// is not in it, every time.
fn first_of<'a>(text: &str, tags: &[&'a str]) -> Option<(usize, &'a str)> {
    memchr::memchr_iter(b'<', text.as_bytes())
        .find_map(|at| Some((at, *tags.iter().find(|tag| text[at..].starts_with(**tag))?)))
}

pub(super) fn item(action: Result<Action, Malformed>) -> Item {
    match action {
        Ok(action) => Item::Action(action),
        Err(malformed) => Item::Malformed(malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(name: &str, arguments: &str) -> Result<Action, Malformed> {
        NativeCall { id: "1".into(), name: name.into(), arguments: arguments.into() }.action()
    }

    #[test]
    fn a_native_call_is_the_same_action_as_a_tag() {
        let lines = Lines::parse("1-9");
        let read = Action::ReadFile { path: "a.rs".into(), lines };
        assert_eq!(native("read_file", r#"{"path":"a.rs","lines":"1-9"}"#), Ok(read.clone()));
        assert_eq!(native("functions.read_file", r#"{"file_path":"./a.rs","start_line":1,"end_line":9}"#), Ok(read));
        let blocks = vec![Block { search: "a\n".into(), replace: "b\n".into() }];
        let edit = Action::EditFile { path: "a.rs".into(), blocks };
        for arguments in [
            r#"{"path":"a.rs","blocks":[{"search":"a","replace":"b"}]}"#,
            r#"{"path":"a.rs","old_string":"a\n","new_string":"b\n"}"#,
            r#"{"path":"a.rs","diff":"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"}"#,
            "{\"path\":\"a.rs\",\"search\":\"a\n\",\"replace\":\"b\"}",
        ] {
            assert_eq!(native("edit_file", arguments), Ok(edit.clone()), "{arguments}");
        }
        assert_eq!(native("done", ""), Ok(Action::Done));
        let todo = Action::Tool { name: "todo".into(), arguments: serde_json::json!({"a": 1}) };
        assert_eq!(native("todo", r#"{"a":1}"#), Ok(todo));
        assert!(matches!(native("read_file", "{"), Err(Malformed::BadArguments { .. })));
        assert!(matches!(native("read_file", "{}"), Err(Malformed::BadArguments { .. })));
    }

    #[test]
    fn streamed_calls_are_joined_by_index_or_id() {
        let check = |pieces: &[(Option<u64>, Option<&str>, Option<&str>, &str)], expected: &[(&str, &str, &str)]| {
            let mut joiner = CallJoiner::default();
            for (index, id, name, arguments) in pieces {
                joiner.push(*index, *id, *name, arguments);
            }
            let calls = joiner.finish();
            let calls: Vec<_> = calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
            assert_eq!(calls, expected);
        };
        let both = [("a", "x", "{1}"), ("b", "y", "{2}")];
        check(
            &[
                (Some(0), Some("a"), Some("x"), "{"),
                (Some(1), Some("b"), Some("y"), "{"),
                (Some(0), None, None, "1}"),
                (Some(1), None, None, "2}"),
            ],
            &both,
        );
        // The same index for all, as some servers send it.
        check(
            &[
                (Some(0), Some("a"), Some("x"), "{1"),
                (Some(0), None, None, "}"),
                (Some(0), Some("b"), Some("y"), "{2}"),
            ],
            &both,
        );
        // No index at all.
        check(
            &[(None, Some("a"), Some("x"), "{1"), (None, None, None, "}"), (None, Some("b"), Some("y"), "{2}")],
            &both,
        );
    }

    #[test]
    fn other_dialects_are_calls() {
        let read = |path: &str| Item::Action(Action::ReadFile { path: path.into(), lines: None });
        let xml = "<function=read_file>\n<parameter=path>\na.rs\n</parameter>\n</function>";
        assert_eq!(from_xml(xml), Some(vec![read("a.rs")]));
        let xml = r#"<invoke name="read_file"><parameter name="path">a.rs</parameter></invoke>"#;
        assert_eq!(from_xml(xml), Some(vec![read("a.rs")]));
        let json = r#"{"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.rs\"}"}}"#;
        assert_eq!(from_json(json, &[]), Some(vec![read("a.rs")]));
        assert_eq!(from_json(r#"{"name":"left-pad","version":"1.0"}"#, &[]), None);
    }
}
