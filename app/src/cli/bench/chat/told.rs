//! A conversation as people have them: prompts, reasoning, actions of several kinds, answers in prose and code. None of
//! its texts comes twice, so that nothing that was laid out serves for another.

use agent::action::{Action, Block};
use agent::context::{Body, Entry};
use agent::event::{ChangeKind, End, Event, EventKind, FileChange, Moment, SessionId};
use agent::session::{NewSession, Place, Store};

/// Messages of a run: what is asked, thought, done, and answered.
pub const OF_A_RUN: usize = 4;

const WORDS: [&str; 32] = [
    "the", "reader", "keeps", "every", "line", "of", "a", "file", "until", "its", "buffer", "is", "full", "and",
    "then", "writes", "them", "back", "in", "one", "piece", "which", "costs", "more", "memory", "than", "it", "saves",
    "time", "when", "nothing", "changed",
];

/// Text that looks chosen and is the same in every run of the bench.
pub struct Words(u64);

impl Words {
    pub fn of(seed: usize) -> Self {
        Self(seed as u64 * 2 + 1)
    }

    fn number(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn some(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.number(WORDS.len())]).collect();
        words.join(" ")
    }

    fn sentence(&mut self) -> String {
        let count = 8 + self.number(14);
        format!("So {} **{}** `{}_{}`.", self.some(count), self.some(2), self.some(1), self.number(1000))
    }

    fn code(&mut self, lines: usize) -> String {
        let mut out = String::from("```rust\n");
        out.push_str(&format!("fn {}_{}(path: &Path) -> io::Result<usize> {{\n", self.some(1), self.number(9999)));
        for _ in 0..lines {
            let (name, other, n) = (self.some(1), self.some(1), self.number(999));
            out.push_str(&format!("    let {name} = {other}.get({n}).unwrap_or(\"{}\"); // {n}\n", self.some(3)));
        }
        out.push_str("    Ok(0)\n}\n```\n");
        out
    }

    fn list(&mut self) -> String {
        (1..5).map(|n| format!("{n}. {}\n", self.sentence())).collect()
    }

    /// An answer; every third has code in it, every fifth is long.
    pub fn answer(&mut self, number: usize) -> String {
        let paragraphs = if number.is_multiple_of(5) { 6 } else { 2 };
        let mut out: String = (0..paragraphs)
            .map(|_| format!("{} {} {}\n\n", self.sentence(), self.sentence(), self.sentence()))
            .collect();
        match number % 3 {
            0 => out.push_str(&self.code(8)),
            1 => out.push_str(&format!("### {}\n\n{}", self.some(4), self.list())),
            _ => out.push_str(&format!("> {}\n", self.sentence())),
        }
        out.push_str(&format!("\n{}\n", self.sentence()));
        out
    }
}

/// Keeps a conversation of so many messages as if it had been held.
pub fn keep(store: &mut Store, project: &str, messages: usize) -> anyhow::Result<SessionId> {
    let (title, model) = (format!("A conversation of {messages} messages"), "scripted".to_owned());
    let session = store.begin(&NewSession { project: project.to_owned(), title, parent: None, model })?;
    for number in 1..=messages / OF_A_RUN {
        let run = number as u32;
        let mut words = Words::of(number);
        let prompt = words.sentence();
        let events = events(&mut words, number);
        let answer = events.iter().find_map(|kind| match kind {
            EventKind::Text { text } => Some(text.clone()),
            _ => None,
        });
        let bodies = [
            Body::Prompt { text: prompt, files: Vec::new() },
            Body::Reply { text: answer.unwrap_or_default(), reasoning: None, calls: Vec::new() },
        ];
        for body in bodies {
            let (part, words) = (body.part(), body.words().to_owned());
            let entry = Entry { place: Place::default(), run, step: 1, body };
            store.say(&session, run, part, &serde_json::to_value(&entry)?, &words)?;
        }
        for (n, kind) in events.into_iter().enumerate() {
            let time = Moment(number as i64 * 60_000 + n as i64 * 1500);
            store.append(&Event { session: session.clone(), run, time, kind })?;
        }
    }
    Ok(session)
}

/// What happens in a run.
fn events(words: &mut Words, number: usize) -> Vec<EventKind> {
    let (action, path) = (1, format!("src/{}_{}.rs", words.some(1), words.number(500)));
    let (name, call, result, changes) = match number % 4 {
        0 | 1 => {
            let result = (1..40).map(|n| format!("{n}: {}\n", words.some(6))).collect();
            ("read_file", Action::ReadFile { path: path.clone(), lines: None }, result, Vec::new())
        }
        2 => {
            let query = words.some(2);
            let result = (0..25).map(|_| format!("{path}:{}: {}\n", words.number(900), words.some(5))).collect();
            ("search_code", Action::SearchCode { query, path: None }, result, Vec::new())
        }
        _ => {
            let before: String = (0..9).map(|_| format!("    {}\n", words.some(6))).collect();
            let (search, replace) = (words.some(5), words.some(7));
            let (old, new) = (format!("{before}    {search}\n{before}"), format!("{before}    {replace}\n{before}"));
            let changes = vec![FileChange::between(&path, ChangeKind::Modified, &old, &new)];
            let blocks = vec![Block { search, replace }];
            ("edit_file", Action::EditFile { path: path.clone(), blocks }, "done".to_owned(), changes)
        }
    };
    let (name, title) = (name.to_owned(), format!("{name} {path}"));
    let files = changes.iter().map(|change| change.path.clone()).collect();
    vec![
        EventKind::Reasoning { text: format!("{} {}", words.sentence(), words.sentence()) },
        EventKind::ActionStarted { action, name: name.clone(), title, call },
        EventKind::ActionFinished { action, name, ok: true, result, changes, milliseconds: 3 },
        EventKind::Text { text: words.answer(number) },
        EventKind::Done { end: End::Done, report: String::new(), steps: 1, files },
    ]
}
