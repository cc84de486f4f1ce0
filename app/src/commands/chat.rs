//! Conversations: opening the panel, adding to messages, and carrying out what agents report.

use std::path::Path;

use agent::event::SessionId;
use agent::run::Mode;
use diff::comments::Thread;
use diff::source::Comparison;
use editor::change::Transaction;
use editor::history::EditKind;
use editor::selection::Selections;
use editor::text::Text;
use eframe::egui;

use super::{Command, context, open};
use crate::panes::{Layout, Pane, chat};
use crate::state::State;
use crate::state::chats::comments::{Answered, Commented};
use crate::state::chats::host::Write;
use crate::state::chats::rounds::Span;
use crate::state::chats::thread::Order;
use crate::state::chats::transcript::Item;
use crate::state::chats::{Attachment, ChatId, Draft, MOST, News, Thing, picture};
use crate::state::desktop::{self, Attention, Telling};
use crate::state::documents::{DocumentId, OpenDocument, changes_between};
use crate::state::models::{self, Change};
use crate::state::notices::Level;
use crate::state::reviews::{Request, ReviewId};
use crate::state::servers::problems::Problem;
use crate::state::servers::told;
use crate::state::unreviewed::Rows;
use crate::widgets::markdown::code_blocks;

/// Takes in what happened in conversations, and tells their agents what is open. Never waits.
pub fn take_results(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    if let Some(root) = state.workspace.root().map(Path::to_owned) {
        let paths = state.paths.clone();
        state.chats.enter(&root, &paths, &state.models.network);
    }
    take_models(state, layout, ctx);
    if let Some(id) = state.desktop.pressed() {
        raise(id, state, ctx);
    }
    state.provenance.enter(state.chats.room());
    state.provenance.take_results();
    let documents = &state.documents;
    state.provenance.retain(|id| documents.get(id).is_some());
    let documents: Vec<_> = layout
        .panes()
        .filter_map(|(_, pane)| match pane {
            Pane::Editor(pane) => Some(pane.document),
            _ => None,
        })
        .collect();
    want_compared(&documents, state, layout);
    let shown = state.shell.chat_shown(state.shell.is_narrow());
    state.chats.shared().ask_edits(state.settings.ask_edits);
    for session in std::mem::take(&mut state.unreviewed.decided) {
        state.chats.look(session);
    }
    // Whoever looks at files sees texts that are not saved, too.
    if shown || state.chats.is_running() || state.chats.is_look_due() {
        context::follow(state, layout);
    }
    let seen = state.chats.current.filter(|_| shown && state.window_focused);
    for news in state.chats.take_results(seen, &state.tasks) {
        match news {
            News::Unreviewed { session, comparison } => {
                set_unreviewed(&session, comparison.map(|found| *found), state, layout);
            }
            News::Left(sessions) => {
                let done: Vec<_> = state.unreviewed.sessions().filter(|of| !sessions.contains(*of)).cloned().collect();
                for session in done {
                    set_unreviewed(&session, None, state, layout);
                }
            }
            News::Review(session) => {
                let rows = rows(state);
                match state.unreviewed.review(&session, rows, &mut state.reviews, &state.tasks) {
                    Some(review) => open::show_review(review, state, layout),
                    None => state.notices.info("Nothing is left to be reviewed of what the model changed."),
                }
            }
            News::Compare { comparison, span } => show_moments(*comparison, span, state, layout),
            News::Write(write) => {
                let done = change(&write, state);
                // The agent may have been stopped meanwhile; the change can be undone like any other.
                let _ = write.to.send(done);
            }
            News::Written(paths) => {
                let written: Vec<_> = paths.iter().filter_map(|path| state.documents.find(path)).collect();
                for id in written {
                    state.documents.look_at(id);
                }
                state.workspace.files_changed();
                state.provenance.refresh();
            }
            News::Failed(why) => state.notices.error(why),
            News::Answered { chat, answered } => keep_answers(chat, answered, state),
            News::Tell { reason, chat, title, text } => {
                let in_sight = shown && (chat.is_none() || chat == state.chats.current);
                let telling = desktop::telling(reason, in_sight, state.window_focused, state.settings.notify);
                tell(telling, chat, &title, &text, state, ctx);
            }
        }
    }
}

/// A notification of the desktop was pressed: the window comes to the front with what it is about.
fn raise(id: ChatId, state: &mut State, ctx: &egui::Context) {
    // It may have been closed since.
    if state.chats.get(id).is_some() {
        state.chats.current = Some(id);
    }
    show_news(state);
    if ctx.input(|input| input.viewport().minimized) == Some(true) {
        ctx.send_viewport_cmd(egui::ViewportCommand::Minimized(false));
    }
    ctx.send_viewport_cmd(egui::ViewportCommand::Focus);
}

/// Says where somebody is what an agent has to say.
fn tell(telling: Telling, chat: Option<ChatId>, title: &str, text: &str, state: &mut State, ctx: &egui::Context) {
    if telling.in_window {
        state.notices.offer(Level::Info, format!("{title}: {text}"), Command::ChatNews, "Show");
    }
    if telling.on_desktop {
        state.desktop.notify(title, text, chat, state.tasks.waker());
    }
    if let Some(attention) = telling.attention {
        let attention = match attention {
            Attention::Please => egui::UserAttentionType::Informational,
            Attention::Urgent => egui::UserAttentionType::Critical,
        };
        ctx.send_viewport_cmd(egui::ViewportCommand::RequestUserAttention(attention));
    }
}

/// Shows two moments of a conversation: where two others of it are in front, in their place.
fn show_moments(comparison: Comparison, span: Span, state: &mut State, layout: &mut Layout) {
    let in_front = match layout.active() {
        Some(Pane::Review(pane)) => Some(pane.review),
        _ => None,
    };
    let is_of =
        |id: &ReviewId| state.reviews.get(*id).and_then(|review| review.span).is_some_and(|of| of.chat == span.chat);
    let id = match in_front.filter(is_of) {
        Some(id) => id,
        None => open::open_review(Request::Found(comparison.clone()), state, layout),
    };
    if let Some(review) = state.reviews.get_mut(id) {
        review.span = Some(span);
        // It may have been open before, and the files be others now.
        review.compare(comparison, &state.tasks);
    }
}

/// Takes in what is left to be reviewed; a review that nobody looks at goes when nothing is.
fn set_unreviewed(session: &SessionId, comparison: Option<Comparison>, state: &mut State, layout: &Layout) {
    let done = state.unreviewed.set(session, comparison, &mut state.reviews, &state.tasks);
    if let Some(id) = done
        && !layout.panes().any(|(_, pane)| pane.shows_review(id))
    {
        state.unreviewed.forget(id);
        state.reviews.close(id);
    }
}

/// Has what is left of the files in editors compared; what no editor and no pane shows is let go.
fn want_compared(documents: &[DocumentId], state: &mut State, layout: &Layout) {
    let rows = rows(state);
    for id in state.unreviewed.want(documents, &state.documents, rows, &mut state.reviews, &state.tasks) {
        if !layout.panes().any(|(_, pane)| pane.shows_review(id)) {
            state.unreviewed.closed(id);
            state.reviews.close(id);
        }
    }
}

fn rows(state: &State) -> Rows {
    Rows { layout: state.settings.layout(), context: state.settings.review_context }
}

/// Takes in what happened to the models that are set up.
fn take_models(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let paths = state.paths.clone();
    match state.models.take_results(&paths, &state.tasks) {
        Some(models::News::Begun) => open::open_file(&paths.models(), None, state, layout, ctx),
        // The page of models says so itself.
        Some(models::News::Failed(why)) if layout.find(|pane| matches!(pane, Pane::Models(_))).is_none() => {
            state.notices.offer(
                Level::Error,
                format!("The models were not changed: {why}"),
                Command::Models,
                Command::Models.spec().title,
            );
        }
        Some(models::News::Failed(_)) | None => {}
    }
}

/// Runs a command about conversations; whether it was one.
pub fn run_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    match command {
        Command::ToggleChat => {
            let narrow = state.shell.is_narrow();
            match state.shell.chat_shown(narrow) {
                true => {
                    state.shell.show_chat(false, narrow);
                    ctx.memory_mut(|memory| memory.surrender_focus(crate::panes::chat::composer::text_id()));
                }
                false => show(state),
            }
        }
        Command::ShowChat => show(state),
        Command::ChatNews => {
            state.chats.current = state.chats.news().or(state.chats.current);
            show_news(state);
        }
        Command::NewChat => {
            state.chats.begin();
            show(state);
        }
        Command::ChatSessions => {
            show(state);
            state.shell.chat.show_sessions();
        }
        Command::StopChat => {
            if let Some(chat) = state.chats.current.and_then(|id| state.chats.get_mut(id)) {
                chat.stop();
            }
        }
        Command::ChatNextPrompt | Command::ChatPreviousPrompt => {
            let forward = command == Command::ChatNextPrompt;
            if let Some(chat) = state.chats.current.and_then(|id| state.chats.get(id)) {
                state.shell.chat.step(chat, forward);
            }
        }
        Command::ChatStart | Command::ChatEnd => state.shell.chat.go_to_end(command == Command::ChatEnd),
        Command::ApplyCode => apply_code(state),
        Command::AskSelection => {
            context::follow(state, layout);
            // The selection itself, which comes first if there is one, or the file.
            let wanted = match state.chats.things.first() {
                Some(Thing::Here(here @ (Attachment::Text { .. } | Attachment::File(_)))) => Some(here.clone()),
                _ => None,
            };
            attach(wanted, state);
        }
        Command::SendComments => {
            let Some((review, _)) = crate::shell::review_in_sight(layout) else {
                state.notices.info("No review is open whose comments could be sent.");
                return true;
            };
            // What there is to say where there are none, it says.
            if let Some(draft) = crate::panes::review::ask_all(review, state) {
                send(draft, state);
            }
        }
        Command::OpenModels => {
            let paths = state.paths.clone();
            state.models.change(Change::Begin(MODELS), &paths, &state.tasks);
        }
        _ => return false,
    }
    true
}

/// Has a file go along with the message, if it is let go of over the conversation; a picture also while the message has
/// the keyboard, for not every system says where something is let go of.
pub fn take_dropped(path: &Path, state: &mut State, ctx: &egui::Context) -> bool {
    let Some(id) = state.chats.current.filter(|_| state.shell.chat_shown(state.shell.is_narrow())) else {
        return false;
    };
    let place = state.shell.chat.place;
    let is_over = ctx.pointer_latest_pos().zip(place).is_some_and(|(at, place)| place.contains(at));
    if picture::is_picture(path) {
        let writes = ctx.memory(|memory| memory.has_focus(crate::panes::chat::composer::text_id()));
        if is_over || writes {
            state.chats.add_picture(id, picture::From::File(path.to_owned()), &state.tasks);
        }
        return is_over || writes;
    }
    let inside = state.workspace.root().and_then(|root| path.strip_prefix(root).ok()?.to_str());
    match (is_over, inside, state.chats.get_mut(id)) {
        (true, Some(inside), Some(chat)) => {
            chat.draft.attach(Attachment::File(inside.replace('\\', "/")));
            true
        }
        _ => false,
    }
}

/// Puts the last block of code of the last answer that can be put somewhere there.
fn apply_code(state: &mut State) {
    let front = state.chats.front();
    let id = state.chats.current;
    let found = id.and_then(|id| state.chats.get(id)).filter(|chat| chat.running.is_none()).and_then(|chat| {
        let mut entries = chat.transcript.entries().iter().enumerate().rev();
        let (index, blocks) = entries.find_map(|(index, entry)| match &entry.item {
            Item::Answer { text } => Some((index, code_blocks(text))),
            _ => None,
        })?;
        let code = blocks.iter().rev().find_map(|block| chat::applicable(block, front.as_deref()))?;
        Some((index, code))
    });
    match (id, found) {
        (Some(id), Some((index, code))) => state.chats.apply(id, code, index, &state.tasks),
        _ => state.notices.info("The last answer shows no code for a file that is named or in front."),
    }
}

/// What the file of models begins with.
const MODELS: &str = "\
# Models that Recto may talk to. Nothing else is dialled.
#
# [providers.local]
# kind = \"llama.cpp\"                  # or openai-compatible, ollama, anthropic
# url = \"http://127.0.0.1:8080\"
#
# [models.qwen]
# provider = \"local\"
#
# A key is never written here, only where it is:
# key = { keyring = \"name\" }          # or { environment = \"NAME\" }, { command = [\"pass\", \"show\", \"x\"] }
";

/// Shows the conversation; the keyboard is for what it asks, if it asks something.
fn show_news(state: &mut State) {
    let asks = state.chats.current.and_then(|id| state.chats.get(id)).is_some_and(|chat| chat.asked.is_some());
    if !asks {
        return show(state);
    }
    let narrow = state.shell.is_narrow();
    state.shell.show_chat(true, narrow);
    state.shell.chat.reveal();
}

fn show(state: &mut State) {
    let narrow = state.shell.is_narrow();
    state.shell.show_chat(true, narrow);
    state.shell.chat.focus();
}

/// Sends a message in the conversation that is shown; what is being written there stays.
fn send(draft: Draft, state: &mut State) {
    let id = state.chats.current_or_begin(&state.tasks);
    let Some(chat) = state.chats.get_mut(id) else { return };
    let written = std::mem::replace(&mut chat.draft, draft);
    state.chats.send(id, &state.tasks);
    if let Some(chat) = state.chats.get_mut(id) {
        chat.draft = written;
    }
    show(state);
}

/// Puts what a run said to comments into their threads; what belongs to none stays in the conversation, which says so.
fn keep_answers(chat: ChatId, answered: Answered, state: &mut State) {
    let Commented { of, asked, .. } = &*answered.comments;
    // That it cannot be opened is told where that was tried.
    let Some(sheet) = state.desk.sheet(of, &mut state.notices, &state.tasks) else { return };
    if !state.desk.is_read(sheet) {
        return state.chats.tell_later(chat, answered);
    }
    let mut kept = Vec::new();
    for (number, text) in &answered.answers.to {
        let thread = asked.get(*number).and_then(|(id, _)| state.desk.comments(sheet)?.thread(*id));
        // Deleted meanwhile, or answered already by what this comes back to.
        let is_wanted = |thread: &&Thread| answered.is_first && !answered.is_late || thread.is_waiting();
        let Some(thread) = thread.filter(is_wanted) else { continue };
        let (thread, mut message) = (thread.id, diff::comments::Message::of_model(&answered.model, text));
        message.cut = answered.is_cut(*number);
        if !message.cut {
            kept.push(*number);
        }
        state.desk.write(sheet, diff::store::Write::Say { thread, message });
    }
    if let (Some(note), Some(chat)) = (answered.note(&kept), state.chats.get_mut(chat)) {
        chat.transcript.note(note, false);
    }
    if answered.is_first {
        state.chats.keep_answered(chat, &answered.comments, &state.tasks);
    }
}

/// Shows what a run was asked, in its conversation.
pub fn show_run(session: &SessionId, run: u32, title: &str, state: &mut State) {
    state.chats.resume(session, title, &state.tasks);
    let narrow = state.shell.is_narrow();
    state.shell.show_chat(true, narrow);
    state.shell.chat.show_run(run);
}

/// Compares the files of a conversation at two moments, once nothing runs in it.
pub fn compare(span: Span, state: &mut State) {
    let Some(chat) = state.chats.get(span.chat) else { return };
    if chat.running.is_some() {
        return state.notices.info("Runs are compared when the one that is under way is over.");
    }
    state.chats.order(span.chat, Order::Compare { from: span.from, to: span.to }, &state.tasks);
}

fn attach(attached: Option<Attachment>, state: &mut State) {
    let Some(attached) = attached else { return show(state) };
    let id = state.chats.current_or_begin(&state.tasks);
    if let Some(chat) = state.chats.get_mut(id) {
        chat.draft.attach(attached);
    }
    show(state);
}

/// Begins a message that asks to fix what is wrong: told as it is now, for it may be another when it is sent.
pub fn fix(path: &Path, problems: &[Problem], state: &mut State) {
    let Some(first) = problems.first() else { return };
    let shown = state.workspace.display(path).replace('\\', "/");
    let text = state.documents.find(path).and_then(|id| state.documents.get(id)).map(|open| open.document.text());
    let line_of = |_: &str, line: u32| text.filter(|text| line < text.line_count()).map(|text| text.line(line).into());
    let told = told::text(&[(&shown, problems)], MOST, line_of);
    let label = format!("Problem at {shown}:{}", first.line + 1);
    let id = state.chats.current_or_begin(&state.tasks);
    if let Some(chat) = state.chats.get_mut(id) {
        if chat.draft.text.trim().is_empty() {
            let asked = if problems.len() == 1 { "Fix this problem." } else { "Fix these problems." };
            asked.clone_into(&mut chat.draft.text);
            // Only an agent changes files.
            chat.mode = Mode::Agent;
        }
        chat.draft.attach(Attachment::Text { label, text: told });
    }
    show(state);
}

/// Types text at the carets of the editor that is in front, or was opened first.
pub fn insert(text: &str, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let is_editor = |pane: &Pane| matches!(pane, Pane::Editor(_));
    let tile = layout.active_id().filter(|_| layout.active().is_some_and(is_editor)).or_else(|| layout.find(is_editor));
    let Some(tile) = tile else {
        state.notices.info("No editor is open to insert it into.");
        return;
    };
    layout.activate(tile);
    ctx.memory_mut(|memory| memory.request_focus(crate::panes::focus_id(tile)));
    if let Some(Pane::Editor(pane)) = layout.active_mut() {
        crate::panes::editor::type_text(pane, state, text);
    }
}

/// Opens a text in a tab of its own.
pub fn open_text(text: &str, language: &str, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let mut document = OpenDocument::untitled(text);
    let name = language.split([' ', ',']).next().filter(|name| !name.is_empty());
    document.document.set_language(name);
    document.document.mark_unsaved();
    let id = state.documents.insert(document);
    let tile = open::show_document(id, layout);
    layout.activate(tile);
    ctx.memory_mut(|memory| memory.request_focus(crate::panes::focus_id(tile)));
}

/// Changes a text that is open and not saved, as one step of its undo; not if it is another one by now.
fn change(write: &Write, state: &mut State) -> bool {
    let Some(id) = state.documents.find(&write.path) else { return false };
    let Some(open) = state.documents.get_mut(id) else { return false };
    let text = open.document.text();
    if text.to_string() != write.before {
        return false;
    }
    let after = Text::from(write.after.as_str());
    let changes = changes_between(text, &after, &editor::Cancel::new());
    open.document.apply(Transaction::new(changes), EditKind::Command, &Selections::default());
    true
}
