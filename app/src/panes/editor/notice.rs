//! What is wrong with a document's file, and whether servers may check it, in a line above its text: never a dialog.

use eframe::egui::{self, Rect, Ui, pos2, vec2};

use super::EditorPane;
use crate::code_view::lines::TextKey;
use crate::commands::{Action, Sink};
use crate::state::State;
use crate::state::documents::Disk;
use crate::state::servers::trust::Answer;
use crate::state::servers::{Offer, Servers};
use crate::theme::space;
use crate::widgets::{Button, ErrorState, Notice, NoticeResponse, Tone};

/// Height of the line.
const HEIGHT: f32 = 36.0;

/// Draws what there is to say at `top`; how high that is.
pub fn draw(ui: &mut Ui, pane: &EditorPane, state: &mut State, sink: &mut Sink, top: f32) -> f32 {
    let Some(open) = state.documents.get(pane.document) else { return 0.0 };
    let id = pane.document;
    let key = TextKey::Document { id: id.0, version: open.document.version() };
    let plain = state.highlights.notice(key).map(str::to_owned);
    let rect = Rect::from_min_size(pos2(ui.max_rect().left(), top), vec2(ui.max_rect().width(), HEIGHT));
    let mut line = ui.new_child(egui::UiBuilder::new().id_salt("notice").max_rect(rect.shrink(space::XS)));
    match (open.disk, open.document.read_only, plain) {
        (Disk::Conflict, ..) => {
            let text = "This file was changed by another program, and so was your text.";
            let notice = Notice::new(Tone::Warning, text).action("Compare").action("Keep mine").action("Reload");
            match notice.show(&mut line) {
                NoticeResponse::Action(0) => {
                    if let Some(path) = state.documents.path(id).map(std::path::Path::to_owned) {
                        sink.push(Action::CompareWithDisk { document: id, path });
                    }
                }
                NoticeResponse::Action(1) => state.documents.keep_mine(id),
                NoticeResponse::Action(_) => state.documents.reload(id),
                _ => {}
            }
            HEIGHT
        }
        (Disk::Gone, ..) => {
            let text = "This file was removed by another program. Saving creates it anew.";
            Notice::new(Tone::Warning, text).show(&mut line);
            HEIGHT
        }
        (Disk::Same, true, _) => {
            let text = "This file is read-only. You can type, and save under another name.";
            if let NoticeResponse::Action(_) = Notice::new(Tone::Neutral, text).action("Save as…").show(&mut line) {
                sink.push(crate::commands::Command::SaveAs);
            }
            HEIGHT
        }
        (Disk::Same, false, Some(reason)) => {
            Notice::new(Tone::Neutral, reason).show(&mut line);
            HEIGHT
        }
        (Disk::Same, false, None) => {
            let is_followed = open.path.as_deref().is_some_and(|path| state.servers.follows(path));
            let language = open.document.language().filter(|_| is_followed);
            match language.and_then(|language| state.servers.offer(language)) {
                Some(offer) => {
                    draw_offer(&mut line, &offer, &mut state.servers, sink);
                    HEIGHT
                }
                None => 0.0,
            }
        }
    }
}

/// Asks whether servers may check the folder, or says that none is there that could.
pub fn draw_offer(ui: &mut Ui, offer: &Offer, servers: &mut Servers, sink: &mut Sink) {
    match offer {
        Offer::Start(names) => {
            let (which, they) = match names.as_slice() {
                [one] => (one.clone(), "It"),
                [others @ .., last] => (format!("{} and {last}", others.join(", ")), "They"),
                [] => return,
            };
            let text = format!("{which} can check this project. {they} may run the project's code.");
            let answer = match Notice::new(Tone::Accent, text).action("Start").action("Never here").show(ui) {
                NoticeResponse::Action(0) => Answer::Start,
                NoticeResponse::Action(_) => Answer::Never,
                NoticeResponse::None | NoticeResponse::Closed => return,
            };
            servers.answer(names, answer);
        }
        Offer::Install { server, language, command } => {
            let text = format!("Nothing is installed that checks {language}. {server} does: {command}");
            match Notice::new(Tone::Neutral, text).action("Copy command").closable().show(ui) {
                NoticeResponse::Action(_) => {
                    sink.push(Action::Copy(command.clone()));
                    servers.dismiss(server);
                }
                NoticeResponse::Closed => servers.dismiss(server),
                NoticeResponse::None => return,
            }
        }
    }
    ui.ctx().request_repaint();
}

/// A file that did not open: why, and what can be done.
pub fn draw_failed(ui: &mut Ui, pane: &EditorPane, state: &mut State) {
    let Some(error) = state.documents.error(pane.document).map(str::to_owned) else { return };
    let binary = error.contains("looks binary");
    let label = if binary { "Open as text" } else { "Try again" };
    if ErrorState::new("This file was not opened", error).action(Button::new(label)).show(ui) {
        state.documents.retry(pane.document, binary);
    }
}
