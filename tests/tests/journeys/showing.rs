//! What is shown of files that are more than lines: pictures, notebooks, submodules, binaries, moved files; and in which
//! order.

use std::fs;
use std::io::Cursor;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use diff::git::Status;
use recto::commands::{Action, Command as Do};
use recto::state::reviews::{Request, Stage};

use crate::scratch::{Scratch, numbered};
use crate::window::{Home, Window};

/// A picture of one colour.
fn picture(width: u32, height: u32, color: [u8; 3]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let image = image::RgbImage::from_pixel(width, height, image::Rgb(color));
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn paths(window: &Window) -> Vec<String> {
    window.review().page.files().iter().map(|file| file.change.path.to_string()).collect()
}

#[test]
fn pictures_are_seen_beside_each_other_and_over_each_other() {
    let repo = Scratch::folder(&[]);
    fs::write(repo.file("a.png"), picture(40, 20, [200, 0, 0])).unwrap();
    repo.git(&["init", "-q", "-b", "main"]);
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "start"]);
    fs::write(repo.file("a.png"), picture(60, 30, [0, 0, 200])).unwrap();
    fs::write(repo.file("b.png"), picture(8, 8, [0, 200, 0])).unwrap();
    fs::write(repo.file("c.png"), b"\x89PNG\r\n\x1a\n\0nothing that is a picture").unwrap();
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.check_says("Old picture, 40 × 20");
    window.check_says("New picture, 60 × 30");
    window.click("Swipe");
    window.check_says("How much of the new picture is seen");
    window.click("Onion skin");
    window.check_says("How much of the new picture is seen");
    window.click("Side by side");
    window.keys("n");
    window.check_says("New picture, 8 × 8");
    assert_eq!(window.places("Swipe").len(), usize::from(window.says("Old picture")), "one side alone has no views");
    window.keys("n");
    assert!(!window.says("New picture, 0"), "what cannot be decoded is no picture");
}

const NOTEBOOK: &str = r##"{"cells": [
 {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n"]},
 {"cell_type": "code", "execution_count": COUNT, "metadata": {}, "source": ["x = VALUE\n", "print(x)"],
  "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
"##;

fn notebook(count: &str, value: &str) -> String {
    NOTEBOOK.replace("COUNT", count).replace("VALUE", value)
}

#[test]
fn a_notebook_is_read_as_its_cells_and_its_json_is_one_click_away() {
    let repo = Scratch::repository(&[("a.ipynb", &notebook("1", "1")), ("b.ipynb", &notebook("1", "1"))]);
    repo.write("a.ipynb", &notebook("2", "3"));
    repo.write("b.ipynb", &notebook("9", "1"));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    let page = window.page();
    assert!(page.contains("-x = 1\n+x = 3\n") && page.contains(" # Output: stdout, 1 line\n"), "{page}");
    assert!(page.contains("Only what is not shown of a notebook differs"), "{page}");
    assert!(!window.says("added line 7 staged"), "lines that are not stored are not staged");
    window.keys("e");
    assert!(!window.review_pane().is_editing(), "nor edited");

    let first = window.places("Show the JSON of the notebook")[0].center();
    window.click_at(first);
    let page = window.page();
    assert!(page.contains("\"execution_count\": 2"), "{page}");
    window.keys("e 'x' Escape");
    assert!(window.page().contains("+x{\"cells\""), "what is stored is edited\n{}", window.page());
    window.keys("Ctrl+Z");
    window.click("Show the cells of the notebook");
    assert!(window.page().contains("-x = 1\n+x = 3\n"), "{}", window.page());
}

#[test]
fn a_submodule_lists_the_commits_that_came() {
    let inner = Scratch::repository(&[("f", "1\n")]);
    let repo = Scratch::repository(&[("a.txt", "a\n")]);
    let url = inner.path().to_str().unwrap().to_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "sub"]);
    repo.git(&["commit", "-qam", "with a submodule"]);
    for subject in ["Teach it one thing", "Teach it another"] {
        let words =
            ["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", subject];
        assert!(Command::new("git").arg("-C").arg(repo.file("sub")).args(words).status().unwrap().success());
    }
    let old = repo.git_says(&["rev-parse", "HEAD:sub"]);
    let new = Command::new("git").arg("-C").arg(repo.file("sub")).args(["rev-parse", "HEAD"]).output().unwrap();
    let new = String::from_utf8(new.stdout).unwrap();
    repo.write("sub/f", "2\n");
    let window = Window::on(&Home::new(), &[repo.path()]);
    let page = window.page();
    let names = format!("{} → {}-dirty", &old[..12], &new[..12]);
    assert!(page.contains(&names), "no {names:?} in {page}");
    assert!(page.contains("2 commits"), "{page}");
    let first = page.find("Teach it another").expect("the newest");
    assert!(page.find("Teach it one thing").is_some_and(|second| first < second), "newest first\n{page}");
}

#[test]
fn what_is_binary_says_so_and_is_shown_as_text_when_asked() {
    let repo = Scratch::repository(&[("a.bin", "one\0\ntwo\n")]);
    repo.write("a.bin", "one\0\nthree\n");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    let name = |path: &str| repo.git_says(&["hash-object", path])[..9].to_owned();
    let old = repo.git_says(&["rev-parse", "HEAD:a.bin"])[..9].to_owned();
    let said = format!("Binary file, not shown  ·  9 bytes → 11 bytes  ·  {old} → {}", name("a.bin"));
    assert!(window.page().contains(&said), "no {said:?} in {}", window.page());
    window.keys("Shift+R");
    assert!(window.page().contains("-two\n+three\n"), "{}", window.page());
    window.click("Show as binary again");
    assert!(window.page().contains("Binary file, not shown"), "{}", window.page());
}

#[test]
fn a_moved_and_edited_file_is_one_file_and_stays_one() {
    let repo = Scratch::repository(&[("old/name.txt", &numbered(40, &[])), ("z.txt", "z\n")]);
    fs::create_dir_all(repo.file("new")).unwrap();
    fs::remove_file(repo.file("old/name.txt")).unwrap();
    repo.write("new/other.txt", &numbered(40, &[7]));
    repo.write("z.txt", "Z\n");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    assert_eq!(paths(&window), ["new/other.txt", "z.txt"]);
    assert_eq!(window.counts(), (2, 2));
    window.check_says("renamed from old/name.txt 9");
    window.keys("F5");
    assert_eq!(paths(&window), ["new/other.txt", "z.txt"]);
}

#[test]
fn case_14_files_that_were_moved_are_listed_before_it_is_known_which_were_edited_too() {
    let (edited, exact) = (90, 30);
    let text = |n: usize, changed: &[usize]| numbered(30, changed).replace("line", &format!("file {n} line"));
    let (from, to) = (|n: usize| format!("old/from{n:03}.txt"), |n: usize| format!("new/to{n:03}.txt"));
    let before: Vec<_> = (0..edited + exact).map(|n| (from(n), text(n, &[]))).collect();
    let before: Vec<_> = before.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let repo = Scratch::repository(&before);
    for n in 0..edited + exact {
        fs::remove_file(repo.file(&from(n))).unwrap();
        repo.write(&to(n), &text(n, if n < edited { &[7] } else { &[] }));
    }
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "moved"]);
    let elsewhere = Scratch::folder(&[("a.txt", "a\n")]);
    let mut window = Window::on(&Home::new(), &[elsewhere.path()]);
    let request = Request::Revisions { folder: repo.path().to_owned(), words: "HEAD~..HEAD".to_owned() };
    window.headless().act(Action::OpenReview(request));
    let renamed = |window: &Window| {
        let files = window.review().page.files().iter();
        files.filter(|file| file.change.status == Status::Renamed).filter_map(|file| file.change.similarity).collect()
    };

    // Those that are the same are one file at once; of the others both are there to be read.
    window.run_until("files", |app| app.state.reviews.iter().any(|(_, review)| matches!(review.stage, Stage::Open)));
    assert_eq!(paths(&window).len(), 2 * edited + exact);
    let at_once: Vec<u8> = renamed(&window);
    assert_eq!(at_once, vec![100; exact]);
    window.check_says("to000.txt");

    window.rest();
    assert_eq!(paths(&window), (0..edited + exact).map(to).collect::<Vec<_>>());
    let joined: Vec<u8> = renamed(&window);
    assert_eq!(joined.iter().filter(|percent| (90..100).contains(*percent)).count(), edited, "{joined:?}");
    window.check_says("renamed from old/from000.txt 9");
}

#[test]
fn case_23_a_line_of_seven_megabytes_is_shown_and_edited() {
    /// Corners of triangles that a page of text has nothing like.
    const MANY: usize = 100_000;
    let line: String = (0..700_000).map(|n| format!("f{n}(x);")).collect();
    assert!(line.len() > 7_000_000);
    let repo = Scratch::repository(&[("bundle.js", &line)]);
    repo.write("bundle.js", &line.replacen("f3(x)", "f3(why)", 1));
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.check_says("minified");
    let page = window.page();
    for row in ["-f0(x);f1(x);f2(x);f3(x);", "+f0(x);f1(x);f2(x);f3(why);"] {
        assert!(page.contains(row), "no row {row:?} in\n{page}");
    }
    assert!(window.review_pane().has_all_words());

    // What is out of view is not drawn, whether lines are wrapped or not: this one is too long for that.
    for keys in ["w", "w"] {
        window.keys(keys);
        assert!(window.headless().vertices() < MANY, "{} corners", window.headless().vertices());
    }

    window.keys("e Ctrl+End 'z'");
    assert_eq!(window.counts(), (1, 1));
    assert!(window.review_pane().left() > 7_000_000.0, "the caret is in view");
    assert!(window.headless().vertices() < MANY);
    window.keys("Ctrl+Home 'a' Ctrl+S");
    assert_eq!(window.review_pane().left(), 0.0);
    let saved = repo.read("bundle.js");
    assert!(saved.starts_with("af0(x);f1(x);") && saved.ends_with("f699999(x);z"), "{}", saved.len());
    assert!(window.page().contains("+af0(x);"), "{}", window.page());
}

#[test]
fn files_are_read_in_the_order_that_was_asked_for() {
    let repo = Scratch::repository(&[("a.rs", "use crate::b::B;\n"), ("b.rs", "struct B;\n"), ("c.rs", "mod a;\n")]);
    repo.write("a.rs", "use crate::b::B;\nfn a() {}\n");
    repo.write("b.rs", "struct B;\nfn b() {}\nfn bb() {}\n");
    repo.write("c.rs", "mod a;\nfn c() {}\nfn cc() {}\nfn ccc() {}\n");
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    window.keys("n");
    let mut order = |command| {
        window.headless().act(command);
        window.rest();
        (paths(&window), window.review_pane().cursor().map(|at| paths(&window)[at.file].clone()))
    };
    let at_b = Some("b.rs".to_owned());
    assert_eq!(order(Do::OrderBySize), (vec!["c.rs".to_owned(), "b.rs".to_owned(), "a.rs".to_owned()], at_b.clone()));
    assert_eq!(order(Do::OrderByDependency).0, ["b.rs", "a.rs", "c.rs"]);
    assert_eq!(order(Do::OrderByPath), (vec!["a.rs".to_owned(), "b.rs".to_owned(), "c.rs".to_owned()], at_b));
}

/// Everything about a file that is not its lines is said, and none of it is a blank.
#[test]
fn what_changed_beside_the_lines_is_said() {
    let repo = Scratch::repository(&[
        ("bom.txt", "text\n"),
        ("crlf.txt", "a\r\nb\r\n"),
        ("ends.txt", "last"),
        ("mode.sh", "run\n"),
        ("bidi.rs", "fn a() {}\n"),
    ]);
    fs::write(repo.file("latin.txt"), b"caf\xe9\n").unwrap();
    fs::write(repo.file("gone.txt"), b"").unwrap();
    symlink("mode.sh", repo.file("link")).unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "more"]);
    repo.write("bom.txt", "\u{feff}text\n");
    repo.write("crlf.txt", "a\nb\n");
    repo.write("ends.txt", "last\n");
    repo.write("latin.txt", "café\n");
    repo.write("empty.txt", "");
    repo.write("bidi.rs", "fn a() {} // \u{202e}\n");
    fs::remove_file(repo.file("gone.txt")).unwrap();
    fs::remove_file(repo.file("link")).unwrap();
    symlink("crlf.txt", repo.file("link")).unwrap();
    fs::set_permissions(repo.file("mode.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut window = Window::on(&Home::new(), &[repo.path()]);
    let mut missing = vec![
        "BOM added",
        "line endings CRLF → LF",
        "newline at end added",
        "windows-1252 → UTF-8",
        "100644 → 100755",
        "Empty file added",
        "Empty file deleted",
        "link to mode.sh → crlf.txt",
        "1 hidden character",
    ];
    for _ in 0..window.review().page.files().len() {
        missing.retain(|note| !window.says(note) && !window.page().contains(note));
        window.keys("n");
    }
    assert!(missing.is_empty(), "nothing says {missing:?}");
}
