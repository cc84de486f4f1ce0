//! The window as a test sees it: what a screen reader is told, and keys and clicks to answer with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use eframe::egui::mutex::Mutex;
use eframe::egui::{Pos2, Rect};
use egui_kittest::kittest::{self, NodeT as _, Queryable};
use egui_kittest::{EventQueue, Node};
use recto::app::{App, Startup};
use recto::commands::Action;
use recto::headless::{Clock, Headless, Options, parse_steps};
use recto::panes::Pane;
use recto::panes::review::ReviewPane;
use recto::state::Paths;
use recto::state::reviews::{OpenReview, Request};
use tempfile::TempDir;

/// Longest that a journey waits for anything; reached only when something hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// The application in a window of its own, at rest.
pub struct Window {
    headless: Headless,
    tree: kittest::State,
    events: EventQueue,
}

/// Where settings and sessions of a test live.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn paths(&self) -> Paths {
        Paths::under(self.0.path())
    }

    /// Writes the settings file.
    pub fn settings(self, text: &str) -> Self {
        let path = self.paths().settings();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }
}

impl Window {
    /// Opened on these files and folders.
    pub fn on(home: &Home, paths: &[&Path]) -> Self {
        let paths = paths.iter().map(|path| (PathBuf::from(path), None)).collect();
        Self::start(home, Startup { paths, ..Startup::default() })
    }

    /// Opened on a review.
    pub fn reviewing(home: &Home, request: Request) -> Self {
        Self::start(home, Startup { review: Some(request), ..Startup::default() })
    }

    pub fn start(home: &Home, startup: Startup) -> Self {
        let startup = Startup { dirs: home.paths(), ..startup };
        let options = Options { clock: Clock::Virtual, accessible: true, ..Options::default() };
        let mut headless = Headless::start(startup, options).unwrap();
        headless.frame();
        let tree = kittest::State::new(headless.accessibility().unwrap());
        let mut window = Self { headless, tree, events: Mutex::default() };
        window.rest();
        window
    }

    /// Feeds what was clicked, and runs until nothing is left to do.
    pub fn rest(&mut self) {
        let events = std::mem::take(&mut *self.events.lock());
        for event in events {
            self.headless.feed(event);
            self.headless.frame();
        }
        self.headless.settle(PATIENCE).unwrap();
        if let Some(update) = self.headless.accessibility() {
            self.tree.update(update);
        }
    }

    /// Presses keys and types text in 'quotes', at rest after each.
    pub fn keys(&mut self, keys: &str) {
        for step in parse_steps(keys).unwrap() {
            self.headless.step(&step);
            self.rest();
        }
    }

    /// Presses keys and types text without waiting for rest: something goes on.
    pub fn type_only(&mut self, keys: &str) {
        for step in parse_steps(keys).unwrap() {
            self.headless.step(&step);
            self.headless.frame();
        }
    }

    /// Looks at the window as it is.
    pub fn look(&mut self) {
        self.headless.frame();
        if let Some(update) = self.headless.accessibility() {
            self.tree.update(update);
        }
    }

    /// Runs frames until what `done` wants holds after one, and looks at that one.
    pub fn run_until(&mut self, wanted: &str, mut done: impl FnMut(&App) -> bool) {
        self.headless.run_until(wanted, PATIENCE, |app| done(app)).unwrap();
        if let Some(update) = self.headless.accessibility() {
            self.tree.update(update);
        }
    }

    /// Clicks the one thing with this name.
    pub fn click(&mut self, name: &str) {
        let at = self.place(name).center();
        self.click_at(at);
    }

    pub fn click_at(&mut self, at: Pos2) {
        self.headless.click(at);
        self.rest();
    }

    /// Presses the primary button at one place and lets go of it at another.
    pub fn drag(&mut self, from: Pos2, to: Pos2) {
        self.point_at(from);
        self.headless.button(from, true);
        self.rest();
        self.point_at(to);
        self.headless.button(to, false);
        self.rest();
    }

    /// Asks for what a menu or another program would.
    pub fn act(&mut self, action: impl Into<Action>) {
        self.headless.act(action);
        self.rest();
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        self.headless.pass(time);
        self.rest();
    }

    /// Where the one thing with this name is.
    #[track_caller]
    pub fn place(&self, name: &str) -> Rect {
        self.get_by_label(name).rect()
    }

    /// Where everything with this name is, from top to bottom.
    pub fn places(&self, name: &str) -> Vec<Rect> {
        let mut places: Vec<_> = self.query_all_by_label(name).map(|node| node.rect()).collect();
        places.sort_by(|a, b| a.top().total_cmp(&b.top()));
        places
    }

    /// Where the page of a review is.
    pub fn place_of_page(&self) -> Rect {
        let mut pages = self.query_all_by_role(eframe::egui::accesskit::Role::Document);
        pages.next().expect("no review is open").rect()
    }

    /// Moves the pointer.
    pub fn point_at(&mut self, at: Pos2) {
        self.headless.point_at(at);
        self.rest();
    }

    /// Whether anything has a name that contains this.
    pub fn says(&self, part: &str) -> bool {
        self.query_all_by_label_contains(part).next().is_some()
    }

    /// Fails unless something has a name that contains this; tells all names there are.
    #[track_caller]
    pub fn check_says(&self, part: &str) {
        assert!(self.says(part), "nothing says {part:?} among {:#?}", self.names());
    }

    /// What is told of the page of a review: its rows with their signs.
    pub fn page(&self) -> String {
        let mut pages = self.query_all_by_role(eframe::egui::accesskit::Role::Document);
        pages.next().and_then(|page| page.accesskit_node().label()).unwrap_or_default()
    }

    /// What is told of the text in the editor.
    pub fn text(&self) -> String {
        let mut texts = self.query_all_by_role(eframe::egui::accesskit::Role::MultilineTextInput);
        // Messages of commits and comments are typed into the same kind of input.
        let is_code = |node: &Node<'_>| node.accesskit_node().label().as_deref() != Some("Commit message");
        texts.find(is_code).and_then(|text| text.accesskit_node().value()).unwrap_or_default()
    }

    /// The line of the caret in the editor, counted from 1.
    #[track_caller]
    pub fn caret_line(&self) -> u32 {
        let editor = self.app().layout.panes().find_map(|(_, pane)| match pane {
            Pane::Editor(pane) => Some(pane),
            _ => None,
        });
        editor.expect("no editor is open").place(&self.app().state.documents).unwrap().line
    }

    /// The same of the editor of a file, by its name.
    #[track_caller]
    pub fn caret_line_of(&self, name: &str) -> u32 {
        let documents = &self.app().state.documents;
        let editor = self.app().layout.panes().find_map(|(_, pane)| match pane {
            Pane::Editor(pane) if documents.path(pane.document).is_some_and(|path| path.ends_with(name)) => Some(pane),
            _ => None,
        });
        editor.expect("the file is not open").place(documents).unwrap().line
    }

    /// All names, for messages.
    pub fn names(&self) -> Vec<String> {
        self.query_all_by(|node| node.label().is_some_and(|label| !label.is_empty()))
            .filter_map(|node| node.accesskit_node().label())
            .collect()
    }

    pub fn app(&self) -> &App {
        self.headless.app()
    }

    pub fn headless(&mut self) -> &mut Headless {
        &mut self.headless
    }

    /// Runs frames until something holds, while something else goes on.
    #[track_caller]
    pub fn wait(&mut self, wanted: &str, done: impl Fn(&App) -> bool) {
        // It may be so already: then nothing wakes the window any more.
        if !done(self.app()) {
            self.headless.run_until(wanted, PATIENCE, |app| done(app)).unwrap();
        }
        self.look();
    }

    /// The same for a window that nobody sees.
    #[track_caller]
    pub fn wait_unseen(&mut self, wanted: &str, done: impl Fn(&App) -> bool) {
        self.headless.run_until(wanted, PATIENCE, |app| done(app)).unwrap();
    }

    /// Looks at the files of all documents, as a watcher or the focus would have it done.
    pub fn look_at_files(&mut self) {
        self.look_at_files_only();
        self.rest();
    }

    /// The same, while something goes on.
    pub fn look_at_files_only(&mut self) {
        let documents = &mut self.headless.app_mut().state.documents;
        let ids: Vec<_> = documents.iter().map(|(id, _)| id).collect();
        for id in ids {
            documents.look_at(id);
        }
        self.headless.frame();
    }

    /// The pane of the review that is open.
    #[track_caller]
    pub fn review_pane(&self) -> &ReviewPane {
        let panes = self.app().layout.panes().filter_map(|(_, pane)| match pane {
            Pane::Review(pane) => Some(pane),
            _ => None,
        });
        panes.last().expect("no review is open")
    }

    #[track_caller]
    pub fn review(&self) -> &OpenReview {
        self.app().state.reviews.get(self.review_pane().review).unwrap()
    }

    /// Added and removed lines of the whole review.
    #[track_caller]
    pub fn counts(&self) -> (u64, u64) {
        let (counts, missing) = self.review().page.counts();
        assert_eq!(missing, 0, "files are not counted");
        (counts.added, counts.removed)
    }

    /// Closes the window as a user does.
    pub fn exit(self) {
        self.headless.exit();
    }
}

impl<'tree, 'node> Queryable<'tree, 'node, Node<'tree>> for Window
where
    'node: 'tree,
{
    fn queryable_node(&'node self) -> Node<'tree> {
        Node::new(self.tree.root(), &self.events, 1.0)
    }
}
