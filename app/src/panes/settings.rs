//! The settings page: made from the table of settings, writing the same file that the user may edit.

use eframe::egui::{Align, Label, Layout as Flow, Rect, RichText, ScrollArea, Ui, UiBuilder, vec2};
use egui_tiles::TileId;

use crate::commands::{Action, Command, Sink};
use crate::shell::hold_focus;
use crate::state::State;
use crate::state::settings::{Kind, Settings, Spec, TABLE, Value};
use crate::theme::{icons, look, space};
use crate::widgets::{
    Button, Dropdown, EmptyState, IconButton, MenuItem, Notice, NoticeResponse, Segmented, TextInput, Tick, Tone,
    separator,
};

/// Width of the page's column.
const WIDTH: f32 = 680.0;
/// Width of the controls at the right of it.
const CONTROL: f32 = 240.0;

/// A view of the settings.
#[derive(Clone, Debug, Default)]
pub struct SettingsPane {
    filter: String,
}

/// Draws the page into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut SettingsPane, state: &mut State, sink: &mut Sink) {
    hold_focus(ui, tile);
    ui.painter().rect_filled(ui.max_rect(), 0.0, state.theme.surface.base);
    column(ui, "settings page", WIDTH, |ui| {
        head(ui, pane, state, sink);
        problems(ui, state, sink);
        let wanted = pane.filter.to_lowercase();
        let shown: Vec<&'static Spec> = TABLE.iter().filter(|spec| matches(spec, &wanted)).collect();
        if shown.is_empty() {
            let (_, rect) = ui.allocate_space(vec2(ui.available_width(), 160.0));
            let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
            EmptyState::new(icons::SEARCH, "No setting matches")
                .detail("Clear the search to see them all.")
                .show(&mut inner);
            return;
        }
        let mut section = "";
        for spec in shown {
            if section != spec.section {
                section = spec.section;
                heading(ui, section);
            }
            row(ui, spec, &state.settings, sink);
        }
        ui.add_space(space::XL);
    });
}

fn matches(spec: &Spec, wanted: &str) -> bool {
    wanted.is_empty()
        || [spec.title, spec.doc, spec.key, spec.section].iter().any(|text| text.to_lowercase().contains(wanted))
}

/// A page of text: one column that scrolls, in the middle of the pane.
pub(super) fn column(ui: &mut Ui, name: &str, width: f32, contents: impl FnOnce(&mut Ui)) {
    ScrollArea::vertical().id_salt(name).auto_shrink(false).show(ui, |ui| {
        let width = width.min(ui.available_width() - 2.0 * space::XL);
        let left = ui.max_rect().center().x - width / 2.0;
        let rect =
            Rect::from_min_size(eframe::egui::pos2(left, ui.cursor().top() + space::XL), vec2(width, f32::INFINITY));
        let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).layout(Flow::top_down(Align::Min)));
        inner.set_width(width);
        contents(&mut inner);
        let used = inner.min_rect();
        ui.advance_cursor_after_rect(used);
    });
}

fn head(ui: &mut Ui, pane: &mut SettingsPane, state: &State, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Settings").font(metrics.heading()).color(theme.text.normal));
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            let key = state.keymap.key_of(Command::OpenSettingsFile).unwrap_or_default();
            let path = state.config.settings.path().display().to_string();
            let open = Button::new("Open file").icon(icons::FILE_SETTINGS).tip(path).key(key);
            if ui.add(open).clicked() {
                sink.push(Command::OpenSettingsFile);
            }
            let models = Button::new("Models and servers").icon(icons::ROBOT);
            if ui.add(models.tip(Command::Models.spec().doc)).clicked() {
                sink.push(Command::Models);
            }
        });
    });
    ui.add_space(space::S);
    TextInput::new(&mut pane.filter, "Search settings")
        .hint("Search settings")
        .icon(icons::SEARCH)
        .clearable()
        .show(ui);
    ui.add_space(space::S);
}

/// What is wrong in the file, each at its line.
fn problems(ui: &mut Ui, state: &State, sink: &mut Sink) {
    for problem in &state.config.settings_problems {
        let text = format!("Line {}: {}", problem.line, problem.message);
        if Notice::new(Tone::Warning, text).action("Open file").show(ui) == NoticeResponse::Action(0) {
            let at = Some(crate::commands::Place { line: problem.line, column: 1 });
            sink.push(Action::OpenFile { path: state.config.settings.path().to_owned(), at });
        }
    }
}

/// The title of a section of a page.
pub(super) fn heading(ui: &mut Ui, section: &str) {
    let (theme, metrics) = look(ui);
    ui.add_space(space::L);
    ui.label(RichText::new(section).font(metrics.title()).color(theme.text.normal));
    ui.add_space(space::XS);
    separator(ui);
}

fn row(ui: &mut Ui, spec: &'static Spec, settings: &Settings, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    let value = (spec.get)(settings);
    let changed = value != (spec.get)(&Settings::default());
    ui.add_space(space::S);
    ui.horizontal_top(|ui| {
        // The two columns share the width exactly: anything more would widen the page with every row.
        ui.spacing_mut().item_spacing.x = 0.0;
        let words = ui.available_width() - CONTROL - space::L;
        ui.allocate_ui_with_layout(vec2(words, 0.0), Flow::top_down(Align::Min), |ui| {
            ui.set_width(words);
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(RichText::new(spec.title).font(metrics.medium()).color(theme.text.normal));
            ui.add(Label::new(RichText::new(spec.doc).font(metrics.small()).color(theme.text.muted)).wrap());
            ui.label(RichText::new(spec.key).font(metrics.code_inline()).color(theme.text.muted));
        });
        ui.add_space(space::L);
        ui.allocate_ui_with_layout(vec2(CONTROL, space::ROW), Flow::right_to_left(Align::Center), |ui| {
            if let Some(new) = control(ui, spec, value) {
                sink.push(Action::Set(spec, Some(new)));
            }
            if changed {
                let reset = IconButton::new(icons::UNDO, format!("Reset {}", spec.title));
                if ui.add(reset).clicked() {
                    sink.push(Action::Set(spec, None));
                }
            }
        });
    });
    ui.add_space(space::XS);
}

/// The control for a setting; what it was changed to.
fn control(ui: &mut Ui, spec: &Spec, value: Value) -> Option<Value> {
    match (spec.kind, value) {
        (Kind::Switch, Value::Switch(on)) => {
            let mut now = on;
            ui.add(Tick::new(&mut now, spec.title).without_label());
            (now != on).then_some(Value::Switch(now))
        }
        (Kind::Choice(choices), Value::Choice(chosen)) => choice(ui, spec, choices, chosen).map(Value::Choice),
        (Kind::Number { min, max, step, unit }, Value::Number(number)) => {
            stepper(ui, spec, (min, max, step), unit, number).map(Value::Number)
        }
        _ => None,
    }
}

fn choice(
    ui: &mut Ui,
    spec: &Spec,
    choices: &'static [(&'static str, &'static str)],
    chosen: &'static str,
) -> Option<&'static str> {
    let at = choices.iter().position(|(name, _)| *name == chosen).unwrap_or(0);
    // A few short choices are seen at once; more hide in a menu.
    if choices.len() == 2 {
        let shown: Vec<_> = choices.iter().map(|(_, title)| (None, *title)).collect();
        let mut now = at;
        let changed = Segmented::new(&shown).show(ui, &mut now);
        return changed.then(|| choices[now].0);
    }
    let title = choices[at].1;
    let button = Button::new(title).caret().name(format!("{}: {title}", spec.title));
    let picked = Dropdown::of(button).show(ui, |ui| {
        let mut picked = None;
        for (name, title) in choices {
            if ui.add(MenuItem::new(*title).chosen(*name == chosen)).clicked() {
                picked = Some(*name);
            }
        }
        picked
    });
    picked.inner.flatten()
}

/// A number with a button on each side, laid out from the right.
fn stepper(ui: &mut Ui, spec: &Spec, (min, max, step): (f64, f64, f64), unit: &str, number: f64) -> Option<f64> {
    let (theme, metrics) = look(ui);
    ui.spacing_mut().item_spacing.x = space::XS;
    let mut to = None;
    let more = ui.add_enabled(number < max, IconButton::new(icons::PLUS, format!("{}: more", spec.title)));
    if more.clicked() {
        to = Some(number + step);
    }
    let shown = format!("{} {unit}", (number * 100.0).round() / 100.0);
    let label = RichText::new(shown).font(metrics.body()).color(theme.text.normal);
    ui.add_sized(vec2(88.0, space::ROW), Label::new(label));
    let less = ui.add_enabled(number > min, IconButton::new(icons::MINUS, format!("{}: less", spec.title)));
    if less.clicked() {
        to = Some(number - step);
    }
    to.map(|to| ((to * 100.0).round() / 100.0).clamp(min, max))
}
