//! What an agent has of its user's: models, sessions, rules, the log. The command line and the window begin here.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use agent::host::Scope;
use agent::memory::Memory;
use agent::models::{self, Models, NoModel};
use agent::permissions;
use agent::provider::{Chat, Kind, ModelSpec, Provider, ProviderError, ProviderSpec, discovery};
use anyhow::Context as _;
use diff::git::Repo;
use diff::source::{Comparison, Source};

use super::{paths::Paths, store};

/// Where requests to models run; its threads are started when they are first needed. Cheap to clone.
#[derive(Clone, Default)]
pub struct Network(Arc<OnceLock<Option<tokio::runtime::Runtime>>>);

impl Network {
    /// Its runtime.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn handle(&self) -> anyhow::Result<tokio::runtime::Handle> {
        let start = || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(2).thread_name("agent-net").enable_all().build().ok()
        };
        let runtime = self.0.get_or_init(start).as_ref().context("the system gives no thread for the network")?;
        Ok(runtime.handle().clone())
    }
}

/// The file of sessions of this user.
pub fn sessions_file(paths: &Paths) -> PathBuf {
    paths.state.join("agent").join("sessions.sqlite")
}

/// The audit log of this user.
pub fn audit_file(paths: &Paths) -> PathBuf {
    paths.state.join("agent").join("audit.jsonl")
}

/// The user's own rules.
pub fn rules_file(paths: &Paths) -> PathBuf {
    paths.config.join("AGENTS.md")
}

/// What this user has allowed for good.
pub fn permissions_file(paths: &Paths) -> PathBuf {
    paths.config.join("permissions.toml")
}

/// What need not be asked in a project; what is wrong in the file allows nothing and is logged.
///
/// # Errors
/// When the file cannot be read.
pub fn always_allowed(paths: &Paths, project: &Path) -> anyhow::Result<Vec<Scope>> {
    let found = permissions::parse(&store::read(&permissions_file(paths))?.unwrap_or_default());
    for problem in &found.problems {
        tracing::warn!("permissions.toml: {problem}");
    }
    Ok(found.of(&project.to_string_lossy()))
}

/// Keeps that something need not be asked any more in a project.
///
/// # Errors
/// When the file cannot be read or written.
pub fn allow_always(paths: &Paths, project: &Path, scope: &Scope) -> anyhow::Result<()> {
    let path = permissions_file(paths);
    let text = store::read(&path)?.unwrap_or_default();
    let text = permissions::add(&text, &project.to_string_lossy(), scope).map_err(anyhow::Error::msg)?;
    store::write(&path, &text)
}

/// What stands in them, if there are any.
pub fn rules(paths: &Paths) -> Option<Memory> {
    let text = store::read(&rules_file(paths)).ok().flatten()?;
    Some(Memory { name: "your own AGENTS.md".to_owned(), text })
}

/// Why there is no model to talk to.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the models cannot be read: {0}")]
    Unreadable(String),
    #[error("no model can be used: {}:{line}: {text}", path.display())]
    Broken { path: PathBuf, line: usize, text: String },
    #[error(transparent)]
    None(#[from] NoModel),
    #[error(transparent)]
    Server(#[from] ProviderError),
}

/// The models that are set up.
///
/// # Errors
/// When their file cannot be read; what is wrong in it is among [`Models::problems`].
pub fn models(paths: &Paths) -> Result<Models, ModelError> {
    let text = store::read(&paths.models()).map_err(|error| ModelError::Unreadable(format!("{error:#}")))?;
    Ok(models::parse(&text.unwrap_or_default()))
}

/// A model by its name, by the address of its server, or what is used where none is named. Without any set-up this machine
/// is looked at. Waits for servers. What is wrong with single entries of the file is told by [`models`] alone.
///
/// # Errors
/// When there is none.
pub fn open_model(
    paths: &Paths,
    name: Option<&str>,
    runtime: &tokio::runtime::Handle,
) -> Result<Arc<dyn Chat>, ModelError> {
    if let Some(address) = name.filter(|name| name.starts_with("http://") || name.starts_with("https://")) {
        return at(address, runtime);
    }
    let set_up = models(paths)?;
    if !set_up.models.is_empty() {
        return Ok(set_up.open(name)?);
    }
    // Who meant to set something up is told why it does not count, and gets no other model instead.
    if let Some(problem) = set_up.problems.into_iter().next() {
        return Err(ModelError::Broken { path: paths.models(), line: problem.line, text: problem.text });
    }
    let found = runtime.block_on(discovery::look(&discovery::PORTS));
    Ok(models::from_found(&found).open(name)?)
}

/// A server by its address: its kind is what it answers, its model the first that it has.
fn at(address: &str, runtime: &tokio::runtime::Handle) -> Result<Arc<dyn Chat>, ModelError> {
    let address = address.trim_end_matches('/').trim_end_matches("/v1");
    let server = ProviderSpec::new("server", Kind::OpenAiCompatible, address);
    let (provider, models) = match runtime.block_on(discovery::recognise(&server)) {
        Some(found) => (found.provider, found.models),
        // Whoever is not there, or wants a key, says so here.
        None => (server.clone(), runtime.block_on(discovery::models(&server))?),
    };
    let id = models.into_iter().next().unwrap_or_else(|| "default".to_owned());
    Ok(Arc::new(Provider::new(ModelSpec::new(provider, id))?))
}

/// What the files of a folder are otherwise than in the last commit, as a patch. Reads files.
///
/// # Errors
/// When there is no repository, or it cannot be read.
pub fn uncommitted(root: &Path) -> anyhow::Result<Option<String>> {
    let (never, source) = (editor::Cancel::new(), Source::WorkingTree { against: None });
    let comparison = Comparison::of_repo(Repo::discover(root)?, source, Vec::new())?;
    let changes = comparison.changes(&never)?;
    let mut patch = Vec::new();
    diff::export::patch(&comparison, &changes, &mut patch, &never)?;
    Ok(Some(String::from_utf8_lossy(&patch).into_owned()).filter(|patch| !patch.is_empty()))
}

/// What the commands ask that are a prompt.
pub mod prompts {
    pub const RECAP: &str = include_str!("../../../assets/prompts/commands/recap.md");
    pub const REVIEW: &str = include_str!("../../../assets/prompts/commands/review.md");
    pub const SECURITY_REVIEW: &str = include_str!("../../../assets/prompts/commands/security-review.md");
    pub const SIMPLIFY: &str = include_str!("../../../assets/prompts/commands/simplify.md");
}
