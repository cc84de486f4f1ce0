//! The header a place is under: the function, type or section around it, as a reader would name it.

use tree_sitter::{Node, Tree};

use super::grammar::Grammar;
use crate::text::Text;

/// Longest header returned, in bytes.
const LONGEST: usize = 200;

/// Lines looked at before giving up when there is no tree.
const MOST_LINES: u32 = 20_000;

/// Nodes looked at on the way down; deeper nests are broken text.
const DEEPEST: usize = 10_000;

pub(super) fn enclosing(grammar: &Grammar, tree: &Tree, text: &Text, line: u32) -> Option<String> {
    let at = first_word(text, line);
    let mut found = None;
    let mut walk = tree.walk();
    for _ in 0..DEEPEST {
        let node = walk.node();
        if grammar.is_scope(node.kind_id()) && node.end_byte() > at {
            let header = header_line(node);
            if header < line && node.start_byte() < at {
                found = Some(header);
            }
        }
        if walk.goto_first_child_for_byte(at).is_none() {
            break;
        }
    }
    found.map(|header| tidy(&text.line(header)))
}

/// The header of the block around `line`, by indentation alone: the nearest line above that is indented less and
/// begins with a word. As git finds its hunk headers, for texts in languages without a grammar.
pub fn enclosing_by_indentation(text: &Text, line: u32) -> Option<String> {
    let line = line.min(text.last_line());
    let own = (line..text.line_count()).take(MOST_LINES as usize).find_map(|line| indentation(&text.line(line)));
    let mut limit = own?;
    for above in (line.saturating_sub(MOST_LINES)..line).rev() {
        if limit == 0 {
            return None;
        }
        let content = text.line(above);
        let Some(indent) = indentation(&content).filter(|indent| *indent < limit) else { continue };
        if content.trim_start().starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$') {
            return Some(tidy(&content));
        }
        // A lone bracket closes or opens a block, it does not name it.
        limit = limit.min(indent + 1);
    }
    None
}

/// Columns before the first word, tabs counting as one; `None` for a blank line.
fn indentation(line: &str) -> Option<usize> {
    line.find(|c: char| !c.is_whitespace())
}

fn first_word(text: &Text, line: u32) -> usize {
    let start = text.line_start(line);
    start + indentation(&text.line(line)).unwrap_or_default()
}

/// The line that names a node: that of its name, since attributes and modifiers may come before it.
fn header_line(node: Node<'_>) -> u32 {
    let named = ["name", "declarator", "type"].iter().find_map(|field| node.child_by_field_name(field));
    named.unwrap_or(node).start_position().row as u32
}

/// Without the opening bracket and what surrounds it, and not longer than a line of a screen.
fn tidy(line: &str) -> String {
    let line = line.trim().trim_end_matches(['{', ':', ' ', '\t']);
    let end = (0..=LONGEST.min(line.len())).rev().find(|end| line.is_char_boundary(*end)).unwrap_or_default();
    line[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::syntax::{Language, Syntax};

    /// Checks the header of the line that holds `HERE`.
    fn check(language: &str, source: &str, expected: Option<&str>) {
        let text = Text::from(source);
        let here = source.lines().position(|line| line.contains("HERE")).expect("a line marked HERE") as u32;
        let language = Language::from_name(language).expect("a known language");
        let syntax = Syntax::parse(language, &text, &Cancel::new()).expect("a tree");
        assert_eq!(syntax.enclosing(&text, here).as_deref(), expected, "{source}");
    }

    #[test]
    fn a_line_is_under_the_innermost_header_above_it() {
        check("rust", "impl Engine {\n    /// HERE\n    fn run() {}\n}\n", Some("impl Engine"));
        check(
            "rust",
            "impl Engine {\n    #[inline]\n    pub fn run(&self) -> u32 {\n        HERE\n    }\n}\n",
            Some("pub fn run(&self) -> u32"),
        );
        check("rust", "fn a() {}\n\nfn HERE() {}\n", None);
        check("python", "class A:\n    @property\n    def f(self):\n        return HERE\n", Some("def f(self)"));
        check("python", "class A:\n    x = 1\n\n    HERE = 2\n", Some("class A"));
        check("javascript", "class A {\n  run() {\n    HERE;\n  }\n}\n", Some("run()"));
        check("typescript", "export interface A {\n  HERE: string;\n}\n", Some("export interface A"));
        check("tsx", "function App() {\n  return <b>HERE</b>;\n}\n", Some("function App()"));
        check("go", "func (s *S) Run() error {\n\tHERE()\n}\n", Some("func (s *S) Run() error"));
        check("c", "static int\nmain(void)\n{\n    HERE();\n}\n", Some("main(void)"));
        check("cpp", "namespace a {\nclass B {\n  int HERE;\n};\n}\n", Some("class B"));
        check("java", "class A {\n  @Override\n  void f() {\n    HERE();\n  }\n}\n", Some("void f()"));
        check("csharp", "class A {\n  void F() {\n    HERE();\n  }\n}\n", Some("void F()"));
        check("ruby", "class A\n  def f(x)\n    HERE\n  end\nend\n", Some("def f(x)"));
        check("php", "<?php\nclass A {\n  function f() {\n    HERE();\n  }\n}\n", Some("function f()"));
        check("bash", "f() {\n  HERE\n}\n", Some("f()"));
        check("css", ".a {\n  color: HERE;\n}\n", Some(".a"));
        check("json", "{\n  \"a\": {\n    \"b\": \"HERE\"\n  }\n}\n", Some("\"a\""));
        check("toml", "[a.b]\nc = 1\nd = \"HERE\"\n", Some("[a.b]"));
        check("yaml", "a:\n  b:\n    c: HERE\n", Some("b"));
        check("markdown", "# One\n\n## Two\n\nText HERE.\n", Some("## Two"));
        check("sql", "CREATE TABLE a (\n  HERE int\n);\n", Some("CREATE TABLE a ("));
    }

    #[test]
    fn without_a_grammar_the_indentation_decides() {
        let check = |source: &str, expected: Option<&str>| {
            let here = source.lines().position(|line| line.contains("HERE")).expect("a line marked HERE") as u32;
            assert_eq!(enclosing_by_indentation(&Text::from(source), here).as_deref(), expected, "{source}");
        };
        check("proc run {} {\n\n    puts HERE\n}\n", Some("proc run {}"));
        check("sub f\n{\n    HERE\n}\n", Some("sub f"));
        check("a\n  b\n    c\n  HERE\n", Some("a"));
        check("a\nHERE\n", None);
        check("HERE", None);
    }
}
