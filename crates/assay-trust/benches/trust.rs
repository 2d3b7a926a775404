//! What signed evidence costs: `cargo bench -p assay-trust --bench trust`. Figures are compared within one run, as ratios.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]
#![expect(clippy::unwrap_used, reason = "what is measured here is made here")]

#[path = "trust/verify.rs"]
mod verify;

fn main() {
    verify::run();
}
