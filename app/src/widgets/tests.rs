//! The controls as a screen reader and a keyboard meet them.
