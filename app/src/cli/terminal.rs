//! `recto terminal …`: the terminal's screen without a window or a process, for bug reports and tests.

use std::io::{Read as _, Write};

use anyhow::{Context as _, anyhow};
use serde::Serialize;
use terminal::screen::{CommandState, Position};
use terminal::{Screen, Size};

use super::Outcome;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Prints the screen that the bytes on standard input draw, a line a row
    ///
    /// The bytes are what a program wrote to its terminal, as `script` records them; a line ends with CR and LF there.
    Render(Render),
}

#[derive(clap::Args, Debug)]
struct Render {
    /// Columns and rows of the screen
    #[arg(long, default_value = "80x24", value_name = "CxR", value_parser = parse_size)]
    size: Size,
    /// Prints one more line: a JSON object with title, directory, cursor and the marks of commands
    ///
    /// Rows count from the first row of the screen, columns from 0; what has scrolled into history has negative rows.
    #[arg(long)]
    marks: bool,
}

/// What is read at a time.
const PIECE: usize = 64 * 1024;

/// Lines that have scrolled off and are remembered.
const HISTORY: usize = 10_000;

pub fn run(args: &Args, output: &mut impl Write) -> Outcome {
    let What::Render(render) = &args.what;
    let screen = draw(&mut std::io::stdin().lock(), render.size).context("standard input cannot be read")?;
    output.write_all(screen.text().as_bytes())?;
    if render.marks {
        serde_json::to_writer(&mut *output, &Marks::of(&screen))?;
        writeln!(output)?;
    }
    Ok(())
}

fn draw(from: &mut impl std::io::Read, size: Size) -> std::io::Result<Screen> {
    let mut screen = Screen::new(size, HISTORY);
    let mut piece = Vec::with_capacity(PIECE);
    while from.take(PIECE as u64).read_to_end(&mut piece)? > 0 {
        // There is no program to be answered.
        screen.feed(&piece);
        piece.clear();
    }
    // What an unfinished update held back is shown by a terminal, too, a moment later.
    screen.end_synchronized();
    Ok(screen)
}

/// What is known beside the text.
#[derive(Serialize)]
struct Marks {
    columns: u16,
    rows: u16,
    /// Lines above the screen.
    history: u64,
    cursor: Place,
    title: Option<String>,
    directory: Option<String>,
    commands: Vec<Command>,
}

#[derive(Serialize)]
struct Place {
    row: i64,
    column: u16,
}

/// A command; what is not there was not marked, or is forgotten.
#[derive(Serialize)]
struct Command {
    state: &'static str,
    code: Option<i32>,
    line: Option<String>,
    directory: Option<String>,
    prompt: Option<Place>,
    input: Option<Place>,
    output: Option<Place>,
    end: Option<Place>,
}

impl Marks {
    fn of(screen: &Screen) -> Self {
        let Size { columns, rows, .. } = screen.size();
        let top = screen.end_line().above(u64::from(rows)).0 as i64;
        let place = |at: Position| Place { row: at.line.0 as i64 - top, column: at.column };
        let commands = screen.commands().iter().map(|command| {
            let (state, code) = match command.state {
                CommandState::Waiting => ("prompt", None),
                CommandState::Running => ("running", None),
                CommandState::Ended(code) => ("ended", code),
            };
            let places = screen.places(command.id);
            let part = |of: fn(&terminal::screen::CommandPlaces) -> Option<Position>| of(places.as_ref()?).map(place);
            Command {
                state,
                code,
                line: screen.command_text(command.id),
                directory: command.directory.as_ref().map(|directory| directory.display().to_string()),
                prompt: part(|places| places.prompt),
                input: part(|places| places.input),
                output: part(|places| places.output),
                end: part(|places| places.end),
            }
        });
        Self {
            columns,
            rows,
            history: screen.history(),
            cursor: place(screen.cursor()),
            title: screen.title().map(str::to_owned),
            directory: screen.directory().map(|directory| directory.display().to_string()),
            commands: commands.collect(),
        }
    }
}

fn parse_size(text: &str) -> anyhow::Result<Size> {
    let wrong = || anyhow!("a size is columns and rows with an x between them: 80x24");
    let (columns, rows) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|&number| number > 0).ok_or_else(wrong);
    let (columns, rows) = (number(columns)?, number(rows)?);
    let size = Size::new(columns, rows);
    if (size.columns, size.rows) != (columns, rows) {
        return Err(anyhow!("no terminal has this size; the nearest is {}x{}", size.columns, size.rows));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The case of marks that come in pieces.
    const MARKED: &[u8] = b"\x1b]133;A;click_events=1\x07$ \x1b]133;B\x07ls\r\n\x1b]7;file://h/tmp\x1b\\\x1b]133;C\x07a b\r\n\x1b]133;D;2\x07";

    #[test]
    fn the_screen_and_its_marks() {
        let screen = draw(&mut &MARKED[..], Size::new(10, 3)).unwrap();
        assert_eq!(screen.text(), "$ ls\na b\n\n");
        let marks = serde_json::to_value(Marks::of(&screen)).unwrap();
        let expected = serde_json::json!({
            "columns": 10, "rows": 3, "history": 0, "cursor": {"row": 2, "column": 0}, "title": null,
            "directory": "/tmp",
            "commands": [{
                "state": "ended", "code": 2, "line": "ls", "directory": "/tmp",
                "prompt": {"row": 0, "column": 0}, "input": {"row": 0, "column": 2},
                "output": {"row": 1, "column": 0}, "end": {"row": 2, "column": 0},
            }],
        });
        assert_eq!(marks, expected);
    }

    #[test]
    fn what_scrolled_off_has_negative_rows() {
        let screen = draw(&mut &MARKED[..], Size::new(10, 2)).unwrap();
        let marks = serde_json::to_value(Marks::of(&screen)).unwrap();
        assert_eq!(marks["commands"][0]["prompt"]["row"], -1);
        assert_eq!(marks["history"], 1);
    }

    #[test]
    fn an_unfinished_update_is_drawn() {
        assert_eq!(draw(&mut &b"\x1b[?2026hhalf"[..], Size::new(10, 1)).unwrap().text(), "half\n");
    }

    #[test]
    fn sizes_are_columns_and_rows() {
        assert_eq!(parse_size("120x40").unwrap(), Size::new(120, 40));
        for wrong in ["120", "0x4", "x", "65535x65535"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
