//! The one stream of events that a run is: the chat, the command line, its JSON, the log and the tests read it, and none
//! of them has another way into the loop.
//!
//! An event is one line of JSON: `type` says what happened, its fields stand beside it, and every one has `session`,
//! `run` and `time`. Reasoning and answer are never in the same event. Events of one action share its `action` number,
//! which counts from 1 within the run.
//!
//! Invariant: a run begins with nothing in particular and ends with exactly one `done`, after which nothing follows.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::host::Scope;

/// Names a session: when it was begun, in UTC, and some letters that tell it from others of that second.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// A new one.
    pub fn new() -> Self {
        use std::hash::{BuildHasher as _, Hasher as _};
        // A hasher of the library has keys of its own, different each time: enough to tell two sessions of a second apart.
        let mut random = std::collections::hash_map::RandomState::new().build_hasher();
        random.write_u32(std::process::id());
        let mut rest = random.finish();
        let mut letters = String::new();
        for _ in 0..5 {
            letters.push(char::from(b"abcdefghjkmnpqrstvwxyz0123456789"[(rest % 32) as usize]));
            rest /= 32;
        }
        Self(format!("{}-{letters}", Timestamp::now().strftime("%Y%m%d-%H%M%S")))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SessionId {
    fn default() -> Self {
        Self::new()
    }
}

impl From<String> for SessionId {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A moment, in milliseconds since 1970; written as in `2026-11-30T23:18:20.123Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// Now.
    pub fn now() -> Self {
        Self(Timestamp::now().as_millisecond())
    }

    /// Where the clock on the wall is: `1 Dec 2026, 11:20`.
    pub fn local(self) -> String {
        let here = Timestamp::from_millisecond(self.0).map(|time| time.to_zoned(jiff::tz::TimeZone::system()));
        here.map_or_else(|_| self.to_string(), |time| time.strftime("%-d %b %Y, %H:%M").to_string())
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{}", time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ")),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = Timestamp::from_str(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(time.as_millisecond()))
    }
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The session the run is of.
    pub session: SessionId,
    /// The run, counted from 1 within the session.
    pub run: u32,
    /// When.
    pub time: Moment,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// A piece of the model's answer, in the order it came.
    Text {
        /// The piece.
        text: String,
    },
    /// A piece of its reasoning.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// An action begins.
    ActionStarted {
        /// Its number.
        action: u32,
        /// What it is called: the tag or the tool.
        name: String,
        /// One line for people: `read_file src/main.rs 1-80`.
        title: String,
        /// The action as it was asked for.
        call: Action,
    },
    /// A piece of an action that is being written: to be shown until it begins, or comes to nothing. Not kept.
    Writing {
        /// The tag or the tool; the next piece of the same one has none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The file it is about, as far as that is known with its first piece.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// What it writes, or the arguments of a call.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// An action that takes its time says how far it is.
    ActionProgress {
        /// Its number; 0 for reading the prompt, which comes before all actions of the step.
        action: u32,
        /// What it says.
        text: String,
        /// How far it is, where that can be counted: tokens of the prompt.
        #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
        progress: Option<Progress>,
    },
    /// An action is over.
    ActionFinished {
        /// Its number.
        action: u32,
        /// What it is called.
        name: String,
        /// Whether it did what was asked.
        ok: bool,
        /// What the model is told of it.
        result: String,
        /// What became of files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<FileChange>,
        /// How long it took.
        milliseconds: u64,
    },
    /// Somebody is asked whether an action may be done, or has answered.
    Permission {
        /// The action's number.
        action: u32,
        /// What is asked for, in one line.
        title: String,
        /// Why it is asked.
        reason: String,
        /// What would become of the file, as a patch.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        patch: String,
        /// What allowing it for the session covers: this kind of action, in this folder and below.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
        /// The answer, once there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Answer>,
    },
    /// What a request to the model cost.
    Usage {
        /// Tokens of the prompt.
        prompt: u64,
        /// Those of them that the server had in its cache.
        cached: u64,
        /// Tokens of the reply.
        completion: u64,
        /// Tokens the model can take in all; 0 while nobody has said.
        window: u64,
        /// How long the reply took to be written, from its first token on.
        #[serde(default, skip_serializing_if = "is_zero")]
        milliseconds: u64,
        /// The model that answered.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        answered_by: String,
        /// Why it was this one, where there was a choice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        /// Milliseconds that reading took what of the prompt was not cached, as the server measured them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reading: Option<u64>,
        /// What it cost, where the model has a price.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
    /// Files and conversation were kept, before something is written.
    Checkpoint {
        /// Its number within the session.
        checkpoint: u32,
        /// The files it has.
        files: Vec<String>,
    },
    /// A step begins.
    Step {
        /// Which, from 1.
        step: u32,
        /// How many there may be.
        limit: u32,
        /// The model that is asked.
        model: String,
    },
    /// Something to know that ends nothing.
    Notice {
        /// A sentence.
        text: String,
        /// What becomes of the text that came in this step so far, if not what it seemed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recast: Option<Recast>,
    },
    /// Something failed.
    Error {
        /// What failed, and what to do.
        text: String,
    },
    /// The run is over.
    Done {
        /// How it ended.
        end: End,
        /// What the model says about it.
        report: String,
        /// Steps it took.
        steps: u32,
        /// Files that are now otherwise, or gone.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How far something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// So many are done.
    pub done: u64,
    /// Of so many.
    pub total: u64,
}

/// What text that was shown turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recast {
    /// Nothing: the reply begins anew.
    Void,
    /// Reasoning.
    Reasoning,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// From the project root.
    pub path: String,
    /// What was done to it.
    pub kind: ChangeKind,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// The change as a patch, for people and readers of the stream.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub patch: String,
}

/// What was done to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// Its content changed.
    Modified,
    /// It was moved.
    Renamed {
        /// From there.
        from: String,
    },
    /// It is gone.
    Deleted,
}

/// What somebody says who was asked for permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// This once.
    Allow,
    /// And the same again until the session is over.
    AllowForSession,
    /// And the same again in this project, for good.
    AllowAlways,
    /// No.
    Deny {
        /// What the model is told.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        comment: String,
    },
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The model says that it is done.
    Done,
    /// It answered without any action, which in a mode that only reads is an answer.
    Answered,
    /// It stopped acting, and a reminder did not help.
    NoAction,
    /// The same actions came again and again.
    Loop,
    /// All steps were used up.
    StepLimit,
    /// Somebody stopped it.
    Stopped,
    /// Something it needed was not permitted.
    Denied,
    /// The model cannot be reached.
    Unreachable,
    /// The conversation is too long for the model, whatever is left out.
    Overflow,
    /// Something else failed.
    Failed,
}

impl End {
    /// What the command line exits with.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done | Self::Answered => 0,
            Self::NoAction | Self::Loop | Self::Failed => 1,
            Self::StepLimit => 3,
            Self::Denied => 4,
            Self::Unreachable => 5,
            Self::Overflow => 6,
            // What shells say of a program that was interrupted.
            Self::Stopped => 130,
        }
    }

    /// A sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Done | Self::Answered => "Done.",
            Self::NoAction => "The model stopped acting without saying that it is done.",
            Self::Loop => "The model repeated the same actions; the run was ended.",
            Self::StepLimit => "All steps are used up: continue, correct, or leave it here.",
            Self::Stopped => "Stopped.",
            Self::Denied => "Ended, because what the model needed was not permitted.",
            Self::Unreachable => "The model cannot be reached.",
            Self::Overflow => "The conversation no longer fits the model, even without all that can be left out.",
            Self::Failed => "The run failed.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: EventKind, json: &str) {
        let event = Event { session: SessionId::from("s".to_owned()), run: 1, time: Moment(1_796_080_700_123), kind };
        let written = serde_json::to_string(&event).unwrap();
        assert_eq!(written, format!(r#"{{"session":"s","run":1,"time":"2026-11-30T23:18:20.123Z",{json}}}"#));
        assert_eq!(serde_json::from_str::<Event>(&written).unwrap(), event);
    }

    #[test]
    fn an_event_is_one_flat_object() {
        check(EventKind::Text { text: "Hi".into() }, r#""type":"text","text":"Hi""#);
        check(EventKind::Reasoning { text: "hm".into() }, r#""type":"reasoning","text":"hm""#);
        check(
            EventKind::ActionStarted {
                action: 1,
                name: "list_directory".into(),
                title: "list_directory src".into(),
                call: Action::ListDirectory { path: "src".into() },
            },
            r#""type":"action_started","action":1,"name":"list_directory","title":"list_directory src","call":{"type":"list_directory","path":"src"}"#,
        );
        check(
            EventKind::ActionFinished {
                action: 1,
                name: "rename_file".into(),
                ok: true,
                result: "renamed".into(),
                changes: vec![FileChange {
                    path: "b".into(),
                    kind: ChangeKind::Renamed { from: "a".into() },
                    added: 0,
                    removed: 0,
                    patch: String::new(),
                }],
                milliseconds: 3,
            },
            r#""type":"action_finished","action":1,"name":"rename_file","ok":true,"result":"renamed","changes":[{"path":"b","kind":{"renamed":{"from":"a"}},"added":0,"removed":0}],"milliseconds":3"#,
        );
        check(
            EventKind::Permission {
                action: 2,
                title: "delete_file a".into(),
                reason: "it deletes a file".into(),
                patch: String::new(),
                scope: Some(Scope { kind: "delete".into(), folder: crate::host::ProjectPath::parse("src").unwrap() }),
                answer: Some(Answer::Deny { comment: "keep it".into() }),
            },
            r#""type":"permission","action":2,"title":"delete_file a","reason":"it deletes a file","scope":{"kind":"delete","folder":"src"},"answer":{"deny":{"comment":"keep it"}}"#,
        );
        check(
            EventKind::Usage {
                prompt: 900,
                cached: 850,
                completion: 40,
                window: 4096,
                answered_by: "m".into(),
                because: None,
                milliseconds: 0,
                reading: Some(12),
                cost: Some(0.5),
            },
            r#""type":"usage","prompt":900,"cached":850,"completion":40,"window":4096,"answered_by":"m","reading":12,"cost":0.5"#,
        );
        let progress = Some(Progress { done: 3, total: 9 });
        check(
            EventKind::ActionProgress { action: 0, text: "reading".into(), progress },
            r#""type":"action_progress","action":0,"text":"reading","done":3,"total":9"#,
        );
        check(
            EventKind::ActionProgress { action: 1, text: "on it".into(), progress: None },
            r#""type":"action_progress","action":1,"text":"on it""#,
        );
        check(
            EventKind::Notice { text: "anew".into(), recast: Some(Recast::Void) },
            r#""type":"notice","text":"anew","recast":"void""#,
        );
        check(
            EventKind::Writing { name: String::new(), path: None, text: "x = 1\n".into() },
            r#""type":"writing","text":"x = 1\n""#,
        );
        check(
            EventKind::Checkpoint { checkpoint: 1, files: vec!["a".into()] },
            r#""type":"checkpoint","checkpoint":1,"files":["a"]"#,
        );
        check(
            EventKind::Done { end: End::StepLimit, report: String::new(), steps: 12, files: vec![] },
            r#""type":"done","end":"step_limit","report":"","steps":12"#,
        );
    }

    #[test]
    fn names_of_sessions_differ_and_sort_by_time() {
        let (first, second) = (SessionId::new(), SessionId::new());
        assert_ne!(first, second);
        assert_eq!(first.as_str().len(), "20261130-231820-abcde".len());
    }
}
