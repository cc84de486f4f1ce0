//! The outline of a text: its functions, types, sections and what stands between them, in order.
//!
//! An *item* is a node of the top level, or of the body of a type. Kinds of nodes are named alike in all grammars, so
//! one table serves; a language with other names has items of [`What::Other`] only, and is not outlined by it.
//!
//! Invariant: items of one level are in order and do not overlap.

use std::ops::Range;

use tree_sitter::Node;

use super::tree::Syntax;
use crate::text::Text;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// A function, method, constructor or macro.
    Function,
    /// A class, struct, enumeration, trait, interface, implementation or module.
    Type,
    /// A constant or variable.
    Value,
    /// A part of a document under a heading, a rule of a style sheet, a table of a configuration.
    Section,
    /// An import, or the name of the package.
    Import,
    /// A comment.
    Comment,
    /// An attribute that stands before what it belongs to.
    Attribute,
    /// Anything else.
    Other,
}

impl What {
    /// Whether it can be named.
    pub fn is_symbol(self) -> bool {
        matches!(self, Self::Function | Self::Type | Self::Value | Self::Section)
    }
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub what: What,
    /// Its name; empty for what has none. `impl` blocks are named as they are written: `impl Display for Engine`.
    pub name: String,
    /// The type it belongs to, where the text says so beside its name: the receiver of a Go method, the type of an `impl`.
    pub of: String,
    /// Its bytes, decorators and `export` before it included.
    pub range: Range<usize>,
    /// Where the item itself begins, after those.
    pub core: usize,
    /// What is in its body.
    pub members: Vec<Item>,
}

/// The items of a text, and whether it parses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The top level.
    pub items: Vec<Item>,
    /// Places that do not parse.
    pub errors: usize,
    /// The line of the first of them, from 0.
    pub first_error: Option<u32>,
}

/// Bodies within bodies that are followed.
const DEEPEST: usize = 12;

/// Errors that are counted.
const MOST_ERRORS: usize = 1_000;

impl Syntax {
    /// The items of `text`, which is the one last parsed.
    pub fn outline(&self, text: &Text) -> Outline {
        let root = self.root();
        let mut outline = Outline { items: items(root, text, DEEPEST), ..Outline::default() };
        if root.has_error() {
            count_errors(root, &mut outline);
        }
        outline
    }
}

fn items(parent: Node<'_>, text: &Text, depth: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut walk = parent.walk();
    for node in parent.named_children(&mut walk) {
        // A document's section is nested in the one before; so are the front parts of some grammars.
        if matches!(node.kind(), "statement_list" | "source" | "stylesheet") && parent.parent().is_none() {
            items.extend(self::items(node, text, depth));
        } else {
            items.push(item(node, text, depth));
        }
    }
    items
}

fn item(node: Node<'_>, text: &Text, depth: usize) -> Item {
    let inner = unwrapped(node);
    let what = what(inner, text);
    let (name, of) = if what.is_symbol() { named(inner, text) } else { Default::default() };
    let members = match what {
        What::Type if depth > 0 => body(inner).map(|body| items(body, text, depth - 1)).unwrap_or_default(),
        What::Section if inner.kind() == "section" && depth > 0 => {
            items(inner, text, depth - 1).into_iter().filter(|item| item.what == What::Section).collect()
        }
        _ => Vec::new(),
    };
    // What cannot be named cannot be found by its name.
    let what = if what.is_symbol() && name.is_empty() { What::Other } else { what };
    Item { what, name, of, range: node.byte_range(), core: inner.start_byte(), members }
}

/// The node that is declared, without decorators, `export`, template parameters.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    for _ in 0..4 {
        let next = match inner.kind() {
            "decorated_definition" => inner.child_by_field_name("definition"),
            "export_statement" => inner.child_by_field_name("declaration"),
            "expression_statement" => inner.named_child(0).filter(|node| node.kind() == "internal_module"),
            "template_declaration" | "ambient_declaration" | "linkage_specification" => {
                inner.named_child(inner.named_child_count().saturating_sub(1) as u32)
            }
            _ => None,
        };
        let Some(next) = next else { break };
        inner = next;
    }
    inner
}

fn what(node: Node<'_>, text: &Text) -> What {
    match node.kind() {
        "function_item"
        | "function_signature_item"
        | "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "method_definition"
        | "method_declaration"
        | "method_signature"
        | "abstract_method_signature"
        | "constructor_declaration"
        | "method"
        | "singleton_method"
        | "local_function_statement"
        | "macro_definition"
        | "create_function"
        | "create_trigger"
        | "destructor_declaration" => What::Function,
        "class_definition"
        | "class_declaration"
        | "abstract_class_declaration"
        | "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "impl_item"
        | "mod_item"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration"
        | "trait_declaration"
        | "struct_specifier"
        | "union_specifier"
        | "enum_specifier"
        | "class_specifier"
        | "namespace_definition"
        | "namespace_declaration"
        | "file_scoped_namespace_declaration"
        | "internal_module"
        | "type_declaration"
        | "type_item"
        | "type_alias_declaration"
        | "struct_declaration"
        | "class"
        | "module"
        | "singleton_class"
        | "type_definition"
        | "create_table"
        | "create_view" => What::Type,
        "const_item"
        | "static_item"
        | "lexical_declaration"
        | "variable_declaration"
        | "const_declaration"
        | "var_declaration"
        | "assignment"
        | "public_field_definition"
        | "field_definition"
        | "property_signature"
        | "property_declaration"
        | "field_declaration"
        | "enum_variant"
        | "declaration"
        | "preproc_def"
        | "preproc_function_def" => What::Value,
        "expression_statement" if assigned(node).is_some() => match text.byte(node.start_byte()) {
            Some(_) => What::Value,
            None => What::Other,
        },
        "section" | "rule_set" | "media_statement" | "keyframes_statement" | "table" | "table_array_element" => {
            What::Section
        }
        "use_declaration"
        | "import_statement"
        | "import_from_statement"
        | "future_import_statement"
        | "import_declaration"
        | "preproc_include"
        | "using_directive"
        | "extern_crate_declaration"
        | "package_clause"
        | "package_declaration"
        | "using_declaration"
        | "namespace_use_declaration" => What::Import,
        "comment" | "line_comment" | "block_comment" | "html_comment" => What::Comment,
        "attribute_item" => What::Attribute,
        _ => What::Other,
    }
}

/// The assignment that a statement is, as in Python and Ruby.
fn assigned(node: Node<'_>) -> Option<Node<'_>> {
    let inner = node.named_child(0)?;
    (node.named_child_count() == 1 && inner.kind() == "assignment").then_some(inner)
}

/// The name of a symbol, and the type that stands beside it.
fn named(node: Node<'_>, text: &Text) -> (String, String) {
    let written = |node: Node<'_>| text.slice(node.byte_range()).into_owned();
    let plain = |name: String| (name, String::new());
    match node.kind() {
        "impl_item" => {
            let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
            let header = text.slice(node.start_byte()..end);
            let of = node.child_by_field_name("type").map(written).unwrap_or_default();
            let of = of.split('<').next().unwrap_or_default().trim().to_owned();
            (header.split_whitespace().collect::<Vec<_>>().join(" "), of)
        }
        "section" => {
            let heading = node.named_child(0).filter(|node| node.kind().ends_with("heading"));
            let title = heading.map(|heading| {
                let line = written(heading);
                let line = line.lines().next().unwrap_or_default();
                line.trim().trim_start_matches('#').trim_end_matches('#').trim().to_owned()
            });
            plain(title.unwrap_or_default())
        }
        "rule_set" | "media_statement" | "keyframes_statement" => {
            let block = node.named_child(node.named_child_count().saturating_sub(1) as u32);
            let header = text.slice(node.start_byte()..block.map_or(node.end_byte(), |block| block.start_byte()));
            plain(header.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        "table" | "table_array_element" => plain(node.named_child(0).map(written).unwrap_or_default()),
        "method_declaration" if node.child_by_field_name("receiver").is_some() => {
            let receiver = node.child_by_field_name("receiver").map(written).unwrap_or_default();
            let of = receiver.trim_matches(['(', ')']).rsplit([' ', '*']).next().unwrap_or_default();
            let of = of.split('[').next().unwrap_or_default().to_owned();
            (node.child_by_field_name("name").map(written).unwrap_or_default(), of)
        }
        _ => {
            let name = written_name(node, 6).map(written).unwrap_or_default();
            // `Engine::run` outside of its class, in C++.
            match name.rsplit_once("::") {
                Some((of, name)) => (name.to_owned(), of.to_owned()),
                None => plain(name),
            }
        }
    }
}

/// The node that is the name: by its field, or that of the first declaration within.
fn written_name(node: Node<'_>, depth: usize) -> Option<Node<'_>> {
    if depth == 0 {
        return None;
    }
    if node.kind() == "qualified_identifier" {
        return Some(node);
    }
    if let Some(name) = node.child_by_field_name("name") {
        return Some(name);
    }
    if let Some(declarator) = node.child_by_field_name("declarator") {
        let inner = written_name(declarator, depth - 1);
        return inner.or(Some(declarator)).filter(|name| name.kind().ends_with("identifier") || inner.is_some());
    }
    if let Some(left) = node.child_by_field_name("left") {
        return left.kind().ends_with("identifier").then_some(left);
    }
    let mut walk = node.walk();
    let within = ["_spec", "_declarator", "_alias", "assignment", "variable_declaration", "object_reference"];
    let inner = node.named_children(&mut walk).find(|child| within.iter().any(|kind| child.kind().ends_with(kind)))?;
    written_name(inner, depth - 1).or(Some(inner).filter(|node| node.kind() == "object_reference"))
}

fn body(node: Node<'_>) -> Option<Node<'_>> {
    let kinds = [
        "declaration_list",
        "class_body",
        "interface_body",
        "enum_body",
        "field_declaration_list",
        "body_statement",
        "block",
        "statement_block",
    ];
    let mut walk = node.walk();
    node.child_by_field_name("body")
        .or_else(|| node.named_children(&mut walk).find(|node| kinds.contains(&node.kind())))
}

fn count_errors(node: Node<'_>, outline: &mut Outline) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if outline.errors >= MOST_ERRORS {
            return;
        }
        if node.is_error() || node.is_missing() {
            outline.errors += 1;
            let line = node.start_position().row as u32;
            outline.first_error = Some(outline.first_error.map_or(line, |first| first.min(line)));
        } else if node.has_error() {
            let mut walk = node.walk();
            open.extend(node.children(&mut walk));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::syntax::Language;

    fn outline(language: &str, source: &str) -> Outline {
        let text = Text::from(source);
        let language = Language::from_name(language).unwrap();
        Syntax::parse(language, &text, &Cancel::new()).unwrap().outline(&text)
    }

    /// Symbols as `name` or `type.name`, members indented behind theirs in brackets.
    fn names(items: &[Item]) -> String {
        let one = |item: &Item| {
            let of = if item.of.is_empty() || item.name.starts_with("impl") {
                String::new()
            } else {
                format!("{}.", item.of)
            };
            let members = names(&item.members);
            let members = if members.is_empty() { members } else { format!("({members})") };
            format!("{of}{}{members}", item.name)
        };
        items.iter().filter(|item| item.what.is_symbol()).map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn symbols_have_their_names_in_every_language() {
        for (language, source, expected) in [
            (
                "rust",
                "use a;\nconst A: u8 = 1;\nstruct E { x: u8 }\nimpl<T> Show for E<T> {\n fn f(&self) {}\n}\nmacro_rules! m { () => {} }\n",
                "A E(x) impl<T> Show for E<T>(f) m",
            ),
            (
                "python",
                "import a\nX = 1\n@d\ndef f(): pass\nclass A(B):\n    y = 2\n    @p\n    def g(self): pass\n",
                "X f A(y g)",
            ),
            (
                "javascript",
                "import a from 'a';\nexport const X = 1;\nexport function f() {}\nconst g = () => 1;\nclass A { h() {} }\n",
                "X f g A(h)",
            ),
            (
                "typescript",
                "export interface I { a: string }\ntype T = string;\nenum E { A }\nexport class C { x = 1; m(): void {} }\nnamespace N { function k() {} }\n",
                "I(a) T E C(x m) N(k)",
            ),
            (
                "go",
                "package a\nimport \"b\"\nconst C = 1\ntype S struct{}\nfunc (s *S) Run() {}\nfunc F() {}\n",
                "C S S.Run F",
            ),
            ("java", "package a;\nimport b.C;\nclass A {\n  int x = 1;\n  A() {}\n  void f() {}\n}\n", "A(x A f)"),
            ("c", "#include <a.h>\nint x = 1;\nstatic int *f(void) { return 0; }\nstruct s { int a; };\n", "x f s(a)"),
            (
                "cpp",
                "namespace n {\nclass A { void f(); };\ntemplate<class T> T g() {}\n}\nvoid A::f() {}\n",
                "n(A(f) g) A.f",
            ),
            ("csharp", "namespace N {\n class A {\n  int P { get; }\n  void F() {}\n }\n}\n", "N(A(P F))"),
            ("ruby", "class A\n  def f\n  end\n  def self.g\n  end\nend\n", "A(f g)"),
            ("php", "<?php\nclass A { function f() {} }\nfunction g() {}\n", "A(f) g"),
            ("bash", "f() {\n  x\n}\n", "f"),
            ("css", ".a, b > c { x: 1 }\n", ".a, b > c"),
            ("toml", "[a.b]\nc = 1\n[[d]]\n", "a.b d"),
            ("markdown", "# One\ntext\n## Two\nmore\n# Three\n", "One(Two) Three"),
        ] {
            let outline = outline(language, source);
            assert_eq!((names(&outline.items).as_str(), outline.errors), (expected, 0), "{language}: {source}");
        }
    }

    #[test]
    fn what_stands_before_an_item_belongs_to_it_and_its_core_does_not() {
        let source = "@a\n@b\ndef f(): pass\n";
        let outline = outline("python", source);
        let item = &outline.items[0];
        assert_eq!((&source[item.range.clone()], &source[item.core..]), (source.trim_end(), "def f(): pass\n"));
    }

    #[test]
    fn broken_places_are_counted() {
        let outline = outline("rust", "fn a() {}\nfn b( {\n");
        assert!(outline.errors > 0);
        assert_eq!(outline.first_error, Some(1));
    }
}
