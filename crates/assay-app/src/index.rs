//! A stand-in until the index is there.

use std::collections::BTreeSet;

use assay_model::{RepoKey, RepoKind};
use assay_store::Tx;

use crate::error::Error;
use crate::hub::Hub;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) boards: BTreeSet<String>,
    pub(crate) models: BTreeSet<RepoKey>,
    pub(crate) datasets: BTreeSet<RepoKey>,
}

impl Touched {
    pub(crate) fn merge(&mut self, other: Self) {
        self.boards.extend(other.boards);
        self.models.extend(other.models);
        self.datasets.extend(other.datasets);
    }
}

#[expect(clippy::unused_async, reason = "a stand-in")]
pub(crate) async fn index_repository(
    _hub: &Hub,
    _tx: &mut Tx,
    _key: RepoKey,
) -> Result<Touched, Error> {
    Ok(Touched::default())
}

#[expect(clippy::unused_async, reason = "a stand-in")]
pub(crate) async fn touched_by(
    _tx: &mut Tx,
    _key: RepoKey,
    _kind: RepoKind,
) -> Result<Touched, Error> {
    Ok(Touched::default())
}

impl Hub {
    pub(crate) fn touch(&self, _touched: &Touched) {}
}
