//! Palette, settings, and coming back to what was open.

use recto::theme::{Theme, ThemeChoice, Variant};

use crate::scratch::Scratch;
use crate::window::{Home, Window};

fn theme(window: &mut Window) -> Variant {
    Theme::get(window.headless().ctx()).variant
}

#[test]
fn the_palette_runs_a_command_by_a_few_letters() {
    let mut window = Window::on(&Home::new(), &[]);
    assert_eq!(theme(&mut window), Variant::Dark);
    window.keys("Ctrl+Shift+P 'light and dark' Enter");
    assert_eq!(theme(&mut window), Variant::Light);
}

#[test]
fn quick_open_finds_a_file_by_its_letters() {
    let folder = Scratch::folder(&[("src/engine.rs", "fn engine() {}\n"), ("src/other.rs", "fn other() {}\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.keys("Ctrl+P 'engi' Enter");
    assert_eq!(window.text(), "fn engine() {}\n\n");
}

#[test]
fn the_settings_file_is_followed() {
    let home = Home::new().settings("[appearance]\ntheme = \"light\"\n");
    let mut window = Window::on(&home, &[]);
    assert_eq!(window.app().state.settings.theme, ThemeChoice::Light);
    assert_eq!(theme(&mut window), Variant::Light);
}

#[test]
fn a_mistake_in_the_settings_is_told_at_its_line_and_the_rest_holds() {
    let home = Home::new().settings("[appearance]\ntheme = \"light\"\nzoom = \"big\"\n");
    let mut window = Window::on(&home, &[]);
    assert_eq!(theme(&mut window), Variant::Light);
    let told: Vec<_> = window.app().state.notices.history().map(|notice| notice.text.clone()).collect();
    assert!(told.iter().any(|text| text.contains("settings.toml") && text.contains('3')), "{told:#?}");
}

#[test]
fn unsaved_text_survives_the_end_of_the_window() {
    let (home, folder) = (Home::new(), Scratch::folder(&[("a.txt", "kept\n"), ("b.txt", "b\n")]));
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.txt")]);
    window.keys("'un'");
    assert_eq!(window.text(), "unkept\n\n");
    window.exit();
    assert_eq!(folder.read("a.txt"), "kept\n", "the file is as it was");

    let window = Window::on(&home, &[]);
    assert_eq!(window.text(), "unkept\n\n");
}
