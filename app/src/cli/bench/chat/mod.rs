//! `recto bench chat`: a reply streams into a long conversation, from the bytes of its server to the frame that shows
//! them; one that is five times as long is opened and scrolled through.
//!
//! Nothing is left out: conversations lie in the file of sessions, the reply comes over HTTP through provider, loop and
//! thread of the conversation, and its wake is what the frame is built for.

mod server;
mod told;

use std::time::{Duration, Instant};

use agent::event::SessionId;
use agent::run::Mode;
use anyhow::{Context as _, ensure};
use eframe::egui::{Key, Modifiers, Pos2, pos2};
use serde::Serialize;

use super::figures::{Figures, Percentiles, memory_mb, ms};
use super::{PATIENCE, running};
use crate::commands::{Action as Wanted, Command};
use crate::headless::{Cost, Headless};
use crate::state::State;
use crate::state::chats::transcript::Item;
use crate::state::chats::{Chat, ChatId};
use server::{Server, Written};
use told::Words;

/// Messages of the conversation that is written into.
const MESSAGES: usize = 2000;
/// Messages of the one that is scrolled through.
const SCROLLED: usize = 10_000;
/// Tokens that come in a second.
const SPEED: u32 = 200;
/// Letters of a reply: ten seconds.
const LETTERS: usize = 8000;
/// Between two frames of a display with sixty of them a second.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// Frames in which something is scrolled, of each kind.
const FRAMES: usize = 400;
/// In the middle of the conversation, in a window of 1280 by 800.
const MIDDLE: Pos2 = pos2(1080.0, 300.0);

/// What conversations cost.
#[derive(Serialize)]
pub struct Measured {
    messages: usize,
    tokens_a_second: u32,
    /// Frames are built as soon as they are asked for.
    streaming: Streaming,
    /// Frames are built sixty times a second at most, as a display has it.
    streaming_at_60_hz: Streaming,
    scrolled_messages: usize,
    /// From the request to the first frame that shows it.
    open_ms: f64,
    open_frame_cpu_ms: f64,
    wheel: Scrolled,
    /// Two thirds of a screen in every frame.
    swipe: Scrolled,
    page_keys: Scrolled,
    /// To its beginning and its end, and from message to message of the person's.
    jumps: Scrolled,
    /// The bar is dragged from end to end.
    bar: Scrolled,
}

#[derive(Serialize)]
struct Streaming {
    tokens: usize,
    frames: usize,
    /// From the moment at which the server wrote a token to the end of the first frame that shows it.
    bytes_to_frame_ms: Option<Percentiles>,
    /// The same to the beginning of that frame.
    bytes_to_wake_ms: Option<Percentiles>,
    /// The same in frames of a display with sixty of them a second.
    bytes_to_frame_in_frames: Option<Percentiles>,
    /// Tokens that were in the first frame that began after their bytes were written.
    in_first_frame: usize,
    frame_cpu_ms: Option<Percentiles>,
    slowest: Option<Slowest>,
}

#[derive(Serialize)]
struct Scrolled {
    frames: usize,
    frame_cpu_ms: Option<Percentiles>,
    slowest: Option<Slowest>,
}

/// The frame that cost most.
#[derive(Serialize)]
struct Slowest {
    frame: usize,
    build_ms: f64,
    tessellate_ms: f64,
    /// What came before it, or was at the top of the view.
    at: String,
}

impl Slowest {
    fn of(costs: &[Cost], at: impl Fn(usize) -> String) -> Option<Self> {
        let (frame, cost) = costs.iter().enumerate().max_by_key(|(_, cost)| cost.cpu())?;
        Some(Self { frame, build_ms: ms(cost.build), tessellate_ms: ms(cost.tessellate), at: at(frame) })
    }
}

pub fn run() -> anyhow::Result<Figures> {
    let mut window = running()?;
    let folder = std::env::temp_dir().join(format!("recto-bench-chat-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    window.act(Wanted::OpenFolder(folder.clone()));
    window.settle(PATIENCE)?;
    let server = Server::start(SPEED)?;
    set_up(&window, server.address())?;
    let (long, longer) = {
        let room = window.app().state.chats.room().context("no folder is open")?;
        let (mut store, project) = (room.store()?, room.root.to_string_lossy().into_owned());
        (told::keep(&mut store, &project, MESSAGES)?, told::keep(&mut store, &project, SCROLLED)?)
    };
    window.act(Command::ShowChat);
    window.settle(PATIENCE)?;
    open(&mut window, &long)?;
    let streaming = stream(&mut window, &server, 1, None)?;
    let streaming_at_60_hz = stream(&mut window, &server, 2, Some(FRAME))?;
    let (open_ms, open_frame) = open(&mut window, &longer)?;
    let measured = Measured {
        messages: MESSAGES,
        tokens_a_second: SPEED,
        streaming,
        streaming_at_60_hz,
        scrolled_messages: SCROLLED,
        open_ms: ms(open_ms),
        open_frame_cpu_ms: ms(open_frame.cpu()),
        wheel: wheel(&mut window),
        swipe: swipe(&mut window),
        page_keys: page_keys(&mut window),
        jumps: jumps(&mut window),
        bar: bar(&mut window)?,
    };
    let (rss_mb, peak_rss_mb) = memory_mb().unzip();
    std::fs::remove_dir_all(&folder)?;
    Ok(Figures { bench: "chat", chat: Some(measured), rss_mb, peak_rss_mb, ..Figures::default() })
}

/// Sets the server up as the only model, with a window that nothing is too long for.
fn set_up(window: &Headless, address: &str) -> anyhow::Result<()> {
    let path = window.app().state.paths.models();
    std::fs::create_dir_all(path.parent().context("the models have no folder")?)?;
    let file = format!(
        "[providers.here]\nkind = \"openai-compatible\"\nurl = \"{address}\"\n\n\
         [models.scripted]\nprovider = \"here\"\ncontext = 8000000\n"
    );
    Ok(std::fs::write(path, file)?)
}

fn current(window: &Headless) -> anyhow::Result<(ChatId, &Chat)> {
    let chats = &window.app().state.chats;
    let found = chats.current.and_then(|id| Some((id, chats.get(id)?)));
    found.context("no conversation is shown")
}

/// Opens a conversation; how long it took and what the frame cost that shows it.
fn open(window: &mut Headless, session: &SessionId) -> anyhow::Result<(Duration, Cost)> {
    let State { chats, tasks, .. } = &mut window.app_mut().state;
    let start = Instant::now();
    let id = chats.resume(session, "Long", tasks);
    window.act(Command::ShowChat);
    let is_there = |app: &mut crate::app::App| app.state.chats.get(id).is_some_and(|chat| !chat.transcript.is_empty());
    let cost = window.run_until("conversation", PATIENCE, is_there)?;
    let took = start.elapsed();
    window.settle(PATIENCE)?;
    Ok((took, cost))
}

/// A frame, and how much of the reply it shows.
struct Shown {
    began: Instant,
    done: Instant,
    bytes: usize,
}

/// Asks something and watches the answer come in.
fn stream(window: &mut Headless, server: &Server, seed: usize, pace: Option<Duration>) -> anyhow::Result<Streaming> {
    let mut reply = String::new();
    let mut words = Words::of(1_000_000 * seed);
    for number in 0.. {
        reply.push_str(&words.answer(number));
        if reply.len() >= LETTERS {
            break;
        }
    }
    server.says(reply.trim_end().to_owned());
    drop(server.written());
    let (id, _) = current(window)?;
    let State { chats, tasks, .. } = &mut window.app_mut().state;
    if let Some(chat) = chats.get_mut(id) {
        chat.mode = Mode::Ask;
        "Why is this slow?".clone_into(&mut chat.draft.text);
    }
    chats.send(id, tasks);
    let (mut frames, mut costs) = (Vec::new(), Vec::new());
    let deadline = Instant::now() + PATIENCE;
    let mut began = Instant::now();
    loop {
        ensure!(window.wait(deadline), "the reply did not come to its end");
        if let Some(pace) = pace {
            std::thread::sleep((began + pace).saturating_duration_since(Instant::now()));
        }
        began = Instant::now();
        let cost = window.frame();
        let (done, (_, chat)) = (Instant::now(), current(window)?);
        let bytes = shown(chat);
        if bytes > 0 {
            frames.push(Shown { began, done, bytes });
            costs.push(cost);
        }
        if chat.running.is_none() {
            break;
        }
    }
    let written = server.written();
    let all = written.last().map_or(0, |last| last.until);
    let came = frames.last().map_or(0, |last| last.bytes);
    ensure!(came == all && all > 0, "of {all} bytes of the reply {came} were shown");
    window.settle(PATIENCE)?;
    Ok(Streaming::of(&written, &frames, &costs, &reply))
}

/// Bytes of the answer that is shown last, while it is what comes in.
fn shown(chat: &Chat) -> usize {
    let answer = chat.transcript.entries().iter().rev().take(3).find_map(|entry| match &entry.item {
        Item::Answer { text } => Some(text.len()),
        Item::Prompt { .. } => Some(0),
        _ => None,
    });
    answer.unwrap_or(0)
}

impl Streaming {
    fn of(written: &[Written], frames: &[Shown], costs: &[Cost], reply: &str) -> Self {
        let (mut to_frame, mut to_wake, mut first) = (Vec::new(), Vec::new(), 0);
        for token in written {
            let at = frames.partition_point(|frame| frame.bytes < token.until);
            let Some(frame) = frames.get(at) else { continue };
            to_frame.push(frame.done - token.at);
            to_wake.push(frame.began.saturating_duration_since(token.at));
            first += usize::from(at == 0 || frames[at - 1].began <= token.at);
        }
        let in_frames = |time: &Duration| time.as_secs_f64() / FRAME.as_secs_f64();
        Self {
            tokens: written.len(),
            frames: frames.len(),
            bytes_to_frame_in_frames: Percentiles::of_numbers(to_frame.iter().map(in_frames)),
            bytes_to_frame_ms: Percentiles::of(to_frame),
            bytes_to_wake_ms: Percentiles::of(to_wake),
            in_first_frame: first,
            frame_cpu_ms: Percentiles::of(costs.iter().map(Cost::cpu)),
            slowest: Slowest::of(costs, |frame| {
                let until = reply.floor_char_boundary(frames[frame].bytes);
                let from = reply.floor_char_boundary(until.saturating_sub(60));
                format!("…{}", &reply[from..until])
            }),
        }
    }
}

/// Does something before each of some frames.
fn frames(window: &mut Headless, count: usize, mut before: impl FnMut(&mut Headless, usize)) -> Scrolled {
    let (mut costs, mut tops) = (Vec::new(), Vec::new());
    for n in 0..count {
        before(window, n);
        costs.push(window.frame());
        tops.push(window.app().state.shell.chat.top());
    }
    Scrolled {
        frames: costs.len(),
        frame_cpu_ms: Percentiles::of(costs.iter().map(Cost::cpu)),
        slowest: Slowest::of(&costs, |frame| format!("message {}", tops[frame])),
    }
}

fn wheel(window: &mut Headless) -> Scrolled {
    window.point_at(MIDDLE);
    frames(window, FRAMES, |window, n| window.wheel(if n < FRAMES / 2 { -3.0 } else { 3.0 }))
}

fn swipe(window: &mut Headless) -> Scrolled {
    window.point_at(MIDDLE);
    frames(window, FRAMES, |window, n| window.swipe(if n < FRAMES / 2 { -400.0 } else { 400.0 }))
}

fn page_keys(window: &mut Headless) -> Scrolled {
    let key = |n| if n < FRAMES / 2 { Key::PageUp } else { Key::PageDown };
    frames(window, FRAMES, |window, n| window.press(Modifiers::NONE, key(n)))
}

fn jumps(window: &mut Headless) -> Scrolled {
    use Command::{ChatEnd, ChatNextPrompt, ChatPreviousPrompt, ChatStart};
    let ways = [ChatStart, ChatEnd, ChatPreviousPrompt, ChatPreviousPrompt, ChatStart, ChatNextPrompt];
    // The frame that carries a command out asks for the one that shows it.
    frames(window, FRAMES, |window, n| {
        if n % 2 == 0 {
            window.act(ways[n / 2 % ways.len()]);
        }
    })
}

fn bar(window: &mut Headless) -> anyhow::Result<Scrolled> {
    let bar = window.bounds("Place in the conversation").context("the conversation has no bar")?;
    window.act(Command::ChatEnd);
    window.settle(PATIENCE)?;
    let at = |part: f32| pos2(bar.center().x, bar.top() + bar.height() * part);
    window.point_at(at(0.99));
    window.frame();
    window.button(at(0.99), true);
    let scrolled = frames(window, FRAMES, |window, n| {
        let part = n as f32 / FRAMES as f32;
        // There and back.
        window.point_at(at((1.0 - 2.0 * part).abs()));
    });
    window.button(at(0.99), false);
    window.frame();
    Ok(scrolled)
}
