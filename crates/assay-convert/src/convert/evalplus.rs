//! EvalPlus: `*_eval_results.json`, the verdict on each program for `HumanEval` or MBPP, with and
//! without extra tests.
//!
//! The file has no scores: EvalPlus prints them when it reads it. They are computed here as there.

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult, ModelInfo};
use assay_model::Setup;

use super::detect::Evidence;
use super::document::{Document, file_name};
use super::metric::{Correctness, MetricFacts, mark};
use super::model_name::repository_model;
use super::run::{Run, RunProgress, insert_setup};
use super::task_writer::{TaskWriter, named_data, row_without_question, scored_result};
use super::time::{stamp, unix_seconds};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};

/// The status of a program that passed.
const PASS: &str = "pass";
/// The `k` of `pass@k` that EvalPlus prints, where there are as many programs for each task.
const KS: [u64; 3] = [1, 10, 100];
/// The programs that generate for EvalPlus, as file names have them.
const BACKENDS: [&str; 8] = [
    "vllm",
    "hf",
    "openai",
    "anthropic",
    "google",
    "bedrock",
    "ollama",
    "gptqmodel",
];
/// The names of the benchmarks by the names of their tasks.
const BENCHMARKS: [(&str, &str); 2] = [("HumanEval/", "humaneval"), ("Mbpp/", "mbpp")];

/// The converter.
pub(super) struct EvalPlus;

impl Converter for EvalPlus {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "evalplus",
            title: "EvalPlus",
            framework: "evalplus",
            library: "evalplus",
            source_name: "EvalPlus",
            log: "*_eval_results.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_key("date") && evidence.has_key("hash") && evidence.has_map("eval")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log).map(|converted| vec![converted])
    }
}

/// A program and what became of it.
struct Program<'d> {
    task: String,
    solution: std::borrow::Cow<'d, str>,
    attempt: usize,
    base: bool,
    /// With the extra tests; nothing where they were not run.
    plus: Option<bool>,
}

/// Converts one file.
fn convert(log: &Log<'_>) -> Result<Converted, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let programs: Vec<Program<'_>> = programs(root);
    if programs.is_empty() {
        let message = format!("`{}` has no program that was judged", log.path);
        return Err(Refusal::Nothing(message));
    }
    let known = BENCHMARKS
        .iter()
        .find(|(begin, _)| programs[0].task.starts_with(begin));
    let benchmark = known.map_or("evalplus", |(_, name)| name);
    let (model, setup) = named(log.path);
    let mut run = Run::new(Harness::EvalPlus, model);
    run.setup = setup;
    // EvalPlus writes the local time of a machine without its zone.
    run.started = root
        .text_of("date")
        .and_then(|date| Some(stamp(unix_seconds(&date)?)));
    let most = programs.iter().map(|own| own.attempt).max().unwrap_or(1);
    if most > 1 {
        insert_setup(&mut run.setup, "attempts", &most.to_string());
    }
    let all = programs.len() as u64;
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        planned: Some(all),
        completed: Some(all),
        scored: Some(all),
        failed: None,
    };
    let hash = root.text_of("hash").unwrap_or_default().into_owned();
    let suites = Suites {
        benchmark,
        hash,
        programs: &programs,
    };
    let results = suites.results();
    let mut writer = TaskWriter::begin(log, run, benchmark, &[document.bytes()])?;
    if writer.wants_rows() {
        for program in &programs {
            let mut row = row_without_question(program.task.as_str().into());
            row.metadata
                .insert("epoch".into(), program.attempt.to_string().into());
            if let Some(output) = &mut row.output {
                output.raw.push(program.solution.clone());
            }
            for (result, is_plus) in results
                .iter()
                .filter(|(own, _)| own.evaluation_result_id.ends_with("pass@1"))
            {
                let passed = if *is_plus {
                    program.plus
                } else {
                    Some(program.base)
                };
                if let Some(passed) = passed {
                    let score = f64::from(u8::from(passed));
                    writer.row(&mut row, result, score, Correctness::from_grade(passed))?;
                }
            }
        }
    }
    writer.finish(results.into_iter().map(|(result, _)| result).collect())
}

fn programs(root: Value<'_>) -> Vec<Program<'_>> {
    let mut programs = Vec::new();
    let tasks = root.present("eval").into_iter().flat_map(Value::entries);
    for (task, own) in tasks {
        let Some(task) = task.text() else { continue };
        for (index, program) in own.items().enumerate() {
            let passed = |key: &str| program.text_of(key).map(|status| status == PASS);
            let Some(base) = passed("base_status") else {
                continue;
            };
            programs.push(Program {
                task: task.clone().into_owned(),
                solution: program.text_of("solution").unwrap_or_default(),
                attempt: index + 1,
                base,
                plus: passed("plus_status").map(|plus| plus && base),
            });
        }
    }
    programs
}

/// The scores with and without the extra tests.
struct Suites<'p> {
    benchmark: &'p str,
    hash: String,
    programs: &'p [Program<'p>],
}

impl Suites<'_> {
    /// The results, and whether each is of the extra tests.
    fn results(&self) -> Vec<(EvaluationResult, bool)> {
        let mut results = Vec::new();
        for is_plus in [false, true] {
            let mut tasks: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
            for program in self.programs {
                let passed = if is_plus {
                    program.plus
                } else {
                    Some(program.base)
                };
                if let Some(passed) = passed {
                    let own = tasks.entry(&program.task).or_default();
                    *own = (own.0 + 1, own.1 + u64::from(passed));
                }
            }
            let fewest = tasks.values().map(|(all, _)| *all).min().unwrap_or(0);
            for k in KS.into_iter().filter(|k| *k <= fewest) {
                results.push((self.result(&tasks, k, is_plus), is_plus));
            }
        }
        results
    }

    fn result(
        &self,
        tasks: &BTreeMap<&str, (u64, u64)>,
        k: u64,
        is_plus: bool,
    ) -> EvaluationResult {
        let sum: f64 = tasks
            .values()
            .map(|(all, passed)| pass_at(*all, *passed, k))
            .sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "benchmarks have fewer tasks than that"
        )]
        let score = sum / tasks.len() as f64;
        let (tests, name) = if is_plus {
            ("base and extra", format!("{}+", self.benchmark))
        } else {
            ("base", self.benchmark.to_owned())
        };
        let facts = MetricFacts {
            library: "evalplus",
            name: &format!("pass@{k}"),
            base: Some("pass@k"),
            score,
            higher_is_better: Some(true),
        };
        let mut config = facts.config();
        config.metric_parameters.insert("k".to_owned(), k.into());
        mark(&mut config, "tests", tests);
        let data = Details::from([("dataset_hash".to_owned(), self.hash.clone())]);
        let id = format!("{name}:pass@{k}");
        let data = named_data(&name, data);
        let mut result = scored_result(id, &name, data, config, score, Some(tasks.len() as u64));
        let details = &mut result.score_details.details;
        details.insert("computed_from".to_owned(), "samples".to_owned());
        result
    }
}

/// The chance that one of `k` programs passes, estimated from `all` of which `passed` did.
fn pass_at(all: u64, passed: u64, k: u64) -> f64 {
    if all - passed < k {
        return 1.0;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody writes that many programs"
    )]
    let fails: f64 = (all - passed + 1..=all)
        .map(|n| 1.0 - k as f64 / n as f64)
        .product();
    1.0 - fails
}

/// The model and how it was asked, by the name that EvalPlus gives its samples:
/// `org--model_backend_temp_0.0`.
fn named(path: &str) -> (ModelInfo, Setup) {
    let name = file_name(path);
    let stem = name.strip_suffix("eval_results.json").unwrap_or(name);
    let stem = stem.strip_suffix(['_', '-']).unwrap_or(stem);
    let stem = stem.strip_suffix(".json").unwrap_or(stem);
    let stem = if stem.is_empty() {
        path.rsplit('/').nth(1).unwrap_or_default()
    } else {
        stem
    };
    let mut setup = Setup::default();
    let mut model = stem;
    if let Some((front, temperature)) = stem.rsplit_once("_temp_")
        && let Some((front, backend)) = front.rsplit_once('_')
        && BACKENDS.contains(&backend)
    {
        model = front;
        insert_setup(&mut setup, "temperature", temperature);
        insert_setup(&mut setup, "engine", backend);
    }
    let info = repository_model(&model.replacen("--", "/", 1));
    (info, setup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_of_a_pass_is_estimated_without_bias() {
        assert_eq!(pass_at(2, 1, 1).to_bits(), 0.5_f64.to_bits());
        assert_eq!(pass_at(10, 0, 10).to_bits(), 0.0_f64.to_bits());
        assert!((pass_at(10, 3, 5) - 0.916_666_666_666_666_6).abs() < 1e-12);
        assert_eq!(pass_at(10, 6, 5).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn file_names_say_which_model_and_how_it_was_asked() {
        let (model, setup) = named("humaneval/acme--model-x_vllm_temp_0.8_eval_results.json");
        assert_eq!(model.id, "acme/model-x");
        assert_eq!(setup.get("engine"), Some("vllm"));
        assert_eq!(setup.get("temperature"), Some("0.8"));
        assert_eq!(
            named("mine/samples_eval_results.json").0.id,
            "unknown/samples"
        );
        assert_eq!(named("run-7/eval_results.json").0.id, "unknown/run-7");
    }
}
