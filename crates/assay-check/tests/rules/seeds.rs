//! The examples of the published specification, which contradict each other in places. Each has the
//! findings it deserves, alone and beside the benchmarks of the same examples; none of them is
//! refused for its shape.
//!
//! Both documents print the first three, so these eleven files are all fourteen examples.

use crate::support::{Shelf, benchmark, findings, findings_with};

const NONE: [&str; 0] = [];

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/seeds/", $name, ".yaml"))
    };
}

const HLE: &str = fixture!("hle.benchmark");
const SWE_BENCH_PRO: &str = fixture!("swe_bench_pro.benchmark");
const COCO: &str = fixture!("coco.benchmark");
const AIME: &str = fixture!("aime_2026.benchmark");
const OPEN_ASR: &str = fixture!("open_asr.benchmark");

/// Every benchmark of the examples, under the id that the results name, as far as it can be one.
fn shelf() -> Shelf {
    Shelf::default()
        .with("cais/hle", HLE)
        .with("ScaleAI/SWE-bench_Pro", SWE_BENCH_PRO)
        .with("phiyodr/coco2017", COCO)
        .with("MathArena/aime_2026", AIME)
        .with("esb/datasets", OPEN_ASR)
}

#[test]
fn the_benchmarks_of_the_examples_have_no_findings() {
    for text in [HLE, SWE_BENCH_PRO, COCO, AIME, OPEN_ASR] {
        assert_eq!(findings("eval.yaml", text), NONE, "{text}");
        assert!(benchmark(text).primary().is_some());
    }
}

#[test]
fn the_minimal_entry_names_the_configuration_for_the_task() {
    let (path, text) = (".eval_results/hle.yaml", fixture!("hle.minimal"));

    assert_eq!(findings(path, text), NONE);
    assert_eq!(
        findings_with(path, text, &shelf()),
        ["AY324 3:14 task `default` is not defined by `cais/hle`"]
    );
}

#[test]
fn the_entry_with_provenance_cannot_be_verified() {
    let (path, text) = (".eval_results/hle.yaml", fixture!("hle.provenance"));
    let alone = [
        "AY313 9:19 `9f3c2c9a1c4e6d1e` is a commit hash cut short to 16 digits; it displays but cannot verify",
        "AY305 13:17 the token is not three base64url parts with points between them",
        "AY306 13:17 the token cannot be verified; the entry needs a full `model_revision`",
    ];

    assert_eq!(findings(path, text), alone);
    let mut beside = vec!["AY324 3:14 task `default` is not defined by `cais/hle`"];
    beside.extend(alone);
    assert_eq!(findings_with(path, text, &shelf()), beside);
}

#[test]
fn swe_bench_pro_submits_a_subset_as_a_task() {
    let (path, text) = (
        ".eval_results/swe_bench_pro.yaml",
        fixture!("swe_bench_pro.results"),
    );

    assert_eq!(findings(path, text), NONE);
    assert_eq!(
        findings_with(path, text, &shelf()),
        ["AY324 3:14 task `public` is not defined by `ScaleAI/SWE-bench_Pro`"]
    );
}

#[test]
fn coco_has_no_namespace_and_is_no_benchmark() {
    let (path, text) = (".eval_results/coco.yaml", fixture!("coco.results"));
    let bare = "AY317 2:9 the dataset id `coco` has no namespace";

    assert_eq!(findings(path, text), [bare]);
    assert_eq!(
        findings_with(path, text, &shelf()),
        [bare, "AY322 2:9 there is no benchmark `coco`"]
    );
}

#[test]
fn coco_names_a_dataset_as_its_task_and_another_in_its_results() {
    let text = fixture!("coco.results").replace("\"coco\"", "\"phiyodr/coco2017\"");

    assert_eq!(
        findings_with(".eval_results/coco2017.yaml", &text, &shelf()),
        ["AY324 3:14 task `bbox_testdev_2017` is not defined by `phiyodr/coco2017`"]
    );
}

#[test]
fn matharena_has_no_findings() {
    let (path, text) = (
        ".eval_results/aime_2026.yaml",
        fixture!("aime_2026.results"),
    );

    assert_eq!(findings(path, text), NONE);
    assert_eq!(findings_with(path, text, &shelf()), NONE);
}

#[test]
fn open_asr_has_no_findings_under_the_name_of_its_dataset() {
    let (path, text) = (".eval_results/datasets.yaml", fixture!("open_asr.results"));

    assert_eq!(findings(path, text), NONE);
    assert_eq!(findings_with(path, text, &shelf()), NONE);
}
