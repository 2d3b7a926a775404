//! Models that judge answers, as a record has them whatever the harness.

use assay_formats::eee::record::{AggregationMethod, Details, Judge, LlmScoring};

/// The prompt of judges in a log that does not hold it.
pub(super) const UNKNOWN_PROMPT: &str = "unknown";
/// The detail that names the sample whose prompt stands for a template that the log does not hold.
const PROMPT_SAMPLE: &str = "input_prompt_of_sample";
/// The longest prompt that a record keeps, in bytes.
const MAX_PROMPT: usize = 64 << 10;
/// The detail of a judge that judges itself.
const IS_EVALUATED: &str = "judge_is_evaluated_model";

/// The judges of a metric; nothing when there are none. Only of several the way counts in which
/// they become one.
pub(super) fn llm_scoring(
    judges: Vec<Judge>,
    evaluated: Option<&str>,
    prompt: Option<String>,
    aggregation: Option<AggregationMethod>,
) -> Option<LlmScoring> {
    let judges_itself = |judge: &Judge| Some(judge.model_info.name.as_str()) == evaluated;
    let mut additional_details = Details::new();
    if judges.iter().any(judges_itself) {
        additional_details.insert(IS_EVALUATED.to_owned(), "true".to_owned());
    }
    (!judges.is_empty()).then(|| LlmScoring {
        aggregation_method: aggregation.filter(|_| judges.len() > 1),
        judges,
        input_prompt: prompt.unwrap_or_else(|| UNKNOWN_PROMPT.to_owned()),
        additional_details,
    })
}

/// The prompt of a judge for one sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentPrompt {
    /// The scorer or annotator that asked.
    pub(super) asker: String,
    pub(super) sample: String,
    pub(super) text: String,
}

impl SentPrompt {
    /// A prompt, unless it is empty or larger than a record should hold.
    pub(super) fn new(asker: &str, sample: String, text: &str) -> Option<Self> {
        let fits = !text.trim().is_empty() && text.len() <= MAX_PROMPT;
        fits.then(|| Self {
            asker: asker.to_owned(),
            sample,
            text: text.to_owned(),
        })
    }

    /// Records the prompt, where the log does not hold the template.
    pub(super) fn add_to(&self, scoring: &mut LlmScoring) {
        if scoring.input_prompt == UNKNOWN_PROMPT {
            scoring.input_prompt.clone_from(&self.text);
            let details = &mut scoring.additional_details;
            details.insert(PROMPT_SAMPLE.to_owned(), self.sample.clone());
        }
    }
}

/// The names of judges, each once and in order.
pub(super) fn names<'j>(scorings: impl IntoIterator<Item = &'j LlmScoring>) -> Vec<String> {
    let judges = scorings.into_iter().flat_map(|scoring| &scoring.judges);
    let mut names: Vec<String> = judges.map(|judge| judge.model_info.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}
