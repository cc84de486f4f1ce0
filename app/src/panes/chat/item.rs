//! The items of a conversation: how high each is, and how it is drawn.
//!
//! How high an item is, is known until the item, the width or the look changes; what was laid out of it is kept while it is
//! near the view. Texts that were laid out are places in egui's atlas of glyphs: whenever egui clears that, its cached
//! layouts go, too, so one that is asked for in every frame, the *witness*, is another one then, and all is laid out anew.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::event::End;
use agent::protocol::ShownCode;
use diff::lines::Content;
use editor::syntax::LineSpan;
use eframe::egui::text::LayoutJob;
use eframe::egui::{
    Align, FontId, Galley, Id, Layout, Pos2, Rect, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo,
    epaint::text::TextFormat, pos2, vec2,
};
use rustc_hash::FxHashMap;

use super::card::{action, details, written};
use super::patch::Body;
use crate::code_view::lines::{Lines, TextKey};
use crate::state::chats::transcript::{Entry, Item};
use crate::state::highlights::{Highlights, Source};
use crate::tasks::Tasks;
use crate::theme::{Ground, Syntax, icons, look, radius, space};
use crate::widgets::markdown::{Code, CodeBlock, Markdown, code_blocks, code_job};
use crate::widgets::{Button, ICON_ALONE, IconButton, text};

/// Space below an item.
const GAP: f32 = 8.0;
/// Height of a row that can be opened.
pub const ROW: f32 = 28.0;
/// Room that a small button takes in a row of them.
const SMALL_BUTTON: f32 = 26.0;
const APPLY: &str = "Apply";
/// Lines of an action that is being written that are shown: its last.
const TAIL: usize = 8;

/// What was pressed in an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Pressed {
    /// Opens or folds it.
    Toggle(usize),
    Copy(String),
    /// Puts a text where the caret of the editor is.
    Insert(String),
    /// Puts the code of an answer, which is that item, into its file.
    Apply(Box<ShownCode>, usize),
    /// Opens a text in a tab of its own.
    OpenText {
        text: String,
        language: String,
    },
    OpenFile(String),
    /// Takes back the run and what followed; its prompt can be written anew.
    EditPrompt(u32),
    /// Takes back files, conversation or both, from a run on.
    Rewind(u32, agent::checkpoint::What),
    /// Asks the same again.
    Retry(u32),
    /// Says that it shall go on.
    Continue,
}

/// Everything that was laid out.
#[derive(Default)]
pub struct Laid {
    /// The version of each item that was measured, and how high it is.
    heights: Vec<Option<(u32, f32)>>,
    items: FxHashMap<usize, One>,
    width: f32,
    of: Option<(usize, u32)>,
    witness: Option<Arc<Galley>>,
}

struct One {
    version: u32,
    what: What,
}

/// Items that may be kept; beyond, those go that are further from the view than this.
const KEPT: usize = 192;
const NEAR: usize = 48;

enum What {
    Markdown(Markdown),
    /// A row, and below it what it holds while it is open.
    Row(Option<Body>),
    Line(Arc<Galley>),
    /// A line with buttons below it.
    Offer(Arc<Galley>),
    /// There is nothing to say.
    Nothing,
}

/// What drawing needs beside the item.
pub struct Brush<'a> {
    pub highlights: &'a mut Highlights,
    pub tasks: &'a Tasks,
    /// Whether a run is under way: what would begin another is not offered.
    pub running: bool,
    /// The file in front, from the root of the project.
    pub front: Option<&'a str>,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

impl Laid {
    /// Forgets everything when the width, the look or the atlas of glyphs is another one.
    pub fn fit(&mut self, ui: &Ui, width: f32) {
        let (theme, metrics) = look(ui);
        let of = (std::ptr::from_ref(theme) as usize, metrics.ui_size.to_bits() ^ metrics.code_size.to_bits());
        let witness = wrapped(ui, LayoutJob::simple_singleline("0".to_owned(), metrics.body(), theme.text.normal));
        let is_same = self.witness.as_ref().is_some_and(|before| Arc::ptr_eq(before, &witness));
        if self.width != width || self.of != Some(of) {
            self.clear();
        } else if !is_same {
            self.items.clear();
        }
        (self.width, self.of, self.witness) = (width, Some(of), Some(witness));
    }

    /// Forgets everything: another conversation is shown.
    pub fn clear(&mut self) {
        self.items.clear();
        self.heights.clear();
    }

    /// Lets go of what was laid out far from the items that are shown.
    pub fn keep_near(&mut self, shown: std::ops::Range<usize>) {
        if self.items.len() > KEPT {
            let near = shown.start.saturating_sub(NEAR)..shown.end + NEAR;
            self.items.retain(|index, _| near.contains(index));
        }
    }

    /// How high an item is, with the space below it.
    pub fn height(&mut self, ui: &Ui, index: usize, entry: &Entry) -> f32 {
        match self.heights.get(index).copied().flatten() {
            Some((version, height)) if version == entry.version => height,
            _ => self.lay_out(ui, index, entry),
        }
    }

    fn lay_out(&mut self, ui: &Ui, index: usize, entry: &Entry) -> f32 {
        let before = self.items.remove(&index).map(|one| one.what);
        let (height, what) = lay_out(ui, entry, self.width, before);
        let version = entry.version;
        self.items.insert(index, One { version, what });
        if self.heights.len() <= index {
            self.heights.resize(index + 1, None);
        }
        self.heights[index] = Some((version, height + GAP));
        height + GAP
    }

    /// Draws an item; what was pressed in it.
    pub fn draw(
        &mut self,
        ui: &mut Ui,
        index: usize,
        entry: &Entry,
        at: Pos2,
        brush: &mut Brush<'_>,
    ) -> Option<Pressed> {
        if self.items.get(&index).is_none_or(|one| one.version != entry.version) {
            self.lay_out(ui, index, entry);
        }
        let height = self.height(ui, index, entry);
        let one = self.items.get(&index)?;
        let rect = Rect::from_min_size(at, vec2(self.width, height - GAP));
        let id = ui.scope_id().with(("item", index));
        match (&entry.item, &one.what) {
            (Item::Prompt { run, attached, text }, What::Markdown(markdown)) => {
                prompt(ui, rect, markdown, *run, text, attached, id, brush)
            }
            (Item::Answer { text }, What::Markdown(markdown)) => answer(ui, rect, markdown, text, (index, id), brush),
            (Item::Thought { from, until, text }, What::Row(body)) => {
                let seconds = (until.map_or(brush.now, |until| until.0) - from.0).max(0) / 1000;
                let running = until.is_none() && brush.running;
                thought(ui, rect, body.as_ref(), text, seconds, running, entry.open, id)
                    .then_some(Pressed::Toggle(index))
            }
            (Item::Action(card), What::Row(body)) => {
                action(ui, rect, body.as_ref(), card, entry.open, index, id, brush)
            }
            (Item::Writing(writing), What::Row(body)) => {
                written(ui, rect, body.as_ref(), writing, id);
                None
            }
            (Item::Notice { is_error, .. }, What::Line(line)) => {
                notice(ui, rect, line, *is_error, id);
                None
            }
            (Item::Ended { .. }, What::Line(line)) => {
                notice(ui, rect, line, false, id);
                None
            }
            (Item::Ended { run, end, .. }, What::Offer(line)) => {
                let (retry, go_on) = offers(*end);
                offer(ui, rect, line, *run, retry, go_on, id, brush)
            }
            (Item::Interrupted { run }, What::Offer(line)) => offer(ui, rect, line, *run, true, true, id, brush),
            _ => None,
        }
    }
}

/// Whether the same can be asked again after an end like this, and whether it can go on.
fn offers(end: End) -> (bool, bool) {
    match end {
        End::Done | End::Answered => (false, false),
        End::StepLimit | End::Stopped | End::Loop | End::NoAction => (true, true),
        End::Denied | End::Unreachable | End::Overflow | End::Failed => (true, false),
    }
}

/// How high an item is, and how it is drawn; `before` is what was laid out of it when it was shorter.
fn lay_out(ui: &Ui, entry: &Entry, width: f32, before: Option<What>) -> (f32, What) {
    let (theme, metrics) = look(ui);
    match &entry.item {
        Item::Prompt { text, attached, .. } => {
            let markdown = Markdown::new(ui, text, width - 2.0 * space::M);
            let chips = if attached.is_empty() { 0.0 } else { 20.0 };
            (markdown.height() + 2.0 * space::S + chips, What::Markdown(markdown))
        }
        Item::Answer { text } => {
            let markdown = match before {
                Some(What::Markdown(before)) => before.grown(ui, text, width),
                _ => Markdown::new(ui, text, width),
            };
            (markdown.height(), What::Markdown(markdown))
        }
        Item::Thought { text, .. } => {
            let body = entry.open.then(|| {
                let font = metrics.small();
                let job = LayoutJob::simple(text.trim().to_owned(), font, theme.text.muted, width - 24.0);
                Body::plain(wrapped(ui, job))
            });
            (ROW + body.as_ref().map_or(0.0, |body| body.height() + space::S), What::Row(body))
        }
        Item::Action(card) => {
            let body = entry.open.then(|| details(card, theme, &metrics, width - 2.0 * space::S).body(ui));
            (ROW + body.as_ref().map_or(0.0, |body| body.height() + space::XS + space::S), What::Row(body))
        }
        Item::Writing(writing) => {
            let body = (!writing.text.is_empty()).then(|| {
                let lines: Vec<&str> = writing.text.lines().collect();
                let shown = lines[lines.len().saturating_sub(TAIL)..].join("\n");
                let mut job = LayoutJob::simple(shown, metrics.code_inline(), theme.text.muted, f32::INFINITY);
                job.wrap.max_rows = TAIL;
                Body::plain(wrapped(ui, job))
            });
            (ROW + body.as_ref().map_or(0.0, |body| body.height() + space::S), What::Row(body))
        }
        Item::Notice { text, is_error } => notice_height(ui, &text::sentence(text), *is_error, width),
        Item::Ended { end, files, .. } => {
            let (retry, go_on) = offers(*end);
            if !retry && !go_on {
                // Who asked for a change sees that none came of it; an answer is not meant to make any.
                if *end == End::Done && files.is_empty() {
                    return notice_height(ui, "Nothing was changed.", false, width);
                }
                return (0.0, What::Nothing);
            }
            let changed = match files.len() {
                0 => String::new(),
                1 => " One file was changed.".to_owned(),
                many => format!(" {many} files were changed."),
            };
            let line = LayoutJob::simple(
                format!("{}{changed}", end.sentence()),
                metrics.body(),
                theme.text.normal,
                width - 24.0,
            );
            offer_height(wrapped(ui, line))
        }
        Item::Interrupted { .. } => {
            let said = "The window was closed in the middle of this run. What it had done is kept.";
            offer_height(wrapped(
                ui,
                LayoutJob::simple(said.to_owned(), metrics.body(), theme.text.normal, width - 24.0),
            ))
        }
    }
}

fn notice_height(ui: &Ui, said: &str, is_error: bool, width: f32) -> (f32, What) {
    let (theme, metrics) = look(ui);
    let color = if is_error { theme.text.normal } else { theme.text.muted };
    let edge = if is_error { 2.0 * space::S } else { space::XS };
    let room = width - 24.0 - if is_error { 2.0 * space::S } else { 0.0 };
    let line = wrapped(ui, LayoutJob::simple(said.to_owned(), metrics.small(), color, room));
    (line.size().y + edge, What::Line(line))
}

fn offer_height(line: Arc<Galley>) -> (f32, What) {
    (line.size().y + 28.0 + 2.0 * space::S + 4.0, What::Offer(line))
}

fn wrapped(ui: &Ui, job: LayoutJob) -> Arc<Galley> {
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

#[expect(clippy::too_many_arguments, reason = "the parts of one item and what it is drawn with")]
fn prompt(
    ui: &mut Ui,
    rect: Rect,
    markdown: &Markdown,
    run: u32,
    said: &str,
    attached: &[String],
    id: Id,
    brush: &mut Brush<'_>,
) -> Option<Pressed> {
    let (theme, metrics) = look(ui);
    let hover = ui.interact(rect, id, Sense::hover());
    ui.painter().rect(
        rect,
        radius::CARD,
        theme.surface.raised,
        Stroke::new(1.0, theme.border.line),
        eframe::egui::StrokeKind::Inside,
    );
    markdown.show_coloured(ui, rect.min + vec2(space::M, space::S), id.with("text"), &mut |ui, code, width| {
        coloured(ui, code, width, brush)
    });
    if !attached.is_empty() {
        let line = text::line(
            ui,
            &format!("with {}", attached.join(", ")),
            metrics.small(),
            theme.text.muted,
            rect.width() - 2.0 * space::M,
        );
        let at = pos2(rect.left() + space::M, rect.bottom() - space::XS - line.size().y);
        ui.painter().galley(at, line, theme.text.muted);
    }
    // Of its menu the pointer leaves the message, and the menu stays.
    let menu = id.with("menu");
    let inside =
        ui.rect_contains_pointer(rect) || hover.has_focus() || ui.data(|data| data.get_temp(menu) == Some(true));
    if !inside || brush.running {
        return None;
    }
    let mut pressed = None;
    let mut is_open = false;
    buttons(ui, rect.right_top() + vec2(-space::XS, -10.0), 2.0 * SMALL_BUTTON + ICON_ALONE, id, |ui| {
        if ui.add(IconButton::new(icons::COPY, "Copy message")).clicked() {
            pressed = Some(Pressed::Copy(said.to_owned()));
        }
        if ui.add(IconButton::new(icons::EDIT, "Edit and send again")).clicked() {
            pressed = Some(Pressed::EditPrompt(run));
        }
        let more = crate::widgets::Dropdown::of(Button::new("").icon(icons::UNDO).quiet().name("Rewind to here"));
        let shown = more.menu_width(240.0).show(ui, |ui| {
            use agent::checkpoint::What;
            for (label, what) in [
                ("Take back files and conversation", What::Both),
                ("Take back files only", What::Files),
                ("Take back conversation only", What::Conversation),
            ] {
                if ui.add(crate::widgets::MenuItem::new(label)).clicked() {
                    pressed = Some(Pressed::Rewind(run, what));
                }
            }
        });
        is_open = shown.inner.is_some();
    });
    ui.data_mut(|data| data.insert_temp(menu, is_open));
    pressed
}

/// Buttons that float at the right of something while the pointer is over it.
fn buttons(ui: &mut Ui, right_top: Pos2, width: f32, id: Id, add: impl FnOnce(&mut Ui)) {
    let (theme, _) = look(ui);
    let size = vec2(width + 4.0, 26.0);
    // Of what begins at the top, or above it, they stay in view.
    let top = right_top.y.max(ui.clip_rect().top());
    let rect = Rect::from_min_size(pos2(right_top.x - size.x, top), size);
    let edge = Stroke::new(1.0, theme.border.line);
    ui.painter().rect(rect, radius::CONTROL, theme.surface.raised, edge, eframe::egui::StrokeKind::Inside);
    let inner = UiBuilder::new()
        .id_salt(id.with("buttons"))
        .max_rect(rect.shrink(1.0))
        .layout(Layout::left_to_right(Align::Center));
    let mut ui = ui.new_child(inner);
    ui.spacing_mut().item_spacing.x = 2.0;
    add(&mut ui);
}

/// The file that a block of code of an answer can be put into, and the code as it would be.
pub(crate) fn applicable(block: &CodeBlock, front: Option<&str>) -> Option<ShownCode> {
    ShownCode::read(&block.info, &block.before, &block.code, front)
}

/// Puts a block of code into its file, where it can be told which that is.
fn apply_button(ui: &mut Ui, code: &ShownCode, running: bool) -> bool {
    let which = if code.is_named { "" } else { ", the file in front" };
    let tip = match running {
        true => "Can be applied when the run is over".to_owned(),
        false => format!("Apply to {}{which}; you review the change", code.path),
    };
    let button = Button::new(APPLY).icon(icons::CHECK).quiet().name(format!("Apply to {}", code.path)).tip(tip);
    ui.add_enabled(!running, button).clicked()
}

fn answer(
    ui: &mut Ui,
    rect: Rect,
    markdown: &Markdown,
    said: &str,
    (index, id): (usize, Id),
    brush: &mut Brush<'_>,
) -> Option<Pressed> {
    markdown.show_coloured(ui, rect.min, id, &mut |ui, code, width| coloured(ui, code, width, brush));
    if !ui.rect_contains_pointer(rect) {
        return None;
    }
    let pointer = ui.ctx().pointer_hover_pos()?;
    let mut pressed = None;
    match markdown.code(rect.min).enumerate().find(|(_, (block, _))| block.contains(pointer)) {
        Some((n, (block, code))) => {
            let applied = code_blocks(said).get(n).and_then(|block| applicable(block, brush.front));
            let apply = applied.as_ref().map_or(0.0, |_| apply_width(ui) + 2.0);
            buttons(ui, block.right_top() + vec2(-2.0, 2.0), 3.0 * SMALL_BUTTON + apply, id.with(n), |ui| {
                if let Some(shown) = applied
                    && apply_button(ui, &shown, brush.running)
                {
                    pressed = Some(Pressed::Apply(Box::new(shown), index));
                }
                if ui.add(IconButton::new(icons::COPY, "Copy code").small()).clicked() {
                    pressed = Some(Pressed::Copy(code.text().into_owned()));
                }
                if ui.add(IconButton::new(icons::ARROW_BEND_DOWN_LEFT, "Insert at the caret").small()).clicked() {
                    pressed = Some(Pressed::Insert(code.text().into_owned()));
                }
                if ui.add(IconButton::new(icons::FILE_PLUS, "Open in a new tab").small()).clicked() {
                    pressed = Some(Pressed::OpenText { text: code.text().into_owned(), language: code.info.clone() });
                }
            });
        }
        None => buttons(ui, rect.right_top() + vec2(0.0, -12.0), SMALL_BUTTON, id, |ui| {
            if ui.add(IconButton::new(icons::COPY, "Copy answer").small()).clicked() {
                pressed = Some(Pressed::Copy(said.trim().to_owned()));
            }
        }),
    }
    pressed
}

/// How wide the button is that applies code.
fn apply_width(ui: &Ui) -> f32 {
    let (theme, metrics) = look(ui);
    // Its text, the icon before it and the room around both.
    text::line(ui, APPLY, metrics.body(), theme.text.normal, f32::INFINITY).size().x.ceil() + 16.0 + 6.0 + 20.0
}

/// A block of code in the colours of its language.
fn coloured(ui: &Ui, code: &Code, width: f32, brush: &mut Brush<'_>) -> Option<Arc<Galley>> {
    let (theme, metrics) = look(ui);
    let path = path_of(&code.info)?;
    let content: &Content = &code.content;
    let lines = content.line_count();
    brush.highlights.want(&Source::Fixed(content, &path), 0..lines, brush.tasks);
    let key = TextKey::of_content(content);
    let syntax = theme.syntax_on(Ground::Page);
    let font = metrics.code_inline();
    let mut job = code_job("", font.clone(), theme.text.normal, width);
    let mut any = false;
    for line in 0..lines {
        let bytes = Lines::window(content, line, 0..Lines::len(content, line));
        let spans = brush.highlights.spans(key, line);
        any |= !spans.is_empty();
        push_code(&mut job, &bytes, spans, syntax, &font);
        if line + 1 < lines {
            job.append("\n", 0.0, TextFormat::simple(font.clone(), theme.text.normal));
        }
    }
    any.then(|| wrapped(ui, job))
}

/// Adds a line of code in its colours.
pub(super) fn push_code(job: &mut LayoutJob, code: &str, spans: &[LineSpan], syntax: &Syntax, font: &FontId) {
    let mut at = 0;
    let mut push = |range: std::ops::Range<usize>, color| {
        if let Some(part) = code.get(range).filter(|part| !part.is_empty()) {
            job.append(part, 0.0, TextFormat::simple(font.clone(), color));
        }
    };
    for span in spans {
        let (start, end) = ((span.start as usize).max(at), (span.end as usize).min(code.len()));
        push(at..start, syntax.variable);
        push(start..end.max(start), syntax.color(span.token));
        at = end.max(start);
    }
    push(at..code.len(), syntax.variable);
}

/// A path that has the language of a fence.
fn path_of(info: &str) -> Option<PathBuf> {
    let word = info.split([' ', ',', '{']).next().filter(|word| !word.is_empty())?;
    if Path::new(word).extension().is_some() {
        return Some(PathBuf::from(word));
    }
    let extension = match word.to_ascii_lowercase().as_str() {
        "rust" => "rs".to_owned(),
        "python" => "py".to_owned(),
        "javascript" => "js".to_owned(),
        "typescript" => "ts".to_owned(),
        "shell" | "console" | "zsh" => "sh".to_owned(),
        "csharp" => "cs".to_owned(),
        "c++" => "cpp".to_owned(),
        "ruby" => "rb".to_owned(),
        "markdown" => "md".to_owned(),
        other => other.to_owned(),
    };
    Some(PathBuf::from(format!("code.{extension}")))
}

#[expect(clippy::too_many_arguments, reason = "the parts of one item and what it is drawn with")]
fn thought(
    ui: &mut Ui,
    rect: Rect,
    body: Option<&Body>,
    said: &str,
    seconds: i64,
    running: bool,
    open: bool,
    id: Id,
) -> bool {
    let (theme, metrics) = look(ui);
    let row = Rect::from_min_size(rect.min, vec2(rect.width(), ROW));
    let title = match (running, seconds) {
        (true, seconds) => format!("Thinking… {seconds} s"),
        (false, 0) => "Thought briefly".to_owned(),
        (false, seconds) => format!("Thought for {seconds} s"),
    };
    let response = ui.interact(row, id, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, &title));
    let color = if response.hovered() { theme.text.normal } else { theme.text.muted };
    let caret = if open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
    let painter = ui.painter();
    caret.paint_sized(painter, pos2(row.left() + 8.0, row.center().y), 12.0, color);
    let galley = text::line(ui, &title, metrics.small(), color, row.width() - 24.0);
    let end = row.left() + 20.0 + galley.size().x;
    painter.galley(pos2(row.left() + 20.0, row.center().y - galley.size().y / 2.0), galley, color);
    if !open && let Some(live) = said.trim_end().lines().next_back().filter(|_| running) {
        let room = row.right() - end - space::S;
        let line = text::line(ui, live, metrics.small(), theme.text.faint, room.max(0.0));
        painter.galley(pos2(end + space::S, row.center().y - line.size().y / 2.0), line, theme.text.faint);
    }
    if let Some(body) = body {
        let at = row.left_bottom() + vec2(20.0, 0.0);
        painter.vline(row.left() + 8.0, at.y..=at.y + body.height(), Stroke::new(1.0, theme.border.line));
        body.draw(painter, at, 0.0, theme);
    }
    response.clicked()
}

fn notice(ui: &mut Ui, rect: Rect, line: &Arc<Galley>, is_error: bool, id: Id) {
    let (theme, _) = look(ui);
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, line.text()));
    let (icon, color) = match is_error {
        true => (icons::DANGER, theme.signal.danger),
        false => (icons::INFO, theme.text.faint),
    };
    if is_error {
        ui.painter().rect_filled(rect, radius::CONTROL, theme.signal.danger_soft);
    }
    let top = if is_error { rect.top() + space::S } else { rect.top() + 2.0 };
    let inset = if is_error { space::S } else { 0.0 };
    icon.paint_sized(ui.painter(), pos2(rect.left() + 8.0 + inset, top + 7.0), 14.0, color);
    ui.painter().galley(pos2(rect.left() + 20.0 + inset, top), line.clone(), theme.text.muted);
}

#[expect(clippy::too_many_arguments, reason = "the parts of one item and what it is drawn with")]
fn offer(
    ui: &mut Ui,
    rect: Rect,
    line: &Arc<Galley>,
    run: u32,
    retry: bool,
    go_on: bool,
    id: Id,
    brush: &Brush<'_>,
) -> Option<Pressed> {
    let (theme, _) = look(ui);
    let response = ui.interact(rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, line.text()));
    ui.painter().rect_filled(rect, radius::CONTROL, theme.surface.base);
    ui.painter().galley(rect.min + vec2(space::M, space::S), line.clone(), theme.text.normal);
    let row = Rect::from_min_max(
        pos2(rect.left() + space::M, rect.bottom() - 28.0 - space::S),
        rect.max - vec2(space::M, space::S),
    );
    let builder = UiBuilder::new().id_salt(id.with("offer")).max_rect(row).layout(Layout::left_to_right(Align::Center));
    let mut ui = ui.new_child(builder);
    let mut pressed = None;
    ui.add_enabled_ui(!brush.running, |ui| {
        if go_on && ui.add(Button::new("Continue").icon(icons::PLAY)).clicked() {
            pressed = Some(Pressed::Continue);
        }
        if retry && ui.add(Button::new("Try again").icon(icons::REFRESH)).clicked() {
            pressed = Some(Pressed::Retry(run));
        }
    });
    pressed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_tells_its_language_by_name_or_by_path() {
        assert_eq!(path_of("rust,ignore"), Some("code.rs".into()));
        assert_eq!(path_of("src/main.py"), Some("src/main.py".into()));
        assert_eq!(path_of("toml"), Some("code.toml".into()));
        assert_eq!(path_of(""), None);
    }
}
