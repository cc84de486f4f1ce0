//! A model as it is set up: where it is, what it can do, what it costs, how it is talked to.
//!
//! These are the resolved values; how the user's file of models says them is in [`crate::models`].

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::reply::Usage;

/// A server of models: an address, the language it speaks, and how to get at it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderSpec {
    pub name: String,
    pub kind: Kind,
    /// `http://127.0.0.1:8080`, with or without `/v1`.
    pub url: String,
    pub key: KeySource,
    pub proxy: Proxy,
    /// Sent with every request, for gateways that want more than a key.
    pub headers: Vec<(String, String)>,
    pub patience: Patience,
}

impl ProviderSpec {
    /// One at this address, without a key.
    pub fn new(name: impl Into<String>, kind: Kind, url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            url: url.into(),
            key: KeySource::None,
            proxy: Proxy::Direct,
            headers: Vec::new(),
            patience: Patience::default(),
        }
    }
}

/// The language that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// `/v1/chat/completions` as OpenAI defined it: vLLM, LM Studio, OpenRouter and most others.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    /// The same with the fields and endpoints that llama.cpp's server adds.
    #[serde(rename = "llama.cpp")]
    LlamaCpp,
    /// Ollama's own `/api/chat`: its compatible endpoint cuts prompts silently.
    #[serde(rename = "ollama")]
    Ollama,
    #[serde(rename = "anthropic")]
    Anthropic,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::OpenAiCompatible, Self::LlamaCpp, Self::Ollama, Self::Anthropic];

    /// As the file of models has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiCompatible => "openai-compatible",
            Self::LlamaCpp => "llama.cpp",
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
        }
    }
}

/// Where the key comes from; never from a file of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    #[default]
    None,
    /// An environment variable.
    Environment(String),
    /// An entry of the system's keyring, by the name that it was stored under.
    Keyring(String),
    /// The first line that a program prints; program and arguments, without a shell.
    Command(Vec<String>),
}

/// How the server is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// Directly, whatever the environment says: nothing but the server's address is dialled.
    #[default]
    Direct,
    /// As `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    Environment,
    /// Through this one: `http://…`, `https://…` or `socks5h://…`.
    Through(String),
}

/// How long to wait, and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often a request is sent at most while the server says that it is busy.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles each time.
    pub first_wait: Duration,
    /// No wait is longer; a server that wants more is given up at once, so that another one can be asked.
    pub longest_wait: Duration,
    /// How long nothing at all may come. Comments and progress count as something.
    pub silence: Duration,
    /// How long a server may load its model.
    pub loading: Duration,
    /// How often a loading server is asked whether it is done.
    pub loading_poll: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(1),
            // A two-core machine reads some 20 tokens a second of a large model, and older servers say nothing meanwhile.
            silence: Duration::from_mins(15),
            loading: Duration::from_mins(15),
            loading_poll: Duration::from_millis(500),
        }
    }
}

/// A model at a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// As the user calls it.
    pub name: String,
    pub provider: ProviderSpec,
    /// As the server calls it.
    pub id: String,
    /// The context window in tokens; learnt from the server if absent.
    pub context: Option<u32>,
    /// The most tokens of a reply, sent with every request.
    pub output: u32,
    /// Absent for what costs nothing or is not known.
    pub price: Option<Price>,
    pub capabilities: Capabilities,
    pub protocol: Protocol,
    /// The edit form that the prompt teaches; the loop's default if absent.
    pub edit_form: Option<EditForm>,
    pub temperature: f32,
    pub steps: StepLimits,
    /// Further fields of every request, as the server names them.
    pub extra: Map<String, Value>,
    /// How long Ollama keeps the model in memory, in its own words.
    pub keep_alive: String,
}

impl ModelSpec {
    /// A model with nothing said about it but where it is.
    pub fn new(provider: ProviderSpec, id: impl Into<String>) -> Self {
        let id = id.into();
        Self {
            name: id.clone(),
            provider,
            id,
            context: None,
            output: 4096,
            price: None,
            capabilities: Capabilities::default(),
            protocol: Protocol::default(),
            edit_form: None,
            temperature: 0.0,
            steps: StepLimits::default(),
            extra: Map::new(),
            keep_alive: "30m".to_owned(),
        }
    }
}

/// What a model costs, per million tokens, in whatever currency the user counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// Of prompt tokens that the cache served; as `input` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
}

impl Price {
    /// What so many tokens cost: of the prompt, those of it that the cache served, of the reply.
    pub fn of(&self, prompt: f64, cached: f64, reply: f64) -> f64 {
        let fresh = (prompt - cached).max(0.0);
        (fresh * self.input + cached * self.cached.unwrap_or(self.input) + reply * self.output) / 1e6
    }

    /// What an exchange cost; nothing is known where the server did not count.
    pub(super) fn of_usage(&self, usage: &Usage) -> Option<f64> {
        let (prompt, reply) = (usage.prompt?, usage.completion?);
        Some(self.of(prompt as f64, usage.cached.unwrap_or(0) as f64, reply as f64))
    }
}

/// What a model can be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    pub chat: bool,
    pub vision: bool,
    pub tools: bool,
    pub reasoning: bool,
    pub embedding: bool,
    pub rerank: bool,
    pub infill: bool,
}

impl Capabilities {
    /// Names as in the file of models.
    pub const NAMES: [&'static str; 7] = ["chat", "vision", "tools", "reasoning", "embedding", "rerank", "infill"];

    /// Nothing at all.
    pub const NONE: Self = Self {
        chat: false,
        vision: false,
        tools: false,
        reasoning: false,
        embedding: false,
        rerank: false,
        infill: false,
    };

    /// The names of those that are there.
    pub fn names(self) -> Vec<&'static str> {
        let each = [self.chat, self.vision, self.tools, self.reasoning, self.embedding, self.rerank, self.infill];
        Self::NAMES.into_iter().zip(each).filter(|(_, there)| *there).map(|(name, _)| name).collect()
    }

    /// Adds the one of this name; false if there is none.
    pub fn add(&mut self, name: &str) -> bool {
        let field = match name {
            "chat" => &mut self.chat,
            "vision" => &mut self.vision,
            "tools" => &mut self.tools,
            "reasoning" => &mut self.reasoning,
            "embedding" => &mut self.embedding,
            "rerank" => &mut self.rerank,
            "infill" => &mut self.infill,
            _ => return false,
        };
        *field = true;
        true
    }

    /// Whether all of `needed` are there.
    pub fn cover(self, needed: Self) -> bool {
        let mine = self.names();
        needed.names().iter().all(|name| mine.contains(name))
    }
}

impl Default for Capabilities {
    fn default() -> Self {
        Self { chat: true, ..Self::NONE }
    }
}

/// How actions are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Tags in the text.
    Text,
    /// The server's tool calls.
    Native,
    /// Native where the server says that the model's template knows tools.
    #[default]
    Auto,
}

/// The written form of edits that a prompt teaches; all are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditForm {
    /// SEARCH/REPLACE blocks.
    Blocks,
    /// A whole function, method, type or section, merged by its name.
    Symbol,
    /// The whole file.
    WholeFile,
}

/// Steps of a run by mode, where the model has limits of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<u32>,
}
