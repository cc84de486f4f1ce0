//! Merges of the suites: what `git merge-file` was given, and the conflicts that merging commands left.

use std::{collections::BTreeSet, fs};

use diff::{
    Cancel,
    content::is_binary,
    engine::Algorithm,
    lines::Content,
    merge::{
        Labels, MarkerFormat, MarkerStyle, Merge, MergeOptions, Take,
        markers::{MarkedConflicts, MarkerRules},
        session::{ConflictFiles, ConflictSession, Start},
    },
};

use super::record::{Record, Suite};

fn content(text: &[u8]) -> Content {
    Content::new(text).unwrap()
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn style_of(record: &Record) -> MarkerStyle {
    match record.config("merge.conflictStyle") {
        Some("diff3") => MarkerStyle::Diff3,
        Some("zdiff3") => MarkerStyle::ZealousDiff3,
        _ => MarkerStyle::Merge,
    }
}

/// Replays every `git merge-file`; results and exit codes are git's.
pub fn merge_files(suite: &Suite) -> usize {
    let mut done = 0;
    for record in suite.records("merge-file") {
        let file = |name: &str| record.file(name).unwrap_or_default();
        let (base, ours, theirs) = (file("base"), file("ours"), file("theirs"));
        if [&base, &ours, &theirs].into_iter().any(|text| is_binary(text)) {
            let code = show(&file("code"));
            assert!(code.trim() != "0", "git refuses what we call binary: {}", record.words());
            suite.leave_out("binary, which both refuse");
            continue;
        }
        let Some(expected) = record.file("result") else {
            suite.leave_out("git gave no result");
            continue;
        };
        if record.objects().is_none() && record.config("merge.conflictStyle").is_some() {
            suite.leave_out("configured outside a repository, which not every git heeds");
            continue;
        }
        let asked = asked(&record);
        let merge =
            Merge::new(&content(&base), &content(&ours), &content(&theirs), &asked.options, &Cancel::new()).unwrap();
        let takes: Vec<_> = merge.accepted().into_iter().map(|take| take.or(asked.favour.clone())).collect();
        let composed = merge.compose(&takes, &asked.format);
        assert_eq!(show(&composed.bytes), show(&expected), "{}", record.words());
        assert_eq!(composed.bytes, expected);
        let code: usize = show(&file("code")).trim().parse().unwrap();
        if code > 127 {
            suite.leave_out("git failed");
            continue;
        }
        assert_eq!(composed.open.min(127), code, "the exit code of {}", record.words());
        done += 1;
    }
    suite.report("calls of merge-file", done);
    done
}

/// What a call of `git merge-file` asked for.
struct Asked {
    options: MergeOptions,
    favour: Option<Take>,
    format: MarkerFormat,
}

fn asked(record: &Record) -> Asked {
    let mut asked = Asked {
        options: MergeOptions::git_merge_file().with_style(style_of(record)),
        favour: None,
        format: MarkerFormat::default(),
    };
    let mut labels = Vec::new();
    let command = record.args.iter().position(|arg| arg == "merge-file").unwrap();
    let mut args = record.args[command + 1..].iter().map(String::as_str);
    let mut files = Vec::new();
    while let Some(arg) = args.next() {
        match arg {
            "-L" => labels.push(args.next().unwrap().to_owned()),
            "--diff3" => asked.options.style = MarkerStyle::Diff3,
            "--zdiff3" => asked.options.style = MarkerStyle::ZealousDiff3,
            "--ours" => asked.favour = Some(Take::Ours),
            "--theirs" => asked.favour = Some(Take::Theirs),
            "--union" => asked.favour = Some(Take::OursTheirs),
            "--diff-algorithm" => asked.options.algorithm = algorithm(args.next().unwrap()),
            _ if arg.starts_with("--diff-algorithm=") => {
                asked.options.algorithm = algorithm(arg.split_once('=').unwrap().1);
            }
            _ if arg.starts_with("--marker-size=") => {
                asked.format.size = arg.split_once('=').unwrap().1.parse().unwrap();
            }
            _ if arg.starts_with('-') => {}
            _ => files.push(arg.to_owned()),
        }
    }
    let label = |at: usize| labels.get(at).or(files.get(at)).cloned().unwrap_or_default();
    asked.format.style = asked.options.style;
    asked.format.labels = Labels { ours: label(0), base: label(1), theirs: label(2) };
    asked
}

fn algorithm(name: &str) -> Algorithm {
    match name {
        "histogram" => Algorithm::Histogram,
        "myers" | "default" => Algorithm::Myers,
        other => panic!("the suite asks for {other}, which we do not have"),
    }
}

/// Replays every conflict that a merging command left: the file it wrote is what we write from its three versions, its
/// markers are read, and taking a side of each conflict gives what the merge gives.
pub fn conflicts(suite: &Suite) -> usize {
    let mut done = 0;
    let mut seen = BTreeSet::new();
    for record in suite.records("conflict") {
        let paths = fs::read_dir(&record.folder).unwrap().map(|entry| entry.unwrap().file_name());
        let paths = paths.filter_map(|name| name.to_string_lossy().strip_suffix(".path").map(str::to_owned));
        for number in paths.collect::<BTreeSet<_>>() {
            let file = |name: &str| record.file(&format!("{number}.{name}"));
            let path = show(&file("path").unwrap());
            let versions = [file("stage1"), file("stage2"), file("stage3")];
            status_is_right(&record, &path, [1, 2, 3].map(|stage| file(&format!("mode{stage}")).is_some()));
            let [base, Some(ours), Some(theirs)] = versions else {
                suite.leave_out("a side does not have the file");
                continue;
            };
            let is_file = |stage: u32| file(&format!("mode{stage}")).is_some_and(|mode| mode.starts_with(b"100"));
            if !is_file(2) || !is_file(3) {
                suite.leave_out("a link or a submodule");
                continue;
            }
            let (base, Some(merged)) = (base.unwrap_or_default(), file("file")) else {
                suite.leave_out("no file on disk");
                continue;
            };
            if [&base, &ours, &theirs].into_iter().any(|text| is_binary(text)) {
                assert_eq!(merged, ours, "of binary files git leaves ours");
                suite.leave_out("binary");
                continue;
            }
            let found = MarkedConflicts::of_bytes(&merged, MarkerRules::default());
            if found.list().is_empty() {
                suite.leave_out("resolved already, or conflicting in something else than lines");
                continue;
            }
            if !seen.insert((base.clone(), ours.clone(), theirs.clone(), merged.clone())) {
                suite.leave_out("seen before");
                continue;
            }
            let files = ConflictFiles {
                base: content(&base),
                ours: content(&ours),
                theirs: content(&theirs),
                merged: content(&merged),
            };
            check_conflict(&record, &path, files, &found);
            done += 1;
        }
    }
    suite.report("files in conflict", done);
    done
}

fn check_conflict(record: &Record, path: &str, files: ConflictFiles, found: &MarkedConflicts) {
    let merged = files.merged.clone();
    let session = ConflictSession::new(files, MarkerRules::default(), &Cancel::new()).unwrap();
    let Start::Fresh(format) = session.start().clone() else {
        let merge = session.merge();
        let ours = merge.compose(&merge.accepted(), &MarkerFormat::default());
        panic!("{path} after {}: git wrote\n{}\nwe write\n{}", record.words(), show(merged.bytes()), show(&ours.bytes));
    };
    let style = if found.list()[0].base.is_some() { format.style != MarkerStyle::Merge } else { true };
    assert!(style, "{path} after {}: the base is told, and was not read", record.words());
    assert_eq!(session.exit_code(Some(merged.bytes()), 0), 1, "conflicts are left in {path}");
    assert_eq!(session.left(merged.bytes()), found.list().len());
    assert_eq!(session.exit_code(Some(session.files().ours.bytes()), 0), 0, "ours has no conflict left");
    let base = session.merge().content(diff::merge::Version::Base);
    let text = editor::Text::from(show(merged.bytes()).as_str());
    for (take, favour) in [(Take::Ours, Take::Ours), (Take::Theirs, Take::Theirs)] {
        // By its markers, and by its versions.
        let mut edits: Vec<_> =
            found.list().iter().flat_map(|conflict| conflict.replacements(&text, &take).unwrap()).collect();
        edits.sort_by_key(|(range, _)| range.start);
        let resolved = editor::ChangeSet::from_edits(text.len(), edits).apply(&text).to_string();
        let (ours, theirs) = (&session.files().ours, &session.files().theirs);
        let composed = [Algorithm::Histogram, Algorithm::Myers].map(|algorithm| {
            let options = MergeOptions { algorithm, ..MergeOptions::git_merge() }.with_style(format.style);
            let merge = Merge::new(base, ours, theirs, &options, &Cancel::new()).unwrap();
            let takes: Vec<_> = merge.accepted().into_iter().map(|taken| taken.or(Some(favour.clone()))).collect();
            show(&merge.compose(&takes, &format).bytes)
        });
        // Markers give a last line its newline.
        let same = |composed: &String| *composed == resolved || format!("{composed}\n") == resolved;
        assert!(composed.iter().any(same), "{path} resolved by {take:?}: {resolved}");
    }
}

/// The letters of `git status` are what the stages tell.
fn status_is_right(record: &Record, path: &str, [base, ours, theirs]: [bool; 3]) {
    let letters = match (base, ours, theirs) {
        (true, true, true) => "UU",
        (false, true, true) => "AA",
        (true, false, true) => "DU",
        (true, true, false) => "UD",
        (false, true, false) => "AU",
        (false, false, true) => "UA",
        (_, false, false) => "DD",
    };
    let status = show(&record.file("status").unwrap_or_default());
    if !status.is_empty() {
        let expected = format!("{letters} {path}");
        let is_there = |line: &str| line.replace('"', "") == expected;
        assert!(status.lines().any(is_there), "{expected} is not in\n{status}");
    }
}
