//! What was viewed, in the store.

use rusqlite::Transaction;

use super::{Kind, RepositoryId, Revision, Store, StoreError, revision};
use crate::comments::Moment;
use crate::ticks::{ContentId, Mark, MarkChange, Marks};

/// How a mark is stored.
fn state(mark: Mark) -> i64 {
    match mark {
        Mark::Viewed => 1,
        Mark::ComeBack => 2,
    }
}

impl Store {
    /// All marks of a repository and up to where that is: one query a review, some 100,000 marks in 50 ms.
    pub fn marks(&mut self, repository: RepositoryId) -> Result<(Marks, Revision), StoreError> {
        self.read("what was viewed cannot be read", |transaction| {
            let revision = revision(transaction, repository, Kind::Marks)?;
            let mut select = transaction.prepare("SELECT content, state FROM mark WHERE repository = ?1")?;
            let rows = select.query_map([repository.0], |row| {
                let mark = if row.get::<_, i64>(1)? == state(Mark::Viewed) { Mark::Viewed } else { Mark::ComeBack };
                Ok((ContentId::from_bytes(row.get(0)?), mark))
            })?;
            Ok((rows.collect::<rusqlite::Result<_>>()?, revision))
        })
    }
}

pub(super) fn write(
    transaction: &Transaction<'_>,
    repository: RepositoryId,
    changes: &[MarkChange],
) -> rusqlite::Result<()> {
    let mut set = transaction.prepare("INSERT OR REPLACE INTO mark VALUES (?1, ?2, ?3, ?4)")?;
    let mut unset = transaction.prepare("DELETE FROM mark WHERE repository = ?1 AND content = ?2")?;
    let now = Moment::now().0;
    for (content, mark) in changes {
        match mark {
            Some(mark) => set.execute((repository.0, content.as_bytes(), state(*mark), now))?,
            None => unset.execute((repository.0, content.as_bytes()))?,
        };
    }
    Ok(())
}
