//! The find bar: matches as you type, in the background; next and previous, replace one or all.

use std::ops::Range;

use editor::Cancel;
use editor::document::EditKind;
use editor::find::{Found, Query, Replacement};
use eframe::egui::{self, Align, Layout, Rect, Stroke, Ui, pos2, vec2};
use egui_tiles::TileId;

use super::{EditorPane, show};
use crate::code_view::editing;
use crate::code_view::find_bar::{self, Asked, FindInput};
use crate::state::State;
use crate::tasks::{Poll, Task, Tasks};
use crate::theme::{icons, space};
use crate::widgets::{Button, IconButton, TextInput};

/// What is found, and for what.
pub struct FindBar {
    input: FindInput,
    replace: Option<Replacement>,
    /// What `found` is of: a query and a version of the text.
    of: Option<(Query, u64)>,
    found: Found,
    search: Option<(Query, u64, Task<Found>)>,
    /// The match that was gone to.
    current: Option<Range<usize>>,
    /// Go to the first match at the caret once it is known.
    go: bool,
    /// Where the caret was when the bar opened.
    from: usize,
}

impl FindBar {
    /// The matches that touch a range, with whether each is the current one.
    pub fn matches_in<'a>(&'a self, range: &Range<usize>) -> impl Iterator<Item = (&'a Range<usize>, bool)> {
        let from = self.found.matches.partition_point(|m| m.end <= range.start);
        let end = range.end;
        let near = self.found.matches[from..].iter().take_while(move |m| m.start <= end);
        near.map(|m| (m, self.current.as_ref() == Some(m)))
    }

    /// At most `most` matches, spread over all of them.
    pub fn some_matches(&self, most: usize) -> impl Iterator<Item = &Range<usize>> {
        let step = (self.found.matches.len() / most.max(1)).max(1);
        self.found.matches.iter().step_by(step)
    }

    /// Whether a search is under way.
    pub fn is_busy(&self) -> bool {
        self.search.is_some()
    }

    fn search(&mut self, text: &editor::text::Text, version: u64, limit: usize, tasks: &Tasks) {
        if let Some((query, of, task)) = &self.search {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(found) => {
                    self.found = found;
                    self.of = Some((query.clone(), *of));
                    self.search = None;
                }
                Poll::Lost => self.search = None,
            }
        }
        let wanted = (self.input.query.clone(), version);
        let under_way = self.search.as_ref().is_some_and(|(q, v, _)| (q, *v) == (&wanted.0, version));
        if self.of.as_ref() == Some(&wanted) || under_way {
            return;
        }
        self.search = None; // cancels a search for something else
        match self.input.query.compile() {
            Ok(matcher) => {
                self.input.error = None;
                let text = text.clone();
                let task = tasks.spawn("find", move |cancel| {
                    matcher.find_all(&text, 0..text.len(), limit, cancel).unwrap_or_default()
                });
                self.search = Some((wanted.0, version, task));
            }
            Err(error) => {
                let empty = self.input.query.pattern.is_empty();
                self.input.error = (!empty).then(|| error.to_string());
                self.found = Found::default();
                self.of = Some(wanted);
            }
        }
    }

    fn status(&self) -> String {
        let matches = &self.found.matches;
        let at = self.current.as_ref().and_then(|c| matches.binary_search_by_key(&c.start, |m| m.start).ok());
        find_bar::status(&self.input, matches.len(), self.found.limited, at, self.is_busy())
    }
}

/// Opens the bar, with the selected text in it.
pub fn open(pane: &mut EditorPane, state: &State, replace: bool) {
    let Some(open) = state.documents.get(pane.document) else { return };
    let text = open.document.text();
    let selection = pane.selections.primary();
    let mut query = pane.find.take().map(|find| find.input.query).unwrap_or_default();
    if !selection.is_empty() && text.line_of(selection.start()) == text.line_of(selection.end()) {
        query.pattern = text.slice(selection.range()).into_owned();
    }
    let replacement =
        Replacement { template: String::new(), preserve_case: false, line_ending: open.document.line_ending };
    pane.find = Some(FindBar {
        input: FindInput { query, error: None, focus: true },
        replace: replace.then_some(replacement),
        of: None,
        found: Found::default(),
        search: None,
        current: None,
        go: false,
        from: selection.start(),
    });
}

/// Goes to the next match, or the one before; whether there is a bar to ask.
pub fn step(pane: &mut EditorPane, state: &State, forward: bool) -> bool {
    let Some(open) = state.documents.get(pane.document) else { return false };
    let Some(find) = &mut pane.find else {
        self::open(pane, state, false);
        return true;
    };
    let Ok(matcher) = find.input.query.compile() else { return true };
    let text = open.document.text();
    let selection = pane.selections.primary();
    let cancel = Cancel::new();
    let found = if forward {
        matcher.next(text, selection.end(), &cancel)
    } else {
        matcher.prev(text, selection.start(), &cancel)
    };
    if let Ok(Some(range)) = found {
        find.current = Some(range.clone());
        show(pane, range);
    }
    true
}

/// Draws the bar at `top`; how high it is.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut EditorPane, state: &mut State, top: f32) -> f32 {
    let Some(find) = &mut pane.find else { return 0.0 };
    let Some(open) = state.documents.get(pane.document) else { return 0.0 };
    let limit = state.limits.search_matches;
    find.search(open.document.text(), open.document.version(), limit, &state.tasks);
    let height = if find.replace.is_some() { 2.0 * find_bar::HEIGHT } else { find_bar::HEIGHT };
    let whole = ui.max_rect();
    let rect = Rect::from_min_size(pos2(whole.left(), top), vec2(whole.width(), height));
    let theme = state.theme;
    ui.painter().rect_filled(rect, 0.0, theme.surface.panel);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let line = |n: f32| {
        let at = pos2(rect.left() + space::M, rect.top() + n * find_bar::HEIGHT);
        Rect::from_min_size(at, vec2(rect.width() - 2.0 * space::M, find_bar::HEIGHT))
    };
    let status = find.status();
    let asked = find.input.draw(ui, line(0.0), crate::panes::focus_id(tile).with("find"), &status);
    let replacing = find.replace.is_some().then(|| replace_line(ui, line(1.0), find));
    act(pane, state, asked, replacing);
    height
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Replacing {
    Nothing,
    One,
    All,
}

fn replace_line(ui: &mut Ui, rect: Rect, find: &mut FindBar) -> Replacing {
    let Some(replacement) = &mut find.replace else { return Replacing::Nothing };
    let layout = Layout::left_to_right(Align::Center);
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("replace").max_rect(rect).layout(layout));
    ui.spacing_mut().item_spacing.x = space::XS;
    TextInput::new(&mut replacement.template, "Replace with")
        .hint("Replace with")
        .icon(icons::REPLACE)
        .width((rect.width() * 0.4).clamp(160.0, 420.0))
        .code()
        .show(&mut ui);
    if ui.add(IconButton::new(icons::TEXT_BOLD, "Keep case").selected(replacement.preserve_case)).clicked() {
        replacement.preserve_case = !replacement.preserve_case;
    }
    if ui.add(Button::new("Replace")).clicked() {
        return Replacing::One;
    }
    if ui.add(Button::new("Replace all")).clicked() { Replacing::All } else { Replacing::Nothing }
}

fn act(pane: &mut EditorPane, state: &mut State, asked: Asked, replacing: Option<Replacing>) {
    match asked {
        Asked::Nothing => {}
        Asked::Close => pane.find = None,
        Asked::Next => {
            step(pane, state, true);
        }
        Asked::Previous => {
            step(pane, state, false);
        }
        Asked::Changed => {
            if let Some(find) = &mut pane.find {
                find.go = true;
                find.current = None;
            }
        }
    }
    go_to_first(pane);
    match replacing {
        Some(Replacing::One) => replace(pane, state, false),
        Some(Replacing::All) => replace(pane, state, true),
        Some(Replacing::Nothing) | None => {}
    }
}

/// As the pattern is typed, the first match from where the bar was opened is shown.
fn go_to_first(pane: &mut EditorPane) {
    let Some(find) = &mut pane.find else { return };
    if !find.go || find.is_busy() || find.of.as_ref().is_none_or(|(query, _)| *query != find.input.query) {
        return;
    }
    find.go = false;
    let from = find.found.matches.partition_point(|m| m.start < find.from);
    let found = find.found.matches.get(from).or_else(|| find.found.matches.first());
    if let Some(range) = found.cloned() {
        find.current = Some(range.clone());
        show(pane, range);
    }
}

fn replace(pane: &mut EditorPane, state: &mut State, all: bool) {
    let Some(open) = state.documents.get_mut(pane.document) else { return };
    let Some(find) = &mut pane.find else { return };
    let (Ok(matcher), Some(replacement)) = (find.input.query.compile(), &find.replace) else { return };
    let text = open.document.text();
    let selected = pane.selections.primary().range();
    let matches = if all {
        matcher.find_all(text, 0..text.len(), usize::MAX, &Cancel::new()).unwrap_or_default().matches
    } else {
        find.found.matches.iter().filter(|m| **m == selected).cloned().collect()
    };
    if !matches.is_empty() {
        let transaction = matcher.replace(text, &matches, replacement);
        editing::apply(&mut open.document, &mut pane.selections, Some(transaction), EditKind::Command);
        pane.changed(&open.document);
    }
    if !all {
        step(pane, state, true);
    }
}
