//! Which commits a submodule gained and lost, where its repository is there to ask.

use super::{GitError, ObjectId, Repo, RepoPath, git_id, readable};

/// The commits between the two states of a submodule, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubmoduleLog {
    /// Subjects of commits that came.
    pub added: Vec<(ObjectId, String)>,
    /// Subjects of commits that went: the submodule was moved back or to another branch.
    pub removed: Vec<(ObjectId, String)>,
    /// Whether there are more than were asked for.
    pub more: bool,
}

impl Repo {
    /// Lists at most `limit` commits each way between two states of the submodule at `path`.
    ///
    /// None if the submodule is not checked out or does not have both commits.
    pub fn submodule_log(
        &self,
        path: &RepoPath,
        old: ObjectId,
        new: ObjectId,
        limit: usize,
    ) -> Result<Option<SubmoduleLog>, GitError> {
        let Some(full) = self.worktree_path(path) else { return Ok(None) };
        let options = self.local().open_options().clone().open_path_as_is(false);
        let Ok(mut inner) = gix::open_opts(full, options) else { return Ok(None) };
        inner.object_cache_size_if_unset(1 << 20);
        if !inner.has_object(git_id(old)) || !inner.has_object(git_id(new)) {
            return Ok(None);
        }
        let failed = |error: gix::Error| GitError::object(format!("the history of {path}"), &error);
        let (added, more_added) = between(&inner, old, new, limit).map_err(failed)?;
        let (removed, more_removed) = between(&inner, new, old, limit).map_err(failed)?;
        Ok(Some(SubmoduleLog { added, removed, more: more_added || more_removed }))
    }
}

/// The commits that are in `to` and not in `from`; whether there are more than `limit`.
fn between(
    repo: &gix::Repository,
    from: ObjectId,
    to: ObjectId,
    limit: usize,
) -> gix::Result<(Vec<(ObjectId, String)>, bool)> {
    let mut commits = Vec::new();
    for commit in repo.rev_walk([git_id(to)]).with_hidden([git_id(from)]).all()? {
        if commits.len() == limit {
            return Ok((commits, true));
        }
        let commit = commit?.object()?;
        let subject = readable(&commit.message()?.summary()).into_owned();
        commits.push((super::own_id(&commit.id), subject));
    }
    Ok((commits, false))
}
