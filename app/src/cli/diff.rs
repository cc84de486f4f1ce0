//! `recto diff …`: opens a review, or prints it.

use std::io::Write;

use ::diff::export;
use ::diff::source::Comparison;
use editor::Cancel;

use super::colour::Coloured;
use super::output::Output;
use super::{Outcome, Words, open};
use crate::app::Startup;
use crate::state::combined::Of;
use crate::state::reviews::Request;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    words: Words,
    #[command(flatten)]
    print: Print,
}

#[derive(clap::Args, Debug)]
#[group(multiple = false)]
struct Print {
    /// Prints changed lines a file, as a bar, and a summary
    #[arg(long)]
    stat: bool,
    /// Prints a patch, which `git apply` takes
    #[arg(long, short)]
    patch: bool,
    /// Prints one JSON object: files, hunks, lines, and what changed within lines
    #[arg(long)]
    json: bool,
}

/// A window that shows what is compared.
pub fn startup(comparison: Comparison) -> Startup {
    match comparison.patch_text() {
        Some(text) if comparison.is_combined() => {
            let of = Of::Patch { name: comparison.source().to_string(), text: text.clone() };
            Startup { combined: Some(of), ..Startup::default() }
        }
        _ => Startup { review: Some(Request::Found(comparison)), ..Startup::default() },
    }
}

pub fn run(args: &Args, output: &mut Output) -> Outcome {
    let comparison = args.words.comparison()?;
    let Print { stat, patch, json } = args.print;
    if !(stat || patch || json) {
        return Ok(open::window(startup(comparison), None)?);
    }
    let never = Cancel::new();
    let mut changes = comparison.changes(&never)?;
    comparison.find_renames(&mut changes, &never)?;
    let (colour, width) = (output.has_colour(), output.width());
    if json {
        export::json(&comparison, &changes, output, &never)?;
    } else if patch && colour {
        let mut coloured = Coloured::patch(output);
        export::patch(&comparison, &changes, &mut coloured, &never)?;
        coloured.flush()?;
    } else if patch {
        export::patch(&comparison, &changes, output, &never)?;
    } else if changes.is_empty() {
        // As git does: nothing changed, nothing said.
    } else if colour {
        let mut coloured = Coloured::stat(output);
        export::stat(&comparison, &changes, width, &mut coloured, &never)?;
        coloured.flush()?;
    } else {
        export::stat(&comparison, &changes, width, output, &never)?;
    }
    Ok(())
}
