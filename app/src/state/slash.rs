//! Commands of the person's own that are typed with a slash: to the agent in a terminal and in the window.
//!
//! Each is a Markdown file in the folder `commands` of the configuration: the name of the file is the command, its text the
//! prompt, in which `$ARGUMENTS` stands for what is typed behind it; a first block between `---` may say `description` and
//! `mode`.

use agent::run::Mode;

use super::{Paths, store};

/// A command of the person's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCommand {
    pub name: String,
    pub description: String,
    /// What its run may do, if it says so.
    pub mode: Option<Mode>,
    prompt: String,
}

impl UserCommand {
    /// A command by the text of its file.
    fn read(name: String, text: &str) -> Self {
        let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
        let (head, prompt) = head.unwrap_or(("", text));
        let field = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            lines
                .map(|(key, value)| (key.trim(), value.trim()))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.to_owned())
        };
        Self {
            name,
            description: field("description").unwrap_or_default(),
            mode: field("mode").as_deref().and_then(Mode::parse),
            prompt: prompt.trim().to_owned(),
        }
    }

    /// What the model is asked, with what was typed behind the command.
    pub fn prompt(&self, arguments: &str) -> String {
        match self.prompt.contains("$ARGUMENTS") {
            true => self.prompt.replace("$ARGUMENTS", arguments.trim()),
            false => format!("{}\n{}", self.prompt, arguments.trim()).trim_end().to_owned(),
        }
    }
}

/// All of them, by name; a folder that is not there has none. Waits for the disk.
pub fn of_user(paths: &Paths) -> Vec<UserCommand> {
    let folder = paths.config.join("commands");
    let entries = editor::project::list(&editor::file::RealFs, &folder, true).unwrap_or_default();
    let command = |entry: &editor::project::Entry| {
        let name = entry.name.to_str()?.strip_suffix(".md")?.to_owned();
        let text = store::read(&folder.join(&entry.name)).ok().flatten()?;
        Some(UserCommand::read(name, &text))
    };
    entries.iter().filter_map(command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_ones_own_has_a_head_and_a_prompt() {
        let command = UserCommand::read("x".into(), "---\ndescription: Does it\nmode: plan\n---\n\nPlan $ARGUMENTS.\n");
        assert_eq!((command.description.as_str(), command.mode), ("Does it", Some(Mode::Plan)));
        assert_eq!(command.prompt(" the move "), "Plan the move.");
        let command = UserCommand::read("x".into(), "Just do it.\n");
        assert_eq!((command.mode, command.prompt("").as_str()), (None, "Just do it."));
        assert_eq!(command.prompt("now"), "Just do it.\nnow");
    }
}
