//! The schemas in `docs/schemas` are printed from the shapes; a stale one is a failed test.
//! `ASSAY_UPDATE=1 cargo test -p assay-formats --test schemas` prints them again.

#![cfg(test)]

use std::path::{Path, PathBuf};

use assay_formats::eee::{self, Version};
use assay_formats::shape::{Shape, json_schema};

/// The published files, each with its title and shape.
fn schemas() -> [(&'static str, String, &'static Shape); 2] {
    let version = Version::CURRENT;
    [
        (
            "eee.schema.json",
            format!("Every Eval Ever record {version}"),
            eee::aggregate_shape(version),
        ),
        (
            "eee-samples.schema.json",
            format!("Every Eval Ever sample {version}"),
            eee::instance_shape(version),
        ),
    ]
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

#[test]
fn every_schema_in_the_documentation_is_the_one_its_shape_prints() {
    for (name, title, shape) in schemas() {
        let path = directory().join(name);
        let printed = format!("{:#}\n", json_schema(&title, shape));
        if std::env::var_os("ASSAY_UPDATE").is_some() {
            std::fs::write(&path, &printed).unwrap();
        }

        let written = std::fs::read_to_string(&path).unwrap_or_default();

        assert!(
            written == printed,
            "`docs/schemas/{name}` is stale; run the test again with ASSAY_UPDATE=1"
        );
    }
}

#[test]
fn every_printed_schema_is_itself_valid() {
    for version in Version::ALL {
        for shape in [eee::aggregate_shape(version), eee::instance_shape(version)] {
            let schema = json_schema("a title", shape);

            assert!(jsonschema::meta::is_valid(&schema), "{version}: {schema:#}");
        }
    }
}
