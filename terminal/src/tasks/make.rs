//! Targets of a Makefile and recipes of a justfile, read line by line: enough to list what can be called by name.

use std::path::Path;

use super::{Task, TaskSource};

/// Targets that a user calls: no patterns, no variables, no special ones. A comment after `##` says what one does.
pub(super) fn make(text: &str, directory: &Path) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for line in text.lines() {
        let Some((names, after)) = line.split_once(':') else { continue };
        let is_rule = !line.starts_with(['\t', ' ', '#', '.']) && !after.starts_with('=') && !after.starts_with(":=");
        if !is_rule || names.contains('=') {
            continue;
        }
        let comment = after.split_once("##").map(|(_, comment)| comment.trim());
        for name in names.split_whitespace() {
            let plain = name.chars().all(|ch| ch.is_alphanumeric() || "_-./+".contains(ch));
            let is_file = name.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "o" | "d"));
            let is_address = after.starts_with("//");
            if !plain || is_file || is_address || tasks.iter().any(|task| task.name == name) {
                continue;
            }
            let task = Task::new(TaskSource::Make, name, format!("make {name}"), directory);
            tasks.push(match comment {
                Some(comment) if !comment.is_empty() => task.saying(comment),
                _ => task,
            });
        }
    }
    tasks
}

/// Recipes that can be called without arguments. The comment above one says what it does.
pub(super) fn just(text: &str, directory: &Path) -> Vec<Task> {
    let mut tasks = Vec::new();
    let (mut comment, mut private) = (None, false);
    for line in text.lines() {
        if let Some(words) = line.strip_prefix('#') {
            comment = Some(words.trim_start_matches('!').trim().to_owned());
            continue;
        }
        if line.starts_with('[') {
            private |= line.contains("private");
            continue;
        }
        if let Some(name) = recipe(line)
            && !private
            && !name.starts_with('_')
        {
            let task = Task::new(TaskSource::Just, name, format!("just {name}"), directory);
            tasks.push(match comment.take() {
                Some(comment) if !comment.is_empty() => task.saying(comment),
                _ => task,
            });
        }
        if !line.starts_with([' ', '\t']) {
            (comment, private) = (None, false);
        }
    }
    tasks
}

/// The name of a recipe that needs no argument.
fn recipe(line: &str) -> Option<&str> {
    let words = ["alias", "set", "export", "import", "mod"];
    if line.starts_with([' ', '\t']) || words.iter().any(|word| line.starts_with(&format!("{word} "))) {
        return None;
    }
    // A colon within a default value is not the one at the end of the head.
    let (mut in_quotes, mut head) = (None, None);
    for (at, ch) in line.char_indices() {
        match (in_quotes, ch) {
            (None, '"' | '\'' | '`') => in_quotes = Some(ch),
            (Some(quote), _) if quote == ch => in_quotes = None,
            (None, ':') => {
                head = Some(at);
                break;
            }
            _ => {}
        }
    }
    let head_end = head?;
    if line[head_end..].starts_with(":=") {
        return None;
    }
    let mut parts = line[..head_end].split_whitespace();
    let name = parts.next()?.trim_start_matches('@');
    let plain = name.chars().all(|ch| ch.is_alphanumeric() || "_-".contains(ch)) && !name.is_empty();
    let optional = parts.all(|parameter| parameter.starts_with('*') || parameter.contains('='));
    (plain && optional).then_some(name)
}
