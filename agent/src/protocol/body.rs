//! The content of a tag: where it ends, and what action it makes.
//!
//! Content is opaque: nothing in it is acted on. It ends at the tag's own closing, standing alone or at the end of a
//! line; within an open block only alone. Another tag's closing ends it only where nothing of the content follows.

use serde_json::{Map, Value};

use super::blocks::EditReader;
use super::call;
use super::fence::{self, Fence};
use super::reply::{Ending, Item, Malformed, Quirk};
use super::tag::{self, Attributes, Peek, Shape};
use crate::action::{Action, Lines};

/// A tag whose content is being read.
#[derive(Debug)]
pub(super) struct Body {
    name: String,
    shape: Shape,
    attributes: Attributes,
    content: String,
    edit: EditReader,
    /// On the line of the opening tag.
    first_line: bool,
    /// Tags of the same name that are open within the content.
    nested: usize,
    /// How long the content was before a closing tag of another name.
    wrongly_closed: Option<usize>,
    closed: bool,
    quirks: Vec<Quirk>,
}

/// What became of a line.
pub(super) enum Taken {
    /// It is content, with its ending.
    Line,
    /// The tag ends within it, after so many bytes.
    Closed(usize),
}

impl Body {
    pub fn new(name: String, shape: Shape, attributes: Attributes) -> Self {
        Self {
            name,
            shape,
            attributes,
            content: String::new(),
            edit: EditReader::default(),
            first_line: true,
            nested: 0,
            wrongly_closed: None,
            closed: true,
            quirks: Vec::new(),
        }
    }

    /// The file it is about, as far as its attributes say.
    pub fn path(&self) -> Option<String> {
        let path = self.attributes.get("path").or_else(|| self.attributes.get("from"));
        path.map(|path| tag::clean_path(path).0)
    }

    /// The name of the tool that is called, or the tag's.
    pub fn tool_name(&self) -> String {
        let named = self.attributes.get("name").filter(|_| self.name == "tool");
        named.unwrap_or(&self.name).to_owned()
    }

    /// Whether its attributes say all: what follows is no content.
    pub fn is_complete(&self) -> bool {
        let has = |names: &[&str]| names.iter().all(|name| self.attributes.get(name).is_some());
        match self.name.as_str() {
            "read_file" | "list_directory" | "delete_file" => has(&["path"]),
            "search_code" => has(&["query"]),
            "rename_file" => has(&["from", "to"]),
            "run_command" => has(&["command"]),
            "done" => true,
            _ => self.shape == Shape::Void && !self.attributes.0.is_empty(),
        }
    }

    /// Takes the next line, without its ending.
    pub fn line(&mut self, line: &str, ended: bool, tools: &[String]) -> Taken {
        let first = std::mem::replace(&mut self.first_line, false);
        let nested = self.nested;
        if let Some(closing) = self.own_closing(line, first) {
            let before = &line[..closing.start];
            if !before.trim().is_empty() {
                self.keep(before, false);
            }
            return Taken::Closed(closing.end);
        }
        if nested == self.nested
            && let Some(closed) = self.implied_closing(line, tools)
        {
            return closed;
        }
        if first && line.trim().is_empty() {
            return Taken::Line;
        }
        self.keep(line, ended);
        Taken::Line
    }

    fn keep(&mut self, line: &str, ended: bool) {
        if self.name == "edit_file" {
            let path = self.path().unwrap_or_default();
            self.edit.line(line, &path);
        } else {
            self.content.push_str(line);
            if ended {
                self.content.push('\n');
            }
        }
    }

    /// Where its own closing tag is on the line, if it counts there.
    fn own_closing(&mut self, line: &str, first: bool) -> Option<std::ops::Range<usize>> {
        if !line.contains('<') {
            return None;
        }
        let trimmed = line.trim_start();
        if self.edit.in_block() {
            let start = line.rfind("</")?;
            let closing = self.closing_at(line, start)?;
            let alone = line[..start].trim().is_empty() || self.edit.closes(&line[..start]);
            return (alone && line[closing.end..].trim().is_empty()).then_some(closing);
        }
        // A tag of the same name within the content must close before this one does.
        if !first && self.name != "edit_file" && opens(trimmed, &self.name) && !trimmed.ends_with("/>") {
            self.nested += 1;
        }
        for (start, _) in line.match_indices("</") {
            let Some(closing) = self.closing_at(line, start) else { continue };
            let after = line[closing.end..].trim_start();
            if !first && !after.is_empty() && !after.starts_with(['<', '`']) {
                continue;
            }
            if self.nested > 0 {
                self.nested -= 1;
                continue;
            }
            return Some(closing);
        }
        None
    }

    fn closing_at(&self, line: &str, start: usize) -> Option<std::ops::Range<usize>> {
        match tag::peek(&line[start..], true, std::slice::from_ref(&self.name)) {
            Peek::Close(name, length) if name == self.name => Some(start..start + length),
            _ => None,
        }
    }

    /// Whether the line shows that the tag had ended before it, or ends with another tag's closing.
    fn implied_closing(&mut self, line: &str, tools: &[String]) -> Option<Taken> {
        let trimmed = line.trim();
        if self.edit.in_block() || trimmed.is_empty() {
            return None;
        }
        let closing = only_closings(trimmed);
        if self.name == "edit_file" {
            let blocks = self.edit.has_blocks();
            if blocks && closing {
                self.quirks.push(Quirk::WrongClosing);
                return Some(Taken::Closed(line.len()));
            }
            if blocks && matches!(tag::peek(trimmed, true, tools), Peek::Open(..)) {
                self.quirks.push(Quirk::MissingClosing);
                return Some(Taken::Closed(0));
            }
            return None;
        }
        if closing && self.nested == 0 {
            self.wrongly_closed.get_or_insert(self.content.len());
            return None;
        }
        let length = self.wrongly_closed?;
        if trimmed.starts_with('<') && matches!(tag::peek(trimmed, true, tools), Peek::Open(..)) {
            self.content.truncate(length);
            self.quirks.push(Quirk::WrongClosing);
            return Some(Taken::Closed(0));
        }
        if !trimmed.starts_with("```") {
            self.wrongly_closed = None;
        }
        None
    }

    /// The same once the reply has ended without its closing tag.
    pub fn at_end_of_reply(mut self) -> Self {
        self.closed = false;
        if let Some(length) = self.wrongly_closed.filter(|_| self.nested == 0) {
            self.content.truncate(length);
            self.quirks.push(Quirk::WrongClosing);
            self.closed = true;
        }
        self
    }

    /// The actions it makes: one, but for calls of other dialects.
    pub fn finish(mut self, ending: Ending, tools: &[String]) -> (Vec<Item>, Vec<Quirk>) {
        if !self.closed {
            let open = |tag: &str| Malformed::NotClosed { tag: tag.to_owned(), ending };
            let whole_blocks = self.edit.has_blocks() && !self.edit.in_block() && ending == Ending::Whole;
            let edit = self.name == "edit_file" && (whole_blocks || self.edit.in_block());
            if edit || (self.shape == Shape::Call && ending == Ending::Whole) {
                self.quirks.push(Quirk::MissingClosing);
            } else {
                let items = vec![Item::Malformed(open(&self.name))];
                return (items, self.quirks);
            }
        }
        if self.shape == Shape::Call {
            return self.foreign(tools);
        }
        self.elements();
        let action = self.action(ending, tools);
        let mut quirks = std::mem::take(&mut self.quirks);
        quirks.extend(std::mem::take(&mut self.edit.quirks));
        (vec![call::item(action)], quirks)
    }

    fn foreign(mut self, tools: &[String]) -> (Vec<Item>, Vec<Quirk>) {
        let content = self.content.trim();
        let content = content.strip_prefix("```json").or(content.strip_prefix("```")).unwrap_or(content);
        let content = content.strip_suffix("```").unwrap_or(content).trim();
        let (items, quirk) = match (call::from_json(content, tools), call::from_xml(content)) {
            (Some(items), _) => (items, Quirk::JsonCall),
            (None, Some(items)) => (items, Quirk::ForeignCall),
            (None, None) => {
                let reason = "it holds no call like {\"name\": …, \"arguments\": {…}}".to_owned();
                let wrong = Malformed::BadArguments { name: self.name.clone(), reason };
                (vec![Item::Malformed(wrong)], Quirk::JsonCall)
            }
        };
        self.quirks.push(quirk);
        (items, self.quirks)
    }

    /// Takes attributes from elements within the content: `<read_file><path>a.rs</path></read_file>`.
    fn elements(&mut self) {
        let names: &[&str] = match self.name.as_str() {
            "edit_file" | "create_file" | "write_file" | "write_symbol" if self.attributes.get("path").is_some() => &[],
            "edit_file" | "create_file" | "write_file" => &["path"],
            "write_symbol" => &["path", "name"],
            "tool" => &[],
            _ => &["path", "lines", "query", "from", "to", "command"],
        };
        for name in names.iter().filter(|name| self.attributes.get(name).is_none()).collect::<Vec<_>>() {
            let text = if self.name == "edit_file" { &mut self.edit.loose } else { &mut self.content };
            if text.is_empty() {
                break;
            }
            let (open, close) = (format!("<{name}>"), format!("</{name}>"));
            let (Some(start), Some(end)) = (text.find(&open), text.find(&close)) else { continue };
            // Only at the start: further on it is content.
            if end < start + open.len() || (self.shape != Shape::Void && !text[..start].trim().is_empty()) {
                continue;
            }
            let value = text[start + open.len()..end].trim().to_owned();
            let rest = &text[end + close.len()..];
            let rest = rest.strip_prefix('\n').unwrap_or(rest).to_owned();
            *text = format!("{}{rest}", &text[..start]);
            self.attributes.0.push(((*name).to_owned(), value));
            self.quirks.push(Quirk::ElementAttributes);
        }
    }

    fn action(&mut self, ending: Ending, tools: &[String]) -> Result<Action, Malformed> {
        match self.name.as_str() {
            "read_file" => {
                let path = self.attribute_path("path")?;
                let lines = match self.attributes.get("lines").map(str::trim).filter(|lines| !lines.is_empty()) {
                    None => None,
                    Some(written) => {
                        let wrong = || Malformed::BadLines { value: written.to_owned() };
                        Some(Lines::parse(written).ok_or_else(wrong)?)
                    }
                };
                Ok(Action::ReadFile { path, lines })
            }
            "search_code" => {
                let path = self.attribute_path("path").ok().filter(|path| !path.is_empty());
                Ok(Action::SearchCode { query: self.attribute("query")?, path })
            }
            "list_directory" => Ok(Action::ListDirectory { path: self.attribute_path("path").unwrap_or_default() }),
            "rename_file" => {
                Ok(Action::RenameFile { from: self.attribute_path("from")?, to: self.attribute_path("to")? })
            }
            "delete_file" => Ok(Action::DeleteFile { path: self.attribute_path("path")? }),
            "run_command" => Ok(Action::RunCommand { command: self.attribute("command")? }),
            "done" => Ok(Action::Done),
            "edit_file" => self.edit(ending),
            "write_symbol" => Ok(Action::WriteSymbol {
                path: self.attribute_path("path")?,
                name: self.attribute("name")?,
                content: self.content()?,
            }),
            "write_file" => Ok(Action::WriteFile { path: self.attribute_path("path")?, content: self.content()? }),
            "create_file" => {
                let path = self.attribute_path("path")?;
                Ok(Action::CreateFile { path, content: self.content().unwrap_or_default() })
            }
            "tool" => self.tool(),
            name if tools.iter().any(|tool| tool == name) => {
                Ok(Action::Tool { name: name.to_owned(), arguments: self.attributes_as_json() })
            }
            name => Err(Malformed::Empty { tag: name.to_owned() }),
        }
    }

    fn edit(&mut self, ending: Ending) -> Result<Action, Malformed> {
        let path = self.attribute_path("path")?;
        let mut reader = std::mem::take(&mut self.edit);
        let loose = std::mem::take(&mut reader.loose);
        self.quirks.append(&mut reader.quirks);
        reader.loose.clone_from(&loose);
        let blocks = reader.finish(&path, ending)?;
        if !blocks.is_empty() {
            return Ok(Action::EditFile { path, blocks });
        }
        let content = self.without_fence(loose, &path);
        if content.trim().is_empty() {
            return Err(Malformed::Empty { tag: self.name.clone() });
        }
        self.quirks.push(Quirk::EditWithoutBlocks);
        Ok(Action::WriteCode { path: Some(path), content })
    }

    fn tool(&mut self) -> Result<Action, Malformed> {
        let name = self.attribute("name")?;
        let content = self.content.trim();
        let content = content.strip_prefix("```json").unwrap_or(content).trim_matches('`').trim();
        let arguments = match content {
            "" => {
                self.attributes.0.retain(|(key, _)| key != "name");
                self.attributes_as_json()
            }
            content => call::parse(content).map_err(|error| Malformed::BadArguments {
                name: name.clone(),
                reason: format!("they are no JSON: {error}"),
            })?,
        };
        Ok(Action::Tool { name, arguments })
    }

    fn attributes_as_json(&self) -> Value {
        let fields = self.attributes.0.iter().map(|(key, value)| (key.clone(), Value::String(value.clone())));
        Value::Object(fields.collect::<Map<_, _>>())
    }

    fn attribute(&self, name: &'static str) -> Result<String, Malformed> {
        let content = self.content.trim();
        match self.attributes.get(name) {
            Some(value) => Ok(value.to_owned()),
            // `<run_command>ls</run_command>`
            None if self.shape == Shape::Void && !content.is_empty() && !content.contains(['<', '\n']) => {
                Ok(content.to_owned())
            }
            None => Err(Malformed::MissingAttribute { tag: self.name.clone(), attribute: name }),
        }
    }

    fn attribute_path(&mut self, name: &'static str) -> Result<String, Malformed> {
        let (path, decorated) = tag::clean_path(&self.attribute(name)?);
        if decorated {
            self.quirks.push(Quirk::DecoratedPath);
        }
        Ok(path)
    }

    fn content(&mut self) -> Result<String, Malformed> {
        let content = match self.attributes.get("content") {
            Some(content) if self.content.trim().is_empty() => content.to_owned(),
            _ => std::mem::take(&mut self.content),
        };
        let path = self.path().unwrap_or_default();
        let content = self.without_fence(content, &path);
        match content.trim() {
            "" => Err(Malformed::Empty { tag: self.name.clone() }),
            _ => Ok(content),
        }
    }

    /// Without the fence around all of it: both its lines, or neither.
    fn without_fence(&mut self, content: String, path: &str) -> String {
        let lines: Vec<&str> = content.split_inclusive('\n').collect();
        let filled = |line: &&str| !line.trim().is_empty();
        let (Some(first), Some(last)) = (lines.iter().position(filled), lines.iter().rposition(filled)) else {
            return content;
        };
        let Some(fence) = Fence::open(lines[first]).filter(|_| last > first) else { return content };
        // A README that begins with a block of its own and ends with another is whole already.
        let around = match fence::is_markdown_path(path) && !fence.is_markdown(None) {
            true => false,
            false if fence.is_markdown(Some(path)) => {
                fence::markdown_end(&fence, &lines[first + 1..]) == Some(last - first - 1)
            }
            false => fence.closed_by(lines[last]),
        };
        if !around {
            return content;
        }
        self.quirks.push(Quirk::InnerFence);
        lines[first + 1..last].concat()
    }
}

/// Whether `text` begins with an opening tag of that name.
fn opens(text: &str, name: &str) -> bool {
    text.strip_prefix('<')
        .and_then(|text| text.strip_prefix(name))
        .is_some_and(|after| after.starts_with([' ', '>', '\t']))
}

/// Whether a line holds closing tags that may be meant for ours, and nothing else.
fn only_closings(line: &str) -> bool {
    let mut rest = line;
    while !rest.is_empty() {
        let Peek::Close(_, length) = (if rest.starts_with("</") { tag::peek(rest, true, &[]) } else { Peek::No })
        else {
            return false;
        };
        rest = rest[length..].trim_start();
    }
    true
}
