//! Reading and writing Recto's own small files: settings, keymap, sessions, recent lists.
//!
//! Writing goes the same durable way as saving a document, so that a power cut leaves the old file or the new one. Both
//! wait for the disk: after the start they run in tasks only.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use editor::file::{Expect, RealFs, SaveOptions, save};
use editor::text::Text;

/// The text of a file; none if there is no such file.
///
/// # Errors
/// When it is there and cannot be read, or is no UTF-8.
pub fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Writes a file whole, with the folders it is in.
///
/// # Errors
/// When the folder or the file cannot be written; the old file is as it was.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    }
    let options = SaveOptions { expect: Expect::Anything, ..SaveOptions::new_file() };
    save(&RealFs, path, &Text::from(text), &options)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_with_its_folders_and_over_what_was_there() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b/c.toml");
        assert_eq!(read(&path).unwrap(), None);
        write(&path, "one\n").unwrap();
        write(&path, "two\n").unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("two\n"));
    }
}
