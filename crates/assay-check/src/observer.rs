//! Samples are read once: whoever wants their rows observes validation.

use assay_formats::Value;
use assay_formats::rows::Algorithm;

/// Takes the rows of samples in while they are validated, so that the very bytes that were
/// validated are taken in, and nobody reads them a second time. Whether they break rules is known
/// only when all reports are there: what was made of them until then must be easy to throw away.
pub trait SampleObserver: Sync {
    /// The state of the samples of one record so far, shared between threads.
    type Samples: Sync;
    /// The outcome of the rows of one block.
    type Block: Send;

    /// The samples of a record begin; `None` when nobody wants them.
    fn begin(&self, path: &str, record: Value<'_>) -> Option<Self::Samples>;

    /// A block begins.
    fn block(&self, samples: &Self::Samples) -> Self::Block;

    /// A row that can be read, and the line it stands on.
    fn row(&self, samples: &Self::Samples, block: &mut Self::Block, row: Value<'_>, line: u64);

    /// A block is complete. Blocks come one at a time, in the order of the file.
    fn add(&self, samples: &Self::Samples, block: Self::Block);

    /// The samples were read to their end, and they and their record were validated.
    fn end(&self, path: &str, samples: Self::Samples, read: &ReadSamples);
}

/// The outcome of reading a samples file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadSamples {
    /// Number of rows that it has.
    pub rows: u64,
    /// The digest that its record asks for, in hexadecimal.
    pub digest: String,
    /// The algorithm of the digest.
    pub algorithm: Algorithm,
    /// True if they or their record break rules. Rules about several files are applied later.
    pub has_errors: bool,
}

/// Nobody follows.
pub(crate) struct NoObserver;

impl SampleObserver for NoObserver {
    type Samples = ();
    type Block = ();

    fn begin(&self, _path: &str, _record: Value<'_>) -> Option<()> {
        None
    }

    fn block(&self, (): &()) {}

    fn row(&self, (): &(), (): &mut (), _row: Value<'_>, _line: u64) {}

    fn add(&self, (): &(), (): ()) {}

    fn end(&self, _path: &str, (): (), _read: &ReadSamples) {}
}
