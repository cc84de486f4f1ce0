//! The body of a request that says when a server is there for it, and waits until it may go.
//!
//! The HTTP library asks for a body once it has a connection, encrypted where it is to be; so whoever keeps a log of what
//! was sent learns that something is about to be, and of a server that cannot be reached it learns nothing.
//!
//! Invariant: no byte of the body is handed out before somebody let it go; if nobody can any more, the request fails.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The body. See the module.
pub(super) struct Outgoing {
    text: Bytes,
    /// Used once, when there is a server to send to.
    reached: Option<Sender<()>>,
    may_go: Receiver<()>,
}

/// Holds a body back.
pub(super) struct Held {
    reached: Receiver<()>,
    go: Sender<()>,
}

/// A body, and what holds it back.
pub(super) fn held(text: String) -> (Outgoing, Held) {
    let (reached, when_reached) = channel();
    let (go, may_go) = channel();
    (Outgoing { text: text.into(), reached: Some(reached), may_go }, Held { reached: when_reached, go })
}

impl Held {
    /// Waits until there is a server, then for `announce`, and lets the body go. Where there never is one, nothing is
    /// announced.
    pub(super) async fn release<E>(self, announce: impl Future<Output = Result<(), E>>) -> Result<(), E> {
        if self.reached.await.is_ok() {
            announce.await?;
            let _ = self.go.send(()); // whoever asked for the body may have stopped meanwhile
        }
        Ok(())
    }
}

/// Nobody is left who could let it go.
#[derive(Debug, thiserror::Error)]
#[error("the request was given up before it was sent")]
pub(super) struct GivenUp;

impl Body for Outgoing {
    type Data = Bytes;
    type Error = GivenUp;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, GivenUp>>> {
        if self.text.is_empty() {
            return Poll::Ready(None);
        }
        if let Some(reached) = self.reached.take() {
            let _ = reached.send(()); // that nobody listens shows below
        }
        Pin::new(&mut self.may_go).poll(cx).map(|go| match go {
            Ok(()) => Some(Ok(Frame::data(std::mem::take(&mut self.text)))),
            Err(_) => Some(Err(GivenUp)),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.text.is_empty()
    }

    /// Exact, so that servers are told how long it is.
    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.text.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn a_body_goes_when_it_was_announced() {
        let (body, held) = held("text".to_owned());
        assert_eq!(body.size_hint().exact(), Some(4));
        let mut announced = false;
        let announce = async {
            announced = true;
            Ok::<_, Infallible>(())
        };
        let (sent, released) = tokio::join!(body.collect(), held.release(announce));
        assert_eq!(sent.unwrap().to_bytes(), "text");
        assert_eq!((released, announced), (Ok(()), true));
    }

    #[tokio::test]
    async fn a_body_that_nobody_asked_for_is_not_announced() {
        let (body, held) = held("text".to_owned());
        drop(body);
        assert_eq!(held.release(async { Err("announced") }).await, Ok(()));
    }

    #[tokio::test]
    async fn a_body_that_cannot_be_announced_does_not_go() {
        let (body, held) = held("text".to_owned());
        let (sent, released) = tokio::join!(body.collect(), held.release(async { Err("nobody listens") }));
        assert!(sent.is_err());
        assert_eq!(released, Err("nobody listens"));
    }
}
