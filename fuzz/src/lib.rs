//! Arbitrary bytes against every parser of Assay, on the stable toolchain.
//!
//! Each target runs for a moment with the other tests and for longer with `ASSAY_FUZZ_SECONDS=60
//! cargo test --release -p assay-fuzz`. Inputs are raw bytes, or a file of `corpus/<target>` with
//! changes; an input that once broke something stays in that directory for ever.

#[cfg(test)]
mod harness;
#[cfg(test)]
mod targets;
