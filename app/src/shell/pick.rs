//! What can be picked to be reviewed: commits, branches, tags, stashes, worktrees. The palette shows these lists.
//!
//! A list is loaded by a task and ranked by a few letters, those of what it is called first. A branch is picked in two
//! steps: what is compared, and then the base it was made from, the likeliest one on top.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use diff::git::{NameKind, Named, Repo};
use diff::source::Source;
use editor::Cancel;

use crate::commands::Action;
use crate::state::rank::Ranker;
use crate::state::reviews::Request;
use crate::theme::{Icon, icons};

/// Commits that are listed.
const COMMITS: usize = 2_000;

/// What is being picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picking {
    /// What a commit did.
    Commit,
    /// A branch, of which the base is picked next.
    Branch,
    /// What that branch is compared with, where it left it.
    Base(String),
    /// A tag, likewise.
    Tag,
    Stash,
    /// Another working tree, whose files this one's are compared with.
    Worktree,
    /// What the working tree is compared with.
    Against,
}

impl Picking {
    /// What the input asks for.
    pub fn title(&self) -> String {
        match self {
            Self::Commit => "Commit to review".to_owned(),
            Self::Branch => "Branch to review".to_owned(),
            Self::Base(branch) => format!("Base that {branch} is compared with"),
            Self::Tag => "Tag to review".to_owned(),
            Self::Stash => "Stash to review".to_owned(),
            Self::Worktree => "Worktree to compare with".to_owned(),
            Self::Against => "What the working tree is compared with".to_owned(),
        }
    }

    /// What is said when there is nothing to pick.
    pub fn nothing(&self) -> &'static str {
        match self {
            Self::Commit => "There is no commit yet",
            Self::Branch | Self::Base(_) | Self::Against => "There is no branch with a commit",
            Self::Tag => "There is no tag",
            Self::Stash => "Nothing is stashed",
            Self::Worktree => "There is no other worktree; `git worktree add` makes one",
        }
    }

    /// What a name that was typed stands for, where it is none of the list.
    pub fn typed(&self, folder: &Path, typed: &str) -> Option<Choice> {
        let source = match self {
            Self::Commit => Source::Commit(typed.to_owned()),
            Self::Base(branch) => range(typed, branch),
            Self::Against => Source::WorkingTree { against: Some(typed.to_owned()) },
            Self::Stash => Source::Stash(typed.to_owned()),
            Self::Branch | Self::Tag | Self::Worktree => return None,
        };
        Some(Choice {
            icon: icons::ARROW_RIGHT,
            label: format!("Review {source}"),
            detail: String::new(),
            note: String::new(),
            action: review(folder, source),
        })
    }
}

/// A row to pick.
#[derive(Clone)]
pub struct Choice {
    pub icon: Icon,
    pub label: String,
    pub detail: String,
    pub note: String,
    pub action: Action,
}

/// Loads a list. For a worker.
pub fn load(picking: &Picking, repo: &Repo, cancel: &Cancel) -> Result<Vec<Choice>, String> {
    let folder = repo.root().unwrap_or_else(|| repo.git_dir()).to_owned();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs() as i64);
    let failed = |error: diff::git::GitError| error.to_string();
    let rows = |list: Vec<Named>, action: &dyn Fn(&Named) -> Action| {
        list.into_iter().map(|named| row(&named, now, action(&named))).collect::<Vec<_>>()
    };
    Ok(match picking {
        Picking::Commit => rows(repo.commits(COMMITS, cancel).map_err(failed)?, &|named| {
            review(&folder, Source::Commit(named.name.clone()))
        }),
        Picking::Branch => {
            rows(repo.branches(cancel).map_err(failed)?, &|named| Action::Pick(Picking::Base(named.name.clone())))
        }
        Picking::Tag => {
            rows(repo.tags(cancel).map_err(failed)?, &|named| Action::Pick(Picking::Base(named.name.clone())))
        }
        Picking::Base(branch) => {
            let mut list = repo.branches(cancel).map_err(failed)?;
            list.extend(repo.tags(cancel).map_err(failed)?);
            list.retain(|named| named.name != *branch);
            let likely = repo.likely_base(branch);
            list.sort_by_key(|named| Some(&named.name) != likely.as_ref());
            rows(list, &|named| review(&folder, range(&named.name, branch)))
        }
        Picking::Against => {
            let mut list = repo.branches(cancel).map_err(failed)?;
            list.extend(repo.tags(cancel).map_err(failed)?);
            list.extend(repo.commits(COMMITS, cancel).map_err(failed)?);
            rows(list, &|named| review(&folder, Source::WorkingTree { against: Some(named.name.clone()) }))
        }
        Picking::Stash => {
            rows(repo.stashes(cancel).map_err(failed)?, &|named| review(&folder, Source::Stash(named.name.clone())))
        }
        Picking::Worktree => {
            let trees = repo.worktrees().map_err(failed)?;
            let choice = |tree: diff::git::Worktree| Choice {
                icon: icons::FOLDERS,
                label: tree.root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
                detail: tree.root.parent().map(crate::state::workspace::shown_folder).unwrap_or_default(),
                note: tree.head,
                action: review(&folder, Source::Worktree(tree.root)),
            };
            trees.into_iter().filter(|tree| !tree.is_this).map(choice).collect()
        }
    })
}

fn review(folder: &Path, source: Source) -> Action {
    Action::OpenReview(Request::Source { folder: PathBuf::from(folder), source })
}

fn range(base: &str, branch: &str) -> Source {
    Source::Range { a: base.to_owned(), b: branch.to_owned(), merge_base: true }
}

fn row(named: &Named, now: i64, action: Action) -> Choice {
    let icon = match named.kind {
        NameKind::Head | NameKind::Branch | NameKind::Remote => icons::GIT_BRANCH,
        NameKind::Tag => icons::TAG,
        NameKind::Commit => icons::GIT_COMMIT,
        NameKind::Stash => icons::STACK,
    };
    // A commit is known by what it says, everything else by its name.
    let (label, detail) = match named.kind {
        NameKind::Commit | NameKind::Stash => (named.subject.clone(), format!("{} {}", named.name, named.author)),
        _ => (named.name.clone(), named.subject.clone()),
    };
    let ago = ago(now - named.when);
    let note = if named.kind == NameKind::Head { format!("HEAD, {ago}") } else { ago };
    Choice { icon, label, detail, note, action }
}

/// How long ago, roughly.
pub fn ago(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match seconds {
        seconds if seconds < MINUTE => "just now".to_owned(),
        seconds if seconds < HOUR => format!("{} min ago", seconds / MINUTE),
        seconds if seconds < DAY => format!("{} h ago", seconds / HOUR),
        seconds if seconds < 56 * DAY => format!("{} d ago", seconds / DAY),
        seconds if seconds < 730 * DAY => format!("{} months ago", seconds / (DAY * 30)),
        _ => format!("{} years ago", seconds / (DAY * 365)),
    }
}

/// The choices that match, the best first, with the parts of the label that do. Nothing typed leaves them as they are.
pub fn rank(typed: &str, choices: &[Choice]) -> Vec<(usize, Vec<Range<usize>>)> {
    let typed = typed.trim();
    if typed.is_empty() {
        return (0..choices.len()).map(|n| (n, Vec::new())).collect();
    }
    let mut ranker = Ranker::new(typed);
    let score = |(n, choice): (usize, &Choice)| Some((ranker.score_with(&choice.label, &choice.detail)?, n));
    let mut scored: Vec<_> = choices.iter().enumerate().filter_map(score).collect();
    scored.sort_by_key(|(score, n)| (std::cmp::Reverse(*score), *n));
    scored.into_iter().map(|(_, n)| (n, ranker.matches(&choices[n].label))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(label: &str, detail: &str) -> Choice {
        let action = Action::Copy(String::new());
        Choice { icon: icons::FILE, label: label.to_owned(), detail: detail.to_owned(), note: String::new(), action }
    }

    #[test]
    fn what_it_is_called_comes_before_what_stands_beside_it() {
        let choices =
            [choice("Fix the parser", "abc123 Ann"), choice("topic/ann", "Say more"), choice("main", "Start")];
        let found = |typed: &str| rank(typed, &choices).into_iter().map(|(n, _)| n).collect::<Vec<_>>();
        assert_eq!(found(""), [0, 1, 2]);
        assert_eq!(found("ann"), [1, 0]);
        assert_eq!(found("abc1"), [0]);
        assert!(found("zzz").is_empty());
    }

    #[test]
    fn times_are_told_roughly() {
        let told = [5, 120, 7_200, 200_000, 10_000_000, 100_000_000].map(ago);
        assert_eq!(told, ["just now", "2 min ago", "2 h ago", "2 d ago", "3 months ago", "3 years ago"]);
    }
}
