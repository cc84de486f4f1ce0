//! `recto mergetool LOCAL BASE REMOTE MERGED`: what `git mergetool` runs.

use std::path::PathBuf;

use anyhow::anyhow;

use super::{Outcome, open};
use crate::app::Startup;
use crate::state::conflicts::ToolFiles;

/// Resolves the conflicts of a file, for `git mergetool`; exit code 1 while any are left
///
/// Shows what each side made of the file, and between them the result, which is written to MERGED. Changes that do not
/// conflict are in it already. Closes when the result is saved and nothing is left to resolve.
#[derive(clap::Args, Debug)]
#[command(after_long_help = CONFIGURATION)]
pub struct Args {
    /// The file as it is here
    local: PathBuf,
    /// The file as both sides started from it; need not exist
    base: PathBuf,
    /// The file as it is in what is merged
    remote: PathBuf,
    /// The file with its conflicts, to be written
    merged: PathBuf,
}

/// How git is told.
const CONFIGURATION: &str = "\
Exit codes:
  0  the file was saved, and no conflict is left in it
  1  it was not saved, or conflicts are left

Configuration:
  git config --global merge.tool recto
  git config --global mergetool.recto.cmd 'recto mergetool \"$LOCAL\" \"$BASE\" \"$REMOTE\" \"$MERGED\"'
  git config --global mergetool.recto.trustExitCode true
  git config --global mergetool.keepBackup false";

pub fn run(args: &Args) -> Outcome {
    for (name, path) in [("LOCAL", &args.local), ("REMOTE", &args.remote), ("MERGED", &args.merged)] {
        if !path.exists() {
            return Err(anyhow!("{name} is {}, and there is no such file", path.display()).into());
        }
    }
    let files = ToolFiles {
        base: args.base.exists().then(|| args.base.clone()),
        local: args.local.clone(),
        remote: args.remote.clone(),
        merged: open::absolute(&args.merged)?,
    };
    Ok(open::window(Startup { merge: Some(files), tool: true, ..Startup::default() }, None)?)
}
