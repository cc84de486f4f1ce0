//! A scriptable server on loopback: it plays bytes in the pieces, with the pauses and the ends that a test wants, and
//! keeps what it was asked.
//!
//! Pieces stay pieces: each is a chunk of its own on the wire, which the client's HTTP library never joins.

use std::sync::{Arc, Mutex};

use agent::provider::{Kind, ModelSpec, Provider, ProviderSpec};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A request as the server got it.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is done after the head of an answer.
#[derive(Clone, Debug)]
pub enum Step {
    Send(Vec<u8>),
    /// Waits until the test says go.
    Pause(Arc<Notify>),
    /// Closes the connection in the middle of the body.
    Cut,
    /// Closes it with a reset.
    Reset,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    steps: Vec<Step>,
}

impl Answer {
    pub fn new(status: u16, body: impl AsRef<[u8]>) -> Self {
        Self { status, headers: Vec::new(), steps: vec![Step::Send(body.as_ref().to_vec())] }
    }

    /// The connection is closed without an answer.
    pub fn silence() -> Self {
        Self::new(0, "")
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, body.to_string()).header("content-type", "application/json")
    }

    /// Server-sent events, each of one line of data.
    pub fn events(data: &[&str]) -> Self {
        let text: String = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        Self::stream(text)
    }

    /// Server-sent events as they are.
    pub fn stream(bytes: impl AsRef<[u8]>) -> Self {
        Self::new(200, bytes).header("content-type", "text/event-stream")
    }

    /// Lines of JSON.
    pub fn lines(lines: &[&str]) -> Self {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Self::new(200, text).header("content-type", "application/x-ndjson")
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Cuts what is sent in two at this byte.
    pub fn split_at(mut self, at: usize) -> Self {
        if let Some(Step::Send(bytes)) = self.steps.first_mut() {
            let rest = bytes.split_off(at.min(bytes.len()));
            self.steps.insert(1, Step::Send(rest));
        }
        self
    }

    pub fn len(&self) -> usize {
        self.steps.iter().map(|step| if let Step::Send(bytes) = step { bytes.len() } else { 0 }).sum()
    }
}

/// See the module.
pub struct Server {
    pub address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers each request with what `answer` makes of it.
    pub async fn start(answer: impl FnMut(&Received) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (answer, kept) = (Arc::new(Mutex::new(answer)), Arc::clone(&received));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let Some(request) = read(&mut stream).await else { return };
                    let answer = (answer.lock().unwrap())(&request);
                    kept.lock().unwrap().push(request);
                    write(stream.into_inner(), answer).await;
                });
            }
        });
        Self { address, received }
    }

    /// Gives these answers one after the other; the last one stays.
    pub async fn in_turn(answers: Vec<Answer>) -> Self {
        let mut answers = answers.into_iter().peekable();
        Self::start(move |_| {
            let next = answers.next().unwrap();
            if answers.peek().is_none() {
                answers = vec![next.clone()].into_iter().peekable();
            }
            next
        })
        .await
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// A model at this server, with waits that take no time.
    pub fn model(&self, kind: Kind) -> ModelSpec {
        let mut provider = ProviderSpec::new("test", kind, self.address.clone());
        provider.patience.first_wait = std::time::Duration::from_millis(1);
        provider.patience.loading_poll = std::time::Duration::from_millis(1);
        ModelSpec::new(provider, "m")
    }

    pub fn provider(&self, kind: Kind) -> Provider {
        Provider::new(self.model(kind)).unwrap()
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let mut words = line.split(' ');
    let path = words.nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut request = Received { path, headers, body: Value::Null };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    request.body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(request)
}

/// What the client closes early is no concern of the server.
async fn write(mut stream: TcpStream, answer: Answer) {
    if answer.status == 0 {
        return;
    }
    let mut head = format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    drop(stream.write_all(head.as_bytes()).await);
    for step in answer.steps {
        match step {
            Step::Send(bytes) if bytes.is_empty() => {}
            Step::Send(bytes) => {
                let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), &bytes, b"\r\n"].concat();
                drop(stream.write_all(&chunk).await);
            }
            Step::Pause(go) => go.notified().await,
            Step::Cut => return,
            Step::Reset => {
                drop(stream.set_zero_linger());
                return;
            }
        }
    }
    drop(stream.write_all(b"0\r\n\r\n").await);
    drop(stream.shutdown().await);
}
