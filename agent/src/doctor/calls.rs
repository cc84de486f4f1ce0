//! Calls of tools: by the server's own means, and as JSON in the text.

use serde_json::{Value, json};

use super::{Check, Examination};
use crate::action::Action;
use crate::protocol::{Ending, Options, parse};
use crate::provider::{Facts, Message, Protocol, ProviderError, Request, Tool};

/// Folders that are asked for, one a question.
const FOLDERS: [&str; 2] = ["src", "tests/data"];

impl Examination<'_> {
    pub(super) async fn calls(&mut self, facts: &Facts) {
        let native = if facts.tools == Some(false) { None } else { self.native().await };
        let text = self.as_text().await;
        let all = FOLDERS.len();
        // Only a model that never missed is trusted with the server's calls.
        let takes_native = native == Some(all);
        self.recommended.capabilities.tools = takes_native;
        self.recommended.protocol = if takes_native { Protocol::Native } else { Protocol::Text };
        let said = native.map_or("the server has no calls of its own".to_owned(), |right| {
            format!("{right} of {all} calls of the server's own are right")
        });
        let best = native.unwrap_or(0).max(text) as f64 / all as f64;
        self.note(Check::new("calls", 15, best, format!("{said}; {text} of {all} as JSON in the text")));
    }

    /// How many were right; nothing if the server has none.
    async fn native(&mut self) -> Option<usize> {
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        let tool = Tool { name: "list_directory".into(), description: "Lists the files of a folder.".into(), schema };
        let mut right = 0;
        for folder in FOLDERS {
            let mut request = Request::ask(format!("Which files are in the folder {folder}? Use the tool."));
            request.tools = vec![tool.clone()];
            request.output_limit = Some(120);
            match self.ask(request).await {
                Ok(timed) => {
                    let calls = timed.whole.finish.calls;
                    let path = calls.first().and_then(|call| serde_json::from_str::<Value>(&call.arguments).ok());
                    let path = path.as_ref().and_then(|arguments| arguments.get("path")?.as_str());
                    let is_it = calls.len() == 1 && calls[0].name == "list_directory" && path == Some(folder);
                    right += usize::from(is_it);
                }
                Err(ProviderError::NoTools { .. }) => return None,
                Err(_) => {}
            }
        }
        Some(right)
    }

    async fn as_text(&mut self) -> usize {
        let rules = "You can list folders. To do it, answer with nothing but this JSON:\n\
            {\"name\": \"list_directory\", \"arguments\": {\"path\": \"the/folder\"}}";
        let mut right = 0;
        for folder in FOLDERS {
            let request = Request {
                messages: vec![
                    Message::system(rules),
                    Message::user(format!("Which files are in the folder {folder}?")),
                ],
                output_limit: Some(120),
                ..Request::default()
            };
            let Ok(timed) = self.ask(request).await else { continue };
            let reply = parse(timed.whole.text.as_bytes(), Options::default(), Ending::Whole);
            let path = reply.actions().find_map(|action| match action {
                Action::ListDirectory { path } => Some(path.trim_end_matches('/').to_owned()),
                _ => None,
            });
            right += usize::from(path.as_deref() == Some(folder));
        }
        right
    }
}
