//! Reads the file of models.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use super::{Models, Problem, Route};
use crate::provider::spec::{KeySource, Proxy, StepLimits};
use crate::provider::{Capabilities, EditForm, Kind, ModelSpec, Price, Protocol, ProviderSpec};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    default: Option<Spanned<String>>,
    #[serde(default)]
    providers: BTreeMap<String, Spanned<toml::Value>>,
    #[serde(default)]
    models: BTreeMap<String, Spanned<toml::Value>>,
    #[serde(default)]
    routes: BTreeMap<String, Spanned<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ProviderEntry {
    kind: Kind,
    url: String,
    key: Option<KeyEntry>,
    proxy: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Seconds without a sign of life.
    silence: Option<u64>,
    attempts: Option<u32>,
    /// The longest wait for a busy server, in seconds.
    longest_wait: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum KeyEntry {
    Environment(String),
    Keyring(String),
    Command(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ModelEntry {
    provider: String,
    id: Option<String>,
    context: Option<u32>,
    output: Option<u32>,
    price: Option<Price>,
    capabilities: Option<Vec<String>>,
    protocol: Option<Protocol>,
    edit_form: Option<EditForm>,
    temperature: Option<f32>,
    #[serde(default)]
    steps: StepLimits,
    #[serde(default)]
    extra: Map<String, Value>,
    keep_alive: Option<String>,
    proxy: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteEntry {
    models: Vec<String>,
}

/// Reads the text of the file; see the module above. Never fails: what is wrong is among the problems.
pub fn parse(text: &str) -> Models {
    let mut reader = Reader { text, found: Models::default() };
    match toml::from_str::<File>(text) {
        Ok(file) => reader.read(file),
        Err(error) => reader.problem(error.span().unwrap_or_default(), error.message().to_owned()),
    }
    reader.found.problems.sort_by_key(|problem| problem.line);
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    found: Models,
}

impl Reader<'_> {
    fn problem(&mut self, span: Range<usize>, text: String) {
        let before = self.text.get(..span.start).unwrap_or_default();
        self.found.problems.push(Problem { line: before.matches('\n').count() + 1, text });
    }

    /// An entry, or a problem.
    fn entry<T: for<'de> Deserialize<'de>>(
        &mut self,
        name: &str,
        value: Spanned<toml::Value>,
    ) -> Option<(Range<usize>, T)> {
        let span = value.span();
        match value.into_inner().try_into() {
            Ok(entry) => Some((span, entry)),
            Err(error) => {
                let error: toml::de::Error = error;
                self.problem(span, format!("{name}: {}", error.message()));
                None
            }
        }
    }

    fn read(&mut self, file: File) {
        for (name, value) in file.providers {
            if let Some((_, entry)) = self.entry(&name, value) {
                self.found.providers.push(provider(name, entry));
            }
        }
        // The file's order, which the map has lost, is the order in which models are offered.
        let mut models: Vec<_> = file.models.into_iter().collect();
        models.sort_by_key(|(_, value)| value.span().start);
        for (name, value) in models {
            if let Some((span, entry)) = self.entry(&name, value) {
                self.model(span, name, entry);
            }
        }
        let mut routes: Vec<_> = file.routes.into_iter().collect();
        routes.sort_by_key(|(_, value)| value.span().start);
        for (name, value) in routes {
            if let Some((span, entry)) = self.entry(&name, value) {
                self.route(span, name, entry);
            }
        }
        if let Some(default) = file.default {
            let span = default.span();
            let default = default.into_inner();
            match self.found.names().contains(&default) {
                true => self.found.default = Some(default),
                false => self.problem(span, format!("the default {default} is no model and no route")),
            }
        }
    }

    fn model(&mut self, span: Range<usize>, name: String, entry: ModelEntry) {
        let Some(provider) = self.found.providers.iter().find(|provider| provider.name == entry.provider).cloned()
        else {
            return self.problem(span, format!("{name}: there is no provider {}", entry.provider));
        };
        let mut model = ModelSpec::new(provider, entry.id.unwrap_or_else(|| name.clone()));
        if let Some(names) = entry.capabilities {
            model.capabilities = Capabilities::NONE;
            for capability in names {
                if !model.capabilities.add(&capability) {
                    let known = Capabilities::NAMES.join(", ");
                    self.problem(span.clone(), format!("{name}: {capability} is none of {known}"));
                }
            }
        }
        if let Some(address) = entry.proxy {
            model.provider.proxy = proxy(address);
        }
        model.name = name;
        model.context = entry.context;
        model.output = entry.output.unwrap_or(model.output);
        model.price = entry.price;
        model.protocol = entry.protocol.unwrap_or_default();
        model.edit_form = entry.edit_form;
        model.temperature = entry.temperature.unwrap_or(model.temperature);
        model.steps = entry.steps;
        model.extra = entry.extra;
        model.keep_alive = entry.keep_alive.unwrap_or(model.keep_alive);
        self.found.models.push(model);
    }

    fn route(&mut self, span: Range<usize>, name: String, entry: RouteEntry) {
        let is_known = |model: &String| self.found.models.iter().any(|known| known.name == *model);
        let (models, strange): (Vec<_>, Vec<_>) = entry.models.into_iter().partition(is_known);
        if !strange.is_empty() {
            self.problem(span.clone(), format!("{name}: there is no model {}", strange.join(", ")));
        }
        if self.found.models.iter().any(|model| model.name == name) {
            return self.problem(span, format!("{name} is a model and cannot be a route, too"));
        }
        match models.is_empty() {
            true => self.problem(span, format!("{name} has no models")),
            false => self.found.routes.push(Route { name, models }),
        }
    }
}

fn provider(name: String, entry: ProviderEntry) -> ProviderSpec {
    let mut provider = ProviderSpec::new(name, entry.kind, entry.url);
    provider.key = match entry.key {
        None => KeySource::None,
        Some(KeyEntry::Environment(name)) => KeySource::Environment(name),
        Some(KeyEntry::Keyring(name)) => KeySource::Keyring(name),
        Some(KeyEntry::Command(command)) => KeySource::Command(command),
    };
    provider.proxy = entry.proxy.map(proxy).unwrap_or_default();
    provider.headers = entry.headers.into_iter().collect();
    let patience = &mut provider.patience;
    patience.silence = entry.silence.map_or(patience.silence, Duration::from_secs);
    patience.attempts = entry.attempts.unwrap_or(patience.attempts).max(1);
    patience.longest_wait = entry.longest_wait.map_or(patience.longest_wait, Duration::from_secs);
    provider
}

fn proxy(text: String) -> Proxy {
    match text.as_str() {
        "direct" | "none" | "" => Proxy::Direct,
        "environment" => Proxy::Environment,
        _ => Proxy::Through(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"default = "best"

[providers.local]
kind = "llama.cpp"
url = "http://127.0.0.1:8080"

[providers.cloud]
kind = "anthropic"
url = "https://api.anthropic.com"
key = { command = ["pass", "show", "x"] }
proxy = "socks5h://127.0.0.1:1080"
headers = { x-team = "7" }
silence = 60

[models.qwen]
provider = "local"
id = "qwen.gguf"
context = 16384
output = 2048
protocol = "text"
edit-form = "symbol"
temperature = 0.2
extra = { top_k = 40 }

[models.big]
provider = "cloud"
price = { input = 3.0, output = 15.0, cached = 0.3 }
capabilities = ["chat", "vision", "tools"]
steps = { agent = 20 }
proxy = "environment"

[routes.best]
models = ["qwen", "big"]
"#;

    #[test]
    fn a_whole_file_is_read() {
        let models = parse(FILE);
        assert_eq!(models.problems, []);
        assert_eq!(models.names(), ["qwen", "big", "best"]);
        assert_eq!(models.preferred(), Some("best"));
        let qwen = &models.models[0];
        assert_eq!((qwen.id.as_str(), qwen.context, qwen.output), ("qwen.gguf", Some(16384), 2048));
        assert_eq!((qwen.protocol, qwen.edit_form), (Protocol::Text, Some(EditForm::Symbol)));
        assert_eq!(qwen.extra["top_k"], 40);
        assert_eq!(qwen.provider.proxy, Proxy::Direct);
        let big = &models.models[1];
        assert_eq!(big.id, "big");
        assert_eq!(big.capabilities.names(), ["chat", "vision", "tools"]);
        assert_eq!(big.price, Some(Price { input: 3.0, output: 15.0, cached: Some(0.3) }));
        assert_eq!(big.steps.agent, Some(20));
        assert_eq!(big.provider.key, KeySource::Command(["pass", "show", "x"].map(str::to_owned).to_vec()));
        assert_eq!(big.provider.proxy, Proxy::Environment, "of the model, before that of its provider");
        assert_eq!(big.provider.headers, [("x-team".to_owned(), "7".to_owned())]);
        assert_eq!(big.provider.patience.silence, Duration::from_mins(1));
    }

    #[test]
    fn the_file_that_is_shown_above_is_right() {
        let shown = include_str!("mod.rs").lines().filter_map(|line| line.strip_prefix("//!"));
        let file = shown.skip_while(|line| *line != " ```toml").skip(1).take_while(|line| *line != " ```");
        let models = parse(&file.collect::<Vec<_>>().join("\n"));
        assert_eq!((models.problems, models.models.len(), models.routes.len()), (Vec::new(), 3, 1));
    }

    #[track_caller]
    fn check(from: &str, to: &str, line: usize, says: &str, names: &[&str]) {
        let text = FILE.replace(from, to);
        assert_ne!(text, FILE);
        let models = parse(&text);
        let told = models.problems.iter().any(|problem| problem.line == line && problem.text.contains(says));
        assert!(told, "{:?}", models.problems);
        assert_eq!(models.names(), names);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_counts() {
        check("kind = \"anthropic\"", "kind = \"x\"", 7, "unknown variant", &["qwen", "best"]);
        check("provider = \"cloud\"", "provider = \"clod\"", 25, "no provider clod", &["qwen", "best"]);
        check("temperature", "temprature", 15, "temprature", &["big", "best"]);
        check("\"vision\"", "\"sight\"", 25, "sight is none of", &["qwen", "big", "best"]);
        check("[\"qwen\", \"big\"]", "[\"none\"]", 32, "no model none", &["qwen", "big"]);
        check("default = \"best\"", "default = \"bst\"", 1, "bst", &["qwen", "big", "best"]);
        check("[providers.local]", "[providers.local", 3, "", &[]);
    }

    #[test]
    fn a_key_cannot_stand_in_the_file() {
        check("{ command = [\"pass\", \"show\", \"x\"] }", "\"sk-1\"", 7, "cloud", &["qwen", "best"]);
    }
}
