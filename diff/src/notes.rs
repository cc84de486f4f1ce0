//! What changed about a file that is not lines: its mode, its line endings, its encoding, …
//!
//! A view shows these as badges, `--json` lists their names. They are made from both sides as they were read; nothing is
//! read here.

use std::fmt;
use std::ops::Range;

use crate::{
    affix::Common,
    content::{SideContent, Text},
    engine,
    git::{FileChange, Mode, ObjectId, RepoPath, Side, Status},
};

/// One thing that is not lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The executable bit changed, or the type.
    Mode {
        /// Before.
        old: Mode,
        /// Now.
        new: Mode,
    },
    /// Lines end otherwise.
    LineEndings {
        /// Before.
        old: LineEndings,
        /// Now.
        new: LineEndings,
    },
    /// One side ends with a newline and the other does not: whether the new one does.
    FinalNewline(bool),
    /// A byte order mark came (true) or went.
    Bom(bool),
    /// The text is in another encoding.
    Encoding {
        /// Before.
        old: &'static str,
        /// Now.
        new: &'static str,
    },
    /// Lines differ in white space alone.
    WhitespaceOnly,
    /// So many lines differ in white space that the mode of the comparison overlooks: they count as equal.
    Overlooked(u64),
    /// A submodule is at another commit or has changes of its own.
    Submodule {
        /// Before.
        old: Option<ObjectId>,
        /// Now.
        new: Option<ObjectId>,
        /// Whether its own files are changed.
        dirty: bool,
    },
    /// A symbolic link points elsewhere, came or went.
    Symlink {
        /// Before.
        old: Option<RepoPath>,
        /// Now.
        new: Option<RepoPath>,
    },
    /// An empty file came (true) or went: there is no line to show.
    Empty(bool),
    /// So many characters came that nobody sees, or that change the order in which others are seen.
    Hidden(usize),
}

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndings {
    /// There is no line end.
    None,
    /// With LF.
    Lf,
    /// With CR and LF.
    Crlf,
    /// Some this way, some that.
    Mixed,
}

impl LineEndings {
    /// Looks at every line end of `text`.
    pub fn of(text: &[u8]) -> Self {
        let (mut lf, mut crlf) = (false, false);
        for at in memchr::memchr_iter(b'\n', text) {
            if at > 0 && text[at - 1] == b'\r' {
                crlf = true;
            } else {
                lf = true;
            }
            if lf && crlf {
                return Self::Mixed;
            }
        }
        match (lf, crlf) {
            (true, _) => Self::Lf,
            (_, true) => Self::Crlf,
            _ => Self::None,
        }
    }
}

impl fmt::Display for LineEndings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::Crlf => "CRLF",
            Self::Mixed => "mixed",
        })
    }
}

impl Note {
    /// The name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mode { .. } => "mode",
            Self::LineEndings { .. } => "line-endings",
            Self::FinalNewline(_) => "final-newline",
            Self::Bom(_) => "bom",
            Self::Encoding { .. } => "encoding",
            Self::WhitespaceOnly => "whitespace-only",
            Self::Overlooked(_) => "whitespace-overlooked",
            Self::Submodule { .. } => "submodule",
            Self::Symlink { .. } => "symlink",
            Self::Empty(_) => "empty",
            Self::Hidden(_) => "hidden-characters",
        }
    }
}

/// The badge: short, for people.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = |id: &Option<ObjectId>| id.map_or_else(|| "none".to_owned(), |id| id.short(9));
        match self {
            Self::Mode { old, new } => write!(f, "{} → {}", old.octal(), new.octal()),
            Self::LineEndings { old, new } => write!(f, "line endings {old} → {new}"),
            Self::FinalNewline(true) => f.write_str("newline at end added"),
            Self::FinalNewline(false) => f.write_str("newline at end removed"),
            Self::Bom(true) => f.write_str("BOM added"),
            Self::Bom(false) => f.write_str("BOM removed"),
            Self::Encoding { old, new } => write!(f, "{old} → {new}"),
            Self::WhitespaceOnly => f.write_str("white space only"),
            Self::Overlooked(1) => f.write_str("white space of 1 line hidden"),
            Self::Overlooked(lines) => write!(f, "white space of {lines} lines hidden"),
            Self::Submodule { old, new, dirty } => {
                write!(f, "submodule {} → {}{}", id(old), id(new), if *dirty { "-dirty" } else { "" })
            }
            Self::Symlink { old: Some(old), new: Some(new) } => write!(f, "link to {old} → {new}"),
            Self::Symlink { old: Some(old), .. } => write!(f, "link to {old} removed"),
            Self::Symlink { new: Some(new), .. } => write!(f, "link to {new}"),
            Self::Symlink { .. } => f.write_str("link"),
            Self::Empty(true) => f.write_str("empty file added"),
            Self::Empty(false) => f.write_str("empty file deleted"),
            Self::Hidden(1) => f.write_str("1 hidden character"),
            Self::Hidden(count) => write!(f, "{count} hidden characters"),
        }
    }
}

/// The notes of a change whose sides were read.
pub fn of(change: &FileChange, old: &SideContent, new: &SideContent) -> Vec<Note> {
    let common = match (old, new) {
        (SideContent::Text(old), SideContent::Text(new)) => Common::of(&old.bytes, &new.bytes),
        _ => Common::default(),
    };
    of_known(change, old, new, common)
}

/// The same of texts of which it is known what they have in common; that is looked at no closer.
pub fn of_known(change: &FileChange, old: &SideContent, new: &SideContent, common: Common) -> Vec<Note> {
    let mut notes = Vec::new();
    if let (Some(old), Some(new)) = (change.blob(Side::Old), change.blob(Side::New))
        && old.mode != new.mode
    {
        notes.push(Note::Mode { old: old.mode, new: new.mode });
    }
    match (old, new) {
        (SideContent::Text(old), SideContent::Text(new)) => {
            if old.bom != new.bom {
                notes.push(Note::Bom(new.bom));
            }
            if old.encoding != new.encoding && !old.bytes.is_ascii() && !new.bytes.is_ascii() {
                notes.push(Note::Encoding { old: old.encoding, new: new.encoding });
            }
            of_lines(&old.bytes, &new.bytes, common, &mut notes);
        }
        (SideContent::Missing, SideContent::Text(text)) if text.bytes.is_empty() => notes.push(Note::Empty(true)),
        (SideContent::Text(text), SideContent::Missing)
            if text.bytes.is_empty() && change.status == Status::Deleted =>
        {
            notes.push(Note::Empty(false));
        }
        _ => {}
    }
    let seen = |side: &SideContent| {
        side.text().map_or(0, |text| hidden(text.bytes.get(changed(text, common)).unwrap_or_default()))
    };
    let (before, now) = (seen(old), seen(new));
    notes.extend((now > before).then(|| Note::Hidden(now - before)));
    notes.extend(submodule(old, new));
    notes.extend(symlink(old, new));
    notes
}

/// What of a text is not in both, without a byte order mark, which has a note of its own.
fn changed(text: &Text, common: Common) -> Range<usize> {
    let mark = if text.bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    common.prefix.max(mark)..text.bytes.len() - common.suffix
}

/// Characters that are not seen, or that make others be seen in another order: marks of direction, and what has no width.
/// The joiner of emoji is none of them.
fn hidden(text: &[u8]) -> usize {
    let starts = memchr::memchr3_iter(0xe2, 0xd8, 0xef, text);
    let is_hidden = |at: &usize| match &text[*at..] {
        // U+200B, U+200E, U+200F and U+202A to U+202E
        [0xe2, 0x80, third, ..] => matches!(third, 0x8b | 0x8e | 0x8f | 0xaa..=0xae),
        // U+2060 and U+2066 to U+2069
        [0xe2, 0x81, third, ..] => matches!(third, 0xa0 | 0xa6..=0xa9),
        // U+061C
        [0xd8, 0x9c, ..] => true,
        // U+FEFF
        [0xef, 0xbb, 0xbf, ..] => true,
        _ => false,
    };
    starts.filter(is_hidden).count()
}

fn of_lines(old: &[u8], new: &[u8], common: Common, notes: &mut Vec<Note>) {
    if old.len() == new.len() && old.len() == common.prefix {
        return;
    }
    let (old_ends, new_ends) = line_endings(old, new, common);
    let endings = old_ends != new_ends && old_ends != LineEndings::None && new_ends != LineEndings::None;
    if endings {
        notes.push(Note::LineEndings { old: old_ends, new: new_ends });
    }
    let newline = |text: &[u8]| text.last().is_none_or(|&byte| byte == b'\n');
    let last = newline(old) != newline(new) && !old.is_empty() && !new.is_empty();
    if last {
        notes.push(Note::FinalNewline(newline(new)));
    }
    // What the other two notes explain needs no third.
    if only_whitespace(old, new, common, is_space)
        && !((endings || last) && only_whitespace(old, new, common, |byte| byte == b'\r'))
    {
        notes.push(Note::WhitespaceOnly);
    }
}

/// How the lines of two texts end. Where they end alike in what differs, that is all that was looked at.
fn line_endings(old: &[u8], new: &[u8], common: Common) -> (LineEndings, LineEndings) {
    let Common { prefix, suffix } = common;
    // From the start of a line, and with the newline that stands behind what differs.
    let start = memchr::memrchr(b'\n', &old[..prefix]).map_or(0, |newline| newline + 1);
    let middle = |text: &[u8]| LineEndings::of(&text[start..text.len() - suffix.saturating_sub(1)]);
    let (old_middle, new_middle) = (middle(old), middle(new));
    if old_middle == new_middle {
        return (old_middle, new_middle);
    }
    (LineEndings::of(old), LineEndings::of(new))
}

/// White space within a line.
fn is_space(byte: u8) -> bool {
    byte != b'\n' && engine::is_space(byte)
}

/// Whether lines pair up one to one and are equal when `blank` bytes and a missing last newline are overlooked.
fn only_whitespace(old: &[u8], new: &[u8], common: Common, blank: impl Fn(u8) -> bool) -> bool {
    let (old, new) = (old.strip_suffix(b"\n").unwrap_or(old), new.strip_suffix(b"\n").unwrap_or(new));
    let prefix = common.prefix.min(old.len()).min(new.len());
    let seen = |byte: &&u8| !blank(**byte);
    old[prefix..].iter().filter(seen).eq(new[prefix..].iter().filter(seen))
}

fn submodule(old: &SideContent, new: &SideContent) -> Option<Note> {
    let commit = |side: &SideContent| match side {
        SideContent::Submodule { commit, dirty } => Some((*commit, *dirty)),
        _ => None,
    };
    let (before, now) = (commit(old), commit(new));
    before.or(now)?;
    Some(Note::Submodule {
        old: before.and_then(|(commit, _)| commit),
        new: now.and_then(|(commit, _)| commit),
        dirty: now.is_some_and(|(_, dirty)| dirty),
    })
}

fn symlink(old: &SideContent, new: &SideContent) -> Option<Note> {
    let target = |side: &SideContent| match side {
        SideContent::Symlink { target } => Some(target.clone()),
        _ => None,
    };
    let (old, new) = (target(old), target(new));
    (old.is_some() || new.is_some()).then_some(Note::Symlink { old, new })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(old: &str, new: &str, expected: &[&str]) {
        let mut notes = Vec::new();
        let common = Common::of(old.as_bytes(), new.as_bytes());
        of_lines(old.as_bytes(), new.as_bytes(), common, &mut notes);
        assert_eq!(notes.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{old:?} {new:?}");
    }

    #[test]
    fn case_1_5_32_lines_that_differ_in_more_or_less_than_text() {
        check("Hello", "Hello\n", &["newline at end added"]);
        check("Hello\n", "Hello", &["newline at end removed"]);
        check("a\r\nb\r\n", "a\nb\n", &["line endings CRLF → LF"]);
        check("a\r\nb\n", "a\nb\n", &["line endings mixed → LF"]);
        check("a\n", "  a\n", &["white space only"]);
        check("a\r\nb\r\n", "  a\nb\n", &["line endings CRLF → LF", "white space only"]);
        check("a\n", "b\n", &[]);
        check("a\n\n", "a\n", &[]);
        check("", "a\n", &[]);
        check("a\r\nb\r\nc\r\n", "a\r\nb\nc\r\n", &["line endings CRLF → mixed"]);
        check("a\nb\r\nc\n", "a\nb\nc\n", &["line endings mixed → LF"]);
        check("a\r\nb", "a\r\nb\r\n", &["newline at end added"]);
    }

    #[test]
    fn characters_that_nobody_sees_are_counted() {
        assert_eq!(hidden("a\u{202e}b\u{2066}c\u{200b}\u{feff}\u{61c}".as_bytes()), 5);
        assert_eq!(hidden("“quoted” – 👩\u{200d}👧 é ض ﷽".as_bytes()), 0);
    }

    proptest! {
        #[test]
        fn what_both_sides_share_changes_nothing(old in "[a \r\n]{0,12}", new in "[a \r\n]{0,12}", ends in "[a\r\n]{0,4}") {
            let (old, new) = (format!("{ends}{old}{ends}"), format!("{ends}{new}{ends}"));
            let common = Common::of(old.as_bytes(), new.as_bytes());
            let whole = |text: &str| LineEndings::of(text.as_bytes());
            let (old_ends, new_ends) = line_endings(old.as_bytes(), new.as_bytes(), common);
            prop_assert_eq!(old_ends == new_ends, whole(&old) == whole(&new));
            if old_ends != new_ends {
                prop_assert_eq!((old_ends, new_ends), (whole(&old), whole(&new)));
            }
            let seen = |text: &str| {
                text.strip_suffix('\n').unwrap_or(text).replace([' ', '\r'], "")
            };
            prop_assert_eq!(only_whitespace(old.as_bytes(), new.as_bytes(), common, is_space), seen(&old) == seen(&new));
        }
    }
}
