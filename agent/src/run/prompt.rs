//! The system prompt of a mode and a form of edits.
//!
//! It has no time, no path, no state of anything: for one mode, form, protocol and set of tools it is the same to the
//! byte, so servers keep it in their caches for days.

use super::Mode;
use crate::provider::EditForm;
use crate::tool::Toolbox;

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../../assets/prompts/", $name, ".md"))
    };
}

/// The system prompt.
pub fn system(mode: Mode, form: EditForm, native: bool, tools: &Toolbox) -> String {
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
            EditForm::Symbol => text!("edit-symbol"),
            EditForm::WholeFile => text!("edit-whole"),
        });
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

/// What is said to a model that talked and did nothing.
pub(super) fn reminder(mode: Mode, form: EditForm, file: Option<&str>) -> String {
    let file = file.unwrap_or("src/shapes.py");
    let example = match (mode.edits(), form) {
        (false, _) => format!("<read_file path=\"{file}\"/>"),
        (true, EditForm::Blocks) => format!(
            "<edit_file path=\"{file}\">\n<<<<<<< SEARCH\nthe lines as they are\n=======\nthe lines as they shall be\n>>>>>>> REPLACE\n</edit_file>"
        ),
        (true, EditForm::Symbol) => format!("{file}\n```\nthe whole new function\n```"),
        (true, EditForm::WholeFile) => format!("{file}\n```\nthe whole new file\n```"),
    };
    format!(
        "Nothing was done: your reply has no action in it. To act, write it in your reply, like this:\n{example}\nIf there is nothing left to do, write <done/>."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_is_short_and_always_the_same() {
        let tools = Toolbox::standard();
        for mode in Mode::ALL {
            for form in [EditForm::Blocks, EditForm::Symbol, EditForm::WholeFile] {
                for native in [false, true] {
                    let prompt = system(mode, form, native, &tools);
                    // Three bytes a token is less than any vocabulary needs for English.
                    assert!(prompt.len() / 3 <= 1500, "{mode:?} {form:?}: {} bytes", prompt.len());
                    assert_eq!(prompt, system(mode, form, native, &Toolbox::standard()));
                }
            }
        }
    }

    #[test]
    fn only_who_may_edit_is_taught_to() {
        let prompt = |mode| system(mode, EditForm::Blocks, false, &Toolbox::default());
        assert!(prompt(Mode::Agent).contains("<edit_file") && prompt(Mode::Agent).contains("<delete_file"));
        assert!(!prompt(Mode::Ask).contains("<edit_file") && !prompt(Mode::Plan).contains("<create_file"));
    }
}
