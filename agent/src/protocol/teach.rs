//! Errors as a model is told them: what was wrong, what is there instead, and a right example filled in with what it
//! meant.
//!
//! The example is in the form the model was taught, with the path it wrote; lines of the file are given with their
//! numbers in words, never with numbers before them, since models copy those.

use super::reply::Malformed;
use crate::edit::{Closest, EditError};
use crate::provider::EditForm;

/// Names that are listed for a symbol that is not there.
const NAMES: usize = 30;

/// Why something was no action, and how it is written.
pub fn malformed(wrong: &Malformed, form: EditForm) -> String {
    let example = match wrong {
        Malformed::NotClosed { tag, .. } | Malformed::Empty { tag } | Malformed::MissingAttribute { tag, .. } => {
            tag_example(tag, "src/main.py", form)
        }
        Malformed::FenceNotClosed { path, .. } => {
            edit_example(path.as_deref().unwrap_or("src/main.py"), EditForm::Symbol)
        }
        Malformed::BlockNotClosed { path, .. } | Malformed::NoDivider { path, .. } => {
            edit_example(path, EditForm::Blocks)
        }
        Malformed::SeveralDividers { path, .. } => edit_example(path, EditForm::Blocks)
            .replace("<<<<<<<", "<<<<<<<<<")
            .replace("=======", "=========")
            .replace(">>>>>>>", ">>>>>>>>>"),
        Malformed::BadLines { .. } => tag_example("read_file", "src/main.py", form),
        Malformed::BadArguments { name, .. } => tag_example(name, "src/main.py", form),
    };
    format!("{wrong}. Nothing of it was done. Write it like this:\n{example}")
}

/// Why an edit was not applied, and what to write instead.
pub fn edit_error(error: &EditError, path: &str, form: EditForm) -> String {
    let mut text = format!("{error}. Nothing was written to `{path}`.");
    match error {
        EditError::NotFound { closest: Some(closest), .. } => text.push_str(&like(closest, path)),
        EditError::NotFound { closest: None, .. } => {
            text.push_str(&format!(" Nothing in it is like that. Read it first: <read_file path=\"{path}\"/>"));
        }
        EditError::Several { lines, first, .. } => text.push_str(&format!(
            " Take more lines before or after `{}`, so that only the place you mean fits: that at line {}, or another.",
            first.trim(),
            lines.first().copied().unwrap_or(1)
        )),
        EditError::EmptySearch { .. } => {
            text.push_str(" Copy the lines that are to be replaced after SEARCH:\n");
            text.push_str(&edit_example(path, EditForm::Blocks));
        }
        EditError::SameHalves { .. } | EditError::Unchanged => text.push_str(
            " What is wrong in it is still wrong. Find the line that must change, and write it as it must be.",
        ),
        EditError::Lazy { number: Some(_), .. } => text.push_str(
            " Write all lines of REPLACE. To leave lines as they are, leave them out of SEARCH and of REPLACE.",
        ),
        EditError::Lazy { number: None, .. } => text.push_str(" Write every line of it."),
        EditError::Missing { .. } => text.push_str(&format!(
            " Check the path with <list_directory path=\"\"/>, or make the file:\n{}",
            tag_example("create_file", path, form)
        )),
        EditError::Exists { .. } => text.push_str(&format!(" Change it instead:\n{}", edit_example(path, form))),
        EditError::NoPath => {
            text.push_str(" Write the file's path before the code:\n");
            text.push_str(&edit_example("src/main.py", EditForm::Symbol));
        }
        EditError::NoSymbol { names, .. } if names.is_empty() => {}
        EditError::NoSymbol { names, .. } => {
            let more = if names.len() > NAMES { ", …" } else { "" };
            let shown: Vec<&str> = names.iter().take(NAMES).map(String::as_str).collect();
            text.push_str(&format!(" It has: {}{more}.", shown.join(", ")));
        }
        EditError::SeveralSymbols { places, .. } => {
            let full = places.first().map_or("Type.name", |(name, _)| name.as_str());
            text.push_str(&format!(
                " Name the type around it, like `{full}`:\n<write_symbol path=\"{path}\" name=\"{full}\">\n…\n</write_symbol>"
            ));
        }
        EditError::OtherSymbol { got, .. } => {
            text.push_str(&format!(" Write name=\"{got}\" if that is the one you mean."));
        }
        EditError::NoSymbolInCode | EditError::Part { .. } | EditError::NoGrammar { .. } => {
            text.push_str(" Say which lines it replaces:\n");
            text.push_str(&edit_example(path, EditForm::Blocks));
        }
        EditError::Broken { .. } => text.push_str(" Check its brackets, quotes and indentation, and write it whole."),
        EditError::TooLong { .. } => {
            text.push_str(" Write only what changes:\n");
            let form = if form == EditForm::WholeFile { EditForm::Symbol } else { form };
            text.push_str(&edit_example(path, form));
        }
        EditError::Overlapping => text.push_str(" Write each function once."),
        EditError::NoEdit { .. } => {}
    }
    text
}

/// The closest lines of the file.
fn like(closest: &Closest, path: &str) -> String {
    let fence = if closest.text.contains("```") { "````" } else { "```" };
    let mut text = format!(" Most like it are these lines of `{path}`, from line {}:\n", closest.line);
    text.push_str(&format!("{fence}\n{}\n{fence}\n", closest.text));
    if let Some((there, wanted)) = &closest.difference {
        text.push_str(&format!("The file has `{there}`, you wrote `{wanted}`. "));
    }
    text.push_str("Copy the lines after SEARCH exactly from the file.");
    text
}

/// How an edit of `path` is written.
pub fn edit_example(path: &str, form: EditForm) -> String {
    // No code: a small model takes an example for what it is to write, and its file would have it.
    match form {
        EditForm::Blocks => format!(
            "<edit_file path=\"{path}\">\n<<<<<<< SEARCH\nlines as they are\n=======\nlines as they shall be\n>>>>>>> REPLACE\n</edit_file>"
        ),
        EditForm::Symbol => format!("{path}\n```\nthe whole new function\n```"),
        EditForm::WholeFile => format!("{path}\n```\nthe whole new content of the file\n```"),
    }
}

fn tag_example(tag: &str, path: &str, form: EditForm) -> String {
    match tag {
        "edit_file" => edit_example(path, EditForm::Blocks),
        "write_code" => edit_example(path, form),
        "write_symbol" => format!(
            "<write_symbol path=\"{path}\" name=\"area\">\ndef area(width, height):\n    return width * height\n</write_symbol>"
        ),
        "create_file" | "write_file" => format!("<{tag} path=\"{path}\">\nall lines of the file\n</{tag}>"),
        "read_file" => format!("<read_file path=\"{path}\" lines=\"12-40\"/>"),
        "search_code" => "<search_code query=\"fn area\" path=\"src\"/>".to_owned(),
        "list_directory" => "<list_directory path=\"src\"/>".to_owned(),
        "rename_file" => format!("<rename_file from=\"{path}\" to=\"src/other.py\"/>"),
        "delete_file" => format!("<delete_file path=\"{path}\"/>"),
        "run_command" => "<run_command command=\"ls src\"/>".to_owned(),
        "tool" => "<tool name=\"outline\">{\"path\": \"src/main.py\"}</tool>".to_owned(),
        "tool_call" | "function_call" | "function_calls" => {
            format!("<tool_call>{{\"name\": \"read_file\", \"arguments\": {{\"path\": \"{path}\"}}}}</tool_call>")
        }
        "done" => "<done/>".to_owned(),
        tool => format!("<tool name=\"{tool}\">{{…}}</tool>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Ending, Item, Options, parse};

    #[test]
    fn every_example_is_itself_understood() {
        let check = |text: &str| {
            let reply = parse(text.as_bytes(), Options::default(), Ending::Whole);
            assert!(matches!(reply.items[..], [Item::Action(_)]), "{text}: {:?}", reply.items);
        };
        for form in [EditForm::Blocks, EditForm::Symbol, EditForm::WholeFile] {
            check(&edit_example("src/a.py", form));
            for tag in ["edit_file", "write_symbol", "create_file", "write_file", "read_file", "search_code"] {
                check(&tag_example(tag, "src/a.py", form));
            }
            for tag in ["list_directory", "rename_file", "delete_file", "run_command", "tool", "tool_call", "done"] {
                check(&tag_example(tag, "src/a.py", form));
            }
        }
        let wrong = Malformed::SeveralDividers { path: "a.md".into(), number: 1 };
        let told = malformed(&wrong, EditForm::Blocks);
        check(told.split_once("like this:\n").unwrap().1);
    }

    #[test]
    fn an_error_names_what_is_there_instead() {
        let closest = Closest { line: 7, text: "fn a() -> u8 {".into(), difference: Some(("x".into(), "y".into())) };
        let error = EditError::NotFound { number: 1, closest: Some(closest) };
        let told = edit_error(&error, "a.rs", EditForm::Blocks);
        assert!(told.contains("from line 7:\n```\nfn a() -> u8 {\n```"), "{told}");
        assert!(told.contains("The file has `x`, you wrote `y`."), "{told}");
        let error = EditError::NoSymbol { name: "z".into(), names: vec!["a".into(), "B.c".into()] };
        assert!(edit_error(&error, "a.rs", EditForm::Symbol).ends_with("It has: a, B.c."));
    }
}
