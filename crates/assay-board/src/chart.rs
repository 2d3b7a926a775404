//! What charts show, without a pixel: where an axis begins and ends, which points set a record, which are beaten by none.

mod axis;
mod frontier;
mod record;

pub use axis::Axis;
pub use frontier::frontier;
pub use record::records;
