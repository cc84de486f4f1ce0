//! Pictures that go along with messages, to models that see and to those that do not.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::{Color32, ColorImage, Event};
use recto::state::chats::Attachment;

use crate::chatting::{chat, chatting, project};
use crate::model::Model;
use crate::window::{Home, Window};

/// A PNG of one pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8,
    6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1,
    0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// Says in the file of models that the model sees.
fn sees(home: &Home) {
    let path = home.paths().models();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{text}capabilities = [\"chat\", \"vision\"]\n")).unwrap();
}

fn paste(window: &mut Window, event: Event) {
    window.headless().feed(event);
    window.headless().frame();
    window.rest();
}

fn pixels() -> Event {
    Event::PasteImage(Arc::new(ColorImage::filled([40, 30], Color32::GREEN)))
}

fn labels(window: &Window) -> Vec<String> {
    chat(window).draft.attached.iter().map(|attached| attached.label().into_owned()).collect()
}

#[test]
fn pictures_from_the_clipboard_and_from_files_are_seen_by_a_model_that_sees() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    sees(&home);
    std::fs::write(repo.file("a shot.png"), PNG).unwrap();
    let mut window = chatting(&home, &repo);
    paste(&mut window, pixels());
    window.check_says("Pasted picture, whole, 1.5k tokens");
    let address = format!("file://{}", repo.file("a shot.png").display().to_string().replace(' ', "%20"));
    paste(&mut window, Event::Paste(address));
    assert_eq!(chat(&window).draft.text, "", "the path of a picture is the picture");
    assert_eq!(labels(&window), ["Pasted picture", "a shot.png"]);

    model.says("A green one and an empty one.");
    window.keys("'What do you see?' Enter");
    let asked = model.last_asked();
    assert_eq!(asked.matches("\"url\":\"data:image/png;base64,").count(), 2, "{asked}");
    assert!(asked.contains("[picture Pasted picture]") && asked.contains("iVBORw0KGgo"), "{asked}");
    model.says("Still the same.");
    window.keys("'And now?' Enter");
    assert_eq!(model.last_asked().matches("data:image/png;base64,").count(), 2, "what was said is said again");
}

#[test]
fn a_model_that_does_not_see_is_sent_no_picture_and_the_chip_says_so() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    paste(&mut window, pixels());
    window.check_says("Pasted picture, cannot go along");
    model.says("I cannot.");
    window.keys("'What do you see?' Enter");
    let asked = model.last_asked();
    assert!(!asked.contains("image_url") && !asked.contains("base64"), "{asked}");
    window.check_says("Not sent: Pasted picture; scripted does not see pictures");
}

#[test]
fn a_picture_is_dropped_on_the_conversation_or_named_and_what_is_none_says_so() {
    let (home, repo) = (Home::new(), project());
    let _model = Model::of(&home);
    sees(&home);
    std::fs::write(repo.file("shot.png"), PNG).unwrap();
    std::fs::write(repo.file("broken.png"), "no picture").unwrap();
    let mut window = chatting(&home, &repo);
    let drop = |window: &mut Window, path: PathBuf| {
        let at = window.place("Message to the model").center();
        window.point_at(at);
        window.headless().drop_files(&[path]);
        window.rest();
    };
    drop(&mut window, repo.file("shot.png"));
    drop(&mut window, repo.file("b.txt"));
    assert_eq!(labels(&window), ["shot.png", "b.txt"]);
    assert!(matches!(chat(&window).draft.attached[..], [Attachment::Picture(_), Attachment::File(_)]));
    drop(&mut window, repo.file("broken.png"));
    window.check_says("cannot be decoded");
    window.keys("'@broken' Enter");
    assert_eq!(labels(&window).len(), 2);
}
