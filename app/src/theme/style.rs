//! egui's own style, set whole from the tokens, so that whatever of it is drawn fits in.
//!
//! [`apply`] is called when the theme or the [`Metrics`] change, not every frame; [`sync`] does that check.

use eframe::egui::{
    self, Color32, CornerRadius, FontId, Margin, Shadow, Stroke, TextStyle, Visuals,
    epaint::{FontColorTransferFunction, text::TextOptions},
    style::{
        HandleShape, ImeComposition, Interaction, ScrollAnimation, ScrollFadeStyle, ScrollStyle, Selection, Spacing,
        TextCursorStyle, WidgetVisuals, Widgets,
    },
    vec2,
};

use super::{Look, Metrics, Theme, ThemeChoice, fonts, radius};

/// Sets egui's style, zoom and fonts of `ctx` to `theme` and `metrics`, and remembers both for [`Theme::get`].
pub fn apply(ctx: &egui::Context, theme: &'static Theme, metrics: Metrics) {
    ctx.data_mut(|data| data.insert_temp(egui::Id::NULL, Look { theme, metrics }));
    // Which of its two styles egui picks is of no consequence: both are this one.
    let style = style(theme, &metrics);
    ctx.set_style_of(egui::Theme::Dark, style.clone());
    ctx.set_style_of(egui::Theme::Light, style);
    ctx.set_theme(if theme.is_dark() { egui::Theme::Dark } else { egui::Theme::Light });
    ctx.set_zoom_factor(metrics.zoom);
}

/// Installs the bundled fonts. Once, before the first frame.
pub fn install_fonts(ctx: &egui::Context) {
    ctx.set_fonts(fonts::definitions());
}

/// Applies what `choice` means on this system and `metrics`, if either differs from what is set. Cheap; once a frame.
pub fn sync(ctx: &egui::Context, choice: ThemeChoice, metrics: Metrics) {
    let theme = choice.resolve(ctx.system_theme());
    let current = ctx.data(|data| data.get_temp::<Look>(egui::Id::NULL));
    if current.is_none_or(|look| look.theme.variant != theme.variant || look.metrics != metrics) {
        apply(ctx, theme, metrics);
    }
}

fn style(theme: &Theme, metrics: &Metrics) -> egui::Style {
    let motion = metrics.motion_seconds();
    egui::Style {
        text_styles: [
            (TextStyle::Small, metrics.small()),
            (TextStyle::Body, metrics.body()),
            (TextStyle::Button, metrics.body()),
            (TextStyle::Heading, metrics.title()),
            (TextStyle::Monospace, metrics.code()),
        ]
        .into(),
        spacing: spacing(),
        interaction: Interaction {
            interact_radius: 2.0,
            tooltip_delay: 0.4,
            tooltip_grace_time: 0.2,
            show_tooltips_only_when_still: true,
            // Labels are not text to mark: dragging over them drags rows, and a click must reach the row.
            selectable_labels: false,
            multi_widget_text_select: false,
            ..Interaction::default()
        },
        visuals: visuals(theme, metrics),
        animation_time: motion,
        scroll_animation: if motion > 0.0 { ScrollAnimation::duration(motion) } else { ScrollAnimation::none() },
        compact_menu_style: true,
        ..egui::Style::default()
    }
}

fn spacing() -> Spacing {
    Spacing {
        item_spacing: vec2(8.0, 4.0),
        window_margin: Margin::same(12),
        menu_margin: Margin::same(4),
        button_padding: vec2(8.0, 4.0),
        indent: 16.0,
        interact_size: vec2(24.0, 24.0),
        slider_width: 120.0,
        slider_rail_height: 4.0,
        combo_width: 96.0,
        text_edit_width: 240.0,
        icon_width: 16.0,
        icon_width_inner: 8.0,
        icon_spacing: 8.0,
        tooltip_width: 360.0,
        menu_width: 280.0,
        menu_spacing: 4.0,
        combo_height: 320.0,
        scroll: ScrollStyle {
            floating: true,
            bar_width: 10.0,
            floating_width: 6.0,
            handle_min_length: 24.0,
            bar_inner_margin: 2.0,
            bar_outer_margin: 2.0,
            foreground_color: false,
            dormant_background_opacity: 0.0,
            active_background_opacity: 0.0,
            interact_background_opacity: 0.0,
            dormant_handle_opacity: 0.7,
            active_handle_opacity: 1.0,
            interact_handle_opacity: 1.0,
            fade: ScrollFadeStyle { strength: 0.0, size: 0.0 },
            ..ScrollStyle::floating()
        },
        ..Spacing::default()
    }
}

fn visuals(theme: &Theme, metrics: &Metrics) -> Visuals {
    let hairline = Stroke::new(1.0, theme.border.line);
    let shadow = Shadow { offset: [0, 4], blur: 16, spread: 0, color: theme.surface.shadow };
    Visuals {
        dark_mode: theme.is_dark(),
        text_options: TextOptions {
            color_transfer_function: if theme.is_dark() {
                FontColorTransferFunction::DARK_MODE_DEFAULT
            } else {
                FontColorTransferFunction::LIGHT_MODE_DEFAULT
            },
            ..TextOptions::default()
        },
        override_text_color: None,
        weak_text_color: Some(theme.text.muted),
        widgets: widgets(theme),
        selection: Selection { bg_fill: theme.code.selection, stroke: Stroke::new(1.0, theme.text.normal) },
        ime_composition: ImeComposition {
            active_underline_stroke: Stroke::new(2.0, theme.signal.accent),
            inactive_underline_stroke: Stroke::new(1.0, theme.text.muted),
            ..ImeComposition::default()
        },
        hyperlink_color: theme.text.link,
        faint_bg_color: theme.surface.panel,
        extreme_bg_color: theme.surface.input,
        text_edit_bg_color: Some(theme.surface.input),
        code_bg_color: theme.surface.hover,
        warn_fg_color: theme.signal.warning,
        error_fg_color: theme.signal.danger,
        window_corner_radius: radius::CARD,
        window_shadow: shadow,
        window_fill: theme.surface.raised,
        window_stroke: hairline,
        window_highlight_topmost: false,
        menu_corner_radius: radius::CARD,
        panel_fill: theme.surface.panel,
        popup_shadow: shadow,
        text_cursor: TextCursorStyle {
            stroke: Stroke::new(1.5, theme.code.caret),
            preview: false,
            blink: !metrics.reduced_motion,
            on_duration: 0.5,
            off_duration: 0.5,
        },
        button_frame: true,
        collapsing_header_frame: false,
        indent_has_left_vline: false,
        striped: false,
        slider_trailing_fill: true,
        handle_shape: HandleShape::Circle,
        disabled_alpha: 0.45,
        ..Visuals::dark()
    }
}

fn widgets(theme: &Theme) -> Widgets {
    let state = |fill: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, edge),
        corner_radius: radius::CONTROL,
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    let (surface, border, text) = (&theme.surface, &theme.border, &theme.text);
    Widgets {
        noninteractive: state(surface.panel, border.line, text.normal),
        // egui draws scroll handles with the fills of interactive widgets; `bg_fill` is theirs, buttons take the weak one.
        inactive: WidgetVisuals { bg_fill: theme.scroll.thumb, ..state(surface.raised, border.line, text.normal) },
        hovered: WidgetVisuals { bg_fill: theme.scroll.thumb_hover, ..state(surface.hover, border.line, text.normal) },
        active: WidgetVisuals {
            bg_fill: theme.scroll.thumb_press,
            ..state(theme.button.press, border.line, text.normal)
        },
        open: state(surface.hover, border.line, text.normal),
    }
}

/// The corner radius of `radius` points on all corners.
pub(super) const fn corner(radius: u8) -> CornerRadius {
    CornerRadius::same(radius)
}

/// A font id scaled with the interface.
pub(super) fn scaled(font: fn(f32) -> FontId, size: f32, ui: f32) -> FontId {
    font(size * ui / Metrics::UI_SIZE)
}
