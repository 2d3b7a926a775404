use std::collections::BTreeMap;
use std::collections::btree_map::Iter;

use serde::{Deserialize, Serialize};

/// The settings of a run that bear on its scores: agent, effort, shots, judge and the like.
///
/// Two results are of one setup when all keys and values are equal. A key that is absent was not
/// reported, which is not the same as any value.
///
/// ```
/// # use assay_model::Setup;
/// let mut setup = Setup::default();
/// setup.insert("shots", "5");
/// setup.insert("agent", " ");
/// assert_eq!(setup.get("shots"), Some("5"));
/// assert_eq!(setup.get("agent"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Setup(BTreeMap<String, String>);

/// A setup key that has a heading of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetupKey {
    /// The key as files write it.
    pub key: &'static str,
    /// The heading of its column.
    pub heading: &'static str,
    /// The meaning of the key.
    pub help: &'static str,
}

const fn key(key: &'static str, heading: &'static str, help: &'static str) -> SetupKey {
    SetupKey { key, heading, help }
}

impl Setup {
    /// The key under which the subset of the benchmark stands.
    pub const SUBSET: &str = "subset";
    /// The key under which the name of the framework stands.
    pub const FRAMEWORK: &str = "framework";
    /// The key under which the normalisation of texts stands.
    pub const NORMALIZATION: &str = "normalization";
    /// The key under which the commit of the dataset stands.
    pub const DATASET_REVISION: &str = "dataset_revision";
    /// The most keys that a setup may have.
    pub const MAX_KEYS: usize = 64;
    /// The most bytes of a key or value.
    pub const MAX_TEXT: usize = 1024;

    /// The keys with headings of their own, in the order of their columns. Other keys are kept and
    /// shown by their name.
    pub const KNOWN: [SetupKey; 18] = [
        key("agent", "Agent", "The agent or scaffold around the model."),
        key(
            "effort",
            "Effort",
            "How much reasoning the model was asked for.",
        ),
        key("shots", "Shots", "How many examples the prompt has."),
        key(
            "prompt",
            "Prompt",
            "The prompt template or the kind of prompt.",
        ),
        key("tools", "Tools", "The tools that the model may use."),
        key("judge", "Judge", "The model or method that scores answers."),
        key(
            "attempts",
            "Attempts",
            "How many attempts or epochs each question has.",
        ),
        key("temperature", "Temperature", "The sampling temperature."),
        key("max_tokens", "Max. tokens", "The most tokens of an answer."),
        key(
            "precision",
            "Precision",
            "The number format of the weights, such as bfloat16.",
        ),
        key(
            "quantization",
            "Quantisation",
            "How the weights are quantised.",
        ),
        key(
            "engine",
            "Engine",
            "What ran the model: an inference engine or a provider.",
        ),
        key("context", "Context", "The length of the context window."),
        key(Self::SUBSET, "Subset", "The part of the benchmark."),
        key(
            Self::NORMALIZATION,
            "Normalisation",
            "How texts were normalised before they were compared.",
        ),
        key(Self::FRAMEWORK, "Framework", "What ran the evaluation."),
        key(
            "harness_task_version",
            "Task version",
            "The version of the task in the framework.",
        ),
        key(
            Self::DATASET_REVISION,
            "Dataset revision",
            "The commit of the dataset.",
        ),
    ];

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Sets a key. A blank value is not reported, so it sets nothing.
    pub fn insert(&mut self, key: &str, value: &str) {
        let value = value.trim();
        if !key.is_empty() && !value.is_empty() {
            self.0.insert(key.to_owned(), value.to_owned());
        }
    }

    /// Returns whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of keys that were reported.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The keys and values, by name.
    pub fn iter(&self) -> Iter<'_, String, String> {
        self.0.iter()
    }

    /// Returns the keys in which setups differ, in the order of their columns. Absent counts as a
    /// value of its own here.
    pub fn differing_keys<'s>(setups: &[&'s Self]) -> Vec<&'s str> {
        let keys = setups.iter().flat_map(|setup| setup.0.keys());
        let mut keys: Vec<&str> = keys.map(String::as_str).collect();
        keys.sort_unstable_by_key(|key| Self::place(key));
        keys.dedup();
        keys.retain(|key| {
            let mut values = setups.iter().map(|setup| setup.get(key));
            let first = values.next();
            values.any(|value| Some(value) != first)
        });
        keys
    }

    /// The heading of a key: its own, or the key itself.
    pub fn heading(key: &str) -> &str {
        let known = Self::KNOWN.iter().find(|known| known.key == key);
        known.map_or(key, |known| known.heading)
    }

    /// Returns the position of a key's column: known keys in their order, then the rest by name.
    pub fn place(key: &str) -> (usize, &str) {
        let known = Self::KNOWN.iter().position(|known| known.key == key);
        (known.unwrap_or(Self::KNOWN.len()), key)
    }
}

impl<'s> IntoIterator for &'s Setup {
    type Item = (&'s String, &'s String);
    type IntoIter = Iter<'s, String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<K: AsRef<str>, V: AsRef<str>> FromIterator<(K, V)> for Setup {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut setup = Self::default();
        for (key, value) in pairs {
            setup.insert(key.as_ref(), value.as_ref());
        }
        setup
    }
}
