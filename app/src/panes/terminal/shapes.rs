//! Characters that are drawn as shapes, so that they meet their neighbours at every size: box drawing, blocks, sextants,
//! braille, and the arrows of Powerline.

use eframe::egui::emath::GuiRounding as _;
use eframe::egui::epaint::{CubicBezierShape, PathShape};
use eframe::egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

/// How an arm of a box character is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    None,
    Light,
    Heavy,
    Double,
}

/// Whether a character is drawn here rather than by a font.
pub fn is_shape(ch: char) -> bool {
    matches!(ch, '\u{2500}'..='\u{257f}' | '\u{2800}'..='\u{28ff}') || is_picture(ch)
}

/// Whether a character is a piece of a picture and no text: programs build those in exactly their colours.
pub fn is_picture(ch: char) -> bool {
    matches!(ch, '\u{2580}'..='\u{259f}' | '\u{e0b0}'..='\u{e0bf}' | '\u{1fb00}'..='\u{1fb3b}')
}

/// Draws `ch` into `rect` if it is a shape; whether it was.
pub fn draw(painter: &Painter, rect: Rect, ch: char, color: Color32) -> bool {
    match ch {
        '\u{2500}'..='\u{257f}' => box_drawing(painter, rect, ch, color),
        '\u{2580}'..='\u{259f}' => {
            block(painter, rect, ch, color);
            true
        }
        '\u{2800}'..='\u{28ff}' => {
            braille(painter, rect, ch, color);
            true
        }
        '\u{1fb00}'..='\u{1fb3b}' => {
            sextant(painter, rect, ch, color);
            true
        }
        '\u{e0b0}'..='\u{e0bf}' => {
            powerline(painter, rect, ch, color);
            true
        }
        _ => false,
    }
}

fn box_drawing(painter: &Painter, rect: Rect, ch: char, color: Color32) -> bool {
    let light = thickness(painter, rect);
    match ch {
        '╭' | '╮' | '╯' | '╰' => arc(painter, rect, ch, color, light),
        '╱' | '╲' | '╳' => {
            let stroke = Stroke::new(light, color);
            if ch != '╲' {
                painter.line_segment([rect.left_bottom(), rect.right_top()], stroke);
            }
            if ch != '╱' {
                painter.line_segment([rect.left_top(), rect.right_bottom()], stroke);
            }
        }
        _ => {
            if let Some((dashes, heavy, vertical)) = dashed(ch) {
                dash(painter, rect, color, if heavy { 2.0 * light } else { light }, dashes, vertical);
            } else {
                let Some(arms) = arms(ch) else { return false };
                cross(painter, rect, arms, color, light);
            }
        }
    }
    true
}

/// A line's width: whole pixels, so that all are equal.
fn thickness(painter: &Painter, rect: Rect) -> f32 {
    let scale = painter.pixels_per_point();
    (rect.width() * scale / 8.0).round().max(1.0) / scale
}

/// How many dashes, heavy or not, down or across.
fn dashed(ch: char) -> Option<(u32, bool, bool)> {
    Some(match ch {
        '┄' => (3, false, false),
        '┅' => (3, true, false),
        '┆' => (3, false, true),
        '┇' => (3, true, true),
        '┈' => (4, false, false),
        '┉' => (4, true, false),
        '┊' => (4, false, true),
        '┋' => (4, true, true),
        '╌' => (2, false, false),
        '╍' => (2, true, false),
        '╎' => (2, false, true),
        '╏' => (2, true, true),
        _ => return None,
    })
}

fn dash(painter: &Painter, rect: Rect, color: Color32, width: f32, dashes: u32, vertical: bool) {
    let (length, center) = if vertical { (rect.height(), rect.center().x) } else { (rect.width(), rect.center().y) };
    let pixel = 1.0 / painter.pixels_per_point();
    let step = length / dashes as f32;
    // All of one length, whatever the pixels: uneven dashes look like a mistake.
    let dash = (step * 0.6 / pixel).floor().max(1.0) * pixel;
    for n in 0..dashes {
        let from = ((n as f32 + 0.2) * step / pixel).floor() * pixel;
        let dash = if vertical {
            Rect::from_min_size(pos2(center - width / 2.0, rect.top() + from), vec2(width, dash))
        } else {
            Rect::from_min_size(pos2(rect.left() + from, center - width / 2.0), vec2(dash, width))
        };
        fill(painter, dash, color);
    }
}

/// The arms of a character, by its name in Unicode.
fn arms(ch: char) -> Option<[Arm; 4]> {
    use Arm::{Double as D, Heavy as H, Light as L, None as N};
    // left, right, up, down
    Some(match ch {
        '─' => [L, L, N, N],
        '━' => [H, H, N, N],
        '│' => [N, N, L, L],
        '┃' => [N, N, H, H],
        '┌' => [N, L, N, L],
        '┍' => [N, H, N, L],
        '┎' => [N, L, N, H],
        '┏' => [N, H, N, H],
        '┐' => [L, N, N, L],
        '┑' => [H, N, N, L],
        '┒' => [L, N, N, H],
        '┓' => [H, N, N, H],
        '└' => [N, L, L, N],
        '┕' => [N, H, L, N],
        '┖' => [N, L, H, N],
        '┗' => [N, H, H, N],
        '┘' => [L, N, L, N],
        '┙' => [H, N, L, N],
        '┚' => [L, N, H, N],
        '┛' => [H, N, H, N],
        '├' => [N, L, L, L],
        '┝' => [N, H, L, L],
        '┞' => [N, L, H, L],
        '┟' => [N, L, L, H],
        '┠' => [N, L, H, H],
        '┡' => [N, H, H, L],
        '┢' => [N, H, L, H],
        '┣' => [N, H, H, H],
        '┤' => [L, N, L, L],
        '┥' => [H, N, L, L],
        '┦' => [L, N, H, L],
        '┧' => [L, N, L, H],
        '┨' => [L, N, H, H],
        '┩' => [H, N, H, L],
        '┪' => [H, N, L, H],
        '┫' => [H, N, H, H],
        '┬' => [L, L, N, L],
        '┭' => [H, L, N, L],
        '┮' => [L, H, N, L],
        '┯' => [H, H, N, L],
        '┰' => [L, L, N, H],
        '┱' => [H, L, N, H],
        '┲' => [L, H, N, H],
        '┳' => [H, H, N, H],
        '┴' => [L, L, L, N],
        '┵' => [H, L, L, N],
        '┶' => [L, H, L, N],
        '┷' => [H, H, L, N],
        '┸' => [L, L, H, N],
        '┹' => [H, L, H, N],
        '┺' => [L, H, H, N],
        '┻' => [H, H, H, N],
        '┼' => [L, L, L, L],
        '┽' => [H, L, L, L],
        '┾' => [L, H, L, L],
        '┿' => [H, H, L, L],
        '╀' => [L, L, H, L],
        '╁' => [L, L, L, H],
        '╂' => [L, L, H, H],
        '╃' => [H, L, H, L],
        '╄' => [L, H, H, L],
        '╅' => [H, L, L, H],
        '╆' => [L, H, L, H],
        '╇' => [H, H, H, L],
        '╈' => [H, H, L, H],
        '╉' => [H, L, H, H],
        '╊' => [L, H, H, H],
        '╋' => [H, H, H, H],
        '═' => [D, D, N, N],
        '║' => [N, N, D, D],
        '╒' => [N, D, N, L],
        '╓' => [N, L, N, D],
        '╔' => [N, D, N, D],
        '╕' => [D, N, N, L],
        '╖' => [L, N, N, D],
        '╗' => [D, N, N, D],
        '╘' => [N, D, L, N],
        '╙' => [N, L, D, N],
        '╚' => [N, D, D, N],
        '╛' => [D, N, L, N],
        '╜' => [L, N, D, N],
        '╝' => [D, N, D, N],
        '╞' => [N, D, L, L],
        '╟' => [N, L, D, D],
        '╠' => [N, D, D, D],
        '╡' => [D, N, L, L],
        '╢' => [L, N, D, D],
        '╣' => [D, N, D, D],
        '╤' => [D, D, N, L],
        '╥' => [L, L, N, D],
        '╦' => [D, D, N, D],
        '╧' => [D, D, L, N],
        '╨' => [L, L, D, N],
        '╩' => [D, D, D, N],
        '╪' => [D, D, L, L],
        '╫' => [L, L, D, D],
        '╬' => [D, D, D, D],
        '╴' => [L, N, N, N],
        '╵' => [N, N, L, N],
        '╶' => [N, L, N, N],
        '╷' => [N, N, N, L],
        '╸' => [H, N, N, N],
        '╹' => [N, N, H, N],
        '╺' => [N, H, N, N],
        '╻' => [N, N, N, H],
        '╼' => [L, H, N, N],
        '╽' => [N, N, L, H],
        '╾' => [H, L, N, N],
        '╿' => [N, N, H, L],
        _ => return None,
    })
}

/// Four arms from the middle. Each reaches over the middle as far as the arms across it are thick, so that corners are
/// closed; the two lines of a double arm end where the other double line lies.
fn cross(painter: &Painter, rect: Rect, [left, right, up, down]: [Arm; 4], color: Color32, light: f32) {
    let center = snapped(painter, rect.center());
    let half = |arm: Arm| match arm {
        Arm::None => 0.0,
        Arm::Light => light / 2.0,
        Arm::Heavy => light,
        Arm::Double => light * 1.5,
    };
    let across = half(left).max(half(right));
    let along = half(up).max(half(down));
    // A double line that goes on past an arm stops it: nothing is drawn between the two lines.
    let stopped =
        |opposite: Arm, one: Arm, other: Arm| opposite == Arm::None && one == Arm::Double && other == Arm::Double;
    let end = |to: f32, center: f32, reach: f32, near: bool| match (to < center, near) {
        (true, true) => center - light / 2.0,
        (false, true) => center + light / 2.0,
        (true, false) => center + reach,
        (false, false) => center - reach,
    };
    for (arm, opposite, to) in [(left, right, rect.left()), (right, left, rect.right())] {
        for (offset, width) in lines_of(arm, light) {
            let near = stopped(opposite, up, down) || (arm == Arm::Double && inner(offset, up, down));
            let (x, y) = (end(to, center.x, along, near), center.y + offset);
            fill(painter, Rect::from_two_pos(pos2(to, y - width / 2.0), pos2(x, y + width / 2.0)), color);
        }
    }
    for (arm, opposite, to) in [(up, down, rect.top()), (down, up, rect.bottom())] {
        for (offset, width) in lines_of(arm, light) {
            let near = stopped(opposite, left, right) || (arm == Arm::Double && inner(offset, left, right));
            let (x, y) = (center.x + offset, end(to, center.y, across, near));
            fill(painter, Rect::from_two_pos(pos2(x - width / 2.0, to), pos2(x + width / 2.0, y)), color);
        }
    }
}

/// Whether the line of a double arm at `offset` lies on the side to which a double arm goes off.
fn inner(offset: f32, before: Arm, after: Arm) -> bool {
    (offset < 0.0 && before == Arm::Double) || (offset > 0.0 && after == Arm::Double)
}

/// Where the lines of an arm lie beside its middle, and how wide they are.
fn lines_of(arm: Arm, light: f32) -> Vec<(f32, f32)> {
    match arm {
        Arm::None => Vec::new(),
        Arm::Light => vec![(0.0, light)],
        Arm::Heavy => vec![(0.0, 2.0 * light)],
        Arm::Double => vec![(-light, light), (light, light)],
    }
}

fn arc(painter: &Painter, rect: Rect, ch: char, color: Color32, light: f32) {
    let center = snapped(painter, rect.center());
    let (x, y) = match ch {
        '╭' => (rect.right(), rect.bottom()),
        '╮' => (rect.left(), rect.bottom()),
        '╯' => (rect.left(), rect.top()),
        _ => (rect.right(), rect.top()),
    };
    let radius = (rect.width().min(rect.height())) / 2.0;
    let turn = |from: f32, to: f32| if to > from { from + radius } else { from - radius };
    let (start, end) = (pos2(center.x, turn(center.y, y)), pos2(turn(center.x, x), center.y));
    let stroke = Stroke::new(light, color);
    painter.line_segment([pos2(center.x, y), start], stroke);
    painter.line_segment([end, pos2(x, center.y)], stroke);
    let pull = |at: Pos2| at + (center - at) * 0.55;
    let points = [start, pull(start), pull(end), end];
    painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke));
}

fn block(painter: &Painter, rect: Rect, ch: char, color: Color32) {
    let part = |x0: f32, y0: f32, x1: f32, y1: f32, color| {
        let at = |x: f32, y: f32| rect.min + vec2(rect.width() * x, rect.height() * y);
        fill(painter, Rect::from_min_max(at(x0, y0), at(x1, y1)), color);
    };
    let eighths = |n: u32| n as f32 / 8.0;
    match ch {
        '▀' => part(0.0, 0.0, 1.0, 0.5, color),
        '\u{2581}'..='\u{2588}' => part(0.0, 1.0 - eighths(ch as u32 - 0x2580), 1.0, 1.0, color),
        '\u{2589}'..='\u{258f}' => part(0.0, 0.0, eighths(0x2590 - ch as u32), 1.0, color),
        '▐' => part(0.5, 0.0, 1.0, 1.0, color),
        '░' => part(0.0, 0.0, 1.0, 1.0, color.gamma_multiply(0.25)),
        '▒' => part(0.0, 0.0, 1.0, 1.0, color.gamma_multiply(0.5)),
        '▓' => part(0.0, 0.0, 1.0, 1.0, color.gamma_multiply(0.75)),
        '▔' => part(0.0, 0.0, 1.0, 0.125, color),
        '▕' => part(0.875, 0.0, 1.0, 1.0, color),
        _ => {
            // Quadrants: upper left, upper right, lower left, lower right.
            let quadrants: u8 = match ch {
                '▖' => 0b0010,
                '▗' => 0b0001,
                '▘' => 0b1000,
                '▙' => 0b1011,
                '▚' => 0b1001,
                '▛' => 0b1110,
                '▜' => 0b1101,
                '▝' => 0b0100,
                '▞' => 0b0110,
                _ => 0b0111,
            };
            for (bit, x, y) in [(8, 0.0, 0.0), (4, 0.5, 0.0), (2, 0.0, 0.5), (1, 0.5, 0.5)] {
                if quadrants & bit != 0 {
                    part(x, y, x + 0.5, y + 0.5, color);
                }
            }
        }
    }
}

/// Six parts, two in a row; the two patterns that blocks draw already have no character here.
fn sextant(painter: &Painter, rect: Rect, ch: char, color: Color32) {
    let mut parts = ch as u32 - 0x1fb00 + 1;
    for drawn_by_blocks in [0b01_0101, 0b10_1010] {
        parts += u32::from(parts >= drawn_by_blocks);
    }
    let size = vec2(rect.width() / 2.0, rect.height() / 3.0);
    for part in 0..6 {
        if parts >> part & 1 == 1 {
            let corner = rect.min + size * vec2((part % 2) as f32, (part / 2) as f32);
            fill(painter, Rect::from_min_size(corner, size), color);
        }
    }
}

fn braille(painter: &Painter, rect: Rect, ch: char, color: Color32) {
    let dots = ch as u32 - 0x2800;
    let radius = (rect.width() / 8.0).max(0.75);
    // Bits 0–2 are the left column down, 3–5 the right one, 6 and 7 the row below.
    let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
    for (bit, (column, row)) in places.into_iter().enumerate() {
        if dots >> bit & 1 == 1 {
            let x = rect.left() + rect.width() * (0.25 + 0.5 * column as f32);
            let y = rect.top() + rect.height() * (0.14 + 0.24 * row as f32);
            painter.circle_filled(pos2(x, y), radius, color);
        }
    }
}

fn powerline(painter: &Painter, rect: Rect, ch: char, color: Color32) {
    let (left, right, middle) = (rect.left(), rect.right(), rect.center().y);
    let stroke = Stroke::new(thickness(painter, rect), color);
    let triangle = |a, b, c| {
        painter.add(PathShape::convex_polygon(vec![a, b, c], color, Stroke::NONE));
    };
    let line = |points: Vec<Pos2>| {
        painter.add(Shape::line(points, stroke));
    };
    // Half an ellipse, as wide as the cell; its flat side lies on one edge.
    let half = |from_left: bool| -> Vec<Pos2> {
        let (edge, reach) = if from_left { (left, rect.width()) } else { (right, -rect.width()) };
        let point = |n: u32| {
            let angle = (n as f32 / 16.0 - 0.5) * std::f32::consts::PI;
            pos2(edge + reach * angle.cos(), middle + rect.height() / 2.0 * angle.sin())
        };
        (0..=16).map(point).collect()
    };
    match ch {
        '\u{e0b0}' => triangle(rect.left_top(), pos2(right, middle), rect.left_bottom()),
        '\u{e0b1}' => line(vec![rect.left_top(), pos2(right, middle), rect.left_bottom()]),
        '\u{e0b2}' => triangle(rect.right_top(), pos2(left, middle), rect.right_bottom()),
        '\u{e0b3}' => line(vec![rect.right_top(), pos2(left, middle), rect.right_bottom()]),
        '\u{e0b4}' | '\u{e0b6}' => {
            painter.add(PathShape::convex_polygon(half(ch == '\u{e0b4}'), color, Stroke::NONE));
        }
        '\u{e0b5}' | '\u{e0b7}' => line(half(ch == '\u{e0b5}')),
        '\u{e0b8}' => triangle(rect.left_top(), rect.right_bottom(), rect.left_bottom()),
        '\u{e0ba}' => triangle(rect.right_top(), rect.right_bottom(), rect.left_bottom()),
        '\u{e0bc}' => triangle(rect.left_top(), rect.right_top(), rect.left_bottom()),
        '\u{e0be}' => triangle(rect.left_top(), rect.right_top(), rect.right_bottom()),
        '\u{e0b9}' | '\u{e0bf}' => line(vec![rect.left_top(), rect.right_bottom()]),
        _ => line(vec![rect.left_bottom(), rect.right_top()]),
    }
}

fn snapped(painter: &Painter, at: Pos2) -> Pos2 {
    pos2(painter.round_to_pixel_center(at.x), painter.round_to_pixel_center(at.y))
}

/// To whole pixels: neighbours must not leave a line of half light between them.
fn fill(painter: &Painter, rect: Rect, color: Color32) {
    let pixel = 1.0 / painter.pixels_per_point();
    let mut rect = rect.round_to_pixels(painter.pixels_per_point());
    rect.max = rect.max.max(rect.min + Vec2::splat(pixel));
    painter.rect_filled(rect, 0.0, color);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_box_character_has_a_shape() {
        for ch in '\u{2500}'..='\u{257f}' {
            let special = matches!(ch, '╭' | '╮' | '╯' | '╰' | '╱' | '╲' | '╳');
            assert!(special || dashed(ch).is_some() || arms(ch).is_some(), "{ch} (U+{:X})", ch as u32);
        }
    }

    #[test]
    fn mirrored_characters_have_mirrored_arms() {
        for (one, other) in [('┌', '┐'), ('└', '┘'), ('├', '┤'), ('╔', '╗'), ('╠', '╣'), ('┏', '┓'), ('╼', '╾')]
        {
            let ([a, b, c, d], Some(mirrored)) = (arms(one).unwrap(), arms(other)) else { panic!("{other}") };
            assert!([b, a, c, d] == mirrored, "{one} {other}");
        }
    }
}
