//! The names of contents: what git would call a blob, computed without storing it; and of other things that are known by
//! what they are, with the same hash.

use std::{fs::File, io::Read, path::Path};

use super::{GitError, ObjectId, own_id};

/// Read in pieces of this size, so that a file of 250 MB needs no memory to be named.
const PIECE: usize = 128 << 10;

/// Hashes pieces one after the other, each with its length, so that no two lists of pieces hash the same bytes.
///
/// It is git's hash, collision detection included, and for the same reason: two contents must not pass for one, even if
/// somebody wants them to.
pub(crate) struct Pieces(gix::hash::Hasher);

impl Pieces {
    /// Begins with what kind of thing it is.
    pub(crate) fn new(kind: &str) -> Self {
        let mut pieces = Self(gix::hash::hasher(gix::hash::Kind::Sha1));
        pieces.add(kind.as_bytes());
        pieces
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, piece: &[u8]) -> &mut Self {
        self.0.update(&(piece.len() as u64).to_le_bytes());
        self.0.update(piece);
        self
    }

    /// The hash with `last` as the last piece; what was added before is hashed once for many.
    pub(crate) fn finish_with(&self, last: &[u8]) -> Option<[u8; 20]> {
        let mut hasher = self.0.clone();
        hasher.update(last);
        Some(*own_id(&hasher.try_finalize().ok()?).as_bytes())
    }

    /// The hash; none of pieces made to collide.
    pub(crate) fn finish(self) -> Option<[u8; 20]> {
        Some(*own_id(&self.0.try_finalize().ok()?).as_bytes())
    }
}

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
