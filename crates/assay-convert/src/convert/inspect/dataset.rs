//! The data that a log was evaluated on.

use assay_formats::eee::record::{Details, SourceData};
use assay_formats::{Kind, Value};

use super::message::detail;

/// The endings of files of datasets; repositories have none.
const FILE_ENDINGS: [&str; 8] = [
    ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".txt", ".yaml", ".arrow",
];
/// The most ids of samples that the results of one record list in all: each result repeats them.
const MAX_LISTED_IDS: usize = 100_000;

/// The name of the data, which names the record's directory too.
pub(super) fn dataset_name(eval: Value<'_>) -> String {
    let task = eval.text_of("task").unwrap_or_default();
    let own = eval
        .get("dataset")
        .and_then(|dataset| dataset.text_of("name"));
    let name = match (location(eval), own) {
        (Some(location), _) if !is_repository(&location) => task,
        (_, Some(own)) if !own.trim().is_empty() => own,
        (Some(_) | None, _) => task,
    };
    let last = name
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    if last.trim().is_empty() {
        "unknown".to_owned()
    } else {
        last.to_owned()
    }
}

/// Returns the source of the data, for each of so many results.
pub(super) fn source_data(eval: Value<'_>, results: usize) -> SourceData {
    let dataset_name = dataset_name(eval);
    let dataset = eval.get("dataset");
    let count = dataset
        .and_then(|dataset| dataset.get("samples"))
        .and_then(Value::integer)
        .and_then(|count| u64::try_from(count).ok());
    let ids: Vec<String> = dataset
        .and_then(|dataset| dataset.get("sample_ids"))
        .into_iter()
        .flat_map(Value::items)
        .map(detail)
        .collect();
    // The list names the samples that ran; `samples` counts those of the whole dataset.
    let used = if ids.is_empty() {
        count
    } else {
        Some(ids.len() as u64)
    };
    let mut additional_details = shuffled(dataset);
    if let Some(count) = count.filter(|count| Some(*count) != used) {
        additional_details.insert("dataset_samples".to_owned(), count.to_string());
    }
    let is_listed = ids.len().saturating_mul(results.max(1)) <= MAX_LISTED_IDS;
    let sample_ids = if is_listed { ids } else { Vec::new() };
    if let Some(repository) = location(eval).filter(|location| is_repository(location)) {
        return SourceData::HfDataset {
            dataset_name,
            hf_repo: Some(repository),
            hf_split: None,
            samples_number: used,
            sample_ids,
            additional_details,
        };
    }
    let mut add = |key: &str, value: Option<String>| {
        additional_details.extend(value.map(|value| (key.to_owned(), value)));
    };
    add("inspect_dataset_location", location(eval));
    add(
        "inspect_dataset_name",
        dataset
            .and_then(|dataset| dataset.text_of("name"))
            .map(std::borrow::Cow::into_owned),
    );
    add("samples_number", used.map(|count| count.to_string()));
    add("sample_ids", joined(&sample_ids));
    SourceData::Other {
        dataset_name,
        additional_details,
    }
}

/// The ids in one text; a list in JSON when commas in ids would make it ambiguous.
fn joined(ids: &[String]) -> Option<String> {
    if ids.iter().any(|id| id.contains(',')) {
        let quoted: Vec<String> = ids.iter().map(|id| format!("{id:?}")).collect();
        return Some(format!("[{}]", quoted.join(",")));
    }
    (!ids.is_empty()).then(|| ids.join(","))
}

fn shuffled(dataset: Option<Value<'_>>) -> Details {
    let shuffled = dataset
        .and_then(|dataset| dataset.present("shuffled"))
        .and_then(Value::truth);
    let word = shuffled.map(|shuffled| if shuffled { "True" } else { "False" });
    word.map(|word| ("shuffled".to_owned(), word.to_owned()))
        .into_iter()
        .collect()
}

fn location(eval: Value<'_>) -> Option<String> {
    let location = eval.get("dataset")?.present("location")?;
    (location.kind() == Kind::String)
        .then(|| detail(location))
        .filter(|location| !location.trim().is_empty())
}

/// Returns whether a location is the id of a repository, `namespace/name`, and no path.
fn is_repository(location: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
    };
    let is_file = FILE_ENDINGS.iter().any(|ending| location.ends_with(ending));
    location
        .split_once('/')
        .is_some_and(|(namespace, name)| is_name(namespace) && is_name(name) && !is_file)
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::Document;
    use super::*;

    fn source(text: &str) -> SourceData {
        let document = Document::new(text.to_owned()).unwrap();
        source_data(document.root().unwrap(), 1)
    }

    #[test]
    fn a_repository_is_told_from_a_path() {
        for (location, expected) in [
            ("allenai/ai2_arc", true),
            ("/root/data.json", false),
            ("data/a/b.json", false),
            ("data/add.jsonl", false),
            ("../x", false),
            ("plain", false),
            ("ns/", false),
        ] {
            assert_eq!(is_repository(location), expected, "{location}");
        }
    }

    #[test]
    fn the_samples_that_ran_are_counted_and_not_those_of_the_dataset() {
        let found = source(
            r#"{"task": "t", "dataset": {"name": "a/b", "location": "a/b", "samples": 2376, "sample_ids": [1, "x"], "shuffled": false}}"#,
        );

        let SourceData::HfDataset {
            dataset_name,
            samples_number,
            sample_ids,
            additional_details,
            ..
        } = found
        else {
            panic!("the location is a repository");
        };
        assert_eq!(dataset_name, "b");
        assert_eq!(samples_number, Some(2));
        assert_eq!(sample_ids, ["1", "x"]);
        assert_eq!(additional_details["dataset_samples"], "2376");
        assert_eq!(additional_details["shuffled"], "False");
    }

    #[test]
    fn ids_with_commas_stay_apart() {
        let found = source(r#"{"task": "pkg/t", "dataset": {"sample_ids": ["a,b", "c"]}}"#);

        let SourceData::Other {
            dataset_name,
            additional_details,
        } = found
        else {
            panic!("there is no location");
        };
        assert_eq!(dataset_name, "t");
        assert_eq!(additional_details["sample_ids"], r#"["a,b","c"]"#);
    }
}
