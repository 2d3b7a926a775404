//! The smaller harnesses, and telling whose log a file is: judged by what comes out.

mod alpaca_eval;
mod bigcode;
mod corpus;
mod deepeval;
mod detect;
mod evalplus;
mod harbor;
mod hostile;
pub(crate) mod lighteval;
mod lighteval_run;
mod mteb;
mod opencompass;
mod promptfoo;
mod simple_evals;
mod swe_bench;
mod verifiers;
