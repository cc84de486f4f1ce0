//! Models are set up, changed, tried out and removed on their page, which writes the file that people may edit.

use std::time::Duration;

use recto::commands::Command;

use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// The page, in a window on a project.
fn page(home: &Home) -> (Scratch, Window) {
    let repo = Scratch::repository(&[("a.txt", "one\n")]);
    let mut window = Window::on(home, &[repo.path()]);
    window.act(Command::Models);
    (repo, window)
}

fn file(home: &Home) -> String {
    std::fs::read_to_string(home.paths().models()).unwrap_or_default()
}

/// Types into the field of this name, in the place of what it has.
fn type_into(window: &mut Window, field: &str, text: &str) {
    window.click(field);
    window.keys(&format!("Ctrl+A '{text}'"));
}

#[test]
fn a_server_that_is_named_by_hand_is_set_up_and_its_key_stays_where_it_is() {
    let home = Home::new();
    let model = Model::of(&home);
    let (_repo, mut window) = page(&home);
    window.click("Add a server");
    type_into(&mut window, "Address", "nowhere");
    window.click("Add this server");
    window.check_says("The address begins with http://");
    type_into(&mut window, "Address", model.address());
    window.click("Speaks: Found out by asking");
    window.click("openai-compatible");
    type_into(&mut window, "Name", "cloud");
    window.click("Key: No key");
    window.click("In the environment");
    type_into(&mut window, "Variable", "CLOUD_KEY");
    type_into(&mut window, "Models of the server", "large, small");
    window.click("Add this server");
    assert!(!window.says("Add this server"), "what is written is put away");
    let file = file(&home);
    let expected = format!(
        "[providers.cloud]\nkind = \"openai-compatible\"\nurl = \"{}\"\nkey = {{ environment = \"CLOUD_KEY\" }}\n",
        model.address()
    );
    assert!(file.contains(&expected), "{file}");
    assert!(file.contains("[models.large]\nprovider = \"cloud\"\nid = \"large\"\n"), "{file}");
    window.check_says("Test small");
    window.keys("Ctrl+Alt+I");
    window.click("Model: scripted");
    window.check_says("large");
}

#[test]
fn a_model_is_changed_preferred_removed_and_brought_back() {
    let home = Home::new();
    let _model = Model::of(&home);
    let more = file(&home) + "\n[models.other]\nprovider = \"here\"\n";
    std::fs::write(home.paths().models(), more).unwrap();
    let (_repo, mut window) = page(&home);
    window.click("Edit scripted");
    type_into(&mut window, "Name", "mine");
    type_into(&mut window, "Window", "many");
    window.click("Save model");
    window.check_says("Window: many is no whole number.");
    type_into(&mut window, "Window", "8192");
    window.click("Save model");
    let changed = file(&home);
    assert!(
        changed.contains(
            "[models.mine]\nprovider = \"here\"\ncontext = 8192\nedit-form = \"blocks\"\nid = \"scripted\"\n"
        ),
        "{changed}"
    );
    window.click("Use other by default");
    let changed = file(&home);
    assert!(changed.starts_with("default = \"other\"\n"), "{changed}");

    window.click("Remove mine");
    assert!(!file(&home).contains("models.mine") && file(&home).contains("providers.here"), "{}", file(&home));
    window.click("Undo");
    assert_eq!(file(&home), changed);
}

#[test]
fn a_model_is_tried_out_and_what_is_recommended_is_written() {
    let home = Home::new();
    let model = Model::of(&home);
    model.says("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30");
    let (_repo, mut window) = page(&home);
    window.click("Test scripted");
    window.check_says("streams: good");
    window.check_says("Grade");
    assert!(!file(&home).contains("capabilities"));
    window.click("Use these settings");
    assert!(file(&home).contains("capabilities = [\"chat\""), "{}", file(&home));
    window.click("Put the test away");
    assert!(!window.says("Grade"));
}

#[test]
fn a_test_is_cancelled_in_the_middle() {
    let home = Home::new();
    let model = Model::of(&home);
    let _held = model.begins("1 2 3");
    let (_repo, mut window) = page(&home);
    let at = window.place("Test scripted").center();
    window.headless().click(at);
    let asked = |_: &mut recto::app::App| !model.asked().is_empty();
    window.headless().run_until("request", Duration::from_mins(1), asked).unwrap();
    window.look();
    window.click("Cancel the test");
    assert!(!window.says("Trying scripted"));
    assert_eq!(model.asked().len(), 1, "nothing more is asked");
}

#[test]
fn what_is_wrong_in_the_file_is_told_with_its_line() {
    let home = Home::new();
    std::fs::create_dir_all(&home.paths().config).unwrap();
    std::fs::write(home.paths().models(), "[models.x]\nprovider = \"none\"\n").unwrap();
    let (_repo, mut window) = page(&home);
    window.check_says("Line 1: x: there is no provider none");
    window.click("Go to line");
    window.check_says("models.toml");
}
