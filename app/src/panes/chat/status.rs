//! The line about a run: how far it is, how full the model's window, how fast and dear.

use std::time::Instant;

use eframe::egui::{Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::card;
use crate::state::State;
use crate::state::chats::ChatId;
use crate::state::chats::transcript::Status;
use crate::theme::look;
use crate::widgets::{text, thin_progress};

/// `step 3/12 · 6.2k of 16k · 93 % cached · 11 tok/s`, and how much of the prompt was read. Where there is little room,
/// whole parts go, what matters least first; the tip has all of it.
pub(super) fn draw(ui: &mut Ui, rect: Rect, id: ChatId, state: &State) {
    let Some(chat) = state.chats.get(id) else { return };
    let (theme, metrics) = look(ui);
    let status = &chat.transcript.status;
    if chat.running.is_some()
        && let Some(reading) = status.reading
    {
        let bar = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0));
        let mut ui = ui.new_child(UiBuilder::new().id_salt("reading").max_rect(bar));
        thin_progress(&mut ui, Some(reading.done as f32 / reading.total.max(1) as f32));
    }
    let parts = parts(status, chat.running.as_ref().map(|running| running.since));
    let said = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" · ");
    let response = ui.interact(rect, ui.scope_id().with("chat status"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &said));
    let color = |what: Part| match (what, status.used()) {
        (Part::Window, Some(used)) if used >= 0.9 => theme.signal.danger,
        (Part::Window, Some(used)) if used >= 0.75 => theme.signal.warning,
        _ => theme.text.muted,
    };
    let galley = |text: &str, color| text::line(ui, text, metrics.small(), color, f32::INFINITY);
    let laid: Vec<_> = parts.iter().map(|part| galley(&part.text, color(part.what))).collect();
    let dot = galley(" · ", theme.text.muted);
    let widths: Vec<_> = parts.iter().zip(&laid).map(|(part, laid)| (part.what, laid.size().x)).collect();
    let mut x = rect.left();
    for n in fitting(&widths, dot.size().x, rect.width()) {
        if x > rect.left() {
            ui.painter().galley(pos2(x, rect.center().y - dot.size().y / 2.0), dot.clone(), theme.text.muted);
            x += dot.size().x;
        }
        let size = laid[n].size();
        ui.painter().galley(pos2(x, rect.center().y - size.y / 2.0), laid[n].clone(), theme.text.muted);
        x += size.x;
    }
    if !said.is_empty() {
        let spent = status.spent;
        let because = status.because.as_ref().map(|why| format!(", because {why}")).unwrap_or_default();
        response.on_hover_text(format!(
            "{said}\nModel {}{because}\nThis conversation: {} tokens read ({} of them cached), {} written{}",
            status.model,
            text::grouped(spent.prompt),
            text::grouped(spent.cached),
            text::grouped(spent.completion),
            spent.cost.map(|cost| format!(", {cost:.4} in all")).unwrap_or_default(),
        ));
    }
}

/// Which of some parts have room beside each other, in their order; `dot` is between two.
fn fitting(parts: &[(Part, f32)], dot: f32, room: f32) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..parts.len()).collect();
    let width = |kept: &[usize]| {
        let dots = dot * kept.len().saturating_sub(1) as f32;
        kept.iter().map(|&n| parts[n].1).sum::<f32>() + dots
    };
    while width(&kept) > room && kept.len() > 1 {
        let least = kept.iter().enumerate().max_by_key(|(_, n)| parts[**n].0).map(|(at, _)| at);
        kept.remove(least.unwrap_or(0));
    }
    kept
}

/// What a part of the line about the run tells, what matters most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// How much of the model's window is used.
    Window,
    Step,
    /// What is waited for.
    Waits,
    /// Who answers, where there was a choice.
    Model,
    Cost,
    Time,
    Speed,
    Cached,
}

/// A part of the line.
struct Told {
    what: Part,
    text: String,
}

fn parts(status: &Status, since: Option<Instant>) -> Vec<Told> {
    let mut parts = Vec::new();
    let mut tell = |what, text| parts.push(Told { what, text });
    if let (Some(since), Some((step, limit))) = (since, status.step) {
        tell(Part::Step, format!("step {step}/{limit}"));
        tell(Part::Time, card::seconds(since.elapsed().as_secs()));
    }
    if since.is_some() && status.waits {
        tell(Part::Waits, "waits for the model".to_owned());
    }
    if let Some(reading) = status.reading.filter(|_| since.is_some()) {
        tell(Part::Waits, format!("reads {} of {}", short(reading.done), short(reading.total)));
    }
    if status.prompt > 0 {
        let used = match (status.window, status.used()) {
            // Colour alone would not tell that it is nearly full.
            (Some(window), Some(used)) if used >= 0.75 => {
                format!("{} of {} ({:.0} %)", short(status.prompt), short(window), used * 100.0)
            }
            (Some(window), _) => format!("{} of {}", short(status.prompt), short(window)),
            (None, _) => format!("{} tokens", short(status.prompt)),
        };
        tell(Part::Window, used);
        tell(Part::Cached, format!("{} % cached", status.cached * 100 / status.prompt));
    }
    if let Some(speed) = status.speed() {
        tell(Part::Speed, format!("{speed:.0} tok/s"));
    }
    if let Some(cost) = status.spent.cost {
        tell(Part::Cost, format!("cost {cost:.3}"));
    }
    // Where there was a choice, it is to be seen who was chosen.
    if status.because.is_some() && !status.model.is_empty() {
        tell(Part::Model, format!("by {}", status.model));
    }
    parts
}

/// `950`, `6.2k`, `131k`
pub(crate) fn short(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        1000..10_000 => format!("{:.1}k", tokens as f64 / 1000.0),
        _ => format!("{}k", tokens / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_in_three_figures() {
        assert_eq!([short(950), short(6210), short(131_072)], ["950", "6.2k", "131k"]);
    }

    #[test]
    fn where_there_is_little_room_whole_parts_go_what_matters_least_first() {
        let of = |what| (what, 10.0);
        let parts = [of(Part::Step), of(Part::Time), of(Part::Window), of(Part::Cached), of(Part::Speed)];
        assert_eq!(fitting(&parts, 2.0, 58.0), [0, 1, 2, 3, 4]);
        assert_eq!(fitting(&parts, 2.0, 57.0), [0, 1, 2, 4], "what was cached goes first");
        assert_eq!(fitting(&parts, 2.0, 40.0), [0, 1, 2]);
        assert_eq!(fitting(&parts, 2.0, 30.0), [0, 2]);
        assert_eq!(fitting(&parts, 2.0, 3.0), [2], "the window is told to the last");
        assert!(fitting(&[], 2.0, 3.0).is_empty());
    }

    #[test]
    fn the_status_is_one_line() {
        let status = Status {
            step: Some((3, 12)),
            prompt: 6200,
            cached: 5766,
            window: Some(16_384),
            reply: Some((110, 10_000)),
            ..Status::default()
        };
        let joined = |parts: Vec<Told>| parts.into_iter().map(|part| part.text).collect::<Vec<_>>().join(" · ");
        let said = joined(parts(&status, Some(Instant::now())));
        assert_eq!(said, "step 3/12 · 0 s · 6.2k of 16k · 93 % cached · 11 tok/s");
        let spent = crate::state::chats::transcript::Spent { cost: Some(0.0123), ..status.spent };
        let chosen = Status { because: Some("it is free".into()), model: "big".into(), spent, ..status };
        assert!(joined(parts(&chosen, None)).ends_with("cost 0.012 · by big"));
        let full = Status { prompt: 14_000, ..chosen };
        assert!(joined(parts(&full, None)).starts_with("14k of 16k (85 %) · "), "{}", joined(parts(&full, None)));
    }
}
