//! The question before an act that takes something from somebody: it is asked once, by a page that
//! works without a script.

use askama::Template;
use axum::response::{IntoResponse as _, Response};

use super::Visitor;
use super::form::{Form, TOKEN_FIELD};
use super::frame::Frame;
use crate::error::Failure;

/// The field that says that the question was answered.
const SURE: &str = "sure";

/// A question with its consequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// The act, as a question.
    pub(super) title: String,
    /// Its consequences, and whether it can be taken back.
    pub(super) effect: &'static str,
    /// The word on the button.
    pub(super) button: &'static str,
    /// The page to return to instead.
    pub(super) back: String,
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct Confirm {
    frame: Frame,
    question: Question,
    /// The address that the form was sent to.
    action: String,
    fields: Vec<(String, String)>,
}

/// Asks the question, unless the form says that it was answered.
pub(super) fn ask(
    visitor: &Visitor,
    form: &Form,
    question: Question,
) -> Result<Option<Response>, Failure> {
    if form.has(SURE) {
        return Ok(None);
    }
    let fields = form.pairs().filter(|(name, _)| *name != TOKEN_FIELD);
    let page = visitor.render(&Confirm {
        frame: visitor.frame(question.title.clone()).unlisted(),
        question,
        action: visitor.path.clone(),
        fields: fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    })?;
    Ok(Some(page.into_response()))
}
