//! Reading pages of the web, and searching it. Both are absent unless the person allows the web, and each page is asked
//! about before it is fetched.
//!
//! Pages are shown as text: what says nothing (scripts, styles, tags) is left out, links keep their addresses.

use std::sync::Arc;

use editor::Cancel;
use serde_json::{Value, json};

use super::{Outcome, Tool, Toolbox};
use crate::audit;
use crate::provider::web::{Page, Web, WebError};

/// Characters of a page that are shown.
const CHARACTERS: usize = 20_000;
/// Hits of a search that are shown.
const HITS: usize = 10;

/// A server that searches, and answers as SearXNG does.
#[derive(Clone, Debug)]
pub struct SearchServer {
    /// The way to it.
    pub web: Web,
    /// Its address.
    pub address: String,
}

/// Adds `web_fetch`, and `web_search` where there is a server to ask.
pub fn add(tools: &mut Toolbox, web: Web, runtime: tokio::runtime::Handle, search: Option<SearchServer>) {
    let on = runtime.clone();
    tools.add(Tool {
        name: "web_fetch".to_owned(),
        description: "shows a page of the web as text".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "url": {"type": "string"},
                "from": {"type": "integer", "description": "the character to begin at, for what was cut"}
            },
            "required": ["url"]
        }),
        reads: false,
        run: Arc::new(move |call| {
            let address = match call.text("url") {
                Ok(address) => address,
                Err(outcome) => return outcome,
            };
            let from = call.arguments.get("from").and_then(Value::as_u64).unwrap_or(0) as usize;
            match wait(&on, web.fetch(address, &[]), call.cancel) {
                Ok(page) => shown(&page, from),
                Err(failed) => failed,
            }
        }),
    });
    let Some(server) = search else { return };
    tools.add(Tool {
        name: "web_search".to_owned(),
        description: "searches the web".to_owned(),
        schema: json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}),
        reads: false,
        run: Arc::new(move |call| {
            let query = match call.text("query") {
                Ok(query) => query,
                Err(outcome) => return outcome,
            };
            let asked = [("q", query), ("format", "json")];
            match wait(&runtime, server.web.fetch(&server.address, &asked), call.cancel) {
                Ok(page) => hits(&page),
                Err(failed) => failed,
            }
        }),
    });
}

/// Waits for a page, and looks meanwhile whether to stop.
fn wait(
    runtime: &tokio::runtime::Handle,
    page: impl Future<Output = Result<Page, WebError>>,
    cancel: &Cancel,
) -> Result<Page, Outcome> {
    let stopped = async {
        while !cancel.is_cancelled() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    let page = runtime.block_on(async {
        tokio::select! {
            page = page => Some(page),
            () = stopped => None,
        }
    });
    match page {
        None => Err(Outcome::failed("stopped")),
        Some(page) => page.map_err(|error| Outcome::failed(error.to_string())),
    }
}

fn shown(page: &Page, from: usize) -> Outcome {
    let text = if page.kind.contains("html") { text_of(&page.text) } else { page.text.clone() };
    let all = text.chars().count();
    let part: String = text.chars().skip(from).take(CHARACTERS).collect();
    if part.is_empty() {
        return Outcome::failed(format!("{} has {all} characters", page.address));
    }
    let to = from + part.chars().count();
    let mut out = format!("{}\n{part}", page.address);
    if to < all {
        out.push_str(&format!("\n… (characters {from} to {to} of {all}; \"from\": {to} shows more)"));
    } else if page.cut {
        out.push_str("\n… (the page is longer; the rest was not fetched)");
    }
    fetched(out, page)
}

fn hits(page: &Page) -> Outcome {
    let Ok(answer) = serde_json::from_str::<Value>(&page.text) else {
        return Outcome::failed("the search server did not answer in JSON; its settings must allow format=json");
    };
    let field = |hit: &Value, name: &str| {
        let text = hit.get(name).and_then(Value::as_str).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let list = answer.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    let hit = |hit: &Value| format!("{}\n  {}\n  {}", field(hit, "title"), field(hit, "url"), field(hit, "content"));
    let told: Vec<_> = list.iter().take(HITS).map(hit).collect();
    let text = if told.is_empty() { "nothing was found".to_owned() } else { told.join("\n") };
    fetched(text, page)
}

fn fetched(text: String, page: &Page) -> Outcome {
    let hash = audit::hash(page.text.as_bytes());
    let fetched = super::Fetched { from: page.address.clone(), bytes: page.text.len() as u64, hash };
    Outcome { fetched: Some(Box::new(fetched)), ..Outcome::done(text) }
}

/// Elements whose content says nothing to a reader.
const SILENT: [&str; 8] = ["script", "style", "noscript", "svg", "template", "iframe", "nav", "head"];
/// Elements that begin a line.
const LINES: [&str; 22] = [
    "p",
    "div",
    "br",
    "li",
    "tr",
    "ul",
    "ol",
    "table",
    "pre",
    "blockquote",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dt",
];

/// The text of a page in HTML.
fn text_of(html: &str) -> String {
    let (mut out, mut rest) = (String::new(), html);
    let mut link: Option<String> = None;
    while let Some(at) = rest.find('<') {
        push(&mut out, &rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((tag, after)) = rest[1..].split_once('>') else { break };
        rest = after;
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        let closes = tag.starts_with('/');
        if SILENT.contains(&name.as_str()) && !closes && !tag.ends_with('/') {
            rest = behind(rest, &name);
        } else if name == "a" && !closes {
            link = attribute(tag, "href").filter(|to| to.starts_with("http"));
        } else if name == "a" {
            if let Some(to) = link.take() {
                out.push_str(&format!(" ({to})"));
            }
        } else if LINES.contains(&name.as_str()) {
            let level = name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok());
            out.push('\n');
            match level {
                Some(level) if !closes => out.push_str(&format!("\n{} ", "#".repeat(level))),
                _ if name == "li" && !closes => out.push_str("- "),
                _ => {}
            }
        }
    }
    push(&mut out, rest);
    let mut lines: Vec<&str> = Vec::new();
    for line in out.lines().map(str::trim_end) {
        if !line.trim().is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(if line.trim().is_empty() { "" } else { line });
        }
    }
    lines.join("\n").trim().to_owned()
}

/// Text with its entities decoded, space put together where it says nothing.
fn push(out: &mut String, text: &str) {
    for (n, part) in text.split('&').enumerate() {
        let Some((entity, after)) = part.split_once(';').filter(|(name, _)| n > 0 && name.len() <= 8) else {
            if n > 0 {
                out.push('&');
            }
            out.push_str(part);
            continue;
        };
        match entity_of(entity) {
            Some(c) => out.push(c),
            None => out.push_str(&format!("&{entity};")),
        }
        out.push_str(after);
    }
}

fn entity_of(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

/// What stands behind the end of an element.
fn behind<'a>(rest: &'a str, name: &str) -> &'a str {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(found) = rest[at..].find("</") {
        let start = at + found + 2;
        let end = start + name.len();
        if end <= bytes.len() && bytes[start..end].eq_ignore_ascii_case(name.as_bytes()) {
            return rest[end..].split_once('>').map_or("", |(_, after)| after);
        }
        at = start;
    }
    ""
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let at = tag.find(&format!("{name}="))?;
    let value = &tag[at + name.len() + 1..];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_its_text() {
        let html = "<html><head><title>x</title><style>a{}</style></head><body><h1>A &amp; B</h1>\n<script>if (a<b) {}</script>\
                    <p>One <a href=\"https://x.test/a\">link</a>, <b>two</b>.<ul><li>first<li>second</ul><!-- <p>no -->\
                    <pre>fn f() {\n    1 &lt; 2\n}</pre>";
        assert_eq!(
            text_of(html),
            "# A & B\n\nOne link (https://x.test/a), two.\n\n- first\n- second\n\nfn f() {\n    1 < 2\n}"
        );
        assert_eq!(text_of("a < b &unknown; & c"), "a < b &unknown; & c");
    }

    #[test]
    fn a_long_page_is_shown_in_parts() {
        let page = Page {
            address: "https://x.test/".into(),
            kind: "text/plain".into(),
            text: "é".repeat(CHARACTERS + 5),
            cut: false,
        };
        let first = shown(&page, 0);
        assert!(
            first.ok && first.text.contains("\"from\": 20000 shows more"),
            "{}",
            &first.text[first.text.len() - 90..]
        );
        assert_eq!(shown(&page, CHARACTERS).text, "https://x.test/\nééééé");
        assert!(!shown(&page, 99_999).ok);
    }
}
