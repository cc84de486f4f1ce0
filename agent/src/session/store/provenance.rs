//! Who wrote each line of a file.
//!
//! For each file that an agent ever wrote, the store keeps the content it was last known with and the author of each of
//! its lines; lines nobody is known for are people's. When the file was changed by others meanwhile, the lines are
//! followed through the difference, and what is new belongs to people.

use std::collections::BTreeSet;

use diff::engine::{self, Options};
use diff::lines::Content;
use editor::Cancel;
use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::checkpoints::{get, put_bytes};
use super::{Store, StoreError};
use crate::event::{Moment, SessionId};

/// Who wrote lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The session.
    pub session: SessionId,
    /// Its run.
    pub run: u32,
    /// The step of the run.
    pub step: u32,
    /// The model.
    pub model: String,
    /// When.
    pub at: Moment,
}

/// Neighbouring lines of one author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blame {
    /// The first line, from 0.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Who; none for people.
    pub author: Option<Author>,
}

/// The author of each line, as a number in the list of authors; -1 for people.
type Lines = Vec<i32>;

impl Store {
    /// Remembers that an author made `after` of `before`.
    pub fn wrote(
        &mut self,
        project: &str,
        path: &str,
        (before, after): (&str, &str),
        author: &Author,
    ) -> Result<(), StoreError> {
        self.write("who wrote a file cannot be kept", |transaction| {
            let known = known(transaction, project, path)?;
            let (mut authors, lines) = match &known {
                Some((content, authors, lines)) => (authors.clone(), follow(content, before.as_bytes(), lines, -1)),
                None => (Vec::new(), vec![-1; count(before.as_bytes())]),
            };
            let number = authors.iter().position(|known| known == author).unwrap_or_else(|| {
                authors.push(author.clone());
                authors.len() - 1
            });
            let lines = follow(before.as_bytes(), after.as_bytes(), &lines, number as i32);
            let content = put_bytes(transaction, after.as_bytes())?;
            let (authors, lines) = (json(&authors), json(&packed(&lines)));
            let insert = "INSERT OR REPLACE INTO written VALUES (?1, ?2, ?3, ?4, ?5)";
            transaction.execute(insert, params![project, path, content, authors, lines])?;
            Ok(())
        })
    }

    /// Remembers that a file has another name.
    pub fn moved(&mut self, project: &str, from: &str, to: &str) -> Result<(), StoreError> {
        self.write("who wrote a file cannot be kept", |transaction| {
            let update = "UPDATE OR REPLACE written SET path = ?3 WHERE project = ?1 AND path = ?2";
            transaction.execute(update, params![project, from, to])?;
            Ok(())
        })
    }

    /// The files of a project that an agent ever wrote.
    pub fn written(&mut self, project: &str) -> Result<BTreeSet<String>, StoreError> {
        self.read("who wrote a file cannot be read", |transaction| {
            let select = "SELECT path FROM written WHERE project = ?1";
            transaction.prepare(select)?.query_map([project], |row| row.get(0))?.collect()
        })
    }

    /// Who wrote the lines of a file as it is now; empty if no agent ever wrote it.
    pub fn blame(&mut self, project: &str, path: &str, now: &str) -> Result<Vec<Blame>, StoreError> {
        let known = self.read("who wrote a file cannot be read", |transaction| known(transaction, project, path))?;
        let Some((content, authors, lines)) = known else { return Ok(Vec::new()) };
        let mut first = 0;
        let blame = |(number, count): (i32, u32)| {
            first += count;
            let author = usize::try_from(number).ok().and_then(|number| authors.get(number).cloned());
            Blame { first: first - count, count, author }
        };
        Ok(packed(&follow(&content, now.as_bytes(), &lines, -1)).into_iter().map(blame).collect())
    }
}

fn known(
    transaction: &Transaction<'_>,
    project: &str,
    path: &str,
) -> rusqlite::Result<Option<(Vec<u8>, Vec<Author>, Lines)>> {
    let select = "SELECT content, authors, lines FROM written WHERE project = ?1 AND path = ?2";
    let row = transaction
        .query_row(select, params![project, path], |row| {
            Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((content, authors, lines)) = row else { return Ok(None) };
    let lines: Vec<(i32, u32)> = serde_json::from_str(&lines).unwrap_or_default();
    let lines = lines.into_iter().flat_map(|(author, count)| std::iter::repeat_n(author, count as usize)).collect();
    Ok(Some((get(transaction, &content)?, serde_json::from_str(&authors).unwrap_or_default(), lines)))
}

/// The authors of the lines of `new`, made from `old`: lines that stayed keep theirs.
fn follow(old: &[u8], new: &[u8], lines: &[i32], author: i32) -> Lines {
    let mut followed = vec![author; count(new)];
    let Ok((old, new)) = Content::pair(old, new) else { return followed };
    let Ok(script) = engine::compare(&old, &new, &Options::default(), &Cancel::new()) else { return followed };
    for (from, to) in script.equal_runs(old.line_count(), new.line_count()) {
        for (from, to) in from.zip(to) {
            if let (Some(place), Some(&known)) = (followed.get_mut(to as usize), lines.get(from as usize)) {
                *place = known;
            }
        }
    }
    followed
}

fn count(text: &[u8]) -> usize {
    Content::new(text).map_or(0, |content| content.line_count() as usize)
}

/// Neighbours of one author together.
fn packed(lines: &[i32]) -> Vec<(i32, u32)> {
    let mut packed: Vec<(i32, u32)> = Vec::new();
    for &line in lines {
        match packed.last_mut() {
            Some((author, count)) if *author == line => *count += 1,
            _ => packed.push((line, 1)),
        }
    }
    packed
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
