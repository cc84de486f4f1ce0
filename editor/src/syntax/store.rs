//! The trees a service keeps between requests, up to a sum of memory.
//!
//! A tree is taken out while it is worked on and put back after; two workers never have the same. The one not used for
//! longest goes first; the one just used stays, even when it alone is over the limit: without it every key typed would
//! parse the whole text.

use rustc_hash::FxHashMap;

use super::budget::{Budget, Stop};
use super::language::Language;
use super::tree::Syntax;
use crate::change::ChangeSet;
use crate::text::Text;

/// A text with its syntax, as of the last request.
pub(super) struct Parsed {
    pub text: Text,
    pub syntax: Syntax,
}

impl Parsed {
    pub fn new(language: Language, text: &Text, budget: &Budget) -> Result<Self, Stop> {
        Ok(Self { text: text.clone(), syntax: Syntax::parse_within(language, text, budget)? })
    }

    /// Brings the syntax to `text`. `changes` lead there from the text of the last request; if they do not, what the two
    /// texts have in common at both ends is kept. When the budget ends, the old tree stays, moved to where it belongs.
    pub fn update(&mut self, text: &Text, changes: &[impl AsRef<ChangeSet>], budget: &Budget) -> Result<(), Stop> {
        if !self.text.same(text) {
            if leads(changes, self.text.len(), text.len()) {
                self.follow(text, changes);
            } else {
                let change = ChangeSet::between(&self.text, text);
                self.syntax.edit(&change, &self.text, text);
            }
            self.text = text.clone();
        }
        self.syntax.reparse(text, budget)
    }

    fn follow(&mut self, text: &Text, changes: &[impl AsRef<ChangeSet>]) {
        let mut before = self.text.clone();
        for (index, change) in changes.iter().enumerate() {
            let change = change.as_ref();
            let after = if index + 1 == changes.len() { text.clone() } else { change.apply(&before) };
            self.syntax.edit(change, &before, &after);
            before = after;
        }
    }
}

/// Whether the changes fit each other and both ends.
fn leads(changes: &[impl AsRef<ChangeSet>], from: usize, to: usize) -> bool {
    let end = changes.iter().try_fold(from, |len, change| {
        let change = change.as_ref();
        (change.len_before() == len).then(|| change.len_after())
    });
    !changes.is_empty() && end == Some(to)
}

/// What is kept, by key.
pub(super) struct Store {
    budget: usize,
    kept: FxHashMap<u64, Kept>,
    /// Texts that took too long, by their length then: every key typed would try again in vain, a core busy all the time.
    slow: FxHashMap<u64, (Language, usize)>,
    clock: u64,
}

struct Kept {
    parsed: Parsed,
    cost: usize,
    used: u64,
}

impl Store {
    /// Keeps trees of `budget` bytes together.
    pub fn new(budget: usize) -> Self {
        Self { budget, kept: FxHashMap::default(), slow: FxHashMap::default(), clock: 0 }
    }

    pub fn take(&mut self, key: u64, language: Language) -> Option<Parsed> {
        self.kept.remove(&key).map(|kept| kept.parsed).filter(|parsed| parsed.syntax.language() == language)
    }

    pub fn put(&mut self, key: u64, parsed: Parsed) {
        self.clock += 1;
        let cost = parsed.syntax.cost();
        self.kept.insert(key, Kept { parsed, cost, used: self.clock });
        let mut total: usize = self.kept.values().map(|kept| kept.cost).sum();
        while total > self.budget && self.kept.len() > 1 {
            let Some(oldest) = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| *key) else { return };
            total -= self.kept.remove(&oldest).map_or(0, |kept| kept.cost);
        }
    }

    pub fn remove(&mut self, key: u64) {
        self.kept.remove(&key);
        self.slow.remove(&key);
    }

    /// Notes that a text took too long to parse.
    pub fn gave_up(&mut self, key: u64, language: Language, text: &Text) {
        self.slow.insert(key, (language, text.len()));
    }

    /// Whether it is of no use to try this text: it was too slow and has not become much shorter since.
    pub fn is_hopeless(&self, key: u64, language: Language, text: &Text) -> bool {
        let much_shorter = |len: usize| text.len() < len - len / 4;
        self.slow.get(&key).is_some_and(|(slow, len)| *slow == language && !much_shorter(*len))
    }

    /// How many trees are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;

    fn parsed(source: &str) -> Parsed {
        let language = Language::from_name("rust").unwrap();
        Parsed::new(language, &Text::from(source), &Budget::until(&Cancel::new())).unwrap()
    }

    #[test]
    fn the_least_recently_used_tree_goes_when_memory_is_short() {
        let source = "fn f() { g(1); }\n".repeat(100);
        let one = parsed(&source).syntax.cost();
        let mut store = Store::new(one * 5 / 2);
        store.put(1, parsed(&source));
        store.put(2, parsed(&source));
        let rust = Language::from_name("rust").unwrap();
        let first = store.take(1, rust).expect("both fit");
        store.put(1, first);
        store.put(3, parsed(&source));
        assert_eq!(store.len(), 2);
        assert!(store.take(2, rust).is_none(), "2 was used before 1 was");
        assert!(store.take(1, rust).is_some() && store.take(3, rust).is_some());
    }

    #[test]
    fn a_tree_of_another_language_is_of_no_use() {
        let mut store = Store::new(1 << 20);
        store.put(1, parsed("fn f() {}"));
        assert!(store.take(1, Language::from_name("go").unwrap()).is_none());
    }
}
