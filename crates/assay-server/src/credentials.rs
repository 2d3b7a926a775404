use assay_app::Error;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The longest header that is looked at, in bytes.
const MAX: usize = 4096;

/// The token of a request, from `Bearer` or, as git sends it, from the password of `Basic`. A
/// header that has none is wrong credentials and never nobody.
pub(crate) fn of(headers: &HeaderMap) -> Result<Option<String>, Error> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() || value.len() > MAX {
        return Err(Error::BadCredentials);
    }
    let text = value.to_str().map_err(|_| Error::BadCredentials)?;
    let (scheme, rest) = text.split_once(' ').ok_or(Error::BadCredentials)?;
    let secret = match scheme.to_ascii_lowercase().as_str() {
        "bearer" => rest.trim().to_owned(),
        "basic" => password(rest.trim()).ok_or(Error::BadCredentials)?,
        _ => return Err(Error::BadCredentials),
    };
    if secret.is_empty() {
        return Err(Error::BadCredentials);
    }
    Ok(Some(secret))
}

/// The password, or the user when there is none, as in `https://TOKEN@host`.
fn password(encoded: &str) -> Option<String> {
    let decoded = STANDARD.decode(encoded).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (user, password) = text.split_once(':')?;
    let secret = if password.is_empty() { user } else { password };
    Some(secret.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, value.parse().unwrap());
        headers
    }

    fn basic(text: &str) -> HeaderMap {
        headers(&format!("Basic {}", STANDARD.encode(text)))
    }

    #[test]
    fn a_token_is_read_from_bearer_and_from_either_half_of_basic() {
        assert_eq!(of(&headers("Bearer hf_x")).unwrap().unwrap(), "hf_x");
        assert_eq!(of(&headers("bearer  hf_x ")).unwrap().unwrap(), "hf_x");
        assert_eq!(of(&basic("hf_user:hf_x")).unwrap().unwrap(), "hf_x");
        assert_eq!(of(&basic("hf_x:")).unwrap().unwrap(), "hf_x");
        assert_eq!(of(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn what_is_no_token_is_wrong_and_not_nobody() {
        for value in [
            "Bearer",
            "Bearer ",
            "Digest x",
            "Basic !!!",
            "Basic ",
            "hf_x",
        ] {
            assert!(of(&headers(value)).is_err(), "{value:?}");
        }
        assert!(of(&basic("no colon")).is_err());
        assert!(of(&headers(&format!("Bearer {}", "x".repeat(MAX)))).is_err());

        let mut twice = headers("Bearer a");
        twice.append(AUTHORIZATION, "Bearer b".parse().unwrap());
        assert!(of(&twice).is_err());
    }
}
