//! The plain model of staging: texts are lists of lines, and a change is two of them.
//!
//! Nothing of it is shared with what it is compared with, but for which lines stand beside each other where the two sides
//! of a change have different lengths: that is what is shown, and is tested where it is made.

use diff::align;

/// Random numbers that are the same in every run (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A line: what stands in it, and what ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub body: String,
    pub ending: &'static str,
}

pub type Lines = Vec<Line>;

/// The bytes of a text.
pub fn bytes(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.body.as_bytes(), line.ending.as_bytes()].concat()).collect()
}

/// A stretch of both sides, by their line numbers: equal lines, or what replaced what.
#[derive(Clone, Debug)]
pub enum Piece {
    Equal { old: usize },
    Change { old: Vec<usize>, new: Vec<usize> },
}

/// Finds the pieces of two texts in each of which no line occurs twice.
pub fn pieces(old: &[Line], new: &[Line]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let mut at = 0;
    for (n, line) in old.iter().enumerate() {
        let Some(found) = new[at..].iter().position(|other| other == line) else {
            gone.push(n);
            continue;
        };
        come.extend(at..at + found);
        if !(gone.is_empty() && come.is_empty()) {
            pieces.push(Piece::Change { old: std::mem::take(&mut gone), new: std::mem::take(&mut come) });
        }
        pieces.push(Piece::Equal { old: n });
        at += found + 1;
    }
    come.extend(at..new.len());
    if !(gone.is_empty() && come.is_empty()) {
        pieces.push(Piece::Change { old: gone, new: come });
    }
    pieces
}

/// The lines of a change that are taken, by their numbers on either side.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    pub old: Vec<bool>,
    pub new: Vec<bool>,
}

/// The text in which the taken lines of the change are made and no others.
pub fn compose(old: &[Line], new: &[Line], pieces: &[Piece], taken: &Taken) -> Lines {
    let mut lines: Vec<(&[Line], usize)> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Equal { old: n } => lines.push((old, *n)),
            Piece::Change { old: olds, new: news } => {
                let rows = rows(old, new, olds, news);
                // Consecutive rows in which a line enters are a run; what stays in a run is before what enters.
                let enters = |row: &(Option<usize>, Option<usize>)| row.1.is_some_and(|n| taken.new[n]);
                let mut placed = Vec::new();
                for (at, row) in rows.iter().enumerate() {
                    let run = if enters(row) {
                        rows[..at].iter().rposition(|row| !enters(row)).map_or(0, |before| before + 1)
                    } else {
                        at
                    };
                    placed.extend(row.0.filter(|&n| !taken.old[n]).map(|n| ((run, 0, at), (old, n))));
                    placed.extend(row.1.filter(|&n| taken.new[n]).map(|n| ((run, 1, at), (new, n))));
                }
                placed.sort_by_key(|(place, _)| *place);
                lines.extend(placed.into_iter().map(|(_, line)| line));
            }
        }
    }
    ended(&lines)
}

/// Which lines of a change stand beside each other.
fn rows(old: &[Line], new: &[Line], olds: &[usize], news: &[usize]) -> Vec<(Option<usize>, Option<usize>)> {
    let of = |side: &[Line], lines: &[usize]| lines.iter().map(|&n| bytes(&side[n..=n])).collect::<Vec<_>>();
    let alignment = align::pairs(&of(old, olds), &of(new, news));
    let beside = |row| {
        let (a, b) = alignment.at(row);
        (a.map(|a| olds[a as usize]), b.map(|b| news[b as usize]))
    };
    (0..alignment.rows()).map(beside).collect()
}

/// Gives every line but the last an ending: that of the line before it in its own text, else that of the next, else a
/// newline.
fn ended(lines: &[(&[Line], usize)]) -> Lines {
    let mut text: Lines = Vec::new();
    for (at, (side, n)) in lines.iter().enumerate() {
        let mut line = side[*n].clone();
        if line.ending.is_empty()
            && let Some((next_side, next)) = lines.get(at + 1)
        {
            let before = n.checked_sub(1).map_or("", |before| side[before].ending);
            let next = next_side[*next].ending;
            line.ending = [before, next, "\n"].into_iter().find(|ending| !ending.is_empty()).unwrap();
        }
        text.push(line);
    }
    text
}

/// How lines of a generated file end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endings {
    Lf,
    CrLf,
    Mixed,
}

/// A file before and after, no line of which occurs twice on a side.
pub fn generate(random: &mut Random, endings: Endings) -> (Lines, Lines) {
    let (mut old, mut new): (Lines, Lines) = (Vec::new(), Vec::new());
    let mut number = 0;
    let mut line = |random: &mut Random| {
        number += 1;
        let ending = match endings {
            Endings::Lf => "\n",
            Endings::CrLf => "\r\n",
            Endings::Mixed => random.of(&["\n", "\r\n"]),
        };
        let word = random.of(&["let", "return", "if", "", "\t", "é", "fn", "}"]);
        Line { body: format!("{word} {number:x} {}", random.below(1000)), ending }
    };
    for _ in 0..random.below(5) {
        for _ in 0..random.below(6) {
            let same = line(random);
            old.push(same.clone());
            new.push(same);
        }
        match random.below(5) {
            0 => (0..random.below(4)).for_each(|_| old.push(line(random))),
            1 => (0..random.below(4)).for_each(|_| new.push(line(random))),
            // Changed within the line.
            2 => (0..random.below(4)).for_each(|_| {
                let before = line(random);
                new.push(Line { body: format!("{}!", before.body), ..before.clone() });
                old.push(before);
            }),
            3 if endings == Endings::Mixed => {
                let before = line(random);
                new.push(Line { ending: if before.ending == "\n" { "\r\n" } else { "\n" }, ..before.clone() });
                old.push(before);
            }
            _ => {
                (0..random.below(5)).for_each(|_| old.push(line(random)));
                (0..random.below(5)).for_each(|_| new.push(line(random)));
            }
        }
    }
    for side in [&mut old, &mut new] {
        if random.one_in(3)
            && let Some(last) = side.last_mut()
        {
            last.ending = "";
        }
    }
    (old, new)
}

/// A choice of lines: none, all, some, or one kind alone.
pub fn choose(random: &mut Random, old: usize, new: usize) -> Taken {
    let odds = random.of(&[(0, 0), (4, 4), (2, 2), (2, 2), (1, 3), (4, 0), (0, 4), (1, 1)]);
    let mut some = |len: usize, odds: usize| (0..len).map(|_| random.below(4) < odds).collect::<Vec<_>>();
    Taken { old: some(old, odds.0), new: some(new, odds.1) }
}
