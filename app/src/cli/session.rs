//! `recto session`: what agents were asked and did, as a list and as documents.

use std::io::Write as _;
use std::sync::Arc;

use agent::secrets::Secrets;
use agent::session::{json, markdown};

use super::Outcome;
use super::agent::{counted, open_store};
use super::output::Output;
use crate::state::paths::Paths;

/// Lists, searches and exports the sessions of the agent
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Lists sessions, the last first
    List {
        /// Those of all projects, not only of the current folder
        #[arg(long)]
        all: bool,
        /// Only those in which these words were said
        #[arg(long, value_name = "WORDS")]
        search: Option<String>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Prints a session as Markdown
    Export {
        /// Its name, or how that begins or ends
        #[arg(value_name = "SESSION")]
        session: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Sessions that are listed.
const LISTED: usize = 200;

pub(super) fn run(args: &Args, output: &mut Output) -> Outcome {
    let mut store = open_store(&Paths::default(), Arc::new(Secrets::new()?))?;
    match &args.command {
        Command::List { all, search, json } => {
            let here = std::env::current_dir()?.to_string_lossy().into_owned();
            let project = (!all).then_some(here.as_str());
            if let Some(words) = search {
                for found in store.search(words, project, LISTED)? {
                    match json {
                        true => writeln!(output, "{}", serde_json::to_string(&found)?)?,
                        false => writeln!(
                            output,
                            "{}  {}\n    {}",
                            found.session,
                            found.title,
                            found.text.replace('\n', " ")
                        )?,
                    }
                }
                return Ok(());
            }
            for info in store.sessions(project, LISTED)? {
                match json {
                    true => writeln!(output, "{}", serde_json::to_string(&info)?)?,
                    false => {
                        writeln!(output, "{}  {:>8}  {}", info.id, counted(u64::from(info.runs), "run"), info.title)?;
                    }
                }
            }
        }
        Command::Export { session, json: as_json } => {
            let session = store.session(session)?.id;
            match as_json {
                true => writeln!(output, "{}", serde_json::to_string_pretty(&json(&mut store, &session)?)?)?,
                false => write!(output, "{}", markdown(&mut store, &session)?)?,
            }
        }
    }
    Ok(())
}
