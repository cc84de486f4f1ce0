//! Inside the measured window: reports the first frame, counts frames, and closes when it has seen enough.
//!
//! The report goes to standard output, a JSON value a line: first `"first_frame"`, at the end an object.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, bounded};
use eframe::egui::{self, ViewportCommand};
use serde::{Deserialize, Serialize};

use super::figures;

/// After this long the caret has stopped blinking and everything has settled.
const REST: Duration = Duration::from_secs(13);

/// How long frames are then counted.
pub const WATCH: Duration = Duration::from_secs(5);

/// What the window says at the end.
#[derive(Serialize, Deserialize)]
pub struct Report {
    pub idle_frames: u64,
    pub rss_mb: Option<f64>,
    pub peak_rss_mb: Option<f64>,
}

/// Watches the frames of the window it is in.
pub struct Probe {
    frames: Arc<AtomicU64>,
    /// Whether the window stays to be watched at rest, or closes after its first frame.
    watch: bool,
    /// What was seen at rest. It is said in a frame: the thread of the window holds the standard output.
    seen: Option<Receiver<Report>>,
}

impl Probe {
    /// A probe; with `watch` it stays for [`REST`] and [`WATCH`].
    pub fn new(watch: bool) -> Self {
        Self { frames: Arc::default(), watch, seen: None }
    }

    /// Called at the start of every frame.
    pub fn frame(&mut self, ctx: &egui::Context) {
        match self.frames.fetch_add(1, Ordering::Relaxed) {
            0 => ctx.request_repaint(),
            // The frame before was presented before this one began.
            1 => {
                say("first_frame");
                if !self.watch || self.stay(ctx).is_err() {
                    ctx.send_viewport_cmd(ViewportCommand::Close);
                }
            }
            _ => {}
        }
        if let Some(report) = self.seen.as_ref().and_then(|seen| seen.try_recv().ok()) {
            say(report);
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }

    fn stay(&mut self, ctx: &egui::Context) -> std::io::Result<()> {
        let (ctx, frames) = (ctx.clone(), Arc::clone(&self.frames));
        let (send, seen) = bounded(1);
        self.seen = Some(seen);
        thread::Builder::new().name("probe".to_owned()).spawn(move || {
            thread::sleep(REST);
            let before = frames.load(Ordering::Relaxed);
            thread::sleep(WATCH);
            let idle_frames = frames.load(Ordering::Relaxed) - before;
            let (rss_mb, peak_rss_mb) = figures::memory_mb().unzip();
            let _ = send.send(Report { idle_frames, rss_mb, peak_rss_mb }); // the window may be gone
            ctx.request_repaint();
        })?;
        Ok(())
    }
}

/// Writes a line for the process that started the window. If it is gone, nobody misses the line.
fn say(value: impl Serialize) {
    if let Ok(line) = serde_json::to_string(&value) {
        drop(writeln!(std::io::stdout(), "{line}"));
    }
}
