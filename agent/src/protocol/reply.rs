//! What comes out of a reply: events while it comes in, and the whole at its end.

use crate::action::Action;

/// Something to show at once. Neighbouring texts may come in any pieces; their sum is the same for any split of the
/// reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A piece of the answer, outside of tags.
    Text(String),
    /// A piece of the reasoning.
    Reasoning(String),
    /// An action has begun to be written.
    Opened {
        /// Its tag or the tool's name.
        name: String,
        /// The file it is about, as far as that is known yet.
        path: Option<String>,
    },
    /// A piece of the content of the action last opened.
    Content(String),
    /// An action is complete, or turned out not to be one.
    Item(Item),
    /// All texts so far were reasoning, and all actions void: the model closed a thought it had never opened.
    AllWasReasoning,
}

/// One action of a reply, or what should have been one.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Understood.
    Action(Action),
    /// Not understood; nothing of it is done.
    Malformed(Malformed),
}

/// How a reply came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model stopped by itself.
    Whole,
    /// The limit of output tokens cut it.
    Length,
    /// The connection ended, or somebody stopped it.
    Broken,
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The answer: what stands outside of tags.
    pub text: String,
    /// The reasoning.
    pub reasoning: String,
    /// What is to be done, in the order it was written.
    pub items: Vec<Item>,
    /// What was bent but understood, in order.
    pub quirks: Vec<Quirk>,
}

impl Reply {
    /// The actions alone.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.items.iter().filter_map(|item| match item {
            Item::Action(action) => Some(action),
            Item::Malformed(_) => None,
        })
    }

    /// Whether it asks for nothing and does not say that it is done: a model that announces instead of acting.
    pub fn only_talks(&self) -> bool {
        self.items.is_empty()
    }
}

/// A form that was not asked for, and was understood all the same. Counted per model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quirk {
    /// A tag closed by another's name.
    WrongClosing,
    /// A tag that nothing closed, whose blocks were whole.
    MissingClosing,
    /// A closing tag without an opening one.
    StrayClosing,
    /// Tags in a fence of Markdown.
    OuterFence,
    /// Content in a fence of Markdown within a tag.
    InnerFence,
    /// A JSON call in text.
    JsonCall,
    /// A call in the XML of another dialect.
    ForeignCall,
    /// A marker line of another length or spelling.
    Marker,
    /// A path in backticks, bold or quotes.
    DecoratedPath,
    /// An attribute without quotes, or with quotes in it.
    Quoting,
    /// Attributes written as elements within the tag.
    ElementAttributes,
    /// A thought closed that was never opened.
    LoneThoughtEnd,
    /// An edit without blocks: taken as code.
    EditWithoutBlocks,
}

/// Why something that looked like an action is none. The message says what was wrong; [`crate::protocol::teach`] adds
/// an example of how to write it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Malformed {
    /// The tag was not closed.
    #[error("<{tag}> was not closed by </{tag}>{}", cut(*.ending))]
    NotClosed {
        /// Its name.
        tag: String,
        /// How the reply ended.
        ending: Ending,
    },
    /// A fence was not closed.
    #[error("the code block for {} was not closed by ```{}", .path.as_deref().unwrap_or("the file"), cut(*.ending))]
    FenceNotClosed {
        /// The file it is for.
        path: Option<String>,
        /// How the reply ended.
        ending: Ending,
    },
    /// A block has no end.
    #[error("block {number} of <edit_file> was not closed by a line >>>>>>> REPLACE{}", cut(*.ending))]
    BlockNotClosed {
        /// The file.
        path: String,
        /// Which, from 1.
        number: usize,
        /// How the reply ended.
        ending: Ending,
    },
    /// A block has no line between its halves.
    #[error("block {number} of <edit_file> has no line ======= between SEARCH and REPLACE")]
    NoDivider {
        /// The file.
        path: String,
        /// Which, from 1.
        number: usize,
    },
    /// A block has several lines that may divide it.
    #[error(
        "block {number} of <edit_file> has several lines ======= and it is not clear which one divides it; write its three markers with nine characters each"
    )]
    SeveralDividers {
        /// The file.
        path: String,
        /// Which, from 1.
        number: usize,
    },
    /// An attribute is missing.
    #[error("<{tag}> lacks {attribute}=\"…\"")]
    MissingAttribute {
        /// The tag.
        tag: String,
        /// What it lacks.
        attribute: &'static str,
    },
    /// There is nothing in it.
    #[error("<{tag}> is empty")]
    Empty {
        /// The tag.
        tag: String,
    },
    /// The lines asked for are no range.
    #[error("lines=\"{value}\" is no range of lines; write it like lines=\"12-40\"")]
    BadLines {
        /// What was written.
        value: String,
    },
    /// The arguments of a call do not parse or do not fit.
    #[error("the arguments of {name} are not usable: {reason}")]
    BadArguments {
        /// The tool called.
        name: String,
        /// What is wrong with them.
        reason: String,
    },
}

impl Malformed {
    /// The tool or tag it would have been.
    pub fn name(&self) -> &str {
        match self {
            Self::NotClosed { tag, .. } | Self::MissingAttribute { tag, .. } | Self::Empty { tag } => tag,
            Self::FenceNotClosed { .. } => "write_code",
            Self::BlockNotClosed { .. } | Self::NoDivider { .. } | Self::SeveralDividers { .. } => "edit_file",
            Self::BadLines { .. } => "read_file",
            Self::BadArguments { name, .. } => name,
        }
    }
}

fn cut(ending: Ending) -> &'static str {
    match ending {
        Ending::Whole => "",
        Ending::Length => ": the reply was cut at the limit of its length; write less at once",
        Ending::Broken => ": the reply broke off",
    }
}
