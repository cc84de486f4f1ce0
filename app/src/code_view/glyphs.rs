//! Glyphs of the code font, put on the grid without laying text out.
//!
//! egui shapes and places a text when it first sees it, and caches the result by content. A page that is scrolled at
//! full speed is new text in every frame: laying it out was most of what such a frame cost. On a grid there is nothing
//! to lay out: a character's picture depends on the character and on where its cell begins within a pixel, in quarters,
//! as egui draws them. Each is looked up once, with egui's own layout; a row is then a list of rectangles.
//!
//! Invariant: pictures are places in egui's glyph atlas. Whenever egui clears the atlas it clears its cached layouts,
//! too, so a layout that is asked for in every frame, the *witness*, is another one then, and all is looked up again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eframe::egui::epaint::text::{Galley, LayoutJob, LayoutSection, PlacedRow, Row, TextFormat, TextWrapping};
use eframe::egui::{Color32, FontId, Mesh, Painter, Pos2, Rect, Ui, Vec2, pos2, vec2};
use rustc_hash::FxHashMap;

/// Places within a pixel at which egui draws a glyph.
const BINS: usize = 4;

/// The printable ASCII characters.
const ASCII: usize = (b'~' - b' ') as usize + 1;

/// The glyphs of one font at one size; cheap to clone.
#[derive(Clone)]
pub struct Glyphs(Arc<Mutex<Table>>);

struct Table {
    font: FontId,
    row: f32,
    pixels_per_point: f32,
    witness: Arc<Galley>,
    /// Without text, to be filled: egui lets no galley be built from nothing.
    blank: Option<(Galley, Row)>,
    ascii: Box<[[Option<Picture>; BINS]; ASCII]>,
    other: FxHashMap<(char, usize), Picture>,
}

/// Where a glyph is in the atlas, and where it is drawn beside the corner of its cell, in points.
#[derive(Clone, Copy)]
struct Picture {
    offset: Vec2,
    size: Vec2,
    uv: Rect,
}

/// Characters of a row, to be drawn in one piece.
pub struct Strip<'a> {
    table: MutexGuard<'a, Table>,
    painter: &'a Painter,
    cell: f32,
    at: Pos2,
    mesh: Mesh,
}

impl Glyphs {
    /// The glyphs of `font` in rows of `row` points; those of the last frame, if they still hold.
    pub fn of(ui: &Ui, font: &FontId, row: f32) -> Self {
        let ctx = ui.ctx();
        // One table a font and row height: a terminal and the code beside it have different ones.
        let id = eframe::egui::Id::unique("code glyphs").with(&font.family).with((font.size.to_bits(), row.to_bits()));
        let witness = ctx.fonts_mut(|f| f.layout_job(job("0", 0.0, font, row)));
        let known = ctx.data(|data| data.get_temp::<Self>(id));
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.lock().witness, &witness)) {
            return known;
        }
        let table = Table::new(font.clone(), row, ctx.pixels_per_point(), witness);
        let fresh = Self(Arc::new(Mutex::new(table)));
        ctx.data_mut(|data| data.insert_temp(id, fresh.clone()));
        fresh
    }

    /// Begins a strip whose first cell, `cell` points wide, has its upper left corner at `at`.
    pub fn strip<'a>(&'a self, painter: &'a Painter, cell: f32, at: Pos2) -> Strip<'a> {
        Strip { table: self.lock(), painter, cell, at, mesh: Mesh::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Whoever panicked left at most a picture missing.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn new(font: FontId, row: f32, pixels_per_point: f32, witness: Arc<Galley>) -> Self {
        let mut galley = (*witness).clone();
        let blank = galley.rows.pop().map(|placed| {
            let mut row = (*placed.row).clone();
            row.glyphs.clear();
            (galley, row)
        });
        let ascii = Box::new([[None; BINS]; ASCII]);
        Self { font, row, pixels_per_point, witness, blank, ascii, other: FxHashMap::default() }
    }

    /// The picture of a character that begins `bin` quarters of a pixel behind a pixel's edge.
    fn picture(&mut self, painter: &Painter, c: char, bin: usize) -> Picture {
        let slot = (c as usize).checked_sub(b' ' as usize).filter(|&slot| slot < ASCII);
        let known = match slot {
            Some(slot) => self.ascii[slot][bin],
            None => self.other.get(&(c, bin)).copied(),
        };
        if let Some(picture) = known {
            return picture;
        }
        let picture = self.look_up(painter, c, bin);
        match slot {
            Some(slot) => self.ascii[slot][bin] = Some(picture),
            None => drop(self.other.insert((c, bin), picture)),
        }
        picture
    }

    fn look_up(&self, painter: &Painter, c: char, bin: usize) -> Picture {
        let offset = bin as f32 / BINS as f32 / self.pixels_per_point;
        let galley = painter.layout_job(job(c.encode_utf8(&mut [0; 4]), offset, &self.font, self.row));
        let nothing = Picture { offset: Vec2::ZERO, size: Vec2::ZERO, uv: Rect::NOTHING };
        let Some(placed) = galley.rows.first() else { return nothing };
        let Some(glyph) = placed.row.glyphs.first().filter(|glyph| !glyph.uv_rect.is_nothing()) else {
            return nothing;
        };
        let uv = &glyph.uv_rect;
        let texel = |at: [u16; 2]| pos2(f32::from(at[0]), f32::from(at[1]));
        Picture {
            offset: placed.pos.to_vec2() + glyph.pos.to_vec2() + uv.offset,
            size: uv.size,
            uv: Rect::from_min_max(texel(uv.min), texel(uv.max)),
        }
    }
}

impl Strip<'_> {
    /// Makes room for this many characters.
    pub fn reserve(&mut self, characters: usize) {
        self.mesh.reserve_vertices(4 * characters);
        self.mesh.reserve_triangles(2 * characters);
    }

    /// Puts a character into the cell that is `cell` cells from the first.
    pub fn put(&mut self, cell: u32, c: char, color: Color32) {
        if c == ' ' {
            return;
        }
        let scale = self.table.pixels_per_point;
        // As egui does it: to the next quarter of a pixel, then a whole pixel and a picture for what is left.
        let quarters = (f64::from(cell) * f64::from(self.cell * scale) * BINS as f64).round() as u64;
        let picture = self.table.picture(self.painter, c, (quarters % BINS as u64) as usize);
        if picture.size == Vec2::ZERO {
            return;
        }
        let corner = vec2((quarters / BINS as u64) as f32 / scale, 0.0) + picture.offset;
        let corner = ((corner * scale).round() / scale).to_pos2();
        self.mesh.add_rect_with_uv(Rect::from_min_size(corner, picture.size), picture.uv, color);
    }

    /// Draws what was put.
    pub fn draw(self) {
        let Self { table, painter, at, mesh, .. } = self;
        if mesh.is_empty() {
            return;
        }
        let Some((mut galley, mut row)) = table.blank.clone() else { return };
        drop(table);
        let bounds = mesh.calc_bounds();
        galley.rect = bounds;
        galley.mesh_bounds = bounds;
        (galley.num_vertices, galley.num_indices) = (mesh.vertices.len(), mesh.indices.len());
        row.visuals.glyph_vertex_range = 0..mesh.vertices.len();
        row.visuals.glyph_index_start = 0;
        row.visuals.mesh_bounds = bounds;
        row.visuals.mesh = mesh;
        galley.rows = vec![PlacedRow { pos: Pos2::ZERO, row: Arc::new(row), ends_with_newline: false }];
        painter.galley(at, Arc::new(galley), Color32::PLACEHOLDER);
    }
}

/// A text that begins `offset` points behind its corner, in rows of `row` points.
pub fn job(text: &str, offset: f32, font: &FontId, row: f32) -> LayoutJob {
    // The colour is given where the text is drawn: the layout is kept for all of them.
    let color = Color32::PLACEHOLDER;
    let format = TextFormat { font_id: font.clone(), line_height: Some(row), color, ..TextFormat::default() };
    let byte_range = 0.into()..text.len().into();
    LayoutJob {
        text: text.to_owned(),
        sections: vec![LayoutSection { leading_space: offset, byte_range, format }],
        wrap: TextWrapping::no_max_width(),
        break_on_newline: false,
        keep_trailing_whitespace: true,
        round_output_to_gui: false,
        ..LayoutJob::default()
    }
}
