//! Requests of OAuth clients to the issuer of tokens, and its answers.

use serde::{Deserialize, Serialize};

/// The body of `POST /oauth/token`, as a form or as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthTokenRequest {
    /// `client_credentials`, `urn:ietf:params:oauth:grant-type:token-exchange` or
    /// `urn:ietf:params:oauth:grant-type:device_code`.
    #[serde(default)]
    pub grant_type: String,
    /// The client id, unless it is in the `Authorization` header.
    #[serde(default)]
    pub client_id: Option<String>,
    /// The secret of the client, unless the `Authorization` header has it.
    #[serde(default)]
    pub client_secret: Option<String>,
    /// `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.
    #[serde(default)]
    pub client_assertion_type: Option<String>,
    /// The assertion that the client signed (RFC 7523). Its audience is the name of this issuer.
    #[serde(default)]
    pub client_assertion: Option<String>,
    /// The ID token of a workload.
    #[serde(default)]
    pub subject_token: Option<String>,
    /// `urn:ietf:params:oauth:token-type:id_token` or `urn:ietf:params:oauth:token-type:jwt`.
    #[serde(default)]
    pub subject_token_type: Option<String>,
    /// `eval:issue`, or nothing.
    #[serde(default)]
    pub scope: Option<String>,
    /// The repository that a trusted publisher wants to write to: `namespace/name` or
    /// `datasets/namespace/name`.
    #[serde(default)]
    pub resource: Option<String>,
    /// The code that a program got from `POST /oauth/device`.
    #[serde(default)]
    pub device_code: Option<String>,
}

/// The body of `POST /oauth/device` (RFC 8628).
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthDeviceRequest {
    /// The name of the program. Every program may sign in; the name is not looked up.
    #[serde(default)]
    pub client_id: Option<String>,
}

/// A sign-in by device code that has begun (RFC 8628, 3.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthDevice {
    /// The secret to ask `POST /oauth/token` with.
    pub device_code: String,
    /// The code for the person who approves.
    pub user_code: String,
    /// The page where the code is typed.
    pub verification_uri: String,
    /// The same page with the code filled in.
    pub verification_uri_complete: String,
    /// The time in which the code can be approved, in seconds.
    pub expires_in: i64,
    /// The least time between two polls, in seconds.
    pub interval: i64,
}

/// The body of `POST /oauth/revoke` and of `POST /oauth/introspect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthTokenOnly {
    /// The token.
    #[serde(default)]
    pub token: String,
}

/// An access token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthToken {
    /// The token. It is opaque.
    pub access_token: String,
    /// `urn:ietf:params:oauth:token-type:access_token`, after an exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_token_type: Option<&'static str>,
    /// `Bearer`.
    pub token_type: &'static str,
    /// The lifetime in seconds.
    pub expires_in: i64,
    /// The scope of the token.
    pub scope: &'static str,
}

/// A failure of an OAuth endpoint (RFC 6749, 5.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthError {
    /// `invalid_request`, `invalid_client`, `invalid_grant`, `unauthorized_client`,
    /// `unsupported_grant_type`, ...
    pub error: &'static str,
    /// The error, for people.
    pub error_description: String,
}

/// The facts of an access token (RFC 7662).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthIntrospection {
    /// True if it opens anything.
    pub active: bool,
    /// The scope of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
    /// The owner of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<String>,
}

/// The metadata of an issuer (RFC 8414).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OauthMetadata {
    /// Its name: the audience of client assertions.
    pub issuer: String,
    /// The address at which access tokens are issued.
    pub token_endpoint: String,
    /// The address at which they are revoked.
    pub revocation_endpoint: String,
    /// The address at which they are inspected.
    pub introspection_endpoint: String,
    /// The public keys of tokens.
    pub jwks_uri: String,
    /// The address at which evaluation tokens are issued.
    pub eval_tokens_endpoint: String,
    /// The supported scopes.
    pub scopes_supported: Vec<&'static str>,
    /// The supported grants.
    pub grant_types_supported: Vec<&'static str>,
    /// The supported authentication of clients.
    pub token_endpoint_auth_methods_supported: Vec<&'static str>,
    /// With which signatures.
    pub token_endpoint_auth_signing_alg_values_supported: Vec<&'static str>,
    /// None: there is no page to log in at.
    pub response_types_supported: Vec<&'static str>,
}
