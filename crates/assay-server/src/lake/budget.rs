//! The budget of a query, by caller.

use assay_formats::lake_api::Budget;

/// Somebody whom nobody knows.
pub(crate) const ANONYMOUS: Budget = Budget {
    seconds: 10,
    memory: 256 << 20,
    rows: 10_000,
    bytes: 16 << 20,
};

/// Somebody with an account.
pub(crate) const SIGNED_IN: Budget = Budget {
    seconds: 60,
    memory: 512 << 20,
    rows: 100_000,
    bytes: 128 << 20,
};

/// A page, which asks several questions and shows little of the answers.
pub(crate) const PAGE: Budget = Budget {
    seconds: 10,
    memory: 512 << 20,
    rows: 2_000,
    bytes: 8 << 20,
};

/// A table as a whole. It is sent as it is read, so it has time and no end of rows.
pub(crate) const DOWNLOAD: Budget = Budget {
    seconds: 1_800,
    memory: 256 << 20,
    rows: usize::MAX,
    bytes: u64::MAX,
};
