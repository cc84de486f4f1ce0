//! The colour table: every colour of the application, by meaning, in every theme. The only place that spells colours.
//!
//! A row is `name = dark light contrast;`, and `| dark light` behind it where the colour-blind variants of the dark and
//! the light theme differ (blue and orange stand for added and removed there). `#RRGGBB`, or `#RRGGBBAA` for what is laid
//! over something else. A new colour is one row; the struct fields, the themes and the names follow from it.
//!
//! The colours of look.md's table are its own; the rest follows from them. The tests of the theme measure every row that
//! carries meaning against the surfaces it appears on.

use editor::syntax::Token;
use eframe::egui::Color32;

/// The looks there are; which one is shown is the reader's [`ThemeChoice`](super::ThemeChoice).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Light text on a dark ground.
    Dark,
    /// Dark text on a light ground.
    Light,
    /// White on black, 7:1 throughout.
    Contrast,
    /// Dark, with blue and orange for added and removed.
    DarkColorBlind,
    /// Light, with blue and orange for added and removed.
    LightColorBlind,
}

impl Variant {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 5] = [Self::Dark, Self::Light, Self::Contrast, Self::DarkColorBlind, Self::LightColorBlind];

    /// Whether the ground is dark.
    pub const fn is_dark(self) -> bool {
        matches!(self, Self::Dark | Self::Contrast | Self::DarkColorBlind)
    }
}

/// Reads `#RRGGBB` or `#RRGGBBAA`; a mistake in the table does not compile.
const fn color(text: &str) -> Color32 {
    const fn digit(byte: u8) -> u8 {
        match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'F' => byte - b'A' + 10,
            _ => panic!("colours are written #RRGGBB or #RRGGBBAA, in capitals"),
        }
    }
    let bytes = text.as_bytes();
    assert!(bytes[0] == b'#' && (bytes.len() == 7 || bytes.len() == 9));
    let r = digit(bytes[1]) * 16 + digit(bytes[2]);
    let g = digit(bytes[3]) * 16 + digit(bytes[4]);
    let b = digit(bytes[5]) * 16 + digit(bytes[6]);
    if bytes.len() == 7 {
        return Color32::from_rgb(r, g, b);
    }
    Color32::from_rgba_unmultiplied_const(r, g, b, digit(bytes[7]) * 16 + digit(bytes[8]))
}

/// Picks the colour of `variant` from a row of the table.
const fn pick(variant: Variant, row: [Color32; 3], color_blind: Option<[Color32; 2]>) -> Color32 {
    match (variant, color_blind) {
        (Variant::DarkColorBlind, Some([dark, _])) => dark,
        (Variant::LightColorBlind, Some([_, light])) => light,
        (Variant::Dark | Variant::DarkColorBlind, _) => row[0],
        (Variant::Light | Variant::LightColorBlind, _) => row[1],
        (Variant::Contrast, _) => row[2],
    }
}

macro_rules! color_blind {
    () => {
        None
    };
    ($dark:literal $light:literal) => {
        Some([const { color($dark) }, const { color($light) }])
    };
}

macro_rules! tokens {
    ($(
        $(#[$group_doc:meta])*
        $group:ident: $Group:ident {
            $($(#[$doc:meta])* $name:ident = $dark:literal $light:literal $contrast:literal $(| $blind_dark:literal $blind_light:literal)?;)*
        }
    )*) => {
        $(
            $(#[$group_doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $Group {
                $($(#[$doc])* pub $name: Color32,)*
            }

            impl $Group {
                const fn new(variant: Variant) -> Self {
                    Self {
                        $($name: pick(
                            variant,
                            [const { color($dark) }, const { color($light) }, const { color($contrast) }],
                            color_blind!($($blind_dark $blind_light)?),
                        ),)*
                    }
                }

                /// The group with every colour put through `change`.
                pub fn map(self, change: impl Fn(Color32) -> Color32) -> Self {
                    Self { $($name: change(self.$name),)* }
                }
            }
        )*

        /// All colours of one theme, grouped by meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Tokens {
            $($(#[$group_doc])* pub $group: $Group,)*
        }

        impl Tokens {
            /// The colours of `variant`.
            pub const fn new(variant: Variant) -> Self {
                Self { $($group: $Group::new(variant),)* }
            }

            /// Every token as `group.name` with its colour, in the order of the table.
            pub fn named(&self) -> Vec<(&'static str, Color32)> {
                vec![$($((concat!(stringify!($group), ".", stringify!($name)), self.$group.$name),)*)*]
            }
        }
    };
}

tokens! {
    /// Grounds that text and controls stand on.
    surface: Surface {
        /// The page: code, reviews, messages.
        base = "#16181D" "#FFFFFF" "#000000";
        /// Bars and side panels around the page.
        panel = "#1B1E24" "#F6F7F9" "#000000";
        /// Cards, controls, menus.
        raised = "#22262E" "#FFFFFF" "#000000";
        /// What the pointer is on.
        hover = "#2A2F38" "#ECEFF3" "#262626";
        /// Wells that are typed into.
        input = "#16181D" "#FFFFFF" "#000000";
        /// Laid over the page behind a dialog.
        scrim = "#0B0D1099" "#1F232855" "#000000B0";
        /// Under floating things, and only there.
        shadow = "#00000066" "#1F232828" "#000000FF";
    }

    /// One-pixel lines.
    border: Border {
        /// Between surfaces and around cards; decoration.
        line = "#2C313A" "#DFE3E8" "#8C8C8C";
        /// Around controls that are known by their edge alone (ticks).
        control = "#767F8D" "#7C848F" "#FFFFFF";
        /// Around what has the keyboard focus.
        focus = "#5AA2F7" "#0B66D0" "#FFD60A";
    }

    /// Text of the interface, and of code without a syntax colour.
    text: Text {
        /// What is read.
        normal = "#D7DAE0" "#1F2328" "#FFFFFF";
        /// What stands beside it: details, counts, hints.
        muted = "#9AA2AF" "#59626D" "#D9D9D9";
        /// Marks that may be overlooked: carets, separators. Not for sentences.
        faint = "#6B7380" "#8A929C" "#BFBFBF";
        /// On `signal.accent`.
        on_accent = "#0B1626" "#FFFFFF" "#000000";
        /// On `signal.danger`.
        on_danger = "#1F0B0D" "#FFFFFF" "#000000";
        /// Links, and names that lead somewhere.
        link = "#7AB5FA" "#0B5CBD" "#8CC8FF";
    }

    /// What something means, and the faint grounds that go with it.
    signal: Signal {
        /// The one accent: what is active, the first thing to do.
        accent = "#5AA2F7" "#0B66D0" "#8CC8FF";
        /// Went well, added.
        success = "#4CC38A" "#1A7F4B" "#7CFFB2" | "#5AA2F7" "#0B5CBD";
        /// Needs a look.
        warning = "#E5B567" "#9A6700" "#FFD60A";
        /// Failed, removed, cannot be taken back.
        danger = "#F2686B" "#CF222E" "#FF9C9C" | "#F0924C" "#B04A00";
        /// Ground of something marked with the accent.
        accent_soft = "#1B2A40" "#E6F0FC" "#00254D";
        /// Ground of something marked as a success.
        success_soft = "#16291F" "#E4F5EB" "#00331A" | "#1B2A40" "#E6F0FC";
        /// Ground of a warning.
        warning_soft = "#2B2519" "#FFF6E0" "#332B00";
        /// Ground of a failure.
        danger_soft = "#2E1C1F" "#FDECEE" "#400000" | "#2E2118" "#FDF0E4";
    }

    /// Fills of buttons in their states; at rest a plain button is `surface.raised`.
    button: ButtonFill {
        /// Plain, pressed.
        press = "#323843" "#E1E6EC" "#404040";
        /// Primary, under the pointer.
        primary_hover = "#70B0F9" "#0A5BBB" "#B3DBFF";
        /// Primary, pressed.
        primary_press = "#4A94EC" "#094FA3" "#FFFFFF";
        /// Destructive, under the pointer.
        danger_hover = "#F57E81" "#B81C27" "#FFC2C2" | "#F3A469" "#984000";
        /// Destructive, pressed.
        danger_press = "#E2575B" "#A21621" "#FFFFFF" | "#DF8340" "#823700";
    }

    /// Rows of lists and trees.
    row: Row {
        /// Under the pointer.
        hover = "#22262E" "#EDF0F4" "#262626";
        /// Chosen, while the keyboard is elsewhere.
        selected = "#2A2F38" "#E4E9EF" "#333333";
        /// Chosen, in the list that has the keyboard.
        active = "#22344D" "#DBE9FA" "#003261";
    }

    /// Added lines.
    add: Added {
        /// Behind the line.
        line = "#14281F" "#E8F7EE" "#002B12" | "#14243A" "#E8F1FC";
        /// Behind the changed words of the line.
        word = "#1F5A3C" "#AEE9C5" "#00662B" | "#1F4A80" "#B4D4F8";
        /// Behind its number.
        gutter = "#1B3A2B" "#CFF0DC" "#00401B" | "#1B3250" "#D0E4FA";
        /// Counts and signs of added lines.
        text = "#4CC38A" "#157043" "#7CFFB2" | "#6FAEF8" "#0B56B0";
    }

    /// Removed lines.
    remove: Removed {
        /// Behind the line.
        line = "#2C1A1D" "#FDECEE" "#330008" | "#2D1F14" "#FDF1E5";
        /// Behind the changed words of the line.
        word = "#6E2A33" "#F8BDC3" "#800015" | "#6F3D17" "#F9CFA6";
        /// Behind its number.
        gutter = "#40232A" "#F9D5D9" "#4D000D" | "#422B18" "#FAE1C8";
        /// Counts and signs of removed lines.
        text = "#F57E81" "#BE1E2A" "#FFBDBD" | "#F0924C" "#9E4200";
    }

    /// Lines that moved, and rows that are not there.
    moved: Moved {
        /// Behind a moved line.
        line = "#1B2438" "#EAF1FD" "#00204D" | "#262138" "#F2ECFB";
        /// Its edge.
        edge = "#5AA2F7" "#0B66D0" "#8CC8FF" | "#B094F0" "#7A45C4";
        /// Behind the filler of the shorter side: the page itself.
        filler = "#16181D" "#FFFFFF" "#000000";
        /// The hatch on it.
        hatch = "#1F232A" "#EAEDF1" "#404040";
    }

    /// The code view.
    code: Code {
        /// The caret.
        caret = "#D7DAE0" "#1F2328" "#FFFFFF";
        /// Behind the line of the caret.
        current_line = "#FFFFFF08" "#1F232809" "#FFFFFF1A";
        /// Selected text, in the view that has the keyboard.
        selection = "#5AA2F740" "#0B66D02E" "#3399FF80";
        /// Selected text, elsewhere; other occurrences of the word at the caret.
        selection_idle = "#9AA2AF33" "#59626D26" "#80808066";
        /// A search hit.
        search = "#E5B56740" "#E5A50047" "#FFD60A4D";
        /// The search hit that is current.
        search_current = "#E5B56766" "#F0A80085" "#FFD60A73";
        /// Behind a pair of brackets.
        bracket = "#5AA2F733" "#0B66D026" "#8CC8FF59";
        /// Indent guides.
        guide = "#262A32" "#E6E9ED" "#595959";
        /// The guide of the block the caret is in.
        guide_active = "#3E4552" "#C3C9D1" "#BFBFBF";
        /// Dots and arrows of shown white space.
        whitespace = "#4A5160" "#B4BBC5" "#999999";
        /// Line numbers.
        number = "#7A8290" "#6B747F" "#D9D9D9";
        /// The number of the current line, and numbers of changed lines.
        number_active = "#D7DAE0" "#1F2328" "#FFFFFF";
        /// The bar beside changed lines of an editor.
        modified = "#E5B567" "#9A6700" "#FFD60A";
    }

    /// What language servers say is wrong: waves under code, and the icons of the same.
    problem: ProblemMark {
        /// It does not work.
        error = "#F2686B" "#CF222E" "#FF9C9C" | "#F0924C" "#B04A00";
        /// Needs a look.
        warning = "#E5B567" "#9A6700" "#FFD60A";
        /// Worth knowing.
        info = "#5AA2F7" "#0B66D0" "#8CC8FF";
        /// May be overlooked.
        hint = "#8A93A1" "#6B747F" "#D9D9D9";
    }

    /// The sixteen colours of terminals; what is written in them is made readable on its ground.
    ansi: Ansi {
        /// 0
        black = "#3B414B" "#1F2328" "#404040";
        /// 1
        red = "#F2686B" "#CF222E" "#FF8080";
        /// 2
        green = "#4CC38A" "#1A7F4B" "#7CFFB2";
        /// 3
        yellow = "#E5B567" "#8A5D00" "#FFD60A";
        /// 4
        blue = "#5AA2F7" "#0B66D0" "#8CC8FF";
        /// 5
        magenta = "#C792EA" "#8A3FD1" "#FF9CF5";
        /// 6
        cyan = "#56C7D6" "#0F6F77" "#8CFFEA";
        /// 7
        white = "#C5CAD3" "#6B747F" "#E6E6E6";
        /// 8
        bright_black = "#767F8D" "#59626D" "#A6A6A6";
        /// 9
        bright_red = "#FF8A8C" "#E0313C" "#FFADAD";
        /// 10
        bright_green = "#7EDDAE" "#23915A" "#A8FFCC";
        /// 11
        bright_yellow = "#F5CD8A" "#A87200" "#FFE45C";
        /// 12
        bright_blue = "#8CC1FF" "#2B7DE0" "#B3DBFF";
        /// 13
        bright_magenta = "#DDB3F5" "#A05CE0" "#FFC2F9";
        /// 14
        bright_cyan = "#86E0EC" "#1A868F" "#B8FFF3";
        /// 15
        bright_white = "#F2F4F7" "#8A929C" "#FFFFFF";
    }

    /// Scroll bars.
    scroll: Scroll {
        /// At rest.
        thumb = "#9AA2AF40" "#59626D40" "#FFFFFFB0";
        /// Under the pointer.
        thumb_hover = "#9AA2AF73" "#59626D73" "#FFFFFFD9";
        /// Dragged.
        thumb_press = "#9AA2AFA6" "#59626DA6" "#FFFFFFFF";
    }

    /// The overview of a file or a review beside its scroll bar.
    ruler: Ruler {
        /// Added lines.
        add = "#4CC38A" "#1A7F4B" "#7CFFB2" | "#5AA2F7" "#0B66D0";
        /// Removed lines.
        remove = "#F2686B" "#CF222E" "#FF9C9C" | "#F0924C" "#B04A00";
        /// Changed lines, warnings.
        modify = "#E5B567" "#9A6700" "#FFD60A";
        /// Search hits.
        search = "#D39BF5" "#8A3FD1" "#FF9CF5";
        /// Comments and other marks.
        mark = "#5AA2F7" "#0B66D0" "#8CC8FF" | "#B094F0" "#7A45C4";
        /// The stretch that is on screen.
        window = "#FFFFFF12" "#1F232812" "#FFFFFF40";
    }

    /// Letters of files in a change.
    status: Status {
        /// `M`
        modified = "#E5B567" "#855900" "#FFD60A";
        /// `A`
        added = "#4CC38A" "#157043" "#7CFFB2" | "#6FAEF8" "#0B56B0";
        /// `D`
        removed = "#F57E81" "#BE1E2A" "#FFBDBD" | "#F0924C" "#9E4200";
        /// `R`, `C`
        renamed = "#7AB5FA" "#0B5CBD" "#A6D4FF" | "#B094F0" "#7440BC";
        /// `?`
        untracked = "#9AA2AF" "#59626D" "#D9D9D9";
        /// `!`
        conflicted = "#D39BF5" "#8030C0" "#FFBDF8";
    }

    /// Code by the meaning of its words, one for each [`editor::syntax::Token`].
    syntax: Syntax {
        /// `fn`, `if`, `return`
        keyword = "#C792EA" "#7A3BB0" "#E5B8FF";
        /// Functions and methods, where defined and called.
        function = "#82AAFF" "#1F5FBF" "#9CC9FF";
        /// Macros and what invokes them.
        macro_call = "#82AAFF" "#1F5FBF" "#9CC9FF";
        /// Types, classes, interfaces.
        type_name = "#7FDBCA" "#0F6F77" "#8CFFEA";
        /// Types the language brings itself.
        builtin_type = "#7FDBCA" "#0F6F77" "#8CFFEA";
        /// Variants and constructors.
        constructor = "#7FDBCA" "#0F6F77" "#8CFFEA";
        /// `MAX_LEN`
        constant = "#F0A868" "#A34A00" "#FFC37A";
        /// `true`, `null`
        builtin_constant = "#F0A868" "#A34A00" "#FFC37A";
        /// Numbers.
        number = "#F0A868" "#A34A00" "#FFC37A";
        /// Strings and characters.
        string = "#A5D68F" "#3B7318" "#B6FF9C";
        /// Escapes in strings.
        escape = "#E8C07A" "#8A5A00" "#FFE08C";
        /// Regular expressions, dates, colours.
        special_string = "#E8A87C" "#A14A12" "#FFC79C";
        /// Comments.
        comment = "#868E9C" "#636C76" "#C0C0C0";
        /// Comments that become documentation.
        doc_comment = "#8E9AA8" "#5B6673" "#CFCFCF";
        /// Variables.
        variable = "#D7DAE0" "#1F2328" "#FFFFFF";
        /// `self`, `this`
        builtin_variable = "#E88FA0" "#B02A4C" "#FFB3C1";
        /// Parameters, where declared.
        parameter = "#E0C9A6" "#6B4A12" "#FFE6BF";
        /// Fields, members, keys.
        property = "#A9C7E8" "#2A5580" "#C7E3FF";
        /// Modules, packages, name spaces.
        module = "#B7C4D6" "#3C5166" "#DDEBFA";
        /// Attributes and annotations.
        attribute = "#E0B872" "#805600" "#FFE08C";
        /// Elements of markup.
        tag = "#F2868B" "#B8262F" "#FFB0B0";
        /// Labels, lifetimes.
        label = "#E88FA0" "#B02A4C" "#FFB3C1";
        /// Operators.
        operator = "#A8B4C8" "#4A5562" "#E6E6E6";
        /// Brackets, commas, semicolons.
        punctuation = "#A2A9B5" "#545D68" "#E0E0E0";
        /// Headings of prose.
        heading = "#82AAFF" "#1F5FBF" "#9CC9FF";
        /// Links and addresses.
        link = "#7AB5FA" "#0B5CBD" "#8CC8FF";
        /// Literal text in prose.
        code = "#A5D68F" "#3B7318" "#B6FF9C";
        /// Emphasised prose.
        emphasis = "#E0C9A6" "#6B4A12" "#FFE6BF";
        /// Strong prose.
        strong = "#F0E0C4" "#3F2B08" "#FFF2DB";
    }
}

impl Syntax {
    /// The colour of what `token` is.
    pub const fn color(&self, token: Token) -> Color32 {
        match token {
            Token::Keyword => self.keyword,
            Token::Function => self.function,
            Token::Macro => self.macro_call,
            Token::Type => self.type_name,
            Token::BuiltinType => self.builtin_type,
            Token::Constructor => self.constructor,
            Token::Constant => self.constant,
            Token::BuiltinConstant => self.builtin_constant,
            Token::Number => self.number,
            Token::String => self.string,
            Token::Escape => self.escape,
            Token::SpecialString => self.special_string,
            Token::Comment => self.comment,
            Token::DocComment => self.doc_comment,
            Token::Variable => self.variable,
            Token::BuiltinVariable => self.builtin_variable,
            Token::Parameter => self.parameter,
            Token::Property => self.property,
            Token::Module => self.module,
            Token::Attribute => self.attribute,
            Token::Tag => self.tag,
            Token::Label => self.label,
            Token::Operator => self.operator,
            Token::Punctuation => self.punctuation,
            Token::Heading => self.heading,
            Token::Link => self.link,
            Token::Code => self.code,
            Token::Emphasis => self.emphasis,
            Token::Strong => self.strong,
        }
    }
}
