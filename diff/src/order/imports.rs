//! The names of other files that a source file uses, read off its lines.
//!
//! This is a heuristic for the order of reading and for nothing else: it knows how a statement begins in the usual
//! languages, not what a compiler knows. What it misses costs a less helpful order.

/// Bytes of a file that are looked at: imports stand at the top.
pub const MAX_READ: usize = 64 << 10;

/// How a language names other files.
#[derive(Clone, Copy)]
enum Family {
    /// `use a::b;`, `mod a;`
    Rust,
    /// `import … from './a'`, `require('./a')`
    Script,
    /// `import a.b`, `from .a import b`
    Python,
    /// `#include "a.h"`
    C,
    /// `import "a/b"`, also in a list of several lines
    Go,
    /// `import a.b.C;`, `using A.B;`
    Dotted,
    /// `require_relative 'a'`, `include 'a.php'`
    Required,
}

fn family(path: &str) -> Option<Family> {
    Some(match path.rsplit_once('.')?.1 {
        "rs" => Family::Rust,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => Family::Script,
        "py" | "pyi" => Family::Python,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "m" | "mm" => Family::C,
        "go" => Family::Go,
        "java" | "kt" | "kts" | "scala" | "cs" | "swift" => Family::Dotted,
        "rb" | "php" => Family::Required,
        _ => return None,
    })
}

/// The files that the source at `path` names, as paths without extension and without `.` and `..`; nothing for what is no
/// source of a language that is known.
pub fn names_used(path: &str, text: &str) -> Vec<String> {
    let Some(family) = family(path) else { return Vec::new() };
    let mut end = text.len().min(MAX_READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut names = Vec::new();
    let mut in_list = false;
    for line in text[..end].lines().map(str::trim) {
        match family {
            Family::Rust => rust(line, &mut names),
            Family::Script => {
                let imports = line.contains("from ") || line.contains("require(") || line.contains("import");
                names.extend(quoted(line).filter(|_| imports).map(cleaned));
            }
            Family::Python => python(line, &mut names),
            Family::C => names.extend(line.strip_prefix("#include").into_iter().flat_map(quoted).map(cleaned)),
            Family::Go => {
                let starts = line.starts_with("import ");
                names.extend(quoted(line).filter(|_| starts || in_list).map(cleaned));
                in_list = (in_list || starts && line.ends_with('(')) && !line.starts_with(')');
            }
            Family::Dotted => {
                let name = line.strip_prefix("import ").or_else(|| line.strip_prefix("using "));
                let name = name.map(|name| name.trim_start_matches("static ").trim_end_matches(';'));
                names.extend(name.map(|name| name.replace('.', "/")));
            }
            Family::Required => {
                let requires = ["require", "include"].iter().any(|word| line.starts_with(word));
                names.extend(quoted(line).filter(|_| requires).map(cleaned));
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// What stands in quotes in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(['"', '\'', '`']).skip(1).step_by(2)
}

/// A path without what says where to start, and without its extension.
fn cleaned(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "@" | "~")).collect();
    let joined = parts.join("/");
    match joined.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') && extension.len() <= 6 => stem.to_owned(),
        _ => joined,
    }
}

fn rust(line: &str, names: &mut Vec<String>) {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.split_once(") ").filter(|_| line.starts_with("pub(")).map_or(line, |(_, rest)| rest);
    if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
        names.push(name.trim().to_owned());
        return;
    }
    let Some(path) = line.strip_prefix("use ") else { return };
    let path = path.trim_end_matches(';');
    let (stem, list) = path.split_once('{').unwrap_or((path, ""));
    let stem: Vec<&str> = stem
        .split("::")
        .map(str::trim)
        .filter(|part| !matches!(*part, "" | "crate" | "self" | "super" | "*"))
        .collect();
    let stem = stem.join("/");
    // Each of a list may be a file of its own; what is in braces within it is not.
    let mut depth = 0;
    for item in list.split(',') {
        let name = item.split("::").next().unwrap_or_default().trim_matches(['}', ' ', '{']);
        if depth == 0 && !name.is_empty() {
            names.push(if stem.is_empty() { name.to_owned() } else { format!("{stem}/{name}") });
        }
        depth += item.matches('{').count();
        depth = depth.saturating_sub(item.matches('}').count());
    }
    if list.is_empty() {
        names.push(stem);
    }
}

fn python(line: &str, names: &mut Vec<String>) {
    let dotted = |name: &str| name.trim_matches('.').replace('.', "/");
    if let Some(rest) = line.strip_prefix("from ") {
        let (module, imported) = rest.split_once(" import ").unwrap_or((rest, ""));
        let module = dotted(module.trim());
        for name in imported.split(',').map(|name| name.trim().trim_matches(['(', ')'])) {
            let name = name.split(' ').next().unwrap_or_default();
            names.push(if module.is_empty() { name.to_owned() } else { format!("{module}/{name}") });
        }
    } else if let Some(rest) = line.strip_prefix("import ") {
        let modules = rest.split(',').filter_map(|name| name.trim().split(' ').next());
        names.extend(modules.map(dotted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(names_used(path, text), expected, "{path}: {text}");
    }

    #[test]
    fn each_language_names_files_its_way() {
        check("a.rs", "pub(crate) mod x;\nuse crate::a::{b, c::D};\n", &["x", "a/b", "a/c"]);
        check("a.rs", "use super::text::Text;\nlet mod_ = 1;\n", &["text/Text"]);
        check("a.ts", "import x, { y } from '../lib/x.js'\nconst s = 'none'\n", &["lib/x"]);
        check(
            "a.py",
            "from . import a, b as c\nfrom .core.io import load\nimport x.y\n",
            &["a", "b", "core/io/load", "x/y"],
        );
        check("a.c", "#include \"sub/b.h\"\n#include <stdio.h>\n", &["sub/b"]);
        check("a.go", "import \"fmt\"\nimport (\n\t\"x/y\"\n)\nvar s = \"z\"\n", &["fmt", "x/y"]);
        check("A.java", "import static a.b.C;\n", &["a/b/C"]);
        check("a.rb", "require_relative './b'\n", &["b"]);
        check("a.txt", "use crate::a;\n", &[]);
    }

    #[test]
    fn a_text_that_is_cut_within_a_character_is_read() {
        let text = format!("mod x;\n{}", "é".repeat(MAX_READ));
        check("a.rs", &text, &["x"]);
        check("b.rs", &format!("\n{text}"), &["x"]);
    }
}
