//! What fills the window: panes in tabs and splits, one file or folder a pane.
//!
//! A [`Pane`] holds what belongs to one view (scroll position, selection); what it shows is in
//! [`State`](crate::state::State). [`Layout`] is the arrangement: a tree of tabs and splits, and which pane is active.
//! Panes draw from the state and push [`Action`](crate::commands::Action)s; they never call each other.

pub mod chat;
pub mod combined;
pub mod conflicts;
pub mod editor;
pub mod files;
pub mod help;
pub mod models;
pub mod problems;
pub mod review;
pub mod settings;
pub mod terminal;

use eframe::egui;
use egui_tiles::{Container, Tile, TileId, Tiles, Tree};

use crate::state::combined::CombinedId;
use crate::state::conflicts::ConflictsId;
use crate::state::documents::DocumentId;
use crate::state::reviews::ReviewId;
use crate::state::terminals::TerminalId;

/// One view in the window.
pub enum Pane {
    Editor(editor::EditorPane),
    Review(review::ReviewPane),
    Conflicts(conflicts::ConflictsPane),
    Combined(combined::CombinedPane),
    Terminal(terminal::TerminalPane),
    Problems(problems::ProblemsPane),
    Settings(settings::SettingsPane),
    Models(models::ModelsPane),
    Help(help::HelpPane),
}

impl Pane {
    /// Whether this pane shows the document.
    pub fn shows_document(&self, id: DocumentId) -> bool {
        matches!(self, Self::Editor(pane) if pane.document == id)
    }

    /// A second view of the same.
    pub fn duplicate(&self) -> Self {
        match self {
            Self::Editor(pane) => Self::Editor(pane.duplicate()),
            Self::Review(pane) => Self::Review(pane.duplicate()),
            Self::Conflicts(pane) => Self::Conflicts(pane.duplicate()),
            Self::Combined(pane) => Self::Combined(pane.duplicate()),
            // A shell is one; whoever wants a second beside it gets a shell of its own.
            Self::Terminal(pane) => Self::Terminal(terminal::TerminalPane::new(pane.terminal)),
            Self::Problems(pane) => Self::Problems(pane.clone()),
            Self::Settings(pane) => Self::Settings(pane.clone()),
            Self::Models(pane) => Self::Models(pane.clone()),
            Self::Help(pane) => Self::Help(pane.clone()),
        }
    }

    /// Whether this pane shows the merge.
    pub fn shows_combined(&self, id: CombinedId) -> bool {
        matches!(self, Self::Combined(pane) if pane.combined == id)
    }

    /// Whether this pane shows the conflicts.
    pub fn shows_conflicts(&self, id: ConflictsId) -> bool {
        matches!(self, Self::Conflicts(pane) if pane.conflicts == id)
    }

    /// Whether this pane shows the terminal.
    pub fn shows_terminal(&self, id: TerminalId) -> bool {
        matches!(self, Self::Terminal(pane) if pane.terminal == id)
    }

    /// Whether this pane shows the review.
    pub fn shows_review(&self, id: ReviewId) -> bool {
        matches!(self, Self::Review(pane) if pane.review == id)
    }
}

/// The arrangement of panes.
pub struct Layout {
    pub tiles: Tree<Pane>,
    active: Option<TileId>,
}

impl Default for Layout {
    fn default() -> Self {
        Self { tiles: Tree::empty(egui::Id::unique("panes")), active: None }
    }
}

impl Layout {
    /// The pane that has, or last had, the focus.
    pub fn active(&self) -> Option<&Pane> {
        match self.tiles.tiles.get(self.active?)? {
            Tile::Pane(pane) => Some(pane),
            Tile::Container(_) => None,
        }
    }

    /// The same, to change it.
    pub fn active_mut(&mut self) -> Option<&mut Pane> {
        match self.tiles.tiles.get_mut(self.active?)? {
            Tile::Pane(pane) => Some(pane),
            Tile::Container(_) => None,
        }
    }

    /// The tile of the active pane.
    pub fn active_id(&self) -> Option<TileId> {
        self.active
    }

    /// Makes a tile the active one and brings its tab to the front.
    pub fn activate(&mut self, id: TileId) {
        self.active = Some(id);
        self.tiles.make_active(|tile, _| tile == id);
    }

    /// All panes.
    pub fn panes(&self) -> impl Iterator<Item = (TileId, &Pane)> {
        self.tiles.tiles.iter().filter_map(|(id, tile)| match tile {
            Tile::Pane(pane) => Some((*id, pane)),
            Tile::Container(_) => None,
        })
    }

    /// All panes, to change them.
    pub fn panes_mut(&mut self) -> impl Iterator<Item = &mut Pane> {
        self.tiles.tiles.iter_mut().filter_map(|(_, tile)| match tile {
            Tile::Pane(pane) => Some(pane),
            Tile::Container(_) => None,
        })
    }

    /// The first pane for which `wanted` holds.
    pub fn find(&self, wanted: impl Fn(&Pane) -> bool) -> Option<TileId> {
        self.panes().find(|(_, pane)| wanted(pane)).map(|(id, _)| id)
    }

    /// Opens a pane in a tab beside the active one, and makes it active.
    pub fn open(&mut self, pane: Pane) -> TileId {
        let id = self.tiles.tiles.insert_pane(pane);
        match self.tabs_of_active() {
            Some(tabs) => {
                if let Some(Tile::Container(Container::Tabs(tabs))) = self.tiles.tiles.get_mut(tabs) {
                    tabs.add_child(id);
                    tabs.set_active(id);
                }
            }
            None => {
                let tabs = self.tiles.tiles.insert_tab_tile(vec![id]);
                self.tiles.root = Some(tabs);
            }
        }
        self.activate(id);
        id
    }

    /// Takes a pane away; the one beside it becomes active.
    pub fn close(&mut self, id: TileId) -> Option<Pane> {
        let neighbour = self.tiles.tiles.parent_of(id).and_then(|parent| match self.tiles.tiles.get(parent) {
            Some(Tile::Container(Container::Tabs(tabs))) => {
                let at = tabs.children.iter().position(|&child| child == id)?;
                tabs.children.get(at + 1).or_else(|| tabs.children.get(at.checked_sub(1)?)).copied()
            }
            _ => None,
        });
        let removed = self.tiles.remove_recursively(id);
        if self.active == Some(id) {
            self.active = neighbour.or_else(|| self.panes().map(|(id, _)| id).next());
            if let Some(active) = self.active {
                self.activate(active);
            }
        }
        removed.into_iter().find_map(|tile| match tile {
            Tile::Pane(pane) => Some(pane),
            Tile::Container(_) => None,
        })
    }

    fn tabs_of_active(&self) -> Option<TileId> {
        let is_tabs =
            |id: TileId, tiles: &Tiles<Pane>| matches!(tiles.get(id), Some(Tile::Container(Container::Tabs(_))));
        let beside_active = self
            .active
            .and_then(|active| self.tiles.tiles.parent_of(active))
            .filter(|&parent| is_tabs(parent, &self.tiles.tiles));
        beside_active
            .or_else(|| self.tiles.tiles.tile_ids().find(|&id| is_tabs(id, &self.tiles.tiles)))
            .or_else(|| self.tiles.root.filter(|&root| is_tabs(root, &self.tiles.tiles)))
    }
}

/// The id under which a tile's code has the keyboard focus.
pub fn focus_id(tile: TileId) -> egui::Id {
    egui::Id::unique(("pane", tile))
}
