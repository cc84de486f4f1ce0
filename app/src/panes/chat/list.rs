//! Scrolling through a conversation of any length: only what is in view is laid out.
//!
//! The place is an item and how far its top lies above the view, so that what grows or is measured elsewhere moves nothing
//! that is being read. While the end is in view the list *follows*: it stays at the end whatever is added.

use eframe::egui::{CursorIcon, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::theme::look;

/// A place in a conversation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct List {
    /// The item at the top of the view.
    top: usize,
    /// How much of it is above.
    above: f32,
    /// How high the view was.
    view: f32,
    /// Stays at the end.
    pub follow: bool,
}

impl Default for List {
    fn default() -> Self {
        Self { top: 0, above: 0.0, view: 0.0, follow: true }
    }
}

/// Width of the bar at the right.
pub const BAR: f32 = 10.0;
/// What two pages have in common.
const OVERLAP: f32 = 40.0;

impl List {
    /// The items in view with the tops of their rectangles, measured from the top of the view. `height` is asked for
    /// little more than those in view.
    pub fn visible(&mut self, count: usize, view: f32, height: &mut dyn FnMut(usize) -> f32) -> Vec<(usize, f32)> {
        if count == 0 {
            *self = Self::default();
            return Vec::new();
        }
        self.view = view;
        self.top = self.top.min(count - 1);
        if self.follow {
            self.stay_at_end(count, view, height);
        } else {
            self.settle(count, view, height);
        }
        let mut y = -self.above;
        let mut shown = Vec::new();
        for index in self.top..count {
            shown.push((index, y));
            y += height(index);
            if y >= view {
                break;
            }
        }
        shown
    }

    /// Scrolls by so much, down if positive.
    pub fn scroll(&mut self, by: f32) {
        if by != 0.0 {
            self.above += by;
            self.follow = false;
        }
    }

    /// Scrolls by a page; what was the last line is in view still.
    pub fn page(&mut self, down: bool) {
        let page = (self.view - OVERLAP).max(self.view / 2.0);
        self.scroll(if down { page } else { -page });
    }

    /// Brings an item to the top of the view.
    pub fn go_to(&mut self, index: usize) {
        *self = Self { top: index, above: 0.0, follow: false, ..*self };
    }

    /// The item at the top of the view.
    pub fn top(&self) -> usize {
        self.top
    }

    fn stay_at_end(&mut self, count: usize, view: f32, height: &mut dyn FnMut(usize) -> f32) {
        let (mut top, mut sum) = (count, 0.0);
        while top > 0 && sum < view {
            top -= 1;
            sum += height(top);
        }
        self.top = top;
        self.above = (sum - view).max(0.0);
    }

    /// Makes the place one that is there: an item that reaches into the view, and no blank after the end.
    fn settle(&mut self, count: usize, view: f32, height: &mut dyn FnMut(usize) -> f32) {
        while self.above < 0.0 && self.top > 0 {
            self.top -= 1;
            self.above += height(self.top);
        }
        self.above = self.above.max(0.0);
        while self.top + 1 < count && self.above >= height(self.top) {
            self.above -= height(self.top);
            self.top += 1;
        }
        let mut left = -self.above;
        for index in self.top..count {
            left += height(index);
            if left > view {
                return;
            }
        }
        self.follow = true;
        self.stay_at_end(count, view, height);
    }

    /// The bar at the right of `view`: where the place is among all items, and a way to get elsewhere.
    pub fn bar(&mut self, ui: &mut Ui, view: Rect, count: usize, shown: usize, id: Id) {
        if shown >= count && self.top == 0 && self.above == 0.0 {
            return;
        }
        let (theme, _) = look(ui);
        let track = Rect::from_min_max(pos2(view.right() - BAR, view.top()), view.max);
        let response = ui.interact(track, id, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "Place in the conversation"));
        let share = (shown as f32 / count as f32).min(1.0);
        let length = (track.height() * share).max(24.0);
        let room = track.height() - length;
        let part = if self.follow { 1.0 } else { self.top as f32 / (count.saturating_sub(shown).max(1)) as f32 };
        if let Some(at) = response.interact_pointer_pos() {
            let part = ((at.y - track.top() - length / 2.0) / room.max(1.0)).clamp(0.0, 1.0);
            self.top = (part * count.saturating_sub(1) as f32).round() as usize;
            self.above = 0.0;
            self.follow = part >= 1.0;
        }
        let lit = response.hovered() || response.dragged();
        if lit {
            ui.set_cursor_icon(CursorIcon::Default);
        }
        let thumb =
            Rect::from_min_size(pos2(track.left() + 2.0, track.top() + room * part.min(1.0)), vec2(6.0, length));
        let color = if lit { theme.text.muted } else { theme.text.faint.gamma_multiply(0.6) };
        ui.painter().rect_filled(thumb, 3.0, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is in view of items that are all 30 high, in a view of 100.
    fn shown(list: &mut List, count: usize) -> Vec<(usize, f32)> {
        list.visible(count, 100.0, &mut |_| 30.0)
    }

    #[test]
    fn it_begins_at_the_end_and_stays_there() {
        let mut list = List::default();
        assert_eq!(shown(&mut list, 2), [(0, 0.0), (1, 30.0)], "a short one begins at the top");
        assert_eq!(shown(&mut list, 10).last(), Some(&(9, 70.0)));
        assert_eq!(shown(&mut list, 11).last(), Some(&(10, 70.0)));
    }

    #[test]
    fn what_is_read_stays_when_something_is_added_and_the_end_is_followed_again() {
        let mut list = List::default();
        shown(&mut list, 10);
        list.scroll(-100.0);
        let before = shown(&mut list, 10);
        assert_eq!(before[0], (3, -10.0));
        assert_eq!(shown(&mut list, 20), before);
        list.scroll(1e6);
        assert_eq!(shown(&mut list, 20).last(), Some(&(19, 70.0)));
        assert!(list.follow);
        list.scroll(-1e6);
        assert_eq!(shown(&mut list, 20)[0], (0, 0.0));
    }

    #[test]
    fn little_is_measured_of_a_long_one() {
        let mut list = List::default();
        let mut asked = 0;
        list.visible(10_000, 100.0, &mut |_| {
            asked += 1;
            30.0
        });
        list.scroll(-40.0);
        list.visible(10_000, 100.0, &mut |_| {
            asked += 1;
            30.0
        });
        assert!(asked < 40, "{asked}");
    }

    #[test]
    fn a_page_keeps_some_of_the_one_before() {
        let mut list = List::default();
        shown(&mut list, 10);
        list.page(false);
        assert_eq!(shown(&mut list, 10)[0], (4, -20.0), "60 above where it was");
        list.page(true);
        assert_eq!(shown(&mut list, 10).last(), Some(&(9, 70.0)));
    }

    #[test]
    fn one_higher_than_the_view_scrolls_within_itself() {
        let mut list = List::default();
        assert_eq!(list.visible(1, 100.0, &mut |_| 500.0), [(0, -400.0)]);
        list.scroll(-50.0);
        assert_eq!(list.visible(1, 100.0, &mut |_| 500.0), [(0, -350.0)]);
    }
}
