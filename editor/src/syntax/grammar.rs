//! Grammars with their queries compiled, each once and only when a text in that language is first parsed.
//!
//! Compiling takes from one to some hundred milliseconds, so it happens on whichever worker asks first. What is kept is a
//! constant of the program computed late, not state: it depends on nothing but the table.

use std::sync::OnceLock;

use tree_sitter::{Query, QueryError};

use super::language::Language;
use super::table::LANGUAGES;
use super::token::{Paint, paint_of};

/// A grammar the build carries does not work; a mistake in the table or its queries.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GrammarError {
    /// The parser was generated for another tree-sitter.
    #[error("the {language} grammar has an incompatible version: {reason}")]
    Incompatible {
        /// Name of the language.
        language: &'static str,
        /// What tree-sitter says.
        reason: String,
    },
    /// A query names a node the grammar does not have, or does not parse.
    #[error("a query of {language} does not compile: {reason}")]
    Query {
        /// Name of the language.
        language: &'static str,
        /// What tree-sitter says, with the place.
        reason: String,
    },
}

/// A grammar ready to use.
pub(super) struct Grammar {
    pub language: tree_sitter::Language,
    pub highlights: Query,
    /// What each capture of `highlights` does; `None` for helpers.
    pub paints: Vec<Option<Paint>>,
    pub injections: Option<Injections>,
    /// Its scanner cannot bear long words of heredocs; see [`super::source`].
    pub fears_long_words: bool,
    /// By node kind id: whether its first line names the place of what is inside.
    scopes: Vec<bool>,
}

impl Grammar {
    pub fn is_scope(&self, kind: u16) -> bool {
        self.scopes.get(usize::from(kind)).copied().unwrap_or(false)
    }
}

/// Where other languages stand within this one.
pub(super) struct Injections {
    pub query: Query,
    pub content: u32,
    /// The capture whose text names the language.
    pub language: Option<u32>,
    pub patterns: Vec<InjectionPattern>,
    /// Patterns whose contents make one text over the whole document (the HTML around PHP), compiled apart because they
    /// must be looked for everywhere and not only where the screen is.
    pub whole: Option<Query>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InjectionPattern {
    /// The language, if the pattern itself says so.
    pub language: Option<Language>,
    /// The content includes what its children cover.
    pub include_children: bool,
    /// The siblings of the content of the same kind belong to the same text (pieces of a template literal).
    pub siblings: bool,
    /// All contents of this pattern are one text.
    pub whole: bool,
}

/// The compiled grammar of `language`.
pub(super) fn of(language: Language) -> Result<&'static Grammar, GrammarError> {
    static CELLS: [OnceLock<Result<Grammar, GrammarError>>; LANGUAGES.len()] =
        [const { OnceLock::new() }; LANGUAGES.len()];
    CELLS[language.index()].get_or_init(|| compile(language)).as_ref().map_err(Clone::clone)
}

fn compile(language: Language) -> Result<Grammar, GrammarError> {
    let entry = language.entry();
    let grammar = (entry.grammar)();
    tree_sitter::Parser::new()
        .set_language(&grammar)
        .map_err(|error| GrammarError::Incompatible { language: entry.name, reason: error.to_string() })?;
    let refused = |error: QueryError| GrammarError::Query { language: entry.name, reason: error.to_string() };

    let highlights = Query::new(&grammar, &entry.highlights.join("\n")).map_err(refused)?;
    let paints = highlights.capture_names().iter().map(|name| paint_of(name)).collect();
    let injections = compile_injections(&grammar, entry.injections).map_err(refused)?;
    let mut scopes = vec![false; grammar.node_kind_count()];
    for kind in entry.scopes {
        let id = usize::from(grammar.id_for_node_kind(kind, true));
        if id == 0 {
            let reason = format!("no node is called {kind}");
            return Err(GrammarError::Query { language: entry.name, reason });
        }
        scopes[id] = true;
    }
    let fears_long_words = entry.name == "Ruby";
    Ok(Grammar { language: grammar, highlights, paints, injections, fears_long_words, scopes })
}

fn compile_injections(grammar: &tree_sitter::Language, sources: &[&str]) -> Result<Option<Injections>, QueryError> {
    if sources.is_empty() {
        return Ok(None);
    }
    let source = sources.join("\n");
    let mut query = Query::new(grammar, &source)?;
    let patterns: Vec<_> = (0..query.pattern_count()).map(|index| pattern(&query, index)).collect();
    let Some(content) = query.capture_index_for_name("injection.content") else { return Ok(None) };
    let language = query.capture_index_for_name("injection.language");

    let mut whole = None;
    if patterns.iter().any(|pattern| pattern.whole) {
        let mut only_whole = Query::new(grammar, &source)?;
        for (index, pattern) in patterns.iter().enumerate() {
            if pattern.whole {
                query.disable_pattern(index);
            } else {
                only_whole.disable_pattern(index);
            }
        }
        whole = Some(only_whole);
    }
    Ok(Some(Injections { query, content, language, patterns, whole }))
}

fn pattern(query: &Query, index: usize) -> InjectionPattern {
    let mut pattern = InjectionPattern::default();
    for property in query.property_settings(index) {
        match &*property.key {
            "injection.language" => pattern.language = property.value.as_deref().and_then(Language::from_name),
            "injection.include-children" => pattern.include_children = true,
            "injection.siblings" => pattern.siblings = true,
            "injection.combined" => pattern.whole = true,
            _ => {}
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_loads_and_every_query_compiles() {
        let errors: Vec<String> =
            Language::with_hidden().filter_map(|language| of(language).err()).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }

    #[test]
    fn every_capture_of_every_query_has_a_meaning() {
        // A renamed capture in a new version of a grammar would otherwise lose its colour without a word.
        let meaningless = ["spell", "tag.error"];
        for language in Language::with_hidden() {
            let grammar = of(language).unwrap();
            for (name, paint) in grammar.highlights.capture_names().iter().zip(&grammar.paints) {
                let expected = !name.starts_with('_') && !meaningless.contains(name);
                assert!(paint.is_some() || !expected, "{language:?}: @{name}");
            }
        }
    }
}
