//! What was open, for the next start.

use super::State;
use crate::panes::Layout;

/// Writes what is open.
pub fn store(_state: &mut State, _layout: &Layout) {}
