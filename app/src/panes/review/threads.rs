//! Threads on the page: cards below the lines they are about, on their side, and the inputs in them.
//!
//! A *block* is what stands below a line: a thread, or the input of one that is not begun. Its height is known before it is
//! drawn, and it takes whole rows of the page, so that what is below it stays on the grid. A *pen* goes over a card from
//! top to bottom, drawing or only measuring, so the two cannot disagree.
//!
//! What is done in a card is gathered while it is drawn and carried out behind it.

use std::hash::{Hash, Hasher};

use diff::comments::{Id, Message, Moment, Placement, Thread};
use diff::git::Side;
use diff::plan::RunKind;
use diff::review::{Below, PageRow};
use diff::store::{Comments, SheetId, Write};
use eframe::egui::{self, Align, Label, Layout, Rect, RichText, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};
use egui_tiles::TileId;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::geometry::Geometry;
use super::rows::Painted;
use super::{ReviewPane, navigate, part};
use crate::panes::focus_id;
use crate::state::desk::ReviewDesk;
use crate::state::notices::{Level, Notices};
use crate::state::reviews::OpenReview;
use crate::state::reviews::discussion::{Composer, Discussion, Placed, Target};
use crate::theme::{Theme, fonts, icons, look, radius, space};
use crate::widgets::markdown::{Markdown, first_line};
use crate::widgets::{Badge, Button, IconButton, TextArea, Tone, text};

/// Widest that a card gets: lines longer than this are hard to read.
const WIDEST: f32 = 760.0;
/// Room above and below a card.
const AROUND: f32 = 4.0;
/// Room for the buttons of a message.
const BUTTONS: f32 = 56.0;
/// Lines that are quoted of those a stale thread was about.
const QUOTED: usize = 4;

/// Something below a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    Thread(Id),
    /// The composer of a thread that is not begun.
    New(u64),
}

/// What of the threads belongs to one view.
#[derive(Default)]
pub struct ThreadView {
    /// How high blocks are, and what that is true of.
    heights: FxHashMap<Block, (u64, f32)>,
    /// Resolved threads that were opened.
    open: FxHashSet<Id>,
    /// A block to be brought into view.
    show: Option<Block>,
}

impl ThreadView {
    /// Opens a thread, should it be resolved, and brings it into view when it is laid out.
    pub fn show(&mut self, block: Block) {
        if let Block::Thread(thread) = block {
            self.open.insert(thread);
        }
        self.show = Some(block);
    }

    /// Whether something is still to be brought into view.
    pub fn is_busy(&self) -> bool {
        self.show.is_some()
    }
}

/// What was done in a card.
enum Deed {
    Compose(Target),
    Typed(u64, String),
    Focused(u64),
    Submit(u64),
    Leave(u64),
    Discard(u64),
    Resolve(Id, bool),
    Delete(Id, Option<Id>),
    Toggle(Id),
}

/// What cards are made of.
struct Cards<'a> {
    comments: &'a Comments,
    discussion: &'a Discussion,
    desk: &'a ReviewDesk,
    sheet: SheetId,
    open: &'a FxHashSet<Id>,
    tile: TileId,
}

/// The blocks of a file with the lines they stand below, in the order in which they stand.
fn blocks(review: &OpenReview, file: usize) -> Vec<(Side, u32, Block)> {
    let lines = review.page.file(file).and_then(|entry| entry.lines());
    let last = |side| lines.map_or(0, |lines| lines.line_count(side).saturating_sub(1));
    let of_file = review.discussion.placed.iter().filter(|placed| placed.file == file);
    let threads = of_file.filter_map(|placed| {
        let line = placed.placement.as_ref()?.line().min(last(placed.side));
        Some((placed.side, line, Block::Thread(placed.thread)))
    });
    let new = review.discussion.composers.iter().filter_map(|composer| match &composer.target {
        Target::New { file: of, side, lines, .. } if *of == file => {
            Some((*side, lines.end.saturating_sub(1).min(last(*side)), Block::New(composer.number)))
        }
        _ => None,
    });
    threads.chain(new).collect()
}

/// Makes room below lines. The reader's line stays where it is; a block that is to be shown comes into view.
pub fn lay_out(
    ui: &mut Ui,
    tile: TileId,
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    desk: &ReviewDesk,
    geometry: &Geometry,
) {
    let Some(sheet) = review.sheet else { return };
    let discussion = &review.discussion;
    if discussion.placed.is_empty() && discussion.composers.is_empty() && discussion.below.is_empty() {
        return;
    }
    let new = discussion.composers.iter().filter_map(|composer| match &composer.target {
        Target::New { file, .. } => Some(*file),
        _ => None,
    });
    let mut files = discussion.below.clone();
    files.extend(discussion.placed.iter().map(|placed| placed.file).chain(new));
    let held = review.page.hold(pane.anchor);
    let before = review.page.version();
    for file in files {
        if review.page.file(file).is_none_or(|entry| entry.lines().is_none()) {
            continue;
        }
        let blocks = blocks(review, file);
        for &(side, line, block) in &blocks {
            reveal(review, desk, sheet, file, (side, line), block);
        }
        let below = blocks.iter().map(|&(side, line, block)| {
            let height = height(ui, tile, &mut pane.threads, review, desk, sheet, geometry, side, block);
            Below { side, line, rows: (height / geometry.row).ceil().max(1.0) as u32 }
        });
        let below: Vec<_> = below.collect();
        match below.is_empty() {
            true => review.discussion.below.remove(&file),
            false => review.discussion.below.insert(file),
        };
        review.page.set_below(file, below);
    }
    if review.page.version() != before {
        pane.anchor = review.page.resume(held);
    }
    bring_into_view(pane, review);
}

/// Shows the line of a thread that needs an answer, where context hides it.
fn reveal(
    review: &mut OpenReview,
    desk: &ReviewDesk,
    sheet: SheetId,
    file: usize,
    (side, line): (Side, u32),
    block: Block,
) {
    let is_done =
        |id| desk.comments(sheet).and_then(|comments| comments.thread(id)).is_none_or(|thread| thread.resolved);
    if matches!(block, Block::Thread(id) if is_done(id)) {
        return;
    }
    let entry = review.page.file(file);
    let row = entry.and_then(|entry| entry.plan()).and_then(|plan| plan.row(plan.row_of_line(side, line)));
    let Some(gap) = row.filter(|row| row.kind == RunKind::Gap) else { return };
    let (Some(new), start) = (gap.new, if side == Side::Old { gap.old } else { gap.new }) else { return };
    let at = new + line.saturating_sub(start.unwrap_or(line));
    review.page.reveal(file, at.saturating_sub(1).max(new)..at + 1);
}

fn bring_into_view(pane: &mut ReviewPane, review: &OpenReview) {
    let Some(block) = pane.threads.show else { return };
    let found = match block {
        Block::Thread(thread) => review.discussion.place(thread).map(|placed| placed.file),
        Block::New(number) => review.discussion.composers.iter().find_map(|composer| match &composer.target {
            Target::New { file, .. } if composer.number == number => Some(*file),
            _ => None,
        }),
    };
    let Some(file) = found else {
        pane.threads.show = None;
        return;
    };
    // While a jump is under way, or its file on its way, it is too early.
    let is_there = review.page.file(file).is_some_and(|entry| entry.plan().is_some() || entry.folded);
    if pane.wanted.is_some() || !is_there {
        return;
    }
    pane.threads.show = None;
    let Some((top, rows)) = place_of(review, file, block) else { return };
    let view = review.page.position_of(pane.anchor);
    let (first, last) = (view + f64::from(diff::review::HEADER_ROWS) + 1.0, view + pane.view - 1.0);
    if top < first {
        navigate::scroll_by(pane, review, top - first);
    } else if top + f64::from(rows) > last {
        // Its end, unless then its line would be out of view.
        navigate::scroll_by(pane, review, (top + f64::from(rows) - last).min(top - first));
    }
}

/// The row of the page that the line of a block is at, and how many rows it takes from there with the block.
fn place_of(review: &OpenReview, file: usize, block: Block) -> Option<(f64, u32)> {
    let (side, line, _) = blocks(review, file).into_iter().find(|(_, _, known)| *known == block)?;
    let at = review.page.row_of_line(file, side, line);
    let entry = review.page.file(file)?;
    let plan_row = entry.plan_row(at.row);
    let rows = entry.row_of(plan_row + 1).saturating_sub(entry.row_of(plan_row)).max(1);
    Some(((review.page.index().start(file) + u64::from(at.row)) as f64, rows))
}

#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
fn height(
    ui: &mut Ui,
    tile: TileId,
    view: &mut ThreadView,
    review: &OpenReview,
    desk: &ReviewDesk,
    sheet: SheetId,
    geometry: &Geometry,
    side: Side,
    block: Block,
) -> f32 {
    let Some(comments) = desk.comments(sheet) else { return 0.0 };
    let width = card_span(geometry, side).1;
    let mut hasher = FxHasher::default();
    let (_, metrics) = look(ui);
    (desk.version(), width.to_bits(), metrics.ui_size.to_bits()).hash(&mut hasher);
    if let Block::Thread(id) = block {
        view.open.contains(&id).hash(&mut hasher);
        review
            .discussion
            .place(id)
            .is_some_and(|p| p.placement.as_ref().is_some_and(Placement::is_stale))
            .hash(&mut hasher);
    }
    let mine = |composer: &&Composer| match block {
        Block::Thread(id) => composer.thread() == Some(id),
        Block::New(number) => composer.number == number,
    };
    review.discussion.composers.iter().filter(mine).for_each(|composer| composer.text.hash(&mut hasher));
    let key = hasher.finish();
    if let Some((of, height)) = view.heights.get(&block)
        && *of == key
    {
        return *height;
    }
    let cards = Cards { comments, discussion: &review.discussion, desk, sheet, open: &view.open, tile };
    let mut pen = Pen { ui, draws: false, x: 0.0, y: 0.0, width, deeds: Vec::new() };
    cards.card(&mut pen, block);
    let height = pen.y + AROUND;
    view.heights.insert(block, (key, height));
    height
}

/// Where cards of a side begin, and how wide they are.
fn card_span(geometry: &Geometry, side: Side) -> (f32, f32) {
    let part = geometry.part(side);
    let left = part.sign.max + 4.0;
    (left, (part.whole.max - space::M - left).clamp(120.0, WIDEST))
}

/// Draws the cards in view, and does what was done in them.
#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
pub fn draw(
    ui: &mut Ui,
    tile: TileId,
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    desk: &mut ReviewDesk,
    notices: &mut Notices,
    geometry: &Geometry,
    painted: &[Painted],
) {
    let Some(sheet) = review.sheet else { return };
    let mut deeds = Vec::new();
    let mut last = None;
    let sticky = if pane.anchor.row == 0 { 0.0 } else { geometry.row * diff::review::HEADER_ROWS as f32 - 4.0 };
    let clip = Rect::from_min_max(geometry.page.min + vec2(0.0, sticky), geometry.page.max);
    for p in painted {
        let Some((plan_row, k)) = p.below.filter(|(plan_row, _)| last != Some((p.at.file, *plan_row))) else {
            continue;
        };
        last = Some((p.at.file, plan_row));
        let Some(comments) = desk.comments(sheet) else { return };
        let mut y = p.y - k as f32 * geometry.row;
        let plan = review.page.file(p.at.file).and_then(|entry| entry.plan());
        let Some(plan) = plan else { continue };
        for (side, line, block) in blocks(review, p.at.file) {
            if plan.row_of_line(side, line) != plan_row {
                continue;
            }
            let rows =
                pane.threads.heights.get(&block).map_or(1.0, |(_, height)| (height / geometry.row).ceil().max(1.0));
            let (left, width) = card_span(geometry, side);
            let mut child = ui.new_child(UiBuilder::new().id_salt((tile, "card", block)).max_rect(geometry.page));
            child.set_clip_rect(clip);
            let cards = Cards { comments, discussion: &review.discussion, desk, sheet, open: &pane.threads.open, tile };
            let mut pen = Pen { ui: &mut child, draws: true, x: left, y, width, deeds: Vec::new() };
            cards.card(&mut pen, block);
            deeds.append(&mut pen.deeds);
            y += rows * geometry.row;
        }
    }
    let source = review.source_name();
    for deed in deeds {
        carry_out(ui, tile, pane, review, desk, notices, sheet, &source, deed);
    }
}

#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
fn carry_out(
    ui: &Ui,
    tile: TileId,
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    desk: &mut ReviewDesk,
    notices: &mut Notices,
    sheet: SheetId,
    source: &str,
    deed: Deed,
) {
    let discussion = &mut review.discussion;
    let back = || ui.memory_mut(|memory| memory.request_focus(focus_id(tile)));
    match deed {
        Deed::Compose(target) => {
            let block = match &target {
                Target::Reply(thread) | Target::Draft { thread, .. } | Target::Edit { thread, .. } => {
                    Some(Block::Thread(*thread))
                }
                Target::New { .. } => None,
            };
            discussion.compose(target, desk, sheet);
            pane.threads.show = block;
        }
        Deed::Typed(number, text) => {
            if let Some(composer) = discussion.composer_mut(number) {
                composer.text = text;
                composer.touch();
                pane.threads.show = Some(composer.thread().map_or(Block::New(number), Block::Thread));
            }
        }
        Deed::Focused(number) => {
            if let Some(composer) = discussion.composer_mut(number) {
                composer.take_focus = false;
            }
        }
        Deed::Submit(number) => {
            discussion.submit(number, desk, sheet, source);
            back();
        }
        Deed::Leave(number) => {
            discussion.leave(number, desk, sheet, source);
            back();
        }
        Deed::Discard(number) => {
            discussion.discard(number, desk, sheet);
            back();
        }
        Deed::Resolve(thread, resolved) => {
            desk.write(sheet, Write::Resolve { thread, resolved });
            pane.threads.open.remove(&thread);
        }
        Deed::Delete(thread, message) => {
            desk.delete(sheet, thread, message);
            let undo = crate::commands::Command::RestoreComment;
            notices.offer(Level::Info, "The comment was deleted.", undo, "Undo");
        }
        Deed::Toggle(thread) => {
            if !pane.threads.open.remove(&thread) {
                pane.threads.open.insert(thread);
            }
        }
    }
    ui.ctx().request_repaint();
}

/// Goes over a card from top to bottom.
struct Pen<'u> {
    ui: &'u mut Ui,
    draws: bool,
    x: f32,
    y: f32,
    width: f32,
    deeds: Vec<Deed>,
}

impl Pen<'_> {
    /// A line of controls; nothing is called while only measuring.
    fn line(&mut self, height: f32, salt: impl egui::AsIdSalt, contents: impl FnOnce(&mut Ui, &mut Vec<Deed>)) {
        if self.draws {
            let rect = Rect::from_min_size(pos2(self.x, self.y), vec2(self.width, height));
            let layout = Layout::left_to_right(Align::Center);
            let mut child = self.ui.new_child(UiBuilder::new().id_salt(salt).max_rect(rect).layout(layout));
            child.spacing_mut().item_spacing.x = space::S;
            contents(&mut child, &mut self.deeds);
        }
        self.y += height;
    }

    fn markdown(&mut self, text: &str, id: egui::Id) {
        let laid = Markdown::new(self.ui, text, self.width);
        if self.draws {
            laid.show(self.ui, pos2(self.x, self.y), id);
        }
        self.y += laid.height();
    }

    /// The ground of a card around what `contents` goes over.
    fn card(&mut self, edge: Option<Tone>, contents: impl FnOnce(&mut Self)) {
        self.y += AROUND;
        let (top, left, width) = (self.y, self.x, self.width);
        let ground = self.ui.painter().add(egui::Shape::Noop);
        (self.x, self.width, self.y) = (left + space::M, width - 2.0 * space::M, top + space::S);
        contents(self);
        (self.x, self.width, self.y) = (left, width, self.y + space::S);
        if self.draws {
            let (theme, _) = look(self.ui);
            let rect = Rect::from_min_max(pos2(left, top), pos2(left + width, self.y));
            let line = edge.map_or(theme.border.line, |tone| tone.color(theme));
            let (fill, stroke) = (theme.surface.raised, Stroke::new(1.0, line));
            let shape = egui::epaint::RectShape::new(rect, radius::CARD, fill, stroke, StrokeKind::Inside);
            self.ui.painter().set(ground, shape);
        }
    }
}

impl Cards<'_> {
    fn card(&self, pen: &mut Pen<'_>, block: Block) {
        match block {
            Block::New(number) => {
                let composer = self.discussion.composers.iter().find(|composer| composer.number == number);
                let Some(composer) = composer else { return };
                pen.card(Some(Tone::Accent), |pen| {
                    if let Target::New { lines, .. } = &composer.target {
                        let at = said_lines(lines);
                        pen.line(space::ROW, "head", |ui, _| {
                            let (theme, metrics) = look(ui);
                            ui.label(RichText::new("Comment").font(metrics.medium()));
                            ui.label(RichText::new(at).color(theme.text.muted));
                        });
                    }
                    self.composer(pen, composer, "Comment");
                });
            }
            Block::Thread(id) => {
                let (Some(thread), Some(placed)) = (self.comments.thread(id), self.discussion.place(id)) else {
                    return;
                };
                let is_written = self.discussion.composers.iter().any(|composer| composer.thread() == Some(id));
                if thread.resolved && !is_written && !self.open.contains(&id) {
                    return resolved_line(pen, thread);
                }
                let edge = is_written.then_some(Tone::Accent);
                pen.card(edge, |pen| self.thread(pen, thread, placed));
            }
        }
    }

    fn thread(&self, pen: &mut Pen<'_>, thread: &Thread, placed: &Placed) {
        let is_stale = placed.placement.as_ref().is_some_and(Placement::is_stale);
        if is_stale {
            stale_lines(pen, thread);
        }
        for (n, message) in thread.messages.iter().enumerate() {
            if n > 0 {
                pen.y += space::S;
            }
            self.message(pen, thread, placed, message, n == 0);
        }
        let reply = self.discussion.composers.iter().find(|composer| match composer.target {
            Target::Reply(of) => of == thread.id,
            _ => false,
        });
        pen.y += space::S;
        if let Some(composer) = reply {
            return self.composer(pen, composer, "Reply");
        }
        // A draft is sent before anybody answers it.
        if thread.messages.last().is_some_and(|message| message.draft) {
            pen.y -= space::S;
            return;
        }
        let (id, resolved) = (thread.id, thread.resolved);
        pen.line(space::ROW, "foot", |ui, deeds| {
            if ui.add(Button::new("Reply")).clicked() {
                deeds.push(Deed::Compose(Target::Reply(id)));
            }
            if ui.add(Button::new(if resolved { "Reopen" } else { "Resolve" })).clicked() {
                deeds.push(Deed::Resolve(id, !resolved));
            }
            if resolved && ui.add(Button::new("Fold").quiet()).clicked() {
                deeds.push(Deed::Toggle(id));
            }
        });
    }

    fn message(&self, pen: &mut Pen<'_>, thread: &Thread, placed: &Placed, message: &Message, is_first: bool) {
        let salt = egui::Id::unique("message").with(message.id);
        let composer = self.discussion.composers.iter().find(|composer| composer.message() == Some(message.id));
        let is_edit_kept = Discussion::is_edit_kept(message.id, self.desk, self.sheet);
        let mine = !message.model && self.discussion.author.as_deref() == Some(message.author.as_str());
        pen.line(space::ROW, salt, |ui, deeds| {
            let (theme, metrics) = look(ui);
            let author = if mine { "You" } else { &message.author };
            if message.model {
                let (rect, icon) = ui.allocate_exact_size(vec2(16.0, space::ROW), egui::Sense::hover());
                icons::ROBOT.paint(ui.painter(), rect.center(), theme.text.muted);
                icon.on_hover_text("A model said this");
            }
            ui.label(RichText::new(author).font(metrics.medium()).color(theme.text.normal));
            let mut detail = if is_first { format!("{} · ", said_place(thread, placed)) } else { String::new() };
            detail += &ago(message.at, Moment::now());
            if !message.draft && message.edited.is_some_and(|edited| edited > message.at) {
                detail += " · edited";
            }
            let badges = [
                (message.draft, "draft", Tone::Warning),
                (message.cut, "stopped", Tone::Warning),
                (is_first && thread.resolved, "resolved", Tone::Success),
                (is_first && !thread.resolved && thread.is_answered(), "answered", Tone::Accent),
                (is_edit_kept && composer.is_none(), "edit not saved", Tone::Warning),
            ];
            for (_, word, tone) in badges.into_iter().filter(|(is_so, ..)| *is_so) {
                ui.add(Badge::new(word).tone(tone));
            }
            // Where the card is narrow, the detail gives way to the buttons.
            ui.scope(|ui| {
                ui.set_max_width((ui.available_width() - BUTTONS).max(0.0));
                ui.add(Label::new(RichText::new(detail).font(metrics.small()).color(theme.text.muted)).truncate());
            });
            if composer.is_some() {
                return;
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                if ui.add(IconButton::new(icons::TRASH, "Delete comment").small()).clicked() {
                    deeds.push(Deed::Delete(thread.id, Some(message.id)));
                }
                let (thread, message, name) =
                    (thread.id, message.id, if message.draft { "Continue" } else { "Edit comment" });
                if ui.add(IconButton::new(icons::EDIT, name).small()).clicked() {
                    let target = match name {
                        "Continue" => Target::Draft { thread, message },
                        _ => Target::Edit { thread, message },
                    };
                    deeds.push(Deed::Compose(target));
                }
            });
        });
        match composer {
            Some(composer) => self.composer(pen, composer, if message.draft { "Comment" } else { "Save" }),
            None => pen.markdown(&message.text, salt.with("text")),
        }
    }

    /// An input with its buttons; `verb` is what sending it is called.
    fn composer(&self, pen: &mut Pen<'_>, composer: &Composer, verb: &str) {
        let height = TextArea::height(pen.ui, &composer.text, pen.width);
        let rect = Rect::from_min_size(pos2(pen.x, pen.y), vec2(pen.width, height));
        let number = composer.number;
        if pen.draws {
            let mut typed = composer.text.clone();
            let id = part(self.tile, "composer").with(number);
            let name = if verb == "Reply" { "Reply" } else { "Comment text" };
            let area = TextArea::new(&mut typed, id, name).hint("Markdown. Ctrl+Enter sends, Escape keeps a draft.");
            let answer = area.show(pen.ui, rect);
            if composer.take_focus {
                answer.response.request_focus();
                pen.deeds.push(Deed::Focused(number));
            }
            if typed != composer.text {
                pen.deeds.push(Deed::Typed(number, typed));
            }
            if answer.submitted {
                pen.deeds.push(Deed::Submit(number));
            } else if answer.left {
                pen.deeds.push(Deed::Leave(number));
            }
        }
        pen.y += height + space::S;
        pen.line(space::ROW, ("send", number), |ui, deeds| {
            if ui.add(Button::new(verb).primary().key("Ctrl+Enter")).clicked() {
                deeds.push(Deed::Submit(number));
            }
            let keeps = if composer.text.trim().is_empty() { "Cancel" } else { "Keep as draft" };
            if ui.add(Button::new(keeps).key("Escape")).clicked() {
                deeds.push(Deed::Leave(number));
            }
            if !composer.text.trim().is_empty() && ui.add(Button::new("Discard").quiet()).clicked() {
                deeds.push(Deed::Discard(number));
            }
        });
    }
}

/// A resolved thread takes one line until it is opened.
fn resolved_line(pen: &mut Pen<'_>, thread: &Thread) {
    let first = thread.messages.first();
    let line = first.map(|message| first_line(&message.text)).unwrap_or_default();
    let id = thread.id;
    pen.y += AROUND;
    pen.line(space::ROW, ("resolved", id), |ui, deeds| {
        let (theme, metrics) = look(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(16.0, space::ROW), egui::Sense::hover());
        icons::SUCCESS.paint(ui.painter(), rect.center(), theme.signal.success);
        ui.label(RichText::new("Resolved").color(theme.text.muted));
        let room = (ui.available_width() - 64.0).max(0.0);
        let galley = text::line(ui, &line, metrics.body(), theme.text.muted, room);
        let (rect, _) = ui.allocate_exact_size(galley.size(), egui::Sense::hover());
        ui.painter().galley(rect.min, galley, theme.text.muted);
        if ui.add(Button::new("Show").quiet().name("Show resolved comment")).clicked() {
            deeds.push(Deed::Toggle(id));
        }
    });
}

/// What the lines said that are gone.
fn stale_lines(pen: &mut Pen<'_>, thread: &Thread) {
    pen.line(space::ROW, "stale", |ui, _| {
        ui.add(Badge::new("stale").tone(Tone::Warning).icon(icons::WARNING_CIRCLE));
        let (theme, _) = look(ui);
        ui.label(RichText::new("The lines are gone. They said:").color(theme.text.muted));
    });
    let said = String::from_utf8_lossy(&thread.anchor.text).into_owned();
    let lines: Vec<_> = said.lines().collect();
    for line in lines.iter().take(QUOTED) {
        quoted(pen, line);
    }
    if lines.len() > QUOTED {
        quoted(pen, &format!("… {} more lines", lines.len() - QUOTED));
    }
    pen.y += space::XS;
}

fn quoted(pen: &mut Pen<'_>, line: &str) {
    const HEIGHT: f32 = 18.0;
    if pen.draws {
        let (theme, _): (&Theme, _) = look(pen.ui);
        let rect = Rect::from_min_size(pos2(pen.x, pen.y), vec2(pen.width, HEIGHT));
        pen.ui.painter().rect_filled(rect, 0.0, theme.remove.line);
        let galley = text::line(pen.ui, line, fonts::code(12.0), theme.text.normal, pen.width - 2.0 * space::S);
        pen.ui.painter().galley(pos2(pen.x + space::S, pen.y + 1.0), galley, theme.text.normal);
    }
    pen.y += HEIGHT;
}

/// Lines for people, counted from 1.
fn said_lines(lines: &std::ops::Range<u32>) -> String {
    if lines.len() <= 1 { format!("line {}", lines.end) } else { format!("lines {}–{}", lines.start + 1, lines.end) }
}

fn said_place(thread: &Thread, placed: &Placed) -> String {
    let lines = match &placed.placement {
        Some(Placement::At { lines, .. }) => lines,
        Some(Placement::File) => return "file".to_owned(),
        Some(Placement::Stale { .. }) | None => &thread.anchor.lines,
    };
    let side = if placed.side == Side::Old { "old " } else { "" };
    format!("{side}{}", said_lines(lines))
}

/// How long ago something was.
fn ago(at: Moment, now: Moment) -> String {
    let seconds = now.0.saturating_sub(at.0).max(0);
    let many = |count: i64, one: &str, more: &str| format!("{count} {} ago", if count == 1 { one } else { more });
    match seconds {
        ..60 => "just now".to_owned(),
        60..3600 => many(seconds / 60, "minute", "minutes"),
        3600..86_400 => many(seconds / 3600, "hour", "hours"),
        _ => many(seconds / 86_400, "day", "days"),
    }
}

/// The row of the page that a thread's line is at.
pub fn row_of(review: &OpenReview, placed: &Placed) -> Option<PageRow> {
    let line = placed.placement.as_ref()?.line();
    Some(review.page.row_of_line(placed.file, placed.side, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_people_say_them() {
        let check = |seconds, expected: &str| assert_eq!(ago(Moment(0), Moment(seconds)), expected);
        check(3, "just now");
        check(60, "1 minute ago");
        check(7200, "2 hours ago");
        check(86_400 * 3, "3 days ago");
        check(-5, "just now");
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(said_lines(&(4..5)), "line 5");
        assert_eq!(said_lines(&(4..7)), "lines 5–7");
    }
}
