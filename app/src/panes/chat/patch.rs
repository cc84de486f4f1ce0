//! A change as a card shows it: its lines with their signs, those that were added or removed on their ground from edge
//! to edge, and its code coloured as that of any file.
//!
//! What is coloured are two texts, the lines that were and those that are: a parser makes no sense of both at once.

use std::path::PathBuf;
use std::sync::Arc;

use diff::lines::Content;
use eframe::egui::text::LayoutJob;
use eframe::egui::{Color32, FontId, Galley, Painter, Pos2, Rect, Ui, epaint::text::TextFormat, pos2};

use super::item::{Brush, push_code};
use crate::code_view::lines::TextKey;
use crate::state::highlights::Source;
use crate::theme::{Ground, Theme, look};

/// Lines that are laid out together, some of them of a change.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) job: LayoutJob,
    /// The sign of each; a blank where it has none.
    signs: Vec<u8>,
    /// The side that the code of each is on, and which line of that side it is.
    places: Vec<Option<(usize, u32)>>,
    /// The code of both sides: old, new.
    sides: [String; 2],
}

impl Lines {
    /// Adds lines that are none of a change.
    pub(super) fn say(&mut self, text: &str, format: TextFormat) {
        let more = text.matches('\n').count() + usize::from(self.signs.is_empty());
        self.signs.resize(self.signs.len() + more, b' ');
        self.places.resize(self.signs.len(), None);
        self.job.append(text, 0.0, format);
    }

    /// Adds the lines of a change; of more than so many it is said where the rest is.
    pub(super) fn change(&mut self, patch: &str, (most, rest): (usize, &str), theme: &Theme, font: &FontId) {
        let plain = |color| TextFormat::simple(font.clone(), color);
        for line in patch.lines().take(most) {
            if !self.signs.is_empty() {
                self.job.append("\n", 0.0, plain(theme.text.normal));
            }
            let sign = line.as_bytes().first().copied().unwrap_or(b' ');
            self.signs.push(sign);
            let color = if sign == b'@' { theme.text.muted } else { theme.text.normal };
            self.job.append(line, 0.0, plain(color));
            let place = self.keep(sign, line.get(1..).unwrap_or_default());
            self.places.push(place);
        }
        let count = patch.lines().count();
        if count > most {
            self.say(&format!("\n… {} more lines, {rest}", count - most), plain(theme.text.muted));
        }
    }

    /// Keeps the code of a line, on both sides if it is on both; where it is.
    fn keep(&mut self, sign: u8, code: &str) -> Option<(usize, u32)> {
        let on: &[usize] = match sign {
            b'-' => &[0],
            b'+' => &[1],
            b' ' => &[0, 1],
            _ => return None,
        };
        let side = on[on.len() - 1];
        let line = self.sides[side].matches('\n').count() as u32;
        for &side in on {
            self.sides[side].push_str(code);
            self.sides[side].push('\n');
        }
        Some((side, line))
    }

    /// Lays them out; `path` tells the language of their code.
    pub(super) fn body(self, ui: &Ui, path: Option<&str>) -> Body {
        let Self { job, signs, places, sides } = self;
        let code = path.filter(|_| places.iter().any(Option::is_some)).map(|path| Code {
            path: PathBuf::from(path),
            sides: sides.map(|side| Content::new(side.as_bytes()).unwrap_or_default()),
            places,
        });
        Body { galley: ui.fonts_mut(|fonts| fonts.layout_job(job)), signs, code }
    }
}

/// Lines that are laid out.
pub(super) struct Body {
    galley: Arc<Galley>,
    signs: Vec<u8>,
    code: Option<Code>,
}

/// The code of a change.
struct Code {
    path: PathBuf,
    sides: [Content; 2],
    places: Vec<Option<(usize, u32)>>,
}

impl Body {
    /// Text that is no change.
    pub(super) fn plain(galley: Arc<Galley>) -> Self {
        Self { galley, signs: Vec::new(), code: None }
    }

    pub(super) fn height(&self) -> f32 {
        self.galley.size().y
    }

    /// Draws it with its top left corner at a point; lines of a change have their ground over `width`.
    pub(super) fn draw(&self, painter: &Painter, at: Pos2, width: f32, theme: &Theme) {
        self.grounds(painter, at, width, theme);
        painter.galley(at, self.galley.clone(), theme.text.normal);
    }

    /// The same with its code coloured, once that is known.
    pub(super) fn draw_coloured(&self, ui: &Ui, at: Pos2, width: f32, brush: &mut Brush<'_>) {
        let (theme, _) = look(ui);
        self.grounds(ui.painter(), at, width, theme);
        let coloured = self.code.as_ref().and_then(|code| self.coloured(ui, code, brush));
        ui.painter().galley(at, coloured.unwrap_or_else(|| self.galley.clone()), theme.text.normal);
    }

    fn grounds(&self, painter: &Painter, at: Pos2, width: f32, theme: &Theme) {
        let mut line = 0;
        for row in &self.galley.rows {
            if let Some(ground) = self.signs.get(line).and_then(|sign| ground(*sign)) {
                let rect = row.rect().translate(at.to_vec2());
                let rect = Rect::from_min_max(pos2(at.x, rect.top()), pos2(at.x + width, rect.bottom()));
                painter.rect_filled(rect, 0.0, ground.color(&theme.tokens));
            }
            line += usize::from(row.ends_with_newline);
        }
    }

    fn coloured(&self, ui: &Ui, code: &Code, brush: &mut Brush<'_>) -> Option<Arc<Galley>> {
        let (theme, metrics) = look(ui);
        for side in &code.sides {
            let lines = 0..side.line_count();
            brush.highlights.want(&Source::Fixed(side, &code.path), lines, brush.tasks);
        }
        let keys = code.sides.each_ref().map(TextKey::of_content);
        let plain = |color| TextFormat::simple(metrics.code_inline(), color);
        let mut job = LayoutJob { wrap: self.galley.job.wrap.clone(), ..LayoutJob::default() };
        let (mut at, mut any) = (0, false);
        for (n, line) in self.galley.text().split('\n').enumerate() {
            if n > 0 {
                job.append("\n", 0.0, plain(theme.text.normal));
            }
            match (code.places.get(n).copied().flatten(), line.split_at_checked(1)) {
                (Some((side, of)), Some((sign, code))) => {
                    let ground = ground(sign.as_bytes()[0]).unwrap_or(Ground::Page);
                    let spans = brush.highlights.spans(keys[side], of);
                    any |= !spans.is_empty();
                    job.append(sign, 0.0, plain(theme.text.normal));
                    push_code(&mut job, code, spans, theme.syntax_on(ground), &metrics.code_inline());
                }
                _ => job.append(line, 0.0, plain(self.color_at(at, theme.text.normal))),
            }
            at += line.len() + 1;
        }
        any.then(|| ui.fonts_mut(|fonts| fonts.layout_job(job)))
    }

    /// The colour that a byte was laid out in.
    fn color_at(&self, at: usize, otherwise: Color32) -> Color32 {
        let section = self.galley.job.sections.iter().find(|section| section.byte_range.end.0 > at);
        section.map_or(otherwise, |section| section.format.color)
    }
}

fn ground(sign: u8) -> Option<Ground> {
    match sign {
        b'+' => Some(Ground::AddedLine),
        b'-' => Some(Ground::RemovedLine),
        _ => None,
    }
}
