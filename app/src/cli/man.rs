//! `recto man [SUBCOMMAND]`.

use clap::Command;

use super::output::Output;
use super::{Failure, Outcome};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The subcommand whose page is printed; without one, the page of recto itself
    subcommand: Option<String>,
}

pub fn run(args: &Args, command: &Command, output: &mut Output) -> Outcome {
    let page = match &args.subcommand {
        None => command.clone(),
        Some(name) => {
            let found = command.find_subcommand(name).filter(|found| !found.is_hide_set());
            let found = found.ok_or_else(|| Failure::Usage(format!("`{name}` is not a subcommand of recto")))?;
            found.clone().display_name(format!("recto-{name}")).bin_name(format!("recto {name}"))
        }
    };
    clap_mangen::Man::new(page).render(output)?;
    Ok(())
}
