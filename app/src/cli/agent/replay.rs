//! `recto agent replay`: a written reply, applied to a folder without a model.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use agent::event::ChangeKind;
use agent::host::{DiskHost, Unattended};
use agent::protocol::Item;
use agent::replay::{self, Effect, Options, Replayed};
use agent::secrets::Secrets;
use anyhow::Context as _;

use super::desk::print_patch;
use crate::cli::output::Output;
use crate::cli::{Failure, Outcome};

/// Applies the written reply of a model to a folder, without a model
///
/// Reads the reply as a run does and makes its edits; says how each matched, or what the model would have been told.
/// Nobody is asked. Exit code 1 if anything of the reply could not be done.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The file with the reply; - for standard input
    reply: PathBuf,
    /// The project's folder, which nothing leaves
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Only tells what would be done
    #[arg(long)]
    dry_run: bool,
    /// Prints one JSON object: the actions, and a result for each
    #[arg(long)]
    json: bool,
    /// Does an action that is refused otherwise; can be given several times
    #[arg(long, value_name = "ACTION", value_parser = ["delete_file"])]
    allow: Vec<String>,
    /// The only file in question: code blocks without a file's name are for it
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Outcome {
    let reply = match args.reply.as_os_str() == "-" {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
            bytes
        }
        // The message has its reason already, which a chain of causes would repeat.
        false => diff::source::read_bytes(&args.reply).map_err(|error| anyhow::anyhow!("{error}"))?,
    };
    let host = DiskHost::open(&args.root, Unattended::default());
    let host = host.with_context(|| format!("{} is no folder that can be opened", args.root.display()))?;
    let secrets = Secrets::new().context("the filter of secrets cannot be made")?;
    let options = Options { dry_run: args.dry_run, deletions: !args.allow.is_empty(), file: args.file.clone() };
    let replayed = replay::replay(&replay::parse(&reply, &options), &host, &secrets, &options);
    match args.json {
        true => writeln!(output, "{}", replay::to_json(&replayed))?,
        false => print(&replayed, output)?,
    }
    match replayed.iter().any(|one| one.outcome.is_err()) {
        true => Err(Failure::Ended(1)),
        false => Ok(()),
    }
}

fn print(replayed: &[Replayed], output: &mut Output) -> anyhow::Result<()> {
    if replayed.is_empty() {
        writeln!(output, "the reply asks for nothing: it holds no action")?;
    }
    for one in replayed {
        let title = match &one.item {
            Item::Action(action) => action.title(),
            Item::Malformed(wrong) => wrong.name().to_owned(),
        };
        match &one.outcome {
            Err(error) => {
                let told: Vec<_> = error.lines().map(|line| format!("  {line}")).collect();
                writeln!(output, "failed  {title}\n{}", told.join("\n"))?;
            }
            Ok(effect) => {
                writeln!(output, "{}  {title}{}", if did(effect) { "done  " } else { "      " }, remarks(effect))?;
                for change in &effect.changes {
                    if !matches!(change.kind, ChangeKind::Renamed { .. }) {
                        print_patch(&change.patch, output)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// What is only read, or is there already, leaves nothing done.
fn did(effect: &Effect) -> bool {
    !effect.changes.is_empty()
}

fn remarks(effect: &Effect) -> String {
    let rung = effect.rung.map(|rung| format!("met {}", rung.describe()));
    let remarks: Vec<_> = rung.into_iter().chain(effect.notes.iter().cloned()).collect();
    if remarks.is_empty() { String::new() } else { format!(": {}", remarks.join("; ")) }
}
