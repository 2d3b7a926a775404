//! What a framework author runs, against a hub that is a process of its own: submit, sign, verify.

#![cfg(test)]

mod fake;
mod hub;
mod issuer;
mod logs;
mod proofs;
mod signed;
mod submit;
mod verified;
mod verify;
