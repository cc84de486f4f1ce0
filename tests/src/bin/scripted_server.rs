//! A language server for tests, as a process: it reports words of the texts it is sent.
//!
//! | in the text | what it says |
//! |---|---|
//! | `FIXME` | an error on the word, with code `fixme`, a link, and the first line as a related place |
//! | `XXX` | a warning |
//! | `UNUSED` | a hint that is marked as unnecessary |
//! | `OLD` | information that is marked as deprecated |
//! | `BUSY` | it works ("Thinking", 42 percent) until no text has the word any more |
//! | `SAY …` | shows the rest of the line as a message |
//! | `CRASH` | it says so on standard error and exits with 3 |
//!
//! Arguments: `--pull` reports when asked and never by itself, `--utf8` counts bytes, `--full` wants whole texts, `--deaf`
//! exits on `shutdown` without an answer, `--shim` exits at once as rustup's stand-ins do.
//!
//! Written against the protocol and not with the code that is tested: positions are counted here anew.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--shim") {
        say(
            "error: Unknown binary 'rust-analyzer' in official toolchain '1.95.0'.\n\nStack backtrace:\n   0: <unknown>",
        );
        return ExitCode::from(1);
    }
    let mut server = Server {
        pull: has("--pull"),
        utf8: has("--utf8"),
        full: has("--full"),
        deaf: has("--deaf"),
        ..Server::default()
    };
    let mut input = io::stdin().lock();
    while let Ok(Some(message)) = read(&mut input) {
        if let Some(code) = server.take(&message) {
            return ExitCode::from(code);
        }
    }
    ExitCode::from(1)
}

#[derive(Default)]
struct Server {
    pull: bool,
    utf8: bool,
    full: bool,
    deaf: bool,
    shut_down: bool,
    busy: bool,
    /// Version and text, by address.
    texts: BTreeMap<String, (i64, String)>,
}

impl Server {
    /// Does what a message says; a code to exit with.
    fn take(&mut self, message: &Value) -> Option<u8> {
        let method = message["method"].as_str().unwrap_or_default();
        let parameters = &message["params"];
        let document = &parameters["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "initialize" => {
                let sync = if self.full { 1 } else { 2 };
                let mut capabilities = json!({
                    "positionEncoding": if self.utf8 { "utf-8" } else { "utf-16" },
                    "textDocumentSync": {"openClose": true, "change": sync, "save": {}},
                });
                if self.pull {
                    capabilities["diagnosticProvider"] =
                        json!({"interFileDependencies": false, "workspaceDiagnostics": false});
                }
                answer(message, &json!({"capabilities": capabilities, "serverInfo": {"name": "scripted"}}));
            }
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                self.texts.insert(uri.clone(), (document["version"].as_i64().unwrap_or_default(), text));
                return self.look(&uri);
            }
            "textDocument/didChange" => {
                let utf8 = self.utf8;
                let (version, text) = self.texts.entry(uri.clone()).or_default();
                *version = document["version"].as_i64().unwrap_or_default();
                for change in parameters["contentChanges"].as_array().into_iter().flatten() {
                    let insert = change["text"].as_str().unwrap_or_default();
                    match change.get("range") {
                        Some(range) => {
                            let (start, end) = (offset(text, &range["start"], utf8), offset(text, &range["end"], utf8));
                            text.replace_range(start..end, insert);
                        }
                        None => insert.clone_into(text),
                    }
                }
                return self.look(&uri);
            }
            "textDocument/didClose" => {
                self.texts.remove(&uri);
                if !self.pull {
                    notify("textDocument/publishDiagnostics", &json!({"uri": uri, "diagnostics": []}));
                }
                self.work();
            }
            "textDocument/diagnostic" => {
                let items = self.texts.get(&uri).map(|(_, text)| self.report(&uri, text));
                answer(message, &json!({"kind": "full", "items": items.unwrap_or_default()}));
            }
            "shutdown" if self.deaf => return Some(0),
            "shutdown" => {
                self.shut_down = true;
                answer(message, &Value::Null);
            }
            "exit" => return Some(u8::from(!self.shut_down)),
            _ if message.get("id").is_some() && !method.is_empty() => {
                let error = json!({"code": -32601, "message": format!("no such method: {method}")});
                send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
            }
            _ => {}
        }
        None
    }

    /// Reports a text anew.
    fn look(&mut self, uri: &str) -> Option<u8> {
        let (version, text) = &self.texts[uri];
        if text.contains("CRASH") {
            say("scripted: CRASH was read");
            return Some(3);
        }
        for line in text.lines() {
            if let Some((_, said)) = line.split_once("SAY ") {
                notify("window/showMessage", &json!({"type": 2, "message": said}));
            }
        }
        if !self.pull {
            let items = self.report(uri, text);
            let said = json!({"uri": uri, "version": version, "diagnostics": items});
            notify("textDocument/publishDiagnostics", &said);
        }
        self.work();
        None
    }

    /// Begins or ends to be busy.
    fn work(&mut self) {
        let busy = self.texts.values().any(|(_, text)| text.contains("BUSY"));
        if busy == self.busy {
            return;
        }
        self.busy = busy;
        let value = match busy {
            true => json!({"kind": "begin", "title": "Thinking", "percentage": 42}),
            false => json!({"kind": "end"}),
        };
        if busy {
            let create = json!({"token": "thinking"});
            send(&json!({"jsonrpc": "2.0", "id": 1, "method": "window/workDoneProgress/create", "params": create}));
        }
        notify("$/progress", &json!({"token": "thinking", "value": value}));
    }

    fn report(&self, uri: &str, text: &str) -> Vec<Value> {
        let mut found = Vec::new();
        for (n, line) in text.split('\n').enumerate() {
            for (word, severity) in [("FIXME", 1), ("XXX", 2), ("OLD", 3), ("UNUSED", 4)] {
                for (at, _) in line.match_indices(word) {
                    let place = |at: usize| json!({"line": n, "character": self.units(&line[..at])});
                    let mut item = json!({
                        "range": {"start": place(at), "end": place(at + word.len())},
                        "severity": severity,
                        "source": "scripted",
                        "code": word.to_lowercase(),
                        "message": format!("{word}: {}", line[at + word.len()..].trim()),
                    });
                    match word {
                        "FIXME" => {
                            let zero = json!({"line": 0, "character": 0});
                            let location = json!({"uri": uri, "range": {"start": zero, "end": zero}});
                            item["relatedInformation"] = json!([{"location": location, "message": "it begins here"}]);
                            item["codeDescription"] = json!({"href": "https://example.org/fixme"});
                        }
                        "UNUSED" => item["tags"] = json!([1]),
                        "OLD" => item["tags"] = json!([2]),
                        _ => {}
                    }
                    found.push(item);
                }
            }
        }
        found
    }

    fn units(&self, text: &str) -> usize {
        if self.utf8 { text.len() } else { text.encode_utf16().count() }
    }
}

/// The offset of a position, which is within the text if the client does its work.
fn offset(text: &str, position: &Value, utf8: bool) -> usize {
    let number = |name: &str| usize::try_from(position[name].as_u64().unwrap_or_default()).unwrap_or(usize::MAX);
    let (line, character) = (number("line"), number("character"));
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let rest = text[start..].split('\n').next().unwrap_or_default();
    let mut units = 0;
    for (at, c) in rest.char_indices() {
        if units >= character {
            return start + at;
        }
        units += if utf8 { c.len_utf8() } else { c.len_utf16() };
    }
    start + rest.len()
}

fn answer(request: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
}

fn notify(method: &str, parameters: &Value) {
    send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
}

fn send(message: &Value) {
    let body = message.to_string();
    let mut output = io::stdout().lock();
    // A client that is gone is seen when nothing more can be read.
    drop(write!(output, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| output.flush()));
}

fn say(text: &str) {
    drop(writeln!(io::stderr(), "{text}"));
}

fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().unwrap_or_default();
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body).ok())
}
