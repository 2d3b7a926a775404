use std::borrow::Cow;

use assay_formats::eee::row::{
    Attribution, Evaluation, Input, InteractionType, Output, Performance, Prompt, Row, Text,
    TokenUsage,
};
use assay_formats::json::unescape;
use assay_formats::{Kind, Value};

use super::super::metric::Correctness;
use super::super::question::{Fit, set_correctness, write_row};
use super::super::reader::Reader;
use super::batch::Group;
use super::name::Perturbation;
use super::record::HelmRun;
use super::scores::{Scores, instance_key, trial_of};
use super::survey::thinking;
use super::text::{content, one_line, prompt, scalar};

/// The longest annotations of judges that a row keeps, in bytes.
const MAX_ANNOTATIONS: usize = 64 << 10;

/// The names of the samples of a run; the same in every row.
pub(super) struct Common {
    pub(super) evaluation_id: String,
    pub(super) model_id: String,
}

/// The rows of some requests, as they go into the file.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: u64,
    /// The parts that were left out.
    pub(super) skipped: Vec<&'static str>,
}

impl Built {
    /// Empties it; its memory is used again.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.rows = 0;
        self.skipped.clear();
    }
}

/// Number of bytes that the quotes of a string have.
const QUOTES: usize = 2;

const NOT_AN_INSTANCE: &str = "a request without an instance was left out";
const CUT: &str = "a row was too large; its score was kept and its texts cut";
const TOO_LARGE: &str = "a row that is too large even without its texts was left out";
const WITHOUT_SCORES: &str = "a request for which the run has no finite score was left out";

/// Builds the rows of one instance.
pub(super) fn build(
    run: &HelmRun<'_>,
    common: &Common,
    reader: &mut Reader,
    group: Group<'_>,
    to: &mut Built,
) {
    let mut states = group.states();
    let Some(first) = states.next() else {
        return;
    };
    let mut calls = Calls::default();
    for state in states {
        if let Some(state) = reader.read(state) {
            calls.add(state);
        }
    }
    let Some(state) = reader.read(first) else {
        to.skipped.push(NOT_AN_INSTANCE);
        return;
    };
    calls.add(state);
    match Sample::read(run, state) {
        Ok(sample) => sample.write(common, calls, to),
        Err(skipped) => to.skipped.push(skipped),
    }
}

/// One instance, in one trial and after one perturbation.
struct Sample<'r, 'd> {
    run: &'r HelmRun<'r>,
    state: Value<'d>,
    instance: Value<'d>,
    id: Text<'d>,
    perturbation: Option<Perturbation>,
    trial: i64,
    scores: &'r Scores,
    references: References<'d>,
    /// The position of the reference that the model finds likeliest, when it was asked for each.
    chosen: Option<usize>,
}

impl<'r, 'd> Sample<'r, 'd> {
    fn read(run: &'r HelmRun<'r>, state: Value<'d>) -> Result<Self, &'static str> {
        let instance = state.present("instance").ok_or(NOT_AN_INSTANCE)?;
        let id = instance.get("id").and_then(scalar).ok_or(NOT_AN_INSTANCE)?;
        let perturbation = instance
            .present("perturbation")
            .and_then(Perturbation::read);
        let trial = trial_of(state);
        let mut key = String::new();
        instance_key(&mut key, &id, perturbation.as_ref(), trial);
        let scores = run
            .per_instance
            .get(&key)
            .filter(|scores| !scores.by_result.is_empty())
            .ok_or(WITHOUT_SCORES)?;
        let references = References::read(instance);
        let chosen = run
            .survey
            .by_reference
            .then(|| references.chosen(scores, run))
            .flatten();
        Ok(Self {
            run,
            state,
            instance,
            id,
            perturbation,
            trial,
            scores,
            references,
            chosen,
        })
    }

    /// Writes one row for each score.
    fn write(self, common: &Common, calls: Calls, to: &mut Built) {
        let mut row = self.row(common, calls);
        for (position, score) in &self.scores.by_result {
            let Some(result) = self.run.results.list.get(*position as usize) else {
                continue;
            };
            row.evaluation_result_id = Text::Owned(result.id.clone());
            row.evaluation.score = *score;
            let correctness = match &row.error {
                Some(_) => Correctness::Wrong,
                None => self.correctness(result.counts_right_answers, *score),
            };
            set_correctness(&mut row, correctness);
            match write_row(&row, &mut to.bytes) {
                Fit::Whole => {}
                Fit::Cut => to.skipped.push(CUT),
                Fit::LeftOut => {
                    to.skipped.push(TOO_LARGE);
                    continue;
                }
            }
            to.rows += 1;
        }
    }

    fn correctness(&self, counts_right_answers: bool, score: f64) -> Correctness {
        match self.chosen {
            // Of references that are equally likely HELM chooses the first, but scores them all.
            Some(chosen) if counts_right_answers => {
                Correctness::from_grade(self.references.correct.contains(&chosen))
            }
            Some(_) | None => Correctness::from_score(counts_right_answers, score),
        }
    }

    /// Returns a row with the parts that all rows of the sample share.
    fn row<'a>(&self, common: &'a Common, calls: Calls) -> Row<'a>
    where
        'd: 'a,
        'r: 'a,
    {
        let unscored = Evaluation {
            score: 0.0,
            is_correct: false,
            num_turns: None,
            tool_calls_count: None,
        };
        let mut row = Row::new(
            self.id.clone(),
            InteractionType::SingleTurn,
            self.input(),
            unscored,
        );
        row.evaluation_id = Text::Borrowed(&common.evaluation_id);
        row.model_id = Text::Borrowed(&common.model_id);
        row.evaluation_name = Text::Borrowed(&self.run.spec.dataset);
        let output = self.output();
        row.answer_attribution = self.attribution(&output).into_iter().collect();
        row.output = Some(output);
        row.token_usage = tokens(self.scores);
        row.performance = calls.performance();
        row.error = calls.error.map(Into::into);
        if let Some(perturbation) = &self.perturbation {
            row.metadata
                .insert("perturbation".into(), perturbation.name.clone().into());
        }
        if self.run.spec.train_trials > 1 || self.trial != 0 {
            row.metadata
                .insert("train_trial_index".into(), self.trial.to_string().into());
        }
        let annotations = self.state.present("annotations");
        let annotations = annotations.filter(|own| own.raw().len() <= MAX_ANNOTATIONS);
        if let Some(annotations) = annotations {
            let text = one_line(annotations.raw());
            row.metadata.insert("annotations".into(), text.into());
        }
        row
    }

    fn input(&self) -> Input<'d> {
        let request = self.state.present("request");
        let question = self.instance.present("input").and_then(content);
        let sent = || request.and_then(prompt);
        let raw = question.or_else(sent).unwrap_or_default();
        // Requests for single references end in that reference, so none of them is what was asked
        // as a whole.
        let by_reference = self.run.survey.by_reference;
        let formatted = (!by_reference).then(|| request.and_then(|own| formatted(own, &raw)));
        Input {
            formatted: formatted.flatten(),
            raw,
            reference: self.references.right_ones(),
            choices: self.choices(),
        }
    }

    /// The options of a multiple choice: as they were lettered, or else all references.
    fn choices(&self) -> Option<Vec<Text<'d>>> {
        let mapping = self
            .state
            .present("output_mapping")
            .filter(|mapping| mapping.kind() == Kind::Map);
        if let Some(mapping) = mapping {
            let options = mapping.entries().filter_map(|(_, text)| text.text());
            return Some(options.collect());
        }
        let run = self.run;
        let is_choice = run.survey.by_reference || run.spec.method.starts_with("multiple_choice");
        (is_choice && !self.references.texts.is_empty()).then(|| self.references.texts.clone())
    }

    /// Returns the output of the model; when it was only asked how likely each reference is, the
    /// one it finds likeliest.
    fn output(&self) -> Output<'d> {
        if self.run.survey.by_reference {
            let chosen = self
                .chosen
                .and_then(|index| self.references.texts.get(index));
            return Output {
                raw: chosen.cloned().into_iter().collect(),
                reasoning_trace: None,
            };
        }
        let completions = self
            .state
            .present("result")
            .and_then(|result| result.get("completions"));
        let completions = || completions.into_iter().flat_map(Value::items);
        let thoughts: Vec<Text<'d>> = completions().filter_map(thinking).collect();
        Output {
            raw: completions()
                .filter_map(|completion| completion.text_of("text"))
                .collect(),
            reasoning_trace: (!thoughts.is_empty()).then_some(thoughts),
        }
    }

    fn attribution(&self, output: &Output<'d>) -> Option<Attribution<'d>> {
        let method = if self.run.survey.by_reference {
            "likeliest_reference"
        } else {
            "exact_match"
        };
        Some(Attribution {
            turn_idx: 0,
            source: "output.raw".into(),
            extracted_value: output.raw.first()?.trim().to_owned().into(),
            extraction_method: method.into(),
            is_terminal: true,
        })
    }
}

/// The prompt, unless it is the question itself. Prompts are most of a log, so they are copied as
/// they are if they can be.
fn formatted<'d>(request: Value<'d>, question: &str) -> Option<Prompt<'d>> {
    let string = request.get("prompt").and_then(Value::spelled);
    match string.filter(|string| string.len() > QUOTES) {
        Some(string) => (!is_spelling(string, question)).then_some(Prompt::Spelled(string)),
        None => prompt(request)
            .filter(|sent| sent != question)
            .map(Prompt::Text),
    }
}

/// Returns whether a JSON string with its quotes stands for a text. No escape of ours is longer
/// than two bytes, so most need not be decoded for that.
fn is_spelling(string: &str, text: &str) -> bool {
    let inside = string.get(1..string.len() - 1).unwrap_or_default();
    (text.len()..=text.len() * 2).contains(&inside.len()) && unescape(inside) == text
}

/// The duration of all requests for an instance together, and the error of one of them.
#[derive(Default)]
struct Calls {
    seconds: Option<f64>,
    error: Option<String>,
}

impl Calls {
    fn add(&mut self, state: Value<'_>) {
        let Some(result) = state.present("result") else {
            return;
        };
        let time = result.number_of("request_time").filter(|time| *time >= 0.0);
        if let Some(time) = time {
            self.seconds = Some(self.seconds.unwrap_or(0.0) + time);
        }
        if result.get("success").and_then(Value::truth) == Some(false) {
            let text = result.text_of("error").filter(|text| !text.is_empty());
            self.error =
                Some(text.map_or_else(|| "the request failed".to_owned(), Cow::into_owned));
        }
    }

    fn performance(&self) -> Option<Performance> {
        let milliseconds = self.seconds? * 1000.0;
        // Times that are finite one by one need not be so together.
        milliseconds.is_finite().then(|| Performance {
            generation_time_ms: Some(milliseconds),
            ..Performance::default()
        })
    }
}

/// The answers that an instance knows of.
struct References<'d> {
    texts: Vec<Text<'d>>,
    correct: Vec<usize>,
}

impl<'d> References<'d> {
    fn read(instance: Value<'d>) -> Self {
        let mut references = Self {
            texts: Vec::new(),
            correct: Vec::new(),
        };
        for reference in instance
            .get("references")
            .into_iter()
            .flat_map(Value::items)
        {
            let tags = reference.get("tags").into_iter().flat_map(Value::items);
            if tags.into_iter().any(|tag| tag.is_text("correct")) {
                references.correct.push(references.texts.len());
            }
            let text = reference.present("output").and_then(content);
            references.texts.push(text.unwrap_or_default());
        }
        references
    }

    fn right_ones(&self) -> Vec<Text<'d>> {
        self.correct
            .iter()
            .filter_map(|index| self.texts.get(*index))
            .cloned()
            .collect()
    }

    /// The reference that the model finds likeliest. HELM says which since 2024; before that it can
    /// only be told when it is the one right answer.
    fn chosen(&self, scores: &Scores, run: &HelmRun<'_>) -> Option<usize> {
        if let Some(index) = scores.predicted_index {
            return (index < self.texts.len()).then_some(index);
        }
        let full = scores.by_result.iter().any(|(position, score)| {
            let result = run.results.list.get(*position as usize);
            *score >= 1.0 && result.is_some_and(|result| result.name.name == "exact_match")
        });
        match self.correct.as_slice() {
            [only] if full => Some(*only),
            _ => None,
        }
    }
}

/// The tokens of an answer. Where the prompt is echoed HELM counts it among the tokens of the
/// completion, but not of the output; it counts no tokens of thinking.
fn tokens(scores: &Scores) -> Option<TokenUsage> {
    let input = scores.prompt_tokens?;
    let output = scores.output_tokens.or(scores.completion_tokens)?;
    Some(TokenUsage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: input.saturating_add(output),
        ..TokenUsage::default()
    })
}
