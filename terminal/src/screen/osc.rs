//! What the operating system commands say that the engine drops: directories, prompts and commands, notifications.
//!
//! OSC 7 (directory), 9 (notification of iTerm; `9;9` directory of ConEmu, `9;4` its progress), 133 (FinalTerm's marks,
//! with kitty's command line), 633 (VS Code's), 777 (notification of urxvt) and 1337 (iTerm's directory and marks).

use std::path::PathBuf;

/// One that is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Osc {
    Mark(Mark),
    /// The command line as the shell read it. It is believed only with the session's nonce.
    CommandLine {
        text: String,
        nonce: Option<String>,
    },
    Directory(PathBuf),
    Notify {
        title: String,
        body: String,
    },
    Progress(Option<u8>),
}

/// A boundary between prompt, input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The prompt begins here.
    Prompt,
    /// What the user types begins here.
    Input,
    /// The command runs; its output begins here.
    Output,
    /// The command has ended, with this exit code if the shell said so.
    End(Option<i32>),
    /// A place of the user's own.
    Place,
}

/// Whether an OSC of this number is for us. The engine knows none of them.
pub(super) fn is_ours(number: &[u8]) -> bool {
    matches!(number, b"7" | b"9" | b"133" | b"633" | b"777" | b"1337")
}

/// Reads the body, from the number on. `None` when it says nothing that is understood.
pub(super) fn read(body: &[u8]) -> Option<Osc> {
    let text = String::from_utf8_lossy(body);
    let (number, rest) = text.split_once(';')?;
    match number {
        "7" => directory_of_url(rest).map(Osc::Directory),
        "9" => nine(rest),
        "133" => final_term(rest),
        "633" => vs_code(rest),
        "777" => {
            let (title, body) = rest.strip_prefix("notify;")?.split_once(';')?;
            Some(Osc::Notify { title: plain(title), body: plain(body) })
        }
        "1337" => match rest.split_once('=') {
            Some(("CurrentDir", path)) => directory(path),
            None if rest == "SetMark" => Some(Osc::Mark(Mark::Place)),
            _ => None,
        },
        _ => None,
    }
}

fn nine(rest: &str) -> Option<Osc> {
    if let Some(path) = rest.strip_prefix("9;") {
        return directory(path.trim_matches('"'));
    }
    if let Some(progress) = rest.strip_prefix("4;") {
        let mut parts = progress.split(';');
        let state = parts.next()?;
        let percent = parts.next().and_then(|percent| percent.parse::<u8>().ok()).unwrap_or(0).min(100);
        return Some(Osc::Progress((state != "0").then_some(percent)));
    }
    // Other numbers are other commands of ConEmu.
    let is_command = rest.split(';').next().is_some_and(|first| first.parse::<u8>().is_ok());
    (!is_command && !rest.is_empty()).then(|| Osc::Notify { title: String::new(), body: plain(rest) })
}

fn final_term(rest: &str) -> Option<Osc> {
    let mut parts = rest.split(';');
    let mark = parts.next()?;
    let mut options = parts.clone().filter_map(|option| option.split_once('='));
    match mark {
        // Continuation and right prompts begin no command.
        "A" => {
            let kind = options.find(|(key, _)| *key == "k").map_or("i", |(_, kind)| kind);
            (kind == "i").then_some(Osc::Mark(Mark::Prompt))
        }
        "B" | "I" => Some(Osc::Mark(Mark::Input)),
        "C" => Some(Osc::Mark(Mark::Output)),
        "D" => Some(Osc::Mark(Mark::End(parts.next().and_then(|code| code.parse().ok())))),
        _ => None,
    }
}

fn vs_code(rest: &str) -> Option<Osc> {
    let (mark, more) = rest.split_once(';').unwrap_or((rest, ""));
    match mark {
        "A" => Some(Osc::Mark(Mark::Prompt)),
        "B" => Some(Osc::Mark(Mark::Input)),
        "C" => Some(Osc::Mark(Mark::Output)),
        "D" => Some(Osc::Mark(Mark::End(more.split(';').next().and_then(|code| code.parse().ok())))),
        "E" => {
            let mut parts = more.split(';');
            let text = unescape(parts.next()?);
            Some(Osc::CommandLine { text, nonce: parts.next().map(str::to_owned) })
        }
        "P" => match more.split_once('=') {
            Some(("Cwd", path)) => directory(&unescape(path)),
            _ => None,
        },
        _ => None,
    }
}

fn directory(path: &str) -> Option<Osc> {
    (!path.is_empty() && !path.contains('\0')).then(|| Osc::Directory(PathBuf::from(path)))
}

/// The path of `file://host/path`; `%` escapes are bytes.
fn directory_of_url(url: &str) -> Option<PathBuf> {
    let rest = url.strip_prefix("file://").or_else(|| url.strip_prefix("kitty-shell-cwd://"))?;
    let path = &rest[rest.find('/')?..];
    let raw = url.starts_with("kitty");
    let bytes = if raw { path.as_bytes().to_vec() } else { percent_decoded(path) };
    let path = String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))?;
    // file:///C:/x on Windows
    let drive = path.len() > 2 && path.as_bytes()[2] == b':' && path.as_bytes()[1].is_ascii_alphabetic();
    Some(PathBuf::from(if drive && cfg!(windows) { &path[1..] } else { &path }))
}

/// The bytes that `%41` and the like stand for.
pub(crate) fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|digit| char::from(*digit).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// VS Code's escapes: `\\` and `\xAB`.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match (first, after) {
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [b'x', high, low, after @ ..]) => {
                match (char::from(*high).to_digit(16), char::from(*low).to_digit(16)) {
                    (Some(high), Some(low)) => ((high * 16 + low) as u8, after),
                    _ => (first, &rest[1..]),
                }
            }
            _ => (first, after),
        };
        out.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Without control characters: this is shown outside the terminal.
fn plain(text: &str) -> String {
    text.chars().filter(|ch| !ch.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: impl Into<Option<Osc>>) {
        assert_eq!(read(body.as_bytes()), expected.into(), "{body:?}");
    }

    fn dir(path: &str) -> Osc {
        Osc::Directory(path.into())
    }

    #[test]
    fn directories_in_all_four_ways() {
        check("7;file://host/tmp/a%20b/%C3%A4", dir("/tmp/a b/ä"));
        check("7;file:///tmp", dir("/tmp"));
        check("7;kitty-shell-cwd://h/tmp/a%20b", dir("/tmp/a%20b"));
        check("9;9;\"C:\\Users\"", dir("C:\\Users"));
        check("633;P;Cwd=/a\\x3bb", dir("/a;b"));
        check("1337;CurrentDir=/a=b", dir("/a=b"));
        check("7;http://host/tmp", None);
        check("7;file:///a%00b", None);
    }

    #[test]
    fn marks_of_both_kinds() {
        check("133;A;click_events=1", Some(Osc::Mark(Mark::Prompt)));
        check("133;A;k=s", None);
        check("133;C;cmdline_url=ls", Some(Osc::Mark(Mark::Output)));
        check("133;D", Some(Osc::Mark(Mark::End(None))));
        check("133;D;130;aid=3", Some(Osc::Mark(Mark::End(Some(130)))));
        check("633;D;-1073741510", Some(Osc::Mark(Mark::End(Some(-1_073_741_510)))));
        check("633;E;echo a\\x3bb\\\\c\\x0ad;n1", {
            Some(Osc::CommandLine { text: "echo a;b\\c\nd".into(), nonce: Some("n1".into()) })
        });
        check("1337;SetMark", Some(Osc::Mark(Mark::Place)));
        check("1337;File=name=x:AAAA", None);
    }

    #[test]
    fn notifications_and_progress() {
        let note = |title: &str, body: &str| Some(Osc::Notify { title: title.into(), body: body.into() });
        check("9;done\u{1}", note("", "done"));
        check("777;notify;Build;ready", note("Build", "ready"));
        check("9;4;1;40", Some(Osc::Progress(Some(40))));
        check("9;4;0", Some(Osc::Progress(None)));
        check("9;2;x", None);
    }
}
