//! Rows of lists and trees, 24 high, for lists that draw only what is in sight.
//!
//! The list has the keyboard, not its rows: rows are told whether they are chosen and whether their list is `active`, and
//! are not stops of the Tab key. Their ids come from the caller, so that a row keeps its identity while the list scrolls.

use std::{borrow::Cow, sync::Arc};

use eframe::egui::{
    self, Color32, Galley, Id, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::{Counts, text, tick};
use crate::theme::{Icon, Metrics, Theme, fonts, icons, look, radius, space};

/// What happened to a row.
pub struct RowResponse {
    /// The row itself: clicks, context menu, dragging.
    pub row: Response,
    /// The caret was pressed.
    pub toggled: bool,
    /// The tick was pressed.
    pub ticked: bool,
}

/// A row of a list: icon, label, detail, and something at the right.
#[must_use = "call `show`"]
pub struct ListRow<'a> {
    inner: TreeRow<'a>,
}

impl<'a> ListRow<'a> {
    /// A row with an id that is its own in the list.
    pub fn new(id: Id, label: impl Into<Cow<'a, str>>) -> Self {
        let mut inner = TreeRow::new(id, label);
        inner.role = Role::ListItem;
        inner.is_path = false;
        Self { inner }
    }

    /// An icon before the label.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.inner = self.inner.icon(icon);
        self
    }

    /// Muted text behind the label.
    pub fn detail(mut self, detail: impl Into<Cow<'a, str>>) -> Self {
        self.inner = self.inner.detail(detail);
        self
    }

    /// Muted text at the right: a key, a time, a count.
    pub fn note(mut self, note: impl Into<Cow<'a, str>>) -> Self {
        self.inner = self.inner.note(note);
        self
    }

    /// Leaves so much at the right to something that is drawn over it; a note makes way.
    pub fn room(mut self, room: f32) -> Self {
        self.inner = self.inner.room(room);
        self
    }

    /// Characters of the label (by byte range) that matched what was searched for.
    pub fn matches(mut self, ranges: &'a [std::ops::Range<usize>]) -> Self {
        self.inner.matches = ranges;
        self
    }

    /// Not possible now.
    pub fn muted(mut self, muted: bool) -> Self {
        self.inner = self.inner.muted(muted);
        self
    }

    /// Chosen.
    pub fn selected(mut self, selected: bool) -> Self {
        self.inner = self.inner.selected(selected);
        self
    }

    /// Its list has the keyboard.
    pub fn active(mut self, active: bool) -> Self {
        self.inner = self.inner.active(active);
        self
    }

    /// Shows it across the available width.
    pub fn show(self, ui: &mut Ui) -> Response {
        self.inner.show(ui).row
    }
}

/// A row of a tree of files: indent, caret, icon or status letter, path, counts, tick.
#[must_use = "call `show`"]
pub struct TreeRow<'a> {
    id: Id,
    label: Cow<'a, str>,
    role: Role,
    is_path: bool,
    depth: u16,
    expanded: Option<bool>,
    icon: Option<Icon>,
    icon_color: Option<Color32>,
    letter: Option<(char, Color32)>,
    detail: Cow<'a, str>,
    note: Cow<'a, str>,
    tint: Option<Color32>,
    mark: Option<(char, Color32)>,
    state: Option<(Icon, Color32)>,
    meaning: &'a str,
    matches: &'a [std::ops::Range<usize>],
    counts: Option<(u32, u32)>,
    comments: usize,
    tick: Option<tick::TickState>,
    room: f32,
    muted: bool,
    selected: bool,
    active: bool,
}

impl<'a> TreeRow<'a> {
    /// A row with an id that is its own in the tree; `label` is a name or a path.
    pub fn new(id: Id, label: impl Into<Cow<'a, str>>) -> Self {
        Self {
            id,
            label: label.into(),
            role: Role::TreeItem,
            is_path: true,
            depth: 0,
            expanded: None,
            icon: None,
            icon_color: None,
            letter: None,
            detail: Cow::Borrowed(""),
            note: Cow::Borrowed(""),
            tint: None,
            mark: None,
            state: None,
            meaning: "",
            matches: &[],
            counts: None,
            comments: 0,
            tick: None,
            room: 0.0,
            muted: false,
            selected: false,
            active: false,
        }
    }

    /// How deep in the tree.
    pub fn depth(mut self, depth: u16) -> Self {
        self.depth = depth;
        self
    }

    /// A folder, open or not.
    pub fn expanded(mut self, expanded: bool) -> Self {
        self.expanded = Some(expanded);
        self
    }

    /// An icon before the label.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// The icon's colour, where it carries a state; say the same in another way, too.
    pub fn icon_color(mut self, color: Color32) -> Self {
        self.icon_color = Some(color);
        self
    }

    /// The label is no path: where it is too long its end is left out.
    pub fn prose(mut self) -> Self {
        self.is_path = false;
        self
    }

    /// Leaves so much at the right to something that is drawn over it; a note makes way.
    pub fn room(mut self, room: f32) -> Self {
        self.room = room;
        self
    }

    /// The status letter before the label, in its colour.
    pub fn letter(mut self, letter: char, color: Color32) -> Self {
        self.letter = Some((letter, color));
        self
    }

    /// Muted text behind the label.
    pub fn detail(mut self, detail: impl Into<Cow<'a, str>>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Muted text at the right.
    pub fn note(mut self, note: impl Into<Cow<'a, str>>) -> Self {
        self.note = note.into();
        self
    }

    /// The label's colour, where it carries a state; say the same in another way, too.
    pub fn tint(mut self, tint: Color32) -> Self {
        self.tint = Some(tint);
        self
    }

    /// A letter at the right, in its colour.
    pub fn mark(mut self, mark: char, color: Color32) -> Self {
        self.mark = Some((mark, color));
        self
    }

    /// An icon for a state, before the counts; say what it means, too.
    pub fn state(mut self, icon: Icon, color: Color32) -> Self {
        self.state = Some((icon, color));
        self
    }

    /// What tint, mark and state say, for a screen reader.
    pub fn meaning(mut self, meaning: &'a str) -> Self {
        self.meaning = meaning;
        self
    }

    /// How far from the left of a row of this depth its icon starts.
    pub fn content_left(depth: u16) -> f32 {
        INSET + f32::from(depth) * STEP + CARET
    }

    /// Lines added and removed, at the right.
    pub fn counts(mut self, added: u32, removed: u32) -> Self {
        self.counts = Some((added, removed));
        self
    }

    /// Comments, at the right.
    pub fn comments(mut self, count: usize) -> Self {
        self.comments = count;
        self
    }

    /// A tick at the right.
    pub fn tick(mut self, state: tick::TickState) -> Self {
        self.tick = Some(state);
        self
    }

    /// Done with: viewed, ignored.
    pub fn muted(mut self, muted: bool) -> Self {
        self.muted = muted;
        self
    }

    /// Chosen.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Its tree has the keyboard.
    pub fn active(mut self, active: bool) -> Self {
        self.active = active;
        self
    }

    /// Shows it across the available width.
    pub fn show(self, ui: &mut Ui) -> RowResponse {
        let (theme, metrics) = look(ui);
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), space::ROW));
        let row = ui.interact(rect, self.id, Sense::CLICK | Sense::DRAG);
        let caret = self.expanded.map(|_| {
            let at = rect.left() + INSET + f32::from(self.depth) * STEP;
            let area = Rect::from_min_max(pos2(at - 2.0, rect.top()), pos2(at + CARET, rect.bottom()));
            ui.interact(area, self.id.with("caret"), Sense::CLICK)
        });
        let tick = self.tick.map(|state| {
            let area = Rect::from_min_max(pos2(rect.right() - space::ROW - 4.0, rect.top()), rect.right_bottom());
            let response = ui.interact(area, self.id.with("tick"), Sense::CLICK);
            response.widget_info(|| state.spoken(true, &self.label));
            response
        });
        row.widget_info(|| WidgetInfo::labeled(self.role, ui.is_enabled(), self.spoken()));
        ui.ctx().accesskit_node_builder(row.id, |node| {
            node.set_selected(self.selected);
            if let Some(expanded) = self.expanded {
                node.set_expanded(expanded);
            }
            if self.role == Role::TreeItem {
                node.set_level(usize::from(self.depth) + 1);
            }
        });
        if ui.is_rect_visible(rect) {
            let tick_hovered = tick.as_ref().is_some_and(Response::hovered);
            self.paint(ui, theme, &metrics, rect, row.hovered() || tick_hovered, tick_hovered);
        }
        RowResponse {
            row,
            toggled: caret.is_some_and(|caret| caret.clicked()),
            ticked: tick.is_some_and(|tick| tick.clicked()),
        }
    }

    fn spoken(&self) -> String {
        let mut spoken = self.label.to_string();
        if let Some((letter, _)) = self.letter {
            spoken = format!("{letter} {spoken}");
        }
        if let Some((added, removed)) = self.counts {
            spoken = format!("{spoken}, {}", Counts::new(added, removed).spoken());
        }
        match self.comments {
            0 => {}
            1 => spoken += ", 1 comment",
            many => spoken = format!("{spoken}, {many} comments"),
        }
        for more in [&self.detail, &self.note, &Cow::Borrowed(self.meaning)] {
            if !more.is_empty() {
                spoken = format!("{spoken}, {more}");
            }
        }
        spoken
    }

    fn paint(&self, ui: &Ui, theme: &Theme, metrics: &Metrics, rect: Rect, hovered: bool, tick_hovered: bool) {
        let painter = ui.painter();
        self.paint_ground(painter, theme, rect, hovered);
        let middle = rect.center().y;
        let color = if self.muted { theme.text.muted } else { self.tint.unwrap_or(theme.text.normal) };

        let mut right = rect.right() - space::S - self.room;
        if let Some(state) = self.tick {
            tick::paint_box(painter, theme, pos2(rect.right() - space::S - 7.0, middle), state, tick_hovered);
            right -= 14.0 + 6.0;
        }
        if let Some((added, removed)) = self.counts {
            let job = Counts::new(added, removed).job(theme, fonts::ui(metrics.small().size));
            right = put_right(painter, painter.layout_job(job), right, middle);
        }
        if self.comments > 0 {
            let count = text::line(ui, &self.comments.to_string(), metrics.small(), theme.text.muted, 48.0);
            right = put_right(painter, count, right, middle) + space::S - 2.0;
            icons::COMMENT.paint_sized(painter, pos2(right - 6.0, middle), 12.0, theme.text.muted);
            right -= 12.0 + space::S;
        }
        if !self.note.is_empty() && self.room == 0.0 {
            let note = text::line(ui, &self.note, metrics.small(), theme.text.muted, rect.width() / 2.0);
            right = put_right(painter, note, right, middle);
        }

        if let Some((icon, tint)) = self.state {
            icon.paint_sized(painter, pos2(right - 7.0, middle), 14.0, tint);
            right -= 14.0 + space::XS;
        }
        if let Some((mark, tint)) = self.mark {
            let galley = painter.layout_no_wrap(mark.to_string(), metrics.small(), tint);
            // Letters stand in a column, whatever their width.
            let x = right - 6.0 - galley.size().x / 2.0;
            painter.galley(pos2(x, middle - galley.size().y / 2.0), galley, tint);
            right -= 12.0 + space::XS;
        }
        let mut left = rect.left() + INSET + f32::from(self.depth) * STEP;
        if let Some(expanded) = self.expanded {
            let icon = if expanded { icons::CARET_DOWN } else { icons::CARET_RIGHT };
            icon.paint_sized(painter, pos2(left + 6.0, middle), 12.0, theme.text.muted);
            left += CARET;
        } else if self.role == Role::TreeItem {
            left += CARET;
        }
        if let Some((letter, tint)) = self.letter {
            let galley = painter.layout_no_wrap(letter.to_string(), metrics.medium(), tint);
            painter.galley(pos2(left + 6.0 - galley.size().x / 2.0, middle - galley.size().y / 2.0), galley, tint);
            left += 12.0 + 6.0;
        }
        if let Some(icon) = self.icon {
            let color = self.icon_color.unwrap_or(theme.text.muted);
            icon.paint(painter, pos2(left + Icon::SIZE / 2.0, middle), color);
            left += Icon::SIZE + 6.0;
        }
        let label = self.label_galley(ui, theme, metrics, color, right - left);
        let at = pos2(left, middle - label.size().y / 2.0);
        left += label.size().x + space::S;
        painter.galley(at, label, color);
        if !self.detail.is_empty() && right - left > 24.0 {
            let detail = text::path_line(ui, &self.detail, metrics.small(), theme.text.muted, right - left);
            painter.galley(pos2(left, middle - detail.size().y / 2.0), detail, theme.text.muted);
        }
    }

    fn paint_ground(&self, painter: &Painter, theme: &Theme, rect: Rect, hovered: bool) {
        let fill = match (self.selected, self.active, hovered) {
            (true, true, _) => theme.row.active,
            (true, false, _) => theme.row.selected,
            (false, _, true) => theme.row.hover,
            (false, _, false) => return,
        };
        painter.rect_filled(rect, 0.0, fill);
        if self.selected && self.active {
            painter.rect_stroke(rect, radius::CONTROL, Stroke::new(1.0, theme.border.focus), StrokeKind::Inside);
        }
    }

    fn label_galley(&self, ui: &Ui, theme: &Theme, metrics: &Metrics, color: Color32, room: f32) -> Arc<Galley> {
        if !self.matches.is_empty() {
            return text::matched_line(ui, &self.label, self.matches, metrics, (color, theme.signal.accent), room);
        }
        if self.is_path {
            return text::path_line(ui, &self.label, metrics.body(), color, room);
        }
        text::line(ui, &self.label, metrics.body(), color, room)
    }
}

/// Room left of the first thing in a row.
const INSET: f32 = 8.0;
/// How much a level of a tree is set in.
const STEP: f32 = 12.0;
/// The width a caret takes.
const CARET: f32 = 16.0;

/// Paints `galley` so that it ends at `right`; where the next thing to its left ends.
fn put_right(painter: &Painter, galley: Arc<Galley>, right: f32, middle: f32) -> f32 {
    let left = right - galley.size().x;
    painter.galley(pos2(left, middle - galley.size().y / 2.0), galley, Color32::PLACEHOLDER);
    left - space::S
}

/// Keys of a list that has the focus `id`: where the choice moves to, of `len` rows with `page` in sight.
pub fn list_keys(ui: &Ui, id: Id, chosen: Option<usize>, len: usize, page: usize) -> Option<usize> {
    use egui::{Key, Modifiers};
    if len == 0 || !ui.memory(|memory| memory.has_focus(id)) {
        return None;
    }
    ui.memory_mut(|memory| {
        let arrows = egui::EventFilter { vertical_arrows: true, horizontal_arrows: true, ..Default::default() };
        memory.set_focus_lock_filter(id, arrows);
    });
    let last = len - 1;
    let page = page.max(2) - 1;
    ui.input_mut(|input| {
        let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
        let at = chosen;
        if pressed(Key::ArrowDown) {
            return Some(at.map_or(0, |at| (at + 1).min(last)));
        }
        if pressed(Key::ArrowUp) {
            return Some(at.map_or(last, |at| at.saturating_sub(1)));
        }
        if pressed(Key::PageDown) {
            return Some(at.map_or(0, |at| (at + page).min(last)));
        }
        if pressed(Key::PageUp) {
            return Some(at.map_or(0, |at| at.saturating_sub(page)));
        }
        if pressed(Key::Home) {
            return Some(0);
        }
        pressed(Key::End).then_some(last)
    })
}
