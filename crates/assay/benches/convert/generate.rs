//! Logs of any size as the harnesses write them, the same bytes on every run.

mod inspect;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::random::Random;

/// The task of every log.
pub(crate) const TASK: &str = "synth";
const DATE: &str = "2026-08-01T00-00-00.000000";
/// Three samples of five are right, and logs have a multiple of five, so the mean is known before
/// they are written.
const ROUND: u64 = 5;
const RIGHT: u64 = 3;

/// A kind of log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Inspect AI as one document, with transcripts and events.
    InspectJson,
    /// The same as an archive with zstd members.
    InspectEval,
    /// An archive of many small samples.
    InspectSmall,
    /// Results and multiple-choice samples.
    LmEval,
    /// A run directory.
    Helm,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [
        Self::InspectJson,
        Self::InspectEval,
        Self::InspectSmall,
        Self::LmEval,
        Self::Helm,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InspectJson => "inspect-json",
            Self::InspectEval => "inspect-eval",
            Self::InspectSmall => "inspect-small",
            Self::LmEval => "lm-eval",
            Self::Helm => "helm",
        }
    }

    pub(crate) fn harness(self) -> &'static str {
        match self {
            Self::InspectJson | Self::InspectEval | Self::InspectSmall => "inspect",
            Self::LmEval => "lm-eval",
            Self::Helm => "helm",
        }
    }

    /// Returns the speed of the reference converter (`every-eval-ever` 0.3.0) on its logs, in MB of
    /// the file per CPU second.
    pub(crate) fn reference(self) -> f64 {
        match self {
            Self::InspectJson => 6.0,
            Self::InspectEval | Self::InspectSmall => 0.8,
            Self::LmEval => 19.0,
            Self::Helm => 2.0,
        }
    }
}

/// A log on disk.
pub(crate) struct Log {
    pub(crate) path: PathBuf,
    pub(crate) samples: u64,
}

/// Writes a log of about `bytes` bytes; those of an archive before they are packed.
pub(crate) fn log(kind: Kind, root: &Path, bytes: usize) -> Log {
    match kind {
        Kind::InspectJson => inspect::document(root, bytes),
        Kind::InspectEval => inspect::archive(root, bytes, inspect::agentic),
        Kind::InspectSmall => inspect::archive(root, bytes, inspect::single),
        Kind::LmEval => lm_eval(root, bytes),
        Kind::Helm => helm(root, bytes),
    }
}

/// Makes samples until they have so many bytes, in whole rounds, and hands each on; returns how
/// many there are.
fn fill(bytes: usize, mut make: impl FnMut(u64, bool) -> usize) -> u64 {
    let (mut size, mut count) = (0, 0);
    while size < bytes || count % ROUND != 0 {
        size += make(count, count % ROUND < RIGHT);
        count += 1;
    }
    count
}

fn create(path: &Path) -> BufWriter<File> {
    BufWriter::with_capacity(1 << 20, File::create(path).unwrap())
}

fn lm_eval(root: &Path, bytes: usize) -> Log {
    let directory = root.join("acme__model-x");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(format!("results_{DATE}.json"));
    let mut file = create(&directory.join(format!("samples_{TASK}_{DATE}.jsonl")));
    let mut random = Random(0x5eed);
    let samples = fill(bytes, |number, right| {
        let row = lm_eval_row(&mut random, number, right);
        file.write_all(row.as_bytes()).unwrap();
        row.len()
    });
    file.flush().unwrap();
    let score = RIGHT as f64 / ROUND as f64;
    let results = format!(
        r#"{{"results":{{"{TASK}":{{"alias":"{TASK}","acc,none":{score}}}}},"group_subtasks":{{"{TASK}":[]}},"configs":{{"{TASK}":{{"task":"{TASK}","dataset_path":"acme/{TASK}","test_split":"test","num_fewshot":5,"metric_list":[{{"metric":"acc","aggregation":"mean","higher_is_better":true}}],"output_type":"multiple_choice","repeats":1}}}},"versions":{{"{TASK}":1.0}},"n-shot":{{"{TASK}":5}},"higher_is_better":{{"{TASK}":{{"acc":true}}}},"n-samples":{{"{TASK}":{{"original":{samples},"effective":{samples}}}}},"config":{{"model":"hf","model_args":"pretrained=acme/model-x,dtype=float16","batch_size":"1","random_seed":0}},"git_hash":null,"date":1785542400.5,"lm_eval_version":"0.4.9","transformers_version":"4.55.0","model_source":"hf","model_name":"acme/model-x","model_name_sanitized":"acme__model-x","start_time":1000.5,"end_time":2000.5,"total_evaluation_time_seconds":"1000.0"}}"#
    );
    std::fs::write(&path, results).unwrap();
    Log { path, samples }
}

fn lm_eval_row(random: &mut Random, number: u64, right: bool) -> String {
    let question = random.text(40);
    let context = random.text(300);
    let (mut choices, mut arguments, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..4_u64 {
        let choice = random.text(4);
        arguments.push(format!(
            r#""gen_args_{index}":{{"arg_0":"{context}{question}","arg_1":" {choice}"}}"#
        ));
        choices.push(format!("\"{choice}\""));
        // The best choice has the largest likelihood; the right one is the first.
        let best = u64::from(!right);
        let likelihood = if index == best { "-1.5" } else { "-7.25" };
        answers.push(format!(r#"["{likelihood}","False"]"#));
    }
    let nested: Vec<String> = answers.iter().map(|answer| format!("[{answer}]")).collect();
    format!(
        r#"{{"doc_id":{number},"doc":{{"question":"{question}","choices":[{}],"answer":0}},"target":"0","arguments":{{{}}},"resps":[{}],"filtered_resps":[{}],"filter":"none","metrics":["acc"],"doc_hash":"{number:064x}","prompt_hash":"{number:064x}","target_hash":"{number:064x}","acc":{}}}
"#,
        choices.join(","),
        arguments.join(","),
        nested.join(","),
        answers.join(","),
        if right { "1.0" } else { "0.0" }
    )
}

fn helm(root: &Path, bytes: usize) -> Log {
    let path = root.join(format!("{TASK}:model=acme_model-x"));
    std::fs::create_dir_all(&path).unwrap();
    let adapter = r#"{"method":"multiple_choice_joint","global_prefix":"","global_suffix":"","instructions":"Answer with a letter.\n","input_prefix":"Question: ","input_suffix":"\n","reference_prefix":"A. ","reference_suffix":"\n","output_prefix":"Answer: ","output_suffix":"\n","instance_prefix":"\n","substitutions":[],"max_train_instances":5,"max_eval_instances":100000,"num_outputs":5,"num_train_trials":1,"num_trials":1,"sample_train":true,"model_deployment":"acme/model-x","model":"acme/model-x","temperature":0.0,"max_tokens":5,"stop_sequences":["\n"],"multi_label":false}"#;
    let write = |name: &str, text: &str| std::fs::write(path.join(name), text).unwrap();
    write(
        "run_spec.json",
        &format!(
            r#"{{"name":"{TASK}:model=acme_model-x","scenario_spec":{{"class_name":"acme.SynthScenario","args":{{}}}},"adapter_spec":{adapter},"metric_specs":[{{"class_name":"helm.benchmark.metrics.basic_metrics.BasicGenerationMetric","args":{{"names":["exact_match"]}}}}],"data_augmenter_spec":{{"perturbation_specs":[]}},"groups":["{TASK}"]}}"#
        ),
    );
    write(
        "scenario.json",
        &format!(
            r#"{{"name":"{TASK}","description":"Generated.","tags":["question answering"],"definition_path":"https://acme.example/{TASK}"}}"#
        ),
    );
    let mut states = create(&path.join("scenario_state.json"));
    let mut instances = create(&path.join("per_instance_stats.json"));
    write!(states, r#"{{"adapter_spec":{adapter},"request_states":["#).unwrap();
    instances.write_all(b"[").unwrap();
    let mut random = Random(0x5eed);
    let samples = fill(bytes, |number, right| {
        let comma = if number == 0 { "" } else { "," };
        let state = helm_state(&mut random, number, right);
        let stats = helm_stats(number, right);
        write!(states, "{comma}{state}").unwrap();
        write!(instances, "{comma}{stats}").unwrap();
        state.len() + stats.len()
    });
    states.write_all(b"]}").unwrap();
    instances.write_all(b"]").unwrap();
    states.flush().unwrap();
    instances.flush().unwrap();
    let right = samples / ROUND * RIGHT;
    let mean = RIGHT as f64 / ROUND as f64;
    write(
        "stats.json",
        &format!("[{}]", stat("exact_match", samples, right as f64, mean)),
    );
    Log { path, samples }
}

fn helm_state(random: &mut Random, number: u64, right: bool) -> String {
    let (question, prompt) = (random.text(40), random.text(300));
    let answer = if right { "A" } else { "B" };
    format!(
        r#"{{"instance":{{"input":{{"text":"{question}"}},"references":[{{"output":{{"text":"Even"}},"tags":["correct"]}},{{"output":{{"text":"Odd"}},"tags":[]}}],"split":"test","id":"id{number}"}},"train_trial_index":0,"output_mapping":{{"A":"Even","B":"Odd"}},"request":{{"model_deployment":"acme/model-x","model":"acme/model-x","embedding":false,"prompt":"{prompt}{question}","temperature":0.0,"num_completions":1,"top_k_per_token":5,"max_tokens":5,"stop_sequences":[],"echo_prompt":false,"top_p":1,"presence_penalty":0,"frequency_penalty":0}},"result":{{"success":true,"embedding":[],"completions":[{{"text":" {answer}","logprob":-0.5,"tokens":[{{"text":" {answer}","logprob":-0.5}}]}}],"cached":false,"request_time":0.5,"request_datetime":1785542400}},"num_train_instances":5,"prompt_truncated":false,"num_conditioning_tokens":0}}"#
    )
}

fn helm_stats(number: u64, right: bool) -> String {
    let score = f64::from(u8::from(right));
    let stats = [
        stat("num_references", 1, 2.0, 2.0),
        stat("num_prompt_tokens", 1, 385.0, 385.0),
        stat("num_completion_tokens", 1, 1.0, 1.0),
        stat("num_output_tokens", 1, 1.0, 1.0),
        stat("inference_runtime", 1, 0.5, 0.5),
        stat("exact_match", 1, score, score),
    ];
    format!(
        r#"{{"instance_id":"id{number}","train_trial_index":0,"stats":[{}]}}"#,
        stats.join(",")
    )
}

fn stat(name: &str, count: u64, sum: f64, mean: f64) -> String {
    format!(
        r#"{{"name":{{"name":"{name}","split":"test"}},"count":{count},"sum":{sum},"sum_squared":{sum},"min":0.0,"max":{mean},"mean":{mean},"variance":0.0,"stddev":0.0}}"#
    )
}
