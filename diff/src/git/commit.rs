//! Committing, by the git program: its hooks run, it signs as it is configured to, and what it says is told.

use editor::Cancel;

use super::{GitError, Head, ObjectId, Repo, own_id, pathspec::Pathspecs, status};

/// A commit to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRequest {
    /// The message.
    pub message: String,
    /// Whether it takes the place of the commit that HEAD is at.
    pub amend: bool,
    /// Whether it gets a line that says who signs it off.
    pub sign_off: bool,
    /// Whether lines of the message that begin with the comment's mark are none of it: where it began with a
    /// [prepared](Repo::prepared_message) one.
    pub strip_comments: bool,
    /// Whether it is made even if nothing changed.
    pub allow_empty: bool,
    /// Whether hooks that could refuse it are left out.
    pub skip_hooks: bool,
}

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its name.
    pub id: ObjectId,
    /// All that git and the hooks printed.
    pub said: String,
}

/// Why nothing was committed.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// No message.
    #[error("the commit has no message; say what it does")]
    NoMessage,
    /// The index is what HEAD is.
    #[error("nothing is staged; stage something first, or amend the last commit")]
    NothingStaged,
    /// There is no commit to amend.
    #[error("there is no commit yet that could be amended")]
    NothingToAmend,
    /// Git does not know who commits.
    #[error(
        "git does not know who commits; tell it with `git config --global user.name \"Your Name\"` and \\
         `git config --global user.email you@example.com`:\n{said}"
    )]
    NoIdentity {
        /// What git said.
        said: String,
    },
    /// Git or a hook refused.
    #[error("the commit was refused:\n{said}")]
    Refused {
        /// All that git and the hooks printed.
        said: String,
    },
    /// It was stopped.
    #[error("the commit was stopped")]
    Stopped {
        /// What git and the hooks had printed.
        said: String,
    },
    /// Something else about the repository or the git program.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Repo {
    /// Commits the index. `tell` gets what git and its hooks print, as it comes.
    ///
    /// Cancelling ends git and the hooks; a commit that was made by then is one.
    pub fn make_commit(
        &self,
        request: &CommitRequest,
        tell: &mut dyn FnMut(&str),
        cancel: &Cancel,
    ) -> Result<Committed, CommitError> {
        if request.message.trim().is_empty() {
            return Err(CommitError::NoMessage);
        }
        let unborn = matches!(self.head()?, Head::Unborn(_));
        if request.amend && unborn {
            return Err(CommitError::NothingToAmend);
        }
        self.check_identity(request.amend)?;
        let mut command = self.git(&["commit", "--file=-"]);
        for (wanted, word) in [
            (request.amend, "--amend"),
            (request.sign_off, "--signoff"),
            // As if it came out of git's editor, whatever is configured for that.
            (request.strip_comments, "--edit"),
            (request.allow_empty, "--allow-empty"),
            (request.skip_hooks, "--no-verify"),
        ] {
            if wanted {
                command = command.with(word);
            }
        }
        let streamed = command.stream(request.message.as_bytes(), tell, cancel)?;
        let said = streamed.said;
        if streamed.status.success() {
            let head = self.local().head_id().map(|id| own_id(&id));
            return Ok(Committed { id: head.map_err(|error| GitError::object("HEAD", &error))?, said });
        }
        if streamed.stopped {
            return Err(CommitError::Stopped { said });
        }
        // Git lists at length what could be staged; that nothing is, is what it means.
        if !request.amend && !request.allow_empty && self.operation()?.is_none() && !self.is_anything_staged(cancel)? {
            return Err(CommitError::NothingStaged);
        }
        Err(CommitError::Refused { said: said.trim_end().to_owned() })
    }

    /// Who a commit would be by: name and address.
    pub fn author(&self) -> Result<String, CommitError> {
        let printed = self.identity("GIT_AUTHOR_IDENT")?;
        // Behind the address stands the time.
        let end = printed.rfind('>').map_or(printed.len(), |end| end + 1);
        Ok(printed[..end].to_owned())
    }

    /// Asked before the hooks run for minutes. Amending keeps the author.
    fn check_identity(&self, amend: bool) -> Result<(), CommitError> {
        self.identity("GIT_COMMITTER_IDENT")?;
        if !amend {
            self.identity("GIT_AUTHOR_IDENT")?;
        }
        Ok(())
    }

    fn identity(&self, variable: &str) -> Result<String, CommitError> {
        match self.git(&["var", variable]).run(&|_| Ok(())) {
            Ok(printed) => Ok(String::from_utf8_lossy(&printed).trim().to_owned()),
            Err(GitError::Program { said, .. }) => Err(CommitError::NoIdentity { said }),
            Err(error) => Err(error.into()),
        }
    }

    fn is_anything_staged(&self, cancel: &Cancel) -> Result<bool, GitError> {
        let local = self.local();
        let mut everything = Pathspecs::parse(&local, &[])?;
        Ok(!status::staged(self, super::head_tree(&local)?, &mut everything, cancel)?.is_empty())
    }
}
