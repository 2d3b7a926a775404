//! Strict JSON with places: RFC 8259 and nothing else, every fault reported.
//!
//! Duplicate keys, numbers that are not finite, lone surrogates and raw control characters are
//! faults that do not stop the reading; only broken structure does. Written by hand because no
//! crate keeps byte offsets, judges duplicates and reads bare `NaN` at the speed of a samples file
//! (`docs/adr/0003-own-json-parser.md`).
//!
//! What is to be changed and written again becomes a [`Node`], which owns its text and keeps the
//! letters of every number.

mod layout_cache;
mod node;
mod parse;
mod scan;
mod stream;
mod write;

pub use node::{Literal, LiteralError, Map, Node};
pub use parse::{Parser, parse};
pub use scan::unescape;
pub use stream::{Stream, StreamError};
pub(crate) use write::write_string;
pub use write::{Layout, write};
