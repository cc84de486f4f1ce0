//! Draws every control in every state into pictures, one a theme: `cargo run -p recto --example gallery -- DIRECTORY`.
//!
//! For looking at, not for comparing: it is how the look is judged without opening a window.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use editor::syntax::Token;
use eframe::egui::{self, Id, Layout, Rect, RichText, Ui, UiBuilder, pos2, vec2};
use egui_kittest::Harness;
use recto::{
    theme::{Ground, Metrics, Theme, Variant, icons, look, space, style},
    widgets::{
        Badge, Button, Counts, Dropdown, EmptyState, ErrorState, IconButton, KeyCaps, ListRow, MenuItem, Notice,
        Progress, Segmented, Tab, TextInput, Tick, TickState, Tone, TreeRow, card, marked_card, menu_frame,
        menu_separator, skeleton_rows, thin_progress,
    },
};

const SIZE: egui::Vec2 = vec2(1280.0, 900.0);

fn main() -> anyhow::Result<()> {
    let directory = PathBuf::from(std::env::args().nth(1).context("name a directory for the pictures")?);
    for variant in Variant::ALL {
        let metrics = Metrics { reduced_motion: true, ..Metrics::default() };
        let mut harness = Harness::builder()
            .with_size(SIZE)
            .with_pixels_per_point(if variant == Variant::Contrast { 2.0 } else { 1.0 })
            .with_context_setup(move |ctx| {
                style::install_fonts(ctx);
                style::apply(ctx, Theme::of(variant), metrics);
            })
            .wgpu()
            .build_ui(gallery);
        harness.run_steps(3);
        let picture = harness.render().map_err(anyhow::Error::msg)?;
        picture.save(directory.join(format!("gallery-{variant:?}.png").to_lowercase()))?;
    }
    Ok(())
}

fn gallery(ui: &mut Ui) {
    let (theme, _) = look(ui);
    let screen = ui.ctx().content_rect();
    ui.painter().rect_filled(screen, 0.0, theme.surface.base);
    let column = |left: f32, right: f32| Rect::from_min_max(pos2(left, 0.0), pos2(right, SIZE.y));
    panel(ui, column(0.0, 300.0), "panel", side_panel);
    panel(ui, column(300.0, 860.0), "page", page);
    panel(ui, column(860.0, 1280.0), "cards", cards);
}

fn panel(ui: &mut Ui, rect: Rect, name: &str, add_contents: impl FnOnce(&mut Ui)) {
    let (theme, _) = look(ui);
    if name != "page" {
        ui.painter().rect_filled(rect, 0.0, theme.surface.panel);
    }
    ui.painter().vline(rect.right() - 0.5, rect.y_range(), egui::Stroke::new(1.0, theme.border.line));
    let inner = if name == "cards" { rect.shrink(space::M) } else { rect };
    let builder = UiBuilder::new().id_salt(name).max_rect(inner).layout(Layout::top_down(egui::Align::Min));
    ui.scope_builder(builder, add_contents);
}

fn side_panel(ui: &mut Ui) {
    let (theme, metrics) = look(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.horizontal(|ui| {
        ui.set_height(32.0);
        ui.add_space(space::M);
        ui.label(RichText::new("Changes").font(metrics.medium()));
        ui.label(RichText::new("12").small().color(theme.text.muted));
        ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(space::S);
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add(IconButton::new(icons::DOTS, "More"));
            ui.add(IconButton::new(icons::FILTER, "Filter"));
            ui.add(IconButton::new(icons::TREE_VIEW, "As a tree").selected(true));
        });
    });
    ui.horizontal(|ui| {
        ui.add_space(space::S);
        let mut filter = String::new();
        TextInput::new(&mut filter, "Filter files").hint("Filter files").icon(icons::SEARCH).width(284.0).show(ui);
    });
    ui.add_space(space::S);
    let status = theme.status;
    let row = |ui: &mut Ui, name: &str| TreeRow::new(ui.scope_id().with(name), name.to_owned());
    row(ui, "editor/src/text").expanded(true).tick(TickState::On).show(ui);
    let file = |ui: &mut Ui, name: &str, letter, color| row(ui, name).depth(1).letter(letter, color);
    file(ui, "rope.rs", 'M', status.modified).counts(12, 4).tick(TickState::On).muted(true).show(ui);
    file(ui, "transaction.rs", 'M', status.modified).counts(86, 31).tick(TickState::On).muted(true).show(ui);
    row(ui, "diff/src").expanded(true).tick(TickState::Partly).show(ui);
    file(ui, "engine.rs", 'M', status.modified)
        .counts(140, 52)
        .tick(TickState::Off)
        .selected(true)
        .active(true)
        .show(ui);
    file(ui, "affix.rs", 'A', status.added).counts(74, 0).tick(TickState::Off).selected(true).show(ui);
    file(ui, "rows.rs", 'R', status.renamed).detail("layout.rs").counts(18, 9).tick(TickState::Off).show(ui);
    row(ui, "agent/src/protocol").expanded(false).show(ui);
    file(ui, "a/deeply/nested/folder/with_a_long_file_name.rs", 'U', status.untracked).counts(1203, 88).show(ui);
    file(ui, "legacy.rs", 'D', status.removed).counts(0, 240).tick(TickState::Off).show(ui);
    file(ui, "conflict.rs", '!', status.conflicted).counts(3, 3).tick(TickState::Off).show(ui);
    ui.add_space(space::S);
    ListRow::new(Id::unique("l1"), "main.rs")
        .icon(icons::FILE_RUST)
        .detail("app/src/bin/some/where/far/below")
        .note("Ctrl+1")
        .show(ui);
    ListRow::new(Id::unique("l2"), "Go to Line")
        .icon(icons::HASH)
        .matches(&[0..2, 6..8])
        .note("Ctrl+G")
        .selected(true)
        .show(ui);
    ListRow::new(Id::unique("l3"), "README.md").icon(icons::FILE_MARKDOWN).note("2 hours ago").show(ui);
    ui.add_space(space::S);
    let begun = Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now);
    skeleton_rows(ui, begun, 4, space::ROW);
    ui.allocate_ui(vec2(300.0, 170.0), |ui| {
        EmptyState::new(icons::SUCCESS, "Nothing to review")
            .detail("The working tree is as the last commit.")
            .action(Button::new("Compare with…").icon(icons::REVIEW))
            .show(ui);
    });
}

fn page(ui: &mut Ui) {
    let (theme, _) = look(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let bar = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), 32.0));
    ui.painter().rect_filled(bar, 0.0, theme.surface.panel);
    ui.painter().hline(bar.x_range(), bar.bottom() - 0.5, egui::Stroke::new(1.0, theme.border.line));
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        Tab::new("Review · main…HEAD").icon(icons::REVIEW).selected(true).show(ui);
        Tab::new("engine.rs").dirty(true).show(ui);
        Tab::new("README.md").preview(true).show(ui);
    });
    egui::Frame::new().inner_margin(12).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = space::M;
        toolbar(ui);
        buttons(ui);
        marks(ui);
        inputs(ui);
        Notice::new(Tone::Warning, "engine.rs changed on disk.").action("Compare").action("Reload").closable().show(ui);
        Notice::new(Tone::Danger, "The commit was refused by the pre-commit hook.").action("Show output").show(ui);
        Notice::new(Tone::Accent, "This file is over 50 MB: colours and word changes are off.").closable().show(ui);
        Progress::new("Comparing 1,790 files").done(0.67, "1,204 of 1,790").cancelable().show(ui);
        thin_progress(ui, None);
        code(ui);
    });
}

fn toolbar(ui: &mut Ui) {
    ui.horizontal(|ui| {
        Dropdown::new("main").icon(icons::GIT_BRANCH).show(ui, |_| ());
        ui.label(RichText::new("←").color(look(ui).0.text.muted));
        ui.add(Button::new("agent/trim-first").icon(icons::GIT_BRANCH));
        ui.add(Counts::new(723, 481));
        ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add(Button::new("Accept file").primary());
            ui.add(Button::new("Reject"));
        });
    });
}

fn buttons(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.add(Button::new("Commit 4 staged").primary().icon(icons::CHECK));
        ui.add(Button::new("Plain"));
        ui.add(Button::new("Quiet").quiet());
        ui.add(Button::new("Delete branch").danger().icon(icons::TRASH));
        ui.add_enabled(false, Button::new("Disabled"));
    });
    ui.horizontal(|ui| {
        ui.add(Button::new("qwen2.5-coder 7b").dot(Tone::Success).caret());
        ui.add(Button::new("Focused")).request_focus();
        ui.add(Button::new("A very long name of a branch that is cut").icon(icons::GIT_BRANCH).max_width(180.0));
    });
    ui.horizontal(|ui| {
        let mut chosen = 0;
        Segmented::new(&[(Some(icons::SPLIT), "Split"), (Some(icons::UNIFIED), "Unified")]).show(ui, &mut chosen);
        let mut chosen = 1;
        let align = [(Some(icons::SUN), "Light"), (Some(icons::MOON), "Dark"), (Some(icons::CONTRAST), "Contrast")];
        Segmented::new(&align).icons_only().show(ui, &mut chosen);
        for icon in [icons::REVIEW, icons::FILES, icons::SEARCH, icons::HISTORY, icons::CHAT] {
            ui.add(IconButton::new(icon, "x").large().selected(icon == icons::REVIEW));
        }
    });
}

fn marks(ui: &mut Ui) {
    ui.horizontal(|ui| {
        for (text, tone) in [
            ("modified", Tone::Neutral),
            ("added", Tone::Success),
            ("deleted", Tone::Danger),
            ("renamed 95 %", Tone::Accent),
            ("conflict", Tone::Warning),
        ] {
            ui.add(Badge::new(text).tone(tone));
        }
        ui.add(Badge::new("1 comment").icon(icons::COMMENT));
        ui.add(KeyCaps::new("Ctrl+Shift+P"));
        ui.add(KeyCaps::new("g g"));
    });
    ui.horizontal(|ui| {
        ui.add(Tick::new(&mut true, "Viewed"));
        ui.add(Tick::new(&mut false, "Ignore white space"));
        ui.add(Tick::new(&mut false, "Some").partly(true));
        ui.add_enabled(false, Tick::new(&mut true, "Disabled"));
    });
}

fn inputs(ui: &mut Ui) {
    ui.horizontal(|ui| {
        let mut empty = String::new();
        TextInput::new(&mut empty, "Go to")
            .hint("Go to file, symbol, command…")
            .icon(icons::COMMAND)
            .width(260.0)
            .show(ui);
        let mut filled = "fn compare".to_owned();
        TextInput::new(&mut filled, "Find").icon(icons::SEARCH).clearable().code().width(160.0).show(ui);
        let mut wrong = "(unclosed".to_owned();
        TextInput::new(&mut wrong, "Pattern").tone(Tone::Danger).code().width(90.0).show(ui);
    });
}

/// A changed pair of lines as a review draws them, and every syntax colour.
fn code(ui: &mut Ui) {
    use Token::{
        Comment, DocComment, Function, Keyword, Number, Operator, Parameter, Property, Punctuation, String, Type,
        Variable,
    };
    type Line<'a> = (Ground, &'a [(Token, &'a str, bool)]);
    let (theme, metrics) = look(ui);
    let lines: &[Line] = &[
        (Ground::Page, &[(DocComment, "/// Lines that differ between two texts.", false)]),
        (
            Ground::Page,
            &[
                (Keyword, "pub fn ", false),
                (Function, "compare", false),
                (Punctuation, "(", false),
                (Parameter, "old", false),
                (Operator, ": &", false),
                (Type, "[u8]", false),
                (Punctuation, ") ", false),
                (Operator, "-> ", false),
                (Type, "Script", false),
                (Punctuation, " {", false),
            ],
        ),
        (
            Ground::RemovedLine,
            &[
                (Keyword, "    let ", false),
                (Variable, "input", false),
                (Operator, " = ", false),
                (Type, "Interned", true),
                (Operator, "::", true),
                (Function, "new", true),
                (Punctuation, "(", true),
                (Variable, "old", true),
                (Punctuation, ");", false),
                (Comment, " // hash all of it", true),
            ],
        ),
        (
            Ground::AddedLine,
            &[
                (Keyword, "    let ", false),
                (Variable, "affix", true),
                (Operator, " = ", false),
                (Function, "common_affixes", true),
                (Punctuation, "(", false),
                (String, "\"name\"", true),
                (Punctuation, ", ", false),
                (Number, "5000", true),
                (Punctuation, ").", false),
                (Property, "prefix", false),
                (Comment, " // trim before interning", true),
            ],
        ),
        (Ground::MovedLine, &[(Comment, "    // The rest is as it was.", false)]),
    ];
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), metrics.code_line * lines.len() as f32));
    for (row, (ground, spans)) in lines.iter().enumerate() {
        let top = area.top() + row as f32 * metrics.code_line;
        let line = Rect::from_min_size(pos2(area.left(), top), vec2(area.width(), metrics.code_line));
        ui.painter().rect_filled(line, 0.0, ground.color(theme));
        let mut x = line.left() + 8.0;
        for (token, text, changed) in *spans {
            let on = match (ground, changed) {
                (Ground::AddedLine, true) => Ground::AddedWord,
                (Ground::RemovedLine, true) => Ground::RemovedWord,
                _ => *ground,
            };
            let color = theme.syntax_on(on).color(*token);
            let galley = ui.painter().layout_no_wrap((*text).to_owned(), metrics.code(), color);
            if *changed {
                let word = Rect::from_min_size(pos2(x, top), vec2(galley.size().x, metrics.code_line));
                ui.painter().rect_filled(word, 2.0, on.color(theme));
            }
            let width = galley.size().x;
            ui.painter().galley(pos2(x, top + (metrics.code_line - galley.size().y) / 2.0), galley, color);
            x += width;
        }
    }
}

fn cards(ui: &mut Ui) {
    let (theme, metrics) = look(ui);
    ui.spacing_mut().item_spacing.y = space::M;
    ui.label(RichText::new("Title of a page").font(metrics.heading()));
    ui.label(RichText::new("Title of a card").font(metrics.title()));
    ui.label("The whole file was hashed before the common part was cut off. It is cut first now.");
    ui.label(RichText::new("Muted, small: 240 lines, referenced nowhere.").small().color(theme.text.muted));
    card(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label("Opening a 100 MB log with one edited line takes over a second. Find out why and make it instant.");
    });
    marked_card(ui, Tone::Warning, |ui| {
        ui.set_width(ui.available_width());
        ui.label(RichText::new("Delete agent/src/protocol/legacy.rs?").font(metrics.medium()));
        ui.label(RichText::new("240 lines, referenced nowhere. Can be undone.").small().color(theme.text.muted));
        ui.add_space(space::XS);
        ui.horizontal(|ui| {
            ui.add(Button::new("Allow once").primary());
            ui.add(Button::new("This session"));
            ui.add(Button::new("Deny…"));
        });
    });
    menu_frame(ui).show(ui, |ui| {
        ui.set_width(240.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.add(MenuItem::new("Copy path").icon(icons::COPY).key("Ctrl+Shift+C"));
        ui.add(MenuItem::new("Open in editor").icon(icons::EDIT).key("e"));
        ui.add(MenuItem::new("Reveal in files").icon(icons::FOLDER_OPEN));
        menu_separator(ui);
        ui.add(MenuItem::new("Show white space").chosen(true));
        ui.add(MenuItem::new("Ignore all white space").chosen(false));
        menu_separator(ui);
        ui.add(MenuItem::new("Discard changes").icon(icons::UNDO).danger());
    });
    ui.allocate_ui(vec2(390.0, 180.0), |ui| {
        ErrorState::new("lib.rs could not be read", "Permission denied. Give yourself read access, then try again.")
            .action(Button::new("Try again").icon(icons::REFRESH))
            .show(ui);
    });
    all_icons(ui);
}

fn all_icons(ui: &mut Ui) {
    let (theme, _) = look(ui);
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), 13.0 * 22.0));
    for (index, (_, icon)) in icons::ALL.iter().enumerate() {
        let at = area.min + vec2(11.0 + (index % 18) as f32 * 22.0, 11.0 + (index / 18) as f32 * 22.0);
        icon.paint(ui.painter(), at, theme.text.muted);
    }
}
