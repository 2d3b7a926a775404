use std::borrow::Cow;

use assay_formats::eee::row::Prompt;
use assay_formats::json::Parser;
use assay_formats::{Kind, Tape, Value};

/// The requests to the model, one for each option in a multiple choice.
pub(super) struct Arguments<'d> {
    requests: Vec<Request<'d>>,
}

/// One request: the prompt, and the continuation or the arguments of generation.
#[derive(Clone, Copy)]
struct Request<'d> {
    prompt: Value<'d>,
    second: Option<Value<'d>>,
}

/// A prompt for a chat, in parts.
pub(super) struct Chat {
    /// The last message of the user.
    pub(super) question: String,
}

impl<'d> Arguments<'d> {
    /// Reads `arguments` of a row: `{"gen_args_0": {"arg_0": …, "arg_1": …}}`, or lists of lists in
    /// older versions.
    pub(super) fn of(row: Value<'d>) -> Option<Self> {
        let arguments = row.get("arguments")?;
        let request = |value: Value<'d>| match value.kind() {
            Kind::Map => Some(Request {
                prompt: value.get("arg_0")?,
                second: value.get("arg_1"),
            }),
            Kind::List => {
                let mut items = value.items();
                Some(Request {
                    prompt: items.next()?,
                    second: items.next(),
                })
            }
            Kind::String => Some(Request {
                prompt: value,
                second: None,
            }),
            Kind::Null | Kind::Bool | Kind::Number => None,
        };
        let requests: Vec<Request<'d>> = match arguments.kind() {
            Kind::Map => arguments
                .entries()
                .map(|(_, value)| request(value))
                .collect::<Option<_>>()?,
            Kind::List => arguments.items().map(request).collect::<Option<_>>()?,
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => return None,
        };
        (!requests.is_empty()).then_some(Self { requests })
    }

    /// The first prompt as text, and the question in it when it is a chat.
    pub(super) fn prompt(&self) -> (Cow<'d, str>, Option<Chat>) {
        let prompt = self.requests[0].prompt;
        if let Some(text) = prompt.text() {
            return (text, None);
        }
        // A chat service gets its messages as a JSON text in a list of one.
        let inner = prompt.items().next().and_then(Value::text);
        let text = inner.unwrap_or(Cow::Borrowed(prompt.raw()));
        let chat = chat_of(&text);
        (text, chat)
    }

    /// The first prompt as it is spelled in the log, where it is one text.
    pub(super) fn spelled_prompt(&self) -> Option<Prompt<'d>> {
        self.requests[0].prompt.spelled().map(Prompt::Spelled)
    }

    /// The options of a multiple choice: the continuations whose likelihoods are compared. `None`
    /// for anything else.
    pub(super) fn choices(&self) -> Option<Choices<'d>> {
        if self.requests.len() < 2 {
            return None;
        }
        let all: Option<Vec<Cow<'d, str>>> = self
            .requests
            .iter()
            .map(|request| request.second?.text())
            .collect();
        let mut all = all?;
        // For mutual information every option is asked for a second time, without the prompt.
        let half = all.len() / 2;
        let unconditional = |request: &Request<'_>| request.prompt.is_text("");
        if all.len().is_multiple_of(2)
            && all[..half] == all[half..]
            && self.requests[half..].iter().all(unconditional)
            && !unconditional(&self.requests[0])
        {
            all.truncate(half);
        }
        let first = self.requests[0].prompt.raw();
        let prompts = || {
            self.requests[..all.len()]
                .iter()
                .map(|request| request.prompt)
        };
        if prompts().all(|prompt| prompt.raw() == first) {
            return Some(Choices {
                texts: all.into_iter().map(trimmed).collect(),
                stem: None,
            });
        }
        // The options stand in the prompt, and what follows them is the same: as in filling a
        // blank.
        let prompts: Option<Vec<Cow<'d, str>>> = prompts().map(Value::text).collect();
        let prompts = prompts?;
        let stem = common_prefix(&prompts).to_owned();
        let texts = prompts
            .iter()
            .zip(&all)
            .map(|(prompt, rest)| {
                Cow::Owned(format!("{}{rest}", &prompt[stem.len()..]).trim().to_owned())
            })
            .collect();
        Some(Choices {
            texts,
            stem: Some(stem),
        })
    }
}

/// The options of a multiple choice.
pub(super) struct Choices<'d> {
    /// The options.
    pub(super) texts: Vec<Cow<'d, str>>,
    /// The common beginning of all prompts, when the options stand in the prompts.
    pub(super) stem: Option<String>,
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

fn common_prefix<'t>(texts: &'t [Cow<'_, str>]) -> &'t str {
    let Some((first, rest)) = texts.split_first() else {
        return "";
    };
    let mut length = first.len();
    for text in rest {
        let same = first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b);
        length = length.min(same.count());
    }
    while !first.is_char_boundary(length) {
        length -= 1;
    }
    &first[..length]
}

/// The messages of a chat that were written as JSON.
fn chat_of(text: &str) -> Option<Chat> {
    let mut tape = Tape::new();
    Parser::default().parse(text, &mut tape);
    let messages = tape.root(text)?;
    let mut question = None;
    for message in messages.items() {
        if message.get("role")?.is_text("user") {
            question = message.get("content").and_then(content);
        }
    }
    Some(Chat {
        question: question?,
    })
}

/// Returns the content of a message: a text, or the texts of its parts.
fn content(content: Value<'_>) -> Option<String> {
    if let Some(text) = content.text() {
        return Some(text.into_owned());
    }
    let parts: Vec<Cow<'_, str>> = content
        .items()
        .filter_map(|part| part.text_of("text"))
        .collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}
