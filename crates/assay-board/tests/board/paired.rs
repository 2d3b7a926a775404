use assay_board::paired::{
    Agreement, MOST_RESAMPLED, Power, SEED, bootstrap, detectable_difference, detectable_paired,
    detectable_unpaired,
};
use assay_board::{Method, SplitMix64};
use proptest::prelude::*;

fn differing(only_a: u64, only_b: u64) -> Agreement {
    Agreement {
        both: 7,
        only_a,
        only_b,
        neither: 9,
    }
}

#[test]
fn the_exact_test_agrees_with_scipy_and_statsmodels() {
    // `scipy.stats.binomtest`, which `statsmodels` uses for the exact test; the largest two by sums
    // of forty digits.
    for (only_a, only_b, expected) in [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (7, 7, 1.0),
        (3, 1, 0.625),
        (10, 2, 0.038_574_218_75),
        (25, 14, 0.108_129_021_406_057_32),
        (60, 30, 0.002_060_265_680_963_074_5),
        (0, 20, 1.907_348_632_812_5e-6),
        (5_000, 5_200, 0.048_787_963_126_822_45),
        (500_000, 502_000, 0.045_824_695_263_224_315),
        (1_000_000, 1_010_000, 1.753_968_561_436_595_6e-12),
    ] {
        let test = differing(only_a, only_b).mcnemar();

        assert_eq!(test.method, Method::McNemarExact);
        assert!(
            (test.p_value / expected - 1.0).abs() < 1e-11,
            "{only_a} against {only_b}: {} is not {expected}",
            test.p_value
        );
    }
}

#[test]
fn the_test_of_more_pairs_than_can_be_summed_says_so() {
    let test = differing(u64::MAX, 1 << 62).mcnemar();

    assert_eq!(test.method, Method::McNemarNormal);
    assert!(test.p_value < 1e-300);
}

#[test]
fn pairs_are_counted_by_who_was_right() {
    let pairs = [
        (true, true),
        (true, false),
        (false, true),
        (true, false),
        (false, false),
    ];

    let agreement = Agreement::of(pairs);

    assert_eq!(
        agreement,
        Agreement {
            both: 1,
            only_a: 2,
            only_b: 1,
            neither: 1
        }
    );
    assert_eq!((agreement.total(), agreement.discordant()), (5, 3));
}

#[test]
fn the_difference_is_that_of_bonett_and_price() {
    // By hand: (61 − 31) / 1002 ± z·√((92/1002 − (30/1002)²) / 1002).
    let agreement = Agreement {
        both: 900,
        only_a: 60,
        only_b: 30,
        neither: 10,
    };

    let found = agreement.difference().unwrap();

    assert!((found.value - 0.03).abs() < 1e-15);
    assert!(
        (found.interval.low - 0.011_270_140_3).abs() < 1e-9,
        "{found:?}"
    );
    assert!(
        (found.interval.high - 0.048_610_099_2).abs() < 1e-9,
        "{found:?}"
    );
    assert_eq!(found.method, Method::BonettPrice);
}

#[test]
fn no_sample_has_no_difference() {
    assert_eq!(Agreement::default().difference(), None);
    assert!((Agreement::default().mcnemar().p_value - 1.0).abs() < f64::EPSILON);
}

#[test]
fn a_bootstrap_is_the_same_every_time() {
    let differences = [0.5, -0.25, 0.75, 0.125, 0.0, 0.5, -0.5, 0.25];

    let found = bootstrap(&differences, SEED).unwrap();

    assert_eq!(Some(found), bootstrap(&differences, SEED));
    assert_ne!(Some(found), bootstrap(&differences, SEED + 1));
    assert_eq!(found.method, Method::PairedBootstrap);
    assert!((found.value - 0.171_875).abs() < 1e-15);
    // A million resamples by numpy give -0.2375 and 0.4875.
    assert!((found.interval.low - -0.2375).abs() < 0.03, "{found:?}");
    assert!((found.interval.high - 0.4875).abs() < 0.03, "{found:?}");
}

#[test]
fn what_drawing_anew_cannot_tell_has_no_interval() {
    for differences in [
        [].as_slice(),
        &[0.5],
        &[0.0, 0.0, -0.0],
        &[0.5, f64::NAN],
        &[0.5, f64::INFINITY],
        &[f64::MAX, f64::MAX, f64::MAX],
    ] {
        assert_eq!(bootstrap(differences, SEED), None, "{differences:?}");
    }
}

#[test]
fn very_many_pairs_have_students_interval() {
    let mut random = SplitMix64::new(1);
    let differences: Vec<f64> = (0..=MOST_RESAMPLED).map(|_| random.unit() - 0.5).collect();

    let found = bootstrap(&differences, SEED).unwrap();

    assert_eq!(found.method, Method::Student);
    let width = found.interval.high - found.interval.low;
    // The deviation of even numbers is the root of a twelfth.
    let expected = 2.0 * 1.96 / (12.0 * 32_769.0_f64).sqrt();
    assert!(
        (width / expected - 1.0).abs() < 0.02,
        "{width} is not {expected}"
    );
}

#[test]
fn the_least_difference_that_is_found_agrees_with_statsmodels() {
    // The difference for which `power_proportions_2indep` gives 0.8; it also counts the wrong tail,
    // which is nothing.
    for (share, samples, expected) in [
        (0.7, 500, 0.083_953_767),
        (0.3, 500, 0.083_953_767),
        (0.5, 1_000, 0.062_486_009),
        (0.9, 200, 0.099_701),
    ] {
        let found = detectable_unpaired(share, samples, samples, Power::USUAL).unwrap();

        assert!((found - expected).abs() < 1e-4, "{share}: {found}");
    }
}

#[test]
fn pairs_find_smaller_differences_than_separate_samples() {
    // The root of δ√n = z√ψ + z'√(ψ − δ²), by `scipy.optimize.brentq`.
    for (discordant, samples, expected) in [
        (0.1, 500, 0.039_527_051_860_739_31),
        (0.3, 1_000, 0.048_467_694_219_206_13),
        (0.02, 2_000, 0.008_854_169_049_738_491),
    ] {
        let found = detectable_paired(discordant, samples, Power::USUAL).unwrap();
        let separate = detectable_unpaired(0.7, samples, samples, Power::USUAL).unwrap();

        assert!((found - expected).abs() < 1e-9, "{discordant}: {found}");
        assert!(found < separate);
    }
}

#[test]
fn a_difference_that_cannot_be_found_is_not_promised() {
    let usual = Power::USUAL;

    assert_eq!(detectable_paired(0.02, 200, usual), None);
    assert_eq!(detectable_paired(0.0, 200, usual), None);
    assert_eq!(detectable_paired(0.1, 0, usual), None);
    assert_eq!(detectable_unpaired(0.5, 2, 2, usual), None);
    assert_eq!(detectable_unpaired(f64::NAN, 100, 100, usual), None);
    assert_eq!(detectable_difference(-1.0, usual), None);
    assert_eq!(Power::new(0.5), None);
    assert_eq!(Power::new(1.0), None);
}

#[test]
fn a_known_error_is_found_from_two_point_eight_of_it_on() {
    let found = detectable_difference(0.5, Power::USUAL).unwrap();

    assert!((found - 1.400_792_6).abs() < 1e-6);
}

prop_compose! {
    fn any_agreement()(
        both in 0_u64..2_000,
        only_a in 0_u64..500,
        only_b in 0_u64..500,
        neither in 0_u64..2_000,
    ) -> Agreement {
        Agreement { both, only_a, only_b, neither }
    }
}

proptest! {
    #[test]
    fn exchanged_models_give_the_same_test_and_the_opposite_difference(agreement in any_agreement()) {
        let swapped = agreement.swapped();

        prop_assert_eq!(agreement.mcnemar(), swapped.mcnemar());
        let (here, there) = (agreement.difference(), swapped.difference());
        prop_assert_eq!(here.is_some(), there.is_some());
        if let (Some(here), Some(there)) = (here, there) {
            prop_assert!((here.value + there.value).abs() < 1e-15);
            prop_assert!((here.interval.low + there.interval.high).abs() < 1e-15);
            prop_assert!((here.interval.high + there.interval.low).abs() < 1e-15);
        }
    }

    #[test]
    fn a_difference_lies_in_its_interval_and_that_within_what_is_possible(agreement in any_agreement()) {
        if let Some(found) = agreement.difference() {
            prop_assert!(-1.0 <= found.interval.low && found.interval.low <= found.value);
            prop_assert!(found.value <= found.interval.high && found.interval.high <= 1.0);
            prop_assert!(found.interval.low < found.interval.high);
        }
        let p = agreement.mcnemar().p_value;
        prop_assert!((0.0..=1.0).contains(&p));
    }

    #[test]
    fn the_more_one_sided_the_less_it_looks_like_chance(only_b in 0_u64..300, lead in 0_u64..300) {
        let less = differing(only_b + lead, only_b).mcnemar().p_value;
        let more = differing(only_b + lead + 1, only_b).mcnemar().p_value;

        prop_assert!(more <= less * (1.0 + 1e-12), "{more} is above {less}");
    }

    #[test]
    fn more_samples_find_smaller_differences(share in 0.0_f64..1.0, samples in 50_u64..100_000) {
        let usual = Power::USUAL;
        let few = detectable_unpaired(share, samples, samples, usual);
        let many = detectable_unpaired(share, 2 * samples, 2 * samples, usual);

        prop_assert!(few.is_none() || many < few);
    }
}

proptest! {
    // Each case draws tens of thousands of samples.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn neither_the_order_of_samples_nor_that_of_models_changes_a_bootstrap(
        mut differences in prop::collection::vec(-1.0_f64..1.0, 2..20),
        turns in 0_usize..20,
    ) {
        let plain = bootstrap(&differences, SEED).unwrap();

        let turns = turns % differences.len();
        differences.rotate_left(turns);
        prop_assert_eq!(bootstrap(&differences, SEED), Some(plain));
        let turned: Vec<f64> = differences.iter().map(|value| -value).collect();
        let turned = bootstrap(&turned, SEED).unwrap();
        prop_assert_eq!(turned.interval.low.to_bits(), (0.0 - plain.interval.high).to_bits());
        prop_assert_eq!(turned.interval.high.to_bits(), (0.0 - plain.interval.low).to_bits());
        prop_assert!(plain.interval.low <= plain.value && plain.value <= plain.interval.high);
    }
}
