//! Icons: the Phosphor regular set, cut down to what is used, as one table of named constants.
//!
//! A constant is named for what it means here where that is fixed (`REVIEW`, `SAVE`) and for what it shows otherwise
//! (`CARET_DOWN`). Adding an icon is one row below and its glyph in `assets/icons/Phosphor.ttf`
//! (`pyftsubset`, code points of [`ALL`]); a test fails while the font lacks one.
//!
//! Icons are also in the fallback chain of the UI fonts, so one may stand inside a sentence.

use eframe::egui::{Align2, Color32, Painter, Pos2, Rect};

use super::fonts;

/// One icon of the bundled font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icon(&'static str);

impl Icon {
    /// The usual size beside text, in points.
    pub const SIZE: f32 = 16.0;

    /// The icon as text, for use inside a sentence or a job.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Paints the icon centred on `center`, [`Icon::SIZE`] large.
    pub fn paint(self, painter: &Painter, center: Pos2, color: Color32) -> Rect {
        self.paint_sized(painter, center, Self::SIZE, color)
    }

    /// Paints the icon centred on `center`, `size` points large.
    pub fn paint_sized(self, painter: &Painter, center: Pos2, size: f32, color: Color32) -> Rect {
        painter.text(center, Align2::CENTER_CENTER, self.0, fonts::icon(size), color)
    }
}

impl std::fmt::Display for Icon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! icons {
    ($($name:ident = $code:literal, $phosphor:literal;)*) => {
        $(
            #[doc = concat!("Phosphor's `", $phosphor, "`.")]
            pub const $name: Icon = Icon($code);
        )*

        /// Every icon with its name in the Phosphor set.
        pub const ALL: &[(&str, Icon)] = &[$(($phosphor, $name),)*];
    };
}

icons! {
    // Rail and panes
    REVIEW = "\u{e27c}", "git-diff";
    FILES = "\u{e710}", "files";
    SEARCH = "\u{e30c}", "magnifying-glass";
    HISTORY = "\u{e1a0}", "clock-counter-clockwise";
    CHAT = "\u{e168}", "chat-circle";
    HTTP = "\u{e398}", "paper-plane-tilt";
    PROBLEMS = "\u{e4e0}", "warning";
    SETTINGS = "\u{e272}", "gear-six";
    TERMINAL = "\u{eae8}", "terminal-window";
    PROMPT = "\u{e47e}", "terminal";
    BELL = "\u{e0ce}", "bell";
    BELL_SLASH = "\u{e0d4}", "bell-slash";
    SIDEBAR = "\u{ec24}", "sidebar-simple";
    LAYOUT = "\u{e6d6}", "layout";
    // Arrows and carets
    CARET_DOWN = "\u{e136}", "caret-down";
    CARET_RIGHT = "\u{e13a}", "caret-right";
    CARET_UP = "\u{e13c}", "caret-up";
    CARET_LEFT = "\u{e138}", "caret-left";
    CARET_UP_DOWN = "\u{e140}", "caret-up-down";
    CARET_DOUBLE_UP = "\u{e12c}", "caret-double-up";
    CARET_DOUBLE_DOWN = "\u{e126}", "caret-double-down";
    CARET_DOUBLE_LEFT = "\u{e128}", "caret-double-left";
    CARET_DOUBLE_RIGHT = "\u{e12a}", "caret-double-right";
    CARET_LINE_UP = "\u{e12e}", "caret-line-up";
    CARET_LINE_DOWN = "\u{e134}", "caret-line-down";
    ARROW_UP = "\u{e08e}", "arrow-up";
    ARROW_DOWN = "\u{e03e}", "arrow-down";
    ARROW_LEFT = "\u{e058}", "arrow-left";
    ARROW_RIGHT = "\u{e06c}", "arrow-right";
    ARROW_LINE_UP = "\u{e066}", "arrow-line-up";
    ARROW_LINE_DOWN = "\u{e05c}", "arrow-line-down";
    ARROW_BEND_DOWN_LEFT = "\u{e018}", "arrow-bend-down-left";
    ARROW_SQUARE_OUT = "\u{e5de}", "arrow-square-out";
    ARROWS_LEFT_RIGHT = "\u{e0a0}", "arrows-left-right";
    ARROWS_VERTICAL = "\u{eb04}", "arrows-vertical";
    EXPAND_LINES = "\u{e536}", "arrows-out-line-vertical";
    COLLAPSE_LINES = "\u{e532}", "arrows-in-line-vertical";
    MAXIMISE = "\u{e0a6}", "arrows-out-simple";
    RESTORE = "\u{e09e}", "arrows-in-simple";
    UNDO = "\u{e038}", "arrow-counter-clockwise";
    REDO = "\u{e036}", "arrow-clockwise";
    REFRESH = "\u{e094}", "arrows-clockwise";
    SWAP = "\u{e098}", "arrows-down-up";
    // Actions
    CHECK = "\u{e182}", "check";
    CHECKS = "\u{e53a}", "checks";
    X = "\u{e4f6}", "x";
    PLUS = "\u{e3d4}", "plus";
    MINUS = "\u{e32a}", "minus";
    DOTS = "\u{e1fe}", "dots-three";
    DOTS_VERTICAL = "\u{e208}", "dots-three-vertical";
    DRAG = "\u{eae2}", "dots-six-vertical";
    EDIT = "\u{e3b4}", "pencil-simple";
    TRASH = "\u{e4a6}", "trash";
    COPY = "\u{e1ca}", "copy";
    PASTE = "\u{e198}", "clipboard-text";
    CUT = "\u{eae0}", "scissors";
    SAVE = "\u{e248}", "floppy-disk";
    DOWNLOAD = "\u{e20c}", "download-simple";
    UPLOAD = "\u{e4c0}", "upload-simple";
    EXPORT = "\u{eaf0}", "export";
    LINK = "\u{e2e6}", "link-simple";
    PIN = "\u{e3e2}", "push-pin";
    UNPIN = "\u{e3e4}", "push-pin-slash";
    FILTER = "\u{e268}", "funnel-simple";
    SORT = "\u{e444}", "sort-ascending";
    SLIDERS = "\u{e434}", "sliders-horizontal";
    PLAY = "\u{e3d0}", "play";
    PAUSE = "\u{e39e}", "pause";
    STOP = "\u{e46c}", "stop";
    SEND = "\u{e396}", "paper-plane-right";
    SEARCH_PLUS = "\u{e310}", "magnifying-glass-plus";
    SEARCH_MINUS = "\u{e30e}", "magnifying-glass-minus";
    CLEAR = "\u{ec54}", "broom";
    SHARE = "\u{e408}", "share-network";
    FLAG = "\u{e244}", "flag";
    BOOKMARK = "\u{e0ea}", "bookmark-simple";
    STAR = "\u{e46a}", "star";
    // Files
    FILE = "\u{e230}", "file";
    FILE_TEXT = "\u{e23a}", "file-text";
    FILE_CODE = "\u{e914}", "file-code";
    FILE_PLUS = "\u{e236}", "file-plus";
    FILE_MINUS = "\u{e234}", "file-minus";
    FILE_DASHED = "\u{e704}", "file-dashed";
    FILE_IMAGE = "\u{ea24}", "file-image";
    FILE_ARCHIVE = "\u{eb2a}", "file-archive";
    FILE_LOCK = "\u{e95c}", "file-lock";
    FILE_RUST = "\u{eb28}", "file-rs";
    FILE_PYTHON = "\u{eb2c}", "file-py";
    FILE_JS = "\u{eb24}", "file-js";
    FILE_TS = "\u{eb26}", "file-ts";
    FILE_JSX = "\u{eb3a}", "file-jsx";
    FILE_TSX = "\u{eb3c}", "file-tsx";
    FILE_HTML = "\u{eb38}", "file-html";
    FILE_CSS = "\u{eb34}", "file-css";
    FILE_C = "\u{eb32}", "file-c";
    FILE_CPP = "\u{eb2e}", "file-cpp";
    FILE_CSHARP = "\u{eb30}", "file-c-sharp";
    FILE_SQL = "\u{ed4e}", "file-sql";
    FILE_MARKDOWN = "\u{ed50}", "file-md";
    FILE_SVG = "\u{ed08}", "file-svg";
    FILE_PDF = "\u{e702}", "file-pdf";
    FILE_CSV = "\u{eb1c}", "file-csv";
    FILE_SETTINGS = "\u{eb33}", "file-ini";
    FILE_BINARY = "\u{ee60}", "binary";
    DATABASE = "\u{e1de}", "database";
    FOLDER = "\u{e24a}", "folder";
    FOLDER_OPEN = "\u{e256}", "folder-open";
    FOLDER_PLUS = "\u{e258}", "folder-plus";
    FOLDERS = "\u{e260}", "folders";
    PACKAGE = "\u{e390}", "package";
    HARD_DRIVE = "\u{e2a0}", "hard-drives";
    // Git
    GIT_BRANCH = "\u{e278}", "git-branch";
    GIT_COMMIT = "\u{e27a}", "git-commit";
    GIT_FORK = "\u{e27e}", "git-fork";
    GIT_MERGE = "\u{e280}", "git-merge";
    PULL_REQUEST = "\u{e282}", "git-pull-request";
    STACK = "\u{e466}", "stack";
    TAG = "\u{e478}", "tag";
    STAGE = "\u{ed4a}", "plus-square";
    UNSTAGE = "\u{ed4c}", "minus-square";
    // Review
    SPLIT = "\u{e546}", "columns";
    UNIFIED = "\u{e5a2}", "rows";
    WRAP = "\u{e07e}", "arrow-u-down-left";
    WHITESPACE = "\u{e960}", "paragraph";
    COMMENT = "\u{e17a}", "chat-text";
    COMMENT_PLUS = "\u{e166}", "chat-centered-text";
    COMMENTS = "\u{e17c}", "chats";
    VIEWED = "\u{e220}", "eye";
    HIDDEN = "\u{e224}", "eye-slash";
    READ = "\u{e186}", "check-square";
    UNREAD = "\u{e45e}", "square";
    QUOTES = "\u{e660}", "quotes";
    TREE_VIEW = "\u{ee48}", "tree-view";
    LIST = "\u{e2f2}", "list-bullets";
    LIST_CHECKS = "\u{eadc}", "list-checks";
    LINE_NUMBERS = "\u{e2f6}", "list-numbers";
    SPARKLE = "\u{e6a2}", "sparkle";
    ROBOT = "\u{e762}", "robot";
    BRAIN = "\u{e74e}", "brain";
    // States
    INFO = "\u{e2ce}", "info";
    WARNING_CIRCLE = "\u{e4e2}", "warning-circle";
    DANGER = "\u{e4e4}", "warning-octagon";
    SUCCESS = "\u{e184}", "check-circle";
    FAILURE = "\u{e4f8}", "x-circle";
    QUESTION = "\u{e3e8}", "question";
    CIRCLE = "\u{e18a}", "circle";
    CIRCLE_DASHED = "\u{e602}", "circle-dashed";
    CIRCLE_HALF = "\u{e18c}", "circle-half";
    SPINNER = "\u{eb44}", "circle-notch";
    DOT = "\u{ecde}", "dot";
    CLOCK = "\u{e19a}", "clock";
    HOURGLASS = "\u{e2b8}", "hourglass-medium";
    PROHIBIT = "\u{e3de}", "prohibit";
    LOCK = "\u{e308}", "lock-simple";
    LOCK_OPEN = "\u{e30a}", "lock-simple-open";
    LIGHTNING = "\u{e2de}", "lightning";
    LIGHTBULB = "\u{e2dc}", "lightbulb";
    BUG = "\u{e5f4}", "bug";
    TEST = "\u{e79e}", "flask";
    PULSE = "\u{e000}", "pulse";
    SHIELD_CHECK = "\u{e40c}", "shield-check";
    SHIELD_WARNING = "\u{e412}", "shield-warning";
    PLUGS = "\u{eb56}", "plugs";
    PLUGS_CONNECTED = "\u{eb5a}", "plugs-connected";
    WIFI_SLASH = "\u{e4f2}", "wifi-slash";
    TRAY = "\u{e4aa}", "tray";
    COFFEE = "\u{e1c2}", "coffee";
    // Editing
    FIND_CASE = "\u{e6ee}", "text-aa";
    FIND_WORD = "\u{e48a}", "text-t";
    FIND_REGEX = "\u{e0aa}", "asterisk";
    REPLACE = "\u{e83c}", "swap";
    TEXT_CURSOR = "\u{e7d8}", "cursor-text";
    INDENT = "\u{ea1e}", "text-indent";
    OUTDENT = "\u{ea1c}", "text-outdent";
    BRACKETS = "\u{e860}", "brackets-curly";
    CODE = "\u{e1bc}", "code";
    CODE_BLOCK = "\u{eafe}", "code-block";
    FUNCTION = "\u{ebe4}", "function";
    HASH = "\u{e2a2}", "hash";
    CUBE = "\u{e1da}", "cube";
    TEXT_BOLD = "\u{e5be}", "text-b";
    TEXT_ITALIC = "\u{e5c0}", "text-italic";
    HEADING = "\u{e6ba}", "text-h";
    TABLE = "\u{e476}", "table";
    IMAGE = "\u{e2ca}", "image";
    // Application
    COMMAND = "\u{e1c4}", "command";
    KEYBOARD = "\u{e2d8}", "keyboard";
    KEY_RETURN = "\u{e782}", "key-return";
    KEY = "\u{e2d6}", "key";
    PALETTE = "\u{e6c8}", "palette";
    SUN = "\u{e472}", "sun";
    MOON = "\u{e330}", "moon";
    MONITOR = "\u{e32e}", "monitor";
    CONTRAST = "\u{e18e}", "circle-half-tilt";
    ZOOM_TEXT = "\u{ed34}", "text-a-underline";
    USER = "\u{e4c2}", "user";
    USERS = "\u{e68e}", "users-three";
    CPU = "\u{e610}", "cpu";
    GLOBE = "\u{e288}", "globe";
    PUZZLE = "\u{e596}", "puzzle-piece";
    BOOK = "\u{e0e6}", "book-open";
    HELP = "\u{e63a}", "lifebuoy";
    HOUSE = "\u{e2c6}", "house-simple";
    WINDOW = "\u{e5da}", "app-window";
    TABS = "\u{e778}", "tabs";
    DESKTOP = "\u{e560}", "desktop";
}

/// The icon of a file by its name; folders and unknown names have general ones.
pub fn for_path(path: &str) -> Icon {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "rs" => FILE_RUST,
        "py" | "pyi" => FILE_PYTHON,
        "js" | "mjs" | "cjs" => FILE_JS,
        "ts" | "mts" | "cts" => FILE_TS,
        "jsx" => FILE_JSX,
        "tsx" => FILE_TSX,
        "html" | "htm" | "xml" | "vue" | "svelte" => FILE_HTML,
        "css" | "scss" | "sass" | "less" => FILE_CSS,
        "c" | "h" => FILE_C,
        "cpp" | "cc" | "cxx" | "hpp" | "hh" | "hxx" => FILE_CPP,
        "cs" => FILE_CSHARP,
        "sql" | "sqlite" | "db" => FILE_SQL,
        "md" | "markdown" | "mdx" => FILE_MARKDOWN,
        "svg" => FILE_SVG,
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "ico" | "avif" => FILE_IMAGE,
        "pdf" => FILE_PDF,
        "csv" | "tsv" => FILE_CSV,
        "zip" | "gz" | "xz" | "zst" | "bz2" | "tar" | "7z" | "jar" => FILE_ARCHIVE,
        "toml" | "ini" | "cfg" | "conf" | "env" | "editorconfig" | "properties" => FILE_SETTINGS,
        "lock" | "pem" | "key" | "crt" => FILE_LOCK,
        "exe" | "dll" | "so" | "dylib" | "a" | "o" | "wasm" | "bin" | "ttf" | "otf" | "woff2" => FILE_BINARY,
        "http" | "rest" => HTTP,
        "txt" | "log" | "rst" | "adoc" => FILE_TEXT,
        "json" | "jsonc" | "yaml" | "yml" | "go" | "java" | "kt" | "rb" | "php" | "swift" | "sh" | "bash" | "zsh"
        | "fish" | "lua" | "zig" | "scala" | "hs" | "ml" | "ex" | "exs" | "dart" | "proto" | "graphql" => FILE_CODE,
        _ => FILE,
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui;

    use super::*;

    #[test]
    fn every_icon_has_a_glyph_in_the_bundled_font() {
        let mut fonts = egui::text::Fonts::new(egui::epaint::text::TextOptions::default(), fonts::definitions());
        for (name, icon) in ALL {
            assert!(fonts.has_glyphs(&fonts::icon(Icon::SIZE), icon.as_str()), "{name} has no glyph");
        }
    }

    #[test]
    fn no_icon_has_two_names() {
        let mut codes: Vec<_> = ALL.iter().map(|(_, icon)| icon.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
    }

    #[test]
    fn a_file_s_icon_follows_its_extension() {
        assert_eq!(for_path("app/src/main.rs"), FILE_RUST);
        assert_eq!(for_path("README.MD"), FILE_MARKDOWN);
        assert_eq!(for_path("a.dir/Makefile"), FILE);
    }
}
