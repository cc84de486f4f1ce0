//! What the parser of replies and the applier of edits must bear, for the fuzzer and for ordinary tests: any bytes, in
//! any pieces.

use agent::edit::{Target, apply};
use agent::protocol::{Ending, Event, Fences, Options, Parser, Reply};

/// Reads the bytes up to a byte 0xFF as a reply and applies its edits to the text after it. Panics if something is
/// promised and not kept.
#[allow(dead_code, reason = "what includes this file uses one or the other")]
pub fn run(data: &[u8]) {
    let (reply, file) = match data.iter().position(|byte| *byte == 0xff) {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &[][..]),
    };
    let fences = [Fences::Shown, Fences::Named, Fences::Any][reply.len() % 3];
    let ending = [Ending::Whole, Ending::Length, Ending::Broken][reply.len() / 3 % 3];
    let options = Options { fences, tools: vec!["outline".to_owned()] };
    let (events, whole) = in_pieces(reply, &[], &options, ending);
    // Bytes one by one, and in pieces of a length that the content chooses.
    let every: Vec<usize> = (0..reply.len()).collect();
    assert_eq!(in_pieces(reply, &every, &options, ending), (events.clone(), whole.clone()), "byte by byte");
    let step = 2 + reply.first().map_or(0, |byte| usize::from(*byte) % 29);
    let some: Vec<usize> = every.into_iter().step_by(step).collect();
    assert_eq!(in_pieces(reply, &some, &options, ending), (events.clone(), whole.clone()), "in pieces of {step}");
    if !events.contains(&Event::AllWasReasoning) {
        let shown = events.iter().filter_map(|event| if let Event::Text(text) = event { Some(&**text) } else { None });
        assert_eq!(shown.collect::<String>(), whole.text, "what is shown is the answer");
    }
    let file = String::from_utf8_lossy(file);
    for action in whole.actions().filter(|action| action.writes_content()) {
        for path in ["a.py", "a.md", "a.txt"] {
            let Ok(edited) = apply(action, Target { path, before: Some(&file), failed: 0 }) else { continue };
            assert_eq!(edited.already, edited.text == file, "{action:?}");
            assert_eq!(edited.changed.is_some(), !edited.already, "{action:?}");
        }
    }
}

/// The events, neighbouring texts joined, and the reply, read in the pieces that end at `cuts`.
pub fn in_pieces(bytes: &[u8], cuts: &[usize], options: &Options, ending: Ending) -> (Vec<Event>, Reply) {
    let mut parser = Parser::new(options.clone());
    let mut events = Vec::new();
    let mut from = 0;
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        events.extend(parser.push(&bytes[from..cut]));
        from = cut;
    }
    let (last, reply) = parser.finish(ending);
    events.extend(last);
    (joined(events), reply)
}

fn joined(events: Vec<Event>) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::new();
    for event in events {
        match (joined.last_mut(), event) {
            (Some(Event::Text(before)), Event::Text(text))
            | (Some(Event::Reasoning(before)), Event::Reasoning(text))
            | (Some(Event::Content(before)), Event::Content(text)) => before.push_str(&text),
            (_, event) => joined.push(event),
        }
    }
    joined
}
