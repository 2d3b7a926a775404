//! Samples on their way from rows of a file to the columns of two tables.

mod block;
mod columns;
mod hash;
mod instances;
mod lane;
mod messages;
mod order;
mod question;
#[cfg(test)]
mod tests;

pub(crate) use self::block::{Block, NUMBERS, Part, Piece, Sample, Score};
pub(crate) use self::instances::Instances;
pub(crate) use self::messages::Messages;
pub(crate) use self::question::{Asked, Questions};
