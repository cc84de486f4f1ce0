//! The side panel: its frame, its title, its width; what is in it belongs to the panes.

use eframe::egui::{
    Align, Area, CursorIcon, Id, Key, Layout as Flow, Modifiers, Order, Rect, RichText, Role, Sense, Stroke, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};

use super::{Side, cut, key, within};
use crate::commands::{Command, Sink};
use crate::panes::{self, Layout, Pane};
use crate::state::State;
use crate::state::conflicts::ConflictsId;
use crate::state::reviews::ReviewId;
use crate::theme::{icons, look, space};
use crate::widgets::{Button, EmptyState, IconButton, text};

/// Width at first.
pub const WIDTH: f32 = 260.0;
/// Width at least, and what it leaves to the panes.
pub const LEAST: f32 = 180.0;
pub const LEAST_BESIDE: f32 = 320.0;
/// Width of the chat at first, and at least.
pub const CHAT_WIDTH: f32 = 380.0;
pub const CHAT_LEAST: f32 = 300.0;

/// Height of the title; that of the tabs beside it.
const TITLE: f32 = 32.0;

/// Draws the panel into the whole of `ui`.
pub fn draw(ui: &mut Ui, state: &mut State, layout: &Layout, sink: &mut Sink) {
    let rect = ui.max_rect();
    state.shell.side_rect = Some(rect);
    let (theme, _) = look(ui);
    ui.painter().rect_filled(rect, 0.0, theme.surface.panel);
    ui.painter().vline(rect.right() - 0.5, rect.y_range(), Stroke::new(1.0, theme.border.line));
    let (head, body) = cut(rect, TITLE);
    let body = body.with_max_x(rect.right() - 1.0);
    match state.shell.side {
        Side::Review => review(ui, head, body, state, layout, sink),
        Side::Files => files(ui, head, body, state, layout, sink),
    }
}

/// Draws the panel over the panes of a narrow window; a press beside it or Escape puts it away.
pub fn draw_over(ui: &mut Ui, beside: Rect, state: &mut State, layout: &Layout, sink: &mut Sink) {
    let width = state.shell.side_width.min(beside.width() - space::XL).max(LEAST.min(beside.width()));
    let panel = Rect::from_min_size(beside.min, vec2(width, beside.height()));
    let shadow = eframe::egui::Shadow { offset: [4, 0], blur: 16, spread: 0, color: state.theme.surface.shadow };
    ui.painter().with_clip_rect(beside).add(shadow.as_shape(panel, 0.0));
    Area::new(Id::unique("side panel over")).order(Order::Middle).fixed_pos(panel.min).show(ui.ctx(), |ui| {
        ui.set_min_size(panel.size());
        ui.interact(panel, ui.scope_id().with("ground"), Sense::click_and_drag());
        within(ui, "panel", panel, |ui| draw(ui, state, layout, sink));
    });
    let beside_it = ui.input(|input| {
        input.pointer.any_pressed()
            && input.pointer.interact_pos().is_some_and(|at| beside.contains(at) && !panel.contains(at))
    });
    if beside_it || ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        state.shell.side_over = false;
    }
}

/// The edge of the panel, to drag; two clicks give it its first width back.
pub fn resize(ui: &mut Ui, panel: Rect, state: &mut State) {
    let (theme, _) = look(ui);
    let edge = Rect::from_center_size(pos2(panel.right(), panel.center().y), vec2(6.0, panel.height()));
    let response = ui.interact(edge, ui.scope_id().with("side edge"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, "Width of the side panel"));
    if response.hovered() || response.dragged() {
        ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
        ui.painter().vline(panel.right() - 0.5, panel.y_range(), Stroke::new(2.0, theme.signal.accent));
    }
    if response.double_clicked() {
        state.shell.side_width = WIDTH;
    } else if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        state.shell.side_width = (at.x - panel.left()).clamp(LEAST, (ui.max_rect().width() - LEAST_BESIDE).max(LEAST));
    }
}

/// The edge of the chat, to drag; two clicks give it its first width back.
pub fn resize_chat(ui: &mut Ui, panel: Rect, state: &mut State) {
    let (theme, _) = look(ui);
    let edge = Rect::from_center_size(pos2(panel.left(), panel.center().y), vec2(6.0, panel.height()));
    let response = ui.interact(edge, ui.scope_id().with("chat edge"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, "Width of the chat"));
    if response.hovered() || response.dragged() {
        ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
        ui.painter().vline(panel.left() + 0.5, panel.y_range(), Stroke::new(2.0, theme.signal.accent));
    }
    if response.double_clicked() {
        state.shell.chat_width = CHAT_WIDTH;
    } else if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        state.shell.chat_width = (panel.right() - at.x).max(CHAT_LEAST);
    }
}

/// Draws the chat over the panes of a narrow window, at their right.
pub fn draw_chat_over(ui: &mut Ui, beside: Rect, state: &mut State, sink: &mut Sink) {
    let width = state.shell.chat_width.min(beside.width() - space::XL).max(CHAT_LEAST.min(beside.width()));
    let panel = Rect::from_min_size(pos2(beside.right() - width, beside.top()), vec2(width, beside.height()));
    let shadow = eframe::egui::Shadow { offset: [-4, 0], blur: 16, spread: 0, color: state.theme.surface.shadow };
    ui.painter().with_clip_rect(beside).add(shadow.as_shape(panel, 0.0));
    Area::new(Id::unique("chat over")).order(Order::Middle).fixed_pos(panel.min).show(ui.ctx(), |ui| {
        ui.set_min_size(panel.size());
        ui.interact(panel, ui.scope_id().with("ground"), Sense::click_and_drag());
        within(ui, "panel", panel, |ui| panes::chat::draw(ui, state, sink));
    });
}

/// The title of the panel, a count behind it, and buttons at the right.
fn title(ui: &mut Ui, rect: Rect, name: &str, count: Option<usize>, buttons: impl FnOnce(&mut Ui)) {
    let (theme, metrics) = look(ui);
    let inner = Rect::from_min_max(rect.min + vec2(space::M, 0.0), rect.max - vec2(space::XS, 0.0));
    let mut bar =
        ui.new_child(UiBuilder::new().id_salt("title").max_rect(inner).layout(Flow::left_to_right(Align::Center)));
    bar.label(RichText::new(name).font(metrics.medium()).color(theme.text.normal));
    if let Some(count) = count {
        bar.label(RichText::new(text::grouped(count as u64)).color(theme.text.muted));
    }
    bar.with_layout(Flow::right_to_left(Align::Center), buttons);
}

/// The review that the tree shows: that of the active pane, else one that is open.
pub fn review_in_sight(layout: &Layout) -> Option<(ReviewId, Option<usize>)> {
    let of = |pane: &Pane| match pane {
        Pane::Review(pane) => Some((pane.review, Some(pane.file()))),
        _ => None,
    };
    layout.active().and_then(of).or_else(|| layout.panes().find_map(|(_, pane)| of(pane)))
}

fn conflicts(ui: &mut Ui, head: Rect, body: Rect, id: ConflictsId, state: &State, sink: &mut Sink) {
    let Some(open) = state.conflicts.get(id) else { return };
    title(ui, head, "Conflicts", Some(open.files_left()).filter(|&left| left > 0), |_| {});
    within(ui, "conflicts", body, |ui| panes::conflicts::list::draw(ui, id, open, sink));
}

fn review(ui: &mut Ui, head: Rect, body: Rect, state: &mut State, layout: &Layout, sink: &mut Sink) {
    if let Some(Pane::Conflicts(pane)) = layout.active() {
        return conflicts(ui, head, body, pane.conflicts, state, sink);
    }
    let found = review_in_sight(layout);
    let count = found.and_then(|(id, _)| state.reviews.get(id)).map(|review| review.page.files().len());
    let refresh = key(state, Command::RefreshReview);
    title(ui, head, "Changes", count.filter(|&count| count > 0), |ui| {
        if found.is_some() && ui.add(IconButton::new(icons::REFRESH, "Compare again").key(refresh)).clicked() {
            sink.push(Command::RefreshReview);
        }
    });
    let theme = state.theme;
    let body = match found {
        Some((id, _)) => commit_panel(ui, body, id, state, sink),
        None => body,
    };
    within(ui, "changes", body, |ui| match found {
        Some((id, file)) => {
            if let Some(review) = state.reviews.get_mut(id) {
                state.shell.review_tree.draw(ui, id, review, &state.desk, file, sink, theme);
            }
        }
        None => nothing_to_review(ui, state, sink),
    });
}

/// Draws what is committed with at the foot of the panel; what is left above it.
fn commit_panel(ui: &mut Ui, body: Rect, id: ReviewId, state: &mut State, sink: &mut Sink) -> Rect {
    let can_commit = state.reviews.get(id).is_some_and(|review| panes::review::commit::repo(review).is_some());
    // Below some height the list matters more than the message.
    if !can_commit || body.height() < 260.0 {
        return body;
    }
    let height = state.shell.commit_height.min(body.height() - 120.0);
    let (above, foot) = body.split_top_bottom_at_y(body.bottom() - height);
    let line = state.theme.border.line;
    let mut used = height;
    within(ui, "commit", foot.expand2(vec2(0.0, 0.5)), |ui| {
        ui.painter().hline(foot.x_range(), foot.top() + 0.5, Stroke::new(1.0, line));
        let inner = foot.shrink2(vec2(space::S, space::XS));
        let mut panel =
            ui.new_child(UiBuilder::new().id_salt("panel").max_rect(inner).layout(Flow::top_down(Align::Min)));
        panes::review::commit::draw(&mut panel, id, state, sink);
        used = panel.min_rect().height() + 2.0 * space::S;
    });
    if (used - state.shell.commit_height).abs() > 0.5 {
        state.shell.commit_height = used;
        ui.ctx().request_repaint();
    }
    above
}

fn nothing_to_review(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let (sentence, detail, command) = match (state.workspace.root(), state.workspace.repo()) {
        (None, _) => ("No folder is open", "Changes of its repository appear here.", Command::OpenFolder),
        (Some(_), None) if state.workspace.is_looked_up() => {
            ("No repository here", "The folder is not in a git repository.", Command::OpenFolder)
        }
        (Some(_), None) => return,
        (Some(_), Some(_)) => {
            ("No review is open", "See what differs from the last commit.", Command::ReviewWorkingTree)
        }
    };
    let action = Button::new(command.spec().title).key(key(state, command));
    if EmptyState::new(icons::REVIEW, sentence).detail(detail).action(action).show(ui) {
        sink.push(command);
    }
}

fn files(ui: &mut Ui, head: Rect, body: Rect, state: &mut State, layout: &Layout, sink: &mut Sink) {
    title(ui, head, "Files", None, |ui| panes::files::buttons(ui, state, sink));
    within(ui, "files", body, |ui| panes::files::draw(ui, state, layout, sink));
}
