//! Reading contents: from the object database, the working tree or any file.
//!
//! What git compares is the *stored* form: line endings normalised, `ident` collapsed, encodings undone. What a person
//! reads and edits is the *document* form: decoded, without byte order mark, line endings as they lie on disk. A change
//! has both sides in one form, so that a line that looks equal is equal.

use std::{
    borrow::Cow,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use super::{
    Blob, BlobSource, FileChange, GitError, MAX_SIZE, Mode, ObjectId, Repo, RepoPath, Side, SubmoduleLog,
    filters::{Attributes, Filters, MergeDriver, TextRule},
    git_id, hash, os_bytes,
    packs::Decoder,
};
use crate::{
    content::{self, SNIFF, SideContent},
    lines::Bytes,
    merge::markers::MarkerRules,
    picture::PictureKind,
};

/// Files of this size and more that are compared as they are get mapped and not copied.
const MAP_FROM: u64 = 16 << 20;

/// The form both sides of a change are brought into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As git stores them: for patches, counts and JSON.
    Stored,
    /// As a document shows them: for display and editing.
    Document,
}

/// Reads contents. Each thread has its own; it holds caches of objects and attributes.
pub struct Reader {
    pub(super) repo: Option<Repo>,
    /// Opened when first needed: comparing files needs no repository.
    filters: Option<Filters>,
    /// Likewise.
    decoder: Option<Decoder>,
    pub(super) root: PathBuf,
    form: Form,
    force_text: bool,
}

impl Reader {
    pub(super) fn of_repository(repo: &Repo) -> Self {
        let root = repo.root().map(Path::to_owned).unwrap_or_default();
        Self { repo: Some(repo.clone()), root, ..Self::of_files() }
    }

    /// A reader of plain files, outside any repository.
    pub fn of_files() -> Self {
        Self { repo: None, filters: None, decoder: None, root: PathBuf::new(), form: Form::Document, force_text: false }
    }

    /// The form contents are brought into; [`Form::Document`] if nothing is said.
    #[must_use]
    pub fn with_form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// Makes text of what looks binary, because somebody asked for it.
    #[must_use]
    pub fn forcing_text(mut self, force: bool) -> Self {
        self.force_text(force);
        self
    }

    /// The same for what is read from now on.
    pub fn force_text(&mut self, force: bool) {
        self.force_text = force;
    }

    /// Whether what looks binary is read as text.
    pub fn forces_text(&self) -> bool {
        self.force_text
    }

    /// Reads one side of a change. Sizes are looked at first, and of binary files on disk only the start is read.
    pub fn read(&mut self, change: &FileChange, side: Side) -> Result<SideContent, GitError> {
        let Some(blob) = change.blob(side) else { return Ok(SideContent::Missing) };
        let path = change.path_of(side);
        match (&blob.source, blob.mode) {
            (BlobSource::CheckedOut { commit, dirty }, _) => {
                Ok(SideContent::Submodule { commit: *commit, dirty: *dirty })
            }
            (BlobSource::Object(commit), Mode::Submodule) => {
                Ok(SideContent::Submodule { commit: Some(*commit), dirty: false })
            }
            (BlobSource::Object(id), Mode::Symlink) => {
                let target = self.object(path, *id)?;
                Ok(SideContent::Symlink { target: RepoPath::new(&target) })
            }
            (BlobSource::Object(id), _) => self.stored_object(change, path, *id),
            (BlobSource::WorkTree(_), mode) => {
                let full = self.root.join(path.to_path());
                if mode == Mode::Symlink { link(&full) } else { self.worktree_file(path, &full, blob) }
            }
            (BlobSource::Memory(bytes), Mode::Symlink) => Ok(SideContent::Symlink { target: RepoPath::new(bytes) }),
            (BlobSource::Memory(bytes), _) => self.stored_bytes(change, path, Bytes::from(bytes.clone()), None),
            (BlobSource::Excerpt(told), _) if told.binary => {
                Ok(SideContent::Binary { size: 0, id: None, picture: None })
            }
            (BlobSource::Excerpt(told), Mode::Symlink) => {
                Ok(SideContent::Symlink { target: RepoPath::new(&told.bytes) })
            }
            (BlobSource::Excerpt(told), _) => self.stored_bytes(change, path, Bytes::from(told.bytes.clone()), None),
            (BlobSource::File(full), Mode::Symlink) => link(full),
            (BlobSource::File(full), _) => self.plain_file(path, full),
        }
    }

    /// One side of a change byte for byte as it is stored, for what is shown otherwise than as lines; none for what has no
    /// content.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than `limit` bytes.
    pub fn bytes(&mut self, change: &FileChange, side: Side, limit: u64) -> Result<Option<Bytes>, GitError> {
        let Some(blob) = change.blob(side).filter(|blob| blob.mode.is_file()) else { return Ok(None) };
        let path = change.path_of(side);
        let too_large = |size| GitError::TooLarge { path: path.clone(), size };
        let file = |full: &Path| {
            let mut file = Opened::open(full)?;
            if file.size > limit { Err(too_large(file.size)) } else { Ok(Bytes::from(file.read()?)) }
        };
        let bytes = match &blob.source {
            BlobSource::Object(id) => self.object(path, *id)?,
            BlobSource::WorkTree(_) => file(&self.root.join(path.to_path()))?,
            BlobSource::File(full) => file(full)?,
            BlobSource::Memory(bytes) => Bytes::from(bytes.clone()),
            BlobSource::Excerpt(_) | BlobSource::CheckedOut { .. } => return Ok(None),
        };
        if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64)) } else { Ok(Some(bytes)) }
    }

    /// The commits between two states of a submodule; see [`Repo::submodule_log`].
    pub fn submodule_log(
        &self,
        path: &RepoPath,
        old: ObjectId,
        new: ObjectId,
        limit: usize,
    ) -> Result<Option<SubmoduleLog>, GitError> {
        self.repo.as_ref().map_or(Ok(None), |repo| repo.submodule_log(path, old, new, limit))
    }

    /// The name of a side's content, reading a file on disk once, in pieces, if need be; none for what has no content.
    pub fn hash(&mut self, change: &FileChange, side: Side) -> Result<Option<ObjectId>, GitError> {
        let Some(blob) = change.blob(side) else { return Ok(None) };
        if let Some(id) = blob.id() {
            return Ok(Some(id));
        }
        let path = change.path_of(side);
        match &blob.source {
            BlobSource::WorkTree(_) if blob.mode == Mode::Symlink => match link(&self.root.join(path.to_path()))? {
                SideContent::Symlink { target } => hash::of_bytes(target.as_bytes()).map(Some),
                _ => Ok(None),
            },
            BlobSource::WorkTree(_) => {
                let full = self.root.join(path.to_path());
                match self.filters()? {
                    Some(filters) => filters.hash_file(path.as_bytes(), &full),
                    None => hash::of_file(&full).map(Some),
                }
            }
            BlobSource::File(full) => hash::of_file(full).map(Some),
            BlobSource::Memory(bytes) => hash::of_bytes(bytes).map(Some),
            BlobSource::Object(_) | BlobSource::CheckedOut { .. } | BlobSource::Excerpt(_) => Ok(None),
        }
    }

    /// The external filter of a path (Git LFS, say) that was not run, so that its pointers are what is shown.
    pub fn filter_of(&mut self, path: &RepoPath) -> Result<Option<String>, GitError> {
        Ok(self.attributes(path)?.and_then(|attributes| attributes.filter))
    }

    /// Whether attributes mark a path as made by a program, or as not (`linguist-generated`), if they say either.
    pub fn generated(&mut self, path: &RepoPath) -> Result<Option<bool>, GitError> {
        Ok(self.attributes(path)?.and_then(|attributes| attributes.generated))
    }

    /// How conflicts of a path resolve, as its `merge` attribute says.
    pub fn merge_driver(&mut self, path: &RepoPath) -> Result<MergeDriver, GitError> {
        Ok(self.attributes(path)?.map_or(MergeDriver::Text, |attributes| attributes.merge))
    }

    /// What counts as a conflict marker in a file (`conflict-marker-size`).
    pub fn marker_rules(&mut self, path: &RepoPath) -> Result<MarkerRules, GitError> {
        let usual = MarkerRules::default();
        let size = self.attributes(path)?.and_then(|attributes| attributes.marker_size).unwrap_or(usual.size);
        Ok(MarkerRules { size, ..usual })
    }

    /// The path to open in an editor for a side that is the live file.
    pub fn live_path(&self, change: &FileChange, side: Side) -> Option<PathBuf> {
        let blob = change.blob(side)?;
        match &blob.source {
            BlobSource::WorkTree(_) if blob.is_live() => Some(self.root.join(change.path_of(side).to_path())),
            BlobSource::File(full) if blob.mode.is_file() => Some(full.to_path_buf()),
            _ => None,
        }
    }

    /// See [`Repo::reading_order`]; files outside a repository are read in the order they come in.
    pub fn reading_order(&self, changes: &[FileChange]) -> Vec<usize> {
        match &self.repo {
            Some(repo) => repo.reading_order(changes),
            None => (0..changes.len()).collect(),
        }
    }

    pub(super) fn filters(&mut self) -> Result<Option<&mut Filters>, GitError> {
        let Some(repo) = &self.repo else { return Ok(None) };
        if self.filters.is_none() {
            self.filters = Some(Filters::new(repo)?);
        }
        Ok(self.filters.as_mut())
    }

    pub(super) fn attributes(&mut self, path: &RepoPath) -> Result<Option<Attributes>, GitError> {
        match self.filters()? {
            Some(filters) => filters.attributes(path.as_bytes()).map(Some),
            None => Ok(None),
        }
    }

    /// An object's content, if it is small enough to be compared.
    pub(super) fn object(&mut self, path: &RepoPath, id: ObjectId) -> Result<Bytes, GitError> {
        if let Some(bytes) = self.packed(id) {
            return Ok(bytes);
        }
        let failed = |error: &dyn std::fmt::Display| GitError::object(format!("{path} ({})", id.short(10)), error);
        let Some(filters) = self.filters()? else { return Err(failed(&"there is no repository")) };
        let repo = filters.repo();
        let size = repo.find_header(git_id(id)).map_err(|error| failed(&error))?.size();
        if size >= MAX_SIZE {
            return Err(GitError::TooLarge { path: path.clone(), size });
        }
        Ok(repo.find_object(git_id(id)).map_err(|error| failed(&error))?.detach().data.into())
    }

    fn packed(&mut self, id: ObjectId) -> Option<Bytes> {
        let packs = self.repo.as_ref()?.packs();
        self.decoder.get_or_insert_with(|| Decoder::new(packs.clone())).blob(id)
    }

    fn stored_object(&mut self, change: &FileChange, path: &RepoPath, id: ObjectId) -> Result<SideContent, GitError> {
        let bytes = self.object(path, id)?;
        self.stored_bytes(change, path, bytes, Some(id))
    }

    /// A content as git stores it, in the form that is wanted.
    fn stored_bytes(
        &mut self,
        change: &FileChange,
        path: &RepoPath,
        bytes: Bytes,
        id: Option<ObjectId>,
    ) -> Result<SideContent, GitError> {
        let attributes = self.attributes(path)?;
        if !self.is_text(attributes.as_ref(), &bytes) {
            let picture = PictureKind::of(&bytes);
            return Ok(SideContent::Binary { size: bytes.len() as u64, id, picture });
        }
        if self.form == Form::Stored {
            return Ok(SideContent::Text(content::stored(bytes)));
        }
        // Against a live file the old side is what checking it out would give.
        let live = change.new.as_ref().is_some_and(Blob::is_live);
        let bytes = if live { self.beside_live(path, bytes, &change.path)? } else { bytes };
        Ok(SideContent::Text(content::decode(bytes, None)))
    }

    /// A stored content as it is compared with the file at `live`: as on disk, and with the line endings of that file
    /// where git stores both kinds as one.
    pub(super) fn beside_live(&mut self, path: &RepoPath, bytes: Bytes, live: &RepoPath) -> Result<Bytes, GitError> {
        let bytes = self.converted_for_disk(path, bytes)?;
        let normalizes = self.attributes(path)?.is_some_and(|attributes| attributes.normalizes());
        let one_kind = memchr::memchr(b'\r', &bytes).is_none() && memchr::memchr(b'\n', &bytes).is_some();
        if normalizes && one_kind && begins_with_crlf(&self.root.join(live.to_path())) {
            return Ok(with_crlf(&bytes).into());
        }
        Ok(bytes)
    }

    /// A stored content with the line endings and marks that checking it out would give it, but in UTF-8.
    pub(super) fn converted_for_disk(&mut self, path: &RepoPath, bytes: Bytes) -> Result<Bytes, GitError> {
        let attributes = self.attributes(path)?;
        let (Some(filters), Some(attributes)) = (&self.filters, &attributes) else { return Ok(bytes) };
        Ok(match filters.to_worktree(path.as_bytes(), attributes, Cow::Borrowed(&bytes))? {
            Cow::Owned(converted) => converted.into(),
            Cow::Borrowed(_) => bytes,
        })
    }

    fn worktree_file(&mut self, path: &RepoPath, full: &Path, blob: &Blob) -> Result<SideContent, GitError> {
        let attributes = self.attributes(path)?;
        let encoding = attributes.as_ref().and_then(|attributes| attributes.encoding);
        let mut file = Opened::open(full)?;
        // A NUL says nothing about text in UTF-16; what attributes name is text.
        if encoding.is_none() && !self.is_text(attributes.as_ref(), &file.start) {
            let picture = PictureKind::of(&file.start);
            return Ok(SideContent::Binary { size: file.size, id: blob.id(), picture });
        }
        if file.size >= MAX_SIZE {
            return Err(GitError::TooLarge { path: path.clone(), size: file.size });
        }
        let bytes = file.read()?;
        if self.form == Form::Document {
            return Ok(SideContent::Text(content::decode(bytes, encoding)));
        }
        Ok(SideContent::Text(content::stored(self.converted_for_git(path, bytes.into())?)))
    }

    /// A content of the working tree as git would store it; filters that are programs are not run.
    pub(super) fn converted_for_git(&mut self, path: &RepoPath, bytes: Bytes) -> Result<Bytes, GitError> {
        let attributes = self.attributes(path)?;
        let (Some(filters), Some(attributes)) = (&self.filters, &attributes) else { return Ok(bytes) };
        Ok(match filters.to_git(path.as_bytes(), attributes, Cow::Borrowed(&bytes))? {
            Cow::Owned(converted) => converted.into(),
            Cow::Borrowed(_) => bytes,
        })
    }

    fn plain_file(&mut self, path: &RepoPath, full: &Path) -> Result<SideContent, GitError> {
        let mut file = Opened::open(full)?;
        if !self.is_text(None, &file.start) {
            let picture = PictureKind::of(&file.start);
            return Ok(SideContent::Binary { size: file.size, id: None, picture });
        }
        if file.size >= MAX_SIZE {
            return Err(GitError::TooLarge { path: path.clone(), size: file.size });
        }
        if file.size >= MAP_FROM {
            let bytes = Bytes::map(&file.file).map_err(|source| GitError::File { path: full.to_owned(), source })?;
            return Ok(self.text(bytes));
        }
        let bytes = file.read()?;
        Ok(self.text(bytes.into()))
    }

    /// Text that is converted by nothing but its encoding.
    fn text(&self, bytes: Bytes) -> SideContent {
        SideContent::Text(match self.form {
            Form::Stored => content::stored(bytes),
            Form::Document => content::decode(bytes, None),
        })
    }

    fn is_text(&self, attributes: Option<&Attributes>, start: &[u8]) -> bool {
        match attributes.map_or(TextRule::Sniff, |attributes| attributes.text) {
            _ if self.force_text => true,
            TextRule::Text => true,
            TextRule::Binary => false,
            TextRule::Sniff => !content::is_binary(start),
        }
    }
}

/// A text whose lines end with LF, with CR before each.
fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => text.extend([line, b"\r\n"].into_iter().flatten()),
            None => text.extend_from_slice(line),
        }
    }
    text
}

/// Whether all lines at the start of a file end with CR and LF. One that cannot be read is found out when it is.
fn begins_with_crlf(full: &Path) -> bool {
    let Ok(Opened { start, .. }) = Opened::open(full) else { return false };
    let mut ends = memchr::memchr_iter(b'\n', &start).peekable();
    ends.peek().is_some() && ends.all(|at| at > 0 && start[at - 1] == b'\r') && !content::is_binary(&start)
}

fn link(full: &Path) -> Result<SideContent, GitError> {
    let target = std::fs::read_link(full).map_err(|source| GitError::File { path: full.to_owned(), source })?;
    Ok(SideContent::Symlink { target: RepoPath::new(&os_bytes(target.as_os_str())) })
}

/// A file on disk of which the start is read, and the rest perhaps.
struct Opened<'a> {
    path: &'a Path,
    file: File,
    size: u64,
    start: Vec<u8>,
}

impl<'a> Opened<'a> {
    fn open(path: &'a Path) -> Result<Self, GitError> {
        let failed = |source| GitError::File { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let mut start = Vec::new();
        // The capacity of the whole file is asked for when the whole file is read.
        (&file).take(SNIFF as u64).read_to_end(&mut start).map_err(failed)?;
        Ok(Self { path, file, size: metadata.len(), start })
    }

    fn read(&mut self) -> Result<Vec<u8>, GitError> {
        let mut bytes = std::mem::take(&mut self.start);
        if (bytes.len() as u64) < self.size {
            bytes.reserve_exact(usize::try_from(self.size).unwrap_or(0).saturating_sub(bytes.len()) + 1);
        }
        let read = self.file.read_to_end(&mut bytes);
        read.map_err(|source| GitError::File { path: self.path.to_owned(), source })?;
        Ok(bytes)
    }
}
