//! Calls of tools: by the server's own means, and as JSON in the text.

use serde_json::{Value, json};

use super::{Check, Examination, Unasked};
use crate::action::Action;
use crate::protocol::{Ending, Options, parse};
use crate::provider::{Facts, Message, Protocol, ProviderError, Request, Tool};

/// Folders that are asked for, one a question.
const FOLDERS: [&str; 2] = ["src", "tests/data"];

/// How many of the calls of one kind were right; nothing where the server has none of that kind.
type Right = Result<Option<usize>, Unasked>;

impl Examination<'_> {
    pub(super) async fn calls(&mut self, facts: &Facts) {
        const NAME: &str = "calls";
        let native = if facts.tools == Some(false) { Ok(None) } else { self.native().await };
        let (native, text) = match (native, self.as_text().await) {
            (Ok(native), Ok(text)) => (native, text.unwrap_or(0)),
            // What was seen of one kind alone decides nothing.
            (Err(none), _) | (_, Err(none)) => return self.note(none.as_check(NAME, 15)),
        };
        let all = FOLDERS.len();
        // Only a model that never missed is trusted with the server's calls.
        let takes_native = native == Some(all);
        self.recommended.capabilities.tools = takes_native;
        self.recommended.protocol = if takes_native { Protocol::Native } else { Protocol::Text };
        let said = native.map_or("the server has no calls of its own".to_owned(), |right| {
            format!("{right} of {all} calls of the server's own are right")
        });
        let best = native.unwrap_or(0).max(text) as f64 / all as f64;
        self.note(Check::new(NAME, 15, best, format!("{said}; {text} of {all} as JSON in the text")));
    }

    async fn native(&mut self) -> Right {
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        let tool = Tool { name: "list_directory".into(), description: "Lists the files of a folder.".into(), schema };
        let mut right = 0;
        for (number, folder) in FOLDERS.iter().enumerate() {
            let mut request = Request::ask(format!("Which files are in the folder {folder}? Use the tool."));
            request.tools = vec![tool.clone()];
            request.output_limit = Some(120);
            let what = format!("asking for a call of the server's own, {} of {}", number + 1, FOLDERS.len());
            let calls = match self.ask(&what, request).await {
                Ok(timed) => timed.whole.finish.calls,
                Err(Unasked::Failed(ProviderError::NoTools { .. })) => return Ok(None),
                Err(none) => return Err(none),
            };
            let path = calls.first().and_then(|call| serde_json::from_str::<Value>(&call.arguments).ok());
            let path = path.as_ref().and_then(|arguments| arguments.get("path")?.as_str());
            let is_it = calls.len() == 1 && calls[0].name == "list_directory" && path == Some(folder);
            right += usize::from(is_it);
        }
        Ok(Some(right))
    }

    async fn as_text(&mut self) -> Right {
        let rules = "You can list folders. To do it, answer with nothing but this JSON:\n\
            {\"name\": \"list_directory\", \"arguments\": {\"path\": \"the/folder\"}}";
        let mut right = 0;
        for (number, folder) in FOLDERS.iter().enumerate() {
            let request = Request {
                messages: vec![
                    Message::system(rules),
                    Message::user(format!("Which files are in the folder {folder}?")),
                ],
                output_limit: Some(120),
                ..Request::default()
            };
            let what = format!("asking for a call in the text, {} of {}", number + 1, FOLDERS.len());
            let timed = self.ask(&what, request).await?;
            let reply = parse(timed.whole.text.as_bytes(), Options::default(), Ending::Whole);
            let path = reply.actions().find_map(|action| match action {
                Action::ListDirectory { path } => Some(path.trim_end_matches('/').to_owned()),
                _ => None,
            });
            right += usize::from(path.as_deref() == Some(folder));
        }
        Ok(Some(right))
    }
}
