//! `recto bench terminal`: engine and pseudo-terminal alone, then the window with terminals in it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::Serialize;
use terminal::measure::{self, Figures as Engine};
use terminal::tasks::{Task, TaskCommand, TaskSource};
use terminal::{Options, Terminal};

use super::figures::{Figures, Percentiles, memory_mb};
use super::{PATIENCE, running};
use crate::app::App;
use crate::commands::{Action, Command};
use crate::headless::{Cost, Headless, process_time};
use crate::panes::Pane;
use crate::state::terminals::OpenTerminal;

/// Terminals that stand idle.
const IDLE: usize = 20;

/// After this long shells have come up and carets have stopped blinking.
const COME_UP: Duration = Duration::from_secs(13);

/// How long they are then watched.
const WATCH: Duration = Duration::from_secs(10);

/// Frames that are counted of a full screen that changes as a whole.
const SCREENS: usize = 200;

/// A key comes with every frame of a display with sixty of them a second.
const KEY_EVERY: Duration = Duration::from_millis(16);

/// What a day with terminals costs.
#[derive(Serialize)]
pub struct Measured {
    #[serde(flatten)]
    engine: Option<Engine>,
    /// Processor time of frames that show a window full of colours, all of it new in each.
    draw_cpu_ms: Option<Percentiles>,
    /// `seq 1 5000000` in a terminal in view, while every frame has a key for the editor beside it.
    flood: Flood,
    /// The same with the terminal behind another tab.
    flood_behind: Flood,
    idle: Idle,
}

#[derive(Serialize)]
struct Flood {
    frames: usize,
    frame_cpu_ms: Option<Percentiles>,
    /// By the clock, waits for the reader and for other programs included.
    frame_wall_ms: Option<Percentiles>,
    seconds: f64,
}

#[derive(Serialize)]
struct Idle {
    terminals: usize,
    /// Processor time of all threads, in per cent of one core.
    percent_of_a_core: Option<f64>,
    frames: usize,
    /// Processes of their sessions half a second after all were closed at once.
    processes_left: usize,
}

/// Measures everything, or the window alone.
pub fn run(window: bool) -> anyhow::Result<Figures> {
    let measured = Measured {
        engine: (!window).then(measure::measure).transpose()?,
        draw_cpu_ms: draw()?,
        flood: flood(true)?,
        flood_behind: flood(false)?,
        idle: idle()?,
    };
    let (rss_mb, peak_rss_mb) = memory_mb().unzip();
    Ok(Figures { bench: "terminal", terminal: Some(measured), rss_mb, peak_rss_mb, ..Figures::default() })
}

/// A terminal that fills the window and is drawn over and over.
fn draw() -> anyhow::Result<Option<Percentiles>> {
    let mut window = running()?;
    let terminal = Arc::new(Terminal::display(Options::default()));
    window.act(Action::ShowTerminal { terminal: Arc::clone(&terminal), name: "Colours".to_owned() });
    window.settle(PATIENCE)?;
    let mut costs = Vec::with_capacity(SCREENS);
    for n in 0..SCREENS {
        let size = terminal.with_screen(|screen| screen.size());
        let mut bytes = Vec::new();
        for cell in 0..usize::from(size.columns) * usize::from(size.rows) {
            let (color, character) = ((n + cell / 5) % 256, b'!' + ((n * 7 + cell) % 94) as u8);
            bytes.extend_from_slice(format!("\x1b[38;5;{color}m{}", char::from(character)).as_bytes());
        }
        terminal.show(&bytes);
        costs.push(window.frame());
    }
    Ok(Percentiles::of(costs.iter().map(Cost::cpu)))
}

/// Types while a program floods a terminal, which is in view or not.
fn flood(in_view: bool) -> anyhow::Result<Flood> {
    let mut window = running()?;
    window.act(Command::NewFile);
    window.settle(PATIENCE)?;
    window.act(Action::RunTask(Box::new(task("seq 1 5000000"))));
    window.run_until("the terminal", PATIENCE, |app| live(app).next().is_some())?;
    if !in_view {
        // Behind another one, in the same place.
        window.act(Command::NewTerminal);
        window.run_until("the second terminal", PATIENCE, |app| live(app).count() == 2)?;
    }
    let editor = window.app().layout.find(|pane| matches!(pane, Pane::Editor(_))).context("there is no editor")?;
    window.act(Action::Activate(editor));
    window.frame();

    let flooding = live(window.app()).next().context("the terminal is gone")?;
    let begun = Instant::now();
    let mut costs = Vec::new();
    for c in "let value = other + 12;\n".chars().cycle() {
        let next = Instant::now() + KEY_EVERY;
        window.type_text(c.encode_utf8(&mut [0; 4]));
        costs.push(window.frame());
        if flooding.exit().is_some() {
            break;
        }
        if begun.elapsed() > PATIENCE {
            bail!("the flood did not end");
        }
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    let seconds = begun.elapsed().as_secs_f64();
    window.app_mut().state.terminals.close_all();
    Ok(Flood {
        frames: costs.len(),
        frame_cpu_ms: Percentiles::of(costs.iter().map(Cost::cpu)),
        frame_wall_ms: Percentiles::of(costs.iter().map(|cost| cost.wall)),
        seconds,
    })
}

/// Shells at their prompts, which are then closed all at once.
fn idle() -> anyhow::Result<Idle> {
    let mut window = running()?;
    for n in 1..=IDLE {
        window.act(Command::NewTerminal);
        window.run_until("a terminal", PATIENCE, |app| live(app).count() == n)?;
    }
    window.rest(COME_UP);
    let (before, begun) = (process_time(), Instant::now());
    let frames = window.rest(WATCH).len();
    let used = process_time().zip(before).map(|(after, before)| after.saturating_sub(before));
    let percent_of_a_core = used.map(|used| used.as_secs_f64() / begun.elapsed().as_secs_f64() * 100.0);

    let sessions: Vec<u32> = live(window.app()).filter_map(|terminal| terminal.process_id()).collect();
    close_tabs(&mut window)?;
    thread::sleep(Duration::from_millis(500));
    let processes_left = sessions.iter().map(|session| terminal::process::session_members(*session).len()).sum();
    Ok(Idle { terminals: sessions.len(), percent_of_a_core, frames, processes_left })
}

fn close_tabs(window: &mut Headless) -> anyhow::Result<()> {
    while let Some(tile) = window.app().layout.find(|pane| matches!(pane, Pane::Terminal(_))) {
        window.act(Action::CloseTerminal(tile));
        window.frame();
        if window.app().layout.find(|pane| matches!(pane, Pane::Terminal(_))) == Some(tile) {
            bail!("a terminal did not close");
        }
    }
    Ok(())
}

/// Those that run, oldest first.
fn live(app: &App) -> impl Iterator<Item = Arc<Terminal>> {
    app.state.terminals.iter().filter_map(OpenTerminal::live).cloned()
}

fn task(line: &str) -> Task {
    Task {
        name: line.to_owned(),
        source: TaskSource::Make,
        command: TaskCommand::Line(line.to_owned()),
        directory: std::env::temp_dir(),
        environment: Vec::new(),
        detail: String::new(),
    }
}
