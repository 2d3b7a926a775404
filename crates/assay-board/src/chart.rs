//! The content of charts, without a pixel: ends of axes, points that set a record, points that no
//! other beats.

mod axis;
mod frontier;
mod record;

pub use axis::Axis;
pub use frontier::frontier;
pub use record::records;
