//! Contents straight from packs, and in which order they are read best.
//!
//! A *pack* keeps most objects as *deltas*: what to copy from another object, its *base*, and what to insert. A chain of
//! deltas ends in an object kept whole. Reading one object of a chain costs as much as reading all that lie between it
//! and the whole one, so what matters is to read neighbours after each other, on one thread, and to remember what was
//! made on the way. The git library remembers only what was asked for, never the whole object at the end of a chain,
//! and hands out buffers of three times the size.
//!
//! Everything unusual (bases in another pack, damage, objects of 2 GB) is left to the library, which reads it or says
//! what is wrong: [`Decoder::blob`] then has nothing.

use std::{
    mem,
    path::Path,
    sync::{Arc, OnceLock},
};

use gix::odb::pack::{
    data::{self, entry::Header},
    index,
};
use libdeflater::Decompressor;
use rustc_hash::FxHashMap;

use super::{BlobSource, FileChange, MAX_SIZE, ObjectId, Side, git_id};
use crate::lines::Bytes;

/// Bytes of objects that a reader remembers because others may be deltas of them.
const REMEMBERED: usize = 32 << 20;

/// Links of a chain followed; git makes chains of 50, and by special request of 4,095.
const LONGEST_CHAIN: usize = 4_096;

/// Where an object is: in which pack, and the offset there. In this order objects are read best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pack: u32,
    offset: u64,
}

/// The packs of a repository as they were when first looked for. Those that come later are the library's.
#[derive(Default)]
pub(super) struct Packs {
    packs: Vec<Pack>,
}

struct Pack {
    index: index::File<gix::odb::pack::MMap>,
    /// Mapped when first read from; none if it cannot be.
    data: OnceLock<Option<data::File<gix::odb::pack::MMap>>>,
}

impl Packs {
    /// Looks for the packs of a repository and of those it borrows objects from.
    pub(super) fn open(repo: &gix::Repository) -> Self {
        let store = repo.objects.store_ref();
        // Where objects stand in for others, only the library knows which.
        if store.replacements().next().is_some() {
            return Self::default();
        }
        let mut folders = vec![store.path().to_owned()];
        folders.extend(store.alternate_db_paths().unwrap_or_default());
        let mut packs = Vec::new();
        for folder in folders {
            let Ok(entries) = std::fs::read_dir(folder.join("pack")) else { continue };
            let indexes = entries.flatten().map(|entry| entry.path());
            let indexes = indexes.filter(|path| path.extension().is_some_and(|extension| extension == "idx"));
            packs.extend(indexes.filter_map(|path| Pack::open(&path, repo.object_hash())));
        }
        // Most objects are in the largest one.
        packs.sort_by_key(|pack| std::cmp::Reverse(pack.index.num_objects()));
        Self { packs }
    }

    fn find(&self, id: ObjectId) -> Option<Place> {
        let id = git_id(id);
        self.packs.iter().zip(0..).find_map(|(pack, number)| {
            let entry = pack.index.lookup(id)?;
            Some(Place { pack: number, offset: pack.index.pack_offset_at_index(entry) })
        })
    }

    /// The order in which to read `changes`, by index: as their objects lie in packs, then whatever is elsewhere.
    ///
    /// Some 0.3 µs an object: 3 ms for 5,000 files.
    pub(super) fn reading_order(&self, changes: &[FileChange]) -> Vec<usize> {
        let mut order: Vec<_> = (0..changes.len()).map(|at| (self.first_place(&changes[at]), at)).collect();
        order.sort_unstable_by_key(|&(place, at)| (place.is_none(), place, at));
        order.into_iter().map(|(_, at)| at).collect()
    }

    /// Both sides of a file usually belong to one chain, or to two that run alongside: one of them tells its place.
    fn first_place(&self, change: &FileChange) -> Option<Place> {
        [Side::Old, Side::New].into_iter().find_map(|side| match change.blob(side)?.source {
            BlobSource::Object(id) => self.find(id),
            _ => None,
        })
    }
}

impl Pack {
    fn open(path: &Path, hash: gix::hash::Kind) -> Option<Self> {
        let index = index::File::at(path, hash).ok()?;
        Some(Self { index, data: OnceLock::new() })
    }

    fn data(&self) -> Option<&data::File<gix::odb::pack::MMap>> {
        let open = || data::File::at(self.index.path().with_extension("pack"), self.index.object_hash()).ok();
        self.data.get_or_init(open).as_ref()
    }
}

/// Decodes objects of packs; one a thread.
pub(super) struct Decoder {
    packs: Arc<Packs>,
    inflate: Decompressor,
    remembered: Remembered,
    /// What is to be applied to a base, the last one first.
    deltas: Vec<data::Entry>,
    /// The delta at hand.
    delta: Vec<u8>,
}

impl Decoder {
    pub(super) fn new(packs: Arc<Packs>) -> Self {
        Self {
            packs,
            inflate: Decompressor::new(),
            remembered: Remembered::new(REMEMBERED),
            deltas: Vec::new(),
            delta: Vec::new(),
        }
    }

    /// The content of a blob; none if it is not in a pack, or not to be read in the usual way.
    pub(super) fn blob(&mut self, id: ObjectId) -> Option<Bytes> {
        let packs = Arc::clone(&self.packs);
        let place = packs.find(id)?;
        let pack = packs.packs.get(place.pack as usize)?;
        self.decode(pack, place)
    }

    fn decode(&mut self, pack: &Pack, place: Place) -> Option<Bytes> {
        let data = pack.data()?;
        self.deltas.clear();
        let mut at = place;
        let mut content = loop {
            if let Some(content) = self.remembered.get(at) {
                break content;
            }
            let entry = data.entry(at.offset).ok()?;
            if entry.decompressed_size >= MAX_SIZE || self.deltas.len() == LONGEST_CHAIN {
                return None;
            }
            at.offset = match entry.header {
                Header::Blob => {
                    let mut whole = vec![0; usize::try_from(entry.decompressed_size).ok()?];
                    inflate(&mut self.inflate, data, &entry, &mut whole)?;
                    let whole = Bytes::from(whole);
                    self.remembered.put(at, &whole);
                    break whole;
                }
                Header::OfsDelta { base_distance } => entry.checked_base_pack_offset(base_distance)?,
                Header::RefDelta { base_id } => pack.index.pack_offset_at_index(pack.index.lookup(base_id)?),
                Header::Commit | Header::Tree | Header::Tag => return None,
            };
            self.deltas.push(entry);
        };
        while let Some(entry) = self.deltas.pop() {
            self.delta.resize(usize::try_from(entry.decompressed_size).ok()?, 0);
            inflate(&mut self.inflate, data, &entry, &mut self.delta)?;
            content = apply(&content, &self.delta)?.into();
            self.remembered.put(Place { offset: entry.pack_offset(), ..place }, &content);
        }
        Some(content)
    }
}

/// Inflates an entry into a buffer of its size; none if it is damaged.
fn inflate(
    inflate: &mut Decompressor,
    data: &data::File<gix::odb::pack::MMap>,
    entry: &data::Entry,
    into: &mut [u8],
) -> Option<()> {
    // How long it is, compressed, only its own end tells.
    let compressed = data.entry_slice(entry.data_offset..data.pack_end() as u64)?;
    (inflate.zlib_decompress(compressed, into).ok()? == into.len()).then_some(())
}

/// What a delta makes of its base; none if it is damaged, or too large.
fn apply(base: &[u8], mut delta: &[u8]) -> Option<Vec<u8>> {
    if size(&mut delta)? != base.len() as u64 {
        return None;
    }
    let result = size(&mut delta)?;
    if result >= MAX_SIZE {
        return None;
    }
    let result = usize::try_from(result).ok()?;
    let mut made = Vec::with_capacity(result);
    while let Some((&command, rest)) = delta.split_first() {
        delta = rest;
        let piece = if command & 0x80 == 0 {
            let (inserted, rest) = delta.split_at_checked(usize::from(command)).filter(|_| command > 0)?;
            delta = rest;
            inserted
        } else {
            let start = number(&mut delta, command & 0x0f, 4)?;
            let length = match number(&mut delta, command >> 4 & 0x07, 3)? {
                0 => 0x1_0000,
                length => length,
            };
            base.get(start..start.checked_add(length)?)?
        };
        if made.len() + piece.len() > result {
            return None;
        }
        made.extend_from_slice(piece);
    }
    (made.len() == result).then_some(made)
}

/// A size: seven bits a byte, the lowest first, as long as the highest bit is set.
fn size(delta: &mut &[u8]) -> Option<u64> {
    let mut size = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = delta.split_first()?;
        *delta = rest;
        size |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
    None
}

/// A number of which only the bytes are there that `present` names, the lowest first.
fn number(delta: &mut &[u8], present: u8, bytes: u32) -> Option<usize> {
    let mut number = 0;
    for byte in (0..bytes).filter(|byte| present & 1 << byte != 0) {
        let (&part, rest) = delta.split_first()?;
        *delta = rest;
        number |= usize::from(part) << (8 * byte);
    }
    Some(number)
}

/// Objects made lately, within a budget of bytes.
///
/// Two generations stand in for an exact order of use: what is used moves to the young one; when that has half of the
/// budget, it becomes the old one, and what nobody used since the last time is forgotten.
struct Remembered {
    budget: usize,
    young: FxHashMap<Place, Bytes>,
    old: FxHashMap<Place, Bytes>,
    young_bytes: usize,
}

impl Remembered {
    fn new(budget: usize) -> Self {
        Self { budget, young: FxHashMap::default(), old: FxHashMap::default(), young_bytes: 0 }
    }

    fn get(&mut self, place: Place) -> Option<Bytes> {
        if let Some(content) = self.young.get(&place) {
            return Some(content.clone());
        }
        let content = self.old.remove(&place)?;
        self.put(place, &content);
        Some(content)
    }

    fn put(&mut self, place: Place, content: &Bytes) {
        // One large object must not drive out everything else.
        if content.len() > self.budget / 4 {
            return;
        }
        if self.young_bytes + content.len() > self.budget / 2 {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += content.len();
        self.young.insert(place, content.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_copies_and_inserts() {
        // From 8 bytes to 9: insert "ab", copy 3 bytes from offset 5, insert "c", copy 3 from 0.
        let delta = [8, 9, 2, b'a', b'b', 0b1001_0001, 5, 3, 1, b'c', 0b1001_0000, 3];
        assert_eq!(apply(b"01234567", &delta).unwrap(), b"ab567c012");
    }

    #[test]
    fn a_copy_without_a_length_is_of_65536_bytes() {
        let base = vec![7; 0x1_0001];
        let delta = [0x81, 0x80, 4, 0x80, 0x80, 4, 0x81, 1];
        assert_eq!(apply(&base, &delta).unwrap(), &base[1..]);
    }

    #[test]
    fn a_damaged_delta_makes_nothing() {
        let whole = [8, 9, 2, b'a', b'b', 0b1001_0001, 5, 3, 1, b'c', 0b1001_0000, 3];
        for cut in 0..whole.len() {
            assert_eq!(apply(b"01234567", &whole[..cut]), None, "cut to {cut}");
        }
        assert_eq!(apply(b"0123456", &whole), None, "of another base");
        assert_eq!(apply(b"01234567", &[8, 1, 0]), None, "an insertion of nothing is reserved");
        assert_eq!(apply(b"01234567", &[8, 2, 0b1001_0001, 7, 2]), None, "copied from past the end");
        assert_eq!(apply(b"01234567", &[8, 1, 2, 1, 1]), None, "more than was promised");
        assert_eq!(apply(b"01234567", &[0xff; 20]), None, "a size without end");
    }

    #[test]
    fn what_is_used_is_remembered_longer_than_what_is_not() {
        let mut remembered = Remembered::new(40);
        let place = |offset| Place { pack: 0, offset };
        let content = Bytes::from(vec![1; 8]);
        for offset in 0..10 {
            remembered.put(place(offset), &content);
            assert!(remembered.get(place(0)).is_some(), "used all the time");
        }
        assert!(remembered.get(place(1)).is_none(), "not used since");
        assert!(remembered.young_bytes <= 20);
        remembered.put(place(99), &Bytes::from(vec![1; 30]));
        assert!(remembered.get(place(99)).is_none(), "too large to be worth it");
    }
}
