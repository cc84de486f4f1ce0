//! What stands in the body of a file that has no lines: a sentence, the commits of a submodule, pictures.

use diff::git::Side;
use diff::review::{Body, FileEntry, HEADER_ROWS, NOTE_ROWS, NoteBody, RowSign};
use eframe::egui::{
    self, Align2, Color32, EventFilter, Id, Mesh, Painter, Rangef, Rect, Role, Sense, Stroke, StrokeKind, Ui,
    UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use egui_tiles::TileId;

use super::geometry::Geometry;
use super::header::Around;
use super::rows::Painted;
use super::{ReviewPane, part};
use crate::state::pictures::{Shown, Sight};
use crate::theme::{Theme, fonts, space};
use crate::widgets::{Segmented, text};

/// How two pictures are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureView {
    /// Beside each other, in the same scale.
    #[default]
    Beside,
    /// One over the other, with a line to drag between them.
    Swipe,
    /// One fading into the other.
    Onion,
}

impl PictureView {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Beside, "Side by side"), (Self::Swipe, "Swipe"), (Self::Onion, "Onion skin")];
}

/// How the pictures of a pane are shown.
#[derive(Clone, Copy, Debug)]
pub struct PictureMode {
    view: PictureView,
    /// Where the line is, or how much of the new side is seen: from 0 to 1.
    mix: f32,
}

impl Default for PictureMode {
    fn default() -> Self {
        Self { view: PictureView::default(), mix: 0.5 }
    }
}

/// Draws the body of the file that a row in view is of.
pub fn draw(ui: &mut Ui, tile: TileId, around: &mut Around<'_>, geometry: &Geometry, p: &Painted) {
    let Around { pane, review, theme, tasks, .. } = around;
    let theme = *theme;
    let rows = review.page.index().height(p.at.file).saturating_sub(HEADER_ROWS);
    let top = p.y - (p.at.row - HEADER_ROWS) as f32 * geometry.row;
    let rect = Rect::from_x_y_ranges(geometry.page.x_range(), Rangef::new(top, top + rows as f32 * geometry.row));
    let painter = ui.painter_at(geometry.page);
    let Some(entry) = review.page.file(p.at.file) else { return };
    // Where lines would be parted, nothing is.
    painter.rect_filled(rect.intersect(geometry.page), 0.0, theme.surface.base);
    match &entry.body {
        Body::Note(NoteBody { pictures: Some(kinds), .. }) => {
            let wanted = [(Side::Old, kinds.old), (Side::New, kinds.new)];
            let sides = wanted.map(|(side, kind)| kind.map(|_| review.picture(p.at.file, side, tasks, ui.ctx())));
            let id = part(tile, "pictures").with(p.at.file);
            pictures(ui, pane, sides, &Place { id, rect, page: geometry.page, theme });
        }
        Body::Note(note) => draw_note(&painter, note, rect, geometry.row, theme),
        Body::Failed(error) => line(&painter, rect, geometry.row, error, theme.signal.danger),
        Body::Unloaded | Body::Counted | Body::Lines(_) => {}
    }
}

/// One line where a note begins.
fn line(painter: &Painter, rect: Rect, row: f32, text: &str, color: Color32) {
    let at = pos2(rect.left() + space::L, rect.top() + row * NOTE_ROWS as f32 / 2.0);
    painter.text(at, Align2::LEFT_CENTER, text, fonts::ui(13.0), color);
}

fn draw_note(painter: &Painter, note: &NoteBody, rect: Rect, row: f32, theme: &Theme) {
    line(painter, rect, row, &said(note), theme.text.muted);
    for (n, (sign, text)) in note.rows.iter().enumerate() {
        let y = rect.top() + row * (NOTE_ROWS as f32 + n as f32 + 0.35);
        let (mark, color) = match sign {
            RowSign::Added => ("+", theme.add.text),
            RowSign::Removed => ("−", theme.remove.text),
            RowSign::Plain => ("", theme.text.muted),
        };
        let x = rect.left() + space::L;
        painter.text(pos2(x, y), Align2::LEFT_CENTER, mark, fonts::code(13.0), color);
        painter.text(pos2(x + space::L, y), Align2::LEFT_CENTER, text, fonts::code(13.0), theme.text.normal);
    }
}

/// A note in words.
fn said(note: &NoteBody) -> String {
    let mut text = note.title.clone();
    for detail in &note.details {
        text.push_str("  ·  ");
        text.push_str(detail);
    }
    text
}

/// What a screen reader hears of the body of a file without lines.
pub fn spoken(entry: &FileEntry) -> String {
    match &entry.body {
        Body::Note(note) => {
            let rows = note.rows.iter().map(|(sign, text)| match sign {
                RowSign::Added => format!("+ {text}\n"),
                RowSign::Removed => format!("- {text}\n"),
                RowSign::Plain => format!("{text}\n"),
            });
            format!("{}\n{}", said(note), rows.collect::<String>())
        }
        Body::Failed(error) => format!("{error}\n"),
        _ => String::new(),
    }
}

/// Which pictures, where.
struct Place<'a> {
    id: Id,
    rect: Rect,
    page: Rect,
    theme: &'a Theme,
}

/// Draws the pictures of both sides, and how else they can be compared.
fn pictures(ui: &mut Ui, pane: &mut ReviewPane, sides: [Option<Sight>; 2], place: &Place<'_>) {
    let mut inner = place.rect.shrink2(vec2(space::L, space::M));
    if let [Some(_), Some(_)] = &sides {
        let bar = Rect::from_min_size(inner.min, vec2(inner.width(), space::ROW));
        inner.min.y += space::ROW + space::S;
        let mut ui = ui.new_child(UiBuilder::new().id_salt(place.id.with("view")).max_rect(bar));
        ui.set_clip_rect(place.page);
        let choices = PictureView::ALL.map(|(_, title)| (None, title));
        let mut chosen = PictureView::ALL.iter().position(|(view, _)| *view == pane.pictures.view).unwrap_or(0);
        if Segmented::new(&choices).show(&mut ui, &mut chosen) {
            pane.pictures.view = PictureView::ALL[chosen].0;
        }
    }
    match sides {
        [Some(Sight::Shown(old)), Some(Sight::Shown(new))] if pane.pictures.view != PictureView::Beside => {
            over(ui, &mut pane.pictures, (&old, &new), inner, place);
        }
        sides => beside(ui, &sides, inner, place),
    }
}

/// Height of what is said below a picture.
const CAPTION: f32 = 24.0;

/// The sides that are there beside each other, in the same scale.
fn beside(ui: &Ui, sides: &[Option<Sight>; 2], rect: Rect, place: &Place<'_>) {
    let painter = ui.painter_at(place.page);
    let half = Rect::from_min_size(rect.min, vec2((rect.width() - space::L) / 2.0, rect.height()));
    let halves = [half, half.translate(vec2(half.width() + space::L, 0.0))];
    let room = vec2(half.width(), half.height() - CAPTION);
    let sizes = sides.iter().flatten().filter_map(|sight| match sight {
        Sight::Shown(shown) => Some(size_of(shown)),
        Sight::Loading | Sight::Failed(_) => None,
    });
    let scale = sizes.map(|size| scale_to(size, room)).fold(1.0, f32::min);
    for (side, (sight, half)) in [Side::Old, Side::New].into_iter().zip(sides.iter().zip(halves)) {
        let Some(sight) = sight else { continue };
        let middle = pos2(half.center().x, half.top() + room.y / 2.0);
        match sight {
            Sight::Loading => {}
            Sight::Failed(why) => {
                let text = text::line(ui, why, fonts::ui(13.0), place.theme.signal.danger, half.width());
                painter.galley(middle - text.size() / 2.0, text, place.theme.signal.danger);
            }
            Sight::Shown(shown) => {
                let at = Rect::from_center_size(middle, size_of(shown) * scale);
                paint(&painter, shown, at, 1.0, place.theme);
                frame(&painter, at, side, place.theme);
                let below = pos2(half.center().x, half.bottom() - CAPTION / 2.0);
                caption(&painter, below, side, shown, place.theme);
                told(ui, place.id.with(side), at.intersect(place.page), side, shown);
            }
        }
    }
}

/// The new picture over the old one, as far as the line between them or as much as the mix says.
fn over(ui: &Ui, mode: &mut PictureMode, (old, new): (&Shown, &Shown), rect: Rect, place: &Place<'_>) {
    let theme = place.theme;
    let painter = ui.painter_at(place.page);
    let room = vec2(rect.width(), rect.height() - CAPTION);
    let scale = scale_to(size_of(old).max(size_of(new)), room);
    let whole = size_of(old).max(size_of(new)) * scale;
    let area = Rect::from_center_size(pos2(rect.center().x, rect.top() + room.y / 2.0), whole);
    let id = place.id.with("mix");
    let response = ui.interact(area.expand2(vec2(space::L, 0.0)).intersect(place.page), id, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(true, f64::from(mode.mix), "How much of the new picture is seen"));
    if let Some(at) = response.interact_pointer_pos() {
        response.request_focus();
        mode.mix = ((at.x - area.left()) / area.width().max(1.0)).clamp(0.0, 1.0);
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
        let step = |key| ui.input(|input| input.num_presses(key)) as f32 * 0.05;
        mode.mix = (mode.mix + step(egui::Key::ArrowRight) - step(egui::Key::ArrowLeft)).clamp(0.0, 1.0);
    }
    let place_of = |shown: &Shown| Rect::from_min_size(area.min, size_of(shown) * scale);
    let x = area.left() + area.width() * mode.mix;
    match mode.view {
        PictureView::Onion => {
            paint(&painter, old, place_of(old), 1.0, theme);
            image(&painter, new, place_of(new), mode.mix);
            frame(&painter, area, Side::New, theme);
            // The mix is read off a track below, as it has no edge in the picture.
            let y = area.bottom() + 6.0;
            painter.hline(area.x_range(), y, Stroke::new(2.0, theme.border.control));
            painter.circle_filled(pos2(x, y), 5.0, theme.signal.accent);
        }
        PictureView::Swipe | PictureView::Beside => {
            let left = painter.with_clip_rect(place.page.intersect(area.with_max_x(x)));
            let right = painter.with_clip_rect(place.page.intersect(area.with_min_x(x)));
            paint(&left, old, place_of(old), 1.0, theme);
            frame(&left, place_of(old), Side::Old, theme);
            paint(&right, new, place_of(new), 1.0, theme);
            frame(&right, place_of(new), Side::New, theme);
            painter.vline(x, area.y_range(), Stroke::new(2.0, theme.signal.accent));
            painter.circle_filled(pos2(x, area.center().y), 6.0, theme.signal.accent);
        }
    }
    response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    let below = rect.bottom() - CAPTION / 2.0 + 4.0;
    let quarter = rect.width() / 4.0;
    caption(&painter, pos2(rect.center().x - quarter, below), Side::Old, old, theme);
    caption(&painter, pos2(rect.center().x + quarter, below), Side::New, new, theme);
}

/// In points, at one point a pixel.
fn size_of(shown: &Shown) -> Vec2 {
    vec2(shown.size[0] as f32, shown.size[1] as f32)
}

/// The scale in which a size fits, never larger than it is.
fn scale_to(size: Vec2, room: Vec2) -> f32 {
    (room.x / size.x.max(1.0)).min(room.y / size.y.max(1.0)).clamp(0.0, 1.0)
}

/// A picture on squares that show through where it does.
fn paint(painter: &Painter, shown: &Shown, at: Rect, opacity: f32, theme: &Theme) {
    const SQUARE: f32 = 8.0;
    let seen = at.intersect(painter.clip_rect());
    painter.rect_filled(at, 0.0, theme.surface.base);
    let mut squares = Mesh::default();
    let first = |edge: f32, from: f32| ((edge - from) / SQUARE).floor().max(0.0) as i32;
    let last = |edge: f32, from: f32| ((edge - from) / SQUARE).ceil().max(0.0) as i32;
    for row in first(seen.top(), at.top())..last(seen.bottom(), at.top()) {
        for column in first(seen.left(), at.left())..last(seen.right(), at.left()) {
            if (row + column) % 2 == 0 {
                let corner = at.min + vec2(column as f32, row as f32) * SQUARE;
                let square = Rect::from_min_size(corner, Vec2::splat(SQUARE)).intersect(at);
                squares.add_colored_rect(square, theme.surface.hover);
            }
        }
    }
    painter.add(squares);
    image(painter, shown, at, opacity);
}

fn image(painter: &Painter, shown: &Shown, at: Rect, opacity: f32) {
    let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    let mut mesh = Mesh::with_texture(shown.texture.id());
    mesh.add_rect_with_uv(at, whole, crate::theme::untinted(opacity));
    painter.add(mesh);
}

/// The edge of a picture says which side it is.
fn frame(painter: &Painter, at: Rect, side: Side, theme: &Theme) {
    let color = if side == Side::Old { theme.remove.text } else { theme.add.text };
    painter.rect_stroke(at, 0.0, Stroke::new(1.0, color), StrokeKind::Outside);
}

fn caption(painter: &Painter, at: egui::Pos2, side: Side, shown: &Shown, theme: &Theme) {
    let sign = if side == Side::Old { "−" } else { "+" };
    painter.text(at, Align2::CENTER_CENTER, format!("{sign} {}", measures(shown)), fonts::ui(11.5), theme.text.muted);
}

/// Size in pixels and in bytes.
fn measures(shown: &Shown) -> String {
    let [width, height] = shown.size;
    format!("{width} × {height}  ·  {}", text::byte_size(shown.bytes))
}

fn told(ui: &Ui, id: Id, at: Rect, side: Side, shown: &Shown) {
    let side = if side == Side::Old { "Old" } else { "New" };
    let response = ui.interact(at, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("{side} picture, {}", measures(shown))));
}
