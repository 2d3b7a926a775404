//! Large logs: what comes out does not depend on the number of threads, and how long it takes.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Instant;

use assay_convert::convert::{Datastore, Harness, Identity, Log, Options, Pair, convert};
use serde_json::{Value, json};

use super::support::{RESULTS, in_memory, results, run, samples_path};
use crate::kit::Files;

/// The size of a log for tests of determinism: enough for several blocks.
const SOME: usize = 5 << 20;

/// A multiple choice with a prompt of five examples, which the harness writes once for each of its
/// four options.
pub(crate) fn multiple_choice(bytes: usize) -> Files {
    let mut log = results("t", &json!({"acc,none": 0.25, "acc_norm,none": 0.25}));
    log["n-samples"] = json!({});
    let mut text = String::with_capacity(bytes + (1 << 16));
    let mut words = Words(7);
    let examples = words.text(2200);
    let mut doc = 0;
    while text.len() < bytes {
        let question = words.text(300);
        let options: Vec<String> = (0..4).map(|_| words.text(30)).collect();
        let prompt = format!(
            "The following are multiple choice questions.\n\n{examples}\n\n{question}\nAnswer:"
        );
        let arguments: serde_json::Map<String, Value> = options
            .iter()
            .enumerate()
            .map(|(position, option)| {
                let request = json!({"arg_0": prompt, "arg_1": format!(" {option}")});
                (format!("gen_args_{position}"), request)
            })
            .collect();
        let likelihoods: Vec<Value> = (0..4)
            .map(|_| {
                json!([
                    format!("-{}.{}", words.next() % 5, words.next() % 1_000_000),
                    "False"
                ])
            })
            .collect();
        let acc = f64::from(u8::from(words.next().is_multiple_of(4)));
        let row = json!({
            "doc_id": doc, "doc": {"question": question, "choices": options, "answer": 1}, "target": "1",
            "arguments": arguments,
            "resps": likelihoods.iter().map(|one| json!([one])).collect::<Vec<_>>(),
            "filtered_resps": likelihoods,
            "filter": "none", "metrics": ["acc", "acc_norm"],
            "doc_hash": "0".repeat(64), "prompt_hash": "1".repeat(64), "target_hash": "2".repeat(64),
            "acc": acc, "acc_norm": acc
        });
        writeln!(text, "{row}").unwrap();
        doc += 1;
    }
    in_memory(&[(RESULTS, &log.to_string()), (&samples_path("t"), &text)])
}

/// A generation with long answers.
pub(crate) fn generation(bytes: usize) -> Files {
    let mut log = results("t", &json!({"exact_match,strict": 0.5}));
    log["n-samples"] = json!({});
    let mut text = String::with_capacity(bytes + (1 << 16));
    let mut words = Words(11);
    let examples = words.text(2200);
    let mut doc = 0;
    while text.len() < bytes {
        let question = words.text(300);
        let row = json!({
            "doc_id": doc, "doc": {"question": question, "answer": words.text(300)}, "target": "7",
            "arguments": {"gen_args_0": {
                "arg_0": format!("{examples}\n\nQuestion: {question}\nAnswer:"),
                "arg_1": {"until": ["Question:"], "max_gen_toks": 512}
            }},
            "resps": [[words.text(1000)]], "filtered_resps": ["7"],
            "filter": "strict", "metrics": ["exact_match"],
            "doc_hash": "0".repeat(64), "prompt_hash": "1".repeat(64), "target_hash": "2".repeat(64),
            "exact_match": 1.0
        });
        writeln!(text, "{row}").unwrap();
        doc += 1;
    }
    in_memory(&[(RESULTS, &log.to_string()), (&samples_path("t"), &text)])
}

/// Text that looks like text: words, quotes, line feeds and letters outside ASCII. The same every
/// time.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn text(&mut self, length: usize) -> String {
        const WORDS: [&str; 12] = [
            "the",
            "reason",
            "of",
            "probability",
            "is\n",
            "a",
            "caf\u{e9}",
            "\"so\"",
            "called",
            "number.",
            "x = 3",
            "therefore",
        ];
        let mut text = String::new();
        while text.len() < length {
            let pick = usize::try_from(self.next()).unwrap() % WORDS.len();
            text.push_str(WORDS[pick]);
            text.push(' ');
        }
        text
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    for log in [multiple_choice(SOME), generation(SOME)] {
        let files = |jobs: usize| {
            let options = Options {
                jobs,
                ..Options::default()
            };
            run(&log, RESULTS, &options).unwrap().files
        };

        let one = files(1);

        assert_eq!(one.0.len(), 2);
        assert!(one == files(1), "converting twice gave other bytes");
        assert!(one == files(4), "four threads gave other bytes");
        assert_eq!(one.errors(), Vec::<String>::new());
    }
}

/// Takes everything and keeps nothing, as a disk that costs nothing.
struct Nowhere;

impl Datastore for Nowhere {
    fn begin(&self, _: &Identity) -> io::Result<Box<dyn Pair + '_>> {
        Ok(Box::new(Gone(io::sink())))
    }
}

struct Gone(io::Sink);

impl Pair for Gone {
    fn rows(&mut self) -> &mut dyn Write {
        &mut self.0
    }

    fn finish(self: Box<Self>, _: &str, _: Option<&str>) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the number of seconds that this thread has had a processor, where the system tells:
/// other work on the machine does not count.
fn on_processor() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = line.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Prints the speed of one thread in megabytes of log per second. Without optimisation a small log
/// stands in for a large one, so that the code is run all the same.
#[test]
#[expect(clippy::print_stderr, reason = "the figure is what the test is for")]
fn a_large_log_is_converted_in_one_go() {
    let bytes = if cfg!(debug_assertions) {
        SOME
    } else {
        200_000_000
    };
    for (name, log) in [
        ("multiple choice", multiple_choice(bytes)),
        ("generation", generation(bytes)),
    ] {
        let options = Options::default();
        let log = Log {
            logs: &log,
            path: RESULTS,
            options: &options,
            datastore: &Nowhere,
            progress: &|_| {},
        };
        let start = (Instant::now(), on_processor());

        let converted = convert(Harness::LmEval, &log).unwrap();

        let elapsed = start.0.elapsed().as_secs_f64();
        let seconds = on_processor()
            .zip(start.1)
            .map_or(elapsed, |(end, start)| end - start);
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let speed = bytes as f64 / 1e6 / seconds;
        eprintln!("{name}: {} rows, {speed:.0} MB/s", converted[0].rows);
        assert!(converted[0].rows > 100 && converted[0].warnings.is_empty());
    }
}
