//! The rules of the house, read off the sources and manifests: who may know whom, where files are touched, what every
//! file looks like.
//!
//! A rule that is broken names file and line. An exception is an entry of a list here, with its reason.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a source tree that cannot be read fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that know no window.
const CORES: [&str; 4] = ["editor", "diff", "terminal", "agent"];

/// What every crate of ours may know of the others.
const KNOWS: [(&str, &[&str]); 6] = [
    ("editor", &[]),
    ("diff", &["editor"]),
    ("terminal", &[]),
    ("agent", &["editor", "diff"]),
    ("recto", &["editor", "diff", "terminal", "agent"]),
    ("tests", &["editor", "diff", "terminal", "agent", "recto"]),
];

/// What brings a window.
const WINDOW: [&str; 9] =
    ["egui", "eframe", "egui_tiles", "egui_kittest", "egui-wgpu", "egui-winit", "epaint", "wgpu", "winit"];

/// Libraries that stay behind their wrapper.
const WRAPPED: [(&str, &[&str]); 10] = [
    ("ropey", &["editor/src/text/"]),
    ("gix", &["diff/src/git/"]),
    ("git2", &["diff/src/git/"]),
    ("rusqlite", &["diff/src/store/", "agent/src/session/store/"]),
    ("tree_sitter", &["editor/src/syntax/"]),
    // The network: only model servers that the user configured are dialled.
    ("reqwest", &["agent/src/provider/"]),
    ("rustls", &["agent/src/provider/http.rs"]),
    ("async_lsp", &["editor/src/lsp/"]),
    ("alacritty_terminal", &["terminal/src/screen/"]),
    ("portable_pty", &["terminal/src/process/"]),
];

/// Where files are read and written, and why there.
const FILES: [(&str, &str); 19] = [
    ("editor/src/file/", "opening, saving, watching"),
    ("editor/src/project/", "the tree of a folder and what is done to it"),
    ("diff/src/git/", "the working tree"),
    ("diff/src/source", "two files or folders that are compared"),
    ("diff/src/lines.rs", "mapping a large file into memory"),
    ("diff/src/store/", "the store of ticks and comments: its folder, its lock, setting a damaged one aside"),
    ("agent/src/session/store/", "the file of sessions: its folder, its rights, setting a damaged one aside"),
    ("agent/src/audit/", "the audit log, which is only appended to"),
    ("agent/src/host/", "the files of the project as the agent sees them, each looked up below its root"),
    ("terminal/src/process/", "which processes there are, as /proc tells"),
    ("terminal/src/shell/", "the scripts that shells are started with"),
    ("terminal/src/tasks/", "the manifests that name tasks"),
    ("app/src/cli/bench/chat/", "an empty project to talk about, and the file that names its model"),
    ("app/src/cli/bench/figures.rs", "memory of the process, as the system tells it"),
    ("app/src/state/settings", "the settings file"),
    ("app/src/state/session", "the session file"),
    ("app/src/state/store.rs", "the small files of settings, sessions and lists"),
    ("app/src/state/recent", "the list of recent folders"),
    ("app/src/commands/keymap", "the keymap file"),
];

/// What stands at the top, beside the crates.
const TOP: [&str; 12] = [
    ".ci",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "assets",
    "clippy.toml",
    "deny.toml",
    "rust-toolchain.toml",
    "rustfmt.toml",
];

/// Lines that a file may have.
const LONGEST: usize = 800;

#[test]
fn the_top_level_is_that_of_the_design() {
    let allowed: BTreeSet<_> = TOP.into_iter().chain(["app", "tests"]).chain(CORES).collect();
    let there = top_level();
    let strange: Vec<_> = there.iter().filter(|name| !allowed.contains(name.as_str())).collect();
    assert!(strange.is_empty(), "not of the house: {strange:?}");
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "rust-toolchain.toml", ".ci", "assets"] {
        assert!(there.contains(name), "{name} is missing");
    }
}

#[test]
fn crates_know_only_those_below_them() {
    let ours: BTreeSet<_> = KNOWS.iter().map(|(name, _)| *name).collect();
    for manifest in manifests() {
        let allowed = KNOWS.iter().find(|(name, _)| *name == manifest.name).map(|(_, known)| *known);
        let allowed = allowed.unwrap_or_else(|| panic!("{} is no crate of the design", manifest.name));
        for dependency in manifest.dependencies.keys().filter(|name| ours.contains(name.as_str())) {
            assert!(allowed.contains(&dependency.as_str()), "{} must not know {dependency}", manifest.name);
        }
    }
}

#[test]
fn versions_stand_in_one_table() {
    for manifest in manifests() {
        for (dependency, value) in &manifest.dependencies {
            let shared = value.get("workspace").and_then(toml::Value::as_bool) == Some(true);
            assert!(shared, "{}: {dependency} has a version of its own", manifest.name);
        }
        let lints = manifest.whole.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        assert_eq!(lints, Some(true), "{} does not take the workspace's lints", manifest.name);
    }
}

/// Not even by way of another library: what is in the lock file counts.
#[test]
fn no_core_brings_a_window() {
    let lock: toml::Table = toml::from_str(&fs::read_to_string(root().join("Cargo.lock")).unwrap()).unwrap();
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let dependencies = package.get("dependencies").and_then(toml::Value::as_array).into_iter().flatten();
        let names = dependencies.map(|name| name.as_str().unwrap().split(' ').next().unwrap());
        needs.entry(package["name"].as_str().unwrap()).or_default().extend(names);
    }
    for core in CORES.into_iter().filter(|core| needs.contains_key(core)) {
        let (mut seen, mut open) = (BTreeSet::new(), vec![core]);
        while let Some(name) = open.pop() {
            assert!(!WINDOW.contains(&name), "{core} brings {name}");
            open.extend(needs[name].iter().filter(|name| seen.insert(**name)));
        }
    }
}

#[test]
fn no_core_names_the_window() {
    check(|file| CORES.contains(&file.krate()), |line| WINDOW.iter().any(|name| names(line, &name.replace('-', "_"))));
}

#[test]
fn libraries_stay_behind_their_wrappers() {
    for (library, wrappers) in WRAPPED {
        let outside = |file: &Source| !wrappers.iter().any(|wrapper| file.name.starts_with(wrapper));
        check(outside, |line| names(line, library));
        // Within the wrapper the library may be named, but not in what the wrapper shows.
        check(
            |file| !outside(file) && file.is_public(),
            |line| {
                let shown = line.trim_start().starts_with("pub ");
                let hides_its_field = line.contains("struct ") && line.contains('(') && !line.contains("(pub ");
                shown && !hides_its_field && names(line, library)
            },
        );
    }
}

#[test]
fn files_are_touched_in_few_places() {
    let elsewhere = |file: &Source| !FILES.iter().any(|(place, _)| file.name.starts_with(place));
    check(
        |file| file.krate() != "tests" && elsewhere(file),
        |line| {
            line.contains("std::fs")
                || line.contains("fs::File")
                || line.contains("fs::read")
                || line.contains("fs::write")
        },
    );
}

#[test]
fn cores_have_no_global_state() {
    let holds = ["Mutex", "RwLock", "Atomic", "RefCell", "Cell<", "LazyLock", "OnceCell", "UnsafeCell"];
    check(
        |file| CORES.contains(&file.krate()),
        |line| {
            let line = line.trim_start();
            let is_static = line
                .split("static ")
                .next()
                .is_some_and(|before| matches!(before.trim(), "" | "pub" | "pub(super)" | "pub(crate)"))
                && line.contains("static ");
            line.contains("static mut")
                || line.contains("thread_local!")
                || (is_static && holds.iter().any(|h| line.contains(h)))
        },
    );
}

#[test]
fn threads_have_names_and_channels_have_bounds() {
    check(
        |_| true,
        |line| line.contains("thread::spawn(") || line.contains("mpsc::channel(") || names_call(line, "unbounded"),
    );
}

#[test]
fn colours_come_from_the_theme() {
    // What is no colour: nothing, and what is filled in later.
    let no_colours = ["TRANSPARENT", "PLACEHOLDER"];
    check(
        |file| file.name.starts_with("app/") && !file.name.starts_with("app/src/theme/"),
        |line| {
            line.split("Color32::").skip(1).any(|rest| {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                name.starts_with("from_")
                    || (name.len() > 1 && name == name.to_uppercase() && !no_colours.contains(&name.as_str()))
            })
        },
    );
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<_> = sources().into_iter().filter(|file| !file.text.starts_with("//!")).map(|f| f.name).collect();
    assert!(silent.is_empty(), "no `//!` at the top of {silent:#?}");
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<_> = sources()
        .into_iter()
        .map(|file| (file.text.lines().count(), file.name))
        .filter(|(lines, _)| *lines > LONGEST)
        .collect();
    assert!(long.is_empty(), "more than {LONGEST} lines: {long:#?}");
}

#[test]
fn no_file_is_a_heap() {
    let heaps = ["utils.rs", "util.rs", "helpers.rs", "helper.rs", "misc.rs", "common.rs"];
    let found: Vec<_> =
        sources().into_iter().map(|f| f.name).filter(|n| heaps.iter().any(|h| n.ends_with(h))).collect();
    assert!(found.is_empty(), "a file is named for what it holds: {found:#?}");
}

#[test]
fn what_is_allowed_says_why() {
    let mut found = Vec::new();
    for file in sources() {
        let lines: Vec<_> = file.text.lines().collect();
        for (n, line) in lines.iter().enumerate() {
            let opens =
                ["#[allow(", "#![allow(", "#[expect(", "#![expect("].iter().any(|a| line.trim_start().starts_with(a));
            // The attribute may go over a few lines.
            let end = lines[n..].iter().take(6).position(|l| l.contains(")]")).map_or(n, |more| n + more);
            if opens && !lines[n..=end].iter().any(|l| l.contains("reason") || l.contains("//")) {
                found.push(format!("{}:{}: {}", file.name, n + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn tests_wait_for_events_and_never_sleep() {
    let mut found = Vec::new();
    for file in sources() {
        if file.name == "tests/tests/house.rs" {
            continue; // names what it looks for
        }
        let is_test = file.name.contains("/tests/") || file.name.ends_with("tests.rs");
        let from = if is_test { 0 } else { file.text.find("#[cfg(test)]").unwrap_or(file.text.len()) };
        let before = file.text[..from].lines().count();
        let lines = file.text[from..].lines().enumerate();
        let sleeps = lines.filter(|(_, line)| code(line).contains("thread::sleep("));
        found.extend(sleeps.map(|(n, line)| format!("{}:{}: {}", file.name, before + n + 1, line.trim())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Nothing personal or of one machine: paths into somebody's home, hosts of private registries.
#[test]
fn nothing_speaks_of_one_machine() {
    let marks = ["/home/", "/Users/"];
    let allowed = |line: &str| line.contains("const MARKS") || line.contains("let marks");
    check(
        |file| file.name != "tests/tests/house.rs",
        |line| !allowed(line) && marks.iter().any(|mark| line.contains(mark) && !line.contains(&format!("{mark}user"))),
    );
}

/// Fails with every line of code, tests left out, for which `wrong` holds in files for which `of` holds.
#[track_caller]
fn check(of: impl Fn(&Source) -> bool, wrong: impl Fn(&str) -> bool) {
    let mut found = Vec::new();
    for file in sources().into_iter().filter(|file| !file.is_test() && of(file)) {
        let tests = file.text.find("#[cfg(test)]\nmod ").unwrap_or(file.text.len());
        let lines = file.text[..tests].lines().enumerate();
        found.extend(
            lines
                .filter(|(_, line)| wrong(code(line)))
                .map(|(n, line)| format!("{}:{}: {}", file.name, n + 1, line.trim())),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// A line without its comment.
fn code(line: &str) -> &str {
    let comment = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':')).map(|(at, _)| at);
    &line[..comment.unwrap_or(line.len())]
}

/// Whether a line names a crate: as a whole word, before `::` or alone.
fn names(line: &str, krate: &str) -> bool {
    line.match_indices(krate).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = &line[at + krate.len()..];
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.\"".contains(c))
            && (after.starts_with("::") || after.starts_with(" as "))
    })
}

fn names_call(line: &str, function: &str) -> bool {
    line.split(function).skip(1).any(|after| after.starts_with('(') || after.starts_with("::<"))
}

struct Source {
    /// From the root, with `/`.
    name: String,
    text: String,
}

impl Source {
    fn krate(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Whether the module above shows this one; what is `pub` in a private module is not.
    fn is_public(&self) -> bool {
        let path = root().join(&self.name);
        let (Some(folder), Some(name)) = (path.parent(), path.file_stem().and_then(|name| name.to_str())) else {
            return true;
        };
        let above = ["mod.rs", "lib.rs"].iter().find_map(|file| fs::read_to_string(folder.join(file)).ok());
        matches!(name, "mod" | "lib") || above.is_some_and(|text| text.contains(&format!("\npub mod {name};")))
    }

    fn is_test(&self) -> bool {
        let parts: Vec<_> = self.name.split('/').collect();
        parts.get(1).is_some_and(|part| matches!(*part, "tests" | "benches" | "fuzz"))
            || self.name.ends_with("/tests.rs")
            || parts.iter().rev().skip(1).any(|part| *part == "tests") && self.krate() != "tests"
    }
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for krate in ["app", "tests"].into_iter().chain(CORES) {
        collect(&root().join(krate), &mut found);
    }
    assert!(found.len() > 50, "only {} sources found", found.len());
    found
}

fn collect(folder: &Path, into: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != "target" && entry.file_name() != "corpus" {
            collect(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
            into.push(Source { name, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

struct Manifest {
    name: String,
    whole: toml::Table,
    dependencies: BTreeMap<String, toml::Value>,
}

fn manifests() -> Vec<Manifest> {
    let read = |path: PathBuf| -> toml::Table { toml::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
    let members = read(root().join("Cargo.toml"))["workspace"]["members"].clone();
    let members = members.as_array().unwrap().clone();
    members
        .iter()
        .map(|member| {
            let whole = read(root().join(member.as_str().unwrap()).join("Cargo.toml"));
            let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
            let dependencies = tables.iter().filter_map(|table| whole.get(*table)?.as_table()).flatten();
            let dependencies = dependencies.map(|(name, value)| (name.clone(), value.clone())).collect();
            Manifest { name: whole["package"]["name"].as_str().unwrap().to_owned(), dependencies, whole }
        })
        .collect()
}

/// What git tracks at the top; without git, what is there but for what is built.
fn top_level() -> BTreeSet<String> {
    let listed = Command::new("git").arg("-C").arg(root()).args(["ls-files", "-z"]).output();
    let listed = listed.ok().filter(|output| output.status.success() && !output.stdout.is_empty());
    match listed {
        Some(output) => {
            let names = String::from_utf8(output.stdout).unwrap();
            names.split('\0').filter(|n| !n.is_empty()).map(|n| n.split('/').next().unwrap().to_owned()).collect()
        }
        None => fs::read_dir(root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name != "target" && name != ".git")
            .collect(),
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
