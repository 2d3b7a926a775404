//! Sign-in by device code (RFC 8628): a code is shown here and approved in a browser.

use std::time::{Duration, Instant};

use assay_cli::Printer;
use assay_hub_api::client::{Client, ClientError};
use assay_render::visible;
use serde::Deserialize;

use super::HubCommandError;

/// Where a sign-in begins.
const BEGIN: &str = "/oauth/device";
/// Where the token is asked for.
const TOKEN: &str = "/oauth/token";
/// The grant that asks for a token by device code.
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// How this program calls itself, as clients of RFC 8628 do.
const CLIENT: &str = "assay";
/// How much longer to wait between two questions when the hub asks for it, in seconds (RFC 8628,
/// 3.5).
const SLOWER: u64 = 5;
/// The longest wait between two questions that is believed, in seconds.
const MAX_INTERVAL: u64 = 60;
/// The longest that a code is waited for, in seconds.
const MAX_WAIT: u64 = 30 * 60;

/// A sign-in that has begun.
#[derive(Deserialize)]
struct Begun {
    device_code: String,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: Option<String>,
    expires_in: u64,
    #[serde(default = "interval")]
    interval: u64,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
}

fn interval() -> u64 {
    SLOWER
}

/// Shows a code, waits until somebody approves it, and returns the token.
pub(super) fn sign_in(hub: &str, printer: &mut Printer) -> Result<String, HubCommandError> {
    let client = Client::new(hub, None)?;
    let begun: Begun = client.post_form(BEGIN, &[("client_id", CLIENT)], None)?;
    let page = begun.verification_uri_complete.as_ref();
    printer.aside(&format!(
        "open {} and approve the code {}; waiting ...",
        visible(page.unwrap_or(&begun.verification_uri)),
        visible(&begun.user_code)
    ));
    let fields = [
        ("grant_type", GRANT),
        ("device_code", begun.device_code.as_str()),
        ("client_id", CLIENT),
    ];
    let end = Instant::now() + Duration::from_secs(begun.expires_in.min(MAX_WAIT));
    let mut wait = begun.interval.min(MAX_INTERVAL);
    while Instant::now() < end {
        std::thread::sleep(Duration::from_secs(wait));
        match client.post_form::<Granted>(TOKEN, &fields, None) {
            Ok(granted) => return Ok(granted.access_token),
            Err(ClientError::Refused { message, .. }) => match answer(&message) {
                Poll::Pending => {}
                Poll::SlowDown => wait = (wait + SLOWER).min(MAX_INTERVAL),
                Poll::Over => return Err(HubCommandError::NotApproved(message)),
            },
            Err(other) => return Err(other.into()),
        }
    }
    Err(HubCommandError::NotApproved(
        "nobody approved the code in time".to_owned(),
    ))
}

/// What a refusal of the token endpoint asks for.
#[derive(Debug, PartialEq, Eq)]
enum Poll {
    Pending,
    SlowDown,
    Over,
}

/// Reads the error code of OAuth, which the client puts behind its description.
fn answer(message: &str) -> Poll {
    if message.contains("authorization_pending") {
        Poll::Pending
    } else if message.contains("slow_down") {
        Poll::SlowDown
    } else {
        Poll::Over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_waited_for_until_it_is_approved_or_over() {
        assert_eq!(
            answer("nobody has approved the code yet (authorization_pending)"),
            Poll::Pending
        );
        assert_eq!(answer("ask less often (slow_down)"), Poll::SlowDown);
        assert_eq!(answer("the code was denied (access_denied)"), Poll::Over);
        assert_eq!(answer("the code is unknown (expired_token)"), Poll::Over);
    }
}
