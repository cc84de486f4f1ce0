//! How a server is started, and for what.

use std::path::{Path, PathBuf};

use crate::syntax::Language;

/// How to start a server, and which languages it serves. Made from the table ([`super::known()`]) or from settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// What it is called; one name, one server.
    pub name: String,
    /// The program and its arguments. A program without `/` is looked for on PATH.
    pub command: Vec<String>,
    /// The languages it serves, by [`Language::name`].
    pub languages: Vec<String>,
    /// Names of files whose folder is the root of a project, the better ones first: the nearest folder above a file that
    /// has any of the first list is the root, else one that has any of the second, and so on; else the workspace.
    pub markers: Vec<Vec<String>>,
    /// What the server is told when it asks for its settings: an object of sections, or null.
    pub settings: serde_json::Value,
    /// What it is told at its start in its own terms, or null.
    pub options: serde_json::Value,
    /// A command that installs it.
    pub install: Option<String>,
}

impl Launch {
    /// Whether it serves `language`.
    pub fn serves(&self, language: Language) -> bool {
        self.languages.iter().any(|name| name.eq_ignore_ascii_case(language.name()))
    }

    /// The program to be started.
    pub fn program(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// Where its program is; `None` if it is not installed. Looks at the disk.
    ///
    /// What is found may still be a stand-in that only says how to install it, as rustup's are; that is seen at the start.
    pub fn find(&self) -> Option<PathBuf> {
        let program = Path::new(self.command.first()?);
        if program.components().count() > 1 {
            return is_program(program).then(|| program.to_owned());
        }
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|found| is_program(found))
    }

    /// The root of the project that `file` belongs to: never above `workspace`. Looks at the disk.
    pub fn root_of(&self, file: &Path, workspace: &Path) -> PathBuf {
        let folders: Vec<_> = file.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace)).collect();
        let has_any = |folder: &Path, names: &[String]| names.iter().any(|name| folder.join(name).exists());
        let tiers = self.markers.iter();
        let mut found = tiers.filter_map(|names| folders.iter().find(|folder| has_any(folder, names)));
        found.next().map_or_else(|| workspace.to_owned(), |folder| (*folder).to_owned())
    }
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
    }

    #[test]
    fn the_root_is_the_nearest_folder_with_a_marker() {
        let workspace = tempfile::tempdir().unwrap();
        let workspace = workspace.path();
        touch(workspace, &["Cargo.lock", "Cargo.toml", "core/Cargo.toml", "core/src/lib.rs"]);
        touch(workspace, &["web/package.json", "web/src/deep/a.ts", "plain/a.ts"]);
        let root = |server: &str, file: &str| {
            let root = super::super::by_name(server).unwrap().launch().root_of(&workspace.join(file), workspace);
            root.strip_prefix(workspace).unwrap().to_string_lossy().into_owned()
        };
        // A lock file tells the root of a Rust workspace from its members.
        assert_eq!(root("rust-analyzer", "core/src/lib.rs"), "");
        assert_eq!(root("typescript-language-server", "web/src/deep/a.ts"), "web");
        assert_eq!(root("typescript-language-server", "plain/a.ts"), "");
    }

    #[test]
    fn no_root_is_above_the_workspace() {
        let above = tempfile::tempdir().unwrap();
        touch(above.path(), &["package.json", "inner/a.ts", "b.ts"]);
        let workspace = above.path().join("inner");
        let launch = super::super::by_name("typescript-language-server").unwrap().launch();
        assert_eq!(launch.root_of(&workspace.join("a.ts"), &workspace), workspace);
        // A file from elsewhere belongs to the workspace it was opened in.
        assert_eq!(launch.root_of(&above.path().join("b.ts"), &workspace), workspace);
    }

    #[test]
    fn what_is_not_a_program_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        touch(folder.path(), &["server"]);
        let launch = |command: &str| Launch { command: vec![command.to_owned()], ..Launch::default() };
        let path = folder.path().join("server");
        assert_eq!(launch(path.to_str().unwrap()).find(), None);
        assert_eq!(launch("no-such-program-anywhere").find(), None);
        assert_eq!(Launch::default().find(), None);
        assert!(launch("sh").find().is_some());
    }
}
