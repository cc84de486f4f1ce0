//! What is wrong, where it is: a wave under the text in the colour of its severity, and what is said when the pointer
//! rests on it. What is not used fades, what is deprecated is struck through.

use std::ops::Range;
use std::path::Path;

use editor::lsp::Severity;
use eframe::egui::{
    self, Align2, Area, Color32, Label, Painter, Rect, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::paint::TextArea;
use crate::commands::{Action, Place, Sink};
use crate::state::servers::problems::Problem;
use crate::theme::{Icon, Theme, icons, look, space};
use crate::widgets::{Button, menu_frame, separator};

/// Widest that what is said gets.
const WIDEST: f32 = 480.0;
/// Characters of a message that are shown; servers may say megabytes.
const MESSAGE: usize = 1500;
/// Places that are named with a problem.
const RELATED: usize = 6;
/// Half a wave, and how high it is.
const HALF: f32 = 3.0;
const HIGH: f32 = 2.5;
/// Waves that are drawn for one stretch; a longer one is not on screen.
const WAVES: u32 = 4096;

/// A problem in a line.
#[derive(Clone, Debug)]
pub struct Marked<'a> {
    /// Bytes of the line.
    pub bytes: Range<usize>,
    pub problem: &'a Problem,
}

/// A problem on screen.
pub struct Spot<'a> {
    pub rect: Rect,
    pub problem: &'a Problem,
}

/// The colour of a severity.
pub fn color(severity: Severity, theme: &Theme) -> Color32 {
    match severity {
        Severity::Error => theme.problem.error,
        Severity::Warning => theme.problem.warning,
        Severity::Information => theme.problem.info,
        Severity::Hint => theme.problem.hint,
    }
}

/// The icon that says the same without colour.
pub fn icon(severity: Severity) -> Icon {
    match severity {
        Severity::Error => icons::FAILURE,
        Severity::Warning => icons::PROBLEMS,
        Severity::Information => icons::INFO,
        Severity::Hint => icons::LIGHTBULB,
    }
}

/// What of some problems is in a line that takes these bytes of the text. `text` is the line's own.
pub fn in_line<'a>(problems: &[&'a Problem], line: &Range<usize>, text: &str) -> Vec<Marked<'a>> {
    let indent = text.len() - text.trim_start().len();
    let marked = |problem: &&'a Problem| {
        let range = &problem.range;
        let begins_here = (line.start..=line.end).contains(&range.start);
        let (start, end) = (range.start.max(line.start), range.end.min(line.end));
        if !begins_here && start >= end || range.start > line.end {
            return None;
        }
        let (mut start, end) = (start - line.start, end.max(start) - line.start);
        if !begins_here {
            // White space before the text of a further line is nobody's fault.
            start = start.max(indent);
            if start >= end {
                return None;
            }
        }
        Some(Marked { bytes: start..end, problem })
    };
    problems.iter().filter_map(marked).collect()
}

/// Draws the wave of a problem under some columns.
pub fn wave(painter: &Painter, area: &TextArea, y: f32, columns: Range<u32>, severity: Severity, theme: &Theme) {
    let color = color(severity, theme);
    let rect = area.columns(columns, y);
    let (base, seen) = (rect.bottom() - 1.5, area.rect.x_range());
    if severity == Severity::Hint {
        // A hint is three dots, as it may be overlooked.
        for n in 0..3 {
            let at = rect.left() + 1.0 + n as f32 * 3.5;
            painter.circle_filled(pos2(at, base - 1.0), 1.0, color);
        }
        return;
    }
    // Counted from where it begins, so that it does not run while the page is scrolled sideways.
    let first = ((seen.min - rect.left()) / HALF).floor().max(0.0) as u32;
    let last = ((rect.right().min(seen.max + HALF) - rect.left()) / HALF).ceil().max(0.0) as u32;
    if last <= first {
        return;
    }
    let points = (first..=last.min(first + WAVES)).map(|n| {
        let x = (rect.left() + n as f32 * HALF).min(rect.right());
        pos2(x, if n % 2 == 0 { base } else { base - HIGH })
    });
    painter.add(egui::Shape::line(points.collect(), Stroke::new(1.2, color)));
}

/// Strikes some columns through.
pub fn strike(painter: &Painter, area: &TextArea, y: f32, columns: Range<u32>, color: Color32) {
    let rect = area.columns(columns, y);
    painter.hline(rect.x_range(), y + area.cells.row * 0.52, Stroke::new(1.0, color));
}

/// Names the problems on screen, and says what is wrong where the pointer rests.
pub fn tell(ui: &Ui, id: egui::Id, path: &Path, spots: &[Spot<'_>], sink: &mut Sink) {
    let mut covered = false;
    for (n, spot) in spots.iter().enumerate() {
        let response = ui.interact(spot.rect, id.with(("problem", n)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Mark, true, spot.problem.spoken()));
        // Of several in one place the first says what all of them are.
        if covered {
            continue;
        }
        covered = response.contains_pointer();
        let touches = |other: &&Spot<'_>| {
            other.rect.y_range() == spot.rect.y_range() && other.rect.x_range().intersects(spot.rect.x_range())
        };
        let found: Vec<&Problem> = spots.iter().filter(touches).map(|spot| spot.problem).collect();
        response.on_hover_ui(|ui| card(ui, path, &found, sink));
    }
}

/// Says what is wrong at a byte of the text beside it, until something else is done; whether there is anything.
pub fn tell_at(
    ui: &Ui,
    id: egui::Id,
    path: &Path,
    at: usize,
    spots: &[Spot<'_>],
    within: Rect,
    sink: &mut Sink,
) -> bool {
    let begins = |spot: &&Spot<'_>| spot.problem.range.start == at;
    let touches = |spot: &&Spot<'_>| spot.problem.range.start <= at && at <= spot.problem.range.end;
    let Some(here) = spots.iter().find(begins).or_else(|| spots.iter().find(touches)) else { return false };
    let rows = here.rect.y_range();
    let found: Vec<&Problem> =
        spots.iter().filter(touches).filter(|spot| spot.rect.y_range() == rows).map(|spot| spot.problem).collect();
    // Where there is more room: below the line, or above it.
    let (pivot, y) = match here.rect.center().y < within.center().y {
        true => (Align2::LEFT_TOP, here.rect.bottom() + space::XS),
        false => (Align2::LEFT_BOTTOM, here.rect.top() - space::XS),
    };
    let area = Area::new(id.with("problem here")).order(egui::Order::Foreground).pivot(pivot);
    area.fixed_pos(pos2(here.rect.left(), y)).constrain_to(within).show(ui.ctx(), |ui| {
        menu_frame(ui).inner_margin(space::S).show(ui, |ui| card(ui, path, &found, sink));
    });
    true
}

/// What is said of a place.
pub fn card(ui: &mut Ui, path: &Path, problems: &[&Problem], sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.set_max_width(WIDEST);
    ui.spacing_mut().item_spacing.y = space::XS;
    for (n, problem) in problems.iter().enumerate() {
        if n > 0 {
            separator(ui);
        }
        ui.horizontal_top(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(16.0, 18.0), Sense::hover());
            let severity = problem.severity();
            icon(severity).paint(ui.painter(), rect.center(), color(severity, theme));
            ui.vertical(|ui| {
                ui.set_max_width(WIDEST - 40.0);
                let message = RichText::new(shortened(&problem.said.message)).color(theme.text.normal);
                ui.add(Label::new(message).wrap());
                said_by(ui, problem);
                for related in problem.said.related.iter().take(RELATED) {
                    let file = crate::state::workspace::name_of(&related.path);
                    let text = format!("{file}:{} {}", related.line + 1, shortened(&related.message));
                    let text = RichText::new(text).font(metrics.small()).color(theme.text.link);
                    if ui.add(Label::new(text).wrap().sense(Sense::click())).clicked() {
                        let at = Some(Place { line: related.line + 1, column: 1 });
                        sink.push(Action::OpenFile { path: related.path.clone(), at });
                    }
                }
            });
        });
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::XS;
        ui.add_space(space::M);
        if ui.add(Button::new("Fix with agent").icon(icons::ROBOT).quiet()).clicked() {
            let problems = problems.iter().map(|problem| (*problem).clone()).collect();
            sink.push(Action::FixProblems { path: path.to_owned(), problems });
        }
        if ui.add(Button::new("Copy").icon(icons::COPY).quiet().name("Copy message")).clicked() {
            let messages: Vec<&str> = problems.iter().map(|problem| problem.said.message.as_str()).collect();
            sink.push(Action::Copy(messages.join("\n\n")));
        }
    });
}

/// Who says it; what they call it leads to what they have to say about it.
fn said_by(ui: &mut Ui, problem: &Problem) {
    let (theme, metrics) = look(ui);
    let source = problem.source();
    let text = RichText::new(source.as_str()).font(metrics.small());
    match problem.said.link.as_deref().filter(|link| link.starts_with("https://") || link.starts_with("http://")) {
        Some(link) => {
            let response = ui.add(Label::new(text.color(theme.text.link)).sense(Sense::click()));
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Link, true, &source));
            if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
                ui.ctx().open_url(egui::OpenUrl::new_tab(link));
            }
        }
        None => drop(ui.label(text.color(theme.text.muted))),
    }
}

fn shortened(message: &str) -> String {
    let message = message.trim();
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}
