//! The model of a run: one that is set up, one found on this machine, or the server at an address.

use std::sync::Arc;

use agent::models::{self, NoModel};
use agent::provider::{Chat, Kind, ModelSpec, Provider, ProviderSpec, discovery};

use crate::cli::Failure;
use crate::state::{paths::Paths, store};

/// The model by its name, or what is used where none is named. Without any set-up this machine is looked at.
pub(super) fn open(
    paths: &Paths,
    name: Option<&str>,
    runtime: &tokio::runtime::Runtime,
) -> Result<Arc<dyn Chat>, Failure> {
    if let Some(address) = name.filter(|name| name.starts_with("http://") || name.starts_with("https://")) {
        return at(address, runtime);
    }
    let text = store::read(&paths.config.join("models.toml"))?.unwrap_or_default();
    let set_up = models::parse(&text);
    for problem in &set_up.problems {
        tracing::warn!("models.toml, line {}: {}", problem.line, problem.text);
    }
    match set_up.open(name) {
        Ok(chat) => Ok(chat),
        Err(NoModel::NoneAtAll) => {
            let found = runtime.block_on(discovery::look(&discovery::PORTS));
            models::from_found(&found).open(name).map_err(|error| Failure::Failed(error.into()))
        }
        Err(error @ NoModel::Unknown { .. }) => Err(Failure::Usage(error.to_string())),
        Err(error) => Err(Failure::Failed(error.into())),
    }
}

/// A server by its address: its kind is what it answers, its model the first that it has.
fn at(address: &str, runtime: &tokio::runtime::Runtime) -> Result<Arc<dyn Chat>, Failure> {
    let address = address.trim_end_matches('/').trim_end_matches("/v1");
    let llama = ProviderSpec::new("server", Kind::LlamaCpp, address);
    let models = runtime.block_on(discovery::models(&llama)).map_err(|error| Failure::Failed(error.into()))?;
    let id = models.into_iter().next().unwrap_or_else(|| "default".to_owned());
    Ok(Arc::new(Provider::new(ModelSpec::new(llama, id)).map_err(|error| Failure::Failed(error.into()))?))
}
