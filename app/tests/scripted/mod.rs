//! What the tests of the command line share: a model server of a few lines that says what a test wants, and the program
//! with a home of its own.

#![allow(dead_code, reason = "no test uses all of it")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A request as the server got it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub body: Value,
}

impl Asked {
    /// What was said last.
    pub fn last(&self) -> String {
        let messages = self.body["messages"].as_array();
        messages.and_then(|all| all.last()?["content"].as_str()).unwrap_or_default().to_owned()
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
    /// Whether the connection stays open after the body, as if more were to come.
    hangs: bool,
    /// Whether it closes before the end that the stream should have.
    cut: bool,
}

impl Answer {
    pub fn json(status: u16, body: &Value) -> Self {
        Self { status, kind: "application/json", body: body.to_string(), hangs: false, cut: false }
    }

    /// A whole reply.
    pub fn says(text: &str) -> Self {
        let mut answer = Self::begins(text);
        let usage = json!({ "prompt_tokens": 900, "completion_tokens": 10 });
        let last = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": usage });
        answer.body += &format!("data: {last}\n\ndata: [DONE]\n\n");
        answer
    }

    fn begins(text: &str) -> Self {
        let chunk = json!({ "choices": [{ "delta": { "content": text } }] });
        let body = format!("data: {chunk}\n\n");
        Self { status: 200, kind: "text/event-stream", body, hangs: false, cut: false }
    }

    /// A reply that begins so, and then nothing comes any more.
    pub fn hangs_after(text: &str) -> Self {
        Self { hangs: true, ..Self::begins(text) }
    }

    /// A reply that begins so, and then the server is gone.
    pub fn dies_after(text: &str) -> Self {
        Self { cut: true, ..Self::begins(text) }
    }

    /// What llama.cpp says while it loads its model.
    pub fn loading() -> Self {
        Self::json(503, &json!({ "error": { "code": 503, "message": "Loading model", "type": "unavailable_error" } }))
    }
}

/// A llama.cpp server; see the module.
#[derive(Clone)]
pub struct Server {
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Answers all requests with what `answer` makes of them.
    pub fn start(answer: impl FnMut(&Asked) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&asked), Arc::new(Mutex::new(answer)));
        let serve = move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                let one = move || {
                    let mut stream = BufReader::new(stream);
                    let Some(request) = read(&mut stream) else { return };
                    let answer = (answer.lock().unwrap())(&request);
                    kept.lock().unwrap().push(request);
                    write(stream.into_inner(), &answer);
                };
                std::thread::Builder::new().name("answer".to_owned()).spawn(one).unwrap();
            }
        };
        std::thread::Builder::new().name("server".to_owned()).spawn(serve).unwrap();
        Self { address, asked }
    }

    /// A model that gives these replies one after the other, and says that it is done from then on.
    pub fn of_replies(replies: &[&str]) -> Self {
        let answers = replies.iter().map(|reply| Answer::says(reply)).collect();
        Self::of_answers(answers)
    }

    pub fn of_answers(answers: Vec<Answer>) -> Self {
        let mut answers = answers.into_iter();
        Self::start(move |asked| match facts(asked) {
            Some(facts) => facts,
            None => answers.next().unwrap_or_else(|| Answer::says("<done/>")),
        })
    }

    /// The requests for replies.
    pub fn asked(&self) -> Vec<Asked> {
        let all = self.asked.lock().unwrap();
        all.iter().filter(|asked| asked.path.contains("completions")).cloned().collect()
    }
}

/// What is not asked of the model but about it.
pub fn facts(asked: &Asked) -> Option<Answer> {
    match asked.path.as_str() {
        "/props" => {
            let settings = json!({ "default_generation_settings": { "n_ctx": 8192 }, "total_slots": 1 });
            Some(Answer::json(200, &settings))
        }
        "/v1/models" => Some(Answer::json(200, &json!({ "data": [{ "id": "/models/tiny.gguf" }] }))),
        path if path.contains("completions") => None,
        _ => Some(Answer::json(404, &json!({}))),
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    Some(Asked { path, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// What the client closes early is no concern of the server.
fn write(mut stream: TcpStream, answer: &Answer) {
    let Answer { status, kind, body, .. } = answer;
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n");
    drop(write!(stream, "{head}\r\n{:x}\r\n{body}\r\n", body.len()));
    if answer.hangs {
        // Until the client is gone.
        drop(stream.read(&mut [0]));
        return;
    }
    if !answer.cut {
        drop(write!(stream, "0\r\n\r\n"));
    }
}

/// A project in a folder, with the program's own files beside it.
pub struct Home {
    folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder }
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The file of models.
    pub fn models(&self) -> PathBuf {
        self.folder.path().join("home/config/models.toml")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.project().join(path)).unwrap_or_default()
    }

    /// Runs the program in the project.
    pub fn recto(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }

    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
        command.args(arguments).current_dir(self.project()).env("RECTO_HOME", self.folder.path().join("home"));
        command.env_remove("RECTO_LOG").env("GIT_CEILING_DIRECTORIES", self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Ctrl+C.
#[cfg(unix)]
pub fn interrupt(child: &Child) {
    let process = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
