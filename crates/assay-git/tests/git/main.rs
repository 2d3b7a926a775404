//! The crate against real `git`: what we write, git reads, and what git sends, we take.

#![cfg(test)]

mod bombs;
mod history;
mod hostile;
mod keeping;
mod merging;
mod processes;
mod properties;
mod recovery;
mod refs;
mod server;
mod support;
mod wire;
mod writing;
