//! The controls as a screen reader, a keyboard and a pointer meet them.

use eframe::egui::{Id, Key, Role, Ui};
use egui_kittest::{Harness, kittest::Queryable as _};

use super::*;
use crate::theme::{Metrics, Variant, style};

/// A harness that shows `contents` over `state` in the bundled fonts, with nothing moving.
fn shown<'a, State: 'a>(state: State, contents: impl FnMut(&mut Ui, &mut State) + 'a) -> Harness<'a, State> {
    let metrics = Metrics { reduced_motion: true, ..Metrics::default() };
    Harness::builder()
        .with_size([480.0, 320.0])
        .with_context_setup(move |ctx| {
            style::install_fonts(ctx);
            style::apply(ctx, Theme::of(Variant::Dark), metrics);
        })
        .build_ui_state(contents, state)
}

#[test]
fn a_button_is_found_by_its_name_and_pressed() {
    let mut harness = shown(0, |ui, pressed| {
        if ui.add(Button::new("Commit").primary().icon(icons::CHECK).key("Ctrl+Enter")).clicked() {
            *pressed += 1;
        }
    });
    harness.get_by_role_and_label(Role::Button, "Commit").click();
    harness.run();
    assert_eq!(*harness.state(), 1);
}

#[test]
fn a_button_is_reached_and_pressed_by_keyboard() {
    let mut harness = shown(0, |ui, pressed| {
        if ui.add(Button::new("Commit")).clicked() {
            *pressed += 1;
        }
    });
    harness.key_press(Key::Tab);
    harness.run();
    assert!(harness.get_by_label("Commit").is_focused());
    harness.key_press(Key::Enter);
    harness.run();
    assert_eq!(*harness.state(), 1);
}

#[test]
fn targets_are_at_least_24_high() {
    let harness = shown((String::new(), false), |ui, (text, on)| {
        ui.add(Button::new("Plain"));
        ui.add(IconButton::new(icons::X, "Close"));
        ui.add(Tick::new(on, "Viewed"));
        TextInput::new(text, "Filter").show(ui);
        TreeRow::new(Id::unique("row"), "lib.rs").show(ui);
        Tab::new("engine.rs").fixed().show(ui);
    });
    for name in ["Plain", "Close", "Viewed", "Filter", "lib.rs", "engine.rs"] {
        let height = harness.get_by_label(name).rect().height();
        assert!(height >= space::ROW, "{name} is {height} high");
    }
}

#[test]
fn a_tick_partly_on_turns_all_on() {
    let mut harness = shown((false, true), |ui, (on, partly)| {
        if ui.add(Tick::new(on, "All files").partly(*partly)).changed() {
            *partly = false;
        }
    });
    harness.get_by_role_and_label(Role::CheckBox, "All files").click();
    harness.run();
    assert_eq!(*harness.state(), (true, false));
    harness.get_by_label("All files").click();
    harness.run();
    assert_eq!(*harness.state(), (false, false));
}

#[test]
fn a_row_says_its_status_and_counts_and_its_parts_answer_apart() {
    let mut harness = shown([0; 3], |ui, [row, toggled, ticked]| {
        let (theme, _) = look(ui);
        let answer = TreeRow::new(Id::unique("row"), "engine.rs")
            .letter('M', theme.status.modified)
            .expanded(false)
            .counts(140, 52)
            .tick(TickState::Off)
            .show(ui);
        *row += i32::from(answer.row.clicked());
        *toggled += i32::from(answer.toggled);
        *ticked += i32::from(answer.ticked);
    });
    harness.get_by_role_and_label(Role::TreeItem, "M engine.rs, 140 added, 52 removed").click();
    harness.run();
    assert_eq!(*harness.state(), [1, 0, 0]);
    harness.get_by_role_and_label(Role::CheckBox, "engine.rs").click();
    harness.run();
    assert_eq!(*harness.state(), [1, 0, 1]);
}

#[test]
fn an_input_takes_text_and_escape_clears_it() {
    let mut harness = shown(String::new(), |ui, text| {
        TextInput::new(text, "Filter").hint("Filter files").icon(icons::SEARCH).clearable().show(ui);
    });
    harness.get_by_label("Filter").focus();
    harness.run();
    harness.get_by_label("Filter").type_text("eng");
    harness.run();
    assert_eq!(harness.state(), "eng");
    harness.key_press(Key::Escape);
    harness.run();
    assert_eq!(harness.state(), "");
}

#[test]
fn a_dropdown_opens_its_menu_and_an_entry_chooses() {
    let mut harness = shown("split", |ui, chosen| {
        Dropdown::new("View").show(ui, |ui| {
            if ui.add(MenuItem::new("Unified").chosen(*chosen == "unified")).clicked() {
                *chosen = "unified";
            }
        });
    });
    assert!(harness.query_by_label("Unified").is_none());
    harness.get_by_label("View").click();
    harness.run();
    harness.get_by_label("Unified").click();
    harness.run();
    assert_eq!(*harness.state(), "unified");
    assert!(harness.query_by_label("Unified").is_none(), "the menu is still open");
}

#[test]
fn a_tab_closes_by_its_cross() {
    let mut harness = shown(false, |ui, closed| *closed |= Tab::new("engine.rs").dirty(true).show(ui).closed);
    assert!(harness.query_by_role_and_label(Role::Tab, "engine.rs, not saved").is_some());
    harness.get_by_label("Close engine.rs").click();
    harness.run();
    assert!(*harness.state());
}

#[test]
fn segments_are_radio_buttons() {
    let mut harness = shown(0, |ui, chosen| {
        Segmented::new(&[(Some(icons::SPLIT), "Split"), (Some(icons::UNIFIED), "Unified")]).show(ui, chosen);
    });
    harness.get_by_role_and_label(Role::RadioButton, "Unified").click();
    harness.run();
    assert_eq!(*harness.state(), 1);
}

#[test]
fn a_notice_answers_with_what_was_pressed() {
    let mut harness = shown(NoticeResponse::None, |ui, answer| {
        let found =
            Notice::new(Tone::Warning, "Changed on disk").action("Compare").action("Reload").closable().show(ui);
        if found != NoticeResponse::None {
            *answer = found;
        }
    });
    harness.get_by_label("Reload").click();
    harness.run();
    assert_eq!(*harness.state(), NoticeResponse::Action(1));
    harness.get_by_label("Dismiss").click();
    harness.run();
    assert_eq!(*harness.state(), NoticeResponse::Closed);
}

#[test]
fn arrow_keys_move_the_choice_of_a_list_with_focus() {
    let id = Id::unique("list");
    let mut harness = shown(None, move |ui, chosen: &mut Option<usize>| {
        let (rect, _) = ui.allocate_exact_size([100.0, 100.0].into(), eframe::egui::Sense::hover());
        ui.interact(rect, id, eframe::egui::Sense::click())
            .widget_info(|| eframe::egui::WidgetInfo::labeled(Role::List, true, "Files"));
        if let Some(next) = list_keys(ui, id, *chosen, 10, 4) {
            *chosen = Some(next);
        }
    });
    harness.get_by_label("Files").focus();
    harness.run();
    let mut press = |key, expected| {
        harness.key_press(key);
        harness.run();
        assert_eq!(*harness.state(), Some(expected), "after {key:?}");
    };
    press(Key::ArrowDown, 0);
    press(Key::PageDown, 3);
    press(Key::End, 9);
    press(Key::ArrowDown, 9);
    press(Key::ArrowUp, 8);
    press(Key::Home, 0);
}

#[test]
fn nothing_asks_for_frames_while_nothing_happens() {
    let begun = std::time::Instant::now().checked_sub(std::time::Duration::from_secs(1)).unwrap();
    let mut harness = shown((), move |ui, ()| {
        ui.add(Button::new("Plain"));
        thin_progress(ui, None);
        skeleton_rows(ui, begun, 3, space::ROW);
    });
    // Panics where the controls go on asking for frames.
    harness.run();
}
