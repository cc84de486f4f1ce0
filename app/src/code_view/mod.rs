//! Rows of code on a grid of cells: shared by the editor, the review and previews.
//!
//! Text is drawn on a *grid* as in a terminal: a column is one cell wide, a wide character takes two, a tab reaches
//! to the next stop. So a column is a multiplication, long lines are laid out one window at a time, and a caret is
//! where it looks to be whatever font a glyph came from.
//!
//! - [`grid`]: the measures, and one line's text drawn into a row
//! - [`glyphs`]: pictures of characters, placed without laying text out
//! - [`paint`]: what lies under and over the text: word marks, selections, carets, guides
//! - [`lines`]: where the text of a line comes from, a window of it at a time
//! - [`pointer`]: mouse presses and drags as places in text
//! - [`editing`]: commands and typed text as transactions of a document
//! - [`origin`]: the mark beside lines that a model wrote
//! - [`find_bar`]: the line in which one types what to find
//! - [`problems`]: what servers say is wrong, under the text and beside the pointer
//! - [`row`]: one row: marks, text, number, caret
//! - [`scroll`]: positions in f64 rows, wheel and bars

pub mod editing;
pub mod find_bar;
mod glyphs;
pub mod grid;
pub mod lines;
pub mod origin;
pub mod paint;
pub mod pointer;
pub mod problems;
pub mod row;
pub mod scroll;
