//! The user's models: one TOML file beside the settings, never a file of a project.
//!
//! ```toml
//! default = "qwen"
//!
//! [providers.local]
//! kind = "llama.cpp"                  # openai-compatible, llama.cpp, ollama, anthropic
//! url = "http://127.0.0.1:8080"
//!
//! [providers.cloud]
//! kind = "anthropic"
//! url = "https://api.anthropic.com"
//! key = { keyring = "anthropic" }     # or { environment = "NAME" }, { command = ["pass", "show", "x"] }
//! proxy = "socks5h://127.0.0.1:1080"  # or "environment"; directly if absent
//! headers = { x-team = "7" }          # of every request
//! silence = 900                       # seconds without a sign of life; then a request is given up
//! attempts = 4                        # how often a busy server is sent a request
//! longest-wait = 60                   # seconds between two of them; a server that asks for more is given up
//!
//! [models.qwen]
//! provider = "local"
//! id = "qwen2.5-coder-1.5b"           # as the server calls it; the model's name if absent
//! context = 16384                     # learnt from the server if absent; what it says counts where that is less
//! output = 2048
//! protocol = "text"                   # text, native, auto
//! edit-form = "symbol"                # blocks, symbol, whole-file
//! temperature = 0.0                   # 0.6 where a reply is asked for anew
//! extra = { top_k = 40 }              # further fields of every request
//!
//! [models.big]
//! provider = "cloud"
//! price = { input = 3.0, output = 15.0, cached = 0.3 }   # per million tokens
//! capabilities = ["chat", "vision", "tools"]
//! steps = { agent = 20 }              # of a run; ask, plan, agent
//! proxy = "environment"               # before that of the provider
//!
//! [models.llama]
//! provider = "local"
//! keep-alive = "30m"                  # how long Ollama keeps it in memory
//!
//! [routes.best]                       # a name that stands for several
//! models = ["qwen", "big"]
//! ```
//!
//! An entry that is wrong is told with its line and left out; all others count.

mod file;
mod write;

use std::sync::Arc;

pub use file::parse;
pub use write::{Addition, add, change, form_name, prefer, protocol_name, provider_name, remove, set, settings};

use crate::provider::discovery::Found;
use crate::provider::{Chat, ModelSpec, Provider, ProviderError, ProviderSpec};
use crate::router::Router;

/// All that is set up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Models {
    /// The model or route that is used where none is named.
    pub default: Option<String>,
    pub providers: Vec<ProviderSpec>,
    /// In the order of the file.
    pub models: Vec<ModelSpec>,
    pub routes: Vec<Route>,
    /// What is wrong with the file.
    pub problems: Vec<Problem>,
}

/// A name that stands for several models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub name: String,
    pub models: Vec<String>,
}

/// Something in the file that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counts from 1.
    pub line: usize,
    pub text: String,
}

/// Why there is no such model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoModel {
    #[error(
        "no model is set up, and no server was found on this machine; start one, or name one with `recto model add ADDRESS`"
    )]
    NoneAtAll,
    #[error("there is no model {name}; there are {}", known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error(transparent)]
    Setup(#[from] ProviderError),
}

impl Models {
    /// A model or a route by its name, or what is used where none is named, ready to be talked to.
    pub fn open(&self, name: Option<&str>) -> Result<Arc<dyn Chat>, NoModel> {
        let Some(name) = name.or(self.preferred()) else { return Err(NoModel::NoneAtAll) };
        if let Some(route) = self.routes.iter().find(|route| route.name == name) {
            let members = self.models.iter().filter(|model| route.models.contains(&model.name));
            let mut specs: Vec<_> = members.cloned().collect();
            specs.sort_by_key(|spec| route.models.iter().position(|name| *name == spec.name));
            return Ok(Arc::new(Router::new(name, specs)?));
        }
        match self.models.iter().find(|model| model.name == name) {
            Some(model) => Ok(Arc::new(Provider::new(model.clone())?)),
            None if self.models.is_empty() => Err(NoModel::NoneAtAll),
            None => Err(NoModel::Unknown { name: name.to_owned(), known: self.names() }),
        }
    }

    /// What is used where no model is named: the default, or the first one that can chat.
    pub fn preferred(&self) -> Option<&str> {
        let first = || self.models.iter().find(|model| model.capabilities.chat).map(|model| model.name.as_str());
        self.default.as_deref().or_else(first)
    }

    /// Models and routes, in the order of the file.
    pub fn names(&self) -> Vec<String> {
        let models = self.models.iter().map(|model| model.name.clone());
        models.chain(self.routes.iter().map(|route| route.name.clone())).collect()
    }
}

/// What is there where nothing is set up: the servers that were found, with all their models.
pub fn from_found(found: &[Found]) -> Models {
    let mut models = Models::default();
    for server in found {
        let addition = Addition::of(server, &models, false);
        for (name, id) in addition.models {
            models.models.push(ModelSpec { name, ..ModelSpec::new(addition.provider.clone(), id) });
        }
        models.providers.push(addition.provider);
    }
    models
}
