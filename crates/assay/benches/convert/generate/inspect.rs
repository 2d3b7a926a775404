//! Logs of Inspect AI as its versions since 0.3.206 write them: messages whole, events that refer
//! to pools of messages and texts, and the journal of the run.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Log, RIGHT, ROUND, TASK, create, fill};
use crate::random::Random;

const MODEL: &str = "openai/gpt-toy";
const TIME: &str = "2026-08-01T00:00:00.000000+00:00";
/// Inspect keeps texts of events that are longer than this many characters among the attachments.
const LONG_TEXT: usize = 100;
/// The number of samples between two parts of the journal.
const JOURNAL: u64 = 10;

/// Makes a sample of a number, right or wrong.
pub(super) type Make = fn(&mut Random, u64, bool) -> Sample;

/// A sample as it lies in a log.
pub(super) struct Sample {
    id: String,
    /// The question of its summary.
    question: String,
    json: String,
}

/// One document, with transcripts and events.
pub(super) fn document(root: &Path, bytes: usize) -> Log {
    let path = root.join("run.json");
    let mut file = create(&path);
    let mut random = Random(0x5eed);
    // The results stand in front of the samples, so these are counted first.
    let samples = fill(bytes, |number, right| {
        agentic(&mut random, number, right).json.len()
    });
    let header = header(samples);
    write!(file, "{},\"samples\":[", header.strip_suffix('}').unwrap()).unwrap();
    let mut random = Random(0x5eed);
    fill(bytes, |number, right| {
        let sample = agentic(&mut random, number, right).json;
        let comma = if number == 0 { "" } else { "," };
        write!(file, "{comma}{sample}").unwrap();
        sample.len()
    });
    file.write_all(b"]}").unwrap();
    file.flush().unwrap();
    Log { path, samples }
}

/// An archive with zstd members.
pub(super) fn archive(root: &Path, bytes: usize, make: Make) -> Log {
    let path = root.join("run.eval");
    let mut archive = ZipWriter::new(create(&path));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Zstd);
    let mut add = |name: &str, text: &str| {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    };
    let mut random = Random(0x5eed);
    let (mut summaries, mut journal) = (String::new(), String::new());
    let samples = fill(bytes, |number, right| {
        let sample = make(&mut random, number, right);
        add(&format!("samples/{}_epoch_1.json", sample.id), &sample.json);
        let value = grade(right);
        write!(journal, r#",{{"id":"{}","epoch":1,"input":"{}","target":"yes","scores":{{"includes":{{"value":"{value}"}}}},"completed":true}}"#, sample.id, sample.question).unwrap();
        if (number + 1) % JOURNAL == 0 {
            let name = format!("_journal/summaries/{}.json", (number + 1) / JOURNAL);
            add(&name, &format!("[{}]", &journal[1..]));
            summaries.push_str(&journal);
            journal.clear();
        }
        sample.json.len()
    });
    summaries.push_str(&journal);
    let header = header(samples);
    let start = header.split(",\"results\"").next().unwrap();
    add("_journal/start.json", &format!("{start}}}"));
    add("summaries.json", &format!("[{}]", &summaries[1..]));
    add("header.json", &header);
    archive.finish().unwrap().flush().unwrap();
    Log { path, samples }
}

fn header(samples: u64) -> String {
    let score = RIGHT as f64 / ROUND as f64;
    format!(
        r#"{{"version":2,"status":"success","eval":{{"eval_id":"5eed","run_id":"5eed","created":"{TIME}","task":"{TASK}","task_id":"5eed","task_version":0,"task_file":"synth.py","task_attribs":{{}},"task_args":{{}},"dataset":{{"name":"{TASK}","location":"acme/{TASK}","samples":{samples},"shuffled":false}},"model":"{MODEL}","model_generate_config":{{"temperature":0.7}},"model_args":{{}},"config":{{"epochs":1}},"packages":{{"inspect_ai":"0.3.285"}},"scorers":[{{"name":"includes","options":{{}},"metrics":[{{"name":"inspect_ai/accuracy","options":{{}}}}],"metadata":{{}}}}]}},"plan":{{"name":"plan","steps":[{{"solver":"react","params":{{}}}}],"config":{{}}}},"results":{{"total_samples":{samples},"completed_samples":{samples},"scores":[{{"name":"includes","scorer":"includes","scored_samples":{samples},"unscored_samples":0,"params":{{}},"metrics":{{"accuracy":{{"name":"accuracy","value":{score},"params":{{}}}}}}}}]}},"stats":{{"started_at":"{TIME}","completed_at":"2026-08-01T01:00:00+00:00","model_usage":{{}}}}}}"#
    )
}

fn grade(right: bool) -> &'static str {
    if right { "C" } else { "I" }
}

/// The long texts of a sample, which its events refer to.
#[derive(Default)]
struct Attachments(String);

impl Attachments {
    /// A text as events have it.
    fn text(&mut self, random: &mut Random, text: &str) -> String {
        if text.len() <= LONG_TEXT {
            return text.to_owned();
        }
        let key = name(random);
        let comma = if self.0.is_empty() { "" } else { "," };
        write!(self.0, r#"{comma}"{key}":"{text}""#).unwrap();
        format!("attachment://{key}")
    }
}

/// Something that looks like a digest.
fn name(random: &mut Random) -> String {
    let (high, low) = (random.next(u64::MAX), random.next(u64::MAX));
    format!("{high:016x}{low:016x}")
}

/// A transcript of ten to thirty turns with tools, and what its events say of it.
pub(super) fn agentic(random: &mut Random, number: u64, right: bool) -> Sample {
    let id = format!("task-{number:06}");
    let mut attachments = Attachments::default();
    let question = random.text(120);
    let asked = attachments.text(random, &question);
    let mut messages =
        format!(r#"{{"id":"m0","content":"{question}","source":"input","role":"user"}}"#);
    let mut pool = format!(r#"{{"id":"m0","content":"{asked}","source":"input","role":"user"}}"#);
    let tools = tools(random, &mut attachments);
    let mut events = event(random, "span_begin", r#""type":"solver","name":"react""#);
    let turns = 10 + random.next(20);
    for turn in 0..turns {
        let (said, command, answer) = (random.text(45), random.text(25), random.text(160));
        let call = name(random);
        let assistant = |said: &str, command: &str| {
            format!(
                r#"{{"id":"a{call}","content":"{said}","source":"generate","role":"assistant","model":"gpt-toy","tool_calls":[{{"id":"call_{call}","function":"bash","arguments":{{"cmd":"{command}"}},"type":"function"}}]}}"#
            )
        };
        let tool = |answer: &str| {
            format!(
                r#"{{"id":"t{call}","content":"{answer}","role":"tool","tool_call_id":"call_{call}","function":"bash"}}"#
            )
        };
        write!(
            messages,
            ",{},{}",
            assistant(&said, &command),
            tool(&answer)
        )
        .unwrap();
        let long = [&said, &command, &answer].map(|text| attachments.text(random, text));
        let (asked, answered) = (assistant(&long[0], &long[1]), tool(&long[2]));
        write!(pool, ",{asked},{answered}").unwrap();
        let model = format!(
            r#""model":"{MODEL}","input":[],"input_refs":[[0,{}]],"tools":{tools},"tool_choice":"auto","config":{{"temperature":0.7}},"output":{{"model":"gpt-toy","choices":[{{"message":{asked},"stop_reason":"tool_calls"}}],"usage":{{"input_tokens":{},"output_tokens":{}}},"time":2.5}}"#,
            2 * turn + 1,
            random.next(90_000),
            random.next(900)
        );
        let used = format!(
            r#""type":"function","id":"call_{call}","function":"bash","arguments":{{"cmd":"{}"}},"result":"{}","message_id":"t{call}""#,
            long[1], long[2]
        );
        write!(
            events,
            ",{},{}",
            event(random, "model", &model),
            event(random, "tool", &used)
        )
        .unwrap();
    }
    let state: Vec<String> = (0..turns)
        .map(|turn| format!(r#"{{"op":"add","path":"/messages/{turn}","value":{{"id":"m{turn}","role":"tool"}}}}"#))
        .collect();
    let state = format!(r#""changes":[{}]"#, state.join(","));
    write!(events, ",{}", event(random, "state", &state)).unwrap();
    let last = random.text(20);
    let end = Ending {
        messages,
        last,
        events,
        pool,
        attachments,
    };
    let json = end.sample(random, &id, number, &question, right);
    Sample { id, question, json }
}

/// One question and one answer.
pub(super) fn single(random: &mut Random, number: u64, right: bool) -> Sample {
    let id = number.to_string();
    let mut attachments = Attachments::default();
    let (question, last) = (random.text(60), random.text(15));
    let asked = attachments.text(random, &question);
    let user =
        |text: &str| format!(r#"{{"id":"m0","content":"{text}","source":"input","role":"user"}}"#);
    let model = format!(
        r#""model":"{MODEL}","input":[],"input_refs":[[0,1]],"tools":[],"tool_choice":"none","config":{{}},"output":{{"model":"gpt-toy","choices":[{{"message":{{"id":"last","content":"{last}","source":"generate","role":"assistant","model":"gpt-toy"}},"stop_reason":"stop"}}],"time":0.5}}"#
    );
    let events = [
        event(
            random,
            "span_begin",
            r#""type":"solver","name":"multiple_choice""#,
        ),
        event(random, "model", &model),
        event(random, "span_end", r#""name":"multiple_choice""#),
        event(
            random,
            "score",
            r#""score":{"value":"C","answer":"yes"},"target":"yes","scorer":"includes""#,
        ),
    ];
    let end = Ending {
        messages: user(&question),
        last,
        events: events.join(","),
        pool: user(&asked),
        attachments,
    };
    let json = end.sample(random, &id, number, &question, right);
    Sample { id, question, json }
}

/// The tools of a model, which every request repeats.
fn tools(random: &mut Random, attachments: &mut Attachments) -> String {
    let tools = ["bash", "python", "text_editor", "submit"].map(|tool| {
        let (about, parameter) = (random.text(90), random.text(30));
        let about = attachments.text(random, &about);
        format!(
            r#"{{"name":"{tool}","description":"{about}","parameters":{{"type":"object","properties":{{"cmd":{{"type":"string","description":"{parameter}"}},"timeout":{{"type":"integer","description":"Timeout in seconds."}}}},"required":["cmd"],"additionalProperties":false}}}}"#
        )
    });
    format!("[{}]", tools.join(","))
}

fn event(random: &mut Random, kind: &str, rest: &str) -> String {
    let (uuid, span) = (name(random), name(random));
    format!(
        r#"{{"uuid":"{uuid}","span_id":"{span}","timestamp":"{TIME}","working_start":{}.5,"event":"{kind}",{rest}}}"#,
        random.next(1000)
    )
}

/// The facts of a sample at its end.
struct Ending {
    messages: String,
    last: String,
    events: String,
    pool: String,
    attachments: Attachments,
}

impl Ending {
    fn sample(
        &self,
        random: &mut Random,
        id: &str,
        number: u64,
        question: &str,
        right: bool,
    ) -> String {
        let Self {
            messages,
            last,
            events,
            pool,
            attachments,
        } = self;
        let message = format!(
            r#"{{"id":"last","content":"{last}","source":"generate","role":"assistant","model":"gpt-toy"}}"#
        );
        let (input, output) = (3000 + random.next(90_000), 300 + random.next(9000));
        let usage = format!(
            r#"{{"input_tokens":{input},"output_tokens":{output},"total_tokens":{}}}"#,
            input + output
        );
        format!(
            r#"{{"id":"{id}","epoch":1,"input":"{question}","target":"yes","messages":[{messages},{message}],"output":{{"model":"gpt-toy","choices":[{{"message":{message},"stop_reason":"stop"}}],"completion":"{last}","usage":{usage},"time":0.5}},"scores":{{"includes":{{"value":"{}","answer":"yes","explanation":"{last}","history":[]}}}},"metadata":{{"category":"c{}"}},"store":{{}},"events":[{events}],"model_usage":{{"{MODEL}":{usage}}},"total_time":12.5,"working_time":10.25,"uuid":"s{number}","error_retries":[],"attachments":{{{}}},"events_data":{{"messages":[{pool}],"calls":[]}}}}"#,
            grade(right),
            number % 17,
            attachments.0
        )
    }
}
