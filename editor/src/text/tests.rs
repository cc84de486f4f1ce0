//! Text against a plain `String`.

use super::*;

#[test]
fn a_final_line_feed_is_followed_by_an_empty_line() {
    let text = Text::from("a\nb\n");
    assert_eq!(text.line_count(), 3);
    assert_eq!(text.line(1), "b");
    assert_eq!(text.line(2), "");
    assert_eq!(Text::new().line_count(), 1);
}

#[test]
fn a_line_ends_before_its_carriage_return() {
    let text = Text::from("a\r\nb\nc\rd\r");
    assert_eq!(text.line(0), "a");
    assert_eq!(text.line_full(0), "a\r\n");
    assert_eq!(text.line(1), "b");
    // A CR that no LF follows is text.
    assert_eq!(text.line(2), "c\rd\r");
    assert_eq!(text.line_count(), 3);
}
