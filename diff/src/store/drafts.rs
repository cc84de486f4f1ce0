//! Texts that are being written, in the store: commit messages, and whatever else is not sent yet.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction};

use super::{Kind, RepositoryId, Revision, Store, StoreError, revision};
use crate::comments::Moment;

/// Texts by what they are for.
pub type Drafts = BTreeMap<String, String>;

impl Store {
    /// All texts of a repository and up to where that is.
    pub fn drafts(&mut self, repository: RepositoryId) -> Result<(Drafts, Revision), StoreError> {
        self.read("unsent texts cannot be read", |transaction| {
            let revision = revision(transaction, repository, Kind::Drafts)?;
            let mut select = transaction.prepare("SELECT name, text FROM draft WHERE repository = ?1")?;
            let rows = select.query_map([repository.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok((rows.collect::<rusqlite::Result<_>>()?, revision))
        })
    }
}

pub(super) fn write(
    transaction: &Transaction<'_>,
    repository: RepositoryId,
    name: &str,
    before: &str,
    text: &str,
) -> rusqlite::Result<()> {
    let get = |name: &str| {
        let select = "SELECT text FROM draft WHERE repository = ?1 AND name = ?2";
        let text = transaction.query_row(select, (repository.0, name), |row| row.get::<_, String>(0)).optional()?;
        Ok::<_, rusqlite::Error>(text.unwrap_or_default())
    };
    let now = get(name)?;
    if now == text {
        return Ok(());
    }
    if now == before || now.is_empty() {
        return put(transaction, repository, name, text);
    }
    // The other window's stays. Ours goes to the first name beside it that is free or that holds what we wrote before.
    let mut number = 2;
    loop {
        let name = beside(name, number);
        let there = get(&name)?;
        if there.is_empty() || there == before || there == text {
            return put(transaction, repository, &name, text);
        }
        number += 1;
    }
}

/// The name of a text that is kept beside another of the same name.
fn beside(name: &str, number: u32) -> String {
    format!("{name} ({number})")
}

fn put(transaction: &Transaction<'_>, repository: RepositoryId, name: &str, text: &str) -> rusqlite::Result<()> {
    if text.is_empty() {
        let delete = "DELETE FROM draft WHERE repository = ?1 AND name = ?2";
        return transaction.execute(delete, (repository.0, name)).map(drop);
    }
    let put = "INSERT OR REPLACE INTO draft VALUES (?1, ?2, ?3, ?4)";
    transaction.execute(put, (repository.0, name, text, Moment::now().0)).map(drop)
}
