//! The status bar: one line about what has the focus, and what goes on in the background.
//!
//! What can be clicked is a button with a tooltip; the rest is text.

use editor::document::{Document, Indent, LineEnding};
use editor::lsp::Severity;
use editor::selection::Selections;
use eframe::egui::{Align, Color32, Layout as Flow, Response, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::{STATUS, key, side};
use crate::code_view::problems;
use crate::commands::{Command, Sink};
use crate::panes::{Layout, Pane};
use crate::state::State;
use crate::state::documents::{DocumentId, OpenDocument};
use crate::state::servers::Condition;
use crate::theme::{Icon, icons, look, radius, space};
use crate::widgets::{Counts, focus_ring, text, tip};

/// Draws the bar.
pub fn draw(ui: &mut Ui, state: &State, layout: &Layout, sink: &mut Sink) {
    let inner = ui.max_rect().shrink2(vec2(space::XS, 0.0));
    let mut left =
        ui.new_child(UiBuilder::new().id_salt("left").max_rect(inner).layout(Flow::left_to_right(Align::Center)));
    left.spacing_mut().item_spacing.x = 0.0;
    about_the_folder(&mut left, state, layout, sink);
    about_problems(&mut left, state, sink);
    activity(&mut left, state, layout);
    let from = left.min_rect().right() + space::S;
    let mut right = ui.new_child(
        UiBuilder::new()
            .id_salt("right")
            .max_rect(inner.with_min_x(from.min(inner.right())))
            .layout(Flow::right_to_left(Align::Center)),
    );
    right.spacing_mut().item_spacing.x = 0.0;
    about_the_text(&mut right, state, layout, sink);
}

fn about_the_folder(ui: &mut Ui, state: &State, layout: &Layout, sink: &mut Sink) {
    if let Some(branch) = state.workspace.branch() {
        let response = item(ui, Some(icons::GIT_BRANCH), branch, &format!("Branch {branch}"), true);
        if response.clicked() {
            sink.push(Command::ReviewWorkingTree);
        }
        tip(response, Command::ReviewWorkingTree.spec().title, None);
    }
    let Some((id, _)) = side::review_in_sight(layout) else { return };
    let Some(review) = state.reviews.get(id) else { return };
    let files = review.page.files().len();
    if files == 0 {
        return;
    }
    let shown = if files == 1 { "1 file".to_owned() } else { format!("{} files", text::grouped(files as u64)) };
    item(ui, None, &shown, &format!("{shown} changed"), false);
    let (counts, _) = review.page.counts();
    if counts.added + counts.removed > 0 {
        ui.add(Counts::new(counts.added as u32, counts.removed as u32));
        ui.add_space(space::S);
    }
}

/// How many errors and warnings are known, and how the servers are that say so; nothing where none runs.
fn about_problems(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let (theme, _) = look(ui);
    let servers = &state.servers;
    if !servers.is_any() {
        return;
    }
    let counts = servers.problems.counts();
    let kinds = [(Severity::Error, counts.errors, "error"), (Severity::Warning, counts.warnings, "warning")];
    for (severity, count, name) in kinds {
        let spoken = format!("{count} {name}{} in the project", if count == 1 { "" } else { "s" });
        let color = if count > 0 { problems::color(severity, theme) } else { theme.text.muted };
        let shown = text::grouped(count as u64);
        let response = marked(ui, Some((problems::icon(severity), color)), &shown, &spoken, true, theme.text.muted);
        if response.clicked() {
            sink.push(Command::ShowProblems);
        }
        tip(response, Command::ShowProblems.spec().title, Some(&key(state, Command::ShowProblems)));
    }
    match servers.condition() {
        Some(Condition::Busy(said)) => drop(item(ui, None, &said, &said, false)),
        Some(Condition::Stopped { server, why }) => {
            let said = format!("{server} stopped");
            let mark = Some((icons::WARNING_CIRCLE, theme.signal.warning));
            let response = marked(ui, mark, &said, &format!("{said}: {why}"), true, theme.text.muted);
            if response.clicked() {
                sink.push(Command::ShowProblems);
            }
            tip(response, &why, None);
        }
        None => {}
    }
}

/// What runs in the background, or what key is awaited.
fn activity(ui: &mut Ui, state: &State, layout: &Layout) {
    let (theme, _) = look(ui);
    if let Some(pending) = state.shell.pending {
        let shown = format!("{pending} pressed, waiting for the next key");
        colored(ui, None, &shown, &shown, false, theme.signal.accent);
        return;
    }
    let Some(shown) = background(state, layout) else { return };
    item(ui, Some(icons::HOURGLASS), &shown, &shown, false);
}

fn background(state: &State, layout: &Layout) -> Option<String> {
    if let Some(review) = side::review_in_sight(layout).and_then(|(id, _)| state.reviews.get(id)) {
        if review.is_listing() {
            return Some("Comparing…".to_owned());
        }
        let (files, (_, missing)) = (review.page.files().len(), review.page.counts());
        if missing > 0 && !review.is_complete() {
            let (done, all) = (text::grouped((files - missing) as u64), text::grouped(files as u64));
            return Some(format!("Counting {done} of {all}"));
        }
    }
    if state.workspace.is_listing() {
        return Some("Listing files…".to_owned());
    }
    state.documents.is_busy().then(|| "Reading and writing files…".to_owned())
}

/// The document that is in use, with the carets in it.
pub fn document_in_use<'a>(
    state: &'a State,
    layout: &'a Layout,
) -> Option<(DocumentId, &'a OpenDocument, &'a Selections)> {
    let (id, selections) = match layout.active()? {
        Pane::Editor(pane) => (pane.document, pane.selections()),
        Pane::Review(pane) => pane.caret()?,
        Pane::Conflicts(pane) => pane.result(state.conflicts.get(pane.conflicts)?)?,
        Pane::Combined(_)
        | Pane::Terminal(_)
        | Pane::Problems(_)
        | Pane::Settings(_)
        | Pane::Models(_)
        | Pane::Help(_) => return None,
    };
    Some((id, state.documents.get(id)?, selections))
}

fn about_the_text(ui: &mut Ui, state: &State, layout: &Layout, sink: &mut Sink) {
    let Some((_, open, selections)) = document_in_use(state, layout) else { return };
    let document = &open.document;
    // From the right, the most lasting first.
    let language = document.language().map_or("Plain text", |name| &**name);
    item(ui, None, language, &format!("Language {language}"), false);
    if document.read_only {
        item(ui, Some(icons::LOCK), "Read-only", "The file is read-only", false);
    }
    let ending = match document.line_ending {
        LineEnding::Lf => "LF",
        LineEnding::Crlf => "CRLF",
    };
    let ending = if open.on_disk.mixed { format!("{ending} mixed") } else { ending.to_owned() };
    item(ui, None, &ending, &format!("Line endings {ending}"), false);
    let bom = if open.on_disk.bom { " with BOM" } else { "" };
    let encoding = format!("{}{bom}", open.on_disk.encoding);
    item(ui, None, &encoding, &format!("Encoding {encoding}"), false);
    let indent = match document.indent {
        Indent::Tabs => format!("Tabs: {}", document.tab_width()),
        Indent::Spaces(count) => format!("Spaces: {count}"),
    };
    item(ui, None, &indent, &format!("Indentation {indent}"), false);
    let place = place(document, selections);
    let response = item(ui, None, &place, &place, true);
    if response.clicked() {
        sink.push(Command::GoToLine);
    }
    tip(response, Command::GoToLine.spec().title, Some(&key(state, Command::GoToLine)));
}

/// `Ln 12, Col 3`, and how much is selected.
fn place(document: &Document, selections: &Selections) -> String {
    let text = document.text();
    let head = selections.primary().head.min(text.len());
    let line = text.line_of(head);
    let start = text.line_start(line);
    // A long line is not counted through for a number nobody reads.
    let column = if head - start > 100_000 { head - start } else { text.slice(start..head).chars().count() };
    let mut place = format!("Ln {}, Col {}", text::grouped(u64::from(line) + 1), text::grouped(column as u64 + 1));
    let selected: usize = selections.iter().map(|selection| selection.range().len()).sum();
    if selections.count() > 1 {
        place = format!("{place} · {} carets", selections.count());
    }
    if selected > 0 {
        place = format!("{place} · {} selected", text::grouped(selected as u64));
    }
    place
}

fn item(ui: &mut Ui, icon: Option<Icon>, shown: &str, spoken: &str, button: bool) -> Response {
    let (theme, _) = look(ui);
    colored(ui, icon, shown, spoken, button, theme.text.muted)
}

fn colored(ui: &mut Ui, icon: Option<Icon>, shown: &str, spoken: &str, button: bool, color: Color32) -> Response {
    marked(ui, icon.map(|icon| (icon, color)), shown, spoken, button, color)
}

/// A word with an icon that has a colour of its own.
fn marked(
    ui: &mut Ui,
    icon: Option<(Icon, Color32)>,
    shown: &str,
    spoken: &str,
    button: bool,
    color: Color32,
) -> Response {
    let (theme, metrics) = look(ui);
    let lead = if icon.is_some() { 18.0 } else { 0.0 };
    let room = (ui.available_width() - 2.0 * space::S - lead).clamp(0.0, 320.0);
    let galley = text::line(ui, shown, metrics.small(), color, room);
    let size = vec2((galley.size().x + lead + 2.0 * space::S).ceil(), STATUS - 1.0);
    let (rect, response) = ui.allocate_exact_size(size, if button { Sense::click() } else { Sense::hover() });
    let role = if button { Role::Button } else { Role::Label };
    response.widget_info(|| WidgetInfo::labeled(role, ui.is_enabled(), spoken));
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let painter = ui.painter();
    let lit = button && response.hovered();
    if lit {
        painter.rect_filled(rect, 0.0, theme.surface.hover);
    }
    if let Some((icon, own)) = icon {
        let own = if lit && own == color { theme.text.normal } else { own };
        icon.paint_sized(painter, pos2(rect.left() + space::S + 7.0, rect.center().y), 14.0, own);
    }
    let color = if lit { theme.text.normal } else { color };
    let at = pos2(rect.left() + space::S + lead, rect.center().y - galley.size().y / 2.0);
    painter.galley_with_override_text_color(at, galley, color);
    focus_ring(painter, theme, &response, rect, radius::CONTROL);
    response
}
