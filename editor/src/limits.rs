//! Every limit of the program, in one place.
//!
//! A limit is what keeps one odd input (a 3 GB log, a line of 10 MB, two files with nothing in common) from stopping
//! everything else. Whoever meets one says so to the person: an error, a notice or a badge, never silence.
//!
//! Sizes are bytes, lengths of lines are bytes too, times are wall-clock. The defaults are for a two-core machine.

use std::time::Duration;

/// The limits of opening, highlighting, searching, listing, watching and comparing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Larger files are not opened as text. 2 GiB: above it byte offsets of a line no longer fit into 31 bits, and a
    /// comparison's two sides no longer fit into the memory of a usual machine.
    pub open_bytes: u64,
    /// Larger texts are shown without highlighting, with a notice. A tree-sitter tree takes about ten times its text.
    pub highlight_bytes: usize,
    /// Texts with a longer line are shown without highlighting, with a notice.
    pub highlight_line_bytes: usize,
    /// How long one parse may take before it is given up, with a notice.
    pub parse_time: Duration,
    /// How much of a long line is laid out at a time: a line of a million characters takes 444 ms to lay out whole.
    pub line_window_bytes: usize,
    /// How far into a file a NUL byte makes it binary. Git's own number.
    pub binary_sniff_bytes: usize,
    /// How much of a file that is not UTF-8 is looked at to guess its encoding.
    pub encoding_sniff_bytes: usize,
    /// Undo steps of one document are dropped from the oldest on above this sum of inserted and deleted text.
    pub undo_bytes: usize,

    /// A search in a document or project ends after this many matches, and says so.
    pub search_matches: usize,
    /// Larger files are left out of a project search, and counted.
    pub search_file_bytes: u64,
    /// A regular expression whose program is larger is refused.
    pub regex_bytes: usize,

    /// A listing of a project ends after this many files, and says so.
    pub listed_files: usize,
    /// More folders than this are not watched; outside changes in the rest are seen on refresh only.
    pub watched_folders: usize,
    /// A burst of more changed paths than this is told as "look again at everything".
    pub watched_burst: usize,
    /// How long file events are gathered until none follows.
    pub watch_quiet: Duration,
    /// How long file events are gathered at most while they keep following.
    pub watch_longest: Duration,

    /// A larger message of a language server is skipped.
    pub server_message_bytes: usize,
    /// Larger texts are not sent to language servers.
    pub server_document_bytes: usize,
    /// So many things that one server says of one file are shown.
    pub server_diagnostics: usize,

    /// The time line comparison of one file may take before it settles for a script that is right but not short.
    pub diff_time: Duration,
    /// Cores (what is left after common ends) of up to this many lines a side are compared by histogram.
    pub diff_histogram_lines: u32,
    /// Lines of an unequal hunk are paired by similarity up to this many cells (old × new), else by index.
    pub pair_cells: usize,
    /// The time word comparison of one pair of lines may take.
    pub inline_pair_time: Duration,
    /// The time word comparison of one hunk may take.
    pub inline_hunk_time: Duration,
    /// Renames by content are looked for up to this many candidates a side.
    pub rename_candidates: usize,
    /// The time the search for renames may take.
    pub rename_time: Duration,
    /// Contents, plans and offsets that are out of view are dropped above this sum.
    pub review_cache_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            open_bytes: 2 << 30,
            highlight_bytes: 32 << 20,
            highlight_line_bytes: 256 << 10,
            parse_time: Duration::from_secs(5),
            line_window_bytes: 8 << 10,
            binary_sniff_bytes: 8000,
            encoding_sniff_bytes: 256 << 10,
            undo_bytes: 256 << 20,

            search_matches: 20_000,
            search_file_bytes: 64 << 20,
            regex_bytes: 16 << 20,

            listed_files: 1_000_000,
            watched_folders: 20_000,
            watched_burst: 2_000,
            watch_quiet: Duration::from_millis(50),
            watch_longest: Duration::from_millis(250),

            server_message_bytes: 64 << 20,
            server_document_bytes: 16 << 20,
            server_diagnostics: 5_000,

            diff_time: Duration::from_secs(5),
            diff_histogram_lines: 10_000,
            pair_cells: 40_000,
            inline_pair_time: Duration::from_millis(5),
            inline_hunk_time: Duration::from_millis(50),
            rename_candidates: 1000,
            rename_time: Duration::from_secs(2),
            review_cache_bytes: 256 << 20,
        }
    }
}
