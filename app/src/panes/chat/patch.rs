//! A change as a card shows it: its lines with their signs, those that were added or removed on their ground from edge
//! to edge, and its code coloured as that of any file.
//!
//! What is coloured are two texts of each file, the lines that were and those that are: a parser makes no sense of both at
//! once. It is done once, when both are known.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use diff::lines::Content;
use eframe::egui::text::LayoutJob;
use eframe::egui::{FontId, Galley, Painter, Pos2, Rect, Ui, epaint::text::TextFormat, pos2};

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
    /// Where the code of each is.
    places: Vec<Option<Place>>,
    /// Files by their paths, with the code of both sides: old, new.
    files: Vec<(PathBuf, [String; 2])>,
}

/// A line of the code of a file.
#[derive(Clone, Copy)]
struct Place {
    file: usize,
    side: usize,
    line: u32,
}

impl Lines {
    /// Adds lines that are none of a change.
    pub(super) fn say(&mut self, text: &str, format: TextFormat) {
        let more = text.matches('\n').count() + usize::from(self.signs.is_empty());
        self.signs.resize(self.signs.len() + more, b' ');
        self.places.resize(self.signs.len(), None);
        self.job.append(text, 0.0, format);
    }

    /// Adds the lines of a change; of more than so many it is said where the rest is. `path` tells the language.
    pub(super) fn change(
        &mut self,
        path: Option<&str>,
        patch: &str,
        (most, rest): (usize, &str),
        theme: &Theme,
        font: &FontId,
    ) {
        self.files.push((PathBuf::from(path.unwrap_or_default()), Default::default()));
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
    fn keep(&mut self, sign: u8, code: &str) -> Option<Place> {
        let on: &[usize] = match sign {
            b'-' => &[0],
            b'+' => &[1],
            b' ' => &[0, 1],
            _ => return None,
        };
        let (file, side) = (self.files.len().checked_sub(1)?, on[on.len() - 1]);
        let sides = &mut self.files[file].1;
        let line = sides[side].matches('\n').count() as u32;
        for &side in on {
            sides[side].push_str(code);
            sides[side].push('\n');
        }
        Some(Place { file, side, line })
    }

    /// Lays them out.
    pub(super) fn body(self, ui: &Ui) -> Body {
        let Self { job, signs, places, files } = self;
        let code = |(path, sides): (PathBuf, [String; 2])| Code {
            path,
            sides: sides.map(|side| Content::new(side.as_bytes()).unwrap_or_default()),
        };
        let codes = files.into_iter().map(code).collect();
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
        Body { galley, signs, places, codes, coloured: OnceCell::new() }
    }
}

/// Lines that are laid out.
pub(super) struct Body {
    galley: Arc<Galley>,
    signs: Vec<u8>,
    places: Vec<Option<Place>>,
    codes: Vec<Code>,
    /// The same in the colours of its code, once they are known.
    coloured: OnceCell<Arc<Galley>>,
}

/// The code of a file.
struct Code {
    path: PathBuf,
    sides: [Content; 2],
}

impl Body {
    /// Text that is no change.
    pub(super) fn plain(galley: Arc<Galley>) -> Self {
        Self { galley, signs: Vec::new(), places: Vec::new(), codes: Vec::new(), coloured: OnceCell::new() }
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
        if self.coloured.get().is_none() && self.are_colours_known(brush) {
            let _ = self.coloured.set(self.colour(ui, brush)); // it was empty
        }
        ui.painter().galley(at, self.coloured.get().unwrap_or(&self.galley).clone(), theme.text.normal);
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

    /// Whether the colours of all code are known; they are asked for.
    fn are_colours_known(&self, brush: &mut Brush<'_>) -> bool {
        let mut known = !self.codes.is_empty();
        for code in &self.codes {
            for side in code.sides.iter().filter(|side| !side.is_empty()) {
                let lines = side.line_count();
                brush.highlights.want(&Source::Fixed(side, &code.path), 0..lines, brush.tasks);
                known &= brush.highlights.is_known(TextKey::of_content(side), lines);
            }
        }
        known
    }

    fn colour(&self, ui: &Ui, brush: &Brush<'_>) -> Arc<Galley> {
        let (theme, metrics) = look(ui);
        let plain = |color| TextFormat::simple(metrics.code_inline(), color);
        let mut job = LayoutJob { wrap: self.galley.job.wrap.clone(), ..LayoutJob::default() };
        let mut sections = self.galley.job.sections.iter().peekable();
        let mut at = 0;
        for (n, line) in self.galley.text().split('\n').enumerate() {
            if n > 0 {
                job.append("\n", 0.0, plain(theme.text.normal));
            }
            while sections.next_if(|section| section.byte_range.end.0 <= at).is_some() {}
            match (self.places.get(n).copied().flatten(), line.split_at_checked(1)) {
                (Some(Place { file, side, line: of }), Some((sign, code))) => {
                    let ground = ground(sign.as_bytes()[0]).unwrap_or(Ground::Page);
                    let spans = brush.highlights.spans(TextKey::of_content(&self.codes[file].sides[side]), of);
                    job.append(sign, 0.0, plain(theme.text.normal));
                    push_code(&mut job, code, spans, theme.syntax_on(ground), &metrics.code_inline());
                }
                _ => job.append(
                    line,
                    0.0,
                    plain(sections.peek().map_or(theme.text.normal, |section| section.format.color)),
                ),
            }
            at += line.len() + 1;
        }
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    }
}

fn ground(sign: u8) -> Option<Ground> {
    match sign {
        b'+' => Some(Ground::AddedLine),
        b'-' => Some(Ground::RemovedLine),
        _ => None,
    }
}
