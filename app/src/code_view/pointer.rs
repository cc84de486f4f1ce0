//! Mouse presses and drags as selections: a press makes a caret, a second one selects the word, a third the line, and
//! a drag goes on in those units.

use std::ops::Range;

use editor::movement;
use editor::text::Text;
use eframe::egui::{Event, Modifiers, PointerButton, Pos2, Response, Ui};

/// What a drag extends by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unit {
    #[default]
    Character,
    Word,
    Line,
}

impl Unit {
    /// What of a text it is at an offset; bytes.
    pub fn around(self, text: &Text, at: usize) -> Range<usize> {
        match self {
            Self::Character => at..at,
            Self::Word => movement::word_around(text, at),
            Self::Line => {
                let line = text.line_of(at);
                text.line_start(line)..text.line_end_full(line)
            }
        }
    }
}

/// A press of the primary button.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub pos: Pos2,
    pub unit: Unit,
    pub modifiers: Modifiers,
}

/// Counts presses: egui reports a double click when the button is released, text reacts when it is pressed.
#[derive(Clone, Debug, Default)]
pub struct Clicks {
    last: Option<(f64, Pos2)>,
    count: u32,
}

/// Presses within this many seconds and points belong together.
const TOGETHER: (f64, f32) = (0.4, 6.0);

impl Clicks {
    /// The press in this frame, if one happened on `response`.
    pub fn press(&mut self, ui: &Ui, response: &Response) -> Option<Press> {
        let (pressed, pos, time) =
            ui.input(|i| (i.pointer.button_pressed(PointerButton::Primary), i.pointer.interact_pos(), i.time));
        let modifiers = modifiers(ui);
        let pos = pos.filter(|_| pressed && is_hit(response))?;
        let together = self.last.is_some_and(|(t, at)| time - t < TOGETHER.0 && at.distance(pos) < TOGETHER.1);
        self.count = if together { self.count % 3 + 1 } else { 1 };
        self.last = Some((time, pos));
        let unit = match self.count {
            2 => Unit::Word,
            3 => Unit::Line,
            _ => Unit::Character,
        };
        Some(Press { pos, unit, modifiers })
    }
}

/// Whether a press now would be one on `response`, and not on a button that lies over it. `contains_pointer` says yes
/// beneath such a button, too, and so does every flag that counts drags.
pub fn is_hit(response: &Response) -> bool {
    response.ctx.viewport(|viewport| viewport.hits.click.is_some_and(|hit| hit.id == response.id))
}

/// What is held: when the primary button was pressed, if it was in this frame. Under load the keys may have been let go
/// of before the frame comes that sees the press.
pub fn modifiers(ui: &Ui) -> Modifiers {
    ui.input(|input| {
        let pressed = input.events.iter().find_map(|event| match event {
            Event::PointerButton { button: PointerButton::Primary, pressed: true, modifiers, .. } => Some(*modifiers),
            _ => None,
        });
        pressed.unwrap_or(input.modifiers)
    })
}

/// The anchor and head of a selection that started with `start` and has reached `now`.
pub fn extend<P: Copy + Ord>(start: &Range<P>, now: &Range<P>) -> (P, P) {
    if now.start < start.start { (start.end, now.start) } else { (start.start, now.end.max(start.end)) }
}

#[cfg(test)]
mod tests {
    use super::extend;

    #[test]
    fn a_drag_by_words_keeps_the_first_word_selected() {
        assert_eq!(extend(&(4..8), &(10..12)), (4, 12));
        assert_eq!(extend(&(4..8), &(0..3)), (8, 0));
        assert_eq!(extend(&(4..8), &(4..8)), (4, 8));
    }
}
