//! `recto audit`: what agents sent where, ran and changed, and whether the log is whole.

use std::io::Write as _;

use agent::audit::{self, Deed};

use super::Outcome;
use super::output::Output;
use crate::state::agents::audit_file;
use crate::state::paths::Paths;

/// Shows what was sent where, what was run and what was changed
///
/// Each line of the log has the hash of the one before; a line that was changed or taken out is told, and the exit code
/// is 1 then.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Only what belongs to this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Outcome {
    let path = audit_file(&Paths::default());
    let checked = audit::check(&path)?;
    let asked =
        |session: &str| args.session.as_ref().is_none_or(|name| session.starts_with(name) || session.ends_with(name));
    for record in checked.records.iter().filter(|record| asked(record.session.as_str())) {
        match args.json {
            true => writeln!(output, "{}", serde_json::to_string(record)?)?,
            false => {
                writeln!(output, "{}  {} #{}  {}", record.time, record.session, record.run, sentence(&record.deed))?;
            }
        }
    }
    if let Some(first) = checked.broken.first() {
        return Err(anyhow::anyhow!(
            "{} lines of {} do not follow from the line before, the first is line {first}: the log was changed or cut",
            checked.broken.len(),
            path.display()
        )
        .into());
    }
    Ok(())
}

fn sentence(deed: &Deed) -> String {
    match deed {
        Deed::Sent { to, model, bytes, messages, masked, .. } => {
            format!("sent {messages} messages, {bytes} bytes, to {model} at {to}; {masked} secrets masked")
        }
        Deed::Fetched { from, bytes, .. } => format!("fetched {from}, {bytes} bytes"),
        Deed::Changed { what, project, path, bytes, .. } => format!("{what} {path} in {project}, {bytes} bytes now"),
        Deed::Ran { tool, ok, .. } => format!("ran {tool}{}", if *ok { "" } else { ", which failed" }),
        Deed::Asked { title, answer } => format!("asked about {title}: {answer}"),
    }
}
