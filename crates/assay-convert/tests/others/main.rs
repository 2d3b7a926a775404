//! lighteval, AlpacaEval, and telling whose log a file is: judged by what comes out.
#![cfg(test)]

mod alpaca_eval;
mod corpus;
mod detect;
mod hostile;
mod lighteval;
mod world;
