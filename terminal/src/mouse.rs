//! The mouse as bytes, in the formats of xterm (1000, 1002, 1003; legacy, 1005, 1006).

use crate::keys::Modifiers;
use crate::screen::{Modes, MouseFormat, MouseMode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseButton {
    Left,
    Middle,
    Right,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    Press(MouseButton),
    Release(MouseButton),
    /// Moved into another cell, with the button that is held.
    Move(Option<MouseButton>),
    WheelUp,
    WheelDown,
    WheelLeft,
    WheelRight,
}

/// The bytes of a mouse event at a cell of the screen, counted from 0; `None` when the program does not want it.
pub fn encode(action: MouseAction, row: u16, column: u16, held: Modifiers, modes: &Modes) -> Option<Vec<u8>> {
    let wanted = match (modes.mouse, action) {
        (MouseMode::None, _) => false,
        (MouseMode::Clicks, MouseAction::Move(_)) => false,
        (MouseMode::Drags, MouseAction::Move(button)) => button.is_some(),
        _ => true,
    };
    if !wanted {
        return None;
    }
    let number = |button| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    let is_release = matches!(action, MouseAction::Release(_));
    let button = match action {
        MouseAction::Press(button) => number(button),
        // Only SGR says which button was let go.
        MouseAction::Release(button) if modes.mouse_format == MouseFormat::Sgr => number(button),
        MouseAction::Release(_) => 3,
        MouseAction::Move(button) => 32 + button.map_or(3, number),
        MouseAction::WheelUp => 64,
        MouseAction::WheelDown => 65,
        MouseAction::WheelLeft => 66,
        MouseAction::WheelRight => 67,
    };
    let modifiers = u8::from(held.shift) * 4 + u8::from(held.alt) * 8 + u8::from(held.ctrl) * 16;
    let button = button + modifiers;
    match modes.mouse_format {
        MouseFormat::Sgr => {
            let end = if is_release { 'm' } else { 'M' };
            Some(format!("\x1b[<{button};{};{}{end}", column + 1, row + 1).into_bytes())
        }
        MouseFormat::Legacy => {
            // Beyond 223 there is no byte for it.
            let byte = |at: u16| u8::try_from(at + 33).ok();
            Some(vec![0x1b, b'[', b'M', button + 32, byte(column)?, byte(row)?])
        }
        MouseFormat::Utf8 => {
            let ch = |at: u16| (at < 2015).then(|| char::from_u32(u32::from(at) + 33)).flatten();
            let mut out = b"\x1b[M".to_vec();
            let mut buffer = [0; 4];
            for ch in [char::from(button + 32), ch(column)?, ch(row)?] {
                out.extend_from_slice(ch.encode_utf8(&mut buffer).as_bytes());
            }
            Some(out)
        }
    }
}

/// The wheel on the alternate screen moves the cursor, when the program does not take the mouse. Positive is up.
pub fn wheel_as_keys(lines: i32, modes: &Modes) -> Option<Vec<u8>> {
    if !modes.alternate_screen || !modes.alternate_scroll || modes.mouse != MouseMode::None {
        return None;
    }
    let key: &[u8] = match (lines > 0, modes.application_cursor) {
        (true, true) => b"\x1bOA",
        (true, false) => b"\x1b[A",
        (false, true) => b"\x1bOB",
        (false, false) => b"\x1b[B",
    };
    Some(key.repeat(lines.unsigned_abs().min(100) as usize))
}

/// What a program that wants to know is told when the terminal gets or loses the keyboard.
pub fn focus(focused: bool, modes: &Modes) -> Option<&'static [u8]> {
    modes.focus_reports.then_some(if focused { b"\x1b[I" } else { b"\x1b[O" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(mouse: MouseMode, mouse_format: MouseFormat) -> Modes {
        Modes { mouse, mouse_format, ..Modes::default() }
    }

    #[track_caller]
    fn check(action: MouseAction, modes: &Modes, expected: Option<&str>) {
        let sent = encode(action, 1, 2, Modifiers::NONE, modes);
        assert_eq!(sent.as_deref(), expected.map(str::as_bytes), "{action:?} {modes:?}");
    }

    #[test]
    fn the_program_gets_what_it_asked_for() {
        let sgr = modes(MouseMode::Drags, MouseFormat::Sgr);
        check(MouseAction::Press(MouseButton::Left), &sgr, Some("\x1b[<0;3;2M"));
        check(MouseAction::Release(MouseButton::Right), &sgr, Some("\x1b[<2;3;2m"));
        check(MouseAction::Move(Some(MouseButton::Left)), &sgr, Some("\x1b[<32;3;2M"));
        check(MouseAction::Move(None), &sgr, None);
        check(MouseAction::WheelDown, &sgr, Some("\x1b[<65;3;2M"));
        let clicks = modes(MouseMode::Clicks, MouseFormat::Legacy);
        check(MouseAction::Press(MouseButton::Middle), &clicks, Some("\x1b[M!#\""));
        check(MouseAction::Release(MouseButton::Middle), &clicks, Some("\x1b[M##\""));
        check(MouseAction::Move(Some(MouseButton::Left)), &clicks, None);
        check(MouseAction::Move(None), &modes(MouseMode::Motion, MouseFormat::Sgr), Some("\x1b[<35;3;2M"));
        check(MouseAction::WheelUp, &Modes::default(), None);
    }

    #[test]
    fn what_legacy_cannot_say_is_not_said() {
        let legacy = modes(MouseMode::Clicks, MouseFormat::Legacy);
        assert_eq!(encode(MouseAction::WheelUp, 1, 300, Modifiers::NONE, &legacy), None);
        let utf8 = modes(MouseMode::Clicks, MouseFormat::Utf8);
        let sent = encode(MouseAction::WheelUp, 1, 300, Modifiers::NONE, &utf8);
        assert_eq!(sent.as_deref(), Some("\x1b[M`ō\"".as_bytes()));
    }

    #[test]
    fn the_wheel_moves_a_pager() {
        let pager = Modes { alternate_screen: true, alternate_scroll: true, ..Modes::default() };
        assert_eq!(wheel_as_keys(2, &pager).as_deref(), Some(&b"\x1b[A\x1b[A"[..]));
        assert_eq!(wheel_as_keys(2, &Modes::default()), None);
    }
}
