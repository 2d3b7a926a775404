//! The rules, one file each, named for the fault. The doc comment of a rule is its page.

use assay_formats::Value;
use assay_formats::shape::{ShapeFault, ShapeFaultKind, Unknown};
use assay_formats::syntax::{SyntaxFault, SyntaxFaultKind};

use crate::layout::Location;
use crate::record::RecordFacts;
use crate::row::Row;
use crate::rule::Rule;
use crate::samples::SamplesSummary;
use crate::sink::Sink;

pub(crate) mod ambiguous_scalar;
pub(crate) mod blank_row;
pub(crate) mod broken_syntax;
pub(crate) mod byte_order_mark;
pub(crate) mod contradicted_direction;
pub(crate) mod contradicted_interval;
pub(crate) mod contradicted_standard_error;
pub(crate) mod control_character;
pub(crate) mod duplicate_key;
pub(crate) mod duplicate_record;
pub(crate) mod duplicate_sample;
pub(crate) mod implausible_scale;
pub(crate) mod impossible_deviation;
pub(crate) mod interval_excludes_score;
pub(crate) mod lone_surrogate;
pub(crate) mod missing_key;
pub(crate) mod missing_key_here;
pub(crate) mod misspelt_key;
pub(crate) mod non_finite_number;
pub(crate) mod not_one_of;
pub(crate) mod not_utf8;
pub(crate) mod number_out_of_range;
pub(crate) mod path_out_of_form;
pub(crate) mod schema_version;
pub(crate) mod too_deep;
pub(crate) mod too_few_items;
pub(crate) mod too_large;
pub(crate) mod too_many_values;
pub(crate) mod unfit_here;
pub(crate) mod unknown_key;
pub(crate) mod unknown_kind;
pub(crate) mod unreachable_score;
pub(crate) mod unreadable;
pub(crate) mod unused_key;
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
    &schema_version::UNKNOWN_VERSION,
    &schema_version::OLD_VERSION,
    &blank_row::BLANK_ROW,
    &duplicate_sample::DUPLICATE_SAMPLE,
    &implausible_scale::IMPLAUSIBLE_SCALE,
    &contradicted_direction::CONTRADICTED_DIRECTION,
    &zero_standard_error::ZERO_STANDARD_ERROR,
    &contradicted_standard_error::CONTRADICTED_STANDARD_ERROR,
    &interval_excludes_score::INTERVAL_EXCLUDES_SCORE,
    &contradicted_interval::CONTRADICTED_INTERVAL,
    &unreachable_score::UNREACHABLE_SCORE,
    &duplicate_record::DUPLICATE_RECORD,
    &impossible_deviation::IMPOSSIBLE_DEVIATION,
];

/// The rule of a code.
pub fn find(code: assay_model::Code) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.code == code).copied()
}

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
            yaml_construct::report(*construct, range, sink)
        }
    }
}

/// Reports a departure from a shape; returns whether the document can still be accepted.
pub(crate) fn shape(fault: &ShapeFault<'_>, sink: &mut Sink<'_>) -> bool {
    let at = fault.at;
    match fault.kind {
        ShapeFaultKind::MissingKey { key, object } => missing_key::report(at, key, object, sink),
        ShapeFaultKind::MissingWhen { key, condition } => {
            missing_key_here::report(at, key, condition, sink)
        }
        ShapeFaultKind::UnfitWhen {
            expected,
            condition,
        } => unfit_here::report(at, expected, condition, sink),
        ShapeFaultKind::WrongKind { expected } => wrong_type::report(at, expected, sink),
        ShapeFaultKind::NotOneOf { options } => not_one_of::report(at, options, sink),
        ShapeFaultKind::Pattern(pattern) => path_out_of_form::report(at, pattern, sink),
        ShapeFaultKind::UnknownKey { object } => unknown_key::report(at, object, sink),
        ShapeFaultKind::TooSmall { min } => number_out_of_range::too_small(at, min, sink),
        ShapeFaultKind::TooLarge { max } => number_out_of_range::too_large(at, max, sink),
        ShapeFaultKind::TooFew { min } => too_few_items::report(at, min, sink),
        ShapeFaultKind::UnknownVariant { tag, variants } => {
            not_one_of::variant(at, tag, variants, sink)
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

/// Judges a record by itself.
pub(crate) fn record(root: Value<'_>, _location: &Location<'_>, sink: &mut Sink<'_>) {
    crate::forensics::record(root, sink);
}

/// Judges one row of a samples file.
pub(crate) fn row(_row: &Row<'_>, _facts: Option<&RecordFacts>, _sink: &mut Sink<'_>) {}

/// Judges where a samples file lies and whether its record points at it.
pub(crate) fn samples_file(
    _location: &Location<'_>,
    _record_exists: bool,
    _record: Option<Value<'_>>,
    _facts: Option<&RecordFacts>,
    _sink: &mut Sink<'_>,
) {
}

/// Judges a samples file as a whole, once its rows have been read.
pub(crate) fn samples_rows(_summary: &SamplesSummary, _sink: &mut Sink<'_>) {}

/// Judges what a record says of its samples file, once that has been read.
pub(crate) fn companion(
    _record: Value<'_>,
    _facts: &RecordFacts,
    _location: &Location<'_>,
    _samples_path: &str,
    _samples_exist: bool,
    _summary: Option<&SamplesSummary>,
    _sink: &mut Sink<'_>,
) {
}
