//! One file of a review: what is known of it, and its rows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use editor::Cancel;
use editor::change::ChangeSet;
use editor::text::Text;

use super::file_lines::{FileLines, NewSide, Reading, align_hunk};
use super::loader::Outcome;
use super::tall::{Arrangement, Below, Shown, Tall};
use super::{HEADER_ROWS, NOTE_ROWS, PICTURE_ROWS, Prints, Since};
use crate::engine::{Budget, Engine, Hunk, Options, Script, Whitespace};
use crate::generated::Generated;
use crate::git::{Blob, BlobSource, FileChange, Side};
use crate::incremental::Splice;
use crate::lines::Content;
use crate::moves::{TraceKey, Traces};
use crate::notes::Note;
use crate::picture::PictureKind;
use crate::plan::{Context, Layout, Plan, RunKind};
use crate::ticks::{ContentId, FileIds, Mark, MarkSum, Viewed};

/// Rows that an unloaded file is taken to have, until it is compared.
const ESTIMATE: u32 = 24;

/// Lines added and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub added: u64,
    pub removed: u64,
}

impl Counts {
    /// The counts of a script.
    pub fn of(hunks: &[Hunk]) -> Self {
        let mut counts = Self::default();
        for hunk in hunks {
            counts.added += hunk.new.len() as u64;
            counts.removed += hunk.old.len() as u64;
        }
        counts
    }
}

/// Heights of a body in both layouts, with nothing expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heights {
    pub split: u32,
    pub unified: u32,
}

impl Heights {
    /// The heights of a script over a new side of that many lines.
    pub fn of(hunks: &[Hunk], new_lines: u32, context: u32) -> Self {
        Self {
            split: Plan::count_rows(hunks, new_lines, Layout::Split, context),
            unified: Plan::count_rows(hunks, new_lines, Layout::Unified, context),
        }
    }

    fn get(self, layout: Layout) -> u32 {
        match layout {
            Layout::Split => self.split,
            Layout::Unified => self.unified,
        }
    }
}

/// Changed lines of an edited file that are traced at once: about a millisecond.
const MAX_TRACED: usize = 10_000;

/// Content that is not lines: said in a panel instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteBody {
    pub title: String,
    pub details: Vec<String>,
    /// What follows in rows of its own, each with its sign.
    pub rows: Vec<(RowSign, String)>,
    /// The pictures that both sides are, if they are.
    pub pictures: Option<Pictures>,
    /// It could be shown as text all the same.
    pub can_be_text: bool,
}

/// What a row of a note says of what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSign {
    Added,
    Removed,
    /// It is neither.
    Plain,
}

/// The kinds of the pictures of a change; a side that is missing has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pictures {
    pub old: Option<PictureKind>,
    pub new: Option<PictureKind>,
}

impl NoteBody {
    /// Rows of the page that it takes.
    pub fn height(&self) -> u32 {
        match self.pictures {
            Some(_) => PICTURE_ROWS,
            None => NOTE_ROWS + self.rows.len() as u32,
        }
    }
}

/// What is known of a file's content.
pub enum Body {
    Unloaded,
    /// Compared once; contents are not kept.
    Counted,
    Lines(Box<FileLines>),
    Note(NoteBody),
    /// Why it could not be read.
    Failed(String),
}

/// A mark that was asked for, or asked to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish(pub Option<Mark>);

/// A file of the page.
pub struct FileEntry {
    pub change: FileChange,
    pub body: Body,
    pub counts: Option<Counts>,
    pub notes: Vec<Note>,
    pub folded: bool,
    /// Why nobody reads it line by line, if so, once it was compared.
    pub generated: Option<Generated>,
    /// How much of it was viewed.
    pub viewed: Viewed,
    /// It was viewed as a whole, and is another now.
    pub changed_since: bool,
    /// What says that it was viewed once.
    pub(super) once: Option<ContentId>,
    /// What its ticks hang on, once it was compared; none while it is being edited.
    pub(super) ids: Option<FileIds>,
    /// Of a file that was viewed in part: the marks before each hunk, and all.
    pub(super) mark_sums: Box<[MarkSum]>,
    /// Its changed lines, likewise.
    pub(super) traces: Option<Arc<Traces>>,
    /// Somebody wants to see what is stored, and not what can be read instead.
    pub(super) raw: bool,
    /// A tick that waits until it is known what to tick.
    pub(super) wish: Option<Wish>,
    /// Filtered out: not on the page at all.
    pub hidden: bool,
    /// What is shown is of an earlier listing, until the file is compared again.
    stale: bool,
    /// Grows when other contents take the place of those that are shown.
    renewals: u32,
    pub context: Context,
    /// What stands below lines, in rows of the page.
    pub(super) below: Vec<Below>,
    heights: Heights,
    rows: Option<Rows>,
}

/// The rows of a file whose contents are there.
struct Rows {
    of: Arrangement,
    plan: Plan,
    tall: Tall,
}

impl Rows {
    fn count(&self) -> u32 {
        self.plan.rows() + self.tall.total()
    }
}

impl FileEntry {
    pub(super) fn new(change: FileChange, context_lines: u32) -> Self {
        let context = match change.told(Side::New).or(change.told(Side::Old)) {
            Some(told) => Context::only(told),
            None => Context::around(context_lines),
        };
        Self {
            change,
            body: Body::Unloaded,
            counts: None,
            notes: Vec::new(),
            folded: false,
            generated: None,
            viewed: Viewed::No,
            changed_since: false,
            once: None,
            ids: None,
            mark_sums: Box::default(),
            traces: None,
            raw: false,
            wish: None,
            hidden: false,
            stale: false,
            renewals: 0,
            context,
            heights: Heights { split: ESTIMATE, unified: ESTIMATE },
            below: Vec::new(),
            rows: None,
        }
    }

    /// The rows of a file whose contents are there, once [`super::Review::prepare`] was called.
    pub fn plan(&self) -> Option<&Plan> {
        self.rows.as_ref().map(|rows| &rows.plan)
    }

    /// What is at a row of the file, its header included; none in the header and while nothing is laid out.
    pub fn shown(&self, row: u32) -> Option<Shown> {
        let rows = self.rows.as_ref()?;
        let (plan_row, part) = rows.tall.at(row.checked_sub(HEADER_ROWS)?);
        Some(Shown { plan_row, row: rows.plan.row(plan_row)?, part })
    }

    /// The row of the file, its header included, at which a row of the plan starts.
    pub fn row_of(&self, plan_row: u32) -> u32 {
        HEADER_ROWS + self.rows.as_ref().map_or(plan_row, |rows| rows.tall.row_of(plan_row))
    }

    /// The row of the plan at or after a row of the file; that of the first for the header.
    pub fn plan_row(&self, row: u32) -> u32 {
        let body = row.saturating_sub(HEADER_ROWS);
        self.rows.as_ref().map_or(body, |rows| rows.tall.at(body).0)
    }

    /// Its lines, if loaded.
    pub fn lines(&self) -> Option<&FileLines> {
        match &self.body {
            Body::Lines(lines) => Some(lines),
            _ => None,
        }
    }

    /// Its lines, if all of them are there.
    pub fn whole_lines(&self) -> Option<&FileLines> {
        self.lines().filter(|lines| !lines.is_head)
    }

    /// Whether what is stored is shown, and not what can be read instead.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    /// Whether what is shown is not what is stored, or could be shown as text although it is none.
    pub fn can_be_raw(&self) -> bool {
        match &self.body {
            Body::Lines(lines) => matches!(lines.reading, Some(Reading::Notebook(_))),
            Body::Note(note) => note.can_be_text,
            _ => false,
        }
    }

    /// Shows what is stored or what can be read, once it is compared anew.
    pub(super) fn set_raw(&mut self, raw: bool) {
        if self.raw != raw {
            self.raw = raw;
            self.forget();
        }
    }

    /// Whether its lines are not those of the file: nothing can be edited or staged by them.
    pub fn is_reading(&self) -> bool {
        self.lines().is_some_and(|lines| lines.reading.is_some())
    }

    /// Whether there is anything to draw; otherwise the loader is asked.
    pub fn is_ready(&self) -> bool {
        !matches!(self.body, Body::Unloaded | Body::Counted)
    }

    /// Whether the loader is to compare it before it is drawn, or again.
    pub fn needs_loading(&self) -> bool {
        !self.is_ready() || self.stale
    }

    /// Grows when other contents take the place of those that were shown: what is held by row is looked up again by
    /// line.
    pub fn renewals(&self) -> u32 {
        self.renewals
    }

    /// Whether it is not known any more, after an edit, what its ticks hang on; see [`super::Review::set_prints`].
    pub fn needs_prints(&self) -> bool {
        self.ids.is_none() && self.is_live()
    }

    /// Whether its height is known and not an estimate.
    pub fn is_counted(&self) -> bool {
        !matches!(self.body, Body::Unloaded)
    }

    pub(super) fn height(&self, arrangement: Arrangement, hide_viewed: bool) -> u32 {
        if self.hidden || hide_viewed && self.viewed == Viewed::Yes {
            return 0;
        }
        HEADER_ROWS + if self.folded { 0 } else { self.body_rows(arrangement) }
    }

    fn body_rows(&self, arrangement: Arrangement) -> u32 {
        match &self.body {
            Body::Note(note) => note.height(),
            Body::Failed(_) => NOTE_ROWS,
            Body::Lines(_) => match &self.rows {
                Some(rows) if rows.of == arrangement => rows.count(),
                _ => self.heights.get(arrangement.layout),
            },
            Body::Unloaded | Body::Counted => self.heights.get(arrangement.layout),
        }
    }

    /// Whether its new side is a document.
    pub(super) fn is_live(&self) -> bool {
        matches!(&self.body, Body::Lines(lines) if matches!(lines.new, NewSide::Live(..)))
    }

    pub(super) fn take(&mut self, outcome: Outcome, prints: Prints, arrangement: Arrangement) {
        // A live side is newer than anything read from disk, unless the other side is another one.
        if self.is_live() && !self.stale {
            return;
        }
        if !matches!(outcome, Outcome::Head(..)) {
            self.ids = prints.ids;
            self.traces = prints.traces;
            if std::mem::take(&mut self.stale) && matches!(outcome, Outcome::Counted { .. }) {
                self.drop_plan();
                self.body = Body::Unloaded;
                self.renewals += 1;
            }
        }
        match outcome {
            Outcome::Head(lines, heights) if !self.is_ready() => self.take_lines(lines, heights, arrangement),
            Outcome::Head(..) => {} // all of it is here already
            Outcome::Lines { lines, counts, heights } => {
                self.counts = Some(counts);
                self.take_lines(lines, heights, arrangement);
            }
            Outcome::Counted { counts, heights } => {
                self.counts = Some(counts);
                if !self.is_ready() {
                    // Expanded context takes rows that a count does not know; keep the height that was laid out.
                    if !self.context.is_expanded() {
                        self.heights = heights;
                    }
                    self.body = Body::Counted;
                }
            }
            Outcome::Note { note, notes } => {
                self.replaced();
                self.counts = Some(Counts::default());
                self.notes = notes;
                self.body = Body::Note(note);
            }
            Outcome::Failed(error) => {
                self.replaced();
                self.counts = Some(Counts::default());
                self.body = Body::Failed(error);
            }
        }
    }

    /// Other contents take the place of those that are shown.
    fn replaced(&mut self) {
        self.stale = false;
        self.renewals += 1;
        self.rows = None;
    }

    fn take_lines(&mut self, lines: Box<FileLines>, heights: Heights, arrangement: Arrangement) {
        self.replaced();
        self.heights = heights;
        self.notes.clone_from(&lines.notes);
        self.body = Body::Lines(lines);
        if self.context.is_expanded() || !self.below.is_empty() {
            self.lay_out(arrangement);
        }
    }

    /// Whether it was compared, as it is now, and all of it: what was found is not to be looked for again.
    pub(super) fn is_known(&self) -> bool {
        let is_whole = match &self.body {
            Body::Unloaded | Body::Failed(_) => false,
            Body::Lines(lines) => !lines.is_head,
            Body::Counted | Body::Note(_) => true,
        };
        is_whole && !self.stale
    }

    /// Takes over what is known of the same path from an earlier listing.
    pub(super) fn adopt(&mut self, mut old: Self, since: Since) {
        // A file on disk may have changed without its entry telling; what an object's id names cannot.
        let fixed = |blob: Option<&Blob>| {
            since == Since::Unchanged
                || blob.is_none_or(|blob| {
                    matches!(blob.source, BlobSource::Object(_) | BlobSource::Memory(_) | BlobSource::Excerpt(_))
                })
        };
        let (now, before) = (&self.change, &old.change);
        let same_old = fixed(now.old.as_ref()) && now.old == before.old && now.old_path == before.old_path;
        let same_new = old.is_live() || fixed(now.new.as_ref()) && now.new == before.new;
        if old.lines().is_some_and(|lines| lines.is_head) {
            old.forget();
        } else if !(same_old && same_new) {
            // What is there stays on screen until it is compared again: a page that blinks is a lost place.
            let ready = old.is_ready();
            if !ready {
                old.forget();
            }
            old.stale = ready;
        }
        *self = Self { change: self.change.clone(), once: None, ..old };
    }

    pub(super) fn unload(&mut self) {
        if let Body::Lines(lines) = &self.body {
            if matches!(lines.new, NewSide::Live(..)) || lines.is_head {
                return; // it is being edited, or compared right now
            }
            self.drop_plan();
            self.body = Body::Counted;
        }
    }

    pub(super) fn detach(&mut self) {
        if matches!(&self.body, Body::Lines(lines) if matches!(lines.new, NewSide::Live(..))) {
            self.drop_plan();
            self.body = Body::Counted;
        }
    }

    /// Forgets the rows but not how many they are: what was expanded stays expanded when the file comes back.
    fn drop_plan(&mut self) {
        let Some(rows) = self.rows.take() else { return };
        match rows.of.layout {
            Layout::Split => self.heights.split = rows.count(),
            Layout::Unified => self.heights.unified = rows.count(),
        }
    }

    pub(super) fn needs_rows(&self, arrangement: Arrangement) -> bool {
        matches!(self.body, Body::Lines(_)) && self.rows.as_ref().is_none_or(|rows| rows.of != arrangement)
    }

    pub(super) fn lay_out(&mut self, arrangement: Arrangement) {
        let Body::Lines(lines) = &mut self.body else { return };
        let plan = self.rows.take().map_or_else(|| std::mem::take(&mut lines.room), |rows| rows.plan);
        let lines = &*lines;
        let plan = plan.rebuild(lines.given(arrangement.layout, &self.context), |hunk| lines.alignment(hunk));
        let tall = match arrangement.wrap {
            None => Tall::of(&plan, &self.below, None),
            Some(wrap) => Tall::of(&plan, &self.below, Some(&lines.text_rows(wrap))),
        };
        self.rows = Some(Rows { of: arrangement, plan, tall });
    }

    /// Lays out what an edit changed, and nothing else, if it can be told apart; otherwise all of it.
    fn lay_out_edited(&mut self, arrangement: Arrangement, splices: &[Splice]) {
        let (Body::Lines(lines), [splice]) = (&self.body, splices) else { return self.lay_out(arrangement) };
        // What stands below lines is told anew when they move.
        let Some(rows) = self.rows.as_mut().filter(|rows| rows.of == arrangement && self.below.is_empty()) else {
            return self.lay_out(arrangement);
        };
        let edited = splice.removed.start..splice.removed.start + splice.inserted;
        let given = lines.given(arrangement.layout, &self.context);
        let Some((gone, now)) = rows.plan.relay(given, edited, splice.grown(), |hunk| lines.alignment(hunk)) else {
            return self.lay_out(arrangement);
        };
        if let Some(wrap) = arrangement.wrap {
            rows.tall.relay(&rows.plan, gone, now, &lines.text_rows(wrap));
        }
    }

    /// The lines of the new side that the gap at a row hides.
    pub(super) fn gap_at(&self, row: u32) -> Option<Range<u32>> {
        let row = self.shown(row)?.row;
        let start = row.new.filter(|_| row.kind == RunKind::Gap)?;
        Some(start..start + row.hidden)
    }

    pub(super) fn attach(&mut self, text: &Text, arrangement: Arrangement) {
        let Body::Lines(lines) = &mut self.body else { return };
        if let NewSide::Live(_, compared) = &lines.new {
            if !compared.same(text) {
                let whitespace = lines.whitespace;
                self.set_whitespace(whitespace, Some(text), arrangement);
            }
            return;
        }
        if lines.is_head {
            return;
        }
        let same = matches!(&lines.new, NewSide::Fixed(content) if is_text(content, text));
        let script = match same {
            true => Script { hunks: std::mem::take(&mut lines.hunks), limited: lines.limited },
            false => quick_script(&lines.old, text, lines.whitespace),
        };
        lines.go_live(text, script);
        let known = (self.ids.take(), self.traces.take());
        self.after_edit(arrangement);
        if same {
            (self.ids, self.traces) = known;
        }
    }

    /// Compares anew under another white-space mode: at once with the document that is its new side, else when the
    /// loader comes to it.
    pub(super) fn set_whitespace(&mut self, whitespace: Whitespace, text: Option<&Text>, arrangement: Arrangement) {
        match (&mut self.body, text) {
            (Body::Lines(lines), Some(text)) if matches!(lines.new, NewSide::Live(..)) => {
                lines.whitespace = whitespace;
                lines.alignments.clear();
                let script = quick_script(&lines.old, text, whitespace);
                lines.go_live(text, script);
                self.after_edit(arrangement);
            }
            _ => self.forget(),
        }
    }

    /// Drops what comparing found; how high the file is stays until it is known anew.
    fn forget(&mut self) {
        self.drop_plan();
        self.body = Body::Unloaded;
        self.stale = false;
        self.renewals += 1;
        self.counts = None;
        self.notes.clear();
        self.ids = None;
        self.traces = None;
    }

    /// Takes a complete comparison with `text` for a live side whose edits had made it coarse.
    pub(super) fn refine(&mut self, text: &Text, script: Script, arrangement: Arrangement) {
        let Body::Lines(lines) = &mut self.body else { return };
        let NewSide::Live(live, compared) = &mut lines.new else { return };
        live.replace(text, &script);
        compared.clone_from(text);
        lines.limited = script.limited;
        lines.hunks = script.hunks;
        self.after_edit(arrangement);
    }

    /// Whether edits have made the script coarse: the whole is to be compared in the background.
    pub fn needs_full(&self) -> bool {
        matches!(&self.body, Body::Lines(lines) if matches!(&lines.new, NewSide::Live(live, _) if live.needs_full()))
    }

    pub(super) fn edit(&mut self, changes: &ChangeSet, before: &Text, after: &Text, arrangement: Arrangement) {
        // Whatever is in view stays in view: context must not fold away under the caret.
        if let Some(rows) = &self.rows {
            self.context.pin(&rows.plan);
        }
        let Body::Lines(lines) = &mut self.body else { return };
        let NewSide::Live(live, compared) = &mut lines.new else { return };
        let splices = live.edit(changes, before, after);
        compared.clone_from(after);
        for splice in &splices {
            let behind = splice.removed.start + splice.inserted;
            let inserted = live.hunks_from(splice.removed.start).take(splice.inserted);
            lines.hunks.splice(splice.removed.clone(), inserted);
            if splice.grown() != 0 {
                for hunk in &mut lines.hunks[behind..] {
                    hunk.new = splice.moved(hunk.new.start)..splice.moved(hunk.new.end);
                }
            }
        }
        debug_assert!(live.hunks().eq(lines.hunks.iter().cloned()), "the list follows");
        for splice in &splices {
            for hunk in touched(&lines.hunks, &splice.new) {
                let line = |line| Cow::Owned(after.line_full(line).into_owned().into_bytes());
                align_hunk(&mut lines.alignments, hunk, &lines.old, line);
            }
        }
        // From the last edit up, so that earlier line numbers still hold.
        let edits: Vec<_> = changes.edits().map(|e| (e.old, e.new)).collect();
        for (old, new) in edits.into_iter().rev() {
            let at = before.line_of(old.start)..before.line_of(old.end) + 1;
            let len = after.line_of(new.end) + 1 - after.line_of(new.start);
            self.context.edited(at, len);
        }
        let (removed, added) = live.counts();
        self.counts = Some(Counts { added, removed });
        self.ids = None;
        self.traces = None;
        self.lay_out_edited(arrangement, &splices);
    }

    /// The traces of a file whose new side is a document; none if too much of it changed to be traced in passing.
    pub(super) fn trace(&self, key: &TraceKey, text: &Text) -> Option<Traces> {
        let Body::Lines(lines) = &self.body else { return None };
        let NewSide::Live(_, compared) = &lines.new else { return None };
        let changed: usize = lines.hunks().iter().map(|hunk| hunk.old.len() + hunk.new.len()).sum();
        if changed > MAX_TRACED || !compared.same(text) {
            return None;
        }
        let line = |side, line| match side {
            Side::Old => Cow::Borrowed(lines.old.line(line)),
            Side::New => Cow::Owned(text.line_full(line).into_owned().into_bytes()),
        };
        Some(Traces::of(key, lines.hunks(), line))
    }

    fn after_edit(&mut self, arrangement: Arrangement) {
        self.ids = None;
        self.traces = None;
        let Body::Lines(lines) = &self.body else { return };
        self.counts = Some(Counts::of(lines.hunks()));
        self.heights = Heights::of(lines.hunks(), lines.line_count(Side::New), self.context.lines);
        self.lay_out(arrangement);
    }
}

/// Whether a document's text is what was read from disk, byte for byte.
fn is_text(content: &Content, text: &Text) -> bool {
    let bytes: &[u8] = content.bytes();
    let mut at = 0;
    bytes.len() == text.len()
        && text.chunks(0..text.len()).all(|chunk| {
            let from = at;
            at += chunk.len();
            &bytes[from..at] == chunk.as_bytes()
        })
}

/// A comparison within what a frame can wait for; coarse where that is not enough.
fn quick_script(old: &Content, text: &Text, whitespace: Whitespace) -> Script {
    let budget = Budget { histogram: 300_000, total: 5_000_000 };
    let coarse =
        |new_lines| Script { hunks: vec![Hunk { old: 0..old.line_count(), new: 0..new_lines }], limited: true };
    let Ok(new) = Content::new(text.to_string().into_bytes()) else { return coarse(text.line_count()) };
    let options = Options { whitespace, budget };
    Engine::new().compare(old, &new, &options, &Cancel::new()).unwrap_or_else(|_| coarse(new.line_count()))
}

/// The hunks that lie in or at these lines of the new side.
fn touched<'a>(hunks: &'a [Hunk], lines: &Range<u32>) -> &'a [Hunk] {
    let from = hunks.partition_point(|hunk| hunk.new.end < lines.start);
    let to = hunks.partition_point(|hunk| hunk.new.start <= lines.end);
    &hunks[from..to.max(from)]
}
