//! The system's trash: putting files there and getting them back.
//!
//! Both touch the disk and may take long (a trash lists all that is in it): they are for workers.

use std::path::{Path, PathBuf};

#[cfg(not(target_os = "macos"))]
use trash::TrashItem;

/// Whether what is in the trash can be put back by us. Where it cannot, the user is asked before.
pub const CAN_RESTORE: bool = cfg!(not(target_os = "macos"));

/// Something that was put into the trash.
#[derive(Clone, Debug)]
pub struct Trashed {
    /// Where it was.
    pub path: PathBuf,
    /// What it is in the trash; none where the system does not say.
    #[cfg(not(target_os = "macos"))]
    item: Option<TrashItem>,
}

impl Trashed {
    /// Whether [`restore`] has a chance.
    pub fn is_restorable(&self) -> bool {
        #[cfg(not(target_os = "macos"))]
        return self.item.is_some();
        #[cfg(target_os = "macos")]
        return false;
    }
}

/// Puts the file or folder at `path` into the trash; why not, as a part of a sentence.
#[cfg(not(target_os = "macos"))]
pub fn put(path: &Path) -> Result<Trashed, String> {
    // Things of the same path may lie there already: the new one is the one that was not there before.
    let before = of_path(path);
    trash::delete(path).map_err(|error| reason(&error))?;
    let item = of_path(path).into_iter().find(|item| !before.contains(item));
    Ok(Trashed { path: path.to_owned(), item })
}

/// Puts the file or folder at `path` into the trash; why not, as a part of a sentence.
#[cfg(target_os = "macos")]
pub fn put(path: &Path) -> Result<Trashed, String> {
    trash::delete(path).map_err(|error| reason(&error))?;
    Ok(Trashed { path: path.to_owned() })
}

/// Puts something back where it was. Replaces nothing.
#[cfg(not(target_os = "macos"))]
pub fn restore(trashed: Trashed) -> Result<(), String> {
    let Some(item) = trashed.item else { return Err("the trash does not say where it is".to_owned()) };
    trash::os_limited::restore_all([item]).map_err(|error| reason(&error))
}

/// Puts something back where it was. Replaces nothing.
#[cfg(target_os = "macos")]
pub fn restore(_: Trashed) -> Result<(), String> {
    Err("the Finder does that".to_owned())
}

/// What lies in the trash that was at `path`.
#[cfg(not(target_os = "macos"))]
fn of_path(path: &Path) -> Vec<TrashItem> {
    // The trash knows places by their real paths.
    let place = path.parent().and_then(|parent| parent.canonicalize().ok());
    let place = place.zip(path.file_name()).map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name));
    let all = trash::os_limited::list().unwrap_or_default();
    all.into_iter().filter(|item| item.original_path() == place).collect()
}

fn reason(error: &trash::Error) -> String {
    match error {
        trash::Error::CouldNotAccess { target } => format!("{target} may not be changed"),
        trash::Error::RestoreCollision { path, .. } => format!("{} exists", path.display()),
        trash::Error::RestoreTwins { path, .. } => format!("two things belong at {}", path.display()),
        trash::Error::Unknown { description } | trash::Error::Os { description, .. } => description.clone(),
        #[cfg(all(unix, not(target_os = "macos")))]
        trash::Error::FileSystem { path, source } => format!("{}: {source}", path.display()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_into_the_trash_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "text").unwrap();
        let trashed = match put(&path) {
            Ok(trashed) => trashed,
            Err(why) => {
                assert!(std::env::var_os("RECTO_TESTS_STRICT").is_none(), "no trash here: {why}");
                eprintln!("skipped: no trash here: {why}");
                return;
            }
        };
        assert!(!path.exists());
        if CAN_RESTORE {
            restore(trashed).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        }
    }
}
