use assay_formats::eee::record::{
    EvaluationResult, GenerationArgs, GenerationConfig, LlmScoring, ModelInfo, Record,
    ScoreDetails, SourceData, Uncertainty,
};

use super::super::run::{self, Run, RunProgress};
use super::super::{Harness, Identity, Options};
use super::jury::model_info;
use super::metrics;
use super::results::{Results, RunResult};
use super::run_spec::RunSpec;
use super::scores::PerInstance;
use super::survey::Survey;

/// Everything of a run but its rows.
pub(super) struct HelmRun<'a> {
    pub(super) options: &'a Options,
    pub(super) spec: &'a RunSpec,
    pub(super) results: &'a Results,
    pub(super) per_instance: &'a PerInstance,
    pub(super) survey: &'a Survey,
    /// Names the run.
    pub(super) evaluation_id: String,
}

impl HelmRun<'_> {
    /// The model as `developer/model`.
    pub(super) fn model_id(&self) -> String {
        run::model_id(&self.model_info(), self.options)
    }

    /// The model as HELM names it.
    fn model(&self) -> &str {
        let named = self.spec.model.as_deref().or(self.survey.model.as_deref());
        named.or(self.deployment()).unwrap_or("unknown")
    }

    fn deployment(&self) -> Option<&str> {
        let spec = self.spec.deployment.as_deref();
        spec.or(self.survey.deployment.as_deref())
    }

    /// Names the run by its data, its model, when it began, and its content.
    pub(super) fn name_run(&self, identity: &Identity) -> String {
        let time = self.survey.first.map(|time| time.to_string());
        let model = self.model_id().replace('/', "_");
        identity.evaluation_id(&self.spec.dataset, &model, time.as_deref())
    }

    /// Returns the progress of the run. HELM writes results when all requests were answered; some
    /// of them may have failed.
    pub(super) fn progress(&self) -> RunProgress {
        let requests = self.survey.places.len() as u64;
        RunProgress {
            status: Some("success".to_owned()),
            planned: Some(requests),
            completed: Some(requests.saturating_sub(self.survey.failed)),
            scored: None,
            failed: Some(self.survey.failed),
        }
    }

    /// The record without its samples.
    pub(super) fn record(&self) -> Record {
        let mut run = Run::new(Harness::Helm, self.model_info());
        // HELM does not write its version into a run.
        run.started = self.survey.first.map(|time| time.to_string());
        run.ended = self.survey.last.map(|time| time.to_string());
        run.progress = self.progress();
        run.setup = self.spec.setup.clone();
        let results = self.results.list.iter();
        let results = results.map(|result| self.result(result)).collect();
        run.record(self.options, self.evaluation_id.clone(), results)
    }

    fn model_info(&self) -> ModelInfo {
        model_info(self.model(), self.deployment())
    }

    fn result(&self, result: &RunResult) -> EvaluationResult {
        let mut metric_config = metrics::config(&result.name.name, result.score);
        metric_config.llm_scoring = self.llm_scoring(&result.name.name);
        EvaluationResult {
            evaluation_result_id: result.id.clone(),
            evaluation_name: self.spec.dataset.clone(),
            source_data: self.source_data(),
            evaluation_timestamp: self.survey.first.map(|time| time.to_string()),
            metric_config,
            score_details: self.score_details(result),
            generation_config: Some(self.generation_config()),
        }
    }

    /// Returns the judges of a metric with their first prompt.
    fn llm_scoring(&self, metric: &str) -> Option<LlmScoring> {
        let jury = self.spec.juries.get(metric)?;
        let mut scoring = jury.scoring.clone();
        let mut prompts = self.survey.judge_prompts.iter();
        if let Some(prompt) = prompts.find(|prompt| prompt.asker == jury.annotator) {
            prompt.add_to(&mut scoring);
        }
        Some(scoring)
    }

    /// The data. A scenario makes it out of anything, so nothing says that it is a dataset of the
    /// hub.
    fn source_data(&self) -> SourceData {
        let mut additional_details = self.spec.scenario.clone();
        additional_details.insert(
            "samples_number".to_owned(),
            self.per_instance.instances().to_string(),
        );
        SourceData::Other {
            dataset_name: self.spec.dataset.clone(),
            additional_details,
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
