use crate::{Date, MetricId, Number, Provenance, RepoId, Revision, Setup, TaskId, ValueType};

/// One run in a result file: which benchmark and task, which scores, and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The benchmark.
    pub dataset: RepoId,
    /// The task of the benchmark.
    pub task: TaskId,
    /// The commit of the benchmark.
    pub dataset_revision: Option<Revision>,
    /// The commit of the model.
    pub model_revision: Option<Revision>,
    /// The scores, in the order listed.
    pub scores: Vec<Score>,
    /// What ran the evaluation.
    pub framework: Option<Framework>,
    /// The signed token, unread.
    pub token: Option<String>,
    /// Where the scores are published.
    pub source: Option<Source>,
    /// When the evaluation ran.
    pub date: Option<Date>,
    /// The setup in words.
    pub notes: Option<String>,
    /// The subset of the benchmark, where one repository holds several.
    pub subset: Option<String>,
    /// How many samples were evaluated.
    pub sample_size: Option<u64>,
    /// How texts were normalised before they were compared.
    pub normalization: Option<String>,
    /// What the entry says of its setup beside the fields above; [`Entry::full_setup`] has all of it.
    pub setup: Setup,
    /// Who ran it, when it became known, and what it cost.
    pub provenance: Provenance,
}

impl Entry {
    /// All that has to be equal for two scores to be of one setup: what is listed, and what has a field of its own.
    pub fn full_setup(&self) -> Setup {
        let mut setup = self.setup.clone();
        let framework = self.framework.as_ref().and_then(|own| own.name.as_deref());
        let fields = [
            (Setup::FRAMEWORK, framework),
            (Setup::SUBSET, self.subset.as_deref()),
            (Setup::NORMALIZATION, self.normalization.as_deref()),
            (
                Setup::DATASET_REVISION,
                self.dataset_revision.as_ref().map(Revision::as_str),
            ),
        ];
        for (key, value) in fields {
            if let Some(value) = value {
                setup.insert(key, value);
            }
        }
        setup
    }
}

/// One metric value.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The metric; none for the single `value` of the live dialect, which stands for the primary metric.
    pub metric: Option<MetricId>,
    /// The value.
    pub value: Number,
    /// The value as it was written: `20.90` shows how many digits the author meant to give.
    pub literal: String,
    /// The subset it applies to.
    pub slice: Option<String>,
    /// What kind of number it is, when that is declared.
    pub value_type: Option<ValueType>,
    /// How many samples it was computed from.
    pub sample_size: Option<u64>,
    /// How uncertain it is, as far as the entry says.
    pub uncertainty: StatedUncertainty,
}

/// What an entry says of how uncertain a score is, in the unit of the score.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StatedUncertainty {
    /// The standard error.
    pub standard_error: Option<Number>,
    /// The ends of an interval.
    pub interval: Option<StatedInterval>,
    /// How error or interval were made, in words.
    pub method: Option<String>,
}

/// An interval that an entry gives for a score.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedInterval {
    /// The lower end.
    pub low: Number,
    /// The upper end.
    pub high: Number,
    /// The confidence, such as 0.95; that where none is given.
    pub level: Option<Number>,
}

/// What ran the evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Framework {
    /// Such as `inspect-ai`.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The command line.
    pub command: Option<String>,
}

/// Where the scores are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The address.
    pub url: String,
    /// The name for people.
    pub name: Option<String>,
    /// The user that the live dialect credits.
    pub user: Option<String>,
    /// The organisation that the live dialect credits.
    pub org: Option<String>,
}
