//! The program as operators run it: killed at any moment, beside other processes, and pushed to by many at once.

#![cfg(test)]

mod backups;
mod bucket;
mod checks;
mod client;
mod damaged_backups;
mod git;
mod imports;
mod issuance;
mod kills;
mod load;
mod logged;
mod migrations;
mod neighbours;
mod random;
mod restored;
mod server;
mod several;
mod turns;
