use std::collections::BTreeMap;
use std::rc::Rc;

use assay_formats::shape::Shape;

use crate::random::Random;
use crate::tree::{Path, Tree};
use crate::vocabulary::Vocabulary;

/// Replacements of a value: every type, and numbers whose spelling, size or sign might be read
/// differently.
const LITERALS: [&str; 22] = [
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e3",
    "5.0",
    "-0.0",
    "1e-5",
    "1.0000000000000000000001",
    "18446744073709551616",
    "-18446744073709551616",
    "1e30",
    "-1E+30",
    r#""""#,
    r#""x""#,
    "[]",
    "{}",
    "[1]",
    r#"["x"]"#,
    r#"{"a":1}"#,
    r#"{"a":"x"}"#,
];
/// A key that no version knows.
const UNKNOWN_KEY: &str = "no_version_knows_this";
/// The number of known keys that are tried in each map.
const KEYS_PER_MAP: usize = 2;

/// One change to a document.
#[derive(Debug, Clone)]
enum Change {
    /// The value goes, with its key.
    Delete,
    /// The map gets one more key.
    Add(String, &'static str),
    /// The value's key is called otherwise.
    Rename(String),
    /// Another value takes the place.
    Replace(&'static str),
    /// Another word of the vocabulary takes the place: enums and tags.
    Say(&'static str),
    /// A list is put round it.
    Wrap,
    /// The item stands there twice.
    Duplicate,
    /// All that it holds goes.
    Empty,
    /// A value from elsewhere in the document takes the place.
    Borrow(Path),
    /// A key of the map says what a seed says there: the only way to a document that is right but
    /// for one condition.
    Graft(String, Tree),
}

/// A seed and what becomes of it.
pub(crate) struct Mutated {
    seed: Tree,
    vocabulary: Vocabulary,
    donors: Rc<Donors>,
    random: Random,
    /// The single changes that are still to come, in no useful order.
    singles: Vec<(Path, Change)>,
}

impl Mutated {
    pub(crate) fn of(seed: Tree, shape: &'static Shape, donors: &Rc<Donors>) -> Self {
        let mut mutated = Self {
            seed,
            vocabulary: Vocabulary::of(shape),
            donors: Rc::clone(donors),
            random: Random::new(),
            singles: Vec::new(),
        };
        let (seed, paths) = (mutated.seed.clone(), mutated.seed.paths());
        for path in &paths {
            let changes = mutated.changes_at(&seed, path, &paths);
            mutated
                .singles
                .extend(changes.into_iter().map(|change| (path.clone(), change)));
        }
        mutated
    }

    /// The next document with one change, and the change in words.
    pub(crate) fn next_single(&mut self) -> Option<(String, String)> {
        let (path, change) = self.singles.pop()?;
        let mut tree = self.seed.clone();
        apply(&mut tree, &path, &change);
        Some((tree.text(), format!("{change:?} at {path:?}")))
    }

    /// A document with several changes, and the changes in words.
    pub(crate) fn stacked(&mut self, most: usize) -> (String, String) {
        let mut tree = self.seed.clone();
        let mut words = Vec::new();
        for _ in 0..2 + self.random.below(most - 1) {
            let paths = tree.paths();
            let path = self.random.pick(&paths);
            let changes = self.changes_at(&tree, &path, &paths);
            let change = self.random.pick(&changes);
            apply(&mut tree, &path, &change);
            words.push(format!("{change:?} at {path:?}"));
        }
        (tree.text(), words.join(", then "))
    }

    /// Every change that can be made to the value at `path`; `paths` lead to what can be borrowed.
    fn changes_at(&mut self, tree: &Tree, path: &[usize], paths: &[Path]) -> Vec<Change> {
        let mut changes: Vec<Change> = LITERALS.into_iter().map(Change::Replace).collect();
        changes.push(Change::Wrap);
        if let Some((_, parent)) = path.split_last() {
            changes.push(Change::Delete);
            match tree.at(parent) {
                Tree::Map(_) => changes.extend([
                    Change::Rename(UNKNOWN_KEY.to_owned()),
                    Change::Rename(self.random.pick(&self.vocabulary.keys).to_owned()),
                ]),
                Tree::List(_) => changes.push(Change::Duplicate),
                Tree::Literal(_) | Tree::String(_) => {}
            }
            changes.push(Change::Borrow(self.random.pick(paths)));
        }
        match tree.at(path) {
            Tree::Map(own) => {
                changes.extend(self.donors.grafts(tree.name_of(path), own));
                changes.extend([Change::Empty, Change::Add(UNKNOWN_KEY.to_owned(), "1")]);
                for _ in 0..KEYS_PER_MAP {
                    let key = self.random.pick(&self.vocabulary.keys).to_owned();
                    changes.push(Change::Add(key, self.random.pick(&LITERALS)));
                }
            }
            Tree::List(_) => changes.push(Change::Empty),
            Tree::String(text) if self.vocabulary.texts.contains(&text.as_str()) => {
                changes.extend(self.vocabulary.texts.iter().map(|text| Change::Say(text)));
            }
            Tree::String(_) => {
                changes.push(Change::Say(self.random.pick(&self.vocabulary.texts)));
            }
            Tree::Literal(_) => {}
        }
        changes
    }
}

/// The values of all seeds, by the name of the map and the key: `metric_config` and `min_score`
/// have four values.
#[derive(Debug, Default)]
pub(crate) struct Donors(BTreeMap<String, Vec<(String, Tree)>>);

impl Donors {
    pub(crate) fn of(seeds: &[Tree]) -> Self {
        let mut donors = Self::default();
        for seed in seeds {
            for path in seed.paths() {
                if let Tree::Map(entries) = seed.at(&path) {
                    let known = donors.0.entry(seed.name_of(&path).to_owned()).or_default();
                    for entry in entries {
                        if !known.contains(entry) {
                            known.push(entry.clone());
                        }
                    }
                }
            }
        }
        donors
    }

    /// Returns the keys that could be put into a map of this name and are not there.
    fn grafts(&self, name: &str, own: &[(String, Tree)]) -> Vec<Change> {
        let known = self.0.get(name).map(Vec::as_slice).unwrap_or_default();
        known
            .iter()
            .filter(|entry| !own.contains(entry))
            .map(|(key, value)| Change::Graft(key.clone(), value.clone()))
            .collect()
    }
}

fn apply(tree: &mut Tree, path: &[usize], change: &Change) {
    match change {
        Change::Delete | Change::Rename(_) | Change::Duplicate => {
            let (&position, parent) = path.split_last().expect("the root is not changed so");
            apply_in(tree.at_mut(parent), position, change);
        }
        Change::Add(key, literal) => {
            if let Tree::Map(entries) = tree.at_mut(path) {
                // The same key twice is a fault of the text, of which a schema knows nothing.
                entries.retain(|(own, _)| own != key);
                entries.push((key.clone(), value_of(literal)));
            }
        }
        Change::Replace(literal) => *tree.at_mut(path) = value_of(literal),
        Change::Say(text) => *tree.at_mut(path) = Tree::String((*text).to_owned()),
        Change::Wrap => {
            let value = tree.at(path).clone();
            *tree.at_mut(path) = Tree::List(vec![value]);
        }
        Change::Empty => match tree.at_mut(path) {
            Tree::List(items) => items.clear(),
            Tree::Map(entries) => entries.clear(),
            Tree::Literal(_) | Tree::String(_) => {}
        },
        Change::Borrow(from) => {
            let value = tree.at(from).clone();
            *tree.at_mut(path) = value;
        }
        Change::Graft(key, value) => {
            if let Tree::Map(entries) = tree.at_mut(path) {
                entries.retain(|(own, _)| own != key);
                entries.push((key.clone(), value.clone()));
            }
        }
    }
}

/// Applies a change that concerns the list or map round the value.
fn apply_in(parent: &mut Tree, position: usize, change: &Change) {
    match (parent, change) {
        (Tree::Map(entries), Change::Rename(key)) => {
            let (_, value) = entries.remove(position);
            entries.retain(|(own, _)| own != key);
            entries.push((key.clone(), value));
        }
        (Tree::Map(entries), _) => {
            entries.remove(position);
        }
        (Tree::List(items), Change::Duplicate) => {
            let item = items[position].clone();
            items.insert(position, item);
        }
        (Tree::List(items), _) => {
            items.remove(position);
        }
        (Tree::Literal(_) | Tree::String(_), _) => {}
    }
}

/// A literal as a value; numbers keep their spelling.
fn value_of(literal: &str) -> Tree {
    match literal.as_bytes().first() {
        Some(b'[' | b'{' | b'"') => Tree::parse(literal),
        _ => Tree::Literal(literal.to_owned()),
    }
}
