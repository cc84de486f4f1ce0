//! Tools: everything a model may use beside editing files.
//!
//! A [`Tool`] is one value: name, description, schema, whether it only reads, and what it does. Registering it in a
//! [`Toolbox`] gives its text in the prompt, its native schema, its place in the parser and a question before it is used,
//! if it does more than read; there is nothing else to be changed for a new one.

mod browse;
mod outline;
mod symbols;
#[cfg(test)]
mod tests;
mod todo;
pub mod web;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use editor::Cancel;
use serde_json::Value;

pub use browse::{LONG, attachment, fenced, list_directory, read_file, search_code};
pub use outline::outline;
pub(crate) use outline::render as rendered_outline;
pub use symbols::{Symbol, symbol, symbols};
pub use todo::{Item, State, Todo, TodoError};

use crate::context::Shown;
use crate::host::Host;
use crate::secrets::Secrets;

/// What tools work on.
pub struct World {
    /// Files, people, the editor.
    pub host: Arc<dyn Host>,
    /// The filter that all results go through.
    pub secrets: Arc<Secrets>,
    /// The session's list of what is to be done.
    pub todo: Mutex<Todo>,
}

/// One use of a tool.
pub struct Use<'a> {
    /// What it is asked.
    pub arguments: &'a Value,
    /// What it works on.
    pub world: &'a World,
    /// Set when nobody waits any more.
    pub cancel: &'a Cancel,
}

impl Use<'_> {
    /// A text among the arguments.
    ///
    /// # Errors
    /// An outcome that says what is missing.
    pub fn text(&self, name: &str) -> Result<&str, Outcome> {
        let text = self.arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| Outcome::failed(format!("the argument \"{name}\" is missing; it must be a text")))
    }
}

/// What came of an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether it did what was asked.
    pub ok: bool,
    /// What the model is told. Secrets are masked in it.
    pub text: String,
    /// The lines of a file that it shows.
    pub shown: Option<Shown>,
    /// What was fetched for it.
    pub fetched: Option<Box<Fetched>>,
}

/// Something that came from the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The address.
    pub from: String,
    /// Bytes that came.
    pub bytes: u64,
    /// Their hash.
    pub hash: String,
}

impl Outcome {
    /// Done.
    pub fn done(text: impl Into<String>) -> Self {
        Self { ok: true, text: text.into(), ..Self::default() }
    }

    /// Not done, and why.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What a tool does.
pub type Run = Arc<dyn Fn(&Use<'_>) -> Outcome + Send + Sync>;

/// A tool.
#[derive(Clone)]
pub struct Tool {
    /// Its name, of a–z, 0–9 and `_`.
    pub name: String,
    /// What it does, in one sentence for the model.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
    /// Whether it changes nothing. Such uses of one reply run side by side, and need no permission.
    pub reads: bool,
    /// What it does.
    pub run: Run,
}

/// The tools that are enabled, by name: their order is that of the prompt, which must not change.
#[derive(Clone, Default)]
pub struct Toolbox(BTreeMap<String, Tool>);

impl Toolbox {
    /// What comes with the program and needs nothing but the world.
    pub fn standard() -> Self {
        let mut tools = Self::default();
        for tool in [browse::context(), browse::definition(), browse::outline_tool(), todo::tool(), ask_user()] {
            tools.add(tool);
        }
        tools
    }

    /// Registers a tool. One of the same name is replaced.
    pub fn add(&mut self, tool: Tool) {
        self.0.insert(tool.name.clone(), tool);
    }

    /// Without a tool.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Leaves only those for which `keep` holds.
    pub fn retain(&mut self, keep: impl Fn(&Tool) -> bool) {
        self.0.retain(|_, tool| keep(tool));
    }

    /// A tool by its name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.0.get(name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.0.values()
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// What a prompt in text mode says of them: a line each, with its arguments.
    pub fn prompt(&self) -> String {
        let mut out = String::new();
        for tool in self.0.values() {
            // Writing into a string cannot fail.
            let _ = writeln!(out, "<tool name=\"{}\">{}</tool> {}", tool.name, example(&tool.schema), tool.description);
        }
        out
    }
}

/// Arguments as an example: `{"name": "…", "items": […]}`, what may be left out left out.
fn example(schema: &Value) -> String {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let fields = properties.into_iter().flatten().filter(|(name, _)| required.iter().any(|r| r == name.as_str()));
    let field = |(name, schema): (&String, &Value)| {
        let value = match schema.get("enum").and_then(Value::as_array) {
            Some(values) => {
                let values: Vec<_> = values.iter().filter_map(Value::as_str).collect();
                format!("\"{}\"", values.join("|"))
            }
            None => match schema.get("type").and_then(Value::as_str) {
                Some("integer" | "number") => "1".to_owned(),
                Some("boolean") => "true".to_owned(),
                Some("array") => "[…]".to_owned(),
                _ => "\"…\"".to_owned(),
            },
        };
        format!("\"{name}\": {value}")
    };
    format!("{{{}}}", fields.map(field).collect::<Vec<_>>().join(", "))
}

/// Asks the person.
fn ask_user() -> Tool {
    Tool {
        name: "ask_user".to_owned(),
        description: "asks the person something that you cannot find out".to_owned(),
        schema: serde_json::json!({
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "choices": {"type": "array", "items": {"type": "string"}, "description": "answers to choose from"}
            },
            "required": ["question"]
        }),
        reads: false,
        run: Arc::new(|call| {
            let question = match call.text("question") {
                Ok(question) => question,
                Err(outcome) => return outcome,
            };
            let choices = call.arguments.get("choices").and_then(Value::as_array);
            let choices: Vec<_> =
                choices.into_iter().flatten().filter_map(|choice| choice.as_str().map(str::to_owned)).collect();
            match call.world.host.question(question, &choices, call.cancel) {
                Some(answer) => Outcome::done(format!("the answer: {}", call.world.secrets.clean(answer))),
                None => Outcome::failed("nobody answers; decide yourself, and say in your report what you decided"),
            }
        }),
    }
}
