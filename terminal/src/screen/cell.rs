//! Cells as the window draws them: small, free of the engine's types, comparable.

/// A colour as a program asked for it; the theme says what `Default` and the palette look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The foreground or the background of the theme, by where it stands.
    #[default]
    Default,
    /// 0–15 are the theme's, 16–231 the colour cube, 232–255 greys.
    Palette(u8),
    Rgb(Rgb),
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Colours that the theme gives to a terminal; programs may ask for them (OSC 4, 10, 11, 12).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    pub ansi: [Rgb; 16],
    pub foreground: Rgb,
    pub background: Rgb,
    pub cursor: Rgb,
}

impl Palette {
    /// What number `index` of 256 looks like.
    pub fn indexed(&self, index: u8) -> Rgb {
        match index {
            0..16 => self.ansi[usize::from(index)],
            16..232 => {
                let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
                let index = index - 16;
                Rgb(level(index / 36), level(index / 6 % 6), level(index % 6))
            }
            232.. => {
                let grey = 8 + 10 * (index - 232);
                Rgb(grey, grey, grey)
            }
        }
    }
}

impl Default for Palette {
    /// The colours of xterm on black; the window sets its theme's.
    fn default() -> Self {
        let bright = |low: u8, high: u8| {
            [
                Rgb(low, low, low),
                Rgb(high, low, low),
                Rgb(low, high, low),
                Rgb(high, high, low),
                Rgb(low, low, high),
                Rgb(high, low, high),
                Rgb(low, high, high),
                Rgb(high, high, high),
            ]
        };
        let mut ansi = [Rgb::default(); 16];
        ansi[..8].copy_from_slice(&bright(0, 205));
        ansi[8..].copy_from_slice(&bright(0, 255));
        ansi[8] = Rgb(127, 127, 127);
        Self { ansi, foreground: Rgb(229, 229, 229), background: Rgb(0, 0, 0), cursor: Rgb(229, 229, 229) }
    }
}

/// How a cell is drawn, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style(pub u16);

impl Style {
    pub const BOLD: Self = Self(1);
    pub const DIM: Self = Self(1 << 1);
    pub const ITALIC: Self = Self(1 << 2);
    pub const INVERSE: Self = Self(1 << 3);
    pub const HIDDEN: Self = Self(1 << 4);
    pub const STRIKE: Self = Self(1 << 5);
    pub const UNDERLINE: Self = Self(1 << 6);
    pub const DOUBLE_UNDERLINE: Self = Self(1 << 7);
    pub const CURLY_UNDERLINE: Self = Self(1 << 8);
    pub const DOTTED_UNDERLINE: Self = Self(1 << 9);
    pub const DASHED_UNDERLINE: Self = Self(1 << 10);
    /// The first cell of a character that takes two.
    pub const WIDE: Self = Self(1 << 11);
    /// The second cell of such a character, or the blank before one that went to the next line; shows nothing.
    pub const SPACER: Self = Self(1 << 12);
    /// Of the last cell of a line: the text goes on in the next one.
    pub const WRAPPED: Self = Self(1 << 13);

    /// Any of the underlines.
    pub const UNDERLINES: Self = Self(0b1_1111 << 6);

    pub fn has(self, any_of: Self) -> bool {
        self.0 & any_of.0 != 0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    pub ch: char,
    pub fg: Color,
    pub bg: Color,
    pub style: Style,
    /// One more than the place in [`Frame::extras`](super::Frame::extras); 0 when there is nothing extra.
    pub extra: u16,
}

impl Default for Cell {
    fn default() -> Self {
        Self { ch: ' ', fg: Color::Default, bg: Color::Default, style: Style::default(), extra: 0 }
    }
}

/// What few cells have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// Combining characters on top of the cell's own, in order.
    pub combining: String,
    pub underline: Option<Color>,
    /// Target of an OSC 8 link.
    pub link: Option<String>,
}
