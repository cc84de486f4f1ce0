//! Tasks that a project names: scripts of package.json, cargo's commands, targets of Makefile and justfile, what
//! pyproject.toml knows, VS Code's tasks. They run in terminals.
//!
//! Reading is pure ([`Task`]s from the text of a manifest); [`discover`] alone touches files.

mod jsonc;
mod make;
mod manifests;
mod vscode;

use std::path::{Path, PathBuf};

use crate::process::{Launch, Program};

/// Something to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// As the manifest calls it.
    pub name: String,
    pub source: TaskSource,
    pub command: TaskCommand,
    /// Where it is run.
    pub directory: PathBuf,
    pub environment: Vec<(String, String)>,
    /// What the manifest says about it, or the command behind it.
    pub detail: String,
}

/// The manifest that names a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskSource {
    Package,
    Cargo,
    Make,
    Just,
    Python,
    VsCode,
}

impl TaskSource {
    pub fn name(self) -> &'static str {
        match self {
            Self::Package => "package.json",
            Self::Cargo => "Cargo",
            Self::Make => "Makefile",
            Self::Just => "justfile",
            Self::Python => "pyproject.toml",
            Self::VsCode => "VS Code",
        }
    }
}

/// How a task is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskCommand {
    /// For the system's shell.
    Line(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

impl TaskCommand {
    /// As a user would type it.
    pub fn line(&self) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Program(arguments) => arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" "),
        }
    }
}

impl Task {
    pub fn launch(&self) -> Launch {
        let program = match &self.command {
            TaskCommand::Line(line) => Program::Line(line.clone()),
            TaskCommand::Program(arguments) => Program::Command(arguments.iter().map(Into::into).collect()),
        };
        let environment = self.environment.iter().map(|(name, value)| (name.into(), Some(value.into())));
        Launch { program, directory: Some(self.directory.clone()), environment: environment.collect() }
    }

    fn new(source: TaskSource, name: impl Into<String>, line: impl Into<String>, directory: &Path) -> Self {
        let line = line.into();
        Self {
            name: name.into(),
            source,
            detail: line.clone(),
            command: TaskCommand::Line(line),
            directory: directory.to_owned(),
            environment: Vec::new(),
        }
    }

    fn saying(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

/// What a project names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    pub tasks: Vec<Task>,
    /// Manifests that could not be read, and tasks that could not be taken, each as a sentence.
    pub problems: Vec<String>,
}

/// A manifest's limit; no project writes such a one by hand.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Reads the manifests in `root`. Touches files, so it is nothing for the thread of a window.
pub fn discover(root: &Path) -> Tasks {
    let mut found = Tasks::default();
    let has = |name: &str| root.join(name).exists();
    let mut with = |names: &[&str], read: &dyn Fn(&str, &mut Tasks) -> Result<(), String>| {
        let Some(path) = names.iter().map(|name| root.join(name)).find(|path| path.is_file()) else { return };
        let text = match read_manifest(&path) {
            Ok(text) => text,
            Err(reason) => return found.problems.push(format!("{} is not readable: {reason}", path.display())),
        };
        if let Err(reason) = read(&text, &mut found) {
            found.problems.push(format!("{} is not understood: {reason}", path.display()));
        }
    };
    with(&[".vscode/tasks.json"], &|text, found| vscode::read(text, root, found));
    let runner = match () {
        () if has("pnpm-lock.yaml") => "pnpm",
        () if has("yarn.lock") => "yarn",
        () if has("bun.lock") || has("bun.lockb") => "bun",
        () => "npm",
    };
    with(&["package.json"], &|text, found| manifests::package(text, runner, root, found));
    with(&["Cargo.toml"], &|text, found| manifests::cargo(text, root, found));
    with(&["justfile", "Justfile", ".justfile"], &|text, found| {
        found.tasks.extend(make::just(text, root));
        Ok(())
    });
    with(&["GNUmakefile", "makefile", "Makefile"], &|text, found| {
        found.tasks.extend(make::make(text, root));
        Ok(())
    });
    let python = match () {
        () if has("uv.lock") => "uv run ",
        () if has("poetry.lock") => "poetry run ",
        () if has("pdm.lock") => "pdm run ",
        () => "",
    };
    with(&["pyproject.toml"], &|text, found| manifests::python(text, python, root, found));
    found
}

fn read_manifest(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > LARGEST {
        return Err(format!("it is {size} bytes long"));
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// An argument as a POSIX shell reads it back.
fn quoted(argument: &str) -> String {
    let plain = |ch: char| ch.is_alphanumeric() || "_-./:=@%+,".contains(ch);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files into a folder and lists what is found: source, name, command line, detail where it differs.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) -> Tasks {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            std::fs::write(path, text).expect("written");
        }
        let found = discover(folder.path());
        let listed = found.tasks.iter().map(|task| {
            let line = task.command.line();
            let detail = if task.detail == line { String::new() } else { format!(" # {}", task.detail) };
            format!("{} {}: {line}{detail}", task.source.name(), task.name)
        });
        assert_eq!(listed.collect::<Vec<_>>(), expected, "{:?}", found.problems);
        found
    }

    #[test]
    fn scripts_of_a_package_run_by_its_own_manager() {
        let package = r#"{"name": "x", "scripts": {"build": "tsc", "test": "jest --ci", "pretest": "a"}}"#;
        let expected = |runner: &str| {
            vec![
                format!("package.json build: {runner} run build # tsc"),
                format!("package.json test: {runner} run test # jest --ci"),
                format!("package.json pretest: {runner} run pretest # a"),
            ]
        };
        for (lock, runner) in [("x", "npm"), ("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun")] {
            let expected = expected(runner);
            check(&[("package.json", package), (lock, "")], &expected.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn cargo_knows_what_can_be_run() {
        let library = "[package]\nname = \"x\"\n[features]\n";
        check(
            &[("Cargo.toml", library), ("src/lib.rs", "")],
            &[
                "Cargo check: cargo check",
                "Cargo build: cargo build",
                "Cargo test: cargo test",
                "Cargo clippy: cargo clippy",
            ],
        );
        let workspace = "[workspace]\nmembers = [\"a\"]\n[package]\nname = \"x\"\n[[bin]]\nname = \"tool\"\n";
        check(
            &[("Cargo.toml", workspace), ("src/main.rs", "")],
            &[
                "Cargo check: cargo check --workspace",
                "Cargo build: cargo build --workspace",
                "Cargo test: cargo test --workspace",
                "Cargo clippy: cargo clippy --workspace",
                "Cargo run: cargo run",
                "Cargo run tool: cargo run --bin tool",
            ],
        );
    }

    #[test]
    fn targets_of_a_makefile() {
        let makefile = "CC := gcc\nall: a.o b.o\n\tcc\n.PHONY: clean all\nclean: ## Removes what was built\n\trm\n%.o: %.c\n\
            $(OUT): x\nexport FOO = a:b\ninstall test: all\nhttp://x\nall: more\n";
        check(
            &[("Makefile", makefile)],
            &[
                "Makefile all: make all",
                "Makefile clean: make clean # Removes what was built",
                "Makefile install: make install",
                "Makefile test: make test",
            ],
        );
    }

    #[test]
    fn recipes_of_a_justfile() {
        let justfile = "set shell := [\"bash\"]\nversion := \"1\"\n\n# Builds all of it\nbuild target=\"all\": dep\n    cc\n\
            @quiet:\n    a\n_hidden:\n    b\n[private]\nsecret:\n    c\nneeds argument:\n    d\nalias b := build\n[no-cd]\nmany *args:\n    e\n";
        check(
            &[("justfile", justfile)],
            &[
                "justfile build: just build # Builds all of it",
                "justfile quiet: just quiet",
                "justfile many: just many",
            ],
        );
    }

    #[test]
    fn what_a_python_project_names() {
        let project = "[project.scripts]\nserve = \"app:main\"\n[tool.poe.tasks]\nlint = \"ruff check\"\nshow = { cmd = \"x\", help = \"Shows\" }\n\
            [tool.pdm.scripts]\nstart = \"flask run\"\n[tool.taskipy.tasks]\nt = \"pytest\"\n[tool.hatch.envs.default.scripts]\ncov = \"pytest --cov\"\n\
            [tool.pytest.ini_options]\n";
        check(
            &[("pyproject.toml", project), ("uv.lock", "")],
            &[
                "pyproject.toml serve: uv run serve # app:main",
                "pyproject.toml lint: uv run poe lint # ruff check",
                "pyproject.toml show: uv run poe show # Shows",
                "pyproject.toml t: uv run task t # pytest",
                "pyproject.toml start: pdm run start # flask run",
                "pyproject.toml cov: hatch run cov # pytest --cov",
                "pyproject.toml pytest: uv run pytest",
            ],
        );
    }

    #[test]
    fn tasks_of_vs_code() {
        let tasks = r#"{
            // comments, and a comma at the end
            "version": "2.0.0",
            "tasks": [
                {"label": "build", "type": "shell", "command": "make", "args": ["-j4", "a b", {"value": "$X", "quoting": "strong"}]},
                {"label": "run", "type": "process", "command": "${workspaceFolder}/run.sh", "args": ["a b"],
                 "options": {"cwd": "${workspaceFolder}/sub", "env": {"A": "1"}}, "detail": "Runs it"},
                {"type": "npm", "script": "lint"},
                {"label": "asks", "type": "shell", "command": "echo ${input:name}"},
                {"label": "other", "type": "gulp", "task": "x"}, /* more */
            ],
        }"#;
        let folder = tempfile::tempdir().expect("a folder");
        let mut found = Tasks::default();
        vscode::read(tasks, folder.path(), &mut found).expect("understood");
        let root = folder.path().display();
        let listed: Vec<_> = found.tasks.iter().map(|task| format!("{}: {}", task.name, task.command.line())).collect();
        assert_eq!(
            listed,
            [
                "build: make -j4 'a b' '$X'".to_owned(),
                format!("run: {root}/run.sh 'a b'"),
                "npm: lint: npm run lint".into()
            ]
        );
        assert_eq!(found.tasks[1].directory, folder.path().join("sub"));
        assert_eq!(found.tasks[1].environment, [("A".to_owned(), "1".to_owned())]);
        assert_eq!(
            found.problems,
            [
                "the task \"asks\" of .vscode/tasks.json uses ${input:name}, which is not supported",
                "the task \"other\" of .vscode/tasks.json is of the kind \"gulp\", which is not supported",
            ]
        );
    }

    #[test]
    fn a_broken_manifest_is_told() {
        let found = check(&[("package.json", "{"), ("Makefile", "a:\n")], &["Makefile a: make a"]);
        assert!(found.problems[0].contains("package.json is not understood"), "{:?}", found.problems);
    }
}
