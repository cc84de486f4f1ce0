//! The system prompt of a mode and a form of edits.
//!
//! It has no time, no path, no state of anything: for one mode, form, protocol, set of tools and class of size of the
//! model it is the same to the byte, so servers keep it in their caches for days.

use super::Mode;
use crate::protocol::{looks_like_path, teach};
use crate::provider::EditForm;
use crate::tool::Toolbox;

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../../assets/prompts/", $name, ".md"))
    };
}

/// What a prompt is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teaching {
    /// What runs may do.
    pub mode: Mode,
    /// The form of edits.
    pub form: EditForm,
    /// Whether the server's tool calls are used.
    pub native: bool,
    /// Whether the model is so small that it copies what examples hold, and forgets what many rules say.
    pub small: bool,
}

/// The system prompt.
pub fn system(teaching: Teaching, tools: &Toolbox) -> String {
    let Teaching { mode, form, native, small } = teaching;
    let intro = match mode {
        Mode::Ask => text!("ask"),
        Mode::Plan => text!("plan"),
        Mode::Agent => text!("agent"),
    };
    if native {
        return [intro, text!("native")].join("\n").trim_end().to_owned();
    }
    let mut parts = vec![intro];
    if mode.edits() {
        parts.push(match form {
            EditForm::Blocks => text!("edit-blocks"),
            EditForm::Symbol if small => text!("edit-symbol-small"),
            EditForm::Symbol => text!("edit-symbol"),
            EditForm::WholeFile if small => text!("edit-whole-small"),
            EditForm::WholeFile => text!("edit-whole"),
        });
    }
    if small {
        parts.push(text!("look-small"));
        let tools = tools.prompt();
        parts.push(&tools);
        return parts.join("").trim_end().to_owned();
    }
    if mode.edits() {
        parts.push(text!("files"));
    }
    parts.push(text!("look"));
    let tools = tools.prompt();
    if !tools.is_empty() {
        parts.push(&tools);
    }
    parts.push(if mode.edits() { text!("done") } else { text!("answer") });
    parts.join("\n").trim_end().to_owned()
}

/// What asks for a summary.
pub(super) const SUMMARISE: &str = text!("summarise");

/// What is said to a model whose reply did not come whole.
pub(super) const BROKEN: &str = "Your reply broke off in the middle. Go on from where it ended.";

/// What is to be done with a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Delete,
    Rename,
}

impl Whole {
    /// What a request wants done with a file: "Delete the file a.rs", "rename a.rs to b.rs". "Remove the check in a.rs" is
    /// none: it is an edit.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let mut rest = words;
        while let Some(word) = rest.next() {
            let whole = match word.to_lowercase().as_str() {
                "delete" | "remove" => Self::Delete,
                "rename" | "move" => Self::Rename,
                _ => continue,
            };
            let object = rest.clone().find(|word| !matches!(word.to_lowercase().as_str(), "the" | "file" | "files"));
            if object.is_some_and(looks_like_path) {
                return Some(whole);
            }
        }
        None
    }
}

/// What is said to a small model behind what it is asked: it does what it read last. Of deleting and renaming it is not
/// told before: it would write code then, whatever it was told at the beginning.
pub(super) fn hint(mode: Mode, form: EditForm, whole: Option<Whole>) -> Option<&'static str> {
    let hint = match (whole, form) {
        _ if !mode.edits() => return None,
        (Some(Whole::Delete), _) => text!("hint-delete"),
        (Some(Whole::Rename), _) => text!("hint-rename"),
        (None, EditForm::Blocks) => return None,
        (None, EditForm::Symbol) => text!("hint-symbol"),
        (None, EditForm::WholeFile) => text!("hint-whole"),
    };
    Some(hint.trim_ascii_end())
}

/// What is said to a model that does not keep to the form it was taught.
pub(super) fn instead(form: EditForm, file: Option<&str>) -> String {
    format!("Write it otherwise from now on:\n{}", teach::edit_example(file.unwrap_or("shapes.py"), form))
}

/// What is said to a model that talked and did nothing.
pub(super) fn reminder(mode: Mode, form: EditForm, file: Option<&str>) -> String {
    let file = file.unwrap_or("shapes.py");
    let example = match mode.edits() {
        false => format!("<read_file path=\"{file}\"/>"),
        true => teach::edit_example(file, form),
    };
    format!(
        "Nothing was done: your reply has no action in it. To act, write it in your reply, like this:\n{example}\nIf there is nothing left to do, write <done/>."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teachings() -> Vec<Teaching> {
        let mut all = Vec::new();
        for mode in Mode::ALL {
            for form in [EditForm::Blocks, EditForm::Symbol, EditForm::WholeFile] {
                for (native, small) in [(false, false), (false, true), (true, false)] {
                    all.push(Teaching { mode, form, native, small });
                }
            }
        }
        all
    }

    #[test]
    fn every_prompt_is_short_and_always_the_same() {
        let tools = Toolbox::standard();
        for teaching in teachings() {
            let prompt = system(teaching, &tools);
            // Three bytes a token is less than any vocabulary needs for English.
            let most = if teaching.small { 500 } else { 1500 };
            assert!(prompt.len() / 3 <= most, "{teaching:?}: {} bytes", prompt.len());
            assert_eq!(prompt, system(teaching, &Toolbox::standard()));
        }
    }

    #[test]
    fn a_file_as_a_whole_is_told_from_what_is_in_it() {
        let of = |words: &str| Whole::of(words.split(' '));
        assert_eq!(of("please Delete the file src/a.rs"), Some(Whole::Delete));
        assert_eq!(of("remove a.py and its test"), Some(Whole::Delete));
        assert_eq!(of("rename a.py to b.py"), Some(Whole::Rename));
        assert_eq!(of("remove the check in a.py"), None);
        assert_eq!(of("rename the function f of a.py"), None);
        assert_eq!(of("a.py must go, delete"), None);
    }

    #[test]
    fn only_who_may_edit_is_taught_to() {
        for teaching in teachings().into_iter().filter(|teaching| !teaching.native) {
            let prompt = system(teaching, &Toolbox::default());
            let edits = ["To change ", "<delete_file", "<create_file", "<edit_file"];
            let taught = edits.iter().any(|words| prompt.contains(words));
            assert_eq!(taught, teaching.mode == Mode::Agent, "{teaching:?}\n{prompt}");
        }
    }
}
