//! The system's dialogs for choosing a file or folder, each on a thread of its own: they take as long as people do.
//!
//! One is open at a time. A desktop that has none (no portal, no zenity) answers at once, and a path is typed instead:
//! the library does not tell that from a dialog that was put away, but nobody puts one away before it is drawn.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    since: Instant,
    chosen: Receiver<Option<PathBuf>>,
}

/// No one answers a dialog sooner: it was not shown.
const AT_ONCE: Duration = Duration::from_millis(300);

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
        self.open = Some(Open { purpose, folder, name, since: Instant::now(), chosen });
        Ok(())
    }

    /// What was chosen, once; nothing when the dialog was put away.
    pub fn poll(&mut self) -> Option<(Purpose, Answer)> {
        let answer = match self.open.as_ref()?.chosen.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Ok(answer) => answer,
            Err(TryRecvError::Disconnected) => None,
        };
        let Open { purpose, folder, name, since, .. } = self.open.take()?;
        match answer {
            Some(path) => Some((purpose, Answer::Chosen(path))),
            None if since.elapsed() < AT_ONCE => Some((purpose, Answer::NoDialog { folder, name })),
            None => None,
        }
    }
}
