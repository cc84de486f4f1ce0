//! Tries a model out and says what it is good for: a short suite of conversations, a grade, and the settings that follow.
//!
//! Each check is a question whose right answer is known beforehand; nothing is judged by taste. What cannot be tried is
//! skipped and says so, and does not count. The suite is small enough for a model of a few tokens a second: some fifteen
//! short replies. It takes no longer than it was given: what there was no time for is skipped.
//!
//! Invariant: the settings that are recommended rest on what was seen here, and what was not seen stays as it was.

mod cache;
mod calls;
mod context;
mod edits;

use std::pin::Pin;
use std::time::{Duration, Instant};

use crate::provider::{
    Chat as _, Collected, EditForm, Event, Facts, FinishReason, ModelSpec, Progress, Provider, ProviderError, Request,
    Waiting,
};

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Good,
    Partly,
    Bad,
    /// Could not be tried.
    Skipped,
    /// Something to know, neither good nor bad.
    Info,
}

/// A check and what it saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub name: &'static str,
    pub outcome: Outcome,
    /// One sentence with the figures.
    pub detail: String,
    /// What it counts for in the grade.
    weight: u32,
    /// From 0 to 1.
    points: f64,
}

impl Check {
    fn new(name: &'static str, weight: u32, points: f64, detail: impl Into<String>) -> Self {
        let outcome = match points {
            points if points >= 0.9 => Outcome::Good,
            points if points > 0.0 => Outcome::Partly,
            _ => Outcome::Bad,
        };
        Self { name, outcome, detail: detail.into(), weight, points }
    }

    fn skipped(name: &'static str, why: impl Into<String>) -> Self {
        Self { name, outcome: Outcome::Skipped, detail: why.into(), weight: 0, points: 0.0 }
    }

    fn info(name: &'static str, detail: impl Into<String>) -> Self {
        Self { outcome: Outcome::Info, ..Self::skipped(name, detail) }
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub model: String,
    pub checks: Vec<Check>,
    /// `A` to `F`.
    pub grade: char,
    /// The model with the settings that are recommended.
    pub recommended: ModelSpec,
    pub figures: Figures,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub window: Option<u32>,
    /// Tokens a second while reading what is not cached.
    pub reading: Option<f64>,
    /// Tokens a second while writing.
    pub writing: Option<f64>,
    /// The share of a repeated prompt that came from the cache.
    pub cached: Option<f64>,
}

/// What whoever waits is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen<'a> {
    /// What is being done now; the next one takes its place.
    Doing(&'a str),
    /// A check is over.
    Ended(&'a Check),
}

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unexamined {
    #[error(transparent)]
    Failed(#[from] ProviderError),
    #[error("the time was over before {model} had given one short reply; give it more")]
    TooSlow { model: String },
}

/// When it is over, nothing more is asked.
pub type Over<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Runs the suite until it is through or `over`; `seen` is told each check as it ends, and what is done until then. An error
/// means that the model could not be talked to at all.
///
/// What matters most for the settings comes first: whoever has little time learns that.
pub async fn examine(
    provider: &Provider,
    over: Over<'_>,
    seen: &mut dyn FnMut(Seen<'_>),
) -> Result<Report, Unexamined> {
    let mut examination = Examination {
        provider,
        over: Some(over),
        recommended: provider.spec().clone(),
        figures: Figures::default(),
        checks: Vec::new(),
        thought: 0,
        asked: 0,
        seen,
    };
    let facts = examination.facts().await?;
    examination.figures.window = facts.window;
    examination.recommended.context = facts.window.or(examination.recommended.context);
    examination.streams().await?;
    examination.edits().await;
    examination.calls(&facts).await;
    examination.context(&facts).await;
    examination.cache().await;
    examination.reasoning();
    examination.speed();
    let grade = grade(&examination.checks);
    let Examination { recommended, figures, checks, .. } = examination;
    Ok(Report { model: provider.spec().name.clone(), checks, grade, recommended, figures })
}

/// A suite under way.
struct Examination<'a> {
    provider: &'a Provider,
    /// None once it is over.
    over: Option<Over<'a>>,
    recommended: ModelSpec,
    figures: Figures,
    checks: Vec<Check>,
    /// Bytes of reasoning in all replies.
    thought: usize,
    /// Replies that came.
    asked: u32,
    seen: &'a mut dyn FnMut(Seen<'_>),
}

/// Why there is no reply.
enum Unasked {
    /// The time is used up.
    NoTime,
    Failed(ProviderError),
}

impl From<ProviderError> for Unasked {
    fn from(error: ProviderError) -> Self {
        Self::Failed(error)
    }
}

impl Unasked {
    /// What it means for a check: a failure counts, a lack of time does not.
    fn as_check(&self, name: &'static str, weight: u32) -> Check {
        match self {
            Self::NoTime => Check::skipped(name, "there was no time left for it"),
            Self::Failed(error) => Check::new(name, weight, 0.0, error.to_string()),
        }
    }
}

/// A reply with what a stopwatch says of it.
struct Timed {
    whole: Collected,
    /// How many pieces of text it came in.
    pieces: usize,
    to_first: Duration,
    writing: Duration,
}

impl Examination<'_> {
    fn note(&mut self, check: Check) {
        (self.seen)(Seen::Ended(&check));
        self.checks.push(check);
    }

    /// Does something as long as there is time.
    async fn in_time<T>(&mut self, work: impl AsyncFnOnce(&mut Self) -> T) -> Option<T> {
        let mut over = self.over.take()?;
        let done = tokio::select! {
            biased;
            () = &mut over => None,
            done = work(self) => Some(done),
        };
        if done.is_some() {
            self.over = Some(over);
        }
        done
    }

    /// Asks the server what it knows of the model. One that loads it is waited for.
    async fn facts(&mut self) -> Result<Facts, Unexamined> {
        (self.seen)(Seen::Doing("asking the server about the model"));
        let facts = async |examination: &mut Self| {
            let provider = examination.provider;
            loop {
                match provider.facts().await {
                    Err(error) if error.is_loading() => (examination.seen)(Seen::Doing(LOADING)),
                    answer => return answer,
                }
                tokio::time::sleep(provider.spec().provider.patience.loading_poll).await;
            }
        };
        match self.in_time(facts).await {
            Some(facts) => Ok(facts?),
            None => Err(self.too_slow()),
        }
    }

    fn too_slow(&self) -> Unexamined {
        Unexamined::TooSlow { model: self.provider.spec().name.clone() }
    }

    /// Asks the model; `what` is said to whoever waits.
    async fn ask(&mut self, what: &str, request: Request) -> Result<Timed, Unasked> {
        let timed = self.in_time(async |examination: &mut Self| examination.reply(what, request).await).await;
        let timed = timed.ok_or(Unasked::NoTime)??;
        self.thought += timed.whole.reasoning.len();
        self.asked += 1;
        Ok(timed)
    }

    async fn reply(&mut self, what: &str, request: Request) -> Result<Timed, ProviderError> {
        (self.seen)(Seen::Doing(what));
        let mut reply = self.provider.send(request);
        let began = Instant::now();
        let mut timed =
            Timed { whole: Collected::default(), pieces: 0, to_first: Duration::ZERO, writing: Duration::ZERO };
        while let Some(event) = reply.next().await {
            let event = event?;
            let is_word = matches!(event, Event::Text(_) | Event::Reasoning(_));
            if is_word && timed.pieces == 0 {
                timed.to_first = began.elapsed();
            }
            timed.pieces += usize::from(is_word);
            match &event {
                Event::Waiting(Waiting::Loading) => (self.seen)(Seen::Doing(LOADING)),
                Event::Waiting(Waiting::Retry { after, why, .. }) => {
                    (self.seen)(Seen::Doing(&format!("{why}; asking again in {} s", after.as_secs())));
                }
                Event::Reading(Progress { done, total, .. }) => {
                    (self.seen)(Seen::Doing(&format!("{what}: {done} of {total} tokens read")));
                }
                _ if is_word => (self.seen)(Seen::Doing(&format!("{what} ({})", timed.pieces))),
                _ => {}
            }
            timed.whole.take(event);
        }
        timed.writing = began.elapsed().saturating_sub(timed.to_first);
        Ok(timed)
    }

    /// Counting comes in many pieces and ends for a reason. Without it nothing else can be tried.
    async fn streams(&mut self) -> Result<(), Unexamined> {
        let mut request = Request::ask("Count from 1 to 30. Write only the numbers, separated by spaces.");
        request.output_limit = Some(400);
        let timed = match self.ask("letting it count to 30", request).await {
            Ok(timed) => timed,
            Err(Unasked::NoTime) => return Err(self.too_slow()),
            Err(Unasked::Failed(error)) => return Err(error.into()),
        };
        let usage = timed.whole.finish.usage;
        self.figures.writing = rate(usage.completion, usage.timings.completion.unwrap_or(timed.writing));
        let numbers = (1..=30)
            .filter(|n| timed.whole.text.split_whitespace().any(|word| word.trim_matches(',') == n.to_string()));
        let is_right = numbers.count() == 30;
        let mut wrong = Vec::new();
        if timed.pieces < 5 {
            wrong.push(format!("the reply came in {} pieces instead of as it is written", timed.pieces));
        }
        if timed.whole.finish.reason == FinishReason::Unstated {
            wrong.push("the server does not say why a reply ends, so one that was cut looks whole".to_owned());
        }
        if usage.completion.is_none() || usage.prompt.is_none() {
            wrong.push("the server counts no tokens".to_owned());
        }
        if !is_right {
            wrong.push("it did not count to 30".to_owned());
        }
        let points = 1.0 - 0.3 * wrong.len() as f64;
        let detail = match wrong.is_empty() {
            true => format!("a reply in {} pieces, with its reason and its count of tokens", timed.pieces),
            false => wrong.join("; "),
        };
        self.note(Check::new("streams", 15, points.max(0.0), detail));
        Ok(())
    }

    fn reasoning(&mut self) {
        // The settings say what all replies show, and one shows little.
        if self.asked < 2 {
            return self.note(Check::skipped("reasoning", "too few replies came"));
        }
        self.recommended.capabilities.reasoning = self.thought > 0;
        let detail = match self.thought {
            0 => "it answers without thinking first".to_owned(),
            bytes => format!("it thinks before it answers: {bytes} bytes in all, kept apart from the answers"),
        };
        self.note(Check::info("reasoning", detail));
    }

    fn speed(&mut self) {
        let Some(writing) = self.figures.writing else {
            return self.note(Check::skipped("speed", "the server counts no tokens"));
        };
        let reading = self.figures.reading.map(|rate| format!("reads {rate:.0} and ")).unwrap_or_default();
        // Below five tokens a second an edit of a function takes a minute; above twenty it is read as it comes.
        let points = ((writing - 2.0) / 18.0).clamp(0.0, 1.0);
        self.note(Check::new("speed", 10, points, format!("{reading}writes {writing:.1} tokens a second")));
    }
}

fn rate(tokens: Option<u64>, time: Duration) -> Option<f64> {
    let seconds = time.as_secs_f64();
    tokens.filter(|tokens| *tokens > 0 && seconds > 0.0).map(|tokens| tokens as f64 / seconds)
}

fn grade(checks: &[Check]) -> char {
    let total: u32 = checks.iter().map(|check| check.weight).sum();
    let points: f64 = checks.iter().map(|check| check.points * f64::from(check.weight)).sum();
    match points / f64::from(total.max(1)) {
        share if share >= 0.9 => 'A',
        share if share >= 0.75 => 'B',
        share if share >= 0.6 => 'C',
        share if share >= 0.4 => 'D',
        _ => 'F',
    }
}

const LOADING: &str = "the server is loading the model";
