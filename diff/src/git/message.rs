//! Commit messages: those that were written, and what a new one begins with.
//!
//! A message is prepared as git prepares it for its editor: of a merge, a squash, a cherry-pick or revert in progress what
//! git left, else the template that is configured. What is prepared has *comments*, lines that git drops when the message
//! was edited; see [`CommitRequest::strip_comments`](super::CommitRequest::strip_comments).

use std::path::Path;

use editor::Cancel;
use encoding_rs::Encoding;
use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use rustc_hash::FxHashSet;

use super::{GitError, Repo};

/// Commits that are looked at for messages of one author.
const FAR: usize = 5_000;

/// What a commit message begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The text; empty if nothing is prepared.
    pub text: String,
    /// What a line begins with that is not part of the message.
    pub comment: String,
    /// Where it comes from.
    pub from: PreparedFrom,
}

/// Where a prepared message comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreparedFrom {
    /// From nowhere.
    #[default]
    Nothing,
    /// From the file that `commit.template` names.
    Template,
    /// From what is going on: a merge, a squash, a cherry-pick, a revert.
    Operation,
}

impl Repo {
    /// What the message of a new commit begins with.
    pub fn prepared_message(&self) -> Result<Prepared, GitError> {
        let comment = self.comment();
        // In this order, as git does: a squash that stopped in conflict has both.
        let left = [self.git_dir().join("SQUASH_MSG"), self.git_dir().join("MERGE_MSG")];
        let texts = left.iter().map(|path| text_of(path)).collect::<Result<Vec<_>, _>>()?;
        if texts.iter().any(Option::is_some) {
            let text = texts.into_iter().flatten().collect();
            return Ok(Prepared { text, comment, from: PreparedFrom::Operation });
        }
        let local = self.local();
        let bad =
            |error: gix::Error| GitError::Unreadable { path: self.git_dir().to_owned(), reason: error.to_string() };
        let template = local.config_snapshot().trusted_path("commit.template").map_err(bad)?;
        let Some(template) = template else { return Ok(Prepared { comment, ..Prepared::default() }) };
        let path = self.root().unwrap_or_else(|| self.git_dir()).join(template);
        let missing = || GitError::File { path: path.clone(), source: std::io::ErrorKind::NotFound.into() };
        let text = text_of(&path)?.ok_or_else(missing)?;
        Ok(Prepared { text, comment, from: PreparedFrom::Template })
    }

    /// The message of the commit that HEAD is at, which amending begins with; none before the first.
    pub fn head_message(&self) -> Result<Option<String>, GitError> {
        let local = self.local();
        let Ok(head) = local.head_commit() else { return Ok(None) };
        message_of(&head).map(Some)
    }

    /// The message of a commit.
    pub fn message(&self, revision: &str) -> Result<String, GitError> {
        message_of(&super::find_commit(&self.local(), revision)?)
    }

    /// The latest messages of the person who commits here, newest first, each once; of everybody where it is not known who
    /// that is.
    pub fn recent_messages(&self, limit: usize, cancel: &Cancel) -> Result<Vec<String>, GitError> {
        let mut local = self.local();
        local.object_cache_size_if_unset(4 << 20);
        let Ok(head) = local.head_id() else { return Ok(Vec::new()) };
        let me = local.author().and_then(Result::ok).map(|author| author.email.to_owned());
        let failed = |error: gix::Error| GitError::object("the history", &error);
        let walk = local.rev_walk([head.detach()]).sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst));
        let (mut messages, mut seen) = (Vec::new(), FxHashSet::default());
        for commit in walk.all().map_err(failed)?.take(FAR) {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            let commit = commit.and_then(|commit| commit.object()).map_err(failed)?;
            let mine = match &me {
                Some(me) => commit.author().is_ok_and(|author| author.email.eq_ignore_ascii_case(me)),
                None => true,
            };
            if !mine {
                continue;
            }
            let message = message_of(&commit)?;
            if !message.is_empty() && seen.insert(message.clone()) {
                messages.push(message);
            }
            if messages.len() == limit {
                break;
            }
        }
        Ok(messages)
    }

    /// What a line begins with that is a comment in a commit message.
    fn comment(&self) -> String {
        let local = self.local();
        let config = local.config_snapshot();
        let set = config.string("core.commentString").or_else(|| config.string("core.commentChar"));
        let set = set.filter(|value| !value.is_empty() && **value != *b"auto");
        set.map_or_else(|| "#".to_owned(), |value| value.to_str_lossy().into_owned())
    }
}

/// A file as text; none if there is no such file.
fn text_of(path: &Path) -> Result<Option<String>, GitError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(GitError::File { path: path.to_owned(), source }),
    }
}

/// A message in whatever encoding its commit names, without white space behind it.
fn message_of(commit: &gix::Commit<'_>) -> Result<String, GitError> {
    let failed = |error: gix::Error| GitError::object(format!("commit {}", commit.id), &error);
    let decoded = commit.decode().map_err(failed)?;
    let encoding = decoded.encoding.and_then(|name| Encoding::for_label(name));
    let text = match encoding {
        Some(encoding) => encoding.decode_without_bom_handling(decoded.message).0,
        None => decoded.message.to_str_lossy(),
    };
    Ok(text.trim_end().to_owned())
}
