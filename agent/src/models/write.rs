//! Changes the file of models and leaves the user's own words, order and comments in it alone.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

use super::Models;
use crate::provider::discovery::Found;
use crate::provider::spec::{KeySource, Proxy};
use crate::provider::{EditForm, ModelSpec, Protocol, ProviderSpec};

/// What is to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    pub provider: ProviderSpec,
    /// The name in the file and the server's name of each model.
    pub models: Vec<(String, String)>,
    /// Becomes the default, too.
    pub default: Option<String>,
}

impl Addition {
    /// The models of a server that are not there yet, under names that are short and free.
    pub fn of(found: &Found, there: &Models, default: bool) -> Self {
        let is_there = |id: &&String| {
            there.models.iter().any(|model| model.provider.url == found.provider.url && model.id == **id)
        };
        let mut models: Vec<(String, String)> = Vec::new();
        for id in found.models.iter().filter(|id| !is_there(id)) {
            let taken = |name: &str| {
                there.names().iter().any(|known| known == name) || models.iter().any(|(known, _)| known == name)
            };
            let short = short(id);
            let names = std::iter::once(short.to_owned()).chain((2..).map(|n| format!("{short}-{n}")));
            if let Some(name) = names.into_iter().find(|name| !taken(name)) {
                models.push((name, id.clone()));
            }
        }
        let default = models.first().filter(|_| default).map(|(name, _)| name.clone());
        let name = provider_name(there, &found.provider.name, &found.provider.url);
        Self { provider: ProviderSpec { name, ..found.provider.clone() }, models, default }
    }
}

/// What a server is called in the file: as it is already, or as is wanted, numbered where another has that name.
pub fn provider_name(there: &Models, wanted: &str, url: &str) -> String {
    if let Some(known) = there.providers.iter().find(|provider| provider.url == url) {
        return known.name.clone();
    }
    let is_taken = |name: &str| there.providers.iter().any(|provider| provider.name == name);
    let numbered = (2..).map(|n| format!("{wanted}-{n}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// A name that a person would type: without folders, endings and tags that say nothing.
fn short(id: &str) -> &str {
    let name = id.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(id);
    let name = name.strip_suffix(".gguf").unwrap_or(name);
    name.strip_suffix(":latest").unwrap_or(name)
}

/// The settings of a model as they would stand in the file.
pub fn settings(model: &ModelSpec) -> String {
    set("", model).unwrap_or_default()
}

/// Adds a provider and models of it; a provider of that name is replaced, models that are there stay.
///
/// The error says why the text is no file of models.
pub fn add(text: &str, addition: &Addition) -> Result<String, String> {
    let mut document = read(text)?;
    let provider = &addition.provider;
    let entry = table(&mut document, "providers", &provider.name)?;
    entry.insert("kind", value(provider.kind.name()));
    entry.insert("url", value(provider.url.as_str()));
    match key(&provider.key) {
        Some(key) => entry.insert("key", key),
        None => entry.remove("key"),
    };
    match &provider.proxy {
        Proxy::Direct => entry.remove("proxy"),
        Proxy::Environment => entry.insert("proxy", value("environment")),
        Proxy::Through(address) => entry.insert("proxy", value(address.as_str())),
    };
    for (name, id) in &addition.models {
        let entry = table(&mut document, "models", name)?;
        if entry.is_empty() {
            entry.insert("provider", value(provider.name.as_str()));
            entry.insert("id", value(id.as_str()));
        }
    }
    if let Some(default) = &addition.default {
        document.insert("default", value(default.as_str()));
    }
    Ok(document.to_string())
}

/// Writes the settings that the doctor recommends for a model that is in the file.
pub fn set(text: &str, model: &ModelSpec) -> Result<String, String> {
    let mut document = read(text)?;
    let entry = table(&mut document, "models", &model.name)?;
    if let Some(context) = model.context {
        put(entry, "context", i64::from(context));
    }
    put(entry, "output", i64::from(model.output));
    put(entry, "protocol", protocol_name(model.protocol));
    if let Some(form) = model.edit_form {
        put(entry, "edit-form", form_name(form));
    }
    put(entry, "capabilities", model.capabilities.names().into_iter().collect::<Array>());
    Ok(document.to_string())
}

/// Sets a value, and leaves what the user wrote around it.
fn put(entry: &mut Table, key: &str, new: impl Into<Value>) {
    let mut new = new.into();
    if let Some(old) = entry.get_mut(key).and_then(Item::as_value_mut) {
        new.decor_mut().clone_from(old.decor());
        *old = new;
    } else {
        entry.insert(key, value(new));
    }
}

/// As the file has it.
pub fn protocol_name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Text => "text",
        Protocol::Native => "native",
        Protocol::Auto => "auto",
    }
}

/// As the file has it.
pub fn form_name(form: EditForm) -> &'static str {
    match form {
        EditForm::Blocks => "blocks",
        EditForm::Symbol => "symbol",
        EditForm::WholeFile => "whole-file",
    }
}

fn read(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| format!("the file of models is not readable: {}", error.message()))
}

/// The table of an entry, made if it is not there.
fn table<'a>(document: &'a mut DocumentMut, group: &str, name: &str) -> Result<&'a mut Table, String> {
    let wrong = || format!("{group}.{name} in the file of models is no table");
    let group = document.entry(group).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let entry = group.as_table_mut().ok_or_else(wrong)?.entry(name).or_insert_with(|| Item::Table(Table::new()));
    entry.as_table_mut().ok_or_else(wrong)
}

fn key(source: &KeySource) -> Option<Item> {
    let (name, source) = match source {
        KeySource::None => return None,
        KeySource::Environment(name) => ("environment", Value::from(name.as_str())),
        KeySource::Keyring(name) => ("keyring", Value::from(name.as_str())),
        KeySource::Command(command) => ("command", Value::from(command.iter().map(String::as_str).collect::<Array>())),
    };
    let mut key = InlineTable::new();
    key.insert(name, source);
    Some(value(key))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::provider::Kind;

    fn addition() -> Addition {
        let mut provider = ProviderSpec::new("local", Kind::Ollama, "http://127.0.0.1:11434");
        provider.key = KeySource::Keyring("o".to_owned());
        let models = vec![("qwen".to_owned(), "qwen3:4b".to_owned())];
        Addition { provider, models, default: Some("qwen".to_owned()) }
    }

    #[test]
    fn what_is_added_is_read_back() {
        let text = add("", &addition()).unwrap();
        let models = parse(&text);
        assert_eq!(models.problems, [], "{text}");
        assert_eq!(models.providers, [addition().provider]);
        assert_eq!((models.models[0].name.as_str(), models.models[0].id.as_str()), ("qwen", "qwen3:4b"));
        assert_eq!(models.preferred(), Some("qwen"));
    }

    #[test]
    fn what_the_user_wrote_stays() {
        let before = "# mine\n[models.qwen] # the small one\nprovider = \"local\"\nid = \"mine\"\n";
        let after = add(before, &addition()).unwrap();
        assert!(
            after.contains("# mine") && after.contains("# the small one") && after.contains("id = \"mine\""),
            "{after}"
        );
        assert!(add("nonsense", &addition()).is_err());
        assert!(add("models = 3", &addition()).is_err());
    }

    #[test]
    fn names_are_short_and_free() {
        let provider = ProviderSpec::new("llama", Kind::LlamaCpp, "http://127.0.0.1:8080");
        let ids = ["models/Qwen.gguf", "b/Qwen", "llama3:latest", "qwen3:4b"].map(str::to_owned).to_vec();
        let found = Found { what: "llama.cpp", provider, models: ids, is_loading: false };
        let addition = Addition::of(&found, &Models::default(), true);
        let names: Vec<_> = addition.models.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Qwen", "Qwen-2", "llama3", "qwen3:4b"]);
        let models = parse(&add("", &addition).unwrap());
        assert_eq!((models.problems.as_slice(), models.preferred()), ([].as_slice(), Some("Qwen")));
        assert_eq!(Addition::of(&found, &models, false).models, [], "what is there is not added again");
        assert_eq!(super::super::from_found(&[found]).names(), ["Qwen", "Qwen-2", "llama3", "qwen3:4b"]);
    }

    #[test]
    fn what_stands_beside_a_setting_stays_when_it_changes() {
        let before =
            "[models.qwen] # the small one\nprovider = \"local\"\n# measured by hand\ncontext = 4096 # for now\n";
        let mut model = parse(&add(before, &addition()).unwrap()).models[0].clone();
        model.context = Some(8192);
        let after = set(before, &model).unwrap();
        assert!(
            after.contains("# the small one") && after.contains("# measured by hand\ncontext = 8192 # for now\n"),
            "{after}"
        );
    }

    #[test]
    fn recommended_settings_are_read_back() {
        let text = add("", &addition()).unwrap();
        let mut model = parse(&text).models[0].clone();
        model.context = Some(8192);
        model.protocol = Protocol::Text;
        model.edit_form = Some(EditForm::WholeFile);
        model.capabilities.tools = true;
        assert_eq!(parse(&set(&text, &model).unwrap()).models[0], model);
    }
}
