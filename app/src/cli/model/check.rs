//! `recto model check`: examines a model, and keeps what was learnt.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use agent::doctor::{self, Check, Outcome as Judgement, Report, Seen, Unexamined};
use agent::models::{self, Addition, Models};
use agent::provider::{ModelSpec, Provider};
use serde_json::json;

use super::{load_or_look, tell};
use crate::cli::output::Output;
use crate::cli::{Failure, Outcome};
use crate::state::paths::Paths;
use crate::state::store;

/// Tries a model out, prints a grade, and keeps the settings that suit it
///
/// Some fifteen short conversations whose right answers are known: whether replies stream, in which form the model writes
/// edits, whether its tool calls can be trusted, how much fits, how fast it is. Each check is printed as it ends. What was
/// learnt is written to the file of models and used from then on; what there was no time for stays as it is.
///
/// With --json one object: `{"model","grade","checks":[{"name","outcome","detail"}],"figures":{"window","reading",
/// "writing","cached"},"settings":{"context","output","protocol","edit_form","capabilities"},"saved"}`. `outcome` is good,
/// partly, bad, skipped or info; `reading` and `writing` are tokens a second, `cached` is a share from 0 to 1; what is not
/// known is null. `saved` is the file that was written, or null.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The model's name; the default if none is given
    name: Option<String>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// How long it may take in all, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..))]
    within: u64,
    /// Only prints: the file of models stays as it is
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn run(args: &Args, paths: &Paths, output: &mut Output) -> Outcome {
    let models = load_or_look(paths).await?;
    let spec = named(&models, args.name.as_deref())?;
    let provider = Provider::new(spec.clone())?;
    let mut page = Page::new(args.json, output);
    let report = {
        let over = Box::pin(tokio::time::sleep(Duration::from_secs(args.within)));
        let mut seen = |seen: Seen<'_>| page.seen(seen);
        tokio::select! {
            report = doctor::examine(&provider, over, &mut seen) => Some(report),
            _ = tokio::signal::ctrl_c() => None,
        }
    };
    page.take_back();
    let broken = page.broken.take();
    if let Some(error) = broken {
        return Err(error.into());
    }
    let Some(report) = report else {
        tell("stopped; nothing was written");
        return Err(Failure::Ended(130));
    };
    let report = report.map_err(|error| match error {
        Unexamined::TooSlow { .. } => anyhow::anyhow!("{error} with --within (now {} s)", args.within),
        Unexamined::Failed(error) => error.into(),
    })?;
    let saved = match args.dry_run {
        true => None,
        false => Some(save(&models, &report.recommended, paths)?),
    };
    if args.json {
        writeln!(output, "{}", in_json(&report, saved.as_deref()))?;
        return Ok(());
    }
    writeln!(output, "grade {}\n\n{}", report.grade, models::settings(&report.recommended))?;
    if let Some(path) = saved {
        writeln!(output, "in {path}")?;
    }
    Ok(())
}

/// The model that is meant.
fn named<'a>(models: &'a Models, name: Option<&str>) -> Result<&'a ModelSpec, Failure> {
    let Some(name) = name.or(models.preferred()) else { return Err(models::NoModel::NoneAtAll.into()) };
    if let Some(route) = models.routes.iter().find(|route| route.name == name) {
        let each = route.models.join(", ");
        return Err(Failure::Usage(format!("{name} stands for several models; check each: {each}")));
    }
    let unknown = || models::NoModel::Unknown { name: name.to_owned(), known: models.names() }.into();
    models.models.iter().find(|model| model.name == name).ok_or_else(unknown)
}

/// Writes the settings of a model. Where nothing was set up, all that was found is, so that nothing found gets lost.
fn save(models: &Models, model: &ModelSpec, paths: &Paths) -> anyhow::Result<String> {
    let path = paths.models();
    // Read anew: the examination took its time, and somebody may have edited the file.
    let mut text = store::read(&path)?.unwrap_or_default();
    if !models::parse(&text).models.iter().any(|known| known.name == model.name) {
        for provider in &models.providers {
            let of_it = models.models.iter().filter(|model| model.provider.name == provider.name);
            let names = of_it.map(|model| (model.name.clone(), model.id.clone())).collect();
            let addition = Addition { provider: provider.clone(), models: names, default: None };
            text = models::add(&text, &addition).map_err(anyhow::Error::msg)?;
        }
    }
    store::write(&path, &models::set(&text, model).map_err(anyhow::Error::msg)?)?;
    Ok(path.display().to_string())
}

/// Where people see how it goes: checks on standard output, what is being done on a line that the next one takes the
/// place of.
struct Page<'a> {
    output: &'a mut Output,
    /// Whether somebody looks at standard error.
    watched: bool,
    json: bool,
    passing: bool,
    /// Why nothing can be printed any more.
    broken: Option<std::io::Error>,
}

impl<'a> Page<'a> {
    fn new(json: bool, output: &'a mut Output) -> Self {
        Self { output, watched: std::io::stderr().is_terminal(), json, passing: false, broken: None }
    }

    fn seen(&mut self, seen: Seen<'_>) {
        match seen {
            Seen::Doing(what) => self.pass(what),
            Seen::Ended(_) if self.json => {}
            Seen::Ended(check) => {
                self.take_back();
                let line = line(check, self.output.has_colour());
                let written = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
                if let Err(error) = written {
                    self.broken.get_or_insert(error);
                }
            }
        }
    }

    fn pass(&mut self, what: &str) {
        if !self.watched {
            return;
        }
        let width = self.output.width().saturating_sub(3);
        let what: String = what.replace(char::is_control, " ").chars().take(width).collect();
        // Nobody is left to tell when even this cannot be written.
        drop(write!(std::io::stderr(), "\r\x1b[K{what} …"));
        self.passing = true;
    }

    fn take_back(&mut self) {
        if std::mem::take(&mut self.passing) {
            drop(write!(std::io::stderr(), "\r\x1b[K"));
        }
    }
}

fn line(check: &Check, colour: bool) -> String {
    let (begin, end) = match check.outcome {
        _ if !colour => ("", ""),
        Judgement::Good => ("\x1b[32m", "\x1b[m"),
        Judgement::Partly => ("\x1b[33m", "\x1b[m"),
        Judgement::Bad => ("\x1b[31m", "\x1b[m"),
        Judgement::Skipped | Judgement::Info => ("\x1b[2m", "\x1b[m"),
    };
    format!("{begin}{:8}{end} {:12} {}", judgement(check.outcome), check.name, check.detail)
}

fn judgement(outcome: Judgement) -> &'static str {
    match outcome {
        Judgement::Good => "good",
        Judgement::Partly => "partly",
        Judgement::Bad => "bad",
        Judgement::Skipped => "skipped",
        Judgement::Info => "info",
    }
}

fn in_json(report: &Report, saved: Option<&str>) -> serde_json::Value {
    let checks: Vec<_> = report
        .checks
        .iter()
        .map(|check| json!({ "name": check.name, "outcome": judgement(check.outcome), "detail": check.detail }))
        .collect();
    let (figures, model) = (&report.figures, &report.recommended);
    json!({
        "model": report.model, "grade": report.grade.to_string(), "checks": checks,
        "figures": { "window": figures.window, "reading": figures.reading, "writing": figures.writing, "cached": figures.cached },
        "settings": {
            "context": model.context, "output": model.output, "protocol": models::protocol_name(model.protocol),
            "edit_form": model.edit_form.map(models::form_name), "capabilities": model.capabilities.names(),
        },
        "saved": saved,
    })
}
