//! Keys become commands or typed text, before anything is drawn: a key is on screen in the frame it came with.
//!
//! Events that are taken are removed; the rest stays for egui's own inputs and for moving the focus. egui says copy,
//! cut and paste instead of their keys; those run the commands of the same names.

use eframe::egui::{Context, Event, EventFilter, ImeEvent, Key, Modifiers, Popup};

use super::keymap::{Resolution, Stroke};
use ::terminal::keys::KeyAction;

use super::when::{At, Focus, PaneKind};
use super::{Action, Command, run};
use crate::panes::terminal::{self, TerminalPane};
use crate::panes::{self, Layout, Pane, focus_id};
use crate::state::State;

/// Where keys go now.
pub fn focus(state: &State, layout: &Layout, ctx: &Context) -> Focus {
    let (pane, editing) = match layout.active() {
        None => (PaneKind::None, false),
        Some(Pane::Editor(pane)) => (PaneKind::Editor, state.documents.get(pane.document).is_some()),
        Some(Pane::Review(pane)) => (PaneKind::Review, pane.is_editing()),
        Some(Pane::Conflicts(pane)) => (PaneKind::Conflicts, pane.is_editing()),
        Some(Pane::Combined(_)) => (PaneKind::Review, false),
        Some(Pane::Terminal(_)) => (PaneKind::Terminal, true),
        Some(Pane::Problems(_) | Pane::Settings(_) | Pane::Models(_) | Pane::Help(_)) => (PaneKind::Page, false),
    };
    Focus { pane, editing, at: place(state, layout, ctx) }
}

fn place(state: &State, layout: &Layout, ctx: &Context) -> At {
    if state.shell.palette.is_open() {
        return At::TextInput;
    }
    let Some(focused) = ctx.memory(eframe::egui::Memory::focused) else { return At::Pane };
    if layout.active_id().map(focus_id) == Some(focused) {
        return At::Pane;
    }
    if focused == panes::review::commit::message_id() {
        return At::Message;
    }
    if ctx.text_edit_focused() {
        return At::TextInput;
    }
    let rect = ctx.read_response(focused).map(|response| response.rect);
    match (state.shell.side_rect, rect) {
        (Some(side), Some(rect)) if side.contains(rect.center()) => At::Tree,
        // A list draws nothing under its own id: if nothing else is known of it, it is the side panel's.
        (Some(_), None) => At::Tree,
        _ => At::Control,
    }
}

/// Turns keys into commands and typed text, and runs them.
pub fn keyboard(state: &mut State, layout: &mut Layout, ctx: &Context) {
    // A question is answered by its own buttons.
    if state.shell.ask.is_some()
        || state.shell.question.is_some()
        || state.shell.about_open
        || state.terminals.question.is_some()
    {
        return;
    }
    let events = ctx.input_mut(|input| std::mem::take(&mut input.events));
    let mut keys = Keys { typed_by_command: false };
    let kept: Vec<Event> = events.into_iter().filter(|event| !keys.take(event, state, layout, ctx)).collect();
    ctx.input_mut(|input| input.events = kept);
    hold_focus(state, layout, ctx);
}

/// The active pane has the keyboard unless something else was given it; moving keys are the pane's then.
fn hold_focus(state: &State, layout: &Layout, ctx: &Context) {
    let Some(own) = layout.active_id().map(focus_id) else { return };
    let focus = focus(state, layout, ctx);
    if focus.at != At::Pane {
        return;
    }
    ctx.memory_mut(|memory| {
        if memory.focused().is_none() {
            memory.request_focus(own);
        }
        // While reading, Tab goes on to the next control, as on a page.
        let filter = EventFilter { tab: focus.editing, horizontal_arrows: true, vertical_arrows: true, escape: true };
        memory.set_focus_lock_filter(own, filter);
    });
}

struct Keys {
    /// The last key ran a command: the text that comes with it is not typed.
    typed_by_command: bool,
}

impl Keys {
    /// Takes an event in; whether it is used up.
    fn take(&mut self, event: &Event, state: &mut State, layout: &mut Layout, ctx: &Context) -> bool {
        match event {
            Event::Key { key, physical_key, pressed: true, repeat, modifiers } => {
                self.typed_by_command = press(*key, *physical_key, *modifiers, state, layout, ctx)
                    || in_terminal(state, layout, ctx, |pane, state| {
                        let action = if *repeat { KeyAction::Repeat } else { KeyAction::Press };
                        terminal::keys::key(pane, state, *key, *modifiers, action)
                    });
                self.typed_by_command
            }
            Event::Key { key, pressed: false, modifiers, .. } => in_terminal(state, layout, ctx, |pane, state| {
                terminal::keys::key(pane, state, *key, *modifiers, KeyAction::Release)
            }),
            Event::Ime(ImeEvent::Preedit { text, .. }) => in_terminal(state, layout, ctx, |pane, _| {
                terminal::keys::composing(pane, text);
                true
            }),
            Event::Text(text) => std::mem::take(&mut self.typed_by_command) || type_text(text, state, layout, ctx),
            Event::Ime(ImeEvent::Commit(text)) => type_text(text, state, layout, ctx),
            Event::Paste(text) => paste(text, state, layout, ctx),
            Event::Copy => clip_key(Key::C, state, layout, ctx) || run_if_ours(Command::Copy, state, layout, ctx),
            Event::Cut => clip_key(Key::X, state, layout, ctx) || run_if_ours(Command::Cut, state, layout, ctx),
            _ => false,
        }
    }
}

fn press(
    key: Key,
    physical: Option<Key>,
    modifiers: Modifiers,
    state: &mut State,
    layout: &mut Layout,
    ctx: &Context,
) -> bool {
    // What floats over the panes is put away first.
    let floating = state.shell.bell_open || state.shell.side_over || Popup::is_any_open(ctx);
    if key == Key::Escape && floating && state.shell.pending.is_none() {
        return false;
    }
    let focus = focus(state, layout, ctx);
    let strokes = Stroke::of_press(key, physical, modifiers);
    if let Some(first) = state.shell.pending.take() {
        // Whatever the second key is, it belonged to the chord.
        let found = strokes.iter().find_map(|&second| ran(state.keymap.resolve(&[first, second], &focus)));
        if let Some(command) = found {
            run::run(Action::Command(command), state, layout, ctx);
        }
        return true;
    }
    for stroke in strokes {
        match state.keymap.resolve(&[stroke], &focus) {
            Resolution::Run(command) => {
                run::run(Action::Command(command), state, layout, ctx);
                return true;
            }
            Resolution::Pending => {
                state.shell.pending = Some(stroke);
                return true;
            }
            Resolution::Nothing => {}
        }
    }
    false
}

fn ran(resolution: Resolution) -> Option<Command> {
    match resolution {
        Resolution::Run(command) => Some(command),
        Resolution::Pending | Resolution::Nothing => None,
    }
}

fn type_text(text: &str, state: &mut State, layout: &mut Layout, ctx: &Context) -> bool {
    // The palette was opened by a key of this same frame: its input has the keyboard from the next one on.
    if state.shell.palette.is_open() && !ctx.text_edit_focused() {
        state.shell.palette.type_text(text);
        return true;
    }
    let focus = focus(state, layout, ctx);
    if focus.at != At::Pane || !focus.editing {
        return false;
    }
    match layout.active_mut() {
        Some(Pane::Review(pane)) => panes::review::type_text(pane, state, text),
        Some(Pane::Conflicts(pane)) => panes::conflicts::type_text(pane, state, text),
        Some(Pane::Editor(pane)) => panes::editor::type_text(pane, state, text),
        Some(Pane::Terminal(pane)) => terminal::keys::text(pane, state, text),
        _ => return false,
    }
    true
}

fn paste(text: &str, state: &mut State, layout: &mut Layout, ctx: &Context) -> bool {
    let focus = focus(state, layout, ctx);
    if focus.at != At::Pane || !focus.editing {
        return false;
    }
    let asked = std::mem::take(&mut state.terminals.paste_asked);
    if focus.pane == PaneKind::Terminal && !asked && clip_key(Key::V, state, layout, ctx) {
        return true;
    }
    let clip = state.clipboard.of_text(text.to_owned());
    match layout.active_mut() {
        Some(Pane::Review(pane)) => panes::review::paste(pane, state, &clip),
        Some(Pane::Conflicts(pane)) => panes::conflicts::paste(pane, state, &clip),
        Some(Pane::Editor(pane)) => panes::editor::paste(pane, state, &clip),
        Some(Pane::Terminal(pane)) => terminal::keys::paste(pane, state, text),
        _ => return false,
    }
    true
}

/// Does something with the terminal that has the keyboard; false when none has.
fn in_terminal(
    state: &mut State,
    layout: &mut Layout,
    ctx: &Context,
    run: impl FnOnce(&mut TerminalPane, &mut State) -> bool,
) -> bool {
    if focus(state, layout, ctx).at != At::Pane || state.shell.palette.is_open() {
        return false;
    }
    match layout.active_mut() {
        Some(Pane::Terminal(pane)) => run(pane, state),
        _ => false,
    }
}

/// The window says copy, cut and paste instead of their keys, with Shift and without. In a terminal they are the
/// program's without, and ours with it.
fn clip_key(key: Key, state: &mut State, layout: &mut Layout, ctx: &Context) -> bool {
    let held = ctx.input(|input| input.modifiers);
    if held.shift {
        let copies = key == Key::C && in_terminal(state, layout, ctx, |_, _| true);
        if copies {
            run::run(Action::Command(Command::TerminalCopy), state, layout, ctx);
        }
        return copies;
    }
    let held = Modifiers { ctrl: true, ..held };
    in_terminal(state, layout, ctx, |pane, state| terminal::keys::key(pane, state, key, held, KeyAction::Press))
}

/// Copies or cuts in the active pane, unless a text input does it.
fn run_if_ours(command: Command, state: &mut State, layout: &mut Layout, ctx: &Context) -> bool {
    let focus = focus(state, layout, ctx);
    let ours = focus.at != At::TextInput && command.spec().when.holds_in(focus.pane, focus.editing);
    if ours {
        run::run(Action::Command(command), state, layout, ctx);
    }
    ours
}
