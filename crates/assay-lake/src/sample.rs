//! Samples on their way from rows of a file to the columns of two tables.

mod block;
mod hash;
mod instances;
mod lane;
mod messages;
mod order;
mod question;
mod samples;
mod sequence;
#[cfg(test)]
mod tests;
mod waiting;

pub(crate) use self::block::{Block, Part, Piece};
pub(crate) use self::question::{Asked, Questions};
pub(crate) use self::samples::Sample;
pub(crate) use self::waiting::Waiting;
