//! Few pictures of whole windows, compared with stored ones. Everything else is tested by what a screen reader is told.
//!
//! `RECTO_PICTURES=update` stores what is drawn now. A failed comparison leaves what was drawn beside the target
//! folder's other files and names it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use image::RgbaImage;
use recto::commands::{Action, Command};
use recto::headless::Renderer;
use terminal::{Options, Terminal};

use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// How far a channel of a pixel may be off before the pixel counts as different.
const CHANNEL: u8 = 12;

/// Share of pixels that may be different.
const PIXELS: f64 = 0.002;

const CODE: &str = "use std::fmt;\n\n/// A point.\npub struct Point {\n    x: i32,\n    y: i32,\n}\n\nimpl Point {\n    \
                    pub fn origin() -> Self {\n        Self { x: 0, y: 0 }\n    }\n}\n";

#[test]
fn a_review_in_dark() {
    check_review("review-dark", "dark");
}

#[test]
fn a_review_in_light() {
    check_review("review-light", "light");
}

#[test]
fn an_editor_in_dark() {
    let folder = Scratch::folder(&[("point.rs", CODE), ("readme.md", "# Points\n")]);
    let home = Home::new().settings("[appearance]\ntheme = \"dark\"\n\n[code]\nlanguage-servers = \"never\"\n");
    check("editor-dark", Window::on(&home, &[folder.path(), &folder.file("point.rs")]));
}

#[test]
fn a_terminal_in_dark() {
    check_terminal("terminal-dark", "dark");
}

#[test]
fn a_terminal_in_light() {
    check_terminal("terminal-light", "light");
}

/// Colours, styles, characters that are drawn as shapes, and marks, below an editor.
fn check_terminal(name: &str, theme: &str) {
    let shown: String = [
        "\x1b]133;A\x07\x1b[30;44m ~/points \x1b[34;42m\u{e0b0}\x1b[30m main \x1b[32;49m\u{e0b0}\x1b[m \x1b]133;B\x07ls\r\n\x1b]133;C\x07",
        &(0..16).map(|n| format!("\x1b[48;5;{n}m {n:2} ")).collect::<String>(),
        "\x1b[m\r\n",
        &(0..8).map(|n| format!("\x1b[3{n}mtext \x1b[1mbold\x1b[m ")).collect::<String>(),
        "\r\n\x1b[2mdim\x1b[m \x1b[3mitalic\x1b[m \x1b[4munder\x1b[m \x1b[4:3;58;5;1mcurly\x1b[m \x1b[9mstrike\x1b[m \x1b[7minverse\x1b[m\r\n",
        "┌─┬─┐ ╔═╦═╗ ╭─╮ ┏━┳━┓ ╒═╤═╕ ╓─╥─╖\r\n├─┼─┤ ╠═╬═╣ │ │ ┣━╋━┫ ╞═╪═╡ ╟─╫─╢\r\n└─┴─┘ ╚═╩═╝ ╰─╯ ┗━┻━┛ ╘═╧═╛ ╙─╨─╜\r\n",
        "▁▂▃▄▅▆▇█▉▊▋▌▍▎▏░▒▓▖▗▘▙▚▛▜▝▞▟ ⣀⣤⣶⣿ \u{e0b1}\u{e0b3}\u{e0b4}\u{e0b6}\r\n\x1b]133;D;1\x07\x1b]133;A\x07$ \x1b]133;B\x07",
    ]
    .concat();
    let folder = Scratch::folder(&[("point.rs", CODE)]);
    let home =
        Home::new().settings(&format!("[appearance]\ntheme = \"{theme}\"\n\n[code]\nlanguage-servers = \"never\"\n"));
    let mut window = Window::on(&home, &[folder.path(), &folder.file("point.rs")]);
    let terminal = Arc::new(Terminal::display(Options::default()));
    window.act(Action::ShowTerminal { terminal: Arc::clone(&terminal), name: "Recorded".to_owned() });
    terminal.show(shown.as_bytes());
    window.act(Command::TerminalFind);
    window.keys("'o'");
    check(name, window);
}

fn check_review(name: &str, theme: &str) {
    let repo = Scratch::repository(&[("src/point.rs", CODE), ("notes.txt", "one\ntwo\n")]);
    let changed = CODE.replace("i32", "f64").replace("x: 0, y: 0", "x: 0.0, y: 0.0");
    repo.write("src/point.rs", &changed.replace("impl Point {\n", "impl Point {\n    /// Where both are nothing.\n"));
    repo.write("notes.txt", "one\n");
    let home =
        Home::new().settings(&format!("[appearance]\ntheme = \"{theme}\"\n\n[code]\nlanguage-servers = \"never\"\n"));
    check(name, Window::on(&home, &[repo.path()]));
}

#[track_caller]
fn check(name: &str, mut window: Window) {
    let Some(mut renderer) = renderer() else { return };
    let drawn = window.headless().paint(&mut renderer).unwrap();
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures").join(format!("{name}.png"));
    if std::env::var_os("RECTO_PICTURES").is_some_and(|value| value == "update") {
        std::fs::create_dir_all(stored.parent().unwrap()).unwrap();
        drawn.save(&stored).unwrap();
        return;
    }
    let expected = image::open(&stored).unwrap_or_else(|error| panic!("{}: {error}", stored.display())).into_rgba8();
    if let Some(difference) = difference(&drawn, &expected) {
        let left = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        drawn.save(&left).unwrap();
        panic!("{difference}; compare {} with {}", left.display(), stored.display());
    }
}

/// What is wrong between two pictures, if anything is.
fn difference(drawn: &RgbaImage, expected: &RgbaImage) -> Option<String> {
    if drawn.dimensions() != expected.dimensions() {
        return Some(format!("the picture has {:?} pixels, not {:?}", drawn.dimensions(), expected.dimensions()));
    }
    let differs =
        |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > CHANNEL);
    let different = drawn.pixels().zip(expected.pixels()).filter(|pair| differs(*pair)).count();
    let share = different as f64 / (f64::from(drawn.width()) * f64::from(drawn.height()));
    (share > PIXELS).then(|| format!("{:.2} % of the pixels differ", share * 100.0))
}

/// An adapter; without one the pictures are skipped, unless nothing may be.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn renderer() -> Option<Renderer> {
    match Renderer::new() {
        Ok(renderer) => Some(renderer),
        Err(error) if std::env::var_os("RECTO_TESTS_STRICT").is_some_and(|value| value == "1") => panic!("{error:#}"),
        Err(error) => {
            println!("skipped: {error:#}");
            None
        }
    }
}

#[test]
fn pictures_that_differ_are_told_apart() {
    let plain = RgbaImage::from_pixel(100, 100, image::Rgba([20, 20, 20, 255]));
    let mut marked = plain.clone();
    assert_eq!(difference(&plain, &marked), None);
    for x in 0..30 {
        marked.put_pixel(x, 50, image::Rgba([200, 20, 20, 255]));
    }
    assert!(difference(&plain, &marked).unwrap().contains("0.30 %"));
    assert!(difference(&plain, &RgbaImage::new(10, 10)).is_some());
}
