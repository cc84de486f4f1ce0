//! The order in which models are asked: nothing but figures in, an order and its reasons out.

use crate::provider::{Capabilities, Message, Price, Request};

/// What a request asks of a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Need {
    pub capabilities: Capabilities,
    /// Tokens of the prompt, estimated.
    pub prompt: u64,
    /// The most tokens of the reply, where the request says so.
    pub output: Option<u32>,
}

/// A token of code and English is about so many bytes; a server that counts otherwise says so by an overflow.
const BYTES_A_TOKEN: u64 = 4;

/// Tokens of a reply where none was seen yet.
const USUAL_REPLY: f64 = 500.0;

impl Need {
    pub fn of(request: &Request) -> Self {
        let images = |message: &Message| matches!(message, Message::User { images, .. } if !images.is_empty());
        Self {
            capabilities: Capabilities {
                chat: true,
                vision: request.messages.iter().any(images),
                tools: !request.tools.is_empty(),
                ..Capabilities::NONE
            },
            prompt: request.text_bytes() as u64 / BYTES_A_TOKEN,
            output: request.output_limit,
        }
    }
}

/// A model as the choice sees it.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    pub member: usize,
    pub name: &'a str,
    pub capabilities: Capabilities,
    pub window: Option<u32>,
    pub price: Option<Price>,
    pub rests: bool,
    /// Seconds to the first word.
    pub latency: Option<f64>,
    /// Tokens of a usual reply.
    pub completion: Option<f64>,
    /// Tokens of the prompt that its cache holds, from this session's last request.
    pub cached: u64,
}

/// A model that is to be asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    pub member: usize,
    pub why: String,
}

/// Who is asked, in order, and who is not and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    pub order: Vec<Choice>,
    pub passed_over: Vec<(String, String)>,
    /// The largest window among those that were passed over for theirs.
    pub largest: Option<u32>,
}

/// See the module above.
pub(super) fn choose(candidates: &[Candidate], need: &Need) -> Verdict {
    let mut verdict = Verdict::default();
    let mut able = Vec::new();
    for candidate in candidates {
        match unable(candidate, need) {
            Some(why) => {
                verdict.passed_over.push((candidate.name.to_owned(), why.to_string()));
                if let Unable::TooSmall { window, .. } = why {
                    verdict.largest = verdict.largest.max(Some(window));
                }
            }
            None => able.push((candidate, cost(candidate, need))),
        }
    }
    // Stable: what is equal stays in the order of the list. Unknown latency counts as none, so that each gets its try.
    able.sort_by(|(a, a_cost), (b, b_cost)| {
        let latency = |candidate: &Candidate| candidate.latency.unwrap_or(0.0);
        a.rests.cmp(&b.rests).then(a_cost.total_cmp(b_cost)).then(latency(a).total_cmp(&latency(b)))
    });
    let count = able.len();
    verdict.order = able
        .iter()
        .enumerate()
        .map(|(at, (candidate, cost))| Choice {
            member: candidate.member,
            why: why(at, count, candidate, *cost, &able),
        })
        .collect();
    verdict
}

/// Why a model cannot answer a request.
enum Unable {
    Lacks(Vec<&'static str>),
    TooSmall { needed: u64, window: u32 },
}

impl std::fmt::Display for Unable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lacks(what) => write!(f, "it has no {}", what.join(" and no ")),
            Self::TooSmall { needed, window } => write!(f, "about {needed} tokens do not fit its window of {window}"),
        }
    }
}

fn unable(candidate: &Candidate, need: &Need) -> Option<Unable> {
    let has = candidate.capabilities.names();
    let lacks: Vec<_> = need.capabilities.names().into_iter().filter(|name| !has.contains(name)).collect();
    if !lacks.is_empty() {
        return Some(Unable::Lacks(lacks));
    }
    let needed = need.prompt + u64::from(need.output.unwrap_or(0));
    let window = candidate.window.filter(|window| u64::from(*window) < needed)?;
    Some(Unable::TooSmall { needed, window })
}

/// What the request would cost there, in the user's currency.
fn cost(candidate: &Candidate, need: &Need) -> f64 {
    let Some(price) = candidate.price else { return 0.0 };
    let cached = candidate.cached.min(need.prompt) as f64;
    let reply = candidate.completion.unwrap_or(USUAL_REPLY).min(need.output.map_or(f64::MAX, f64::from));
    price.of(need.prompt as f64, cached, reply)
}

fn why(at: usize, count: usize, candidate: &Candidate, cost: f64, all: &[(&Candidate, f64)]) -> String {
    if count == 1 {
        return "the only one that can".to_owned();
    }
    if candidate.rests {
        return "all others that can rest, too".to_owned();
    }
    let well = all.iter().filter(|(other, _)| !other.rests).count();
    if well == 1 {
        return "the only one that is well".to_owned();
    }
    let next = all.get(at + 1).filter(|(other, _)| !other.rests);
    match next {
        Some((_, other)) if cost < *other => format!("the cheapest of {well} that can, about {cost:.4}"),
        Some((other, _)) if candidate.latency.is_some_and(|mine| other.latency.is_some_and(|other| mine < other)) => {
            format!("the quickest of {well} that cost the same")
        }
        _ => format!("the first of {well} that can"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(member: usize, name: &str) -> Candidate<'_> {
        Candidate {
            member,
            name,
            capabilities: Capabilities::default(),
            window: None,
            price: None,
            rests: false,
            latency: None,
            completion: None,
            cached: 0,
        }
    }

    fn need(prompt: u64) -> Need {
        Need { capabilities: Capabilities::default(), prompt, output: Some(1000) }
    }

    #[track_caller]
    fn check(candidates: &[Candidate], need: &Need, order: &[usize], first_because: &str) {
        let verdict = choose(candidates, need);
        assert_eq!(verdict.order.iter().map(|choice| choice.member).collect::<Vec<_>>(), order, "{verdict:?}");
        assert!(verdict.order.first().is_none_or(|first| first.why.contains(first_because)), "{verdict:?}");
    }

    fn priced(input: f64, output: f64, cached: Option<f64>) -> Price {
        Price { input, output, cached }
    }

    #[test]
    fn equals_keep_the_order_of_the_list() {
        check(&[candidate(0, "a"), candidate(1, "b")], &need(10), &[0, 1], "first of 2");
        check(&[candidate(0, "a")], &need(10), &[0], "only one that can");
    }

    #[test]
    fn the_cheapest_goes_first_and_what_costs_nothing_is_cheapest() {
        let dear = Candidate { price: Some(priced(3.0, 15.0, None)), ..candidate(0, "dear") };
        let cheap = Candidate { price: Some(priced(1.0, 5.0, None)), ..candidate(1, "cheap") };
        let local = candidate(2, "local");
        check(&[dear, cheap, local], &need(1000), &[2, 1, 0], "cheapest");
    }

    #[test]
    fn what_is_cached_is_counted_apart() {
        let warm = Candidate { price: Some(priced(3.0, 15.0, Some(0.3))), cached: 90_000, ..candidate(0, "warm") };
        let cold = Candidate { price: Some(priced(1.0, 15.0, Some(0.1))), ..candidate(1, "cold") };
        check(&[cold.clone(), warm.clone()], &need(100_000), &[0, 1], "cheapest");
        check(&[cold, Candidate { cached: 0, ..warm }], &need(100_000), &[1, 0], "cheapest");
    }

    #[test]
    fn who_rests_goes_last_whatever_it_costs() {
        let ill = Candidate { rests: true, ..candidate(0, "ill") };
        let dear = Candidate { price: Some(priced(3.0, 15.0, None)), ..candidate(1, "dear") };
        check(&[ill, dear], &need(10), &[1, 0], "only one that is well");
    }

    #[test]
    fn the_quickest_of_equals_goes_first_and_each_gets_its_try() {
        let slow = Candidate { latency: Some(2.0), ..candidate(0, "slow") };
        let quick = Candidate { latency: Some(0.5), ..candidate(1, "quick") };
        check(&[slow.clone(), quick.clone()], &need(10), &[1, 0], "quickest");
        check(&[slow, quick, candidate(2, "new")], &need(10), &[2, 1, 0], "");
    }

    #[test]
    fn who_cannot_is_not_asked_and_it_is_said_why() {
        let small = Candidate { window: Some(4096), ..candidate(0, "small") };
        let verdict = choose(&[small], &need(10_000));
        let why = "about 11000 tokens do not fit its window of 4096".to_owned();
        let passed_over = vec![("small".to_owned(), why)];
        assert_eq!(verdict, Verdict { order: Vec::new(), passed_over, largest: Some(4096) });
        let seeing = Need { capabilities: Capabilities { vision: true, ..Capabilities::default() }, ..need(1) };
        assert_eq!(choose(&[candidate(0, "blind")], &seeing).passed_over[0].1, "it has no vision");
    }
}
