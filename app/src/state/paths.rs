//! Where Recto keeps its own files: settings and keymap in the configuration folder, sessions in the state folder.
//!
//! The places are the platform's (XDG on Linux). `RECTO_HOME` puts everything under one folder, for portable use and
//! for tests.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// Recto's own folders; they need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    pub config: PathBuf,
    pub state: PathBuf,
}

impl Paths {
    /// Everything under one folder.
    pub fn under(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self { config: home.join("config"), state: home.join("state") }
    }

    /// The settings file.
    pub fn settings(&self) -> PathBuf {
        self.config.join("settings.toml")
    }

    /// The keymap file.
    pub fn keymap(&self) -> PathBuf {
        self.config.join("keymap.toml")
    }

    /// The file of models.
    pub fn models(&self) -> PathBuf {
        self.config.join("models.toml")
    }

    /// What was opened and run lately.
    pub fn recent(&self) -> PathBuf {
        self.state.join("recent.json")
    }

    /// Which language servers may check which folders.
    pub fn servers(&self) -> PathBuf {
        self.state.join("servers.json")
    }

    /// Ticks, comments and drafts of all repositories.
    pub fn reviews(&self) -> PathBuf {
        self.state.join("reviews.sqlite")
    }

    /// Scripts that make shells tell about their prompts and commands.
    pub fn shell_scripts(&self) -> PathBuf {
        self.state.join("shell")
    }

    /// Where sessions are, one for each folder that was worked in.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }
}

impl Default for Paths {
    fn default() -> Self {
        if let Some(home) = std::env::var_os("RECTO_HOME") {
            return Self::under(home);
        }
        match etcetera::choose_base_strategy() {
            Ok(base) => {
                let config = base.config_dir().join("recto");
                let state = base.state_dir().unwrap_or_else(|| base.data_dir()).join("recto");
                Self { config, state }
            }
            // Without a home folder nothing is remembered beyond the temporary one.
            Err(_) => Self::under(std::env::temp_dir().join("recto")),
        }
    }
}
