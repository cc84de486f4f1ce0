//! A server that says what it is told to at a steady pace, and remembers when it wrote each piece.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// Letters of a token, about.
const TOKEN: usize = 4;

/// A piece of a reply that was written.
#[derive(Clone, Copy)]
pub struct Written {
    /// When the system was given its bytes.
    pub at: Instant,
    /// Bytes of the reply with it.
    pub until: usize,
}

/// The server; it ends with the process.
pub struct Server {
    address: String,
    said: Arc<Said>,
}

#[derive(Default)]
struct Said {
    reply: Mutex<String>,
    written: Mutex<Vec<Written>>,
}

impl Server {
    /// One that says so many tokens in a second.
    pub fn start(speed: u32) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no port is free on this machine")?;
        let (address, said) = (format!("http://{}", listener.local_addr()?), Arc::<Said>::default());
        let shared = Arc::clone(&said);
        thread::Builder::new().name("model".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever asked may have gone away in the middle; what was written until then counts.
                drop(serve(stream, &shared, Duration::from_secs(1) / speed));
            }
        })?;
        Ok(Self { address, said })
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Says this to whoever asks next.
    pub fn says(&self, reply: String) {
        *self.said.reply.lock().unwrap_or_else(PoisonError::into_inner) = reply;
    }

    /// What was written since this was last asked.
    pub fn written(&self) -> Vec<Written> {
        std::mem::take(&mut *self.said.written.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn serve(mut stream: TcpStream, said: &Said, pause: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?; // as servers of models do
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    if !first.starts_with("POST") {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    let reply = said.reply.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (start, mut until) = (Instant::now(), 0);
    for n in 1.. {
        let end = reply.ceil_char_boundary((until + TOKEN).min(reply.len()));
        if end == until {
            break;
        }
        let piece = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": &reply[until..end] } }] });
        thread::sleep((start + pause * n).saturating_duration_since(Instant::now()));
        until = end;
        let bytes = format!("data: {piece}\n\n");
        let at = Instant::now();
        stream.write_all(bytes.as_bytes())?;
        said.written.lock().unwrap_or_else(PoisonError::into_inner).push(Written { at, until });
    }
    let end = serde_json::json!({
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100_000, "completion_tokens": reply.len() / TOKEN },
    });
    write!(stream, "data: {end}\n\ndata: [DONE]\n\n")
}
