use assay_model::{
    Benchmark, Date, Entry, Framework, KnownFramework, Metric, MetricId, Number, Revision, Score,
    Setup, Source, ValueType,
};

use super::{Candidate, Choice, Chosen, NoEntry, Question};

/// The word of a record for something that is not known.
const UNKNOWN: &str = "unknown";
/// The units of a share of one, as records and benchmarks spell them.
const SHARES: [&str; 4] = ["proportion", "fraction", "ratio", "share"];
/// The units of a share of a hundred.
const PERCENT: [&str; 4] = ["percentage", "percent", "pct", "%"];

/// The setup key of a run that did not finish, or not well.
const INCOMPLETE_RUN: &str = "incomplete_run";

/// Facts of an entry that a person gives and no log has.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// The address at which the scores or logs are published.
    pub source_url: Option<&'a str>,
    /// The name of that source.
    pub source_name: Option<&'a str>,
    /// The setup in words.
    pub notes: Option<&'a str>,
    /// The framework, when it is not to go by its own name.
    pub framework: Option<&'a str>,
    /// The version of the framework, whatever the log says.
    pub framework_version: Option<&'a str>,
    /// The command line that ran the evaluation.
    pub command: Option<&'a str>,
    /// The commit of the model.
    pub model_revision: Option<&'a Revision>,
    /// The commit of the benchmark.
    pub dataset_revision: Option<&'a Revision>,
    /// True if a run that is not complete may become an entry.
    pub allow_incomplete: bool,
}

/// Remarks for the person who submits an entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Changes that were made on the way.
    pub changes: Vec<String>,
    /// Suspicions.
    pub warnings: Vec<String>,
}

/// Builds the entry, with remarks on what was changed on the way and on what looks wrong.
pub fn entry(
    choice: &Choice<'_>,
    chosen: &Chosen<'_>,
    about: About<'_>,
) -> Result<(Entry, Remarks), NoEntry> {
    let mut remarks = Remarks::default();
    let sizes: Vec<Option<u64>> = chosen
        .scores
        .iter()
        .map(|(_, score)| score.sample_size)
        .collect();
    let shared = sizes.first().copied().flatten();
    let shared = shared.filter(|size| sizes.iter().all(|own| *own == Some(*size)));
    let mut scores = Vec::new();
    for (metric, candidate) in &chosen.scores {
        let definition = choice
            .definition
            .and_then(|own| own.metric(metric.as_str()));
        let value = scaled(metric, candidate, definition, &mut remarks)?;
        scores.push(Score {
            metric: (metric.as_str() != Benchmark::ANONYMOUS_METRIC).then(|| metric.clone()),
            value,
            literal: value.to_literal(),
            slice: None,
            value_type: None,
            sample_size: if shared.is_none() {
                candidate.sample_size
            } else {
                None
            },
            uncertainty: assay_model::StatedUncertainty::default(),
            context: None,
        });
    }
    let run = chosen.scores.first().map(|(_, candidate)| *candidate);
    let mut setup = shared_setup(chosen);
    if let Some((run, missing)) = run.and_then(|run| Some((run, run.incomplete.as_deref()?))) {
        if !about.allow_incomplete {
            let reason = format!(
                "{}: the run is incomplete ({missing}), so its scores are not those of the benchmark; finish it",
                run.log
            );
            return Err(NoEntry::asks(reason, Question::Incomplete));
        }
        setup.insert(INCOMPLETE_RUN, missing);
        remarks.warnings.push(format!(
            "the run is incomplete ({missing}); the entry says so in its setup"
        ));
    }
    // A commit of a model of another name says nothing of this one.
    let logged = run
        .filter(|run| run.model.iter().any(|name| name == choice.model.as_str()))
        .and_then(|run| run.model_revision.clone());
    let entry = Entry {
        dataset: choice.benchmark.clone(),
        task: choice.task.clone(),
        dataset_revision: about.dataset_revision.cloned(),
        model_revision: about.model_revision.cloned().or(logged),
        scores,
        framework: run.and_then(|run| framework(run, about)),
        token: None,
        source: source(about)?,
        date: run.and_then(|run| date(run.timestamp.as_deref()?)),
        notes: about.notes.map(str::to_owned),
        subset: None,
        sample_size: shared,
        normalization: None,
        setup,
        provenance: assay_model::Provenance::default(),
    };
    Ok((entry, remarks))
}

/// The score in the scale of the benchmark. It is changed only where both say which scale theirs
/// is.
fn scaled(
    metric: &MetricId,
    candidate: &Candidate,
    definition: Option<&Metric>,
    remarks: &mut Remarks,
) -> Result<Number, NoEntry> {
    let score = candidate.score;
    let own = candidate.unit.as_deref().and_then(Scale::of_unit);
    let wanted = definition.and_then(Scale::of_metric);
    let (places, scales) = match (own, wanted) {
        (Some(Scale::One), Some(Scale::Hundred)) => (2, "a share in the log and per cent"),
        (Some(Scale::Hundred), Some(Scale::One)) => (-2, "per cent in the log and a share"),
        (None, Some(wanted)) => {
            remarks.warnings.extend(wanted.doubt(metric, score));
            return Ok(score);
        }
        (Some(Scale::One), Some(Scale::One) | None)
        | (Some(Scale::Hundred), Some(Scale::Hundred) | None)
        | (None, None) => return Ok(score),
    };
    let value = score.shifted(places).ok_or_else(|| {
        NoEntry::new(format!(
            "the score {score} of `{metric}` is too large for the benchmark's unit"
        ))
    })?;
    remarks.changes.push(format!(
        "`{metric}` is {scales} in the benchmark: {score} became {value}"
    ));
    Ok(value)
}

/// The full score of a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    One,
    Hundred,
}

impl Scale {
    fn of_unit(unit: &str) -> Option<Self> {
        let unit = unit.trim().to_lowercase();
        if SHARES.contains(&unit.as_str()) {
            Some(Self::One)
        } else if PERCENT.contains(&unit.as_str()) {
            Some(Self::Hundred)
        } else {
            None
        }
    }

    /// Returns the reason why a score of unknown unit is probably not in this scale.
    fn doubt(self, metric: &MetricId, score: Number) -> Option<String> {
        let (is_odd, wanted) = match self {
            Self::One => (score.get() > 1.0, "a share of one"),
            Self::Hundred => (score.get() > 0.0 && score.get() <= 1.0, "per cent"),
        };
        is_odd.then(|| {
            format!(
                "`{metric}` is {wanted} in the benchmark, and {score} looks like another scale; the log does not say its \
                 unit, so it was kept as it is"
            )
        })
    }

    fn of_metric(metric: &Metric) -> Option<Self> {
        match (&metric.unit, metric.value_type) {
            (Some(unit), _) => Self::of_unit(unit),
            (None, Some(ValueType::Percentage)) => Some(Self::Hundred),
            (None, Some(ValueType::Float | ValueType::Int | ValueType::Rank) | None) => None,
        }
    }
}

/// The setup that all scores of the entry share, as far as a result file can hold it. The framework
/// has a field of its own.
fn shared_setup(chosen: &Chosen<'_>) -> Setup {
    let mut setups = chosen.scores.iter().map(|(_, candidate)| &candidate.setup);
    let Some(first) = setups.next() else {
        return Setup::default();
    };
    let others: Vec<&Setup> = setups.collect();
    first
        .iter()
        .filter(|(key, value)| {
            key.as_str() != Setup::FRAMEWORK
                && value.len() <= Setup::MAX_TEXT
                && others.iter().all(|other| other.get(key) == Some(value))
        })
        .take(Setup::MAX_KEYS - 1)
        .collect()
}

fn framework(run: &Candidate, about: About<'_>) -> Option<Framework> {
    let own = run.harness.map(|harness| harness.info().framework);
    let recorded = Some(run.library_name.as_str()).filter(|name| *name != UNKNOWN);
    let known = recorded.and_then(KnownFramework::find);
    let name = about
        .framework
        .or(own)
        .or_else(|| known.map(|known| known.name).or(recorded))?;
    let version = Some(plain_version(&run.library_version)).filter(|version| *version != UNKNOWN);
    Some(Framework {
        name: Some(name.to_owned()),
        version: about.framework_version.or(version).map(str::to_owned),
        command: about.command.map(str::to_owned),
    })
}

/// The version of a framework. Records of others list packages,
/// `inspect_ai:0.3.285,inspect_evals:0.3.1`, of which the first that is a known framework counts.
fn plain_version(recorded: &str) -> &str {
    let packages = recorded.split(',').filter_map(|part| part.split_once(':'));
    let mut known = packages.filter(|(name, _)| KnownFramework::find(name.trim()).is_some());
    known.next().map_or(recorded, |(_, version)| version.trim())
}

fn source(about: About<'_>) -> Result<Option<Source>, NoEntry> {
    match (about.source_url, about.source_name) {
        (Some(url), name) => Ok(Some(Source {
            url: url.to_owned(),
            name: name.map(str::to_owned),
            user: None,
            org: None,
        })),
        (None, Some(_)) => Err(NoEntry::asks(
            "an entry has a source only with its address".to_owned(),
            Question::SourceUrl,
        )),
        (None, None) => Ok(None),
    }
}

/// Returns the date of the evaluation; a record has it as seconds since 1970 or as a date.
fn date(timestamp: &str) -> Option<Date> {
    if let Ok(date) = timestamp.parse() {
        return Some(date);
    }
    let whole = timestamp
        .split_once('.')
        .map_or(timestamp, |(whole, _)| whole);
    Date::of_unix_seconds(whole.parse().ok()?)
}
