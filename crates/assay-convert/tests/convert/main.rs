//! Logs of all harnesses converted and judged by what comes out: by validation, by the published
//! schemas, by the reference's own output, and by what must never happen.
#![cfg(test)]

mod helm;
mod inspect;
mod judge;
mod kit;
mod lm_eval;
mod others;
mod truth;
mod truth_clean;
mod truth_leaves;
mod truth_left_out;
mod truth_models;
mod truth_runs;
mod truth_secrets;
