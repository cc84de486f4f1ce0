//! `recto bench startup`: an empty window in a process of its own.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::figures::{Figures, ms};
use super::probe::Report;

/// Opens windows one after the other; the last one stays to be watched at rest.
pub fn run(runs: usize) -> anyhow::Result<Figures> {
    let mut times = Vec::new();
    for _ in 1..runs {
        times.push(Window::open(false)?.close()?);
    }
    let (time, report) = Window::open(true)?.watch()?;
    times.push(time);
    times.sort_unstable();
    Ok(Figures {
        bench: "startup",
        first_frame_ms: Some(ms(times[times.len() / 2])),
        idle_frames: Some(report.idle_frames),
        rss_mb: report.rss_mb,
        peak_rss_mb: report.peak_rss_mb,
        ..Figures::default()
    })
}

/// A window in a process of its own, whose first frame was presented.
struct Window {
    process: Child,
    said: BufReader<std::process::ChildStdout>,
    first_frame: Duration,
}

impl Window {
    fn open(watch: bool) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("the program cannot find itself")?;
        let home = std::env::temp_dir().join(format!("recto-bench-{}", std::process::id()));
        let mut command = Command::new(program);
        command.args(["bench", "window"]).env("RECTO_HOME", home);
        if watch {
            command.arg("--watch");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut process = command.spawn().context("the window's process cannot be started")?;
        let mut said = BufReader::new(process.stdout.take().context("the window's process has no output")?);
        let mut line = String::new();
        said.read_line(&mut line)?;
        let first_frame = start.elapsed();
        if line.trim() != "\"first_frame\"" {
            let mut message = String::new();
            if let Some(mut errors) = process.stderr.take() {
                errors.read_to_string(&mut message)?;
            }
            process.wait()?;
            bail!("{}", message.trim().strip_prefix("recto: ").unwrap_or("the window closed before its first frame"));
        }
        Ok(Self { process, said, first_frame })
    }

    fn close(mut self) -> anyhow::Result<Duration> {
        self.process.wait()?;
        Ok(self.first_frame)
    }

    fn watch(mut self) -> anyhow::Result<(Duration, Report)> {
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        self.process.wait()?;
        let report = serde_json::from_str(&line).context("the window closed while it was watched")?;
        Ok((self.first_frame, report))
    }
}
