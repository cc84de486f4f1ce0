//! Server-sent events and lines of JSON, taken from bytes that may be cut anywhere.
//!
//! A *frame* is what one event carries: the data lines of a server-sent event joined by LF, or one line of NDJSON. Bytes
//! become text only when a line is whole, so a character cut by the network is never damaged.
//!
//! Lines end with LF, CR or CR LF, and a CR LF cut in two is still one. Comments (`: ping`) are counted as a sign of life
//! and otherwise nothing; unknown fields are nothing.

use memchr::memchr2;

/// How a server cuts its stream into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    ServerSentEvents,
    JsonLines,
    /// No stream: one frame that ends with the answer.
    Whole,
}

/// One frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    /// The name of the event, empty if it has none.
    pub event: String,
    pub data: String,
}

/// A line or an event that is longer than anything a model writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Cuts bytes into frames.
#[derive(Debug)]
pub(super) struct Splitter {
    framing: Framing,
    /// The line that is not whole yet.
    line: Vec<u8>,
    /// The last byte was a CR that ended a line: an LF right behind it belongs to it.
    after_cr: bool,
    /// A byte order mark may stand at the very beginning.
    at_start: bool,
    frame: Frame,
    /// The event has a data line, be it an empty one.
    has_data: bool,
}

/// Images are sent, never received; a tool call with a whole file in it is the longest thing that comes.
const LONGEST: usize = 64 << 20;

impl Splitter {
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), after_cr: false, at_start: true, frame: Frame::default(), has_data: false }
    }

    /// Takes bytes in and adds the frames that they complete.
    pub(super) fn push(&mut self, mut bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), TooLong> {
        if self.framing == Framing::Whole {
            self.line.extend_from_slice(bytes);
            return if self.line.len() > LONGEST { Err(TooLong) } else { Ok(()) };
        }
        if std::mem::take(&mut self.after_cr) {
            match bytes.first() {
                None => self.after_cr = true,
                Some(b'\n') => bytes = &bytes[1..],
                Some(_) => {}
            }
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            self.line.extend_from_slice(&bytes[..end]);
            let is_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if is_cr {
                match bytes.first() {
                    Some(b'\n') => bytes = &bytes[1..],
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            self.end_line(frames);
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() + self.frame.data.len() > LONGEST { Err(TooLong) } else { Ok(()) }
    }

    /// The stream is over: a last line without an end counts, and so does an event without its empty line, for servers
    /// that close right after their last word.
    pub(super) fn finish(&mut self, frames: &mut Vec<Frame>) {
        if !self.line.is_empty() {
            self.end_line(frames);
        }
        if self.framing == Framing::ServerSentEvents {
            self.end_event(frames);
        }
    }

    fn end_line(&mut self, frames: &mut Vec<Frame>) {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = text.as_ref();
        if std::mem::take(&mut self.at_start) {
            line = line.trim_start_matches('\u{feff}');
        }
        match self.framing {
            Framing::JsonLines | Framing::Whole => {
                if !line.trim().is_empty() {
                    frames.push(Frame { event: String::new(), data: line.to_owned() });
                }
            }
            Framing::ServerSentEvents if line.is_empty() => self.end_event(frames),
            Framing::ServerSentEvents => self.field(line),
        }
        // The buffer is kept: most lines are alike in length.
        self.line = bytes;
        self.line.clear();
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.frame.event),
            _ => {}
        }
    }

    fn end_event(&mut self, frames: &mut Vec<Frame>) {
        let frame = std::mem::take(&mut self.frame);
        if std::mem::take(&mut self.has_data) && !frame.data.is_empty() {
            frames.push(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(framing: Framing, pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut splitter = Splitter::new(framing);
        let mut frames = Vec::new();
        for piece in pieces {
            splitter.push(piece, &mut frames).unwrap();
        }
        splitter.finish(&mut frames);
        frames.into_iter().map(|frame| (frame.event, frame.data)).collect()
    }

    /// Every way to cut the bytes in two, and one byte at a time, gives the same frames.
    #[track_caller]
    fn check(framing: Framing, bytes: &[u8], expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(e, d)| ((*e).to_owned(), (*d).to_owned())).collect();
        for at in 0..=bytes.len() {
            assert_eq!(split(framing, &[&bytes[..at], &bytes[at..]]), expected, "cut at {at}");
        }
        let single: Vec<_> = bytes.chunks(1).collect();
        assert_eq!(split(framing, &single), expected, "byte by byte");
    }

    #[test]
    fn a_character_cut_by_the_network_is_whole() {
        check(Framing::ServerSentEvents, "data: 你好 👩‍🚀\n\n".as_bytes(), &[("", "你好 👩‍🚀")]);
        check(
            Framing::JsonLines,
            "{\"a\":\"你\"}\n{\"a\":\"é\"}".as_bytes(),
            &[("", "{\"a\":\"你\"}"), ("", "{\"a\":\"é\"}")],
        );
    }

    #[test]
    fn every_line_ending_counts_once() {
        let expected = [("", "{1}"), ("", "{2}")];
        check(Framing::ServerSentEvents, b"data:{1}\r\n\r\ndata:{2}\r\n\r\n", &expected);
        check(Framing::ServerSentEvents, b"data: {1}\n\ndata: {2}\n\n", &expected);
        check(Framing::ServerSentEvents, b"data: {1}\r\rdata: {2}\r\r", &expected);
        check(Framing::JsonLines, b"{1}\r\n\r\n{2}\r\n", &expected);
    }

    #[test]
    fn comments_and_unknown_fields_are_nothing() {
        let stream = b"\xEF\xBB\xBF: ping\n\n:\n\nid: 7\nretry: 10\nnonsense\nevent: delta\ndata: {1}\n\ndata:\n\n";
        check(Framing::ServerSentEvents, stream, &[("delta", "{1}")]);
    }

    #[test]
    fn data_lines_of_one_event_are_joined() {
        check(Framing::ServerSentEvents, b"data: {\ndata:  1}\n\n", &[("", "{\n 1}")]);
    }

    #[test]
    fn a_last_event_needs_no_empty_line() {
        check(Framing::ServerSentEvents, b"data: [DONE]", &[("", "[DONE]")]);
    }
}
