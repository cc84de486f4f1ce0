//! What a server says about a model: its window before all, which is learnt and never guessed.
//!
//! Each kind says it in its own place. What is not said stays unknown; an overflow says the window, too, later on.

use serde_json::{Value, json};

use super::error::ProviderError;
use super::exchange::Exchange;
use super::spec::Kind;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Tokens that prompt and reply may have together.
    pub window: Option<u32>,
    /// Whether the model's template knows tools.
    pub tools: Option<bool>,
    pub vision: Option<bool>,
    pub reasoning: Option<bool>,
    /// Requests that llama.cpp serves side by side.
    pub slots: Option<u64>,
    /// The weights the model has: those with few of them cannot copy what they were shown.
    pub parameters: Option<u64>,
}

/// The window that Ollama is given where neither the user nor the model's own settings say one: what it allots by itself
/// is too little for work on code, and a model's full window may not fit into memory.
const OLLAMA_WINDOW: u32 = 16_384;

/// Asks the server.
pub(super) async fn ask(exchange: &Exchange) -> Result<Facts, ProviderError> {
    match exchange.spec.provider.kind {
        Kind::LlamaCpp => {
            let facts = exchange.get("props").await?.as_ref().map(llama_cpp).unwrap_or_default();
            let listed = exchange.get("v1/models").await?;
            let entry = listed.as_ref().and_then(|list| list.get("data")?.as_array()?.first());
            Ok(Facts { parameters: entry.and_then(|entry| entry.pointer("/meta/n_params")?.as_u64()), ..facts })
        }
        Kind::Ollama => ollama(exchange).await,
        Kind::OpenAiCompatible => compatible(exchange).await,
        Kind::Anthropic => {
            let path = format!("v1/models/{}", exchange.spec.id);
            Ok(exchange.get(&path).await?.as_ref().map(anthropic).unwrap_or_default())
        }
    }
}

fn llama_cpp(props: &Value) -> Facts {
    let caps = |name: &str| props.pointer(&format!("/chat_template_caps/{name}")).and_then(Value::as_bool);
    Facts {
        window: tokens(props.pointer("/default_generation_settings/n_ctx")),
        tools: caps("supports_tools"),
        vision: props.pointer("/modalities/vision").and_then(Value::as_bool),
        reasoning: None,
        slots: props.get("total_slots").and_then(Value::as_u64).filter(|slots| *slots > 0),
        parameters: None,
    }
}

async fn ollama(exchange: &Exchange) -> Result<Facts, ProviderError> {
    let model = &exchange.spec.id;
    let show = exchange.post("api/show", &json!({ "model": model })).await?;
    let running = exchange.get("api/ps").await?;
    Ok(ollama_says(model, show.as_ref(), running.as_ref()))
}

/// A model that is in memory keeps its window; otherwise its own settings count, and its size is the bound.
fn ollama_says(model: &str, show: Option<&Value>, running: Option<&Value>) -> Facts {
    let show = show.unwrap_or(&Value::Null);
    let is_it = |entry: &&Value| {
        ["name", "model"].iter().filter_map(|field| entry.get(field)?.as_str()).any(|name| same_model(name, model))
    };
    let running = running.and_then(|running| running.get("models")?.as_array()?.iter().find(is_it));
    let loaded = running.and_then(|entry| tokens(entry.get("context_length")));
    let set = show.get("parameters").and_then(Value::as_str).and_then(|parameters| {
        let line = parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx"))?;
        line.trim().parse().ok()
    });
    let info = show.get("model_info").and_then(Value::as_object);
    let most = info.and_then(|info| {
        tokens(info.iter().find(|(name, _)| name.ends_with(".context_length")).map(|(_, value)| value))
    });
    let capable = |name: &str| {
        let list = show.get("capabilities")?.as_array()?;
        Some(list.iter().any(|each| each.as_str() == Some(name)))
    };
    Facts {
        window: loaded.or(set).or_else(|| most.map(|most| most.min(OLLAMA_WINDOW))),
        tools: capable("tools"),
        vision: capable("vision"),
        reasoning: capable("thinking"),
        slots: None,
        parameters: show.pointer("/model_info/general.parameter_count").and_then(Value::as_u64),
    }
}

fn same_model(a: &str, b: &str) -> bool {
    let full = |name: &str| if name.contains(':') { name.to_owned() } else { format!("{name}:latest") };
    full(a) == full(b)
}

/// vLLM, OpenRouter, Groq and others say it in the list of models; LM Studio in lists of its own.
async fn compatible(exchange: &Exchange) -> Result<Facts, ProviderError> {
    let id = &exchange.spec.id;
    let listed = exchange.get("v1/models").await?;
    let facts = listed.as_ref().and_then(|list| entry(list, id)).map(listed_entry).unwrap_or_default();
    // Its lists are below the root, and only a server nearby can be one.
    if facts.window.is_some() || exchange.is_encrypted() {
        return Ok(facts);
    }
    for path in ["api/v1/models", "api/v0/models"] {
        let list = exchange.get(path).await?;
        let said = list.as_ref().and_then(|list| entry(list, id)).map(lm_studio).unwrap_or_default();
        if said.window.is_some() {
            return Ok(said);
        }
    }
    Ok(facts)
}

/// The entry of a model in a list; the only one there is, if the server goes by another name for it.
fn entry<'a>(list: &'a Value, id: &str) -> Option<&'a Value> {
    let list = ["data", "models"].iter().find_map(|field| list.get(field)?.as_array())?;
    let named = |entry: &&Value| ["id", "key"].iter().any(|field| entry.get(field).and_then(Value::as_str) == Some(id));
    list.iter().find(named).or(if let [only] = list.as_slice() { Some(only) } else { None })
}

fn listed_entry(entry: &Value) -> Facts {
    let window = ["/max_model_len", "/context_length", "/context_window", "/max_context_length", "/meta/n_ctx"];
    let parameters = entry.get("supported_parameters").and_then(Value::as_array);
    let supports = |name: &str| Some(parameters?.iter().any(|each| each.as_str() == Some(name)));
    let sees = entry.pointer("/architecture/input_modalities").and_then(Value::as_array);
    Facts {
        window: window.iter().find_map(|path| tokens(entry.pointer(path))),
        tools: supports("tools"),
        vision: sees.map(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("image"))),
        reasoning: supports("reasoning"),
        slots: None,
        parameters: entry.pointer("/meta/n_params").and_then(Value::as_u64),
    }
}

/// What is loaded counts; what could be loaded does not.
fn lm_studio(entry: &Value) -> Facts {
    let loaded = ["/loaded_context_length", "/loaded_instances/0/config/context_length"];
    Facts {
        window: loaded.iter().find_map(|path| tokens(entry.pointer(path))),
        tools: entry.pointer("/capabilities/trained_for_tool_use").and_then(Value::as_bool),
        vision: entry.pointer("/capabilities/vision").and_then(Value::as_bool),
        ..Facts::default()
    }
}

fn anthropic(model: &Value) -> Facts {
    Facts { window: tokens(model.get("max_input_tokens")), ..Facts::default() }
}

fn tokens(value: Option<&Value>) -> Option<u32> {
    value?.as_u64().and_then(|tokens| u32::try_from(tokens).ok()).filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llama_cpp_says_it_in_its_properties() {
        let props = json!({
            "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 2, "modalities": { "vision": false },
            "chat_template_caps": { "supports_tools": true },
        });
        let expected =
            Facts { window: Some(4096), tools: Some(true), vision: Some(false), slots: Some(2), ..Facts::default() };
        assert_eq!(llama_cpp(&props), expected);
        assert_eq!(llama_cpp(&json!({})), Facts::default());
    }

    #[test]
    fn ollama_keeps_the_window_of_what_is_loaded() {
        let show = json!({
            "parameters": "stop \"<|im_end|>\"\nnum_ctx    8192",
            "model_info": { "general.architecture": "qwen2", "qwen2.context_length": 32768 },
            "capabilities": ["completion", "tools"],
        });
        let running = json!({ "models": [{ "name": "other:latest", "context_length": 1 },
            { "name": "qwen:latest", "model": "qwen:latest", "context_length": 4096 }] });
        let window = |show: &Value, running: &Value| ollama_says("qwen", Some(show), Some(running)).window;
        assert_eq!(window(&show, &running), Some(4096));
        assert_eq!(window(&show, &json!({ "models": [] })), Some(8192));
        let plain = json!({ "model_info": { "qwen2.context_length": 32768 } });
        assert_eq!(window(&plain, &json!({})), Some(OLLAMA_WINDOW));
        assert_eq!(window(&json!({ "model_info": { "x.context_length": 2048 } }), &json!({})), Some(2048));
        assert_eq!(window(&json!({}), &json!({})), None);
        let facts = ollama_says("qwen", Some(&show), None);
        assert_eq!((facts.tools, facts.vision, facts.reasoning), (Some(true), Some(false), Some(false)));
    }

    #[test]
    fn lists_of_models_say_it_in_many_fields() {
        let list = json!({ "data": [{ "id": "a", "max_model_len": 1 }, { "id": "b", "context_length": 2 }] });
        assert_eq!(entry(&list, "b").map(listed_entry).unwrap().window, Some(2));
        assert_eq!(entry(&list, "c"), None);
        let only = json!({ "data": [{ "id": "x.gguf", "meta": { "n_ctx": 3 } }] });
        assert_eq!(entry(&only, "x").map(listed_entry).unwrap().window, Some(3));
        let studio = json!({ "models": [{ "key": "m", "max_context_length": 9,
            "loaded_instances": [{ "id": "m", "config": { "context_length": 4 } }] }] });
        assert_eq!(entry(&studio, "m").map(lm_studio).unwrap().window, Some(4));
        let older = json!({ "data": [{ "id": "m", "loaded_context_length": 5, "max_context_length": 9 }] });
        assert_eq!(entry(&older, "m").map(lm_studio).unwrap().window, Some(5));
    }
}
