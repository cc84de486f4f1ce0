//! Markdown as comments and messages have it, laid out to a width before it is drawn: whoever makes room for it knows how
//! high it is.
//!
//! Paragraphs, headings, lists, tasks, quotes, tables, code and links. A line break is a line break, as where people comment on
//! code. HTML and images are shown as what was typed. Parsing is `pulldown-cmark`'s; nothing is kept between frames but
//! egui's galleys.
//!
//! A text that is being written is laid out at every token. What stands above its last block stays as it is then.

mod table;

use std::ops::Range;
use std::sync::Arc;

use diff::lines::Content;
use eframe::egui::{
    self, CursorIcon, FontId, Galley, OpenUrl, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo,
    epaint::text::{TextFormat, TextWrapping},
    text::LayoutJob,
    vec2,
};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::theme::{Metrics, Theme, icons, look, radius, space};
use table::{Cell, Table};

/// How far a list or a quote is set in.
const STEP: f32 = 18.0;
/// Space between blocks.
const GAP: f32 = 6.0;
/// Space between the items of a list.
const ITEM_GAP: f32 = 2.0;

/// A text laid out to a width.
pub struct Markdown {
    blocks: Vec<Block>,
    height: f32,
    source: String,
    width: f32,
    last: Last,
}

/// Where the last block of a text begins that is within no other and below a blank line: what is added to the text may
/// change it, and nothing above it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Last {
    byte: usize,
    block: usize,
    y: f32,
}

struct Block {
    /// From the top left corner of the text.
    at: egui::Vec2,
    what: What,
}

/// A block of code.
pub struct Code {
    /// Its lines, for whoever colours them.
    pub content: Content,
    /// What stands behind its fence: a language, or a path.
    pub info: String,
}

impl Code {
    /// Its text.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.content.bytes())
    }
}

/// How a block of code is laid out: as wide as this, each line broken between words, or where it must be.
pub fn code_job(text: &str, font: FontId, color: egui::Color32, width: f32) -> LayoutJob {
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, color));
    job.wrap = TextWrapping { max_width: width - 2.0 * space::S, ..TextWrapping::default() };
    job
}

/// Where in a text links are, in characters, and where they lead.
type Links = Vec<(Range<usize>, String)>;

enum What {
    Text {
        galley: Arc<Galley>,
        links: Links,
    },
    Code {
        galley: Arc<Galley>,
        width: f32,
        code: Code,
    },
    /// The bar beside a quote, of this height.
    Bar(f32),
    Rule(f32),
}

impl What {
    fn height(&self) -> f32 {
        match self {
            Self::Text { galley, .. } => galley.size().y,
            Self::Code { galley, .. } => galley.size().y + 2.0 * space::S,
            Self::Bar(height) => *height,
            Self::Rule(_) => 1.0,
        }
    }
}

impl Markdown {
    /// Lays `text` out to `width`.
    pub fn new(ui: &Ui, text: &str, width: f32) -> Self {
        Self::after(ui, text, width, Vec::new(), Last::default())
    }

    /// The same text with more at its end; cheap, however long it is. Any other text is laid out anew.
    pub fn grown(mut self, ui: &Ui, text: &str, width: f32) -> Self {
        let Last { byte, block, .. } = self.last;
        // What a link stands for may be said further down.
        let is_more = width == self.width && text.starts_with(&self.source[..byte]) && !text.contains("]:");
        if !is_more {
            return Self::new(ui, text, width);
        }
        self.blocks.truncate(block);
        Self::after(ui, text, width, self.blocks, self.last)
    }

    /// Lays out what of `text` begins with its last block, below those that are there.
    fn after(ui: &Ui, text: &str, width: f32, blocks: Vec<Block>, mut last: Last) -> Self {
        let (theme, metrics) = look(ui);
        let mut page = Page {
            ui,
            theme,
            metrics,
            width: width.max(48.0),
            y: last.y,
            blocks,
            job: LayoutJob::default(),
            links: Vec::new(),
            characters: 0,
            style: Style::default(),
            lists: Vec::new(),
            quotes: Vec::new(),
            marker: None,
            code: None,
            table: None,
        };
        let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES;
        let (from, mut depth) = (last.byte, 0);
        for (event, range) in Parser::new_ext(&text[from..], options).into_offset_iter() {
            let ends = matches!(event, Event::End(_));
            depth -= usize::from(ends);
            if depth == 0 && !ends {
                // Blanks before it may be what makes it code.
                let line = text[..from + range.start].rfind('\n').map_or(0, |at| at + 1).max(from);
                // Without a blank line between them, the one before may come to have it: a table its next row.
                let before =
                    text[..line].strip_suffix('\n').map_or("", |before| before.rsplit('\n').next().unwrap_or(""));
                if before.trim().is_empty() {
                    last = Last { byte: line, block: page.blocks.len(), y: page.y };
                }
            }
            depth += usize::from(matches!(event, Event::Start(_)));
            page.take(event);
        }
        page.flush();
        Self { height: (page.y - GAP).max(0.0), blocks: page.blocks, source: text.to_owned(), width, last }
    }

    /// How high it is.
    pub fn height(&self) -> f32 {
        self.height
    }

    /// The blocks of code in it, and where they are if its top left corner is at a point.
    pub fn code(&self, at: Pos2) -> impl Iterator<Item = (Rect, &Code)> {
        self.blocks.iter().filter_map(move |block| match &block.what {
            What::Code { galley, width, code } => {
                Some((Rect::from_min_size(at + block.at, vec2(*width, galley.size().y + 2.0 * space::S)), code))
            }
            _ => None,
        })
    }

    /// Draws it with its top left corner at a point. `id` tells it from other texts.
    pub fn show(&self, ui: &mut Ui, at: Pos2, id: egui::Id) {
        self.show_coloured(ui, at, id, &mut |_, _, _| None);
    }

    /// The same, with code as `colour` lays it out: in the width it is given, as high as without colours.
    pub fn show_coloured(
        &self,
        ui: &mut Ui,
        at: Pos2,
        id: egui::Id,
        colour: &mut dyn FnMut(&Ui, &Code, f32) -> Option<Arc<Galley>>,
    ) {
        let (theme, _) = look(ui);
        for (n, block) in self.blocks.iter().enumerate() {
            let at = at + block.at;
            // Of a long answer little is in view.
            let clip = ui.clip_rect();
            if at.y > clip.bottom() || at.y + block.what.height() < clip.top() {
                continue;
            }
            match &block.what {
                What::Text { galley, links } => {
                    ui.painter().galley(at, galley.clone(), theme.text.normal);
                    if !links.is_empty() {
                        follow_links(ui, galley, links, at, id.with(n));
                    }
                }
                What::Code { galley, width, code } => {
                    let ground = Rect::from_min_size(at, vec2(*width, galley.size().y + 2.0 * space::S));
                    ui.painter().rect_filled(ground, radius::CONTROL, theme.surface.base);
                    let painter = ui.painter().with_clip_rect(ground.intersect(ui.clip_rect()));
                    let shown = colour(ui, code, *width).unwrap_or_else(|| galley.clone());
                    painter.galley(at + vec2(space::S, space::S), shown, theme.text.normal);
                }
                What::Bar(height) => {
                    let bar = Rect::from_min_size(at, vec2(3.0, *height));
                    ui.painter().rect_filled(bar, 1.5, theme.border.line);
                }
                What::Rule(width) => {
                    ui.painter().hline(at.x..=at.x + width, at.y, Stroke::new(1.0, theme.border.line));
                }
            }
        }
        let whole = Rect::from_min_size(at, vec2(self.width(), self.height));
        let spoken = ui.interact(whole, id, Sense::hover());
        spoken.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &self.source));
    }

    fn width(&self) -> f32 {
        let right = |block: &Block| match &block.what {
            What::Text { galley, .. } => block.at.x + galley.size().x,
            What::Code { width, .. } | What::Rule(width) => block.at.x + width,
            What::Bar(_) => 0.0,
        };
        self.blocks.iter().map(right).fold(1.0, f32::max)
    }
}

fn follow_links(ui: &mut Ui, galley: &Galley, links: &[(Range<usize>, String)], at: Pos2, id: egui::Id) {
    let response = ui.interact(Rect::from_min_size(at, galley.size()), id, Sense::click());
    let Some(pointer) = response.hover_pos() else { return };
    let character = galley.cursor_from_pos(pointer - at).index;
    let Some((_, url)) = links.iter().find(|(range, _)| range.contains(&usize::from(character))) else { return };
    ui.set_cursor_icon(CursorIcon::PointingHand);
    if response.clicked() {
        ui.ctx().open_url(OpenUrl::new_tab(url));
    }
    response.on_hover_text(url);
}

#[derive(Clone, Copy, Default)]
struct Style {
    strong: u32,
    emphasis: u32,
    strike: u32,
    heading: Option<HeadingLevel>,
    /// Where the link that is open began, in characters.
    link: Option<usize>,
}

/// A text that is being laid out.
struct Page<'a> {
    ui: &'a Ui,
    theme: &'static Theme,
    metrics: Metrics,
    width: f32,
    y: f32,
    blocks: Vec<Block>,
    job: LayoutJob,
    links: Links,
    /// In `job`.
    characters: usize,
    style: Style,
    /// The number of the next item of each open list, or none of one with dots.
    lists: Vec<Option<u64>>,
    /// Where open quotes began.
    quotes: Vec<f32>,
    /// What stands before the item that begins.
    marker: Option<String>,
    /// The text of the block of code that is open, and what stands behind its fence.
    code: Option<(String, String)>,
    /// The table that is open.
    table: Option<Table>,
}

impl Page<'_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((code, _)) => code.push_str(&text),
                None => self.push(&text, false),
            },
            Event::Code(text) => self.push(&text, true),
            Event::SoftBreak | Event::HardBreak => self.push("\n", false),
            Event::Rule => {
                self.flush();
                let width = self.width - self.left();
                self.place(What::Rule(width), 1.0);
            }
            Event::TaskListMarker(done) => {
                self.marker = Some(if done { icons::READ } else { icons::UNREAD }.to_string());
            }
            Event::Html(text) | Event::InlineHtml(text) => self.push(text.trim_end_matches('\n'), false),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.push(&text, false);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.style.heading = Some(level);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes.push(self.y);
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((String::new(), info));
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush();
                self.marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        Some(format!("{}.", *number - 1))
                    }
                    _ => Some("•".to_owned()),
                };
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                self.style.strong += u32::from(matches!(tag, Tag::TableHead));
                self.table.iter_mut().for_each(|table| table.rows.push(Vec::new()));
            }
            Tag::Emphasis => self.style.emphasis += 1,
            Tag::Strong => self.style.strong += 1,
            Tag::Strikethrough => self.style.strike += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.style.link = Some(self.characters);
                self.links.push((0..0, dest_url.into_string()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.style.heading = None;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                let Some(top) = self.quotes.pop() else { return };
                let at = vec2(self.left(), top);
                self.blocks.push(Block { at, what: What::Bar((self.y - GAP - top).max(0.0)) });
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                if self.lists.is_empty() {
                    self.y += GAP - ITEM_GAP;
                }
            }
            TagEnd::TableCell => {
                let cell = Cell { job: std::mem::take(&mut self.job), links: std::mem::take(&mut self.links) };
                self.characters = 0;
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::TableHead => self.style.strong -= 1,
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.place_table(table);
                }
            }
            TagEnd::Emphasis => self.style.emphasis -= 1,
            TagEnd::Strong => self.style.strong -= 1,
            TagEnd::Strikethrough => self.style.strike -= 1,
            TagEnd::Link | TagEnd::Image => {
                let (from, to) = (self.style.link.take(), self.characters);
                if let (Some(from), Some(link)) = (from, self.links.last_mut()) {
                    link.0 = from..to;
                }
            }
            _ => {}
        }
    }

    fn end_code(&mut self) {
        let Some((code, info)) = self.code.take() else { return };
        let (code, width) = (code.trim_end_matches('\n'), self.width - self.left());
        let galley = self.layout(code_job(code, self.metrics.code_inline(), self.theme.text.normal, width));
        let height = galley.size().y + 2.0 * space::S;
        // A text of more lines than can be counted is no message.
        let content = Content::new(code.as_bytes()).unwrap_or_default();
        self.place(What::Code { galley, width, code: Code { content, info } }, height);
    }

    fn font(&self, code: bool) -> FontId {
        match self.style.heading {
            _ if code => self.metrics.code_inline(),
            Some(HeadingLevel::H1 | HeadingLevel::H2) => self.metrics.title(),
            Some(_) => self.metrics.medium(),
            None if self.style.strong > 0 => self.metrics.medium(),
            None => self.metrics.body(),
        }
    }

    fn push(&mut self, text: &str, code: bool) {
        let color = if self.style.link.is_some() { self.theme.text.link } else { self.theme.text.normal };
        let mut format = TextFormat::simple(self.font(code), color);
        format.italics = self.style.emphasis > 0;
        if code {
            format.background = self.theme.surface.hover;
        }
        if self.style.strike > 0 {
            format.strikethrough = Stroke::new(1.0, color);
        }
        if self.style.link.is_some() {
            format.underline = Stroke::new(1.0, color);
        }
        self.characters += text.chars().count();
        self.job.append(text, 0.0, format);
    }

    fn left(&self) -> f32 {
        STEP * self.lists.len() as f32 + 12.0 * self.quotes.len() as f32
    }

    /// Ends the paragraph that is open.
    fn flush(&mut self) {
        if let Some(marker) = self.marker.take_if(|_| !self.job.is_empty()) {
            let format = TextFormat::simple(self.metrics.body(), self.theme.text.muted);
            let galley = self.layout(LayoutJob::single_section(marker, format));
            let at = vec2(self.left() - galley.size().x - 5.0, self.y);
            self.blocks.push(Block { at, what: What::Text { galley, links: Vec::new() } });
        }
        let mut job = std::mem::take(&mut self.job);
        let links = std::mem::take(&mut self.links);
        self.characters = 0;
        if job.is_empty() {
            return;
        }
        job.wrap.max_width = self.width - self.left();
        let galley = self.layout(job);
        let height = galley.size().y;
        self.place(What::Text { galley, links }, height);
    }

    fn place(&mut self, what: What, height: f32) {
        self.blocks.push(Block { at: vec2(self.left(), self.y), what });
        let in_list = !self.lists.is_empty();
        self.y += height + if in_list { ITEM_GAP } else { GAP };
    }

    fn layout(&self, job: LayoutJob) -> Arc<Galley> {
        self.ui.fonts_mut(|fonts| fonts.layout_job(job))
    }
}

/// A block of code in a text, and what stands around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeBlock {
    /// What stands behind its fence.
    pub info: String,
    /// The line of text above it; empty if another block stands there.
    pub before: String,
    pub code: String,
}

/// The blocks of code in a text, in the order in which [`Markdown::code`] has them.
pub fn code_blocks(text: &str) -> Vec<CodeBlock> {
    let (mut blocks, mut line, mut open) = (Vec::new(), String::new(), None);
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS) {
        match (event, &mut open) {
            (Event::Start(Tag::CodeBlock(kind)), _) => {
                let info = if let CodeBlockKind::Fenced(info) = kind { info.into_string() } else { String::new() };
                let before = std::mem::take(&mut line);
                open = Some(CodeBlock { info, before, code: String::new() });
            }
            (Event::End(TagEnd::CodeBlock), _) => blocks.extend(open.take()),
            (Event::Text(text), Some(block)) => block.code.push_str(&text),
            (Event::Text(text), None) => line.push_str(&text),
            // As it is written: what stands in such signs is most likely the name of a file.
            (Event::Code(text), None) => line.push_str(&format!("`{text}`")),
            (Event::SoftBreak | Event::HardBreak, _) => line.clear(),
            (Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::BlockQuote(_)), _) => line.clear(),
            _ => {}
        }
    }
    blocks
}

/// The first line of a text, without the signs of Markdown: for lists.
pub fn first_line(text: &str) -> String {
    let mut line = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(text) | Event::Code(text) => line.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(_) if !line.trim().is_empty() => {
                if matches!(event, Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Strikethrough))
                {
                    continue;
                }
                break;
            }
            _ => {}
        }
    }
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_the_first_line_without_its_signs() {
        let check = |text, expected: &str| assert_eq!(first_line(text), expected, "{text:?}");
        check("Does **this** need `x`?\nAnd more.", "Does this need x?");
        check("# Title\n\nText", "Title");
        check("", "");
    }

    #[test]
    fn a_block_of_code_is_known_by_its_fence_and_the_line_above_it() {
        let text = "First.\nIn **`src/a.rs`**, as\n1. said here:\n\n```rust,ignore\nlet x;\n```\n\n```\ny\n```\n### b.rs\n```\nz\n```";
        let blocks = code_blocks(text);
        let found: Vec<_> = blocks.iter().map(|b| (b.info.as_str(), b.before.as_str(), b.code.as_str())).collect();
        assert_eq!(found, [("rust,ignore", "said here:", "let x;\n"), ("", "", "y\n"), ("", "b.rs", "z\n")]);
    }

    /// Does something with a window's fonts.
    fn with_ui(mut run: impl FnMut(&Ui)) {
        let ctx = egui::Context::default();
        crate::theme::style::install_fonts(&ctx);
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| run(ui));
        output.textures_delta.clear();
    }

    /// Where everything is, and what it says.
    fn placed(markdown: &Markdown) -> Vec<(f32, f32, String)> {
        let said = |what: &What| match what {
            What::Text { galley, links } => format!("{} {links:?}", galley.text()),
            What::Code { code, galley, .. } => format!("{}: {} {}", code.info, code.text(), galley.text()),
            What::Bar(height) => format!("bar of {height}"),
            What::Rule(width) => format!("rule of {width}"),
        };
        markdown.blocks.iter().map(|block| (block.at.x, block.at.y, said(&block.what))).collect()
    }

    #[test]
    fn a_text_that_grows_letter_by_letter_is_laid_out_as_if_it_had_come_at_once() {
        let texts = [
            "# Title\n\nSome **words**, `code` and [a link](http://x).\nMore\n\n1. one\n2. two\n\n   still two\n3. three\n\n\
             ```rust\nfn f() {}\n\nlet x;\n```\n> quoted\n> more\n\n---\nA title\n===\n\n    indented\n\n    code\n\nend",
            "- [ ] a task\n- [x] done\n  - within\n\nText\n  ```\n  code in it\n  ```\nafter\n<b>html</b>\n\n* * *\n",
            "Before\n\n| size | *time* |\n|---|---:|\n| 1 MB | [2 ms](http://x) |\n| 1 GB | 2.1 s and much more of it, which is too wide for a column of it |\n\nbehind",
            "A [name] that is\n\nsaid later\n\n[name]: http://x\n\nand [name] again",
        ];
        with_ui(|ui| {
            for text in texts {
                let mut grown = Markdown::new(ui, "", 300.0);
                for (end, _) in text.char_indices().skip(1).chain([(text.len(), ' ')]) {
                    grown = grown.grown(ui, &text[..end], 300.0);
                    let anew = Markdown::new(ui, &text[..end], 300.0);
                    assert_eq!(placed(&grown), placed(&anew), "{:?}", &text[..end]);
                    assert_eq!((grown.height, grown.last), (anew.height, anew.last), "{:?}", &text[..end]);
                }
                assert_eq!(placed(&grown.grown(ui, "other", 300.0)).len(), 1, "what is no more is not kept");
            }
        });
    }

    #[test]
    fn a_text_is_as_high_as_its_lines() {
        let height = |text: &str| {
            let mut height = 0.0;
            with_ui(|ui| height = Markdown::new(ui, text, 300.0).height());
            height
        };
        let one = height("word");
        assert!(one > 10.0, "{one}");
        assert!((height("word\nword") - 2.0 * one).abs() < 2.0, "a line break is one");
        assert!(height(&"word ".repeat(100)) > 3.0 * one, "it wraps");
        let table = height("| a | b |\n|---|---|\n| c | d |");
        assert!(table > 2.0 * one && table < 3.0 * one, "two rows: {table}");
        assert!(height("word\n\n```\ncode\n```") > 2.0 * one + 2.0 * space::S);
        assert_eq!(height(""), 0.0);
    }
}
