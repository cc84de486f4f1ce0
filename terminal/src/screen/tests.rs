//! Bytes in, screen out: the cases from the field, marks through scrolling and re-wrapping, any bytes at all.

use proptest::prelude::*;

use super::*;

fn screen(columns: u16, rows: u16) -> Screen {
    Screen::new(Size::new(columns, rows), 1_000)
}

/// Feeds parts one after another; returns what is sent back.
fn feed(screen: &mut Screen, parts: &[&str]) -> String {
    let replies: Vec<u8> = parts.iter().flat_map(|part| screen.feed(part.as_bytes())).collect();
    String::from_utf8_lossy(&replies).into_owned()
}

#[track_caller]
fn check(columns: u16, rows: u16, bytes: &str, expected: &[&str]) -> Screen {
    let mut screen = screen(columns, rows);
    feed(&mut screen, &[bytes]);
    assert_rows(&screen, expected);
    screen
}

#[track_caller]
fn assert_rows(screen: &Screen, expected: &[&str]) {
    let text = screen.text();
    let mut rows: Vec<_> = text.lines().collect();
    rows.truncate(rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1));
    assert_eq!(rows, expected);
}

fn history(screen: &Screen) -> usize {
    screen.engine.history()
}

fn cursor(screen: &Screen) -> (u64, u16) {
    let at = screen.cursor();
    (at.line.0 - screen.engine.top().0, at.column)
}

#[test]
fn case_1_wrapping_waits_for_the_next_character() {
    let screen = check(5, 3, "abcde\rX", &["Xbcde"]);
    assert_eq!(cursor(&screen), (0, 1));
}

#[test]
fn case_2_a_wide_character_never_straddles_lines() {
    check(5, 3, "abcd你", &["abcd", "你"]);
}

#[test]
fn case_3_half_of_a_wide_character_is_never_left() {
    check(6, 2, "你好\x1b[1;2HX", &[" X好"]);
}

#[test]
fn case_5_a_prompt_survives_shrinking_and_growing() {
    let mut screen = screen(10, 4);
    feed(&mut screen, &["0123456789ABCDEF\r\nxy"]);
    screen.resize(Size::new(5, 4));
    assert_rows(&screen, &["ABCDE", "F", "xy"]);
    assert_eq!(history(&screen), 2);
    screen.resize(Size::new(20, 4));
    assert_rows(&screen, &["0123456789ABCDEF", "xy"]);
    assert_eq!(history(&screen), 0);
}

#[test]
fn case_6_a_line_feed_below_the_scroll_region_scrolls_nothing() {
    check(6, 4, "\x1b[1;2r\x1b[4;1Ha\r\nb", &["", "", "", "b"]);
}

#[test]
fn case_7_clearing_keeps_text_in_history_until_that_is_cleared_too() {
    let mut screen = check(4, 2, "1\r\n2\r\n3\r\n4\x1b[3J", &["3", "4"]);
    assert_eq!(history(&screen), 0);
    feed(&mut screen, &["\x1b[2J"]);
    assert_rows(&screen, &[]);
    assert_eq!(history(&screen), 2);
}

#[test]
fn case_8_a_reset_leaves_the_alternate_screen() {
    let screen = check(8, 2, "main\x1b[?1049hALT\x1bc", &[]);
    assert!(!screen.modes().alternate_screen);
}

#[test]
fn case_11_marks_are_found_at_any_split() {
    let all = "\x1b]133;A;click_events=1\x07$ \x1b]133;B\x07ls\x1b]7;file://h/tmp\x1b\\";
    for cut in 0..all.len() {
        let mut screen = screen(20, 3);
        feed(&mut screen, &[&all[..cut], &all[cut..]]);
        assert_rows(&screen, &["$ ls"]);
        assert_eq!(screen.directory(), Some(Path::new("/tmp")));
        let [command] = screen.commands() else { panic!("{:?}", screen.commands()) };
        let places = screen.places(command.id).unwrap();
        let first = screen.first_line();
        assert_eq!((places.prompt, places.input), (Some(Position::new(first, 0)), Some(Position::new(first, 2))));
        feed(&mut screen, &["\x1b]133;C\x07"]);
        assert_eq!(screen.command_text(screen.commands()[0].id).as_deref(), Some("ls"));
    }
}

#[test]
fn case_12_a_report_in_origin_mode_counts_from_the_region() {
    let mut screen = screen(10, 6);
    assert_eq!(feed(&mut screen, &["\x1b[3;5r\x1b[?6h\x1b[1;1H\x1b[6n"]), "\x1b[1;1R");
    assert_eq!(feed(&mut screen, &["\x1b[2;4H\x1b[5n\x1b[6n"]), "\x1b[0n\x1b[2;4R");
    assert_eq!(feed(&mut screen, &["\x1b[?6l\x1b[3;1H\x1b[6n"]), "\x1b[3;1R");
}

#[test]
fn broken_utf8_shows_and_hides_nothing() {
    let mut screen = screen(10, 2);
    screen.feed(b"a\xf0\x9f\x98");
    screen.feed(b"b\xff c");
    assert_rows(&screen, &["a\u{fffd}b\u{fffd} c"]);
}

#[test]
fn a_character_that_is_cut_takes_none_with_it() {
    let mut screen = screen(10, 2);
    screen.feed(b"x\xc3");
    screen.feed("\u{e9}a\u{e9}".as_bytes().get(1..).expect("the rest"));
    assert_rows(&screen, &["xéaé"]);
}

#[test]
fn pictures_leave_no_text_behind() {
    check(10, 2, "a\x1bPq#0;2;0;0;0~~\x1b\\b\x1b_Gf=1;AAAA\x1b\\c\x1b]1337;File=name=a:AAAA\x07d", &["abcd"]);
}

#[test]
fn a_heart_is_as_wide_as_its_first_character() {
    let screen = check(10, 2, "❤\u{fe0f}x", &["❤\u{fe0f}x"]);
    assert_eq!(cursor(&screen), (0, 2));
}

#[test]
fn programs_ask_and_are_answered() {
    let mut screen = screen(10, 2);
    screen.set_palette(Palette { background: Rgb(1, 2, 3), ..Palette::default() });
    assert_eq!(feed(&mut screen, &["\x1b]11;?\x07"]), "\x1b]11;rgb:0101/0202/0303\x07");
    assert_eq!(feed(&mut screen, &["\x1b[c"]), "\x1b[?6c");
    assert_eq!(feed(&mut screen, &["\x1b[18t"]), "\x1b[8;2;10t");
    assert_eq!(feed(&mut screen, &["\x1b[?u\x1b[>1u\x1b[?u"]), "\x1b[?0u\x1b[?1u");
    assert!(screen.modes().kitty.disambiguate);
}

#[test]
fn the_clipboard_is_written_and_never_read() {
    let mut screen = screen(10, 2);
    assert_eq!(feed(&mut screen, &["\x1b]52;c;?\x07\x1b]52;c;aGk=\x07"]), "");
    assert_eq!(screen.take_events(), [ScreenEvent::Copy("hi".into())]);
}

#[test]
fn a_pile_of_keyboard_modes_is_no_end() {
    let mut screen = screen(10, 2);
    screen.feed(&b"\x1b[>1u".repeat(10_000));
    screen.feed(&b"\x1b[<20000u".repeat(2));
    assert_eq!(feed(&mut screen, &["\x1b[?u"]), "\x1b[?0u");
}

#[test]
fn a_scroll_region_below_the_screen_is_none() {
    let mut screen = screen(3, 1);
    feed(&mut screen, &["\x1b[2;5r\x1b[22G你\r\nx"]);
    assert_rows(&screen, &["x"]);
}

#[test]
fn a_saved_cursor_is_brought_back_into_a_smaller_screen() {
    let mut screen = screen(10, 5);
    feed(&mut screen, &["\x1b[5;9H\x1b7"]);
    screen.resize(Size::new(4, 2));
    feed(&mut screen, &["\x1b8x"]);
    assert_eq!(cursor(&screen), (1, 3));
}

#[test]
fn text_is_read_over_wide_characters_at_the_edge() {
    let mut screen = screen(3, 3);
    feed(&mut screen, &["ab你c\r\n\tx"]);
    assert_eq!(screen.all_text(), "ab你c\n\tx\n");
}

// Marks

/// A command as a shell marks it.
fn command(line: &str, output: &str, code: i32) -> String {
    format!("\x1b]133;A\x07$ \x1b]133;B\x07{line}\r\n\x1b]133;C\x07{output}\x1b]133;D;{code}\x07")
}

fn outputs(screen: &Screen) -> Vec<(String, CommandState)> {
    let commands = screen.commands().iter().filter(|command| command.started.is_some());
    commands.map(|command| (screen.output(command.id).expect("there").text, command.state)).collect()
}

#[test]
fn outputs_and_codes_are_known() {
    let mut screen = screen(20, 4);
    let session = command("one", "1\r\n1b\r\n", 0) + &command("two", "", 3) + "\x1b]133;A\x07$ \x1b]133;B\x07";
    feed(&mut screen, &[&session]);
    let ended = |code| CommandState::Ended(Some(code));
    assert_eq!(outputs(&screen), [("1\n1b".to_owned(), ended(0)), (String::new(), ended(3))]);
    assert_eq!(screen.last_command().map(|last| last.state), Some(ended(3)));
    assert_eq!(screen.at_prompt(), Some(true));
    let events = screen.take_events();
    assert!(matches!(events[1], ScreenEvent::CommandEnded { code: Some(0), .. }), "{events:?}");
}

#[test]
fn marks_survive_scrolling_and_any_width() {
    let mut screen = Screen::new(Size::new(20, 5), 10_000);
    let long = "x".repeat(47);
    let mut session = String::new();
    for n in 0..30 {
        session += &command(&format!("cmd{n} {long}"), &format!("out{n} {long}\r\nsecond\r\n"), n);
    }
    feed(&mut screen, &[&session]);
    let before = outputs(&screen);
    assert_eq!(before[7].0, format!("out7 {long}\nsecond"));
    for columns in [7, 33, 80, 3, 20] {
        screen.resize(Size::new(columns, 6));
        assert_eq!(outputs(&screen), before, "at width {columns}");
        for command in screen.commands() {
            let text = screen.command_text(command.id).expect("a line");
            assert!(text.starts_with("cmd"), "{text:?} at width {columns}");
        }
    }
}

#[test]
fn marks_survive_a_program_on_the_alternate_screen() {
    let mut screen = screen(20, 5);
    feed(&mut screen, &[&command("a", "out of a\r\n", 0), &command("b", "out of b, which is longer\r\n", 1)]);
    let before = outputs(&screen);
    feed(
        &mut screen,
        &["\x1b]133;A\x07$ \x1b]133;B\x07vi\r\n\x1b]133;C\x07\x1b[?1049h\x1b[2Jediting\r\n\r\n\r\n\r\n\r\n\r\nmore"],
    );
    assert_eq!(screen.output(screen.commands()[0].id), None, "hidden");
    screen.resize(Size::new(12, 5));
    feed(&mut screen, &["\x1b[?1049l\x1b]133;D;0\x07"]);
    assert_eq!(outputs(&screen)[..2], before);
}

#[test]
fn marks_survive_a_full_history() {
    let mut screen = Screen::new(Size::new(20, 5), 50);
    for n in 0..200 {
        feed(&mut screen, &[&command(&format!("cmd{n}"), &format!("{n}\r\n"), 0)]);
    }
    let outputs = outputs(&screen);
    assert!((20..=30).contains(&outputs.len()), "{} are left", outputs.len());
    assert_eq!(outputs.last().map(|(text, _)| text.as_str()), Some("199"));
    assert_eq!(outputs[1].0, (200 - outputs.len() + 1).to_string(), "of the first, only the end may be there");
}

#[test]
fn a_prompt_drawn_again_is_the_same_command() {
    let mut screen = screen(20, 5);
    feed(&mut screen, &["\x1b]133;A\x07$ \x1b]133;B\x07\x1b[H\x1b[2J\x1b]133;A\x07$ \x1b]133;B\x07ls"]);
    assert_eq!(screen.commands().len(), 1);
    feed(&mut screen, &["\r\n\x1b]133;C\x07out"]);
    assert_eq!(screen.output(screen.commands()[0].id).map(|output| output.text).as_deref(), Some("out"));
}

#[test]
fn a_mark_in_a_synchronized_update_is_where_the_text_is() {
    let mut screen = screen(20, 5);
    feed(&mut screen, &["\x1b[?2026h", "one\r\n\x1b]133;A\x07$ \x1b]133;B\x07", "ls\r\n\x1b]133;C\x07out\x1b[?2026l"]);
    assert_rows(&screen, &["one", "$ ls", "out"]);
    let id = screen.commands()[0].id;
    assert_eq!(screen.command_text(id).as_deref(), Some("ls"));
    assert_eq!(screen.output(id).map(|output| output.text).as_deref(), Some("out"));
}

#[test]
fn an_unfinished_update_is_shown_when_its_time_is_over() {
    let mut screen = screen(20, 5);
    feed(&mut screen, &["\x1b[?2026hhidden"]);
    assert_rows(&screen, &[]);
    assert!(screen.synchronized_until().is_some());
    screen.end_synchronized();
    assert_rows(&screen, &["hidden"]);
    assert_eq!(screen.synchronized_until(), None);
}

#[test]
fn a_command_line_is_believed_with_the_nonce_alone() {
    for (nonce, expected) in [("right", Some("ls -a")), ("wrong", None)] {
        let mut screen = screen(20, 5);
        screen.set_nonce(Some("right".into()));
        feed(&mut screen, &[&format!("\x1b]133;A\x07$ \x1b]133;B\x07\x1b]633;E;ls -a;{nonce}\x07\x1b]133;C\x07")]);
        assert_eq!(screen.commands()[0].line.as_deref(), expected);
    }
}

#[test]
fn stops_are_prompts_and_own_marks() {
    let mut screen = screen(20, 3);
    feed(
        &mut screen,
        &[&command("a", "1\r\n2\r\n3\r\n", 0), "\x1b]1337;SetMark\x07x\r\n", &command("b", "4\r\n5\r\n6\r\n", 0)],
    );
    let bottom = screen.end_line();
    let mut stops = Vec::new();
    let mut at = bottom;
    while let Some(stop) = screen.stop_before(at) {
        stops.push(stop.0);
        at = stop;
    }
    assert_eq!(stops, [5, 4, 0]);
    assert_eq!(screen.stop_after(LineId(0)), Some(LineId(4)));
}

// View, selection, search, links

fn lines(from: u32, to: u32) -> String {
    (from..to).map(|n| format!("line {n}\r\n")).collect()
}

#[test]
fn the_view_stays_with_its_lines_while_output_goes_on() {
    let mut screen = screen(20, 4);
    feed(&mut screen, &[&lines(0, 50)]);
    screen.scroll_by(-10);
    let mut frame = Frame::default();
    screen.frame(&mut frame);
    assert_eq!(frame.row_text(0), "line 37");
    feed(&mut screen, &[&lines(50, 80)]);
    screen.frame(&mut frame);
    assert_eq!((frame.row_text(0).as_str(), frame.cursor), ("line 37", None));
    screen.scroll_to_bottom();
    screen.frame(&mut frame);
    assert_eq!((frame.row_text(2).as_str(), frame.cursor.map(|cursor| cursor.row)), ("line 79", Some(3)));
}

#[test]
fn a_forgotten_view_goes_to_the_oldest_line() {
    let mut screen = Screen::new(Size::new(20, 4), 10);
    feed(&mut screen, &[&lines(0, 20)]);
    screen.scroll_by(-5);
    feed(&mut screen, &[&lines(20, 200)]);
    assert_eq!(screen.view_top(), screen.first_line());
}

#[track_caller]
fn select(bytes: &str, kind: SelectionKind, from: (u64, u16), to: (u64, u16), expected: &str) -> Screen {
    let mut screen = screen(10, 4);
    feed(&mut screen, &[bytes]);
    screen.select(kind, Position::new(LineId(from.0), from.1));
    screen.extend_selection(Position::new(LineId(to.0), to.1));
    assert_eq!(screen.selected_text().as_deref().unwrap_or_default(), expected);
    screen
}

#[test]
fn selections_of_all_kinds() {
    let text = "one two\r\n你好 abc,\r\n0123456789abc";
    select(text, SelectionKind::Simple, (0, 4), (1, 2), "two\n你");
    select(text, SelectionKind::Simple, (1, 3), (0, 4), "two\n你好");
    select(text, SelectionKind::Simple, (0, 2), (0, 2), "");
    select(text, SelectionKind::Words, (0, 5), (0, 5), "two");
    select(text, SelectionKind::Lines, (2, 4), (2, 4), "0123456789abc\n");
    select(text, SelectionKind::Block, (0, 5), (1, 8), "wo\nabc");
}

#[test]
fn a_selection_stays_with_its_text_until_that_changes() {
    let mut screen = select("one two\r\n", SelectionKind::Words, (0, 0), (0, 1), "one");
    feed(&mut screen, &[&lines(0, 20)]);
    assert_eq!(screen.selected_text().as_deref(), Some("one"));
    screen.resize(Size::new(4, 4));
    assert_eq!(screen.selected_text().as_deref(), Some("one"));

    let mut screen = select("one two", SelectionKind::Words, (0, 0), (0, 1), "one");
    feed(&mut screen, &["\rONE"]);
    assert_eq!(screen.selected_text(), None);
}

#[track_caller]
fn find(bytes: &str, pattern: &str, regex: bool, expected: &[((u64, u16), (u64, u16))]) {
    let mut screen = screen(10, 3);
    feed(&mut screen, &[bytes]);
    let pattern = Pattern::new(pattern, regex, false, false).expect("a pattern");
    let mut matches = Matches::default();
    pattern.find_in(&screen.lines_for_search(screen.first_line(), u64::MAX), &mut matches);
    let place = |at: Position| (at.line.0, at.column);
    let found: Vec<_> = matches.found.iter().map(|found| (place(found.start), place(found.end))).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_match_is_found_wrapped_ones_too() {
    find("a\r\nerror one\r\n\r\nERROR\r\n", "error", false, &[((1, 0), (1, 5)), ((3, 0), (3, 5))]);
    find("01234567890123456789", "9012", false, &[((0, 9), (1, 3))]);
    find("你好世界x你好世界y", "世界.", true, &[((0, 4), (0, 9)), ((1, 4), (1, 9))]);
    find("a.b axb", "a.b", false, &[((0, 0), (0, 3))]);
}

#[test]
fn a_bad_pattern_says_what_is_wrong() {
    let error = Pattern::new("a(", true, false, false).expect_err("unclosed");
    assert_eq!(error.to_string(), "not a regular expression: unclosed group");
}

#[test]
fn links_go_over_wrapped_lines_and_know_their_directory() {
    let mut screen = screen(10, 6);
    let session = "\x1b]7;file:///work\x07".to_owned() + &command("c", "at src/main.rs:12:3 x\r\n", 0);
    feed(&mut screen, &[&session, "\x1b]7;file:///other\x07"]);
    let link = screen.link_at(Position::new(LineId(2), 1)).expect("a link");
    assert_eq!(link.target, LinkTarget::Path { path: "src/main.rs".into(), line: Some(12), column: Some(3) });
    assert_eq!((link.start, link.end), (Position::new(LineId(1), 3), Position::new(LineId(2), 9)));
    assert_eq!(screen.directory_of(LineId(2)), Some(Path::new("/work")));
    assert_eq!(screen.directory(), Some(Path::new("/other")));
    feed(&mut screen, &["\x1b]8;;https://x.org\x1b\\text\x1b]8;;\x1b\\"]);
    let link = screen.link_at(Position::new(LineId(4), 2)).expect("a link");
    assert_eq!(link.target, LinkTarget::Url("https://x.org".into()));
    assert_eq!((link.start.column, link.end.column), (0, 4));
}

// Any bytes

fn tokens() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        4 => "[a-z你é\u{301} ]{1,12}".prop_map(String::into_bytes),
        2 => prop::sample::select(vec!["\r\n", "\n", "\t", "\x08", "\x1bM", "\x1bD", "\x1bE", "\x1b7", "\x1b8", "\x1bc", "\x1b#8"])
            .prop_map(|text| text.as_bytes().to_vec()),
        4 => ("[?>=]?", 0u32..70_000, 0u32..60, "[A-Za-z@`]")
            .prop_map(|(intro, a, b, end)| format!("\x1b[{intro}{a};{b}{end}").into_bytes()),
        2 => (0u32..14, "[A-Za-z@`]").prop_map(|(a, end)| format!("\x1b[{a}{end}").into_bytes()),
        2 => prop::sample::select(vec!["?1049h", "?1049l", "?6h", "?6l", "?2026h", "?2026l", "?7l", "?7h", "4h", "2;5r", "r", "2J", "3J",
            "?53117h"])
            .prop_map(|text| format!("\x1b[{text}").into_bytes()),
        2 => prop::sample::select(vec!["133;A", "133;B", "133;C", "133;D;1", "7;file:///a", "8;;http://x", "0;t", "4;1;?", "52;c;aGk="])
            .prop_map(|text| format!("\x1b]{text}\x07").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Nothing that a program writes ends ours, at any size, and the screen does not depend on how the bytes come.
    #[test]
    fn any_bytes_at_any_split(bytes in tokens(), cut in 0usize..400, sizes in prop::collection::vec((1u16..30, 1u16..12), 0..4)) {
        let mut whole = Screen::new(Size::new(12, 5), 20);
        let mut parts = Screen::new(Size::new(12, 5), 20);
        let cut = cut.min(bytes.len());
        whole.feed(&bytes);
        parts.feed(&bytes[..cut]);
        parts.feed(&bytes[cut..]);
        let (mut one, mut other) = (Frame::default(), Frame::default());
        whole.frame(&mut one);
        parts.frame(&mut other);
        prop_assert_eq!(&one.cells, &other.cells);
        prop_assert_eq!(one.cursor, other.cursor);
        for (columns, rows) in sizes {
            whole.resize(Size::new(columns, rows));
            whole.feed(&bytes);
            whole.scroll_by(-3);
            whole.frame(&mut one);
            prop_assert_eq!(one.cells.len(), usize::from(one.size.columns) * usize::from(one.size.rows));
            let _ = (whole.all_text(), whole.stop_before(LineId(u64::MAX)));
            for command in whole.commands() {
                let _ = (whole.output(command.id), whole.command_text(command.id));
            }
            whole.select_all();
            let _ = whole.selected_text();
            let _ = whole.link_at(Position::new(whole.first_line(), 0));
        }
    }

    /// Lines keep their number: what was read at one is still there after more has been written.
    #[test]
    fn lines_keep_their_number(first in "[a-z]{1,8}", more in prop::collection::vec("[a-z ]{0,30}", 0..60), clears in any::<bool>()) {
        let mut screen = Screen::new(Size::new(12, 5), 1000);
        feed(&mut screen, &[&first, "\r\n"]);
        for line in &more {
            feed(&mut screen, &[line, "\r\n"]);
        }
        if clears {
            feed(&mut screen, &["\x1b[2J\x1b[H"]);
        }
        let (mut text, mut columns) = (String::new(), Vec::new());
        screen.engine.text(LineId(0), &mut text, &mut columns);
        prop_assert_eq!(text, first);
    }
}
