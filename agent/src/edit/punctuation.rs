//! Characters that look alike: quotes, dashes and spaces that models write otherwise than the file has them.

use super::align::align;

/// What a character stands for in ASCII; `None` for one that stands for itself.
pub(super) fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' => "\"",
        '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' | '\u{2014}' | '\u{2015}' | '\u{2212}' => "-",
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' => "",
        _ => return None,
    })
}

/// `text` with plain punctuation and spaces.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match plain(c) {
            Some(plain) => folded.push_str(plain),
            None => folded.push(c),
        }
    }
    folded
}

/// A folded character, and the character it comes from.
struct Piece {
    folded: char,
    from: usize,
}

fn pieces(text: &[char]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(text.len());
    for (from, c) in text.iter().enumerate() {
        match plain(*c) {
            Some(plain) => pieces.extend(plain.chars().map(|folded| Piece { folded, from })),
            None => pieces.push(Piece { folded: *c, from }),
        }
    }
    pieces
}

/// Characters that a model writes where the file has plain ones: its manner of writing, and no wish.
#[derive(Clone, Debug, Default)]
pub(super) struct Manner {
    /// Whether it does so at all.
    any: bool,
    /// Characters of that kind that the file has all the same.
    own: Vec<char>,
}

impl Manner {
    /// Judged by lines of a file and what a model wrote for them.
    pub fn of<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>, file: &str) -> Self {
        let fancy = |text: &str| text.chars().filter(|c| plain(*c).is_some()).count();
        let any = pairs.into_iter().any(|(there, written)| fancy(written) > fancy(there));
        let own = if any { file.chars().filter(|c| plain(*c).is_some()).collect() } else { Vec::new() };
        Self { any, own }
    }

    fn has(&self, c: char) -> bool {
        self.any && plain(c).is_some() && !self.own.contains(&c)
    }

    /// A line that stands for none of the file's, in plain characters where the model would not write them.
    pub fn undone(&self, line: &str) -> String {
        if !self.any || line.is_ascii() {
            return line.to_owned();
        }
        line.chars().map(|c| if self.has(c) { folded(c.encode_utf8(&mut [0; 4])) } else { c.to_string() }).collect()
    }
}

/// The line `new`, which a model wrote in the place of `old`, with the file's own characters where it kept them.
///
/// `file` is the line that `old` stands for: folded, both are the same.
pub(super) fn with_own_characters(file: &str, old: &str, new: &str, manner: &Manner) -> String {
    let [file, old, new]: [Vec<char>; 3] = [file, old, new].map(|text| text.chars().collect());
    let [of_file, of_old, of_new] = [&file, &old, &new].map(|text| pieces(text));
    if of_file.len() != of_old.len() {
        return new.into_iter().collect();
    }
    let folds = |pieces: &[Piece]| pieces.iter().map(|piece| piece.folded).collect::<Vec<_>>();
    let pairs = align(&folds(&of_old), &folds(&of_new));
    // Which pieces of the new line are the file's own characters: those kept whole, first piece and others.
    let mut own: Vec<Option<(usize, bool)>> = vec![None; of_new.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let Some(first) = *pair else { continue };
        let from = of_file[first].from;
        let starts = first == 0 || of_file[first - 1].from != from;
        let count = of_file[first..].iter().take_while(|piece| piece.from == from).count();
        if starts && (0..count).all(|more| pairs.get(at + more) == Some(&Some(first + more))) {
            (0..count).for_each(|more| own[at + more] = Some((from, more == 0)));
        }
    }
    let mut result = String::with_capacity(new.len());
    let mut at = 0;
    while let Some(piece) = of_new.get(at) {
        // All pieces of one character of the new line.
        let end = at + of_new[at..].iter().take_while(|other| other.from == piece.from).count();
        let source = new[piece.from];
        if own[at..end].iter().all(Option::is_none) && !manner.has(source) {
            result.push(source);
        } else {
            for place in at..end {
                match own[place] {
                    Some((from, true)) => result.push(file[from]),
                    Some((_, false)) => {}
                    None => result.push(of_new[place].folded),
                }
            }
        }
        at = end;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_own_characters(file: &str, old: &str, new: &str) -> String {
        super::with_own_characters(file, old, new, &Manner::of([(file, old)].into_iter(), file))
    }

    #[test]
    fn the_file_keeps_its_quotes() {
        // A6
        let file = "She said, \u{201c}Hello.\u{201d}";
        assert_eq!(
            with_own_characters(file, "She said, \"Hello.\"", "She said, \"Good bye.\""),
            "She said, \u{201c}Good bye.\u{201d}"
        );
        assert_eq!(
            with_own_characters("a = 'b'", "a = \u{2018}b\u{2019}", "a = \u{2018}c\u{2019} + \u{2018}d\u{2019}"),
            "a = 'c' + 'd'"
        );
        assert_eq!(with_own_characters("wait\u{2026} x", "wait... x", "wait... y"), "wait\u{2026} y");
        assert_eq!(with_own_characters("wait\u{2026} x", "wait... x", "wait. y"), "wait. y");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_kept_it_reads_the_same(
            file in "[a\"'“”’ \u{a0}…—.-]{0,12}",
            new in "[ab\"'“”’ \u{a0}…—.-]{0,12}",
        ) {
            let old = folded(&file);
            prop_assert_eq!(folded(&with_own_characters(&file, &old, &new)), folded(&new));
            prop_assert_eq!(with_own_characters(&file, &old, &old), file.replace(|c: char| plain(c) == Some(""), ""));
        }
    }
}
