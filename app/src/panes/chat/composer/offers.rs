//! The list of what a word of the message can become: behind `@` what can go along, behind `/` what can be done.
//!
//! It stands above the message, under headings, and is driven by the keys of the message: the keyboard stays there.

use std::ops::Range;

use eframe::egui::{Area, Context, Id, Order, Rect, Role, ScrollArea, Ui, WidgetInfo, pos2, vec2};

use super::{Slash, thing_icon};
use crate::state::chats::Thing;
use crate::state::chats::mention::{Heading, Mention};
use crate::state::slash::UserCommand;
use crate::theme::{Icon, icons, look, space};
use crate::widgets::{ListRow, menu_frame, text};

/// Height of a heading.
const HEADING: f32 = 22.0;
/// Height of the list at most; the rest is scrolled to.
const MOST: f32 = 340.0;

/// A row of the list.
#[derive(Clone)]
pub(super) struct Offer {
    /// What it stands under; a list without headings has none.
    heading: Option<Heading>,
    icon: Icon,
    label: String,
    matches: Vec<Range<usize>>,
    detail: String,
    note: String,
    pub(super) what: Offered,
}

/// What is done with a row that is taken.
#[derive(Clone)]
pub(super) enum Offered {
    Attach(Thing),
    Slash(Slash),
    /// A command of the person's own; what it is about can be typed behind it.
    Own(String),
}

impl Offer {
    pub(super) fn mention(row: Mention) -> Self {
        let Mention { heading, label, matches, detail, note, thing } = row;
        let icon = thing_icon(&thing);
        Self { heading: Some(heading), icon, label, matches, detail, note, what: Offered::Attach(thing) }
    }

    pub(super) fn command(name: &str, does: &str, slash: Slash) -> Self {
        Self::slash(icons::PROMPT, name, does, Offered::Slash(slash))
    }

    pub(super) fn own(command: &UserCommand) -> Self {
        Self::slash(icons::USER, &command.name, &command.description, Offered::Own(command.name.clone()))
    }

    fn slash(icon: Icon, name: &str, does: &str, what: Offered) -> Self {
        let (label, matches) = (format!("/{name}"), Vec::new());
        Self { heading: None, icon, label, matches, detail: does.to_owned(), note: String::new(), what }
    }
}

/// Draws the list above `area`; the row that was pressed, and where the list is. `moved` says that another row was chosen by key, and `more` that
/// some of what is looked for is still being read.
pub(super) fn list(
    ctx: &Context,
    area: Rect,
    offers: &[Offer],
    chosen: usize,
    moved: bool,
    more: Option<&str>,
) -> (Option<usize>, Rect) {
    let headings = offers.windows(2).filter(|pair| pair[0].heading != pair[1].heading).count()
        + usize::from(offers.first().is_some_and(|first| first.heading.is_some()));
    let notes = if more.is_some() { HEADING } else { 0.0 };
    let whole = offers.len() as f32 * space::ROW + headings as f32 * HEADING + notes;
    let height = whole.min(MOST).min(area.top() - 80.0);
    let at = pos2(area.left(), area.top() - height - 10.0 - space::XS);
    let mut picked = None;
    let shown = Area::new(Id::unique("chat completion")).order(Order::Foreground).fixed_pos(at).show(ctx, |ui| {
        menu_frame(ui).show(ui, |ui| {
            ui.set_width(area.width() - 10.0);
            ui.spacing_mut().item_spacing.y = 0.0;
            ScrollArea::vertical().id_salt("chat offers").max_height(height).min_scrolled_height(height).show(
                ui,
                |ui| {
                    if whole > height {
                        ui.set_max_width(ui.available_width() - space::S); // beside the scroll bar
                    }
                    let mut heading = None;
                    for (n, offer) in offers.iter().enumerate() {
                        if offer.heading != heading {
                            heading = offer.heading;
                            head(ui, heading.map_or("", Heading::title));
                        }
                        let row = ListRow::new(Id::unique(("chat offer", n)), offer.label.as_str()).icon(offer.icon);
                        let row = row.detail(offer.detail.as_str()).note(offer.note.as_str()).matches(&offer.matches);
                        let response = row.selected(n == chosen).active(true).show(ui);
                        if n == chosen && moved {
                            // The first one is seen with its heading.
                            let rect =
                                response.rect.with_min_y(response.rect.top() - if n == 0 { HEADING } else { 0.0 });
                            ui.scroll_to_rect(rect, None);
                        }
                        if response.clicked() {
                            picked = Some(n);
                        }
                    }
                    if let Some(more) = more {
                        head(ui, more);
                    }
                },
            );
        });
    });
    (picked, shown.response.rect)
}

/// A line that says what stands below it.
fn head(ui: &mut Ui, title: &str) {
    let (theme, metrics) = look(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEADING), eframe::egui::Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, title));
    let line = text::line(ui, title, metrics.small(), theme.text.muted, rect.width() - 2.0 * space::S);
    ui.painter().galley(pos2(rect.left() + space::S, rect.bottom() - line.size().y - 3.0), line, theme.text.muted);
}
