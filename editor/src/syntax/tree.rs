//! A text's parse tree, kept while the text changes, and the spans of a part of it.
//!
//! The tree of the text's own language covers all of it. Trees of embedded languages (*layers*) are made when a part
//! that contains them is first asked for, and kept: a document of five thousand list items parses the hundred on
//! screen. An edit moves every kept tree at once, so spans stay in place until the text is parsed again.
//!
//! Invariant: every tree has been told of all edits; `stale` says which has not been parsed since.

use std::ops::Range;

use tree_sitter::{InputEdit, Parser, Tree};

use super::budget::{Budget, Stop};
use super::grammar::{Grammar, GrammarError};
use super::injection::{self, Content};
use super::language::Language;
use super::paint::{self, Span};
use super::{scope, source};
use crate::cancel::Cancel;
use crate::change::ChangeSet;
use crate::text::Text;

/// Languages within languages that are followed: a document, its code block, the markup in it, the script in that.
const MAX_DEPTH: u8 = 4;

/// Layers kept for later; beyond, the one not used for longest goes.
const MAX_LAYERS: usize = 512;

/// A text's syntax: its parse tree and those of the languages embedded in it.
#[derive(Clone)]
pub struct Syntax {
    language: Language,
    grammar: &'static Grammar,
    tree: Tree,
    stale: bool,
    layers: Vec<Layer>,
    /// Contents spread over the whole text, found once per parse.
    whole: Option<Vec<Content>>,
    /// Counts requests for spans, so that layers know when they were last of use.
    clock: u64,
}

#[derive(Clone)]
struct Layer {
    depth: u8,
    content: Content,
    grammar: &'static Grammar,
    tree: Tree,
    stale: bool,
    used: u64,
}

/// A layer while spans are looked for.
struct Open {
    depth: u8,
    grammar: &'static Grammar,
    tree: Tree,
    /// The ranges of the layer's own text; empty for the whole.
    within: Vec<tree_sitter::Range>,
}

impl Syntax {
    /// Parses `text`, unless cancelled. `None` too if its grammar does not load or the text has 4 GiB.
    pub fn parse(language: Language, text: &Text, cancel: &Cancel) -> Option<Syntax> {
        Self::parse_within(language, text, &Budget::until(cancel)).ok()
    }

    /// Parses `text` as long as the budget lasts.
    pub fn parse_within(language: Language, text: &Text, budget: &Budget) -> Result<Syntax, Stop> {
        let grammar = language.grammar().map_err(|_| Stop::Refused)?;
        let tree = source::parse(&mut Parser::new(), grammar, text, &[], None, budget)?;
        Ok(Syntax { language, grammar, tree, stale: false, layers: Vec::new(), whole: None, clock: 0 })
    }

    /// Whether the grammar of `language` loads and its queries compile; compiles them if nobody has yet.
    pub fn prepare(language: Language) -> Result<(), GrammarError> {
        language.grammar().map(|_| ())
    }

    /// The language of the text as a whole.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The root of the text's own tree.
    pub(super) fn root(&self) -> tree_sitter::Node<'_> {
        self.tree.root_node()
    }

    /// Whether the text has changed since it was last parsed: spans are where they belong, but may be of the wrong kind.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// About how much memory the trees take, in bytes.
    pub fn cost(&self) -> usize {
        // An estimate for a visible node with its share of hidden ones and child arrays; nobody tells the real size.
        const NODE: usize = 72;
        let nodes = |tree: &Tree| tree.root_node().descendant_count();
        NODE * (nodes(&self.tree) + self.layers.iter().map(|layer| nodes(&layer.tree)).sum::<usize>())
    }

    /// Tells the trees what changed, at once and without parsing. `changes` leads from `old` to `new`.
    pub fn edit(&mut self, changes: &ChangeSet, old: &Text, new: &Text) {
        if changes.is_empty() {
            return;
        }
        let edits = source::input_edits(changes, old, new);
        for edit in &edits {
            self.tree.edit(edit);
        }
        for layer in &mut self.layers {
            layer.edit(&edits);
        }
        self.stale = true;
        self.whole = None;
    }

    /// Parses what changed since the last time. When the budget ends first, the old trees stay in use, moved by the edits.
    pub fn reparse(&mut self, text: &Text, budget: &Budget) -> Result<(), Stop> {
        if self.stale {
            self.tree = source::parse(&mut Parser::new(), self.grammar, text, &[], Some(&self.tree), budget)?;
            self.stale = false;
        }
        Ok(())
    }

    /// The spans within a range of the text, sorted and apart; those found before the budget was spent.
    ///
    /// `text` is the one last parsed or edited to. Costs what the range contains, not what the text does; layers that
    /// are met for the first time are parsed.
    pub fn spans(&mut self, text: &Text, range: Range<usize>, budget: &Budget) -> Vec<Span> {
        let range = range.start.min(text.len())..range.end.min(text.len());
        if range.is_empty() {
            return Vec::new();
        }
        self.clock += 1;
        let mut captures = Vec::new();
        let mut parser = Parser::new();
        let mut open = vec![Open { depth: 0, grammar: self.grammar, tree: self.tree.clone(), within: Vec::new() }];
        while let Some(layer) = open.pop() {
            paint::collect(layer.grammar, layer.tree.root_node(), text, &range, layer.depth, budget, &mut captures);
            if layer.depth >= MAX_DEPTH || budget.check().is_err() {
                continue;
            }
            for content in self.contents(&layer, text, &range, budget) {
                open.extend(self.layer(layer.depth + 1, content, text, &mut parser, budget));
            }
        }
        self.forget_layers();
        paint::paint(captures)
    }

    /// The first line of the function, type or section that `line` is in, trimmed; `None` at the top level.
    ///
    /// What starts on `line` itself does not count: a reader sees it.
    pub fn enclosing(&self, text: &Text, line: u32) -> Option<String> {
        scope::enclosing(self.grammar, &self.tree, text, line)
    }

    /// What is embedded in a layer, as far as it touches `range`.
    fn contents(&mut self, layer: &Open, text: &Text, range: &Range<usize>, budget: &Budget) -> Vec<Content> {
        let (grammar, root, within) = (layer.grammar, layer.tree.root_node(), &layer.within);
        let mut contents = injection::contents(grammar, root, text, range, within, budget);
        let find_whole = || injection::whole_contents(grammar, root, text, within, budget);
        let found;
        let whole = if layer.depth == 0 {
            self.whole.get_or_insert_with(find_whole)
        } else {
            found = find_whole();
            &found
        };
        contents.extend(whole.iter().filter(|content| content.touches(range)).cloned());
        contents
    }

    /// The tree of a content: the one kept if it is still right, else parsed, from the one kept if there is one.
    fn layer(
        &mut self,
        depth: u8,
        content: Content,
        text: &Text,
        parser: &mut Parser,
        budget: &Budget,
    ) -> Option<Open> {
        let within = content.ranges.clone();
        let kept = self.layers.iter_mut().find(|layer| {
            layer.depth == depth
                && layer.content.language == content.language
                && layer.content.start() == content.start()
        });
        if let Some(layer) = kept {
            layer.used = self.clock;
            if layer.stale || layer.content != content {
                layer.tree =
                    source::parse(parser, layer.grammar, text, &content.ranges, Some(&layer.tree), budget).ok()?;
                layer.content = content;
                layer.stale = false;
            }
            return Some(Open { depth, grammar: layer.grammar, tree: layer.tree.clone(), within });
        }
        let grammar = content.language.grammar().ok()?;
        let tree = source::parse(parser, grammar, text, &content.ranges, None, budget).ok()?;
        self.layers.push(Layer { depth, content, grammar, tree: tree.clone(), stale: false, used: self.clock });
        Some(Open { depth, grammar, tree, within })
    }

    fn forget_layers(&mut self) {
        if self.layers.len() > MAX_LAYERS {
            self.layers.sort_by_key(|layer| std::cmp::Reverse(layer.used));
            self.layers.truncate(MAX_LAYERS);
        }
    }
}

impl Layer {
    fn edit(&mut self, edits: &[InputEdit]) {
        for edit in edits {
            let (Some(first), Some(last)) = (self.content.ranges.first(), self.content.ranges.last()) else { return };
            // Behind it nothing moves; before it, everything moves alike. An edit at either end may join the content.
            if edit.start_byte > last.end_byte {
                return;
            }
            self.stale |= edit.old_end_byte >= first.start_byte;
            self.tree.edit(edit);
            for range in &mut self.content.ranges {
                edit.edit_range(range);
            }
        }
    }
}
