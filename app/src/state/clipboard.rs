//! The clipboard: the system's text, and the pieces it was made of while it still holds what we put there.

use editor::edit::Clip;
use eframe::egui;

/// What was copied last.
#[derive(Default)]
pub struct Clipboard {
    clip: Clip,
}

impl Clipboard {
    /// Puts something on the system's clipboard.
    pub fn copy(&mut self, ctx: &egui::Context, clip: Clip) {
        ctx.copy_text(clip.text.clone());
        self.clip = clip;
    }

    /// What `text`, which the system's clipboard holds, is: our pieces if it is ours.
    pub fn of_text(&self, text: String) -> Clip {
        if text == self.clip.text { self.clip.clone() } else { Clip::foreign(text) }
    }
}
