//! What is open: workspace, documents, reviews, settings, notices. Panes draw from it; commands change it.

pub mod agents;
pub mod chats;
pub mod clipboard;
pub mod combined;
pub mod commit;
pub mod config;
pub mod conflicts;
pub mod desk;
pub mod desktop;
pub mod documents;
pub mod files;
pub mod highlights;
pub mod models;
pub mod notices;
pub mod paths;
pub mod pictures;
pub mod provenance;
pub mod rank;
pub mod recent;
pub mod reviews;
pub mod servers;
pub mod session;
pub mod settings;
pub mod slash;
pub mod stages;
pub mod staging;
pub mod store;
pub mod symbols;
pub mod terminals;
pub mod trash;
pub mod unreviewed;
pub mod watch;
pub mod workspace;

use std::collections::BTreeMap;
use std::time::Instant;

use editor::limits::Limits;
use eframe::egui;

pub use paths::Paths;

use crate::code_view::lines::LongLines;
use crate::commands::Command;
use crate::commands::keymap::Keymap;
use crate::panes::Layout;
use crate::panes::files::FilesView;
use crate::tasks::{Task, Tasks, Waker};
use crate::theme::{self, Theme};
use config::{ConfigFile, News, Problem};
use notices::{Level, Notices};
use settings::{Settings, Spec, Value};

/// Everything that is open.
pub struct State {
    pub paths: Paths,
    pub settings: Settings,
    pub keymap: Keymap,
    pub config: Config,
    pub workspace: workspace::Workspace,
    pub documents: documents::Documents,
    pub reviews: reviews::Reviews,
    pub terminals: terminals::Terminals,
    pub chats: chats::Chats,
    pub unreviewed: unreviewed::Unreviewed,
    /// What language servers say is wrong.
    pub servers: servers::Servers,
    /// Who wrote the lines that are shown.
    pub provenance: provenance::Provenance,
    pub models: models::Models,
    pub conflicts: conflicts::Conflicts,
    /// What readers leave in reviews.
    pub desk: desk::ReviewDesk,
    pub combined: combined::Combineds,
    /// Reviews that are to be refreshed, and when.
    pub review_due: BTreeMap<reviews::ReviewId, watch::Due>,
    pub staging: staging::Staging,
    pub commits: commit::Commits,
    pub files: files::Files,
    pub files_view: FilesView,
    /// Watches what is open; none where the system gives no thread.
    pub watching: Option<watch::Watching>,
    /// A file manager that is being started.
    pub showing_file: Option<Task<Result<(), String>>>,
    pub recent: recent::Recent,
    pub session: session::Session,
    pub notices: Notices,
    pub desktop: desktop::Desktop,
    pub shell: crate::shell::ShellState,
    pub tasks: Tasks,
    pub clipboard: clipboard::Clipboard,
    pub highlights: highlights::Highlights,
    pub limits: Limits,
    pub long_lines: LongLines,
    pub theme: &'static Theme,
    /// The window was opened by another program, which waits for it to close: nothing of it is kept.
    pub tool: bool,
    /// The window has the system's focus.
    pub window_focused: bool,
    /// Since when documents are as they are, for saving them by themselves: their versions, and when.
    pub unsaved_since: Option<(u64, Instant)>,
}

/// The user's files in the configuration folder, and what is wrong in them.
pub struct Config {
    pub settings: ConfigFile,
    pub keymap: ConfigFile,
    pub settings_problems: Vec<Problem>,
    pub keymap_problems: Vec<Problem>,
}

impl Config {
    /// Looks at both again: they may have changed.
    pub fn refresh(&mut self) {
        self.settings.refresh();
        self.keymap.refresh();
    }
}

impl State {
    /// An empty state; settings and keys are read from `paths`.
    ///
    /// # Errors
    /// When worker threads cannot be started.
    pub fn new(waker: Waker, paths: &Paths) -> anyhow::Result<Self> {
        let tasks = Tasks::start(2, waker.clone())?;
        let limits = Limits::default();
        let mut notices = Notices::default();
        let watching = watch::Watching::start(&limits, &waker);
        if let Err(error) = &watching {
            notices.warn(format!(
                "Files are not watched ({error}): outside changes are seen when the window gets the focus."
            ));
        }
        let watching = watching.ok();
        let (settings_file, unreadable) = ConfigFile::load(paths.settings());
        let (keymap_file, unreadable_keys) = ConfigFile::load(paths.keymap());
        for error in unreadable.into_iter().chain(unreadable_keys) {
            notices.error(error);
        }
        let (settings, settings_problems) = Settings::parse(settings_file.text());
        let (keymap, keymap_problems) = Keymap::with_file(keymap_file.text());
        tell(&mut notices, &settings_file, &settings_problems, Command::OpenSettingsFile);
        tell(&mut notices, &keymap_file, &keymap_problems, Command::OpenKeymap);
        let config = Config { settings: settings_file, keymap: keymap_file, settings_problems, keymap_problems };
        Ok(Self {
            theme: settings.theme.resolve(None),
            settings,
            keymap,
            config,
            workspace: workspace::Workspace::default(),
            documents: documents::Documents::new(tasks.clone(), limits.clone()),
            reviews: reviews::Reviews::default(),
            terminals: terminals::Terminals::default(),
            chats: chats::Chats::default(),
            unreviewed: unreviewed::Unreviewed::default(),
            servers: servers::Servers::new(paths.servers()),
            provenance: provenance::Provenance::default(),
            models: models::Models::default(),
            conflicts: conflicts::Conflicts::default(),
            desk: desk::ReviewDesk::new(paths.reviews()),
            combined: combined::Combineds::default(),
            review_due: BTreeMap::new(),
            staging: staging::Staging::default(),
            commits: commit::Commits::default(),
            files: files::Files::default(),
            files_view: FilesView::default(),
            watching,
            showing_file: None,
            recent: recent::Recent::load(&paths.recent()),
            session: session::Session::default(),
            notices,
            desktop: desktop::Desktop::default(),
            shell: crate::shell::ShellState::default(),
            highlights: highlights::Highlights::start((&limits).into(), &waker)?,
            clipboard: clipboard::Clipboard::default(),
            tasks,
            limits,
            long_lines: LongLines::default(),
            paths: paths.clone(),
            tool: false,
            window_focused: true,
            unsaved_since: None,
        })
    }

    /// Makes egui look as the settings and the system say. Cheap when nothing changed; called every frame.
    pub fn apply_theme(&mut self, ctx: &egui::Context) {
        theme::style::sync(ctx, self.settings.theme, self.settings.metrics());
        self.theme = Theme::get(ctx);
    }

    /// Takes in settings and keys that changed on disk.
    pub fn take_config(&mut self) {
        if let Some(news) = self.config.settings.poll(&self.tasks) {
            match news {
                News::Changed(text) => {
                    let (settings, problems) = Settings::parse(&text);
                    self.settings = settings;
                    tell(&mut self.notices, &self.config.settings, &problems, Command::OpenSettingsFile);
                    self.config.settings_problems = problems;
                }
                News::Failed(error) => self.notices.error(error),
            }
        }
        if let Some(news) = self.config.keymap.poll(&self.tasks) {
            match news {
                News::Changed(text) => {
                    let (keymap, problems) = Keymap::with_file(&text);
                    self.keymap = keymap;
                    tell(&mut self.notices, &self.config.keymap, &problems, Command::OpenKeymap);
                    self.config.keymap_problems = problems;
                }
                News::Failed(error) => self.notices.error(error),
            }
        }
    }

    /// Changes a setting at once, and in its file as soon as that is written; nothing gives the default back.
    pub fn change_setting(&mut self, spec: &'static Spec, value: Option<Value>) {
        self.settings.set(spec, value.unwrap_or_else(|| (spec.get)(&Settings::default())));
        self.config.settings.edit(move |text| settings::edited(text, spec, value));
    }

    /// Keeps every comment that is being written as it is now.
    pub fn keep_drafts(&mut self) {
        for (_, review) in self.reviews.iter_mut() {
            review.keep_drafts(&mut self.desk);
        }
    }

    /// Writes what is open, for the next start.
    pub fn store_session(&mut self, layout: &Layout) {
        session::store(self, layout);
    }
}

/// Says what is wrong in a file of the user's: the first of it, at its line; the rest is in the page of the file.
fn tell(notices: &mut Notices, file: &ConfigFile, problems: &[Problem], open: Command) {
    let Some(first) = problems.first() else { return };
    let more = match problems.len() - 1 {
        0 => String::new(),
        1 => "; and one more".to_owned(),
        more => format!("; and {more} more"),
    };
    let text = format!("{}, line {}: {}{more}", file.name(), first.line, first.message);
    notices.offer(Level::Warning, text, open, "Open file");
}
