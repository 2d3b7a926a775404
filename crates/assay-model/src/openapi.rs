//! Schemas of names for the `OpenAPI` document. Each is a string whose rules are described in
//! words, because the parsers are stricter than a pattern.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::{Code, MetricId, ObjectId, RepoId, RepoPath, TaskId, Timestamp};

macro_rules! text {
    ($($name:ident: $description:literal, such as $example:literal;)*) => {
        $(
            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    ObjectBuilder::new()
                        .schema_type(Type::String)
                        .description(Some($description))
                        .examples([$example])
                        .into()
                }
            }

            impl ToSchema for $name {}
        )*
    };
}

text! {
    Code: "The stable name of a rule; never reused.", such as "AY201";
    MetricId: "The name of a metric.", such as "accuracy";
    ObjectId: "A git object: 40 lower-case hexadecimal digits.", such as "9b2c3a7d0f6e4b1c8a5d2e7f3b6c9d0e1f2a3b4c";
    RepoId: "The name of a repository: `namespace/name`.", such as "Idavidrein/gpqa";
    RepoPath: "A path from the root of a repository, without `..`.", such as ".eval_results/gpqa.yaml";
    TaskId: "The name of a task: one leaderboard of a benchmark.", such as "gpqa_diamond";
    Timestamp: "A moment in UTC, to the millisecond.", such as "2026-02-14T10:30:00.000Z";
}
