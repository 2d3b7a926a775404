//! Records and samples of any size, the same bytes on every run.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::random::Random;
use crate::record;

/// The length of rows.
#[derive(Clone, Copy)]
pub(crate) enum Profile {
    /// Multiple choice, about 1.2 kB a row.
    Short,
    /// Free text and, one row in four, a transcript with tool calls.
    Mixed,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Mixed => "mixed",
        }
    }
}

/// A record and its samples.
pub(crate) struct Pair {
    pub(crate) record: PathBuf,
    pub(crate) samples: PathBuf,
}

const UUID: &str = "5eed0000-0000-4000-8000-000000000100";
const FOLDER: &str = "data/synth-bench/acme/model-x";

/// Writes a record and samples of about `bytes` bytes.
pub(crate) fn samples(root: &Path, profile: Profile, bytes: usize) -> Pair {
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{UUID}_samples.jsonl"));
    let mut file = BufWriter::with_capacity(1 << 20, fs::File::create(&path).unwrap());
    let mut random = Random(0x5eed);
    let (mut hasher, mut size, mut rows, mut score) = (Sha256::new(), 0, 0_u64, 0.0);
    while size < bytes {
        let right = random.next(100) < 62;
        let row = match profile {
            Profile::Mixed if random.next(4) == 0 => transcript(&mut random, rows, right),
            Profile::Mixed => single(&mut random, rows, right, 12),
            Profile::Short => single(&mut random, rows, right, 1),
        };
        hasher.update(&row);
        file.write_all(row.as_bytes()).unwrap();
        size += row.len();
        rows += 1;
        score += f64::from(u8::from(right));
    }
    file.flush().unwrap();
    let digest = assay_formats::rows::hex(&hasher.finalize());
    let companion = format!(
        r#","detailed_evaluation_results":{{"format":"jsonl","file_path":"{FOLDER}/{UUID}_samples.jsonl","hash_algorithm":"sha256","checksum":"{digest}","total_rows":{rows}}}"#
    );
    let record = folder.join(format!("{UUID}.json"));
    fs::write(
        &record,
        record::text(
            "synth-bench",
            "acme/model-x",
            1,
            score / rows as f64,
            rows,
            &companion,
        ),
    )
    .unwrap();
    Pair {
        record,
        samples: path,
    }
}

/// Writes small records without samples.
pub(crate) fn records(root: &Path, count: usize) {
    let mut random = Random(7);
    for number in 0..count {
        let model = format!("model-{number}");
        let folder = root.join(format!("data/leaderboard/acme/{model}"));
        fs::create_dir_all(&folder).unwrap();
        let uuid = format!("5eed0000-0000-4000-8000-{number:012}");
        let correct = random.next(1000);
        let text = record::text(
            "leaderboard",
            &format!("acme/{model}"),
            7,
            correct as f64 / 1000.0,
            1000,
            "",
        );
        fs::write(folder.join(format!("{uuid}.json")), text).unwrap();
    }
}

fn single(random: &mut Random, number: u64, right: bool, length: u64) -> String {
    let question = random.text(15 * length);
    let choices: Vec<String> = (0..4).map(|_| format!("\"{}\"", random.text(3))).collect();
    let answer = random.text(20 * length);
    let (input, output) = (150 + random.next(1500), 20 + random.next(900));
    let head = head(number, "single_turn");
    let evaluation = evaluation(right, 1, 0, input, output, random);
    format!(
        r#"{{{head}, "input": {{"raw": "{question}", "formatted": null, "reference": ["B"], "choices": [{}]}}, "output": {{"raw": ["{answer}"], "reasoning_trace": null}}, "messages": null, "answer_attribution": [{{"turn_idx": 0, "source": "output.raw", "extracted_value": "B", "extraction_method": "regex", "is_terminal": true}}], {evaluation}}}
"#,
        choices.join(", ")
    )
}

fn transcript(random: &mut Random, number: u64, right: bool) -> String {
    let question = random.text(120);
    let mut messages = format!(
        r#"{{"turn_idx": 0, "role": "user", "content": "{question}", "reasoning_trace": null, "tool_calls": [], "tool_call_id": null}}"#
    );
    let steps = 3 + random.next(10);
    for step in 0..steps {
        let turn = 1 + step * 2;
        write!(
            messages,
            r#", {{"turn_idx": {turn}, "role": "assistant", "content": "{}", "reasoning_trace": "{}", "tool_calls": [{{"id": "call_{step}", "name": "bash", "arguments": {{"cmd": "{}"}}}}], "tool_call_id": null}}, {{"turn_idx": {}, "role": "tool", "content": "{}", "reasoning_trace": null, "tool_calls": [], "tool_call_id": ["call_{step}"]}}"#,
            random.text(40),
            random.text(60),
            random.text(15),
            turn + 1,
            random.text(200),
        )
        .unwrap();
    }
    let last = steps * 2;
    let (input, output) = (3000 + random.next(90_000), 300 + random.next(9000));
    let head = head(number, "agentic");
    let evaluation = evaluation(right, last + 1, steps, input, output, random);
    format!(
        r#"{{{head}, "input": {{"raw": "{question}", "formatted": null, "reference": ["yes"], "choices": null}}, "output": null, "messages": [{messages}], "answer_attribution": [{{"turn_idx": {last}, "source": "messages[{last}].content", "extracted_value": "yes", "extraction_method": "custom", "is_terminal": true}}], {evaluation}}}
"#
    )
}

fn head(number: u64, kind: &str) -> String {
    format!(
        r#""schema_version": "0.3.0", "evaluation_id": "synth-bench/acme/model-x/1767225600.0", "model_id": "acme/model-x", "evaluation_name": "synth", "evaluation_result_id": "exact_match:test", "sample_id": "synth_{number:07}", "sample_hash": "{number:064x}", "interaction_type": "{kind}""#
    )
}

fn evaluation(
    right: bool,
    turns: u64,
    calls: u64,
    input: u64,
    output: u64,
    random: &mut Random,
) -> String {
    let score = if right { "1.0" } else { "0.0" };
    let (seconds, digits) = (random.next(9000), random.next(1000));
    format!(
        r#""evaluation": {{"score": {score}, "is_correct": {right}, "num_turns": {turns}, "tool_calls_count": {calls}}}, "token_usage": {{"input_tokens": {input}, "output_tokens": {output}, "total_tokens": {}, "input_tokens_cache_write": null, "input_tokens_cache_read": 0, "reasoning_tokens": null}}, "performance": {{"latency_ms": {seconds}.{digits:03}, "time_to_first_token_ms": null, "generation_time_ms": {seconds}.5, "additional_details": null}}, "error": null, "metadata": {{"subject": "law", "epoch": "1"}}"#,
        input + output
    )
}
