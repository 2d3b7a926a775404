//! Whatever is honest is never doubted, and what is planted is found.

use proptest::prelude::*;
use serde_json::Value;

use crate::support::{
    ACCURACY, PERCENT, codes, findings, repeated, result, warnings, with_count, with_error,
    with_interval,
};

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

/// An honest result: k of n right, with its standard error, deviation and interval, on a scale from
/// 0 to `scale`.
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
    #![proptest_config(ProptestConfig::with_cases(5_000))]

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
        // Two honest numbers below one per cent are the one thing that only a person can tell from
        // a share.
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_mean_over_as_many_runs_as_it_says_is_never_doubted(
        (n, repeats) in (2_u32..2_000, 1_u32..=512),
        share in 0.0_f64..=1.0,
        decimals in 2_usize..=16,
        counts_answers in any::<bool>(),
    ) {
        let total = n * repeats;
        let p = (share * f64::from(total)).round() / f64::from(total);
        let n = if counts_answers { total } else { n };
        prop_assume!(n <= 1_000_000);
        let text = with_count(ACCURACY, &printed(p, Some(decimals)), n.into());

        let found = findings(&repeated(&text, repeats.into()));

        prop_assert!(found.is_empty(), "{text}\n{found:#?}");
    }

    #[test]
    fn a_mean_over_up_to_256_runs_is_never_a_warning(
        (n, repeats) in (2_u32..2_000, 1_u32..=256),
        share in 0.0_f64..=1.0,
        decimals in 2_usize..=16,
    ) {
        let total = f64::from(n * repeats);
        let p = (share * total).round() / total;
        let text = with_count(ACCURACY, &printed(p, Some(decimals)), n.into());

        let found = warnings(&text);

        prop_assert!(found.is_empty(), "{text}\n{found:#?}");
    }

    #[test]
    fn a_clustered_error_of_repeated_answers_is_never_a_warning(
        (questions, repeats) in (5_u32..1_000, 1_u32..=256),
        share in 0.01_f64..=0.99,
        correlation in 0.0_f64..=1.0,
        counts_answers in any::<bool>(),
        says in any::<bool>(),
    ) {
        let (m, r) = (f64::from(questions), f64::from(repeats));
        let p = (share * m * r).round() / (m * r);
        // The design effect of answers that hang together by this much.
        let effect = 1.0 + (r - 1.0) * correlation;
        let error = (p * (1.0 - p) * effect / (m * r)).sqrt() * (m / (m - 1.0)).sqrt();
        let n = if counts_answers { questions * repeats } else { questions };
        let text = with_error(ACCURACY, &printed(p, None), &printed(error, Some(6)), n.into());
        // An error that was rounded to nothing is another matter.
        prop_assume!(error > 1e-5);
        let text = if says { repeated(&text, repeats.into()) } else { text };

        let found = warnings(&text);

        prop_assert!(found.is_empty(), "{text}\n{found:#?}");
    }
}

/// Returns the share of results with a planted fault that are found with this code.
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

    let said_to_be_asked_once = found_rate("AY607", |k, n| {
        let (p, _) = share_and_error(k, n);
        repeated(
            &with_count(ACCURACY, &printed(p * 0.977_317_9, Some(4)), n),
            1,
        )
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
    assert!(
        said_to_be_asked_once > 0.9,
        "said_to_be_asked_once {said_to_be_asked_once}"
    );
}
