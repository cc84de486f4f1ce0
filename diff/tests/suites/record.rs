//! Running a script of git's test suite with a shim before git, and what the shim recorded.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const SHIM: &str = include_str!("git-shim.sh");

/// What the scripts ask of git's `test-tool`, which is not built here.
const TEST_TOOL: &str = r#"#!/bin/sh
case "$1" in
env-helper)
	for arg
	do
		case "$arg" in
		--default=*) default=${arg#--default=} ;;
		*) name=$arg ;;
		esac
	done
	eval "value=\${$name:-$default}"
	case "$value" in true | yes | on | 1) exit 0 ;; esac
	exit 1
	;;
chmtime)
	shift
	by=$1
	shift
	for file
	do
		touch -d "@$(($(stat -c %Y "$file") ${by#=}))" "$file"
	done
	;;
path-utils)
	test "$2" = file-size && stat -c %s "$3"
	;;
date) ;;
*) exit 1 ;;
esac
"#;

/// Keeps a pair of files or folders that a difftool was given.
const KEEP_PAIR: &str = r#"#!/bin/sh
pair=$(mktemp -d "$RECTO_RECORD/pair.XXXXXX")
for side in old new
do
	if test "$1" = /dev/null
	then
		: >"$pair/$side.none"
	elif test -d "$1"
	then
		cp -RL "$1" "$pair/$side"
	else
		cp -L "$1" "$pair/$side"
	fi
	shift
done
"#;

/// A script that ran, and what was recorded.
pub struct Suite {
    folder: tempfile::TempDir,
    source: PathBuf,
    /// By reason: how much was left out.
    left_out: RefCell<BTreeMap<String, usize>>,
    name: String,
}

/// A command that ran.
pub struct Record {
    /// Where its files are.
    pub folder: PathBuf,
    /// Its words, those before the command included.
    pub args: Vec<String>,
    config: String,
}

impl Suite {
    /// Runs a script; none without git's source.
    pub fn run(script: &str) -> Option<Self> {
        let Some(source) = std::env::var_os("RECTO_GIT_SOURCE").filter(|source| !source.is_empty()) else {
            eprintln!("skipped {script}: RECTO_GIT_SOURCE does not name a checkout of git's source");
            return None;
        };
        let source = fs::canonicalize(source).expect("RECTO_GIT_SOURCE is a folder");
        let suite = Self {
            folder: tempfile::tempdir().unwrap(),
            source,
            left_out: RefCell::default(),
            name: script.to_owned(),
        };
        suite.set_up();
        let git = suite.git();
        let log = fs::File::create(suite.path("script.log")).unwrap();
        let mut shell = Command::new("sh");
        shell.arg(format!("./{script}.sh")).arg("--debug").current_dir(suite.source.join("t"));
        shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", suite.path("home"));
        shell.env("GIT_BUILD_DIR", suite.path("build")).env("GIT_TEST_INSTALLED", suite.path("shim"));
        shell.env("TEST_OUTPUT_DIRECTORY", suite.path("out")).env("GIT_TEST_CHAIN_LINT", "0");
        shell.env("GIT_TEST_DEFAULT_HASH", "sha1").env("GIT_TEST_DEFAULT_REF_FORMAT", "files");
        shell.env("RECTO_GIT", git).env("RECTO_LOG", suite.path("log"));
        shell.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).status().unwrap();
        let printed = String::from_utf8_lossy(&fs::read(suite.path("script.log")).unwrap()).into_owned();
        let count = |start: &str| printed.lines().filter(|line| line.starts_with(start)).count();
        let (passed, failed) = (count("ok "), count("not ok "));
        eprintln!("{script}: git passed {passed} of {} of its own tests", passed + failed);
        assert!(passed > 0, "{script} did not run:\n{printed}");
        Some(suite)
    }

    fn set_up(&self) {
        for folder in ["build/t/helper", "build/templates", "shim", "out", "log/objects", "home"] {
            fs::create_dir_all(self.path(folder)).unwrap();
        }
        let options = format!(
            "SHELL_PATH=/bin/sh\nTEST_SHELL_PATH=/bin/sh\nPERL_PATH=perl\nDIFF=diff\nTAR=tar\nNO_GETTEXT=1\n\
             GIT_TEST_CMP='diff -u'\nGIT_TEST_TEMPLATE_DIR='{}'\n",
            self.path("build/templates").display()
        );
        fs::write(self.path("build/GIT-BUILD-OPTIONS"), options).unwrap();
        let programs = [("build/t/helper/test-tool", TEST_TOOL), ("shim/git", SHIM), ("log/keep-pair", KEEP_PAIR)];
        for (path, text) in programs {
            fs::write(self.path(path), text).unwrap();
            fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let made = Command::new("git").args(["init", "-q", "--bare"]).arg(self.path("log/store.git")).status();
        assert!(made.is_ok_and(|status| status.success()), "git is needed to replay its tests");
    }

    /// The git that is installed.
    fn git(&self) -> PathBuf {
        let output = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file or folder beside the script.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.source.join("t").join(name)
    }

    /// All records of a kind.
    pub fn records(&self, kind: &str) -> Vec<Record> {
        let start = format!("{kind}.");
        let entries = fs::read_dir(self.path("log")).unwrap().map(|entry| entry.unwrap().path());
        let named = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&start);
        let mut folders: Vec<_> = entries.filter(|path| path.is_dir() && named(path)).collect();
        folders.sort();
        folders.into_iter().map(Record::read).collect()
    }

    /// Notes that something was not replayed.
    pub fn leave_out(&self, reason: &str) {
        *self.left_out.borrow_mut().entry(reason.to_owned()).or_default() += 1;
    }

    /// Prints how much was replayed, and what was not.
    pub fn report(&self, what: &str, done: usize) {
        eprintln!("{}: replayed {done} {what}", self.name);
        for (reason, count) in self.left_out.borrow().iter() {
            eprintln!("{}: left out {count}: {reason}", self.name);
        }
        self.left_out.borrow_mut().clear();
    }
}

impl Record {
    /// A command of which only the words are known.
    pub fn of_words(folder: PathBuf, args: Vec<String>) -> Self {
        Self { folder, args, config: String::new() }
    }

    fn read(folder: PathBuf) -> Self {
        let text = |name: &str| String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap_or_default()).into_owned();
        let args = text("args").lines().map(str::to_owned).collect();
        Self { args, config: text("config"), folder }
    }

    /// A file of the record, if it is there.
    pub fn file(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(name)).ok()
    }

    /// What was configured; the last of several.
    pub fn config(&self, key: &str) -> Option<&str> {
        let line = |line: &&str| line.split('=').next().is_some_and(|name| name.eq_ignore_ascii_case(key));
        self.config.lines().rfind(line)?.split_once('=').map(|(_, value)| value)
    }

    /// Whether it was given a word.
    pub fn has(&self, word: &str) -> bool {
        self.args.iter().any(|arg| arg == word)
    }

    /// The words, for messages.
    pub fn words(&self) -> String {
        format!("git {}", self.args.join(" "))
    }

    /// The objects of the repository it ran in.
    pub fn objects(&self) -> Option<PathBuf> {
        let text = self.file("objects")?;
        let path = Path::new(std::str::from_utf8(&text).ok()?.trim()).to_owned();
        path.is_dir().then_some(path)
    }
}
