//! The files in conflict, in the side panel: what happened to each, and which are resolved.

use diff::git::ConflictKind;
use eframe::egui::{RichText, Role, ScrollArea, Sense, Ui, WidgetInfo};

use super::toolbar::capital;
use crate::commands::{Action, Sink};
use crate::state::conflicts::{Conflicted, ConflictsId, OpenConflicts, Stage};
use crate::theme::{icons, look, space};
use crate::widgets::{EmptyState, TreeRow, list_keys, skeleton_rows};

/// Draws the list.
pub fn draw(ui: &mut Ui, id: ConflictsId, open: &OpenConflicts, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    match &open.stage {
        Stage::Listing => return skeleton_rows(ui, open.asked, 8, space::ROW),
        Stage::Failed(error) => {
            EmptyState::new(icons::DANGER, "No conflicts").detail(error.clone()).show(ui);
            return;
        }
        Stage::Open => {}
    }
    ui.horizontal_wrapped(|ui| {
        ui.add_space(space::S);
        let said = open.operation.as_ref().map_or_else(|| "Conflicts".to_owned(), |found| capital(&found.to_string()));
        ui.label(RichText::new(said).font(metrics.medium()).color(theme.text.normal));
    });
    ui.horizontal(|ui| {
        ui.add_space(space::S);
        let (all, left) = (open.list.len(), open.files_left());
        ui.label(RichText::new(format!("{left} of {all} files left")).color(theme.text.muted));
    });
    ui.add_space(space::XS);
    let list = ui.scope_id().with("conflicted files");
    let whole = ui.interact(ui.available_rect_before_wrap(), list, Sense::focusable_noninteractive());
    whole.widget_info(|| WidgetInfo::labeled(Role::List, true, "Files in conflict"));
    let current = open.current().map(|(at, _)| at);
    let in_sight = (ui.available_height() / space::ROW) as usize;
    if let Some(file) = list_keys(ui, list, current, open.list.len(), in_sight) {
        sink.push(Action::ShowConflict { conflicts: id, file });
    }
    let focused = ui.memory(|memory| memory.has_focus(list));
    ui.spacing_mut().item_spacing.y = 0.0;
    let scroll = ScrollArea::vertical().auto_shrink(false).id_salt("conflict list");
    scroll.show_rows(ui, space::ROW, open.list.len(), |ui, range| {
        for at in range {
            let file = &open.list[at];
            let path = file.path.to_string();
            let (letter, color, meaning) = match file.resolved {
                true => ('✓', theme.signal.success, "resolved"),
                false => ('!', theme.status.conflicted, "in conflict"),
            };
            let row = TreeRow::new(list.with(&path), path.as_str())
                .letter(letter, color)
                .note(note(file))
                .meaning(meaning)
                .muted(file.resolved)
                .selected(current == Some(at))
                .active(focused && current == Some(at))
                .show(ui);
            if row.row.clicked() {
                ui.memory_mut(|memory| memory.request_focus(list));
                sink.push(Action::ShowConflict { conflicts: id, file: at });
            }
        }
    });
}

/// What is left of a file, or what happened to it.
fn note(file: &Conflicted) -> String {
    if file.resolved {
        return String::new();
    }
    if let Some(resolution) = file.resolution() {
        return match resolution.left().0 {
            0 => "ready".to_owned(),
            left => format!("{left} left"),
        };
    }
    match file.unmerged.as_ref().map(diff::git::Unmerged::kind) {
        Some(ConflictKind::DeletedByUs | ConflictKind::DeletedByThem) => "deleted".to_owned(),
        Some(ConflictKind::BothAdded) => "added".to_owned(),
        Some(ConflictKind::AddedByUs | ConflictKind::AddedByThem | ConflictKind::BothDeleted) => "moved".to_owned(),
        Some(ConflictKind::BothModified) | None => String::new(),
    }
}
