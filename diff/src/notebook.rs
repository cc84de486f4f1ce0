//! Jupyter notebooks as text that people read: the source of each cell, and one line for what it printed.
//!
//! A notebook is JSON in which every line of source is a string, and outputs, counters and metadata change whenever it is
//! run. What is compared instead is a text in the form that other tools know, a `# %%` line before each cell. Outputs are
//! folded to a line that says what kind they are and how much, so that one that is another is seen. The text is for
//! reading only: nothing is written back from it.

use std::fmt::Write as _;

use serde_json::Value;

/// Larger notebooks are shown as they are stored.
const MAX_BYTES: usize = 64 << 20;

/// A notebook, for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notebook {
    /// Its cells.
    pub text: String,
    /// How files of the language in its cells end, to colour them by.
    pub extension: &'static str,
}

/// Whether a path is one of a notebook.
pub fn is_notebook(path: &[u8]) -> bool {
    path.ends_with(b".ipynb")
}

/// Reads a notebook; none if it is not one, which is then shown as the text that it is. Nothing at all is a notebook
/// without cells.
pub fn read(bytes: &[u8]) -> Option<Notebook> {
    if bytes.is_empty() {
        return Some(Notebook { text: String::new(), extension: "py" });
    }
    if bytes.len() > MAX_BYTES {
        return None;
    }
    let whole: Value = serde_json::from_slice(bytes).ok()?;
    let cells = match (whole.get("cells"), whole.get("worksheets")) {
        (Some(Value::Array(cells)), _) => cells.iter().collect::<Vec<_>>(),
        // Before version 4 cells were in sheets.
        (_, Some(Value::Array(sheets))) => {
            sheets.iter().filter_map(|sheet| sheet.get("cells")?.as_array()).flatten().collect()
        }
        _ => return None,
    };
    let mut text = String::new();
    for (n, cell) in cells.into_iter().enumerate() {
        if n > 0 {
            text.push('\n');
        }
        write_cell(&mut text, cell);
    }
    Some(Notebook { text, extension: extension(&whole) })
}

fn write_cell(text: &mut String, cell: &Value) {
    let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("code");
    text.push_str("# %%");
    if kind != "code" {
        let _ = write!(text, " [{kind}]");
    }
    text.push('\n');
    let source = joined(cell.get("source").or_else(|| cell.get("input")));
    text.push_str(&source);
    if !source.is_empty() && !source.ends_with('\n') {
        text.push('\n');
    }
    let outputs = cell.get("outputs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if !outputs.is_empty() {
        let said: Vec<String> = outputs.iter().map(output).collect();
        let _ = writeln!(text, "# Output: {}", said.join(" · "));
    }
}

/// A text that is stored as one string or as one for each line.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// What an output is, and how much of it.
fn output(output: &Value) -> String {
    let kind = output.get("output_type").and_then(Value::as_str).unwrap_or("output");
    let lines = |text: &str| match text.lines().count() {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    match kind {
        "stream" => {
            let name = output.get("name").and_then(Value::as_str).unwrap_or("stream");
            format!("{name}, {}", lines(&joined(output.get("text"))))
        }
        "error" | "pyerr" => {
            let name = output.get("ename").and_then(Value::as_str).unwrap_or("error");
            format!("error {name}")
        }
        _ => {
            let data = output.get("data").and_then(Value::as_object);
            let richest = data.into_iter().flatten().find(|(kind, _)| *kind != "text/plain");
            let plain = data.and_then(|data| data.get_key_value("text/plain"));
            match richest.or(plain) {
                Some((kind, value)) if kind.starts_with("text/") => format!("{kind}, {}", lines(&joined(Some(value)))),
                Some((kind, value)) => format!("{kind}, {} bytes", joined(Some(value)).len()),
                None => kind.to_owned(),
            }
        }
    }
}

/// How files of the notebook's language end.
fn extension(whole: &Value) -> &'static str {
    let metadata = whole.get("metadata");
    let of = |part: &str, field: &str| metadata?.get(part)?.get(field)?.as_str().map(str::to_lowercase);
    let language = of("language_info", "name").or_else(|| of("kernelspec", "language"));
    match language.as_deref() {
        Some("javascript") => "js",
        Some("typescript") => "ts",
        Some("rust") => "rs",
        Some("c++" | "cpp") => "cpp",
        Some("csharp" | "c#") => "cs",
        Some("bash") => "sh",
        Some("ruby") => "rb",
        Some("go") => "go",
        Some("java") => "java",
        _ => "py",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cells_are_shown_as_their_source_and_outputs_as_what_they_are() {
        let json = r##"{"cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "execution_count": 7, "source": "x = 1\nx",
             "outputs": [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
                         {"output_type": "display_data", "data": {"text/plain": ["<Figure>"], "image/png": "iVBOR"}},
                         {"output_type": "error", "ename": "ValueError"}]},
            {"cell_type": "code", "source": [], "outputs": []}],
            "metadata": {"kernelspec": {"language": "julia"}}, "nbformat": 4}"##;
        let text = "# %% [markdown]\n# Title\nwords\n\n# %%\nx = 1\nx\n\
                    # Output: stdout, 2 lines · image/png, 5 bytes · error ValueError\n\n# %%\n";
        assert_eq!(read(json.as_bytes()), Some(Notebook { text: text.to_owned(), extension: "py" }));
    }

    #[test]
    fn old_notebooks_have_sheets_and_inputs() {
        let json = r#"{"worksheets": [{"cells": [{"cell_type": "code", "input": ["y\n"]}]}],
                       "metadata": {"language_info": {"name": "rust"}}}"#;
        assert_eq!(read(json.as_bytes()), Some(Notebook { text: "# %%\ny\n".to_owned(), extension: "rs" }));
    }

    #[test]
    fn what_is_no_notebook_is_not_made_one() {
        for text in ["{", "[]", "{\"cells\": 3}", "plain"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_cells_hold_is_read(json in r#"\{"cells": ?\[(\{"(source|outputs|cell_type)": ?(1|"a"|\[\]|\[1,"b"\]|\{\})\},?){0,3}\]\}"#) {
            let _ = read(json.as_bytes());
        }
    }
}
