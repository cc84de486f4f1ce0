//! A repository in a temporary folder, driven by the git command.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use diff::{
    Cancel,
    git::{FileChange, Reader, Repo},
    source::{Comparison, Source, SourceError},
};

/// A repository that is gone when it is dropped.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// An empty repository; none where there is no git, which is a skipped test.
    pub fn new() -> Option<Self> {
        Self::within(&std::env::temp_dir())
    }

    /// The same in memory where the system has a folder for that: thousands of files are made and gone at once.
    pub fn in_memory() -> Option<Self> {
        let memory = PathBuf::from("/dev/shm");
        Self::within(&if memory.is_dir() { memory } else { std::env::temp_dir() })
    }

    fn within(folder: &Path) -> Option<Self> {
        if !has_git() {
            return None;
        }
        let folder = tempfile::tempdir_in(folder).unwrap();
        let scratch = Self { folder };
        scratch.git(&["init", "-q", "-b", "main"]);
        // The configuration of whoever runs the tests must not change what they see.
        for (key, value) in [
            ("core.autocrlf", "false"),
            ("core.attributesFile", "/dev/null"),
            ("core.excludesFile", "/dev/null"),
            ("core.quotePath", "false"),
            ("user.name", "Test"),
            ("user.email", "test@example.com"),
            ("commit.gpgSign", "false"),
            ("protocol.file.allow", "always"),
        ] {
            scratch.git(&["config", key, value]);
        }
        Some(scratch)
    }

    /// The root of the working tree.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs git here and returns what it printed; fails the test if git fails.
    pub fn git(&self, words: &[&str]) -> String {
        String::from_utf8_lossy(&self.git_bytes(words)).into_owned()
    }

    /// The same, as bytes.
    pub fn git_bytes(&self, words: &[&str]) -> Vec<u8> {
        let output = command(self.path()).args(words).output().unwrap();
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let full = self.path().join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
        self
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.path().join(path)).unwrap();
        self
    }

    /// Commits everything.
    pub fn commit(&self) -> &Self {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "commit"]);
        self
    }

    pub fn repo(&self) -> Repo {
        Repo::discover(self.path()).unwrap()
    }

    /// What changed, as the words of `recto diff` would have it.
    pub fn changes(&self, words: &[&str]) -> Vec<FileChange> {
        self.parse(words).unwrap().changes(&Cancel::new()).unwrap()
    }

    pub fn parse(&self, words: &[&str]) -> Result<Comparison, SourceError> {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        Comparison::parse(&words, &[], self.path())
    }

    /// A comparison within the repository.
    pub fn compare(&self, source: Source) -> Comparison {
        Comparison::of_repo(self.repo(), source, Vec::new()).unwrap()
    }

    /// What is staged and what is not, one a line each.
    pub fn stages(&self) -> (String, String) {
        let of = |source| listing(&self.compare(source).changes(&Cancel::new()).unwrap());
        (of(Source::Staged), of(Source::Unstaged))
    }

    /// The changes of a source, one a line: status, modes, path.
    pub fn listing(&self, words: &[&str]) -> String {
        listing(&self.changes(words))
    }

    /// The changes of the working tree against HEAD.
    pub fn worktree(&self) -> String {
        self.listing(&[])
    }

    pub fn reader(&self) -> Reader {
        self.repo().reader()
    }
}

/// Changes one a line, as tests state them: `M 100644 100755 path`, `R100 100644 100644 old -> new`.
pub fn listing(changes: &[FileChange]) -> String {
    let line = |change: &FileChange| {
        let mode = |blob: &Option<diff::git::Blob>| blob.as_ref().map_or("000000", |blob| blob.mode.octal());
        let from = change.old_path.as_ref().map(|old| format!("{old} -> ")).unwrap_or_default();
        let similarity = change.similarity.map(|percent| percent.to_string()).unwrap_or_default();
        let letter = change.status.letter();
        format!("{letter}{similarity} {} {} {from}{}", mode(&change.old), mode(&change.new), change.path)
    };
    changes.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The git command without anybody's configuration, in English.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C");
    command.env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE").env_remove("GIT_WORK_TREE");
    command
}

fn has_git() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = *FOUND.get_or_init(|| Command::new("git").arg("--version").output().is_ok());
    if !found {
        let strict = std::env::var_os("RECTO_TESTS_STRICT").is_some_and(|value| value == "1");
        assert!(!strict, "git is not installed, and RECTO_TESTS_STRICT=1 forbids skipping");
        eprintln!("skipped: git is not installed");
    }
    found
}

/// A path for a second repository or worktree beside the first.
pub fn beside(scratch: &Scratch, name: &str) -> PathBuf {
    scratch.path().parent().unwrap().join(format!("{}-{name}", scratch.path().file_name().unwrap().to_string_lossy()))
}
