//! Scenes and data that the tests of several crates share. Nothing here is part of a program:
//! crates use it as a development dependency.

pub mod clock;
pub mod corpus;
pub mod logs;
pub mod python;
pub mod random;
