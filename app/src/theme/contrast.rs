//! Contrast: how well one colour is read on another, as WCAG 2 measures it, and how to make it read better.
//!
//! *Ratio* is between 1 (equal) and 21 (black on white). Text needs [`TEXT`], marks (icons, edges of controls) [`MARK`].

use eframe::egui::Color32;

/// The ratio text must have against its ground.
pub const TEXT: f32 = 4.5;
/// The ratio text must have in the contrast theme.
pub const STRONG_TEXT: f32 = 7.0;
/// The ratio marks must have against their ground.
pub const MARK: f32 = 3.0;

/// The contrast ratio of two opaque colours, 1 to 21; symmetric.
pub fn ratio(a: Color32, b: Color32) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// `color`, moved towards white or black (whichever lies further from `ground`) only as far as it needs to reach
/// `minimum` on `ground`. What reads well already is returned as it is.
pub fn readable(color: Color32, ground: Color32, minimum: f32) -> Color32 {
    let end = if luminance(ground) < 0.18 { Color32::WHITE } else { Color32::BLACK };
    (0..=16)
        .map(|step| color.lerp_to_gamma(end, step as f32 / 16.0))
        .find(|&lifted| ratio(lifted, ground) >= minimum)
        .unwrap_or(end)
}

/// Relative luminance of an opaque colour, 0 to 1.
fn luminance(color: Color32) -> f32 {
    let linear = |byte: u8| {
        let value = f32::from(byte) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_is_21() {
        assert!((ratio(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 0.01);
        assert!((ratio(Color32::WHITE, Color32::WHITE) - 1.0).abs() < 0.01);
    }

    #[test]
    fn lifting_stops_as_soon_as_a_colour_reads() {
        let ground = Color32::from_rgb(0x1F, 0x5A, 0x3C);
        let lifted = readable(Color32::from_rgb(0x6B, 0x73, 0x80), ground, TEXT);
        assert!(ratio(lifted, ground) >= TEXT);
        assert!(ratio(lifted, ground) < TEXT + 1.0, "lifted further than needed");
        assert_eq!(readable(Color32::WHITE, ground, TEXT), Color32::WHITE);
    }
}
