//! Storing contents: blobs made durable by git, all of them by one command.
//!
//! The command reads a pack, the format that objects travel in, and writes each object as git is configured to write it.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use gix::zlib::{Compression, stream::deflate};
use rustc_hash::FxHashSet;

use super::{GitError, ObjectId, Repo, RepoPath, git_id, hash, own_id};

impl Repo {
    /// Stores contents as blobs, as they are, and returns their names. What is stored already costs no command.
    pub(crate) fn store_blobs(&self, contents: &[&[u8]]) -> Result<Vec<ObjectId>, GitError> {
        let local = self.local();
        let names = contents.iter().map(|content| hash::of_bytes(content)).collect::<Result<Vec<_>, _>>()?;
        let mut seen = FxHashSet::default();
        let is_new = |id: ObjectId| !local.has_object(git_id(id));
        let missing = names.iter().zip(contents).filter(|(id, _)| seen.insert(**id) && is_new(**id));
        let missing: Vec<&[u8]> = missing.map(|(_, content)| *content).collect();
        if !missing.is_empty() {
            self.git(&["unpack-objects", "-q"]).run(&|out| pack(out, &missing))?;
        }
        Ok(names)
    }

    /// A content of the working tree as git would store it, stored: with filters that are programs, and checks.
    pub(crate) fn store_cleaned(&self, path: &RepoPath, content: &[u8]) -> Result<ObjectId, GitError> {
        let command = self.git(&["hash-object", "-w", "--stdin"]).with(as_path(path));
        let printed = command.run(&|out| out.write_all(content))?;
        let id = gix::ObjectId::from_hex(printed.trim_ascii());
        id.map(|id| own_id(&id)).map_err(|error| GitError::object(format!("{path} as git stores it"), &error))
    }

    /// A blob as checking it out at `path` would write it, filters that are programs included.
    pub(crate) fn checked_out(&self, path: &RepoPath, id: ObjectId) -> Result<Vec<u8>, GitError> {
        self.git(&["cat-file", "--filters"]).with(as_path(path)).with(id.to_string()).run(&|_| Ok(()))
    }
}

/// The word that says which file's attributes hold.
fn as_path(path: &RepoPath) -> OsString {
    let mut word = OsString::from("--path=");
    word.push(&*path.to_path());
    word
}

/// Writes a pack of blobs.
fn pack(out: &mut dyn Write, blobs: &[&[u8]]) -> io::Result<()> {
    let mut out = Hashed { out, hasher: gix::hash::hasher(gix::hash::Kind::Sha1) };
    out.write_all(b"PACK\0\0\0\x02")?;
    out.write_all(&(blobs.len() as u32).to_be_bytes())?;
    for blob in blobs {
        out.write_all(&entry_header(blob.len()))?;
        // It is read at once, on this machine: time counts, size does not.
        let mut deflate = deflate::Write::new(&mut out, Compression::NONE);
        deflate.write_all(blob)?;
        deflate.flush()?;
    }
    let Hashed { out, hasher } = out;
    let checksum = hasher.try_finalize().map_err(io::Error::other)?;
    out.write_all(checksum.as_bytes())
}

/// Type and size: four bits of it beside the type, then seven a byte, each byte but the last marked.
fn entry_header(size: usize) -> Vec<u8> {
    const BLOB: u8 = 3 << 4;
    let mut header = vec![BLOB | (size & 0xf) as u8];
    let mut rest = size >> 4;
    while rest > 0 {
        if let Some(last) = header.last_mut() {
            *last |= 0x80;
        }
        header.push((rest & 0x7f) as u8);
        rest >>= 7;
    }
    header
}

/// Hashes what is written.
struct Hashed<'a> {
    out: &'a mut dyn Write,
    hasher: gix::hash::Hasher,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::entry_header;

    #[test]
    fn sizes_are_cut_into_four_and_seven_bits() {
        assert_eq!(entry_header(0), [0x30]);
        assert_eq!(entry_header(15), [0x3f]);
        assert_eq!(entry_header(16), [0xb0, 0x01]);
        assert_eq!(entry_header(0x1234), [0xb4, 0xa3, 0x02]);
    }
}
