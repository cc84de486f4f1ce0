//! What is typed into a terminal: keys, text, what input methods compose, what is pasted.

use eframe::egui::{Key as WindowKey, Modifiers as Held};
use terminal::Terminal;
use terminal::keys::{self, Key, KeyAction, KeyInput, Modifiers};
use terminal::paste::{self, Paste};

use super::{TerminalPane, said, typed};
use crate::state::State;
use crate::state::terminals::Question;

/// A key event; whether it was sent. Keys that type something are sent by their text.
pub fn key(pane: &mut TerminalPane, state: &mut State, key: WindowKey, held: Held, action: KeyAction) -> bool {
    let Some(terminal) = state.terminals.live(pane.terminal).cloned() else { return false };
    let Some(meant) = of_window(key) else { return false };
    let modes = terminal.with_screen(|screen| screen.modes());
    let modifiers = Modifiers { shift: held.shift, alt: held.alt, ctrl: held.ctrl, logo: held.mac_cmd };
    let types = matches!(meant, Key::Char(_)) && !held.ctrl && !held.alt && !held.mac_cmd;
    if types && !modes.kitty.all_as_escapes {
        return false;
    }
    let text = match meant {
        Key::Char(ch) if types => Some(if held.shift { ch.to_uppercase().to_string() } else { ch.to_string() }),
        _ => None,
    };
    let input = KeyInput { key: meant, modifiers, action, text: text.as_deref() };
    pane.moved = None;
    typed(terminal.send_key(&input), state);
    true
}

/// Text that a key, a layout or an input method made.
pub fn text(pane: &mut TerminalPane, state: &mut State, text: &str) {
    pane.composing.clear();
    pane.moved = None;
    if let Some(terminal) = state.terminals.live(pane.terminal).cloned() {
        typed(terminal.type_bytes(&keys::encode_text(text)), state);
    }
}

/// What an input method is composing.
pub fn composing(pane: &mut TerminalPane, text: &str) {
    text.clone_into(&mut pane.composing);
}

/// Pastes, with the guard.
pub fn paste(pane: &TerminalPane, state: &mut State, text: &str) {
    let Some(terminal) = state.terminals.live(pane.terminal).cloned() else { return };
    let modes = terminal.with_screen(|screen| screen.modes());
    match paste::guard(text, &modes) {
        Paste::Send(bytes) => said(terminal.type_bytes(&bytes), state),
        Paste::Ask { lines, bytes } => {
            state.terminals.question = Some(Question::Paste { terminal: pane.terminal, lines, bytes });
        }
    }
}

/// Tells the program whether it has the keyboard, if it wants to know.
pub fn tell_focus(pane: &mut TerminalPane, terminal: &Terminal, focused: bool) {
    if std::mem::replace(&mut pane.told_focus, focused) == focused {
        return;
    }
    if let Some(bytes) = terminal::mouse::focus(focused, &pane.frame.modes) {
        // One that has ended has nobody to tell.
        let _ = terminal.send(bytes);
    }
}

fn of_window(key: WindowKey) -> Option<Key> {
    Some(match key {
        WindowKey::Enter => Key::Enter,
        WindowKey::Tab => Key::Tab,
        WindowKey::Backspace => Key::Backspace,
        WindowKey::Escape => Key::Escape,
        WindowKey::ArrowUp => Key::Up,
        WindowKey::ArrowDown => Key::Down,
        WindowKey::ArrowRight => Key::Right,
        WindowKey::ArrowLeft => Key::Left,
        WindowKey::Home => Key::Home,
        WindowKey::End => Key::End,
        WindowKey::PageUp => Key::PageUp,
        WindowKey::PageDown => Key::PageDown,
        WindowKey::Insert => Key::Insert,
        WindowKey::Delete => Key::Delete,
        WindowKey::Space => Key::Char(' '),
        // egui shows it by the sign of mathematics.
        WindowKey::Minus => Key::Char('-'),
        other => {
            let name = other.symbol_or_name();
            if let Some(number) = name.strip_prefix('F').and_then(|number| number.parse().ok()) {
                return Some(Key::Function(number));
            }
            let mut chars = name.chars();
            let (ch, rest) = (chars.next()?, chars.next());
            if rest.is_some() {
                return None;
            }
            Key::Char(ch.to_ascii_lowercase())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_window_are_keys_of_a_terminal() {
        assert_eq!(of_window(WindowKey::A), Some(Key::Char('a')));
        assert_eq!(of_window(WindowKey::OpenBracket), Some(Key::Char('[')));
        assert_eq!(of_window(WindowKey::Minus), Some(Key::Char('-')));
        assert_eq!(of_window(WindowKey::Num3), Some(Key::Char('3')));
        assert_eq!(of_window(WindowKey::F12), Some(Key::Function(12)));
        assert_eq!(of_window(WindowKey::F), Some(Key::Char('f')));
    }
}
