use assay_formats::card::{LegacyEntry, MAX_LEGACY_METRICS};
use assay_model::Standing;

use crate::reading::{card, messages};

const INDEX: &str = "model-index:
- name: small
  results:
  - task: {type: automatic-speech-recognition, name: ASR}
    dataset: {type: acme/voices, name: Voices, config: clean, revision: 5503434ddd753f426f4b38109466949a1217c2bb}
    metrics:
    - {type: wer, value: 3.50, name: Test WER, verified: true, verifyToken: eyJ}
    - {type: cer, value: high}
    source: {url: https://example.org/log, name: Log}
  - task: {type: text-generation}
    dataset: {type: squad, name: SQuAD}
    metrics: [{type: f1, value: 88}]";

#[test]
fn t27_results_of_an_old_card_are_legacy_and_unverified_whatever_they_claim() {
    let (card, report) = card(INDEX);

    assert!(report.is_valid(), "{report:?}");
    let [first, second] = &card.legacy[..] else {
        panic!("{:?}", card.legacy);
    };
    assert!(first.claims_verified && !second.claims_verified);
    for LegacyEntry { entry, .. } in &card.legacy {
        assert_eq!(entry.token, None, "a token of another time proves nothing");
    }
    assert!(matches!(first.standing(), Standing::Unverified { reason, .. } if reason == "legacy"));
    assert_eq!(first.entry.dataset.as_str(), "acme/voices");
    assert_eq!(first.entry.task.as_str(), "clean");
    assert_eq!(second.entry.task.as_str(), "text-generation");
    let [score] = &first.entry.scores[..] else {
        panic!("only one value is a number");
    };
    assert_eq!(score.literal, "3.50");
    assert_eq!(score.metric.as_ref().unwrap().as_str(), "wer");
    assert!(card.data.unwrap().contains_key("model-index"));
}

#[test]
fn results_without_a_dataset_or_a_number_are_counted_and_left_out() {
    let yaml = "model-index:
- name: small
  results:
  - {task: {type: t}, dataset: {type: 'not an id', name: N}, metrics: [{type: f1, value: 1}]}
  - {task: {type: t}, dataset: {type: squad, name: N}, metrics: [{type: f1, value: .nan}]}
  - {task: {type: t}, dataset: {type: squad, name: N}, metrics: []}";

    let (card, report) = card(yaml);

    assert_eq!(card.legacy, []);
    let (_, warnings) = messages(&report);
    assert!(
        warnings
            .iter()
            .any(|said| said.starts_with("3 of the results")),
        "{warnings:?}"
    );
}

#[test]
fn an_index_that_clients_stumble_over_is_refused_and_left_out_of_the_data() {
    for yaml in [
        "model-index: small",
        "model-index: [small]",
        "model-index:\n- name: m\n  results:\n  - {task: {type: t}, dataset: {type: squad, name: N}, metrics: [], source: text}",
        "model-index:\n- name: m\n  results:\n  - {task: {type: t}, dataset: {type: squad, name: N}, metrics: [], source: {name: Log}}",
    ] {
        let (card, report) = card(yaml);

        assert!(!report.is_valid(), "{yaml}");
        assert!(!card.data.unwrap().contains_key("model-index"), "{yaml}");
    }
}

#[test]
fn a_card_with_endless_results_is_cut() {
    let metric = "{type: f1, value: 1}";
    let metrics = vec![metric; MAX_LEGACY_METRICS + 10].join(", ");

    let (card, _) = card(&format!(
        "model-index: [{{name: m, results: [{{task: {{type: t}}, dataset: {{type: squad, name: N}}, metrics: [{metrics}]}}]}}]"
    ));

    assert_eq!(card.legacy[0].entry.scores.len(), MAX_LEGACY_METRICS);
}
