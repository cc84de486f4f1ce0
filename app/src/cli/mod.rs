//! The command line, one file a subcommand.
//!
//! Help, completions and the manual page come from the definitions here. Output for people goes to standard output, in
//! colour on a terminal; messages go to standard error, one sentence each. Exit codes: 0 done, 1 failed, 2 usage.
//!
//! Invariant: everything but the window works without a display.

mod agent;
mod audit;
mod bench;
mod colour;
mod completions;
mod diff;
mod difftool;
mod lsp;
mod man;
mod mergetool;
mod model;
mod open;
mod output;
mod screenshot;
mod serve;
mod session;
mod terminal;

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use output::Output;

/// A native IDE for people who read and answer for code that machines write.
///
/// Opened on a repository with changes, the window shows them for review; the new side can be edited in place.
#[derive(Parser, Debug)]
#[command(name = "recto", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    open: open::Args,
}

// What has more to say than a line says it where its arguments are: a line here would hide that.
#[derive(Subcommand, Debug)]
enum Command {
    /// Reviews a change in the window, or prints it
    Diff(diff::Args),
    Difftool(difftool::Args),
    Mergetool(mergetool::Args),
    /// Draws the window off-screen into a PNG file
    Screenshot(screenshot::Args),
    /// Drives the application and prints figures as JSON
    Bench(bench::Args),
    Agent(agent::Args),
    Session(session::Args),
    Audit(audit::Args),
    /// Shows, sets up and tries out models
    Model(model::Args),
    /// Offers the models to other programs on this machine, as OpenAI's interface
    Serve(serve::Args),
    Lsp(lsp::Args),
    /// Draws what programs write to terminals
    Terminal(terminal::Args),
    /// Prints the completions of a shell
    Completions(completions::Args),
    /// Prints the manual page
    Man(man::Args),
}

/// Why a command ended early.
#[derive(Debug)]
enum Failure {
    /// The command line was wrong.
    Usage(String),
    /// Something went wrong; the message says what and what to do.
    Failed(anyhow::Error),
    /// There is no model to talk to.
    Unreached(anyhow::Error),
    /// It ended otherwise than it should, which was told already.
    Ended(u8),
}

impl Failure {
    /// As an error, where the exit code is of no use.
    fn into_error(self) -> anyhow::Error {
        match self {
            Self::Usage(message) => anyhow::anyhow!(message),
            Self::Failed(error) | Self::Unreached(error) => error,
            Self::Ended(code) => anyhow::anyhow!("it ended with {code}"),
        }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// What a subcommand returns.
type Outcome = Result<(), Failure>;

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way, too. Nobody is left to tell when even this cannot be written.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    log_to_stderr();
    let mut output = Output::stdout();
    let outcome = run(cli, &mut output).and_then(|()| Ok(output.flush()?));
    if output.is_broken() {
        // Who read the output has seen enough: `recto diff --patch | head`.
        return ExitCode::SUCCESS;
    }
    let (message, code) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => (message, 2),
        Err(Failure::Failed(error)) => (format!("{error:#}"), 1),
        Err(Failure::Unreached(error)) => (format!("{error:#}"), 5),
        Err(Failure::Ended(code)) => return ExitCode::from(code),
    };
    tell(&message);
    ExitCode::from(code)
}

/// Says something on standard error.
fn tell(message: &str) {
    // Nobody is left to tell where this cannot be written.
    drop(writeln!(std::io::stderr(), "recto: {message}"));
}

fn run(cli: Cli, output: &mut Output) -> Outcome {
    match cli.command {
        None => open::run(&cli.open),
        Some(Command::Diff(args)) => diff::run(&args, output),
        Some(Command::Difftool(args)) => difftool::run(&args),
        Some(Command::Mergetool(args)) => mergetool::run(&args),
        Some(Command::Screenshot(args)) => screenshot::run(&args),
        Some(Command::Bench(args)) => bench::run(&args, output),
        Some(Command::Agent(args)) => agent::run(&args, output),
        Some(Command::Session(args)) => session::run(&args, output),
        Some(Command::Audit(args)) => audit::run(&args, output),
        Some(Command::Model(args)) => model::run(&args, output),
        Some(Command::Serve(args)) => serve::run(&args, output),
        Some(Command::Lsp(args)) => lsp::run(&args, output),
        Some(Command::Terminal(args)) => terminal::run(&args, output),
        Some(Command::Completions(args)) => completions::run(&args, &mut Cli::command(), output),
        Some(Command::Man(args)) => man::run(&args, &Cli::command(), output),
    }
}

/// Writes what the program logs to standard error: warnings, or what `RECTO_LOG` names.
fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::builder()
        .with_default_directive(tracing_subscriber::filter::LevelFilter::WARN.into())
        .with_env_var("RECTO_LOG")
        .from_env_lossy();
    // A second subscriber cannot be set; the first one stays.
    drop(tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init());
}

/// What stands in the command line as git would have it.
#[derive(clap::Args, Debug, Clone)]
struct Words {
    /// Revisions (A, A..B, A...B, A^!, A B), two files or folders, a FILE.patch, - for a patch on standard input, or paths
    #[arg(value_name = "REVISION|PATH")]
    words: Vec<OsString>,
    /// Only these paths, as git reads them
    #[arg(last = true, value_name = "PATHS")]
    paths: Vec<OsString>,
}

impl Words {
    /// What they compare, looked up from the current folder.
    fn comparison(&self) -> Result<::diff::source::Comparison, Failure> {
        if let Some(patch) = self.patch()? {
            return Ok(patch);
        }
        let folder = std::env::current_dir().map_err(|error| anyhow::anyhow!("there is no current folder: {error}"))?;
        ::diff::source::Comparison::parse(&self.words, &self.paths, &folder).map_err(|error| match error.is_usage() {
            true => Failure::Usage(error.to_string()),
            false => Failure::Failed(error.into()),
        })
    }
}

impl Words {
    /// The patch that is named: a file that is called one, or `-` for standard input.
    fn patch(&self) -> Result<Option<::diff::source::Comparison>, Failure> {
        let ([word], []) = (&*self.words, &*self.paths) else { return Ok(None) };
        let path = std::path::Path::new(word);
        let is_patch = path.extension().is_some_and(|end| end == "patch" || end == "diff") && path.is_file();
        let (name, text) = if word == "-" {
            let mut text = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut text);
            read.map_err(|error| anyhow::anyhow!("standard input cannot be read: {error}"))?;
            ("standard input".to_owned(), text)
        } else if is_patch {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, ::diff::source::read_bytes(path)?)
        } else {
            return Ok(None);
        };
        Ok(Some(::diff::source::Comparison::of_patch(&name, text)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn paths_without_a_subcommand_are_opened() {
        let cli = Cli::try_parse_from(["recto", "src/main.rs:3", "."]).unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.open.paths, ["src/main.rs:3", "."].map(OsString::from));
    }

    #[test]
    fn a_screenshot_takes_paths_or_a_diff() {
        let of = |args: &[&str]| match Cli::try_parse_from([&["recto", "screenshot", "o.png"], args].concat()) {
            Ok(Cli { command: Some(Command::Screenshot(args)), .. }) => args,
            other => panic!("{other:?}"),
        };
        assert_eq!(of(&["--size", "800x600", "a", "b"]).paths.len(), 2);
        let shot = of(&["--theme", "light", "diff", "A..B", "--", "src"]);
        let Some(screenshot::Of::Diff(words)) = shot.of else { panic!("no diff") };
        assert_eq!((words.words.len(), words.paths.len()), (1, 1));
    }

    #[test]
    fn stat_patch_and_json_exclude_each_other() {
        let error = Cli::try_parse_from(["recto", "diff", "--stat", "--json"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
    }
}
