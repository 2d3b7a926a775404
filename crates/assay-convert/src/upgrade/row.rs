//! One row of a samples file, from 0.2 to 0.3.0.

use assay_formats::eee::{Version, instance_shape};
use assay_formats::json::{Layout, Map, Node, Parser, write};
use assay_formats::{Kind, Tape};
use assay_model::quote;

use super::conform::conform;
use super::details::{details, file_away};
use super::refusal::{Reason, ReasonKind};
use super::report::{ChangeKind, Ledger};
use super::rows::Target;
use super::verify::{shape_reasons, syntax_reason};

/// The keys of a row.
const ROW_KEYS: [&str; 17] = [
    "schema_version",
    "evaluation_id",
    "model_id",
    "evaluation_name",
    "evaluation_result_id",
    "sample_id",
    "sample_hash",
    "interaction_type",
    "input",
    "output",
    "messages",
    "answer_attribution",
    "evaluation",
    "token_usage",
    "performance",
    "error",
    "metadata",
];

/// The keys of a row's timing.
const PERFORMANCE_KEYS: [&str; 4] = [
    "latency_ms",
    "time_to_first_token_ms",
    "generation_time_ms",
    "additional_details",
];

/// The name of messages until 0.2.0.
const INTERACTIONS: &str = "interactions";

/// Upgrades rows one by one with the same buffers.
#[derive(Debug, Default)]
pub(crate) struct RowUpgrader {
    parser: Parser,
    tape: Tape,
    /// The changes of the last row.
    pub(crate) ledger: Ledger,
}

impl RowUpgrader {
    /// The row in the current version, on one line without a line end.
    pub(crate) fn upgrade(&mut self, source: &str, target: &Target) -> Result<String, Vec<Reason>> {
        self.ledger.changes.clear();
        let mut row = self.read(source)?;
        version(&row).map_err(|reason| vec![reason])?;
        row.set("schema_version", Version::CURRENT.as_str());
        let ledger = &mut self.ledger;
        belong_to(&mut row, target, ledger);
        rename_messages(&mut row, ledger);
        number_score(&mut row, ledger);
        free_performance(&mut row, ledger);
        file_strangers_away(&mut row, ledger);
        let mut root = Node::Map(row);
        conform(instance_shape(Version::CURRENT), &mut root, ledger);
        let text = write(&root, Layout::Compact);
        self.verify(&text)?;
        Ok(text)
    }

    fn read(&mut self, source: &str) -> Result<Map, Vec<Reason>> {
        self.parser.parse(source, &mut self.tape);
        let faults = self.parser.take_faults();
        let reasons: Vec<Reason> = faults
            .iter()
            .filter_map(|fault| syntax_reason(source, fault))
            .collect();
        if !reasons.is_empty() {
            return Err(reasons);
        }
        match self.tape.root(source).map(Node::of) {
            Some(Node::Map(map)) => Ok(map),
            Some(_) | None => Err(vec![Reason::whole(
                ReasonKind::NotAnObject,
                "the row is not an object",
            )]),
        }
    }

    fn verify(&mut self, text: &str) -> Result<(), Vec<Reason>> {
        self.parser.parse(text, &mut self.tape);
        let faults = self.parser.take_faults();
        let mut reasons: Vec<Reason> = faults
            .iter()
            .filter_map(|fault| syntax_reason(text, fault))
            .collect();
        if let Some(root) = self.tape.root(text) {
            reasons.extend(shape_reasons(instance_shape(Version::CURRENT), root));
        }
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(reasons)
        }
    }
}

/// Checks that a row is of a version that is known. Rows without one are as old as rows get.
fn version(row: &Map) -> Result<(), Reason> {
    let written = match row.get("schema_version") {
        None | Some(Node::Null) => return Ok(()),
        Some(node) => node.text().unwrap_or_default(),
    };
    written.parse::<Version>().map(|_| ()).map_err(|_| {
        Reason::at(
            ReasonKind::UnknownVersion,
            "schema_version".to_owned(),
            format!(
                "{} is not a schema version that rows were written in",
                quote(written)
            ),
        )
    })
}

/// Makes a row name the record it belongs to. Converters of 0.2 wrote the name of the samples file
/// instead.
fn belong_to(row: &mut Map, target: &Target, ledger: &mut Ledger) {
    for (key, value) in [
        ("evaluation_id", &target.evaluation_id),
        ("model_id", &target.model_id),
    ] {
        if row.text_of(key) != Some(value) {
            row.set(key, value.as_str());
            ledger.note_at(key, ChangeKind::Restated, "now that of the record");
        }
    }
}

/// Calls the exchange `messages`, also where an attribution points into it.
fn rename_messages(row: &mut Map, ledger: &mut Ledger) {
    if row
        .get("messages")
        .is_none_or(|own| own.kind() == Kind::Null)
    {
        // An empty `messages` beside `interactions` says nothing, and would stand in the way.
        if row.get(INTERACTIONS).is_some() {
            row.remove("messages");
        }
        if row.rename(INTERACTIONS, "messages") {
            ledger.note_at(INTERACTIONS, ChangeKind::Renamed, "to `messages`");
        }
    }
    let Some(attributions) = row.get_mut("answer_attribution") else {
        return;
    };
    ledger.at_key("answer_attribution", |ledger| {
        for (index, attribution) in attributions.items_mut().iter_mut().enumerate() {
            let Some(attribution) = attribution.map_mut() else {
                continue;
            };
            let rest = attribution
                .text_of("source")
                .and_then(|source| source.strip_prefix(INTERACTIONS))
                .filter(|rest| rest.is_empty() || rest.starts_with(['[', '.']));
            if let Some(source) = rest.map(|rest| format!("messages{rest}")) {
                attribution.set("source", source);
                ledger.at_index(index, |ledger| {
                    let detail = format!("`{INTERACTIONS}` is `messages` now");
                    ledger.note_at("source", ChangeKind::Renamed, detail);
                });
            }
        }
    });
}

/// Turns a score of true or false into 1 or 0.
fn number_score(row: &mut Map, ledger: &mut Ledger) {
    let Some(evaluation) = row.map_of_mut("evaluation") else {
        return;
    };
    if let Some(Node::Bool(right)) = evaluation.get("score") {
        let score = u64::from(*right);
        evaluation.set("score", score);
        ledger.note_at(
            "evaluation.score",
            ChangeKind::Restated,
            "was a boolean, now 0 or 1",
        );
    }
}

/// Files timings that have no key of their own among the details of the timing.
fn free_performance(row: &mut Map, ledger: &mut Ledger) {
    let Some(performance) = row.map_of_mut("performance") else {
        return;
    };
    let strangers = performance.take_unless(|key, _| PERFORMANCE_KEYS.contains(&key));
    if strangers.is_empty() {
        return;
    }
    ledger.at_key("performance", |ledger| {
        if let Some(details) = details(performance, "additional_details", ledger) {
            file_away(strangers, details, "performance.additional_details", ledger);
        }
    });
}

/// Files keys that rows do not have any more among the metadata.
fn file_strangers_away(row: &mut Map, ledger: &mut Ledger) {
    let strangers = row.take_unless(|key, _| ROW_KEYS.contains(&key));
    if strangers.is_empty() {
        return;
    }
    if let Some(metadata) = details(row, "metadata", ledger) {
        file_away(strangers, metadata, "metadata", ledger);
    }
}
