//! What real programs wrote, drawn again: to the same screen, however the bytes come.
//!
//! Our own recordings lie beside, made by `recordings/record.py`. Those of alacritty, the reference, are taken from the
//! folder that `RECTO_ALACRITTY_REF` names (`alacritty_terminal/tests/ref` of its repository), and skipped without.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use terminal::screen::{Cell, Color, Extra, Rgb, Style};
use terminal::{Frame, Screen, Size};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

fn draw(bytes: &[u8], part: usize) -> Frame {
    let mut screen = Screen::new(Size::new(80, 24), 1000);
    for part in bytes.chunks(part) {
        screen.feed(part);
    }
    let mut frame = Frame::default();
    screen.frame(&mut frame);
    frame
}

/// Rows as text, then for each row its runs of equal style.
fn dump(frame: &Frame) -> String {
    let mut out = frame.text();
    let at =
        frame.cursor.map_or("none".into(), |cursor| format!("{},{} {:?}", cursor.row, cursor.column, cursor.shape));
    writeln!(out, "cursor {at}").unwrap();
    for row in 0..frame.size.rows {
        let key = |cell: &Cell| (cell.fg, cell.bg, cell.style.0 & !Style::WIDE.with(Style::SPACER).0);
        let cells = frame.row(row);
        let mut from = 0;
        for column in 1..=cells.len() {
            if column < cells.len() && key(&cells[column]) == key(&cells[from]) {
                continue;
            }
            if key(&cells[from]) != key(&Cell::default()) {
                let (fg, bg, style) = key(&cells[from]);
                writeln!(out, "{row}:{from}-{} {fg:?} on {bg:?} {style:x}", column - 1).unwrap();
            }
            from = column;
        }
    }
    out
}

#[test]
fn our_recordings_draw_the_same_screen_at_any_split() {
    let mut seen = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "bytes") {
            continue;
        }
        seen += 1;
        let bytes = fs::read(&path).unwrap();
        let whole = dump(&draw(&bytes, usize::MAX));
        for part in [1, 2, 7, 100] {
            assert_eq!(dump(&draw(&bytes, part)), whole, "{} in parts of {part}", path.display());
        }
        let expected = path.with_extension("screen");
        if std::env::var_os("RECTO_UPDATE").is_some() {
            fs::write(&expected, &whole).unwrap();
        }
        assert_eq!(whole, fs::read_to_string(&expected).unwrap(), "{}", path.display());
    }
    assert_eq!(seen, 10);
}

#[test]
fn alacrittys_recordings_draw_alacrittys_screens() {
    let Some(folder) = std::env::var_os("RECTO_ALACRITTY_REF").map(PathBuf::from) else {
        eprintln!("skipped: RECTO_ALACRITTY_REF names no folder of reference recordings");
        return;
    };
    let mut compared = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let read = |name: &str| fs::read(path.join(name)).ok();
        let (Some(bytes), Some(grid), Some(size)) = (read("alacritty.recording"), read("grid.json"), read("size.json"))
        else {
            eprintln!("{} is incomplete", path.display());
            continue;
        };
        let json = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
        let history = read("config.json").and_then(|config| json(&config)["history_size"].as_u64()).unwrap_or(0);
        let size = json(&size);
        let extent = |key: &str| size[key].as_u64().unwrap() as u16;
        let mut screen = Screen::new(Size::new(extent("columns"), extent("screen_lines")), history as usize);
        screen.feed(&bytes);
        compare(&path, &screen, &json(&grid));
        compared += 1;
    }
    eprintln!("{compared} reference recordings compared");
    assert!(compared > 0, "nothing in {}", folder.display());
}

/// Compares every cell, history included.
#[track_caller]
fn compare(name: &Path, screen: &Screen, grid: &Value) {
    let rows = grid["raw"]["inner"].as_array().unwrap();
    let zero = grid["raw"]["zero"].as_u64().unwrap() as usize;
    let lines = screen.end_line().0 - screen.first_line().0;
    // Their grids are filled up with blank lines to the limit of history; reading a line that is not there gives a blank one.
    assert!(rows.len() as u64 >= lines, "{}: {} and {lines} lines", name.display(), rows.len());
    for back in 0..rows.len() as u64 {
        if back >= lines {
            let row = rows[(zero + back as usize) % rows.len()]["inner"].as_array().unwrap();
            assert!(row.iter().all(|cell| reference(cell).0 == Cell::default()), "{} line {back}", name.display());
            continue;
        }
        // The grid keeps its last line first.
        let row = &rows[(zero + back as usize) % rows.len()]["inner"];
        let line = screen.end_line().above(back + 1);
        let (cells, extras) = screen.cells_of(line);
        let expected: Vec<_> = row.as_array().unwrap().iter().map(reference).collect();
        let drawn: Vec<_> = cells.iter().map(|cell| (*cell, extra(cell, &extras))).collect();
        for (column, (expected, drawn)) in expected.iter().zip(&drawn).enumerate() {
            let colors = same_color(expected.0.fg, drawn.0.fg) && same_color(expected.0.bg, drawn.0.bg);
            let same =
                colors && (drawn.0.ch, drawn.0.style, &drawn.1) == (expected.0.ch, expected.0.style, &expected.1);
            assert!(
                same,
                "{} line {back} from below, column {column}: {expected:?}, but drawn {drawn:?}",
                name.display()
            );
        }
        assert_eq!(expected.len(), drawn.len());
    }
}

/// One recording sets the upper colours to what they are; our cells have what was set, the reference their numbers.
fn same_color(expected: Color, drawn: Color) -> bool {
    let set = |index: u8| index >= 16 && drawn == Color::Rgb(terminal::Palette::default().indexed(index));
    expected == drawn || matches!(expected, Color::Palette(index) if set(index))
}

fn extra(cell: &Cell, extras: &[Extra]) -> Extra {
    usize::from(cell.extra).checked_sub(1).map(|at| extras[at].clone()).unwrap_or_default()
}

/// A cell of the reference's grid in our terms.
fn reference(cell: &Value) -> (Cell, Extra) {
    let named = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"];
    let color = |value: &Value| {
        if let Some(index) = value["Indexed"].as_u64() {
            return Color::Palette(index as u8);
        }
        if let Some(spec) = value["Spec"].as_object() {
            let part = |key: &str| spec[key].as_u64().unwrap() as u8;
            return Color::Rgb(Rgb(part("r"), part("g"), part("b")));
        }
        let name = value["Named"].as_str().unwrap();
        let plain = name.trim_start_matches("Bright").trim_start_matches("Dim");
        match named.iter().position(|known| *known == plain) {
            Some(at) => Color::Palette(at as u8 + if name.starts_with("Bright") { 8 } else { 0 }),
            None => Color::Default,
        }
    };
    let flags = [
        ("INVERSE", Style::INVERSE),
        ("BOLD", Style::BOLD),
        ("ITALIC", Style::ITALIC),
        ("UNDERLINE", Style::UNDERLINE),
        ("WRAPLINE", Style::WRAPPED),
        ("WIDE_CHAR", Style::WIDE),
        ("WIDE_CHAR_SPACER", Style::SPACER),
        ("LEADING_WIDE_CHAR_SPACER", Style::SPACER),
        ("DIM", Style::DIM),
        ("HIDDEN", Style::HIDDEN),
        ("STRIKEOUT", Style::STRIKE),
        ("DOUBLE_UNDERLINE", Style::DOUBLE_UNDERLINE),
        ("UNDERCURL", Style::CURLY_UNDERLINE),
        ("DOTTED_UNDERLINE", Style::DOTTED_UNDERLINE),
        ("DASHED_UNDERLINE", Style::DASHED_UNDERLINE),
        ("BOLD_ITALIC", Style::BOLD.with(Style::ITALIC)),
        ("DIM_BOLD", Style::BOLD.with(Style::DIM)),
    ];
    let text = cell["flags"].as_str().unwrap();
    let style = text.split(" | ").filter(|name| !name.is_empty()).fold(Style::default(), |style, name| {
        style.with(flags.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("flag {name}")).1)
    });
    let ch = cell["c"].as_str().unwrap().chars().next().unwrap();
    let more = &cell["extra"];
    let extra = Extra {
        combining: more["zerowidth"].as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
        underline: more.get("underline_color").filter(|value| !value.is_null()).map(color),
        link: more["hyperlink"]["inner"]["uri"].as_str().map(str::to_owned),
    };
    let ch = if ch == '\t' { ' ' } else { ch };
    (Cell { ch, fg: color(&cell["fg"]), bg: color(&cell["bg"]), style, extra: 0 }, extra)
}
