//! Diffs of the suites: of each file that git printed a patch of, the lines that changed are those our script changes,
//! and a merge against several parents is printed by us to the letter. Our own patches are taken by `git apply`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    process::{Command, Stdio},
};

use diff::{
    Cancel,
    combined::{CombineOptions, combine},
    content::is_binary,
    engine::{Algorithm, AsGit, Engine, Options, Whitespace, compare},
    lines::Content,
    patch::{
        Body, Header, WriteOptions,
        combined::write_hunk,
        parse,
        parse::{LineKind, PatchFile},
        write,
    },
};

use super::changed::changed;
use super::record::{Record, Suite};

/// Contents by the names that patches give them.
type Objects = BTreeMap<String, Vec<u8>>;

/// Replays what the commands of a suite printed.
pub fn outputs(suite: &Suite) -> usize {
    let records = suite.records("diff");
    let output = |record: &Record| without_colours(&record.file("output").unwrap_or_default());
    let outputs: Vec<_> = records.iter().map(|record| (record, output(record))).collect();
    let done = replay(suite, &outputs);
    suite.report("files that its commands printed", done);
    done
}

/// Replays what the files beside a script expect of its commands: `$ git words`, what it prints, `$`.
pub fn expectations(suite: &Suite, folder: &str) -> usize {
    let mut files: Vec<_> = fs::read_dir(suite.beside(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut records = Vec::new();
    for path in files {
        let text = fs::read(&path).unwrap();
        let Some(rest) = text.strip_prefix(b"$ ") else { continue };
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap();
        let args = String::from_utf8_lossy(&rest[..end]).split(' ').skip(1).map(str::to_owned).collect();
        let output = rest[end + 1..].strip_suffix(b"$\n").unwrap_or(&rest[end + 1..]).to_vec();
        records.push((Record::of_words(path, args), output));
    }
    let outputs: Vec<_> = records.iter().map(|(record, output)| (record, output.clone())).collect();
    let done = replay(suite, &outputs);
    suite.report("files of its expectations", done);
    done
}

/// A text without the escape sequences that colour it.
fn without_colours(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"\x1b[") {
        plain.extend_from_slice(&rest[..at]);
        let code = &rest[at + 2..];
        let end = code.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';').unwrap_or(code.len());
        rest = code.get(end + 1..).unwrap_or_default();
    }
    plain.extend_from_slice(rest);
    plain
}

fn replay(suite: &Suite, outputs: &[(&Record, Vec<u8>)]) -> usize {
    let sections: Vec<_> = outputs
        .iter()
        .flat_map(|(record, output)| sections(output).into_iter().map(move |section| (*record, section)))
        .collect();
    let objects = read_objects(suite, sections.iter().filter_map(|(_, section)| ids(section)).flatten());
    let mut pairs = BTreeSet::new();
    let mut engine = Engine::new();
    let mut done = 0;
    for (record, section) in sections {
        let how = match how(record) {
            Ok(how) => how,
            Err(reason) => {
                suite.leave_out(reason);
                continue;
            }
        };
        let outcome = if section.starts_with(b"diff --git ") {
            check_file(record, section, &how, &objects, &mut engine, &mut pairs)
        } else {
            check_combined(record, section, &how, &objects)
        };
        match outcome {
            Ok(()) => done += 1,
            Err(reason) => suite.leave_out(reason),
        }
    }
    applied_by_git(suite, &pairs);
    done
}

/// What git was told about comparing.
struct How {
    as_git: AsGit,
    context: u32,
}

/// Why something cannot be compared to the line.
type Reason = &'static str;

fn how(record: &Record) -> Result<How, Reason> {
    let starts = |start: &str| record.args.iter().any(|arg| arg.starts_with(start));
    let other = [
        ("--word-diff", "words and not lines"),
        ("--patience", "an algorithm that we do not have"),
        ("--anchored", "an algorithm that we do not have"),
        ("--minimal", "an algorithm that we do not have"),
        ("--ignore-blank-lines", "blank lines are ignored, which we do not offer"),
        ("--ignore-matching-lines", "lines are ignored by pattern, which we do not offer"),
        ("-I", "lines are ignored by pattern, which we do not offer"),
        ("--output-indicator", "other signs than + and -"),
        ("--line-prefix", "something before each line"),
        ("--graph", "something before each line"),
    ];
    if let Some((_, reason)) = other.into_iter().find(|(start, _)| starts(start)) {
        return Err(reason);
    }
    let named = record.args.iter().find_map(|arg| arg.strip_prefix("--diff-algorithm="));
    let named = named.or(record.has("--histogram").then_some("histogram")).or(record.config("diff.algorithm"));
    let algorithm = match named {
        None | Some("myers" | "default") => Algorithm::Myers,
        Some("histogram") => Algorithm::Histogram,
        Some(_) => return Err("an algorithm that we do not have"),
    };
    let whitespace = if record.has("-w") || record.has("--ignore-all-space") {
        Whitespace::IgnoreAll
    } else if record.has("-b") || record.has("--ignore-space-change") {
        Whitespace::IgnoreAmount
    } else if record.has("--ignore-space-at-eol") {
        Whitespace::IgnoreEnd
    } else if record.has("--ignore-cr-at-eol") {
        Whitespace::IgnoreCr
    } else {
        Whitespace::Exact
    };
    let indent_heuristic =
        !record.has("--no-indent-heuristic") && record.config("diff.indentHeuristic") != Some("false");
    let unified = record.args.iter().find_map(|arg| arg.strip_prefix("-U").or(arg.strip_prefix("--unified=")));
    let context = unified.or(record.config("diff.context")).map_or(Ok(3), str::parse).map_err(|_| "odd context")?;
    Ok(How { as_git: AsGit { algorithm, indent_heuristic, whitespace }, context })
}

/// The parts of an output that are about a file each.
fn sections(output: &[u8]) -> Vec<&[u8]> {
    let begins = |line: &[u8]| {
        ["diff --git ", "diff --cc ", "diff --combined "].iter().any(|start| line.starts_with(start.as_bytes()))
    };
    let mut starts = Vec::new();
    let mut at = 0;
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        if begins(line) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([output.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &output[start..end]).collect()
}

/// The names of the contents in a section's header: of the old sides, and of the new one.
fn ids(section: &[u8]) -> Option<Vec<String>> {
    let mut header = section.split(|&byte| byte == b'\n').take_while(|line| !line.starts_with(b"@@"));
    let line = header.find_map(|line| line.strip_prefix(b"index "))?;
    let line = String::from_utf8_lossy(line).into_owned();
    let (old, new) = line.split(' ').next()?.split_once("..")?;
    Some(old.split(',').chain([new]).map(str::to_owned).collect())
}

fn header_has(section: &[u8], what: &[u8]) -> bool {
    let mut header = section.split(|&byte| byte == b'\n').take_while(|line| !line.starts_with(b"@@"));
    header.any(|line| memchr::memmem::find(line, what).is_some())
}

fn check_file(
    record: &Record,
    section: &[u8],
    how: &How,
    objects: &Objects,
    engine: &mut Engine,
    pairs: &mut BTreeSet<(Vec<u8>, Vec<u8>)>,
) -> Result<(), Reason> {
    if header_has(section, b"dissimilarity index") {
        return Err("a rewritten file, which git shows as removed and added");
    }
    if header_has(section, b"160000") {
        return Err("a submodule");
    }
    let patch = parse(section).unwrap_or_else(|error| {
        panic!("{} printed what we do not read: {error}\n{}", record.words(), String::from_utf8_lossy(section))
    });
    let file = &patch.files[0];
    let headers = section.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"@@ -")).count();
    if file.binary {
        return Err("binary");
    }
    if file.hunks.is_empty() {
        assert_eq!(headers, 0);
        return Err("nothing of the lines is shown");
    }
    let ids = ids(section).ok_or("no names of the contents")?;
    let is_none = |id: &String| id.bytes().all(|byte| byte == b'0');
    if is_none(&ids[0]) != file.added || is_none(&ids[1]) != file.deleted {
        return Err("a content on disk that git did not name");
    }
    let [old, new] = [&ids[0], &ids[1]].map(|id| objects.get(id).map(|text| Content::new(&text[..]).unwrap()));
    let (Some(old), Some(new)) = (old, new) else { return Err("a content that is nowhere") };
    if !is_consistent(file, &old, &new, how.as_git.whitespace) {
        return Err("what is shown is not what is stored: converted, or a part of the lines");
    }
    let script = engine.compare_as_git(&old, &new, &how.as_git, &Cancel::new()).unwrap();
    assert_eq!(script.hunks, changed(file), "{}\n{}", record.words(), String::from_utf8_lossy(section));
    if !is_binary(old.bytes()) && !is_binary(new.bytes()) {
        pairs.insert((old.bytes().to_vec(), new.bytes().to_vec()));
    }
    Ok(())
}

/// Whether the lines of a patch are those of the contents.
fn is_consistent(file: &PatchFile<'_>, old: &Content, new: &Content, whitespace: Whitespace) -> bool {
    file.hunks.iter().all(|hunk| {
        let (mut old_at, mut new_at) = (hunk.old.start, hunk.new.start);
        hunk.lines.iter().all(|line| {
            let (is_old, is_new) = (line.kind != LineKind::Added, line.kind != LineKind::Removed);
            let fits = (!is_old || whitespace.equal(old.line(old_at), line.text))
                && (!is_new || new.line(new_at) == line.text);
            (old_at, new_at) = (old_at + u32::from(is_old), new_at + u32::from(is_new));
            fits
        })
    })
}

fn check_combined(record: &Record, section: &[u8], how: &How, objects: &Objects) -> Result<(), Reason> {
    let patch = parse(section).unwrap_or_else(|error| {
        panic!("{} printed what we do not read: {error}\n{}", record.words(), String::from_utf8_lossy(section))
    });
    if patch.files[0].binary {
        return Err("binary");
    }
    let Some(start) = memchr::memmem::find(section, b"\n@@@") else { return Err("nothing of the lines is shown") };
    if header_has(section, b"160000") {
        return Err("a submodule");
    }
    let ids = ids(section).ok_or("no names of the contents")?;
    let contents: Option<Vec<_>> =
        ids.iter().map(|id| objects.get(id).map(|text| Content::new(&text[..]).unwrap())).collect();
    let is_none = |id: &String| id.bytes().all(|byte| byte == b'0');
    if ids.last().is_some_and(is_none) && !header_has(section, b"deleted file mode") {
        return Err("a content on disk that git did not name");
    }
    let mut parents = contents.ok_or("a content that is nowhere")?;
    let result = parents.pop().unwrap();
    let dense = section.starts_with(b"diff --cc ");
    let options = CombineOptions { dense, context: how.context, whitespace: how.as_git.whitespace };
    let hunks = combine(&parents, &result, &options, &Cancel::new()).unwrap();
    let mut printed = Vec::new();
    for hunk in &hunks {
        write_hunk(&mut printed, hunk);
    }
    let shown = &section[start + 1..];
    assert!(
        shown.starts_with(&printed) && !printed.is_empty(),
        "{}\ngit:\n{}\nwe:\n{}",
        record.words(),
        String::from_utf8_lossy(shown),
        String::from_utf8_lossy(&printed)
    );
    assert_eq!(hunks.len(), patch.files[0].combined_hunks.len(), "{}", record.words());
    Ok(())
}

/// Reads contents from all repositories that the suite made.
fn read_objects(suite: &Suite, ids: impl Iterator<Item = String>) -> Objects {
    let mut objects = Objects::new();
    let wanted: BTreeSet<String> = ids.collect();
    let stores: BTreeSet<_> = suite.records("diff").iter().filter_map(Record::objects).collect();
    let stores = std::env::join_paths(&stores).unwrap();
    let mut git = Command::new("git")
        .arg("--git-dir")
        .arg(suite.path("log/store.git"))
        .args(["cat-file", "--batch"])
        .env("GIT_OBJECT_DIRECTORY", suite.path("log/objects"))
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", stores)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = git.stdin.take().unwrap();
    let (known, empty): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|id| id.bytes().any(|byte| byte != b'0'));
    objects.extend(empty.into_iter().map(|id| (id, Vec::new())));
    let asked: String = known.iter().map(|id| format!("{id}\n")).collect();
    let writer = std::thread::Builder::new().name("ids".into()).spawn(move || input.write_all(asked.as_bytes()));
    let output = git.wait_with_output().unwrap().stdout;
    writer.unwrap().join().unwrap().unwrap();
    let mut rest = &output[..];
    for id in known {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap();
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let Some(size) = line.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok()) else { continue };
        if line.contains(" blob ") {
            objects.insert(id, rest[..size].to_vec());
        }
        rest = &rest[size + 1..];
    }
    objects
}

/// Our patches of all pairs at once; git takes them, and has the new sides then.
fn applied_by_git(suite: &Suite, pairs: &BTreeSet<(Vec<u8>, Vec<u8>)>) {
    let folder = tempfile::tempdir().unwrap();
    let mut patch = Vec::new();
    let pairs: Vec<_> = pairs.iter().filter(|(old, new)| !old.is_empty() && !new.is_empty()).collect();
    for (at, (old, new)) in pairs.iter().enumerate() {
        let path = format!("p{at}");
        fs::write(folder.path().join(&path), old).unwrap();
        let (old, new) = (Content::new(&old[..]).unwrap(), Content::new(&new[..]).unwrap());
        let script = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
        let header = Header { old_path: Some(path.as_bytes()), new_path: Some(path.as_bytes()), ..Header::default() };
        let body = Body::Text { old: &old, new: &new, script: &script };
        write(&mut patch, &header, body, &WriteOptions::default());
    }
    if pairs.is_empty() {
        return;
    }
    fs::write(folder.path().join("patch"), patch).unwrap();
    let output = Command::new("git")
        .args(["apply", "--whitespace=nowarn", "patch"])
        .current_dir(folder.path())
        .env("GIT_CEILING_DIRECTORIES", folder.path().parent().unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (at, (_, new)) in pairs.iter().enumerate() {
        assert_eq!(&fs::read(folder.path().join(format!("p{at}"))).unwrap(), new);
    }
    suite.report("patches of ours that git applied", pairs.len());
}
