//! The card of a model or dataset: the YAML between two lines of dashes at the top of its
//! `README.md`.
//!
//! Cards are written by people and read by everyone's client, so what would make a client stumble
//! is left out here and told to the author instead.

mod convert;
mod front_matter;
mod legacy;
mod report;
mod tags;

use serde_json::{Map, Value as Json};

pub use front_matter::MAX_FRONT_MATTER_BYTES;
pub use legacy::{LegacyEntry, MAX_LEGACY_METRICS};
pub use report::{YamlMessage, YamlReport};
pub use tags::{MAX_TAG_BYTES, MAX_TAGS};

use self::convert::object;
use self::front_matter::{FrontMatter, front_matter};
use self::report::Report;
use crate::{Kind, Tape, Value, yaml};

/// The largest size of a card once its aliases are expanded, in bytes.
pub const MAX_CARD_BYTES: usize = 1 << 20;
/// The largest number of base models that a card may name.
pub const MAX_BASE_MODELS: usize = 64;

/// Keys that the constructor of a client takes for its own arguments: with one of them it cannot be
/// called.
const FATAL_KEYS: [&str; 2] = ["self", "ignore_metadata_errors"];

/// The fields of a card, cleared of what breaks clients.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Card {
    /// The front matter as JSON; none when there is none that can be read.
    pub data: Option<Map<String, Json>>,
    /// Its own tags and those that follow from what it says. None of them begins with `benchmark:`,
    /// which only the hub gives.
    pub tags: Vec<String>,
    /// The models that this one is made from, as they are written.
    pub base_models: Vec<String>,
    /// The licence; the first when there are several.
    pub license: Option<String>,
    /// The task of the model.
    pub pipeline_tag: Option<String>,
    /// The library that runs the model.
    pub library_name: Option<String>,
    /// The results of an old card's `model-index`.
    pub legacy: Vec<LegacyEntry>,
}

/// Reads the card of a `README.md`, and says what is wrong with it.
///
/// ```
/// # use assay_formats::card;
/// let readme = "---\nlicense: mit\nbase_model: acme/large\n---\n# Small\n";
///
/// let (card, report) = card::read(readme);
///
/// assert!(report.is_valid());
/// assert_eq!(card.base_models, ["acme/large"]);
/// assert_eq!(card.tags, ["license:mit", "base_model:acme/large"]);
/// ```
pub fn read(readme: &str) -> (Card, YamlReport) {
    let mut report = Report::default();
    let card = match front_matter(readme) {
        FrontMatter::Found { text, line } => of_yaml(text, report.begin_at(line)),
        FrontMatter::Missing => {
            report.warn("there is no front matter: no YAML between two lines of `---` at the top");
            Card::default()
        }
        FrontMatter::Unclosed => {
            report.warn("the front matter has no end: a second line of `---` is missing");
            Card::default()
        }
        FrontMatter::TooLarge => {
            report.error(format!(
                "the front matter has no end in its first {MAX_FRONT_MATTER_BYTES} bytes"
            ));
            Card::default()
        }
    };
    (card, report.finish())
}

fn of_yaml(text: &str, report: &mut Report) -> Card {
    let mut tape = Tape::new();
    let faults = yaml::parse(text, &mut tape);
    report.syntax(text, &faults);
    let Some(root) = tape.root(text) else {
        return Card::default();
    };
    match root.kind() {
        Kind::Map => of_map(root, report),
        Kind::Null => {
            report.warn("the front matter is empty");
            Card::default()
        }
        kind @ (Kind::Bool | Kind::Number | Kind::String | Kind::List) => {
            report.error(format!(
                "the front matter must be a mapping, and is {}",
                kind.words()
            ));
            Card::default()
        }
    }
}

fn of_map(root: Value<'_>, report: &mut Report) -> Card {
    let Some(mut data) = object(root) else {
        report.error(format!(
            "the front matter holds more than {MAX_CARD_BYTES} bytes once its aliases are written out"
        ));
        return Card::default();
    };
    for key in FATAL_KEYS {
        if data.shift_remove(key).is_some() {
            report.warn(format!(
                "the key `{key}` is left out: clients cannot read it"
            ));
        }
    }
    let legacy = legacy::read(root, &mut data, report);
    tags::clear(&mut data, report);
    language(root, &mut data, report);
    let base_models = base_models(&data, report);
    let word = |key: &str| texts(data.get(key)).into_iter().next().map(str::to_owned);
    Card {
        tags: tags::of(&data, &base_models),
        license: word("license"),
        pipeline_tag: word("pipeline_tag"),
        library_name: word("library_name"),
        base_models,
        legacy,
        data: Some(data),
    }
}

/// Norwegian is `no`, which older YAML reads as false.
fn language(root: Value<'_>, data: &mut Map<String, Json>, report: &mut Report) {
    let Some(languages) = root.get("language") else {
        return;
    };
    let is_word = |value: Value<'_>| value.kind() == Kind::Bool && value.is_loose();
    let mended = match languages.kind() {
        Kind::Bool if is_word(languages) => Json::from(languages.raw()),
        Kind::List if languages.items().any(is_word) => languages
            .items()
            .zip(
                data.get("language")
                    .and_then(Json::as_array)
                    .into_iter()
                    .flatten(),
            )
            .map(|(written, read)| {
                if is_word(written) {
                    Json::from(written.raw())
                } else {
                    read.clone()
                }
            })
            .collect(),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::List | Kind::Map => return,
    };
    report.warn("a language such as `no` must be quoted: some tools read it as false");
    data.insert("language".to_owned(), mended);
}

fn base_models(data: &Map<String, Json>, report: &mut Report) -> Vec<String> {
    let named = texts(data.get("base_model"));
    if data.get("base_model").is_some_and(|value| !value.is_null()) && named.is_empty() {
        report.warn("`base_model` must be the id of a model, or a list of them");
    }
    if named.len() > MAX_BASE_MODELS {
        report.warn(format!(
            "only the first {MAX_BASE_MODELS} of `base_model` are kept"
        ));
    }
    let kept = named.into_iter().take(MAX_BASE_MODELS);
    kept.map(str::to_owned).collect()
}

/// The texts of a value that may be one or a list, without space around them; what is empty is
/// none.
fn texts(value: Option<&Json>) -> Vec<&str> {
    let items = match value {
        Some(Json::Array(items)) => items.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let texts = items.iter().filter_map(Json::as_str).map(str::trim);
    texts.filter(|text| !text.is_empty()).collect()
}
