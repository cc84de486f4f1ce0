//! Committing: messages, hooks, who it is by, and what is said when it is refused.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use diff::{
    Cancel,
    git::{CommitError, CommitRequest, Committed, GitError, Prepared, PreparedFrom, Repo},
};

use super::scratch::{Scratch, command};

fn request(message: &str) -> CommitRequest {
    CommitRequest { message: message.to_owned(), ..CommitRequest::default() }
}

fn commit(s: &Scratch, request: &CommitRequest) -> Result<Committed, CommitError> {
    s.repo().make_commit(request, &mut |_| {}, &Cancel::new())
}

/// A repository with one commit and a change that is staged.
fn staged() -> Option<Scratch> {
    let s = Scratch::new()?;
    s.write("f", "a\n").commit().write("f", "b\n");
    s.git(&["add", "f"]);
    Some(s)
}

fn message(s: &Scratch) -> String {
    s.git(&["log", "-1", "--format=%B"]).trim_end().to_owned()
}

fn hook(s: &Scratch, name: &str, script: &str) {
    let path = s.path().join(".git/hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_index_is_committed_with_the_message_as_it_was_typed() {
    let Some(s) = staged() else { return };
    s.write("f", "c\n");
    let made = commit(&s, &request("Do it\n\n#12: because of \"this\"\n")).unwrap();
    assert_eq!(made.id.to_string(), s.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(message(&s), "Do it\n\n#12: because of \"this\"");
    assert_eq!((s.git(&["show", "HEAD:f"]).as_str(), s.git(&["status", "--porcelain"]).as_str()), ("b\n", " M f\n"));
    assert!(made.said.contains("1 file changed"), "{}", made.said);
}

#[test]
fn the_first_commit_is_one_like_others() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n");
    s.git(&["add", "f"]);
    assert!(matches!(commit(&s, &CommitRequest { amend: true, ..request("x") }), Err(CommitError::NothingToAmend)));
    commit(&s, &request("First")).unwrap();
    assert_eq!((message(&s).as_str(), s.repo().head_message().unwrap().as_deref()), ("First", Some("First")));
}

#[test]
fn amending_begins_with_the_message_there_is_and_keeps_the_author() {
    let Some(s) = staged() else { return };
    s.git(&["commit", "-q", "-m", "Subject\n\nBody", "--author=Other <other@example.com>"]);
    s.write("f", "c\n");
    s.git(&["add", "f"]);
    let before = s.repo().head_message().unwrap().unwrap();
    assert_eq!(before, "Subject\n\nBody");
    commit(&s, &CommitRequest { amend: true, ..request(&before.replace("Body", "More")) }).unwrap();
    assert_eq!(s.git(&["log", "--format=%an %s %b"]), "Other Subject More\n\nTest commit \n");
    assert_eq!(s.git(&["show", "HEAD:f"]), "c\n");
}

#[test]
fn a_commit_is_signed_off() {
    let Some(s) = staged() else { return };
    commit(&s, &CommitRequest { sign_off: true, ..request("Subject") }).unwrap();
    assert_eq!(message(&s), "Subject\n\nSigned-off-by: Test <test@example.com>");
    assert_eq!(s.repo().author().unwrap(), "Test <test@example.com>");
}

#[test]
fn a_commit_is_signed_as_is_configured() {
    let Some(s) = staged() else { return };
    // A program in the place of gpg, as git calls it; its last word is that it signed.
    let gpg = s.path().join(".git/gpg");
    let signature = "-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----";
    fs::write(
        &gpg,
        format!("#!/bin/sh\ncat >/dev/null\necho '{signature}'\nprintf '\\n[GNUPG:] SIG_CREATED D\\n' >&2\n"),
    )
    .unwrap();
    fs::set_permissions(&gpg, fs::Permissions::from_mode(0o755)).unwrap();
    s.git(&["config", "gpg.program", gpg.to_str().unwrap()]);
    s.git(&["config", "commit.gpgSign", "true"]);
    commit(&s, &request("Signed")).unwrap();
    assert!(s.git(&["cat-file", "commit", "HEAD"]).contains("gpgsig -----BEGIN PGP SIGNATURE-----"));
    fs::write(&gpg, "#!/bin/sh\necho 'no secret key' >&2\nexit 2\n").unwrap();
    let error = commit(&s, &CommitRequest { amend: true, ..request("Again") }).unwrap_err();
    assert!(matches!(&error, CommitError::Refused { said } if said.contains("no secret key")), "{error}");
}

#[test]
fn hooks_run_and_what_they_say_is_told_as_it_comes() {
    let Some(s) = staged() else { return };
    hook(&s, "pre-commit", "echo checking; echo 'line 3 is too long' >&2; exit 1");
    let mut told = String::new();
    let error = s.repo().make_commit(&request("x"), &mut |piece| told.push_str(piece), &Cancel::new()).unwrap_err();
    assert_eq!(error.to_string(), "the commit was refused:\nchecking\nline 3 is too long");
    assert_eq!(told, "checking\nline 3 is too long\n");
    assert_eq!(s.git(&["log", "--oneline"]).lines().count(), 1);
    commit(&s, &CommitRequest { skip_hooks: true, ..request("x") }).unwrap();
    hook(&s, "pre-commit", "exit 0");
    hook(&s, "commit-msg", "echo >> \"$1\"; echo 'Change-Id: 1' >> \"$1\"");
    commit(&s, &CommitRequest { allow_empty: true, ..request("y") }).unwrap();
    assert_eq!(message(&s), "y\n\nChange-Id: 1");
}

#[test]
fn a_hook_is_ended_when_the_commit_is_cancelled() {
    let Some(s) = staged() else { return };
    // It has said where it is before it waits; what waits is ended with it.
    hook(&s, "pre-commit", "echo waiting; sleep 600");
    let cancel = Cancel::new();
    let mut tell = |piece: &str| {
        if piece.contains("waiting") {
            cancel.cancel();
        }
    };
    let error = s.repo().make_commit(&request("x"), &mut tell, &cancel).unwrap_err();
    assert!(matches!(&error, CommitError::Stopped { said } if said == "waiting\n"), "{error}");
    assert!(!s.path().join(".git/index.lock").exists());
    assert_eq!(s.git(&["log", "--oneline"]).lines().count(), 1);
}

#[test]
fn what_a_hook_leaves_running_does_not_hold_up_the_commit() {
    let Some(s) = staged() else { return };
    hook(&s, "post-commit", "sleep 600 & echo $! > .git/left");
    commit(&s, &request("x")).unwrap();
    let left = fs::read_to_string(s.path().join(".git/left")).unwrap();
    assert!(Command::new("kill").arg(left.trim()).status().unwrap().success(), "it is still running");
}

#[test]
fn what_cannot_be_committed_is_told_in_a_sentence() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit().write("f", "b\n");
    let error = commit(&s, &request("x")).unwrap_err();
    assert_eq!(error.to_string(), "nothing is staged; stage something first, or amend the last commit");
    let error = commit(&s, &request(" \n\t")).unwrap_err();
    assert_eq!(error.to_string(), "the commit has no message; say what it does");
    s.git(&["config", "user.useConfigOnly", "true"]);
    s.git(&["config", "--unset", "user.email"]);
    s.git(&["add", "f"]);
    without_anybodys_settings(&s, "identity");
}

/// Runs this test program once more in an environment of its own, for `inside` to look from there.
fn without_anybodys_settings(s: &Scratch, what: &str) {
    let mut inside = Command::new(std::env::current_exe().unwrap());
    inside.args(["--exact", "committing::inside", "--nocapture"]).env(INSIDE, what).env("RECTO_TEST_REPO", s.path());
    inside.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env_remove("EMAIL");
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        inside.env_remove(name);
    }
    if what == "no program" {
        inside.env("PATH", s.path().join("empty"));
    }
    let output = inside.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const INSIDE: &str = "RECTO_TEST_INSIDE";

/// What other tests look at from a process of its own; nothing by itself.
#[test]
fn inside() {
    let Ok(what) = std::env::var(INSIDE) else { return };
    let repo = Repo::discover(Path::new(&std::env::var_os("RECTO_TEST_REPO").unwrap())).unwrap();
    let error = repo.make_commit(&request("x"), &mut |_| {}, &Cancel::new()).unwrap_err();
    match what.as_str() {
        "identity" => {
            let told = error.to_string();
            assert!(matches!(error, CommitError::NoIdentity { .. }), "{told}");
            assert!(told.contains("git config --global user.email") && told.contains("email was given"), "{told}");
        }
        _ => {
            assert!(matches!(error, CommitError::Git(GitError::NoProgram)), "{error}");
            assert!(error.to_string().starts_with("the program `git` was not found"), "{error}");
        }
    }
}

#[test]
fn without_a_git_program_it_says_so() {
    let Some(s) = staged() else { return };
    without_anybodys_settings(&s, "no program");
}

#[test]
fn a_template_is_what_a_message_begins_with() {
    let Some(s) = staged() else { return };
    assert_eq!(s.repo().prepared_message().unwrap(), Prepared { comment: "#".to_owned(), ..Prepared::default() });
    s.write("template", "\n; what and why\n#12 stays\n");
    s.git(&["config", "commit.template", "template"]);
    s.git(&["config", "core.commentChar", ";"]);
    let prepared = s.repo().prepared_message().unwrap();
    let expected = Prepared {
        text: "\n; what and why\n#12 stays\n".to_owned(),
        comment: ";".to_owned(),
        from: PreparedFrom::Template,
    };
    assert_eq!(prepared, expected);
    let typed = format!("Subject\n{}", prepared.text);
    commit(&s, &CommitRequest { strip_comments: true, ..request(&typed) }).unwrap();
    assert_eq!(message(&s), "Subject\n\n#12 stays");
    s.git(&["config", "commit.template", "gone"]);
    assert!(matches!(s.repo().prepared_message(), Err(GitError::File { path, .. }) if path.ends_with("gone")));
}

#[test]
fn a_merge_is_concluded_with_the_message_that_git_prepared() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "base\n").commit();
    s.git(&["checkout", "-q", "-b", "theirs"]);
    s.write("f", "theirs\n").commit();
    s.git(&["checkout", "-q", "main"]);
    s.write("f", "ours\n").commit();
    assert!(!command(s.path()).args(["merge", "-q", "theirs"]).output().unwrap().status.success());
    let prepared = s.repo().prepared_message().unwrap();
    assert_eq!(prepared.from, PreparedFrom::Operation);
    assert!(
        prepared.text.starts_with("Merge branch 'theirs'\n") && prepared.text.contains("# Conflicts:"),
        "{prepared:?}"
    );
    let merge = CommitRequest { strip_comments: true, ..request(&prepared.text) };
    let error = commit(&s, &merge).unwrap_err();
    assert!(matches!(&error, CommitError::Refused { said } if said.contains("unmerged")), "{error}");
    // Resolved to ours: nothing differs from HEAD, and it is a commit all the same.
    s.write("f", "ours\n");
    s.git(&["add", "f"]);
    commit(&s, &merge).unwrap();
    assert_eq!(
        (message(&s).as_str(), s.git(&["log", "-1", "--format=%P"]).split(' ').count()),
        ("Merge branch 'theirs'", 2)
    );
}

#[test]
fn the_messages_of_whoever_commits_come_back_newest_first() {
    let Some(s) = Scratch::new() else { return };
    let other = ["--author=Other <other@example.com>"];
    for (n, (text, by)) in
        [("One\n\nBody", &[][..]), ("Theirs", &other), ("Two", &[]), ("One\n\nBody", &[]), ("Three", &[])]
            .into_iter()
            .enumerate()
    {
        let date = format!("2024-01-01T00:00:0{n}Z");
        let words = ["commit", "-q", "--allow-empty", "-m", text, "--date", &date];
        let mut commit = command(s.path());
        commit.args(words).args(by).env("GIT_COMMITTER_DATE", &date);
        assert!(commit.status().unwrap().success());
    }
    let recent = |limit| s.repo().recent_messages(limit, &Cancel::new()).unwrap();
    assert_eq!(recent(9), ["Three", "One\n\nBody", "Two"]);
    assert_eq!(recent(2), ["Three", "One\n\nBody"]);
    assert_eq!(Scratch::new().unwrap().repo().recent_messages(9, &Cancel::new()).unwrap(), Vec::<String>::new());
}
