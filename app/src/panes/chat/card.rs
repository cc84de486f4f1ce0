//! The row of an action: what is done to what, how far it is, what was asked about it and what came of it; and before
//! that, what the model is about to ask for.

use std::sync::Arc;
use std::time::Duration;

use agent::event::{Answer, FileChange};
use eframe::egui::{
    Galley, Id, Painter, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, epaint::text::TextFormat, pos2, vec2,
};

use super::item::{Brush, Pressed, ROW};
use super::patch::{Body, Lines};
use crate::state::chats::transcript::{Card, CardState, Permission, Writing};
use crate::theme::{Icon, Metrics, Theme, icons, look, radius, space};
use crate::widgets::{Counts, text};

/// Lines of a result that are shown.
const RESULT_LINES: usize = 60;
/// Lines of a change that are shown; the rest is in the review.
const PATCH_LINES: usize = 200;

/// What an action was asked and what came of it.
pub(super) fn details(card: &Card, theme: &Theme, metrics: &Metrics, width: f32) -> Lines {
    let mut lines = Lines::default();
    lines.job.wrap.max_width = width - 2.0 * space::S;
    let font = metrics.code_inline();
    let plain = |color| TextFormat::simple(font.clone(), color);
    let changes: Vec<&FileChange> = card.changes.iter().filter(|change| !change.patch.is_empty()).collect();
    if let Some(permission) = &card.permission {
        lines.say(&asked_line(permission), plain(theme.text.muted));
        if changes.is_empty() && !permission.patch.is_empty() {
            let patch = crate::state::chats::shown(&permission.patch);
            lines.change(card.call.path(), &patch, (PATCH_LINES, "in the file"), theme, &font);
        }
        if changes.is_empty() && !card.said.is_empty() {
            lines.say("\n\n", plain(theme.text.normal));
        }
    }
    if changes.is_empty() {
        if let agent::action::Action::Tool { arguments, .. } = &card.call {
            let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
            lines.say(&format!("{arguments}\n\n"), plain(theme.text.muted));
        }
        let said = card.said.trim_end();
        let shown: Vec<&str> = said.lines().take(RESULT_LINES).collect();
        lines.say(&shown.join("\n"), plain(theme.text.normal));
        let more = said.lines().count().saturating_sub(RESULT_LINES);
        if more > 0 {
            lines.say(&format!("\n… {more} more lines"), plain(theme.text.muted));
        }
    }
    for change in changes {
        lines.change(Some(&change.path), &change.patch, (PATCH_LINES, "in the review"), theme, &font);
    }
    lines
}

/// What was asked about an action and what was answered, as a line.
fn asked_line(permission: &Permission) -> String {
    let covers = permission.scope.as_ref().map(super::approval::covered).unwrap_or_default();
    let reason =
        if permission.reason.is_empty() { String::new() } else { format!("Asked because {}. ", permission.reason) };
    let answer = match &permission.answer {
        None => "Waits for your answer.".to_owned(),
        Some(Answer::Allow) => "You allowed it once.".to_owned(),
        Some(Answer::AllowForSession) => format!("You allowed {covers} for the session."),
        Some(Answer::AllowAlways) => format!("You allowed {covers} for good."),
        Some(Answer::Deny { comment }) if comment.is_empty() => "It was denied.".to_owned(),
        Some(Answer::Deny { comment }) => format!("It was denied: {comment}"),
    };
    format!("{reason}{answer}")
}

/// An action while it is being written: what it is about, how far it is, and its last lines.
pub(super) fn written(ui: &mut Ui, rect: Rect, body: Option<&Body>, writing: &Writing, id: Id) {
    let (theme, metrics) = look(ui);
    let row = Rect::from_min_size(rect.min, vec2(rect.width(), ROW));
    let (icon, verb) = match writing.name.as_str() {
        "create_file" => (icons::FILE_PLUS, "Writes"),
        "run_command" => (icons::TERMINAL, "Writes"),
        name if writes_file(name) => (icons::EDIT, "Writes"),
        _ => (icons::SLIDERS, "Asks for"),
    };
    let target = match (&writing.path, writing.name.as_str()) {
        (Some(path), _) => path,
        // Which file it is for is known once it is there.
        (None, name) if writes_file(name) => "code",
        (None, name) => name,
    };
    let lines = match writing.text.lines().count() {
        0 => String::new(),
        1 => "1 line".to_owned(),
        many => format!("{many} lines"),
    };
    let response = ui.interact(row, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Status, true, format!("{verb} {target}, {lines} so far")));
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    icon.paint_sized(&painter, pos2(row.left() + 12.0, row.center().y), 15.0, theme.text.muted);
    let put = |x: f32, galley: Arc<Galley>| {
        let size = galley.size();
        painter.galley(pos2(x, row.center().y - size.y / 2.0), galley, theme.text.normal);
        x + size.x
    };
    let x = put(row.left() + 26.0, text::line(ui, verb, metrics.body(), theme.text.muted, 80.0)) + 5.0;
    let count = text::line(ui, &lines, metrics.small(), theme.text.muted, 80.0);
    let right = row.right() - space::XS - count.size().x;
    put(right, count);
    put(x, text::path_line(ui, target, metrics.body(), theme.text.normal, (right - x - space::S).max(24.0)));
    if metrics.motion_seconds() > 0.0 {
        // It moves with what comes, and rests while nothing does: no frame is drawn for it alone.
        moving_line(ui, row, theme, writing.text.len() as f64 / BYTES);
    }
    if let Some(body) = body {
        let at = row.left_bottom() + vec2(26.0, 0.0);
        painter.vline(row.left() + 12.0, at.y..=at.y + body.height(), Stroke::new(1.0, theme.border.line));
        body.draw(&painter, at, 0.0, theme);
    }
}

/// Whether what a tag or a tool writes becomes the content of a file.
fn writes_file(name: &str) -> bool {
    ["edit", "write", "create"].iter().any(|verb| name.starts_with(verb))
}

/// The icon of an action, and what it does to what.
fn verb(card: &Card) -> (Icon, &'static str, String) {
    use agent::action::Action;
    let target = card.call.path().unwrap_or_default().to_owned();
    match &card.call {
        Action::ReadFile { lines, .. } => {
            let lines = lines.as_ref().map(|lines| format!(" {lines}")).unwrap_or_default();
            (icons::FILE_TEXT, "Read", format!("{target}{lines}"))
        }
        Action::SearchCode { query, .. } => (icons::SEARCH, "Search", query.clone()),
        Action::ListDirectory { path } => {
            (icons::FOLDER, "List", if path.is_empty() { "the project".to_owned() } else { path.clone() })
        }
        Action::EditFile { .. } | Action::WriteSymbol { .. } | Action::WriteCode { .. } | Action::WriteFile { .. } => {
            let target = card.changes.first().map_or(target, |change| change.path.clone());
            (icons::EDIT, "Edit", target)
        }
        Action::CreateFile { .. } => (icons::FILE_PLUS, "Create", target),
        Action::RenameFile { to, .. } => (icons::ARROW_RIGHT, "Rename", format!("{target} → {to}")),
        Action::DeleteFile { .. } => (icons::TRASH, "Delete", target),
        Action::RunCommand { command } => (icons::TERMINAL, "Run", command.clone()),
        Action::Tool { name, .. } => (icons::SLIDERS, "Use", name.clone()),
        Action::Done => (icons::CHECK, "Done", String::new()),
    }
}

#[expect(clippy::too_many_arguments, reason = "the parts of one item and what it is drawn with")]
pub(super) fn action(
    ui: &mut Ui,
    rect: Rect,
    body: Option<&Body>,
    card: &Card,
    open: bool,
    index: usize,
    id: Id,
    brush: &mut Brush<'_>,
) -> Option<Pressed> {
    let (theme, metrics) = look(ui);
    let row = Rect::from_min_size(rect.min, vec2(rect.width(), ROW));
    let (icon, verb, target) = verb(card);
    let state = match card.state {
        CardState::Running => "running",
        CardState::Waiting => "waits for your answer",
        CardState::Done => "done",
        CardState::Failed => "failed",
    };
    let response = ui.interact(row, id, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, format!("{verb} {target}, {state}")));
    let painter = ui.painter().with_clip_rect(row.intersect(ui.clip_rect()));
    if response.hovered() || open {
        let ground = if open { rect } else { row };
        ui.painter().rect_filled(ground, radius::CONTROL, if open { theme.surface.base } else { theme.surface.hover });
    }
    icon.paint_sized(&painter, pos2(row.left() + 12.0, row.center().y), 15.0, theme.text.muted);
    let right = state_of(ui, &painter, row, card, brush, theme, &metrics);
    let name = text::line(ui, verb, metrics.body(), theme.text.muted, 80.0);
    let mut x = row.left() + 26.0;
    painter.galley(pos2(x, row.center().y - name.size().y / 2.0), name.clone(), theme.text.muted);
    x += name.size().x + 5.0;
    let (added, removed) = card.changes.iter().fold((0, 0), |sum, c| (sum.0 + c.added, sum.1 + c.removed));
    let counts = (added + removed > 0)
        .then(|| ui.fonts_mut(|f| f.layout_job(Counts::new(added, removed).job(theme, metrics.small()))));
    let room = (right - x - counts.as_ref().map_or(0.0, |counts| counts.size().x + space::S) - space::S).max(24.0);
    let shown = text::path_line(ui, &target, metrics.body(), theme.text.normal, room);
    painter.galley(pos2(x, row.center().y - shown.size().y / 2.0), shown.clone(), theme.text.normal);
    x += shown.size().x + space::S;
    if let Some(counts) = counts {
        painter.galley(pos2(x, row.center().y - counts.size().y / 2.0), counts, theme.text.normal);
    } else if card.state != CardState::Waiting && !open {
        // The first line of what came of it, if there is room for it.
        let first = card.said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let room = right - x - space::S;
        if room > 60.0 && (card.state == CardState::Failed || card.state == CardState::Running || first.len() < 80) {
            let line = text::line(ui, first.trim(), metrics.small(), theme.text.faint, room);
            painter.galley(pos2(x, row.center().y - line.size().y / 2.0), line, theme.text.faint);
        }
    }
    if card.state == CardState::Running && metrics.motion_seconds() > 0.0 {
        moving_line(ui, row, theme, ui.input(|input| input.time) * 0.7);
        ui.ctx().request_repaint_after(BEAT);
    }
    if let Some(body) = body {
        let at = row.left_bottom() + vec2(space::S, space::XS);
        body.draw_coloured(ui, at, row.width() - 2.0 * space::S, brush);
    }
    let opened = card.changes.first().map(|change| change.path.clone());
    if response.double_clicked()
        && let Some(path) = opened
    {
        return Some(Pressed::OpenFile(path));
    }
    tip_of(response, card).clicked().then_some(Pressed::Toggle(index))
}

fn tip_of(response: Response, card: &Card) -> Response {
    match card.changes.is_empty() {
        true => response,
        false => response.on_hover_text("Click to see the change; double-click to open the file"),
    }
}

/// State and duration at the right of a row; where they begin.
fn state_of(
    ui: &Ui,
    painter: &Painter,
    row: Rect,
    card: &Card,
    brush: &Brush<'_>,
    theme: &Theme,
    metrics: &Metrics,
) -> f32 {
    let (icon, color) = match card.state {
        CardState::Running => (icons::HOURGLASS, theme.text.muted),
        CardState::Waiting => (icons::PROBLEMS, theme.signal.warning),
        CardState::Done => (icons::CHECK, theme.signal.success),
        CardState::Failed => (icons::X, theme.signal.danger),
    };
    icon.paint_sized(painter, pos2(row.right() - 12.0, row.center().y), 14.0, color);
    let milliseconds = match card.state {
        CardState::Running | CardState::Waiting => (brush.now - card.since.0).max(0) as u64,
        CardState::Done | CardState::Failed => card.milliseconds,
    };
    if milliseconds < 100 {
        return row.right() - 24.0;
    }
    let time = text::line(ui, &duration(milliseconds), metrics.small(), theme.text.muted, 60.0);
    let left = row.right() - 24.0 - time.size().x;
    painter.galley(pos2(left, row.center().y - time.size().y / 2.0), time, theme.text.muted);
    left
}

/// `0.4 s`, `12 s`, `2 min 5 s`
pub(super) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..10_000 => format!("{:.1} s", milliseconds as f64 / 1000.0),
        _ => seconds(milliseconds / 1000),
    }
}

/// `0 s`, `2 min 5 s`
pub(super) fn seconds(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Between two frames of the line that moves below what runs: every one of them draws the whole window anew.
const BEAT: Duration = Duration::from_millis(83);
/// Bytes with which the line goes once below what is written.
const BYTES: f64 = 500.0;

/// A thin line that moves below what runs or is written; `way` is how often it has gone from end to end.
fn moving_line(ui: &Ui, row: Rect, theme: &Theme, way: f64) {
    let part = way.fract() as f32;
    let length = row.width() * 0.25;
    let x = row.left() + (row.width() + length) * part - length;
    let line = Rect::from_min_size(pos2(x, row.bottom() - 1.5), vec2(length, 1.5)).intersect(row);
    if line.is_positive() {
        ui.painter().rect_filled(line, 0.75, theme.signal.accent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_long_as_they_have_to_be() {
        assert_eq!(duration(420), "0.4 s");
        assert_eq!(duration(12_300), "12 s");
        assert_eq!(duration(125_000), "2 min 5 s");
    }
}
