//! `recto completions SHELL`.

use clap::Command;
use clap_complete::Shell;

use super::Outcome;
use super::output::Output;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args, command: &mut Command, output: &mut Output) -> Outcome {
    // The generator panics where its writer fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "recto", &mut script);
    std::io::Write::write_all(output, &script)?;
    Ok(())
}
