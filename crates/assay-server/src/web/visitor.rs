use askama::Template;
use assay_app::Caller;
use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use bytes::Bytes;

use super::frame::{Frame, Section};
use super::html;
use super::query::State;
use super::session::{self, Session};
use super::{Theme, gzip};
use crate::base_url::BaseUrl;
use crate::error::Failure;
use crate::extract::{Base, CallerExt};
use crate::rendered::{About, Address, Answer, Place};
use crate::state::AppState;

/// The visitor of a page.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    /// The caller.
    pub(crate) caller: Caller,
    /// The address of this hub as they used it.
    pub(crate) base: BaseUrl,
    /// The path of the page.
    pub(crate) path: String,
    /// The query.
    pub(crate) state: State,
    session: Option<Session>,
    /// The value that the browser was given to bind forms to it.
    drawn: Option<String>,
    form: String,
    /// A cookie for the browser.
    cookie: Option<HeaderValue>,
    theme: Theme,
    has_lake: bool,
    here: String,
    takes_gzip: bool,
    /// The address under which the page may be cached.
    address: Option<Address>,
}

impl Visitor {
    /// The frame of a page with this title.
    pub(crate) fn frame(&self, title: impl Into<String>) -> Frame {
        Frame {
            title: title.into(),
            description: String::new(),
            theme: self.theme,
            here: self.here.clone(),
            person: self.caller.name().map(str::to_owned),
            form: self.form_token().to_owned(),
            section: Section::None,
            search: String::new(),
            feed: None,
            unlisted: false,
            canonical: format!("{}{}", self.base, self.path),
            json_ld: None,
            has_lake: self.has_lake,
        }
    }

    /// The visitor of a page with a form that those can send who are not signed in: a cookie binds
    /// it to the browser.
    pub(crate) fn with_form(mut self, state: &AppState) -> Result<Self, Failure> {
        if self.session.is_none() {
            let drawn = self.drawn.as_deref();
            (self.form, self.cookie) = session::stranger(&state.hub, &self.base, drawn)?;
        }
        Ok(self)
    }

    /// The visitor after a sign-in, whose browser is given the cookie of the session.
    pub(crate) fn signed_in_as(mut self, session: assay_app::Visitor, cookie: HeaderValue) -> Self {
        self.caller = session.caller.clone();
        self.session = Some(Session(session));
        self.cookie = Some(cookie);
        self
    }

    /// The path and query of the page.
    pub(crate) fn here(&self) -> &str {
        &self.here
    }

    /// Returns the token that forms of this visitor carry; nothing for those who are not signed in
    /// and look at no form.
    pub(crate) fn form_token(&self) -> &str {
        match &self.session {
            Some(Session(visitor)) => &visitor.form_token,
            None => &self.form,
        }
    }

    /// The session, for those who are signed in.
    pub(crate) fn signed_in(&self) -> Result<&assay_app::Visitor, Failure> {
        let session = self.session.as_ref().map(|Session(visitor)| visitor);
        session.ok_or_else(|| assay_app::Error::NotSignedIn.into())
    }

    /// Returns the place where the page will be kept, for an anonymous visitor. To be called before
    /// anything is looked up.
    pub(crate) fn place(&self, state: &AppState, about: About) -> Option<Place> {
        let address = self.address.clone()?;
        Some(Place::new(&state.hub, about, address))
    }

    /// A page.
    pub(crate) fn render(&self, page: &impl Template) -> Result<Answer, Failure> {
        Ok(self.answer(page.render().map_err(Failure::internal)?))
    }

    /// A page, kept for the next who asks.
    pub(crate) fn render_kept(
        &self,
        state: &AppState,
        place: Option<Place>,
        page: &impl Template,
    ) -> Result<Answer, Failure> {
        let answer = self.render(page)?;
        if let Some(place) = place {
            state.web.rendered.put(place, answer.clone());
        }
        Ok(answer)
    }

    /// The text of a page as its answer.
    pub(crate) fn answer(&self, page: String) -> Answer {
        let mut headers = html::headers();
        if let Some(cookie) = &self.cookie {
            headers.insert(SET_COOKIE, cookie.clone());
        }
        let body = if self.takes_gzip {
            html::say_packed(&mut headers);
            gzip::packed(page.as_bytes())
        } else {
            Bytes::from(page)
        };
        Answer { headers, body }
    }

    /// Something else than a page, such as a feed or a picture, kept for the next who asks.
    pub(crate) fn other_kept(
        &self,
        state: &AppState,
        place: Option<Place>,
        kind: &'static str,
        text: String,
    ) -> Answer {
        let mut headers = html::headers_of(kind);
        let body = if self.takes_gzip {
            html::say_packed(&mut headers);
            gzip::packed(text.as_bytes())
        } else {
            Bytes::from(text)
        };
        let answer = Answer { headers, body };
        if let Some(place) = place {
            state.web.rendered.put(place, answer.clone());
        }
        answer
    }
}

impl FromRequestParts<AppState> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let CallerExt(asker) = CallerExt::from_request_parts(parts, state).await?;
        let session = parts.extensions.get::<Session>().cloned();
        let Base(base) = Base::of(parts, state)?;
        let path = parts.uri.path().to_owned();
        let here = parts.uri.path_and_query();
        let here = here.map_or_else(|| path.clone(), |here| here.as_str().to_owned());
        let address = parts.extensions.get::<Address>().cloned();
        Ok(Self {
            caller: session::caller(session.as_ref(), asker),
            session,
            drawn: session::drawn(&base, &parts.headers).map(str::to_owned),
            form: String::new(),
            cookie: None,
            base,
            state: State::of(parts.uri.query()),
            path,
            theme: Theme::of(&parts.headers),
            has_lake: state.web.lake.is_some(),
            here,
            takes_gzip: gzip::is_welcome(&parts.headers),
            address,
        })
    }
}
