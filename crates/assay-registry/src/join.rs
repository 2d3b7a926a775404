//! Names that mean one model, among names that need not be declared.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::Role;
use crate::registry::{Registry, split};

/// A model and the names that mean it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JoinedNames<'n> {
    /// Canonical id; for a model that is not declared, the name that tells most about it.
    pub model: String,
    /// The names, in alphabetical order.
    pub names: Vec<&'n str>,
}

impl Registry {
    /// Puts names that certainly mean one model together, in alphabetical order of the models.
    ///
    /// Models that are not declared are joined by the same rules as those that are.
    ///
    /// ```
    /// # use assay_registry::Registry;
    /// let groups = Registry::shipped().join(["qwen/some-new-7b", "alibaba/Some-New-7B", "acme/some-new-7b"]);
    ///
    /// let sizes: Vec<usize> = groups.iter().map(|group| group.names.len()).collect();
    /// assert_eq!(sizes, [1, 2]);
    /// ```
    pub fn join<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<JoinedNames<'n>> {
        let mut known = self.clone();
        let distinct: BTreeSet<&str> = names.into_iter().collect();
        let mut ordered: Vec<&str> = distinct.into_iter().collect();
        // Names with their maker come first and short ones before those with a suffix, so that they
        // lend their name.
        ordered.sort_by_key(|name| (self.rank(name), name.len(), *name));
        let mut groups: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for name in ordered {
            let answer = known.resolve(name);
            let model = if let Some(model) = answer.model {
                model.to_owned()
            } else {
                known.add_id(name);
                name.to_owned()
            };
            groups.entry(model).or_default().insert(name);
        }
        groups
            .into_iter()
            .map(|(model, names)| JoinedNames {
                model,
                names: names.into_iter().collect(),
            })
            .collect()
    }

    /// Returns how little a name says about who made the model.
    fn rank(&self, name: &str) -> u8 {
        match split(name).0.map(|text| self.organisations.find(text).role) {
            Some(Role::Developer) => 0,
            None => 1,
            Some(Role::Provider) => 2,
            Some(Role::Placeholder) => 3,
        }
    }
}
