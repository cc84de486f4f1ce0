//! `recto difftool LOCAL REMOTE`: what `git difftool` runs.

use std::path::PathBuf;

use ::diff::source::Comparison;

use super::{Failure, Outcome, open};
use crate::app::Startup;
use crate::state::reviews::Request;

/// Shows two files or folders to compare, for `git difftool`; stays until the window is closed
///
/// The new side can be edited: of a file of the working tree, and with --dir-diff of what its folder links to, so that
/// edits reach the working tree. /dev/null, and on Windows NUL, stands for a file that is not there.
#[derive(clap::Args, Debug)]
#[command(after_long_help = CONFIGURATION)]
pub struct Args {
    /// The old file or folder
    #[arg(value_name = "LOCAL")]
    old: PathBuf,
    /// The new file or folder
    #[arg(value_name = "REMOTE")]
    new: PathBuf,
}

/// How git is told.
const CONFIGURATION: &str = "\
Configuration:
  git config --global diff.tool recto
  git config --global difftool.recto.cmd 'recto difftool \"$LOCAL\" \"$REMOTE\"'
  git config --global difftool.prompt false

Then `git difftool` shows file by file, and `git difftool --dir-diff` all in one window.";

pub fn run(args: &Args) -> Outcome {
    let comparison = Comparison::of_paths(&args.old, &args.new).map_err(|error| match error.is_usage() {
        true => Failure::Usage(error.to_string()),
        false => Failure::Failed(error.into()),
    })?;
    let startup = Startup { review: Some(Request::Found(comparison)), tool: true, ..Startup::default() };
    Ok(open::window(startup, None)?)
}
