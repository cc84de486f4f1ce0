//! Keys and what they run: the table's defaults, changed by the user's keymap file.
//!
//! A *stroke* is one press with its modifiers, a *chord* one or two strokes in a row (`Ctrl+K Ctrl+S`). The file lists
//! bindings, later ones before earlier ones, all before the defaults:
//!
//! ```toml
//! [[bind]]
//! keys = "Ctrl+Alt+J"
//! command = "review.next-hunk-anywhere"
//! when = "review"          # as the command has it, if not given
//!
//! [[bind]]
//! command = "-edit.join-lines"   # takes its keys away: all, or those of `keys`
//! ```
//!
//! Letters are named without regard to case; Shift is always written. `Ctrl` is Command on macOS. A sign that needs
//! Shift is written as it is typed: `?`, not `Shift+/`.

use std::fmt;
use std::str::FromStr;

use eframe::egui::{Key, Modifiers};
use rustc_hash::FxHashMap;

use super::when::Focus;
use super::{Command, When};
use crate::state::config::{Problem, line_at, syntax_problem};

/// One press: a key and the modifiers held with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stroke {
    /// Ctrl; Command on macOS.
    pub command: bool,
    pub alt: bool,
    pub shift: bool,
    pub key: Key,
}

/// Why keys could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    #[error("`{0}` is not a key; write for example Ctrl+Shift+P, F5, Alt+Up, ?")]
    UnknownKey(String),
    #[error("`{0}` is not a modifier; there are Ctrl, Alt and Shift")]
    UnknownModifier(String),
    #[error("keys must not be empty")]
    Empty,
    #[error("more than two presses in a row")]
    TooLong,
}

/// Strokes in a row, as one binding has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chord(Vec<Stroke>);

impl Stroke {
    /// The strokes that a press may mean, the most exact first.
    ///
    /// A sign that needed Shift counts without it. The physical key counts where the logical one is no Latin letter or
    /// digit, so that keyboards with other scripts and other places of signs reach every binding.
    pub fn of_press(key: Key, physical: Option<Key>, modifiers: Modifiers) -> Vec<Self> {
        let with = |key: Key, shift: bool| Self { command: modifiers.command, alt: modifiers.alt, shift, key };
        let mut strokes = vec![with(key, modifiers.shift)];
        if modifiers.shift && is_sign(key) {
            strokes.push(with(key, false));
        }
        if let Some(physical) = physical.filter(|&physical| physical != key && !is_letter_or_digit(key)) {
            strokes.push(with(physical, modifiers.shift));
        }
        strokes
    }

    /// Whether this never types anything: it has Ctrl or Alt, or is a function key.
    pub fn is_shortcut(self) -> bool {
        self.command || self.alt || is_function_key(self.key)
    }
}

fn is_letter_or_digit(key: Key) -> bool {
    let name = key.name();
    name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_sign(key: Key) -> bool {
    sign(key).is_some()
}

fn is_function_key(key: Key) -> bool {
    let name = key.name();
    name.len() > 1 && name.starts_with('F') && name[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Signs with their keys, as they are written and shown.
const SIGNS: [(char, Key); 18] = [
    (':', Key::Colon),
    (',', Key::Comma),
    ('\\', Key::Backslash),
    ('/', Key::Slash),
    ('|', Key::Pipe),
    ('?', Key::Questionmark),
    ('!', Key::Exclamationmark),
    ('[', Key::OpenBracket),
    (']', Key::CloseBracket),
    ('{', Key::OpenCurlyBracket),
    ('}', Key::CloseCurlyBracket),
    ('`', Key::Backtick),
    ('-', Key::Minus),
    ('.', Key::Period),
    ('+', Key::Plus),
    ('=', Key::Equals),
    (';', Key::Semicolon),
    ('\'', Key::Quote),
];

fn sign(key: Key) -> Option<char> {
    SIGNS.iter().find(|(_, known)| *known == key).map(|(sign, _)| *sign)
}

fn key_by_name(name: &str) -> Option<Key> {
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        let found = SIGNS.iter().find(|(sign, _)| *sign == only).map(|(_, key)| *key);
        return found.or_else(|| Key::from_name(&only.to_ascii_uppercase().to_string()));
    }
    let lower = name.to_ascii_lowercase();
    let key = match lower.as_str() {
        "esc" => Key::Escape,
        "return" => Key::Enter,
        "del" => Key::Delete,
        "ins" => Key::Insert,
        "pgup" => Key::PageUp,
        "pgdn" | "pgdown" => Key::PageDown,
        _ => {
            let shown = Key::ALL.iter().copied().find(|key| shown_name(*key).eq_ignore_ascii_case(name));
            return shown.or_else(|| Key::from_name(name));
        }
    };
    Some(key)
}

fn shown_name(key: Key) -> &'static str {
    match key {
        Key::ArrowUp => "Up",
        Key::ArrowDown => "Down",
        Key::ArrowLeft => "Left",
        Key::ArrowRight => "Right",
        _ => key.name(),
    }
}

impl FromStr for Stroke {
    type Err = KeysError;

    fn from_str(text: &str) -> Result<Self, KeysError> {
        // A `+` at the end is the key itself: `Ctrl++`.
        let (modifiers, name) = match text.strip_suffix('+') {
            Some(before) => (before.strip_suffix('+').unwrap_or(before), "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let key = key_by_name(name).ok_or_else(|| KeysError::UnknownKey(name.to_owned()))?;
        let mut stroke = Self { command: false, alt: false, shift: false, key };
        for modifier in modifiers.split('+').filter(|part| !part.is_empty()) {
            match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "cmd" | "command" => stroke.command = true,
                "alt" | "option" => stroke.alt = true,
                "shift" => stroke.shift = true,
                _ => return Err(KeysError::UnknownModifier(modifier.to_owned())),
            }
        }
        Ok(stroke)
    }
}

impl fmt::Display for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.command {
            f.write_str(if cfg!(target_os = "macos") { "Cmd+" } else { "Ctrl+" })?;
        }
        if self.alt {
            f.write_str("Alt+")?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match sign(self.key) {
            Some(sign) => write!(f, "{sign}"),
            // A letter alone is typed, not capital.
            None if is_letter_or_digit(self.key) && !(self.command || self.alt || self.shift) => {
                f.write_str(&self.key.name().to_ascii_lowercase())
            }
            None => f.write_str(shown_name(self.key)),
        }
    }
}

impl FromStr for Chord {
    type Err = KeysError;

    fn from_str(text: &str) -> Result<Self, KeysError> {
        let strokes = text.split_whitespace().map(str::parse).collect::<Result<Vec<Stroke>, _>>()?;
        match strokes.len() {
            0 => Err(KeysError::Empty),
            1 | 2 => Ok(Self(strokes)),
            _ => Err(KeysError::TooLong),
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, stroke) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{stroke}")?;
        }
        Ok(())
    }
}

/// Keys that run a command under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Binding {
    chord: Chord,
    command: Command,
    when: When,
}

/// What strokes come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// They run this.
    Run(Command),
    /// They are the beginning of something.
    Pending,
    /// Nothing is bound to them.
    Nothing,
}

/// All bindings, later ones first in line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
    /// Made from the bindings, since every button asks for its key in every frame.
    shown: FxHashMap<Command, Vec<String>>,
}

impl Default for Keymap {
    fn default() -> Self {
        let mut bindings = Vec::new();
        for &command in Command::ALL {
            let spec = command.spec();
            for keys in spec.keys {
                match keys.parse() {
                    Ok(chord) => bindings.push(Binding { chord, command, when: spec.when }),
                    Err(error) => tracing::error!("default keys of {}: {error}", spec.id),
                }
            }
        }
        let mut keymap = Self { bindings, shown: FxHashMap::default() };
        keymap.list();
        keymap
    }
}

impl Keymap {
    /// The defaults changed by a keymap file, and what is wrong in that file. A faulty entry changes nothing.
    pub fn with_file(text: &str) -> (Self, Vec<Problem>) {
        let mut keymap = Self::default();
        let mut problems = Vec::new();
        let document = match toml_edit::Document::parse(text) {
            Ok(document) => document,
            Err(error) => return (keymap, vec![syntax_problem(text, &error)]),
        };
        for (name, item) in document.as_table() {
            let line = line_at(text, document.as_table().key(name).and_then(toml_edit::Key::span));
            if name != "bind" {
                problems.push(Problem { line, message: format!("`{name}` is not known here; there is only [[bind]]") });
                continue;
            }
            let Some(entries) = item.as_array_of_tables() else {
                problems.push(Problem { line, message: "write each binding as its own [[bind]]".to_owned() });
                continue;
            };
            for entry in entries {
                if let Err((line, message)) = keymap.take(text, entry) {
                    problems.push(Problem { line, message });
                }
            }
        }
        keymap.list();
        (keymap, problems)
    }

    /// Takes in one entry of the file.
    fn take(&mut self, text: &str, entry: &toml_edit::Table) -> Result<(), (u32, String)> {
        let at_entry = line_at(text, entry.span());
        let line_of = |name: &str| line_at(text, entry.key(name).and_then(toml_edit::Key::span)).max(at_entry);
        for (name, _) in entry {
            if !matches!(name, "keys" | "command" | "when") {
                return Err((line_of(name), format!("`{name}` is not known; there are keys, command and when")));
            }
        }
        let command = string(entry, "command").map_err(|error| (line_of("command"), error))?;
        let Some(command) = command else { return Err((at_entry, "a binding needs a command".to_owned())) };
        let keys = string(entry, "keys").map_err(|error| (line_of("keys"), error))?;
        let chord: Option<Chord> = keys
            .map(|keys| keys.parse().map_err(|error: KeysError| (line_of("keys"), error.to_string())))
            .transpose()?;
        let when = string(entry, "when").map_err(|error| (line_of("when"), error))?;
        let when =
            when.map(|name| When::by_name(name).ok_or_else(|| (line_of("when"), unknown_when(name)))).transpose()?;

        let (unbinds, id) = command.strip_prefix('-').map_or((false, command), |id| (true, id));
        let Some(command) = Command::by_id(id) else {
            return Err((line_of("command"), unknown_command(id)));
        };
        if unbinds {
            self.bindings.retain(|b| b.command != command || chord.as_ref().is_some_and(|chord| *chord != b.chord));
            return Ok(());
        }
        let Some(chord) = chord else { return Err((at_entry, "a binding needs keys".to_owned())) };
        self.bindings.push(Binding { chord, command, when: when.unwrap_or(command.spec().when) });
        Ok(())
    }

    /// What `typed` comes to with the keyboard in `focus`.
    pub fn resolve(&self, typed: &[Stroke], focus: &Focus) -> Resolution {
        let Some(&first) = typed.first() else { return Resolution::Nothing };
        let mut found = self.bindings.iter().rev().filter(|binding| binding.chord.0.starts_with(typed));
        match found.find(|binding| focus.allows(binding.when, first)) {
            Some(binding) if binding.chord.0.len() == typed.len() => Resolution::Run(binding.command),
            Some(_) => Resolution::Pending,
            None => Resolution::Nothing,
        }
    }

    /// The keys that really run a command, those of the user first; keys that another binding hides are left out.
    pub fn keys_of(&self, command: Command) -> &[String] {
        self.shown.get(&command).map_or(&[], Vec::as_slice)
    }

    /// The first of [`Self::keys_of`], for tooltips and menus.
    pub fn key_of(&self, command: Command) -> Option<&str> {
        self.keys_of(command).first().map(String::as_str)
    }

    /// Lists the keys of every command.
    fn list(&mut self) {
        let (user, default): (Vec<usize>, Vec<usize>) = (0..self.bindings.len()).partition(|&n| self.is_users(n));
        let mut shown: FxHashMap<Command, Vec<String>> = FxHashMap::default();
        for n in user.into_iter().rev().chain(default).filter(|&n| !self.is_hidden(n)) {
            let keys = shown.entry(self.bindings[n].command).or_default();
            let chord = self.bindings[n].chord.to_string();
            if !keys.contains(&chord) {
                keys.push(chord);
            }
        }
        self.shown = shown;
    }

    fn is_users(&self, n: usize) -> bool {
        let binding = &self.bindings[n];
        !binding.command.spec().keys.iter().any(|keys| keys.parse().is_ok_and(|chord: Chord| chord == binding.chord))
    }

    fn is_hidden(&self, n: usize) -> bool {
        let binding = &self.bindings[n];
        self.bindings[n + 1..].iter().any(|later| {
            later.command != binding.command && later.chord == binding.chord && later.when.covers(binding.when)
        })
    }
}

fn string<'a>(entry: &'a toml_edit::Table, name: &str) -> Result<Option<&'a str>, String> {
    match entry.get(name) {
        None => Ok(None),
        Some(item) => item.as_str().map(Some).ok_or_else(|| format!("{name} must be a text in quotes")),
    }
}

fn unknown_when(name: &str) -> String {
    let known: Vec<&str> = When::NAMES.iter().map(|(name, _)| *name).collect();
    format!("`{name}` is not a condition; there are {}", known.join(", "))
}

/// Says which command was meant, if one is near.
fn unknown_command(id: &str) -> String {
    let tail = id.rsplit('.').next().unwrap_or(id);
    let near = Command::ALL.iter().map(|command| command.spec().id).find(|known| {
        known.rsplit('.').next().is_some_and(|known| known == tail || (tail.len() > 3 && known.contains(tail)))
    });
    match near {
        Some(near) => format!("`{id}` is not a command; is `{near}` meant?"),
        None => format!("`{id}` is not a command; Keyboard Shortcuts lists them with their names"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::when::{At, PaneKind};
    use super::*;

    const READING: Focus = Focus { pane: PaneKind::Review, editing: false, at: At::Pane };
    const EDITING: Focus = Focus { pane: PaneKind::Editor, editing: true, at: At::Pane };

    fn strokes(text: &str) -> Vec<Stroke> {
        text.parse::<Chord>().unwrap().0
    }

    fn run(keymap: &Keymap, keys: &str, focus: &Focus) -> Resolution {
        keymap.resolve(&strokes(keys), focus)
    }

    #[test]
    fn every_default_is_read_and_shown_as_it_is_written() {
        for command in Command::ALL {
            for keys in command.spec().keys {
                let chord: Chord = keys.parse().unwrap_or_else(|error| panic!("{keys}: {error}"));
                assert_eq!(chord.to_string(), *keys);
            }
        }
    }

    #[test]
    fn keys_are_read_generously() {
        let check = |text: &str, shown: &str| assert_eq!(text.parse::<Chord>().unwrap().to_string(), shown, "{text}");
        check("ctrl+shift+p", "Ctrl+Shift+P");
        check("Ctrl++", "Ctrl++");
        check("+", "+");
        check("J", "j");
        check("Esc", "Escape");
        check("ctrl+K  ctrl+\\", "Ctrl+K Ctrl+\\");
        check("Alt+ArrowUp", "Alt+Up");
    }

    #[test]
    fn what_is_no_key_is_said() {
        assert_eq!("Ctrl+Foo".parse::<Chord>(), Err(KeysError::UnknownKey("Foo".to_owned())));
        assert_eq!("Hyper+F".parse::<Chord>(), Err(KeysError::UnknownModifier("Hyper".to_owned())));
        assert_eq!("".parse::<Chord>(), Err(KeysError::Empty));
        assert_eq!("a b c".parse::<Chord>(), Err(KeysError::TooLong));
    }

    #[test]
    fn a_chord_is_pending_until_its_second_stroke() {
        let keymap = Keymap::default();
        assert_eq!(run(&keymap, "Ctrl+K", &EDITING), Resolution::Pending);
        assert_eq!(run(&keymap, "Ctrl+K Ctrl+S", &EDITING), Resolution::Run(Command::Help));
        assert_eq!(run(&keymap, "Ctrl+K Ctrl+Q", &EDITING), Resolution::Nothing);
    }

    #[test]
    fn one_key_does_what_its_place_means() {
        let keymap = Keymap::default();
        assert_eq!(run(&keymap, "Enter", &EDITING), Resolution::Run(Command::NewLine));
        assert_eq!(run(&keymap, "Enter", &READING), Resolution::Run(Command::EditHere));
        assert_eq!(run(&keymap, "j", &READING), Resolution::Run(Command::NextHunk));
        assert_eq!(run(&keymap, "j", &EDITING), Resolution::Nothing);
    }

    #[test]
    fn a_sign_that_needs_shift_is_found_with_it() {
        let shift = Modifiers::SHIFT;
        let strokes = Stroke::of_press(Key::Questionmark, Some(Key::Slash), shift);
        let keymap = Keymap::default();
        let found: Vec<_> = strokes.iter().map(|stroke| keymap.resolve(&[*stroke], &READING)).collect();
        assert!(found.contains(&Resolution::Run(Command::HelpReading)), "{strokes:?} {found:?}");
    }

    #[test]
    fn the_physical_key_counts_where_the_logical_one_is_no_letter() {
        let shown = |key, physical| {
            let strokes = Stroke::of_press(key, Some(physical), Modifiers::COMMAND);
            strokes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(shown(Key::Minus, Key::Slash), ["Ctrl+-", "Ctrl+/"]);
        assert_eq!(shown(Key::J, Key::C), ["Ctrl+J"], "another layout of letters means its letters");
    }

    #[test]
    fn the_file_binds_and_unbinds() {
        let (keymap, problems) = Keymap::with_file(
            r#"
            [[bind]]
            keys = "Ctrl+P"
            command = "view.palette"
            [[bind]]
            command = "-edit.join-lines"
            [[bind]]
            keys = "Ctrl+Y"
            command = "-edit.redo"
            "#,
        );
        assert_eq!(problems, []);
        assert_eq!(run(&keymap, "Ctrl+P", &EDITING), Resolution::Run(Command::Palette));
        assert_eq!(keymap.keys_of(Command::Palette), ["Ctrl+P", "Ctrl+Shift+P", "F1"]);
        assert_eq!(keymap.keys_of(Command::QuickOpen), [] as [&str; 0], "hidden by the new binding");
        assert_eq!(keymap.keys_of(Command::JoinLines), [] as [&str; 0]);
        assert_eq!(keymap.keys_of(Command::Redo), ["Ctrl+Shift+Z"]);
    }

    #[test]
    fn a_binding_with_a_condition_hides_the_default_only_there() {
        let file = "[[bind]]\nkeys = \"Ctrl+P\"\ncommand = \"review.refresh\"\nwhen = \"review\"\n";
        let (keymap, problems) = Keymap::with_file(file);
        assert_eq!(problems, []);
        assert_eq!(run(&keymap, "Ctrl+P", &READING), Resolution::Run(Command::RefreshReview));
        assert_eq!(run(&keymap, "Ctrl+P", &EDITING), Resolution::Run(Command::QuickOpen));
        assert_eq!(keymap.keys_of(Command::QuickOpen), ["Ctrl+P"]);
    }

    #[test]
    fn what_is_wrong_is_told_at_its_line_and_the_rest_counts() {
        let file = "# mine\n[[bind]]\nkeys = \"Ctrl+Foo\"\ncommand = \"go.file\"\n\n[[bind]]\nkeys = \"F9\"\n\
                    command = \"go.nowhere\"\n[[bind]]\nkeys = \"F8\"\ncommand = \"go.file\"\nwhen = \"sleeping\"\n\
                    [[bind]]\nkeys = \"F7\"\ncommand = \"go.file\"\n";
        let (keymap, problems) = Keymap::with_file(file);
        let lines: Vec<u32> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 8, 12], "{problems:?}");
        assert!(problems[0].message.contains("`Foo` is not a key"), "{}", problems[0].message);
        assert!(problems[2].message.contains("reading"), "{}", problems[2].message);
        assert_eq!(run(&keymap, "F7", &EDITING), Resolution::Run(Command::QuickOpen));
    }

    #[test]
    fn a_file_that_is_no_toml_leaves_the_defaults() {
        let (keymap, problems) = Keymap::with_file("ok = 1\n[[bind\n");
        assert_eq!(keymap, Keymap::default());
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, 2);
    }
}
