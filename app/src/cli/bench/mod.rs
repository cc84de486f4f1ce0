//! `recto bench …`: drives the real application with real input events and prints one JSON object.
//!
//! Nothing but the window is left out: the same code builds and tessellates every frame. `first_frame_ms` counts from
//! the request in a running window to the end of the first frame that shows real content; `counted_ms` to when all
//! counts are known, `complete_ms` to when everything is computed; `frame_cpu_ms` is processor time of building and
//! tessellating a frame; `key_to_frame_ms` is the time by the clock from a key to the end of the frame that shows it. A
//! peer's time stands beside ours where there is one, measured in the same run, after ours.

mod chat;
mod editor;
mod figures;
mod git;
mod probe;
mod review;
mod startup;
mod terminal;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::Outcome;
use super::output::Output;
use crate::app::Startup;
use crate::headless::{Headless, Options};
use crate::state::Paths;

pub use probe::Probe;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    bench: Bench,
}

#[derive(clap::Subcommand, Debug)]
enum Bench {
    /// Opens an empty window: time to its first frame, memory, frames while idle
    Startup {
        /// Windows to open; the middle time counts
        #[arg(long, default_value_t = 5)]
        runs: usize,
    },
    /// Reviews a range of a repository, scrolls through all of it, folds and expands
    Review {
        /// A folder of the repository
        #[arg(long, default_value = ".")]
        repo: PathBuf,
        /// What to compare, as `git diff` names it
        range: String,
    },
    /// Reviews two files or folders; types into the new side of two files
    ReviewFiles { old: PathBuf, new: PathBuf },
    /// Opens a file in the editor
    Open { file: PathBuf },
    /// Types into the middle of a file; nothing is saved
    Type { file: PathBuf },
    /// Streams a reply from a server into a conversation of 2,000 messages, and scrolls through one of 10,000
    Chat,
    /// Measures the terminal: engine, pseudo-terminal, drawing, a flood beside an editor, idle shells; takes two minutes
    Terminal {
        /// Leaves out engine and pseudo-terminal by themselves
        #[arg(long)]
        window: bool,
    },
    /// Opens an empty window, as `startup` does, and reports its first frame
    #[command(hide = true)]
    Window {
        /// Stays to be watched at rest
        #[arg(long)]
        watch: bool,
    },
}

/// Longest time that anything measured may take.
const PATIENCE: Duration = Duration::from_mins(10);

pub fn run(args: &Args, output: &mut Output) -> Outcome {
    let figures = match &args.bench {
        Bench::Startup { runs } => startup::run(*runs)?,
        Bench::Review { repo, range } => review::range(repo, range)?,
        Bench::ReviewFiles { old, new } => review::files(old, new)?,
        Bench::Open { file } => editor::open(file)?,
        Bench::Type { file } => editor::type_into(file)?,
        Bench::Chat => chat::run()?,
        Bench::Terminal { window } => terminal::run(*window)?,
        Bench::Window { watch } => return Ok(super::open::window(Startup::default(), Some(Probe::new(*watch)))?),
    };
    figures.print(output)?;
    Ok(())
}

/// A running application with nothing open, whose settings and session are nobody's.
fn running() -> anyhow::Result<Headless> {
    // Each its own: what one had open is not restored in the next.
    static WINDOWS: AtomicU32 = AtomicU32::new(0);
    let name = format!("recto-bench-{}-{}", std::process::id(), WINDOWS.fetch_add(1, Ordering::Relaxed));
    let dirs = Paths::under(std::env::temp_dir().join(name));
    let startup = Startup { dirs, ..Startup::default() };
    let mut window = Headless::start(startup, Options::default())?;
    window.settle(PATIENCE)?;
    Ok(window)
}
