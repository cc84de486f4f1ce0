//! From chunks to a text: what was taken for each, and markers around what was not.
//!
//! Markers are what git writes: `<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`, the first and last of them with a label, in
//! the line ending of what is around them. A last line without newline gets one where something follows it; where
//! nothing does, it stays as it is.

use std::ops::Range;

use super::{Chunk, MarkerStyle, Merge, Take, Version};
use crate::lines::Content;

/// The length of markers, unless attributes say otherwise (`conflict-marker-size`).
pub const MARKER_SIZE: usize = 7;

/// What stands behind the markers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Behind `<<<<<<<`.
    pub ours: String,
    /// Behind `|||||||`.
    pub base: String,
    /// Behind `>>>>>>>`.
    pub theirs: String,
}

/// How conflicts that nobody decided are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerFormat {
    /// With or without the base.
    pub style: MarkerStyle,
    /// How many characters long markers are.
    pub size: usize,
    /// What stands behind them.
    pub labels: Labels,
    /// Whether they end with CR LF where both sides do and there is no base to tell. Git writes LF there; where line
    /// endings are converted on the way to the disk, what it wrote has CR LF in the end.
    pub crlf_without_base: bool,
}

impl Default for MarkerFormat {
    fn default() -> Self {
        Self { style: MarkerStyle::Merge, size: MARKER_SIZE, labels: Labels::default(), crlf_without_base: false }
    }
}

/// A composed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The text.
    pub bytes: Vec<u8>,
    /// Where each chunk stands in it.
    pub places: Vec<Range<usize>>,
    /// How many conflicts are written with markers.
    pub open: usize,
}

impl Merge {
    /// Puts the text together. `takes` has an entry a chunk; a missing one, and `None`, is a conflict to be marked.
    pub fn compose(&self, takes: &[Option<Take>], format: &MarkerFormat) -> Composed {
        let mut out = Composed { bytes: Vec::new(), places: Vec::with_capacity(self.chunks.len()), open: 0 };
        for (at, chunk) in self.chunks.iter().enumerate() {
            let start = out.bytes.len();
            match takes.get(at).and_then(Option::as_ref) {
                Some(take) => self.push_taken(&mut out.bytes, chunk, take),
                None => {
                    out.open += 1;
                    self.push_conflict(&mut out.bytes, chunk, format);
                }
            }
            out.places.push(start..out.bytes.len());
        }
        out
    }

    /// What is written for a chunk of which something is taken, if it stood alone.
    pub fn taken(&self, chunk: &Chunk, take: &Take) -> Vec<u8> {
        let mut out = Vec::new();
        self.push_taken(&mut out, chunk, take);
        out
    }

    /// What is written for a conflict that is not decided, if it stood alone.
    pub fn marked(&self, chunk: &Chunk, format: &MarkerFormat) -> Vec<u8> {
        let mut out = Vec::new();
        self.push_conflict(&mut out, chunk, format);
        out
    }

    fn push_taken(&self, out: &mut Vec<u8>, chunk: &Chunk, take: &Take) {
        let lines = |version: Version| self.content(version).lines(chunk.lines(version));
        match take {
            Take::Nothing => {}
            Take::Base => self.push_piece(out, chunk, lines(Version::Base)),
            Take::Ours => self.push_piece(out, chunk, lines(Version::Ours)),
            Take::Theirs => self.push_piece(out, chunk, lines(Version::Theirs)),
            Take::OursTheirs => self.push_both(out, chunk, [Version::Ours, Version::Theirs]),
            Take::TheirsOurs => self.push_both(out, chunk, [Version::Theirs, Version::Ours]),
            Take::Text(text) => self.push_piece(out, chunk, text),
        }
    }

    /// Appends lines; those before end with a newline if they did not.
    fn push_piece(&self, out: &mut Vec<u8>, chunk: &Chunk, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        if out.last().is_some_and(|&byte| byte != b'\n') {
            out.extend_from_slice(self.newline(chunk, false));
        }
        out.extend_from_slice(piece);
    }

    /// Appends both sides. As in git, the first of them ends with a newline even if there is nothing in the second.
    fn push_both(&self, out: &mut Vec<u8>, chunk: &Chunk, versions: [Version; 2]) {
        let [first, second] = versions.map(|version| self.content(version).lines(chunk.lines(version)));
        self.push_piece(out, chunk, first);
        if !first.is_empty() && !first.ends_with(b"\n") {
            out.extend_from_slice(self.newline(chunk, false));
        }
        self.push_piece(out, chunk, second);
    }

    fn push_conflict(&self, out: &mut Vec<u8>, chunk: &Chunk, format: &MarkerFormat) {
        let newline = self.newline(chunk, format.crlf_without_base);
        let marker = |out: &mut Vec<u8>, sign: u8, label: &str| {
            if out.last().is_some_and(|&byte| byte != b'\n') {
                out.extend_from_slice(newline);
            }
            out.resize(out.len() + format.size, sign);
            if !label.is_empty() {
                out.push(b' ');
                out.extend_from_slice(label.as_bytes());
            }
            out.extend_from_slice(newline);
        };
        let Labels { ours, base, theirs } = &format.labels;
        marker(out, b'<', ours);
        out.extend_from_slice(self.ours.lines(chunk.ours.clone()));
        if format.style != MarkerStyle::Merge {
            marker(out, b'|', base);
            out.extend_from_slice(self.base.lines(chunk.base.clone()));
        }
        marker(out, b'=', "");
        out.extend_from_slice(self.theirs.lines(chunk.theirs.clone()));
        marker(out, b'>', theirs);
    }

    /// The line ending of what is around a chunk, as git tells it: CR LF if the base begins with such a line and neither
    /// side has another ending before the chunk. Without a base, the sides may tell.
    fn newline(&self, chunk: &Chunk, without_base: bool) -> &'static [u8] {
        let before = |lines: &Range<u32>| lines.start.saturating_sub(1);
        let sides = [(&self.ours, before(&chunk.ours)), (&self.theirs, before(&chunk.theirs)), (&self.base, 0)];
        let found = sides.map(|(side, line)| ends_with_crlf(side, line));
        let told = found[2].unwrap_or(without_base && found.contains(&Some(true)));
        let crlf = told && !found.contains(&Some(false));
        if crlf { b"\r\n" } else { b"\n" }
    }
}

/// Whether a line ends with CR LF; of a last line without newline, the line before it tells. None if there is no telling.
fn ends_with_crlf(side: &Content, line: u32) -> Option<bool> {
    let text = side.line(line);
    if text.ends_with(b"\n") {
        return Some(text.ends_with(b"\r\n"));
    }
    Some(side.line(line.checked_sub(1)?).ends_with(b"\r\n"))
}
