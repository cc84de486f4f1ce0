//! `recto bench open` and `type`: a file in the editor.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, bail};

use super::figures::{Figures, Percentiles, memory_mb, ms};
use super::{PATIENCE, running};
use crate::app::App;
use crate::commands::{Action, Place};
use crate::headless::Headless;
use crate::panes::Pane;
use crate::state::documents::OpenDocument;
use crate::state::notices::Level;

/// Keys typed.
const KEYS: usize = 400;

/// Opens a file, pages through a part of it and jumps to its end.
pub fn open(file: &Path) -> anyhow::Result<Figures> {
    let mut figures = Figures { bench: "open", input: Some(file.display().to_string()), ..Figures::default() };
    let mut window = running()?;
    show(&mut window, file, &mut figures)?;
    let mut costs = Vec::new();
    for step in ["PageDown"; 200].iter().chain(&["Ctrl+End", "Ctrl+Home", "Ctrl+End"]) {
        for step in crate::headless::parse_steps(step).map_err(anyhow::Error::msg)? {
            window.step(&step);
            costs.push(window.frame());
        }
    }
    figures.frames(&costs);
    (figures.rss_mb, figures.peak_rss_mb) = memory_mb().unzip();
    Ok(figures)
}

/// Types into the middle of a file.
pub fn type_into(file: &Path) -> anyhow::Result<Figures> {
    let mut figures = Figures { bench: "type", input: Some(file.display().to_string()), ..Figures::default() };
    let mut window = running()?;
    let path = show(&mut window, file, &mut figures)?;
    let lines = document(window.app()).context("the file was closed")?.document.text().line_count();
    let at = Some(Place { line: lines / 2 + 1, column: 1 });
    window.act(Action::OpenFile { path, at });
    window.frame();
    window.settle(PATIENCE)?;

    let mut times = Vec::with_capacity(KEYS);
    let mut costs = Vec::with_capacity(KEYS);
    // Without brackets: the second of a pair is stepped over and changes nothing.
    for c in "let value = other + 12;\n".chars().cycle().take(KEYS) {
        let before = document(window.app()).map(|open| open.document.version());
        let start = Instant::now();
        window.type_text(c.encode_utf8(&mut [0; 4]));
        costs.push(window.frame());
        times.push(start.elapsed());
        if document(window.app()).map(|open| open.document.version()) == before {
            bail!("the key {c:?} changed nothing; the editor did not take it");
        }
        window.settle(PATIENCE)?;
    }
    figures.key_to_frame_ms = Percentiles::of(times);
    figures.frames(&costs);
    (figures.rss_mb, figures.peak_rss_mb) = memory_mb().unzip();
    Ok(figures)
}

/// Opens the file and waits for its first screen, then for its colours.
fn show(window: &mut Headless, file: &Path, figures: &mut Figures) -> anyhow::Result<std::path::PathBuf> {
    let path = file.canonicalize().with_context(|| format!("there is no file {}", file.display()))?;
    let start = Instant::now();
    window.act(Action::OpenFile { path: path.clone(), at: None });
    window.run_until("text of the file", PATIENCE, |app| document(app).is_some() || error(app).is_some())?;
    let Some(open) = document(window.app()) else {
        bail!("{}", error(window.app()).unwrap_or("the file cannot be opened"));
    };
    figures.first_frame_ms = Some(ms(start.elapsed()));
    figures.lines = Some(u64::from(open.document.text().line_count()));
    window.settle(PATIENCE)?;
    figures.complete_ms = Some(ms(start.elapsed()));
    Ok(path)
}

/// The document of the first editor, once its text is there.
fn document(app: &App) -> Option<&OpenDocument> {
    let editor = app.layout.panes().find_map(|(_, pane)| match pane {
        Pane::Editor(editor) => Some(editor),
        _ => None,
    })?;
    app.state.documents.get(editor.document)
}

/// What went wrong last, if anything did.
fn error(app: &App) -> Option<&str> {
    let mut errors = app.state.notices.history().filter(|notice| notice.level == Level::Error);
    errors.next().map(|notice| notice.text.as_str())
}
