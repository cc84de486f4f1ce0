//! `recto bench review` and `review-files`: a request in a running window, then reading all of it.
//!
//! Scrolling goes at the pace of a 60 Hz display, as a reader's does: by wheel at the top, by long swipes through the
//! whole page and back, and by jumps with the thumb of the scroll bar.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use eframe::egui::{Key, Modifiers, Pos2, Rect, pos2};

use super::figures::{Figures, Percentiles, memory_mb, ms};
use super::{PATIENCE, git, running};
use crate::app::App;
use crate::commands::Action;
use crate::headless::{Cost, Headless};
use crate::panes::Pane;
use crate::panes::review::ReviewPane;
use crate::state::reviews::{OpenReview, Request, Stage};

/// Time between two frames of a display.
const TICK: Duration = Duration::from_nanos(16_666_667);

/// Frames of a swipe through the whole page, at most.
const SWEEP: f64 = 600.0;

/// Jumps with the thumb.
const JUMPS: u32 = 40;

/// Frames that are looked at after a jump.
const AFTER_JUMP: u32 = 15;

/// Keys typed into the new side.
const KEYS: usize = 200;

/// A range of a repository.
pub fn range(repo: &Path, range: &str) -> anyhow::Result<Figures> {
    let folder = repo.canonicalize().with_context(|| format!("there is no folder {}", repo.display()))?;
    let request = Request::Revisions { folder, words: range.to_owned() };
    let mut figures = Figures { bench: "review", input: Some(range.to_owned()), ..Figures::default() };
    let mut window = running()?;
    read(&mut window, request, &mut figures)?;
    finish(window, &mut figures);
    figures.beside_git(git::numstat(repo, range));
    Ok(figures)
}

/// Two files or folders.
pub fn files(old: &Path, new: &Path) -> anyhow::Result<Figures> {
    let comparison = diff::source::Comparison::of_paths(old, new)?;
    let input = Some(format!("{} {}", old.display(), new.display()));
    let mut figures = Figures { bench: "review-files", input, ..Figures::default() };
    let mut window = running()?;
    read(&mut window, Request::Found(comparison), &mut figures)?;
    if new.is_file() {
        figures.key_to_frame_ms = type_into_new_side(&mut window)?;
    }
    finish(window, &mut figures);
    figures.beside_git(git::numstat_of_paths(old, new));
    Ok(figures)
}

fn finish(window: Headless, figures: &mut Figures) {
    (figures.rss_mb, figures.peak_rss_mb) = memory_mb().unzip();
    drop(window);
}

fn read(window: &mut Headless, request: Request, figures: &mut Figures) -> anyhow::Result<()> {
    let start = Instant::now();
    window.act(Action::OpenReview(request));
    window.run_until("list of changed files", PATIENCE, |app| !matches!(stage(app), None | Some(Stage::Listing)))?;
    if let Some(Stage::Failed(error)) = stage(window.app()) {
        bail!("{error}");
    }
    figures.tree_ms = Some(ms(start.elapsed()));
    if !shows_rows(window.app()) {
        window.run_until("rows of the first file", PATIENCE, |app| shows_rows(app))?;
    }
    figures.first_frame_ms = Some(ms(start.elapsed()));
    (figures.words_ms, figures.complete_ms) = words_and_all(window, start)?;
    figures.counted_ms = review(window.app())?.complete.map(ms);
    window.settle(PATIENCE)?;

    let page = &review(window.app())?.page;
    let (counts, _) = page.counts();
    figures.files = Some(page.files().len());
    figures.rows = Some(page.index().total());
    figures.added = Some(counts.added);
    figures.removed = Some(counts.removed);

    let before = pane(window.app())?.blank_rows;
    let mut reader = Reader::new(window)?;
    reader.wheel();
    reader.sweep()?;
    reader.jump();
    let costs = reader.costs;
    figures.frames(&costs);
    figures.blank_rows = Some(pane(window.app())?.blank_rows - before);
    window.settle(PATIENCE)?;
    commands(window, figures)
}

/// From the first rows, on screen now, to the changed words in view, and from the request to all that is found out: counts, moves.
fn words_and_all(window: &mut Headless, start: Instant) -> anyhow::Result<(Option<f64>, Option<f64>)> {
    let first = Instant::now();
    let (mut words, mut all) = (None, None);
    let mut look = |app: &App| {
        if words.is_none() && pane(app).is_ok_and(ReviewPane::has_all_words) {
            words = Some(ms(first.elapsed()));
        }
        if all.is_none() && review(app).is_ok_and(OpenReview::is_complete) {
            all = Some(ms(start.elapsed()));
        }
        words.is_some() && all.is_some()
    };
    if !look(window.app()) {
        window.run_until("words in view and all that is found out", PATIENCE, |app| look(app))?;
    }
    Ok((words, all))
}

/// What single commands take, from the key to the end of the frame; none where the key changed nothing.
fn commands(window: &mut Headless, figures: &mut Figures) -> anyhow::Result<()> {
    window.press(Modifiers::NONE, Key::Home);
    let shift = Modifiers::SHIFT;
    let mut time = |modifiers, key| -> anyhow::Result<Option<f64>> {
        let before = review(window.app())?.page.version();
        let start = Instant::now();
        window.press(modifiers, key);
        window.frame();
        let mut elapsed = start.elapsed();
        if review(window.app())?.page.version() == before {
            window.frame(); // commands of the pane run after it is drawn
            elapsed = start.elapsed();
        }
        let changed = review(window.app())?.page.version() != before;
        window.settle(PATIENCE)?;
        Ok(changed.then(|| ms(elapsed)))
    };
    figures.toggle_split_ms = time(Modifiers::NONE, Key::U)?;
    time(Modifiers::NONE, Key::U)?;
    figures.expand_ms = time(Modifiers::NONE, Key::O)?;
    time(Modifiers::NONE, Key::O)?;
    figures.fold_ms = time(Modifiers::NONE, Key::X)?;
    time(Modifiers::NONE, Key::X)?;
    figures.fold_all_ms = time(shift, Key::X)?;
    time(shift, Key::X)?;
    Ok(())
}

/// From each key to the end of the frame that shows the rows compared anew.
fn type_into_new_side(window: &mut Headless) -> anyhow::Result<Option<Percentiles>> {
    window.press(Modifiers::NONE, Key::E);
    window.frame();
    window.settle(PATIENCE)?;
    if !pane(window.app())?.is_editing() {
        return Ok(None);
    }
    let mut times = Vec::with_capacity(KEYS);
    // No brackets: a closing one steps over its partner and changes nothing.
    for c in "changed_word = other + 7\n".chars().cycle().take(KEYS) {
        let before = review(window.app())?.page.version();
        let start = Instant::now();
        window.type_text(c.encode_utf8(&mut [0; 4]));
        window.run_until("compared line", PATIENCE, |app| review(app).is_ok_and(|r| r.page.version() != before))?;
        times.push(start.elapsed());
        window.settle(PATIENCE)?;
    }
    Ok(Percentiles::of(times))
}

/// Someone who reads the page, and what every frame cost.
struct Reader<'a> {
    window: &'a mut Headless,
    bar: Rect,
    costs: Vec<Cost>,
    next: Instant,
}

impl<'a> Reader<'a> {
    fn new(window: &'a mut Headless) -> anyhow::Result<Self> {
        let bar = window.bounds("Scroll position").context("the review has no scroll bar")?;
        let beside = pos2(bar.left() - 100.0, bar.center().y);
        window.point_at(beside);
        Ok(Self { window, bar, costs: Vec::new(), next: Instant::now() })
    }

    /// Runs the frame of the display's next tick.
    fn tick(&mut self) {
        let now = Instant::now();
        if self.next > now {
            thread::sleep(self.next - now);
        }
        self.next = self.next.max(now) + TICK;
        self.costs.push(self.window.frame());
    }

    /// Three lines a notch, as a hand turns it.
    fn wheel(&mut self) {
        for n in 0..120 {
            if n % 3 == 0 {
                self.window.wheel(3.0);
            }
            self.tick();
        }
    }

    /// To the end and back.
    fn sweep(&mut self) -> anyhow::Result<()> {
        let page = &review(self.window.app())?.page;
        let rows = page.index().total() as f64;
        let frames = (rows / 15.0).clamp(30.0, SWEEP).round();
        let points = (rows * f64::from(ROW) / frames).ceil() as f32;
        for direction in [1.0, -1.0] {
            for _ in 0..frames as u32 {
                self.window.swipe(points * direction);
                self.tick();
            }
        }
        Ok(())
    }

    /// Here and there with the thumb, where a scattered sequence leads.
    fn jump(&mut self) {
        let x = self.bar.center().x;
        for n in 0..JUMPS {
            let share = (f64::from(n) * 0.618_033_988_75).fract() as f32;
            let at: Pos2 = pos2(x, self.bar.top() + 1.0 + share * (self.bar.height() - 2.0));
            self.window.point_at(at);
            self.tick();
            self.window.button(at, true);
            self.tick();
            self.window.button(at, false);
            for _ in 0..AFTER_JUMP {
                self.tick();
            }
        }
    }
}

/// Height of a row at the default size, in points.
const ROW: f32 = 20.0;

fn pane(app: &App) -> anyhow::Result<&ReviewPane> {
    let panes = app.layout.panes().filter_map(|(_, pane)| match pane {
        Pane::Review(pane) => Some(pane),
        _ => None,
    });
    panes.last().context("no review is open")
}

fn review(app: &App) -> anyhow::Result<&OpenReview> {
    app.state.reviews.get(pane(app)?.review).context("the review was closed")
}

fn stage(app: &App) -> Option<&Stage> {
    review(app).ok().map(|review| &review.stage)
}

/// Whether the frame that was just drawn shows contents.
fn shows_rows(app: &App) -> bool {
    let (Ok(pane), Ok(review)) = (pane(app), review(app)) else { return false };
    let page = &review.page;
    page.files().is_empty() || page.file(pane.anchor().file).is_some_and(diff::review::FileEntry::is_ready)
}
