//! Shells: which one, and how it is made to mark its prompts and commands.
//!
//! The scripts read the user's own configuration first, mark with OSC 133 and 633, leave `$?` alone, and tell the command
//! line with a *nonce*, a word that only the shell and the terminal know: what a program prints cannot pretend to be one.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A shell that can be made to mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    Bash,
    Zsh,
    Fish,
    PowerShell,
    /// Runs without marks.
    Other,
}

impl ShellKind {
    /// By the name of the program.
    pub fn of(program: &Path) -> Self {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        match name.trim_start_matches('-') {
            "bash" => Self::Bash,
            "zsh" => Self::Zsh,
            "fish" => Self::Fish,
            "pwsh" | "powershell" => Self::PowerShell,
            _ => Self::Other,
        }
    }

    /// Where its script goes in the folder of scripts. zsh reads a folder of its own.
    fn script(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Bash => Some(("recto.bash", include_str!("recto.bash"))),
            Self::Zsh => Some(("zsh/.zshenv", include_str!("recto.zsh"))),
            Self::Fish => Some(("recto.fish", include_str!("recto.fish"))),
            Self::PowerShell => Some(("recto.ps1", include_str!("recto.ps1"))),
            Self::Other => None,
        }
    }
}

/// The user's shell, as the system says.
pub fn default_shell() -> PathBuf {
    let named = std::env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute() && shell.exists());
    named.unwrap_or_else(|| {
        let usual = ["/bin/bash", "/usr/bin/bash", "/bin/zsh", "/bin/sh"];
        usual.iter().map(PathBuf::from).find(|shell| shell.exists()).unwrap_or_else(|| PathBuf::from("/bin/sh"))
    })
}

/// How a shell is started so that it marks.
#[derive(Debug, Default)]
pub(crate) struct Start {
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
}

/// Writes the shell's script below `folder` and says how to start the shell with it.
pub(crate) fn integrate(program: &Path, login: bool, folder: &Path, nonce: &str) -> io::Result<Start> {
    let kind = ShellKind::of(program);
    let Some((name, text)) = kind.script() else { return Ok(plain(kind, login)) };
    let script = folder.join(name);
    write_if_other(&script, text)?;
    let mut start = Start::default();
    start.environment.push(("RECTO_NONCE".into(), nonce.into()));
    match kind {
        ShellKind::Bash => {
            // A login shell reads no init file; the script does what it would.
            if login {
                start.environment.push(("RECTO_LOGIN".into(), "1".into()));
            }
            start.arguments = vec!["--init-file".into(), script.into()];
        }
        ShellKind::Zsh => {
            if let Some(own) = std::env::var_os("ZDOTDIR") {
                start.environment.push(("RECTO_ZDOTDIR".into(), own));
            }
            start.environment.push(("ZDOTDIR".into(), script.parent().unwrap_or(folder).into()));
            start.arguments = plain(kind, login).arguments;
        }
        ShellKind::Fish => {
            start.arguments = plain(kind, login).arguments;
            let mut source = OsString::from("--init-command=source ");
            source.push(quoted(&script));
            start.arguments.push(source);
        }
        ShellKind::PowerShell => {
            let mut source = OsString::from(". '");
            source.push(script.to_string_lossy().replace('\'', "''"));
            source.push("'");
            start.arguments = vec!["-NoLogo".into(), "-NoExit".into(), "-Command".into(), source];
        }
        ShellKind::Other => {}
    }
    Ok(start)
}

/// Without marks.
pub(crate) fn plain(kind: ShellKind, login: bool) -> Start {
    let takes_login = !matches!(kind, ShellKind::PowerShell | ShellKind::Other);
    let arguments = if login && takes_login { vec!["--login".into()] } else { Vec::new() };
    Start { arguments, environment: Vec::new() }
}

/// For fish, whose quotes end at a quote alone.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Several windows may start a shell at once, and one of them may be reading: a file that is right is left alone, and a
/// new one takes its place whole.
fn write_if_other(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let own = path.with_extension(format!("new-{}", std::process::id()));
    fs::write(&own, text)?;
    fs::rename(&own, path)
}
