//! What is open: workspace, documents, reviews, settings, notices. Panes draw from it; commands change it.

pub mod clipboard;
pub mod documents;
pub mod highlights;
pub mod notices;
pub mod paths;
pub mod reviews;
pub mod session;
pub mod settings;
pub mod workspace;

use editor::limits::Limits;
use eframe::egui;

pub use paths::Paths;

use crate::code_view::lines::LongLines;
use crate::panes::Layout;
use crate::tasks::{Tasks, Waker};
use crate::theme::{self, Theme};

/// Everything that is open.
pub struct State {
    pub paths: Paths,
    pub settings: settings::Settings,
    pub workspace: workspace::Workspace,
    pub documents: documents::Documents,
    pub reviews: reviews::Reviews,
    pub notices: notices::Notices,
    pub shell: crate::shell::ShellState,
    pub tasks: Tasks,
    pub clipboard: clipboard::Clipboard,
    pub highlights: highlights::Highlights,
    pub limits: Limits,
    pub long_lines: LongLines,
    pub theme: &'static Theme,
}

impl State {
    /// An empty state; settings are read from `paths`.
    ///
    /// # Errors
    /// When worker threads cannot be started.
    pub fn new(waker: Waker, paths: &Paths) -> anyhow::Result<Self> {
        let tasks = Tasks::start(2, waker.clone())?;
        let limits = Limits::default();
        let mut notices = notices::Notices::default();
        let settings = settings::Settings::load(paths, &mut notices);
        Ok(Self {
            paths: paths.clone(),
            theme: settings.theme.resolve(None),
            settings,
            workspace: workspace::Workspace::default(),
            documents: documents::Documents::new(tasks.clone(), limits.clone()),
            reviews: reviews::Reviews::default(),
            notices,
            shell: crate::shell::ShellState::default(),
            highlights: highlights::Highlights::start((&limits).into(), &waker)?,
            clipboard: clipboard::Clipboard::default(),
            tasks,
            limits,
            long_lines: LongLines::default(),
        })
    }

    /// Makes egui look as the settings and the system say. Cheap when nothing changed; called every frame.
    pub fn apply_theme(&mut self, ctx: &egui::Context) {
        theme::style::sync(ctx, self.settings.theme, self.settings.metrics());
        self.theme = Theme::get(ctx);
    }

    /// Writes what is open, for the next start.
    pub fn store_session(&mut self, layout: &Layout) {
        session::store(self, layout);
    }
}
