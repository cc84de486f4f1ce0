//! Taking an answer to numbered comments apart: which part of it answers which comment.
//!
//! Comments are sent with their numbers in brackets ([`Numbers::Brackets`](super::Numbers)), and an answer is asked to begin
//! each of its parts with one: `[2] It is needed, because …`. That is the plainest form that even small models keep. What
//! else they write is understood, too: headings (`### 2.`, `**Comment 2:**`), then lists (`2. …`); the first of these forms
//! that an answer has is the only one that counts in it, so that a list within the answer to a comment stays in there.
//! Numbers in blocks of code are code.
//!
//! Nothing is guessed beyond that: what stands before the first number belongs to no comment.

/// A piece of an answer, in the order in which they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// Words, as Markdown.
    Text(&'a str),
    /// A change that was made in between, in a few words.
    Change(&'a str),
}

/// What an answer says to which comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Comments, by their place in the message from 0, and what is said to each, in order.
    pub to: Vec<(usize, String)>,
    /// What belongs to none.
    pub rest: String,
    /// The comments that its last part is for: what an answer that was cut did not say to its end.
    pub last: Vec<usize>,
}

/// How the parts of an answer begin, the surest form first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `[2]`
    Brackets,
    /// `## 2.`, `**Comment 2**`
    Heading,
    /// `2.`
    List,
}

/// Takes an answer to comments at `places` apart. If `strict`, only numbers in brackets count: the comments were asked
/// about earlier.
pub fn answers(said: &[Said<'_>], places: &[String], strict: bool) -> Answers {
    let forms: &[Form] = if strict { &[Form::Brackets] } else { &[Form::Brackets, Form::Heading, Form::List] };
    for &form in forms {
        let found = Reader { form, places }.read(said);
        if !found.to.is_empty() {
            return found;
        }
    }
    let all = words(said);
    match places {
        [_] if !strict && !all.is_empty() => Answers { to: vec![(0, all)], last: vec![0], ..Answers::default() },
        _ => Answers { rest: all, ..Answers::default() },
    }
}

fn words(said: &[Said<'_>]) -> String {
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
        Said::Change(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

struct Reader<'a> {
    form: Form,
    places: &'a [String],
}

/// A part of the answer that is being read.
#[derive(Default)]
struct Part {
    /// The comments that it is for; none is what stands before the first.
    to: Vec<usize>,
    text: String,
    changes: Vec<String>,
}

impl Reader<'_> {
    fn read(&self, said: &[Said<'_>]) -> Answers {
        let mut answers = Answers::default();
        let mut part = Part::default();
        let mut fence: Option<&str> = None;
        for piece in said {
            let text = match piece {
                Said::Text(text) => text,
                Said::Change(change) => {
                    part.changes.push((*change).to_owned());
                    continue;
                }
            };
            for line in text.lines() {
                let start = line.trim_start();
                match fence {
                    Some(open) if start.starts_with(open) => fence = None,
                    Some(_) => {}
                    None if start.starts_with("```") => fence = Some("```"),
                    None if start.starts_with("~~~") => fence = Some("~~~"),
                    None => {
                        if let Some((to, first)) = self.heading(line) {
                            answers.take(std::mem::take(&mut part));
                            part.to = to;
                            part.text.push_str(first);
                            part.text.push('\n');
                            continue;
                        }
                    }
                }
                part.text.push_str(line);
                part.text.push('\n');
            }
            part.text.push('\n');
        }
        answers.last.clone_from(&part.to);
        answers.take(part);
        answers.to.sort_by_key(|(number, _)| *number);
        answers
    }

    /// The comments that a line names at its start, and what else stands in it.
    fn heading<'l>(&self, line: &'l str) -> Option<(Vec<usize>, &'l str)> {
        let plain = line.trim_start();
        // Code is indented by four, and what belongs to an item of a list by two.
        if line.len() - plain.len() > 3 {
            return None;
        }
        let bare = plain.trim_start_matches(['#', '*', '_', '>', '-', ' ']);
        let is_marked = plain.starts_with('#') || plain.starts_with("**") || plain.starts_with("__");
        let (to, rest) = match self.form {
            Form::Brackets => self.bracketed(after_word(bare).unwrap_or(bare))?,
            Form::Heading => match (after_word(bare), is_marked) {
                (Some(named), _) => self.number(named)?,
                (None, true) => self.number(bare)?,
                (None, false) => return None,
            },
            Form::List if plain.len() == line.len() => {
                let (to, rest) = self.number(plain)?;
                (to, rest.strip_prefix(['.', ')'])?)
            }
            Form::List => return None,
        };
        Some((to, self.without_place(rest)))
    }

    /// `[2]`, `[1, 3]`, `[1][3]`; not the text of a link.
    fn bracketed<'l>(&self, mut rest: &'l str) -> Option<(Vec<usize>, &'l str)> {
        let mut to = Vec::new();
        while let Some((inside, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            for number in inside.split(',').flat_map(|part| part.split(" and ")) {
                to.push(self.index(number.trim().trim_start_matches('#'))?);
            }
            let next = behind.trim_start_matches([' ', ',']);
            rest = if next.starts_with('[') { next } else { behind };
        }
        (!to.is_empty() && !rest.starts_with('(')).then_some((to, rest))
    }

    fn number<'l>(&self, text: &'l str) -> Option<(Vec<usize>, &'l str)> {
        let text = text.trim_start_matches(['#', '[']);
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, rest) = text.split_at(digits);
        // `3 files were changed` names no comment.
        let ends = rest.is_empty() || rest.starts_with(['.', ')', ':', ']', '*', '_', ',', '-', '–', '—']);
        Some((vec![self.index(number)?], rest)).filter(|_| ends)
    }

    fn index(&self, number: &str) -> Option<usize> {
        let number: usize = number.parse().ok()?;
        number.checked_sub(1).filter(|index| *index < self.places.len())
    }

    /// What stands behind a number: without the punctuation of a heading, and without the place if it is repeated.
    fn without_place<'l>(&self, rest: &'l str) -> &'l str {
        const AROUND: [char; 12] = [' ', ':', '.', ')', ']', '-', '–', '—', '*', '_', '`', ','];
        let mut rest = rest.trim_start_matches(AROUND);
        // The longest first: `a.rs:1` begins `a.rs:12` as well.
        let repeated =
            self.places.iter().filter(|place| rest.starts_with(place.as_str())).max_by_key(|place| place.len());
        if let Some(place) = repeated {
            let behind = &rest[place.len()..];
            if !behind.starts_with(|c: char| c.is_ascii_digit()) {
                rest = behind.trim_start_matches(AROUND);
            }
        }
        rest
    }
}

/// What stands behind `Comment`, `Answer to comment` and the like.
fn after_word(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(word) = ["answer", "reply", "re:", "to", "comment", "no."].into_iter().find(|word| {
        let start = rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        start && rest[word.len()..].starts_with([' ', '#', '['])
    }) {
        rest = rest[word.len()..].trim_start();
    }
    (rest.len() < text.len()).then_some(rest)
}

impl Answers {
    fn take(&mut self, part: Part) {
        let Part { to, text, changes } = part;
        let text = text.trim().trim_end_matches("---").trim_end().trim_end_matches("**").trim_end();
        if to.is_empty() {
            text.clone_into(&mut self.rest);
            return;
        }
        // What was done says something, too, where no words do.
        let text = if text.is_empty() { changes.join("\n") } else { text.to_owned() };
        if text.is_empty() {
            return;
        }
        for number in to {
            match self.to.iter_mut().find(|(known, _)| *known == number) {
                Some((_, before)) if *before == text => {}
                Some((_, before)) => *before = format!("{before}\n\n{text}"),
                None => self.to.push((number, text.clone())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes an answer to two comments, at `a.rs:1` and `b.rs:12-14`, apart.
    fn taken(text: &str) -> Answers {
        answers(&[Said::Text(text)], &places(), false)
    }

    fn places() -> [String; 2] {
        ["a.rs:1".to_owned(), "b.rs:12-14".to_owned()]
    }

    #[track_caller]
    fn check(text: &str, first: &str, second: &str, rest: &str) {
        let all = [(0, first), (1, second)].into_iter().filter(|(_, text)| !text.is_empty());
        let to = all.map(|(number, text)| (number, text.to_owned())).collect();
        let found = taken(text);
        assert_eq!((found.to, found.rest.as_str()), (to, rest), "{text}");
    }

    #[test]
    fn parts_begin_with_their_number_in_brackets() {
        check("[1] Done.\n[2] No:\n\nit is needed.\n", "Done.", "No:\n\nit is needed.", "");
        check("Here you are.\n\n[2]: Done.\n\n[1] - Done, too.", "Done, too.", "Done.", "Here you are.");
        check("**[1]** Done.\n---\n### [2] b.rs:12-14\nIt is.", "Done.", "It is.", "");
        check("- [1] One\n- [2] Two", "One", "Two", "");
        check("[1, 2] Both are done.", "Both are done.", "Both are done.", "");
        check("[1] [2] Both.", "Both.", "Both.", "");
        check("[1] One\n\n[1] and more", "One\n\nand more", "", "");
        check("Comment [1]: Yes.\nAnswer to comment [2]: No.", "Yes.", "No.", "");
    }

    #[test]
    fn other_numbers_are_no_comments() {
        check("[1] See [2](http://x) and [3].\n[7] stays", "See [2](http://x) and [3].\n[7] stays", "", "");
        check("[1] So:\n```\n[2] = 5\n```\nThat is it.", "So:\n```\n[2] = 5\n```\nThat is it.", "", "");
        check("[1] Steps:\n1. this\n2. that\n[2] Fine.", "Steps:\n1. this\n2. that", "Fine.", "");
        check("3 files were changed.", "", "", "3 files were changed.");
        check("[2](http://x) is a link", "", "", "[2](http://x) is a link");
    }

    #[test]
    fn headings_and_lists_are_understood_where_there_are_no_brackets() {
        check("### 1. a.rs:1\n\nDone.\n\n### 2. b.rs:12-14, edited since\n\nWhy?", "Done.", "edited since\n\nWhy?", "");
        check("**Comment 1:** Done.\n**Comment 2:** Not.", "Done.", "Not.", "");
        check("So:\n1. Done.\n2. It stays.", "Done.", "It stays.", "So:");
        check("1) Done.\n2) It stays.\n   1. as it is", "Done.", "It stays.\n   1. as it is", "");
    }

    #[test]
    fn one_comment_alone_has_the_whole_answer() {
        let only = |text, strict| answers(&[Said::Text(text)], &places()[..1], strict);
        assert_eq!(only("Done, as you said.", false).to, [(0, "Done, as you said.".to_owned())]);
        assert_eq!(only("Done, as you said.", true).to, [], "asked about something else meanwhile");
        assert_eq!(only("[1] Now it is.", true).to, [(0, "Now it is.".to_owned())]);
    }

    #[test]
    fn what_was_done_answers_where_no_words_do() {
        let said =
            [Said::Text("[1]"), Said::Change("Changed a.rs"), Said::Text("[2] I say"), Said::Change("Changed b.rs")];
        let found = answers(&said, &places(), false);
        assert_eq!(found.to, [(0, "Changed a.rs".to_owned()), (1, "I say".to_owned())]);
    }

    #[test]
    fn the_last_part_is_the_one_that_a_cut_answer_did_not_finish() {
        assert_eq!(taken("[2] No.\n[1] Bec").last, [0]);
        assert_eq!(taken("[1, 2] Bo").last, [0, 1]);
        assert!(taken("I looked at").last.is_empty());
        assert_eq!(answers(&[Said::Text("Bec")], &places()[..1], false).last, [0]);
    }

    #[test]
    fn nothing_that_was_said_is_lost() {
        check("I looked at it and all is well.", "", "", "I looked at it and all is well.");
        check("", "", "", "");
    }
}
