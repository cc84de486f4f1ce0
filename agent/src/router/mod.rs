//! One name for several models: who is asked, who is asked next, and why.
//!
//! Who can is found first (vision, tools, a window that fits), then who is well, then who is cheapest, then who was
//! quickest; the order of the list decides the rest. A model that fails *rests* for a while and is asked last meanwhile.
//!
//! Invariants: one request is never sent to a model again that refused it. What came before a failure is voided
//! ([`Event::Restarted`]) before the next one's words come. The reply says who answered and why; a failure of all says
//! of each why it did not.

mod choice;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use choice::{Candidate, Need, Verdict};

use crate::provider::reply::Events;
use crate::provider::{
    Asked, Chat, Event, Facts, Finish, ModelSpec, Notice, Provider, ProviderError, Reply, Request, SessionKey,
};

/// See the module. Cheap to clone; clones share health and figures.
#[derive(Clone, Debug)]
pub struct Router {
    inner: std::sync::Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    members: Vec<Member>,
    /// What each session had of which member last: its prompt is in that one's cache. The oldest first.
    sessions: Mutex<VecDeque<(SessionKey, usize, u64)>>,
}

#[derive(Debug)]
struct Member {
    provider: Provider,
    record: Mutex<Record>,
}

/// How a member did.
#[derive(Clone, Debug, Default)]
struct Record {
    /// Failures since the last success.
    failures: u32,
    rests_until: Option<Instant>,
    /// Seconds to the first word, later ones weighing more.
    latency: Option<f64>,
    /// Tokens of a reply, likewise.
    completion: Option<f64>,
}

/// Sessions whose last prompt is remembered.
const SESSIONS: usize = 64;

impl Router {
    /// Members in the order of preference. Nothing is dialled yet.
    pub fn new(name: &str, specs: Vec<ModelSpec>) -> Result<Self, ProviderError> {
        if specs.is_empty() {
            return Err(ProviderError::Setup { model: name.to_owned(), reason: "it has no models".to_owned() });
        }
        let member = |spec| Ok(Member { provider: Provider::new(spec)?, record: Mutex::default() });
        let members = specs.into_iter().map(member).collect::<Result<_, ProviderError>>()?;
        let inner = Inner { name: name.to_owned(), members, sessions: Mutex::default() };
        Ok(Self { inner: std::sync::Arc::new(inner) })
    }
}

impl Chat for Router {
    /// That of the first member.
    fn spec(&self) -> &ModelSpec {
        self.inner.members[0].provider.spec()
    }

    fn send(&self, request: Request) -> Reply {
        let inner = std::sync::Arc::clone(&self.inner);
        Reply::run(|events| async move { inner.run(&request, &events).await })
    }

    /// If any of them does: a request with pictures goes to those that are set up to see.
    fn sees(&self) -> Asked<'_, bool> {
        let sees = self.inner.members.iter().any(|member| member.provider.spec().capabilities.vision);
        Box::pin(async move { Ok(sees) })
    }

    /// Of the largest window among the members: requests that fit only some of them go to those. Tools and sight only if
    /// all have them, for any may answer.
    fn facts(&self) -> Asked<'_, Facts> {
        Box::pin(async move {
            let mut all = Vec::new();
            let mut failure = None;
            for member in &self.inner.members {
                match member.provider.facts().await {
                    Ok(facts) => all.push(facts),
                    Err(error) => failure = Some(error),
                }
            }
            // One that is away is no reason not to know the others.
            if let (true, Some(error)) = (all.is_empty(), failure) {
                return Err(error);
            }
            let every = |has: fn(&Facts) -> Option<bool>| all.iter().map(has).reduce(|a, b| Some(a? && b?)).flatten();
            Ok(Facts {
                window: all.iter().filter_map(|facts| facts.window).max(),
                tools: every(|facts| facts.tools),
                vision: every(|facts| facts.vision),
                reasoning: every(|facts| facts.reasoning),
                slots: None,
                // The least of them: whoever answers must be able to keep to what is taught.
                parameters: all.iter().filter_map(|facts| facts.parameters).min(),
            })
        })
    }
}

impl Inner {
    async fn run(&self, request: &Request, events: &Events) -> Result<Finish, ProviderError> {
        let need = Need::of(request);
        let verdict = self.choose(request, &need);
        if let (true, Some(window)) = (verdict.order.is_empty(), verdict.largest) {
            // Whoever asks can make the prompt shorter.
            return Err(ProviderError::ContextOverflow { prompt: Some(need.prompt), limit: Some(u64::from(window)) });
        }
        let mut attempts: Vec<(String, String)> = verdict.passed_over;
        let mut overflow: Option<ProviderError> = None;
        let mut failed: Option<ProviderError> = None;
        let last = verdict.order.len().saturating_sub(1);
        for (turn, choice) in verdict.order.iter().enumerate() {
            let name = &self.members[choice.member].provider.spec().name;
            if let Some((from, why)) = attempts.last().filter(|_| turn > 0) {
                let notice = Notice::Failover { from: from.clone(), to: name.clone(), why: why.clone() };
                events.send(Event::Notice(notice)).await?;
            }
            // Only the last one is waited for when it is busy: the others have somebody behind them.
            match self.ask(choice.member, request, turn == last, events).await {
                Ok(mut finish) => {
                    let because = match attempts.last() {
                        Some((from, why)) if turn > 0 => format!("{from} could not answer: {why}"),
                        _ => choice.why.clone(),
                    };
                    finish.because = Some(because);
                    return Ok(finish);
                }
                Err(error) if !error.may_fail_over() => return Err(error),
                Err(error) => {
                    attempts.push((name.clone(), error.to_string()));
                    if matches!(error, ProviderError::ContextOverflow { .. }) {
                        overflow = Some(larger(overflow, error));
                    } else {
                        failed = Some(error);
                    }
                }
            }
        }
        // A shorter prompt helps if length is all that was in the way.
        match (overflow, failed) {
            (Some(overflow), None) => Err(overflow),
            (_, Some(error)) if attempts.len() == 1 => Err(error),
            _ => Err(ProviderError::NoneAnswered { name: self.name.clone(), attempts }),
        }
    }

    /// Who is asked in which order, by the figures of now.
    fn choose(&self, request: &Request, need: &Need) -> Verdict {
        let remembered = request.session.and_then(|session| {
            lock(&self.sessions)
                .iter()
                .find(|(known, ..)| *known == session)
                .map(|(_, member, prompt)| (*member, *prompt))
        });
        let now = Instant::now();
        let mut candidates = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let spec = member.provider.spec();
            let record = lock(&member.record).clone();
            let rests = record.rests_until.is_some_and(|until| until > now);
            candidates.push(Candidate {
                member: index,
                name: &spec.name,
                capabilities: spec.capabilities,
                window: member.provider.known_window(),
                price: spec.price,
                rests,
                latency: record.latency,
                completion: record.completion,
                cached: remembered.filter(|(of, _)| *of == index).map_or(0, |(_, prompt)| prompt),
            });
        }
        choice::choose(&candidates, need)
    }

    /// Asks one and passes on what it says.
    async fn ask(
        &self,
        index: usize,
        request: &Request,
        is_last: bool,
        events: &Events,
    ) -> Result<Finish, ProviderError> {
        let member = &self.members[index];
        let began = Instant::now();
        let mut first = None;
        let mut reply =
            if is_last { member.provider.send(request.clone()) } else { member.provider.send_once(request.clone()) };
        let mut said_something = false;
        while let Some(event) = reply.next().await {
            match event {
                Ok(Event::Finished(finish)) => {
                    lock(&member.record).succeeded(first.unwrap_or_else(|| began.elapsed()), &finish);
                    self.remember(request, index, &finish);
                    return Ok(finish);
                }
                Ok(event) => {
                    if matches!(event, Event::Text(_) | Event::Reasoning(_) | Event::CallStarted { .. }) {
                        first.get_or_insert_with(|| began.elapsed());
                        said_something = true;
                    }
                    events.send(event).await?;
                }
                Err(error) => {
                    lock(&member.record).failed(&error);
                    if said_something && error.may_fail_over() && !is_last {
                        events.send(Event::Restarted { why: error.to_string() }).await?;
                    }
                    return Err(error);
                }
            }
        }
        Err(ProviderError::Interrupted)
    }

    fn remember(&self, request: &Request, member: usize, finish: &Finish) {
        let (Some(session), Some(prompt)) = (request.session, finish.usage.prompt) else { return };
        let mut sessions = lock(&self.sessions);
        sessions.retain(|(known, ..)| *known != session);
        sessions.push_back((session, member, prompt));
        if sessions.len() > SESSIONS {
            sessions.pop_front();
        }
    }
}

impl Record {
    fn succeeded(&mut self, first: Duration, finish: &Finish) {
        self.failures = 0;
        self.rests_until = None;
        let blend = |old: Option<f64>, new: f64| Some(old.map_or(new, |old| 0.7 * old + 0.3 * new));
        self.latency = blend(self.latency, first.as_secs_f64());
        if let Some(tokens) = finish.usage.completion {
            self.completion = blend(self.completion, tokens as f64);
        }
    }

    /// How long it is left alone depends on what it said: a busy one as long as it asks for, one whose key or name is wrong
    /// until somebody has had time to put it right. What is the request's fault is not the model's.
    fn failed(&mut self, error: &ProviderError) {
        let rest = match error {
            ProviderError::ContextOverflow { .. }
            | ProviderError::NoTools { .. }
            | ProviderError::Refused { .. }
            | ProviderError::Interrupted => return,
            ProviderError::Busy { retry_after: Some(asked), .. } => *asked,
            ProviderError::Unauthorised { .. }
            | ProviderError::NoKey { .. }
            | ProviderError::UnknownModel { .. }
            | ProviderError::Exhausted { .. }
            | ProviderError::Redirected { .. }
            | ProviderError::Setup { .. } => Duration::from_mins(10),
            _ => {
                Duration::from_secs(30).saturating_mul(2_u32.saturating_pow(self.failures)).min(Duration::from_mins(10))
            }
        };
        self.failures += 1;
        self.rests_until = Instant::now().checked_add(rest.min(Duration::from_hours(1)));
    }
}

/// Of two overflows the one with the larger window.
fn larger(known: Option<ProviderError>, error: ProviderError) -> ProviderError {
    let limit = |error: &ProviderError| match error {
        ProviderError::ContextOverflow { limit, .. } => *limit,
        _ => None,
    };
    match known {
        Some(known) if limit(&known) >= limit(&error) => known,
        _ => error,
    }
}

/// Nothing of ours panics while it holds one of these; what they hold is whole in any case.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
