//! How long a model thinks before it answers, said as each kind of server wants it said.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::spec::Kind;

/// How much a model that reasons may think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Not at all, where the model can leave it.
    Off,
    Low,
    Medium,
    High,
}

impl Effort {
    /// From the least to the most.
    pub const ALL: [Self; 4] = [Self::Off, Self::Low, Self::Medium, Self::High];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Tokens of thought, where a server wants a number; the least that Anthropic takes is 1,024.
    fn budget(self) -> u32 {
        match self {
            Self::Off => 0,
            Self::Low => 1024,
            Self::Medium => 4096,
            Self::High => 16_384,
        }
    }
}

/// Puts it into the body of a request.
pub(super) fn write(body: &mut Map<String, Value>, kind: Kind, effort: Effort) {
    let is_on = effort != Effort::Off;
    match kind {
        Kind::OpenAiCompatible => {
            let word = if is_on { effort.name() } else { "none" };
            body.insert("reasoning_effort".into(), word.into());
        }
        // Templates know one or the other, and overlook what they do not know.
        Kind::LlamaCpp => {
            let mut words = json!({ "enable_thinking": is_on });
            if is_on {
                words["reasoning_effort"] = effort.name().into();
            }
            body.insert("chat_template_kwargs".into(), words);
        }
        // A model without levels takes any of them for its default, which is to think.
        Kind::Ollama => {
            body.insert("think".into(), if is_on { effort.name().into() } else { false.into() });
        }
        Kind::Anthropic if is_on => {
            let budget = effort.budget();
            // The limit counts both; the answer keeps the room it had.
            let answer = body.get("max_tokens").and_then(Value::as_u64).unwrap_or_default();
            body.insert("max_tokens".into(), (answer + u64::from(budget)).into());
            body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": budget }));
            // A model that is made to think takes no temperature.
            body.remove("temperature");
        }
        Kind::Anthropic => {
            body.insert("thinking".into(), json!({ "type": "disabled" }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: Kind, effort: Effort) -> Value {
        let mut body = Map::new();
        body.insert("max_tokens".into(), 1000.into());
        body.insert("temperature".into(), 0.into());
        write(&mut body, kind, effort);
        body.remove("max_tokens").filter(|most| *most != 1000).into_iter().for_each(|most| {
            body.insert("most".into(), most);
        });
        body.into()
    }

    #[test]
    fn each_kind_of_server_is_told_in_its_own_words() {
        let all = |effort| Kind::ALL.map(|kind| written(kind, effort));
        assert_eq!(
            all(Effort::Low),
            [
                json!({ "temperature": 0, "reasoning_effort": "low" }),
                json!({ "temperature": 0, "chat_template_kwargs": { "enable_thinking": true, "reasoning_effort": "low" } }),
                json!({ "temperature": 0, "think": "low" }),
                json!({ "most": 2024, "thinking": { "type": "enabled", "budget_tokens": 1024 } }),
            ]
        );
        assert_eq!(
            all(Effort::Off),
            [
                json!({ "temperature": 0, "reasoning_effort": "none" }),
                json!({ "temperature": 0, "chat_template_kwargs": { "enable_thinking": false } }),
                json!({ "temperature": 0, "think": false }),
                json!({ "temperature": 0, "thinking": { "type": "disabled" } }),
            ]
        );
    }
}
