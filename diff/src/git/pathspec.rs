//! Path filters as git understands them: folders, globs, `:!excluded`, `:(icase)`, `:/from the top`.

use gix::{bstr::BStr, pathspec::Search};

use super::GitError;

/// A set of path filters. Empty, it matches everything.
pub(super) struct Pathspecs {
    search: Option<Search>,
}

impl Pathspecs {
    /// Reads `specs`; names are relative to the current folder where that is in the working tree.
    pub(super) fn parse(repo: &gix::Repository, specs: &[String]) -> Result<Self, GitError> {
        let Some(first) = specs.first() else { return Ok(Self { search: None }) };
        let bad = |spec: &str, error: &dyn std::fmt::Display| GitError::BadPathspec {
            spec: spec.to_owned(),
            reason: error.to_string(),
        };
        let defaults = repo.pathspec_defaults_inherit_ignore_case(true).map_err(|e| bad(first, &e))?;
        let mut patterns = Vec::with_capacity(specs.len());
        for spec in specs {
            let pattern = gix::pathspec::parse(spec.as_bytes(), defaults).map_err(|e| bad(spec, &e))?;
            if !pattern.attributes.is_empty() {
                return Err(bad(spec, &"filters by attribute are not supported"));
            }
            patterns.push(pattern);
        }
        let prefix = repo.prefix().ok().flatten();
        let root = repo.workdir().unwrap_or_else(|| repo.git_dir());
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let search = Search::from_specs(patterns, prefix, &root).map_err(|e| bad(first, &e))?;
        Ok(Self { search: Some(search) })
    }

    /// Whether the file at `path` is wanted.
    pub(super) fn matches(&mut self, path: &[u8]) -> bool {
        let Some(search) = &mut self.search else { return true };
        let matched = search.pattern_matching_relative_path(BStr::new(path), Some(false), &mut |_, _, _, _| false);
        matched.is_some_and(|found| !found.is_excluded())
    }

    /// Whether nothing is filtered.
    pub(super) fn is_empty(&self) -> bool {
        self.search.is_none()
    }
}
