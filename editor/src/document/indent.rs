//! What one step of indentation is, told from how a text is indented.

use crate::text::Text;

/// What one step of indentation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    /// A tab.
    Tabs,
    /// So many spaces.
    Spaces(u8),
}

/// Lines looked at, and bytes of indentation looked at in each.
const LINES: u32 = 2_000;
const WIDEST: usize = 256;

/// Steps that are told apart; wider ones are alignment.
const STEPS: std::ops::RangeInclusive<usize> = 2..=8;

impl Indent {
    /// The step of a text that is not indented.
    pub const DEFAULT: Self = Self::Spaces(4);

    /// How `text` is indented; the default when nothing tells.
    pub fn guess(text: &Text) -> Self {
        Self::detect(text).unwrap_or(Self::DEFAULT)
    }

    /// How `text` is indented, by its first lines; `None` when they are not.
    ///
    /// Tabs, if more lines start with one than with spaces. Otherwise the commonest step from a line to a deeper one:
    /// steps back may be of several levels at once, and a single space is more often an alignment.
    pub fn detect(text: &Text) -> Option<Self> {
        let (mut tabs, mut spaces) = (0_usize, 0_usize);
        let mut steps = [0_usize; 9];
        let mut before = 0;
        for line in text.indents(0..LINES).filter(|line| !line.blank) {
            let indent = text.slice(line.start..line.end.min(line.start + WIDEST));
            if indent.starts_with('\t') {
                tabs += 1;
                continue;
            }
            spaces += usize::from(indent.len() > 1);
            let deeper = indent.len().saturating_sub(before);
            if STEPS.contains(&deeper) {
                steps[deeper] += 1;
            }
            before = indent.len();
        }
        if tabs > spaces {
            return Some(Self::Tabs);
        }
        // Of equally common ones the smaller: it fits the others' multiples, too.
        let step = STEPS.rev().max_by_key(|step| steps[*step])?;
        (steps[step] > 0).then_some(Self::Spaces(step as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_step_is_the_indentation() {
        for (text, indent) in [
            ("", None),
            ("a\nb\n", None),
            ("a\n\tb\n\t\tc\n", Some(Indent::Tabs)),
            ("a\n  b\n    c\nd\n  e\n", Some(Indent::Spaces(2))),
            ("a {\n    b(x,\n      y);\n    c {\n        d\n    }\n}\n", Some(Indent::Spaces(4))),
            ("/*\n * x\n */\nf\n\tg\n", Some(Indent::Tabs)),
            ("/*\n * x\n * y\n */\n", None),
            ("a\n\n    b\n\n        c\n", Some(Indent::Spaces(4))),
        ] {
            assert_eq!(Indent::detect(&Text::from(text)), indent, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_of_white_space_is_not_read_through() {
        let text = Text::from(" ".repeat(100_000) + "x\n  y");
        assert_eq!(Indent::detect(&text), None);
    }
}
