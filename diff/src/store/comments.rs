//! Threads and messages, in the store.

use rusqlite::{OptionalExtension, Row, Transaction};
use rustc_hash::FxHashMap;

use super::{Kind, RepositoryId, Revision, Store, StoreError, Write, revision};
use crate::comments::{Anchor, Id, Message, Moment, Origin, Thread};
use crate::git::{RepoPath, Side};
use crate::ticks::ContentId;

/// All comments of a repository.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// Threads in the order they were begun.
    pub threads: Vec<Thread>,
    /// The texts their anchors refer to.
    pub origins: FxHashMap<ContentId, Origin>,
}

impl Comments {
    /// A thread by its name.
    pub fn thread(&self, id: Id) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.id == id)
    }

    /// The text an anchor refers to.
    pub fn origin(&self, id: ContentId) -> Option<Origin> {
        self.origins.get(&id).cloned()
    }
}

impl Store {
    /// All comments of a repository and up to where that is.
    pub fn comments(&mut self, repository: RepositoryId) -> Result<(Comments, Revision), StoreError> {
        self.read("comments cannot be read", |transaction| {
            let revision = revision(transaction, repository, Kind::Comments)?;
            let mut comments = Comments { threads: threads(transaction, repository)?, ..Comments::default() };
            let mut messages = messages(transaction, repository)?;
            for thread in &mut comments.threads {
                thread.messages = messages.remove(&thread.id).unwrap_or_default();
            }
            comments.threads.retain(|thread| !thread.messages.is_empty());
            let mut select = transaction.prepare("SELECT content, text FROM origin WHERE repository = ?1")?;
            let rows = select
                .query_map([repository.0], |row| Ok((ContentId::from_bytes(row.get(0)?), row.get::<_, Vec<u8>>(1)?)))?;
            for row in rows {
                let (id, text) = row?;
                comments.origins.insert(id, Origin { id, text: text.into() });
            }
            Ok((comments, revision))
        })
    }
}

fn threads(transaction: &Transaction<'_>, repository: RepositoryId) -> rusqlite::Result<Vec<Thread>> {
    let mut select = transaction.prepare(
        "SELECT id, source, resolved, path, side, first, end, text, before, after, origin
         FROM thread WHERE repository = ?1 AND removed IS NULL ORDER BY number",
    )?;
    let thread = |row: &Row<'_>| {
        let anchor = Anchor {
            path: RepoPath::new(&row.get::<_, Vec<u8>>(3)?),
            side: if row.get(4)? { Side::New } else { Side::Old },
            lines: row.get(5)?..row.get(6)?,
            text: row.get(7)?,
            before: row.get(8)?,
            after: row.get(9)?,
            origin: row.get::<_, Option<[u8; 20]>>(10)?.map(ContentId::from_bytes),
        };
        let (id, source, resolved) = (Id::from_bytes(row.get(0)?), row.get(1)?, row.get(2)?);
        Ok(Thread { id, anchor, source, resolved, messages: Vec::new() })
    };
    select.query_map([repository.0], thread)?.collect()
}

fn messages(transaction: &Transaction<'_>, repository: RepositoryId) -> rusqlite::Result<FxHashMap<Id, Vec<Message>>> {
    let mut select = transaction.prepare(
        "SELECT message.id, author, message.text, at, edited, draft, thread.id, model, cut
         FROM message JOIN thread ON message.thread = thread.id
         WHERE repository = ?1 AND message.removed IS NULL AND thread.removed IS NULL ORDER BY message.number",
    )?;
    let message = |row: &Row<'_>| {
        let message = Message {
            id: Id::from_bytes(row.get(0)?),
            author: row.get(1)?,
            text: row.get(2)?,
            at: Moment(row.get(3)?),
            edited: row.get::<_, Option<i64>>(4)?.map(Moment),
            draft: row.get(5)?,
            model: row.get(7)?,
            cut: row.get(8)?,
        };
        Ok((Id::from_bytes(row.get(6)?), message))
    };
    let mut messages: FxHashMap<Id, Vec<Message>> = FxHashMap::default();
    for row in select.query_map([repository.0], message)? {
        let (thread, message) = row?;
        messages.entry(thread).or_default().push(message);
    }
    Ok(messages)
}

pub(super) fn write(transaction: &Transaction<'_>, repository: RepositoryId, write: &Write) -> rusqlite::Result<()> {
    let now = Moment::now().0;
    match write {
        Write::Begin { thread, origin } => begin(transaction, repository, thread, origin.as_ref()),
        Write::Say { thread, message } => say(transaction, *thread, message),
        Write::Edit { message, before, text, at, beside } => edit(transaction, *message, before, text, *at, *beside),
        Write::Send { message } => {
            let send = "UPDATE message SET draft = 0, at = ?2, removed = NULL WHERE id = ?1 AND draft = 1";
            transaction.execute(send, (message.as_bytes(), now))?;
            revive(transaction, *message)
        }
        Write::Withdraw { message } => {
            let remove = "UPDATE message SET removed = ?2 WHERE id = ?1 AND removed IS NULL";
            transaction.execute(remove, (message.as_bytes(), now)).map(drop)
        }
        Write::Resolve { thread, resolved } => {
            let resolve = "UPDATE thread SET resolved = ?2 WHERE id = ?1";
            transaction.execute(resolve, (thread.as_bytes(), resolved)).map(drop)
        }
        Write::Remove { thread } => {
            let remove = "UPDATE thread SET removed = ?2 WHERE id = ?1 AND removed IS NULL";
            transaction.execute(remove, (thread.as_bytes(), now)).map(drop)
        }
        Write::Marks(_) | Write::Draft { .. } => Ok(()), // written elsewhere
    }
}

fn begin(
    transaction: &Transaction<'_>,
    repository: RepositoryId,
    thread: &Thread,
    origin: Option<&Origin>,
) -> rusqlite::Result<()> {
    if let Some(origin) = origin {
        let insert = "INSERT OR IGNORE INTO origin VALUES (?1, ?2, ?3)";
        transaction.execute(insert, (repository.0, origin.id.as_bytes(), &origin.text[..]))?;
    }
    let anchor = &thread.anchor;
    transaction.execute(
        "INSERT OR IGNORE INTO thread (id, repository, source, path, side, first, end, text, before, after, origin, resolved)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        rusqlite::params![
            thread.id.as_bytes(),
            repository.0,
            thread.source,
            anchor.path.as_bytes(),
            anchor.side == Side::New,
            anchor.lines.start,
            anchor.lines.end,
            anchor.text,
            anchor.before,
            anchor.after,
            anchor.origin.as_ref().map(ContentId::as_bytes),
            thread.resolved,
        ],
    )?;
    thread.messages.iter().try_for_each(|message| say(transaction, thread.id, message))
}

fn say(transaction: &Transaction<'_>, thread: Id, message: &Message) -> rusqlite::Result<()> {
    let edited = message.edited.map(|at| at.0);
    transaction.execute(
        "INSERT OR IGNORE INTO message (id, thread, author, text, at, edited, draft, model, cut)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (
            message.id.as_bytes(),
            thread.as_bytes(),
            &message.author,
            &message.text,
            message.at.0,
            edited,
            message.draft,
            message.model,
            message.cut,
        ),
    )?;
    revive(transaction, message.id)
}

fn edit(
    transaction: &Transaction<'_>,
    message: Id,
    before: &str,
    text: &str,
    at: Moment,
    beside: Id,
) -> rusqlite::Result<()> {
    let select = "SELECT text, author, thread, model FROM message WHERE id = ?1";
    let row = |row: &Row<'_>| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, [u8; 16]>(2)?, row.get::<_, bool>(3)?))
    };
    let Some((now, author, thread, model)) = transaction.query_row(select, [message.as_bytes()], row).optional()?
    else {
        return Ok(()); // gone for longer than anybody writes
    };
    if now == text {
        return Ok(());
    }
    if now != before {
        let ours =
            Message { id: beside, author, text: text.to_owned(), at, edited: None, draft: true, model, cut: false };
        return say(transaction, Id::from_bytes(thread), &ours);
    }
    let update = "UPDATE message SET text = ?2, edited = ?3, removed = NULL WHERE id = ?1";
    transaction.execute(update, (message.as_bytes(), text, at.0))?;
    revive(transaction, message)
}

/// Brings the thread of a message back, should it have been removed while the message was written.
fn revive(transaction: &Transaction<'_>, message: Id) -> rusqlite::Result<()> {
    let revive = "UPDATE thread SET removed = NULL WHERE id = (SELECT thread FROM message WHERE id = ?1)";
    transaction.execute(revive, [message.as_bytes()]).map(drop)
}
