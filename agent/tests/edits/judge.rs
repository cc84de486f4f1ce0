//! Applies the edits of the corpus and judges what comes out.

use std::collections::BTreeMap;

use agent::edit::{Target, apply};
use agent::protocol::{Ending, Item, Options, parse};

use super::corpus::{Case, Noise, Truth};

/// How an edit came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it must.
    Right,
    /// Nothing was written, and something should have been.
    Missed,
    /// Something else was written.
    Wrong,
}

/// What was written for a case; `None` for nothing.
pub fn outcome(case: &Case) -> Option<String> {
    let reply = parse(case.reply.as_bytes(), Options::default(), Ending::Whole);
    let mut text = case.before.clone();
    for item in &reply.items {
        let Item::Action(action) = item else { return None };
        let target = Target { path: &case.path, before: Some(&text), failed: 0 };
        match apply(action, target) {
            Ok(edited) => text = edited.text,
            Err(_) => return None,
        }
    }
    (text != case.before).then_some(text)
}

pub fn judge(case: &Case, outcome: Option<&str>) -> Verdict {
    match (&case.truth, outcome) {
        (Truth::Refused | Truth::Already, None) => Verdict::Right,
        (Truth::Refused | Truth::Already, Some(_)) => Verdict::Wrong,
        (Truth::Text(truth), Some(text)) if truth == text => Verdict::Right,
        (Truth::Text(_), Some(_)) => Verdict::Wrong,
        (Truth::Text(_), None) => Verdict::Missed,
    }
}

/// Right, missed and wrong edits by kind of noise.
#[derive(Debug, Default)]
pub struct Table(pub BTreeMap<Noise, [usize; 3]>);

impl Table {
    pub fn add(&mut self, noise: Noise, verdict: Verdict) {
        self.0.entry(noise).or_default()[verdict as usize] += 1;
    }

    pub fn sums(&self) -> [usize; 3] {
        self.0.values().fold([0; 3], |sums, row| [sums[0] + row[0], sums[1] + row[1], sums[2] + row[2]])
    }
}
