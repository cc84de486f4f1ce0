//! The bar over the columns: which file, how much is left, and what can be done with all of it.

use diff::merge::Version;
use eframe::egui::{Align, Layout, Rect, RichText, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use super::ConflictsPane;
use crate::commands::{Command, Sink};
use crate::state::State;
use crate::state::conflicts::{OpenConflicts, Resolution, Whose};
use crate::theme::{Theme, icons, look, space};
use crate::widgets::{Badge, Button, Dropdown, IconButton, MenuItem, Tone, menu_separator, text};

/// Its height.
pub const HEIGHT: f32 = 40.0;

/// Draws the bar.
pub fn draw(ui: &mut Ui, rect: Rect, pane: &mut ConflictsPane, state: &mut State, sink: &mut Sink) {
    let theme = state.theme;
    ui.painter().rect_filled(rect, 0.0, theme.surface.base);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let keys = |command: Command| state.keymap.key_of(command).unwrap_or_default().to_owned();
    let Some(open) = state.conflicts.get(pane.conflicts) else { return };
    let inner = rect.shrink2(vec2(space::M, 0.0));
    let align = Layout::right_to_left(Align::Center);
    let mut right = ui.new_child(UiBuilder::new().id_salt("conflict actions").max_rect(inner).layout(align));
    right.spacing_mut().item_spacing.x = space::S;
    if let Some(resolution) = open.resolution().filter(|_| open.current().is_some_and(|(_, file)| !file.resolved)) {
        actions(&mut right, open, resolution, sink, &keys);
    }
    let rest = Rect::from_min_max(inner.min, pos2(right.min_rect().left() - space::M, inner.bottom()));
    let align = Layout::left_to_right(Align::Center);
    let mut left = ui.new_child(UiBuilder::new().id_salt("conflict file").max_rect(rest).layout(align));
    left.spacing_mut().item_spacing.x = space::S;
    left.set_clip_rect(rest.intersect(ui.clip_rect()));
    summary(&mut left, open, theme);
}

/// The file, and how much of it is left.
fn summary(ui: &mut Ui, open: &OpenConflicts, theme: &Theme) {
    let (_, metrics) = look(ui);
    let Some((_, file)) = open.current() else { return };
    let path = match &open.whose {
        Whose::Tool(files) => crate::state::workspace::name_of(&files.merged),
        Whose::Repository(_) => file.path.to_string(),
    };
    let left = file.resolution().filter(|_| !file.resolved).map(Resolution::left);
    let room = (ui.available_width() - if left.is_some() { 160.0 } else { 0.0 }).max(60.0);
    let galley = text::path_line(ui, &path, metrics.medium(), theme.text.normal, room);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    response.widget_info(|| eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Heading, true, &path));
    ui.painter().galley(rect.min, galley, theme.text.normal);
    match left {
        Some((0, _)) => {
            ui.add(Badge::new("No conflict left").tone(Tone::Success));
        }
        Some((left, all)) => {
            let noun = if all == 1 { "conflict" } else { "conflicts" };
            ui.add(Badge::new(format!("{left} of {all} {noun} left")).tone(Tone::Danger));
        }
        None => {}
    }
    if file.unmerged.as_ref().is_some_and(|unmerged| unmerged.modes_apart().is_some()) {
        ui.add(Badge::new("modes differ").tone(Tone::Warning));
    }
    if let Some(operation) = &open.operation
        && ui.available_width() > 120.0
    {
        let said = capital(&operation.to_string());
        ui.label(RichText::new(said).color(theme.text.muted));
    }
}

/// What can be done, from the right edge on.
fn actions(
    ui: &mut Ui,
    open: &OpenConflicts,
    resolution: &Resolution,
    sink: &mut Sink,
    keys: &dyn Fn(Command) -> String,
) {
    let tool = matches!(open.whose, Whose::Tool(_));
    let label = if tool { "Save and close" } else { "Mark resolved" };
    let done = Button::new(label).icon(icons::CHECK).key(keys(Command::MarkResolved));
    let left = resolution.left().0;
    let done = if left == 0 { done.primary() } else { done };
    if ui.add(done).clicked() {
        sink.push(Command::MarkResolved);
    }
    let more = Button::new("").icon(icons::DOTS).quiet().name("More about this conflict");
    Dropdown::of(more).menu_width(260.0).show(ui, |ui| {
        let entries =
            [(Command::TakeAllOurs, icons::CARET_DOUBLE_RIGHT), (Command::TakeAllTheirs, icons::CARET_DOUBLE_LEFT)];
        for (command, icon) in entries {
            let item = MenuItem::new(command.spec().title).icon(icon).key(keys(command));
            if ui.add_enabled(left > 0, item).clicked() {
                sink.push(command);
            }
        }
        menu_separator(ui);
        for command in [Command::TakeBothReversed, Command::TakeBase, Command::TakeNeither] {
            if ui.add(MenuItem::new(command.spec().title).key(keys(command))).clicked() {
                sink.push(command);
            }
        }
        menu_separator(ui);
        let anyway = Command::MarkResolvedAnyway;
        if ui.add_enabled(left > 0, MenuItem::new(anyway.spec().title)).clicked() {
            sink.push(anyway);
        }
    });
    let base = IconButton::new(icons::STACK, "Show the base").key(keys(Command::ShowBase));
    let has_base = !resolution.session().merge().content(Version::Base).is_empty();
    if ui.add_enabled(has_base, base.selected(resolution.shows_base())).clicked() {
        sink.push(Command::ShowBase);
    }
    for (icon, name, command, key) in [
        (icons::REDO, "Redo", Command::RedoDecision, Command::RedoDecision),
        (icons::UNDO, "Undo", Command::UndoDecision, Command::UndoDecision),
        (icons::ARROW_DOWN, "Next conflict", Command::NextConflictAnywhere, Command::NextConflict),
        (icons::ARROW_UP, "Previous conflict", Command::PreviousConflictAnywhere, Command::PreviousConflict),
    ] {
        if ui.add(IconButton::new(icon, name).key(keys(key))).clicked() {
            sink.push(command);
        }
    }
}

/// What a tab calls them.
pub fn title(open: &OpenConflicts) -> String {
    match &open.whose {
        Whose::Tool(files) => format!("Merge · {}", crate::state::workspace::name_of(&files.merged)),
        Whose::Repository(_) => "Conflicts".to_owned(),
    }
}

/// The same with a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
