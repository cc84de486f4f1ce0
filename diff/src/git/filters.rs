//! Attributes and what they do to contents on the way between the repository and the working tree.
//!
//! Line endings (`text`, `eol`, `crlf`, `core.autocrlf`, `core.eol`), `ident` and `working-tree-encoding` are applied as
//! git applies them. A `filter` is a program of the user's (Git LFS is one); it is *not* run: looking at a change must
//! start nothing. Its name is reported, so that a view can say why pointers are shown.
//!
//! Attributes come from `.gitattributes` on disk, then the index, `info/attributes` and the user's file; in a bare
//! repository from HEAD.

use std::{borrow::Cow, fs::File, io::Read, path::Path};

use encoding_rs::Encoding;
use gix::{
    attrs::StateRef,
    bstr::{BStr, ByteSlice},
    filter::plumbing::{
        eol::{self, AttributesDigest as Eol},
        ident,
    },
    worktree::{IndexPersistedOrInMemory, Stack, stack::state::attributes::Source},
};

use super::{GitError, MAX_SIZE, ObjectId, Repo, RepoPath, hash};
use crate::content::SNIFF;

/// Whether a file has lines, as its `diff` attribute says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextRule {
    /// Nothing is said: a NUL in the first 8,000 bytes makes it binary.
    Sniff,
    /// `diff`: it has lines whatever is in it.
    Text,
    /// `-diff` or `binary`: it has none.
    Binary,
}

/// What the attributes of a path mean for comparing it.
#[derive(Clone, Debug)]
pub(super) struct Attributes {
    pub text: TextRule,
    /// Whether the contents in the repository and in the working tree may differ at all.
    pub converts: bool,
    /// The encoding in the working tree, if it is not UTF-8.
    pub encoding: Option<&'static Encoding>,
    /// Whether it is another one than UTF-8 by name, known here or to git alone.
    pub encoded: bool,
    /// The external filter that applies and is not run.
    pub filter: Option<String>,
    /// Whether `linguist-generated` says that a program made it, or that none did.
    pub generated: Option<bool>,
    /// How its conflicts resolve.
    pub merge: MergeDriver,
    /// How long conflict markers in it are, if not as usual.
    pub marker_size: Option<usize>,
    eol: Eol,
    ident: bool,
}

/// How a file is merged, as its `merge` attribute says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeDriver {
    /// Line by line, with markers where that does not go.
    Text,
    /// Not at all: ours stays, and somebody has to choose.
    Binary,
    /// Line by line, with both sides where that does not go.
    Union,
    /// By a program of the user's, by name; it is not run here.
    Program(String),
}

impl Attributes {
    /// Whether line endings of the working tree are stored as LF, whatever they are.
    pub fn normalizes(&self) -> bool {
        self.eol != Eol::Binary
    }
}

/// The attribute names looked up, in the order `read` takes them.
const NAMES: [&str; 10] = [
    "text",
    "crlf",
    "eol",
    "ident",
    "filter",
    "working-tree-encoding",
    "diff",
    "linguist-generated",
    "merge",
    "conflict-marker-size",
];

/// Looks up attributes and converts contents; one a thread.
pub(super) struct Filters {
    repo: gix::Repository,
    stack: Stack,
    outcome: gix::attrs::search::Outcome,
    index: IndexPersistedOrInMemory,
    config: eol::Configuration,
}

impl Filters {
    pub(super) fn new(repo: &Repo) -> Result<Self, GitError> {
        let index = repo.index();
        let repo = repo.local();
        let failed = |error: gix::Error| GitError::object("the attributes", &error);
        let bad_config =
            |error: gix::Error| GitError::Unreadable { path: repo.git_dir().to_owned(), reason: error.to_string() };
        let config = gix::filter::Pipeline::options(&repo).map_err(bad_config)?.eol_config;
        let (index, source) = match repo.workdir() {
            Some(_) => (IndexPersistedOrInMemory::Persisted(index?), Source::WorktreeThenIdMapping),
            None => (repo.index_or_load_from_head_or_empty().map_err(failed)?, Source::IdMapping),
        };
        let stack = repo.attributes_only(&index, source).map_err(failed)?.detach();
        let mut outcome = gix::attrs::search::Outcome::default();
        outcome.initialize_with_selection(stack.attributes_collection(), NAMES);
        Ok(Self { repo, stack, outcome, index, config })
    }

    /// The attributes of `path`. Paths in order are cheap: the files of a folder are read once.
    pub(super) fn attributes(&mut self, path: &[u8]) -> Result<Attributes, GitError> {
        let entry = self.stack.at_entry(BStr::new(path), None, &self.repo.objects);
        let entry =
            entry.map_err(|source| GitError::File { path: RepoPath::new(path).to_path().into_owned(), source })?;
        entry.matching_attributes(&mut self.outcome);
        let states: Vec<_> = self.outcome.iter_selected().map(|found| found.assignment.state.to_owned()).collect();
        Ok(read(&states, self.config))
    }

    /// A working-tree content as git would store it.
    pub(super) fn to_git<'a>(
        &self,
        path: &[u8],
        attributes: &Attributes,
        bytes: Cow<'a, [u8]>,
    ) -> Result<Cow<'a, [u8]>, GitError> {
        if !attributes.converts {
            return Ok(bytes);
        }
        let mut bytes = match attributes.encoding {
            Some(encoding) => Cow::Owned(encoding.decode(&bytes).0.into_owned().into_bytes()),
            None => bytes,
        };
        let mut out = Vec::new();
        // Without a CR there is nothing to convert; most files have none.
        if memchr::memchr(b'\r', &bytes).is_some() {
            let (repo, index) = (&self.repo, &self.index);
            let mut stored = |buffer: &mut Vec<u8>| -> gix::Result<Option<()>> {
                let Some(entry) = index.entry_by_path(BStr::new(path)) else { return Ok(None) };
                *buffer = repo.find_object(entry.id)?.detach().data;
                Ok(Some(()))
            };
            let options = eol::convert_to_git::Options { round_trip_check: None, config: self.config };
            let converted = eol::convert_to_git(&bytes, attributes.eol, &mut out, &mut stored, options);
            if converted.map_err(|error| conversion(path, &error))? {
                bytes = Cow::Owned(std::mem::take(&mut out));
            }
        }
        if attributes.ident && ident::undo(&bytes, &mut out).map_err(|error| conversion(path, &error))? {
            bytes = Cow::Owned(out);
        }
        Ok(bytes)
    }

    /// A stored content as it would lie in the working tree, but always in UTF-8: an encoding of the working tree is
    /// undone when its files are read.
    pub(super) fn to_worktree<'a>(
        &self,
        path: &[u8],
        attributes: &Attributes,
        bytes: Cow<'a, [u8]>,
    ) -> Result<Cow<'a, [u8]>, GitError> {
        if !attributes.converts {
            return Ok(bytes);
        }
        let mut bytes = bytes;
        let mut out = Vec::new();
        if attributes.ident
            && let Some(expanded) = expand_ident(&bytes)?
        {
            bytes = Cow::Owned(expanded);
        }
        let converted = eol::convert_to_worktree(&bytes, attributes.eol, &mut out, self.config);
        if converted.map_err(|error| conversion(path, &error))? {
            bytes = Cow::Owned(out);
        }
        Ok(bytes)
    }

    /// The name git would give to the content of a working-tree file; none if it is too large to be compared.
    pub(super) fn hash_file(&mut self, path: &[u8], full: &Path) -> Result<Option<ObjectId>, GitError> {
        let attributes = self.attributes(path)?;
        if !attributes.converts || (attributes.encoding.is_none() && has_nul(full)?) {
            return hash::of_file(full).map(Some);
        }
        let failed = |source| GitError::File { path: full.to_owned(), source };
        if full.metadata().map_err(failed)?.len() >= MAX_SIZE {
            return Ok(None);
        }
        let bytes = std::fs::read(full).map_err(failed)?;
        let bytes = self.to_git(path, &attributes, bytes.into())?;
        hash::of_bytes(&bytes).map(Some)
    }

    pub(super) fn repo(&self) -> &gix::Repository {
        &self.repo
    }
}

/// A file with a NUL at its start is converted by no automatic rule, and large ones of that kind should not be held.
fn has_nul(full: &Path) -> Result<bool, GitError> {
    let failed = |source| GitError::File { path: full.to_owned(), source };
    let mut start = Vec::with_capacity(SNIFF);
    File::open(full).map_err(failed)?.take(SNIFF as u64).read_to_end(&mut start).map_err(failed)?;
    Ok(memchr::memchr(0, &start).is_some())
}

/// Writes the name of a stored content behind each `$Id` in it; none if there is none. As git writes it, with a space
/// before the closing dollar sign.
fn expand_ident(bytes: &[u8]) -> Result<Option<Vec<u8>>, GitError> {
    const MARK: &[u8] = b"$Id$";
    let mut found = memchr::memmem::find_iter(bytes, MARK).peekable();
    if found.peek().is_none() {
        return Ok(None);
    }
    let expanded = format!("$Id: {} $", hash::of_bytes(bytes)?);
    let mut out = Vec::with_capacity(bytes.len() + expanded.len());
    let mut at = 0;
    for mark in found {
        out.extend_from_slice(&bytes[at..mark]);
        out.extend_from_slice(expanded.as_bytes());
        at = mark + MARK.len();
    }
    out.extend_from_slice(&bytes[at..]);
    Ok(Some(out))
}

fn conversion(path: &[u8], error: &dyn std::fmt::Display) -> GitError {
    GitError::object(format!("{} as git stores it", RepoPath::new(path)), error)
}

/// What the states of [`NAMES`] mean together.
fn read(states: &[gix::attrs::State], config: eol::Configuration) -> Attributes {
    let state = |at: usize| states.get(at).map_or(StateRef::Unspecified, gix::attrs::State::as_ref);
    let (encoding, encoded) = match state(5) {
        StateRef::Value(name) => (encoding_named(name.as_bstr()), !is_utf8(name.as_bstr())),
        _ => (None, false),
    };
    let filter = match state(4) {
        StateRef::Value(name) => Some(name.as_bstr().to_str_lossy().into_owned()),
        _ => None,
    };
    let text = match state(6) {
        StateRef::Set => TextRule::Text,
        StateRef::Unset => TextRule::Binary,
        StateRef::Value(_) | StateRef::Unspecified => TextRule::Sniff,
    };
    let eol = line_endings(state(0), state(1), state(2), config);
    let ident = state(3) == StateRef::Set;
    let generated = match state(7) {
        StateRef::Set => Some(true),
        StateRef::Unset => Some(false),
        StateRef::Value(value) => Some(value.as_bstr() == "true"),
        StateRef::Unspecified => None,
    };
    let merge = match state(8) {
        StateRef::Unset => MergeDriver::Binary,
        StateRef::Value(name) => match &**name.as_bstr() {
            b"text" => MergeDriver::Text,
            b"binary" => MergeDriver::Binary,
            b"union" => MergeDriver::Union,
            name => MergeDriver::Program(String::from_utf8_lossy(name).into_owned()),
        },
        StateRef::Set | StateRef::Unspecified => MergeDriver::Text,
    };
    let marker_size = match state(9) {
        StateRef::Value(size) => {
            size.as_bstr().to_str().ok().and_then(|size| size.parse().ok()).filter(|&size| size > 0)
        }
        _ => None,
    };
    Attributes {
        text,
        converts: eol != Eol::Binary || ident || encoding.is_some(),
        encoding,
        encoded,
        filter,
        generated,
        merge,
        marker_size,
        eol,
        ident,
    }
}

/// The rule for line endings: `crlf` is the old name of `text`; `eol` implies `text`; unspecified, the configuration holds.
fn line_endings(text: StateRef<'_>, crlf: StateRef<'_>, eol: StateRef<'_>, config: eol::Configuration) -> Eol {
    let rule = |state: StateRef<'_>| match state {
        StateRef::Set => Some(Eol::Text),
        StateRef::Unset => Some(Eol::Binary),
        StateRef::Value(value) if value.as_bstr() == "input" => Some(Eol::TextInput),
        StateRef::Value(value) if value.as_bstr() == "auto" => Some(Eol::TextAuto),
        _ => None,
    };
    let rule = rule(text).or_else(|| rule(crlf));
    let ending = match eol {
        StateRef::Value(value) if value.as_bstr() == "lf" => Some(eol::Mode::Lf),
        StateRef::Value(value) if value.as_bstr() == "crlf" => Some(eol::Mode::CrLf),
        _ => None,
    };
    match (rule, ending) {
        (Some(Eol::Binary), _) => Eol::Binary,
        (Some(Eol::TextAuto), Some(eol::Mode::Lf)) => Eol::TextAutoInput,
        (Some(Eol::TextAuto), Some(eol::Mode::CrLf)) => Eol::TextAutoCrlf,
        (_, Some(ending)) => ending.into(),
        (Some(Eol::Text), None) => config.to_eol().into(),
        (Some(rule), None) => rule,
        (None, None) => config.auto_crlf.into(),
    }
}

/// Whether git takes a name for that of the encoding it stores, and converts nothing.
fn is_utf8(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"UTF-8") || name.eq_ignore_ascii_case(b"UTF8")
}

/// The encoding git means by a name; UTF-8 needs no conversion, and one that is not known gets none.
fn encoding_named(name: &[u8]) -> Option<&'static Encoding> {
    let name = name.to_ascii_uppercase();
    let name = name.strip_suffix(b"-BOM").unwrap_or(&name);
    Encoding::for_label(name).filter(|encoding| *encoding != encoding_rs::UTF_8)
}
