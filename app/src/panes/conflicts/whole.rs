//! Files of which a version is taken as a whole, and what is said of those that are resolved.

use diff::git::Operation;
use diff::merge::Version;
use diff::source::{Comparison, Source};
use eframe::egui::{Align, Layout, Rect, RichText, Ui, UiBuilder, pos2, vec2};

use super::toolbar::capital;
use crate::commands::{Action, Command, Sink};
use crate::state::conflicts::{OpenConflicts, Whole, Whose};
use crate::state::reviews::Request;
use crate::tasks::Tasks;
use crate::theme::{icons, look, space};
use crate::widgets::{Button, EmptyState, card};

/// Width of the column of cards.
const WIDTH: f32 = 520.0;

/// Draws the versions of a file, one of which is to be taken.
pub fn draw(ui: &mut Ui, rect: Rect, open: &mut OpenConflicts, what: &Whole, tasks: &Tasks) {
    let (theme, metrics) = look(ui);
    let width = WIDTH.min(rect.width() - 2.0 * space::L);
    let left = rect.center().x - width / 2.0;
    let column = Rect::from_min_max(pos2(left, rect.top() + 48.0), pos2(left + width, rect.bottom()));
    let layout = Layout::top_down(Align::Min);
    let mut ui = ui.new_child(UiBuilder::new().id_salt("whole versions").max_rect(column).layout(layout));
    ui.set_width(width);
    ui.spacing_mut().item_spacing.y = space::M;
    ui.label(RichText::new(&*what.why).font(metrics.title()).color(theme.text.normal));
    let names = open.names.clone();
    let mut chosen = None;
    let versions = [
        (Version::Ours, "Ours", names.ours.as_str(), &what.ours),
        (Version::Theirs, "Theirs", names.theirs.as_str(), &what.theirs),
        (Version::Base, "Base", "what both started from", &what.base),
    ];
    for (version, role, name, found) in versions {
        if version == Version::Base && found.is_none() {
            continue;
        }
        card(&ui).show(&mut ui, |ui| {
            ui.set_width(width - 2.0 * space::M);
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = space::S;
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = space::XS;
                    ui.horizontal(|ui| {
                        ui.label(RichText::new(role).font(metrics.medium()).color(theme.text.normal));
                        ui.label(RichText::new(name).color(theme.text.muted));
                    });
                    let said = found.as_deref().unwrap_or("deleted");
                    ui.label(RichText::new(capital(said)).color(theme.text.muted));
                });
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let label = match found {
                        Some(_) => format!("Take {}", role.to_lowercase()),
                        None => "Delete the file".to_owned(),
                    };
                    if ui.add(Button::new(label)).clicked() {
                        chosen = Some(version);
                    }
                });
            });
        });
    }
    if matches!(open.whose, Whose::Repository(_)) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::S;
            if ui.add(Button::new("Keep what is on disk").quiet().icon(icons::CHECK)).clicked() {
                chosen = None;
                open.mark_disk_resolved(tasks);
            }
        });
    }
    if let Some(version) = chosen {
        open.take_version(version, tasks);
    }
}

/// Says that a file is resolved, and what comes next.
pub fn draw_resolved(ui: &mut Ui, rect: Rect, open: &mut OpenConflicts, tasks: &Tasks, sink: &mut Sink) {
    let Some((at, file)) = open.current() else { return };
    let path = file.path.clone();
    let left = open.files_left();
    let (above, below) = rect.split_top_bottom_at_y(rect.center().y + 72.0);
    let mut upper = ui.new_child(UiBuilder::new().id_salt("resolved").max_rect(above));
    if left > 0 {
        let noun = if left == 1 { "file is" } else { "files are" };
        let said = EmptyState::new(icons::CHECK, format!("{path} is resolved")).detail(format!("{left} {noun} left."));
        if said.action(Button::new("Next file").primary()).show(&mut upper) {
            sink.push(Command::NextConflictFile);
        }
    } else {
        let said =
            EmptyState::new(icons::CHECKS, "Every conflict is resolved").detail(conclusion(open.operation.as_ref()));
        if said.action(Button::new("Review what is staged").primary()).show(&mut upper) {
            let staged = open.repo().cloned().map(|repo| Comparison::of_repo(repo, Source::Staged, Vec::new()));
            if let Some(Ok(staged)) = staged {
                sink.push(Action::OpenReview(Request::Found(staged)));
            }
        }
    }
    if matches!(open.whose, Whose::Tool(_)) {
        return;
    }
    let layout = Layout::top_down(Align::Center);
    let mut lower = ui.new_child(UiBuilder::new().id_salt("reopen").max_rect(below).layout(layout));
    let button = Button::new("Open this conflict again")
        .quiet()
        .icon(icons::UNDO)
        .name(format!("Open the conflict in {path} again"));
    lower.allocate_ui(vec2(rect.width(), space::ROW), |ui| {
        if ui.add(button).clicked() {
            open.reopen(at, tasks);
        }
    });
}

/// How what git is in the middle of ends.
fn conclusion(operation: Option<&Operation>) -> String {
    match operation {
        Some(operation @ (Operation::Rebase { .. } | Operation::ApplyMails { .. })) => {
            let command = if matches!(operation, Operation::Rebase { .. }) { "rebase" } else { "am" };
            format!("`git {command} --continue` goes on with {operation}.")
        }
        Some(operation) => format!("A commit concludes {operation}."),
        None => "A commit records the result.".to_owned(),
    }
}
