//! A finding as text: the line, a caret under the place, the evidence and the next step.
//!
//! The command line prints it to a terminal and a hub sends it through git, so that both show the
//! same thing. Nothing in it can move a cursor or hide: what strangers wrote goes through
//! [`visible()`].

mod finding;
mod visible;

pub use finding::{ELLIPSIS, FindingRenderer};
pub use visible::visible;
