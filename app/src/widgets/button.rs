//! Buttons: with text, and icons alone.

use std::borrow::Cow;

use eframe::egui::{
    Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, Widget, WidgetInfo, pos2, vec2,
};

use super::{focus_ring, text, tip};
use crate::theme::{Icon, Theme, icons, look, radius, space};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Primary,
    Quiet,
    Danger,
}

/// The colours of a button in one state.
struct Paint {
    fill: Color32,
    edge: Color32,
    text: Color32,
}

impl Kind {
    fn paint(self, theme: &Theme, response: &Response, open: bool) -> Paint {
        let pressed = response.is_pointer_button_down_on();
        let hovered = response.hovered() || open;
        let pick = |rest, hover, press| match (pressed, hovered) {
            (true, _) => press,
            (_, true) => hover,
            _ => rest,
        };
        let (surface, signal, button) = (&theme.surface, &theme.signal, &theme.button);
        match self {
            Self::Plain => Paint {
                fill: pick(surface.raised, surface.hover, button.press),
                edge: theme.border.line,
                text: theme.text.normal,
            },
            Self::Primary => {
                let fill = pick(signal.accent, button.primary_hover, button.primary_press);
                Paint { fill, edge: fill, text: theme.text.on_accent }
            }
            Self::Danger => {
                let fill = pick(signal.danger, button.danger_hover, button.danger_press);
                Paint { fill, edge: fill, text: theme.text.on_danger }
            }
            Self::Quiet => {
                let fill = pick(Color32::TRANSPARENT, surface.hover, button.press);
                Paint { fill, edge: Color32::TRANSPARENT, text: theme.text.normal }
            }
        }
    }
}

/// Width of a button that is an icon and no text.
pub const ICON_ALONE: f32 = 36.0;

/// Room beside the text.
const PAD: f32 = 10.0;
/// Room for the caret.
const TRAIL: f32 = 6.0 + 12.0;

/// A button with text, and perhaps an icon before and a caret behind it. 24 high.
#[must_use = "show it with `ui.add`"]
pub struct Button<'a> {
    label: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    kind: Kind,
    icon: Option<Icon>,
    tone: Option<super::Tone>,
    caret: bool,
    open: bool,
    fill_width: bool,
    max_width: f32,
    tip: Option<Cow<'a, str>>,
    key: Option<Cow<'a, str>>,
}

impl<'a> Button<'a> {
    /// A plain button.
    pub fn new(label: impl Into<Cow<'a, str>>) -> Self {
        Self {
            label: label.into(),
            name: None,
            kind: Kind::Plain,
            icon: None,
            tone: None,
            caret: false,
            open: false,
            fill_width: false,
            max_width: f32::INFINITY,
            tip: None,
            key: None,
        }
    }

    /// The first thing to do here; at most one in sight.
    pub fn primary(mut self) -> Self {
        self.kind = Kind::Primary;
        self
    }

    /// Without fill or edge until the pointer is on it.
    pub fn quiet(mut self) -> Self {
        self.kind = Kind::Quiet;
        self
    }

    /// Takes something away that does not come back.
    pub fn danger(mut self) -> Self {
        self.kind = Kind::Danger;
        self
    }

    /// An icon before the text.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// A dot of `tone` before the text: the state of what the button names.
    pub fn dot(mut self, tone: super::Tone) -> Self {
        self.tone = Some(tone);
        self
    }

    /// A caret behind the text: it opens a menu.
    pub fn caret(mut self) -> Self {
        self.caret = true;
        self
    }

    /// Drawn as under the pointer while what it opened is open.
    pub fn open(mut self, open: bool) -> Self {
        self.open = open;
        self
    }

    /// As wide as there is room.
    pub fn fill_width(mut self) -> Self {
        self.fill_width = true;
        self
    }

    /// At most this wide; the text ends in an ellipsis.
    pub fn max_width(mut self, width: f32) -> Self {
        self.max_width = width;
        self
    }

    /// What a screen reader says instead of the text.
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Explains itself under the pointer.
    pub fn tip(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.tip = Some(text.into());
        self
    }

    /// How wide it is where there is room, without an icon or a dot.
    pub fn width(&self, ui: &Ui) -> f32 {
        let (_, metrics) = look(ui);
        let galley = text::line(ui, &self.label, metrics.body(), Color32::PLACEHOLDER, f32::INFINITY);
        (galley.size().x + 2.0 * PAD + if self.caret { TRAIL } else { 0.0 }).ceil()
    }

    /// The key that does the same; named in the tooltip.
    pub fn key(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl Widget for Button<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        const DOT: f32 = 7.0;
        let (theme, metrics) = look(ui);
        let font = if self.kind == Kind::Primary { metrics.medium() } else { metrics.body() };
        // An icon alone has nothing to stand off.
        let gap = if self.label.is_empty() { 0.0 } else { 6.0 };
        let lead = self.icon.map_or(0.0, |_| Icon::SIZE + gap) + self.tone.map_or(0.0, |_| DOT + 6.0);
        let trail = if self.caret { TRAIL } else { 0.0 };
        let around = 2.0 * PAD + lead + trail;
        // In a crowded bar a button keeps enough of its text to be known by, and runs out of sight rather.
        let room = self.max_width.min(ui.available_width().max(around + 72.0)) - around;
        let galley = text::line(ui, &self.label, font, Color32::PLACEHOLDER, room);
        let natural = galley.size().x + around;
        let width = if self.fill_width { ui.available_width().max(natural) } else { natural.ceil() };

        let (rect, response) = ui.allocate_exact_size(vec2(width, space::ROW), Sense::click());
        let name = self.name.as_deref().unwrap_or(&self.label);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
        if ui.is_rect_visible(rect) {
            let paint = self.kind.paint(theme, &response, self.open);
            let painter = ui.painter();
            painter.rect(rect, radius::CONTROL, paint.fill, Stroke::new(1.0, paint.edge), StrokeKind::Inside);
            let mut x = if self.fill_width { rect.center().x - (natural - 2.0 * PAD) / 2.0 } else { rect.left() + PAD };
            if let Some(tone) = self.tone {
                painter.circle_filled(pos2(x + DOT / 2.0, rect.center().y), DOT / 2.0, tone.color(theme));
                x += DOT + 6.0;
            }
            if let Some(icon) = self.icon {
                icon.paint(painter, pos2(x + Icon::SIZE / 2.0, rect.center().y), paint.text);
                x += Icon::SIZE + gap;
            }
            let y = rect.center().y - galley.size().y / 2.0;
            let end = x + galley.size().x + 6.0;
            painter.galley(pos2(x, y), galley, paint.text);
            if self.caret {
                icons::CARET_DOWN.paint_sized(painter, pos2(end + 6.0, rect.center().y), 12.0, paint.text);
            }
            // On a filled button the ring would drown in the fill: it stands off.
            let ring = if matches!(self.kind, Kind::Primary | Kind::Danger) { rect.expand(3.0) } else { rect };
            focus_ring(painter, theme, &response, ring, radius::CONTROL);
        }
        match (&self.tip, &self.key) {
            (None, None) => response,
            (text, key) => tip(response, text.as_deref().unwrap_or(name), key.as_deref()),
        }
    }
}

/// A button that is an icon alone; its name is its tooltip.
#[must_use = "show it with `ui.add`"]
pub struct IconButton<'a> {
    icon: Icon,
    name: Cow<'a, str>,
    key: Option<Cow<'a, str>>,
    selected: bool,
    size: f32,
    icon_size: f32,
    rail: bool,
    color: Option<Color32>,
}

impl<'a> IconButton<'a> {
    /// A 24-point button that does what `name` says.
    pub fn new(icon: Icon, name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            icon,
            name: name.into(),
            key: None,
            selected: false,
            size: space::ROW,
            icon_size: Icon::SIZE,
            rail: false,
            color: None,
        }
    }

    /// The key that does the same; named in the tooltip.
    pub fn key(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Whether what it switches is on.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Inside another control: 20 points with an icon of 14.
    pub fn small(mut self) -> Self {
        self.size = 20.0;
        self.icon_size = 14.0;
        self
    }

    /// An entry of the rail (44 wide): 32 points, an icon of 18, and a bar at the window's edge while it is on.
    pub fn large(mut self) -> Self {
        self.size = 32.0;
        self.icon_size = 18.0;
        self.rail = true;
        self
    }

    /// The colour of the icon at rest, where it carries a state.
    pub fn color(mut self, color: Color32) -> Self {
        self.color = Some(color);
        self
    }
}

impl Widget for IconButton<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let (theme, _) = look(ui);
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(self.size), Sense::click());
        response.widget_info(|| {
            if self.selected {
                WidgetInfo::selected(Role::Button, ui.is_enabled(), true, &self.name)
            } else {
                WidgetInfo::labeled(Role::Button, ui.is_enabled(), &self.name)
            }
        });
        if ui.is_rect_visible(rect) {
            let fill = match (response.is_pointer_button_down_on(), response.hovered() || self.selected) {
                (true, _) => theme.button.press,
                (_, true) => theme.surface.hover,
                _ => Color32::TRANSPARENT,
            };
            let active = self.selected || response.hovered();
            let color = self.color.unwrap_or(if active { theme.text.normal } else { theme.text.muted });
            ui.painter().rect_filled(rect, radius::CONTROL, fill);
            self.icon.paint_sized(ui.painter(), rect.center(), self.icon_size, color);
            if self.selected && self.rail {
                let bar = Rect::from_min_size(rect.left_top() - vec2(6.0, 0.0), vec2(2.0, rect.height()));
                ui.painter().rect_filled(bar, 1.0, theme.signal.accent);
            }
            focus_ring(ui.painter(), theme, &response, rect, radius::CONTROL);
        }
        tip(response, &self.name, self.key.as_deref())
    }
}
