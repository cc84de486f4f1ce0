//! How a model does in the doctor's suite, check by check as they end, and the settings that follow.

use agent::doctor::{Check, Outcome, Report};
use agent::provider::ModelSpec;
use eframe::egui::{Align, Label, Layout, RichText, Role, Sense, Ui, WidgetInfo, vec2};

use crate::state::models::Trial;
use crate::theme::{Icon, icons, look, space};
use crate::widgets::{Badge, Button, IconButton, Tone, thin_progress};

/// Width of the names of checks.
const NAMES: f32 = 96.0;

/// What was pressed.
pub enum Pressed {
    Nothing,
    /// Stops it, or puts it away.
    End,
    /// Writes these settings.
    Use(Box<ModelSpec>),
}

/// Draws what is known of a trial.
pub fn draw(ui: &mut Ui, trial: &Trial) -> Pressed {
    let (theme, metrics) = look(ui);
    let mut pressed = Pressed::Nothing;
    ui.add_space(space::XS);
    if trial.ended.is_none() {
        thin_progress(ui, None);
    }
    for check in &trial.checks {
        row(ui, check);
    }
    match &trial.ended {
        None => {
            let seconds = trial.since.elapsed().as_secs();
            ui.ctx().request_repaint_after(std::time::Duration::from_secs(1));
            ui.horizontal(|ui| {
                if ui.add(Button::new("Cancel").name("Cancel the test")).clicked() {
                    pressed = Pressed::End;
                }
                let said = format!("Trying {}, {seconds} s: {}", trial.model, trial.doing);
                ui.add(Label::new(RichText::new(said).color(theme.text.muted)).truncate());
            });
        }
        Some(Err(why)) => {
            ui.horizontal(|ui| {
                let said = format!("{} could not be tried out: {why}", trial.model);
                ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
                    if ui.add(IconButton::new(icons::X, "Put the test away").small()).clicked() {
                        pressed = Pressed::End;
                    }
                    ui.with_layout(Layout::top_down(Align::Min), |ui| {
                        ui.add(Label::new(RichText::new(said).color(theme.signal.danger)).wrap());
                    });
                });
            });
        }
        Some(Ok(report)) => {
            if let Some(found) = outcome(ui, report) {
                pressed = found;
            }
            let settings = agent::models::settings(&report.recommended);
            ui.add(Label::new(RichText::new(settings.trim()).font(metrics.code_inline()).color(theme.text.muted)));
        }
    }
    ui.add_space(space::S);
    pressed
}

/// The grade, and what to do with it.
fn outcome(ui: &mut Ui, report: &Report) -> Option<Pressed> {
    let (theme, metrics) = look(ui);
    let tone = match report.grade {
        'A' | 'B' => Tone::Success,
        'C' | 'D' => Tone::Warning,
        _ => Tone::Danger,
    };
    let mut pressed = None;
    ui.horizontal(|ui| {
        ui.add(Badge::new(format!("Grade {}", report.grade)).tone(tone));
        ui.label(RichText::new("Recommended settings:").font(metrics.small()).color(theme.text.muted));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.add(IconButton::new(icons::X, "Put the test away").small()).clicked() {
                pressed = Some(Pressed::End);
            }
            if ui.add(Button::new("Use these settings").icon(icons::CHECK)).clicked() {
                pressed = Some(Pressed::Use(Box::new(report.recommended.clone())));
            }
        });
    });
    pressed
}

fn row(ui: &mut Ui, check: &Check) {
    let (theme, metrics) = look(ui);
    let (icon, tone, said) = judgement(check.outcome);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = space::S;
        let (rect, response) = ui.allocate_exact_size(vec2(18.0, 18.0), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("{}: {said}", check.name)));
        icon.paint_sized(ui.painter(), rect.center(), 14.0, tone.color(theme));
        response.on_hover_text(said);
        let name = RichText::new(check.name).color(theme.text.normal);
        ui.allocate_ui(vec2(NAMES, 18.0), |ui| {
            ui.set_width(NAMES);
            ui.label(name);
        });
        ui.add(Label::new(RichText::new(&check.detail).font(metrics.small()).color(theme.text.muted)).wrap());
    });
}

fn judgement(outcome: Outcome) -> (Icon, Tone, &'static str) {
    match outcome {
        Outcome::Good => (icons::SUCCESS, Tone::Success, "good"),
        Outcome::Partly => (icons::WARNING_CIRCLE, Tone::Warning, "partly"),
        Outcome::Bad => (icons::FAILURE, Tone::Danger, "bad"),
        Outcome::Skipped => (icons::CIRCLE_DASHED, Tone::Neutral, "could not be tried"),
        Outcome::Info => (icons::INFO, Tone::Neutral, "to know"),
    }
}
