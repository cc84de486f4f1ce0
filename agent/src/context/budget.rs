//! Keeping a request within the model's window.
//!
//! Tokens are estimated from bytes by a ratio that the server's own counts correct. When an estimate is above four
//! fifths of what the window leaves beside the reply, entries are made smaller in this order, until it is below half:
//! attachments (more than three whole ones first, the longest idle first; pinned ones stay), results that newer ones
//! made stale, old results, the last attachments. What is not enough then is for a summary, which the loop asks the model
//! for.
//!
//! An attachment is *idle* since it last was read, edited or spoken of. First it becomes a summary (its outline, or how it
//! begins), then no more than its name and size; either way the model can read what it needs by range.
//!
//! A request that would not fit is never sent.

use std::collections::{HashMap, HashSet};

use super::{Body, Conversation, Load, Piece};
use crate::tool::rendered_outline;

/// Attachments that may be whole at a time.
const WHOLE: usize = 3;
/// Attachments that come along whole with one prompt at most, beside those that are pinned.
const ALONG: usize = 6;
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

/// Makes what comes along with a prompt fit into half of it: what is pinned first, then the others in their order, and
/// no more than a few of these. Of the rest only names and sizes are told.
pub fn admit(pieces: &mut [Piece], budget: &Budget) {
    let (mut left, mut count) = (budget.prompt() / 2, 0);
    for pinned in [true, false] {
        for piece in pieces.iter_mut().filter(|piece| piece.pinned == pinned) {
            let tokens = budget.estimate.tokens(piece.weight());
            count += usize::from(!pinned);
            if tokens > left || count > ALONG {
                piece.unload();
            } else {
                left -= tokens;
            }
        }
    }
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
    piece.title.len() + piece.weight() + 6
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
    let whole = attachments(conversation).filter(|(_, piece)| piece.load() == Load::Full).count();
    whole > WHOLE && demote(conversation, reduced)
}

/// One of the last three, when nothing else helps.
fn last_attachment(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    demote(conversation, reduced) || unload(conversation, reduced)
}

/// The files that came along, and the entry each is of.
pub fn attachments(conversation: &Conversation) -> impl Iterator<Item = (usize, &Piece)> {
    conversation.entries().iter().enumerate().flat_map(|(at, entry)| match &entry.body {
        Body::Prompt { files, .. } => files.iter().map(|piece| (at, piece)).collect(),
        _ => Vec::new(),
    })
}

fn demote(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    let may = |piece: &Piece| piece.load() == Load::Full && piece.weight() > SMALL;
    reduce_idle(conversation, reduced, may, |piece| match piece.image {
        // There is no half of a picture.
        Some(_) => piece.unload(),
        None => piece.instead = Some(summary(piece)),
    })
}

fn unload(conversation: &mut Conversation, reduced: &mut Reduced) -> bool {
    reduce_idle(conversation, reduced, |piece| piece.load() == Load::Summary, Piece::unload)
}

/// Changes the longest idle of the attachments that may be.
fn reduce_idle(
    conversation: &mut Conversation,
    reduced: &mut Reduced,
    may: impl Fn(&Piece) -> bool,
    change: impl Fn(&mut Piece),
) -> bool {
    let used = last_used(conversation);
    let candidates = attachments(conversation).filter(|(_, piece)| !piece.pinned && may(piece));
    let idle = candidates.map(|(at, piece)| (used.get(&piece.title).copied().unwrap_or(at), at, piece.title.clone()));
    let Some((_, at, title)) = idle.min() else { return false };
    let of = |(of, piece): &(usize, &mut Piece)| *of == at && piece.title == title && !piece.pinned && may(piece);
    let Some((_, piece)) = conversation.pieces_mut().find(of) else { return false };
    change(piece);
    note(reduced, at, piece);
    true
}

/// The last entry that has to do with each attachment: it was read or edited there, or spoken of.
fn last_used(conversation: &Conversation) -> HashMap<String, usize> {
    let names: Vec<_> = attachments(conversation)
        .map(|(_, piece)| (piece.title.clone(), piece.title.trim_start_matches("file ").to_owned()))
        .collect();
    let mut used = HashMap::new();
    for (at, entry) in conversation.entries().iter().enumerate() {
        let around = |c: char| c.is_whitespace() || "`'\"()<>,;:@".contains(c);
        let said = entry.body.words().split(around).map(|word| word.trim_end_matches('.'));
        let titles = entry.body.pieces().iter().flat_map(|piece| piece.title.split(' '));
        let words: HashSet<_> = said.chain(titles).collect();
        for (title, name) in &names {
            if words.contains(name.as_str()) {
                used.insert(title.clone(), at);
            }
        }
    }
    used
}

/// The outline of a file, or how it begins where it has none.
fn summary(piece: &Piece) -> String {
    let name = piece.title.trim_start_matches("file ");
    let count = piece.text.lines().count();
    let lines: Vec<_> = piece.text.lines().collect();
    // Between the name, with the fence below it, and the other fence.
    if let ([_, fence, code @ .., _], true) = (&lines[..], piece.shown.is_some())
        && fence.starts_with("```")
    {
        let outline = rendered_outline(name, &code.join("\n"));
        if !outline.is_empty() {
            let count = code.len();
            return format!(
                "{name} has {count} lines; only its outline is shown: read what matters by range\n{outline}"
            );
        }
    }
    let mut head: Vec<_> = lines.into_iter().take(HEAD).collect();
    let fences = head.iter().filter(|line| line.starts_with("```")).count();
    if fences % 2 == 1 {
        head.push("```");
    }
    format!("{}\n… ({count} lines; the rest is not shown any more: read it by range)", head.join("\n"))
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

fn note(reduced: &mut Reduced, at: usize, piece: &Piece) {
    reduced.entries.push(at);
    reduced.told.push(piece.title.clone());
}
