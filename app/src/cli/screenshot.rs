//! `recto screenshot OUT.png …`: draws the window off-screen.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use eframe::egui::Vec2;

use super::{Failure, Outcome, Words, diff, open};
use crate::app::Startup;
use crate::headless::{Headless, Options, Renderer, Step, parse_steps};
use crate::theme::ThemeChoice;

#[derive(clap::Args, Debug)]
#[command(subcommand_precedence_over_arg = true)]
pub struct Args {
    /// The PNG file to write
    out: PathBuf,
    /// Size of the window, in points
    #[arg(long, default_value = "1280x800", value_name = "WxH", value_parser = parse_size)]
    size: Size,
    /// Pixels a point
    #[arg(long, default_value_t = 1.0, value_parser = parse_scale)]
    scale: f32,
    /// The theme, instead of the one in the settings
    #[arg(long, value_enum)]
    theme: Option<ThemeName>,
    /// Keys to press before the picture is taken; text to type stands in single quotes: "Ctrl+P 'main.rs'"
    #[arg(long, default_value = "", hide_default_value = true, value_name = "KEYS")]
    press: String,
    /// Folders and files to open, with line and column to go to
    #[arg(value_name = "PATH[:LINE[:COL]]")]
    pub paths: Vec<OsString>,
    #[command(subcommand)]
    pub of: Option<Of>,
}

#[derive(clap::Subcommand, Debug)]
pub enum Of {
    /// Draws a review, as `recto diff` opens it
    Diff(Words),
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum ThemeName {
    Dark,
    Light,
    Contrast,
    DarkColorBlind,
    LightColorBlind,
}

#[derive(Clone, Copy, Debug)]
struct Size(Vec2);

/// Longest time that loading and colouring may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program that is never quiet is waited for no longer than so many times that.
const NOISES: usize = 20;

/// A terminal that was quiet for so long has drawn what it was asked for.
const QUIET: Duration = Duration::from_millis(500);

pub fn run(args: &Args) -> Outcome {
    let steps = parse_steps(&args.press).map_err(|error| Failure::Usage(format!("--press: {error}")))?;
    let startup = startup(args)?;
    let mut renderer = Renderer::new()?;
    let picture = draw(args, startup, &steps, &mut renderer)?;
    let name = args.out.display();
    picture
        .save_with_format(&args.out, image::ImageFormat::Png)
        .with_context(|| format!("{name} cannot be written"))?;
    Ok(())
}

fn startup(args: &Args) -> Result<Startup, Failure> {
    if let Some(Of::Diff(words)) = &args.of {
        if !args.paths.is_empty() {
            return Err(Failure::Usage("a picture shows paths or a diff, not both".to_owned()));
        }
        return Ok(diff::startup(words.comparison()?));
    }
    Ok(Startup { paths: open::locate_all(&args.paths)?, ..Startup::default() })
}

fn draw(args: &Args, startup: Startup, steps: &[Step], renderer: &mut Renderer) -> anyhow::Result<image::RgbaImage> {
    let options = Options { size: args.size.0, scale: args.scale, ..Options::default() };
    let mut window = Headless::start(startup, options)?;
    settle(&mut window, args)?;
    for step in steps {
        window.step(step);
        settle(&mut window, args)?;
    }
    window.paint(renderer)
}

/// Waits until nothing moves, no terminal draws and no language server works any more, in the theme that was asked for: settings are read again when a step changed one.
fn settle(window: &mut Headless, args: &Args) -> anyhow::Result<()> {
    window.settle(PATIENCE)?;
    // What a program draws comes when it comes: it is done when it has been quiet for a while.
    for _ in 0..NOISES {
        let before = window.app().state.terminals.drawn();
        if before.is_none() {
            break;
        }
        window.rest(QUIET);
        if window.app().state.terminals.drawn() == before {
            break;
        }
    }
    // So is what language servers say.
    for _ in 0..NOISES {
        if !window.app().state.servers.is_awaited() {
            break;
        }
        window.rest(QUIET);
    }
    if let Some(theme) = args.theme
        && window.app().state.settings.theme != theme.choice()
    {
        window.app_mut().state.settings.theme = theme.choice();
        window.frame();
        window.settle(PATIENCE)?;
    }
    Ok(())
}

impl ThemeName {
    fn choice(self) -> ThemeChoice {
        match self {
            Self::Dark => ThemeChoice::Dark,
            Self::Light => ThemeChoice::Light,
            Self::Contrast => ThemeChoice::Contrast,
            Self::DarkColorBlind => ThemeChoice::DarkColorBlind,
            Self::LightColorBlind => ThemeChoice::LightColorBlind,
        }
    }
}

fn parse_size(text: &str) -> anyhow::Result<Size> {
    let wrong = || anyhow!("a size is two numbers with an x between them: 1280x800");
    let (width, height) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|&n| n > 0).map(f32::from);
    Ok(Size(Vec2::new(number(width).ok_or_else(wrong)?, number(height).ok_or_else(wrong)?)))
}

fn parse_scale(text: &str) -> anyhow::Result<f32> {
    let scale = text.parse::<f32>().ok().filter(|scale| (0.25..=8.0).contains(scale));
    scale.ok_or_else(|| anyhow!("a scale is a number from 0.25 to 8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(parse_size("1280x800").unwrap().0, Vec2::new(1280.0, 800.0));
        for wrong in ["1280", "x", "0x4", "-1x5", "1e3x5", "70000x2"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn scales_have_bounds() {
        assert_eq!(parse_scale("2").unwrap(), 2.0);
        for wrong in ["0", "NaN", "100", "two"] {
            assert!(parse_scale(wrong).is_err(), "{wrong}");
        }
    }
}
