//! Forms that were refused: shown again as they were filled in, with the message at the field.

use assay_app::Error;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use crate::error::{Cause, Failure};
use crate::rendered::Answer;

/// The reason why a form was refused, for the field it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: StatusCode,
    /// The message for people.
    pub(crate) message: String,
}

impl Refusal {
    /// Returns the refusal that another value in the form can mend; any other failure is given
    /// back.
    pub(crate) fn from_failure(failure: Failure) -> Result<Self, Failure> {
        let status = match &*failure.0 {
            Cause::Hub(Error::Exists(_)) => StatusCode::CONFLICT,
            Cause::Hub(Error::Invalid(_) | Error::Refused(_)) => StatusCode::BAD_REQUEST,
            Cause::Hub(Error::UnusablePath(_)) => StatusCode::UNPROCESSABLE_ENTITY,
            Cause::Hub(Error::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Cause::Hub(_) | Cause::Server { .. } => return Err(failure),
        };
        let message = failure.0.to_string();
        Ok(Self { status, message })
    }

    /// The page with the form, with the status of the refusal.
    pub(crate) fn answer(&self, page: Answer) -> Response {
        let mut response = page.into_response();
        *response.status_mut() = self.status;
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_another_value_mends_is_a_refusal() {
        let invalid: Failure = Error::Invalid("no such name".to_owned()).into();
        let signed_out: Failure = Error::NotSignedIn.into();

        let refusal = Refusal::from_failure(invalid)
            .map_err(|_| ())
            .expect("the name can be changed");

        assert_eq!(refusal.message, "no such name");
        assert!(Refusal::from_failure(signed_out).is_err());
    }
}
