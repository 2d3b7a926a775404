//! The issuer through the router of a whole hub: real keys, a pretended identity provider on this
//! machine, real logs.

mod abuse;
mod alone;
mod exchange;
mod issue;
mod keys;
mod provider;
mod publish;
mod scene;
