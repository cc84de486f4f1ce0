//! The foot of the list of changes: what is committed, with which message, and what git and the hooks said of it.

use diff::git::Repo;
use eframe::egui::{
    self, Align, EventFilter, Frame, Id, Label, Layout, Margin, RichText, Role, ScrollArea, Stroke, StrokeKind,
    TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use crate::commands::{Command, Sink};
use crate::state::State;
use crate::state::commit::{About, Draft, Ended, LINE, SUBJECT, length};
use crate::state::reviews::{OpenReview, ReviewId};
use crate::state::stages::Kind;
use crate::theme::{fonts, icons, look, radius, space};
use crate::widgets::{Button, Dropdown, ICON_ALONE, IconButton, MenuItem, menu_separator, tip_disabled};

/// Rows of the message at least and at most.
const ROWS: std::ops::RangeInclusive<usize> = 3..=10;

/// The input of the message.
pub fn message_id() -> Id {
    Id::unique("commit message")
}

/// The repository that would be committed to: of a review of what is staged, or is not.
pub fn repo(review: &OpenReview) -> Option<Repo> {
    review.repo().filter(|_| review.stages.kind() != Kind::None).cloned()
}

/// What would be committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The staged changes of so many files.
    Staged(usize),
    /// Nothing is staged: everything that differs is, and then committed.
    All,
    /// The last commit, with what is staged if anything is.
    Amend(usize),
    Nothing,
}

impl What {
    /// What a commit out of a review would hold.
    pub fn of(review: &OpenReview, amend: bool) -> Self {
        match (review.stages.staged().unwrap_or(0), amend) {
            (staged, true) => Self::Amend(staged),
            (0, false) if review.page.files().is_empty() || review.stages.kind() == Kind::Staged => Self::Nothing,
            (0, false) => Self::All,
            (staged, false) => Self::Staged(staged),
        }
    }

    fn label(self) -> String {
        match self {
            Self::Staged(staged) => format!("Commit {staged} staged"),
            Self::All => "Stage all and commit".to_owned(),
            Self::Amend(0) => "Amend last commit".to_owned(),
            Self::Amend(staged) => format!("Amend with {staged} staged"),
            Self::Nothing => "Nothing to commit".to_owned(),
        }
    }
}

/// Draws the panel into the width of `ui`, from its top on; how high it was is the next frame's height.
pub fn draw(ui: &mut Ui, id: ReviewId, state: &mut State, sink: &mut Sink) {
    let State { reviews, commits, tasks, theme, .. } = state;
    let Some(review) = reviews.get(id) else { return };
    let Some(repo) = repo(review) else { return };
    commits.look(&repo, review.generation, tasks);
    let key = repo.git_dir();
    let about = commits.about(key).cloned().unwrap_or_default();
    let running = commits.running(key);
    let ended = commits.ended(key).cloned();
    let draft = commits.draft(key);
    let what = What::of(review, draft.amend);
    let mut dismissed = false;
    ui.spacing_mut().item_spacing = vec2(space::XS, space::XS);
    head(ui, draft, &about, theme.text.muted);
    message(ui, draft);
    ui.add_space(2.0);
    match &running {
        Some(said) => progress(ui, said, sink),
        None => {
            buttons(ui, draft, &about, what, sink);
            match &ended {
                Some(Ended::Failed(why)) => dismissed = output(ui, "Nothing was committed", why, true),
                Some(Ended::Made(said)) if !said.is_empty() => dismissed = output(ui, "Committed", said, false),
                _ => {}
            }
        }
    }
    if dismissed {
        commits.dismiss(key);
    }
}

/// Who commits, and earlier messages.
fn head(ui: &mut Ui, draft: &mut Draft, about: &About, muted: egui::Color32) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        let width = (ui.available_width() - ICON_ALONE - space::XS).max(0.0);
        let (author, color) = match &about.author {
            None => ("", muted),
            Some(Ok(author)) => (author.as_str(), muted),
            Some(Err(_)) => ("Git does not know who commits", theme.signal.warning),
        };
        let text = crate::widgets::text::line(ui, author, metrics.small(), color, width);
        let (rect, response) = ui.allocate_exact_size(vec2(width, 24.0), egui::Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Author: {author}")));
        ui.painter().galley(pos2(rect.left(), rect.center().y - text.size().y / 2.0), text, color);
        match &about.author {
            Some(Ok(author)) => response.on_hover_text(author.as_str()),
            Some(Err(why)) => response.on_hover_text(why.as_str()),
            None => response,
        };
        let earlier = Button::new("").icon(icons::HISTORY).quiet().name("Earlier messages");
        Dropdown::of(earlier).menu_width(280.0).show(ui, |ui| {
            if about.recent.is_empty() {
                ui.label(RichText::new("No commit of yours yet").color(theme.text.muted));
            }
            for (n, message) in about.recent.iter().enumerate() {
                let subject = message.lines().next().unwrap_or_default();
                if ui.push_id(n, |ui| ui.add(MenuItem::new(subject)).clicked()).inner {
                    draft.message.clone_from(message);
                }
            }
        });
    });
}

/// The message, with guides where a subject and a line should end, and what is too long.
fn message(ui: &mut Ui, draft: &mut Draft) {
    let (theme, metrics) = look(ui);
    let id = message_id();
    let font = fonts::code(metrics.small().size);
    let cell = ui.painter().layout_no_wrap("m".to_owned(), font.clone(), theme.text.normal).size().x;
    let rows = draft.message.lines().count().clamp(*ROWS.start(), *ROWS.end());
    let focused = ui.memory(|memory| memory.has_focus(id));
    let ground = ui.painter().add(egui::Shape::Noop);
    let margin = Margin::symmetric(8, 6);
    let shown = Frame::new().inner_margin(margin).show(ui, |ui| {
        ScrollArea::vertical()
            .id_salt("commit message")
            .auto_shrink([false, true])
            .max_height(metrics.small().size * 1.5 * *ROWS.end() as f32)
            .show(ui, |ui| {
                let hint = if draft.amend { "Message of the last commit" } else { "Commit message" };
                let edit = TextEdit::multiline(&mut draft.message)
                    .id(id)
                    .font(font)
                    .frame(Frame::NONE)
                    .margin(Margin::ZERO)
                    .hint_text(hint)
                    .text_color(theme.text.normal)
                    .event_filter(EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() })
                    .desired_width(f32::INFINITY)
                    .desired_rows(rows);
                ui.add(edit).accessible_name("Commit message");
            });
    });
    let rect = shown.response.rect;
    let edge = if focused { Stroke::new(1.5, theme.border.focus) } else { Stroke::new(1.0, theme.border.line) };
    let shape = egui::epaint::RectShape::new(rect, radius::CONTROL, theme.surface.input, edge, StrokeKind::Inside);
    ui.painter().set(ground, shape);
    for column in [SUBJECT, LINE] {
        let x = rect.left() + 8.0 + cell * column as f32;
        if x < rect.right() - 8.0 {
            ui.painter().vline(x, rect.shrink(1.0).y_range(), Stroke::new(1.0, theme.code.guide));
        }
    }
    let length = length(&draft.message);
    let tone = match length.subject {
        subject if subject <= SUBJECT => theme.text.muted,
        subject if subject <= LINE => theme.signal.warning,
        _ => theme.signal.danger,
    };
    ui.horizontal(|ui| {
        let subject = format!("{}/{SUBJECT}", length.subject);
        let spoken = format!("Subject has {} of {SUBJECT} characters", length.subject);
        ui.add(Label::new(RichText::new(subject).font(metrics.small()).color(tone))).on_hover_text(spoken);
        if let Some(line) = length.long_line {
            let said = format!("line {line} is longer than {LINE}");
            ui.label(RichText::new(said).font(metrics.small()).color(theme.signal.warning));
        }
    });
}

/// Commits; and how.
fn buttons(ui: &mut Ui, draft: &mut Draft, about: &About, what: What, sink: &mut Sink) {
    ui.horizontal(|ui| {
        let possible = what != What::Nothing && !draft.is_empty();
        let width = ui.available_width() - ICON_ALONE - space::XS;
        let label = what.label();
        let button = Button::new(label.as_str()).primary().key("Ctrl+Enter");
        let response = ui
            .allocate_ui_with_layout(vec2(width, 28.0), Layout::top_down_justified(Align::Center), |ui| {
                ui.add_enabled(possible, button.fill_width())
            })
            .inner;
        let response = if possible {
            response
        } else if what == What::Nothing {
            tip_disabled(response, "Nothing is staged, and nothing differs")
        } else {
            tip_disabled(response, "Say first what the commit does")
        };
        if response.clicked() {
            sink.push(Command::Commit);
        }
        let more = Button::new("").icon(icons::CARET_DOWN).name("How to commit");
        Dropdown::of(more).menu_width(220.0).show(ui, |ui| {
            if about.head.is_some() && ui.add(MenuItem::new("Amend last commit").chosen(draft.amend)).clicked() {
                sink.push(Command::AmendCommit);
            }
            if ui.add(MenuItem::new("Sign off").chosen(draft.sign_off)).clicked() {
                draft.sign_off = !draft.sign_off;
            }
            if ui.add(MenuItem::new("Skip hooks").chosen(draft.skip_hooks)).clicked() {
                draft.skip_hooks = !draft.skip_hooks;
            }
            menu_separator(ui);
            if ui.add(MenuItem::new("Stage all").chosen(false)).clicked() {
                sink.push(Command::StageAll);
            }
            if ui.add(MenuItem::new("Unstage all").chosen(false)).clicked() {
                sink.push(Command::UnstageAll);
            }
        });
    });
}

/// What git and the hooks print while they run.
fn progress(ui: &mut Ui, said: &str, sink: &mut Sink) {
    let (theme, _) = look(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Committing…").color(theme.text.normal));
        if ui.add(Button::new("Stop").icon(icons::STOP).quiet()).clicked() {
            sink.push(Command::StopCommit);
        }
    });
    if !said.is_empty() {
        text(ui, said);
    }
}

/// What was printed, whole; whether it was put away.
fn output(ui: &mut Ui, title: &str, said: &str, failed: bool) -> bool {
    let (theme, metrics) = look(ui);
    let mut dismissed = false;
    let (icon, color) =
        if failed { (icons::DANGER, theme.signal.danger) } else { (icons::SUCCESS, theme.signal.success) };
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(16.0, 24.0), egui::Sense::hover());
        icon.paint_sized(ui.painter(), rect.center(), 14.0, color);
        ui.label(RichText::new(title).font(metrics.small()).color(color));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            dismissed = ui.add(IconButton::new(icons::X, "Put away").small()).clicked();
        });
    });
    text(ui, said);
    dismissed
}

fn text(ui: &mut Ui, said: &str) {
    let (theme, metrics) = look(ui);
    let frame = Frame::new().fill(theme.surface.base).corner_radius(radius::CONTROL).inner_margin(Margin::same(6));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ScrollArea::vertical().id_salt("commit output").max_height(180.0).stick_to_bottom(true).show(ui, |ui| {
            let font = fonts::code(metrics.small().size);
            ui.add(Label::new(RichText::new(said).font(font).color(theme.text.normal)).wrap().selectable(true));
        });
    });
}
