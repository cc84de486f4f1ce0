//! Which written form of an edit a model keeps to: the same small repairs, asked for in each form.
//!
//! A repair is right if the file that comes out is the right one, blank space at line ends aside. What the model was
//! shown as an example is another file, in the same form.

use super::{Check, EditForm, Examination, Unasked};
use crate::edit::{Target, apply};
use crate::protocol::{Ending, Fences, Options, parse};
use crate::provider::{Message, Request};

/// A file, what is wrong with it, and the right one.
struct Repair {
    path: &'static str,
    before: &'static str,
    wish: &'static str,
    /// A line of it and what it has to become.
    line: (&'static str, &'static str),
}

const REPAIRS: [Repair; 3] = [
    Repair {
        path: "prices.py",
        before: "def total(prices):\n    result = 0\n    for price in prices:\n        result -= price\n    return result\n\n\n\
            def mean(prices):\n    return total(prices) / len(prices)\n",
        wish: "total() subtracts the prices. It has to add them.",
        line: ("        result -= price", "        result += price"),
    },
    Repair {
        path: "greeting.js",
        before: "function shout(text) {\n  return text.toUpperCase();\n}\n\nfunction greet(name) {\n  return \"Hello, \" + nam;\n}\n",
        wish: "greet() uses the variable nam, which does not exist. It has to use name.",
        line: ("  return \"Hello, \" + nam;", "  return \"Hello, \" + name;"),
    },
    Repair {
        path: "clamp.rs",
        before: "fn clamp(value: i32, low: i32, high: i32) -> i32 {\n    if value < low {\n        return low;\n    }\n    \
            if value > high {\n        return low;\n    }\n    value\n}\n\nfn double(value: i32) -> i32 {\n    value * 2\n}\n",
        wish: "clamp() returns low for values above high. It has to return high for them.",
        line: ("    if value > high {\n        return low;", "    if value > high {\n        return high;"),
    },
];

const FORMS: [EditForm; 3] = [EditForm::Blocks, EditForm::Symbol, EditForm::WholeFile];

impl Examination<'_> {
    pub(super) async fn edits(&mut self) {
        const NAME: &str = "edits";
        let all = REPAIRS.len();
        let mut tried: Vec<(EditForm, usize)> = Vec::new();
        let mut cut = None;
        for form in FORMS {
            match self.repairs(form).await {
                Ok(right) => tried.push((form, right)),
                Err(none) => {
                    cut = Some(none);
                    break;
                }
            }
        }
        if let (Some(none), true) = (&cut, tried.len() < 2) {
            // One form alone says nothing about which one suits it.
            return self.note(none.as_check(NAME, 30));
        }
        let best = tried.iter().map(|(_, right)| *right).max().unwrap_or(0);
        // Of forms that do as well the one that scales is taken: blocks cost the least, whole files the most. A model that
        // keeps to none is taught the one that small models manage best.
        let first = tried.iter().find(|(_, right)| *right == best).map_or(EditForm::Symbol, |(form, _)| *form);
        self.recommended.edit_form = Some(if best == 0 { EditForm::Symbol } else { first });
        let each: Vec<_> =
            tried.iter().map(|(form, right)| format!("{right} are right as {}", called(*form))).collect();
        let rest = if cut.is_some() { "; the others could not be tried" } else { "" };
        let detail = format!("of {all} repairs each, {}{rest}", each.join(", "));
        self.note(Check::new(NAME, 30, best as f64 / all as f64, detail));
    }

    /// How many repairs are right in this form.
    async fn repairs(&mut self, form: EditForm) -> Result<usize, Unasked> {
        let mut right = 0;
        for (number, repair) in REPAIRS.iter().enumerate() {
            let request = Request {
                messages: vec![Message::system(rules(form)), Message::user(question(repair))],
                output_limit: Some(500),
                ..Request::default()
            };
            let what = format!("letting it edit with {}, {} of {}", called(form), number + 1, REPAIRS.len());
            let timed = self.ask(&what, request).await?;
            right += usize::from(is_right(&timed.whole.text, repair));
        }
        Ok(right)
    }
}

fn called(form: EditForm) -> &'static str {
    match form {
        EditForm::Blocks => "blocks",
        EditForm::Symbol => "whole functions",
        EditForm::WholeFile => "whole files",
    }
}

fn rules(form: EditForm) -> &'static str {
    match form {
        EditForm::Blocks => {
            "You repair files. Answer with nothing but the edit. SEARCH has lines copied from the file, REPLACE what stands \
             there afterwards. For example:\n<edit_file path=\"area.py\">\n<<<<<<< SEARCH\n    return width + height\n\
             =======\n    return width * height\n>>>>>>> REPLACE\n</edit_file>"
        }
        EditForm::Symbol => {
            "You repair files. Answer with the name of the file and the complete new version of the one function that \
             changes, in a code block, and nothing else. For example:\n\narea.py\n```python\ndef area(width, height):\n    \
             return width * height\n```"
        }
        EditForm::WholeFile => {
            "You repair files. Answer with the name of the file and its complete new content in a code block, and nothing \
             else. For example:\n\narea.py\n```python\nUNIT = \"cm\"\n\n\ndef area(width, height):\n    return width * \
             height\n```"
        }
    }
}

fn question(repair: &Repair) -> String {
    format!("{}\n```\n{}```\n\n{}", repair.path, repair.before, repair.wish)
}

fn is_right(reply: &str, repair: &Repair) -> bool {
    let options = Options { fences: Fences::Any, ..Options::default() };
    let parsed = parse(reply.as_bytes(), options, Ending::Whole);
    let Some(action) = parsed.actions().find(|action| action.writes_content()) else { return false };
    let target = Target { path: repair.path, before: Some(repair.before), failed: 0 };
    let expected = repair.before.replace(repair.line.0, repair.line.1);
    apply(action, target).is_ok_and(|edited| bare(&edited.text) == bare(&expected))
}

/// The lines that say something, without space at their ends.
fn bare(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_edit_is_right_in_every_form() {
        let [repair, ..] = &REPAIRS;
        let whole = repair.before.replace(repair.line.0, repair.line.1);
        let function = whole.split("\n\n\n").next().unwrap();
        let blocks = format!(
            "<edit_file path=\"prices.py\">\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n</edit_file>",
            repair.line.0, repair.line.1
        );
        assert!(is_right(&blocks, repair), "blocks");
        assert!(is_right(&format!("prices.py\n```python\n{whole}```"), repair), "whole file");
        assert!(is_right(&format!("prices.py\n```python\n{function}\n```"), repair), "symbol");
    }

    #[test]
    fn a_wrong_edit_is_wrong() {
        let [repair, ..] = &REPAIRS;
        for reply in ["It should add.", "prices.py\n```python\ndef total(prices):\n    return 0\n```"] {
            assert!(!is_right(reply, repair), "{reply}");
        }
        assert!(!is_right(&format!("prices.py\n```python\n{}```", repair.before), repair), "unchanged");
    }

    #[test]
    fn each_repair_is_about_one_place() {
        for repair in &REPAIRS {
            assert_eq!(repair.before.matches(repair.line.0).count(), 1, "{}", repair.path);
        }
    }
}
