//! Which language a text is in, and what an editor needs to know about it.
//!
//! A [`Language`] is a copyable handle to one entry of the table. Detection goes by file name, then extension, then the
//! first line (`#!`, `<?php`, …); a text nobody recognises has no language and is shown plain.

use std::path::Path;

use super::grammar::{Grammar, GrammarError};
use super::table::{Entry, IndentHints, LANGUAGES};

/// A language the editor knows: a handle, compared by identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(u8);

impl Language {
    /// Every language a file can be in, by table order.
    pub fn all() -> impl Iterator<Item = Language> {
        Self::with_hidden().filter(|language| !language.entry().hidden)
    }

    /// The language of a file, from its name, else from its extension, else from the first line of its text.
    pub fn from_path(path: &Path, first_line: &str) -> Option<Language> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(language) = Self::all().find(|language| language.entry().files.contains(&name)) {
            return Some(language);
        }
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        extension
            .and_then(|extension| Self::all().find(|language| language.entry().extensions.contains(&&*extension)))
            .or_else(|| Self::from_first_line(first_line))
    }

    /// The language a first line announces: an interpreter after `#!`, an Emacs or Vim mode, or a document's own opening.
    pub fn from_first_line(line: &str) -> Option<Language> {
        let line = line.trim_start_matches('\u{feff}').trim();
        if let Some(command) = line.strip_prefix("#!") {
            return interpreter(command).and_then(Self::from_name);
        }
        if let Some(mode) = mode_line(line) {
            return Self::from_name(mode);
        }
        let lower: String = line.chars().take(16).collect::<String>().to_ascii_lowercase();
        let openings = [("<?php", "php"), ("<!doctype html", "html"), ("<html", "html")];
        let (_, name) = openings.into_iter().find(|(opening, _)| lower.starts_with(opening))?;
        Self::from_name(name)
    }

    /// The language called `name`: its own name, an alias or an extension, in any case (`Rust`, `rs`, `c++`).
    pub fn from_name(name: &str) -> Option<Language> {
        let name = name.trim().to_ascii_lowercase();
        let named = |language: &Language| {
            let entry = language.entry();
            entry.name.eq_ignore_ascii_case(&name) || entry.aliases.contains(&&*name)
        };
        let extension = |language: &Language| language.entry().extensions.contains(&&*name);
        Self::with_hidden().find(named).or_else(|| Self::all().find(extension))
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What begins a comment that ends with its line: `//`.
    pub fn line_comment(self) -> Option<&'static str> {
        self.entry().line_comment
    }

    /// What begins and ends a comment within a line or over several: `/*` and `*/`.
    pub fn block_comment(self) -> Option<(&'static str, &'static str)> {
        self.entry().block_comment
    }

    /// Bracket pairs to match, close and surround with.
    pub fn brackets(self) -> &'static [(char, char)] {
        self.entry().brackets
    }

    /// Quotes that close themselves when typed.
    pub fn quotes(self) -> &'static [char] {
        self.entry().quotes
    }

    /// What line ends and line starts say about indentation.
    pub fn indent_hints(self) -> IndentHints {
        self.entry().indent
    }

    /// The extensions its files have, without the dot, lower case.
    pub fn extensions(self) -> &'static [&'static str] {
        self.entry().extensions
    }

    /// Its grammar with compiled queries; compiled at the first call (milliseconds to hundreds of them), so not on a thread
    /// that draws.
    pub(super) fn grammar(self) -> Result<&'static Grammar, GrammarError> {
        super::grammar::of(self)
    }

    pub(super) fn entry(self) -> &'static Entry {
        &LANGUAGES[self.index()]
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn with_hidden() -> impl Iterator<Item = Language> {
        (0..LANGUAGES.len()).map(|index| Language(index as u8))
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// `/usr/bin/env -S python3.12 -u` and `/bin/bash -e` name `python` and `bash`.
fn interpreter(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let mut program = base_name(words.next()?);
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base_name)?;
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The mode of `-*- mode: ruby -*-`, `-*- python -*-` and `vim: set ft=sh :`.
fn mode_line(line: &str) -> Option<&str> {
    if let Some((_, rest)) = line.split_once("-*-") {
        let (inside, _) = rest.split_once("-*-")?;
        let mode = inside.split(';').find_map(|part| part.trim().strip_prefix("mode:"));
        return mode.or((!inside.contains(':')).then_some(inside)).map(str::trim);
    }
    let (_, rest) = line.split_once("vim:").or_else(|| line.split_once("vi:"))?;
    rest.split([' ', ':', '\t']).find_map(|part| part.strip_prefix("ft=").or_else(|| part.strip_prefix("filetype=")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(path: &str, first_line: &str) -> Option<&'static str> {
        Language::from_path(Path::new(path), first_line).map(Language::name)
    }

    #[test]
    fn a_file_is_known_by_name_extension_or_first_line() {
        let cases = [
            ("src/main.rs", "", Some("Rust")),
            ("A.PY", "", Some("Python")),
            ("Gemfile", "", Some("Ruby")),
            ("Cargo.lock", "", Some("TOML")),
            ("view.phtml", "", Some("PHP")),
            ("a.h", "", Some("C")),
            ("a.hpp", "", Some("C++")),
            ("a.tsx", "", Some("TSX")),
            ("run", "#!/bin/sh -e", Some("Bash")),
            ("run", "#!/usr/bin/env python3.12", Some("Python")),
            ("run", "#!/usr/bin/env -S FOO=1 deno run", Some("TypeScript")),
            ("run", "#! /usr/bin/node", Some("JavaScript")),
            ("run", "# -*- mode: ruby; coding: utf-8 -*-", Some("Ruby")),
            ("run", "# -*- python -*-", Some("Python")),
            ("run", "# vim: set ft=sh :", Some("Bash")),
            ("index", "<!DOCTYPE html>", Some("HTML")),
            ("index", "\u{feff}<?php", Some("PHP")),
            ("run", "#!/usr/bin/perl", None),
            ("notes.txt", "plain", None),
            ("", "", None),
        ];
        for (path, first_line, expected) in cases {
            assert_eq!(detect(path, first_line), expected, "{path:?} {first_line:?}");
        }
    }

    #[test]
    fn names_in_fences_are_found_in_any_case() {
        for (name, expected) in
            [("rs", "Rust"), ("C++", "C++"), ("cs", "C#"), ("Shell", "Bash"), ("yml", "YAML"), ("jsonc", "JSON")]
        {
            assert_eq!(Language::from_name(name).map(Language::name), Some(expected), "{name}");
        }
        assert_eq!(Language::from_name("brainfuck"), None);
    }

    #[test]
    fn no_two_languages_claim_the_same_name_or_file() {
        let mut seen = std::collections::BTreeMap::new();
        for language in Language::with_hidden() {
            let entry = language.entry();
            let extensions = entry.extensions.iter().map(|extension| format!("*.{extension}"));
            let names = entry.files.iter().chain(entry.aliases).map(|name| (*name).to_owned());
            for claim in extensions.chain(names) {
                let other = seen.insert(claim.clone(), language);
                assert_eq!(other, None, "{claim} is claimed by {language:?} too");
            }
        }
    }
}
