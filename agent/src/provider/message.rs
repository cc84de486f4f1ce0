//! What is sent to a model: one request in terms that every kind of server can be told.
//!
//! A *call* is a native tool call of the model; its arguments stay the text that the model wrote, for the protocol reads
//! them with its own tolerance. A *seal* is what a server wants back unchanged beside the reasoning it vouched for
//! (Anthropic's signed thinking blocks); it means nothing to anybody else and goes to nobody else.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::effort::Effort;

/// One request for one reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The conversation from its beginning. Nothing is reordered: the server's prefix cache lives on it.
    pub messages: Vec<Message>,
    /// Native tools, empty in text mode.
    pub tools: Vec<Tool>,
    /// The most tokens that the reply may have; the model's own limit if absent.
    pub output_limit: Option<u32>,
    /// The model's setting if absent.
    pub temperature: Option<f32>,
    /// How much it may think; as the model does by itself if absent.
    pub effort: Option<Effort>,
    /// Whether each token of the text is wanted with what else could stand there ([`Event::Token`](super::Event::Token)).
    /// Servers that cannot tell are not asked.
    pub tokens: bool,
    /// Texts that end the reply; they are not part of it.
    pub stop: Vec<String>,
    /// A JSON schema that the answer must follow, where the server can enforce it.
    pub schema: Option<Value>,
    /// Requests of one session share a slot of the server, and so its prefix cache.
    pub session: Option<SessionKey>,
    /// Further fields of the body as the server names them; they win over the model's.
    pub extra: Map<String, Value>,
}

impl Request {
    /// A request of one user message, for probes and tests.
    pub fn ask(text: impl Into<String>) -> Self {
        Self { messages: vec![Message::user(text)], ..Self::default() }
    }

    /// Bytes of text that the model is to read: images and what the server adds left out.
    pub fn text_bytes(&self) -> usize {
        let tools = self.tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len());
        self.messages.iter().map(Message::text_bytes).chain(tools).sum()
    }
}

impl Request {
    /// Bytes of the pictures in it, in base64.
    pub fn picture_bytes(&self) -> usize {
        let pictures = self.messages.iter().flat_map(|message| match message {
            Message::User { images, .. } => images.as_slice(),
            _ => &[],
        });
        pictures.map(|image| image.base64.len()).sum()
    }

    /// Takes the pictures out, and says so where they were: for a model that does not see.
    pub fn without_pictures(&mut self) {
        for message in &mut self.messages {
            if let Message::User { text, images } = message
                && !images.is_empty()
            {
                images.clear();
                text.push_str("\n\n(The pictures are not shown: this model does not see.)");
            }
        }
    }
}

/// Which session a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey(pub u64);

/// A part of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        text: String,
    },
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    Assistant {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<Reasoning>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
    },
    /// What a call gave.
    Tool {
        /// The [`Call::id`] that it answers.
        call: String,
        /// The name of the tool, which some servers want instead of the id.
        name: String,
        text: String,
        #[serde(default)]
        failed: bool,
    },
}

impl Message {
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), images: Vec::new() }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), reasoning: None, calls: Vec::new() }
    }

    fn text_bytes(&self) -> usize {
        match self {
            Self::System { text } | Self::User { text, .. } | Self::Tool { text, .. } => text.len(),
            Self::Assistant { text, calls, .. } => {
                text.len() + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
            }
        }
    }
}

/// A picture for a model that sees.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// `image/png`, `image/jpeg` …
    pub media_type: String,
    /// The bytes of the file in base64.
    pub base64: String,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({}, {} bytes of base64)", self.media_type, self.base64.len())
    }
}

/// What a model thought before it answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    pub text: String,
    /// What its server wants back with the next request; see the module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seal {
    /// The model that sealed it: no other one is shown it.
    pub model: String,
    pub blocks: Vec<Value>,
}

/// A native tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The server's name for it; made up where the server gives none, never empty.
    pub id: String,
    pub name: String,
    /// As the model wrote them; JSON if it kept to the schema.
    pub arguments: String,
}

/// A tool as the model is told about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}
