//! The system's dialogs for choosing a file or folder, each on a thread of its own: they take as long as people do.
//!
//! One is open at a time. A desktop without them is no dead end: the palette opens any path that is typed.

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

/// The dialog that is open, if any.
#[derive(Default)]
pub struct Dialogs {
    open: Option<(Purpose, Receiver<Option<PathBuf>>)>,
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
        let (name, waker) = (name.to_owned(), waker.clone());
        let (send, chosen) = bounded(1);
        std::thread::Builder::new().name("file-dialog".into()).spawn(move || {
            let path = match purpose {
                Purpose::OpenFile => dialog.set_title("Open File").pick_file(),
                Purpose::OpenFolder => dialog.set_title("Open Folder").pick_folder(),
                Purpose::Save(_) => dialog.set_title("Save As").set_file_name(name).save_file(),
            };
            if send.send(path).is_ok() {
                waker.wake();
            }
        })?;
        self.open = Some((purpose, chosen));
        Ok(())
    }

    /// What was chosen, once; nothing when the dialog was put away.
    pub fn poll(&mut self) -> Option<(Purpose, PathBuf)> {
        let (purpose, chosen) = self.open.as_ref()?;
        let purpose = *purpose;
        match chosen.try_recv() {
            Err(TryRecvError::Empty) => None,
            Ok(path) => {
                self.open = None;
                path.map(|path| (purpose, path))
            }
            Err(TryRecvError::Disconnected) => {
                self.open = None;
                None
            }
        }
    }
}
