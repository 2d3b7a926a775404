//! Older records in, current ones out, with an account of everything that was changed on the way;
//! and, with the feature `convert`, the logs of harnesses too, as records or as an entry of a
//! result file.
//!
//! Nothing here knows a file system, a clock or a network: text and readers come in, text and bytes
//! go out.

#[cfg(feature = "convert")]
pub mod convert;
#[cfg(feature = "convert")]
pub mod entry;
pub mod upgrade;
