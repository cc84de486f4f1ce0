//! Folders and repositories made for one test, gone after it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder with some files.
pub struct Scratch {
    path: PathBuf,
    _folder: TempDir,
}

impl Scratch {
    /// A folder with these files.
    pub fn folder(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        // Without links in it, so that paths compare.
        let scratch = Self { path: folder.path().canonicalize().unwrap().join("project"), _folder: folder };
        fs::create_dir(&scratch.path).unwrap();
        for (name, text) in files {
            scratch.write(name, text);
        }
        scratch
    }

    /// The same as a repository, all of it committed.
    pub fn repository(files: &[(&str, &str)]) -> Self {
        let scratch = Self::folder(files);
        scratch.git(&["init", "-q", "-b", "main"]);
        // What is seen and committed does not depend on who runs the tests.
        for (key, value) in [("user.name", "Ann"), ("user.email", "ann@example.com"), ("commit.gpgSign", "false")] {
            scratch.git(&["config", key, value]);
        }
        scratch.git(&["add", "."]);
        scratch.git(&["commit", "-qm", "start"]);
        scratch
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// Runs git where it is to stop, as in a conflict.
    pub fn git_stops(&self, arguments: &[&str]) {
        let output = self.run(arguments);
        assert!(!output.status.success(), "git {arguments:?} was to stop: {}", String::from_utf8_lossy(&output.stdout));
    }

    /// What git prints.
    pub fn git_says(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.run(arguments).stdout).unwrap()
    }

    pub fn git(&self, arguments: &[&str]) {
        let output = self.run(arguments);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.path).args(["-c", "user.name=Test", "-c", "user.email=test@example.com"]);
        command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_EDITOR", "true").output().unwrap()
    }
}

/// `count` numbered lines, those in `changed` with another text.
pub fn numbered(count: usize, changed: &[usize]) -> String {
    (1..=count)
        .map(|n| if changed.contains(&n) { format!("line {n} changed\n") } else { format!("line {n}\n") })
        .collect()
}
