//! The bar over the page: what is compared, how much, and how it is shown.

use diff::plan::Layout as PageLayout;
use diff::source::Source;
use eframe::egui::{Align, Layout, Rect, RichText, Stroke, Ui, UiBuilder, vec2};

use crate::commands::{Command, Sink};
use crate::state::reviews::{OpenReview, Request};
use crate::theme::{Theme, icons, space};
use crate::widgets::{Badge, Counts, IconButton, Segmented};

/// Its height.
pub const HEIGHT: f32 = 40.0;

/// Draws the bar.
pub fn draw(ui: &mut Ui, rect: Rect, review: &OpenReview, sink: &mut Sink, theme: &Theme) {
    ui.painter().rect_filled(rect, 0.0, theme.surface.base);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let inner = rect.shrink2(vec2(space::M, 0.0));
    let mut bar = ui.new_child(
        UiBuilder::new().id_salt("review toolbar").max_rect(inner).layout(Layout::left_to_right(Align::Center)),
    );
    bar.spacing_mut().item_spacing.x = space::S;
    let (old, new) = sides(review);
    bar.add(Badge::new(old).icon(icons::GIT_BRANCH));
    bar.label(RichText::new("←").color(theme.text.muted));
    bar.add(Badge::new(new).icon(icons::GIT_BRANCH));
    let files = review.page.files().len();
    let (counts, missing) = review.page.counts();
    let label =
        if files == 1 { "1 file".to_owned() } else { format!("{} files", crate::widgets::text::grouped(files as u64)) };
    bar.label(RichText::new(label).color(theme.text.muted));
    if counts.added + counts.removed > 0 {
        bar.add(Counts::new(counts.added as u32, counts.removed as u32));
    }
    if missing > 0 && review.complete.is_none() {
        let done = files - missing;
        bar.label(RichText::new(format!("counting {done} of {files}")).small().color(theme.text.muted));
    }
    bar.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if ui.add(IconButton::new(icons::REFRESH, "Compare again").key("F5")).clicked() {
            sink.push(Command::RefreshReview);
        }
        let mut chosen = usize::from(review.page.layout() == PageLayout::Unified);
        let choices = [(Some(icons::SPLIT), "Split"), (Some(icons::UNIFIED), "Unified")];
        if Segmented::new(&choices).show(ui, &mut chosen) {
            sink.push(Command::ToggleSplit);
        }
        if ui.add(IconButton::new(icons::WRAP, "Wrap lines").key("w").selected(review.page.wrap().is_some())).clicked()
        {
            sink.push(Command::ToggleWrap);
        }
        if ui.add(IconButton::new(icons::ARROW_DOWN, "Next hunk").key("j")).clicked() {
            sink.push(Command::NextHunkAnywhere);
        }
        if ui.add(IconButton::new(icons::ARROW_UP, "Previous hunk").key("k")).clicked() {
            sink.push(Command::PreviousHunkAnywhere);
        }
    });
}

/// What stands on the old and on the new side, in a word each.
pub fn sides(review: &OpenReview) -> (String, String) {
    let Some(comparison) = &review.comparison else { return ("…".to_owned(), "…".to_owned()) };
    if let Request::Unsaved { .. } = review.request {
        return ("on disk".to_owned(), "unsaved".to_owned());
    }
    match comparison.source() {
        Source::WorkingTree { against } => {
            (against.clone().unwrap_or_else(|| "HEAD".to_owned()), "working tree".to_owned())
        }
        Source::Staged => ("HEAD".to_owned(), "index".to_owned()),
        Source::Unstaged => ("index".to_owned(), "working tree".to_owned()),
        Source::Range { a, b, merge_base } => {
            (if *merge_base { format!("{a} (merge base)") } else { a.clone() }, b.clone())
        }
        Source::Commit(name) => (format!("{name}^"), name.clone()),
        Source::Remerge(name) => ("merged anew".to_owned(), name.clone()),
        Source::Files { old, new } | Source::Folders { old, new } => {
            (old.display().to_string(), new.display().to_string())
        }
    }
}

/// What a tab calls the review.
pub fn title(review: &OpenReview) -> String {
    let Some(comparison) = &review.comparison else { return "Review".to_owned() };
    if let Request::Unsaved { path, .. } = &review.request {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        return format!("{} · unsaved changes", name.unwrap_or_default());
    }
    match comparison.source() {
        Source::WorkingTree { against: None } => "Review · working tree".to_owned(),
        Source::Staged | Source::Unstaged => format!("Review · {}", comparison.source()),
        Source::Commit(name) => format!("Review · {name}"),
        Source::Remerge(name) => format!("Review · {name} by hand"),
        Source::Range { a, b, merge_base } => format!("Review · {a}{}{b}", if *merge_base { "..." } else { ".." }),
        _ => {
            let (old, new) = sides(review);
            let short = |s: &str| s.rsplit(['/', '\\']).next().unwrap_or(s).to_owned();
            format!("Review · {} ← {}", short(&new), short(&old))
        }
    }
}
