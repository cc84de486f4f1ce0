//! The program as people call it: exit codes, messages, and what is printed.

#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

#[test]
fn a_missing_path_is_one_sentence_and_exit_code_1() {
    let folder = TempDir::new().unwrap();
    failed(recto(folder.path(), &["gone.rs:3"]), 1, "there is no file or folder gone.rs:3");
}

#[test]
fn without_a_display_the_window_says_so() {
    let folder = TempDir::new().unwrap();
    failed(
        recto(folder.path(), &["."]),
        1,
        "there is no display to open a window on (neither WAYLAND_DISPLAY nor DISPLAY is set); `recto diff` with \
         --stat, --patch or --json and `recto screenshot` work without one",
    );
}

#[test]
fn a_display_that_cannot_be_reached_is_no_panic() {
    let folder = TempDir::new().unwrap();
    let output = program(folder.path(), &["."]).env("DISPLAY", ":7654").output().unwrap();
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.starts_with("recto: ") && message.trim_end().lines().count() == 1, "{message}");
}

#[test]
fn a_folder_without_a_repository_cannot_be_compared() {
    let folder = TempDir::new().unwrap();
    let output = recto(folder.path(), &["diff", "--stat"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("is not in a git repository"), "{}", text(&output.stderr));
}

#[test]
fn a_bad_revision_is_named() {
    let repo = Repo::new();
    let output = recto(&repo.path, &["diff", "--stat", "nowhere..HEAD"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nowhere"), "{}", text(&output.stderr));
}

#[test]
fn wrong_words_are_exit_code_2() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        &["diff", "--stat", "--patch"][..],
        &["diff", "--no-such-option"],
        &["screenshot"],
        &["screenshot", "o.png", "--size", "big"],
        &["screenshot", "o.png", "--press", "Hyper+X"],
        &["terminal", "render", "--size", "wide"],
        &["man", "no-such-command"],
        &["difftool", "one"],
        &["mergetool", "local", "base", "remote"],
    ] {
        let output = recto(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_mergetool_without_its_files_fails_as_git_expects() {
    let folder = TempDir::new().unwrap();
    for name in ["local", "remote"] {
        fs::write(folder.path().join(name), "text\n").unwrap();
    }
    let files = ["mergetool", "local", "base", "remote", "merged"];
    failed(recto(folder.path(), &files), 1, "MERGED is merged, and there is no such file");
    failed(recto(folder.path(), &["difftool", "local", "gone"]), 1, "gone does not exist");
}

#[test]
fn the_help_of_tools_tells_how_git_is_configured() {
    let folder = TempDir::new().unwrap();
    let help = |command: &str| text(&recto(folder.path(), &["help", command]).stdout);
    assert!(help("difftool").contains("difftool.recto.cmd 'recto difftool \"$LOCAL\" \"$REMOTE\"'"));
    let mergetool = help("mergetool");
    assert!(mergetool.contains("'recto mergetool \"$LOCAL\" \"$BASE\" \"$REMOTE\" \"$MERGED\"'"), "{mergetool}");
    assert!(mergetool.contains("mergetool.recto.trustExitCode true"), "{mergetool}");
}

#[test]
fn what_a_command_has_to_say_is_in_its_help() {
    let folder = TempDir::new().unwrap();
    for (command, part) in [
        ("difftool", "stands for a file that is not there"),
        ("mergetool", "Closes when the result is saved"),
        ("agent", "in which /help shows what there is"),
        ("audit", "has the hash of the one before"),
    ] {
        let help = text(&recto(folder.path(), &["help", command]).stdout).replace('\n', " ");
        assert!(help.contains(part), "{command}: {help}");
    }
    let all = text(&recto(folder.path(), &["help"]).stdout);
    for command in
        ["difftool     Shows", "mergetool    Resolves", "agent        Has", "session      Lists", "audit        Shows"]
    {
        assert!(all.contains(command), "no {command} in {all}");
    }
}

#[test]
fn help_and_version_are_output_and_no_failure() {
    let folder = TempDir::new().unwrap();
    for arguments in [&["--help"][..], &["--version"], &["help", "diff"], &["diff", "--help"]] {
        let output = recto(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_stat_is_that_of_git() {
    let repo = Repo::with_a_change();
    // Between commits: untracked files count for us, and not for git.
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "change"]);
    let ours = recto(&repo.path, &["diff", "--stat", "HEAD~1..HEAD"]);
    assert_eq!(text(&ours.stdout), repo.git(&["diff", "--stat", "HEAD~1..HEAD"]));
}

#[test]
fn git_applies_the_patch() {
    let repo = Repo::with_a_change();
    let patch = recto(&repo.path, &["diff", "--patch"]);
    assert_eq!(patch.status.code(), Some(0));
    let before = Repo::new();
    fs::write(before.path.join("change.patch"), &patch.stdout).unwrap();
    before.git(&["apply", "--whitespace=nowarn", "change.patch"]);
    for name in ["kept.txt", "new.txt"] {
        let read = |repo: &Repo| fs::read_to_string(repo.path.join(name)).unwrap();
        assert_eq!(read(&before), read(&repo), "{name}");
    }
    assert!(!before.path.join("gone.txt").exists());
}

#[test]
fn json_is_one_object_with_every_file() {
    let repo = Repo::with_a_change();
    let output = recto(&repo.path, &["diff", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = found["files"].as_array().unwrap();
    let named: Vec<_> =
        files.iter().map(|file| (file["path"].as_str().unwrap(), file["status"].as_str().unwrap())).collect();
    assert_eq!(named, [("gone.txt", "deleted"), ("kept.txt", "modified"), ("new.txt", "untracked")]);
    let lines = files[1]["hunks"][0]["lines"].as_array().unwrap();
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["context", "remove", "add", "context"]);
    assert_eq!(lines[2]["text"], "two, changed");
    assert_eq!(lines[2]["spans"], serde_json::json!([[3, 12]]));
}

#[test]
fn a_patch_is_read_from_a_file_and_from_standard_input() {
    let folder = TempDir::new().unwrap();
    let patch = "--- a/x.txt\n+++ b/x.txt\n@@ -10 +10 @@\n-old\n+new\n@@ -13 +13 @@ fn f()\n-one\n+two\n";
    fs::write(folder.path().join("fix.patch"), patch).unwrap();
    let stat = recto(folder.path(), &["diff", "--stat", "fix.patch"]);
    let expected = " x.txt | 4 ++--\n 1 file changed, 2 insertions(+), 2 deletions(-)\n";
    assert_eq!((text(&stat.stdout).as_str(), text(&stat.stderr).as_str()), (expected, ""));
    assert_eq!(text(&recto(folder.path(), &["diff", "--patch", "fix.patch"]).stdout), patch, "it is one already");

    let input = fs::File::open(folder.path().join("fix.patch")).unwrap();
    let output = program(folder.path(), &["diff", "--json", "-"]).stdin(input).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hunks = found["files"][0]["hunks"].as_array().unwrap();
    let starts: Vec<_> = hunks.iter().map(|hunk| hunk["new_start"].as_u64().unwrap()).collect();
    assert_eq!(starts, [10, 13], "lines that are not told are no context");
    let lines: Vec<_> = hunks.iter().map(|hunk| hunk["lines"].as_array().unwrap().len()).collect();
    assert_eq!(lines, [2, 2]);

    let output = program(folder.path(), &["diff", "--stat", "-"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "an empty patch changes nothing: {}", text(&output.stderr));
    fs::write(folder.path().join("no.patch"), "just text\n").unwrap();
    let message = "no.patch cannot be read as a patch: line 1 of the patch: no patch was found";
    failed(recto(folder.path(), &["diff", "--stat", "no.patch"]), 1, message);
}

#[test]
fn two_files_need_no_repository() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a"), "1\n2\n").unwrap();
    fs::write(folder.path().join("b"), "1\n3\n").unwrap();
    let output = recto(folder.path(), &["diff", "--patch", "a", "b"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"), "{}", text(&output.stdout));
}

#[test]
fn nothing_changed_prints_nothing() {
    let repo = Repo::new();
    for flag in ["--stat", "--patch"] {
        let output = recto(&repo.path, &["diff", flag]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()), "{flag}");
    }
    let json = recto(&repo.path, &["diff", "--json"]);
    assert_eq!(text(&json.stdout), "{\"files\":[]}\n");
}

#[test]
fn a_reader_who_leaves_early_is_no_failure() {
    let repo = Repo::new();
    let many: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
    fs::write(repo.path.join("many.txt"), many).unwrap();
    let mut child = program(&repo.path, &["diff", "--patch"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap(); // and drops it
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""));
}

#[test]
fn completions_and_pages_come_from_the_definitions() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = recto(folder.path(), &["completions", shell]);
        assert!(text(&output.stdout).contains("screenshot"), "{shell}");
    }
    assert!(text(&recto(folder.path(), &["man"]).stdout).contains(".TH recto 1"));
    assert!(text(&recto(folder.path(), &["man", "diff"]).stdout).contains("git apply"));
}

#[test]
fn a_written_reply_is_applied_or_only_told() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.py");
    fs::write(&file, "def f():\n    return 1\n").unwrap();
    let reply = "<edit_file path=\"a.py\">\n<<<<<<< SEARCH\nreturn 1\n=======\nreturn 2\n>>>>>>> REPLACE\n</edit_file>\n<done/>";
    fs::write(folder.path().join("reply.txt"), reply).unwrap();

    let told = recto(folder.path(), &["agent", "replay", "reply.txt", "--root", ".", "--dry-run"]);
    let shown = "done    edit_file a.py: met shifted to the file's indentation\n@@ -1,2 +1,2 @@\n def f():\n\
        -    return 1\n+    return 2\n        done\n";
    assert_eq!((told.status.code(), text(&told.stdout).as_str()), (Some(0), shown));
    assert_eq!(fs::read_to_string(&file).unwrap(), "def f():\n    return 1\n");

    let done = recto(folder.path(), &["agent", "replay", "reply.txt", "--root", ".", "--json"]);
    let object: Value = serde_json::from_slice(&done.stdout).unwrap();
    let edit = serde_json::json!({ "action": 0, "ok": true, "rung": "indentation",
        "fragment": { "lines": "1-2", "text": "def f():\n    return 2" } });
    assert_eq!((&object["results"][0], &object["actions"][0]["type"]), (&edit, &"edit_file".into()));
    assert_eq!(fs::read_to_string(&file).unwrap(), "def f():\n    return 2\n");

    // What it looked for is gone, and what it writes is there.
    let again = recto(folder.path(), &["agent", "replay", "reply.txt"]);
    let shown = "        edit_file a.py: the file has exactly this already; nothing was written\n        done\n";
    assert_eq!((again.status.code(), text(&again.stdout).as_str()), (Some(0), shown));
    fs::write(&file, "nothing of it\n").unwrap();
    let failed = recto(folder.path(), &["agent", "replay", "reply.txt"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed.stdout).starts_with("failed  edit_file a.py\n  the SEARCH of block 1 is not in the file."));
}

#[test]
fn recorded_bytes_are_drawn_with_their_marks() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("bytes"),
        "\x1b]133;A\x07$ \x1b]133;B\x07\x1b[31mls\x1b[m\r\n\x1b]133;C\x07wide 你\r\n",
    )
    .unwrap();
    let render = |arguments: &[&str]| {
        let bytes = fs::File::open(folder.path().join("bytes")).unwrap();
        let whole = [&["terminal", "render"], arguments].concat();
        text(&program(folder.path(), &whole).stdin(bytes).output().unwrap().stdout)
    };
    assert_eq!(render(&["--size", "10x4"]), "$ ls\nwide 你\n\n\n");
    let marked = render(&["--size", "10x2", "--marks"]);
    let (screen, marks) = marked.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(screen, "wide 你\n");
    let marks: Value = serde_json::from_str(marks).unwrap();
    let command = &marks["commands"][0];
    assert_eq!((&command["state"], &command["line"]), (&"running".into(), &"ls".into()));
    assert_eq!(command["output"], serde_json::json!({ "row": 0, "column": 0 }));
}

#[test]
fn a_file_without_a_server_says_why() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.rs"), "fn main() {}\n").unwrap();
    fs::write(folder.path().join("a.txt"), "text\n").unwrap();
    fs::write(folder.path().join("a.sql"), "select 1;\n").unwrap();
    let failed = |arguments: &[&str], message: &str| failed(recto(folder.path(), arguments), 1, message);
    failed(&["lsp", "a.txt"], "a.txt is in no language that Recto knows");
    failed(&["lsp", "a.sql"], "no server is known for SQL; name one with --command");
    failed(&["lsp", "a.rs", "--command", "no-such-server --stdio"], "no-such-server is not installed");
    let ended = "false ended with code 1 before it was ready";
    failed(&["lsp", "a.rs", "--command", "false"], ended);
    let output = recto(folder.path(), &["lsp", "a.rs", "--server", "ruff"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), "recto: ruff does not serve Rust\n".to_owned()));
}

#[test]
fn a_file_that_has_a_server_is_checked() {
    let folder = TempDir::new().unwrap();
    if !Command::new("ruff").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let strict = std::env::var_os("RECTO_TESTS_STRICT").is_some_and(|value| value == "1");
        assert!(!strict, "ruff is missing, and RECTO_TESTS_STRICT=1 forbids skipping");
        eprintln!("skipped: ruff is not installed");
        return;
    }
    fs::write(folder.path().join("a.py"), "s = \"𝒳\"; import os\n").unwrap();
    let output = recto(folder.path(), &["lsp", "a.py", "--server", "ruff"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.lines().any(|line| line.starts_with("a.py:1:17: ") && line.ends_with("[Ruff F401]")), "{printed}");
    let output = recto(folder.path(), &["lsp", "a.py", "--server", "ruff", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["path"], &report["servers"][0]["name"]), (&"a.py".into(), &"ruff".into()));
    let unused = report["diagnostics"].as_array().unwrap().iter().find(|found| found["code"] == "F401").unwrap();
    assert_eq!((&unused["line"], &unused["column"], &unused["start"]), (&1.into(), &17.into(), &19.into()));
}

/// Runs the program in a folder, without a display and with a home of its own.
fn recto(folder: &Path, arguments: &[&str]) -> Output {
    program(folder, arguments).output().unwrap()
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "COLUMNS", "RECTO_LOG"] {
        command.env_remove(name);
    }
    // A repository around the temporary folder must not be found.
    command.env("RECTO_HOME", folder.join(".recto")).env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap());
    command
}

#[track_caller]
fn failed(output: Output, code: i32, message: &str) {
    assert_eq!(output.status.code(), Some(code));
    assert_eq!(text(&output.stderr), format!("recto: {message}\n"));
    assert!(output.stdout.is_empty());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A repository with one commit of two files.
struct Repo {
    path: PathBuf,
    _folder: TempDir,
}

impl Repo {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let repo = Self { path: folder.path().canonicalize().unwrap(), _folder: folder };
        repo.git(&["init", "-q", "-b", "main"]);
        fs::write(repo.path.join("kept.txt"), "one\ntwo\nthree\n").unwrap();
        fs::write(repo.path.join("gone.txt"), "farewell\n").unwrap();
        repo.git(&["add", "."]);
        repo.git(&["commit", "-qm", "start"]);
        repo
    }

    /// The same with a file changed, one deleted, one new.
    fn with_a_change() -> Self {
        let repo = Self::new();
        fs::write(repo.path.join("kept.txt"), "one\ntwo, changed\nthree\n").unwrap();
        fs::remove_file(repo.path.join("gone.txt")).unwrap();
        fs::write(repo.path.join("new.txt"), "fresh\n").unwrap();
        repo
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.path).args(["-c", "user.name=Test", "-c", "user.email=test@example.com"]);
        let output = command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}
