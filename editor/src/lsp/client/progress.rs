//! What a server works on, as it says by `$/progress`.
//!
//! Tokens need not have been announced, and may be numbers or text; one that ends twice or was never begun changes nothing.

use serde_json::Value;

use crate::lsp::State;

/// The work that was begun and has not ended, the latest last.
#[derive(Debug, Default)]
pub struct Progress(Vec<Work>);

#[derive(Debug)]
struct Work {
    token: Value,
    title: String,
    message: Option<String>,
    percent: Option<u8>,
}

impl Progress {
    /// Takes the parameters of `$/progress`.
    pub fn take(&mut self, parameters: &Value) {
        let (token, value) = (&parameters["token"], &parameters["value"]);
        let text = |name: &str| value[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let percent = value["percentage"].as_f64().map(|percent| percent.clamp(0.0, 100.0) as u8);
        match value["kind"].as_str() {
            Some("begin") => {
                self.0.retain(|work| work.token != *token);
                let title = text("title").unwrap_or_default();
                self.0.push(Work { token: token.clone(), title, message: text("message"), percent });
            }
            Some("report") => {
                if let Some(work) = self.0.iter_mut().find(|work| work.token == *token) {
                    work.message = text("message").or(work.message.take());
                    work.percent = percent.or(work.percent);
                }
            }
            Some("end") => self.0.retain(|work| work.token != *token),
            // A part of a result, which we never ask for.
            _ => {}
        }
    }

    /// How a server is that works on this.
    pub fn state(&self) -> State {
        let Some(work) = self.0.last() else { return State::Ready };
        let title = match (&*work.title, &work.message) {
            ("", Some(message)) => message.clone(),
            (title, Some(message)) => format!("{title}: {message}"),
            (title, None) => title.to_owned(),
        };
        State::Working { title, percent: work.percent }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn work_is_shown_until_it_ends_announced_or_not() {
        let mut progress = Progress::default();
        let mut take = |token: Value, value: Value| {
            progress.take(&json!({"token": token, "value": value}));
            match progress.state() {
                State::Working { title, percent } => format!("{title} {percent:?}"),
                state => format!("{state:?}"),
            }
        };
        assert_eq!(take(json!(7), json!({"kind": "begin", "title": "Index"})), "Index None");
        assert_eq!(take(json!("7"), json!({"kind": "begin", "title": "Check", "percentage": 250})), "Check Some(100)");
        assert_eq!(take(json!("7"), json!({"kind": "report", "message": "a.rs"})), "Check: a.rs Some(100)");
        assert_eq!(take(json!("7"), json!({"kind": "end"})), "Index None");
        assert_eq!(take(json!("never"), json!({"kind": "report", "message": "x"})), "Index None");
        assert_eq!(take(json!("never"), json!({"kind": "end"})), "Index None");
        assert_eq!(take(json!(7), json!([1, 2])), "Index None");
        assert_eq!(take(json!(7), json!({"kind": "end", "message": "done"})), "Ready");
    }
}
