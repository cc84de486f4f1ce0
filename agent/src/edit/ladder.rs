//! The ladder: how exactly the lines that a block looks for are met in the file.
//!
//! Rungs are tried from the strictest. The first that meets anything decides: one place is taken, several are refused.
//! Each rung also says how lines of the other half are written so that they fit: shifted, in tabs, with the file's own
//! punctuation.

use serde::Serialize;

use super::lines::{Line, indent_of, is_blank};
use super::punctuation::folded;
use super::strip::{self, Stripped};

/// How a block was met, from the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// Byte for byte.
    Exact,
    /// But for line endings.
    LineEndings,
    /// But for white space at ends of lines, or blank lines around the block.
    TrailingSpace,
    /// All lines shifted by the same indentation.
    Indentation,
    /// Tabs where the file has spaces, or spaces where it has tabs.
    Tabs,
    /// Other quotes, dashes or spaces.
    Punctuation,
    /// Line numbers before every line.
    Gutter,
    /// A fence around each half.
    Fence,
    /// Entities of XML.
    Entities,
}

impl Rung {
    /// As it is told to people and models.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineEndings => "but for line endings",
            Self::TrailingSpace => "but for white space at line ends",
            Self::Indentation => "shifted to the file's indentation",
            Self::Tabs => "with the file's tabs or spaces",
            Self::Punctuation => "with the file's own punctuation",
            Self::Gutter => "without line numbers",
            Self::Fence => "without fences",
            Self::Entities => "with entities decoded",
        }
    }
}

/// How all lines are shifted to be as the file has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    None,
    Deeper(String),
    Shallower(String),
}

/// Leading white space rewritten in the file's manner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tabs {
    Kept,
    /// So many spaces become a tab.
    FromSpaces(usize),
    /// A tab becomes so many spaces.
    ToSpaces(usize),
}

/// Where a block was met, and what it takes to write its other half there.
#[derive(Clone, Debug)]
pub(super) struct Met {
    /// The first line.
    pub at: usize,
    pub rung: Rung,
    pub shift: Shift,
    pub tabs: Tabs,
    pub own_punctuation: bool,
    /// The halves as they were met: without gutter, fence or entities, and blank lines around.
    pub search: Vec<String>,
    pub replace: Vec<String>,
}

/// What came of looking.
#[derive(Debug)]
pub(super) enum Look {
    Met(Box<Met>),
    /// Several places: their first lines.
    Several(Vec<usize>),
    Nowhere,
}

/// The file as the ladder looks at it.
pub(super) struct Ladder<'a> {
    lines: &'a [Line<'a>],
    text: &'a str,
    /// How the file is indented: a tab, or so many spaces.
    tabs: Option<usize>,
    /// Lines without white space at their ends, and at both sides; both folded, too.
    ended: Vec<&'a str>,
    trimmed: Vec<&'a str>,
    folded: Vec<String>,
}

impl<'a> Ladder<'a> {
    pub fn new(text: &'a str, lines: &'a [Line<'a>]) -> Self {
        let style = editor::Indent::detect(&editor::Text::from(text));
        let tabs = match style {
            Some(editor::Indent::Tabs) => None,
            Some(editor::Indent::Spaces(step)) => Some(usize::from(step)),
            None => Some(4),
        };
        let ended: Vec<_> = lines.iter().map(|line| line.text.trim_end()).collect();
        let trimmed = ended.iter().map(|line| line.trim_start()).collect();
        Self { lines, text, tabs, ended, trimmed, folded: Vec::new() }
    }

    /// Looks for `search`, from the strictest rung down.
    pub fn look(&mut self, search: &[String], replace: &[String]) -> Look {
        let plain = Stripped { search: search.to_vec(), replace: replace.to_vec(), must_be_at: None };
        match self.look_for(&plain) {
            Look::Nowhere => {}
            found => return found,
        }
        let stripped = [
            (Rung::Gutter, strip::gutter(search, replace)),
            (Rung::Fence, strip::fence(search, replace)),
            (Rung::Entities, strip::entities(search, replace, self.text)),
        ];
        for (rung, stripped) in stripped {
            let Some(stripped) = stripped else { continue };
            match self.look_for(&stripped) {
                Look::Nowhere => {}
                Look::Met(met) if stripped.must_be_at.is_some_and(|line| (met.at + 1).abs_diff(line) > 2) => {}
                Look::Met(met) => return Look::Met(Box::new(Met { rung, ..*met })),
                Look::Several(places) => return Look::Several(places),
            }
        }
        Look::Nowhere
    }

    /// The first six rungs.
    fn look_for(&mut self, halves: &Stripped) -> Look {
        let bare = without_blank_edges(halves);
        let all_blank = bare.search.is_empty();
        for (halves, strictest) in [(halves, true), (&bare, false)] {
            if halves.search.is_empty() || (!strictest && all_blank) {
                continue;
            }
            let met = |at: usize, rung: Rung| Met {
                at,
                rung,
                shift: Shift::None,
                tabs: Tabs::Kept,
                own_punctuation: false,
                search: halves.search.clone(),
                replace: halves.replace.clone(),
            };
            let places = places(self.lines, &halves.search, |line, wanted| line.text == wanted);
            if let Some(found) = decided(&places, |at| {
                let endings = self.lines[at..at + halves.search.len()].iter().any(|line| line.ending == "\r\n");
                let rung = if endings { Rung::LineEndings } else { Rung::Exact };
                met(at, if strictest { rung } else { Rung::TrailingSpace })
            }) {
                return found;
            }
            let search: Vec<&str> = halves.search.iter().map(|line| line.trim_end()).collect();
            let places = places_in(&self.ended, &search);
            if let Some(found) = decided(&places, |at| met(at, Rung::TrailingSpace)) {
                return found;
            }
        }
        if all_blank {
            return Look::Nowhere;
        }
        match self.shifted(&bare, Tabs::Kept) {
            Look::Nowhere => {}
            found => return found,
        }
        for tabs in self.manners(&bare.search) {
            match self.shifted(&bare, tabs) {
                Look::Nowhere => {}
                found => return found,
            }
        }
        self.with_punctuation(&bare)
    }

    /// Ways to rewrite the white space before `search` in the file's manner, the likeliest first.
    fn manners(&self, search: &[String]) -> Vec<Tabs> {
        let has = |sign: char| search.iter().any(|line| indent_of(line).contains(sign));
        match self.tabs {
            None if has(' ') => [4, 2, 8, 3].into_iter().map(Tabs::FromSpaces).collect(),
            Some(step) if has('\t') => {
                let mut steps = vec![step, 4, 8, 2];
                steps.dedup();
                steps.into_iter().map(Tabs::ToSpaces).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Lines that are the same but for one shift of all of them.
    fn shifted(&self, halves: &Stripped, tabs: Tabs) -> Look {
        let search: Vec<String> = halves.search.iter().map(|line| retabbed(line, tabs)).collect();
        let trimmed: Vec<&str> = search.iter().map(|line| line.trim()).collect();
        let rung = if tabs == Tabs::Kept { Rung::Indentation } else { Rung::Tabs };
        let places: Vec<(usize, Shift)> = places_in(&self.trimmed, &trimmed)
            .into_iter()
            .filter_map(|at| Some((at, self.shift(at, &search, str::to_owned)?)))
            .filter(|(_, shift)| fits(shift, &halves.replace, tabs))
            .collect();
        self.decided_shift(places, halves, rung, tabs, false)
    }

    /// The same with plain punctuation on both sides.
    fn with_punctuation(&mut self, halves: &Stripped) -> Look {
        if self.text.is_ascii() && halves.search.iter().all(|line| line.is_ascii()) {
            return Look::Nowhere;
        }
        if self.folded.is_empty() {
            self.folded = self.lines.iter().map(|line| folded(line.text)).collect();
        }
        let trimmed: Vec<&str> = self.folded.iter().map(|line| line.trim()).collect();
        let mut manners = vec![Tabs::Kept];
        manners.extend(self.manners(&halves.search));
        for tabs in manners {
            let search: Vec<String> = halves.search.iter().map(|line| folded(&retabbed(line, tabs))).collect();
            let wanted: Vec<&str> = search.iter().map(|line| line.trim()).collect();
            let places: Vec<(usize, Shift)> = places_in(&trimmed, &wanted)
                .into_iter()
                .filter_map(|at| Some((at, self.shift(at, &search, folded)?)))
                .filter(|(_, shift)| fits(shift, &halves.replace, tabs))
                .collect();
            match self.decided_shift(places, halves, Rung::Punctuation, tabs, true) {
                Look::Nowhere => {}
                found => return found,
            }
        }
        Look::Nowhere
    }

    fn decided_shift(
        &self,
        places: Vec<(usize, Shift)>,
        halves: &Stripped,
        rung: Rung,
        tabs: Tabs,
        own_punctuation: bool,
    ) -> Look {
        match &places[..] {
            [] => Look::Nowhere,
            [(at, shift)] => Look::Met(Box::new(Met {
                at: *at,
                rung,
                shift: shift.clone(),
                tabs,
                own_punctuation,
                search: halves.search.clone(),
                replace: halves.replace.clone(),
            })),
            several => Look::Several(several.iter().map(|(at, _)| *at).collect()),
        }
    }

    /// The one shift that makes all of `search` what stands at `at`; `None` if the lines need different ones.
    fn shift(&self, at: usize, search: &[String], own: impl Fn(&str) -> String) -> Option<Shift> {
        let mut shift: Option<Shift> = None;
        for (line, wanted) in self.lines[at..].iter().zip(search) {
            if is_blank(wanted) {
                continue;
            }
            let line = own(line.text);
            let (have, want) = (indent_of(&line), indent_of(wanted));
            let this = if have == want {
                Shift::None
            } else if let Some(more) = have.strip_suffix(want) {
                Shift::Deeper(more.to_owned())
            } else {
                Shift::Shallower(want.strip_suffix(have)?.to_owned())
            };
            match &shift {
                None => shift = Some(this),
                Some(before) if *before == this => {}
                Some(_) => return None,
            }
        }
        shift
    }
}

impl Met {
    /// A line of the other half as the file would have it.
    pub fn rewritten(&self, line: &str) -> String {
        if is_blank(line) {
            return line.trim_end().to_owned();
        }
        let line = retabbed(line, self.tabs);
        match &self.shift {
            Shift::None => line,
            Shift::Deeper(more) => format!("{more}{line}"),
            Shift::Shallower(less) => line.strip_prefix(less.as_str()).map_or(line.clone(), str::to_owned),
        }
    }
}

/// Whether all lines of the other half can be shifted as far.
fn fits(shift: &Shift, replace: &[String], tabs: Tabs) -> bool {
    match shift {
        Shift::None | Shift::Deeper(_) => true,
        Shift::Shallower(less) => {
            replace.iter().all(|line| is_blank(line) || retabbed(line, tabs).starts_with(less.as_str()))
        }
    }
}

fn retabbed(line: &str, tabs: Tabs) -> String {
    let indent = indent_of(line);
    let rest = &line[indent.len()..];
    let columns = |step: usize| indent.chars().map(|c| if c == '\t' { step } else { 1 }).sum::<usize>();
    match tabs {
        Tabs::Kept => line.to_owned(),
        Tabs::FromSpaces(step) => {
            let columns = columns(step);
            format!("{}{}{rest}", "\t".repeat(columns / step), " ".repeat(columns % step))
        }
        Tabs::ToSpaces(step) => format!("{}{rest}", " ".repeat(columns(step))),
    }
}

/// Without blank lines at the start and end of the search, and as many of the other half's.
fn without_blank_edges(halves: &Stripped) -> Stripped {
    let blank = |line: &&String| is_blank(line);
    let before = halves.search.iter().take_while(blank).count();
    let after = halves.search[before..].iter().rev().take_while(blank).count();
    let search = halves.search[before..halves.search.len() - after].to_vec();
    let replace = &halves.replace;
    let start = replace.iter().take(before).take_while(blank).count();
    let end = replace[start..].iter().rev().take(after).take_while(blank).count();
    Stripped { search, replace: replace[start..replace.len() - end].to_vec(), must_be_at: halves.must_be_at }
}

fn decided(places: &[usize], met: impl Fn(usize) -> Met) -> Option<Look> {
    match places {
        [] => None,
        [at] => Some(Look::Met(Box::new(met(*at)))),
        several => Some(Look::Several(several.to_vec())),
    }
}

/// Where `wanted` stands in `lines`, all places.
fn places_in(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    places(lines, wanted, |line, wanted| line == wanted)
}

fn places<L, W>(lines: &[L], wanted: &[W], same: impl Fn(&L, &W) -> bool) -> Vec<usize> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let fits = |window: &[L]| window.iter().zip(wanted).all(|(line, wanted)| same(line, wanted));
    lines.windows(wanted.len()).enumerate().filter(|(_, window)| fits(window)).map(|(at, _)| at).collect()
}
