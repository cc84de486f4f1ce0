//! `recto bench chat`: a reply streams into a long conversation; one that is five times as long is scrolled through.
//!
//! Events take the way that those of a real run take from the thread of a conversation on: into the transcript, and with
//! the next frame to the screen.

use std::time::Instant;

use agent::action::Action;
use agent::event::{End, Event, EventKind, Moment, SessionId};
use anyhow::Context as _;
use eframe::egui::pos2;

use super::figures::{Figures, Percentiles, memory_mb};
use super::{PATIENCE, running};
use crate::commands::{Action as Wanted, Command};
use crate::headless::Headless;
use crate::state::chats::ChatId;

/// Messages of the conversation, four a run: prompt, reasoning, action, answer.
const MESSAGES: usize = 2000;
/// Messages when it is scrolled through.
const SCROLLED: usize = 10_000;
/// Tokens that come in a second, and seconds.
const SPEED: usize = 200;
const SECONDS: usize = 20;
/// Frames in a second.
const FRAMES: usize = 60;

/// An answer as models write it.
const ANSWER: &str = "The function reads the **whole** file, so a large one is slow. Three things follow:\n\n\
    1. It takes as much memory as the file has bytes.\n2. Nothing is shown meanwhile.\n3. It cannot be stopped.\n\n\
    ```rust\nfn lines(path: &Path) -> io::Result<impl Iterator<Item = io::Result<String>>> {\n    \
    Ok(BufReader::new(File::open(path)?).lines())\n}\n```\n\nWith `lines` each one is read when it is needed.\n\n";

pub fn run() -> anyhow::Result<Figures> {
    let mut figures = Figures { bench: "chat", ..Figures::default() };
    let mut window = running()?;
    let folder = std::env::temp_dir().join(format!("recto-bench-chat-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    window.act(Wanted::OpenFolder(folder.clone()));
    window.act(Command::ShowChat);
    window.settle(PATIENCE)?;
    let chat = window.app().state.chats.current.context("no conversation is shown")?;
    let mut told = Told { chat, session: SessionId::new(), time: 0 };
    for run in 1..=(MESSAGES / 4) as u32 {
        told.run(run, &mut window);
    }
    window.settle(PATIENCE)?;

    let mut costs = Vec::new();
    let mut times = Vec::new();
    let words: Vec<&str> = ANSWER.split_inclusive(' ').collect();
    let mut at = 0;
    told.prompt(u32::MAX, &mut window);
    for frame in 0..FRAMES * SECONDS {
        let due = (frame + 1) * SPEED / FRAMES;
        let start = Instant::now();
        while at < due {
            told.tell(u32::MAX, EventKind::Text { text: words[at % words.len()].to_owned() }, &mut window);
            at += 1;
        }
        costs.push(window.frame());
        times.push(start.elapsed());
    }
    figures.key_to_frame_ms = Percentiles::of(times);
    for run in 1..=((SCROLLED - MESSAGES) / 4) as u32 {
        told.run((MESSAGES / 4) as u32 + run, &mut window);
    }
    window.settle(PATIENCE)?;
    window.point_at(pos2(1100.0, 300.0));
    for step in 0..400 {
        window.swipe(if step < 200 { -900.0 } else { 900.0 });
        costs.push(window.frame());
    }
    figures.frames(&costs);
    (figures.rss_mb, figures.peak_rss_mb) = memory_mb().unzip();
    std::fs::remove_dir_all(&folder)?;
    Ok(figures)
}

/// Tells the conversation what a run would.
struct Told {
    chat: ChatId,
    session: SessionId,
    time: i64,
}

impl Told {
    fn tell(&mut self, run: u32, kind: EventKind, window: &mut Headless) {
        self.time += 1000;
        let event = Event { session: self.session.clone(), run, time: Moment(self.time), kind };
        if let Some(chat) = window.app_mut().state.chats.get_mut(self.chat) {
            chat.transcript.take(&self.session, &event);
        }
    }

    fn prompt(&mut self, run: u32, window: &mut Headless) {
        if let Some(chat) = window.app_mut().state.chats.get_mut(self.chat) {
            chat.transcript.asked(run, "Why is this slow?".to_owned(), vec!["src/read.rs".to_owned()]);
        }
    }

    fn run(&mut self, run: u32, window: &mut Headless) {
        self.prompt(run, window);
        let call = Action::ReadFile { path: "src/read.rs".to_owned(), lines: None };
        let (name, title) = ("read_file".to_owned(), "read_file src/read.rs".to_owned());
        let (ok, result) = (true, "12 lines".to_owned());
        for kind in [
            EventKind::Reasoning { text: "I look at the file first.".to_owned() },
            EventKind::ActionStarted { action: 1, name: name.clone(), title, call },
            EventKind::ActionFinished { action: 1, name, ok, result, changes: Vec::new(), milliseconds: 3 },
            EventKind::Text { text: ANSWER.to_owned() },
            EventKind::Done { end: End::Done, report: String::new(), steps: 1, files: Vec::new() },
        ] {
            self.tell(run, kind, window);
        }
    }
}
