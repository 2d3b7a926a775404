//! The one builder of records: what every harness says of a run, together with what a person says.

pub use assay_formats::eee::SETUP_KEYS;
use assay_formats::eee::record::{
    Details, Engine, EvaluationResult, GenerationConfig, Library, ModelInfo, Record, SourceMetadata,
};
use assay_model::Setup;

use super::metric::{apply_said, is_called};
use super::{Harness, Options};

/// The word for something that is not known.
pub(super) const UNKNOWN: &str = "unknown";
/// The time of a log that does not say when it was made.
const NO_TIME: &str = "0";
/// The detail with the state of a run that did not finish, or not well.
pub const RUN_STATUS: &str = "run_status";
/// The longest value of a setup, in bytes; a longer one is known by its digest.
const MAX_SETUP_VALUE: usize = 200;

/// The run of one model on one task, as its log tells it.
#[derive(Debug)]
pub(super) struct Run {
    /// The harness.
    pub(super) harness: Harness,
    /// Its version.
    pub(super) version: Option<String>,
    /// Other facts of the harness.
    pub(super) library_details: Details,
    /// `evaluation_run` or `documentation`.
    pub(super) source_type: &'static str,
    /// Other facts of the source, such as the ids of the run.
    pub(super) source_details: Details,
    /// The model.
    pub(super) model: ModelInfo,
    /// The beginning of the run, as Unix seconds.
    pub(super) started: Option<String>,
    /// The end of the run.
    pub(super) ended: Option<String>,
    /// The progress of the run.
    pub(super) progress: RunProgress,
    /// The setup that tells this run from others of the same model and task.
    pub(super) setup: Setup,
}

impl Run {
    /// A run of which only harness and model are known.
    pub(super) fn new(harness: Harness, model: ModelInfo) -> Self {
        Self {
            harness,
            version: None,
            library_details: Details::new(),
            source_type: "evaluation_run",
            source_details: Details::new(),
            model,
            started: None,
            ended: None,
            progress: RunProgress::default(),
            setup: Setup::default(),
        }
    }

    /// Makes the record. What a person says wins over what the log says.
    pub(super) fn record(
        mut self,
        options: &Options,
        evaluation_id: String,
        mut results: Vec<EvaluationResult>,
    ) -> Record {
        if let Some(supplement) = &options.supplement {
            supplement.apply(&mut self.model, &mut results);
        }
        for result in &mut results {
            for said in &options.metrics {
                if is_called(&result.metric_config, &said.name) {
                    apply_said(&mut result.metric_config, said);
                }
            }
            add_setup(&self.setup, &mut result.generation_config);
        }
        let unbounded = results
            .iter()
            .filter(|result| result.metric_config.max_score.is_none())
            .count();
        let mut source_details = self.source_details;
        if unbounded > 0 {
            source_details.insert(
                "metrics_with_unknown_bounds".to_owned(),
                unbounded.to_string(),
            );
        }
        self.progress.write(&mut source_details);
        let info = self.harness.info();
        let source = SourceMetadata {
            source_name: Some(or_default(options.source_name.as_deref(), info.source_name)),
            source_type: self.source_type,
            source_organization_name: options.organization.clone(),
            source_organization_url: options.organization_url.clone(),
            source_organization_logo_url: options.organization_logo_url.clone(),
            evaluator_relationship: options.relationship.as_str(),
            additional_details: source_details,
        };
        let version = options.library_version.clone().or(self.version);
        let library = Library {
            name: or_default(options.library_name.as_deref(), info.library),
            version: version
                .filter(|version| !version.trim().is_empty())
                .unwrap_or_else(|| UNKNOWN.to_owned()),
            additional_details: self.library_details,
        };
        let retrieved = options
            .retrieved_timestamp
            .clone()
            .or_else(|| self.ended.clone())
            .or_else(|| self.started.clone())
            .unwrap_or_else(|| NO_TIME.to_owned());
        let model = said_model(self.model, options);
        let mut record = Record::new(evaluation_id, retrieved, source, library, model);
        record.evaluation_timestamp = self.started;
        record.evaluation_results = results;
        record
    }
}

fn or_default(said: Option<&str>, default: &str) -> String {
    said.unwrap_or(default).to_owned()
}

/// Returns the id that a record gives a model: the one that a person says, or that of the log.
pub(super) fn model_id(own: &ModelInfo, options: &Options) -> String {
    said_model(own.clone(), options).id
}

/// Names the maker and the model as a person says. A developer alone replaces that of the log.
fn said_model(mut model: ModelInfo, options: &Options) -> ModelInfo {
    if let Some(id) = &options.model {
        model.id.clone_from(id);
        model.developer = id.split_once('/').map(|(maker, _)| maker.to_owned());
    }
    if let Some(developer) = &options.developer {
        if options.model.is_none() {
            let name = model
                .id
                .split_once('/')
                .map_or(&*model.id, |(_, name)| name);
            model.id = format!("{developer}/{name}");
        }
        model.developer = Some(developer.clone());
    }
    let details = [
        ("deployment_type", &options.deployment),
        ("model_availability", &options.availability),
    ];
    for (key, said) in details {
        if let Some(said) = said {
            model
                .additional_details
                .insert(key.to_owned(), said.clone());
        }
    }
    if options.inference_engine.is_some() || options.inference_engine_version.is_some() {
        let own = model.inference_engine.take();
        // A version of one engine says nothing of another.
        let own = own.filter(|own| {
            options.inference_engine.is_none() || own.name == options.inference_engine
        });
        let (name, version) = own.map_or((None, None), |own| (own.name, own.version));
        model.inference_engine = Some(Engine {
            name: options.inference_engine.clone().or(name),
            version: options.inference_engine_version.clone().or(version),
        });
    }
    model
}

/// Writes the setup among the details of the generation, and which of them it is.
fn add_setup(setup: &Setup, generation: &mut Option<GenerationConfig>) {
    if setup.is_empty() {
        return;
    }
    let details = &mut generation
        .get_or_insert_with(GenerationConfig::default)
        .additional_details;
    let mut keys: Vec<String> = match details.get(SETUP_KEYS) {
        Some(keys) => keys.split(',').map(str::to_owned).collect(),
        None => Vec::new(),
    };
    for (key, value) in setup {
        details.insert(key.clone(), value.clone());
        keys.push(key.clone());
    }
    details.insert(SETUP_KEYS.to_owned(), keys.join(","));
}

/// Adds a value to a setup. What is long, such as the arguments of an agent, is known by its
/// digest.
pub(super) fn insert_setup(setup: &mut Setup, key: &str, value: &str) {
    if value.len() <= MAX_SETUP_VALUE {
        setup.insert(key, value);
        return;
    }
    setup.insert(key, &format!("sha256:{}", super::identity::digest(value)));
}

/// The progress of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RunProgress {
    /// The status of the run, where the log has it: `success`, `cancelled`, `error`, `started`.
    pub(super) status: Option<String>,
    /// Number of samples that it was to evaluate, epochs counted.
    pub(super) planned: Option<u64>,
    /// The number of completed samples.
    pub(super) completed: Option<u64>,
    /// The number of scored samples.
    pub(super) scored: Option<u64>,
    /// The number of failed samples.
    pub(super) failed: Option<u64>,
}

impl RunProgress {
    /// Returns whether the scores of the run are not those of all samples it was to evaluate.
    pub(super) fn is_incomplete(&self) -> bool {
        let stopped = self.status.as_deref().is_some_and(|own| own != "success");
        let short = matches!((self.completed, self.planned), (Some(done), Some(all)) if done < all);
        stopped || short || self.failed.is_some_and(|failed| failed > 0)
    }

    /// Says in words what is missing from an incomplete run.
    pub(super) fn words(&self) -> String {
        let mut words = vec![format!(
            "the run is incomplete: status `{}`",
            self.status.as_deref().unwrap_or(UNKNOWN)
        )];
        if let (Some(done), Some(all)) = (self.completed, self.planned) {
            words.push(format!("{done} of {all} samples completed"));
        }
        if let Some(failed) = self.failed.filter(|failed| *failed > 0) {
            words.push(format!("{failed} failed"));
        }
        words.join(", ")
    }

    fn write(&self, details: &mut Details) {
        let count = |count: Option<u64>| count.map(|count| count.to_string());
        let state = if self.is_incomplete() {
            Some(format!(
                "incomplete: {}",
                self.status.as_deref().unwrap_or(UNKNOWN)
            ))
        } else {
            self.status.clone()
        };
        let facts = [
            (RUN_STATUS, state),
            ("samples_planned", count(self.planned)),
            ("samples_completed", count(self.completed)),
            ("samples_scored", count(self.scored)),
            ("samples_failed", count(self.failed)),
        ];
        for (key, value) in facts {
            details.extend(value.map(|value| (key.to_owned(), value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        let mut model = ModelInfo::new("m".to_owned(), "acme/m".to_owned());
        model.inference_engine = Some(Engine {
            name: Some("vllm".to_owned()),
            version: Some("0.9".to_owned()),
        });
        Run {
            version: Some("1.0".to_owned()),
            ..Run::new(Harness::LmEval, model)
        }
    }

    #[test]
    fn what_a_person_says_wins_over_the_log_for_every_harness() {
        for harness in Harness::ALL {
            let options = Options {
                library_name: Some("mine".to_owned()),
                library_version: Some("2.0".to_owned()),
                inference_engine: Some("sglang".to_owned()),
                model: Some("org/other".to_owned()),
                deployment: Some("api".to_owned()),
                ..Options::default()
            };

            let run = Run { harness, ..run() };
            let record = run.record(&options, "e".to_owned(), Vec::new());

            assert_eq!(record.eval_library.name, "mine");
            assert_eq!(record.eval_library.version, "2.0");
            assert_eq!(record.model_info.id, "org/other");
            assert_eq!(record.model_info.name, "m");
            let engine = record.model_info.inference_engine.unwrap();
            assert_eq!(
                (engine.name.as_deref(), engine.version),
                (Some("sglang"), None)
            );
            let details = record.model_info.additional_details;
            assert_eq!(details["deployment_type"], "api");
        }
    }

    #[test]
    fn a_developer_alone_replaces_that_of_the_log() {
        let options = Options {
            developer: Some("meta".to_owned()),
            ..Options::default()
        };

        assert_eq!(model_id(&run().model, &options), "meta/m");
    }

    #[test]
    fn a_run_is_complete_when_all_samples_were_and_none_failed() {
        let progress = |status: &str, completed, failed| RunProgress {
            status: Some(status.to_owned()),
            planned: Some(8),
            completed: Some(completed),
            scored: None,
            failed: Some(failed),
        };
        for (own, expected) in [
            (progress("success", 8, 0), false),
            (progress("success", 6, 2), true),
            (progress("cancelled", 5, 0), true),
            (progress("started", 8, 0), true),
            (RunProgress::default(), false),
        ] {
            assert_eq!(own.is_incomplete(), expected, "{own:?}");
        }
        assert_eq!(
            progress("cancelled", 5, 0).words(),
            "the run is incomplete: status `cancelled`, 5 of 8 samples completed"
        );
    }

    #[test]
    fn the_setup_stands_in_every_result_and_says_what_it_is() {
        let mut generation = None;
        let setup: Setup = [("shots", "5"), ("filter", "strict")].into_iter().collect();

        add_setup(&setup, &mut generation);

        let details = generation.unwrap().additional_details;
        assert_eq!(details["shots"], "5");
        assert_eq!(details[SETUP_KEYS], "filter,shots");
    }
}
