//! Boards as a caller sees them: results in, ranks out.

#![cfg(test)]

mod changes;
mod charts;
mod clustered;
mod estimates;
mod joint_ranks;
mod mean;
mod paired;
mod paired_coverage;
mod policies;
mod properties;
mod rank_intervals;
mod rankable_results;
mod ranks;
mod simulated;
