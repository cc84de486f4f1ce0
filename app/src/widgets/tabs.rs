//! Tabs of a pane, and the segmented control for a few choices side by side.

use std::borrow::Cow;

use eframe::egui::{Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};

use super::{focus_ring, text};
use crate::theme::{Icon, icons, look, radius, space};

/// One tab, 32 high: icon, title, a dot while there are changes to save, a cross.
#[must_use = "call `show`"]
pub struct Tab<'a> {
    title: Cow<'a, str>,
    icon: Option<Icon>,
    selected: bool,
    dirty: bool,
    rang: bool,
    preview: bool,
    closable: bool,
}

/// What happened to a tab.
pub struct TabResponse {
    /// The tab itself: clicks, context menu, dragging.
    pub tab: Response,
    /// It is to be closed: its cross, or the middle button.
    pub closed: bool,
}

impl<'a> Tab<'a> {
    /// Room for a tab, at most.
    pub const MAX_WIDTH: f32 = 220.0;
    /// Height of a row of tabs.
    pub const HEIGHT: f32 = 32.0;

    /// A tab that reads `title`.
    pub fn new(title: impl Into<Cow<'a, str>>) -> Self {
        let title = title.into();
        Self { title, icon: None, selected: false, dirty: false, rang: false, preview: false, closable: true }
    }

    /// An icon before the title.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// The one in front.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Has changes to save.
    pub fn dirty(mut self, dirty: bool) -> Self {
        self.dirty = dirty;
        self
    }

    /// Something in it rang while nobody looked.
    pub fn rang(mut self, rang: bool) -> Self {
        self.rang = rang;
        self
    }

    /// Gives way to the next file that is looked at; its title is muted.
    pub fn preview(mut self, preview: bool) -> Self {
        self.preview = preview;
        self
    }

    /// Has no cross.
    pub fn fixed(mut self) -> Self {
        self.closable = false;
        self
    }

    /// Shows it.
    pub fn show(self, ui: &mut Ui) -> TabResponse {
        const PAD: f32 = 12.0;
        let (theme, metrics) = look(ui);
        let lead = self.icon.map_or(0.0, |_| Icon::SIZE + 6.0);
        let trail = if self.closable || self.dirty || self.rang { 20.0 + 2.0 } else { 0.0 };
        let color = if self.selected && !self.preview { theme.text.normal } else { theme.text.muted };
        let font = if self.selected { metrics.medium() } else { metrics.body() };
        let room = Self::MAX_WIDTH - 2.0 * PAD - lead - trail;
        let galley = text::path_line(ui, &self.title, font, color, room);
        let end = if trail > 0.0 { 6.0 } else { PAD };
        let width = (PAD + lead + galley.size().x + trail + end).ceil();
        let (rect, tab) = ui.allocate_exact_size(vec2(width, Self::HEIGHT), Sense::click_and_drag());
        tab.widget_info(|| WidgetInfo::selected(Role::Tab, true, self.selected, self.spoken()));

        let cross = Rect::from_center_size(pos2(rect.right() - end - 10.0, rect.center().y), Vec2::splat(20.0));
        let close = self.closable.then(|| {
            let response = ui.interact(cross, tab.id.with("close"), Sense::CLICK);
            response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Close {}", self.title)));
            response
        });
        if ui.is_rect_visible(rect) {
            let painter = ui.painter();
            let over_cross = close.as_ref().is_some_and(Response::hovered);
            let hovered = tab.hovered() || over_cross;
            let fill = match (self.selected, hovered) {
                (true, _) => theme.surface.base,
                (false, true) => theme.surface.hover,
                (false, false) => theme.surface.panel,
            };
            painter.rect_filled(rect, 0.0, fill);
            let line = Stroke::new(1.0, theme.border.line);
            painter.vline(rect.right() - 0.5, rect.y_range(), line);
            if self.selected {
                let bar =
                    Rect::from_min_max(pos2(rect.left(), rect.bottom() - 2.0), rect.right_bottom() - vec2(1.0, 0.0));
                painter.rect_filled(bar, 0.0, theme.signal.accent);
            } else {
                painter.hline(rect.x_range(), rect.bottom() - 0.5, line);
            }
            let mut x = rect.left() + PAD;
            if let Some(icon) = self.icon {
                icon.paint(painter, pos2(x + Icon::SIZE / 2.0, rect.center().y), color);
                x += lead;
            }
            painter.galley(pos2(x, rect.center().y - galley.size().y / 2.0), galley, color);
            if over_cross {
                painter.rect_filled(cross, radius::CONTROL, theme.button.press);
            }
            if (self.dirty || self.rang) && !over_cross {
                let color = if self.rang { theme.signal.accent } else { color };
                painter.circle_filled(cross.center(), 4.0, color);
            } else if self.closable && (self.selected || hovered) {
                icons::X.paint_sized(painter, cross.center(), 12.0, theme.text.muted);
            }
            focus_ring(painter, theme, &tab, rect, radius::CONTROL);
        }
        let closed = close.is_some_and(|close| close.clicked()) || self.closable && tab.middle_clicked();
        TabResponse { tab, closed }
    }

    fn spoken(&self) -> String {
        match (self.dirty, self.rang) {
            (true, _) => format!("{}, not saved", self.title),
            (_, true) => format!("{}, rang", self.title),
            _ => self.title.to_string(),
        }
    }
}

/// A few choices side by side, one of them on.
#[must_use = "call `show`"]
pub struct Segmented<'a> {
    choices: &'a [(Option<Icon>, &'a str)],
    icons_only: bool,
}

impl<'a> Segmented<'a> {
    /// Choices with a name each, and perhaps an icon.
    pub fn new(choices: &'a [(Option<Icon>, &'a str)]) -> Self {
        Self { choices, icons_only: false }
    }

    /// Shows the icons alone; names are spoken and shown under the pointer.
    pub fn icons_only(mut self) -> Self {
        self.icons_only = true;
        self
    }

    /// Shows it with `chosen` on; whether that changed.
    pub fn show(self, ui: &mut Ui, chosen: &mut usize) -> bool {
        let (theme, metrics) = look(ui);
        let before = *chosen;
        let labels: Vec<_> = self
            .choices
            .iter()
            .enumerate()
            .map(|(index, (icon, name))| {
                let color = if index == *chosen { theme.text.normal } else { theme.text.muted };
                let text = if self.icons_only { "" } else { name };
                let galley = ui.painter().layout_no_wrap(text.to_owned(), metrics.body(), color);
                let gap = if icon.is_some() && !self.icons_only { 6.0 } else { 0.0 };
                let width = (20.0 + icon.map_or(0.0, |_| Icon::SIZE) + gap + galley.size().x).ceil().max(32.0);
                (galley, width, color)
            })
            .collect();
        let total: f32 = labels.iter().map(|(_, width, _)| width).sum();
        let (rect, frame) = ui.allocate_exact_size(vec2(total, space::ROW), Sense::hover());
        ui.painter().rect(
            rect,
            radius::CONTROL,
            theme.surface.panel,
            Stroke::new(1.0, theme.border.line),
            StrokeKind::Inside,
        );
        let mut x = rect.left();
        for (index, ((galley, width, color), (icon, name))) in labels.into_iter().zip(self.choices).enumerate() {
            let part = Rect::from_min_size(pos2(x, rect.top()), vec2(width, rect.height()));
            x += width;
            let response = ui.interact(part, frame.id.with(index), Sense::click());
            response.widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), index == *chosen, name));
            if response.clicked() {
                *chosen = index;
            }
            if index == before {
                let edge = Stroke::new(1.0, theme.border.line);
                ui.painter().rect(part, radius::CONTROL, theme.surface.hover, edge, StrokeKind::Inside);
            } else if response.hovered() {
                ui.painter().rect_filled(part.shrink(1.0), radius::CONTROL, theme.row.hover);
            }
            let mut left = part.center().x - (width - 20.0) / 2.0;
            if let Some(icon) = icon {
                if self.icons_only {
                    left = part.center().x - Icon::SIZE / 2.0;
                }
                icon.paint(ui.painter(), pos2(left + Icon::SIZE / 2.0, part.center().y), color);
                left += Icon::SIZE + 6.0;
            }
            ui.painter().galley(pos2(left, part.center().y - galley.size().y / 2.0), galley, color);
            focus_ring(ui.painter(), theme, &response, part, radius::CONTROL);
            if self.icons_only {
                super::tip(response, name, None);
            }
        }
        *chosen != before
    }
}
