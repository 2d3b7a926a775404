//! The rules, one file each, named for the fault. The doc comment of a rule is its page.

use assay_formats::Value;

use crate::rule::Rule;

pub(crate) mod ambiguous_scalar;
pub(crate) mod attribution_out_of_range;
pub(crate) mod bad_date;
pub(crate) mod bad_number;
pub(crate) mod bad_repo_id;
pub(crate) mod bad_revision;
pub(crate) mod bad_token;
pub(crate) mod bad_url;
pub(crate) mod blank_definition;
pub(crate) mod blank_name;
pub(crate) mod blank_row;
pub(crate) mod blank_sample_id;
pub(crate) mod bounds_reversed;
pub(crate) mod breaks_inspect;
pub(crate) mod broken_syntax;
pub(crate) mod byte_order_mark;
pub(crate) mod checksum_differs;
pub(crate) mod checksum_incomplete;
pub(crate) mod contradicted_details;
pub(crate) mod contradicted_direction;
pub(crate) mod contradicted_interval;
pub(crate) mod contradicted_standard_error;
pub(crate) mod contradicts_score;
pub(crate) mod control_character;
pub(crate) mod copied_scores;
pub(crate) mod copied_values;
pub(crate) mod declared_provenance;
pub(crate) mod developer_differs;
pub(crate) mod duplicate_key;
pub(crate) mod duplicate_record;
pub(crate) mod duplicate_result_id;
pub(crate) mod duplicate_sample;
pub(crate) mod early_timestamp;
pub(crate) mod empty_key;
pub(crate) mod evaluated_after_retrieval;
pub(crate) mod evaluation_id_differs;
pub(crate) mod evaluation_id_form;
pub(crate) mod failed_but_correct;
pub(crate) mod future_date;
pub(crate) mod hidden_text;
pub(crate) mod implausible_scale;
pub(crate) mod implied_samples;
pub(crate) mod impossible_deviation;
pub(crate) mod impossible_score;
pub(crate) mod interval_excludes_score;
pub(crate) mod interval_reversed;
pub(crate) mod invalid_id;
pub(crate) mod lone_surrogate;
pub(crate) mod misnamed_file;
pub(crate) mod missing_key;
pub(crate) mod missing_key_here;
pub(crate) mod missing_samples;
pub(crate) mod misspelt_key;
pub(crate) mod model_id_differs;
pub(crate) mod negative_amount;
pub(crate) mod nested_results;
pub(crate) mod no_messages;
pub(crate) mod no_metrics;
pub(crate) mod no_results;
pub(crate) mod no_rows;
pub(crate) mod no_score;
pub(crate) mod non_finite_number;
pub(crate) mod not_a_dataset;
pub(crate) mod not_a_level;
pub(crate) mod not_an_address;
pub(crate) mod not_one_of;
pub(crate) mod not_the_mean;
pub(crate) mod not_utf8;
pub(crate) mod number_out_of_range;
pub(crate) mod other_benchmark;
pub(crate) mod other_dataset;
pub(crate) mod other_model;
pub(crate) mod other_name;
pub(crate) mod other_samples;
pub(crate) mod out_of_layout;
pub(crate) mod path_disagrees;
pub(crate) mod path_out_of_form;
pub(crate) mod primary_metric;
pub(crate) mod record_disagrees;
pub(crate) mod record_missing;
pub(crate) mod repeated_evaluation;
pub(crate) mod repeated_evaluation_id;
pub(crate) mod repeated_id;
pub(crate) mod repeated_metric;
pub(crate) mod repeated_run;
pub(crate) mod result_without_id;
pub(crate) mod rounded_copy;
pub(crate) mod row_version_differs;
pub(crate) mod rows_miscounted;
pub(crate) mod run_again;
pub(crate) mod run_disagrees;
pub(crate) mod sample_hash_form;
pub(crate) mod sample_ids_miscounted;
pub(crate) mod sample_score_out_of_bounds;
pub(crate) mod samples_miscounted;
pub(crate) mod samples_not_rows;
pub(crate) mod samples_path_differs;
pub(crate) mod scale_differs;
pub(crate) mod scale_slip;
pub(crate) mod schema_version;
pub(crate) mod score_not_mean;
pub(crate) mod score_out_of_bounds;
pub(crate) mod timestamp_out_of_form;
pub(crate) mod token_total;
pub(crate) mod too_deep;
pub(crate) mod too_few_items;
pub(crate) mod too_large;
pub(crate) mod too_many_values;
pub(crate) mod turn_count;
pub(crate) mod turn_order;
pub(crate) mod undeclared_samples;
pub(crate) mod unfit_here;
pub(crate) mod unknown_benchmark;
pub(crate) mod unknown_bound;
pub(crate) mod unknown_framework;
pub(crate) mod unknown_key;
pub(crate) mod unknown_kind;
pub(crate) mod unknown_metric;
pub(crate) mod unknown_result;
pub(crate) mod unknown_task;
pub(crate) mod unreachable_score;
pub(crate) mod unreadable;
pub(crate) mod unused_key;
pub(crate) mod unusual_score;
pub(crate) mod unverifiable;
pub(crate) mod value_disagrees;
pub(crate) mod value_slip;
pub(crate) mod value_type_mismatch;
pub(crate) mod weak_digest;
pub(crate) mod wrong_root;
pub(crate) mod wrong_type;
pub(crate) mod yaml_construct;
pub(crate) mod zero_standard_error;

/// Every rule, by code.
pub static ALL: &[&Rule] = &[
    &unreadable::UNREADABLE,
    &unknown_kind::UNKNOWN_KIND,
    &too_large::TOO_LARGE,
    &not_utf8::NOT_UTF8,
    &byte_order_mark::BYTE_ORDER_MARK,
    &broken_syntax::BROKEN_SYNTAX,
    &duplicate_key::DUPLICATE_KEY,
    &non_finite_number::NON_FINITE_NUMBER,
    &lone_surrogate::LONE_SURROGATE,
    &control_character::CONTROL_CHARACTER,
    &too_deep::TOO_DEEP,
    &too_many_values::TOO_MANY_VALUES,
    &yaml_construct::YAML_CONSTRUCT,
    &ambiguous_scalar::AMBIGUOUS_SCALAR,
    &missing_key::MISSING_KEY,
    &wrong_type::WRONG_TYPE,
    &not_one_of::NOT_ONE_OF,
    &unknown_key::UNKNOWN_KEY,
    &unused_key::UNUSED_KEY,
    &misspelt_key::MISSPELT_KEY,
    &number_out_of_range::NUMBER_OUT_OF_RANGE,
    &too_few_items::TOO_FEW_ITEMS,
    &path_out_of_form::PATH_OUT_OF_FORM,
    &missing_key_here::MISSING_KEY_HERE,
    &unfit_here::UNFIT_HERE,
    &wrong_root::NOT_A_MAPPING,
    &repeated_id::REPEATED_METRIC_ID,
    &repeated_id::REPEATED_TASK_ID,
    &primary_metric::NO_PRIMARY,
    &invalid_id::INVALID_ID,
    &primary_metric::SEVERAL_PRIMARY,
    &primary_metric::ONLY_METRIC_NOT_PRIMARY,
    &breaks_inspect::BREAKS_INSPECT,
    &breaks_inspect::INSPECT_INCOMPLETE,
    &unknown_framework::UNKNOWN_FRAMEWORK,
    &no_metrics::NO_METRICS,
    &misnamed_file::MISNAMED_BENCHMARK,
    &bounds_reversed::METRIC_BOUNDS_REVERSED,
    &blank_definition::BLANK_DEFINITION,
    &wrong_root::NOT_A_LIST,
    &no_score::NO_SCORE,
    &value_disagrees::VALUE_DISAGREES,
    &bad_token::TWO_TOKENS,
    &bad_token::MALFORMED_TOKEN,
    &unverifiable::UNVERIFIABLE,
    &repeated_metric::REPEATED_METRIC,
    &repeated_run::CONTRADICTING_ENTRIES,
    &repeated_run::DUPLICATE_ENTRY,
    &bad_date::BAD_DATE,
    &bad_url::BAD_URL,
    &bad_revision::BAD_REVISION,
    &bad_revision::SHORT_REVISION,
    &bad_number::BAD_NUMBER,
    &value_type_mismatch::VALUE_TYPE_MISMATCH,
    &bad_repo_id::BAD_REPO_ID,
    &bad_repo_id::NO_NAMESPACE,
    &hidden_text::HIDDEN_TEXT,
    &declared_provenance::DECLARED_PROVENANCE,
    &run_disagrees::RUN_DISAGREES,
    &misnamed_file::MISNAMED_RESULTS,
    &unknown_benchmark::UNKNOWN_BENCHMARK,
    &unknown_benchmark::BROKEN_BENCHMARK,
    &unknown_task::UNKNOWN_TASK,
    &unknown_metric::UNKNOWN_METRIC,
    &unknown_metric::LACKS_PRIMARY,
    &empty_key::EMPTY_KEY,
    &impossible_score::IMPOSSIBLE_VALUE,
    &future_date::FUTURE_DATE,
    &nested_results::NESTED_RESULTS,
    &schema_version::UNKNOWN_VERSION,
    &schema_version::OLD_VERSION,
    &out_of_layout::OUTSIDE_DATASTORE,
    &out_of_layout::WRONG_DEPTH,
    &out_of_layout::UNCLEAN_PATH,
    &out_of_layout::RESERVED_NAME,
    &out_of_layout::UNPORTABLE_NAME,
    &out_of_layout::WRONG_FILE_NAME,
    &path_disagrees::PATH_DISAGREES,
    &blank_name::BLANK_NAME,
    &no_results::NO_RESULTS,
    &duplicate_result_id::DUPLICATE_RESULT_ID,
    &result_without_id::RESULT_WITHOUT_ID,
    &unknown_bound::UNKNOWN_BOUND,
    &bounds_reversed::BOUNDS_REVERSED,
    &score_out_of_bounds::SCORE_OUT_OF_BOUNDS,
    &not_a_level::NOT_A_LEVEL,
    &interval_reversed::INTERVAL_REVERSED,
    &negative_amount::NEGATIVE_AMOUNT,
    &timestamp_out_of_form::TIMESTAMP_OUT_OF_FORM,
    &not_an_address::NOT_AN_ADDRESS,
    &not_a_dataset::NOT_A_DATASET,
    &sample_ids_miscounted::SAMPLE_IDS_MISCOUNTED,
    &undeclared_samples::UNDECLARED_SAMPLES,
    &samples_path_differs::SAMPLES_PATH_DIFFERS,
    &samples_not_rows::SAMPLES_NOT_ROWS,
    &missing_samples::MISSING_SAMPLES,
    &rows_miscounted::ROWS_MISCOUNTED,
    &checksum_differs::CHECKSUM_DIFFERS,
    &checksum_differs::MALFORMED_CHECKSUM,
    &checksum_incomplete::CHECKSUM_WITHOUT_ALGORITHM,
    &checksum_incomplete::NO_CHECKSUM,
    &weak_digest::WEAK_DIGEST,
    &samples_miscounted::SAMPLES_MISCOUNTED,
    &score_not_mean::SCORE_NOT_MEAN,
    &impossible_score::IMPOSSIBLE_SCORE,
    &future_date::FUTURE_TIMESTAMP,
    &early_timestamp::EARLY_TIMESTAMP,
    &evaluated_after_retrieval::EVALUATED_AFTER_RETRIEVAL,
    &other_benchmark::OTHER_BENCHMARK,
    &repeated_evaluation::REPEATED_EVALUATION,
    &developer_differs::DEVELOPER_DIFFERS,
    &evaluation_id_form::EVALUATION_ID_FORM,
    &other_model::OTHER_MODEL,
    &other_name::OTHER_NAME,
    &other_dataset::OTHER_DATASET,
    &blank_row::BLANK_ROW,
    &duplicate_sample::DUPLICATE_SAMPLE,
    &no_rows::NO_ROWS,
    &evaluation_id_differs::EVALUATION_ID_DIFFERS,
    &model_id_differs::MODEL_ID_DIFFERS,
    &record_missing::RECORD_MISSING,
    &record_missing::RECORD_UNREADABLE,
    &record_disagrees::RECORD_DISAGREES,
    &unknown_result::UNKNOWN_RESULT,
    &unknown_result::NO_RESULT_NAMED,
    &sample_score_out_of_bounds::SAMPLE_SCORE_OUT_OF_BOUNDS,
    &token_total::TOKEN_TOTAL,
    &turn_count::TURN_COUNT,
    &turn_count::TOOL_CALL_COUNT,
    &turn_order::TURN_ORDER,
    &turn_order::UNKNOWN_TOOL_CALL,
    &attribution_out_of_range::ATTRIBUTION_OUT_OF_RANGE,
    &no_messages::NO_MESSAGES,
    &contradicts_score::CONTRADICTS_SCORE,
    &failed_but_correct::FAILED_BUT_CORRECT,
    &row_version_differs::ROW_VERSION_DIFFERS,
    &sample_hash_form::SAMPLE_HASH_FORM,
    &blank_sample_id::BLANK_SAMPLE_ID,
    &implausible_scale::IMPLAUSIBLE_SCALE,
    &contradicted_direction::CONTRADICTED_DIRECTION,
    &zero_standard_error::ZERO_STANDARD_ERROR,
    &contradicted_standard_error::CONTRADICTED_STANDARD_ERROR,
    &interval_excludes_score::INTERVAL_EXCLUDES_SCORE,
    &contradicted_interval::CONTRADICTED_INTERVAL,
    &unreachable_score::UNREACHABLE_SCORE,
    &duplicate_record::DUPLICATE_RECORD,
    &impossible_deviation::IMPOSSIBLE_DEVIATION,
    &repeated_evaluation_id::REPEATED_EVALUATION_ID,
    &scale_differs::SCALE_DIFFERS,
    &scale_slip::SCALE_SLIP,
    &copied_scores::COPIED_SCORES,
    &run_again::RUN_AGAIN,
    &rounded_copy::ROUNDED_COPY,
    &unusual_score::UNUSUAL_SCORE,
    &not_the_mean::NOT_THE_MEAN,
    &contradicted_details::CONTRADICTED_DETAILS,
    &implied_samples::IMPLIED_SAMPLES,
    &other_samples::OTHER_SAMPLES,
    &value_slip::VALUE_SLIP,
    &copied_values::COPIED_VALUES,
];

/// The rule of a code.
pub fn find(code: assay_model::Code) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.code == code).copied()
}

/// Returns whether a finding puts the value itself in doubt, and not only what is said about it. A
/// result with such a finding keeps its place on the board, and is never announced as the leader.
///
/// These are entries of one run that contradict each other (AY308), a value that is not of its
/// declared kind (AY315), one that the metric cannot have (AY328), one that looks like another
/// scale (AY601), and one that no number of right answers gives (AY607). Findings about uncertainty
/// (AY603 to AY606, AY609) doubt the interval, not the value, and a contradicted direction (AY602)
/// is a fault of the benchmark.
pub fn doubts_value(code: assay_model::Code) -> bool {
    let doubting = [
        &repeated_run::CONTRADICTING_ENTRIES,
        &value_type_mismatch::VALUE_TYPE_MISMATCH,
        &impossible_score::IMPOSSIBLE_VALUE,
        &implausible_scale::IMPLAUSIBLE_SCALE,
        &unreachable_score::UNREACHABLE_SCORE,
    ];
    doubting.iter().any(|rule| rule.code == code)
}

/// The most names that a message lists.
const LISTED: usize = 8;

/// Names for a sentence, cut when there are many.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut quoted: Vec<String> = names.take(LISTED + 1).map(crate::suggest::quote).collect();
    if quoted.len() > LISTED {
        quoted.truncate(LISTED);
        quoted.push("…".to_owned());
    }
    quoted.join(", ")
}

/// The line on which a value of a whole document stands.
fn line_of(value: Value<'_>) -> usize {
    let before = value.source().as_bytes().get(..value.range().start);
    1 + before.map_or(0, |bytes| memchr::memchr_iter(b'\n', bytes).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_code_of_its_own_and_stands_in_order() {
        let codes: Vec<_> = ALL.iter().map(|rule| rule.code).collect();

        assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
    }
}
