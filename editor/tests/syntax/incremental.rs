//! A tree that followed edits colours as a fresh one does.
//!
//! Of broken text tree-sitter promises no such thing: how it recovers from an error depends on the tree it started from.
//! So equality is asked for texts put together from whole statements, and for broken ones that an edit mends again.

use editor::syntax::Syntax;
use editor::{ChangeSet, Text};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{all_spans, assert_whole, language, parse, unlimited};

const RUST: &[&str] = &[
    "fn run(a: u32) -> Option<u32> {\n    Some(a + 1)\n}\n",
    "/// Doc.\nstruct A<'a> { x: &'a str }\n",
    "const MAX: usize = 0x10;\n",
    "use std::fmt::{self, Debug};\n",
    "fn print() { println!(\"é {}\\n\", f(1)); }\n",
    "/* a\n * b */\n",
    "impl A<'_> { fn y(&self) -> &str { r#\"raw\"# } }\n",
    "\n",
];
const PYTHON: &[&str] = &[
    "def f(self, x=1):\n    return x\n\n",
    "class A(B):\n    \"\"\"Doc.\"\"\"\n    y: int = 2\n\n",
    "@wraps\ndef g():\n    if a:\n        pass\n    else:\n        b()\n\n",
    "import os\n",
    "X = f\"a{b}ü\"\n",
    "# c\n",
];
const JAVASCRIPT: &[&str] = &[
    "function f(a, { b }) { return a ?? `x${b}`; }\n",
    "class A extends B { #x = 1; get() { return this.#x; } }\n",
    "const re = /a+/g;\n",
    "const el = <p id=\"日本\">{x}</p>;\n",
    "const q = css`a { b: ${c}; }`;\n",
    "// c\n",
];
const C: &[&str] = &[
    "#define X 1\n",
    "static int f(char *p) { return p[0] == 'a' ? X : 2; }\n",
    "struct s { int a; };\n",
    "/* c */\n",
];
const JSON_LINES: &[&str] = &["{\"a\": [1, true]}\n", "[]\n", "\"ö\\n\"\n", "null\n"];
const TOML: &[&str] = &["[a.b]\n", "k = \"v\"\n", "l = [1, 2]\n", "# c\n", "t = { x = 2024-01-01 }\n"];

/// One edit of a list of statements: put one in, take one out, or put another in its place.
#[derive(Clone, Debug)]
enum Step {
    Insert(Index, Index),
    Remove(Index),
    Replace(Index, Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (any::<Index>(), any::<Index>()).prop_map(|(at, what)| Step::Insert(at, what)),
        1 => any::<Index>().prop_map(Step::Remove),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(at, what)| Step::Replace(at, what)),
    ];
    prop::collection::vec(step, 1..12)
}

fn apply(
    statements: &mut Vec<&'static str>,
    step: &Step,
    pool: &[&'static str],
) -> (std::ops::Range<usize>, &'static str) {
    let offset = |statements: &[&str], index: usize| statements[..index].iter().map(|piece| piece.len()).sum::<usize>();
    match step {
        Step::Insert(at, what) => {
            let (index, piece) = (at.index(statements.len() + 1), pool[what.index(pool.len())]);
            let start = offset(statements, index);
            statements.insert(index, piece);
            (start..start, piece)
        }
        Step::Remove(at) if statements.len() > 1 => {
            let index = at.index(statements.len());
            let start = offset(statements, index);
            let piece = statements.remove(index);
            (start..start + piece.len(), "")
        }
        Step::Remove(_) => (0..0, ""),
        Step::Replace(at, what) => {
            let (index, piece) = (at.index(statements.len()), pool[what.index(pool.len())]);
            let start = offset(statements, index);
            let old = std::mem::replace(&mut statements[index], piece);
            (start..start + old.len(), piece)
        }
    }
}

fn edit(syntax: &mut Syntax, text: &Text, range: std::ops::Range<usize>, insert: &str) -> Text {
    let changes = ChangeSet::from_edits(text.len(), [(range, insert)]);
    let after = changes.apply(text);
    syntax.edit(&changes, text, &after);
    after
}

fn follows(name: &str, pool: &[&'static str], steps: &[Step]) {
    let mut statements = vec![pool[0], pool[1]];
    let (mut text, mut syntax) = parse(name, &statements.concat());
    for (index, step) in steps.iter().enumerate() {
        let (range, insert) = apply(&mut statements, step, pool);
        text = edit(&mut syntax, &text, range, insert);
        assert_eq!(text.to_string(), statements.concat());
        // Several edits between two parses are usual: typing is faster than parsing.
        if index % 3 == 1 {
            continue;
        }
        syntax.reparse(&text, &unlimited()).unwrap();
        let (_, mut fresh) = parse(name, &statements.concat());
        assert_eq!(all_spans(&mut syntax, &text), all_spans(&mut fresh, &text), "{name}: {text}");
    }
}

/// Random replacements, then one that puts the original back.
fn mends(name: &str, source: &str, damage: &[(Index, Index, String)]) {
    let (original, mut syntax) = parse(name, source);
    let clean = all_spans(&mut syntax, &original);
    let mut text = original.clone();
    for (a, b, insert) in damage {
        let (a, b) = (a.index(text.len() + 1), b.index(text.len() + 1));
        let range = text.floor_char(a.min(b))..text.floor_char(a.max(b).min(a.min(b) + 12));
        text = edit(&mut syntax, &text, range, insert);
        if syntax.reparse(&text, &unlimited()).is_ok() {
            assert_whole(&text, &(0..text.len()), &all_spans(&mut syntax, &text));
        }
    }
    let len = text.len();
    text = edit(&mut syntax, &text, 0..len, &original.to_string());
    syntax.reparse(&text, &unlimited()).unwrap();
    assert_eq!(all_spans(&mut syntax, &text), clean, "{name}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whole_statements_that_come_and_go_are_coloured_as_if_parsed_afresh(steps in steps()) {
        for (name, pool) in [
            ("rust", RUST), ("python", PYTHON), ("jsx", JAVASCRIPT), ("c", C), ("json", JSON_LINES), ("toml", TOML),
        ] {
            follows(name, pool, &steps);
        }
    }

    #[test]
    fn a_text_that_was_broken_and_mended_has_its_colours_back(
        damage in prop::collection::vec((any::<Index>(), any::<Index>(), "[-{}()\"'`<>/*# a0\\né\t]{0,6}"), 1..6)
    ) {
        for (name, pool) in [("rust", RUST), ("python", PYTHON), ("jsx", JAVASCRIPT), ("c", C), ("toml", TOML)] {
            mends(name, &pool.concat(), &damage);
        }
    }

    #[test]
    fn any_part_of_a_text_has_the_spans_the_whole_has_there(from in any::<Index>(), to in any::<Index>()) {
        let source = RUST.concat();
        let (text, mut syntax) = parse("rust", &source);
        let (from, to) = (from.index(source.len()), to.index(source.len()));
        let range = text.floor_char(from.min(to))..text.floor_char(from.max(to));
        let whole = all_spans(&mut syntax, &text);
        let part = syntax.spans(&text, range.clone(), &unlimited());
        let clipped: Vec<_> = whole
            .into_iter()
            .map(|mut span| {
                span.range = span.range.start.max(range.start)..span.range.end.min(range.end);
                span
            })
            .filter(|span| span.range.start < span.range.end)
            .collect();
        prop_assert_eq!(part, clipped);
    }
}

#[test]
fn an_edit_moves_the_old_spans_until_the_text_is_parsed() {
    let (text, mut syntax) = parse("rust", "fn a() {}\n");
    let after = edit(&mut syntax, &text, 0..0, "xy ");
    assert!(syntax.is_stale());
    let spans = all_spans(&mut syntax, &after);
    assert_eq!(spans[0].range, 3..5, "the keyword moved by three");
    syntax.reparse(&after, &unlimited()).unwrap();
    assert!(!syntax.is_stale());
    assert_eq!(syntax.language(), language("rust"));
}
