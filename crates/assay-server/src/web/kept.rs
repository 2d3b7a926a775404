//! Forms of people who turn out not to be signed in. The sign-in page carries such a form, so
//! nothing that was typed is lost and the hub stores none of it.
//!
//! Nobody else can make a browser send a kept form: it comes back in the form of the sign-in, which
//! carries a token for this browser, and after that in a form with the token of the new session,
//! when its owner presses a button.

use std::sync::Arc;

use askama::Template;
use assay_app::Error;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use parking_lot::Mutex;

use super::form::{Form, TOKEN_FIELD};
use super::frame::Frame;
use super::{Visitor, links, login};
use crate::error::{Cause, Failure};
use crate::rendered::Answer;
use crate::state::AppState;

/// The most bytes of a form that is kept.
const MAX_BYTES: usize = 4 << 20;
/// The longest value that the page shows, in characters. The form has the whole value.
const MAX_SHOWN: usize = 2000;
/// Parts of the names of fields with secrets. A form with such a field is not kept.
const SECRETS: [&str; 2] = ["password", "secret"];
/// The field with the address that a kept form is for.
const TO: &str = "kept_to";
/// The fields with the names and the values of a kept form, and with the files that are lost.
const NAME: &str = "kept_name";
const VALUE: &str = "kept_value";
const FILE: &str = "kept_file";

/// A form that waits for its owner to sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptForm {
    /// The address that it was sent to.
    pub(crate) to: String,
    /// Its fields, in order.
    pub(crate) fields: Vec<(String, String)>,
    /// The names of its files, which have to be chosen again.
    pub(crate) files: Vec<String>,
}

/// The form of a request, for the case that it is refused because nobody is signed in.
#[derive(Debug, Clone, Default)]
pub(crate) struct FormSlot(Arc<Mutex<Option<(Visitor, KeptForm)>>>);

#[derive(Template)]
#[template(path = "kept.html")]
struct KeptPage {
    frame: Frame,
    kept: KeptForm,
}

impl KeptForm {
    /// Keeps a form that was sent to an address; none when it may not be kept.
    fn new(to: &str, form: &Form) -> Option<Self> {
        let own = form.pairs().filter(|(name, _)| *name != TOKEN_FIELD);
        let fields: Vec<(String, String)> = own
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let bytes: usize = fields
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        let has_secret = fields.iter().any(|(name, _)| {
            let name = name.to_ascii_lowercase();
            SECRETS.iter().any(|secret| name.contains(secret))
        });
        let to = links::here(to).filter(|to| !is_of_sessions(to))?;
        (bytes <= MAX_BYTES && !has_secret).then(|| Self {
            to: to.to_owned(),
            fields,
            files: form.file_names(),
        })
    }

    /// Returns the kept form that a sign-in carries.
    pub(crate) fn of_sign_in(form: &Form) -> Option<Self> {
        let to = links::here(form.get(TO)).filter(|to| !is_of_sessions(to))?;
        let names = form.all(NAME).map(str::to_owned);
        Some(Self {
            to: to.to_owned(),
            fields: names.zip(form.texts(VALUE)).collect(),
            files: form.all(FILE).map(str::to_owned).collect(),
        })
    }

    /// Returns the fields with which the form of the sign-in carries it.
    pub(crate) fn carried(&self) -> Vec<(&'static str, &str)> {
        let mut carried = vec![(TO, self.to.as_str())];
        for (name, value) in &self.fields {
            carried.push((NAME, name));
            carried.push((VALUE, value));
        }
        carried.extend(self.files.iter().map(|file| (FILE, file.as_str())));
        carried
    }

    /// Returns the fields that a person has typed something into, as far as a page shows them.
    fn shown(&self) -> Vec<(&str, String)> {
        let filled = self.fields.iter();
        filled
            .filter(|(name, value)| !value.trim().is_empty() && name != "do")
            .map(|(name, value)| (name.as_str(), value.chars().take(MAX_SHOWN).collect()))
            .collect()
    }

    /// The page after the sign-in, on which the form is sent.
    pub(crate) fn page(self, visitor: &Visitor) -> Result<Answer, Failure> {
        visitor.render(&KeptPage {
            frame: visitor.frame("Continue").unlisted(),
            kept: self,
        })
    }
}

impl FormSlot {
    /// Remembers the form of the request.
    pub(crate) fn put(&self, visitor: Visitor, form: &Form) {
        let to = visitor.here().to_owned();
        *self.0.lock() = KeptForm::new(&to, form).map(|kept| (visitor, kept));
    }

    /// Returns the sign-in page that keeps the form, when a response refuses the form because
    /// nobody is signed in.
    pub(crate) fn answer(&self, state: &AppState, response: &Response) -> Option<Response> {
        let (visitor, kept) = self.0.lock().take()?;
        let Failure(cause) = response.extensions().get::<Failure>()?;
        let is_signed_out = match &**cause {
            Cause::Hub(error) => matches!(error, Error::NotSignedIn),
            Cause::Server { status, .. } => *status == StatusCode::UNAUTHORIZED,
        };
        if !is_signed_out || visitor.caller.name().is_some() {
            return None;
        }
        let page = login::page(state, visitor, Some(kept)).ok()?;
        Some((StatusCode::UNAUTHORIZED, page.into_response()).into_response())
    }
}

/// Returns whether an address begins or ends sessions, whose forms are never kept.
fn is_of_sessions(to: &str) -> bool {
    let path = to.split('?').next().unwrap_or_default();
    matches!(path, "/login" | "/logout")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[(&str, &str)]) -> Form {
        Form::of_fields(fields)
    }

    #[test]
    fn a_form_comes_back_as_it_was_and_without_its_token() {
        let sent = form(&[
            ("_form", "x"),
            ("text", "a\r\nb"),
            ("do", "open"),
            ("text", ""),
        ]);

        let kept = KeptForm::new("/alice/small/submit", &sent).unwrap();
        let again = KeptForm::of_sign_in(&form(&kept.carried())).unwrap();

        assert_eq!(again.to, "/alice/small/submit");
        let expected = [("text", "a\nb"), ("do", "open"), ("text", "")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(again.fields, expected);
        assert_eq!(again.shown(), [("text", "a\nb".to_owned())]);
    }

    #[test]
    fn secrets_sessions_other_hosts_and_what_is_too_large_are_not_kept() {
        let large = "x".repeat(MAX_BYTES + 1);
        for (to, field, value) in [
            ("/settings/password", "new_password", "x"),
            ("/webhooks/new", "secret", "x"),
            ("/login?next=/", "name", "x"),
            ("//evil.example/", "name", "x"),
            ("/alice/small/submit", "text", &*large),
        ] {
            assert_eq!(KeptForm::new(to, &form(&[(field, value)])), None, "{to}");
        }
        let evil = form(&[(TO, "https://evil.example/"), (NAME, "a"), (VALUE, "b")]);
        assert_eq!(KeptForm::of_sign_in(&evil), None);
    }
}
