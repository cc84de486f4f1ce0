//! Writes the patch of one file, as `git diff` does and `git apply` takes it.
//!
//! A *group* is what git calls a hunk of a patch: hunks of the script that are near each other, with lines of context
//! around them. Lines are copied as bytes: carriage returns, encodings and a missing final newline stay.

use std::ops::Range;

use super::quote;
use crate::engine::{Hunk, Script};
use crate::lines::Content;

/// How the two paths of a file belong together, if they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The old path is gone.
    Rename {
        /// How alike the contents are, in percent.
        similarity: u8,
    },
    /// The old path is still there.
    Copy {
        /// How alike the contents are, in percent.
        similarity: u8,
    },
}

/// What a patch says about a file besides its lines.
#[derive(Clone, Debug, Default)]
pub struct Header<'a> {
    /// Path before, from the repository's root; none for an added file.
    pub old_path: Option<&'a [u8]>,
    /// Path after; none for a deleted file.
    pub new_path: Option<&'a [u8]>,
    /// Mode before, as git has it (`0o100644`); none if unknown.
    pub old_mode: Option<u32>,
    /// Mode after.
    pub new_mode: Option<u32>,
    /// Object names in hexadecimal, before and after, for the `index` line.
    pub ids: Option<(&'a str, &'a str)>,
    /// Whether this is a rename or a copy.
    pub link: Option<Link>,
}

/// The content of a file's patch.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// Lines.
    Text {
        /// The old side; empty for an added file.
        old: &'a Content,
        /// The new side; empty for a deleted file.
        new: &'a Content,
        /// Their difference.
        script: &'a Script,
    },
    /// Bytes that are no text and differ; said, not shown.
    Binary,
    /// Contents are equal: only the header says something.
    Same,
}

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Equal lines around changes.
    pub context: u32,
    /// Whether to name the function a group is in, behind its `@@`.
    pub functions: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { context: 3, functions: true }
    }
}

/// Appends the patch of one file to `out`.
pub fn write(out: &mut Vec<u8>, header: &Header<'_>, body: Body<'_>, options: &WriteOptions) {
    write_header(out, header);
    match body {
        Body::Same => {}
        Body::Binary => {
            out.extend_from_slice(b"Binary files ");
            push_side(out, "a/", header.old_path);
            out.extend_from_slice(b" and ");
            push_side(out, "b/", header.new_path);
            out.extend_from_slice(b" differ\n");
        }
        Body::Text { script, .. } if script.hunks.is_empty() => {}
        Body::Text { old, new, script } => {
            write_sides(out, header);
            write_hunks(out, old, new, script, options);
        }
    }
}

fn write_header(out: &mut Vec<u8>, header: &Header<'_>) {
    let paths = (header.old_path.or(header.new_path), header.new_path.or(header.old_path));
    out.extend_from_slice(b"diff --git ");
    push_side(out, "a/", paths.0);
    out.push(b' ');
    push_side(out, "b/", paths.1);
    out.push(b'\n');
    let mut mode = |what: &str, mode: u32| out.extend_from_slice(format!("{what} {mode:06o}\n").as_bytes());
    match (header.old_path, header.new_path) {
        (None, _) => mode("new file mode", header.new_mode.unwrap_or(0o100_644)),
        (_, None) => mode("deleted file mode", header.old_mode.unwrap_or(0o100_644)),
        _ => {
            if let (Some(old), Some(new)) = (header.old_mode, header.new_mode)
                && old != new
            {
                mode("old mode", old);
                mode("new mode", new);
            }
        }
    }
    if let Some(link) = header.link {
        let (verb, similarity) = match link {
            Link::Rename { similarity } => ("rename", similarity),
            Link::Copy { similarity } => ("copy", similarity),
        };
        out.extend_from_slice(format!("similarity index {similarity}%\n").as_bytes());
        for (way, path) in [("from", paths.0), ("to", paths.1)] {
            out.extend_from_slice(format!("{verb} {way} ").as_bytes());
            quote::push(out, "", path.unwrap_or_default());
            out.push(b'\n');
        }
    }
    if let Some((old, new)) = header.ids
        && old != new
    {
        let same_mode = header.new_mode.filter(|_| header.old_mode == header.new_mode);
        let mode = same_mode.map(|mode| format!(" {mode:06o}")).unwrap_or_default();
        out.extend_from_slice(format!("index {old}..{new}{mode}\n").as_bytes());
    }
}

fn write_sides(out: &mut Vec<u8>, header: &Header<'_>) {
    for (sign, prefix, path) in [("--- ", "a/", header.old_path), ("+++ ", "b/", header.new_path)] {
        out.extend_from_slice(sign.as_bytes());
        let start = out.len();
        push_side(out, prefix, path);
        // Where a name with a space ends would be unclear to readers that expect a date behind it.
        if path.is_some() && out[start] != b'"' && out[start..].contains(&b' ') {
            out.push(b'\t');
        }
        out.push(b'\n');
    }
}

fn push_side(out: &mut Vec<u8>, prefix: &str, path: Option<&[u8]>) {
    match path {
        Some(path) => quote::push(out, prefix, path),
        None => out.extend_from_slice(b"/dev/null"),
    }
}

/// Appends the hunks of a script, in groups, without any header.
pub fn write_hunks(out: &mut Vec<u8>, old: &Content, new: &Content, script: &Script, options: &WriteOptions) {
    let mut rest = &script.hunks[..];
    let mut function = Function::default();
    while let Some(first) = rest.first() {
        let mut len = 1;
        while let Some(next) = rest.get(len)
            && next.old.start - rest[len - 1].old.end <= options.context.saturating_mul(2)
        {
            len += 1;
        }
        let (group, behind) = rest.split_at(len);
        let last = &group[len - 1];
        let lead = options.context.min(first.old.start);
        let trail = options.context.min(old.line_count() - last.old.end);
        let from = Hunk {
            old: first.old.start - lead..last.old.end + trail,
            new: first.new.start - lead..last.new.end + trail,
        };
        out.extend_from_slice(b"@@ -");
        push_range(out, &from.old);
        out.extend_from_slice(b" +");
        push_range(out, &from.new);
        out.extend_from_slice(b" @@");
        if options.functions
            && let Some(name) = function.before(old, from.old.start)
        {
            out.push(b' ');
            out.extend_from_slice(name);
        }
        out.push(b'\n');
        let mut at = from.old.start;
        for hunk in group {
            push_lines(out, b' ', old, at..hunk.old.start);
            push_lines(out, b'-', old, hunk.old.clone());
            push_lines(out, b'+', new, hunk.new.clone());
            at = hunk.old.end;
        }
        push_lines(out, b' ', old, at..from.old.end);
        rest = behind;
    }
}

/// The start counted from 1 and the length unless 1; an empty range names the line before it.
fn push_range(out: &mut Vec<u8>, lines: &Range<u32>) {
    let text = match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        len => format!("{},{len}", lines.start + 1),
    };
    out.extend_from_slice(text.as_bytes());
}

fn push_lines(out: &mut Vec<u8>, sign: u8, side: &Content, lines: Range<u32>) {
    for line in lines {
        let line = side.line(line);
        out.push(sign);
        out.extend_from_slice(line);
        if line.last() != Some(&b'\n') {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// The last function header seen, so that each line is looked at once.
#[derive(Default)]
struct Function {
    line: Option<u32>,
    looked_to: u32,
}

impl Function {
    /// What git takes for the header of the function around `line`: the last line before that starts with a letter.
    fn before<'a>(&mut self, side: &'a Content, line: u32) -> Option<&'a [u8]> {
        const MAX_BYTES: usize = 80;
        let starts_name = |&at: &u32| {
            side.line(at).first().is_some_and(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
        };
        if let Some(found) = (self.looked_to..line).rev().find(starts_name) {
            self.line = Some(found);
        }
        self.looked_to = self.looked_to.max(line);
        let name = side.line_text(self.line?);
        let name = &name[..name.len().min(MAX_BYTES)];
        // Not within a character: what is shown is text wherever the file is.
        let name = match std::str::from_utf8(name) {
            Err(error) if error.error_len().is_none() => &name[..error.valid_up_to()],
            _ => name,
        };
        Some(name.trim_ascii_end())
    }
}
