use assay_formats::eee::record::{
    Details, Engine, EvaluationResult, GenerationArgs, GenerationConfig, Library, ModelInfo,
    Record, ScoreDetails, SourceData, SourceMetadata, Uncertainty,
};

use super::super::Options;
use super::metrics;
use super::results::{Results, RunResult};
use super::run_spec::RunSpec;
use super::scores::PerInstance;
use super::survey::Survey;

/// Everything of a run but its rows.
pub(super) struct Run<'a> {
    pub(super) options: &'a Options,
    pub(super) spec: &'a RunSpec,
    pub(super) results: &'a Results,
    pub(super) per_instance: &'a PerInstance,
    pub(super) survey: &'a Survey,
}

impl Run<'_> {
    /// The model as `developer/model`.
    pub(super) fn model_id(&self) -> &str {
        let named = self.spec.model.as_deref().or(self.survey.model.as_deref());
        named.or(self.deployment()).unwrap_or("unknown")
    }

    fn deployment(&self) -> Option<&str> {
        let spec = self.spec.deployment.as_deref();
        spec.or(self.survey.deployment.as_deref())
    }

    pub(super) fn evaluation_id(&self) -> String {
        format!(
            "{}/{}/{}",
            self.spec.dataset,
            self.model_id().replace('/', "_"),
            self.survey.first.unwrap_or_default()
        )
    }

    /// The record without its samples.
    pub(super) fn record(&self) -> Record {
        let options = self.options;
        let retrieved = options
            .retrieved_timestamp
            .clone()
            .unwrap_or_else(|| self.survey.last.unwrap_or_default().to_string());
        let library = Library {
            name: options
                .library_name
                .clone()
                .unwrap_or_else(|| "helm".to_owned()),
            // HELM does not write its version into a run.
            version: options
                .library_version
                .clone()
                .unwrap_or_else(|| "unknown".to_owned()),
            additional_details: Details::new(),
        };
        let mut record = Record::new(
            self.evaluation_id(),
            retrieved,
            self.source_metadata(),
            library,
            self.model_info(),
        );
        record.evaluation_timestamp = self.survey.first.map(|time| time.to_string());
        record.evaluation_results = self
            .results
            .list
            .iter()
            .map(|result| self.result(result))
            .collect();
        record
    }

    fn source_metadata(&self) -> SourceMetadata {
        let options = self.options;
        let name = options.source_name.as_deref().unwrap_or("HELM");
        SourceMetadata {
            source_name: Some(name.to_owned()),
            source_type: "evaluation_run",
            source_organization_name: options.organization.clone(),
            source_organization_url: options.organization_url.clone(),
            source_organization_logo_url: options.organization_logo_url.clone(),
            evaluator_relationship: options.relationship.as_str(),
            additional_details: Details::new(),
        }
    }

    fn model_info(&self) -> ModelInfo {
        let id = self.model_id();
        let mut info = ModelInfo::new(id.to_owned(), id.to_owned());
        info.developer = id
            .split_once('/')
            .map(|(developer, _)| developer.to_owned());
        info.inference_platform = self
            .deployment()
            .and_then(|deployment| deployment.split_once('/'))
            .map(|(platform, _)| platform.to_owned());
        let engine = Engine {
            name: self.options.inference_engine.clone(),
            version: self.options.inference_engine_version.clone(),
        };
        info.inference_engine =
            (engine.name.is_some() || engine.version.is_some()).then_some(engine);
        info
    }

    fn result(&self, result: &RunResult) -> EvaluationResult {
        EvaluationResult {
            evaluation_result_id: result.id.clone(),
            evaluation_name: self.spec.dataset.clone(),
            source_data: SourceData::HfDataset {
                dataset_name: self.spec.dataset.clone(),
                hf_repo: None,
                hf_split: None,
                samples_number: Some(self.per_instance.instances()),
                sample_ids: Vec::new(),
                additional_details: self.spec.scenario.clone(),
            },
            evaluation_timestamp: self.survey.first.map(|time| time.to_string()),
            metric_config: metrics::config(&result.name.name, result.score),
            score_details: self.score_details(result),
            generation_config: Some(self.generation_config()),
        }
    }

    fn score_details(&self, result: &RunResult) -> ScoreDetails {
        let perturbation = result.name.perturbation.as_ref();
        let known = [
            ("num_train_trials", result.trials.clone()),
            (
                "stddev_across_train_trials",
                result.stddev_across_trials.clone(),
            ),
            ("split", result.name.split.clone()),
            ("sub_split", result.name.sub_split.clone()),
            ("perturbation", perturbation.map(|own| own.name.clone())),
            (
                "computed_on",
                perturbation.map(|own| own.computed_on.as_str().to_owned()),
            ),
        ];
        let num_samples = self.per_instance.samples_of(&result.name, self.results);
        ScoreDetails {
            score: result.score,
            details: known
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?)))
                .collect(),
            uncertainty: num_samples.map(|count| Uncertainty {
                num_samples: Some(count),
                ..Uncertainty::default()
            }),
        }
    }

    fn generation_config(&self) -> GenerationConfig {
        let asked = self.survey.generation.clone().or(&self.spec.generation);
        GenerationConfig {
            generation_args: Some(GenerationArgs {
                temperature: asked.temperature,
                top_p: asked.top_p,
                top_k: asked.top_k,
                max_tokens: asked.max_tokens,
                reasoning: Some(self.survey.reasoning),
                ..GenerationArgs::default()
            }),
            additional_details: asked.details,
        }
    }
}
