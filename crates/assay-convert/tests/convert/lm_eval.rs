//! Logs of lm-evaluation-harness judged by what becomes of them: by the rules of the judge, by the
//! published schemas, and against the reference.

mod corpus;
mod fixtures;
mod golden;
mod hostile;
mod records;
mod rows;
mod runs;
mod support;
mod throughput;
