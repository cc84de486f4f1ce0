//! A server of models for journeys: on loopback, with replies that were written beforehand, and a record of what it was
//! asked.
//!
//! It speaks as much of OpenAI's interface as a conversation needs. A reply may stop in the middle until it is told to go
//! on, or end without a word.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use crate::window::Home;

/// What comes back to a request.
pub enum Said {
    /// A whole reply.
    Text(String),
    /// The beginning of one; the rest comes when something arrives here, and the connection breaks if the sender is gone.
    Held(String, Receiver<String>),
    /// The conversation is too long.
    Overflow,
}

/// The server. It ends with the test.
pub struct Model {
    address: String,
    script: Arc<Mutex<VecDeque<Said>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Model {
    /// One that is set up as the model of a home.
    pub fn of(home: &Home) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let model = Self { address, script: Arc::default(), asked: Arc::default() };
        let (script, asked) = (model.script.clone(), model.asked.clone());
        thread(move || {
            for stream in listener.incoming().flatten() {
                let (script, asked) = (script.clone(), asked.clone());
                thread(move || serve(stream, &script, &asked));
            }
        });
        let file = format!(
            "[providers.here]\nkind = \"openai-compatible\"\nurl = \"{}\"\nattempts = 1\n\n[models.scripted]\nprovider = \"here\"\ncontext = 16384\nedit-form = \"blocks\"\n",
            model.address
        );
        let path = home.paths().models();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file).unwrap();
        model
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Says this to the next request that has no reply yet.
    pub fn says(&self, text: &str) {
        self.script.lock().unwrap().push_back(Said::Text(text.to_owned()));
    }

    /// Says this, and the rest when it is sent.
    pub fn begins(&self, text: &str) -> SyncSender<String> {
        let (rest, more) = sync_channel(1);
        self.script.lock().unwrap().push_back(Said::Held(text.to_owned(), more));
        rest
    }

    /// Says nothing of what it was to say any more.
    pub fn forgets(&self) {
        self.script.lock().unwrap().clear();
    }

    /// Says that the conversation is too long.
    pub fn overflows(&self) {
        self.script.lock().unwrap().push_back(Said::Overflow);
    }

    /// The requests, as they came.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// The last request.
    #[track_caller]
    pub fn last_asked(&self) -> String {
        self.asked().pop().expect("nothing was asked")
    }
}

fn thread(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().name("model".to_owned()).spawn(run).unwrap();
}

fn serve(stream: TcpStream, script: &Mutex<VecDeque<Said>>, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length) = (String::new(), 0);
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let mut out = stream;
    if !first.starts_with("POST") {
        let _ = out.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    asked.lock().unwrap().push(String::from_utf8_lossy(&body).into_owned());
    let said = script.lock().unwrap().pop_front().unwrap_or(Said::Text("<done/>".to_owned()));
    // Whoever asked may have gone away in the middle; that is its business.
    let _ = answer(&mut out, said);
}

fn answer(out: &mut TcpStream, said: Said) -> std::io::Result<()> {
    if let Said::Overflow = said {
        let body = r#"{"error":{"message":"This model's maximum context length is 16384 tokens. However, your messages resulted in 20000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#;
        return write!(
            out,
            "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
    }
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    let (text, more) = match said {
        Said::Text(text) => (text, None),
        Said::Held(text, more) => (text, Some(more)),
        Said::Overflow => return Ok(()),
    };
    piece(out, &text)?;
    if let Some(more) = more {
        // Nobody sends any more: the connection breaks.
        let Ok(rest) = more.recv() else { return Ok(()) };
        piece(out, &rest)?;
    }
    out.write_all(b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":20,\"prompt_tokens_details\":{\"cached_tokens\":900}}}\n\ndata: [DONE]\n\n")?;
    out.flush()
}

/// Some of a reply, in pieces of a few letters.
fn piece(out: &mut TcpStream, text: &str) -> std::io::Result<()> {
    let letters: Vec<char> = text.chars().collect();
    for part in letters.chunks(9) {
        let part: String = part.iter().collect();
        let quoted = part.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
        write!(out, "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{quoted}\"}}}}]}}\n\n")?;
    }
    out.flush()
}
