//! Settings: one TOML file, which the settings view writes, too.

use super::Paths;
use super::notices::Notices;

/// What the user chose.
#[derive(Clone, Debug)]
pub struct Settings {
    pub theme: crate::theme::ThemeChoice,
    pub tab_width: u32,
    pub review_context: u32,
}

impl Settings {
    /// Reads the settings file; what is wrong in it is told and the default used.
    pub fn load(_paths: &Paths, _notices: &mut Notices) -> Self {
        Self { theme: crate::theme::ThemeChoice::default(), tab_width: 4, review_context: 3 }
    }

    /// Sizes of text.
    pub fn metrics(&self) -> crate::theme::Metrics {
        crate::theme::Metrics::default()
    }
}
