//! The line in which one types what to find: pattern, options, status, next and previous. What is searched is the
//! business of the view that shows it.

use editor::find::Query;
use eframe::egui::{self, Align, EventFilter, Id, Layout, Rect, RichText, Ui};

use crate::theme::{icons, space};
use crate::widgets::{IconButton, TextInput, Tone};

/// Height of the line.
pub const HEIGHT: f32 = 36.0;

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Nothing,
    Next,
    Previous,
    Close,
    /// The query changed: the first match from where the bar was opened is to be shown.
    Changed,
}

/// What is typed.
#[derive(Clone, Debug, Default)]
pub struct FindInput {
    pub query: Query,
    /// What is wrong with the pattern.
    pub error: Option<String>,
    /// The keyboard goes to the pattern in the next frame.
    pub focus: bool,
}

impl FindInput {
    /// Draws the line into `rect`; `status` says how many there are.
    pub fn draw(&mut self, ui: &mut Ui, rect: Rect, id: Id, status: &str) -> Asked {
        let mut asked = Asked::Nothing;
        let layout = Layout::left_to_right(Align::Center);
        let mut ui = ui.new_child(egui::UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
        ui.spacing_mut().item_spacing.x = space::XS;
        let before = self.query.clone();
        let input = TextInput::new(&mut self.query.pattern, "Find")
            .id(id)
            .hint("Find")
            .icon(icons::SEARCH)
            .width((rect.width() * 0.4).clamp(160.0, 420.0))
            .code()
            .tone(if self.error.is_some() { Tone::Danger } else { Tone::Neutral })
            .show(&mut ui);
        if std::mem::take(&mut self.focus) {
            input.request_focus();
        }
        if input.has_focus() {
            // Escape is ours: it would take the focus before anything is drawn, and then be a key of the pane's.
            let filter = EventFilter { escape: true, horizontal_arrows: true, vertical_arrows: true, tab: false };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        }
        if input.has_focus() || input.lost_focus() {
            asked = keys(&ui);
            if matches!(asked, Asked::Next | Asked::Previous) {
                input.request_focus();
            }
        }
        for (on, icon, name) in [
            (&mut self.query.case, icons::FIND_CASE, "Match case"),
            (&mut self.query.word, icons::FIND_WORD, "Whole words"),
            (&mut self.query.regex, icons::FIND_REGEX, "Regular expression"),
        ] {
            if ui.add(IconButton::new(icon, name).selected(*on)).clicked() {
                *on = !*on;
            }
        }
        if self.query != before {
            asked = Asked::Changed;
        }
        if ui.add(IconButton::new(icons::ARROW_UP, "Previous match").key("Shift+F3")).clicked() {
            asked = Asked::Previous;
        }
        if ui.add(IconButton::new(icons::ARROW_DOWN, "Next match").key("F3")).clicked() {
            asked = Asked::Next;
        }
        ui.label(RichText::new(self.error.as_deref().unwrap_or(status)).small());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.add(IconButton::new(icons::X, "Close find").key("Escape")).clicked() {
                asked = Asked::Close;
            }
        });
        asked
    }
}

fn keys(ui: &Ui) -> Asked {
    ui.input(|input| {
        if input.key_pressed(egui::Key::Escape) {
            Asked::Close
        } else if input.key_pressed(egui::Key::Enter) {
            if input.modifiers.shift { Asked::Previous } else { Asked::Next }
        } else {
            Asked::Nothing
        }
    })
}

/// "3 of 12", and what to say while there is nothing.
pub fn status(input: &FindInput, count: usize, limited: bool, current: Option<usize>, busy: bool) -> String {
    let more = if limited { "+" } else { "" };
    match (count, current) {
        _ if input.query.pattern.is_empty() => String::new(),
        (0, _) if busy => "searching".to_owned(),
        (0, _) => "no match".to_owned(),
        (_, Some(n)) => format!("{} of {count}{more}", n + 1),
        (1, None) => format!("1{more} match"),
        (_, None) => format!("{count}{more} matches"),
    }
}
