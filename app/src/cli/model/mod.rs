//! `recto model list | add | check`: which models there are, how one is set up, and what one is good for.

mod check;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::time::{Duration, Instant};

use agent::models::{self, Addition, Models};
use agent::provider::discovery::{self, Found};
use agent::provider::spec::{KeySource, Proxy};
use agent::provider::{Kind, ModelSpec, ProviderSpec};
use anyhow::Context as _;
use serde_json::json;

use super::output::Output;
use super::{Failure, Outcome, tell};
use crate::state::models::{ByHand, NewKey, ask};
use crate::state::paths::Paths;
use crate::state::store;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Prints the models and routes that are set up
    List(ListArgs),
    /// Sets up a server's models: those found on this machine, or those at an address
    Add(AddArgs),
    Check(check::Args),
}

#[derive(clap::Args, Debug)]
struct ListArgs {
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args, Debug)]
struct AddArgs {
    /// The server's address, as http://127.0.0.1:8080; servers on this machine are looked for without one
    address: Option<String>,
    /// What the server speaks: openai-compatible, llama.cpp, ollama or anthropic; found out if not given
    #[arg(long, value_parser = kind, requires = "address")]
    kind: Option<Kind>,
    /// What the provider is called in the file
    #[arg(long, requires = "address")]
    name: Option<String>,
    /// Only this model, as the server calls it; can be given several times
    #[arg(long = "model", value_name = "ID")]
    models: Vec<String>,
    #[command(flatten)]
    key: KeyArgs,
    /// How the server is reached: an address of a proxy, or `environment`
    #[arg(long, requires = "address")]
    proxy: Option<String>,
    /// Makes the first model the default
    #[arg(long)]
    default: bool,
    /// How long to wait for a server that is still loading its model, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
}

#[derive(clap::Args, Debug)]
#[group(multiple = false)]
struct KeyArgs {
    /// The environment variable that has the key
    #[arg(long = "key-env", value_name = "NAME", requires = "address")]
    env: Option<String>,
    /// The program that prints the key, with its arguments, as one text
    #[arg(long = "key-command", value_name = "COMMAND", requires = "address")]
    command: Option<String>,
    /// Reads the key from standard input and stores it in the system's keyring
    #[arg(long = "key-stdin", requires = "address")]
    stdin: bool,
}

fn kind(text: &str) -> Result<Kind, String> {
    let known = || Kind::ALL.map(Kind::name).join(", ");
    Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| format!("must be one of {}", known()))
}

pub fn run(args: &Args, output: &mut Output) -> Outcome {
    let paths = Paths::default();
    match &args.command {
        Command::List(args) => list(args, &paths, output),
        Command::Add(args) => runtime()?.block_on(add(args, &paths, output)),
        Command::Check(args) => runtime()?.block_on(check::run(args, &paths, output)),
    }
}

/// What talks to models runs on threads of its own.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).thread_name("models").enable_all().build().context("no threads for talking to models")
}

/// The file of models; what is wrong in it is told on standard error.
pub fn load(paths: &Paths) -> anyhow::Result<Models> {
    let models = models::parse(&store::read(&paths.models())?.unwrap_or_default());
    tell_problems(&models, paths);
    Ok(models)
}

/// Says what is wrong in the file of models.
pub fn tell_problems(models: &Models, paths: &Paths) {
    for problem in &models.problems {
        tell(&format!("{}:{}: {}", paths.models().display(), problem.line, problem.text));
    }
}

/// The file of models or, where nothing is set up, what is found on this machine.
pub async fn load_or_look(paths: &Paths) -> anyhow::Result<Models> {
    let models = load(paths)?;
    if !models.models.is_empty() || !models.problems.is_empty() {
        return Ok(models);
    }
    Ok(models::from_found(&discovery::look(&discovery::PORTS).await))
}

/// Nobody is left to tell when even this cannot be written.
fn list(args: &ListArgs, paths: &Paths, output: &mut Output) -> Outcome {
    let models = load(paths)?;
    if args.json {
        let entries: Vec<_> = models.models.iter().map(entry).collect();
        let routes: Vec<_> =
            models.routes.iter().map(|route| json!({ "name": route.name, "models": route.models })).collect();
        let whole = json!({ "default": models.preferred(), "models": entries, "routes": routes });
        writeln!(output, "{whole}")?;
        return Ok(());
    }
    if models.models.is_empty() && models.problems.is_empty() {
        tell("no model is set up; find those on this machine with `recto model add`");
    }
    let width = models.names().iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for model in &models.models {
        let mark = if models.preferred() == Some(&model.name) { '*' } else { ' ' };
        let ProviderSpec { name, kind, url, .. } = &model.provider;
        let window = model.context.map(|window| format!(", {window} tokens")).unwrap_or_default();
        writeln!(output, "{mark} {:width$}  {} at {name} ({}, {url}){window}", model.name, model.id, kind.name())?;
    }
    for route in &models.routes {
        let mark = if models.preferred() == Some(&route.name) { '*' } else { ' ' };
        writeln!(output, "{mark} {:width$}  one of {}", route.name, route.models.join(", "))?;
    }
    Ok(())
}

fn entry(model: &ModelSpec) -> serde_json::Value {
    json!({
        "name": model.name, "id": model.id, "provider": model.provider.name, "kind": model.provider.kind.name(),
        "url": model.provider.url, "context": model.context, "output": model.output,
        "capabilities": model.capabilities.names(), "price": model.price,
    })
}

async fn add(args: &AddArgs, paths: &Paths, output: &mut Output) -> Outcome {
    let path = paths.models();
    let mut text = store::read(&path)?.unwrap_or_default();
    let servers = match &args.address {
        Some(address) => vec![ask(&by_hand(args, address)?, &models::parse(&text)).await?],
        None => discovery::look(&discovery::PORTS).await,
    };
    if servers.is_empty() {
        let ports = discovery::PORTS.map(|port| port.to_string()).join(", ");
        return Err(Failure::Failed(anyhow::anyhow!(
            "no model server answers on this machine (ports {ports}); start one, or give an address"
        )));
    }
    let mut wants_default = args.default || models::parse(&text).preferred().is_none();
    let mut added = Vec::new();
    for server in servers {
        let named = args.address.is_some() && !args.models.is_empty();
        let mut server = loaded(server, named, Duration::from_secs(args.wait)).await;
        server.models.retain(|id| args.models.is_empty() || args.models.contains(id));
        let mut addition = Addition::of(&server, &models::parse(&text), wants_default);
        if let Some(name) = &args.name {
            addition.provider.name.clone_from(name);
        }
        wants_default &= addition.models.is_empty();
        text = models::add(&text, &addition).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        for (name, id) in &addition.models {
            added.push(format!("{name}: {id} at {} ({})", server.what, server.provider.url));
        }
        if server.is_loading && !addition.models.is_empty() {
            tell(&format!(
                "{} is still loading its model; it is added as it is, and what is asked of it waits until it is ready. \
                 Then `recto model check {}` finds out what suits it",
                server.provider.url, addition.models[0].0
            ));
        }
    }
    if added.is_empty() {
        return Err(Failure::Failed(anyhow::anyhow!("no new model was found; name one with --model")));
    }
    store::write(&path, &text)?;
    for line in added {
        writeln!(output, "{line}")?;
    }
    writeln!(output, "in {}", path.display())?;
    Ok(())
}

/// A server that the user names.
fn by_hand(args: &AddArgs, address: &str) -> anyhow::Result<ByHand> {
    let key = if args.key.stdin {
        NewKey::Store(read_key()?)
    } else if let Some(variable) = &args.key.env {
        NewKey::At(KeySource::Environment(variable.clone()))
    } else if let Some(command) = &args.key.command {
        NewKey::At(KeySource::Command(command.split_whitespace().map(str::to_owned).collect()))
    } else {
        NewKey::At(KeySource::None)
    };
    let proxy = match args.proxy.as_deref() {
        None => Proxy::Direct,
        Some("environment") => Proxy::Environment,
        Some(proxy) => Proxy::Through(proxy.to_owned()),
    };
    let (name, models) = (args.name.clone(), args.models.clone());
    Ok(ByHand { address: address.to_owned(), kind: args.kind, name, models, key, proxy })
}

/// A server once it has loaded its model, or as it is when that takes longer than it is waited for. Models that were `named`
/// stay, whatever it says of them.
async fn loaded(mut found: Found, named: bool, wait: Duration) -> Found {
    const LOOK: Duration = Duration::from_millis(500);
    let until = Instant::now() + wait;
    if found.is_loading && !wait.is_zero() {
        let seconds = wait.as_secs();
        tell(&format!(
            "{} is loading its model; waiting for it up to {seconds} s (Ctrl+C adds nothing)",
            found.provider.url
        ));
    }
    while found.is_loading && Instant::now() < until {
        tokio::time::sleep(LOOK.min(until.saturating_duration_since(Instant::now()))).await;
        if let Some(now) = discovery::recognise(&found.provider).await {
            let models = if named { found.models } else { now.models.clone() };
            found = Found { provider: found.provider, models, ..now };
        }
    }
    found
}

fn read_key() -> anyhow::Result<String> {
    if std::io::stdin().is_terminal() {
        tell("type the key, then Enter and Ctrl+D; it is shown while you type");
    }
    let mut key = String::new();
    std::io::stdin().read_to_string(&mut key).context("the key cannot be read from standard input")?;
    let key = key.trim();
    anyhow::ensure!(!key.is_empty(), "standard input has no key");
    Ok(key.to_owned())
}
