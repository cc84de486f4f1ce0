//! The models of this user: those in their file, servers that are found, changes of the file, and trying a model out.
//!
//! The file is the one that the user may edit; whatever is changed here goes through [`agent::models`], which leaves their
//! words alone. Everything happens in the background; [`Models::take_results`] takes in what came of it.

use std::time::Instant;

use agent::doctor::{self, Check, Report};
use agent::models::{self, Addition};
use agent::provider::discovery::{self, Found};
use agent::provider::spec::{KeySource, Proxy};
use agent::provider::{Kind, ModelSpec, Price, Provider, ProviderSpec, keys};
use anyhow::Context as _;
use crossbeam_channel::{Receiver, bounded};
use editor::Cancel;
use tokio::runtime::Handle;

use super::agents::{self, Network};
use super::{Paths, store};
use crate::tasks::{Poll, Task, Tasks, Waker};

/// A model that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInfo {
    pub name: String,
    pub price: Option<Price>,
    /// It was found on this machine and is not set up.
    pub found: bool,
}

/// The models there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelList {
    /// Those that can be chosen: what is set up or, if nothing is, what was found.
    pub models: Vec<ModelInfo>,
    /// The one that is used where none is named.
    pub default: Option<String>,
    /// What stands in the file, and what is wrong with it.
    pub set_up: models::Models,
    /// Servers on this machine, if they were looked for.
    pub servers: Option<Vec<Found>>,
    /// Why the file cannot be read.
    pub unreadable: Option<String>,
}

impl ModelList {
    fn of(set_up: models::Models, servers: Option<Vec<Found>>) -> Self {
        let found = set_up.names().is_empty();
        let known = match &servers {
            Some(servers) if found => models::from_found(servers),
            _ => set_up.clone(),
        };
        let price = |name: &str| known.models.iter().find(|model| model.name == name).and_then(|model| model.price);
        let models = known.names().into_iter().map(|name| ModelInfo { price: price(&name), name, found }).collect();
        Self { models, default: known.preferred().map(str::to_owned), set_up, servers, unreadable: None }
    }

    /// What is wrong, a sentence each.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let told = |problem: &models::Problem| format!("line {}: {}", problem.line, problem.text);
        self.unreadable.iter().cloned().chain(self.set_up.problems.iter().map(told))
    }
}

/// A server that a person names.
#[derive(Clone)]
pub struct ByHand {
    pub address: String,
    /// What it speaks; found out if absent.
    pub kind: Option<Kind>,
    /// What it is called in the file; after its host if absent.
    pub name: Option<String>,
    /// Models as the server calls them; all that it lists if empty.
    pub models: Vec<String>,
    pub key: NewKey,
    pub proxy: Proxy,
}

/// Where the key of a server is, or shall be.
#[derive(Clone)]
pub enum NewKey {
    At(KeySource),
    /// This one, to be put into the system's keyring under the name of the provider; it is nowhere else.
    Store(String),
}

/// A change of the file.
#[derive(Clone)]
pub enum Change {
    /// Sets up the models of a server that was found.
    Found(Found),
    /// Asks a server for its models and sets them up.
    Server(ByHand),
    /// Another address or key for a server that is there.
    Provider {
        provider: ProviderSpec,
        key: NewKey,
    },
    /// What a person changed of a model, and what it was called.
    Model {
        was: String,
        model: ModelSpec,
    },
    /// What the doctor recommends.
    Recommended(ModelSpec),
    Remove(String),
    Default(String),
    /// What the file was before something was removed, if it is still what that left.
    Restore(Removed),
    /// Makes the file if there is none.
    Begin(&'static str),
}

/// The file before and after a model was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    pub name: String,
    before: String,
    after: String,
}

/// A model that is tried out, or was.
pub struct Trial {
    pub model: String,
    pub since: Instant,
    /// The checks that are over.
    pub checks: Vec<Check>,
    /// What is done now.
    pub doing: String,
    /// What came out, or why nothing did; none while it goes on.
    pub ended: Option<Result<Box<Report>, String>>,
    news: Receiver<Seen>,
    /// Dropping it stops what goes on.
    _stop: tokio::sync::oneshot::Sender<()>,
}

enum Seen {
    Doing(String),
    Check(Check),
    Ended(Result<Box<Report>, String>),
}

/// What came of a change.
pub enum News {
    /// It was not made.
    Failed(String),
    /// The file of models is there and can be opened.
    Begun,
}

/// See the module.
#[derive(Default)]
pub struct Models {
    pub network: Network,
    list: Option<ModelList>,
    listing: Option<Task<ModelList>>,
    changing: Option<Task<Result<Done, String>>>,
    trial: Option<Trial>,
    /// Whether the model that was asked about last sees pictures; none while its server is asked.
    sight: Option<(Option<String>, Result<bool, Task<bool>>)>,
    /// What was removed last, until something else is changed.
    pub removed: Option<Removed>,
    /// Why the last change was not made, until another one is.
    pub failed: Option<String>,
}

enum Done {
    Written(Option<Removed>),
    Begun,
}

impl Models {
    /// The models there are; asked for when they are not known.
    pub fn list(&mut self, paths: &Paths, tasks: &Tasks) -> Option<&ModelList> {
        if self.list.is_none() && self.listing.is_none() {
            self.read(false, paths, tasks);
        }
        self.list.as_ref()
    }

    /// What is known of them.
    pub fn known(&self) -> Option<&ModelList> {
        self.list.as_ref()
    }

    /// Finds out whether a model sees pictures: as it is set up, or else by asking its server.
    pub fn look_whether_sees(&mut self, name: Option<&str>, paths: &Paths, tasks: &Tasks) {
        match &mut self.sight {
            Some((of, sight)) if of.as_deref() == name => {
                if let Err(task) = sight {
                    match task.poll() {
                        Poll::Pending => {}
                        Poll::Ready(sees) => *sight = Ok(sees),
                        Poll::Lost => *sight = Ok(false),
                    }
                }
            }
            _ => {
                let (wanted, paths, network) = (name.map(str::to_owned), paths.clone(), self.network.clone());
                let task = tasks.spawn("ask whether a model sees", move |_| {
                    let Ok(runtime) = network.handle() else { return false };
                    let Ok(chat) = agents::open_model(&paths, wanted.as_deref(), &runtime) else { return false };
                    runtime.block_on(chat.sees()).unwrap_or(false)
                });
                self.sight = Some((name.map(str::to_owned), Err(task)));
            }
        }
    }

    /// Whether a model sees pictures, as far as that was found out.
    pub fn sees(&self, name: Option<&str>) -> Option<bool> {
        let (_, sight) = self.sight.as_ref().filter(|(of, _)| of.as_deref() == name)?;
        sight.as_ref().ok().copied()
    }

    /// Reads the file again, and looks for servers on this machine.
    pub fn look(&mut self, paths: &Paths, tasks: &Tasks) {
        self.read(true, paths, tasks);
    }

    /// Reads the file again; servers are looked for if nothing is set up, too.
    fn read(&mut self, look: bool, paths: &Paths, tasks: &Tasks) {
        self.sight = None;
        let (paths, network) = (paths.clone(), self.network.clone());
        let before = self.list.as_ref().and_then(|list| list.servers.clone());
        self.listing = Some(tasks.spawn("list models", move |_| match agents::models(&paths) {
            Ok(set_up) => {
                let nothing = set_up.names().is_empty() && before.is_none();
                let servers = match network.handle() {
                    Ok(runtime) if look || nothing => Some(runtime.block_on(discovery::look(&discovery::PORTS))),
                    _ => before,
                };
                ModelList::of(set_up, servers)
            }
            Err(error) => ModelList { unreadable: Some(error.to_string()), ..ModelList::default() },
        }));
    }

    pub fn is_looking(&self) -> bool {
        self.listing.is_some()
    }

    /// Whether the file is being changed.
    pub fn is_changing(&self) -> bool {
        self.changing.is_some()
    }

    /// Changes the file.
    pub fn change(&mut self, change: Change, paths: &Paths, tasks: &Tasks) {
        (self.removed, self.failed) = (None, None);
        let (paths, network) = (paths.clone(), self.network.clone());
        self.changing = Some(tasks.spawn("change models", move |cancel| {
            carry_out(change, &paths, &network, cancel).map_err(|error| format!("{error:#}"))
        }));
    }

    /// Gives up a change that takes its time.
    pub fn give_up(&mut self) {
        self.changing = None;
    }

    /// Tries a model of the file out; one that is tried already is stopped.
    pub fn try_out(&mut self, name: &str, waker: &Waker) {
        self.trial = None;
        let list = self.list.as_ref();
        let Some(spec) = list.and_then(|list| list.set_up.models.iter().find(|model| model.name == name)).cloned()
        else {
            return;
        };
        let started = self.network.handle().and_then(|runtime| Ok(Trial::start(spec, runtime, waker.clone())?));
        match started {
            Ok(trial) => self.trial = Some(trial),
            Err(error) => self.failed = Some(format!("{name} cannot be tried out: {error:#}")),
        }
    }

    /// The model that is tried out.
    pub fn trial(&self) -> Option<&Trial> {
        self.trial.as_ref()
    }

    /// Stops trying, or puts away what came out.
    pub fn end_trial(&mut self) {
        self.trial = None;
    }

    /// Whether a model is being tried out.
    pub fn is_trying(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.ended.is_none())
    }

    /// Takes in what happened. Never waits.
    pub fn take_results(&mut self, paths: &Paths, tasks: &Tasks) -> Option<News> {
        if let Some(trial) = &mut self.trial {
            trial.take();
        }
        if let Some(list) = self.listing.as_ref().and_then(|task| ready(task, ModelList::default)) {
            (self.list, self.listing) = (Some(list), None);
        }
        let lost = || Err("it ended unexpectedly; try again".to_owned());
        let changed = self.changing.as_ref().and_then(|task| ready(task, lost))?;
        self.changing = None;
        self.read(false, paths, tasks);
        match changed {
            Ok(Done::Written(removed)) => {
                self.removed = removed;
                None
            }
            Ok(Done::Begun) => Some(News::Begun),
            Err(why) => {
                self.failed = Some(why.clone());
                Some(News::Failed(why))
            }
        }
    }
}

/// The value of a task that is over.
fn ready<T>(task: &Task<T>, lost: impl FnOnce() -> T) -> Option<T> {
    match task.poll() {
        Poll::Pending => None,
        Poll::Ready(value) => Some(value),
        Poll::Lost => Some(lost()),
    }
}

impl Trial {
    /// Begins on a thread of its own: the suite takes minutes.
    ///
    /// # Errors
    /// When the system gives no thread.
    fn start(spec: ModelSpec, runtime: Handle, waker: Waker) -> std::io::Result<Self> {
        let model = spec.name.clone();
        // Whoever does not look for so long has not missed a check: they are few, what is done in between is many.
        let (send, news) = bounded(4096);
        let (stop, stopped) = tokio::sync::oneshot::channel();
        std::thread::Builder::new().name("doctor".to_owned()).spawn(move || {
            let tell = |seen: Seen| {
                drop(send.try_send(seen)); // nobody looks any more if it was stopped
                waker.wake();
            };
            let mut seen = |seen: doctor::Seen<'_>| match seen {
                doctor::Seen::Doing(what) => tell(Seen::Doing(what.to_owned())),
                doctor::Seen::Ended(check) => tell(Seen::Check(check.clone())),
            };
            let examine = async {
                let over = Box::pin(std::future::pending::<()>());
                let report = doctor::examine(&Provider::new(spec)?, over, &mut seen).await?;
                Ok::<_, doctor::Unexamined>(Box::new(report))
            };
            let ended = runtime.block_on(async {
                tokio::select! {
                    ended = examine => Some(ended),
                    _ = stopped => None,
                }
            });
            if let Some(ended) = ended {
                tell(Seen::Ended(ended.map_err(|error| error.to_string())));
            }
        })?;
        Ok(Self {
            model,
            since: Instant::now(),
            checks: Vec::new(),
            doing: String::new(),
            ended: None,
            news,
            _stop: stop,
        })
    }

    fn take(&mut self) {
        use crossbeam_channel::TryRecvError;
        while self.ended.is_none() {
            match self.news.try_recv() {
                Ok(Seen::Doing(what)) => self.doing = what,
                Ok(Seen::Check(check)) => self.checks.push(check),
                Ok(Seen::Ended(ended)) => self.ended = Some(ended),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.ended = Some(Err("the examination failed inside; try again".to_owned()));
                }
            }
        }
    }
}

fn carry_out(change: Change, paths: &Paths, network: &Network, cancel: &Cancel) -> anyhow::Result<Done> {
    let path = paths.models();
    let there = store::read(&path)?;
    let is_there = there.is_some();
    let text = there.unwrap_or_default();
    let edited = |edited: Result<String, String>| edited.map_err(anyhow::Error::msg);
    let mut removed = None;
    let after = match change {
        Change::Found(found) => edited(models::add(&text, &addition(&found, &models::parse(&text))))?,
        Change::Server(by_hand) => {
            let set_up = models::parse(&text);
            let found = network.handle()?.block_on(ask(&by_hand, &set_up))?;
            anyhow::ensure!(!found.models.is_empty(), "{} lists no models; name one", by_hand.address);
            if cancel.is_cancelled() {
                return Ok(Done::Written(None));
            }
            let mut addition = addition(&found, &set_up);
            if let Some(name) = &by_hand.name {
                addition.provider.name.clone_from(name);
            }
            edited(models::add(&text, &addition))?
        }
        Change::Provider { mut provider, key } => {
            provider.key = keep_key(&provider.name, &key)?;
            edited(models::add(&text, &Addition { provider, models: Vec::new(), default: None }))?
        }
        Change::Model { was, model } => edited(models::change(&text, &was, &model))?,
        Change::Recommended(model) => edited(models::set(&text, &model))?,
        Change::Remove(name) => {
            let after = edited(models::remove(&text, &name))?;
            removed = Some(Removed { name, before: text.clone(), after: after.clone() });
            after
        }
        Change::Default(name) => edited(models::prefer(&text, &name))?,
        Change::Restore(removed) => {
            anyhow::ensure!(text == removed.after, "the file of models was changed since; add {} again", removed.name);
            removed.before
        }
        Change::Begin(first) => {
            if !is_there {
                store::write(&path, first)?;
            }
            return Ok(Done::Begun);
        }
    };
    store::write(&path, &after)?;
    Ok(Done::Written(removed))
}

/// The models of a server that are not there yet; the first one is the default if nothing else is.
fn addition(found: &Found, there: &models::Models) -> Addition {
    Addition::of(found, there, there.preferred().is_none())
}

/// A server that a person names, with its models: those that are named, or all that it lists. Its key is stored if it is
/// to be.
///
/// # Errors
/// When the server is not there, or wants a key.
pub async fn ask(by_hand: &ByHand, there: &models::Models) -> anyhow::Result<Found> {
    let address = by_hand.address.trim();
    let host = address.split("://").last().unwrap_or(address).split(['/', ':']).next().unwrap_or(address);
    let name = by_hand.name.clone().unwrap_or_else(|| models::provider_name(there, host, address));
    let mut provider = ProviderSpec::new(name, by_hand.kind.unwrap_or(Kind::OpenAiCompatible), address);
    provider.proxy = by_hand.proxy.clone();
    provider.key = keep_key(&provider.name, &by_hand.key)?;
    let mut found = match by_hand.kind {
        None => discovery::recognise(&provider).await,
        Some(_) => None,
    };
    let bare =
        |models, is_loading| Found { what: provider.kind.name(), provider: provider.clone(), models, is_loading };
    if found.is_none() && by_hand.models.is_empty() {
        found = Some(match discovery::models(&provider).await {
            Ok(models) => bare(models, false),
            Err(error) if error.is_loading() => bare(vec!["default".to_owned()], true),
            // Whoever is not there, or wants a key, says so here.
            Err(error) => return Err(error.into()),
        });
    }
    let mut found = found.unwrap_or_else(|| bare(Vec::new(), false));
    if !by_hand.models.is_empty() {
        found.models.clone_from(&by_hand.models);
    }
    Ok(found)
}

/// Where a key is, after it was put into the keyring if it is to be.
fn keep_key(provider: &str, key: &NewKey) -> anyhow::Result<KeySource> {
    match key {
        NewKey::At(source) => Ok(source.clone()),
        NewKey::Store(key) => {
            keys::store(provider, key).map_err(anyhow::Error::msg).context(
                "the key was not kept; it can also come from an environment variable or from a program that prints it",
            )?;
            Ok(KeySource::Keyring(provider.to_owned()))
        }
    }
}
