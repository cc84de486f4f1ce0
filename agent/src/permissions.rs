//! What a person has allowed once and for all: one TOML file beside the settings, never a file of a project.
//!
//! ```toml
//! [[always]]
//! project = "/home/me/recto"    # every project if absent
//! kind = "delete"               # edit, rename, delete, or the name of a tool
//! folder = "target"             # files in it and below; all of the project if absent
//! ```
//!
//! An entry that is wrong allows nothing and is told; all others count.

use serde::Deserialize;
use toml_edit::{DocumentMut, Item, Table, value};

use crate::host::{ProjectPath, Scope};

/// An entry of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    project: Option<String>,
    scope: Scope,
}

/// What was allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    always: Vec<Rule>,
    /// What is wrong with the file, a sentence each.
    pub problems: Vec<String>,
}

impl Permissions {
    /// What need not be asked in a project, by its root.
    pub fn of(&self, project: &str) -> Vec<Scope> {
        let counts = |rule: &&Rule| rule.project.as_deref().is_none_or(|of| of == project);
        self.always.iter().filter(counts).map(|rule| rule.scope.clone()).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    always: Vec<toml::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    project: Option<String>,
    kind: String,
    #[serde(default)]
    folder: String,
}

/// Reads the text of the file. Never fails: what is wrong is among the problems.
pub fn parse(text: &str) -> Permissions {
    let mut found = Permissions::default();
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            found.problems.push(error.message().to_owned());
            return found;
        }
    };
    for (n, entry) in file.always.into_iter().enumerate() {
        match rule(entry) {
            Ok(rule) => found.always.push(rule),
            Err(why) => found.problems.push(format!("entry {}: {why}", n + 1)),
        }
    }
    found
}

fn rule(entry: toml::Value) -> Result<Rule, String> {
    let Entry { project, kind, folder } =
        entry.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let folder = ProjectPath::parse(&folder).map_err(|error| error.to_string())?;
    Ok(Rule { project, scope: Scope { kind, folder } })
}

/// Adds what is allowed in a project from now on, and leaves the user's own words alone.
///
/// The error says why the text is no file of permissions.
pub fn add(text: &str, project: &str, scope: &Scope) -> Result<String, String> {
    if parse(text).of(project).contains(scope) {
        return Ok(text.to_owned());
    }
    toml::from_str::<File>(text)
        .map_err(|error| format!("the file of permissions is not readable: {}", error.message()))?;
    let mut entry = Table::new();
    entry.insert("project", value(project));
    entry.insert("kind", value(scope.kind.as_str()));
    if !scope.folder.is_root() {
        entry.insert("folder", value(scope.folder.as_str()));
    }
    let mut document = DocumentMut::new();
    document.insert("always", Item::ArrayOfTables(std::iter::once(entry).collect()));
    // An entry can stand behind everything, and nothing before it is touched.
    let before = text.trim_end();
    let gap = if before.is_empty() { "" } else { "\n\n" };
    Ok(format!("{before}{gap}{document}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(kind: &str, folder: &str) -> Scope {
        Scope { kind: kind.to_owned(), folder: ProjectPath::parse(folder).unwrap() }
    }

    #[test]
    fn what_is_added_counts_in_its_project_alone() {
        let text = add("# mine\n", "/p", &scope("delete", "src")).unwrap();
        let text = add(&text, "/p", &scope("rename", "")).unwrap();
        assert!(text.starts_with("# mine\n"), "{text}");
        let permissions = parse(&text);
        assert_eq!(permissions.problems, Vec::<String>::new(), "{text}");
        assert_eq!(permissions.of("/p"), [scope("delete", "src"), scope("rename", "")]);
        assert_eq!(permissions.of("/other"), []);
        assert_eq!(add(&text, "/p", &scope("delete", "src")).unwrap(), text, "it is there already");
    }

    #[test]
    fn an_entry_that_is_wrong_allows_nothing_and_the_others_count() {
        let text = "[[always]]\nkind = \"edit\"\nfolder = \"../x\"\n\n[[always]]\nkind = \"edit\"\nfoldr = \"a\"\n\n\
            [[always]]\nkind = \"delete\"\nfolder = \"target\"\n";
        let permissions = parse(text);
        assert_eq!(permissions.of("/anywhere"), [scope("delete", "target")]);
        assert_eq!(permissions.problems.len(), 2, "{:?}", permissions.problems);
        assert_eq!(parse("always = 3").of("/p"), []);
        assert!(add("always = 3", "/p", &scope("edit", "")).is_err());
    }
}
