//! Changes the file of models and leaves the user's own words, order and comments in it alone.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::Models;
use crate::provider::discovery::Found;
use crate::provider::spec::{KeySource, Proxy};
use crate::provider::{EditForm, ModelSpec, Price, Protocol, ProviderSpec};

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
    put(entry, "kind", Some(provider.kind.name().into()));
    put(entry, "url", Some(provider.url.as_str().into()));
    put(entry, "key", key(&provider.key));
    let proxy = match &provider.proxy {
        Proxy::Direct => None,
        Proxy::Environment => Some("environment"),
        Proxy::Through(address) => Some(address.as_str()),
    };
    put(entry, "proxy", proxy.map(Value::from));
    for (name, id) in &addition.models {
        let entry = table(&mut document, "models", name)?;
        if entry.is_empty() {
            put(entry, "provider", Some(provider.name.as_str().into()));
            put(entry, "id", Some(id.as_str().into()));
        }
    }
    if let Some(default) = &addition.default {
        put(document.as_table_mut(), "default", Some(default.as_str().into()));
    }
    Ok(document.to_string())
}

/// Writes the settings that the doctor recommends for a model that is in the file.
pub fn set(text: &str, model: &ModelSpec) -> Result<String, String> {
    let mut document = read(text)?;
    let entry = table(&mut document, "models", &model.name)?;
    if let Some(context) = model.context {
        put(entry, "context", Some(i64::from(context).into()));
    }
    put(entry, "output", Some(i64::from(model.output).into()));
    put(entry, "protocol", Some(protocol_name(model.protocol).into()));
    if let Some(form) = model.edit_form {
        put(entry, "edit-form", Some(form_name(form).into()));
    }
    put(entry, "capabilities", Some(Value::Array(model.capabilities.names().into_iter().collect())));
    Ok(document.to_string())
}

/// Writes a model as a person has changed it, under its new name if it has one; what is as it is without being said is
/// not said.
pub fn change(text: &str, was: &str, model: &ModelSpec) -> Result<String, String> {
    let mut document = read(text)?;
    if was != model.name {
        rename(&mut document, was, &model.name)?;
    }
    let plain = ModelSpec::new(model.provider.clone(), model.name.as_str());
    let entry = table(&mut document, "models", &model.name)?;
    let mut say = |field: &str, value: Option<Value>, is_plain: bool| {
        if !is_plain || entry.contains_key(field) {
            put(entry, field, value);
        }
    };
    say("provider", Some(model.provider.name.as_str().into()), false);
    say("id", Some(model.id.as_str().into()), model.id == plain.id);
    say("context", model.context.map(|context| i64::from(context).into()), model.context.is_none());
    say("output", Some(i64::from(model.output).into()), model.output == plain.output);
    say("price", model.price.as_ref().map(price), model.price.is_none());
    let capabilities = Value::Array(model.capabilities.names().into_iter().collect());
    say("capabilities", Some(capabilities), model.capabilities == plain.capabilities);
    say("protocol", Some(protocol_name(model.protocol).into()), model.protocol == plain.protocol);
    say("edit-form", model.edit_form.map(|form| form_name(form).into()), model.edit_form.is_none());
    say("temperature", Some(decimal(model.temperature)), model.temperature == plain.temperature);
    Ok(document.to_string())
}

/// Takes a model out of the file, out of the routes that name it, and its provider if that has no other.
pub fn remove(text: &str, name: &str) -> Result<String, String> {
    let mut document = read(text)?;
    let models = document.get_mut("models").and_then(Item::as_table_like_mut);
    let Some(gone) = models.and_then(|models| models.remove(name)) else {
        return Err(format!("there is no model {name} in the file of models"));
    };
    if let Some(provider) = gone.get("provider").and_then(Item::as_str) {
        let of_it = |(_, model): (&str, &Item)| model.get("provider").and_then(Item::as_str) == Some(provider);
        let models = document.get("models").and_then(Item::as_table_like);
        if !models.is_some_and(|models| models.iter().any(of_it))
            && let Some(providers) = document.get_mut("providers").and_then(Item::as_table_like_mut)
        {
            providers.remove(provider);
        }
    }
    each_name(&mut document, name, None);
    Ok(document.to_string())
}

/// Makes a model or a route the one that is used where none is named.
pub fn prefer(text: &str, name: &str) -> Result<String, String> {
    let mut document = read(text)?;
    put(document.as_table_mut(), "default", Some(name.into()));
    Ok(document.to_string())
}

/// Calls a model otherwise, wherever it is named.
fn rename(document: &mut DocumentMut, was: &str, name: &str) -> Result<(), String> {
    let taken = |group: &str| document.get(group).and_then(|group| group.get(name)).is_some();
    if taken("models") || taken("routes") {
        return Err(format!("there is another model or route called {name}"));
    }
    let models = document.get_mut("models").and_then(Item::as_table_like_mut);
    // A table keeps its place in the file wherever it stands in the group.
    let model = models.and_then(|models| Some((models.remove(was)?, models)));
    let Some((model, models)) = model else { return Err(format!("there is no model {was} in the file of models")) };
    models.insert(name, model);
    each_name(document, was, Some(name));
    Ok(())
}

/// Puts another name, or none, wherever the file names a model; a route that is left without any goes.
fn each_name(document: &mut DocumentMut, was: &str, now: Option<&str>) {
    if document.get("default").and_then(Item::as_str) == Some(was) {
        put(document.as_table_mut(), "default", now.map(Value::from));
    }
    let Some(routes) = document.get_mut("routes").and_then(Item::as_table_like_mut) else { return };
    let mut empty = Vec::new();
    for (route, entry) in routes.iter_mut() {
        let Some(names) = entry.get_mut("models").and_then(Item::as_array_mut) else { continue };
        match now {
            None => names.retain(|name| name.as_str() != Some(was)),
            Some(now) => names.iter_mut().filter(|name| name.as_str() == Some(was)).for_each(|name| {
                *name = Value::from(now).decorated(
                    name.decor().prefix().cloned().unwrap_or_default(),
                    name.decor().suffix().cloned().unwrap_or_default(),
                );
            }),
        }
        if names.is_empty() {
            empty.push(route.get().to_owned());
        }
    }
    for route in empty {
        routes.remove(&route);
    }
}

/// Puts a value in the place of another, with the comments around it; none takes it away.
fn put(entry: &mut Table, field: &str, new: Option<Value>) {
    let Some(mut new) = new else {
        entry.remove(field);
        return;
    };
    match entry.get_mut(field) {
        Some(item) => {
            if let Item::Value(old) = item {
                new.decor_mut().clone_from(old.decor());
            }
            *item = Item::Value(new);
        }
        None => drop(entry.insert(field, Item::Value(new))),
    }
}

fn price(price: &Price) -> Value {
    let mut table = InlineTable::new();
    let cached = price.cached.map(|cached| ("cached", cached));
    for (name, amount) in [("input", price.input), ("output", price.output)].into_iter().chain(cached) {
        table.insert(name, amount.into());
    }
    table.into()
}

/// As a person would write it, without the digits that a longer number shows.
fn decimal(number: f32) -> Value {
    number.to_string().parse::<f64>().unwrap_or_default().into()
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

fn key(source: &KeySource) -> Option<Value> {
    let (name, source) = match source {
        KeySource::None => return None,
        KeySource::Environment(name) => ("environment", Value::from(name.as_str())),
        KeySource::Keyring(name) => ("keyring", Value::from(name.as_str())),
        KeySource::Command(command) => ("command", Value::from(command.iter().map(String::as_str).collect::<Array>())),
    };
    let mut key = InlineTable::new();
    key.insert(name, source);
    Some(key.into())
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

    const FILE: &str = "default = \"qwen\" # for now\n\n[providers.local]\nkind = \"ollama\"\nurl = \"http://127.0.0.1:11434\"\n\n\
        # the small one\n[models.qwen]\nprovider = \"local\"\n# what fits\ncontext = 4096 # tokens\n\n\
        [models.big]\nprovider = \"local\"\n\n[routes.any]\nmodels = [\"qwen\", \"big\"]\n\n[routes.one]\nmodels = [\"qwen\"]\n";

    #[test]
    fn a_model_that_is_changed_keeps_its_place_and_its_comments() {
        let mut model = parse(FILE).models[0].clone();
        model.name = "little".to_owned();
        model.context = Some(8192);
        model.price = Some(Price { input: 0.1, output: 0.4, cached: None });
        model.temperature = 0.2;
        let text = change(FILE, "qwen", &model).unwrap();
        let expected = FILE.replace("\"qwen\"", "\"little\"").replace("[models.qwen]", "[models.little]").replace(
            "context = 4096 # tokens",
            "context = 8192 # tokens\nid = \"qwen\"\nprice = { input = 0.1, output = 0.4 }\ntemperature = 0.2",
        );
        assert_eq!(text, expected);
        assert_eq!(parse(&text).models[0], model);
        assert!(change(FILE, "qwen", &ModelSpec { name: "any".to_owned(), ..model }).unwrap_err().contains("any"));
    }

    #[test]
    fn what_is_removed_is_named_nowhere() {
        let without = remove(FILE, "qwen").unwrap();
        let models = parse(&without);
        assert_eq!((models.names(), models.problems), (vec!["big".to_owned(), "any".to_owned()], vec![]), "{without}");
        assert_eq!(models.providers.len(), 1, "another model is there");
        assert_eq!(parse(&remove(&without, "big").unwrap()), Models::default());
        assert!(remove(FILE, "none").is_err());
    }

    #[test]
    fn another_default_is_written_with_its_comment() {
        assert_eq!(prefer(FILE, "big").unwrap(), FILE.replace("= \"qwen\" #", "= \"big\" #"));
    }
}
