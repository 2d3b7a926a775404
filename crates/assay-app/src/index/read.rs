//! Readers of the files of a repository: entries, definitions, cards. A pure function of their
//! bytes.

use std::io::{self, Read};
use std::sync::Arc;

use assay_check::{
    Context, FileKind, Files, Item, LayoutPolicy, NoBenchmarks, Options, ResultFile, Validated,
    ValidatedFile, validate,
};
use assay_formats::eval_results::TOKEN_KEYS;
use assay_formats::{JsonConverter, Tape, card, eval_yaml, json, yaml};
use assay_model::{Benchmark, Entry, Finding, Severity, Standing, Timestamp};
use assay_store::{Card, Evidence};
use serde_json::{Map, Value as Json};

use super::digest::digest;
use crate::board::rewritten;
use crate::trust::{evidence_of, mark_repeats};

/// The folder of a model that holds its result files.
pub(crate) const RESULTS_FOLDER: &str = ".eval_results";
/// The file of a dataset that makes it a benchmark.
pub(crate) const DEFINITION_FILE: &str = "eval.yaml";
/// The file of a repository whose front matter is its card.
pub(crate) const CARD_FILE: &str = "README.md";
/// The largest `README.md` whose card is read, in bytes.
pub(super) const MAX_CARD_BYTES: u64 = 8 << 20;
/// Maximum size of a file that is read for the index, in bytes: as large as validation reads YAML.
pub(crate) const MAX_BYTES: u64 = assay_formats::syntax::limits::MAX_YAML_BYTES as u64;

/// The most parameters that are believed: more than anybody could count.
const MAX_PARAMETERS: u64 = 1_000_000_000_000_000;

/// One entry of a result file, with how it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Submission {
    /// The entry.
    pub(crate) entry: Entry,
    /// The warnings that follow from the file alone.
    pub(super) findings: Vec<Finding>,
    /// The entry as it was written, with the keys that clients read today.
    pub(super) data: Json,
    /// By which it is known again, whatever its spelling and its place.
    pub(super) digest: [u8; 32],
    /// The standing, when it is settled by where the entry was written.
    pub(super) standing: Option<Standing>,
    /// The evidence for the verifier, when the entry has a token.
    pub(crate) evidence: Option<Evidence>,
}

/// Returns whether a file directly in [`RESULTS_FOLDER`] is read for results.
pub(crate) fn is_result_file(name: &str) -> bool {
    FileKind::of_path(&format!("{RESULTS_FOLDER}/{name}")) == Some(FileKind::EvalResults)
}

/// The entries of a result file; none when it is refused.
///
/// What the index says of a file follows from its bytes, and not from what else the hub knew when
/// it was pushed: a rebuilt index would differ. So benchmarks and the clock have no part in it.
pub(super) fn submissions(file: &ResultFile) -> Vec<Submission> {
    let mut converter = JsonConverter::new();
    let submitted = file.entries().into_iter().flatten().map(|valid| {
        let (entry, written) = (valid.entry(), valid.written());
        let data = live(converter.map(written)?, entry);
        Some(Submission {
            digest: digest(&data),
            data,
            evidence: entry
                .token
                .as_deref()
                .map(|token| evidence_of(written, token)),
            entry: entry.clone(),
            findings: valid.findings().to_vec(),
            standing: None,
        })
    });
    // A file whose aliases stand for more than anyone would write says nothing.
    let mut submitted: Vec<Submission> = submitted.collect::<Option<_>>().unwrap_or_default();
    mark_repeats(submitted.iter_mut().filter_map(|said| {
        let token = said.entry.token.as_deref()?;
        Some((token, said.evidence.as_mut()?))
    }));
    submitted
}

/// The entries of a result file that is in no repository yet; none when it is refused.
pub(crate) fn submissions_of_text(text: String) -> Vec<Submission> {
    submissions(&ResultFile::read(text.into_bytes(), Context::DEFAULT_LIMIT))
}

/// The results in the `model-index` of an old card, in the words of a result file.
pub(super) fn legacy_submissions(bytes: &[u8]) -> Vec<Submission> {
    let (card, _) = card::read(&String::from_utf8_lossy(bytes));
    let submitted = card.legacy.into_iter().map(|legacy| {
        let data = Json::Object(rewritten(&legacy.entry));
        Submission {
            digest: digest(&data),
            data,
            evidence: None,
            findings: Vec::new(),
            standing: Some(legacy.standing()),
            entry: legacy.entry,
        }
    });
    submitted.collect()
}

/// The entry as it was written, with both spellings of its token: clients read one, the format has
/// the other. A key without a value says nothing, and clients stumble over it.
fn live(mut written: Map<String, Json>, entry: &Entry) -> Json {
    written.retain(|_, value| !value.is_null());
    if let Some(token) = &entry.token {
        for key in TOKEN_KEYS {
            written.insert(key.to_owned(), Json::String(token.clone()));
        }
    }
    Json::Object(written)
}

/// The definition of a benchmark as JSON, and what it means; none when it is invalid.
pub(crate) fn definition(bytes: Vec<u8>) -> Option<(Json, Benchmark)> {
    let (bytes, validated) = validate_alone(bytes, DEFINITION_FILE.to_owned(), FileKind::EvalYaml);
    let ValidatedFile::Benchmark(benchmark) = validated.as_ref()?.get() else {
        return None;
    };
    let text = std::str::from_utf8(&bytes).ok()?;
    let mut tape = Tape::with_room_for(text.len());
    yaml::parse(text, &mut tape);
    Some((
        JsonConverter::new().json(tape.root(text)?)?,
        benchmark.clone(),
    ))
}

/// Returns the definition that was kept as JSON.
pub(crate) fn benchmark_of(definition: &Json) -> Option<Benchmark> {
    let text = definition.to_string();
    let mut tape = Tape::with_room_for(text.len());
    json::parse(&text, &mut tape);
    eval_yaml::read(tape.root(&text)?)
}

/// Returns the front matter of a `README.md`; none when it has none.
pub(super) fn card(bytes: &[u8]) -> Option<Card> {
    let (card, _) = card::read(&String::from_utf8_lossy(bytes));
    let data = card.data?;
    let parameters = data.get("parameters").and_then(parameters);
    Some(Card {
        data: Json::Object(data),
        tags: card.tags,
        base_models: card.base_models,
        license: card.license,
        pipeline_tag: card.pipeline_tag,
        library: card.library_name,
        parameters,
    })
}

/// Returns the number of parameters that a card states: a whole number, or a text such as `7.2B`.
fn parameters(written: &Json) -> Option<u64> {
    if let Some(count) = written.as_u64() {
        return Some(count).filter(|count| (1..=MAX_PARAMETERS).contains(count));
    }
    let text = written.as_str()?.trim();
    let (digits, unit) = match text.char_indices().last()? {
        (at, 'K' | 'k') => (&text[..at], 1e3),
        (at, 'M' | 'm') => (&text[..at], 1e6),
        (at, 'B' | 'b') => (&text[..at], 1e9),
        (at, 'T' | 't') => (&text[..at], 1e12),
        (_, _) => (text, 1.0),
    };
    let count = (digits.trim().parse::<f64>().ok()? * unit).round();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 1 and the most there can be"
    )]
    (count >= 1.0 && count <= MAX_PARAMETERS as f64).then_some(count as u64)
}

/// Validates one file by itself; the bytes come back.
fn validate_alone(bytes: Vec<u8>, path: String, kind: FileKind) -> (Vec<u8>, Option<Validated>) {
    let file = OneFile {
        path: path.into(),
        bytes,
    };
    let item = Item {
        path: Arc::clone(&file.path),
        kind: Some(kind),
    };
    let context = Context {
        benchmarks: &NoBenchmarks,
        unknown_benchmark: Severity::Warning,
        layout: LayoutPolicy::Off,
        // Nobody reads what is found here; whoever pushed the file was told.
        limit: 1,
        // What was accepted stays so, whatever the clock says when the index is built again.
        now: Timestamp::MAX,
    };
    let report = validate(&file, &[item], &context, &Options::default()).pop();
    (file.bytes, report.and_then(|report| report.validated))
}

/// A file in memory.
struct OneFile {
    path: Arc<str>,
    bytes: Vec<u8>,
}

impl Files for OneFile {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        if *path == *self.path {
            Ok(Box::new(self.bytes.as_slice()))
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        (*path == *self.path).then_some(self.bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn submissions(bytes: Vec<u8>) -> Vec<Submission> {
        super::submissions(&ResultFile::read(bytes, 1))
    }

    const TARGET: &str = "- dataset: {id: acme/sums, task_id: words}\n  metrics:\n    - {metric_id: wer, value: 3.50}\n  verify_token: a.b.c\n  run: {seed: 7}\n  notes: null\n";
    const LIVE: &str = "- dataset: {id: acme/sums, task_id: words}\n  value: 72.25\n";

    #[test]
    fn an_entry_keeps_its_own_keys_and_has_those_that_clients_read() {
        let read = submissions(TARGET.into());

        assert_eq!(
            read[0].data,
            json!({
                "dataset": {"id": "acme/sums", "task_id": "words"},
                "metrics": [{"metric_id": "wer", "value": 3.5}],
                "verify_token": "a.b.c", "verifyToken": "a.b.c",
                "run": {"seed": 7},
            })
        );
        assert_eq!(read[0].entry.scores[0].literal, "3.50");
    }

    #[test]
    fn both_spellings_of_a_token_are_the_same_entry() {
        let other = TARGET.replace("verify_token", "verifyToken");

        let (one, two) = (submissions(TARGET.into()), submissions(other.into()));

        assert_eq!(one[0].digest, two[0].digest);
    }

    #[test]
    fn a_file_with_errors_has_no_entries() {
        for text in [
            "",
            "- {}",
            "\u{0}",
            "- dataset: {id: a/b, task_id: t}\n  value: .nan\n",
        ] {
            assert_eq!(submissions(text.into()), [], "{text:?}");
        }
        assert_eq!(submissions(vec![0xff, 0xfe]), []);
        assert_eq!(submissions(LIVE.into()).len(), 1);
    }

    #[test]
    fn an_entry_with_a_token_brings_its_canonical_form_and_says_when_it_is_said_again() {
        let twice = format!("{TARGET}{TARGET}{LIVE}");
        let twice = twice.replace("  notes: null\n", "");

        let read = submissions(twice.into());

        let evidence: Vec<_> = read.iter().map(|said| said.evidence.as_ref()).collect();
        let [Some(first), Some(second), None] = evidence.as_slice() else {
            panic!("two of them have a token: {evidence:?}");
        };
        assert!(first.form.starts_with(r#"{"dataset""#), "{}", first.form);
        assert!(!first.form.contains("verify_token"));
        assert_eq!((first.repeated, second.repeated), (false, true));
    }

    #[test]
    fn an_entry_that_tools_read_differently_brings_the_reason() {
        let read = submissions(TARGET.into());

        let evidence = read[0].evidence.as_ref().unwrap();
        assert!(
            evidence.form.starts_with("yaml_ambiguous_scalar\n"),
            "{}",
            evidence.form
        );
    }

    #[test]
    fn a_definition_kept_as_json_means_what_the_file_meant() {
        let text = "name: Sums\ndescription: Adding.\nmetrics:\n  - {id: wer, display_name: WER, higher_is_better: false}\ntasks:\n  - {id: words, split: test}\n";

        let (kept, meant) = definition(text.into()).unwrap();

        assert_eq!(benchmark_of(&kept), Some(meant));
        assert_eq!(definition("name: x".into()), None);
    }

    #[test]
    fn a_card_may_say_how_many_parameters_there_are() {
        let said = |text: &str| {
            let readme = format!("---\nlicense: mit\nparameters: {text}\n---\n");
            card(readme.as_bytes()).unwrap().parameters
        };

        assert_eq!(said("7241732096"), Some(7_241_732_096));
        assert_eq!(said("7.2B"), Some(7_200_000_000));
        assert_eq!(said("350m"), Some(350_000_000));
        for nonsense in ["0", "-7", "many", "\"\"", "1e300T", "[7]", "NaN", "\u{e9}"] {
            assert_eq!(said(nonsense), None, "{nonsense}");
        }
    }
}
