//! `recto [PATH[:LINE[:COL]]…]`: opens the window.

use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow, bail};
use eframe::egui;

use super::bench::Probe;
use super::{Failure, Outcome};
use crate::app::{App, Startup};
use crate::commands::Place;
use crate::headless;
use crate::state::session;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Folders and files to open, with line and column to go to
    #[arg(value_name = "PATH[:LINE[:COL]]")]
    pub paths: Vec<OsString>,
}

pub fn run(args: &Args) -> Outcome {
    let startup = Startup { paths: locate_all(&args.paths)?, ..Startup::default() };
    Ok(window(startup, None)?)
}

/// The places that words of the command line name, every one of which must exist.
pub fn locate_all(words: &[OsString]) -> Result<Vec<(PathBuf, Option<Place>)>, Failure> {
    words.iter().map(|word| Ok(locate(word)?)).collect()
}

/// A path with the line and column behind it, unless all of it is the name of a file.
fn locate(word: &OsStr) -> anyhow::Result<(PathBuf, Option<Place>)> {
    let whole = Path::new(word);
    if whole.symlink_metadata().is_ok() {
        return Ok((absolute(whole)?, None));
    }
    if let Some((path, place)) = word.to_str().and_then(split_place)
        && Path::new(path).symlink_metadata().is_ok()
    {
        return Ok((absolute(Path::new(path))?, Some(place)));
    }
    bail!("there is no file or folder {}", whole.display())
}

/// Splits `path:12:3` or `path:12`.
fn split_place(word: &str) -> Option<(&str, Place)> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|&n| n > 0);
    let (rest, last) = word.trim_end_matches(':').rsplit_once(':')?;
    let last = number(last)?;
    if let Some((path, line)) = rest.rsplit_once(':')
        && let Some(line) = number(line)
    {
        return Some((path, Place { line, column: last }));
    }
    Some((rest, Place { line: last, column: 1 }))
}

/// The path from the root, without `..`, which would spoil names and comparisons.
pub fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    let steps_up = path.components().any(|part| part == Component::ParentDir);
    let found = if steps_up { path.canonicalize() } else { std::path::absolute(path) };
    found.with_context(|| format!("{} cannot be reached", path.display()))
}

/// Opens the window and stays until it is closed; fails if what it was opened for is not done then.
pub fn window(startup: Startup, probe: Option<Probe>) -> anyhow::Result<()> {
    if !has_display() {
        bail!(
            "there is no display to open a window on (neither WAYLAND_DISPLAY nor DISPLAY is set); \
             `recto diff` with --stat, --patch or --json and `recto screenshot` work without one"
        );
    }
    let running = Arc::new(AtomicBool::new(false));
    let verdict = Arc::new(Mutex::new(Ok(())));
    let opened = quiet_until(&running, || run_native(startup, probe, Arc::clone(&running), Arc::clone(&verdict)));
    match opened {
        Ok(result) => {
            result.map_err(|error| explain(&error))?;
            let verdict = std::mem::replace(&mut *verdict.lock().unwrap_or_else(PoisonError::into_inner), Ok(()));
            verdict.map_err(|reason| anyhow!(reason))
        }
        // Libraries of the desktop that are missing show as a panic in the window library.
        Err(panic) if !running.load(Ordering::Relaxed) => {
            Err(anyhow!("the window could not be opened: {}", panic_message(&*panic)))
        }
        Err(panic) => resume_unwind(panic),
    }
}

/// Where no size was remembered.
const SIZE: (f32, f32) = (1280.0, 800.0);

/// Whether what the window was opened for is done.
type Verdict = Arc<Mutex<Result<(), String>>>;

fn run_native(startup: Startup, probe: Option<Probe>, running: Arc<AtomicBool>, verdict: Verdict) -> eframe::Result {
    let folder = startup.paths.iter().map(|(path, _)| path.as_path()).find(|path| path.is_dir());
    let size = session::window_size(&startup.dirs.sessions(), folder).unwrap_or(SIZE);
    let mut viewport = egui::ViewportBuilder::default()
        .with_title("Recto")
        .with_app_id("recto")
        .with_inner_size([size.0, size.1])
        .with_min_inner_size([480.0, 320.0]);
    if let Some(icon) = icon() {
        viewport = viewport.with_icon(icon);
    }
    let options = eframe::NativeOptions {
        viewport,
        renderer: eframe::Renderer::Wgpu,
        wgpu_options: eframe::egui_wgpu::WgpuConfiguration::default()
            .with_surface_config(eframe::egui_wgpu::SurfaceConfig::LOW_LATENCY),
        dithering: false, // flat colours have no bands to hide
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "recto",
        options,
        Box::new(move |creation| {
            let mut app = App::new(&creation.egui_ctx, startup)?;
            app.state.shell.adapter = creation.wgpu_render_state.as_ref().map(|wgpu| wgpu.adapter.get_info().name);
            Ok(Box::new(Window { app, running, verdict, probe }))
        }),
    )
}

/// The application in its window.
struct Window {
    app: App,
    running: Arc<AtomicBool>,
    /// Filled when the window closes.
    verdict: Verdict,
    probe: Option<Probe>,
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        eframe::App::logic(&mut self.app, ctx, frame);
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        // From here on a panic is a mistake of ours and is shown as one.
        self.running.store(true, Ordering::Relaxed);
        if let Some(probe) = &mut self.probe {
            probe.frame(ui.ctx());
        }
        eframe::App::ui(&mut self.app, ui, frame);
    }

    fn on_exit(&mut self) {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = self.app.verdict();
        // A measured window leaves no traces.
        if self.probe.is_none() {
            eframe::App::on_exit(&mut self.app);
        }
    }
}

/// Runs `work`; a panic before `running` is not printed, since it becomes the message of an error.
fn quiet_until<T>(running: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> std::thread::Result<T> {
    let loud = std::panic::take_hook();
    let flag = Arc::clone(running);
    let this = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if flag.load(Ordering::Relaxed) || std::thread::current().id() != this {
            loud(info);
        }
    }));
    let result = catch_unwind(AssertUnwindSafe(work));
    drop(std::panic::take_hook());
    result
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("the reason is not known")
}

fn explain(error: &eframe::Error) -> anyhow::Error {
    match error {
        eframe::Error::Wgpu(eframe::egui_wgpu::WgpuError::RequestAdapterError(_)) => anyhow!(headless::NO_ADAPTER),
        eframe::Error::Winit(error) => anyhow!("the window could not be opened: {error}"),
        eframe::Error::WinitEventLoop(error) => anyhow!("the display cannot be reached: {error}"),
        other => anyhow!("the window could not be opened: {other}"),
    }
}

/// Whether a window has somewhere to go.
fn has_display() -> bool {
    let desktop_is_always_there = cfg!(any(target_os = "windows", target_os = "macos"));
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    desktop_is_always_there || ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"].into_iter().any(set)
}

fn icon() -> Option<egui::IconData> {
    let picture = image::load_from_memory(include_bytes!("../../../assets/icons/recto.png")).ok()?.into_rgba8();
    let (width, height) = picture.dimensions();
    Some(egui::IconData { rgba: picture.into_raw(), width, height })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: Option<(&str, u32, u32)>) {
        let found = split_place(word).map(|(path, place)| (path, place.line, place.column));
        assert_eq!(found, expected, "{word}");
    }

    #[test]
    fn line_and_column_stand_behind_the_path() {
        check("a.rs:12", Some(("a.rs", 12, 1)));
        check("a.rs:12:3", Some(("a.rs", 12, 3)));
        check("a.rs:12:", Some(("a.rs", 12, 1))); // as compilers print it
        check("c:/a:b.rs:7", Some(("c:/a:b.rs", 7, 1)));
    }

    #[test]
    fn what_is_not_a_place_is_part_of_the_name() {
        check("a.rs", None);
        check("a.rs:x", None);
        check("a.rs:0", None);
    }

    #[test]
    fn a_file_whose_name_looks_like_a_place_is_opened_as_it_is_called() {
        let folder = std::env::temp_dir().join(format!("recto-open-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let odd = folder.join("log:12");
        std::fs::write(&odd, "x").unwrap();
        assert_eq!(locate(odd.as_os_str()).unwrap(), (odd, None));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_missing_path_is_named() {
        let error = locate(OsStr::new("no/such/file.rs:3")).unwrap_err();
        assert_eq!(error.to_string(), "there is no file or folder no/such/file.rs:3");
    }
}
