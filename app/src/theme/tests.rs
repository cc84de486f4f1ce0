//! What every theme promises, measured.

use super::{contrast::ratio, *};

/// Text and marks with the grounds they appear on; by token name, so that a failure names its row of the table.
fn grounds(token: &str) -> &'static [&'static str] {
    const SURFACES: &[&str] = &["surface.base", "surface.panel", "surface.raised", "surface.input"];
    const ROWS: &[&str] = &[
        "surface.base",
        "surface.panel",
        "surface.raised",
        "surface.hover",
        "row.hover",
        "row.selected",
        "row.active",
    ];
    match token {
        "text.normal" | "text.muted" => &[
            "surface.base",
            "surface.panel",
            "surface.raised",
            "surface.input",
            "surface.hover",
            "button.press",
            "row.hover",
            "row.selected",
            "row.active",
            "signal.accent_soft",
            "signal.success_soft",
            "signal.warning_soft",
            "signal.danger_soft",
            "add.line",
            "add.gutter",
            "remove.line",
            "remove.gutter",
            "moved.line",
        ],
        "text.on_accent" => &["signal.accent", "button.primary_hover", "button.primary_press"],
        "text.on_danger" => &["signal.danger", "button.danger_hover", "button.danger_press"],
        "text.link" => SURFACES,
        "code.number" => &["surface.base"],
        "code.number_active" => &["surface.base", "add.gutter", "remove.gutter", "moved.line"],
        "add.text" => &[
            "surface.base",
            "surface.panel",
            "surface.raised",
            "surface.hover",
            "row.hover",
            "row.selected",
            "row.active",
            "add.line",
            "add.gutter",
        ],
        "remove.text" => &[
            "surface.base",
            "surface.panel",
            "surface.raised",
            "surface.hover",
            "row.hover",
            "row.selected",
            "row.active",
            "remove.line",
            "remove.gutter",
        ],
        "signal.accent" | "signal.success" | "signal.warning" | "signal.danger" => SURFACES,
        _ if token.starts_with("status.") => ROWS,
        _ => &[],
    }
}

/// Marks: at least 3:1 on these.
fn mark_grounds(token: &str) -> &'static [&'static str] {
    const SURFACES: &[&str] = &["surface.base", "surface.panel", "surface.raised"];
    match token {
        "border.control" => &["surface.base", "surface.panel", "surface.raised", "row.hover", "row.selected"],
        "border.focus" | "moved.edge" => SURFACES,
        "text.faint" => &["surface.base", "surface.raised"],
        "code.caret" => &["surface.base", "add.line", "add.word", "remove.line", "remove.word"],
        "code.modified" => &["surface.base"],
        "ruler.add" | "ruler.remove" | "ruler.modify" | "ruler.search" | "ruler.mark" => {
            &["surface.base", "surface.panel"]
        }
        _ if token.starts_with("problem.") => {
            &["surface.base", "surface.panel", "surface.raised", "add.line", "row.selected", "row.active"]
        }
        _ => &[],
    }
}

fn named(theme: &Theme, name: &str) -> Color32 {
    let found = theme.named().into_iter().find(|(token, _)| *token == name);
    found.map_or_else(|| panic!("no token {name}"), |(_, color)| color)
}

/// Lists `token on ground: ratio` for everything below its minimum.
fn too_weak(theme: &Theme) -> Vec<String> {
    let text = if theme.variant == Variant::Contrast { contrast::STRONG_TEXT } else { contrast::TEXT };
    let mut weak = Vec::new();
    let mut measure = |name: &str, color: Color32, ground: &str, minimum: f32| {
        let found = ratio(color, named(theme, ground));
        if found < minimum {
            weak.push(format!("{:?}: {name} on {ground} is {found:.2}, wants {minimum}", theme.variant));
        }
    };
    for (name, color) in theme.named() {
        for ground in grounds(name) {
            measure(name, color, ground, text);
        }
        for ground in mark_grounds(name) {
            measure(name, color, ground, contrast::MARK);
        }
    }
    weak
}

#[test]
fn text_and_marks_read_in_every_theme() {
    let weak: Vec<_> = Variant::ALL.into_iter().flat_map(|variant| too_weak(Theme::of(variant))).collect();
    assert!(weak.is_empty(), "{}", weak.join("\n"));
}

#[test]
fn syntax_colours_read_on_every_ground_of_code() {
    for variant in Variant::ALL {
        let theme = Theme::of(variant);
        let minimum = if variant == Variant::Contrast { contrast::STRONG_TEXT } else { contrast::TEXT };
        for ground in Ground::ALL {
            let below = ground.color(theme);
            let _ = theme.syntax_on(ground).map(|color| {
                assert!(
                    ratio(color, below) >= minimum,
                    "{variant:?}: {color:?} on {ground:?} is {}",
                    ratio(color, below)
                );
                color
            });
        }
    }
}

#[test]
fn syntax_colours_are_their_own_on_the_page() {
    // Lifting is for changed words; on the page the table already has to read.
    for variant in Variant::ALL {
        let theme = Theme::of(variant);
        assert_eq!(theme.syntax_on(Ground::Page), &theme.syntax, "{variant:?}");
    }
}

#[test]
fn code_reads_under_selections_and_hits() {
    for variant in Variant::ALL {
        let theme = Theme::of(variant);
        let code = &theme.code;
        for over in
            [code.current_line, code.selection, code.selection_idle, code.search, code.search_current, code.bracket]
        {
            let ground = theme.surface.base.blend(over);
            let found = ratio(theme.text.normal, ground);
            assert!(found >= contrast::TEXT, "{variant:?}: text on {ground:?} is {found:.2}");
        }
    }
}

#[test]
fn added_and_removed_are_told_apart_without_red_and_green() {
    // Seen without red or without green, a colour is about its blue and the mean of the rest: these must differ there.
    for variant in [Variant::DarkColorBlind, Variant::LightColorBlind] {
        let theme = Theme::of(variant);
        for (add, remove) in [(theme.add.line, theme.remove.line), (theme.add.word, theme.remove.word)] {
            let yellow_blue = |c: Color32| i32::midpoint(i32::from(c.r()), i32::from(c.g())) - i32::from(c.b());
            assert!((yellow_blue(add) - yellow_blue(remove)).abs() >= 20, "{variant:?}: {add:?} and {remove:?}");
        }
    }
}

#[test]
fn changed_words_stand_out_from_their_line() {
    for variant in Variant::ALL {
        let theme = Theme::of(variant);
        for (word, line) in [(theme.add.word, theme.add.line), (theme.remove.word, theme.remove.line)] {
            assert!(ratio(word, line) >= 1.2, "{variant:?}: {word:?} in {line:?} is {}", ratio(word, line));
        }
    }
}

#[test]
fn the_system_decides_only_where_it_is_asked() {
    let check = |choice: ThemeChoice, system, variant| assert_eq!(choice.resolve(system).variant, variant);
    check(ThemeChoice::System, Some(egui::Theme::Light), Variant::Light);
    check(ThemeChoice::System, None, Variant::Dark);
    check(ThemeChoice::SystemColorBlind, Some(egui::Theme::Light), Variant::LightColorBlind);
    check(ThemeChoice::Dark, Some(egui::Theme::Light), Variant::Dark);
    check(ThemeChoice::Contrast, Some(egui::Theme::Light), Variant::Contrast);
}

#[test]
fn applying_a_theme_leaves_nothing_of_egui_s_style() {
    let ctx = egui::Context::default();
    for variant in Variant::ALL {
        let theme = Theme::of(variant);
        style::apply(&ctx, theme, Metrics::default());
        assert_eq!(Theme::get(&ctx).variant, variant);
        let visuals = ctx.global_style().visuals.clone();
        let default = if theme.is_dark() { egui::Visuals::dark() } else { egui::Visuals::light() };
        assert_eq!(visuals.panel_fill, theme.surface.panel);
        assert_ne!(visuals.widgets, default.widgets);
        assert_ne!(visuals.selection, default.selection);
        assert_ne!(visuals.popup_shadow, default.popup_shadow);
        assert_ne!(ctx.global_style().spacing, egui::Spacing::default());
    }
}

#[test]
fn sync_follows_the_choice_and_the_sizes() {
    let ctx = egui::Context::default();
    style::sync(&ctx, ThemeChoice::Light, Metrics::default());
    assert_eq!(Theme::get(&ctx).variant, Variant::Light);
    let larger = Metrics { code_size: 15.0, reduced_motion: true, ..Metrics::default() };
    style::sync(&ctx, ThemeChoice::Light, larger);
    assert_eq!(Metrics::get(&ctx), larger);
    assert_eq!(ctx.global_style().animation_time, 0.0);
}

#[test]
fn colours_are_spelled_in_the_theme_alone() {
    fn visit(folder: &std::path::Path, found: &mut Vec<String>) {
        let entries = std::fs::read_dir(folder).unwrap();
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("src/theme") {
                    visit(&path, found);
                }
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let spelled = |line: &str| {
                ["Color32::from_", "hex_color!", "Rgba::from_"].iter().any(|raw| line.contains(raw))
                    || line.split("Color32::").skip(1).any(|rest| {
                        let name: String = rest.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
                        name.len() > 1 && !["TRANSPARENT", "PLACEHOLDER"].contains(&name.as_str())
                    })
            };
            for (number, line) in text.lines().enumerate().filter(|(_, line)| spelled(line)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    let mut found = Vec::new();
    visit(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.is_empty(), "raw colours outside the theme:\n{}", found.join("\n"));
}
