//! Ranking: policies, ties, statistics; pure.
