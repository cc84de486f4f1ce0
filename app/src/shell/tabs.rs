//! The panes in their tabs and splits: drawing them, and taking in what is done to them by pointer.
//!
//! Tabs are dragged to other places and to the edges of panes, where they split; a pane becomes the active one by a
//! press anywhere in it, or when its code gets the keyboard. Everything that closes or opens a pane is an action.

use eframe::egui::{
    Color32, Id, Painter, Popup, PopupCloseBehavior, Rect, Response, Stroke, StrokeKind, Style, Ui, Visuals, WidgetText,
};
use egui_tiles::{Behavior, ResizeState, SimplificationOptions, TabState, TileId, Tiles, UiResponse};

use super::{key, start};
use crate::commands::{Action, Command, Sink};
use crate::panes::{self, Layout, Pane, focus_id};
use crate::state::State;
use crate::theme::{Icon, Theme, icons, radius, space};
use crate::widgets::{IconButton, MenuItem, Tab, menu_frame, menu_separator};

/// Draws all panes, or the start page.
pub fn draw(ui: &mut Ui, state: &mut State, layout: &mut Layout, sink: &mut Sink) {
    let theme = state.theme;
    if layout.panes().next().is_none() {
        start::draw(ui, state, sink);
        return;
    }
    ui.painter().rect_filled(ui.max_rect(), 0.0, theme.surface.base);
    let mut view = View { active: layout.active_id(), activated: None, state, sink, theme };
    layout.tiles.ui(&mut view, ui);
    if let Some(tile) = view.activated.filter(|&tile| layout.active_id() != Some(tile)) {
        layout.activate(tile);
        ui.memory_mut(|memory| memory.request_focus(focus_id(tile)));
    }
    // A tab that was dragged away, or a pane that went, may have been the active one.
    if layout.active().is_none() {
        let first = layout.panes().map(|(tile, _)| tile).next();
        if let Some(tile) = first {
            layout.activate(tile);
        }
    }
}

/// What a tab says.
pub fn title(pane: &Pane, state: &State) -> String {
    match pane {
        Pane::Editor(pane) => {
            let Some(path) = state.documents.path(pane.document) else { return "Untitled".to_owned() };
            let name = crate::state::workspace::name_of(path);
            // Two files of one name are told apart by their folders.
            let same_name = |(id, open): (_, &crate::state::documents::OpenDocument)| {
                id != pane.document && open.path.as_deref().and_then(|p| p.file_name()) == path.file_name()
            };
            match path.parent().filter(|_| state.documents.iter().any(same_name)) {
                Some(folder) => format!("{}/{name}", crate::state::workspace::name_of(folder)),
                None => name,
            }
        }
        Pane::Review(pane) => state.reviews.get(pane.review).map_or_else(|| "Review".to_owned(), panes::review::title),
        Pane::Combined(pane) => {
            state.combined.get(pane.combined).map_or_else(|| "Merge".to_owned(), panes::combined::title)
        }
        Pane::Conflicts(pane) => {
            state.conflicts.get(pane.conflicts).map_or_else(|| "Conflicts".to_owned(), panes::conflicts::title)
        }
        Pane::Terminal(pane) => terminal_title(pane.terminal, state),
        Pane::Problems(_) => "Problems".to_owned(),
        Pane::Settings(_) => "Settings".to_owned(),
        Pane::Models(_) => "Models".to_owned(),
        Pane::Help(_) => "Keyboard Shortcuts".to_owned(),
    }
}

fn terminal_title(id: crate::state::terminals::TerminalId, state: &State) -> String {
    let Some(open) = state.terminals.get(id) else { return "Terminal".to_owned() };
    match open.progress {
        Some(percent) => format!("{} {percent} %", open.shown_name()),
        None => open.shown_name(),
    }
}

fn icon(pane: &Pane) -> Icon {
    match pane {
        Pane::Editor(_) => icons::FILE_TEXT,
        Pane::Review(_) => icons::REVIEW,
        Pane::Conflicts(_) | Pane::Combined(_) => icons::GIT_MERGE,
        Pane::Terminal(_) => icons::TERMINAL,
        Pane::Problems(_) => icons::PROBLEMS,
        Pane::Settings(_) => icons::SETTINGS,
        Pane::Models(_) => icons::ROBOT,
        Pane::Help(_) => icons::KEYBOARD,
    }
}

fn is_dirty(pane: &Pane, state: &State) -> bool {
    match pane {
        Pane::Editor(pane) => {
            state.documents.get(pane.document).is_some_and(super::super::state::documents::OpenDocument::is_dirty)
        }
        Pane::Review(pane) => state.reviews.get(pane.review).is_some_and(|review| {
            review
                .documents()
                .any(|id| state.documents.get(id).is_some_and(super::super::state::documents::OpenDocument::is_dirty))
        }),
        Pane::Conflicts(pane) => state.conflicts.get(pane.conflicts).is_some_and(|open| {
            open.documents()
                .any(|id| state.documents.get(id).is_some_and(super::super::state::documents::OpenDocument::is_dirty))
        }),
        Pane::Combined(_)
        | Pane::Terminal(_)
        | Pane::Problems(_)
        | Pane::Settings(_)
        | Pane::Models(_)
        | Pane::Help(_) => false,
    }
}

fn rang(pane: &Pane, state: &State) -> bool {
    matches!(pane, Pane::Terminal(pane) if state.terminals.get(pane.terminal).is_some_and(|open| open.rang))
}

struct View<'a> {
    active: Option<TileId>,
    /// The pane that was pressed in.
    activated: Option<TileId>,
    state: &'a mut State,
    sink: &'a mut Sink,
    theme: &'static Theme,
}

impl View<'_> {
    fn menu(&mut self, tab: &Response, tile: TileId) {
        let behavior = PopupCloseBehavior::CloseOnClick;
        let frame = menu_frame_of(tab);
        Popup::context_menu(tab).close_behavior(behavior).frame(frame).show(|ui| {
            ui.set_min_width(200.0);
            ui.spacing_mut().item_spacing.y = 0.0;
            if ui.add(MenuItem::new("Close").key(key(self.state, Command::CloseTab))).clicked() {
                self.sink.push(Action::CloseTile(tile));
            }
            if ui.add(MenuItem::new("Close others")).clicked() {
                self.sink.push(Action::CloseOthers(tile));
            }
            menu_separator(ui);
            for (command, icon) in [(Command::SplitRight, icons::SPLIT), (Command::SplitDown, icons::UNIFIED)] {
                let item = MenuItem::new(command.spec().title).icon(icon).key(key(self.state, command));
                if ui.add(item).clicked() {
                    self.sink.push(Action::Activate(tile));
                    self.sink.push(command);
                }
            }
        });
    }
}

fn menu_frame_of(response: &Response) -> eframe::egui::Frame {
    let (theme, shadow) = (Theme::get(&response.ctx), response.ctx.global_style().visuals.popup_shadow);
    eframe::egui::Frame::new()
        .fill(theme.surface.raised)
        .stroke(Stroke::new(1.0, theme.border.line))
        .corner_radius(radius::CARD)
        .inner_margin(eframe::egui::Margin::same(4))
        .shadow(shadow)
}

impl Behavior<Pane> for View<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, tile: TileId, pane: &mut Pane) -> UiResponse {
        let rect = ui.max_rect();
        let pressed = ui.input(|input| input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten());
        let in_here = |at| rect.contains(at) && ui.ctx().layer_id_at(at) == Some(ui.layer_id());
        let code = focus_id(tile);
        let got_keyboard = ui.memory(|memory| memory.has_focus(code)) && self.active != Some(tile);
        if pressed.is_some_and(in_here) || (got_keyboard && self.activated.is_none()) {
            self.activated = Some(tile);
        }
        match pane {
            Pane::Review(pane) => panes::review::draw(ui, tile, pane, self.state, self.sink),
            Pane::Editor(pane) => panes::editor::draw(ui, tile, pane, self.state, self.sink),
            Pane::Combined(pane) => panes::combined::draw(ui, tile, pane, self.state, self.sink),
            Pane::Conflicts(pane) => panes::conflicts::draw(ui, tile, pane, self.state, self.sink),
            Pane::Terminal(pane) => panes::terminal::draw(ui, tile, pane, self.state, self.sink),
            Pane::Problems(pane) => panes::problems::draw(ui, tile, pane, self.state, self.sink),
            Pane::Settings(pane) => panes::settings::draw(ui, tile, pane, self.state, self.sink),
            Pane::Models(pane) => panes::models::draw(ui, tile, pane, self.state, self.sink),
            Pane::Help(pane) => panes::help::draw(ui, tile, pane, self.state, self.sink),
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        title(pane, self.state).into()
    }

    fn tab_ui(&mut self, tiles: &mut Tiles<Pane>, ui: &mut Ui, id: Id, tile: TileId, state: &TabState) -> Response {
        let Some(pane) = tiles.get_pane(&tile) else {
            return ui.label("…");
        };
        let tab = Tab::new(title(pane, self.state)).icon(icon(pane)).selected(state.active);
        let shown = tab.dirty(is_dirty(pane, self.state)).rang(rang(pane, self.state)).show(ui);
        let tab = shown.tab;
        if shown.closed {
            self.sink.push(Action::CloseTile(tile));
        } else if tab.clicked() {
            self.activated = Some(tile);
        }
        // The tiles know what is dragged by an id of theirs.
        if tab.drag_started() {
            ui.set_dragged_id(id);
        }
        if state.is_being_dragged {
            ui.painter().rect_filled(tab.rect, 0.0, self.theme.surface.panel.gamma_multiply(0.6));
        }
        self.menu(&tab, tile);
        tab
    }

    fn drag_ui(&mut self, tiles: &Tiles<Pane>, ui: &mut Ui, tile: TileId) {
        let Some(pane) = tiles.get_pane(&tile) else { return };
        menu_frame(ui).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.add_space(space::XS);
                ui.label(icon(pane).as_str());
                ui.label(title(pane, self.state));
                ui.add_space(space::XS);
            });
        });
    }

    fn top_bar_right_ui(&mut self, _: &Tiles<Pane>, ui: &mut Ui, _: TileId, tabs: &egui_tiles::Tabs, _: &mut f32) {
        ui.add_space(space::XS);
        let split = IconButton::new(icons::SPLIT, "Split right").key(key(self.state, Command::SplitRight));
        if ui.add(split).clicked()
            && let Some(tile) = tabs.active
        {
            self.sink.push(Action::Activate(tile));
            self.sink.push(Command::SplitRight);
        }
        let rect = ui.max_rect();
        ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, self.theme.border.line));
    }

    fn tab_bar_height(&self, _: &Style) -> f32 {
        Tab::HEIGHT
    }

    fn tab_bar_color(&self, _: &Visuals) -> Color32 {
        self.theme.surface.panel
    }

    fn gap_width(&self, _: &Style) -> f32 {
        1.0
    }

    fn min_size(&self) -> f32 {
        120.0
    }

    fn resize_stroke(&self, _: &Style, state: ResizeState) -> Stroke {
        match state {
            ResizeState::Idle => Stroke::new(1.0, self.theme.border.line),
            ResizeState::Hovering | ResizeState::Dragging => Stroke::new(2.0, self.theme.signal.accent),
        }
    }

    fn paint_drag_preview(&self, _: &Visuals, painter: &Painter, _: Option<Rect>, preview: Rect) {
        let accent = self.theme.signal.accent;
        painter.rect(
            preview,
            radius::CONTROL,
            accent.gamma_multiply(0.15),
            Stroke::new(1.5, accent),
            StrokeKind::Inside,
        );
    }

    fn dragged_overlay_color(&self, _: &Visuals) -> Color32 {
        self.theme.surface.base.gamma_multiply(0.4)
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }

    fn cycle_tabs_with_keyboard(&self) -> bool {
        // The keymap says which keys do.
        false
    }
}

/// Where the keyboard's place is in a pane that has no code: its own id, so that keys do not end up elsewhere.
pub fn hold_focus(ui: &mut Ui, tile: TileId) {
    let layer = ui.layer_id();
    ui.memory_mut(|memory| memory.interested_in_focus(focus_id(tile), layer));
}
