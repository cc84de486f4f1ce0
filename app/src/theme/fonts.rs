//! Fonts: the bundled families, how they fall back, and the sizes text comes in.
//!
//! Inter for the interface (digits are tabular in the bundled files), JetBrains Mono for code (cut without ligatures),
//! Phosphor for icons. All are embedded; system fonts add CJK and emoji in the window, never in tests.
//!
//! A *family* is named once here; nothing else spells a family name.

use std::sync::{Arc, LazyLock};

use eframe::egui::{FontData, FontDefinitions, FontFamily, FontId};

const INTER: &str = "Inter";
const INTER_MEDIUM: &str = "Inter Medium";
const MONO: &str = "JetBrains Mono";
const MONO_BOLD: &str = "JetBrains Mono Bold";
const PHOSPHOR: &str = "Phosphor";

// Cloning an `Arc` is cheaper than building the name for each text drawn.
static MEDIUM: LazyLock<Arc<str>> = LazyLock::new(|| INTER_MEDIUM.into());
static CODE_BOLD: LazyLock<Arc<str>> = LazyLock::new(|| MONO_BOLD.into());
static ICONS: LazyLock<Arc<str>> = LazyLock::new(|| PHOSPHOR.into());

/// The bundled fonts and their fallback chains; egui's own fonts are not among them.
pub fn definitions() -> FontDefinitions {
    let files: [(&str, &'static [u8]); 5] = [
        (INTER, include_bytes!("../../../assets/fonts/Inter-Regular.otf")),
        (INTER_MEDIUM, include_bytes!("../../../assets/fonts/Inter-Medium.otf")),
        (MONO, include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf")),
        (MONO_BOLD, include_bytes!("../../../assets/fonts/JetBrainsMono-Bold.ttf")),
        (PHOSPHOR, include_bytes!("../../../assets/icons/Phosphor.ttf")),
    ];
    // Phosphor comes before the code font: both use the private area, and the interface means its icons there.
    let chains: [(FontFamily, &[&str]); 5] = [
        (FontFamily::Proportional, &[INTER, PHOSPHOR, MONO]),
        (medium_family(), &[INTER_MEDIUM, PHOSPHOR, MONO]),
        (FontFamily::Monospace, &[MONO, INTER]),
        (code_bold_family(), &[MONO_BOLD, INTER]),
        (FontFamily::Name(ICONS.clone()), &[PHOSPHOR]),
    ];

    let mut fonts = FontDefinitions::empty();
    for (name, bytes) in files {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    for (family, chain) in chains {
        fonts.families.insert(family, chain.iter().map(|&name| name.to_owned()).collect());
    }
    fonts
}

/// Inter Medium: what is active, titles, names of things.
pub fn medium_family() -> FontFamily {
    FontFamily::Name(MEDIUM.clone())
}

/// JetBrains Mono Bold, for code; skewing or doubling the regular face would blur it.
pub fn code_bold_family() -> FontFamily {
    FontFamily::Name(CODE_BOLD.clone())
}

/// Inter Regular at `size` points.
pub fn ui(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Inter Medium at `size` points.
pub fn medium(size: f32) -> FontId {
    FontId::new(size, medium_family())
}

/// JetBrains Mono at `size` points.
pub fn code(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

/// JetBrains Mono Bold at `size` points.
pub fn code_bold(size: f32) -> FontId {
    FontId::new(size, code_bold_family())
}

/// The icon font at `size` points.
pub fn icon(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(ICONS.clone()))
}

#[cfg(test)]
mod tests {
    use eframe::egui::{epaint::text::TextOptions, text::Fonts};

    use super::*;

    fn fonts() -> Fonts {
        Fonts::new(TextOptions::default(), definitions())
    }

    #[test]
    fn every_family_has_latin_signs_and_box_drawing() {
        let text = "Az09 +−×…·→←↑↓‘’“”–—äß";
        for font in [ui(13.0), medium(13.0), code(13.0), code_bold(13.0)] {
            assert!(fonts().has_glyphs(&font, text), "{:?} lacks one of {text}", font.family);
        }
        assert!(fonts().has_glyphs(&code(13.0), "│├─└█▌░✓"), "the code font lacks what terminals draw");
    }

    #[test]
    fn digits_of_the_interface_are_equally_wide() {
        let mut fonts = fonts();
        let mut view = fonts.with_pixels_per_point(1.0);
        for font in [ui(13.0), medium(13.0)] {
            let width = view.glyph_width(&font, '0');
            for c in "123456789".chars() {
                let off = (view.glyph_width(&font, c) - width).abs();
                assert!(off < 0.02, "{c} in {:?} is {off} off", font.family);
            }
        }
    }

    #[test]
    fn code_has_no_ligatures() {
        let mut fonts = fonts();
        let mut view = fonts.with_pixels_per_point(1.0);
        let width = view.glyph_width(&code(13.0), 'x');
        let color = eframe::egui::Color32::PLACEHOLDER;
        for text in ["=>", "!=", "->", "::", "www", "<=>"] {
            let galley = view.layout_no_wrap(text.to_owned(), code(13.0), color);
            let glyphs = &galley.rows[0].glyphs;
            assert_eq!(glyphs.len(), text.len(), "{text}");
            assert!((galley.size().x - width * text.len() as f32).abs() < 0.5, "{text} is not on the grid");
        }
    }
}
