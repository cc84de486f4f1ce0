//! The symbol form and whole files, over several languages.

use super::*;
use crate::action::Action;

fn target<'a>(path: &'a str, before: &'a str) -> Target<'a> {
    Target { path, before: Some(before), failed: 0 }
}

fn symbol(path: &str, before: &str, name: &str, content: &str) -> Result<String, EditError> {
    let action = Action::WriteSymbol { path: path.into(), name: name.into(), content: content.into() };
    apply(&action, target(path, before)).map(|edited| edited.text)
}

fn code(path: &str, before: &str, content: &str) -> Result<Edited, EditError> {
    apply(&Action::WriteCode { path: Some(path.into()), content: content.into() }, target(path, before))
}

#[test]
fn a_symbol_is_replaced_by_its_name_and_the_rest_stays() {
    for (path, before, name, content, after) in [
        (
            "a.rs",
            "/// Says.\n#[inline]\nfn a() {}\n\nimpl E {\n    /// Runs.\n    #[must_use]\n    fn run(&self) -> u8 {\n        1\n    }\n}\n",
            "E::run",
            "fn run(&self) -> u8 {\n    2\n}",
            "/// Says.\n#[inline]\nfn a() {}\n\nimpl E {\n    /// Runs.\n    #[must_use]\n    fn run(&self) -> u8 {\n        2\n    }\n}\n",
        ),
        (
            "a.rs",
            "/// Says.\n#[inline]\nfn a() {}\n",
            "a",
            "/// Says more.\nfn a() {\n    b()\n}\n",
            "/// Says more.\n#[inline]\nfn a() {\n    b()\n}\n",
        ),
        (
            "a.py",
            "class A:\n    @staticmethod\n    def f():\n        return 1\n\n    def g(self):\n        pass\n",
            "A.f",
            "    def f():\n        return 2\n",
            "class A:\n    @staticmethod\n    def f():\n        return 2\n\n    def g(self):\n        pass\n",
        ),
        (
            "a.js",
            "export function f() {\n  return 1;\n}\nclass A {\n  g() {\n    return 1;\n  }\n}\n",
            "f",
            "function f() {\n  return 2;\n}",
            "export function f() {\n  return 2;\n}\nclass A {\n  g() {\n    return 1;\n  }\n}\n",
        ),
        (
            "a.ts",
            "class A {\n  g(): number {\n    return 1;\n  }\n}\n",
            "A.g",
            "g(): number {\n  return 2;\n}",
            "class A {\n  g(): number {\n    return 2;\n  }\n}\n",
        ),
        (
            "a.go",
            "package a\n\nfunc (s *S) Run() int {\n\treturn 1\n}\n",
            "S.Run",
            "func (s *S) Run() int {\n    if true {\n        return 2\n    }\n    return 3\n}",
            "package a\n\nfunc (s *S) Run() int {\n\tif true {\n\t\treturn 2\n\t}\n\treturn 3\n}\n",
        ),
        (
            "A.java",
            "class A {\n    @Override\n    public int f() {\n        return 1;\n    }\n}\n",
            "f",
            "public int f() {\n    return 2;\n}\n",
            "class A {\n    public int f() {\n        return 2;\n    }\n}\n",
        ),
        (
            "a.c",
            "static int f(void) {\r\n  return 1;\r\n}\r\nint x;\r\n",
            "f",
            "static int f(void) {\n  return 2;\n}\n",
            "static int f(void) {\r\n  return 2;\r\n}\r\nint x;\r\n",
        ),
        (
            "a.rb",
            "class A\n  def f\n    1\n  end\nend\n",
            "A#f",
            "def f\n  2\nend",
            "class A\n  def f\n    2\n  end\nend\n",
        ),
        (
            "a.md",
            "# One\ntext\n\n## Two\n\nmore\n\n# Three\nend\n",
            "Two",
            "## Two\n\nless\n",
            "# One\ntext\n\n## Two\n\nless\n\n# Three\nend\n",
        ),
        ("a.md", "# One\ntext\n\n## Two\nmore\n", "# One", "# One\nother\n", "# One\nother\n\n## Two\nmore\n"),
    ] {
        assert_eq!(symbol(path, before, name, content).as_deref(), Ok(after), "{name} of {path}");
    }
}

#[test]
fn what_cannot_be_found_or_does_not_parse_is_refused() {
    let rust = "fn a() {}\nimpl B {\n    fn a(&self) {}\n}\nimpl C {\n    fn a(&self) {}\n}\n";
    assert_eq!(
        symbol("a.rs", rust, "z", "fn z() {}"),
        Err(EditError::NoSymbol {
            name: "z".into(),
            names: ["a", "impl B", "impl B.a", "impl C", "impl C.a"].map(str::to_owned).to_vec()
        })
    );
    assert!(matches!(symbol("a.rs", rust, "a", "fn a() { 1 }"), Err(EditError::SeveralSymbols { .. })));
    assert!(symbol("a.rs", rust, "B::a", "fn a(&self) { 1 }").is_ok());
    assert!(matches!(symbol("a.rs", rust, "B::a", "fn a(&self) { 1"), Err(EditError::Broken { .. })));
    assert!(matches!(symbol("a.rs", rust, "B::a", "fn b(&self) { 1 }"), Err(EditError::OtherSymbol { .. })));
    assert_eq!(symbol("a.rs", rust, "B::a", "fn a(&self) {}"), Err(EditError::Unchanged));
    assert!(matches!(
        symbol("a.rs", rust, "B::a", "fn a(&self) {\n    // ... existing code ...\n}"),
        Err(EditError::Lazy { .. })
    ));
    assert!(matches!(symbol("a.txt", "x\n", "x", "y"), Err(EditError::NoGrammar { .. })));
}

const PYTHON: &str = "import os\n\nLIMIT = 3\n\n\ndef add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n\n\nif __name__ == \"__main__\":\n    print(add(1, 2))\n";

#[test]
fn code_of_one_function_is_merged_and_new_ones_are_added() {
    let edited = code("a.py", PYTHON, "def add(a, b):\n    return a + b\n").unwrap();
    assert_eq!(edited.text, PYTHON.replacen("a - b", "a + b", 1));
    let edited = code("a.py", PYTHON, "import sys\n\ndef mul(a, b):\n    return a * b\n").unwrap();
    let expected = PYTHON
        .replace("import os\n", "import os\nimport sys\n")
        .replace("\n\n\nif __name__", "\n\n\ndef mul(a, b):\n    return a * b\n\n\nif __name__");
    assert_eq!(edited.text, expected);
    // An example of use is no part of the file.
    let edited = code("a.py", PYTHON, "def add(a, b):\n    return a + b\n\nprint(add(2, 3))\n").unwrap();
    assert_eq!(edited.text, PYTHON.replacen("a - b", "a + b", 1));
    assert_eq!(edited.notes.len(), 1, "{:?}", edited.notes);
}

#[test]
fn code_of_the_whole_file_replaces_it() {
    let whole = PYTHON.replacen("a - b", "a + b", 1).replace("LIMIT = 3", "LIMIT = 4");
    assert_eq!(code("a.py", PYTHON, &whole).unwrap().text, whole);
    // Without its imports and main block it is only the functions.
    let part = "LIMIT = 3\ndef add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n";
    assert_eq!(code("a.py", PYTHON, part).unwrap().text, PYTHON.replacen("a - b", "a + b", 1));
}

#[test]
fn a_class_shown_in_part_keeps_its_other_members() {
    let before = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
    let edited = code("a.py", before, "class A:\n    def g(self):\n        return 3\n").unwrap();
    assert_eq!(edited.text, before.replace("return 2", "return 3"));
    let edited = code("a.py", before, "class A:\n    def h(self):\n        return 3\n").unwrap();
    assert_eq!(edited.text, before.replace("return 2\n", "return 2\n\n    def h(self):\n        return 3\n"));
    let method = code("a.py", before, "def g(self):\n    return 3\n").unwrap();
    assert_eq!(method.text, before.replace("return 2", "return 3"));
}

#[test]
fn a_part_of_a_file_without_symbols_is_refused() {
    let before = "one line\nanother line\na third\na fourth\n";
    assert!(matches!(code("a.txt", before, "another line, changed\n"), Err(EditError::Part { .. })));
    assert_eq!(code("a.txt", before, &before.replace("third", "last")).unwrap().text, before.replace("third", "last"));
    assert_eq!(code("a.py", PYTHON, PYTHON), Err(EditError::Unchanged));
}

#[test]
fn long_files_are_written_whole_only_after_two_failures() {
    let before: String = (0..200).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line 7\n", "line seven\n");
    let action = Action::WriteFile { path: "a.txt".into(), content: after.clone() };
    assert!(matches!(apply(&action, target("a.txt", &before)), Err(EditError::TooLong { lines: 200, .. })));
    let edited = apply(&action, Target { failed: 2, ..target("a.txt", &before) }).unwrap();
    assert_eq!(edited.text, after);
    // Line endings and the last one stay.
    let small = Action::WriteFile { path: "a.txt".into(), content: "a\nc\n".into() };
    assert_eq!(apply(&small, target("a.txt", "a\r\nb")).unwrap().text, "a\r\nc");
}
