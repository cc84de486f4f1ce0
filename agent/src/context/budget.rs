//! Keeping a request within the model's window.
//!
//! Tokens are estimated from bytes by a ratio that the server's own counts correct. When an estimate is above four
//! fifths of what the window leaves beside the reply, entries are made smaller in this order, until it is below half:
//! attachments (more than three whole ones first, the longest idle first; pinned ones stay), results that newer ones
//! made stale, old results. What is not enough then is for a summary, which the loop asks the model for.
//!
//! A request that would not fit is never sent.

use super::{Body, Conversation, Piece};

/// Attachments that may be whole at a time.
const WHOLE: usize = 3;
/// Results that are never taken away: those of the last steps.
const RECENT: usize = 2;
/// Small results stay: what would be left of them is not smaller.
const SMALL: usize = 400;
/// Lines of an attachment that a summary of it shows.
const HEAD: usize = 12;

/// How many tokens a text has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    bytes_per_token: f64,
}

impl Default for Estimate {
    fn default() -> Self {
        // Code has some 3.3 bytes a token with most vocabularies; too many tokens are a smaller mistake than too few.
        Self { bytes_per_token: 3.0 }
    }
}

impl Estimate {
    /// Tokens of so many bytes.
    pub fn tokens(self, bytes: usize) -> u64 {
        (bytes as f64 / self.bytes_per_token).ceil() as u64
    }

    /// Learns from what a server counted.
    pub fn learn(&mut self, bytes: usize, tokens: u64) {
        if tokens >= 100 {
            self.bytes_per_token = (bytes as f64 / tokens as f64).clamp(1.0, 6.0);
        }
    }
}

/// What there is room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Tokens of the window; none while nobody has said, and then nothing is too long.
    pub window: Option<u64>,
    /// Tokens that the reply may have.
    pub reply: u64,
    /// How tokens are counted.
    pub estimate: Estimate,
}

impl Budget {
    /// Tokens that the prompt may have.
    pub fn prompt(&self) -> u64 {
        self.window.map_or(u64::MAX, |window| window.saturating_sub(self.reply + window / 50))
    }

    /// Whether a prompt of so many bytes fits.
    pub fn fits(&self, bytes: usize) -> bool {
        self.estimate.tokens(bytes) <= self.prompt()
    }

    /// Whether it is time to make something smaller.
    pub fn is_tight(&self, bytes: usize) -> bool {
        self.window.is_some() && self.estimate.tokens(bytes) > self.prompt() / 5 * 4
    }

    fn is_roomy(&self, bytes: usize) -> bool {
        self.estimate.tokens(bytes) <= self.prompt() / 2
    }
}

/// What was made smaller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    /// Entries that changed.
    pub entries: Vec<usize>,
    /// What to tell the person.
    pub told: Vec<String>,
}

/// Bytes of all that was said.
pub fn bytes(conversation: &Conversation) -> usize {
    let bytes = |body: &Body| match body {
        Body::Prompt { text, files } => text.len() + files.iter().map(size).sum::<usize>(),
        Body::Results { pieces } => pieces.iter().map(size).sum(),
        Body::Reply { text, calls, .. } => {
            text.len() + calls.iter().map(|call| call.arguments.len() + 40).sum::<usize>()
        }
        Body::Snapshot { text, .. } | Body::Reminder { text } | Body::Summary { text } => text.len(),
    };
    // Each message has marks of its own around it, some four tokens.
    conversation.entries().iter().map(|entry| bytes(&entry.body) + 12).sum()
}

fn size(piece: &Piece) -> usize {
    piece.title.len() + piece.instead.as_ref().map_or(piece.text.len(), String::len) + 6
}

/// Makes a conversation smaller, as the module says. `fixed` are the bytes that stand before it.
pub fn reduce(conversation: &mut Conversation, budget: &Budget, fixed: usize) -> Reduced {
    let mut reduced = Reduced::default();
    if !budget.is_tight(fixed + bytes(conversation)) {
        return reduced;
    }
    let rounds: [fn(&mut Conversation, &mut Reduced) -> bool; 4] =
        [idle_attachment, stale_result, old_result, last_attachment];
    for round in rounds {
        while !budget.is_roomy(fixed + bytes(conversation)) && round(conversation, &mut reduced) {}
    }
    reduced.entries.sort_unstable();
    reduced.entries.dedup();
    reduced
}

/// The longest idle attachment becomes a summary, if more than three are whole.
fn idle_attachment(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    let whole = attachments(conversation).count();
    whole > WHOLE && demote_first(conversation, reduced)
}

/// One of the last three, when nothing else helps.
fn last_attachment(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    demote_first(conversation, reduced) || unload_first(conversation, reduced)
}

fn attachments(conversation: &Conversation) -> impl Iterator<Item = &Piece> {
    let files = conversation.entries().iter().filter_map(|entry| match &entry.body {
        Body::Prompt { files, .. } => Some(files),
        _ => None,
    });
    files.flatten().filter(|piece| !piece.is_reduced())
}

fn is_attachment(entry: &Body) -> bool {
    matches!(entry, Body::Prompt { .. })
}

fn demote_first(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    reduce_first(
        conversation,
        reduced,
        is_attachment,
        |piece| !piece.is_reduced() && piece.text.len() > SMALL,
        |piece| {
            let head: Vec<_> = piece.text.lines().take(HEAD).collect();
            let lines = piece.text.lines().count();
            format!("{}\n… ({lines} lines; the rest is not shown any more: read it by range)", head.join("\n"))
        },
    )
}

fn unload_first(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    let there = |piece: &Piece| piece.instead.as_ref().is_some_and(|text| text.len() > 80);
    reduce_first(conversation, reduced, is_attachment, there, |piece| {
        format!("({} lines, not shown any more: read it by range)", piece.text.lines().count())
    })
}

/// A result that shows a file which a later one shows, too, or which was written since.
fn stale_result(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    let later: Vec<(usize, String)> = conversation
        .entries()
        .iter()
        .enumerate()
        .flat_map(|(at, entry)| entry.body.pieces().iter().map(move |piece| (at, piece)))
        .filter_map(|(at, piece)| piece.shown.as_ref().map(|shown| (at, shown.path.clone())))
        .collect();
    let recent = recent(conversation);
    let found = conversation.pieces_mut().find(|(at, piece)| {
        let path = piece.shown.as_ref().map(|shown| &shown.path);
        *at < recent
            && !piece.is_reduced()
            && !piece.pinned
            && piece.text.len() > SMALL
            && path.is_some_and(|path| later.iter().any(|(then, of)| then > at && of == path))
    });
    let Some((at, piece)) = found else { return false };
    piece.instead = Some("(stale: a newer state of this file is further down)".to_owned());
    note(reduced, at, piece);
    true
}

/// The oldest result that is large.
fn old_result(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    let recent = recent(conversation);
    let is_result = |body: &Body| matches!(body, Body::Results { .. });
    let results: Vec<_> = conversation.entries().iter().map(|entry| is_result(&entry.body)).collect();
    let found = conversation.pieces_mut().find(|(at, piece)| {
        results[*at] && *at < recent && !piece.is_reduced() && !piece.pinned && piece.text.len() > SMALL
    });
    let Some((at, piece)) = found else { return false };
    piece.instead = Some("(dropped to make room; ask again if it is needed)".to_owned());
    note(reduced, at, piece);
    true
}

/// Where the entries begin that are too new to lose anything.
fn recent(conversation: &Conversation) -> usize {
    let results = conversation.entries().iter().enumerate().filter(|(_, e)| matches!(e.body, Body::Results { .. }));
    let places: Vec<_> = results.map(|(at, _)| at).collect();
    places.len().checked_sub(RECENT).map_or(0, |n| places[n])
}

fn reduce_first(
    conversation: &mut Conversation,
    reduced: &mut Reduced,
    of: fn(&Body) -> bool,
    which: impl Fn(&Piece) -> bool,
    instead: impl Fn(&Piece) -> String,
) -> bool {
    let kinds: Vec<_> = conversation.entries().iter().map(|entry| of(&entry.body)).collect();
    let found = conversation.pieces_mut().find(|(at, piece)| kinds[*at] && !piece.pinned && which(piece));
    let Some((at, piece)) = found else { return false };
    piece.instead = Some(instead(piece));
    note(reduced, at, piece);
    true
}

fn note(reduced: &mut Reduced, at: usize, piece: &Piece) {
    reduced.entries.push(at);
    reduced.told.push(piece.title.clone());
}
