//! Languages within languages.

use editor::syntax::Token;
use editor::{ChangeSet, Text};

use super::{all_spans, assert_whole, check, parse, unlimited};

#[test]
fn a_fenced_block_is_coloured_as_its_language_says() {
    check(
        "markdown",
        "# T\n\n```rust,ignore\nfn main() { 1 }\n```\n\n> ```py\n> def f(): pass\n> ```\n\n```nothing\nfn\n```\n",
        &[("rust", Token::Attribute), ("fn", Token::Keyword), ("main", Token::Function), ("1", Token::Number)],
    );
    check(
        "markdown",
        "> ```py\n> def f(): pass\n> x = 1\n> ```\n",
        &[(">", Token::Punctuation), ("def", Token::Keyword), ("f", Token::Function), ("1", Token::Number)],
    );
}

#[test]
fn a_document_has_inline_markup_front_matter_and_pages() {
    check(
        "markdown",
        "---\na: 1\n---\n\nSee `x` and **y**.\n\n| `c` |\n|---|\n| **d** |\n\n<b class=\"z\">\n",
        &[
            ("a", Token::Property),
            ("1", Token::Number),
            ("x", Token::Code),
            ("y", Token::Strong),
            ("c", Token::Code),
            ("d", Token::Strong),
            ("b", Token::Tag),
            ("class", Token::Attribute),
        ],
    );
}

#[test]
fn a_page_holds_scripts_and_styles() {
    check(
        "html",
        "<style>a { color: red }</style>\n<script>const x = `n${y}`;</script>\n<script type=\"application/json\">{\"k\": 1}</script>\n<p onclick=\"go(2)\">x</p>\n",
        &[
            ("style", Token::Tag),
            ("a", Token::Tag),
            ("color", Token::Property),
            ("script", Token::Tag),
            ("const", Token::Keyword),
            ("`n", Token::String),
            ("y", Token::Variable),
            ("\"k\"", Token::Property),
            ("1", Token::Number),
            ("go", Token::Function),
            ("2", Token::Number),
        ],
    );
}

#[test]
fn a_script_in_a_page_in_a_document_is_three_deep() {
    check(
        "markdown",
        "```html\n<script>let x = 1;</script>\n```\n",
        &[("script", Token::Tag), ("let", Token::Keyword), ("1", Token::Number)],
    );
}

#[test]
fn tagged_templates_are_one_text_around_their_substitutions() {
    check(
        "javascript",
        "const q = sql`SELECT a FROM b WHERE c = 1`;\nconst c = css`a { b: ${x}; c: 2px }`;\nconst h = html`<p id=\"${x}\">${y}</p>`;\n",
        &[
            ("SELECT", Token::Keyword),
            ("WHERE", Token::Keyword),
            ("1", Token::Number),
            ("a", Token::Tag),
            ("b", Token::Property),
            ("x", Token::Variable),
            ("c", Token::Property),
            ("2px", Token::Number),
            ("p", Token::Tag),
            ("id", Token::Attribute),
            ("x", Token::Variable),
            ("y", Token::Variable),
            ("p", Token::Tag),
        ],
    );
}

#[test]
fn the_page_around_php_is_one_document() {
    check(
        "php",
        "<ul class=\"a\">\n<?php foreach ($xs as $x): ?>\n  <li id=\"<?= $x ?>\">b</li>\n<?php endforeach; ?>\n</ul>\n",
        &[
            ("ul", Token::Tag),
            ("class", Token::Attribute),
            ("\"a\"", Token::String),
            ("foreach", Token::Keyword),
            ("$xs", Token::Variable),
            ("li", Token::Tag),
            ("id", Token::Attribute),
            ("$x", Token::Variable),
            ("li", Token::Tag),
            ("endforeach", Token::Keyword),
            ("ul", Token::Tag),
        ],
    );
    check("php", "<?php $q = <<<SQL\nSELECT a FROM b\nSQL;\n", &[("SELECT", Token::Keyword), ("FROM", Token::Keyword)]);
}

#[test]
fn arguments_of_macros_are_code() {
    check(
        "rust",
        "fn f() { assert_eq!(g(1, \"a\"), Some(x.y()), \"b {}\", self.z); }\n",
        &[
            ("assert_eq!", Token::Macro),
            ("g", Token::Function),
            ("1", Token::Number),
            ("\"a\"", Token::String),
            ("Some", Token::Constructor),
            ("y", Token::Function),
            ("self", Token::BuiltinVariable),
            ("z", Token::Property),
        ],
    );
}

#[test]
fn a_raw_string_of_cpp_names_its_language() {
    check("cpp", "auto q = R\"sql(SELECT a FROM b)sql\";\n", &[("SELECT", Token::Keyword), ("FROM", Token::Keyword)]);
}

#[test]
fn an_edit_within_a_block_colours_the_block_anew_and_moves_the_others() {
    let source = "a\n\n```rust\nlet x = 1;\n```\n\nb\n\n```py\nx = 1\n```\n";
    let (text, mut syntax) = parse("markdown", source);
    all_spans(&mut syntax, &text);
    let at = source.find("let").unwrap();
    let changes = ChangeSet::from_edits(text.len(), [(0..0, "# new\n\n"), (at..at + 3, "const")]);
    let after = changes.apply(&text);
    syntax.edit(&changes, &text, &after);
    let moved = all_spans(&mut syntax, &after);
    assert_whole(&after, &(0..after.len()), &moved);
    syntax.reparse(&after, &unlimited()).unwrap();
    let (_, mut fresh) = parse("markdown", &after.to_string());
    assert_eq!(all_spans(&mut syntax, &after), all_spans(&mut fresh, &after));
}

#[test]
fn text_that_becomes_code_and_back_is_followed() {
    let (mut text, mut syntax) = parse("markdown", "x\nlet a = 1;\ny\n");
    let step = |text: &Text, range: std::ops::Range<usize>, insert: &str, syntax: &mut editor::syntax::Syntax| {
        let changes = ChangeSet::from_edits(text.len(), [(range, insert)]);
        let after = changes.apply(text);
        syntax.edit(&changes, text, &after);
        syntax.reparse(&after, &unlimited()).unwrap();
        let (_, mut fresh) = parse("markdown", &after.to_string());
        assert_eq!(all_spans(syntax, &after), all_spans(&mut fresh, &after), "{after}");
        after
    };
    text = step(&text, 2..2, "```rust\n", &mut syntax);
    let end = text.len() - 2;
    text = step(&text, end..end, "```\n", &mut syntax);
    text = step(&text, 5..9, "js", &mut syntax);
    step(&text, 2..8, "", &mut syntax);
}
