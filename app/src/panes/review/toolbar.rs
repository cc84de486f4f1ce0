//! The bar over the page: what is compared, how much, and how it is shown.

use diff::engine::Whitespace;
use diff::plan::Layout as PageLayout;
use diff::source::{Comparison, Source};
use eframe::egui::{Align, Layout, Rect, RichText, Stroke, Ui, UiBuilder, pos2, vec2};

use super::{MergeView, merge_views};
use agent::session::Point;

use crate::commands::{Action, Command, Sink};
use crate::shell::pick::Picking;
use crate::state::chats::ChatId;
use crate::state::chats::rounds::{self, Round, Span};
use crate::state::desk::ReviewDesk;
use crate::state::reviews::{OpenReview, Request};
use crate::theme::{Theme, icons, look, space};
use crate::widgets::{Badge, Button, Counts, Dropdown, IconButton, MenuItem, Segmented, Tone, menu_separator};

/// Its height.
pub const HEIGHT: f32 = 40.0;

/// Bars narrower than this show the layouts as icons alone, and those narrower than that leave steps to the keys and put
/// what changes how the page is shown into one menu.
const WIDE: f32 = 900.0;
const NARROW: f32 = 640.0;

/// Draws the bar. Where it is narrow, what says least is left out.
///
/// Returns the white space that is to be overlooked, if that was chosen anew.
pub fn draw(
    ui: &mut Ui,
    rect: Rect,
    review: &OpenReview,
    desk: &ReviewDesk,
    agent: Option<&Agent<'_>>,
    sink: &mut Sink,
    theme: &Theme,
) -> Option<Whitespace> {
    ui.painter().rect_filled(rect, 0.0, theme.surface.base);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let inner = rect.shrink2(vec2(space::M, 0.0));
    let align = Layout::right_to_left(Align::Center);
    let mut right = ui.new_child(UiBuilder::new().id_salt("review actions").max_rect(inner).layout(align));
    right.spacing_mut().item_spacing.x = space::S;
    let chosen = actions(&mut right, review, desk, rect.width(), sink);
    let rest = Rect::from_min_max(inner.min, pos2(right.min_rect().left() - space::M, inner.bottom()));
    let align = Layout::left_to_right(Align::Center);
    let mut left = ui.new_child(UiBuilder::new().id_salt("review sides").max_rect(rest).layout(align));
    left.spacing_mut().item_spacing.x = space::S;
    left.set_clip_rect(rest.intersect(ui.clip_rect()));
    summary(&mut left, review, agent, sink, theme);
    chosen
}

/// A conversation whose runs can be compared here: the one whose files are shown, else the one that is open.
pub struct Agent<'a> {
    pub chat: ChatId,
    pub rounds: &'a [Round],
}

/// What is compared, and how much.
fn summary(ui: &mut Ui, review: &OpenReview, agent: Option<&Agent<'_>>, sink: &mut Sink, theme: &Theme) {
    let source = review.comparison.as_ref().map(Comparison::source);
    let merge = source.and_then(MergeView::of).filter(|_| review.parents > 1);
    if let (Some((view, name)), Some(repo)) = (merge, review.repo()) {
        merge_views(ui, repo, name, view, sink);
    }
    let (old, new) = sides(review);
    if let Some(Source::Patch { name }) = source {
        ui.add(Badge::new(name.as_str()).icon(icons::FILE_TEXT));
        let why = "A patch tells changes and has no files behind it: nothing of it can be edited or staged.";
        ui.add(Badge::new("read only").icon(icons::LOCK)).on_hover_text(why);
    } else if let (Some(agent), Some(Source::Since { .. } | Source::Moments { .. })) = (agent, source) {
        moments(ui, review, agent, (&old, &new), sink);
    } else if review.repo().is_none() {
        ui.add(Badge::new(old).icon(icons::FILE));
        ui.label(RichText::new("←").color(theme.text.muted));
        ui.add(Badge::new(new).icon(icons::FILE));
    } else {
        base(ui, review, &old, sink);
        ui.label(RichText::new("←").color(theme.text.muted));
        sources(ui, review, agent, &new, sink);
    }
    amount(ui, review, theme);
}

/// How much is changed.
fn amount(ui: &mut Ui, review: &OpenReview, theme: &Theme) {
    let (counts, missing) = review.page.counts();
    let shown = Counts::new(counts.added as u32, counts.removed as u32);
    // A part that has no room is left out: half a number is another one.
    if counts.added + counts.removed > 0 && ui.available_width() > shown.width(ui) {
        ui.add(shown);
    }
    if review.renames_limited() && ui.available_width() > 160.0 {
        let why =
            "Too many files came and went to compare all with all: some that were moved may be shown as gone and new.";
        ui.add(Badge::new("renames limited").tone(Tone::Warning)).on_hover_text(why);
    }
    let files = review.page.files().len();
    let label =
        if files == 1 { "1 file".to_owned() } else { format!("{} files", crate::widgets::text::grouped(files as u64)) };
    if ui.available_width() > 80.0 {
        ui.label(RichText::new(label).color(theme.text.muted));
    }
    if missing > 0 && review.complete.is_none() && ui.available_width() > 160.0 {
        let done = files - missing;
        ui.label(RichText::new(format!("counting {done} of {files}")).small().color(theme.text.muted));
    }
}

/// The two moments of a conversation that are compared, and what they could be instead.
fn moments(ui: &mut Ui, review: &OpenReview, agent: &Agent<'_>, (old, new): (&str, &str), sink: &mut Sink) {
    let (from, to) = match (review.span, review.comparison.as_ref().map(Comparison::source)) {
        (Some(span), _) => (span.from, span.to),
        // All that is left to be looked at: since a run, whose number its name has.
        (None, Some(Source::Since { name, .. })) => {
            let run = name.rsplit(' ').next().and_then(|run| run.parse().ok());
            (Point::Before(run.unwrap_or(1)), None)
        }
        (None, _) => (Point::Before(1), None),
    };
    let mut show = |from, to| sink.push(Action::CompareRuns(Span { chat: agent.chat, from, to }));
    let end = |to: Option<Point>| match to {
        Some(Point::Before(run)) => run.saturating_sub(1),
        Some(Point::After(run)) => run,
        None => u32::MAX,
    };
    let button = Button::new(old).icon(icons::ROBOT).caret().max_width(200.0).name(format!("From: {old}"));
    Dropdown::of(button).menu_width(300.0).show(ui, |ui| {
        for round in agent.rounds.iter().filter(|round| round.run <= end(to)) {
            let before = Point::Before(round.run);
            if ui.add(MenuItem::new(format!("Before {}", round.label())).chosen(from == before)).clicked() {
                show(before, to);
            }
            let after = Point::After(round.run);
            if round.run < end(to)
                && ui.add(MenuItem::new(format!("After run {}", round.run)).chosen(from == after)).clicked()
            {
                show(after, to);
            }
        }
    });
    ui.label(RichText::new("←").color(look(ui).0.text.muted));
    let begin = match from {
        Point::Before(run) => run,
        Point::After(run) => run + 1,
    };
    let button = Button::new(new).caret().max_width(200.0).name(format!("To: {new}"));
    Dropdown::of(button).menu_width(300.0).show(ui, |ui| {
        if ui.add(MenuItem::new("Now").chosen(to.is_none())).clicked() {
            show(from, None);
        }
        for round in agent.rounds.iter().filter(|round| round.run >= begin) {
            let after = Some(Point::After(round.run));
            if ui.add(MenuItem::new(format!("After {}", round.label())).chosen(to == after)).clicked() {
                show(from, after);
            }
        }
    });
}

/// The old side, and what it could be instead.
fn base(ui: &mut Ui, review: &OpenReview, name: &str, sink: &mut Sink) {
    let another = match review.comparison.as_ref().map(diff::source::Comparison::source) {
        Some(Source::Range { b, .. }) => Picking::Base(b.clone()),
        Some(Source::WorkingTree { .. }) => Picking::Against,
        _ => {
            ui.add(Badge::new(name).icon(icons::GIT_BRANCH));
            return;
        }
    };
    let button = Button::new(name).icon(icons::GIT_BRANCH).max_width(240.0).name(format!("Base: {name}"));
    if ui.add(button.tip("Compare with another base")).clicked() {
        sink.push(Action::Pick(another));
    }
}

/// The new side, and what else can be reviewed.
fn sources(ui: &mut Ui, review: &OpenReview, agent: Option<&Agent<'_>>, name: &str, sink: &mut Sink) {
    let source = review.comparison.as_ref().map(diff::source::Comparison::source);
    let button = Button::new(name).icon(icons::GIT_BRANCH).caret().max_width(260.0).name(format!("Reviewed: {name}"));
    Dropdown::of(button).menu_width(280.0).show(ui, |ui| {
        let states = [
            ("Working tree against HEAD", Command::ReviewWorkingTree, Source::WorkingTree { against: None }),
            ("Staged changes", Command::ReviewStaged, Source::Staged),
            ("Unstaged changes", Command::ReviewUnstaged, Source::Unstaged),
        ];
        for (label, command, shown) in states {
            if ui.add(MenuItem::new(label).chosen(source == Some(&shown))).clicked() {
                sink.push(command);
            }
        }
        menu_separator(ui);
        let lists = [
            ("Working tree against…", icons::SWAP, Command::ReviewAgainst),
            ("Commit…", icons::GIT_COMMIT, Command::ReviewCommit),
            ("Branch against its base…", icons::GIT_BRANCH, Command::ReviewBranch),
            ("Tag…", icons::TAG, Command::ReviewTag),
            ("Stash…", icons::STACK, Command::ReviewStash),
            ("Another worktree…", icons::FOLDERS, Command::ReviewWorktree),
            ("Revisions…", icons::PROMPT, Command::ReviewRange),
        ];
        for (label, icon, command) in lists {
            if ui.add(MenuItem::new(label).icon(icon)).clicked() {
                sink.push(command);
            }
        }
        let Some(agent) = agent.filter(|agent| !agent.rounds.is_empty()) else { return };
        menu_separator(ui);
        for (label, from, to) in rounds::choices(agent.rounds) {
            if ui.add(MenuItem::new(format!("Agent: {label}")).icon(icons::ROBOT)).clicked() {
                sink.push(Action::CompareRuns(Span { chat: agent.chat, from, to }));
            }
        }
    });
}

/// How it is shown, from the right edge on.
fn actions(ui: &mut Ui, review: &OpenReview, desk: &ReviewDesk, width: f32, sink: &mut Sink) -> Option<Whitespace> {
    if ui.add(IconButton::new(icons::REFRESH, "Compare again").key("F5")).clicked() {
        sink.push(Command::RefreshReview);
    }
    super::viewed::progress(ui, review, sink);
    super::comment_list::menu(ui, review, desk, sink);
    if width < NARROW {
        return shown_menu(ui, review, sink);
    }
    let mut chosen = usize::from(review.page.layout() == PageLayout::Unified);
    let choices = [(Some(icons::SPLIT), "Split"), (Some(icons::UNIFIED), "Unified")];
    let layouts = Segmented::new(&choices);
    let layouts = if width < WIDE { layouts.icons_only() } else { layouts };
    if layouts.show(ui, &mut chosen) {
        sink.push(Command::ToggleSplit);
    }
    if ui.add(IconButton::new(icons::WRAP, "Wrap lines").key("w").selected(review.page.wrap().is_some())).clicked() {
        sink.push(Command::ToggleWrap);
    }
    let whitespace = whitespace_menu(ui, review);
    if ui.add(IconButton::new(icons::ARROW_DOWN, "Next hunk").key("j")).clicked() {
        sink.push(Command::NextHunkAnywhere);
    }
    if ui.add(IconButton::new(icons::ARROW_UP, "Previous hunk").key("k")).clicked() {
        sink.push(Command::PreviousHunkAnywhere);
    }
    whitespace
}

/// Which white space is overlooked; says so while any is.
fn whitespace_menu(ui: &mut Ui, review: &OpenReview) -> Option<Whitespace> {
    let current = review.page.whitespace();
    let label = if current == Whitespace::Exact { "" } else { short(current) };
    let button = Button::new(label).icon(icons::WHITESPACE).quiet().name(format!("White space: {}", current.name()));
    let mut chosen = None;
    Dropdown::of(button).menu_width(280.0).show(ui, |ui| chosen = whitespace_items(ui, current));
    chosen
}

fn whitespace_items(ui: &mut Ui, current: Whitespace) -> Option<Whitespace> {
    let mut chosen = None;
    for mode in Whitespace::ALL {
        let item = MenuItem::new(format!("White space: {}", mode.name())).chosen(mode == current);
        if ui.add(item).clicked() {
            chosen = Some(mode);
        }
    }
    chosen
}

/// All that changes how the page is shown, where there is no room for it side by side.
fn shown_menu(ui: &mut Ui, review: &OpenReview, sink: &mut Sink) -> Option<Whitespace> {
    let mut whitespace = None;
    let button = Button::new("").icon(icons::SLIDERS).quiet().name("How it is shown");
    Dropdown::of(button.tip("Layout, wrapping and white space")).menu_width(280.0).show(ui, |ui| {
        let unified = review.page.layout() == PageLayout::Unified;
        for (label, is_on) in [("Split", !unified), ("Unified", unified)] {
            if ui.add(MenuItem::new(label).chosen(is_on)).clicked() && !is_on {
                sink.push(Command::ToggleSplit);
            }
        }
        menu_separator(ui);
        let wraps = review.page.wrap().is_some();
        if ui.add(MenuItem::new("Wrap lines").chosen(wraps).key("w")).clicked() {
            sink.push(Command::ToggleWrap);
        }
        menu_separator(ui);
        whitespace = whitespace_items(ui, review.page.whitespace());
    });
    whitespace
}

/// A mode in a word.
fn short(mode: Whitespace) -> &'static str {
    match mode {
        Whitespace::Exact => "exact",
        Whitespace::IgnoreCr => "no CR",
        Whitespace::IgnoreEnd => "no line ends",
        Whitespace::IgnoreAmount => "no amounts",
        Whitespace::IgnoreAll => "no white space",
    }
}

/// What stands on the old and on the new side, in a word each.
pub fn sides(review: &OpenReview) -> (String, String) {
    let Some(comparison) = &review.comparison else { return ("…".to_owned(), "…".to_owned()) };
    if let Request::Unsaved { .. } = review.request {
        return ("on disk".to_owned(), "unsaved".to_owned());
    }
    match comparison.source() {
        Source::WorkingTree { against } => {
            (against.clone().unwrap_or_else(|| "HEAD".to_owned()), "working tree".to_owned())
        }
        Source::Staged => ("HEAD".to_owned(), "index".to_owned()),
        Source::Unstaged => ("index".to_owned(), "working tree".to_owned()),
        Source::Range { a, b, merge_base } => {
            (if *merge_base { format!("{a} (merge base)") } else { a.clone() }, b.clone())
        }
        Source::Commit(name) => (format!("{name}^"), name.clone()),
        Source::Remerge(name) => ("merged anew".to_owned(), name.clone()),
        Source::Since { name, .. } => (format!("before {name}"), "now".to_owned()),
        Source::Moments { old, new, .. } => (old.to_string(), new.as_deref().unwrap_or("now").to_owned()),
        Source::Stash(name) => (format!("{name}^"), format!("stash {name}")),
        Source::Worktree(other) => (other.display().to_string(), "working tree".to_owned()),
        Source::Patch { name } => ("before".to_owned(), name.clone()),
        Source::Files { old, new } | Source::Folders { old, new } => {
            (old.display().to_string(), new.display().to_string())
        }
    }
}

/// What a tab calls the review.
pub fn title(review: &OpenReview) -> String {
    let Some(comparison) = &review.comparison else { return "Review".to_owned() };
    if let Request::Unsaved { path, .. } = &review.request {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        return format!("{} · unsaved changes", name.unwrap_or_default());
    }
    match comparison.source() {
        Source::WorkingTree { against: None } => "Review · working tree".to_owned(),
        Source::Staged | Source::Unstaged => format!("Review · {}", comparison.source()),
        Source::Commit(name) | Source::Patch { name } => format!("Review · {name}"),
        Source::Remerge(name) => format!("Review · {name} by hand"),
        Source::Since { .. } | Source::Moments { .. } => format!("Review · {}", comparison.source()),
        Source::Stash(name) => format!("Review · stash {name}"),
        Source::Worktree(other) => format!("Review · against {}", crate::state::workspace::name_of(other)),
        Source::Range { a, b, merge_base } => format!("Review · {a}{}{b}", if *merge_base { "..." } else { ".." }),
        _ => {
            let (old, new) = sides(review);
            let short = |s: &str| s.rsplit(['/', '\\']).next().unwrap_or(s).to_owned();
            format!("Review · {} ← {}", short(&new), short(&old))
        }
    }
}
