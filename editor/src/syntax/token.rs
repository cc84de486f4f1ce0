//! What a piece of source is, in the words a theme has colours for.
//!
//! Grammars name captures freely (`function.method.builtin`, `text.title`, `string.special.key`); the tables here bring them
//! down to one small enum, most specific name first. A name no table knows is not coloured.

/// The kind of a highlighted piece of text. Themes map each to a colour and a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Token {
    /// Reserved words: `fn`, `class`, `return`, `SELECT`.
    Keyword,
    /// The name of a function or method, where it is defined or called.
    Function,
    /// A macro and what invokes it: `println!`.
    Macro,
    /// The name of a type.
    Type,
    /// A type the language brings itself: `u32`, `int`, `string`.
    BuiltinType,
    /// An enum variant or constructor used as a value: `Some`.
    Constructor,
    /// A name that is constant by convention or declaration: `MAX_LEN`.
    Constant,
    /// `true`, `null`, `None` and their like.
    BuiltinConstant,
    /// A numeric literal.
    Number,
    /// A string or character literal.
    String,
    /// An escape sequence within a string.
    Escape,
    /// A regular expression, date, colour or other literal that is not plain text.
    SpecialString,
    /// A comment.
    Comment,
    /// A comment that documents what follows or encloses it.
    DocComment,
    /// A variable.
    Variable,
    /// `self`, `this`, `super`, `arguments`.
    BuiltinVariable,
    /// A parameter, where it is declared.
    Parameter,
    /// A field, member, attribute or key: `point.x`, `"name": …`, `color: …`.
    Property,
    /// A module, package or namespace.
    Module,
    /// A decorator, annotation, attribute, or an HTML attribute's name.
    Attribute,
    /// The name of a markup element.
    Tag,
    /// A lifetime, loop label, anchor or goto target.
    Label,
    /// An operator.
    Operator,
    /// Brackets, delimiters and markup characters.
    Punctuation,
    /// A heading of a document.
    Heading,
    /// The address or label of a link.
    Link,
    /// Literal text within a document: inline code, an indented block.
    Code,
    /// Emphasised text, usually italic.
    Emphasis,
    /// Strongly emphasised text, usually bold.
    Strong,
}

impl Token {
    /// Every kind, in the order a theme lists them.
    pub const ALL: [Token; 29] = [
        Token::Keyword,
        Token::Function,
        Token::Macro,
        Token::Type,
        Token::BuiltinType,
        Token::Constructor,
        Token::Constant,
        Token::BuiltinConstant,
        Token::Number,
        Token::String,
        Token::Escape,
        Token::SpecialString,
        Token::Comment,
        Token::DocComment,
        Token::Variable,
        Token::BuiltinVariable,
        Token::Parameter,
        Token::Property,
        Token::Module,
        Token::Attribute,
        Token::Tag,
        Token::Label,
        Token::Operator,
        Token::Punctuation,
        Token::Heading,
        Token::Link,
        Token::Code,
        Token::Emphasis,
        Token::Strong,
    ];
}

/// What a capture of a highlight query does to the text under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// Gives the text this kind.
    Token(Token),
    /// Takes away what an enclosing node gave (`@none`, `@embedded`): an interpolation is not part of its string.
    Clear,
}

/// The meaning of a capture name; dotted names fall back to their prefix. `None` for helper captures and unknown names.
pub(super) fn paint_of(capture: &str) -> Option<Paint> {
    if capture.starts_with('_') {
        return None;
    }
    let mut name = capture;
    loop {
        if let Some(paint) = exact(name) {
            return Some(paint);
        }
        name = &name[..name.rfind('.')?];
    }
}

fn exact(name: &str) -> Option<Paint> {
    let token = match name {
        "none" | "embedded" => return Some(Paint::Clear),
        "keyword" | "conditional" | "repeat" | "storageclass" | "type.qualifier" | "include" | "exception" => {
            Token::Keyword
        }
        "function" | "method" => Token::Function,
        "function.macro" | "function.special" | "macro" => Token::Macro,
        "type" => Token::Type,
        "type.builtin" => Token::BuiltinType,
        "constructor" => Token::Constructor,
        "constant" | "property.definition" => Token::Constant,
        "constant.builtin" | "boolean" => Token::BuiltinConstant,
        "number" | "float" => Token::Number,
        "string" | "character" => Token::String,
        "escape" | "string.escape" => Token::Escape,
        "string.special" | "regex" => Token::SpecialString,
        "string.special.key" | "property" | "field" => Token::Property,
        "comment" => Token::Comment,
        "comment.documentation" => Token::DocComment,
        "variable" => Token::Variable,
        "variable.builtin" => Token::BuiltinVariable,
        "variable.parameter" | "parameter" => Token::Parameter,
        "module" | "namespace" => Token::Module,
        "attribute" => Token::Attribute,
        "tag" => Token::Tag,
        "label" => Token::Label,
        "operator" => Token::Operator,
        "punctuation" | "delimiter" => Token::Punctuation,
        "text.title" => Token::Heading,
        "text.uri" | "text.reference" => Token::Link,
        "text.literal" => Token::Code,
        "text.emphasis" => Token::Emphasis,
        "text.strong" => Token::Strong,
        _ => return None,
    };
    Some(Paint::Token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_name_means_what_its_longest_known_prefix_means() {
        let cases = [
            ("function.method.builtin", Some(Paint::Token(Token::Function))),
            ("function.macro", Some(Paint::Token(Token::Macro))),
            ("string.special.symbol", Some(Paint::Token(Token::SpecialString))),
            ("string.special.key", Some(Paint::Token(Token::Property))),
            ("keyword.operator", Some(Paint::Token(Token::Keyword))),
            ("embedded", Some(Paint::Clear)),
            ("_name", None),
            ("spell", None),
        ];
        for (name, meaning) in cases {
            assert_eq!(paint_of(name), meaning, "{name}");
        }
    }

    #[test]
    fn every_kind_is_listed_once_and_in_order() {
        for (index, token) in Token::ALL.iter().enumerate() {
            assert_eq!(*token as usize, index, "{token:?}");
        }
        assert_eq!(Token::Strong as usize + 1, Token::ALL.len());
    }
}
