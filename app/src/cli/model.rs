//! `recto model list | add | check`: which models there are, how one is set up, and what one is good for.

use std::io::{IsTerminal as _, Read as _, Write as _};

use agent::doctor::{self, Check, Outcome as Judgement, Report};
use agent::models::{self, Addition, Models};
use agent::provider::discovery::{self, Found};
use agent::provider::spec::{KeySource, Proxy};
use agent::provider::{Kind, ModelSpec, Provider, ProviderSpec, keys};
use anyhow::Context as _;
use serde_json::json;

use super::output::Output;
use super::{Failure, Outcome};
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
    /// Tries a model out and prints a grade and the settings it recommends
    Check(CheckArgs),
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

#[derive(clap::Args, Debug)]
struct CheckArgs {
    /// The model's name; the default if none is given
    name: Option<String>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Writes the recommended settings into the file of models
    #[arg(long)]
    save: bool,
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
        Command::Check(args) => runtime()?.block_on(check(args, &paths, output)),
    }
}

/// What talks to models runs on threads of its own.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).thread_name("models").enable_all().build().context("no threads for talking to models")
}

/// The file of models; what is wrong in it is told on standard error.
pub fn load(paths: &Paths) -> anyhow::Result<Models> {
    let path = paths.models();
    let models = models::parse(&store::read(&path)?.unwrap_or_default());
    for problem in &models.problems {
        tell(&format!("{}:{}: {}", path.display(), problem.line, problem.text));
    }
    Ok(models)
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
fn tell(message: &str) {
    drop(writeln!(std::io::stderr(), "recto: {message}"));
}

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
    if models.models.is_empty() {
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
        Some(address) => vec![by_hand(args, address, &models::parse(&text)).await?],
        None => discovery::look(&discovery::PORTS).await,
    };
    if servers.is_empty() {
        let ports = discovery::PORTS.map(|port| port.to_string()).join(", ");
        return Err(Failure::Failed(anyhow::anyhow!(
            "no model server answers on this machine (ports {ports}); start one, or give an address"
        )));
    }
    let mut wants_default = args.default || models::parse(&text).preferred().is_none();
    let mut added = 0;
    for mut server in servers {
        server.models.retain(|id| args.models.is_empty() || args.models.contains(id));
        let mut addition = Addition::of(&server, &models::parse(&text), wants_default);
        if let Some(name) = &args.name {
            addition.provider.name.clone_from(name);
        }
        wants_default &= addition.models.is_empty();
        text = models::add(&text, &addition).map_err(anyhow::Error::msg)?;
        for (name, id) in &addition.models {
            writeln!(output, "{name}: {id} at {} ({})", server.what, server.provider.url)?;
            added += 1;
        }
    }
    if added == 0 {
        return Err(Failure::Failed(anyhow::anyhow!("no new model was found; name one with --model")));
    }
    store::write(&path, &text)?;
    writeln!(output, "in {}", path.display())?;
    Ok(())
}

/// A server that the user names. Its models are those that are named, or all that it lists.
async fn by_hand(args: &AddArgs, address: &str, there: &Models) -> Result<Found, Failure> {
    let host = address.split("://").last().unwrap_or(address).split(['/', ':']).next().unwrap_or(address);
    let name = args.name.clone().unwrap_or_else(|| models::provider_name(there, host, address));
    let mut provider = ProviderSpec::new(name.clone(), args.kind.unwrap_or(Kind::OpenAiCompatible), address);
    provider.proxy = match args.proxy.as_deref() {
        None => Proxy::Direct,
        Some("environment") => Proxy::Environment,
        Some(proxy) => Proxy::Through(proxy.to_owned()),
    };
    provider.key = if args.key.stdin {
        store_key(&name)?;
        KeySource::Keyring(name)
    } else if let Some(variable) = &args.key.env {
        KeySource::Environment(variable.clone())
    } else if let Some(command) = &args.key.command {
        KeySource::Command(command.split_whitespace().map(str::to_owned).collect())
    } else {
        KeySource::None
    };
    let mut found = match args.kind {
        None => discovery::recognise(&provider).await,
        Some(_) => None,
    };
    if found.is_none() && args.models.is_empty() {
        // Whoever is not there, or wants a key, says so here.
        let models = discovery::models(&provider).await?;
        found = Some(Found { what: provider.kind.name(), provider: provider.clone(), models });
    }
    let mut found = found.unwrap_or(Found { what: provider.kind.name(), provider, models: Vec::new() });
    if !args.models.is_empty() {
        found.models.clone_from(&args.models);
    }
    Ok(found)
}

fn store_key(name: &str) -> anyhow::Result<()> {
    if std::io::stdin().is_terminal() {
        tell("type the key, then Enter and Ctrl+D; it is shown while you type");
    }
    let mut key = String::new();
    std::io::stdin().read_to_string(&mut key).context("the key cannot be read from standard input")?;
    let key = key.trim();
    anyhow::ensure!(!key.is_empty(), "standard input has no key");
    keys::store(name, key).map_err(anyhow::Error::msg)
}

async fn check(args: &CheckArgs, paths: &Paths, output: &mut Output) -> Outcome {
    let models = load_or_look(paths).await?;
    let Some(name) = args.name.as_deref().or(models.preferred()) else {
        return Err(models::NoModel::NoneAtAll.into());
    };
    if let Some(route) = models.routes.iter().find(|route| route.name == name) {
        let each = route.models.join(", ");
        return Err(Failure::Usage(format!("{name} stands for several models; check each: {each}")));
    }
    let Some(spec) = models.models.iter().find(|model| model.name == name) else {
        return Err(models::NoModel::Unknown { name: name.to_owned(), known: models.names() }.into());
    };
    let provider = Provider::new(spec.clone())?;
    let mut seen = |check: &Check| {
        if !args.json {
            tell_check(check);
        }
    };
    let report = doctor::examine(&provider, &mut seen).await?;
    if args.json {
        writeln!(output, "{}", in_json(&report))?;
    } else {
        writeln!(output, "grade {}\n", report.grade)?;
        writeln!(output, "{}", models::settings(&report.recommended))?;
    }
    if args.save {
        let path = paths.models();
        let text = store::read(&path)?.unwrap_or_default();
        if !models::parse(&text).models.iter().any(|model| model.name == name) {
            return Err(anyhow::anyhow!("{name} is not set up; `recto model add` does it").into());
        }
        store::write(&path, &models::set(&text, &report.recommended).map_err(anyhow::Error::msg)?)?;
        tell(&format!("written to {}", path.display()));
    }
    Ok(())
}

/// Checks take a while, so each is told as it ends.
fn tell_check(check: &Check) {
    drop(writeln!(std::io::stderr(), "{:8} {:12} {}", judgement(check.outcome), check.name, check.detail));
}

fn judgement(outcome: Judgement) -> &'static str {
    match outcome {
        Judgement::Good => "good",
        Judgement::Partly => "partly",
        Judgement::Bad => "bad",
        Judgement::Skipped => "skipped",
        Judgement::Info => "info",
    }
}

fn in_json(report: &Report) -> serde_json::Value {
    let checks: Vec<_> = report
        .checks
        .iter()
        .map(|check| json!({ "name": check.name, "outcome": judgement(check.outcome), "detail": check.detail }))
        .collect();
    let figures = &report.figures;
    json!({
        "model": report.model, "grade": report.grade.to_string(), "checks": checks,
        "figures": { "window": figures.window, "reading": figures.reading, "writing": figures.writing, "cached": figures.cached },
        "recommended": models::settings(&report.recommended),
    })
}
