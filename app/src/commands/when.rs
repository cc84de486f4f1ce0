//! When keys apply: what the keyboard is in, and which commands that allows.
//!
//! The *focus* is the active pane (with whether its text is being edited) and where exactly the keyboard is: in the
//! pane's text, in a text input, in the side panel's tree, or on another control. A text input keeps every key that
//! types or edits; there only commands that apply anywhere run, by keys with Ctrl or Alt or by function keys. A control
//! keeps the keys that move and press it.

use eframe::egui::Key;

use super::When;
use super::keymap::Stroke;

/// What the active pane is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaneKind {
    /// Nothing is open.
    #[default]
    None,
    Editor,
    Review,
    /// Conflicts of a merge.
    Conflicts,
    Terminal,
    /// A page that is no code: settings, help.
    Page,
}

/// Where in the window the keyboard is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// In the active pane's own text, or nowhere in particular.
    #[default]
    Pane,
    /// In a text input of egui's.
    TextInput,
    /// In a tree of the side panel.
    Tree,
    /// In the message of a commit.
    Message,
    /// On a button, a tick, a list.
    Control,
}

/// Where keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    pub pane: PaneKind,
    /// The pane's text takes what is typed.
    pub editing: bool,
    pub at: At,
}

impl When {
    /// Every condition with the name that the keymap file uses.
    pub const NAMES: [(&'static str, Self); 11] = [
        ("always", Self::Always),
        ("editing", Self::Editing),
        ("editor", Self::Editor),
        ("code", Self::Code),
        ("reading", Self::Reading),
        ("review", Self::Review),
        ("conflicts", Self::Conflicts),
        ("deciding", Self::Deciding),
        ("terminal", Self::Terminal),
        ("tree", Self::Tree),
        ("commit-message", Self::CommitMessage),
    ];

    /// Its name in the keymap file.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, when)| *when == self).map_or("always", |(name, _)| name)
    }

    /// The condition of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, when)| *when)
    }

    /// Whether a command with this condition makes sense in a pane, wherever the keyboard is.
    pub fn holds_in(self, pane: PaneKind, editing: bool) -> bool {
        match self {
            Self::Always => true,
            // Its text is the program's: commands that edit do nothing there.
            Self::Editing => editing && pane != PaneKind::Terminal,
            Self::Terminal => pane == PaneKind::Terminal,
            Self::Editor => pane == PaneKind::Editor,
            Self::Code => matches!(pane, PaneKind::Editor | PaneKind::Review | PaneKind::Conflicts),
            Self::Reading => pane == PaneKind::Review && !editing,
            Self::Review | Self::CommitMessage => pane == PaneKind::Review,
            Self::Conflicts => pane == PaneKind::Conflicts,
            Self::Deciding => pane == PaneKind::Conflicts && !editing,
            Self::Tree => false,
        }
    }

    /// Whether this holds wherever `other` does: a key bound here hides the same key bound there.
    pub fn covers(self, other: Self) -> bool {
        self == other
            || self == Self::Always
            || matches!(
                (self, other),
                (
                    Self::Code,
                    Self::Editing | Self::Editor | Self::Reading | Self::Review | Self::Conflicts | Self::Deciding
                )
            )
            || matches!((self, other), (Self::Review, Self::Reading) | (Self::Conflicts, Self::Deciding))
    }

    /// What is missing where it does not hold, for people.
    pub fn requirement(self) -> &'static str {
        match self {
            Self::Always => "available anywhere",
            Self::Editing => "needs text that is being edited",
            Self::Editor => "needs an open file",
            Self::Code => "needs an open file or review",
            Self::Reading => "needs a review that is read, not edited",
            Self::Review => "needs an open review",
            Self::Conflicts => "needs the conflicts of a merge",
            Self::Deciding => "needs the conflicts of a merge, the result not being edited",
            Self::Terminal => "needs an open terminal",
            Self::Tree => "needs a tree in the side panel",
            Self::CommitMessage => "needs a review of a working tree",
        }
    }
}

impl Focus {
    /// Whether keys that start with `first` may run a command with the condition `when`.
    pub fn allows(&self, when: When, first: Stroke) -> bool {
        match self.at {
            // Its keys are those of the message; elsewhere they are others.
            At::Message if when == When::CommitMessage => true,
            At::Pane | At::Tree | At::Control if when == When::CommitMessage => false,
            // A shell and its programs use nearly every key with Ctrl or Alt: few of them are ours.
            At::Pane if self.pane == PaneKind::Terminal => {
                when == When::Terminal || (when == When::Always && is_spared_by_terminals(first))
            }
            At::Pane => when.holds_in(self.pane, self.editing),
            At::TextInput | At::Message => when == When::Always && first.is_shortcut(),
            At::Tree if when == When::Tree => true,
            At::Tree | At::Control => {
                let kept = !first.is_shortcut() && is_kept_by_controls(first.key);
                // Reading a review goes on while its tree has the focus; typing into the text does not.
                !kept && when.holds_in(self.pane, self.editing) && (first.is_shortcut() || when != When::Editing)
            }
        }
    }
}

/// Keys that mean nothing to a program in a terminal, or that it does without.
fn is_spared_by_terminals(stroke: Stroke) -> bool {
    use Key::{Backtick, Comma, Equals, Minus, Num0, PageDown, PageUp, Plus, Tab};
    let free = matches!(stroke.key, Tab | PageUp | PageDown | Backtick | Comma | Equals | Minus | Num0 | Plus);
    stroke.command && (stroke.shift || free)
}

fn is_kept_by_controls(key: Key) -> bool {
    use Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, End, Enter, Escape, Home, PageDown, PageUp, Space, Tab};
    matches!(
        key,
        Tab | Enter | Space | Escape | ArrowDown | ArrowLeft | ArrowRight | ArrowUp | Home | End | PageUp | PageDown
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stroke(text: &str) -> Stroke {
        text.parse().unwrap()
    }

    #[test]
    fn a_text_input_keeps_what_types_and_edits() {
        let focus = Focus { pane: PaneKind::Review, editing: false, at: At::TextInput };
        assert!(!focus.allows(When::Reading, stroke("j")));
        assert!(!focus.allows(When::Code, stroke("Ctrl+C")), "copying belongs to the input");
        assert!(!focus.allows(When::Always, stroke("?")));
        assert!(focus.allows(When::Always, stroke("Ctrl+P")));
        assert!(focus.allows(When::Always, stroke("F1")));
    }

    #[test]
    fn letters_are_commands_only_while_reading() {
        let reading = Focus { pane: PaneKind::Review, editing: false, at: At::Pane };
        let editing = Focus { editing: true, ..reading };
        assert!(reading.allows(When::Reading, stroke("j")));
        assert!(!editing.allows(When::Reading, stroke("j")));
        assert!(editing.allows(When::Editing, stroke("Enter")));
    }

    #[test]
    fn a_tree_keeps_its_own_keys_and_lets_reading_go_on() {
        let focus = Focus { pane: PaneKind::Review, editing: false, at: At::Tree };
        assert!(focus.allows(When::Reading, stroke("j")));
        assert!(!focus.allows(When::Code, stroke("Down")));
        assert!(!focus.allows(When::Reading, stroke("Enter")));
        assert!(focus.allows(When::Tree, stroke("Enter")));
    }

    #[test]
    fn names_lead_back_to_their_condition() {
        for (name, when) in When::NAMES {
            assert_eq!(When::by_name(name), Some(when));
            assert_eq!(when.name(), name);
        }
    }
}
