//! Toasts: few, at the lower right, gone after 6 seconds; what they said is kept for the bell.

use std::time::{Duration, Instant};

use eframe::egui::{Align2, Area, Context, Id, Label, Order, Rect, Role, Sense, WidgetInfo, pos2, vec2};

use super::{Button, IconButton, Tone, menu::menu_frame};
use crate::theme::{Icon, icons, look, space};

/// How long a toast is shown.
const SHOWN: Duration = Duration::from_secs(6);
/// How many are shown at once.
const AT_ONCE: usize = 3;
/// How many the bell keeps.
const KEPT: usize = 100;

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Toast {
    /// What it means.
    pub tone: Tone,
    /// One sentence.
    pub text: String,
    /// The command it offers (its id) and how that reads: undo above all.
    pub action: Option<(String, String)>,
}

struct Kept {
    number: u64,
    toast: Toast,
    until: Instant,
    seen: bool,
}

/// The toasts on screen and the last hundred.
#[derive(Default)]
pub struct Toasts {
    kept: Vec<Kept>,
    count: u64,
}

impl Toasts {
    /// Says something now.
    pub fn push(&mut self, toast: Toast) {
        self.count += 1;
        self.kept.push(Kept { number: self.count, toast, until: Instant::now() + SHOWN, seen: false });
        let over = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..over);
    }

    /// What was said, the latest first.
    pub fn history(&self) -> impl Iterator<Item = &Toast> {
        self.kept.iter().rev().map(|kept| &kept.toast)
    }

    /// How many were said since the bell was last opened.
    pub fn unseen(&self) -> usize {
        self.kept.iter().filter(|kept| !kept.seen).count()
    }

    /// The bell was opened.
    pub fn mark_seen(&mut self) {
        for kept in &mut self.kept {
            kept.seen = true;
        }
    }

    /// Shows those that are due, in the lower right corner of `area`; the id of the command that was pressed.
    pub fn show(&mut self, ctx: &Context, area: Rect) -> Option<String> {
        let now = Instant::now();
        let mut pressed = None;
        let mut bottom = area.bottom() - space::M;
        for kept in self.kept.iter_mut().rev().filter(|kept| kept.until > now).take(AT_ONCE) {
            let shown = Area::new(Id::unique("toast").with(kept.number))
                .order(Order::Foreground)
                .pivot(Align2::RIGHT_BOTTOM)
                .fixed_pos(pos2(area.right() - space::L, bottom))
                .show(ctx, |ui| show_one(ui, kept, &mut pressed));
            bottom -= shown.response.rect.height() + space::S;
            // Reading takes as long as it takes: while the pointer is on it, it stays.
            if shown.response.contains_pointer() {
                kept.until = kept.until.max(now + Duration::from_secs(2));
            }
        }
        if let Some(next) = self.kept.iter().map(|kept| kept.until).filter(|&until| until > now).min() {
            ctx.request_repaint_after(next - now);
        }
        pressed
    }
}

fn show_one(ui: &mut eframe::egui::Ui, kept: &mut Kept, pressed: &mut Option<String>) {
    let (theme, _) = look(ui);
    let Toast { tone, text, action } = &kept.toast;
    let mut close = false;
    let shown = menu_frame(ui).inner_margin(eframe::egui::Margin::symmetric(12, 8)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_max_width(380.0);
            let (rect, _) = ui.allocate_exact_size(vec2(Icon::SIZE, space::ROW), Sense::hover());
            tone.icon().paint(ui.painter(), rect.center(), tone.color(theme));
            ui.add(Label::new(text).wrap());
            if let Some((command, label)) = action
                && ui.add(Button::new(label.as_str()).quiet()).clicked()
            {
                *pressed = Some(command.clone());
                close = true;
            }
            close |= ui.add(IconButton::new(icons::X, "Dismiss")).clicked();
        });
    });
    shown.response.widget_info(|| WidgetInfo::labeled(Role::Alert, true, text));
    if close {
        kept.until = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toast(text: &str) -> Toast {
        Toast { tone: Tone::Success, text: text.to_owned(), action: None }
    }

    #[test]
    fn the_bell_keeps_the_last_hundred_and_counts_what_is_new() {
        let mut toasts = Toasts::default();
        for number in 0..105 {
            toasts.push(toast(&number.to_string()));
        }
        assert_eq!(toasts.history().count(), KEPT);
        assert_eq!(toasts.history().next().map(|toast| toast.text.as_str()), Some("104"));
        assert_eq!(toasts.unseen(), KEPT);
        toasts.mark_seen();
        toasts.push(toast("new"));
        assert_eq!(toasts.unseen(), 1);
    }
}
