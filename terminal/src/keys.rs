//! Keys as bytes: what xterm sends, and the kitty keyboard protocol when the program asks for it.
//!
//! Nothing here knows the window; it says which key with which modifiers and what text the layout makes of it.

use crate::screen::Modes;

/// A key, by what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// By the character it has without Shift, in lower case.
    Char(char),
    Enter,
    Tab,
    Backspace,
    Escape,
    Up,
    Down,
    Right,
    Left,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    /// F1–F35
    Function(u8),
}

/// Held with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    pub shift: bool,
    pub alt: bool,
    pub ctrl: bool,
    /// Command or Windows.
    pub logo: bool,
}

impl Modifiers {
    pub const NONE: Self = Self { shift: false, alt: false, ctrl: false, logo: false };

    /// The bits of both protocols.
    fn bits(self) -> u8 {
        u8::from(self.shift) | u8::from(self.alt) << 1 | u8::from(self.ctrl) << 2 | u8::from(self.logo) << 3
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyAction {
    #[default]
    Press,
    Repeat,
    Release,
}

/// A key event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInput<'a> {
    pub key: Key,
    pub modifiers: Modifiers,
    pub action: KeyAction,
    /// What the layout makes of it, for keys that type something.
    pub text: Option<&'a str>,
}

impl<'a> KeyInput<'a> {
    pub fn press(key: Key, modifiers: Modifiers) -> Self {
        Self { key, modifiers, action: KeyAction::Press, text: None }
    }

    #[must_use]
    pub fn typing(mut self, text: &'a str) -> Self {
        self.text = Some(text);
        self
    }
}

/// The bytes of a key event; empty when it sends nothing.
pub fn encode(input: &KeyInput<'_>, modes: &Modes) -> Vec<u8> {
    if modes.kitty.any() {
        return kitty(input, modes);
    }
    if input.action == KeyAction::Release {
        return Vec::new();
    }
    legacy(input, modes)
}

/// Text that comes without a key: from an input method, or pasted by the window without the guard.
pub fn encode_text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn legacy(input: &KeyInput<'_>, modes: &Modes) -> Vec<u8> {
    let held = input.modifiers;
    let with_alt = |bytes: &[u8]| {
        let mut out = if held.alt { vec![0x1b] } else { Vec::new() };
        out.extend_from_slice(bytes);
        out
    };
    match input.key {
        Key::Enter if modes.newline => with_alt(b"\r\n"),
        Key::Enter => with_alt(b"\r"),
        Key::Escape => with_alt(b"\x1b"),
        Key::Tab if held.shift => with_alt(b"\x1b[Z"),
        Key::Tab => with_alt(b"\t"),
        Key::Backspace if held.ctrl => with_alt(b"\x08"),
        Key::Backspace => with_alt(b"\x7f"),
        Key::Char(ch) => {
            if held.ctrl
                && let Some(control) = control(ch)
            {
                return with_alt(&[control]);
            }
            match input.text {
                Some(text) if !held.ctrl || held.alt => {
                    // AltGr types; Alt as a modifier comes with the plain letter.
                    let plain = held.alt && !held.ctrl;
                    if plain { with_alt(text.as_bytes()) } else { text.as_bytes().to_vec() }
                }
                _ if held.alt || !held.ctrl => {
                    let mut buffer = [0; 4];
                    let ch = if held.shift { ch.to_uppercase().next().unwrap_or(ch) } else { ch };
                    with_alt(ch.encode_utf8(&mut buffer).as_bytes())
                }
                _ => Vec::new(),
            }
        }
        key => functional(key, held, modes.application_cursor),
    }
}

/// The control character of a key held with Ctrl.
fn control(ch: char) -> Option<u8> {
    Some(match ch {
        'a'..='z' => ch as u8 - b'a' + 1,
        'A'..='Z' => ch as u8 - b'A' + 1,
        ' ' | '@' | '2' | '`' => 0,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '~' | '6' => 0x1e,
        '_' | '/' | '7' | '-' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

/// Keys that move, and F keys, in the forms that terminfo's xterm-256color lists.
fn functional(key: Key, held: Modifiers, application_cursor: bool) -> Vec<u8> {
    let modifier = held.bits() + 1;
    match functional_code(key) {
        Some(Code::Letter(letter)) => {
            let arrows = b"ABCDHF".contains(&letter);
            if modifier > 1 {
                format!("\x1b[1;{modifier}{}", char::from(letter)).into_bytes()
            } else if !arrows || application_cursor {
                vec![0x1b, b'O', letter]
            } else {
                vec![0x1b, b'[', letter]
            }
        }
        Some(Code::Number(number)) if modifier > 1 => format!("\x1b[{number};{modifier}~").into_bytes(),
        Some(Code::Number(number)) => format!("\x1b[{number}~").into_bytes(),
        None => Vec::new(),
    }
}

enum Code {
    /// `CSI letter`, `SS3 letter`
    Letter(u8),
    /// `CSI number ~`
    Number(u8),
}

fn functional_code(key: Key) -> Option<Code> {
    Some(match key {
        Key::Up => Code::Letter(b'A'),
        Key::Down => Code::Letter(b'B'),
        Key::Right => Code::Letter(b'C'),
        Key::Left => Code::Letter(b'D'),
        Key::Home => Code::Letter(b'H'),
        Key::End => Code::Letter(b'F'),
        Key::Insert => Code::Number(2),
        Key::Delete => Code::Number(3),
        Key::PageUp => Code::Number(5),
        Key::PageDown => Code::Number(6),
        Key::Function(number @ 1..=4) => Code::Letter(b'P' + number - 1),
        Key::Function(5) => Code::Number(15),
        Key::Function(number @ 6..=10) => Code::Number(11 + number),
        Key::Function(number @ 11..=14) => Code::Number(12 + number),
        Key::Function(number @ 15..=16) => Code::Number(13 + number),
        Key::Function(number @ 17..=20) => Code::Number(14 + number),
        _ => return None,
    })
}

/// <https://sw.kovidgoyal.net/kitty/keyboard-protocol/>
fn kitty(input: &KeyInput<'_>, modes: &Modes) -> Vec<u8> {
    let flags = modes.kitty;
    let held = input.modifiers;
    if input.action == KeyAction::Release && !flags.event_types {
        return Vec::new();
    }
    let types_text = input.text.is_some_and(|text| text.chars().all(|ch| !ch.is_control()));
    let plain = !held.alt && !held.ctrl && !held.logo;
    // AltGr comes as Ctrl+Alt with a text of its own.
    let layout_text = held.ctrl && held.alt && types_text;
    if !flags.all_as_escapes {
        let is_text = matches!(input.key, Key::Char(_)) && (plain || layout_text);
        if is_text {
            return match input.action {
                KeyAction::Release => Vec::new(),
                _ => legacy(input, modes),
            };
        }
        // These stay what they are, so that a shell can be used after a program that crashed.
        let stays = matches!(input.key, Key::Enter | Key::Tab | Key::Backspace) && held == Modifiers::NONE;
        if stays {
            return if input.action == KeyAction::Release { Vec::new() } else { legacy(input, modes) };
        }
    }

    let modifier = held.bits() + 1;
    let event = match input.action {
        KeyAction::Press => 1,
        KeyAction::Repeat => 2,
        KeyAction::Release => 3,
    };
    let with_event = flags.event_types && event != 1;
    let modifiers = match (modifier, with_event) {
        (1, false) => String::new(),
        (modifier, false) => format!("{modifier}"),
        (modifier, true) => format!("{modifier}:{event}"),
    };
    match functional_code(input.key) {
        // F3's letter would look like a cursor position report.
        Some(Code::Letter(b'R')) => tilde(13, &modifiers),
        Some(Code::Letter(letter)) if modifiers.is_empty() => functional_plain(letter, modes.application_cursor),
        Some(Code::Letter(letter)) => format!("\x1b[1;{modifiers}{}", char::from(letter)).into_bytes(),
        Some(Code::Number(number)) if matches!(input.key, Key::Function(13..)) => {
            let _ = number;
            kitty_number(input, &modifiers, flags.alternate_keys, flags.associated_text && types_text)
        }
        Some(Code::Number(number)) => tilde(number, &modifiers),
        None => kitty_number(input, &modifiers, flags.alternate_keys, flags.associated_text && types_text),
    }
}

fn functional_plain(letter: u8, application_cursor: bool) -> Vec<u8> {
    let ss3 = !b"ABCDHF".contains(&letter) || application_cursor;
    vec![0x1b, if ss3 { b'O' } else { b'[' }, letter]
}

fn tilde(number: u8, modifiers: &str) -> Vec<u8> {
    let separator = if modifiers.is_empty() { "" } else { ";" };
    format!("\x1b[{number}{separator}{modifiers}~").into_bytes()
}

/// `CSI code[:shifted];modifiers;text u`
fn kitty_number(input: &KeyInput<'_>, modifiers: &str, alternate: bool, with_text: bool) -> Vec<u8> {
    let code = match input.key {
        Key::Char(ch) => ch.to_lowercase().next().unwrap_or(ch) as u32,
        Key::Enter => 13,
        Key::Tab => 9,
        Key::Backspace => 127,
        Key::Escape => 27,
        Key::Function(number @ 13..=35) => 57_376 + u32::from(number) - 13,
        _ => return Vec::new(),
    };
    let mut out = format!("\x1b[{code}");
    let shifted = input.text.and_then(|text| text.chars().next()).map(u32::from).filter(|shifted| *shifted != code);
    if alternate
        && input.modifiers.shift
        && let Some(shifted) = shifted
    {
        out += &format!(":{shifted}");
    }
    let text = input.text.filter(|_| with_text && input.action != KeyAction::Release);
    if !modifiers.is_empty() || text.is_some() {
        out += ";";
        out += modifiers;
    }
    if let Some(text) = text {
        let codes: Vec<_> = text.chars().map(|ch| u32::from(ch).to_string()).collect();
        out += ";";
        out += &codes.join(":");
    }
    (out + "u").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::KittyFlags;

    const SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::NONE };
    const CTRL: Modifiers = Modifiers { ctrl: true, ..Modifiers::NONE };
    const ALT: Modifiers = Modifiers { alt: true, ..Modifiers::NONE };
    const CTRL_SHIFT: Modifiers = Modifiers { ctrl: true, shift: true, ..Modifiers::NONE };

    #[track_caller]
    fn check(key: Key, held: Modifiers, text: Option<&str>, modes: Modes, expected: &str) {
        let input = KeyInput { key, modifiers: held, action: KeyAction::Press, text };
        assert_eq!(String::from_utf8_lossy(&encode(&input, &modes)), expected, "{key:?} {held:?}");
    }

    #[test]
    fn plain_keys_are_what_xterm_sends() {
        let modes = Modes::default();
        for (key, held, text, expected) in [
            (Key::Char('a'), Modifiers::NONE, Some("a"), "a"),
            (Key::Char('a'), SHIFT, Some("A"), "A"),
            (Key::Char('c'), CTRL, None, "\x03"),
            (Key::Char(' '), CTRL, None, "\0"),
            (Key::Char('['), CTRL, None, "\x1b"),
            (Key::Char('/'), CTRL, None, "\x1f"),
            (Key::Char('f'), ALT, Some("f"), "\x1bf"),
            (Key::Char('f'), ALT, None, "\x1bf"),
            (Key::Char('q'), Modifiers { ctrl: true, alt: true, ..Modifiers::NONE }, None, "\x1b\x11"),
            (Key::Enter, Modifiers::NONE, None, "\r"),
            (Key::Tab, SHIFT, None, "\x1b[Z"),
            (Key::Backspace, Modifiers::NONE, None, "\x7f"),
            (Key::Backspace, ALT, None, "\x1b\x7f"),
            (Key::Up, Modifiers::NONE, None, "\x1b[A"),
            (Key::Right, CTRL, None, "\x1b[1;5C"),
            (Key::Home, SHIFT, None, "\x1b[1;2H"),
            (Key::Delete, Modifiers::NONE, None, "\x1b[3~"),
            (Key::PageUp, CTRL_SHIFT, None, "\x1b[5;6~"),
            (Key::Function(1), Modifiers::NONE, None, "\x1bOP"),
            (Key::Function(4), SHIFT, None, "\x1b[1;2S"),
            (Key::Function(5), Modifiers::NONE, None, "\x1b[15~"),
            (Key::Function(6), Modifiers::NONE, None, "\x1b[17~"),
            (Key::Function(10), Modifiers::NONE, None, "\x1b[21~"),
            (Key::Function(12), CTRL, None, "\x1b[24;5~"),
        ] {
            check(key, held, text, modes, expected);
        }
    }

    #[test]
    fn cursor_keys_follow_the_mode() {
        let modes = Modes { application_cursor: true, ..Modes::default() };
        check(Key::Up, Modifiers::NONE, None, modes, "\x1bOA");
        check(Key::Up, CTRL, None, modes, "\x1b[1;5A");
        check(Key::Enter, Modifiers::NONE, None, Modes { newline: true, ..Modes::default() }, "\r\n");
    }

    #[test]
    fn kitty_tells_keys_apart() {
        let kitty = KittyFlags { disambiguate: true, ..KittyFlags::default() };
        let modes = Modes { kitty, ..Modes::default() };
        check(Key::Char('a'), Modifiers::NONE, Some("a"), modes, "a");
        check(Key::Char('A'), SHIFT, Some("A"), modes, "A");
        check(Key::Char('i'), CTRL, None, modes, "\x1b[105;5u");
        check(Key::Char('c'), CTRL_SHIFT, None, modes, "\x1b[99;6u");
        check(Key::Escape, Modifiers::NONE, None, modes, "\x1b[27u");
        check(Key::Enter, Modifiers::NONE, None, modes, "\r");
        check(Key::Enter, SHIFT, None, modes, "\x1b[13;2u");
        check(Key::Tab, CTRL, None, modes, "\x1b[9;5u");
        check(Key::Up, Modifiers::NONE, None, modes, "\x1b[A");
        check(Key::Up, ALT, None, modes, "\x1b[1;3A");
        check(Key::Function(3), Modifiers::NONE, None, modes, "\x1b[13~");
        check(Key::Function(5), SHIFT, None, modes, "\x1b[15;2~");
        check(Key::Function(13), Modifiers::NONE, None, modes, "\x1b[57376u");
    }

    #[test]
    fn kitty_tells_releases_and_text() {
        let kitty = KittyFlags {
            disambiguate: true,
            event_types: true,
            alternate_keys: true,
            all_as_escapes: true,
            associated_text: true,
        };
        let modes = Modes { kitty, ..Modes::default() };
        check(Key::Char('a'), SHIFT, Some("A"), modes, "\x1b[97:65;2;65u");
        let release =
            KeyInput { key: Key::Char('a'), modifiers: Modifiers::NONE, action: KeyAction::Release, text: None };
        assert_eq!(encode(&release, &modes), b"\x1b[97;1:3u");
        assert_eq!(encode(&release, &Modes::default()), b"");
    }
}
