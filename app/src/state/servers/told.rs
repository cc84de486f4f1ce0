//! What is wrong, as a model is told: one line for each problem, with the line of code it is about.

use std::fmt::Write as _;
use std::sync::Arc;

use super::problems::{Counts, Problem, Problems};

/// Problems that are told at most.
const MOST: usize = 100;
/// Characters of a message, and of a line of code.
const MESSAGE: usize = 600;
const CODE: usize = 200;

/// The problems of some files of a project, by their paths in it. Cheap to clone; what agents are shown.
pub type Told = Arc<Vec<(String, Arc<Vec<Problem>>)>>;

/// What is known of the files below a folder.
pub fn below(root: &std::path::Path, problems: &Problems) -> Told {
    let within = |path: &std::path::Path| Some(path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"));
    let files = problems.shared().filter_map(|(path, problems)| Some((within(path)?, problems)));
    Arc::new(files.map(|(path, problems)| (path, problems.clone())).collect())
}

/// The problems of files as text; `line_of` gives a line of a file, counted from 0. Of many the gravest are told, in
/// about so many bytes at most, and how many there are.
pub fn text(files: &[(&str, &[Problem])], most: usize, line_of: impl Fn(&str, u32) -> Option<String>) -> String {
    let mut all: Vec<(&str, &Problem)> = files
        .iter()
        .flat_map(|(path, problems)| problems.iter().map(|problem| (*path, problem)))
        .filter(|(_, problem)| !problem.is_hint())
        .collect();
    let counts = Counts::of(all.iter().map(|(_, problem)| *problem));
    if all.is_empty() {
        return "No problems are known.\n".to_owned();
    }
    if all.len() > MOST {
        all.sort_by_key(|(_, problem)| problem.severity());
        all.truncate(MOST);
        all.sort_by_key(|(path, problem)| (*path, problem.range.start));
    }
    let mut out = format!("{}:\n", counted(counts));
    let mut told = 0;
    for (path, problem) in &all {
        let one = one(path, problem, line_of(path, problem.line));
        if told > 0 && out.len() + one.len() > most {
            break;
        }
        out.push_str(&one);
        told += 1;
    }
    let left = counts.all() - told;
    if left > 0 {
        // The words that say that something was cut; see the chips of a message.
        let _ = writeln!(out, "… (cut: {left} more problems)");
    }
    out
}

/// `2 errors, 1 warning`
pub fn counted(counts: Counts) -> String {
    let count = |n: usize, one: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {one}s")),
    };
    let parts = [count(counts.errors, "error"), count(counts.warnings, "warning"), count(counts.infos, "info")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no problems".to_owned() } else { parts.join(", ") }
}

fn one(path: &str, problem: &Problem, code: Option<String>) -> String {
    let message = cut(problem.said.message.trim(), MESSAGE).replace('\n', "\n    ");
    let mut out = format!("{path}:{}: {}: {message}", problem.line + 1, problem.severity().name());
    if let Some(rule) = &problem.said.code {
        let _ = write!(out, " [{rule}]");
    }
    out.push('\n');
    if let Some(code) = code.filter(|code| !code.trim().is_empty()) {
        let _ = writeln!(out, "    > {}", cut(code.trim(), CODE));
    }
    out
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use editor::lsp::{Diagnostic, Severity};
    use editor::text::Text;

    use super::*;

    const CODE: &str = "import os\nprint(x)\n";

    fn problem(severity: Severity, word: &str, message: &str) -> Problem {
        let at = CODE.find(word).unwrap();
        let said = Diagnostic {
            range: at..at + word.len(),
            severity,
            message: message.to_owned(),
            source: None,
            code: Some("rule".to_owned()),
            link: None,
            unnecessary: false,
            deprecated: false,
            related: Vec::new(),
        };
        Problem::of(&"check".into(), said, &Text::from(CODE))
    }

    fn shown(problems: &[Problem], most: usize) -> String {
        let line = |_: &str, line: u32| CODE.lines().nth(line as usize).map(str::to_owned);
        text(&[("src/a.py", problems)], most, line)
    }

    #[test]
    fn a_problem_is_told_with_its_place_and_its_line() {
        let problems =
            [problem(Severity::Warning, "os", "not used"), problem(Severity::Error, "x", "not defined\nsee above")];
        assert_eq!(
            shown(&problems, 10_000),
            "1 error, 1 warning:\nsrc/a.py:1: warning: not used [rule]\n    > import os\nsrc/a.py:2: error: not \
             defined\n    see above [rule]\n    > print(x)\n"
        );
        assert_eq!(shown(&[problem(Severity::Hint, "os", "not used")], 100), "No problems are known.\n");
    }

    #[test]
    fn what_is_too_much_is_cut_and_counted() {
        let many = vec![problem(Severity::Error, "x", "not defined"); 300];
        assert!(shown(&many, 1 << 20).ends_with("… (cut: 200 more problems)\n"));
        let few = shown(&many, 200);
        assert!(few.len() < 300 && few.contains("300 errors") && few.contains("more problems)"), "{few}");
    }
}
