//! Standard output: buffered, coloured only on a terminal, and not upset when its reader leaves.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

/// Where a command prints.
pub struct Output {
    to: BufWriter<StdoutLock<'static>>,
    colour: bool,
    broken: bool,
}

impl Output {
    /// The process's standard output. `NO_COLOR` keeps it plain.
    pub fn stdout() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colour = io::stdout().is_terminal() && !plain;
        Self { to: BufWriter::with_capacity(64 << 10, io::stdout().lock()), colour, broken: false }
    }

    /// Whether people see it in colour.
    pub fn has_colour(&self) -> bool {
        self.colour
    }

    /// Columns of the terminal; 80 where there is none.
    pub fn width(&self) -> usize {
        let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        set.or_else(terminal_width).filter(|&columns| columns > 0).unwrap_or(80)
    }

    /// Whether the reader left.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.broken |= matches!(&result, Err(error) if error.kind() == io::ErrorKind::BrokenPipe);
        result
    }
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.note(flushed)
    }
}
