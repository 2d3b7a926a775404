//! lighteval, AlpacaEval, and telling whose log a file is: judged by what comes out.
#![cfg(test)]

mod alpaca_eval;
mod corpus;
mod detect;
mod hostile;
#[path = "../support/judge.rs"]
mod judge;
mod lighteval;
mod lighteval_run;
mod world;
