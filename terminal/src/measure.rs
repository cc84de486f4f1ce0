//! What the terminal costs, measured on the machine at hand: for `recto bench terminal` and `cargo bench -p terminal`.
//!
//! Ratios are taken against the bare engine in the same run: absolute figures of a shared machine say little.

use std::time::{Duration, Instant};

use crate::process::{Launch, StartError, session_members};
use crate::screen::{Frame, Screen, Size, bare_engine};
use crate::terminal::{Options, Terminal};

/// All figures. Throughput in megabytes (10⁶ bytes) a second, times in milliseconds.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Figures {
    /// Lines of numbers, as `seq` writes them.
    pub plain: Throughput,
    /// Coloured listings.
    pub coloured: Throughput,
    /// Nothing but short commands with all their marks: the worst for the scanner.
    pub prompts: Throughput,
    /// `seq` through a real pseudo-terminal.
    pub pty_mb_s: f64,
    pub frame_copy_200x60_ms: f64,
    pub resize_10000_lines_ms: f64,
    /// From sending Ctrl-C under a flood of `yes` to the end of it.
    pub ctrl_c_ms: f64,
    /// Closing one with a foreground job, a background job and a `nohup`.
    pub close_ms: f64,
    pub processes_left: usize,
}

/// The same bytes through the engine alone and through all of ours.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Throughput {
    pub bare_mb_s: f64,
    pub ours_mb_s: f64,
    pub ratio: f64,
}

const SIZE: (u16, u16) = (200, 60);
const STREAM: usize = 24_000_000;
/// Bytes in a piece, as the reader gets them.
const PIECE: usize = 64 * 1024;
/// Nothing here takes so long; a measurement that does has failed.
const LONG: Duration = Duration::from_mins(1);

/// Measures everything; takes some ten seconds.
pub fn measure() -> Result<Figures, StartError> {
    let (close_ms, processes_left) = close()?;
    Ok(Figures {
        plain: throughput(&repeated(|n| format!("{n}\r\n"))),
        coloured: throughput(&repeated(|n| {
            format!(
                "-rw-r--r-- 1 user user {n} \x1b[0m\x1b[01;32mfile-{n}.rs\x1b[0m  \x1b[38;5;{}mtext\x1b[m\r\n",
                n % 256
            )
        })),
        prompts: throughput(&repeated(|n| {
            format!(
                "\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07\x1b]7;file:///tmp/{n}\x07a b c\r\n\x1b]133;D;0\x07"
            )
        })),
        pty_mb_s: pty()?,
        frame_copy_200x60_ms: frame_copy(),
        resize_10000_lines_ms: resize(),
        ctrl_c_ms: ctrl_c()?,
        close_ms,
        processes_left,
    })
}

fn repeated(line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(STREAM + 200);
    let mut n = 0;
    while bytes.len() < STREAM {
        bytes.extend_from_slice(line(n).as_bytes());
        n += 1;
    }
    bytes
}

/// Both in turn, several times; the best of each, which is least disturbed by others.
fn throughput(bytes: &[u8]) -> Throughput {
    let (mut bare, mut ours) = (f64::MAX, f64::MAX);
    for _ in 0..5 {
        bare = bare.min(bare_engine(bytes, PIECE, Size::new(SIZE.0, SIZE.1)).as_secs_f64());
        let mut screen = Screen::new(Size::new(SIZE.0, SIZE.1), 10_000);
        let begun = Instant::now();
        for piece in bytes.chunks(PIECE) {
            screen.feed(piece);
            // As the window does; events do not pile up.
            screen.take_events();
        }
        ours = ours.min(begun.elapsed().as_secs_f64());
    }
    let megabytes = bytes.len() as f64 / 1e6;
    Throughput { bare_mb_s: megabytes / bare, ours_mb_s: megabytes / ours, ratio: bare / ours }
}

fn options() -> Options {
    Options { size: Size::new(SIZE.0, SIZE.1), ..Options::default() }
}

fn pty() -> Result<f64, StartError> {
    let count = 3_000_000u64;
    // Every number with its line end, which the terminal makes two bytes.
    let bytes: u64 = (1..=7)
        .map(|digits| {
            let (low, high) = (10u64.pow(digits - 1), 10u64.pow(digits).min(count + 1));
            (high - low) * (u64::from(digits) + 2)
        })
        .sum();
    let mut best = f64::MAX;
    for _ in 0..3 {
        let begun = Instant::now();
        let terminal = Terminal::start(&Launch::line(format!("seq 1 {count}")), options())?;
        let _ = terminal.wait_for_exit(LONG);
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(bytes as f64 / 1e6 / best)
}

/// A full screen of colours.
fn frame_copy() -> f64 {
    let mut screen = Screen::new(Size::new(SIZE.0, SIZE.1), 10_000);
    for n in 0..6_000 {
        screen.feed(format!("\x1b[38;5;{}m{n:>width$}\x1b[m\r\n", n % 256, width = usize::from(SIZE.0) - 1).as_bytes());
    }
    let mut frame = Frame::default();
    median((0..200).map(|_| timed(|| screen.frame(&mut frame))))
}

fn resize() -> f64 {
    let mut screen = Screen::new(Size::new(80, 24), 10_000);
    for n in 0..10_100 {
        screen.feed(format!("line {n} of some length, such as programs write, or a little more\r\n").as_bytes());
    }
    median((0..10).map(|n| {
        let columns = if n % 2 == 0 { 60 } else { 80 };
        timed(|| screen.resize(Size::new(columns, 24)))
    }))
}

fn ctrl_c() -> Result<f64, StartError> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let terminal = Terminal::start(&Launch::line("yes"), options())?;
        // Until it is in full flood: the history is full.
        let _ = terminal.wait_until(LONG, |screen| (screen.first_line().0 > 0).then_some(()));
        let begun = Instant::now();
        let _ = terminal.send(b"\x03");
        let _ = terminal.wait_for_exit(LONG);
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times.into_iter().fold(0.0, f64::max))
}

fn close() -> Result<(f64, usize), StartError> {
    let jobs = "nohup sleep 1000 >/dev/null 2>&1 & (trap '' HUP; exec sleep 1001) & echo started; sleep 1002; :";
    let terminal = Terminal::start(&Launch::line(jobs), options())?;
    let session = terminal.process_id().unwrap_or_default();
    let _ = terminal.wait_until(LONG, |screen| screen.text().contains("started").then_some(()));
    let took = timed(|| {
        terminal.end();
    });
    Ok((took, session_members(session).len()))
}

/// In milliseconds.
fn timed(run: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    run();
    begun.elapsed().as_secs_f64() * 1e3
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<_> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
