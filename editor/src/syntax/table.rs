//! The table of languages: one entry each, everything else is derived from it.
//!
//! An entry names its files, its comment and bracket conventions, its grammar and the queries that colour it. Queries are
//! listed in order and later patterns win, so our own additions (`assets/queries`) come after the grammar's.

use tree_sitter::Language as Grammar;

/// How lines are indented relative to the line above, for auto-indent without a parse tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndentHints {
    /// A line that ends with one of these opens a level.
    pub opens: &'static [&'static str],
    /// A line that starts with one of these closes a level.
    pub closes: &'static [&'static str],
}

pub(super) struct Entry {
    pub name: &'static str,
    /// Other names: in markdown fences, shebang lines, tagged templates. Lower case.
    pub aliases: &'static [&'static str],
    /// Without the dot, lower case.
    pub extensions: &'static [&'static str],
    pub files: &'static [&'static str],
    pub line_comment: Option<&'static str>,
    pub block_comment: Option<(&'static str, &'static str)>,
    pub brackets: &'static [(char, char)],
    /// Characters that close themselves when typed.
    pub quotes: &'static [char],
    pub indent: IndentHints,
    /// Loads the parser's tables; cheap.
    pub grammar: fn() -> Grammar,
    pub highlights: &'static [&'static str],
    pub injections: &'static [&'static str],
    /// Nodes whose first line is worth showing for a line within them.
    pub scopes: &'static [&'static str],
    /// Only reached through injections; no file is of this language.
    pub hidden: bool,
}

const ALL_BRACKETS: &[(char, char)] = &[('(', ')'), ('[', ']'), ('{', '}')];
const QUOTES: &[char] = &['"', '\''];
const SCRIPT_QUOTES: &[char] = &['"', '\'', '`'];
const BRACED: IndentHints = IndentHints { opens: &["{", "(", "["], closes: &["}", ")", "]"] };
const FLAT: IndentHints = IndentHints { opens: &[], closes: &[] };

macro_rules! query {
    ($file:literal) => {
        include_str!(concat!("../../../assets/queries/", $file, ".scm"))
    };
}

const BASE: Entry = Entry {
    name: "",
    aliases: &[],
    extensions: &[],
    files: &[],
    line_comment: None,
    block_comment: None,
    brackets: ALL_BRACKETS,
    quotes: QUOTES,
    indent: BRACED,
    grammar: || tree_sitter_json::LANGUAGE.into(),
    highlights: &[],
    injections: &[],
    scopes: &[],
    hidden: false,
};

const SLASHES: Entry = Entry { line_comment: Some("//"), block_comment: Some(("/*", "*/")), ..BASE };

const JS_SCOPES: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "method_definition",
    "function_expression",
];
const TS_SCOPES: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "class_declaration",
    "abstract_class_declaration",
    "method_definition",
    "function_expression",
    "interface_declaration",
    "enum_declaration",
    "internal_module",
    "module",
];

pub(super) static LANGUAGES: [Entry; 22] = [
    Entry {
        name: "Rust",
        aliases: &["rust", "rs"],
        extensions: &["rs"],
        quotes: &['"'],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        highlights: &[tree_sitter_rust::HIGHLIGHTS_QUERY, query!("rust")],
        injections: &[tree_sitter_rust::INJECTIONS_QUERY],
        scopes: &[
            "function_item",
            "impl_item",
            "trait_item",
            "struct_item",
            "enum_item",
            "union_item",
            "mod_item",
            "macro_definition",
        ],
        ..SLASHES
    },
    Entry {
        name: "Python",
        aliases: &["python", "py", "python3", "python2", "pypy", "pypy3"],
        extensions: &["py", "pyi", "pyw"],
        files: &["SConstruct", "wscript"],
        line_comment: Some("#"),
        indent: IndentHints {
            opens: &[":", "{", "(", "["],
            closes: &["}", ")", "]", "else:", "elif ", "except", "finally:"],
        },
        grammar: || tree_sitter_python::LANGUAGE.into(),
        highlights: &[tree_sitter_python::HIGHLIGHTS_QUERY, query!("python")],
        scopes: &["function_definition", "class_definition"],
        ..BASE
    },
    Entry {
        name: "JavaScript",
        aliases: &["javascript", "js", "node", "nodejs", "mjs", "cjs"],
        extensions: &["js", "mjs", "cjs"],
        quotes: SCRIPT_QUOTES,
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        highlights: &[
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            query!("javascript"),
        ],
        injections: &[query!("javascript-injections")],
        scopes: JS_SCOPES,
        ..SLASHES
    },
    Entry {
        name: "JSX",
        aliases: &["jsx", "javascriptreact"],
        extensions: &["jsx"],
        quotes: SCRIPT_QUOTES,
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        highlights: &[
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            query!("javascript"),
        ],
        injections: &[query!("javascript-injections")],
        scopes: JS_SCOPES,
        ..SLASHES
    },
    Entry {
        name: "TypeScript",
        aliases: &["typescript", "ts", "deno", "bun", "ts-node", "tsx-node"],
        extensions: &["ts", "mts", "cts"],
        quotes: SCRIPT_QUOTES,
        grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        highlights: &[
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_typescript::HIGHLIGHTS_QUERY,
            query!("typescript"),
        ],
        injections: &[query!("javascript-injections")],
        scopes: TS_SCOPES,
        ..SLASHES
    },
    Entry {
        name: "TSX",
        aliases: &["tsx", "typescriptreact"],
        extensions: &["tsx"],
        quotes: SCRIPT_QUOTES,
        grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
        highlights: &[
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            tree_sitter_typescript::HIGHLIGHTS_QUERY,
            query!("typescript"),
            query!("tsx"),
        ],
        injections: &[query!("javascript-injections")],
        scopes: TS_SCOPES,
        ..SLASHES
    },
    Entry {
        name: "Go",
        aliases: &["go", "golang"],
        extensions: &["go"],
        quotes: SCRIPT_QUOTES,
        grammar: || tree_sitter_go::LANGUAGE.into(),
        highlights: &[tree_sitter_go::HIGHLIGHTS_QUERY, query!("go")],
        scopes: &["function_declaration", "method_declaration", "type_declaration"],
        ..SLASHES
    },
    Entry {
        name: "C",
        aliases: &["c"],
        extensions: &["c", "h"],
        grammar: || tree_sitter_c::LANGUAGE.into(),
        highlights: &[tree_sitter_c::HIGHLIGHT_QUERY, query!("c")],
        scopes: &["function_definition", "struct_specifier", "union_specifier", "enum_specifier"],
        ..SLASHES
    },
    Entry {
        name: "C++",
        aliases: &["cpp", "c++", "cc", "cxx"],
        extensions: &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "cppm", "ixx"],
        grammar: || tree_sitter_cpp::LANGUAGE.into(),
        highlights: &[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY, query!("c"), query!("cpp")],
        injections: &[query!("cpp-injections")],
        scopes: &[
            "function_definition",
            "struct_specifier",
            "union_specifier",
            "enum_specifier",
            "class_specifier",
            "namespace_definition",
            "concept_definition",
        ],
        ..SLASHES
    },
    Entry {
        name: "Java",
        aliases: &["java"],
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        highlights: &[tree_sitter_java::HIGHLIGHTS_QUERY, query!("java")],
        scopes: &[
            "class_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "annotation_type_declaration",
            "method_declaration",
            "constructor_declaration",
        ],
        ..SLASHES
    },
    Entry {
        name: "C#",
        aliases: &["csharp", "cs", "c#"],
        extensions: &["cs", "csx"],
        grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
        highlights: &[tree_sitter_c_sharp::HIGHLIGHTS_QUERY, query!("csharp")],
        scopes: &[
            "namespace_declaration",
            "class_declaration",
            "interface_declaration",
            "struct_declaration",
            "enum_declaration",
            "record_declaration",
            "method_declaration",
            "constructor_declaration",
            "property_declaration",
            "local_function_statement",
        ],
        ..SLASHES
    },
    Entry {
        name: "Ruby",
        aliases: &["ruby", "rb", "jruby"],
        extensions: &["rb", "rake", "gemspec", "ru"],
        files: &["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Brewfile"],
        line_comment: Some("#"),
        indent: IndentHints {
            opens: &["{", "(", "[", " do", "|", "then", "else", "begin", "ensure"],
            closes: &["}", ")", "]", "end", "else", "elsif", "when", "rescue", "ensure"],
        },
        grammar: || tree_sitter_ruby::LANGUAGE.into(),
        highlights: &[tree_sitter_ruby::HIGHLIGHTS_QUERY, query!("ruby")],
        scopes: &["class", "module", "method", "singleton_method", "singleton_class"],
        ..BASE
    },
    Entry {
        name: "PHP",
        aliases: &["php"],
        extensions: &["php", "phtml", "php5", "php7", "php8"],
        grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
        highlights: &[tree_sitter_php::HIGHLIGHTS_QUERY, query!("php")],
        injections: &[query!("php-injections")],
        scopes: &[
            "class_declaration",
            "interface_declaration",
            "trait_declaration",
            "enum_declaration",
            "function_definition",
            "method_declaration",
        ],
        ..SLASHES
    },
    Entry {
        name: "HTML",
        aliases: &["html", "htm", "xhtml"],
        extensions: &["html", "htm", "xhtml"],
        block_comment: Some(("<!--", "-->")),
        indent: IndentHints { opens: &[], closes: &["</"] },
        grammar: || tree_sitter_html::LANGUAGE.into(),
        highlights: &[tree_sitter_html::HIGHLIGHTS_QUERY, query!("html")],
        injections: &[tree_sitter_html::INJECTIONS_QUERY, query!("html-injections")],
        ..BASE
    },
    Entry {
        name: "CSS",
        aliases: &["css"],
        extensions: &["css"],
        block_comment: Some(("/*", "*/")),
        grammar: || tree_sitter_css::LANGUAGE.into(),
        highlights: &[tree_sitter_css::HIGHLIGHTS_QUERY, query!("css")],
        scopes: &["rule_set", "media_statement", "keyframes_statement", "supports_statement"],
        ..BASE
    },
    Entry {
        name: "JSON",
        aliases: &["json", "jsonc", "json5"],
        extensions: &["json", "jsonc", "json5", "geojson", "webmanifest", "jsonl", "ndjson", "ipynb"],
        files: &[".babelrc", ".eslintrc", ".prettierrc", "composer.lock", "flake.lock"],
        line_comment: Some("//"),
        quotes: &['"'],
        grammar: || tree_sitter_json::LANGUAGE.into(),
        highlights: &[tree_sitter_json::HIGHLIGHTS_QUERY, query!("json")],
        scopes: &["pair"],
        ..BASE
    },
    Entry {
        name: "TOML",
        aliases: &["toml"],
        extensions: &["toml"],
        files: &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"],
        line_comment: Some("#"),
        grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
        highlights: &[tree_sitter_toml_ng::HIGHLIGHTS_QUERY, query!("toml")],
        scopes: &["table", "table_array_element"],
        ..BASE
    },
    Entry {
        name: "YAML",
        aliases: &["yaml", "yml"],
        extensions: &["yaml", "yml"],
        files: &[".clang-format", ".clang-tidy", ".clangd"],
        line_comment: Some("#"),
        indent: IndentHints { opens: &[":", "{", "[", "|", ">"], closes: &["}", "]"] },
        grammar: || tree_sitter_yaml::LANGUAGE.into(),
        highlights: &[tree_sitter_yaml::HIGHLIGHTS_QUERY, query!("yaml")],
        scopes: &["block_mapping_pair"],
        ..BASE
    },
    Entry {
        name: "Markdown",
        aliases: &["markdown", "md"],
        extensions: &["md", "markdown", "mdown", "mkd"],
        block_comment: Some(("<!--", "-->")),
        quotes: &['"', '`'],
        indent: FLAT,
        grammar: || tree_sitter_md::LANGUAGE.into(),
        highlights: &[tree_sitter_md::HIGHLIGHT_QUERY_BLOCK, query!("markdown")],
        injections: &[tree_sitter_md::INJECTION_QUERY_BLOCK, query!("markdown-injections")],
        scopes: &["section"],
        ..BASE
    },
    Entry {
        name: "Bash",
        aliases: &["bash", "sh", "shell", "shellscript", "zsh", "dash", "ksh", "console"],
        extensions: &["sh", "bash", "zsh", "ksh", "ebuild", "bats"],
        files: &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            "PKGBUILD",
            ".envrc",
        ],
        line_comment: Some("#"),
        indent: IndentHints {
            opens: &["{", "(", "then", "do", "else"],
            closes: &["}", ")", "fi", "done", "else", "elif", "esac"],
        },
        grammar: || tree_sitter_bash::LANGUAGE.into(),
        highlights: &[tree_sitter_bash::HIGHLIGHT_QUERY, query!("bash")],
        scopes: &["function_definition"],
        ..BASE
    },
    Entry {
        name: "SQL",
        aliases: &["sql", "mysql", "postgresql", "postgres", "pgsql", "sqlite", "sqlite3", "plpgsql"],
        extensions: &["sql", "ddl", "dml", "psql"],
        line_comment: Some("--"),
        block_comment: Some(("/*", "*/")),
        indent: IndentHints { opens: &["("], closes: &[")"] },
        grammar: || tree_sitter_sequel::LANGUAGE.into(),
        highlights: &[tree_sitter_sequel::HIGHLIGHTS_QUERY, query!("sql")],
        scopes: &["create_table", "create_function", "create_view", "create_trigger"],
        ..BASE
    },
    Entry {
        name: "Markdown Inline",
        aliases: &["markdown_inline"],
        indent: FLAT,
        grammar: || tree_sitter_md::INLINE_LANGUAGE.into(),
        highlights: &[tree_sitter_md::HIGHLIGHT_QUERY_INLINE, query!("markdown-inline")],
        injections: &[tree_sitter_md::INJECTION_QUERY_INLINE],
        hidden: true,
        ..BASE
    },
];
