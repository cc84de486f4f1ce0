//! Looks for model servers on this machine, so that naming a model is all the set-up there is.
//!
//! Only loopback is dialled, at the ports that servers have by default, and only when the user asks for it or nothing is
//! set up yet. What answers is told apart by what only one kind answers, for ports are shared.

use std::time::Duration;

use serde_json::{Value, json};

use super::exchange::Exchange;
use super::spec::{Kind, ModelSpec, ProviderSpec};

/// A server that answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// `llama.cpp`, `Ollama`, `LM Studio`, `vLLM` or `OpenAI-compatible`.
    pub what: &'static str,
    pub provider: ProviderSpec,
    /// The models it has, as it calls them.
    pub models: Vec<String>,
    /// Whether it is still reading its model into memory: it is there, and will answer by itself.
    pub is_loading: bool,
}

/// Where servers listen by default.
pub const PORTS: [u16; 5] = [8080, 9931, 11434, 1234, 8000];

/// Loopback answers at once or not at all; a busy machine may take its time.
const PATIENCE: Duration = Duration::from_secs(2);

/// What llama.cpp's model is called where it does not say while it loads; it takes any name.
const ANY: &str = "default";

/// What is asked of a server elsewhere is little, and answered soon or never.
const LONGEST: Duration = Duration::from_secs(10);

/// Asks all ports at once; what is found is in the order of the ports.
pub async fn look(ports: &[u16]) -> Vec<Found> {
    let mut asked: Vec<_> = ports.iter().map(|port| tokio::spawn(tokio::time::timeout(PATIENCE, at(*port)))).collect();
    let mut found = Vec::new();
    for task in &mut asked {
        if let Ok(Ok(Some(server))) = task.await {
            found.push(server);
        }
    }
    found
}

async fn at(port: u16) -> Option<Found> {
    let mut server =
        ProviderSpec::new(format!("local-{port}"), Kind::OpenAiCompatible, format!("http://127.0.0.1:{port}"));
    server.patience.silence = PATIENCE;
    let found = recognise(&server).await?;
    let name = match found.what {
        "llama.cpp" => "llama".to_owned(),
        "OpenAI-compatible" => server.name,
        what => what.to_lowercase().replace(' ', "-"),
    };
    Some(Found { provider: ProviderSpec::new(name, found.provider.kind, server.url), ..found })
}

/// What a server is, by what it answers; nothing if it does not answer as any kind does.
pub async fn recognise(server: &ProviderSpec) -> Option<Found> {
    // Only llama.cpp knows `/props`, and refuses it while it loads, though it may answer Ollama's questions then.
    let props = ask(server, Kind::LlamaCpp, "props").await;
    let is_loading = matches!(props, Said::Loading);
    let props = props.object();
    let found =
        |what, kind, models| Found { what, provider: ProviderSpec { kind, ..server.clone() }, models, is_loading };
    if !is_loading
        && props.is_none()
        && let Some(tags) = ask(server, Kind::Ollama, "api/tags").await.object()
        && let Some(list) = tags.get("models").and_then(Value::as_array)
    {
        return Some(found("Ollama", Kind::Ollama, names(list, "name")));
    }
    let mut listed = ask(server, Kind::OpenAiCompatible, "v1/models").await.object();
    if listed.is_none() && !is_loading {
        listed = ask(server, Kind::Anthropic, "v1/models").await.object();
    }
    let entries = listed.as_ref().and_then(|listed| listed.get("data")?.as_array()).cloned().unwrap_or_default();
    let mut models = names(&entries, "id");
    if is_loading && models.is_empty() {
        models.push(ANY.to_owned());
    }
    if is_loading || props.is_some_and(|props| props.get("default_generation_settings").is_some()) {
        return Some(found("llama.cpp", Kind::LlamaCpp, models));
    }
    listed?;
    let owned_by = |who: &str| entries.iter().any(|entry| entry.get("owned_by").and_then(Value::as_str) == Some(who));
    if owned_by("vllm") {
        return Some(found("vLLM", Kind::OpenAiCompatible, models));
    }
    if entries.iter().any(|entry| entry.get("display_name").is_some() && entry.get("type").is_some()) {
        return Some(found("Anthropic", Kind::Anthropic, models));
    }
    if ask(server, Kind::OpenAiCompatible, "api/v0/models").await.object().is_some() {
        return Some(found("LM Studio", Kind::OpenAiCompatible, models));
    }
    Some(found("OpenAI-compatible", Kind::OpenAiCompatible, models))
}

/// What came of a question.
enum Said {
    Object(Value),
    Loading,
    /// No object: a port that belongs to something else may answer anything.
    Nothing,
}

impl Said {
    fn object(self) -> Option<Value> {
        if let Self::Object(value) = self { Some(value) } else { None }
    }
}

async fn ask(server: &ProviderSpec, kind: Kind, path: &str) -> Said {
    let Ok(exchange) = short(server, kind) else { return Said::Nothing };
    match exchange.get(path).await {
        Ok(Some(value)) if value.is_object() => Said::Object(value),
        Err(error) if error.is_loading() => Said::Loading,
        _ => Said::Nothing,
    }
}

/// A way to a server that is not waited for long.
fn short(server: &ProviderSpec, kind: Kind) -> Result<Exchange, super::ProviderError> {
    let mut provider = ProviderSpec { kind, ..server.clone() };
    provider.patience.silence = provider.patience.silence.min(LONGEST);
    Exchange::new(ModelSpec::new(provider, ""))
}

fn names(list: &[Value], field: &str) -> Vec<String> {
    list.iter().filter_map(|entry| entry.get(field)?.as_str()).map(str::to_owned).collect()
}

/// The models of a provider as it lists them, for one that is set up by hand.
pub async fn models(provider: &ProviderSpec) -> Result<Vec<String>, super::ProviderError> {
    let exchange = short(provider, provider.kind)?;
    let (path, list, field) = match provider.kind {
        Kind::Ollama => ("api/tags", "models", "name"),
        _ => ("v1/models", "data", "id"),
    };
    let answer = exchange.get(path).await?.unwrap_or(json!({}));
    Ok(answer.get(list).and_then(Value::as_array).map(|list| names(list, field)).unwrap_or_default())
}
