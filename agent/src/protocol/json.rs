//! JSON within a reply: whether it begins like a call, and where it ends.

/// How far a JSON value has been followed.
#[derive(Debug, Default)]
pub(super) struct JsonScan {
    /// Bytes from `at`.
    pub length: usize,
    depth: usize,
    inside: bool,
    escaped: bool,
}

impl JsonScan {
    /// Follows the value at the start of `rest`; true at its end.
    pub fn follow(&mut self, rest: &str) -> bool {
        let bytes = rest.as_bytes();
        while let Some(byte) = bytes.get(self.length) {
            self.length += 1;
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.inside => self.escaped = true,
                b'"' => self.inside = !self.inside,
                b'{' | b'[' if !self.inside => self.depth += 1,
                b'}' | b']' if !self.inside => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

/// Whether a JSON text begins like a call: an object whose first key is one that calls have. `None` to wait.
pub(super) fn json_call_begins(text: &str, at_end: bool) -> Option<bool> {
    let wait = if at_end || text.len() > 200 { Some(false) } else { None };
    // Cut first, and then judged: how much has come in must not matter.
    let text = &text[..text.floor_char_boundary(200)];
    let inside = text.trim_start_matches(['[', ' ', '\n', '\t', '\r']);
    let Some(object) = inside.strip_prefix('{') else {
        return if inside.is_empty() { wait } else { Some(false) };
    };
    let object = object.trim_start();
    let Some(key) = object.strip_prefix('"') else {
        return if object.is_empty() { wait } else { Some(false) };
    };
    let keys =
        ["name", "tool", "tool_name", "function", "type", "tool_calls", "action", "arguments", "parameters", "id"];
    match key.split_once('"') {
        Some((key, _)) => Some(keys.contains(&key)),
        None if keys.iter().any(|known| known.starts_with(key)) => wait,
        None => Some(false),
    }
}
