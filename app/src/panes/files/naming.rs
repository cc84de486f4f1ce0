//! Typing a name into the tree: for something new, or for what has one. What is wrong with it is said in the row below.

use std::path::{Path, PathBuf};

use editor::project::{Row, Tree, ops};
use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{Align2, Frame, Id, Key, Margin, Rect, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, pos2, vec2};

use super::lines::Naming;
use crate::state::files::Operation;
use crate::theme::{Icon, icons, look, radius, space};

/// A name that is being typed.
#[derive(Clone, Debug)]
pub struct Input {
    pub naming: Naming,
    pub text: String,
    /// What is wrong with it: found while typing, or said by the system.
    pub error: Option<String>,
    /// It was sent off and the answer is awaited.
    pub sent: bool,
    stage: Stage,
}

/// An input gets the keyboard in its first frame and can have something chosen in it from the second on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    New,
    Focused,
    Used,
}

/// What became of the input in a frame.
#[derive(Debug)]
pub enum Typed {
    Nothing,
    /// The text changed.
    Changed,
    /// It is what the user wants.
    Entered,
    /// It was put away.
    Cancelled,
}

impl Input {
    /// An input for something new in `folder`.
    pub fn new(folder: PathBuf, is_folder: bool) -> Self {
        let naming = Naming::New { folder, is_folder };
        Self { naming, text: String::new(), error: None, sent: false, stage: Stage::New }
    }

    /// An input that holds the name something has.
    pub fn rename(path: PathBuf) -> Self {
        let text = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self { naming: Naming::Rename { path }, text, error: None, sent: false, stage: Stage::New }
    }

    /// What is called so now, if it is renamed.
    fn old_name(&self) -> Option<&str> {
        match &self.naming {
            Naming::Rename { path } => path.file_name()?.to_str(),
            Naming::New { .. } => None,
        }
    }

    /// Whether there is nothing to do: no name, or the one it has.
    pub fn is_idle(&self) -> bool {
        self.text.trim().is_empty() || self.old_name() == Some(self.text.as_str())
    }

    /// Looks what is wrong with the name, as far as the tree knows. An empty one is not finished, and not wrong.
    pub fn validate(&mut self, tree: &Tree) {
        self.error = if self.is_idle() { None } else { self.wrong(tree.rows()) };
    }

    fn wrong(&self, rows: &[Row]) -> Option<String> {
        let (folder, parts) = match &self.naming {
            // `a/b.rs` makes the folder on the way.
            Naming::New { folder, .. } => (folder.as_path(), self.text.split('/').collect::<Vec<_>>()),
            Naming::Rename { path } => (path.parent().unwrap_or(Path::new("")), vec![self.text.as_str()]),
        };
        if let Some(error) = parts.iter().find_map(|part| ops::check_name(part).err()) {
            return Some(error.to_string());
        }
        let path = folder.join(&self.text);
        let itself = matches!(&self.naming, Naming::Rename { path: own } if *own == path);
        (!itself && rows.iter().any(|row| row.path == path)).then(|| format!("{} exists already", self.text))
    }

    /// What is to be done, with `root` as the open folder.
    pub fn operation(&self, root: &Path) -> Operation {
        let name = self.text.clone();
        match &self.naming {
            Naming::New { folder, is_folder: false } => Operation::CreateFile { folder: join(root, folder), name },
            Naming::New { folder, is_folder: true } => Operation::CreateFolder { folder: join(root, folder), name },
            Naming::Rename { path } => Operation::Rename { path: root.join(path), name },
        }
    }

    /// What it is called by a screen reader.
    fn name(&self) -> &'static str {
        match self.naming {
            Naming::New { is_folder: false, .. } => "Name of the new file",
            Naming::New { is_folder: true, .. } => "Name of the new folder",
            Naming::Rename { .. } => "New name",
        }
    }

    /// Shows it in a row that starts at `left`; `row` is what is renamed.
    pub fn show(&mut self, ui: &mut Ui, left: f32, row: Option<&Row>) -> Typed {
        let (theme, metrics) = look(ui);
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), space::ROW));
        let is_folder = row.map_or(matches!(self.naming, Naming::New { is_folder: true, .. }), |row| row.is_folder);
        let icon = if is_folder { icons::FOLDER } else { icons::for_path(&self.text) };
        icon.paint(ui.painter(), pos2(rect.left() + left + Icon::SIZE / 2.0, rect.center().y), theme.text.muted);
        let field = Rect::from_min_max(
            pos2(rect.left() + left + Icon::SIZE + 2.0, rect.top() + 1.0),
            pos2(rect.right() - space::XS, rect.bottom() - 1.0),
        );
        let edge = if self.error.is_some() { theme.signal.danger } else { theme.border.focus };
        ui.painter().rect(field, radius::CONTROL, theme.surface.input, Stroke::new(1.0, edge), StrokeKind::Inside);

        let id = Id::unique("name in the tree");
        if self.stage == Stage::Focused {
            select_stem(ui, id, &self.text, is_folder);
        }
        // As high as the row: an input is never lower, and would hang below its field.
        let inner = Rect::from_x_y_ranges(field.shrink(space::XS).x_range(), rect.y_range());
        let mut child = ui.new_child(UiBuilder::new().id_salt("name").max_rect(inner));
        child.set_clip_rect(field.intersect(ui.clip_rect()));
        let edit = TextEdit::singleline(&mut self.text)
            .id(id)
            .font(metrics.body())
            .frame(Frame::NONE.inner_margin(Margin::ZERO))
            .text_color(theme.text.normal)
            .desired_width(inner.width())
            .min_size(inner.size())
            .interactive(!self.sent)
            .align(Align2::LEFT_CENTER);
        let response = child.put(inner, edit).accessible_name(self.name());
        if self.stage == Stage::New {
            self.stage = Stage::Focused;
            response.request_focus();
            ui.ctx().request_repaint();
            return Typed::Nothing;
        }
        self.stage = Stage::Used;
        if self.sent {
            return Typed::Nothing;
        }
        if response.lost_focus() {
            let (entered, escaped) = ui.input(|input| (input.key_pressed(Key::Enter), input.key_pressed(Key::Escape)));
            return match (escaped, self.is_idle(), self.error.is_some()) {
                (false, false, false) => Typed::Entered,
                // What is wrong stays in sight, to be put right.
                (false, false, true) if entered => {
                    response.request_focus();
                    Typed::Nothing
                }
                _ => Typed::Cancelled,
            };
        }
        if response.changed() { Typed::Changed } else { Typed::Nothing }
    }

    /// Takes the answer that it could not be done: the name is there to be changed.
    pub fn refuse(&mut self, error: String) {
        (self.error, self.sent, self.stage) = (Some(error), false, Stage::New);
    }
}

/// The name without its extension is chosen: that is what people change.
fn select_stem(ui: &Ui, id: Id, text: &str, is_folder: bool) {
    let stem = match text.rfind('.') {
        Some(dot) if dot > 0 && !is_folder => text[..dot].chars().count(),
        _ => text.chars().count(),
    };
    let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), CCursor::new(stem))));
    TextEdit::store_state(ui.ctx(), id, state);
}

/// Joins without a slash at the end, which names another path on some systems.
pub fn join(root: &Path, relative: &Path) -> PathBuf {
    if relative.as_os_str().is_empty() { root.to_owned() } else { root.join(relative) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str) -> Row {
        Row {
            path: path.into(),
            depth: 0,
            is_folder: false,
            is_link: false,
            ignored: false,
            is_open: false,
            error: None,
        }
    }

    fn wrong(mut input: Input, text: &str) -> Option<String> {
        text.clone_into(&mut input.text);
        input.wrong(&[row("a.rs"), row("sub/b.rs")])
    }

    #[test]
    fn a_name_that_is_taken_is_wrong_before_it_is_entered() {
        assert_eq!(wrong(Input::new("".into(), false), "a.rs"), Some("a.rs exists already".into()));
        assert_eq!(wrong(Input::new("sub".into(), false), "a.rs"), None);
        assert_eq!(wrong(Input::rename("sub/c.rs".into()), "b.rs"), Some("b.rs exists already".into()));
        assert_eq!(wrong(Input::rename("a.rs".into()), "a.rs"), None, "it is its own name");
    }

    #[test]
    fn a_new_name_may_lead_through_folders_and_a_changed_one_may_not() {
        assert_eq!(wrong(Input::new("".into(), false), "x/y.rs"), None);
        assert!(wrong(Input::rename("a.rs".into()), "x/y.rs").is_some());
        assert!(wrong(Input::new("".into(), true), "../x").is_some());
    }

    #[test]
    fn what_is_not_changed_is_not_done() {
        assert!(Input::rename("sub/b.rs".into()).is_idle());
        assert!(Input::new("sub".into(), false).is_idle());
    }

    #[test]
    fn the_operation_has_whole_paths() {
        let mut input = Input::new("".into(), false);
        input.text = "x.rs".into();
        assert!(
            matches!(input.operation(Path::new("/p")), Operation::CreateFile { folder, .. } if folder == Path::new("/p"))
        );
    }
}
