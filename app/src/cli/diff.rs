//! `recto diff …`: opens a review.

use super::{Outcome, Words, open};
use crate::app::Startup;
use crate::state::reviews::Request;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    words: Words,
}

pub fn run(args: &Args) -> Outcome {
    let startup = Startup { review: Some(Request::Found(args.words.comparison()?)), ..Startup::default() };
    Ok(open::window(startup, None)?)
}
