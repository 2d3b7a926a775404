//! Runs of HELM, judged by what comes out: by the rules of the judge, by the published schemas, by
//! the records that the reference makes of the same runs, and by what each run really says.

mod corpus;
mod golden;
mod hostile;
mod juries;
mod large;
mod made_up;
mod run;
mod runs;
mod store;
