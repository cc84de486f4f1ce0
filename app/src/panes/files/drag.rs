//! Moving by dragging: what is dragged, where it may go, and how both are shown.

use std::path::{Path, PathBuf};

use eframe::egui::{Area, CursorIcon, Id, LayerId, Order, Rect, Stroke, StrokeKind, Ui, vec2};

use crate::theme::{icons, look, radius, space};
use crate::widgets::{menu_frame, text};

/// A file or folder that is being dragged; relative to the open folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dragged {
    pub path: PathBuf,
    pub is_folder: bool,
}

/// Why something cannot be put into a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// It is in there.
    InThere,
    /// The folder is it, or is in it.
    IntoItself,
    /// Something there has its name.
    Taken,
}

impl Forbidden {
    /// For people.
    pub fn reason(self) -> &'static str {
        match self {
            Self::InThere => "It is there already",
            Self::IntoItself => "A folder cannot go into itself",
            Self::Taken => "The name is taken there",
        }
    }
}

/// Whether `path` may be put into `folder`; `is_taken` says whether something is at a path.
pub fn may_move(path: &Path, folder: &Path, is_taken: impl Fn(&Path) -> bool) -> Result<(), Forbidden> {
    if folder.starts_with(path) {
        return Err(Forbidden::IntoItself);
    }
    if path.parent() == Some(folder) {
        return Err(Forbidden::InThere);
    }
    match path.file_name() {
        Some(name) if is_taken(&folder.join(name)) => Err(Forbidden::Taken),
        _ => Ok(()),
    }
}

/// What follows the pointer: the thing, and where it would go or why it does not.
pub fn draw_ghost(ui: &Ui, dragged: &Dragged, target: Option<Result<String, Forbidden>>) {
    let Some(pointer) = ui.pointer_interact_pos() else { return };
    let (theme, metrics) = look(ui);
    let name = dragged.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let icon = if dragged.is_folder { icons::FOLDER } else { icons::for_path(&name) };
    let forbidden = matches!(target, Some(Err(_)));
    let hint = match target {
        Some(Ok(folder)) => format!("into {folder}"),
        Some(Err(forbidden)) => forbidden.reason().to_owned(),
        None => String::new(),
    };
    ui.set_cursor_icon(if forbidden { CursorIcon::NotAllowed } else { CursorIcon::Grabbing });
    let at = pointer + vec2(14.0, 10.0);
    let area = Area::new(Id::unique("dragged file")).order(Order::Tooltip).fixed_pos(at).interactable(false);
    area.show(ui.ctx(), |ui| {
        menu_frame(ui).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = space::S;
                let line = text::line(ui, &name, metrics.body(), theme.text.normal, 240.0);
                let hint_color = if forbidden { theme.signal.danger } else { theme.text.muted };
                let hint = text::line(ui, &hint, metrics.small(), hint_color, 240.0);
                let wide = 16.0 + 6.0 + line.size().x + space::S + hint.size().x + space::XS;
                let (_, rect) = ui.allocate_space(vec2(wide, 20.0));
                let painter = ui.painter();
                let (mark, tint) =
                    if forbidden { (icons::PROHIBIT, theme.signal.danger) } else { (icon, theme.text.muted) };
                mark.paint(painter, rect.left_center() + vec2(8.0, 0.0), tint);
                let x = rect.left() + 22.0;
                let after = x + line.size().x + space::S;
                let middle = rect.center().y;
                painter.galley((x, middle - line.size().y / 2.0).into(), line, theme.text.normal);
                painter.galley((after, middle - hint.size().y / 2.0).into(), hint, hint_color);
            });
        });
    });
}

/// Says that what is dragged over the window from outside will be opened.
pub fn draw_from_outside(ui: &Ui) {
    let count = ui.input(|input| input.raw.hovered_files.len());
    if count == 0 {
        return;
    }
    let (theme, metrics) = look(ui);
    let whole = ui.max_rect();
    let painter = ui.ctx().layer_painter(LayerId::new(Order::Foreground, Id::unique("dragged from outside")));
    painter.rect_filled(whole, 0.0, theme.surface.scrim);
    painter.rect_stroke(whole.shrink(4.0), radius::CARD, Stroke::new(2.0, theme.signal.accent), StrokeKind::Inside);
    let said = if count == 1 { "Drop to open".to_owned() } else { format!("Drop to open {count} files") };
    let line = text::line(ui, &said, metrics.title(), theme.text.normal, whole.width());
    let card = Rect::from_center_size(whole.center(), line.size() + vec2(2.0 * space::L, 2.0 * space::M));
    painter.rect(card, radius::CARD, theme.surface.raised, Stroke::new(1.0, theme.border.line), StrokeKind::Inside);
    painter.galley(card.center() - line.size() / 2.0, line, theme.text.normal);
}

/// Marks the folder that something would go into: its row and what it shows.
pub fn mark_target(ui: &Ui, rect: Rect) {
    let (theme, _) = look(ui);
    let accent = theme.signal.accent;
    ui.painter().rect(
        rect.shrink(0.5),
        radius::CONTROL,
        accent.gamma_multiply(0.12),
        Stroke::new(1.0, accent),
        StrokeKind::Inside,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, folder: &str, expected: Result<(), Forbidden>) {
        let is_taken = |path: &Path| path == Path::new("b/taken.rs");
        assert_eq!(may_move(Path::new(path), Path::new(folder), is_taken), expected, "{path} into {folder:?}");
    }

    #[test]
    fn a_file_goes_into_other_folders_only() {
        check("a/x.rs", "b", Ok(()));
        check("a/x.rs", "", Ok(()));
        check("a/x.rs", "a", Err(Forbidden::InThere));
        check("x.rs", "", Err(Forbidden::InThere));
        check("a/taken.rs", "b", Err(Forbidden::Taken));
    }

    #[test]
    fn a_folder_does_not_go_into_itself_or_below() {
        check("a", "a", Err(Forbidden::IntoItself));
        check("a", "a/b/c", Err(Forbidden::IntoItself));
        check("a", "ab", Ok(()));
    }
}
