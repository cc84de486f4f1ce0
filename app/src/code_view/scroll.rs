//! Scroll positions in f64 rows, and the bar that shows them.
//!
//! Pixel heights in f32 break near 16.7 million; rows in f64 do not. A view keeps its own position and asks here for
//! what the wheel and the bar do to it.

use eframe::egui::{self, Rect, Sense, Ui, pos2, vec2};

use crate::theme::Theme;

/// Width of the vertical bar, in points.
pub const BAR: f32 = 12.0;

/// Rows and columns that the wheel moved over `rect` in this frame; the view that has the pointer gets them.
pub fn wheel(ui: &Ui, rect: Rect, row: f32, cell: f32) -> (f64, f64) {
    if !ui.rect_contains_pointer(rect) {
        return (0.0, 0.0);
    }
    let delta = ui.input(eframe::egui::InputState::smooth_scroll_delta);
    (f64::from(-delta.y / row), f64::from(-delta.x / cell))
}

/// A vertical scroll bar over `total` rows of which `view` are seen from `position` on. Returns the position that a
/// drag or click asks for. The thumb keeps the distance to the pointer that it was grabbed with.
pub fn vertical(ui: &Ui, id: egui::Id, bar: Rect, total: f64, view: f64, position: f64, theme: &Theme) -> Option<f64> {
    let last = (total - view).max(0.0);
    let response = ui.interact(bar, id, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::slider(true, position, "Scroll position"));
    if last <= 0.0 {
        return None;
    }
    let length = ((view / total) as f32 * bar.height()).max(24.0).min(bar.height());
    let track = bar.height() - length;
    let top = bar.top() + (position / last).clamp(0.0, 1.0) as f32 * track;
    let thumb = Rect::from_min_size(pos2(bar.left() + 2.0, top), vec2(bar.width() - 4.0, length));
    let colors = &theme.tokens.scroll;
    let color = match (response.dragged(), response.hovered()) {
        (true, _) => colors.thumb_press,
        (_, true) => colors.thumb_hover,
        _ => colors.thumb,
    };
    ui.painter().rect_filled(thumb, 4.0, color);

    let grabbed = id.with("grabbed");
    let pointer = response.interact_pointer_pos()?;
    if response.drag_started() || response.clicked() {
        let inside = thumb.y_range().contains(pointer.y);
        let distance = if inside { pointer.y - thumb.top() } else { length / 2.0 };
        ui.data_mut(|d| d.insert_temp(grabbed, distance));
    }
    let distance = ui.data(|d| d.get_temp::<f32>(grabbed)).unwrap_or(length / 2.0);
    let share = f64::from((pointer.y - distance - bar.top()) / track.max(1.0)).clamp(0.0, 1.0);
    Some(share * last)
}
