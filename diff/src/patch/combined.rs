//! Hunks of a merge against several parents at once, as `diff --cc` shows them: their form, reading and writing.
//!
//! A line has a column for each parent. A line of the result has `+` for parents that do not have it; a line that is not
//! in the result has `-` for parents that do. A parent's numbers count the lines it has.

use std::borrow::Cow;
use std::ops::Range;

/// Parents that a merge can be shown against.
pub const MAX_PARENTS: usize = 62;

/// A hunk against several parents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CombinedHunk<'a> {
    /// Lines of each parent, counted from 0.
    pub parents: Vec<Range<u32>>,
    /// Lines of the result, counted from 0.
    pub result: Range<u32>,
    /// What stands behind the last `@`.
    pub section: Cow<'a, [u8]>,
    /// The lines.
    pub lines: Vec<CombinedLine<'a>>,
}

/// A line of a hunk against several parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedLine<'a> {
    /// Whether the result has it.
    pub in_result: bool,
    /// Which parents have a sign in their column, by bit, the first parent lowest: those that lack a line of the result,
    /// or have one that is not in it.
    pub signs: u64,
    /// Whether git counts it and does not show it: a removal among leading context that is of no interest.
    pub hidden: bool,
    /// The line, without its LF.
    pub text: Cow<'a, [u8]>,
}

impl CombinedLine<'_> {
    /// The sign in a parent's column: `+`, `-` or a space.
    pub fn sign(&self, parent: usize) -> char {
        match (self.signs >> parent & 1 == 1, self.in_result) {
            (false, _) => ' ',
            (true, true) => '+',
            (true, false) => '-',
        }
    }

    /// Whether a parent has it.
    pub fn in_parent(&self, parent: usize) -> bool {
        (self.signs >> parent & 1 == 1) != self.in_result
    }

    /// Whether it is the same in all parents and the result.
    pub fn is_context(&self) -> bool {
        self.signs == 0
    }
}

/// The numbers of a line, counted from 0; none where it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedNumbers {
    /// By parent.
    pub parents: Vec<Option<u32>>,
    /// In the result.
    pub result: Option<u32>,
}

impl<'a> CombinedHunk<'a> {
    /// The lines with their numbers, without those that are not shown.
    pub fn numbered(&self) -> impl Iterator<Item = (CombinedNumbers, &CombinedLine<'a>)> {
        let mut next: Vec<u32> = self.parents.iter().map(|lines| lines.start).collect();
        let mut next_result = self.result.start;
        let number = |there: bool, next: &mut u32| {
            let number = *next;
            *next += u32::from(there);
            there.then_some(number)
        };
        let numbered = self.lines.iter().map(move |line| {
            let parents =
                next.iter_mut().enumerate().map(|(parent, next)| number(line.in_parent(parent), next)).collect();
            (CombinedNumbers { parents, result: number(line.in_result, &mut next_result) }, line)
        });
        numbered.filter(|(_, line)| !line.hidden)
    }

    /// The same with texts of its own.
    pub fn into_owned(self) -> CombinedHunk<'static> {
        let own = |text: Cow<'_, [u8]>| Cow::Owned(text.into_owned());
        let lines = self.lines.into_iter().map(|line| CombinedLine {
            in_result: line.in_result,
            signs: line.signs,
            hidden: line.hidden,
            text: own(line.text),
        });
        CombinedHunk { parents: self.parents, result: self.result, section: own(self.section), lines: lines.collect() }
    }
}

/// What a patch against several parents says about a file besides its lines.
#[derive(Clone, Debug, Default)]
pub struct CombinedHeader<'a> {
    /// Where the file is.
    pub path: &'a [u8],
    /// Whether hunks in which nothing was decided are left out (`--cc`).
    pub dense: bool,
    /// Object names in hexadecimal: of the parents and of the result.
    pub ids: Option<(Vec<&'a str>, &'a str)>,
    /// Modes in the parents, as git has them; none where a parent does not have the file.
    pub parent_modes: Vec<Option<u32>>,
    /// Mode of the result; none if it does not have the file.
    pub mode: Option<u32>,
}

/// What follows the header.
#[derive(Clone, Copy, Debug)]
pub enum CombinedBody<'a> {
    /// Hunks; none for a file that is gone.
    Hunks(&'a [CombinedHunk<'a>]),
    /// Some version is no text.
    Binary,
}

/// Appends the patch of one file of a merge, as git writes it.
pub fn write(out: &mut Vec<u8>, header: &CombinedHeader<'_>, body: CombinedBody<'_>) {
    let quoted = |out: &mut Vec<u8>, start: &str, prefix: &str, path: &[u8]| {
        out.extend_from_slice(start.as_bytes());
        super::quote::push(out, prefix, path);
        out.push(b'\n');
    };
    quoted(out, if header.dense { "diff --cc " } else { "diff --combined " }, "", header.path);
    if let Some((parents, result)) = &header.ids {
        out.extend_from_slice(format!("index {}..{result}\n", parents.join(",")).as_bytes());
    }
    let is_added = header.mode.is_some() && header.parent_modes.iter().all(Option::is_none);
    let modes = || {
        let modes = header.parent_modes.iter().map(|mode| format!("{:06o}", mode.unwrap_or(0)));
        modes.collect::<Vec<_>>().join(",")
    };
    match header.mode {
        Some(mode) if is_added => out.extend_from_slice(format!("new file mode {mode:06o}\n").as_bytes()),
        None => out.extend_from_slice(format!("deleted file mode {}\n", modes()).as_bytes()),
        mode if header.parent_modes.iter().any(|parent| *parent != mode) => {
            out.extend_from_slice(format!("mode {}..{:06o}\n", modes(), mode.unwrap_or(0)).as_bytes());
        }
        Some(_) => {}
    }
    let hunks = match body {
        CombinedBody::Binary => return out.extend_from_slice(b"Binary files differ\n"),
        CombinedBody::Hunks(hunks) => hunks,
    };
    match is_added {
        true => out.extend_from_slice(b"--- /dev/null\n"),
        false => quoted(out, "--- ", "a/", header.path),
    }
    match header.mode {
        None => out.extend_from_slice(b"+++ /dev/null\n"),
        Some(_) => quoted(out, "+++ ", "b/", header.path),
    }
    for hunk in hunks {
        write_hunk(out, hunk);
    }
}

/// Appends a hunk as git writes it.
pub fn write_hunk(out: &mut Vec<u8>, hunk: &CombinedHunk<'_>) {
    let at = vec![b'@'; hunk.parents.len() + 1];
    out.extend_from_slice(&at);
    for (sign, lines) in hunk.parents.iter().map(|lines| ('-', lines)).chain([('+', &hunk.result)]) {
        out.extend_from_slice(format!(" {sign}{},{}", lines.start + 1, lines.len()).as_bytes());
    }
    out.push(b' ');
    out.extend_from_slice(&at);
    if !hunk.section.is_empty() {
        out.push(b' ');
        out.extend_from_slice(&hunk.section);
    }
    out.push(b'\n');
    for line in hunk.lines.iter().filter(|line| !line.hidden) {
        out.extend((0..hunk.parents.len()).map(|parent| line.sign(parent) as u8));
        out.extend_from_slice(&line.text);
        out.push(b'\n');
    }
}

/// `@@@ -1,2 -3,4 +5,6 @@@ section`: the hunk without its lines; none if the line is no such header.
pub(super) fn header(line: &[u8]) -> Option<CombinedHunk<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let ats = line.iter().take_while(|&&byte| byte == b'@').count();
    if !(3..=MAX_PARENTS + 1).contains(&ats) {
        return None;
    }
    let mut rest = &line[ats..];
    let mut parents = Vec::with_capacity(ats - 1);
    while let Some(text) = rest.strip_prefix(b" -") {
        let (lines, behind) = range(text)?;
        parents.push(lines);
        rest = behind;
    }
    let (result, behind) = range(rest.strip_prefix(b" +")?)?;
    let rest = behind.strip_prefix(b" ")?.strip_prefix(&line[..ats])?;
    if parents.len() != ats - 1 {
        return None;
    }
    let section = Cow::Borrowed(rest.strip_prefix(b" ").unwrap_or(rest));
    Some(CombinedHunk { parents, result, section, lines: Vec::new() })
}

/// Other than in a patch of two sides, git tells where an empty range would begin, not the line before it; other programs
/// may say 0.
fn range(text: &[u8]) -> Option<(Range<u32>, &[u8])> {
    let (start, rest) = super::parse::number(text)?;
    let (len, rest) = match rest.strip_prefix(b",") {
        Some(rest) => super::parse::number(rest)?,
        None => (1, rest),
    };
    let start = start.saturating_sub(1);
    Some((start..start.checked_add(len)?, rest))
}

/// A line of a hunk against so many parents, given with its LF; none if it is no such line.
pub(super) fn line(line: &[u8], parents: usize) -> Option<CombinedLine<'_>> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    if text.is_empty() {
        // An empty line of context whose spaces a mail program took.
        return Some(CombinedLine { in_result: true, signs: 0, hidden: false, text: Cow::Borrowed(text) });
    }
    let (columns, text) = text.split_at_checked(parents)?;
    let sign = columns.iter().copied().find(|&byte| byte != b' ').unwrap_or(b'+');
    if !matches!(sign, b'+' | b'-') || columns.iter().any(|&byte| byte != b' ' && byte != sign) {
        return None;
    }
    let signs = columns.iter().enumerate().fold(0, |signs, (at, &byte)| signs | u64::from(byte == sign) << at);
    Some(CombinedLine { in_result: sign == b'+', signs, hidden: false, text: Cow::Borrowed(text) })
}
