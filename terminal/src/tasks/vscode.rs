//! Tasks of `.vscode/tasks.json`: those of the kinds shell, process and npm. What needs VS Code itself is left out, and
//! said so.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Task, TaskCommand, TaskSource, Tasks, jsonc, quoted};

pub(super) fn read(text: &str, root: &Path, found: &mut Tasks) -> Result<(), String> {
    let whole: Value = serde_json::from_str(&jsonc::to_json(text)).map_err(|error| error.to_string())?;
    for task in whole.get("tasks").and_then(Value::as_array).into_iter().flatten() {
        let label = label(task);
        match one(task, &whole, &label, root) {
            Ok(Some(task)) => found.tasks.push(task),
            // It only calls others.
            Ok(None) => {}
            Err(reason) => found.problems.push(format!("the task \"{label}\" of .vscode/tasks.json {reason}")),
        }
    }
    Ok(())
}

fn label(task: &Value) -> String {
    let named = text(task, "label").or_else(|| text(task, "taskName"));
    named.map_or_else(|| format!("npm: {}", text(task, "script").unwrap_or_default()), str::to_owned)
}

fn one(task: &Value, whole: &Value, label: &str, root: &Path) -> Result<Option<Task>, String> {
    let kind = text(task, "type").unwrap_or("process");
    let command = match kind {
        "npm" => {
            let script = text(task, "script").unwrap_or_default();
            TaskCommand::Line(format!("npm run {}", quoted(script)))
        }
        "shell" | "process" => {
            let Some(command) = text(task, "command").or_else(|| text(whole, "command")) else { return Ok(None) };
            let command = expand(command, root)?;
            let arguments = task.get("args").and_then(Value::as_array).into_iter().flatten();
            let arguments = arguments.map(|argument| {
                let value = argument.as_str().or_else(|| text(argument, "value")).unwrap_or_default();
                expand(value, root)
            });
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            if kind == "shell" {
                let quoted = arguments.iter().map(|argument| format!(" {}", quoted(argument)));
                TaskCommand::Line(command + &quoted.collect::<String>())
            } else {
                TaskCommand::Program([vec![command], arguments].concat())
            }
        }
        other => return Err(format!("is of the kind \"{other}\", which is not supported")),
    };
    let options = task.get("options").or_else(|| whole.get("options")).unwrap_or(&Value::Null);
    let directory = match text(options, "cwd").or_else(|| text(task, "path")) {
        Some(directory) => root.join(expand(directory, root)?),
        None => root.to_owned(),
    };
    let environment = options.get("env").and_then(Value::as_object).into_iter().flatten();
    let environment = environment.filter_map(|(name, value)| Some((name.clone(), value.as_str()?)));
    let environment = environment.map(|(name, value)| Ok((name, expand(value, root)?)));
    let detail = text(task, "detail").map_or_else(|| command.line(), str::to_owned);
    Ok(Some(Task {
        name: label.to_owned(),
        source: TaskSource::VsCode,
        command,
        directory,
        environment: environment.collect::<Result<_, String>>()?,
        detail,
    }))
}

/// Puts in what a variable stands for; one that needs an editor or a question is an error.
fn expand(text: &str, root: &Path) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 2..start + length];
        out += &rest[..start];
        out += &match name {
            "workspaceFolder" | "workspaceRoot" | "cwd" => root.to_string_lossy().into_owned(),
            "workspaceFolderBasename" => root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            "pathSeparator" | "/" => std::path::MAIN_SEPARATOR.to_string(),
            "userHome" => {
                std::env::home_dir().map(PathBuf::into_os_string).unwrap_or_default().to_string_lossy().into_owned()
            }
            _ => match name.strip_prefix("env:") {
                Some(variable) => std::env::var(variable).unwrap_or_default(),
                None => return Err(format!("uses ${{{name}}}, which is not supported")),
            },
        };
        rest = &rest[start + length + 1..];
    }
    Ok(out + rest)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}
