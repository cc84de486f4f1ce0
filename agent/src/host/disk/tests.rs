//! The host of files: what stays in the root, what is kept of a file, what is found.

use std::fs;

use super::*;
use crate::host::SEARCH_HITS;

struct Project {
    folder: tempfile::TempDir,
    host: DiskHost,
}

impl Project {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        for (path, bytes) in files {
            let path = folder.path().join("root").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let host = DiskHost::open(&folder.path().join("root"), Unattended { edits: true }).unwrap();
        Self { folder, host }
    }

    fn on_disk(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join("root").join(path)).ok()
    }

    fn edit(&self, path: &str, from: &str, to: &str) -> Result<(), HostError> {
        let before = self.host.read(&at(path))?;
        self.host.write(&at(path), &before.text.replace(from, to), &before)
    }
}

fn at(path: &str) -> ProjectPath {
    ProjectPath::parse(path).unwrap()
}

#[test]
fn a_file_keeps_its_mark_encoding_endings_and_mode() {
    let project = Project::new(&[
        ("bom.txt", b"\xef\xbb\xbfone\r\ntwo\n"),
        ("latin.txt", b"caf\xe9 one, d\xe9j\xe0 vu, na\xefve, \xfcber\n"),
    ]);
    project.edit("bom.txt", "two", "2").unwrap();
    assert_eq!(project.on_disk("bom.txt").unwrap(), b"\xef\xbb\xbfone\r\n2\n");
    project.edit("latin.txt", "one", "two").unwrap();
    assert_eq!(project.on_disk("latin.txt").unwrap(), b"caf\xe9 two, d\xe9j\xe0 vu, na\xefve, \xfcber\n");
}

#[cfg(unix)]
#[test]
fn a_program_stays_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new(&[("run.sh", b"echo one\n")]);
    let path = project.folder.path().join("root/run.sh");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    project.edit("run.sh", "one", "two").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    let kept = project.host.bytes(&at("run.sh")).unwrap().unwrap();
    project.host.remove(&at("run.sh")).unwrap();
    project.host.put(&at("run.sh"), Some(&kept), None).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn what_somebody_else_changed_is_not_overwritten() {
    let project = Project::new(&[("a.txt", b"one\n")]);
    let before = project.host.read(&at("a.txt")).unwrap();
    fs::write(project.folder.path().join("root/a.txt"), "theirs\n").unwrap();
    assert_eq!(project.host.write(&at("a.txt"), "mine\n", &before), Err(HostError::Changed(at("a.txt"))));
    assert_eq!(project.on_disk("a.txt").unwrap(), b"theirs\n");
    let (old, new) =
        (FileBytes { bytes: b"one\n".to_vec(), mode: 0o644 }, FileBytes { bytes: b"mine\n".to_vec(), mode: 0o644 });
    assert_eq!(project.host.put(&at("a.txt"), Some(&new), Some(&old)), Err(HostError::Changed(at("a.txt"))));
    assert_eq!(project.host.put(&at("a.txt"), None, Some(&old)), Err(HostError::Changed(at("a.txt"))));
    assert_eq!(project.on_disk("a.txt").unwrap(), b"theirs\n");
}

#[test]
fn files_are_made_with_their_folders_and_never_over_others() {
    let project = Project::new(&[("a.txt", b"one\n")]);
    project.host.create(&at("new/deep/b.txt"), "two\n").unwrap();
    assert_eq!(project.on_disk("new/deep/b.txt").unwrap(), b"two\n");
    assert_eq!(project.host.create(&at("a.txt"), "x"), Err(HostError::Exists(at("a.txt"))));
    assert_eq!(project.host.rename(&at("a.txt"), &at("new/deep/b.txt")), Err(HostError::Exists(at("new/deep/b.txt"))));
    assert_eq!(project.host.create(&at("a.txt/c"), "x"), Err(HostError::NotAFolder(at("a.txt"))));
    project.host.rename(&at("a.txt"), &at("moved/a.txt")).unwrap();
    assert_eq!(project.on_disk("moved/a.txt").unwrap(), b"one\n");
    assert_eq!(project.host.remove(&at("new")), Err(HostError::Folder(at("new"))));
    project.host.remove(&at("moved/a.txt")).unwrap();
    assert_eq!(project.host.read(&at("moved/a.txt")), Err(HostError::Missing(at("moved/a.txt"))));
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused_for_everything() {
    use std::os::unix::fs::symlink;
    let project = Project::new(&[("in.txt", b"inside\n")]);
    fs::write(project.folder.path().join("secret.txt"), "outside\n").unwrap();
    let root = project.folder.path().join("root");
    symlink("../secret.txt", root.join("file")).unwrap();
    symlink(project.folder.path(), root.join("folder")).unwrap();
    symlink("in.txt", root.join("fine")).unwrap();
    assert_eq!(project.host.read(&at("fine")).unwrap().text, "inside\n");
    let outside = |path: &str| HostError::Outside(at(path));
    assert_eq!(project.host.read(&at("file")), Err(outside("file")));
    assert_eq!(project.host.bytes(&at("folder/secret.txt")), Err(outside("folder/secret.txt")));
    assert!(project.host.create(&at("folder/new.txt"), "x").is_err());
    assert!(project.host.create(&at("folder/new/x.txt"), "x").is_err());
    assert!(project.host.rename(&at("in.txt"), &at("folder/in.txt")).is_err());
    assert!(project.host.remove(&at("folder/secret.txt")).is_err());
    assert!(project.host.list(&at("folder"), 1, 10).is_err());
    let found = project.host.search(&search("outside|inside"), &Cancel::new()).unwrap();
    assert_eq!(found.hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["in.txt"]);
    assert_eq!(fs::read_to_string(project.folder.path().join("secret.txt")).unwrap(), "outside\n");
    assert!(!project.folder.path().join("new.txt").exists() && !project.folder.path().join("new").exists());
}

/// Somebody swaps a folder for a link, again and again, while files are written into it.
#[cfg(unix)]
#[test]
fn a_link_put_in_place_while_writing_leads_nowhere() {
    let project = Project::new(&[("a/keep", b"")]);
    fs::create_dir(project.folder.path().join("out")).unwrap();
    let (root, stop) = (project.folder.path().join("root"), Cancel::new());
    let swapping = {
        let (root, out, stop) = (root.clone(), project.folder.path().join("out"), stop.clone());
        std::thread::Builder::new().spawn(move || {
            while !stop.is_cancelled() {
                let _ = fs::rename(root.join("a"), root.join("b"));
                let _ = std::os::unix::fs::symlink(&out, root.join("a"));
                let _ = fs::remove_file(root.join("a"));
                let _ = fs::rename(root.join("b"), root.join("a"));
            }
        })
    };
    for n in 0..300 {
        let _ = project.host.create(&at(&format!("a/f{n}")), "x");
        let _ = project.host.put(&at(&format!("a/g{n}")), Some(&FileBytes { bytes: b"x".to_vec(), mode: 0o600 }), None);
    }
    stop.cancel();
    swapping.unwrap().join().unwrap();
    let out: Vec<_> = fs::read_dir(project.folder.path().join("out")).unwrap().collect();
    assert!(out.is_empty(), "{out:?}");
}

fn search(query: &str) -> Search {
    Search { query: query.to_owned(), path: ProjectPath::root(), limit: SEARCH_HITS }
}

#[test]
fn ignored_and_binary_files_are_neither_listed_nor_searched() {
    let project = Project::new(&[
        (".gitignore", b"/target\n*.log\n"),
        ("src/main.rs", b"fn main() {}\nfn other() {}\n"),
        ("src/deep/x.rs", b"fn deep() {}\n"),
        ("target/out.rs", b"fn built() {}\n"),
        ("x.log", b"fn logged() {}\n"),
        ("bin", b"\0\0fn binary() {}\n"),
        (".git/config", b"fn git() {}\n"),
    ]);
    let (entries, more) = project.host.list(&ProjectPath::root(), 2, 100).unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!((names, more), (vec![".gitignore", "bin", "src", "src/deep", "src/main.rs"], false));
    let found = project.host.search(&search(r"fn \w+"), &Cancel::new()).unwrap();
    let hits: Vec<_> = found.hits.iter().map(|hit| (hit.path.as_str(), hit.line, hit.text.as_str())).collect();
    assert_eq!(
        hits,
        [("src/deep/x.rs", 1, "fn deep() {}"), ("src/main.rs", 1, "fn main() {}"), ("src/main.rs", 2, "fn other() {}")]
    );
    assert!(project.host.list(&ProjectPath::root(), 1, 1).unwrap().1);
}

#[test]
fn what_is_no_expression_is_looked_for_as_it_stands() {
    let project = Project::new(&[("a.py", b"print(f(1)\nx = f[(2\n")]);
    let found = project.host.search(&search("f[("), &Cancel::new()).unwrap();
    assert!(found.literal);
    assert_eq!(found.hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_search_ends_after_its_limit_and_says_so() {
    let project = Project::new(&[("a.txt", "match\n".repeat(500).as_bytes())]);
    let found = project.host.search(&search("match"), &Cancel::new()).unwrap();
    assert_eq!((found.hits.len(), found.more), (SEARCH_HITS, true));
}

#[test]
fn binary_and_large_files_are_told_not_read() {
    let project = Project::new(&[("bin", b"a\0b"), ("large", &vec![b'a'; DiskHost::LARGEST as usize + 1])]);
    assert_eq!(project.host.read(&at("bin")), Err(HostError::Binary(at("bin"), 3)));
    assert!(matches!(project.host.read(&at("large")), Err(HostError::TooLarge(..))));
}
