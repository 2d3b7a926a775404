//! The program as operators run it: killed at any moment, beside other processes, and pushed to by many at once.

#![cfg(test)]

mod chaos;
mod checks;
mod client;
mod faults;
mod git;
mod hostile;
mod imports;
mod issuance;
mod kills;
mod load;
mod logged;
mod migrations;
mod neighbours;
mod packs;
mod random;
mod server;
mod several;
mod turns;
