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

    /// Whether the reader left.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.broken |= matches!(&result, Err(error) if error.kind() == io::ErrorKind::BrokenPipe);
        result
    }
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
