//! `recto serve`: the models as an OpenAI-compatible endpoint on loopback, with a token.

use std::io::Write as _;

use agent::serve::Endpoint;

use super::output::Output;
use super::{Outcome, model};
use crate::state::paths::Paths;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The port of 127.0.0.1; any free one with 0
    #[arg(long, default_value_t = 8765)]
    port: u16,
    /// The environment variable that has the token; a new one is made and printed without it
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,
}

pub fn run(args: &Args, output: &mut Output) -> Outcome {
    let token = match &args.token_env {
        None => None,
        Some(name) => Some(std::env::var(name).map_err(|_| anyhow::anyhow!("the variable {name} is not set"))?),
    };
    let is_made = token.is_none();
    model::runtime()?.block_on(async {
        let models = model::load_or_look(&Paths::default()).await?;
        let names = models.names();
        let endpoint = Endpoint::bind(models, args.port, token).await?;
        writeln!(output, "http://{}/v1", endpoint.address())?;
        if is_made {
            writeln!(output, "token {}", endpoint.token())?;
        }
        writeln!(output, "models {}", names.join(", "))?;
        output.flush()?;
        endpoint.run().await;
        Ok(())
    })
}
