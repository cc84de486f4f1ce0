//! The names of contents: what git would call a blob, computed without storing it.

use std::{fs::File, io::Read, path::Path};

use super::{GitError, ObjectId, own_id};

/// Read in pieces of this size, so that a file of 250 MB needs no memory to be named.
const PIECE: usize = 128 << 10;

/// The name of a blob of these bytes.
pub(super) fn of_bytes(bytes: &[u8]) -> Result<ObjectId, GitError> {
    let mut hasher = hasher(bytes.len() as u64);
    hasher.update(bytes);
    finish(hasher)
}

/// The name of a blob with the content of the file at `path`, read once and never held.
pub(super) fn of_file(path: &Path) -> Result<ObjectId, GitError> {
    let failed = |source| GitError::File { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut hasher = hasher(size);
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece).map_err(failed)? {
            0 => return finish(hasher),
            read => hasher.update(&piece[..read]),
        }
    }
}

fn hasher(size: u64) -> gix::hash::Hasher {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(&gix::objs::encode::loose_header(gix::objs::Kind::Blob, size));
    hasher
}

fn finish(hasher: gix::hash::Hasher) -> Result<ObjectId, GitError> {
    let id = hasher.try_finalize().map_err(|error| GitError::object("a content", &error))?;
    Ok(own_id(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_git() {
        assert_eq!(of_bytes(b"").unwrap(), ObjectId::EMPTY_BLOB);
        assert_eq!(of_bytes(b"hello\n").unwrap().to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
