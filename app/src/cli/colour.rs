//! Colours of printed changes, in those that git uses: removed red, added green, places cyan, headers bold.
//!
//! The printers know nothing of terminals; this stands between them and one, and looks at whole lines.

use std::io::{self, Write};

const RESET: &[u8] = b"\x1b[m";
const BOLD: &[u8] = b"\x1b[1m";
const RED: &[u8] = b"\x1b[31m";
const GREEN: &[u8] = b"\x1b[32m";
const CYAN: &[u8] = b"\x1b[36m";

/// Passes lines on in colour.
pub struct Coloured<W> {
    to: W,
    line: Vec<u8>,
    kind: Kind,
}

enum Kind {
    /// With the lines of the old and the new side that the hunk still has: a removed line `-- x` is no header.
    Patch {
        old: u64,
        new: u64,
    },
    Stat,
}

impl<W: Write> Coloured<W> {
    /// For a patch.
    pub fn patch(to: W) -> Self {
        Self { to, line: Vec::new(), kind: Kind::Patch { old: 0, new: 0 } }
    }

    /// For a list of files with bars.
    pub fn stat(to: W) -> Self {
        Self { to, line: Vec::new(), kind: Kind::Stat }
    }

    /// What it was passed on to; what is not yet a whole line must have been flushed.
    pub fn into_inner(self) -> W {
        self.to
    }

    fn pass(&mut self, line: &[u8]) -> io::Result<()> {
        let (text, ending) = line.split_at(line.len() - usize::from(line.ends_with(b"\n")));
        match &mut self.kind {
            Kind::Stat => {
                let bar = text.iter().rposition(|byte| !b"+-".contains(byte)).map_or(0, |at| at + 1);
                let (rest, bar) = text.split_at(bar);
                let removed = bar.iter().position(|&byte| byte == b'-').unwrap_or(bar.len());
                self.to.write_all(rest)?;
                paint(&mut self.to, GREEN, &bar[..removed])?;
                paint(&mut self.to, RED, &bar[removed..])?;
            }
            Kind::Patch { old, new } if *old > 0 || *new > 0 => {
                let colour = match text.first() {
                    Some(b'-') => {
                        *old = old.saturating_sub(1);
                        RED
                    }
                    Some(b'+') => {
                        *new = new.saturating_sub(1);
                        GREEN
                    }
                    Some(b'\\') => RESET,
                    _ => {
                        (*old, *new) = (old.saturating_sub(1), new.saturating_sub(1));
                        RESET
                    }
                };
                paint(&mut self.to, colour, text)?;
            }
            Kind::Patch { old, new } => {
                if let Some((lines, end)) = hunk_header(text) {
                    (*old, *new) = lines;
                    paint(&mut self.to, CYAN, &text[..end])?;
                    self.to.write_all(&text[end..])?;
                } else if text.starts_with(b"\\") {
                    self.to.write_all(text)?;
                } else {
                    paint(&mut self.to, BOLD, text)?;
                }
            }
        }
        self.to.write_all(ending)
    }
}

/// The lines of both sides that `@@ -1,2 +3,4 @@ …` announces, and the length of the part up to the second `@@`.
fn hunk_header(text: &[u8]) -> Option<((u64, u64), usize)> {
    let inside = text.strip_prefix(b"@@ -")?;
    let end = inside.windows(3).position(|window| window == b" @@")?;
    let (old, new) = std::str::from_utf8(&inside[..end]).ok()?.split_once(" +")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some(((count(old)?, count(new)?), b"@@ -".len() + end + b" @@".len()))
}

fn paint(to: &mut impl Write, colour: &[u8], text: &[u8]) -> io::Result<()> {
    if text.is_empty() || colour == RESET {
        return to.write_all(text);
    }
    to.write_all(colour)?;
    to.write_all(text)?;
    to.write_all(RESET)
}

impl<W: Write> Write for Coloured<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.pass(&line)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        if !rest.is_empty() {
            self.pass(&rest)?;
        }
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut writer: Coloured<Vec<u8>>, plain: &str, expected: &str) {
        // In small pieces, as printers write.
        for piece in plain.as_bytes().chunks(3) {
            writer.write_all(piece).unwrap();
        }
        writer.flush().unwrap();
        let shown = String::from_utf8(writer.to).unwrap();
        let shown = shown.replace("\x1b[m", ">").replace("\x1b[1m", "<b ").replace("\x1b[31m", "<r ");
        assert_eq!(shown.replace("\x1b[32m", "<g ").replace("\x1b[36m", "<c "), expected);
    }

    #[test]
    fn a_removed_line_that_looks_like_a_header_is_red() {
        check(
            Coloured::patch(Vec::new()),
            "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1 @@ select\n--- a comment\n x\n\\ No newline at end of file\ndiff --git\n",
            "<b --- a/q.sql>\n<b +++ b/q.sql>\n<c @@ -1,2 +1 @@> select\n<r --- a comment>\n x\n\
             \\ No newline at end of file\n<b diff --git>\n",
        );
    }

    #[test]
    fn the_bar_of_a_file_is_green_and_red() {
        check(
            Coloured::stat(Vec::new()),
            " a-b.rs | 3 ++-\n c.bin | Bin 1 -> 2 bytes\n",
            " a-b.rs | 3 <g ++><r ->\n c.bin | Bin 1 -> 2 bytes\n",
        );
    }
}
