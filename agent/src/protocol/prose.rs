//! The line of prose that is being read: whether it has begun, what it ends in, and which file it may name.

/// Longest line that is searched for the name of a file.
pub(super) const NAMING: usize = 400;

/// The line of prose that is being read, and the one before.
#[derive(Debug)]
pub(super) struct ProseLine {
    /// Nothing but white space on this line so far.
    pub blank: bool,
    /// Empty once it is too long to name a file.
    line: String,
    long: bool,
    /// Its last character.
    pub last: Option<char>,
    /// The last line that was not blank.
    pub before: String,
}

impl Default for ProseLine {
    fn default() -> Self {
        Self { blank: true, line: String::new(), long: false, last: None, before: String::new() }
    }
}

impl ProseLine {
    pub fn push(&mut self, piece: &str) {
        let piece = match piece.rsplit_once('\n') {
            None => piece,
            Some((lines, last)) => {
                for line in lines.split('\n') {
                    self.push(line);
                    self.end_line();
                }
                last
            }
        };
        self.blank &= piece.trim_matches([' ', '\t', '\r']).is_empty();
        self.last = piece.chars().next_back().or(self.last);
        self.long |= self.line.len() + piece.len() > NAMING;
        match self.long {
            true => self.line.clear(),
            false => self.line.push_str(piece),
        }
    }

    pub fn end_line(&mut self) {
        if !self.blank {
            std::mem::swap(&mut self.before, &mut self.line);
        }
        self.begin_line();
    }

    fn begin_line(&mut self) {
        self.line.clear();
        (self.blank, self.long, self.last) = (true, false, None);
    }

    /// What came before has named what it named.
    pub fn forget(&mut self) {
        self.before.clear();
        self.begin_line();
    }
}
