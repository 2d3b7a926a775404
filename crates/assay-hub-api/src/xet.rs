use serde::Serialize;

/// The answer to `GET …/xet-write-token/{revision}`: where a client sends large files by Xet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct XetConnection {
    /// The address. Clients remember what they have sent by it, so it changes every day.
    pub cas_url: String,
    /// The time at which the token expires, in seconds since 1970.
    pub exp: u64,
    /// The token, for this repository.
    pub access_token: String,
}

/// The answer to a xorb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct XetXorbAnswer {
    /// True if it is new.
    pub was_inserted: bool,
}

/// The answer to a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct XetShardAnswer {
    /// 1: its files are there.
    pub result: u8,
}
