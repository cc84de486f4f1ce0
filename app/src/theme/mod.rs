//! The look: colours, fonts, icons, measures, and egui's style made from them.
//!
//! A *token* is a colour with a meaning (`surface.panel`, `add.word`); [`tokens`] is the one table of them. A [`Theme`] is
//! that table for one variant with what follows from it. A [`Ground`] is what code may stand on: the syntax colours are
//! made readable for each, once, so that a word in a changed stretch reads as well as one beside it.
//!
//! Invariants: colours are spelled in `tokens` alone; text reads at 4.5:1 and marks at 3:1 in every theme (7:1 in the
//! contrast theme); no look-up by name while drawing.

pub mod contrast;
pub mod fonts;
pub mod icons;
pub mod style;
pub mod tokens;

use std::{ops::Deref, sync::LazyLock};

use eframe::egui::{self, Color32, FontId, Ui};
use serde::{Deserialize, Serialize};

pub use icons::Icon;
pub use tokens::{Syntax, Tokens, Variant};

/// Corner radii.
pub mod radius {
    use eframe::egui::CornerRadius;

    use super::style::corner;

    /// Controls: buttons, inputs, badges, rows.
    pub const CONTROL: CornerRadius = corner(4);
    /// Cards, menus, dialogs.
    pub const CARD: CornerRadius = corner(6);
}

/// Distances and heights, on the 4-point grid.
pub mod space {
    /// Between things that belong together.
    pub const XS: f32 = 4.0;
    /// Between neighbours.
    pub const S: f32 = 8.0;
    /// Inside cards.
    pub const M: f32 = 12.0;
    /// Between groups.
    pub const L: f32 = 16.0;
    /// Between sections.
    pub const XL: f32 = 24.0;
    /// Height of rows, buttons and every other target.
    pub const ROW: f32 = 24.0;
}

/// The colours of one variant and what follows from them. Derefs to its [`Tokens`]: `theme.surface.panel`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Which variant this is.
    pub variant: Variant,
    /// The colours.
    pub tokens: Tokens,
    on_ground: [Syntax; Ground::ALL.len()],
}

/// What code may stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The page.
    Page,
    /// An added line.
    AddedLine,
    /// Changed words in an added line.
    AddedWord,
    /// A removed line.
    RemovedLine,
    /// Changed words in a removed line.
    RemovedWord,
    /// A moved line.
    MovedLine,
}

impl Ground {
    /// Every ground, in the order of declaration.
    pub const ALL: [Self; 6] =
        [Self::Page, Self::AddedLine, Self::AddedWord, Self::RemovedLine, Self::RemovedWord, Self::MovedLine];

    /// Its colour.
    pub const fn color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Page => tokens.surface.base,
            Self::AddedLine => tokens.add.line,
            Self::AddedWord => tokens.add.word,
            Self::RemovedLine => tokens.remove.line,
            Self::RemovedWord => tokens.remove.word,
            Self::MovedLine => tokens.moved.line,
        }
    }
}

/// A colour that a program made up, not the theme: terminals show any.
pub fn opaque(red: u8, green: u8, blue: u8) -> Color32 {
    Color32::from_rgb(red, green, blue)
}

static THEMES: LazyLock<[Theme; 5]> = LazyLock::new(|| Variant::ALL.map(Theme::new));

impl Theme {
    fn new(variant: Variant) -> Self {
        let tokens = Tokens::new(variant);
        let minimum = if variant == Variant::Contrast { contrast::STRONG_TEXT } else { contrast::TEXT };
        let on_ground = Ground::ALL.map(|ground| {
            let ground = ground.color(&tokens);
            tokens.syntax.map(|color| contrast::readable(color, ground, minimum))
        });
        Self { variant, tokens, on_ground }
    }

    /// The theme of a variant.
    pub fn of(variant: Variant) -> &'static Self {
        &THEMES[variant as usize]
    }

    /// The theme `ctx` is drawn in; dark where none was applied.
    pub fn get(ctx: &egui::Context) -> &'static Self {
        Look::get(ctx).theme
    }

    /// Whether the ground is dark.
    pub const fn is_dark(&self) -> bool {
        self.variant.is_dark()
    }

    /// The syntax colours as they read on `ground`.
    pub fn syntax_on(&self, ground: Ground) -> &Syntax {
        &self.on_ground[ground as usize]
    }
}

impl Deref for Theme {
    type Target = Tokens;

    fn deref(&self) -> &Tokens {
        &self.tokens
    }
}

/// Which theme the reader wants; a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeChoice {
    /// Dark or light, as the system is.
    #[default]
    System,
    /// As the system is, in colours that do not rest on red and green.
    SystemColorBlind,
    /// Dark.
    Dark,
    /// Light.
    Light,
    /// Black and white.
    Contrast,
    /// Dark, with blue and orange.
    DarkColorBlind,
    /// Light, with blue and orange.
    LightColorBlind,
}

impl ThemeChoice {
    /// Every choice, as a settings page lists them.
    pub const ALL: [Self; 7] = [
        Self::System,
        Self::SystemColorBlind,
        Self::Dark,
        Self::Light,
        Self::Contrast,
        Self::DarkColorBlind,
        Self::LightColorBlind,
    ];

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::SystemColorBlind => "System, blue and orange",
            Self::Dark => "Dark",
            Self::Light => "Light",
            Self::Contrast => "High contrast",
            Self::DarkColorBlind => "Dark, blue and orange",
            Self::LightColorBlind => "Light, blue and orange",
        }
    }

    /// The theme to draw in, where `system` is what the desktop asks for (dark where it says nothing).
    pub fn resolve(self, system: Option<egui::Theme>) -> &'static Theme {
        let light = system == Some(egui::Theme::Light);
        Theme::of(match self {
            Self::System if light => Variant::Light,
            Self::System | Self::Dark => Variant::Dark,
            Self::SystemColorBlind if light => Variant::LightColorBlind,
            Self::SystemColorBlind | Self::DarkColorBlind => Variant::DarkColorBlind,
            Self::Light => Variant::Light,
            Self::Contrast => Variant::Contrast,
            Self::LightColorBlind => Variant::LightColorBlind,
        })
    }
}

/// Sizes the reader may change, and the fonts that follow from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Size of the interface font, points.
    pub ui_size: f32,
    /// Size of the code font, points.
    pub code_size: f32,
    /// Height of a line of code, points.
    pub code_line: f32,
    /// Zoom of everything; 1 is as designed.
    pub zoom: f32,
    /// Nothing moves or blinks.
    pub reduced_motion: bool,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { ui_size: Self::UI_SIZE, code_size: 13.0, code_line: 20.0, zoom: 1.0, reduced_motion: false }
    }
}

impl Metrics {
    /// The interface font as designed; other sizes of it keep their proportion to this one.
    pub const UI_SIZE: f32 = 13.0;
    /// The longest anything moves, seconds.
    pub const MOTION: f32 = 0.12;

    /// What `ctx` is drawn with.
    pub fn get(ctx: &egui::Context) -> Self {
        Look::get(ctx).metrics
    }

    /// Text of the interface.
    pub fn body(&self) -> FontId {
        fonts::ui(self.ui_size)
    }

    /// What is active or names something.
    pub fn medium(&self) -> FontId {
        fonts::medium(self.ui_size)
    }

    /// Details: 11.5.
    pub fn small(&self) -> FontId {
        style::scaled(fonts::ui, 11.5, self.ui_size)
    }

    /// Titles of cards and dialogs: 15.
    pub fn title(&self) -> FontId {
        style::scaled(fonts::medium, 15.0, self.ui_size)
    }

    /// Titles of pages: 18.
    pub fn heading(&self) -> FontId {
        style::scaled(fonts::medium, 18.0, self.ui_size)
    }

    /// Code.
    pub fn code(&self) -> FontId {
        fonts::code(self.code_size)
    }

    /// Bold code.
    pub fn code_bold(&self) -> FontId {
        fonts::code_bold(self.code_size)
    }

    /// Code inside the interface (paths, commands), a little smaller so that it sits with the text around it.
    pub fn code_inline(&self) -> FontId {
        style::scaled(fonts::code, 12.0, self.ui_size)
    }

    /// How long things move, seconds; 0 with reduced motion.
    pub fn motion_seconds(&self) -> f32 {
        if self.reduced_motion { 0.0 } else { Self::MOTION }
    }
}

/// What a context is drawn in; kept in its memory by [`style::apply`].
#[derive(Clone, Copy)]
struct Look {
    theme: &'static Theme,
    metrics: Metrics,
}

impl Look {
    fn get(ctx: &egui::Context) -> Self {
        ctx.data(|data| data.get_temp(egui::Id::NULL))
            .unwrap_or_else(|| Self { theme: Theme::of(Variant::Dark), metrics: Metrics::default() })
    }
}

/// What a texture is multiplied with to keep its own colours, as far as it covers what is below.
pub fn untinted(opacity: f32) -> Color32 {
    Color32::WHITE.gamma_multiply(opacity)
}

/// The theme and the sizes of a `Ui`, as every widget wants them.
pub fn look(ui: &Ui) -> (&'static Theme, Metrics) {
    let Look { theme, metrics } = Look::get(ui.ctx());
    (theme, metrics)
}

#[cfg(test)]
mod tests;
