//! Text that has to fit: one line with an ellipsis, and paths that lose their middle but never their file name.

use std::{borrow::Cow, sync::Arc};

use eframe::egui::{
    Color32, FontId, Galley, Ui,
    epaint::text::{TextFormat, TextWrapping},
    text::LayoutJob,
};

use crate::theme::Metrics;

const ELLIPSIS: &str = "…";

/// One line of text, cut with an ellipsis where it is wider than `max_width`.
pub fn line(ui: &Ui, text: &str, font: FontId, color: Color32, max_width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, color));
    job.break_on_newline = false;
    job.wrap = TextWrapping::truncate_at_width(max_width.max(0.0));
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// One line of a path: its middle is left out where it is wider than `max_width`.
pub fn path_line(ui: &Ui, path: &str, font: FontId, color: Color32, max_width: f32) -> Arc<Galley> {
    // Kerning makes laid out text a little narrower than its characters' sum, so what fits by the sum fits.
    let fitting = ui.fonts_mut(|fonts| {
        elide_middle(path, |text| text.chars().map(|c| fonts.glyph_width(&font, c)).sum::<f32>() <= max_width)
            .into_owned()
    });
    line(ui, &fitting, font, color, max_width)
}

/// One line with the matched byte ranges of it set apart in medium weight and the second colour.
pub fn matched_line(
    ui: &Ui,
    text: &str,
    matches: &[std::ops::Range<usize>],
    metrics: &Metrics,
    (color, matched): (Color32, Color32),
    max_width: f32,
) -> Arc<Galley> {
    let mut job = LayoutJob::default();
    let mut at = 0;
    for range in matches {
        let (Some(before), Some(hit)) = (text.get(at..range.start), text.get(range.clone())) else { continue };
        job.append(before, 0.0, TextFormat::simple(metrics.body(), color));
        job.append(hit, 0.0, TextFormat::simple(metrics.medium(), matched));
        at = range.end;
    }
    job.append(text.get(at..).unwrap_or_default(), 0.0, TextFormat::simple(metrics.body(), color));
    job.break_on_newline = false;
    job.wrap = TextWrapping::truncate_at_width(max_width.max(0.0));
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// Shortens `path` until it `fits`: first folders go, from the middle on (`app/…/theme/mod.rs`), then the start of the
/// path (`…/mod.rs`), at last the middle of the file name, so that its extension stays. Never empty unless `path` is.
///
/// `fits` has to be monotone: what is shorter fits if what is longer does.
pub fn elide_middle(path: &str, mut fits: impl FnMut(&str) -> bool) -> Cow<'_, str> {
    if fits(path) {
        return Cow::Borrowed(path);
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folders: Vec<&str> = if folders.is_empty() { Vec::new() } else { folders.split('/').collect() };
    // Keep the first folder (which crate, which part of the tree) as long as one beside the file can go instead.
    let shorter = (1..folders.len()).map(|dropped| {
        let tail = folders[1 + dropped..].iter().chain([&name]).copied().collect::<Vec<_>>().join("/");
        format!("{}/{ELLIPSIS}/{tail}", folders[0])
    });
    let bare = (!folders.is_empty()).then(|| format!("{ELLIPSIS}/{name}"));
    if let Some(found) = shorter.chain(bare).find(|candidate| fits(candidate)) {
        return Cow::Owned(found);
    }
    Cow::Owned(elide_name(name, fits))
}

/// Leaves out the middle of a file name; at the narrowest one character and the ellipsis remain.
fn elide_name(name: &str, mut fits: impl FnMut(&str) -> bool) -> String {
    if fits(name) {
        return name.to_owned();
    }
    let chars: Vec<char> = name.chars().collect();
    let cut = |kept: usize| {
        // A third more at the start: it says what, the end says which kind.
        let tail = kept * 2 / 5;
        let (head, tail) = (&chars[..kept - tail], &chars[chars.len() - tail..]);
        head.iter().chain(ELLIPSIS.chars().collect::<Vec<_>>().iter()).chain(tail).collect::<String>()
    };
    // Binary search for the most characters that fit.
    let (mut low, mut high) = (1, chars.len().saturating_sub(1).max(1));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(&cut(middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    cut(low.min(chars.len()))
}

/// A text that begins as a sentence does. An address or a path at its beginning stays as it is.
pub fn sentence(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.contains("://") || first.trim_end_matches(['.', ':', ',']).contains(['/', '.', '_']) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A number with thin spaces between thousands: `12 345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202F}');
        }
        out.push(digit);
    }
    out
}

/// A size of a file in the unit that leaves few digits: `1.4 MB`. Units are powers of 1,000.
pub fn byte_size(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
    let unit = units.into_iter().find(|(_, size)| bytes as f64 >= *size);
    match unit {
        Some((name, size)) => format!("{:.1} {name}", bytes as f64 / size),
        None if bytes == 1 => "1 byte".to_owned(),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, room: usize, expected: &str) {
        let found = elide_middle(path, |text| text.chars().count() <= room);
        assert_eq!(found, expected, "{path:?} in {room}");
        assert!(found.chars().count() <= room.max(2), "{found:?} does not fit {room}");
    }

    #[test]
    fn a_path_that_fits_is_left_alone() {
        check("app/src/theme/mod.rs", 20, "app/src/theme/mod.rs");
        check("", 0, "");
    }

    #[test]
    fn folders_go_from_the_middle_first() {
        check("app/src/panes/review/view.rs", 24, "app/…/review/view.rs");
        check("app/src/panes/review/view.rs", 19, "app/…/view.rs");
        check("app/src/panes/review/view.rs", 10, "…/view.rs");
    }

    #[test]
    fn the_file_name_stays_whole_as_long_as_it_can() {
        check("application/view.rs", 9, "…/view.rs");
        check("application/view.rs", 7, "view.rs");
        check("/view.rs", 7, "view.rs");
    }

    #[test]
    fn a_long_name_loses_its_middle_and_keeps_its_extension() {
        check("a/very_long_file_name_indeed.generated.rs", 16, "very_long…ted.rs");
        check("naïve_überlang.rs", 9, "naïve….rs");
    }

    #[test]
    fn nothing_is_cut_inside_a_character() {
        for room in 0..30 {
            let found = elide_middle("目录/文件名很长很长很长.rs", |text| text.chars().count() <= room);
            assert!(!found.is_empty());
        }
    }

    #[test]
    fn sizes_have_few_digits() {
        for (bytes, said) in [(1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 KB"), (1_440_000, "1.4 MB")] {
            assert_eq!(byte_size(bytes), said);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1\u{202F}234\u{202F}567");
    }
}
