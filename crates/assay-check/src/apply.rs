//! The order in which rules are applied, and to which files.

use assay_formats::shape::{ShapeFault, ShapeFaultKind, Unknown};
use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind};
use assay_formats::{Kind, Value};
use assay_model::Timestamp;

use crate::forensics::{self, Claim};
use crate::layout::Location;
use crate::pairing::Pairing;
use crate::parts::ResultParts;
use crate::record::RecordFacts;
use crate::row::Row;
use crate::rules::{
    attribution_out_of_range, blank_name, blank_sample_id, bounds_reversed, broken_syntax,
    checksum_differs, checksum_incomplete, contradicted_details, contradicts_score,
    control_character, developer_differs, duplicate_key, duplicate_result_id, early_timestamp,
    evaluated_after_retrieval, evaluation_id_differs, evaluation_id_form, failed_but_correct,
    future_date, interval_reversed, lone_surrogate, missing_key, missing_key_here, missing_samples,
    misspelt_key, model_id_differs, negative_amount, no_messages, no_results, no_rows,
    non_finite_number, not_a_dataset, not_a_level, not_an_address, not_one_of, number_out_of_range,
    out_of_layout, path_disagrees, path_out_of_form, repeated_evaluation, result_without_id,
    row_version_differs, rows_miscounted, sample_hash_form, sample_ids_miscounted,
    sample_score_out_of_bounds, samples_miscounted, samples_not_rows, samples_path_differs,
    score_not_mean, score_out_of_bounds, timestamp_out_of_form, token_total, too_deep,
    too_few_items, too_many_values, turn_count, turn_order, undeclared_samples, unfit_here,
    unknown_bound, unknown_key, unknown_result, unused_key, weak_digest, wrong_type,
    yaml_construct,
};
use crate::samples::SamplesSummary;
use crate::sink::Sink;
use crate::turns::MessageCounts;

/// Number of results most records that have at most.
const USUAL_RESULTS: usize = 16;

/// Reports a fault of the text.
pub(crate) fn syntax(fault: &SyntaxFault, sink: &mut Sink<'_>) {
    let range = fault.range.clone();
    match &fault.kind {
        SyntaxFaultKind::Expected(_)
        | SyntaxFaultKind::UnexpectedEnd
        | SyntaxFaultKind::TrailingText
        | SyntaxFaultKind::TrailingComma
        | SyntaxFaultKind::BadEscape
        | SyntaxFaultKind::Yaml(_) => broken_syntax::report(&fault.kind, range, sink),
        SyntaxFaultKind::DuplicateKey { first } => duplicate_key::report(first, range, sink),
        SyntaxFaultKind::NonFinite => non_finite_number::report(range, sink),
        SyntaxFaultKind::LoneSurrogate => lone_surrogate::report(range, sink),
        SyntaxFaultKind::ControlCharacter => control_character::report(range, sink),
        SyntaxFaultKind::TooDeep => too_deep::report(range, sink),
        SyntaxFaultKind::TooManyValues => too_many_values::report(range, sink),
        SyntaxFaultKind::YamlConstruct(construct) => {
            yaml_construct::report(*construct, range, sink);
        }
    }
}

/// Reports a departure from a shape; returns whether the document can still be accepted.
pub(crate) fn shape(fault: &ShapeFault<'_>, sink: &mut Sink<'_>) -> bool {
    let at = fault.at;
    match fault.kind {
        ShapeFaultKind::MissingKey { key, object } => missing_key::report(at, key, object, sink),
        ShapeFaultKind::MissingWhen { key, condition } => {
            missing_key_here::report(at, key, condition, sink);
        }
        ShapeFaultKind::UnfitWhen {
            expected,
            condition,
        } => unfit_here::report(at, expected, condition, sink),
        ShapeFaultKind::WrongKind { expected } | ShapeFaultKind::Null { expected, .. } => {
            wrong_type::report(at, expected, sink);
        }
        ShapeFaultKind::NotOneOf { options } => not_one_of::report(at, options, sink),
        ShapeFaultKind::Pattern(pattern) => path_out_of_form::report(at, pattern, sink),
        ShapeFaultKind::UnknownKey { object } => unknown_key::report(at, object, sink),
        ShapeFaultKind::TooSmall { min } => number_out_of_range::too_small(at, min, sink),
        ShapeFaultKind::TooLarge { max } => number_out_of_range::too_large(at, max, sink),
        ShapeFaultKind::TooFew { min } => too_few_items::report(at, min, sink),
        ShapeFaultKind::UnknownVariant { tag, variants } => {
            not_one_of::variant(at, tag, variants, sink);
        }
        ShapeFaultKind::StrangeKey { object } => {
            match object.unknown {
                Unknown::Report => unused_key::report(at, object, sink),
                Unknown::Keep | Unknown::Refuse => misspelt_key::report(at, object, sink),
            }
            return true;
        }
    }
    false
}

/// Validates a record by itself.
pub(crate) fn record(
    root: Value<'_>,
    location: &Location<'_>,
    now: Timestamp,
    sink: &mut Sink<'_>,
) {
    out_of_layout::check(location, sink);
    path_disagrees::check(root, location, sink);
    blank_name::record(root, sink);
    developer_differs::check(root, sink);
    evaluation_id_form::check(root, sink);
    let [retrieved, evaluated] = root.parts(["retrieved_timestamp", "evaluation_timestamp"]);
    if let Some(stamp) = retrieved {
        timestamp(stamp, now, sink);
    }
    if let Some(stamp) = evaluated {
        timestamp(stamp, now, sink);
        evaluated_after_retrieval::check(stamp, retrieved, sink);
    }
    if let Some(source) = root.get("source_metadata") {
        not_an_address::organisation(source, sink);
    }
    let Some(results) = root.get("evaluation_results") else {
        return;
    };
    no_results::check(results, sink);
    duplicate_result_id::check(results, sink);
    repeated_evaluation::check(results, sink);
    result_without_id::check(root, results, sink);
    let mut claims = Vec::with_capacity(USUAL_RESULTS);
    for parts in results.items().map(ResultParts::of) {
        result(&parts, sink);
        if let Some(stamp) = parts.timestamp {
            timestamp(stamp, now, sink);
            evaluated_after_retrieval::check(stamp, retrieved, sink);
        }
        if let Some(claim) = Claim::of(&parts) {
            contradicted_details::check(&parts, &claim, sink);
            claims.push(claim);
        }
    }
    forensics::check_all(&claims, sink);
}

/// Validates a timestamp of a record by itself.
fn timestamp(stamp: Value<'_>, now: Timestamp, sink: &mut Sink<'_>) {
    timestamp_out_of_form::check(stamp, sink);
    future_date::timestamp(stamp, now, sink);
    early_timestamp::check(stamp, sink);
}

/// Validates one result of a record.
fn result(result: &ResultParts<'_>, sink: &mut Sink<'_>) {
    blank_name::result(result, sink);
    not_an_address::data(&result.data, sink);
    not_a_dataset::check(&result.data, sink);
    sample_ids_miscounted::check(&result.data, sink);
    if let Some(metric) = &result.metric {
        unknown_bound::check(metric, sink);
        bounds_reversed::check(metric, sink);
        if let Some(score) = result.score {
            score_out_of_bounds::check(metric, score, sink);
            not_a_level::check(metric, score, sink);
        }
    }
    interval_reversed::check(&result.uncertainty, sink);
    negative_amount::check(&result.uncertainty, sink);
}

/// Validates one row of a samples file, and what it says of the `result` of its record that it
/// counts for.
///
/// This runs for every row of files with millions of them, so a rule may neither allocate nor look
/// for a path before it has something to report.
pub(crate) fn row(
    row: &Row<'_>,
    facts: Option<&RecordFacts>,
    result: Option<usize>,
    sink: &mut Sink<'_>,
) {
    if let Some(facts) = facts {
        row_version_differs::check(row, facts, sink);
        evaluation_id_differs::check(row, facts, sink);
        model_id_differs::check(row, facts, sink);
        unknown_result::check(row, facts, result, sink);
        if let Some(result) = result.and_then(|result| facts.results.get(result)) {
            sample_score_out_of_bounds::check(row, result, sink);
            contradicts_score::check(row, result, sink);
        }
    }
    if let Some(id) = row.sample_id {
        blank_sample_id::check(id, sink);
    }
    if let Some(hash) = row.sample_hash {
        sample_hash_form::check(hash, sink);
    }
    if let Some(usage) = row.token_usage {
        token_total::check(usage, sink);
    }
    failed_but_correct::check(row, sink);
    let turns = row
        .messages
        .filter(|messages| messages.kind() == Kind::List)
        .map(MessageCounts::of);
    if let (Some(messages), Some(turns)) = (row.messages, &turns) {
        no_messages::check(messages, row.error, sink);
        turn_order::check(turns, sink);
        turn_count::check(row, turns, sink);
    }
    if let Some(attribution) = row.attribution {
        let messages = turns.as_ref().map(|turns| turns.messages);
        attribution_out_of_range::check(attribution, messages, sink);
    }
}

/// Validates where a samples file lies, and whether it has rows.
pub(crate) fn samples_file(
    location: &Location<'_>,
    summary: Option<&SamplesSummary>,
    sink: &mut Sink<'_>,
) {
    out_of_layout::check(location, sink);
    if let Some(summary) = summary {
        no_rows::check(summary, sink);
    }
}

/// Validates what a record says of its samples file, once that has been read.
pub(crate) fn companion(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    if !pairing.samples_exist && pairing.declared().is_none() {
        return;
    }
    if pairing.is_placed {
        undeclared_samples::check(pairing, sink);
        samples_path_differs::check(pairing, sink);
        missing_samples::check(pairing, sink);
    }
    samples_not_rows::check(pairing, sink);
    rows_miscounted::check(pairing, sink);
    checksum_differs::check(pairing, sink);
    checksum_incomplete::check(pairing, sink);
    weak_digest::check(pairing, sink);
    samples_miscounted::check(pairing, sink);
    score_not_mean::check(pairing, sink);
}
