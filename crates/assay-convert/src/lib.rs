//! Older records in, current ones out, with an account of everything that was changed on the way.
//!
//! Nothing here knows a file system, a clock or a network: text and readers come in, text and bytes go out.

pub mod convert;
pub mod upgrade;
