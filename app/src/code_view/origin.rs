//! The mark beside lines that a model wrote: a thin line in the gutter that says which, when and why, and leads to the
//! message that had it written.

use eframe::egui::{self, Label, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::commands::{Action, Sink};
use crate::state::provenance::{Origin, Written};
use crate::theme::{icons, look};

/// Width of the line.
const LINE: f32 = 2.0;
/// Widest that its words get.
const WIDEST: f32 = 360.0;
/// Characters that are told of what was asked.
const PROMPT: usize = 240;

/// Draws the mark into a rectangle at the left edge of some lines; where it is wide enough, with an icon at its top.
pub fn mark(ui: &Ui, id: egui::Id, rect: Rect, written: &Written, sink: &mut Sink) {
    if !rect.is_positive() {
        return;
    }
    let (theme, _) = look(ui);
    let response = ui.interact(rect, id, Sense::click());
    let Written { lines, origin } = written;
    let name = match lines.len() {
        1 => format!("Line {} written by {}", lines.end, origin.author.model),
        _ => format!("Lines {} to {} written by {}", lines.start + 1, lines.end, origin.author.model),
    };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
    let color = if response.hovered() { theme.signal.accent } else { theme.text.muted };
    let left = rect.left() + 2.0;
    let line = Rect::from_min_max(pos2(left, rect.top() + 1.0), pos2(left + LINE, rect.bottom() - 1.0));
    ui.painter().rect_filled(line, 1.0, color);
    if rect.width() >= 18.0 {
        let at = pos2(rect.left() + 12.0, rect.top() + 10.0);
        icons::ROBOT.paint_sized(ui.painter(), at, 12.0, color);
    }
    if response.hovered() {
        ui.set_cursor_icon(egui::CursorIcon::PointingHand);
    }
    if response.clicked() {
        let (session, run) = (origin.author.session.clone(), origin.author.run);
        let title = origin.conversation.clone().unwrap_or_default();
        sink.push(Action::ShowRun { session, run, title });
    }
    response.on_hover_ui(|ui| told(ui, origin));
}

/// Who wrote lines, in words.
fn told(ui: &mut Ui, origin: &Origin) {
    let (theme, metrics) = look(ui);
    ui.set_max_width(WIDEST);
    let Origin { author, conversation, prompt } = origin;
    let quiet = |text: String| Label::new(RichText::new(text).font(metrics.small()).color(theme.text.muted)).wrap();
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(16.0, 18.0), Sense::hover());
        icons::ROBOT.paint(ui.painter(), rect.center(), theme.text.muted);
        ui.label(RichText::new(author.model.as_str()).font(metrics.medium()).color(theme.text.normal));
    });
    let at = author.at.local();
    match conversation {
        Some(title) => ui.add(quiet(format!("{title} · run {}, step {} · {at}", author.run, author.step))),
        None => ui.add(quiet(format!("A conversation that was removed · run {} · {at}", author.run))),
    };
    if !prompt.is_empty() {
        let short: String = prompt.trim().chars().take(PROMPT).collect();
        let dots = if short.len() < prompt.trim().len() { "…" } else { "" };
        ui.add(Label::new(RichText::new(format!("{short}{dots}")).color(theme.text.normal)).wrap());
    }
    if conversation.is_some() {
        ui.add(quiet("Press to go to that message".to_owned()));
    }
}
