//! The commit that is being written: its message and how it is made, for each repository of the window.
//!
//! A *draft* belongs to a repository and stays while others are looked at. What is known of the repository (author, the
//! message of HEAD, earlier messages, what git prepared) is asked for by a task; committing is another, whose output is
//! shown as it comes. Dropping that task ends git and its hooks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use diff::git::{CommitRequest, Committed, Prepared, Repo};
use diff::source::{Comparison, Source};
use diff::staging::{Pick, What, stage};
use editor::Cancel;

use crate::tasks::{Poll, Task, Tasks};

/// Earlier messages to choose from.
const RECENT: usize = 20;

/// Characters that a subject should have at most, and any line.
pub const SUBJECT: usize = 50;
pub const LINE: usize = 72;

/// What is known of a repository for a commit.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Who it would be by, or that git does not know; none while it is asked.
    pub author: Option<Result<String, String>>,
    /// The message of the commit that HEAD is at.
    pub head: Option<String>,
    /// Earlier messages, newest first.
    pub recent: Vec<String>,
    prepared: Prepared,
}

/// A message, and how the commit is made.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub message: String,
    pub amend: bool,
    pub sign_off: bool,
    pub skip_hooks: bool,
    /// What stood here before it was to be amended.
    before_amend: String,
    /// The message began with what git prepared: lines that it marks as comments are none of it.
    prepared: bool,
}

impl Draft {
    /// Amends the last commit, whose message takes the place of the draft; or does not, and the draft comes back.
    pub fn set_amend(&mut self, amend: bool, head: Option<&str>) {
        if amend == self.amend {
            return;
        }
        self.amend = amend;
        if amend {
            let head = head.unwrap_or_default().to_owned();
            self.before_amend = std::mem::replace(&mut self.message, head);
        } else {
            self.message = std::mem::take(&mut self.before_amend);
        }
    }

    /// Whether there is anything to commit with.
    pub fn is_empty(&self) -> bool {
        self.message.trim().is_empty()
    }
}

struct Running {
    repo: Repo,
    task: Task<Result<Committed, String>>,
    said: Arc<Mutex<String>>,
}

/// How the last commit ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// What git and the hooks printed.
    Made(String),
    /// Why there is none: all that git and the hooks printed.
    Failed(String),
}

/// What a finished commit leads to.
pub enum News {
    /// A commit was made: its short name and subject.
    Committed(String, String),
    /// None was, but files may have been staged for it.
    Failed,
}

/// Commits of the window.
#[derive(Default)]
pub struct Commits {
    drafts: BTreeMap<PathBuf, Draft>,
    about: BTreeMap<PathBuf, About>,
    /// What was asked about last: the repository and the listing of its review.
    asked: Option<(PathBuf, u64)>,
    asking: Option<(PathBuf, Task<About>)>,
    running: Option<Running>,
    ended: BTreeMap<PathBuf, Ended>,
}

impl Commits {
    /// Asks about a repository when it is looked at first, and with each listing of its review.
    pub fn look(&mut self, repo: &Repo, listing: u64, tasks: &Tasks) {
        let key = repo.git_dir().to_owned();
        if self.asked.as_ref().is_some_and(|(of, at)| *of == key && *at == listing) {
            return;
        }
        self.asked = Some((key.clone(), listing));
        let repo = repo.clone();
        self.asking = Some((key, tasks.spawn("ask about the last commit", move |cancel| about(&repo, cancel))));
    }

    /// What is known of a repository.
    pub fn about(&self, repo: &Path) -> Option<&About> {
        self.about.get(repo)
    }

    /// The draft of a repository, to change it.
    pub fn draft(&mut self, repo: &Path) -> &mut Draft {
        self.drafts.entry(repo.to_owned()).or_default()
    }

    /// What a running commit printed up to now; none if none runs.
    pub fn running(&self, repo: &Path) -> Option<String> {
        let running = self.running.as_ref().filter(|running| running.repo.git_dir() == repo)?;
        Some(running.said.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// How the last commit of a repository ended.
    pub fn ended(&self, repo: &Path) -> Option<&Ended> {
        self.ended.get(repo)
    }

    /// Puts away how it ended.
    pub fn dismiss(&mut self, repo: &Path) {
        self.ended.remove(repo);
    }

    /// Commits what is staged; everything, if `stage_all` says so.
    pub fn start(&mut self, repo: &Repo, stage_all: bool, tasks: &Tasks) {
        if self.running.is_some() {
            return;
        }
        let key = repo.git_dir().to_owned();
        self.ended.remove(&key);
        let draft = self.draft(&key);
        let request = CommitRequest {
            message: draft.message.clone(),
            amend: draft.amend,
            sign_off: draft.sign_off,
            strip_comments: draft.prepared,
            allow_empty: false,
            skip_hooks: draft.skip_hooks,
        };
        let said = Arc::new(Mutex::new(String::new()));
        let (told, waker, repository) = (said.clone(), tasks.waker().clone(), repo.clone());
        let task = tasks.spawn("commit", move |cancel| {
            if stage_all {
                stage_everything(&repository, cancel)?;
            }
            let mut tell = |piece: &str| {
                told.lock().unwrap_or_else(PoisonError::into_inner).push_str(piece);
                waker.wake();
            };
            repository.make_commit(&request, &mut tell, cancel).map_err(|error| error.to_string())
        });
        self.running = Some(Running { repo: repo.clone(), task, said });
    }

    /// Ends git and its hooks; what they did by then is done.
    pub fn stop(&mut self) -> bool {
        let Some(running) = self.running.take() else { return false };
        self.ended.insert(running.repo.git_dir().to_owned(), Ended::Failed("The commit was stopped.".to_owned()));
        true
    }

    /// Takes in what was found and done. Never waits.
    pub fn take_results(&mut self) -> Option<News> {
        if let Some((key, task)) = &self.asking {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(about) => {
                    let key = key.clone();
                    self.prepare(&key, &about);
                    self.about.insert(key, about);
                    self.asking = None;
                }
                Poll::Lost => self.asking = None,
            }
        }
        let running = self.running.as_ref()?;
        let result = match running.task.poll() {
            Poll::Pending => return None,
            Poll::Ready(result) => result,
            Poll::Lost => Err("Committing ended unexpectedly; look at the history before trying again.".to_owned()),
        };
        let key = running.repo.git_dir().to_owned();
        self.running = None;
        match result {
            Ok(committed) => {
                let draft = self.draft(&key);
                let subject = draft.message.trim().lines().next().unwrap_or_default().to_owned();
                *draft = Draft { sign_off: draft.sign_off, ..Draft::default() };
                self.ended.insert(key, Ended::Made(committed.said.trim().to_owned()));
                Some(News::Committed(committed.id.short(9), subject))
            }
            Err(why) => {
                self.ended.insert(key, Ended::Failed(why));
                Some(News::Failed)
            }
        }
    }

    /// An empty message begins with what git prepared: of a merge, a revert, a template.
    fn prepare(&mut self, key: &Path, about: &About) {
        let draft = self.draft(key);
        if draft.is_empty() && !draft.amend && !about.prepared.text.is_empty() {
            draft.message.clone_from(&about.prepared.text);
            draft.prepared = true;
        } else if draft.is_empty() {
            draft.prepared = false;
        }
    }
}

fn about(repo: &Repo, cancel: &Cancel) -> About {
    About {
        author: Some(repo.author().map_err(|error| error.to_string())),
        // What cannot be read of these is not offered; committing says what is wrong.
        head: repo.head_message().ok().flatten(),
        recent: repo.recent_messages(RECENT, cancel).unwrap_or_default(),
        prepared: repo.prepared_message().unwrap_or_default(),
    }
}

/// Stages all that differs from the index, untracked files included.
fn stage_everything(repo: &Repo, cancel: &Cancel) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let found = Comparison::of_repo(repo.clone(), Source::Unstaged, Vec::new()).map_err(|error| told(&error))?;
    let changes = found.changes(cancel).map_err(|error| told(&error))?;
    let picks: Vec<_> = changes.iter().map(|change| Pick::new(change, What::File)).collect();
    stage(&found, &picks, cancel).map(drop).map_err(|error| told(&error))
}

/// What a message has too much of: `52/50` for its subject, or a line below that is too long.
pub fn length(message: &str) -> Length {
    let count = |line: &str| line.chars().count();
    let mut lines = message.lines();
    let subject = lines.next().map_or(0, count);
    let long = lines.position(|line| count(line) > LINE && line.contains(' '));
    Length { subject, long_line: long.map(|n| n + 2) }
}

/// See [`length`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Characters of the subject.
    pub subject: usize,
    /// The first line below it that has more than [`LINE`], counted from 1. One that has no blank cannot be broken.
    pub long_line: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_counted_and_long_lines_are_told() {
        let of = |message: &str| length(message);
        assert_eq!(of(""), Length { subject: 0, long_line: None });
        assert_eq!(of("Grüße\n\nbody"), Length { subject: 5, long_line: None });
        let long = format!("a\n\n{}\n{}", "x".repeat(100), "word ".repeat(20));
        assert_eq!(of(&long), Length { subject: 1, long_line: Some(4) });
    }

    #[test]
    fn a_draft_comes_back_when_amending_is_left() {
        let mut draft = Draft { message: "mine".to_owned(), ..Draft::default() };
        draft.set_amend(true, Some("last"));
        assert_eq!(draft.message, "last");
        draft.set_amend(true, Some("other"));
        draft.set_amend(false, None);
        assert_eq!(draft.message, "mine");
    }
}
