//! What the finder of messages must bear, for the fuzzer and for the ordinary test that runs its corpus.
//!
//! The first byte is the size of the pieces in which the rest comes.

use editor::lsp::frame::{Found, Frames, admit};

/// Bodies of more bytes are skipped.
const LIMIT: usize = 1 << 12;

/// Looks for messages in `data`. Panics if what is found depends on how the bytes come, or is no message.
pub fn run(data: &[u8]) {
    let Some((size, bytes)) = data.split_first() else { return };
    let whole = find(bytes, bytes.len().max(1));
    let pieces = find(bytes, usize::from(*size).max(1));
    assert_eq!(whole, pieces, "in pieces of {size} something else is found");
    for found in whole {
        let Found::Body(body) = found else { continue };
        assert!(!body.is_empty() && body.len() <= LIMIT, "a body of {} bytes", body.len());
        if let Ok(message) = admit(&body) {
            let Ok(message) = serde_json::from_slice::<serde_json::Value>(&message) else {
                panic!("no JSON is let through")
            };
            assert_eq!(message["jsonrpc"], "2.0");
            let (id, method) = (message.get("id"), message.get("method"));
            assert!(id.is_some() || method.is_some(), "{message} is neither call nor answer");
            assert!(method.is_none_or(serde_json::Value::is_string), "{message} calls nothing");
            assert!(id.is_none_or(|id| id.is_string() || id.as_i64().is_some_and(|id| i32::try_from(id).is_ok())));
        }
    }
}

fn find(bytes: &[u8], size: usize) -> Vec<Found> {
    let (mut frames, mut found) = (Frames::new(LIMIT), Vec::new());
    for piece in bytes.chunks(size) {
        // Of a stray line that is very long more or less is told.
        frames.push(piece, &mut |item| found.extend(Some(item).filter(|item| !matches!(item, Found::Stray(_)))));
    }
    found
}
