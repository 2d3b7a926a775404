//! The hub over HTTP: the API that `huggingface_hub` speaks, git's smart protocol, large files, and
//! pages for people.
//!
//! Handlers are thin: extract, call [`assay_app::Hub`], wrap. Who may do what is decided there;
//! what a failure looks like is decided in `error.rs`, once.

mod answer;
mod api;
mod audit;
mod avatar;
mod base_url;
mod byte_budget;
mod clock;
mod config;
mod connection;
mod credentials;
mod describe;
mod descriptors;
mod download;
mod error;
mod extract;
mod git;
mod group;
mod health;
mod hooks;
mod issuer;
mod lake;
mod lfs;
mod links;
mod log;
mod mcp;
mod metrics;
mod observe;
mod openapi;
mod outbound;
mod problem;
mod rate;
mod redirect;
mod rendered;
mod router;
mod routes;
mod server;
mod side_by_side;
mod state;
#[cfg(feature = "testing")]
mod testing;
mod tls;
mod web;
mod wire;
mod witness;
mod witnesses;
mod xet;

pub use base_url::{BaseUrl, BaseUrlError};
pub use clock::SystemClock;
pub use config::{
    Config, ConfigFault, IssuerConfig, KEYS, Key, LakeConfig, Loaded, LogFormat, Origin, Rates,
    RequestLog, Serves,
};
pub use connection::ConnectionLimits;
pub use issuer::open as open_issuer;
pub use log::start as start_log;
pub use router::router;
pub use server::{ServeError, Server, serve};
#[cfg(feature = "testing")]
pub use testing::{Answer, Person, TestHub};
pub use tls::TlsError;
pub use wire::audit_page;
pub use witness::WitnessServer;
