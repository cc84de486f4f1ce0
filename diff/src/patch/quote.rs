//! Paths in patches, quoted as git does: in double quotes, with C escapes and octal bytes, if anything in them is special.

use std::borrow::Cow;

/// Whether git quotes a path that holds `byte`; bytes that are not ASCII are, as with git's default `core.quotePath`.
fn is_special(byte: u8) -> bool {
    !(0x20..0x7f).contains(&byte) || byte == b'"' || byte == b'\\'
}

/// Appends `prefix` and `path`, quoted together if need be.
pub fn push(out: &mut Vec<u8>, prefix: &str, path: &[u8]) {
    if !path.iter().copied().any(is_special) {
        out.extend_from_slice(prefix.as_bytes());
        out.extend_from_slice(path);
        return;
    }
    out.push(b'"');
    for &byte in prefix.as_bytes().iter().chain(path) {
        let letter = match byte {
            0x07 => b'a',
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => byte,
            _ if is_special(byte) => {
                out.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]);
                continue;
            }
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend([b'\\', letter]);
    }
    out.push(b'"');
}

/// Reads a quoted path from the start of `text`: the path, and what follows its closing quote.
pub fn unquote(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let inner = text.strip_prefix(b"\"")?;
    let plain = inner.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
    if inner[plain] == b'"' {
        return Some((Cow::Borrowed(&inner[..plain]), &inner[plain + 1..]));
    }
    let mut path = Vec::new();
    let mut rest = inner;
    loop {
        let (&byte, behind) = rest.split_first()?;
        rest = behind;
        match byte {
            b'"' => return Some((Cow::Owned(path), rest)),
            b'\\' => {
                let (&escape, behind) = rest.split_first()?;
                rest = behind;
                path.push(match escape {
                    b'a' => 0x07,
                    b'b' => 0x08,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 0x0b,
                    b'f' => 0x0c,
                    b'r' => b'\r',
                    b'"' | b'\\' => escape,
                    b'0'..=b'3' => {
                        let digits = rest.get(..2)?;
                        if !digits.iter().all(|digit| (b'0'..=b'7').contains(digit)) {
                            return None;
                        }
                        rest = &rest[2..];
                        (escape - b'0') << 6 | (digits[0] - b'0') << 3 | (digits[1] - b'0')
                    }
                    _ => return None,
                });
            }
            _ => path.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quoted(path: &[u8]) -> String {
        let mut out = Vec::new();
        push(&mut out, "a/", path);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn quotes_as_git_does() {
        assert_eq!(quoted(b"plain name.rs"), "a/plain name.rs");
        assert_eq!(quoted("Aufträge/B — x.md".as_bytes()), r#""a/Auftr\303\244ge/B \342\200\224 x.md""#);
        assert_eq!(quoted(b"tab\there\"quote\\"), r#""a/tab\there\"quote\\""#);
    }

    #[test]
    fn refuses_what_does_not_end() {
        assert_eq!(unquote(br#""a/b"#), None);
        assert_eq!(unquote(br#""a\9""#), None);
        assert_eq!(unquote(br#""a\30""#), None);
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(path in proptest::collection::vec(any::<u8>(), 1..20)) {
            let mut out = Vec::new();
            push(&mut out, "", &path);
            if out[0] == b'"' {
                let (read, rest) = unquote(&out).unwrap();
                prop_assert_eq!((&*read, rest), (&path[..], &b""[..]));
            } else {
                prop_assert_eq!(out, path);
            }
        }
    }
}
