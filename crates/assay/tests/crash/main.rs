//! The program as operators run it: killed at any moment, beside other processes, and pushed to by
//! many at once.

#![cfg(test)]

mod backups;
mod bucket;
mod chaos;
mod checks;
mod client;
#[cfg(target_os = "linux")]
mod crowds;
mod damaged_backups;
mod faults;
#[cfg(target_os = "linux")]
mod full_disk;
mod git;
mod hostile;
mod imports;
mod issuance;
mod keeping;
mod kills;
mod load;
mod logged;
mod migrations;
mod neighbours;
mod outbox;
mod packs;
mod restored;
mod server;
mod several;
mod turns;
