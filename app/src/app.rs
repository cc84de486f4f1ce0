//! The application and its frame.
//!
//! A frame runs in a fixed order: results of background work are taken in; keys become commands and run, so that
//! typing shows in the same frame; everything is drawn; what the drawn things asked for runs. A frame waits for
//! nothing. The window, the screenshot command, the bench and the tests all drive this same [`App`].

use std::path::PathBuf;

use eframe::egui;

use crate::commands::{Action, Sink, open, run};
use crate::panes::Layout;
use crate::shell;
use crate::state::combined;
use crate::state::conflicts::ToolFiles;
use crate::state::reviews::Request;
use crate::state::{Paths, State, servers};
use crate::tasks::Waker;
use crate::theme;

/// What to open at the start.
#[derive(Clone, Default)]
pub struct Startup {
    /// Folders and files, as given on the command line; nothing restores the last session.
    pub paths: Vec<(PathBuf, Option<crate::commands::Place>)>,
    /// A review to open.
    pub review: Option<Request>,
    /// A merge to be shown against all of its parents.
    pub combined: Option<combined::Of>,
    /// A file to be merged.
    pub merge: Option<ToolFiles>,
    /// Another program waits for the window to close: what was open before is left alone.
    pub tool: bool,
    /// Where settings and sessions live; tests give a folder of their own.
    pub dirs: Paths,
}

/// The whole application, without a window.
pub struct App {
    pub state: State,
    pub layout: Layout,
    sink: Sink,
}

impl App {
    /// Sets up fonts, theme and state, and begins to open what was asked for.
    ///
    /// # Errors
    /// When worker threads cannot be started.
    pub fn new(ctx: &egui::Context, startup: Startup) -> anyhow::Result<Self> {
        let mut state = State::new(Waker::for_context(ctx), &startup.dirs)?;
        theme::style::install_fonts(ctx);
        state.apply_theme(ctx);
        let mut app = Self { state, layout: Layout::default(), sink: Sink::default() };
        app.open(startup);
        Ok(app)
    }

    fn open(&mut self, startup: Startup) {
        open::start(startup, &mut self.state, &mut self.layout);
    }

    /// Asks for something that no input event asked for; it runs in the next frame.
    pub fn act(&mut self, action: impl Into<Action>) {
        self.sink.push(action);
    }

    /// Whether what the window was opened for is done; if not, why. Asked when it is closed.
    ///
    /// # Errors
    /// The reason, in a sentence.
    pub fn verdict(&self) -> Result<(), String> {
        self.state.conflicts.iter().try_for_each(|(_, open)| open.verdict(&self.state.documents))
    }

    /// Draws one frame into `ui`, which is the whole window.
    pub fn frame(&mut self, ui: &mut egui::Ui) {
        let ctx = ui.ctx().clone();
        run::take_results(&mut self.state, &mut self.layout, &ctx);
        run::keyboard(&mut self.state, &mut self.layout, &ctx);
        // What was just typed moves what stands behind it.
        servers::follow(&mut self.state);
        shell::draw(ui, &mut self.state, &mut self.layout, &mut self.sink);
        let actions = self.sink.take();
        if !actions.is_empty() {
            for action in actions {
                run::run(action, &mut self.state, &mut self.layout, &ctx);
            }
            ctx.request_repaint();
        }
        self.state.desk.hand_over(&mut self.state.reviews);
    }
}

impl App {
    /// Takes in what happened while nothing is drawn; does nothing in a window that can be seen.
    pub fn unseen(&mut self, ctx: &egui::Context) {
        if ctx.input(|input| input.viewport().visible()) == Some(false) {
            run::take_results(&mut self.state, &mut self.layout, ctx);
        }
    }
}

impl eframe::App for App {
    /// A window that nobody can see (minimised, behind others) draws nothing, and has no frames. What happens in it goes
    /// on: agents are listened to, and what they have to say is told on the desktop.
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.unseen(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.frame(ui);
    }

    fn on_exit(&mut self) {
        self.state.keep_drafts();
        self.state.store_session(&self.layout);
        self.state.chats.close_all();
        self.state.terminals.close_all();
        self.state.servers.shut_down();
    }
}
