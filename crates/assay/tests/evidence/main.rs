//! The commands of a framework author, against a hub that is a process of its own: submit, sign,
//! verify.

#![cfg(test)]

mod alone;
mod audits;
mod fake;
mod hub;
mod issuer;
mod logs;
mod oidc;
mod proofs;
mod restraint;
mod signed;
mod submit;
mod verified;
mod verify;
mod witness;
