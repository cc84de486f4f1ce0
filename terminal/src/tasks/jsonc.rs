//! JSON with comments and commas at the end, as VS Code writes it.

/// Turns it into plain JSON of the same length, so that errors name the right place.
pub(super) fn to_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Where the last comma was written, if nothing but blanks came after it.
    let mut comma: Option<usize> = None;
    while let Some(ch) = rest.chars().next() {
        let length = if ch == '"' {
            string_length(rest)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            ch.len_utf8()
        };
        let (piece, after) = rest.split_at(length);
        rest = after;
        if piece.starts_with("//") || piece.starts_with("/*") {
            out.extend(piece.chars().map(|ch| if ch == '\n' { '\n' } else { ' ' }));
            continue;
        }
        match ch {
            ',' => comma = Some(out.len()),
            ']' | '}' => {
                if let Some(at) = comma.take() {
                    out.replace_range(at..=at, " ");
                }
            }
            _ if ch.is_whitespace() => {}
            _ => comma = None,
        }
        out.push_str(piece);
    }
    out
}

/// From the opening quote to past the closing one.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, ch) in text.char_indices().skip(1) {
        match ch {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_blanks() {
        let text = "{\"a\": [1, 2, /* x */ ], // end\n \"b\": \"// no, ]\", }";
        let value: serde_json::Value = serde_json::from_str(&to_json(text)).expect("plain JSON");
        assert_eq!(value, serde_json::json!({"a": [1, 2], "b": "// no, ]"}));
    }
}
