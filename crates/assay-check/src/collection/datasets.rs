//! Results whose data are called otherwise than those of the same evaluation.

use super::{CollectionFinding, RecordSummary};

/// The fewest results of one evaluation that tell which data it is of.
const ENOUGH_RESULTS: usize = 10;
/// The share of them that has to be of one dataset, in per cent.
const MOST: usize = 95;

/// A result, by its evaluation and its dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    name: u64,
    dataset: u64,
    record: usize,
    result: usize,
}

pub(super) fn find(summaries: &[Option<RecordSummary>], findings: &mut [Vec<CollectionFinding>]) {
    let mut rows: Vec<Row> = Vec::new();
    for (record, summary) in summaries.iter().enumerate() {
        let results = summary.iter().flat_map(|summary| &summary.results);
        rows.extend(results.filter_map(|result| {
            Some(Row {
                name: result.name,
                dataset: result.dataset?,
                record,
                result: result.number,
            })
        }));
    }
    rows.sort_unstable();
    for named in rows.chunk_by(|one, other| one.name == other.name) {
        let usual = named
            .chunk_by(|one, other| one.dataset == other.dataset)
            .max_by_key(|run| run.len())
            .unwrap_or_default();
        let same = usual.len();
        if same < ENOUGH_RESULTS || same * 100 < named.len() * MOST {
            continue;
        }
        for row in named.iter().filter(|row| row.dataset != usual[0].dataset) {
            findings[row.record].push(CollectionFinding::OtherDataset {
                result: row.result,
                same,
                other: named.len() - same,
            });
        }
    }
}
