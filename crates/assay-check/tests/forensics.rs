//! Results that are well-formed and probably wrong, and honest ones that must not be taken for them.
#![cfg(test)]

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use assay_check::{Context, FileKind, FileReport, Files, Item, Options, validate};
use assay_model::Diagnostic;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Files in memory.
#[derive(Default)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

fn judge(files: &Memory) -> Vec<FileReport> {
    let items: Vec<Item> = files
        .0
        .keys()
        .map(|path| Item {
            path: path.as_str().into(),
            kind: Some(FileKind::Record),
        })
        .collect();
    validate(files, &items, &Context::default(), &Options::default())
}

/// The warnings of this family in a record with these results, as text.
fn findings(results: &str) -> Vec<Diagnostic> {
    let record = format!(r#"{{"schema_version": "0.3.0", "evaluation_results": [{results}]}}"#);
    let files = Memory(BTreeMap::from([("record.json".to_owned(), record.into())]));
    let reports = judge(&files);
    reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .filter(|found| is_forensic(&found.code.to_string()))
        .cloned()
        .collect()
}

fn is_forensic(code: &str) -> bool {
    code.starts_with("AY6") && code != "AY608"
}

fn codes(results: &str) -> Vec<String> {
    findings(results)
        .iter()
        .inspect(|found| {
            assert!(found.help.is_some(), "{found:?} has no next step");
            assert!(!found.notes.is_empty(), "{found:?} has no evidence");
        })
        .map(|found| found.code.to_string())
        .collect()
}

/// A result with a metric and score details, both as JSON without their braces.
fn result(metric: &str, details: &str) -> String {
    format!(
        r#"{{"evaluation_name": "example", "metric_config": {{{metric}}}, "score_details": {{{details}}}}}"#
    )
}

const ACCURACY: &str =
    r#""metric_name": "accuracy", "lower_is_better": false, "min_score": 0.0, "max_score": 1.0"#;
const PERCENT: &str =
    r#""metric_name": "accuracy", "lower_is_better": false, "min_score": 0, "max_score": 100"#;
const F1: &str =
    r#""metric_name": "f1", "lower_is_better": false, "min_score": 0.0, "max_score": 1.0"#;
const ELO: &str = r#""metric_name": "elo", "lower_is_better": false"#;

/// A result with a score, a standard error and a number of samples.
fn with_error(metric: &str, score: &str, error: &str, n: u64) -> String {
    let uncertainty = format!(r#"{{"standard_error": {{"value": {error}}}, "num_samples": {n}}}"#);
    result(
        metric,
        &format!(r#""score": {score}, "uncertainty": {uncertainty}"#),
    )
}

fn with_interval(metric: &str, score: &str, lower: &str, upper: &str, rest: &str) -> String {
    result(
        metric,
        &format!(
            r#""score": {score}, "uncertainty": {{"confidence_interval": {{"lower": {lower}, "upper": {upper}}}{rest}}}"#
        ),
    )
}

fn with_count(metric: &str, score: &str, n: u64) -> String {
    result(
        metric,
        &format!(r#""score": {score}, "uncertainty": {{"num_samples": {n}}}"#),
    )
}

fn score(metric: &str, score: &str) -> String {
    result(metric, &format!(r#""score": {score}"#))
}

#[track_caller]
fn assert_codes(results: &str, wanted: &[&str]) {
    let found = codes(results);

    assert_eq!(found, wanted, "{results}\n{:#?}", findings(results));
}

#[test]
fn the_faults_that_other_validators_let_pass_are_found() {
    assert_codes(&score(PERCENT, "0.734"), &["AY601"]);
    let wer = r#""metric_name": "WER", "lower_is_better": false, "min_score": 0, "max_score": 1"#;
    assert_codes(&score(wer, "0.12"), &["AY602"]);
    assert_codes(&with_error(ACCURACY, "0.5", "0.0", 25), &["AY603"]);
    assert_codes(
        &with_interval(ACCURACY, "0.734", "0.80", "0.85", ""),
        &["AY605"],
    );
    // 73.4 in bounds 0..1 is refused by the rule on bounds, and a copy of a record is reported as one.
    assert_codes(&score(ACCURACY, "73.4"), &[]);
}

#[test]
fn a_share_on_a_scale_of_100_is_found_by_its_digits() {
    assert_codes(&score(PERCENT, "0.734"), &["AY601"]);
    assert_codes(&score(PERCENT, "0.73"), &[]);
    assert_codes(&score(PERCENT, "0.7"), &[]);
    assert_codes(&score(PERCENT, "0.0123"), &[]);
    assert_codes(&score(PERCENT, "73.4"), &[]);
    assert_codes(&score(PERCENT, "0.0"), &[]);
    let error =
        r#""metric_name": "wer", "lower_is_better": true, "min_score": 0, "max_score": 100"#;
    assert_codes(&score(error, "0.734"), &[]);
}

#[test]
fn a_share_on_a_scale_of_100_is_found_by_its_neighbours() {
    let neighbours = |scores: [&str; 3]| scores.map(|own| score(PERCENT, own)).join(",");

    assert_codes(
        &neighbours(["0.73", "0.51", "0.64"]),
        &["AY601", "AY601", "AY601"],
    );
    assert_codes(&neighbours(["0.734", "51.2", "64.0"]), &[]);
    assert_codes(&neighbours(["0.73", "0.0", "0.0"]), &[]);
}

#[test]
fn a_share_on_a_scale_of_100_is_found_by_its_count() {
    assert_codes(&with_count(PERCENT, "0.72", 25), &["AY601"]);
    // One of 140 is 0.714 per cent.
    assert_codes(&with_count(PERCENT, "0.714", 140), &[]);
}

#[test]
fn a_unit_that_contradicts_the_bounds_is_found() {
    let with_unit = |unit: &str, max: &str| {
        format!(
            r#""metric_name": "accuracy", "lower_is_better": false, "metric_unit": "{unit}", "min_score": 0, "max_score": {max}"#
        )
    };

    assert_codes(&score(&with_unit("percent", "1"), "0.7"), &["AY601"]);
    assert_codes(&score(&with_unit("proportion", "100"), "70"), &["AY601"]);
    assert_codes(&score(&with_unit("percent", "100"), "70"), &[]);
    assert_codes(&score(&with_unit("proportion", "1"), "0.7"), &[]);
    assert_codes(&score(&with_unit("points", "1"), "0.7"), &[]);
    assert_codes(&score(&with_unit("proportion", "null"), "70"), &["AY601"]);
    assert_codes(&score(&with_unit("proportion", "null"), "0.7"), &[]);
}

#[test]
fn an_error_rate_above_one_is_honest() {
    let wer = r#""metric_name": "wer", "metric_unit": "proportion", "lower_is_better": true"#;

    assert_codes(&score(wer, "1.3"), &[]);
}

#[test]
fn a_direction_that_contradicts_the_name_is_found() {
    let metric =
        |name: &str, lower: bool| format!(r#""metric_name": "{name}", "lower_is_better": {lower}"#);

    assert_codes(&score(&metric("word_error_rate", false), "0.1"), &["AY602"]);
    assert_codes(&score(&metric("bleu", true), "0.1"), &["AY602"]);
    assert_codes(
        &score(&ACCURACY.replace("false", "true"), "0.1"),
        &["AY602"],
    );
    // Without limits it may be a distance.
    assert_codes(&score(&metric("accuracy", true), "0.1"), &[]);
    assert_codes(&score(&metric("word_error_rate", true), "0.1"), &[]);
    assert_codes(&score(&metric("accuracy", false), "0.1"), &[]);
    assert_codes(&score(&metric("power", true), "0.1"), &[]);
    assert_codes(&score(&metric("1 - wer", false), "0.1"), &[]);
    assert_codes(&score(&metric("attack success rate", true), "0.1"), &[]);
}

#[test]
fn accuracy_may_be_better_when_low_where_knowledge_is_a_hazard() {
    let described = r#""metric_name": "accuracy", "lower_is_better": true, "evaluation_description": "Accuracy on WMDP after unlearning""#;

    assert_codes(&score(described, "0.3"), &[]);
}

#[test]
fn a_standard_error_of_zero_is_found_between_the_ends_only() {
    assert_codes(&with_error(ACCURACY, "0.5", "0.0", 25), &["AY603"]);
    assert_codes(&with_error(F1, "0.5", "0", 25), &["AY603"]);
    assert_codes(&with_error(ACCURACY, "1.0", "0.0", 25), &[]);
    assert_codes(&with_error(ACCURACY, "0.0", "0.0", 25), &[]);
    assert_codes(&with_error(ACCURACY, "0.5", "0.1", 25), &[]);
    // One sample has no spread, and few that are partly right may all score the same.
    assert_codes(&with_error(F1, "0.5", "0.0", 1), &[]);
    assert_codes(&with_error(F1, "0.5", "0.0", 3), &[]);
    // The error of a million samples may have been rounded away.
    assert_codes(&with_error(ACCURACY, "0.5", "0.0", 1_000_000), &[]);
    assert_codes(&with_error(ELO, "1250", "0.0", 500), &[]);
}

#[test]
fn a_standard_error_is_held_against_the_count() {
    assert_codes(&with_error(ACCURACY, "0.734", "0.0198", 500), &[]);
    assert_codes(&with_error(PERCENT, "73.4", "1.98", 500), &[]);
    assert_codes(&with_error(ACCURACY, "0.734", "0.442", 500), &["AY604"]);
    assert_codes(&with_error(ACCURACY, "0.734", "1.98", 500), &["AY604"]);
    assert_codes(&with_error(PERCENT, "73.4", "0.0198", 500), &["AY604"]);
    assert_codes(&with_error(ACCURACY, "0.734", "0.00088", 500), &["AY604"]);
    // Twice too large is what clusters do; twice too small is what partial credit does.
    assert_codes(&with_error(ACCURACY, "0.734", "0.04", 500), &[]);
    assert_codes(&with_error(ACCURACY, "0.734", "0.01", 500), &[]);
    // The error of F1 depends on the rare class, of which nothing is known.
    assert_codes(&with_error(F1, "0.734", "0.2", 500), &[]);
}

#[test]
fn a_likely_mistake_is_named() {
    let found = findings(&with_error(ACCURACY, "0.734", "0.442", 500));

    assert!(
        found[0]
            .notes
            .contains(&"√(0.734 × 0.266 / 500) = 0.01976".to_owned()),
        "{found:?}"
    );
    assert!(
        found[0]
            .notes
            .contains(&"0.442 is the standard deviation: divide by √500".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_clustered_error_is_left_alone() {
    let clustered = result(
        ACCURACY,
        r#""score": 0.734, "uncertainty": {"standard_error": {"value": 0.1, "method": "clustered"}, "num_samples": 500}"#,
    );

    assert_codes(&clustered, &[]);
}

#[test]
fn an_interval_without_its_score_is_found() {
    assert_codes(
        &with_interval(ACCURACY, "0.88", "-0.0318", "0.0318", ""),
        &["AY605"],
    );
    assert_codes(
        &with_interval(ACCURACY, "0.734", "69.5", "77.3", ""),
        &["AY605"],
    );
    assert_codes(&with_interval(ELO, "1250", "-8", "9", ""), &["AY605"]);
    assert_codes(&with_interval(ELO, "1250", "1242", "1259", ""), &[]);
    assert_codes(&with_interval(ACCURACY, "0.734", "0.695", "0.773", ""), &[]);
    // What the digits leave open.
    assert_codes(&with_interval(ACCURACY, "0.667", "0.67", "0.71", ""), &[]);
}

#[test]
fn distances_are_turned_into_limits() {
    let found = findings(&with_interval(ACCURACY, "0.88", "-0.0318", "0.0318", ""));

    let help = found[0].help.as_deref().unwrap();
    assert!(
        help.ends_with("write the limits: 0.8482 and 0.9118"),
        "{help}"
    );
}

#[test]
fn an_interval_is_held_against_its_standard_error() {
    let with = |error: &str, lower: &str, upper: &str| {
        let rest = format!(r#", "standard_error": {{"value": {error}}}"#);
        with_interval(ELO, "1250", lower, upper, &rest)
    };

    assert_codes(&with("5.0", "1240", "1260"), &[]);
    assert_codes(&with("5.0", "1245", "1255"), &[]);
    assert_codes(&with("5.0", "1200", "1300"), &["AY606"]);
    assert_codes(&with("50.0", "1245", "1255"), &["AY606"]);
}

#[test]
fn careful_intervals_from_few_samples_are_honest() {
    let with = |own: &str, error: &str, lower: &str, upper: &str, n: u64| {
        let rest = format!(r#", "standard_error": {{"value": {error}}}, "num_samples": {n}"#);
        with_interval(ACCURACY, own, lower, upper, &rest)
    };

    // By Student's distribution, for 1 of 3: 0.3333 ± 4.303 × 0.3333.
    assert_codes(&with("0.3333", "0.3333", "-1.1009", "1.7676", 3), &[]);
    // By Clopper and Pearson: none of 20, all of 20, one of 1000.
    assert_codes(&with("0.0", "0.0", "0.0", "0.1684", 20), &[]);
    assert_codes(&with("1.0", "0.0", "0.8316", "1.0", 20), &[]);
    assert_codes(&with("0.001", "0.001", "0.0000253", "0.005558", 1_000), &[]);
    // By Jeffreys: one of 10.
    assert_codes(&with("0.1", "0.0949", "0.0110", "0.3813", 10), &[]);
}

#[test]
fn an_interval_is_held_against_the_count() {
    let with = |lower: &str, upper: &str| {
        with_interval(ACCURACY, "0.734", lower, upper, r#", "num_samples": 500"#)
    };

    assert_codes(&with("0.695", "0.773"), &[]);
    assert_codes(&with("0.50", "0.95"), &["AY606"]);
    assert_codes(&with("0.7338", "0.7342"), &["AY606"]);
}

#[test]
fn an_interval_wider_than_the_scale_is_found() {
    let many = r#", "num_samples": 500"#;

    assert_codes(&with_interval(F1, "0.734", "-2.5", "3.9", many), &["AY606"]);
    assert_codes(&with_interval(F1, "0.734", "-2.5", "3.9", ""), &["AY606"]);
    // A plain interval from two samples reaches beyond both ends.
    assert_codes(
        &with_interval(ACCURACY, "0.5", "-0.19", "1.19", r#", "num_samples": 2"#),
        &[],
    );
}

#[test]
fn a_score_that_no_count_gives_is_found() {
    assert_codes(&with_count(ACCURACY, "0.7341", 30), &["AY607"]);
    assert_codes(&with_count(PERCENT, "73.41", 30), &["AY607"]);
    assert_codes(&with_count(ACCURACY, "0.7333", 30), &[]);
    assert_codes(&with_count(ACCURACY, "0.7333333333333333", 30), &[]);
    // Asked eight times, sixty-four times, and in single precision.
    assert_codes(&with_count(ACCURACY, "0.7625", 30), &[]);
    assert_codes(&with_count(ACCURACY, "0.5005208", 30), &[]);
    assert_codes(&with_count(ACCURACY, "0.7666666507720947", 30), &[]);
    // Partial credit in quarters.
    assert_codes(&with_count(ACCURACY, "0.38108974358974373", 2340), &[]);
    assert_codes(&with_count(F1, "0.7341", 30), &[]);
    let macro_accuracy = ACCURACY.replace("accuracy", "macro_accuracy");
    assert_codes(&with_count(&macro_accuracy, "0.7341", 30), &[]);
}

#[test]
fn a_deviation_beyond_the_scale_is_found() {
    let with = |metric: &str, own: &str, deviation: &str, n: u64| {
        result(
            metric,
            &format!(
                r#""score": {own}, "uncertainty": {{"standard_deviation": {deviation}, "num_samples": {n}}}"#
            ),
        )
    };

    assert_codes(&with(ACCURACY, "0.9", "0.3015", 100), &[]);
    assert_codes(&with(ACCURACY, "0.90", "0.45", 100), &["AY609"]);
    assert_codes(&with(F1, "0.90", "0.45", 100), &[]);
    assert_codes(&with(F1, "0.90", "30.15", 100), &["AY609"]);
    assert_codes(&with(ACCURACY, "0.5", "0.7071", 2), &[]);
    assert_codes(&with(ELO, "1250", "300", 100), &[]);
}

#[test]
fn numbers_of_any_size_do_no_harm() {
    let numbers = [
        "0", "-0.0", "1e308", "-1e308", "1e-320", "5e-324", "1", "0.5",
    ];
    for own in numbers {
        for other in numbers {
            let _ = findings(&with_error(ACCURACY, own, other, 1));
            let _ = findings(&with_error(PERCENT, own, other, 1_000_000));
            let _ = findings(&with_interval(
                F1,
                own,
                other,
                own,
                r#", "num_samples": -5"#,
            ));
            let wild = format!(r#""metric_name": "em", "min_score": {own}, "max_score": {other}"#);
            let _ = findings(&with_interval(
                &wild,
                own,
                "0",
                other,
                r#", "standard_deviation": 1e308"#,
            ));
        }
    }
}

/// A number with so many decimals, as a harness would print it.
fn printed(value: f64, decimals: Option<usize>) -> String {
    match decimals {
        Some(decimals) => format!("{value:.decimals$}"),
        None => serde_json::to_string(&value).unwrap(),
    }
}

/// The ways in which honest people make an interval for k of n.
#[derive(Debug, Clone, Copy)]
enum Method {
    Normal,
    Cut,
    Wilson,
}

fn honest_interval(p: f64, n: f64, error: f64, z: f64, method: Method) -> (f64, f64) {
    match method {
        Method::Normal => (p - z * error, p + z * error),
        Method::Cut => ((p - z * error).max(0.0), (p + z * error).min(1.0)),
        Method::Wilson => {
            let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
            let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
            (middle - half, middle + half)
        }
    }
}

/// An honest result: k of n right, with its standard error, deviation and interval, on a scale from 0 to `scale`.
#[derive(Debug, Clone)]
struct Honest {
    k: u32,
    n: u32,
    scale: f64,
    decimals: Option<usize>,
    sample_error: bool,
    level: Option<(f64, f64)>,
    method: Method,
}

impl Honest {
    fn text(&self) -> String {
        let (k, n) = (f64::from(self.k), f64::from(self.n));
        let p = k / n;
        let freedom = if self.sample_error { n - 1.0 } else { n };
        let error = (p * (1.0 - p) / freedom).sqrt();
        let deviation = (p * (1.0 - p) * n / freedom).sqrt();
        let (level, z) = self.level.unwrap_or((0.95, 1.96));
        let (lower, upper) = honest_interval(p, n, error, z, self.method);
        let print = |value: f64| printed(value * self.scale, self.decimals);
        let said = self
            .level
            .map_or_else(String::new, |_| format!(r#", "confidence_level": {level}"#));
        let metric = if self.scale > 1.0 { PERCENT } else { ACCURACY };
        result(
            metric,
            &format!(
                r#""score": {}, "uncertainty": {{"standard_error": {{"value": {}}}, "standard_deviation": {},
                   "confidence_interval": {{"lower": {}, "upper": {}{said}}}, "num_samples": {}}}"#,
                print(p),
                print(error),
                print(deviation),
                print(lower),
                print(upper),
                self.n
            ),
        )
    }
}

fn honest() -> impl Strategy<Value = Honest> {
    let size = prop_oneof![2_u32..=30, 31_u32..=2_000, 2_001_u32..=100_000];
    let count = size.prop_flat_map(|n| {
        let k = prop_oneof![0..=n, Just(0), Just(1.min(n)), Just(n - 1), Just(n)];
        (k, Just(n))
    });
    let level = prop_oneof![
        Just(None),
        Just(Some((0.95, 1.96))),
        Just(Some((0.9, 1.645))),
        Just(Some((0.99, 2.576))),
        Just(Some((0.68, 1.0))),
    ];
    let method = prop_oneof![
        Just(Method::Normal),
        Just(Method::Cut),
        Just(Method::Wilson)
    ];
    let decimals = prop_oneof![Just(None), (0_usize..=8).prop_map(Some)];
    let scale = prop_oneof![Just(1.0), Just(100.0)];
    (count, scale, decimals, any::<bool>(), level, method).prop_map(
        |((k, n), scale, decimals, sample_error, level, method)| Honest {
            k,
            n,
            scale,
            // Nobody gives a share with fewer than two decimals.
            decimals: decimals.map(|own| if scale > 1.0 { own } else { own + 2 }),
            sample_error,
            level,
            method,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8_000))]

    #[test]
    fn an_honest_result_is_never_doubted(honest in honest()) {
        let text = honest.text();

        let found = findings(&text);

        prop_assert!(found.is_empty(), "{text}\n{found:#?}");
    }

    #[test]
    fn an_honest_result_is_not_doubted_for_what_it_leaves_out(honest in honest(), left_out in 0_usize..16) {
        let mut parsed: Value = serde_json::from_str(&honest.text()).unwrap();
        let keys = ["standard_error", "standard_deviation", "confidence_interval", "num_samples"];
        let uncertainty = parsed["score_details"]["uncertainty"].as_object_mut().unwrap();
        for (bit, key) in keys.iter().enumerate() {
            if left_out & (1 << bit) != 0 {
                uncertainty.remove(*key);
            }
        }
        // Two honest numbers below one per cent are the one thing that only a person can tell from a share.
        prop_assume!(honest.scale < 2.0 || honest.k * 100 > honest.n || honest.k == 0);
        let text = parsed.to_string();

        let found = findings(&text);

        prop_assert!(found.is_empty(), "{text}\n{found:#?}");
    }

    #[test]
    fn an_honest_mean_over_repeated_runs_is_never_doubted(
        (n, repeats) in (2_u32..2_000, 1_u32..=10),
        share in 0.0_f64..=1.0,
        decimals in 2_usize..=8,
    ) {
        let total = f64::from(n * repeats);
        let p = (share * total).round() / total;
        let text = with_count(ACCURACY, &printed(p, Some(decimals)), n.into());

        let found = findings(&text);

        prop_assert!(found.is_empty(), "{text}\n{found:#?}");
    }
}

/// How many of the results that a fault was planted in are found with this code.
fn found_rate(code: &str, plant: impl Fn(u64, u64) -> String) -> f64 {
    let mut planted = 0_u32;
    let mut found = 0_u32;
    for n in [20_u64, 50, 100, 198, 541, 1_000] {
        for tenths in 1..10 {
            let text = plant(n * tenths / 10, n);
            planted += 1;
            found += u32::from(codes(&text).iter().any(|own| own == code));
        }
    }
    f64::from(found) / f64::from(planted)
}

#[expect(clippy::cast_precision_loss, reason = "the counts are small")]
fn share_and_error(k: u64, n: u64) -> (f64, f64) {
    let p = k as f64 / n as f64;
    (p, (p * (1.0 - p) / n as f64).sqrt())
}

#[test]
fn planted_faults_are_found() {
    let scale = found_rate("AY601", |k, n| {
        let (p, _) = share_and_error(k, n);
        with_count(PERCENT, &printed(p, Some(4)), n)
    });
    let zero = found_rate("AY603", |k, n| {
        let (p, _) = share_and_error(k, n);
        with_error(ACCURACY, &printed(p, None), "0.0", n)
    });
    let deviation_for_error = found_rate("AY604", |k, n| {
        let (p, error) = share_and_error(k, n);
        #[expect(clippy::cast_precision_loss, reason = "the counts are small")]
        let deviation = error * (n as f64).sqrt();
        with_error(ACCURACY, &printed(p, None), &printed(deviation, None), n)
    });
    let distances = found_rate("AY605", |k, n| {
        let (p, error) = share_and_error(k, n);
        let half = printed(1.96 * error, Some(4));
        with_interval(ACCURACY, &printed(p, None), &format!("-{half}"), &half, "")
    });
    let wide = found_rate("AY606", |k, n| {
        let (p, error) = share_and_error(k, n);
        let limit = |side: f64| printed(p + side * 10.0 * error, None);
        let rest = format!(r#", "standard_error": {{"value": {error}}}, "num_samples": {n}"#);
        with_interval(
            ACCURACY,
            &printed(p, None),
            &limit(-1.0),
            &limit(1.0),
            &rest,
        )
    });
    let other_count = found_rate("AY607", |k, n| {
        let (p, _) = share_and_error(k, n);
        with_count(ACCURACY, &printed(p * 0.977_317_9, None), n)
    });

    // One of a thousand is 0.1 per cent, so that nobody can tell 0.1 from a share there.
    assert!(scale > 0.8, "scale {scale}");
    assert!(zero > 0.95, "zero {zero}");
    assert!(
        deviation_for_error > 0.95,
        "deviation_for_error {deviation_for_error}"
    );
    assert!(distances > 0.8, "distances {distances}");
    assert!(wide > 0.95, "wide {wide}");
    assert!(other_count > 0.95, "other_count {other_count}");
}

/// The corpus of real records is not part of the repository. Nothing in it is doubted but the one collection that gives
/// intervals as distances from the score.
#[test]
fn real_records_are_doubted_for_one_reason_only() {
    let root = option_env!("ASSAY_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        Into::into,
    );
    let mut files = Memory::default();
    for name in ["golden", "records-0.2.0", "records-0.2.2"] {
        collect(&root.join(name), &mut files);
    }
    if files.0.is_empty() {
        say_skipped(&root);
        return;
    }

    let reports = judge(&files);

    let found: Vec<_> = reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .filter(|found| is_forensic(&found.code.to_string()))
        .filter(|found| !found.place.file.contains("/global-mmlu-lite/"))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn say_skipped(path: &Path) {
    eprintln!("skipped: there is no {}", path.display());
}

/// The records below a directory, if there is one.
fn collect(directory: &Path, files: &mut Memory) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            let bytes = std::fs::read(&path).unwrap();
            files.0.insert(path.display().to_string(), bytes);
        }
    }
}

#[test]
fn the_message_the_evidence_and_the_next_step_are_plain() {
    let results = [
        score(PERCENT, "0.734"),
        score(
            r#""metric_name": "WER (%)", "lower_is_better": false"#,
            "12.5",
        ),
        with_error(ACCURACY, "0.5", "0.0", 25),
        with_error(ACCURACY, "0.734", "0.442", 500),
        with_interval(ACCURACY, "0.88", "-0.0318", "0.0318", ""),
        with_interval(ACCURACY, "0.734", "0.50", "0.95", r#", "num_samples": 500"#),
        with_count(ACCURACY, "0.7341", 30),
    ];
    let found: Vec<Value> = results
        .iter()
        .flat_map(|own| findings(own))
        .map(|found| {
            json!({
                "code": found.code.to_string(), "message": found.message,
                "notes": found.notes, "help": found.help, "path": found.path,
            })
        })
        .collect();

    insta::assert_json_snapshot!(found);
}
