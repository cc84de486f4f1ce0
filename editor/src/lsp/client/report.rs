//! Diagnostics as a server sends them, made into ours.
//!
//! Each is taken by itself and field by field: servers send lines of -1, links that are none, severities that do not exist.
//! What cannot be read of one is left out, and does not cost the others.

use std::path::PathBuf;

use async_lsp::lsp_types::Url;
use serde_json::Value;

use crate::lsp::position::{self, Encoding, Position};
use crate::lsp::{Diagnostic, Related, Severity};
use crate::text::Text;

/// A diagnostic in the protocol's positions: for as long as there is no text to make them places of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    start: Position,
    end: Position,
    /// All but the range.
    diagnostic: Diagnostic,
}

/// Reads a list of diagnostics, at most `limit`.
pub fn read(items: &Value, limit: usize) -> Vec<Said> {
    items.as_array().into_iter().flatten().take(limit).filter_map(read_one).collect()
}

fn read_one(item: &Value) -> Option<Said> {
    let range = item.get("range")?;
    let (start, end) = (position_of(&range["start"]), position_of(&range["end"]));
    let has_tag = |tag: i64| item["tags"].as_array().is_some_and(|tags| tags.iter().any(|t| t.as_i64() == Some(tag)));
    let diagnostic = Diagnostic {
        range: 0..0,
        severity: severity(&item["severity"]),
        message: text_of(&item["message"])?,
        source: text_of(&item["source"]),
        code: text_of(&item["code"]),
        // Before `codeDescription` some put code and link into one object.
        link: text_of(&item["codeDescription"]["href"]).or_else(|| text_of(&item["code"]["target"])),
        unnecessary: has_tag(1),
        deprecated: has_tag(2),
        related: item["relatedInformation"].as_array().into_iter().flatten().filter_map(related).collect(),
    };
    Some(Said { start, end, diagnostic })
}

/// Text, a number, or an object that has it in `value`.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(object) => object.get("value").and_then(text_of),
        _ => None,
    }
}

fn severity(value: &Value) -> Severity {
    match value.as_i64() {
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        _ => Severity::Error,
    }
}

fn related(item: &Value) -> Option<Related> {
    let location = &item["location"];
    Some(Related {
        path: path_of(location["uri"].as_str()?)?,
        line: position_of(&location["range"]["start"]).line,
        message: text_of(&item["message"]).unwrap_or_default(),
    })
}

/// A position; what is below 0 is 0, what is too large the largest there is.
fn position_of(value: &Value) -> Position {
    let number = |value: &Value| value.as_f64().unwrap_or_default().clamp(0.0, f64::from(u32::MAX)) as u32;
    Position { line: number(&value["line"]), character: number(&value["character"]) }
}

/// The file an address names, if it names one.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

impl Said {
    /// The diagnostic in `text`.
    pub fn within(self, text: &Text, encoding: Encoding) -> Diagnostic {
        Diagnostic { range: position::range(text, self.start, self.end, encoding), ..self.diagnostic }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain(message: &str) -> Diagnostic {
        Diagnostic {
            range: 0..0,
            severity: Severity::Error,
            message: message.to_owned(),
            source: None,
            code: None,
            link: None,
            unnecessary: false,
            deprecated: false,
            related: Vec::new(),
        }
    }

    #[track_caller]
    fn check(item: Value, expected: Option<Diagnostic>) {
        let text = Text::from("const 𝒳 = foo\r\n");
        let found = read(&json!([item]), 10).pop().map(|said| said.within(&text, Encoding::Utf16));
        assert_eq!(found, expected, "{item}");
    }

    #[test]
    fn a_whole_one_is_read_whole() {
        let place = json!({"start": {"line": 0, "character": 11}, "end": {"line": 0, "character": 14}});
        let item = json!({
            "range": place, "severity": 2, "code": 2304, "source": "ts", "message": "m", "tags": [1, 2, 9],
            "codeDescription": {"href": "https://example.org"},
            "relatedInformation": [{"location": {"uri": "file:///a%20b", "range": place}, "message": "r"}, {"location": 1}],
        });
        let expected = Diagnostic {
            range: 13..16,
            severity: Severity::Warning,
            source: Some("ts".to_owned()),
            code: Some("2304".to_owned()),
            link: Some("https://example.org".to_owned()),
            unnecessary: true,
            deprecated: true,
            related: vec![Related { path: PathBuf::from("/a b"), line: 0, message: "r".to_owned() }],
            ..plain("m")
        };
        check(item, Some(expected));
    }

    #[test]
    fn odd_ones_are_read_as_far_as_they_go() {
        let at = |line: Value, character: Value| json!({"start": {"line": line, "character": character}, "end": null});
        check(json!({"range": at(json!(-1), json!(-1)), "message": "m"}), Some(plain("m")));
        let end = Diagnostic { range: 0..16, ..plain("m") };
        check(json!({"range": at(json!(0), json!(1e30)), "message": "m", "severity": 99}), Some(end));
        let item = json!({"range": at(json!(0), json!(0)), "message": {"kind": "markdown", "value": "m"}, "code": "",
            "codeDescription": {"href": 3}, "tags": "no"});
        check(item, Some(Diagnostic { link: Some("3".to_owned()), ..plain("m") }));
        check(json!({"message": "m"}), None);
        check(json!("m"), None);
    }

    #[test]
    fn addresses_of_files_are_paths() {
        assert_eq!(path_of("file:///tmp/%C3%A4%23.py"), Some(PathBuf::from("/tmp/ä#.py")));
        assert_eq!(path_of("file:///a/../b"), Some(PathBuf::from("/b")));
        for uri in ["untitled:1", "https://example.org/a", "not an address", ""] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
    }
}
