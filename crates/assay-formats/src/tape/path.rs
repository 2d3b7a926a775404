//! The way from the root of a document to a value.

use std::fmt::Write as _;

use super::Value;
use crate::Kind;

/// One step of the way from the root to a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The list or map.
    holder: u32,
    /// The item of the list, or the key of the map, at which the way goes on.
    child: u32,
    /// The number of items before it.
    position: u32,
}

impl Value<'_> {
    /// The map or list that holds this value or key; the root holds itself.
    #[must_use]
    pub fn parent(self) -> Self {
        self.way()
            .last()
            .map_or(self.root(), |step| self.at(step.holder))
    }

    /// The way from the root to this value, such as `metrics[0].value`; for a key, the way to what
    /// it names.
    pub fn path(self) -> String {
        let mut path = String::new();
        for step in self.way() {
            if self.at(step.holder).kind() == Kind::List {
                let _ = write!(path, "[{}]", step.position);
                continue;
            }
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&self.at(step.child).text().unwrap_or_default());
        }
        path
    }

    /// The steps from the root to this value.
    fn way(self) -> Vec<Step> {
        let trail = &self.tape.trail;
        let mut trail = trail.lock();
        let mut here = self.root();
        let mut depth = 0;
        while here.index != self.index {
            let known = trail
                .get(depth)
                .filter(|step| step.holder == here.index && step.child <= self.index);
            let Some(step) = here.step_to(self.index, known) else {
                break;
            };
            // What is known of deeper steps may still be of use: a step is never wrong, only about
            // another holder.
            match trail.get_mut(depth) {
                Some(known) => *known = step,
                None => trail.push(step),
            }
            depth += 1;
            let is_value = here.kind() == Kind::Map && step.child != self.index;
            here = self.at(step.child + u32::from(is_value));
        }
        trail[..depth].to_vec()
    }

    /// The step from this list or map towards the value at `index`, sought from one that does not
    /// lie behind it.
    fn step_to(self, index: u32, known: Option<&Step>) -> Option<Step> {
        let (mut child, mut position) =
            known.map_or((self.index + 1, 0), |step| (step.child, step.position));
        let is_map = self.kind() == Kind::Map;
        while child < self.after() {
            let after = self.at(child + u32::from(is_map)).after();
            if index < after {
                return Some(Step {
                    holder: self.index,
                    child,
                    position,
                });
            }
            child = after;
            position += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tape, json};

    /// Every value and key below a value, with its path by counting.
    fn walk<'d>(value: Value<'d>, path: &str, all: &mut Vec<(Value<'d>, String)>) {
        all.push((value, path.to_owned()));
        for (position, item) in value.items().enumerate() {
            walk(item, &format!("{path}[{position}]"), all);
        }
        for (key, held) in value.entries() {
            let dot = if path.is_empty() { "" } else { "." };
            let path = format!("{path}{dot}{}", key.text().unwrap());
            all.push((key, path.clone()));
            walk(held, &path, all);
        }
    }

    #[test]
    fn paths_are_found_in_whichever_order_they_are_asked_for() {
        let source = r#"{"a": [1, {"b": [[], {}, [2, {"c": 3}]], "d": 4}, 5], "e": {"f": [6, 7]}, "g": null}"#;
        let mut tape = Tape::new();
        assert_eq!(json::parse(source, &mut tape), []);
        let mut all = Vec::new();
        walk(tape.root(source).unwrap(), "", &mut all);

        for stride in 1..all.len() {
            for turn in 0..all.len() {
                let (value, path) = &all[turn * stride % all.len()];

                assert_eq!(value.path(), *path);
            }
        }
    }

    #[test]
    fn the_path_of_each_of_many_items_is_not_counted_from_the_first() {
        let source = format!(r#"{{"r": [{}0]}}"#, "0,".repeat(200_000));
        let mut tape = Tape::new();
        json::parse(&source, &mut tape);
        let items = tape.root(&source).unwrap().get("r").unwrap().items();

        let total: usize = items.map(|item| item.path().len()).sum();

        let digits: usize = (0..=200_000)
            .map(|position: u32| position.to_string().len())
            .sum();
        assert_eq!(total, digits + 200_001 * "r[]".len());
    }
}
