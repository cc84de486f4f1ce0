//! Between a transport and the main loop of the protocol's library.
//!
//! Incoming bytes go through [`Frames`] and [`admit`], so the loop reads only what it can. Outgoing messages never make
//! the loop wait: a server that writes much and reads late would else wait for us while we wait for it.
//!
//! Invariant: what is incoming is read no faster than the loop takes it; what is outgoing is bounded, and a server that
//! leaves more than that unread is given up.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_io::{AsyncBufRead, AsyncRead, AsyncWrite};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::frame::{Found, Frames, admit};

/// Messages that were read and that the loop has not taken.
const WAITING: usize = 64;

/// Bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// What a server may leave unread: some documents of the largest size.
const UNREAD: usize = 128 << 20;

/// What is told about the bytes of a server, besides its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// A message of this many bytes was skipped.
    TooLarge(usize),
    /// A line that is no message, or why a message was skipped.
    Line(String),
}

/// The messages of a server as the main loop reads them.
pub(super) struct Incoming {
    messages: Receiver<Vec<u8>>,
    current: Vec<u8>,
    read: usize,
}

/// Reads `input` until its end. What it yields, the loop reads; what else is in it goes to `aside`.
pub(super) fn incoming(
    input: impl tokio::io::AsyncRead + Send + Unpin + 'static,
    limit: usize,
    mut aside: impl FnMut(Aside) + Send + 'static,
) -> Incoming {
    let (send, messages) = channel(WAITING);
    tokio::spawn(async move {
        // When nothing more can be read, the loop sees the end of its input.
        let _ = read(input, limit, &send, &mut aside).await;
    });
    Incoming { messages, current: Vec::new(), read: 0 }
}

async fn read(
    mut input: impl tokio::io::AsyncRead + Unpin,
    limit: usize,
    send: &Sender<Vec<u8>>,
    aside: &mut (dyn FnMut(Aside) + Send),
) -> io::Result<()> {
    let mut frames = Frames::new(limit);
    let mut piece = vec![0; PIECE];
    let mut bodies = Vec::new();
    loop {
        let count = input.read(&mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        frames.push(&piece[..count], &mut |found| match found {
            Found::Body(body) => bodies.push(body),
            Found::TooLarge(size) => aside(Aside::TooLarge(size)),
            Found::Stray(line) => aside(Aside::Line(line)),
        });
        for body in bodies.drain(..) {
            let mut body = match admit(&body) {
                Ok(body) => body,
                Err(why) => {
                    aside(Aside::Line(why.to_string()));
                    continue;
                }
            };
            let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
            message.append(&mut body);
            if send.send(message).await.is_err() {
                return Ok(()); // the loop is over
            }
        }
    }
}

impl AsyncBufRead for Incoming {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.read == this.current.len() {
            let next = match this.messages.poll_recv(cx) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            };
            (this.current, this.read) = (next.unwrap_or_default(), 0);
        }
        Poll::Ready(Ok(&this.current[this.read..]))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        let this = self.get_mut();
        this.read = (this.read + amount).min(this.current.len());
    }
}

impl AsyncRead for Incoming {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        let available = match self.as_mut().poll_fill_buf(cx) {
            Poll::Ready(available) => available?,
            Poll::Pending => return Poll::Pending,
        };
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Poll::Ready(Ok(count))
    }
}

/// What the main loop writes, on its way to a server. When it is dropped, the server's input ends after what was written.
#[derive(Default)]
pub(super) struct Outgoing(Arc<Outbox>);

#[derive(Default)]
struct Outbox {
    unsent: Mutex<Unsent>,
    changed: Notify,
}

#[derive(Default)]
struct Unsent {
    bytes: VecDeque<u8>,
    /// Nothing follows, or nobody reads.
    closed: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Unsent> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes to `output` what the loop writes to what is returned.
pub(super) fn outgoing(output: impl tokio::io::AsyncWrite + Send + Unpin + 'static) -> Outgoing {
    let outgoing = Outgoing::default();
    let outbox = Arc::clone(&outgoing.0);
    tokio::spawn(async move {
        // A server that takes nothing any more is seen by its end.
        let _ = write(output, &outbox).await;
        outbox.lock().closed = true;
    });
    outgoing
}

async fn write(mut output: impl tokio::io::AsyncWrite + Unpin, outbox: &Outbox) -> io::Result<()> {
    loop {
        let (mut bytes, closed) = {
            let mut unsent = outbox.lock();
            (std::mem::take(&mut unsent.bytes), unsent.closed)
        };
        if bytes.is_empty() {
            if closed {
                return output.shutdown().await;
            }
            outbox.changed.notified().await;
            continue;
        }
        output.write_all(bytes.make_contiguous()).await?;
        output.flush().await?;
    }
}

impl AsyncWrite for Outgoing {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut unsent = self.0.lock();
        if unsent.closed {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::BrokenPipe, "it takes no messages any more")));
        }
        if unsent.bytes.len() + bytes.len() > UNREAD {
            return Poll::Ready(Err(io::Error::other("it does not read what it is sent")));
        }
        unsent.bytes.extend(bytes);
        drop(unsent);
        self.0.changed.notify_one();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.lock().closed = true;
        self.0.changed.notify_one();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.0.lock().closed = true;
        self.0.changed.notify_one();
    }
}
