//! Keys, text, pointer and wheel, as a window feeds them.
//!
//! A key arrives as the window's library sends it: pressed, the text it types if any, released; the clipboard's keys
//! arrive as clipboard events. [`parse_steps`] reads a line of keys (`Ctrl+P 'main.rs' Enter`), for the command line
//! and for tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{
    DroppedFile, Event, HoveredFile, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase,
    vec2,
};

use super::Headless;

/// One thing that a user does at the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Presses and releases a key while others are held.
    Chord(Modifiers, Key),
    /// Types characters.
    Type(String),
}

/// Reads keys separated by blanks, and text to type in single quotes: `Ctrl+P 'main.rs' Enter`.
///
/// # Errors
/// One sentence that names what is not a key.
pub fn parse_steps(text: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('\'')
            && let Some((typed, after)) = quoted.split_once('\'')
        {
            steps.push(Step::Type(typed.to_owned()));
            rest = after.trim_start();
            continue;
        }
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        steps.push(parse_chord(word)?);
        rest = after.trim_start();
    }
    Ok(steps)
}

fn parse_chord(word: &str) -> Result<Step, String> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = word;
    // The last `+` may be the key itself: `Ctrl++`.
    while let Some((modifier, after)) =
        rest.split_once('+').filter(|(before, after)| !before.is_empty() && !after.is_empty())
    {
        modifiers |= match modifier.to_ascii_lowercase().as_str() {
            "ctrl" | "cmd" => Modifiers::CTRL | Modifiers::COMMAND,
            "alt" => Modifiers::ALT,
            "shift" => Modifiers::SHIFT,
            _ => return Err(format!("`{modifier}` in `{word}` is not a key to hold: use Ctrl, Alt or Shift")),
        };
        rest = after;
    }
    let key = Key::from_name(rest).ok_or_else(|| format!("`{rest}` is not a key; text to type stands in 'quotes'"))?;
    Ok(Step::Chord(modifiers, key))
}

/// A file that was let go of over the window. Nobody asks it for its contents: they are read as those of any file.
#[derive(Debug)]
struct Dropped(PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err(format!("{} is to be opened by its path", self.0.display()))
    }
}

impl Headless {
    /// Feeds an event; the next frame sees it.
    pub fn feed(&mut self, event: Event) {
        self.input.events.push(event);
        self.wakes.ask(Duration::ZERO);
    }

    /// Drags files over the window, as from a file manager.
    pub fn drag_over(&mut self, paths: &[PathBuf]) {
        let hovered = |path: &PathBuf| HoveredFile { path: Some(path.clone()), ..HoveredFile::default() };
        self.input.hovered_files = paths.iter().map(hovered).collect();
        self.wakes.ask(Duration::ZERO);
    }

    /// Lets go of files over the window.
    pub fn drop_files(&mut self, paths: &[PathBuf]) {
        self.input.hovered_files.clear();
        self.input.dropped_files.extend(paths.iter().map(|path| Arc::new(Dropped(path.clone())) as _));
        self.wakes.ask(Duration::ZERO);
    }

    /// Does one thing at the keyboard; the next frame sees it.
    pub fn step(&mut self, step: &Step) {
        match step {
            Step::Chord(modifiers, key) => self.press(*modifiers, *key),
            Step::Type(text) => self.type_text(text),
        }
    }

    /// Presses and releases a key while `modifiers` are held.
    pub fn press(&mut self, modifiers: Modifiers, key: Key) {
        if modifiers != Modifiers::NONE {
            self.feed(Event::ModifiersChanged(modifiers));
        }
        match clipboard_event(modifiers, key, &self.clipboard) {
            Some(Some(event)) => self.feed(event),
            Some(None) => {} // an empty clipboard pastes nothing
            None => {
                self.feed(key_event(modifiers, key, true));
                if let Some(text) = typed(modifiers, key) {
                    self.feed(Event::Text(text));
                }
            }
        }
        self.feed(key_event(modifiers, key, false));
        if modifiers != Modifiers::NONE {
            self.feed(Event::ModifiersChanged(Modifiers::NONE));
        }
    }

    /// Types characters one by one.
    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let name = c.to_string();
            let modifiers = if c.is_uppercase() { Modifiers::SHIFT } else { Modifiers::NONE };
            match c {
                '\n' => self.press(Modifiers::NONE, Key::Enter),
                '\t' => self.press(Modifiers::NONE, Key::Tab),
                _ => {
                    let key = Key::from_name(&name);
                    if let Some(key) = key {
                        self.feed(key_event(modifiers, key, true));
                    }
                    self.feed(Event::Text(name));
                    if let Some(key) = key {
                        self.feed(key_event(modifiers, key, false));
                    }
                }
            }
        }
    }

    /// Moves the pointer.
    pub fn point_at(&mut self, at: Pos2) {
        self.feed(Event::PointerMoved(at));
    }

    /// Presses or releases the primary button where the pointer is.
    pub fn button(&mut self, at: Pos2, pressed: bool) {
        let modifiers = Modifiers::NONE;
        self.feed(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers });
    }

    /// Clicks, with a frame between pressing and releasing as a hand leaves one.
    pub fn click(&mut self, at: Pos2) {
        self.point_at(at);
        self.frame();
        self.button(at, true);
        self.frame();
        self.button(at, false);
        self.frame();
    }

    /// Turns the wheel by `lines`, downwards if positive, over where the pointer is.
    pub fn wheel(&mut self, lines: f32) {
        self.feed(Event::MouseWheel {
            unit: MouseWheelUnit::Line,
            delta: vec2(0.0, -lines),
            phase: TouchPhase::Move,
            source: MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
    }

    /// Moves two fingers on a touch pad by `points`, downwards if positive: scrolls exactly that far, in one frame.
    pub fn swipe(&mut self, points: f32) {
        for (phase, delta) in [(TouchPhase::Start, 0.0), (TouchPhase::Move, -points)] {
            self.feed(Event::MouseWheel {
                unit: MouseWheelUnit::Point,
                delta: vec2(0.0, delta),
                phase,
                source: MouseWheelSource::Trackpad,
                modifiers: Modifiers::NONE,
            });
        }
    }
}

fn key_event(modifiers: Modifiers, key: Key, pressed: bool) -> Event {
    Event::Key { key, physical_key: Some(key), pressed, repeat: false, modifiers }
}

/// What the clipboard's keys become, and nothing for other keys.
#[expect(clippy::option_option, reason = "a clipboard key with an empty clipboard is no event, and no other key")]
fn clipboard_event(modifiers: Modifiers, key: Key, clipboard: &str) -> Option<Option<Event>> {
    if !modifiers.command_only() {
        return None;
    }
    match key {
        Key::X => Some(Some(Event::Cut)),
        Key::C => Some(Some(Event::Copy)),
        Key::V => Some((!clipboard.is_empty()).then(|| Event::Paste(clipboard.replace("\r\n", "\n")))),
        _ => None,
    }
}

/// The text that a key types, if it types any.
fn typed(modifiers: Modifiers, key: Key) -> Option<String> {
    if modifiers.ctrl || modifiers.command || modifiers.alt {
        return None;
    }
    let name = match key {
        Key::Space => " ",
        Key::Minus => "-", // egui's own name for it is the mathematical sign
        _ => key.symbol_or_name(),
    };
    let mut chars = name.chars();
    let (c, single) = (chars.next()?, chars.next().is_none());
    if !single || !c.is_ascii() {
        return None;
    }
    Some(if modifiers.shift { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CTRL: Modifiers = Modifiers { ctrl: true, command: true, ..Modifiers::NONE };

    #[track_caller]
    fn check(text: &str, expected: &[Step]) {
        assert_eq!(parse_steps(text).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn keys_and_text_are_read_in_order() {
        check(
            "Ctrl+P 'main.rs' Enter",
            &[Step::Chord(CTRL, Key::P), Step::Type("main.rs".into()), Step::Chord(Modifiers::NONE, Key::Enter)],
        );
    }

    #[test]
    fn plus_can_be_the_key() {
        check("Ctrl++ +", &[Step::Chord(CTRL, Key::Plus), Step::Chord(Modifiers::NONE, Key::Plus)]);
    }

    #[test]
    fn typed_text_keeps_its_blanks() {
        check("'let x = 1'", &[Step::Type("let x = 1".into())]);
    }

    #[test]
    fn what_is_not_a_key_is_named() {
        assert_eq!(parse_steps("Ctrl+Banana").unwrap_err(), "`Banana` is not a key; text to type stands in 'quotes'");
        assert_eq!(
            parse_steps("Hyper+P").unwrap_err(),
            "`Hyper` in `Hyper+P` is not a key to hold: use Ctrl, Alt or Shift"
        );
    }

    #[test]
    fn a_key_types_what_it_says() {
        let table = [
            (Modifiers::NONE, Key::J, Some("j")),
            (Modifiers::SHIFT, Key::X, Some("X")),
            (Modifiers::NONE, Key::Space, Some(" ")),
            (Modifiers::NONE, Key::Questionmark, Some("?")),
            (Modifiers::NONE, Key::Minus, Some("-")),
            (Modifiers::NONE, Key::Num5, Some("5")),
            (Modifiers::NONE, Key::Enter, None),
            (Modifiers::NONE, Key::ArrowDown, None),
            (CTRL, Key::P, None),
        ];
        for (modifiers, key, expected) in table {
            assert_eq!(typed(modifiers, key).as_deref(), expected, "{key:?}");
        }
    }
}
