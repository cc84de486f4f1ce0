//! A file or a result that a model is shown, and what is left of it when there is no room.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::provider::{Call, Image};

/// A picture is some 1,500 tokens to most models that see: as many as so many bytes of text.
const PICTURE: usize = 4500;

/// A file that came along with a prompt, or what became of an action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// What it is: `read_file src/main.rs 1-80`.
    pub title: String,
    /// The text.
    pub text: String,
    /// Whether the action failed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub failed: bool,
    /// The lines of a file that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
    /// What is shown of it instead, once there was no room for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Whether only the person takes it out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
    /// What is to be seen, if it is a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
    /// The native call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
}

/// How much is shown of a file that came along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// All of it.
    Full,
    /// Its outline, or how it begins.
    Summary,
    /// Its name and how large it is.
    Unloaded,
}

impl Load {
    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Summary => "summary",
            Self::Unloaded => "unloaded",
        }
    }
}

/// Lines of a file with a certain content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// From the project root.
    pub path: String,
    /// The hash of the file's whole text.
    pub content: String,
    /// The first line, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl Shown {
    /// Lines of a file.
    pub fn new(path: &str, text: &str, first: u32, last: u32) -> Self {
        Self { path: path.to_owned(), content: blake3::hash(text.as_bytes()).to_hex()[..16].to_owned(), first, last }
    }
}

impl Piece {
    /// What is shown of it.
    pub fn body(&self) -> String {
        self.instead.clone().unwrap_or_else(|| self.text.clone())
    }

    /// With its title, as a part of a message. The markers are no tags, so that no model takes them for something to
    /// write itself.
    pub fn render(&self) -> String {
        // A file that came along begins with its name already.
        if self.title.starts_with("file ") && self.shown.is_some() && !self.is_reduced() {
            return self.text.trim_end().to_owned();
        }
        let mut out = String::with_capacity(self.text.len() + 40);
        // Writing into a string cannot fail.
        let _ = writeln!(out, "[{}{}]", self.title, if self.failed { ": failed" } else { "" });
        out.push_str(self.body().trim_end());
        out
    }

    /// Whether all that is asked for can be read in it.
    pub fn covers(&self, asked: &Shown) -> bool {
        self.instead.is_none()
            && self.shown.as_ref().is_some_and(|shown| {
                shown.path == asked.path
                    && shown.content == asked.content
                    && shown.first <= asked.first
                    && asked.last <= shown.last
            })
    }

    /// How much is shown of it.
    pub fn load(&self) -> Load {
        match &self.instead {
            None => Load::Full,
            // What only names it is a remark in brackets.
            Some(text) if text.starts_with('(') => Load::Unloaded,
            Some(_) => Load::Summary,
        }
    }

    /// A picture.
    pub fn picture(name: &str, image: Image) -> Self {
        Self { title: format!("picture {name}"), image: Some(image), ..Self::default() }
    }

    /// About how many bytes of text it takes as much room as.
    pub fn weight(&self) -> usize {
        let image = if self.image.is_some() && !self.is_reduced() { PICTURE } else { 0 };
        image + self.instead.as_ref().map_or(self.text.len(), String::len)
    }

    /// Shows no more of it than its name and how large it is.
    pub fn unload(&mut self) {
        if self.image.is_some() {
            self.instead = Some("(a picture, not shown any more)".to_owned());
            return;
        }
        let (lines, bytes) = (self.text.lines().count(), self.text.len());
        self.instead = Some(format!("({lines} lines, {bytes} bytes, not shown: read what matters by range)"));
    }

    /// Whether something was left out of it.
    pub fn is_reduced(&self) -> bool {
        self.instead.is_some()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
