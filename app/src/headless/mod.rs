//! The application without a window, for the screenshot command, the bench and the tests.
//!
//! [`Headless`] drives the same [`App`] that the window drives: it feeds raw input as a window would, runs a frame,
//! tessellates it, and carries out what the frame asked of its window (clipboard, title, size, closing). A frame runs
//! when the application asked for one or when something was fed in, and never otherwise; between frames the driver
//! sleeps until it is woken.
//!
//! The application is *settled* when no frame is asked for at once and nothing is computed in the background: reviews
//! are complete, colours have come, tasks have ended. A blinking caret asks for a frame later and is settled, too.

mod cost;
mod input;
mod paint;
mod wakes;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use eframe::egui::{self, OutputCommand, TexturesDelta, Vec2, ViewportCommand, ViewportEvent, ViewportId};

pub use cost::{Cost, process_time};
pub use input::{Step, parse_steps};
pub use paint::{MAX_SIDE, NO_ADAPTER, Renderer, describe};

use crate::app::{App, Startup};
use crate::commands::Action;
use crate::panes::Pane;
use crate::state::desktop::{Desktop, Told};
use cost::Stopwatch;
use wakes::Wakes;

/// What time egui is told. Animations, blinking and delays follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// As it passes.
    Real,
    /// A sixtieth of a second more in each frame, whatever that took: every run is the same.
    Virtual,
}

/// How the window that is not there looks to the application.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Size in points, before any zoom.
    pub size: Vec2,
    /// Pixels per point.
    pub scale: f32,
    pub clock: Clock,
    /// Whether the tree for screen readers is built, as it is when one runs; see [`Headless::accessibility`].
    pub accessible: bool,
    /// What the desktop is set to.
    pub system_theme: egui::Theme,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: Vec2::new(1280.0, 800.0),
            scale: 1.0,
            clock: Clock::Real,
            accessible: false,
            system_theme: egui::Theme::Dark,
        }
    }
}

/// Waited in vain.
#[derive(Debug, thiserror::Error)]
#[error("after {waited:?} and {frames} frames there was still no {wanted}")]
pub struct TimedOut {
    /// What was waited for.
    pub wanted: String,
    pub waited: Duration,
    /// Frames run meanwhile.
    pub frames: u64,
}

/// Time between two frames of the virtual clock, in seconds.
const TICK: f64 = 1.0 / 60.0;

/// The application and the window's side of it.
pub struct Headless {
    app: App,
    ctx: egui::Context,
    options: Options,
    input: egui::RawInput,
    wakes: Arc<Wakes>,
    started: Instant,
    /// Seconds on the application's clock at the last frame.
    time: f64,
    frames: u64,
    /// The last frame, ready to paint, and textures that no renderer has taken yet.
    primitives: Vec<egui::ClippedPrimitive>,
    textures: TexturesDelta,
    accessibility: Option<egui::accesskit::TreeUpdate>,
    clipboard: String,
    title: String,
    /// What would have been shown on the desktop.
    told: Arc<Mutex<Vec<Told>>>,
    closed: bool,
}

impl Headless {
    /// Starts the application; nothing is drawn yet.
    ///
    /// # Errors
    /// When the application cannot start: no threads.
    pub fn start(startup: Startup, options: Options) -> anyhow::Result<Self> {
        let ctx = egui::Context::default();
        let wakes = Arc::new(Wakes::default());
        let woken = Arc::clone(&wakes);
        ctx.set_request_repaint_callback(move |info| woken.ask(info.delay));
        if options.accessible {
            ctx.enable_accesskit();
        }
        let mut input = egui::RawInput { system_theme: Some(options.system_theme), ..egui::RawInput::default() };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(options.scale);
            viewport.focused = Some(true);
        }
        // The first frame is asked for by the window, which has just appeared.
        wakes.ask(Duration::ZERO);
        let mut app = App::new(&ctx, startup)?;
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let kept = Arc::clone(&told);
        app.state.desktop = Desktop::with(move |told| {
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(told);
            Ok(())
        });
        Ok(Self {
            app,
            ctx,
            options,
            input,
            wakes,
            started: Instant::now(),
            time: 0.0,
            frames: 0,
            primitives: Vec::new(),
            textures: TexturesDelta::default(),
            accessibility: None,
            clipboard: String::new(),
            title: String::new(),
            told,
            closed: false,
        })
    }

    /// The application.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The application, for what no input event can do.
    pub fn app_mut(&mut self) -> &mut App {
        &mut self.app
    }

    /// The context that the frames run in.
    pub fn ctx(&self) -> &egui::Context {
        &self.ctx
    }

    /// Frames run since the start.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Corners of all triangles that the last frame draws.
    pub fn vertices(&self) -> usize {
        let count = |primitive: &egui::epaint::Primitive| match primitive {
            egui::epaint::Primitive::Mesh(mesh) => mesh.vertices.len(),
            egui::epaint::Primitive::Callback(_) => 0,
        };
        self.primitives.iter().map(|clipped| count(&clipped.primitive)).sum()
    }

    /// What the last frame told screen readers.
    pub fn accessibility(&mut self) -> Option<egui::accesskit::TreeUpdate> {
        self.accessibility.take()
    }

    /// What was copied last.
    pub fn clipboard(&self) -> &str {
        &self.clipboard
    }

    /// Puts text where `Ctrl+V` finds it.
    pub fn set_clipboard(&mut self, text: impl Into<String>) {
        self.clipboard = text.into();
    }

    /// What was shown on the desktop beside the window.
    pub fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts the window where nobody sees it, or brings it back.
    pub fn minimize(&mut self, minimized: bool) {
        if let Some(viewport) = self.input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.minimized = Some(minimized);
            viewport.occluded = Some(false);
        }
        self.focus(!minimized);
    }

    /// Whether nobody sees the window.
    pub fn is_minimized(&self) -> bool {
        self.input.viewport().minimized == Some(true)
    }

    /// Gives the window the system's focus, or takes it.
    pub fn focus(&mut self, focused: bool) {
        self.input.focused = focused;
        if let Some(viewport) = self.input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.focused = Some(focused);
        }
        self.feed(egui::Event::WindowFocused(focused));
    }

    /// The window's title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether the application closed its window.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Changes the window's size, in points.
    pub fn resize(&mut self, size: Vec2) {
        self.options.size = size;
        self.wakes.ask(Duration::ZERO);
    }

    /// Runs one frame with what was fed in since the last.
    pub fn frame(&mut self) -> Cost {
        self.advance_clock();
        self.input.time = Some(self.time);
        let size = self.options.size / self.ctx.zoom_factor();
        self.input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size));
        self.input.max_texture_side = Some(MAX_SIDE as usize);
        // Only what is asked for from here on matters: this frame serves what was asked before.
        self.wakes.clear();
        if self.is_minimized() {
            return self.unseen_frame();
        }
        let input = self.input.take();
        let closing = input.viewport().close_requested();
        let mut watch = Stopwatch::start();
        let app = &mut self.app;
        let output = self.ctx.run_ui(input, |ui| app.frame(ui));
        let build = watch.lap();
        self.primitives = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        let tessellate = watch.lap();

        self.frames += 1;
        self.textures.append(output.textures_delta);
        self.platform(output.platform_output);
        if let Some(viewport) = output.viewport_output.get(&ViewportId::ROOT) {
            self.wakes.ask(viewport.repaint_delay);
            self.window_commands(&viewport.commands, closing);
        }
        Cost::of(build, tessellate)
    }

    /// What a window does in place of a frame while nobody sees it; what was fed in waits.
    fn unseen_frame(&mut self) -> Cost {
        let mut watch = Stopwatch::start();
        let app = &mut self.app;
        let output = self.ctx.run_logic(&self.input, |ctx| app.unseen(ctx));
        let build = watch.lap();
        self.platform(output.platform_output);
        for commands in output.viewport_commands.values() {
            self.window_commands(commands, false);
        }
        Cost::of(build, watch.lap())
    }

    fn advance_clock(&mut self) {
        self.time = match self.options.clock {
            Clock::Real => self.started.elapsed().as_secs_f64(),
            Clock::Virtual => self.time + TICK,
        };
    }

    fn platform(&mut self, output: egui::PlatformOutput) {
        for command in output.commands {
            if let OutputCommand::CopyText(text) = command {
                self.clipboard = text;
            }
        }
        if let Some(update) = output.accesskit_update {
            self.accessibility = Some(update);
        }
    }

    /// Does what a window would do; what has no meaning without one is left out.
    fn window_commands(&mut self, commands: &[ViewportCommand], mut closing: bool) {
        for command in commands {
            match command {
                ViewportCommand::Close => self.close(),
                ViewportCommand::CancelClose => closing = false,
                ViewportCommand::Title(title) => self.title.clone_from(title),
                ViewportCommand::InnerSize(size) => self.resize(*size),
                ViewportCommand::Minimized(minimized) => self.minimize(*minimized),
                ViewportCommand::Focus => self.focus(true),
                ViewportCommand::RequestCopy => self.feed(egui::Event::Copy),
                ViewportCommand::RequestCut => self.feed(egui::Event::Cut),
                ViewportCommand::RequestPaste => self.feed(egui::Event::Paste(self.clipboard.clone())),
                _ => {}
            }
        }
        self.closed |= closing;
    }

    /// Asks for what a menu, a palette or another program would; it runs in the next frame.
    pub fn act(&mut self, action: impl Into<Action>) {
        self.app.act(action);
        self.wakes.ask(Duration::ZERO);
    }

    /// Where the first thing with this name is, as screen readers are told; runs a frame to find out.
    pub fn bounds(&mut self, name: &str) -> Option<egui::Rect> {
        self.ctx.enable_accesskit();
        self.frame();
        if !self.options.accessible {
            self.ctx.disable_accesskit();
        }
        let update = self.accessibility.as_ref()?;
        let bounds = update.nodes.iter().find(|(_, node)| node.label() == Some(name))?.1.bounds()?;
        let corner = |x: f64, y: f64| egui::pos2(x as f32, y as f32);
        Some(egui::Rect::from_min_max(corner(bounds.x0, bounds.y0), corner(bounds.x1, bounds.y1)))
    }

    /// Asks the application to close, as the button of the window does.
    pub fn close(&mut self) {
        if let Some(viewport) = self.input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.events.push(ViewportEvent::Close);
        }
        self.wakes.ask(Duration::ZERO);
    }

    /// Ends the application as a closed window does: the session is stored.
    pub fn exit(mut self) {
        eframe::App::on_exit(&mut self.app);
    }
}

/// Waiting.
impl Headless {
    /// Whether nothing is left to do until something is fed in or a delay passes.
    pub fn is_settled(&self) -> bool {
        busy(&self.app).is_empty() && !self.wakes.is_due()
    }

    /// Runs frames as they are asked for until the application is settled.
    ///
    /// # Errors
    /// When it is not within `limit`.
    pub fn settle(&mut self, limit: Duration) -> Result<(), TimedOut> {
        let deadline = Instant::now() + limit;
        let (start, frames) = (Instant::now(), self.frames);
        while !self.is_settled() {
            if !self.wakes.wait(deadline) {
                let wanted = format!("rest: busy with {:?}", busy(&self.app));
                return Err(self.timed_out(&wanted, start, frames));
            }
            self.frame();
        }
        Ok(())
    }

    /// Sleeps until a frame is due, and says so; false when `deadline` comes first.
    pub fn wait(&self, deadline: Instant) -> bool {
        self.wakes.wait(deadline)
    }

    /// Runs frames as they are asked for until `done` holds after one, and returns what that frame cost.
    ///
    /// # Errors
    /// When it does not hold within `limit`; `wanted` names what was waited for.
    pub fn run_until(
        &mut self,
        wanted: &str,
        limit: Duration,
        mut done: impl FnMut(&mut App) -> bool,
    ) -> Result<Cost, TimedOut> {
        let deadline = Instant::now() + limit;
        let (start, frames) = (Instant::now(), self.frames);
        loop {
            if !self.wakes.wait(deadline) {
                return Err(self.timed_out(wanted, start, frames));
            }
            let cost = self.frame();
            if done(&mut self.app) {
                return Ok(cost);
            }
        }
    }

    /// Runs frames as they are asked for, for this long; what they cost.
    pub fn rest(&mut self, time: Duration) -> Vec<Cost> {
        let end = Instant::now() + time;
        let mut costs = Vec::new();
        while self.wakes.wait(end) {
            costs.push(self.frame());
        }
        costs
    }

    /// Lets time pass on the virtual clock and runs the frame that follows.
    pub fn pass(&mut self, time: Duration) -> Cost {
        self.time += time.as_secs_f64();
        self.frame()
    }

    fn timed_out(&self, wanted: &str, start: Instant, frames: u64) -> TimedOut {
        TimedOut { wanted: wanted.to_owned(), waited: start.elapsed(), frames: self.frames - frames }
    }
}

/// Painting.
impl Headless {
    /// Paints the last frame.
    ///
    /// # Errors
    /// When the picture is larger than the adapter can draw, or the adapter fails.
    pub fn paint(&mut self, renderer: &mut Renderer) -> anyhow::Result<image::RgbaImage> {
        let pixels_per_point = self.ctx.pixels_per_point();
        let size = self.options.size * self.options.scale;
        let size = [size.x.round() as u32, size.y.round() as u32];
        renderer.paint(&mut self.textures, &self.primitives, size, pixels_per_point)
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        self.textures.clear(); // egui takes textures that nobody applied for a mistake
    }
}

/// What is computed in the background.
fn busy(app: &App) -> Vec<&'static str> {
    let state = &app.state;
    // A pane behind another goes on when it is looked at.
    let seen = app.layout.tiles.active_tiles();
    let panes = app.layout.panes().filter(|(tile, _)| seen.contains(tile)).all(|(_, pane)| match pane {
        Pane::Editor(pane) => !pane.is_busy(),
        Pane::Review(pane) => !pane.is_busy(),
        Pane::Conflicts(pane) => !pane.is_busy(),
        Pane::Terminal(pane) => !pane.is_busy(),
        _ => true,
    });
    let parts = [
        ("tasks", state.tasks.is_idle()),
        ("staging", !state.staging.is_working()),
        ("documents", !state.documents.is_busy()),
        ("reviews", state.reviews.iter().all(|(_, review)| review.is_complete())),
        ("conflicts", state.conflicts.iter().all(|(_, open)| !open.is_busy())),
        ("ticks and comments", state.desk.is_settled()),
        ("drafts", state.reviews.iter().all(|(_, review)| !review.discussion.is_busy())),
        ("terminals", !state.terminals.is_busy()),
        ("conversations", !state.chats.is_busy()),
        ("who wrote lines", !state.provenance.is_busy()),
        ("a trial of a model", !state.models.is_trying()),
        ("colours", state.highlights.is_idle()),
        ("panes", panes),
    ];
    parts.into_iter().filter(|(_, idle)| !idle).map(|(name, _)| name).collect()
}
