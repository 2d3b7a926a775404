//! Arbitrary bytes against every parser of Assay.
