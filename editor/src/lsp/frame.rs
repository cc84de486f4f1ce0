//! Messages out of what a server writes, whatever else it writes.
//!
//! A *frame* is a head of `Name: value` lines, one of them `Content-Length`, an empty line, and a body of that many bytes.
//! Servers write log lines in between, end lines with LF only, spell names as they like, count wrongly. What can be read
//! is read; the rest is *stray* and skipped up to the next head. A transport that has frames of its own (a WebSocket)
//! needs only [`admit`].
//!
//! Invariant: what [`admit`] lets through is a message that the main loop of the protocol's library accepts; it ends over
//! any other. Memory is bounded by the limit for a message, however long a server's line or body is.

use serde_json::{Value, json};

/// Longer lines without an end are stray, and not kept.
const LINE: usize = 64 * 1024;

/// Longer stray lines are cut where they are told.
const TOLD: usize = 1024;

const LENGTH: &str = "content-length:";

/// What was found in the bytes of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A body.
    Body(Vec<u8>),
    /// A body that was skipped, for it has this many bytes.
    TooLarge(usize),
    /// A line that belongs to no frame, cut if it is long.
    Stray(String),
}

/// Finds frames in bytes that come in pieces.
#[derive(Debug)]
pub struct Frames {
    limit: usize,
    state: State,
    /// What was not looked at yet.
    rest: Vec<u8>,
}

#[derive(Debug)]
enum State {
    /// Within a head, or before one; the length it named.
    Head(Option<usize>),
    /// A body of this many bytes follows.
    Body(usize),
    /// This many bytes of a body that is too large are still to be skipped.
    Skip(usize),
}

impl Frames {
    /// Bodies of more than `limit` bytes are skipped.
    pub fn new(limit: usize) -> Self {
        Self { limit, state: State::Head(None), rest: Vec::new() }
    }

    /// Takes the next bytes and tells what is found.
    pub fn push(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Found)) {
        self.rest.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(read) = self.step(at, tell) {
            at += read;
        }
        self.rest.drain(..at);
    }

    /// Looks at what stands from `at` on: how many bytes are done with, or `None` until there are more.
    fn step(&mut self, at: usize, tell: &mut dyn FnMut(Found)) -> Option<usize> {
        let rest = &self.rest[at..];
        match self.state {
            State::Head(length) => {
                let Some(end) = memchr::memchr(b'\n', rest) else {
                    if rest.len() <= LINE {
                        return None;
                    }
                    // A head may begin in the middle of such a line.
                    return find_length(rest).filter(|at| *at > 0).or(Some(rest.len() - LENGTH.len()));
                };
                let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
                self.state = match (length, line) {
                    (Some(length), []) if length > self.limit => {
                        tell(Found::TooLarge(length));
                        State::Skip(length)
                    }
                    (Some(length), []) => State::Body(length),
                    (length, line) => State::Head(head(length, line, tell)),
                };
                Some(end + 1)
            }
            State::Body(length) => {
                let body = rest.get(..length)?;
                self.state = State::Head(None);
                // A length that counts too much reaches into the next frame, which is not to be lost with this one.
                let body = &body[..end_of_value(body)];
                if !body.is_empty() {
                    tell(Found::Body(body.to_vec()));
                }
                Some(body.len())
            }
            State::Skip(0) => {
                self.state = State::Head(None);
                Some(0)
            }
            State::Skip(left) => {
                let skipped = rest.len().min(left);
                self.state = State::Skip(left - skipped);
                (skipped > 0).then_some(skipped)
            }
        }
    }
}

/// The length that is known after a line of a head.
fn head(known: Option<usize>, line: &[u8], tell: &mut dyn FnMut(Found)) -> Option<usize> {
    if let Some(at) = find_length(line) {
        let value = String::from_utf8_lossy(&line[at + LENGTH.len()..]);
        stray(&line[..at], tell);
        return value.trim().parse().ok().or(known);
    }
    // Within a head any other line is a field of it; before one it is nobody's.
    if known.is_none() && !is_field(line) {
        stray(line, tell);
    }
    known
}

fn stray(line: &[u8], tell: &mut dyn FnMut(Found)) {
    let line = String::from_utf8_lossy(&line[..line.len().min(TOLD)]);
    if !line.trim().is_empty() {
        tell(Found::Stray(line.trim_end().to_owned()));
    }
}

fn is_field(line: &[u8]) -> bool {
    line.to_ascii_lowercase().starts_with(b"content-")
}

/// Where `Content-Length:` stands, in any case.
fn find_length(text: &[u8]) -> Option<usize> {
    // Colons are rare, so that nothing is copied.
    let name = LENGTH.len() - 1;
    memchr::memchr_iter(b':', text)
        .filter_map(|colon| colon.checked_sub(name))
        .find(|at| text[*at..at + name].eq_ignore_ascii_case(&LENGTH.as_bytes()[..name]))
}

/// Where the message ends that a body begins with: at the body's end, as a rule.
fn end_of_value(body: &[u8]) -> usize {
    let mut values = serde_json::Deserializer::from_slice(body).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) if body[values.byte_offset()..].trim_ascii().is_empty() => body.len(),
        Some(Ok(_)) => values.byte_offset(),
        _ => find_length(body).unwrap_or(body.len()),
    }
}

/// A body as the main loop takes it, or why it does not.
///
/// What is put right: no `jsonrpc`, answers whose number comes back as text, errors without code or message.
pub fn admit(body: &[u8]) -> Result<Vec<u8>, Refused> {
    let Ok(Value::Object(mut message)) = serde_json::from_slice::<Value>(body) else {
        return Err(Refused::NotJson);
    };
    message.insert("jsonrpc".to_owned(), json!("2.0"));
    let is_call = message.get("method").is_some_and(Value::is_string);
    if !is_call && message.get("method").is_some_and(|method| !method.is_null()) {
        return Err(Refused::NotAMessage);
    }
    let id = message.remove("id").unwrap_or_default();
    match (id, is_call) {
        (Value::Null, true) => {
            // A notification, and nothing else.
            message.retain(|name, _| matches!(name.as_str(), "jsonrpc" | "method" | "params"));
        }
        (Value::Null, false) => return Err(Refused::NotAMessage),
        (id, true) => {
            if !(id.is_string() || is_number(&id)) {
                return Err(Refused::NotAMessage);
            }
            message.retain(|name, _| matches!(name.as_str(), "jsonrpc" | "method" | "params"));
            message.insert("id".to_owned(), id);
        }
        (id, false) => {
            let number = id.as_str().and_then(|text| text.parse().ok()).map_or(id, |n: i32| json!(n));
            if !is_number(&number) {
                return Err(Refused::NotAMessage);
            }
            let error = message.remove("error").unwrap_or_default();
            message.retain(|name, _| matches!(name.as_str(), "jsonrpc" | "result"));
            message.insert("id".to_owned(), number);
            if !error.is_null() {
                message.insert("error".to_owned(), sound(&error));
            }
        }
    }
    // What was read a moment ago can be written.
    serde_json::to_vec(&message).map_err(|_| Refused::NotJson)
}

/// Whether it is a number that the protocol may use as an id.
fn is_number(id: &Value) -> bool {
    id.as_i64().is_some_and(|id| i32::try_from(id).is_ok())
}

/// An error with code and message.
fn sound(error: &Value) -> Value {
    const INTERNAL: i64 = -32603;
    let code = error["code"].as_i64().filter(|code| i32::try_from(*code).is_ok()).unwrap_or(INTERNAL);
    let message = error["message"].as_str().or(error.as_str()).map_or_else(|| error.to_string(), str::to_owned);
    json!({"code": code, "message": message, "data": error.get("data")})
}

/// Why a body is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It cannot be read at all.
    #[error("a message is not JSON")]
    NotJson,
    /// It is neither call nor answer, or its id is none.
    #[error("a message is neither a call nor an answer")]
    NotAMessage,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 100;

    /// What is found in `bytes`, whole and in pieces of every size.
    #[track_caller]
    fn check(bytes: &str, expected: &[Found]) {
        for piece in 1..=bytes.len() {
            let (mut frames, mut found) = (Frames::new(LIMIT), Vec::new());
            for piece in bytes.as_bytes().chunks(piece) {
                frames.push(piece, &mut |item| found.push(item));
            }
            assert_eq!(found, expected, "{bytes:?} in pieces of {piece}");
        }
    }

    fn body(text: &str) -> Found {
        Found::Body(text.as_bytes().to_vec())
    }

    fn stray(text: &str) -> Found {
        Found::Stray(text.to_owned())
    }

    #[test]
    fn frames_follow_each_other() {
        check("Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\n[12]", &[body("{}"), body("[12]")]);
    }

    #[test]
    fn heads_are_read_however_they_are_spelt() {
        check("content-length:2\n\n{}", &[body("{}")]);
        check("CONTENT-LENGTH:\t2\r\n\r\n{}", &[body("{}")]);
        let fields =
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length:  2 \r\nX-Other: 1\r\n\r\n{}";
        check(fields, &[body("{}")]);
        check("\r\n\r\nContent-Length: 2\r\n\r\n{}\r\n\r\n", &[body("{}")]);
    }

    #[test]
    fn lines_between_frames_are_stray() {
        let bytes = "Starting up…\nContent-Length: 2\r\n\r\n{}done\nno end Content-Length: 3\r\n\r\n[1]";
        check(bytes, &[stray("Starting up…"), body("{}"), stray("done"), stray("no end"), body("[1]")]);
    }

    #[test]
    fn what_is_too_large_is_skipped_and_told() {
        let bytes = format!("Content-Length: 101\r\n\r\n{}Content-Length: 2\r\n\r\n{{}}", " ".repeat(101));
        check(&bytes, &[Found::TooLarge(101), body("{}")]);
        check("Content-Length: 18446744073709551615\r\n\r\nx", &[Found::TooLarge(usize::MAX)]);
    }

    #[test]
    fn a_length_that_is_wrong_costs_its_own_message_only() {
        // Characters counted for bytes: the end of the body is stray.
        check(
            "Content-Length: 4\r\n\r\n[\"é\"]\nContent-Length: 2\r\n\r\n{}",
            &[Found::Body("[\"é".as_bytes().to_vec()), stray("\"]"), body("{}")],
        );
        // Too much counted: the next frame is found within the body.
        check(
            "Content-Length: 9\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]",
            &[body("{\"a\":1}"), body("{}"), body("[]")],
        );
        check(
            "Content-Length: 40\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]",
            &[body("{\"a\":1}"), body("{}"), body("[]")],
        );
    }

    #[test]
    fn a_length_of_nothing_is_no_message() {
        check("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", &[body("{}")]);
        check("Content-Length: minus\r\n\r\nContent-Length: 2\r\n\r\n{}", &[body("{}")]);
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let (mut frames, mut found) = (Frames::new(LIMIT), Vec::new());
        for _ in 0..1000 {
            frames.push(&[b'x'; 1000], &mut |item| found.push(item));
        }
        assert!(frames.rest.len() <= LINE + 1000, "{} bytes are kept", frames.rest.len());
        frames.push(b"Content-Length: 2\r\n\r\n{}", &mut |item| found.push(item));
        assert_eq!(found.last(), Some(&body("{}")));
    }

    #[track_caller]
    fn admits(source: &Value, expected: Result<Value, Refused>) {
        let admitted = admit(source.to_string().as_bytes()).map(|body| serde_json::from_slice(&body).unwrap());
        assert_eq!(admitted, expected, "{source}");
    }

    #[test]
    fn what_the_main_loop_would_end_over_is_put_right_or_refused() {
        let method_missing =
            json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "no", "data": null}});
        admits(&json!({"id": "3", "error": "no"}), Ok(method_missing));
        let notification = json!({"jsonrpc": "2.0", "method": "a", "params": [1]});
        admits(&json!({"method": "a", "params": [1], "id": null, "result": 1}), Ok(notification));
        let call = json!({"jsonrpc": "2.0", "method": "a", "id": "x"});
        admits(&json!({"jsonrpc": "1.0", "method": "a", "id": "x"}), Ok(call));
        let answer = json!({"jsonrpc": "2.0", "id": 1, "result": null});
        admits(&json!({"id": 1, "result": null, "error": null, "method": null}), Ok(answer));
        admits(&json!({"id": null, "error": {"code": 1, "message": "m"}}), Err(Refused::NotAMessage));
        admits(&json!({"id": 1.5, "method": "a"}), Err(Refused::NotAMessage));
        admits(&json!({"id": 1u64 << 40, "method": "a"}), Err(Refused::NotAMessage));
        admits(&json!({"method": 7}), Err(Refused::NotAMessage));
        admits(&json!([]), Err(Refused::NotJson));
        assert_eq!(admit(b"{\"a\": \xff}"), Err(Refused::NotJson));
        let deep = format!("{{\"method\": \"a\", \"params\": {}{}}}", "[".repeat(200), "]".repeat(200));
        assert_eq!(admit(deep.as_bytes()), Err(Refused::NotJson));
    }
}
