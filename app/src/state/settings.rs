//! Settings: one TOML file, which the settings view writes, too.
//!
//! Everything about a setting is one row of the table below: its field, its place in the file, its name, what is
//! allowed, what it means. Reading, writing, the view and the messages follow from it. A value that is not allowed is
//! told at its line and its default used; everything else in the file still counts.

use std::path::PathBuf;

use editor::lsp::{self, Launch};
use editor::syntax::Language;
use toml_edit::{DocumentMut, Item, TableLike};

use super::config::{Problem, line_at, syntax_problem};
use crate::theme::{Metrics, ThemeChoice};

/// What a setting may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Switch,
    /// One of these; the name in the file and the one that is shown.
    Choice(&'static [(&'static str, &'static str)]),
    /// A number in a range; `step` is what a press of a button changes.
    Number { min: f64, max: f64, step: f64, unit: &'static str },
}

/// What a setting is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Switch(bool),
    /// By its name in the file.
    Choice(&'static str),
    Number(f64),
}

/// A row of the table.
pub struct Spec {
    /// Its table and name in the file: `appearance.theme`.
    pub key: &'static str,
    /// The heading it stands under.
    pub section: &'static str,
    pub title: &'static str,
    /// One sentence for the view.
    pub doc: &'static str,
    pub kind: Kind,
    pub get: fn(&Settings) -> Value,
    set: fn(&mut Settings, Value),
}

/// A type that settings have.
trait Typed: Copy {
    fn to_value(self) -> Value;
    fn from_value(value: Value) -> Option<Self>;
}

impl Typed for bool {
    fn to_value(self) -> Value {
        Value::Switch(self)
    }
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Switch(on) = value { Some(on) } else { None }
    }
}

impl Typed for f32 {
    fn to_value(self) -> Value {
        // Through text: 0.1 as f32 is 0.10000000149 as f64, which nobody wants in a file.
        Value::Number(self.to_string().parse().unwrap_or(f64::from(self)))
    }
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Number(number) = value { Some(number as f32) } else { None }
    }
}

impl Typed for u32 {
    fn to_value(self) -> Value {
        Value::Number(f64::from(self))
    }
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Number(number) = value { Some(number.round() as u32) } else { None }
    }
}

macro_rules! choice {
    ($type:ty, $choices:ident: $($variant:ident $name:literal $title:literal),+ $(,)?) => {
        const $choices: &[(&str, &str)] = &[$(($name, $title)),+];

        impl Typed for $type {
            fn to_value(self) -> Value {
                Value::Choice(match self { $(Self::$variant => $name),+ })
            }
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    $(Value::Choice($name) => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

/// One column or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReviewLayout {
    #[default]
    Split,
    Unified,
}

/// When changed files are written without being asked to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutoSave {
    #[default]
    Off,
    /// When another window gets the focus.
    OnFocusLoss,
    /// A second after the last change.
    AfterDelay,
}

/// Whether language servers are started, which may run the project's code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LanguageServers {
    /// Each is asked about, once in a folder.
    #[default]
    Ask,
    Always,
    Never,
}

/// A language server that the file names: another one, or another command for one that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnServer {
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Names of languages; those of the known server of this name if there are none.
    pub languages: Vec<String>,
}

impl OwnServer {
    /// How it is started: as the known server of its name is, but for what the file says.
    pub fn launch(&self) -> Launch {
        let known = lsp::by_name(&self.name).map(lsp::Known::launch).unwrap_or_default();
        let languages = if self.languages.is_empty() { known.languages } else { self.languages.clone() };
        Launch { name: self.name.clone(), command: self.command.clone(), languages, install: None, ..known }
    }
}

/// The table of servers in the file: `[servers.NAME]`.
const SERVERS: &str = "servers";

/// The shell that new terminals start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalShell {
    /// The user's own, as the system says.
    #[default]
    Own,
    Bash,
    Zsh,
    Fish,
    PowerShell,
}

impl TerminalShell {
    /// The program; none for the user's own.
    pub fn program(self) -> Option<PathBuf> {
        let name = match self {
            Self::Own => return None,
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::PowerShell => "pwsh",
        };
        Some(PathBuf::from(name))
    }
}

choice!(TerminalShell, SHELLS:
    Own "own" "Yours",
    Bash "bash" "bash",
    Zsh "zsh" "zsh",
    Fish "fish" "fish",
    PowerShell "pwsh" "PowerShell",
);
choice!(ThemeChoice, THEMES:
    System "system" "System",
    SystemColorBlind "system-color-blind" "System, blue and orange",
    Dark "dark" "Dark",
    Light "light" "Light",
    Contrast "contrast" "High contrast",
    DarkColorBlind "dark-color-blind" "Dark, blue and orange",
    LightColorBlind "light-color-blind" "Light, blue and orange",
);
choice!(LanguageServers, LANGUAGE_SERVERS: Ask "ask" "Ask in each folder", Always "always" "Always", Never "never" "Never");
choice!(ReviewLayout, LAYOUTS: Split "split" "Split", Unified "unified" "Unified");
choice!(AutoSave, AUTO_SAVE: Off "off" "Off", OnFocusLoss "on-focus-loss" "On focus loss", AfterDelay "after-delay" "After a second");

macro_rules! settings {
    ($($section:literal { $($field:ident: $type:ty = $default:expr, $key:literal, $title:literal, $kind:expr, $doc:literal;)* })*) => {
        /// What the user chose.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $($(#[doc = $doc] pub $field: $type,)*)*
            /// Language servers that only the file can name.
            pub servers: Vec<OwnServer>,
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($($field: $default,)*)* servers: Vec::new() }
            }
        }

        /// All settings, in the order in which the view shows them.
        pub const TABLE: &[Spec] = &[$($(Spec {
            key: $key,
            section: $section,
            title: $title,
            doc: $doc,
            kind: $kind,
            get: |settings| settings.$field.to_value(),
            set: |settings, value| {
                if let Some(value) = <$type>::from_value(value) {
                    settings.$field = value;
                }
            },
        },)*)*];
    };
}

settings! {
    "Appearance" {
        theme: ThemeChoice = ThemeChoice::System, "appearance.theme", "Theme", Kind::Choice(THEMES),
            "Colours of the window; the variants in blue and orange do not rest on red and green.";
        zoom: f32 = 1.0, "appearance.zoom", "Zoom", Kind::Number { min: 0.5, max: 3.0, step: 0.1, unit: "×" },
            "Size of everything.";
        ui_size: f32 = 13.0, "appearance.font-size", "Interface font size", Kind::Number { min: 9.0, max: 24.0, step: 0.5, unit: "pt" },
            "Size of the text of panels, lists and buttons.";
        reduced_motion: bool = false, "appearance.reduced-motion", "Reduced motion", Kind::Switch,
            "Nothing moves or blinks.";
    }
    "Code" {
        code_size: f32 = 13.0, "code.font-size", "Code font size", Kind::Number { min: 8.0, max: 32.0, step: 0.5, unit: "pt" },
            "Size of the text of files and reviews.";
        code_line: f32 = 20.0, "code.line-height", "Line height", Kind::Number { min: 12.0, max: 60.0, step: 1.0, unit: "pt" },
            "Height of a line of code.";
        tab_width: u32 = 4, "code.tab-width", "Tab width", Kind::Number { min: 1.0, max: 16.0, step: 1.0, unit: "columns" },
            "Columns from one tab stop to the next.";
        language_servers: LanguageServers = LanguageServers::Ask, "code.language-servers", "Language servers", Kind::Choice(LANGUAGE_SERVERS),
            "Programs that say what is wrong with code. One may run the code of the project. [servers.NAME] in the file names others, with command and languages.";
    }
    "Agent" {
        provenance: bool = true, "agent.provenance", "Mark lines of models", Kind::Switch,
            "Lines that a model wrote have a mark in the gutter of editors and reviews, which says which model, when and why.";
    }
    "Files" {
        auto_save: AutoSave = AutoSave::Off, "files.auto-save", "Save automatically", Kind::Choice(AUTO_SAVE),
            "When changed files are written without being asked to.";
        restore: bool = true, "files.restore", "Restore at the start", Kind::Switch,
            "Opens the tabs of the last time. Unsaved text comes back in any case.";
    }
    "Review" {
        review_layout: ReviewLayout = ReviewLayout::Split, "review.layout", "Layout", Kind::Choice(LAYOUTS),
            "Whether a review opens with two columns or one.";
        review_wrap: bool = false, "review.wrap", "Wrap long lines", Kind::Switch,
            "Lines wider than the page go on in the next row; both sides stay aligned.";
        review_context: u32 = 3, "review.context-lines", "Context lines", Kind::Number { min: 0.0, max: 50.0, step: 1.0, unit: "lines" },
            "Unchanged lines shown around each change.";
    }
    "Chat" {
        ask_edits: bool = false, "chat.ask-edits", "Ask before edits", Kind::Switch,
            "Each edit of an agent is shown and asked about first. Otherwise it is made, and comes back as a change to be reviewed.";
        notify: bool = true, "chat.notifications", "Desktop notifications", Kind::Switch,
            "While the window is in the background, the desktop says when an agent waits for an answer or is done.";
    }
    "Terminal" {
        terminal_shell: TerminalShell = TerminalShell::Own, "terminal.shell", "Shell", Kind::Choice(SHELLS),
            "What new terminals start; yours is the one that the system names.";
        terminal_copy_on_select: bool = true, "terminal.copy-on-select", "Copy on select", Kind::Switch,
            "What is selected in a terminal is copied; the middle button pastes it in any case.";
        terminal_history: u32 = 10_000, "terminal.history", "History", Kind::Number { min: 0.0, max: 100_000.0, step: 1000.0, unit: "lines" },
            "Lines that scrolled off and are kept, in terminals that are opened from now on.";
    }
}

impl Spec {
    /// The setting at this place of the file, if any.
    pub fn by_key(key: &str) -> Option<&'static Self> {
        TABLE.iter().find(|spec| spec.key == key)
    }

    /// What the file may say, for messages and the view.
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Switch => "true or false".to_owned(),
            Kind::Choice(choices) => {
                let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                format!("one of {}", names.join(", "))
            }
            Kind::Number { min, max, .. } => format!("a number from {min} to {max}"),
        }
    }

    /// Where it stands in the file.
    fn place(&self) -> (&'static str, &'static str) {
        self.key.split_once('.').unwrap_or(("", self.key))
    }

    fn read(&self, item: &Item) -> Option<Value> {
        match self.kind {
            Kind::Switch => item.as_bool().map(Value::Switch),
            Kind::Choice(choices) => {
                let wanted = item.as_str()?;
                choices.iter().find(|(name, _)| *name == wanted).map(|(name, _)| Value::Choice(name))
            }
            Kind::Number { min, max, .. } => {
                let number = item.as_float().or_else(|| item.as_integer().map(|whole| whole as f64))?;
                (min..=max).contains(&number).then_some(Value::Number(number))
            }
        }
    }
}

impl Settings {
    /// Reads a settings file; what is wrong in it is told and its default used.
    pub fn parse(text: &str) -> (Self, Vec<Problem>) {
        let mut settings = Self::default();
        let mut problems = Vec::new();
        let document = match toml_edit::Document::parse(text) {
            Ok(document) => document,
            Err(error) => return (settings, vec![syntax_problem(text, &error)]),
        };
        let root = document.as_table();
        for (section, item) in root {
            let line = line_at(text, root.key(section).and_then(toml_edit::Key::span));
            let known = TABLE.iter().any(|spec| spec.place().0 == section);
            match item.as_table_like() {
                Some(table) if section == SERVERS => settings.take_servers(text, table, &mut problems),
                Some(table) if known => settings.take_section(text, section, table, &mut problems),
                Some(_) => problems.push(Problem { line, message: unknown_section(section) }),
                None => problems.push(Problem { line, message: unknown_setting(section) }),
            }
        }
        (settings, problems)
    }

    fn take_section(&mut self, text: &str, section: &str, table: &dyn TableLike, problems: &mut Vec<Problem>) {
        for (name, item) in table.iter() {
            let line = line_at(text, table.key(name).and_then(toml_edit::Key::span));
            let Some(spec) = Spec::by_key(&format!("{section}.{name}")) else {
                problems.push(Problem { line, message: unknown_setting(&format!("{section}.{name}")) });
                continue;
            };
            match spec.read(item) {
                Some(value) => (spec.set)(self, value),
                None => {
                    problems.push(Problem { line, message: format!("`{}` has to be {}", spec.key, spec.allowed()) });
                }
            }
        }
    }

    fn take_servers(&mut self, text: &str, table: &dyn TableLike, problems: &mut Vec<Problem>) {
        for (name, item) in table.iter() {
            match own_server(name, item) {
                Ok(server) => self.servers.push(server),
                Err(why) => {
                    let line = line_at(text, table.key(name).and_then(toml_edit::Key::span));
                    problems.push(Problem { line, message: format!("[{SERVERS}.{name}]: {why}") });
                }
            }
        }
    }

    /// Changes one setting, as the view does until the file is read again.
    pub fn set(&mut self, spec: &Spec, value: Value) {
        (spec.set)(self, value);
    }

    /// Sizes of text.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            ui_size: self.ui_size,
            code_size: self.code_size,
            code_line: self.code_line,
            zoom: self.zoom,
            reduced_motion: self.reduced_motion,
        }
    }

    /// The layout in which reviews open.
    pub fn layout(&self) -> diff::plan::Layout {
        match self.review_layout {
            ReviewLayout::Split => diff::plan::Layout::Split,
            ReviewLayout::Unified => diff::plan::Layout::Unified,
        }
    }
}

/// Reads `[servers.NAME]`.
fn own_server(name: &str, item: &Item) -> Result<OwnServer, String> {
    let table = item.as_table_like().ok_or("a server is a table with `command` and `languages`")?;
    let words = |key: &str| match table.get(key) {
        None => Ok(Vec::new()),
        Some(item) => {
            let list = item.as_array().map(|list| list.iter().map(|word| word.as_str().map(str::to_owned)).collect());
            list.flatten().ok_or_else(|| format!("`{key}` has to be a list of texts, as [\"a\", \"b\"]"))
        }
    };
    if let Some((other, _)) = table.iter().find(|(key, _)| !["command", "languages"].contains(key)) {
        return Err(format!("`{other}` is not known; there are command, languages"));
    }
    let (command, languages) = (words("command")?, words("languages")?);
    if command.first().is_none_or(String::is_empty) {
        return Err("`command` has to be the program and its arguments, as [\"server\", \"--stdio\"]".to_owned());
    }
    let is_known = |language: &&String| Language::all().any(|known| known.name().eq_ignore_ascii_case(language));
    if let Some(strange) = languages.iter().find(|language| !is_known(language)) {
        let known: Vec<&str> = Language::all().map(Language::name).collect();
        return Err(format!("there is no language \"{strange}\"; there are {}", known.join(", ")));
    }
    if languages.is_empty() && lsp::by_name(name).is_none() {
        return Err("`languages` has to name what it checks, as [\"Python\"]".to_owned());
    }
    Ok(OwnServer { name: name.to_owned(), command, languages })
}

/// The text of a settings file with one setting changed, or taken out where it is to be the default again. Comments,
/// order and everything else stay.
///
/// # Errors
/// When the text is no TOML: it is for the user to repair.
pub fn edited(text: &str, spec: &Spec, value: Option<Value>) -> Result<String, Problem> {
    let mut document: DocumentMut = text.parse().map_err(|error| syntax_problem(text, &error))?;
    let (section, name) = spec.place();
    let Some(value) = value else {
        if let Some(table) = document.get_mut(section).and_then(Item::as_table_like_mut) {
            table.remove(name);
        }
        return Ok(document.to_string());
    };
    let table = document.entry(section).or_insert_with(toml_edit::table);
    let Some(table) = table.as_table_like_mut() else {
        let line = line_at(text, None);
        return Err(Problem { line, message: format!("`{section}` has to be a table") });
    };
    let mut written: toml_edit::Value = match value {
        Value::Switch(on) => on.into(),
        Value::Choice(choice) => choice.into(),
        Value::Number(number) if number.fract() == 0.0 => (number as i64).into(),
        Value::Number(number) => ((number * 100.0).round() / 100.0).into(),
    };
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            // The comment behind a value belongs to its line, not to what it was.
            *written.decor_mut() = old.decor().clone();
            *old = written;
        }
        None => {
            table.insert(name, toml_edit::value(written));
        }
    }
    Ok(document.to_string())
}

fn unknown_section(section: &str) -> String {
    let mut known: Vec<&str> = TABLE.iter().map(|spec| spec.place().0).collect();
    known.dedup();
    known.push(SERVERS);
    format!("[{section}] is not known; there are {}", known.join(", "))
}

fn unknown_setting(key: &str) -> String {
    let section = key.split('.').next().unwrap_or(key);
    let known: Vec<&str> = TABLE.iter().filter(|spec| spec.place().0 == section).map(|spec| spec.place().1).collect();
    if known.is_empty() {
        return format!("`{key}` is not known; settings stand under a heading such as [appearance]");
    }
    format!("`{key}` is not a setting; under [{section}] there are {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(key: &str) -> &'static Spec {
        Spec::by_key(key).unwrap()
    }

    #[test]
    fn every_setting_reads_back_what_is_written() {
        for spec in TABLE {
            let value = match spec.kind {
                Kind::Switch => Value::Switch((spec.get)(&Settings::default()) != Value::Switch(true)),
                Kind::Choice(choices) => Value::Choice(choices[choices.len() - 1].0),
                Kind::Number { max, .. } => Value::Number(max),
            };
            let text = edited("", spec, Some(value)).unwrap();
            let (settings, problems) = Settings::parse(&text);
            assert_eq!(problems, [], "{text}");
            assert_eq!((spec.get)(&settings), value, "{text}");
        }
    }

    #[test]
    fn every_default_is_allowed() {
        for spec in TABLE {
            let value = (spec.get)(&Settings::default());
            let text = edited("", spec, Some(value)).unwrap();
            assert_eq!(Settings::parse(&text), (Settings::default(), vec![]), "{text}");
        }
    }

    #[test]
    fn an_edit_keeps_comments_and_order() {
        let before = "# mine\n[code]\nfont-size = 14 # large\n\n[appearance] # looks\nzoom = 1.2\n";
        let after = edited(before, spec("code.font-size"), Some(Value::Number(15.5))).unwrap();
        assert_eq!(after, before.replace("14", "15.5"));
        let added = edited(&after, spec("appearance.theme"), Some(Value::Choice("dark"))).unwrap();
        assert_eq!(added, after.replace("zoom = 1.2\n", "zoom = 1.2\ntheme = \"dark\"\n"));
        let removed = edited(&added, spec("appearance.theme"), None).unwrap();
        assert_eq!(removed, after);
    }

    #[test]
    fn what_is_wrong_is_told_at_its_line_with_what_is_allowed() {
        let text =
            "[appearance]\ntheme = \"drak\"\nzoom = 9\n\n[code]\ntabwidth = 2\nfont-size = 15\n[editor]\nx = 1\n";
        let (settings, problems) = Settings::parse(text);
        let lines: Vec<u32> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 3, 6, 8], "{problems:?}");
        assert!(problems[0].message.contains("\"dark\""), "{}", problems[0].message);
        assert_eq!(problems[1].message, "`appearance.zoom` has to be a number from 0.5 to 3");
        assert!(problems[2].message.contains("tab-width"), "{}", problems[2].message);
        assert_eq!(settings.code_size, 15.0, "the rest still counts");
        assert_eq!(settings.theme, ThemeChoice::System);
    }

    #[test]
    fn dotted_and_inline_forms_are_read() {
        let (settings, problems) = Settings::parse("appearance.theme = \"light\"\ncode = { tab-width = 8 }\n");
        assert_eq!(problems, []);
        assert_eq!((settings.theme, settings.tab_width), (ThemeChoice::Light, 8));
    }

    #[test]
    fn servers_are_named_in_the_file() {
        let text = "[servers.pyright]\ncommand = [\"/opt/pyright\", \"--stdio\"]\n\n[servers.house]\ncommand = \
                    [\"house\"]\nlanguages = [\"python\", \"Rust\"]\n";
        let (settings, problems) = Settings::parse(text);
        assert_eq!(problems, []);
        let launches: Vec<Launch> = settings.servers.iter().map(OwnServer::launch).collect();
        assert_eq!(launches[0].languages, ["Python"], "what the file does not say is as known");
        assert_eq!(launches[0].command[0], "/opt/pyright");
        assert!(launches[1].serves(Language::from_name("Rust").unwrap()));
    }

    #[test]
    fn what_is_wrong_with_a_server_is_told() {
        let told = |text: &str| {
            let (settings, problems) = Settings::parse(text);
            assert_eq!(settings.servers, []);
            problems[0].message.clone()
        };
        assert!(told("[servers.x]\nlanguages = [\"Rust\"]\n").contains("`command` has to be"));
        assert!(told("[servers.x]\ncommand = \"x\"\n").contains("a list of texts"));
        assert!(told("[servers.x]\ncommand = [\"x\"]\n").contains("`languages` has to name"));
        assert!(told("[servers.x]\ncommand = [\"x\"]\nlanguages = [\"Rsut\"]\n").contains("no language \"Rsut\""));
        assert!(told("[servers.x]\ncommand = [\"x\"]\nargs = []\n").contains("`args` is not known"));
    }

    #[test]
    fn a_file_that_is_no_toml_is_left_to_its_owner() {
        let text = "[appearance]\ntheme = \n";
        let (settings, problems) = Settings::parse(text);
        assert_eq!(settings, Settings::default());
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, 2);
        assert!(edited(text, spec("appearance.zoom"), Some(Value::Number(2.0))).is_err());
    }
}
