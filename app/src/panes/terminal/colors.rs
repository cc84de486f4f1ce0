//! Colours of a terminal: what programs ask for, as the theme shows it, and readable on what is behind it.

use eframe::egui::Color32;
use rustc_hash::FxHashMap;
use terminal::screen::{Cell, Color, Overrides, Palette, Rgb, Style};

use crate::theme::{Theme, Variant, contrast};

/// The theme's colours for the engine, which answers programs that ask.
pub fn palette(theme: &Theme) -> Palette {
    let rgb = |color: Color32| Rgb(color.r(), color.g(), color.b());
    Palette {
        ansi: ansi(theme).map(rgb),
        foreground: rgb(theme.text.normal),
        background: rgb(theme.surface.base),
        cursor: rgb(theme.code.caret),
    }
}

fn ansi(theme: &Theme) -> [Color32; 16] {
    let colors = &theme.ansi;
    [
        colors.black,
        colors.red,
        colors.green,
        colors.yellow,
        colors.blue,
        colors.magenta,
        colors.cyan,
        colors.white,
        colors.bright_black,
        colors.bright_red,
        colors.bright_green,
        colors.bright_yellow,
        colors.bright_blue,
        colors.bright_magenta,
        colors.bright_cyan,
        colors.bright_white,
    ]
}

/// Looks colours up; what was made readable once is kept.
#[derive(Default)]
pub struct Colors {
    theme: Option<&'static Theme>,
    palette: Palette,
    overrides: Overrides,
    readable: FxHashMap<(Color32, Color32), Color32>,
}

/// What a cell is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    pub text: Color32,
    /// Nothing where the page shows.
    pub ground: Option<Color32>,
}

impl Colors {
    /// Takes over theme and what a program has set; whether the theme is another one.
    pub fn sync(&mut self, theme: &'static Theme, overrides: Overrides) -> bool {
        self.overrides = overrides;
        if self.theme.is_some_and(|known| std::ptr::eq(known, theme)) {
            return false;
        }
        self.theme = Some(theme);
        self.palette = palette(theme);
        self.readable.clear();
        true
    }

    /// What lies behind everything.
    pub fn page(&self) -> Color32 {
        solid(self.overrides.background.unwrap_or(self.palette.background))
    }

    pub fn cursor(&self) -> Color32 {
        solid(self.overrides.cursor.unwrap_or(self.palette.cursor))
    }

    pub fn of(&mut self, cell: &Cell) -> Ink {
        let (mut fg, mut bg) = (cell.fg, cell.bg);
        let mut text = self.text(&mut fg, cell.style);
        let mut ground = match bg {
            Color::Default => None,
            _ => Some(self.color(&mut bg, self.palette.background)),
        };
        if cell.style.has(Style::INVERSE) {
            (text, ground) = (ground.unwrap_or(self.page()), Some(text));
        }
        let below = ground.unwrap_or(self.page());
        if cell.style.has(Style::DIM) {
            text = text.lerp_to_gamma(below, 0.4);
        }
        if cell.style.has(Style::HIDDEN) {
            text = below;
        } else if !super::shapes::is_picture(cell.ch) {
            text = self.readable(text, below, cell.style.has(Style::DIM));
        }
        Ink { text, ground }
    }

    fn text(&self, color: &mut Color, style: Style) -> Color32 {
        // Bold text in one of the eight colours is bright, as it always was.
        if style.has(Style::BOLD)
            && let Color::Palette(index @ 0..8) = *color
        {
            *color = Color::Palette(index + 8);
        }
        self.color(color, self.overrides.foreground.unwrap_or(self.palette.foreground))
    }

    fn color(&self, color: &mut Color, default: Rgb) -> Color32 {
        solid(match *color {
            Color::Default => default,
            Color::Palette(index) => self.palette.indexed(index),
            Color::Rgb(rgb) => rgb,
        })
    }

    /// The underline of a cell, where a program gave it a colour.
    pub fn line(&self, color: Color) -> Color32 {
        self.color(&mut { color }, self.palette.foreground)
    }

    /// Text always reads, dim text as well as marks do.
    pub fn readable(&mut self, text: Color32, ground: Color32, dim: bool) -> Color32 {
        let strong = self.theme.is_some_and(|theme| theme.variant == Variant::Contrast);
        let minimum = match () {
            () if dim => contrast::MARK,
            () if strong => contrast::STRONG_TEXT,
            () => contrast::TEXT,
        };
        // True colours are many: a picture in a terminal must not fill the memory.
        if self.readable.len() > 20_000 {
            self.readable.clear();
        }
        *self.readable.entry((text, ground)).or_insert_with(|| contrast::readable(text, ground, minimum))
    }
}

fn solid(Rgb(r, g, b): Rgb) -> Color32 {
    crate::theme::opaque(r, g, b)
}
