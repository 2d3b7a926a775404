//! lighteval, AlpacaEval, and telling whose log a file is: judged by what comes out.

mod alpaca_eval;
mod corpus;
mod detect;
mod hostile;
pub(crate) mod lighteval;
mod lighteval_run;
