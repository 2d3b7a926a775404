//! The log as those meet it who rely on it: its files, its proofs, its promises after a crash, and
//! audits of liars.

#![cfg(test)]

mod attacks;
mod durable;
mod kill;
mod oracle;
mod recovery;
mod support;
mod vectors;
mod witnesses;
