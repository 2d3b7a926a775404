//! The content of a form: fields and, where one is chosen, a file.

mod multipart;

use assay_app::Error;
use axum::extract::{FromRequest, FromRequestParts as _, Request};
use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;

use super::session::{Session, check_form, is_claimed, is_from_here};
use super::{FormSlot, Visitor};
use crate::error::Failure;
use crate::extract::Base;
use crate::state::AppState;

/// The field that every form carries.
pub(crate) const TOKEN_FIELD: &str = "_form";

/// The fields of a form that a page of this hub has sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form {
    fields: Vec<(String, String)>,
    files: Vec<Upload>,
}

/// A file that came with a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    /// The field.
    pub(crate) field: String,
    /// The name of the file on the machine it comes from.
    pub(crate) name: String,
    /// The content of the file.
    pub(crate) content: Bytes,
}

impl Upload {
    /// Returns whether a file was chosen: browsers send an empty one for a field that was left
    /// alone.
    fn is_chosen(&self) -> bool {
        !(self.name.is_empty() && self.content.is_empty())
    }
}

impl Form {
    /// The value of a field, without space round it; empty when it is not there.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// The value of a field, with the line ends of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        self.raw(name).replace("\r\n", "\n")
    }

    /// Every value of a field.
    pub(crate) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        let own = self.fields.iter().filter(move |(field, _)| field == name);
        own.map(|(_, value)| value.trim())
    }

    /// Every value of a field, with the line ends of a file.
    pub(crate) fn texts<'f>(&'f self, name: &'f str) -> impl Iterator<Item = String> + 'f {
        let own = self.fields.iter().filter(move |(field, _)| field == name);
        own.map(|(_, value)| value.replace("\r\n", "\n"))
    }

    /// Every field with its value, as they came.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.fields.iter();
        pairs.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns whether a box was ticked or a button was pressed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// A file that was chosen.
    pub(crate) fn file(&self, name: &str) -> Option<&Upload> {
        let mut files = self.files.iter();
        files.find(|file| file.field == name && file.is_chosen())
    }

    /// Every file that was chosen in the fields of a name.
    pub(crate) fn files<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f Upload> {
        let files = self.files.iter();
        files.filter(move |file| file.field == name && file.is_chosen())
    }

    /// The names of all files that were chosen.
    pub(crate) fn file_names(&self) -> Vec<String> {
        let files = self.files.iter().filter(|file| file.is_chosen());
        files.map(|file| file.name.clone()).collect()
    }

    /// A form with these fields.
    #[cfg(test)]
    pub(crate) fn of_fields(fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter();
        Self {
            fields: fields
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            files: Vec::new(),
        }
    }

    fn raw(&self, name: &str) -> &str {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value)
    }
}

impl FromRequest<AppState> for Form {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let Base(base) = Base::of(&parts, state)?;
        let limit = state.web.body_bytes;
        let bytes = axum::body::to_bytes(body, limit)
            .await
            .map_err(|_| Failure::too_large(format!("a form may have {limit} bytes at most")))?;
        let kind = parts.headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let form = if is_multipart(kind) {
            multipart::parse(kind, bytes).await
        } else {
            let fields = serde_html_form::from_bytes(&bytes).ok();
            fields.map(|fields| Self {
                fields,
                files: Vec::new(),
            })
        };
        let form = form.ok_or_else(|| Failure::invalid("the form cannot be read"))?;
        let session = parts.extensions.get::<Session>();
        let carried = form.has(TOKEN_FIELD).then(|| form.get(TOKEN_FIELD));
        let checked = check_form(&state.hub, &base, &parts.headers, session, carried);
        // A session that has ended is no reason to lose what was typed: whoever sent the form from
        // here is asked to sign in.
        let has_ended = session.is_none() && is_claimed(&parts.headers);
        let is_from_here = is_from_here(&base, &parts.headers);
        if let Some(slot) = parts.extensions.get::<FormSlot>().cloned()
            && session.is_none()
            && is_from_here
        {
            slot.put(Visitor::from_request_parts(&mut parts, state).await?, &form);
            if checked.is_err() && has_ended {
                return Err(Error::NotSignedIn.into());
            }
        }
        checked?;
        Ok(form)
    }
}

fn is_multipart(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("multipart/form-data")
}
