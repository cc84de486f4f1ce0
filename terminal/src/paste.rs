//! What is pasted: never what it was not meant to be.
//!
//! Text from the clipboard may hold an escape sequence that ends the bracket early, or a line end that runs a command
//! unseen (CVE-2026-26982 is one of a family). So control characters are removed wherever they come from, and several
//! lines outside a bracket are asked about.

use crate::screen::Modes;

/// What is to be done with a text from the clipboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paste {
    /// Send these bytes.
    Send(Vec<u8>),
    /// The shell would run these lines one after another: ask, then send the bytes.
    Ask { lines: usize, bytes: Vec<u8> },
}

/// Guards a paste.
pub fn guard(text: &str, modes: &Modes) -> Paste {
    let text = text.replace("\r\n", "\r").replace('\n', "\r");
    let clean: String = text.chars().filter(|ch| !is_dangerous(*ch)).collect();
    if modes.bracketed_paste {
        return Paste::Send([b"\x1b[200~", clean.as_bytes(), b"\x1b[201~"].concat());
    }
    // A line end at the very end runs what the user sees; more than one runs what they do not.
    let lines = clean.trim_end_matches('\r').split('\r').count();
    let runs = clean.contains('\r');
    if runs && (lines > 1 || clean.ends_with("\r\r")) {
        return Paste::Ask { lines, bytes: clean.into_bytes() };
    }
    Paste::Send(clean.into_bytes())
}

/// Everything that a terminal or shell may act on but line end and tab.
fn is_dangerous(ch: char) -> bool {
    ch.is_control() && !matches!(ch, '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRACKETED: Modes = Modes {
        bracketed_paste: true,
        alternate_screen: false,
        application_cursor: false,
        application_keypad: false,
        focus_reports: false,
        alternate_scroll: false,
        newline: false,
        mouse: crate::screen::MouseMode::None,
        mouse_format: crate::screen::MouseFormat::Legacy,
        kitty: crate::screen::KittyFlags {
            disambiguate: false,
            event_types: false,
            alternate_keys: false,
            all_as_escapes: false,
            associated_text: false,
        },
    };

    #[test]
    fn a_bracket_cannot_be_ended_from_within() {
        let sent = guard("ls\x1b[201~id\r", &BRACKETED);
        assert_eq!(sent, Paste::Send(b"\x1b[200~ls[201~id\r\x1b[201~".to_vec()));
    }

    #[test]
    fn control_characters_never_get_through() {
        let text: String = (0u8..32).chain([127]).map(char::from).chain("\u{9b}201~\u{85}".chars()).collect();
        for modes in [BRACKETED, Modes::default()] {
            let bytes = match guard(&text, &modes) {
                Paste::Send(bytes) | Paste::Ask { bytes, .. } => bytes,
            };
            let inside = String::from_utf8(bytes).expect("valid").replace("\x1b[200~", "").replace("\x1b[201~", "");
            assert_eq!(inside.replace(['\t', '\r'], ""), "201~");
        }
    }

    #[test]
    fn several_lines_are_asked_about_outside_a_bracket() {
        let plain = Modes::default();
        assert_eq!(guard("ls", &plain), Paste::Send(b"ls".to_vec()));
        assert_eq!(guard("ls\n", &plain), Paste::Send(b"ls\r".to_vec()));
        assert_eq!(guard("a\r\nb", &plain), Paste::Ask { lines: 2, bytes: b"a\rb".to_vec() });
        assert_eq!(guard("a\nb", &BRACKETED), Paste::Send(b"\x1b[200~a\rb\x1b[201~".to_vec()));
    }
}
