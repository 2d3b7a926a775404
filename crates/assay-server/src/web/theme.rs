use axum::http::header::{COOKIE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use super::links;
use crate::error::{Failure, one_line};
use crate::extract::{Base, Query};

/// The cookie that remembers it. It is no secret, and no page says more for it.
const COOKIE_NAME: &str = "assay_theme";
/// The time that it is remembered, in seconds: a year.
const REMEMBERED: u32 = 31_536_000;

/// The theme of pages: light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum Theme {
    /// As the visitor's system is.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Every theme.
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word for it, in addresses and cookies.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Returns its label.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }

    /// The theme that a browser remembers.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let cookies = headers.get_all(COOKIE).iter();
        cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == COOKIE_NAME)
            .and_then(|(_, word)| Self::named(word))
            .unwrap_or_default()
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == word)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    to: String,
    #[serde(default)]
    back: String,
}

/// Remembers a theme and goes back to the page it was chosen on.
pub(super) async fn choose(
    Base(base): Base,
    Query(choice): Query<Choice>,
) -> Result<Response, Failure> {
    let theme = Theme::named(&choice.to)
        .ok_or_else(|| Failure::invalid("a theme is `system`, `light` or `dark`"))?;
    let word = theme.as_str();
    let secure = if base.to_string().starts_with("https:") {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{COOKIE_NAME}={word}; Path=/; Max-Age={REMEMBERED}; HttpOnly; SameSite=Lax{secure}"
    );
    let place = links::here(&choice.back).unwrap_or("/");
    let headers = [(SET_COOKIE, one_line(&cookie)), (LOCATION, one_line(place))];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_theme_is_read_from_among_other_cookies() {
        let theme = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, text.parse().unwrap());
            Theme::of(&headers)
        };

        assert_eq!(theme("a=b; assay_theme=dark; c=d"), Theme::Dark);
        assert_eq!(theme("assay_theme=light"), Theme::Light);
        assert_eq!(theme("assay_theme=<script>"), Theme::System);
        assert_eq!(theme("other=dark"), Theme::System);
        assert_eq!(Theme::of(&HeaderMap::new()), Theme::System);
    }
}
