use std::fmt;

use assay_formats::eee::{self, Version};
use assay_formats::shape::{Object, Shape};
use serde_json::Value as Json;

use crate::tree::Tree;

/// The two formats of Every Eval Ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Record,
    Row,
}

impl Format {
    pub(crate) fn shape(self, version: Version) -> &'static Shape {
        match self {
            Self::Record => eee::aggregate_shape(version),
            Self::Row => eee::instance_shape(version),
        }
    }

    /// The file name of the published schema.
    pub(crate) fn published(self, version: Version) -> String {
        match self {
            Self::Record => format!("eval.schema.{version}.json"),
            Self::Row => format!("instance_level_eval.schema.{version}.json"),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Record => "record",
            Self::Row => "row",
        })
    }
}

/// Documents that every judge accepts and that together hold every key.
pub(crate) fn of(format: Format, version: Version) -> Vec<Tree> {
    let text = match (format, version) {
        (Format::Record, Version::V0_2_0) => include_str!("seeds/record-0.2.0.json"),
        (Format::Record, Version::V0_2_1 | Version::V0_2_2) => {
            include_str!("seeds/record-0.2.2.json")
        }
        (Format::Record, Version::V0_2_3 | Version::V0_3_0) => {
            include_str!("seeds/record-0.3.0.json")
        }
        (Format::Row, Version::V0_2_0) => include_str!("seeds/row-0.2.0.json"),
        (Format::Row, Version::V0_2_1 | Version::V0_2_2 | Version::V0_2_3 | Version::V0_3_0) => {
            include_str!("seeds/row-0.3.0.json")
        }
    };
    let seeds: Vec<Json> = serde_json::from_str(text).expect("seeds are lists of documents");
    seeds
        .into_iter()
        .map(|mut seed| {
            seed["schema_version"] = Json::from(version.as_str());
            Tree::from(seed)
        })
        .collect()
}

#[test]
fn every_key_of_every_shape_is_in_a_seed() {
    for version in Version::ALL {
        for format in [Format::Record, Format::Row] {
            let seeds: Vec<Json> = of(format, version)
                .iter()
                .map(|seed| serde_json::from_str(&seed.text()).unwrap())
                .collect();

            let missing = missing_keys(format.shape(version), &seeds.iter().collect::<Vec<_>>());

            assert_eq!(missing, Vec::<String>::new(), "{format} {version}");
        }
    }
}

/// The keys of a shape that none of the values at its place has.
fn missing_keys(shape: &Shape, values: &[&Json]) -> Vec<String> {
    match shape {
        Shape::List { items, .. } => {
            let held: Vec<&Json> = values
                .iter()
                .filter_map(|v| v.as_array())
                .flatten()
                .collect();
            missing_keys(items, &held)
        }
        Shape::Map(inner) => {
            let held: Vec<&Json> = values
                .iter()
                .filter_map(|v| v.as_object())
                .flat_map(|map| map.values())
                .collect();
            missing_keys(inner, &held)
        }
        Shape::Either(shapes) => shapes
            .iter()
            .flat_map(|shape| missing_keys(shape, values))
            .collect(),
        Shape::Object(object) | Shape::Details(object) | Shape::IfMap(object) => {
            missing_in(object, values)
        }
        Shape::Tagged { tag, variants } => variants
            .iter()
            .flat_map(|(name, object)| {
                let own: Vec<&Json> = values.iter().filter(|v| v[tag] == *name).copied().collect();
                missing_in(object, &own)
            })
            .collect(),
        Shape::Any
        | Shape::Null
        | Shape::Bool
        | Shape::String
        | Shape::Choice(_)
        | Shape::Pattern(_)
        | Shape::Integer { .. }
        | Shape::Number { .. } => Vec::new(),
    }
}

fn missing_in(object: &Object, values: &[&Json]) -> Vec<String> {
    let mut missing = Vec::new();
    for field in object.fields {
        let held: Vec<&Json> = values.iter().filter_map(|v| v.get(field.name)).collect();
        if held.is_empty() {
            missing.push(format!("{}.{}", object.name, field.name));
        }
        missing.extend(missing_keys(field.shape, &held));
    }
    missing
}
