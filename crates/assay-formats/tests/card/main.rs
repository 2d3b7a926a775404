//! Cards as people write them, and as nobody should.

#![cfg(test)]

mod clients;
mod hostile;
mod legacy;
mod reading;
