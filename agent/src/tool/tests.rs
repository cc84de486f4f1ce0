//! What models are shown when they look.

use std::fs;

use serde_json::json;

use super::*;
use crate::action::Lines;
use crate::host::{DiskHost, Unattended};

fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, World) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let host = Arc::new(DiskHost::open(folder.path(), Unattended::default()).unwrap());
    let world = World { host, secrets: Arc::new(Secrets::new().unwrap()), todo: Mutex::default() };
    (folder, world)
}

fn read(world: &World, path: &str, lines: Option<&str>) -> Outcome {
    read_file(world, path, lines.and_then(Lines::parse), &|_| false)
}

fn use_tool(world: &World, name: &str, arguments: Value) -> Outcome {
    let tools = Toolbox::standard();
    let tool = tools.get(name).unwrap();
    (tool.run)(&Use { arguments: &arguments, world, cancel: &Cancel::new() })
}

#[test]
fn a_file_is_shown_as_it_would_be_written() {
    let (_folder, world) = world(&[("src/a.py", "x = 1\r\ny = 2"), ("doc.md", "```\ncode\n```\n")]);
    assert_eq!(read(&world, "src/a.py", None).text, "src/a.py\n```python\nx = 1\ny = 2\n```");
    assert_eq!(read(&world, "src/a.py", Some("2-9")).text, "src/a.py (lines 2-2 of 2)\n```python\ny = 2\n```");
    assert_eq!(read(&world, "doc.md", None).text, "doc.md\n````markdown\n```\ncode\n```\n````");
    let beyond = read(&world, "src/a.py", Some("7-9"));
    assert!(!beyond.ok && beyond.text.contains("only 2 lines"));
}

#[test]
fn a_long_file_is_its_outline_until_a_range_is_asked_for() {
    let text: String = (0..300).map(|n| format!("fn f{n}() {{\n}}\n")).collect();
    let (_folder, world) = world(&[("a.rs", &text)]);
    let whole = read(&world, "a.rs", None);
    assert!(whole.text.contains("600 lines") && whole.text.contains("3: fn f1()") && whole.shown.is_none());
    assert!(!whole.text.contains("fn f299() {"));
    let range = read(&world, "a.rs", Some("599-"));
    assert!(range.text.contains("fn f299() {"), "{}", range.text);
}

#[test]
fn who_misses_a_file_is_told_which_there_are() {
    let (_folder, world) = world(&[("src/parser/lexer.rs", "")]);
    let missing = read(&world, "lexer.rs", None);
    assert!(!missing.ok && missing.text.contains("`src/parser/lexer.rs`"), "{}", missing.text);
    assert!(read(&world, "src", None).text.contains("is a folder"));
}

#[test]
fn the_outline_tells_definitions_in_many_languages() {
    let check = |path: &str, line: &str, expected: bool| {
        assert_eq!(!outline(path, line).is_empty(), expected, "{line}");
    };
    for line in [
        "pub(crate) async fn run() {",
        "def area(w, h):",
        "class Shape(Base):",
        "export default function App() {",
        "  public static void main(String[] args) {",
        "func (s *Server) Serve() error {",
        "impl Foo for Bar {",
        "type Id = u32;",
        "int main(int argc, char **argv) {",
        "interface Props {",
        "    async def go(self):",
    ] {
        check("x", line, true);
    }
    for line in ["return f(x)", "    if (a) {", "x = def_value", "// fn commented", "let class = 1;", "foo(bar) {"] {
        check("x", line, false);
    }
    check("x.md", "## Title", true);
    check("x.md", "class of things", false);
}

#[test]
fn definitions_are_found_and_uses_are_not() {
    let (_folder, world) = world(&[
        ("a.py", "from b import area\n\nprint(area(1, 2))\n"),
        ("b.py", "# above\ndef area(w, h):\n    return w * h\n\nLIMIT = 3\n"),
        ("c.rs", "fn other(area: u32) -> u32 { area }\npub const LIMIT: u32 = 3;\n"),
    ]);
    let found = use_tool(&world, "definition", json!({"name": "area"}));
    assert!(found.ok && found.text.starts_with("b.py:2\n") && found.text.contains("# above"), "{}", found.text);
    assert!(!found.text.contains("a.py") && !found.text.contains("c.rs"), "{}", found.text);
    let constant = use_tool(&world, "definition", json!({"name": "LIMIT"}));
    assert!(constant.text.contains("b.py:5") && constant.text.contains("c.rs:2"), "{}", constant.text);
    assert!(!use_tool(&world, "definition", json!({"name": "nowhere"})).ok);
    assert!(!use_tool(&world, "definition", json!({})).ok);
}

#[test]
fn lines_around_a_line_are_shown() {
    let text: String = (1..=50).map(|n| format!("{n}\n")).collect();
    let (_folder, world) = world(&[("a.txt", &text)]);
    let shown = use_tool(&world, "context", json!({"path": "a.txt", "line": 30}));
    assert!(shown.text.contains("lines 20-40 of 50"), "{}", shown.text);
    assert!(use_tool(&world, "context", json!({"path": "a.txt", "line": "49"})).text.contains("39-50"));
    assert!(!use_tool(&world, "context", json!({"path": "a.txt", "line": 99})).ok);
}

#[test]
fn a_blocked_item_cannot_be_started_and_circles_are_refused() {
    let mut todo = Todo::default();
    let item =
        |text: &str, blocked_by: &[u32]| Item { text: text.into(), blocked_by: blocked_by.to_vec(), ..Item::default() };
    todo.add(vec![item("a", &[]), item("b", &[1])]).unwrap();
    assert_eq!(todo.set(2, State::Started), Err(TodoError::Blocked { id: 2, by: vec![1] }));
    todo.set(1, State::Done).unwrap();
    todo.set(2, State::Started).unwrap();
    assert_eq!(todo.add(vec![item("c", &[9])]), Err(TodoError::Unknown(9)));
    let circle = vec![Item { id: 3, ..item("c", &[4]) }, Item { id: 4, ..item("d", &[3]) }];
    assert!(matches!(todo.add(circle), Err(TodoError::Circle(_))));
    assert_eq!(todo.render(), "[x] 1: a\n[~] 2: b (after 1)\n");
}

#[test]
fn a_tool_says_how_it_is_used() {
    let prompt = Toolbox::standard().prompt();
    assert!(prompt.contains("<tool name=\"context\">{\"line\": 1, \"path\": \"…\"}</tool>"), "{prompt}");
    assert!(prompt.contains("\"do\": \"add|start|done|list\""), "{prompt}");
}
