use assay_check::FileKind;
use assay_cli::{Exit, Printer};
use assay_formats::eee::{self, Version};
use assay_formats::shape::json_schema;
use assay_formats::{eval_results, eval_yaml};

use crate::args::Schema;

/// Prints the JSON Schema of a format.
pub(crate) fn run(command: &Schema, printer: &mut Printer) -> Exit {
    let version = command.schema_version.unwrap_or(Version::CURRENT);
    printer.json(&schema_of(command.kind, version));
    Exit::Clean
}

/// The schema of a kind of file, in a version where the format has versions.
fn schema_of(kind: FileKind, version: Version) -> serde_json::Value {
    match kind {
        FileKind::Record => {
            let title = format!("Every Eval Ever record, version {version}");
            json_schema(&title, eee::aggregate_shape(version))
        }
        FileKind::Samples => {
            let title = format!("Every Eval Ever sample, version {version}");
            json_schema(&title, eee::instance_shape(version))
        }
        FileKind::EvalYaml => json_schema("Benchmark: eval.yaml", &eval_yaml::SHAPE),
        FileKind::EvalResults => json_schema("Results: .eval_results/*.yaml", &eval_results::SHAPE),
    }
}
