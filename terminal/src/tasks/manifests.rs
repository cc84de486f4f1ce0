//! package.json, Cargo.toml and pyproject.toml.

use std::path::Path;

use serde_json::Value;

use super::{Task, TaskSource, Tasks, quoted};

/// Scripts, in the order in which they are written.
pub(super) fn package(text: &str, runner: &str, directory: &Path, found: &mut Tasks) -> Result<(), String> {
    let package: Package = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (name, script) in package.scripts.0 {
        let line = format!("{runner} run {}", quoted(&name));
        found.tasks.push(Task::new(TaskSource::Package, name, line, directory).saying(script));
    }
    Ok(())
}

#[derive(serde::Deserialize)]
struct Package {
    #[serde(default)]
    scripts: Scripts,
}

/// Pairs as they are written; a map would sort them.
#[derive(Default)]
struct Scripts(Vec<(String, String)>);

impl<'de> serde::Deserialize<'de> for Scripts {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> serde::de::Visitor<'de> for Pairs {
            type Value = Scripts;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("scripts by name")
            }

            fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<Scripts, M::Error> {
                let mut pairs = Vec::new();
                while let Some((name, script)) = map.next_entry::<String, Value>()? {
                    // Some projects write notes in between.
                    if let Value::String(script) = script {
                        pairs.push((name, script));
                    }
                }
                Ok(Scripts(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// What every crate has, and its binaries.
pub(super) fn cargo(text: &str, directory: &Path, found: &mut Tasks) -> Result<(), String> {
    let manifest: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let all = if manifest.contains_key("workspace") { " --workspace" } else { "" };
    for name in ["check", "build", "test", "clippy"] {
        found.tasks.push(Task::new(TaskSource::Cargo, name, format!("cargo {name}{all}"), directory));
    }
    if directory.join("src/main.rs").is_file() {
        found.tasks.push(Task::new(TaskSource::Cargo, "run", "cargo run", directory));
    }
    let binaries = manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
    for name in binaries.filter_map(|binary| binary.get("name")?.as_str()) {
        let line = format!("cargo run --bin {}", quoted(name));
        found.tasks.push(Task::new(TaskSource::Cargo, format!("run {name}"), line, directory));
    }
    Ok(())
}

/// Entry points, and the tasks of the task runners that keep theirs here. `runner` begins a command that needs the project's
/// environment.
pub(super) fn python(text: &str, runner: &str, directory: &Path, found: &mut Tasks) -> Result<(), String> {
    let manifest: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let places = [
        (&["project", "scripts"][..], runner.to_owned()),
        (&["tool", "poetry", "scripts"], "poetry run ".into()),
        (&["tool", "poe", "tasks"], format!("{runner}poe ")),
        (&["tool", "taskipy", "tasks"], format!("{runner}task ")),
        (&["tool", "pdm", "scripts"], "pdm run ".into()),
        (&["tool", "hatch", "envs", "default", "scripts"], "hatch run ".into()),
    ];
    for (path, start) in places {
        for (name, value) in at(&manifest, path).and_then(toml::Value::as_table).into_iter().flatten() {
            if name.starts_with('_') {
                continue;
            }
            let task = Task::new(TaskSource::Python, name, format!("{start}{}", quoted(name)), directory);
            found.tasks.push(match detail(value) {
                Some(detail) => task.saying(detail),
                None => task,
            });
        }
    }
    if at(&manifest, &["tool", "pytest"]).is_some() {
        found.tasks.push(Task::new(TaskSource::Python, "pytest", format!("{runner}pytest"), directory));
    }
    Ok(())
}

fn at<'a>(manifest: &'a toml::Table, path: &[&str]) -> Option<&'a toml::Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(manifest.get(*first)?, |value, key| value.get(key))
}

fn detail(value: &toml::Value) -> Option<&str> {
    value.as_str().or_else(|| ["help", "cmd", "shell", "script"].iter().find_map(|key| value.get(key)?.as_str()))
}
