//! Small marks beside names: badges, key caps, counts of changed lines.

use std::borrow::Cow;
use std::sync::Arc;

use eframe::egui::{
    Color32, FontId, Galley, Response, Role, Sense, Stroke, StrokeKind, Ui, Widget, WidgetInfo,
    epaint::text::TextFormat, pos2, text::LayoutJob, vec2,
};

use super::Tone;
use crate::theme::{Icon, Theme, fonts, look, radius, space};

/// Space around a badge's word, and what an icon before it takes.
const BADGE_PAD: f32 = 6.0;
const BADGE_ICON: f32 = 14.0 + 4.0;

/// A word in a frame: `added`, `renamed 95 %`.
#[derive(Clone)]
#[must_use = "show it with `ui.add`"]
pub struct Badge<'a> {
    text: Cow<'a, str>,
    tone: Tone,
    icon: Option<Icon>,
}

impl<'a> Badge<'a> {
    /// A neutral badge.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), tone: Tone::Neutral, icon: None }
    }

    /// Coloured for what it means; the word has to say it too.
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// An icon before the word.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// How wide it is.
    pub fn width(&self, ui: &Ui) -> f32 {
        let lead = self.icon.map_or(0.0, |_| BADGE_ICON);
        (self.galley(ui).size().x + lead + 2.0 * BADGE_PAD).ceil()
    }

    fn galley(&self, ui: &Ui) -> Arc<Galley> {
        let (theme, metrics) = look(ui);
        ui.painter().layout_no_wrap(self.text.clone().into_owned(), metrics.small(), self.tone.color(theme))
    }
}

impl Widget for Badge<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        const HEIGHT: f32 = 20.0;
        let (theme, _) = look(ui);
        let color = self.tone.color(theme);
        let galley = self.galley(ui);
        let lead = self.icon.map_or(0.0, |_| BADGE_ICON);
        let (rect, response) = ui.allocate_exact_size(vec2(self.width(ui), HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &self.text));
        if ui.is_rect_visible(rect) {
            let painter = ui.painter();
            let edge = if self.tone == Tone::Neutral { theme.border.line } else { color.gamma_multiply(0.45) };
            let fill = self.tone.ground(theme);
            painter.rect(rect, radius::CONTROL, fill, Stroke::new(1.0, edge), StrokeKind::Inside);
            if let Some(icon) = self.icon {
                icon.paint_sized(painter, pos2(rect.left() + BADGE_PAD + 7.0, rect.center().y), 14.0, color);
            }
            let y = rect.center().y - galley.size().y / 2.0;
            painter.galley(pos2(rect.left() + BADGE_PAD + lead, y), galley, color);
        }
        response
    }
}

/// Keys as caps: `Ctrl+Shift+P` is three of them, `g g` two.
#[must_use = "show it with `ui.add`"]
pub struct KeyCaps<'a> {
    keys: &'a str,
}

impl<'a> KeyCaps<'a> {
    /// Caps of a chord (`Ctrl+P`) or a sequence (`g g`).
    pub fn new(keys: &'a str) -> Self {
        Self { keys }
    }
}

impl Widget for KeyCaps<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        const HEIGHT: f32 = 18.0;
        const GAP: f32 = 2.0;
        let (theme, metrics) = look(ui);
        let caps: Vec<_> = caps(self.keys)
            .map(|key| {
                let galley = ui.painter().layout_no_wrap(key.to_owned(), metrics.small(), theme.text.muted);
                let width = (galley.size().x + 8.0).max(HEIGHT).ceil();
                (galley, width)
            })
            .collect();
        let width: f32 = caps.iter().map(|(_, width)| width + GAP).sum();
        let (rect, response) = ui.allocate_exact_size(vec2((width - GAP).max(0.0), HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.keys));
        let mut x = rect.left();
        for (galley, width) in caps {
            let cap = eframe::egui::Rect::from_min_size(pos2(x, rect.top()), vec2(width, HEIGHT));
            let edge = Stroke::new(1.0, theme.border.line);
            ui.painter().rect(cap, radius::CONTROL, theme.surface.hover, edge, StrokeKind::Inside);
            let at = cap.center() - galley.size() / 2.0;
            ui.painter().galley(at, galley, theme.text.muted);
            x += width + GAP;
        }
        response
    }
}

/// The caps of `keys`; a `+` that is itself a key stays one (`Ctrl++`).
fn caps(keys: &str) -> impl Iterator<Item = &str> {
    keys.split(' ').flat_map(|chord| {
        let (chord, plus) = match chord.strip_suffix("++") {
            Some(rest) => (rest, Some("+")),
            None => (chord, None),
        };
        let parts: Vec<&str> = if chord == "+" { vec![chord] } else { chord.split('+').collect() };
        parts.into_iter().filter(|part| !part.is_empty()).chain(plus)
    })
}

/// Lines added and removed: `+140 −52`, with their signs, so that colour is not needed.
#[derive(Clone, Copy)]
#[must_use = "show it with `ui.add`"]
pub struct Counts {
    added: u32,
    removed: u32,
}

impl Counts {
    /// Counts of one file or of many.
    pub fn new(added: u32, removed: u32) -> Self {
        Self { added, removed }
    }

    /// The counts as one line of text.
    pub fn job(self, theme: &Theme, font: FontId) -> LayoutJob {
        let mut job = LayoutJob::default();
        job.append(&format!("+{}", self.added), 0.0, TextFormat::simple(font.clone(), theme.add.text));
        job.append(&format!("−{}", self.removed), 6.0, TextFormat::simple(font, theme.remove.text));
        job
    }

    /// How wide they are.
    pub fn width(self, ui: &Ui) -> f32 {
        self.galley(ui).size().x
    }

    fn galley(self, ui: &Ui) -> Arc<Galley> {
        let (theme, metrics) = look(ui);
        ui.painter().layout_job(self.job(theme, fonts::ui(metrics.small().size)))
    }

    /// What a screen reader says.
    pub fn spoken(self) -> String {
        format!("{} added, {} removed", self.added, self.removed)
    }
}

impl Widget for Counts {
    fn ui(self, ui: &mut Ui) -> Response {
        let galley = self.galley(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x, space::ROW), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.spoken()));
        let y = rect.center().y - galley.size().y / 2.0;
        ui.painter().galley(pos2(rect.left(), y), galley, Color32::PLACEHOLDER);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_and_sequences_become_caps() {
        let check = |keys, expected: &[&str]| assert_eq!(caps(keys).collect::<Vec<_>>(), expected, "{keys}");
        check("Ctrl+Shift+P", &["Ctrl", "Shift", "P"]);
        check("g g", &["g", "g"]);
        check("Ctrl++", &["Ctrl", "+"]);
        check("+", &["+"]);
        check("Ctrl+K Ctrl+T", &["Ctrl", "K", "Ctrl", "T"]);
    }

    #[test]
    fn counts_carry_their_signs() {
        let job = Counts::new(140, 52).job(Theme::of(crate::theme::Variant::Dark), fonts::ui(13.0));
        assert_eq!(job.text, "+140−52");
        assert_eq!(Counts::new(1, 0).spoken(), "1 added, 0 removed");
    }
}
