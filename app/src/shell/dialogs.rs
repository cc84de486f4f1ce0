//! The system's dialogs for choosing a file or folder, each on a thread of its own: they take as long as people do.
//!
//! One is open at a time. Where the desktop has none (no portal, no zenity) a path is typed instead. The library does
//! not tell that from a dialog that was put away, but whoever puts one away had left our window for it.

use std::path::{Path, PathBuf};

use crossbeam_channel::{Receiver, TryRecvError, bounded};

use crate::state::documents::DocumentId;
use crate::tasks::Waker;

/// What the chosen path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    OpenFile,
    OpenFolder,
    /// Write a document to it.
    Save(DocumentId),
}

/// What a dialog is called.
pub fn title(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::OpenFile => "Open File",
        Purpose::OpenFolder => "Open Folder",
        Purpose::Save(_) => "Save As",
    }
}

/// How a dialog ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Chosen(PathBuf),
    /// There is no such dialog here: where it would have started, and with which name.
    NoDialog {
        folder: Option<PathBuf>,
        name: String,
    },
}

/// The dialog that is open, if any.
#[derive(Default)]
pub struct Dialogs {
    open: Option<Open>,
}

struct Open {
    purpose: Purpose,
    folder: Option<PathBuf>,
    name: String,
    /// Our window was without the focus since: something else was there to be answered.
    was_left: bool,
    chosen: Receiver<Option<PathBuf>>,
}

impl Dialogs {
    /// Opens a dialog that starts in `folder`; `name` is what a new file is called at first.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn open(&mut self, purpose: Purpose, folder: Option<&Path>, name: &str, waker: &Waker) -> std::io::Result<()> {
        if self.open.is_some() {
            return Ok(());
        }
        let mut dialog = rfd::FileDialog::new();
        if let Some(folder) = folder {
            dialog = dialog.set_directory(folder);
        }
        let (suggested, waker) = (name.to_owned(), waker.clone());
        let (send, chosen) = bounded(1);
        std::thread::Builder::new().name("file-dialog".into()).spawn(move || {
            let path = match purpose {
                Purpose::OpenFile => dialog.set_title(title(purpose)).pick_file(),
                Purpose::OpenFolder => dialog.set_title(title(purpose)).pick_folder(),
                Purpose::Save(_) => dialog.set_title(title(purpose)).set_file_name(suggested).save_file(),
            };
            if send.send(path).is_ok() {
                waker.wake();
            }
        })?;
        let (folder, name) = (folder.map(Path::to_owned), name.to_owned());
        self.open = Some(Open { purpose, folder, name, was_left: false, chosen });
        Ok(())
    }

    /// What was chosen, once; nothing when the dialog was put away. To be asked every frame, with whether our window
    /// has the focus.
    pub fn poll(&mut self, focused: bool) -> Option<(Purpose, Answer)> {
        let open = self.open.as_mut()?;
        open.was_left |= !focused;
        let answer = match open.chosen.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Ok(answer) => answer,
            Err(TryRecvError::Disconnected) => None,
        };
        let Open { purpose, folder, name, was_left, .. } = self.open.take()?;
        match answer {
            Some(path) => Some((purpose, Answer::Chosen(path))),
            None if !was_left => Some((purpose, Answer::NoDialog { folder, name })),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dialog that was answered with nothing, before which the window had the focus or not, frame by frame.
    fn put_away(focused: &[bool]) -> Option<Answer> {
        let (send, chosen) = bounded(1);
        let open = Open { purpose: Purpose::OpenFolder, folder: None, name: String::new(), was_left: false, chosen };
        let mut dialogs = Dialogs { open: Some(open) };
        for &focused in focused {
            assert_eq!(dialogs.poll(focused), None, "not answered yet");
        }
        send.send(None).unwrap();
        dialogs.poll(true).map(|(_, answer)| answer)
    }

    #[test]
    fn a_dialog_that_never_took_the_focus_was_not_there() {
        assert_eq!(put_away(&[true, true]), Some(Answer::NoDialog { folder: None, name: String::new() }));
    }

    #[test]
    fn a_dialog_that_was_put_away_asks_for_nothing() {
        assert_eq!(put_away(&[true, false, true]), None);
    }
}
