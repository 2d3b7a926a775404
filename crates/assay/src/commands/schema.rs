use assay_check::FileKind;
use assay_formats::eee::{self, Version};
use assay_formats::shape::json_schema;

use crate::args::Schema;
use crate::exit::Exit;
use crate::printer::Printer;

/// The kinds of files whose schema can be printed.
pub(crate) const KINDS: [FileKind; 2] = [FileKind::Record, FileKind::Samples];

/// Prints the JSON Schema of a format.
pub(crate) fn run(command: &Schema, printer: &mut Printer) -> Exit {
    let version = command.schema_version.unwrap_or(Version::CURRENT);
    let Some(schema) = schema_of(command.kind, version) else {
        printer.error(&format!("there is no schema for `{}`", command.kind));
        return Exit::Failed;
    };
    printer.json(&schema);
    Exit::Clean
}

/// The schema of a kind of file, in a version where the format has versions.
fn schema_of(kind: FileKind, version: Version) -> Option<serde_json::Value> {
    match kind {
        FileKind::Record => {
            let title = format!("Every Eval Ever record, version {version}");
            Some(json_schema(&title, eee::aggregate_shape(version)))
        }
        FileKind::Samples => {
            let title = format!("Every Eval Ever sample, version {version}");
            Some(json_schema(&title, eee::instance_shape(version)))
        }
        FileKind::EvalYaml | FileKind::EvalResults => None,
    }
}
