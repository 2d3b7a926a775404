//! lighteval, AlpacaEval, and telling whose log a file is: judged by what comes out.

mod alpaca_eval;
mod corpus;
mod detect;
mod hostile;
mod lighteval;
mod lighteval_run;
