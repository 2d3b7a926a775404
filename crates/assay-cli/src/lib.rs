//! The parts that our command lines share: exit codes, the printer and the search for files.

mod exit;
mod printer;
mod search;

pub use exit::Exit;
pub use printer::{Printer, complain};
pub use search::{Argument, Descent, Visitor, has_ending, search};
