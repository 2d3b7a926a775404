//! `OpenAPI` schemas that no derive can make, because the types are read by hand.

use assay_model::{MetricId, ObjectId, Timestamp};
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, Object, ObjectBuilder, OneOfBuilder, Schema, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::{
    Account, CommentData, DiscussionStatus, Event, EventData, Gated, ResultData, ResultDataset,
    ResultFramework, ResultMetric, ResultSource,
};

type Schemas = Vec<(String, RefOr<Schema>)>;

impl PartialSchema for Gated {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .item(
                ObjectBuilder::new()
                    .schema_type(Type::Boolean)
                    .enum_values(Some([false])),
            )
            .item(text().enum_values(Some(["auto", "manual"])))
            .description(Some(
                "Whether readers must ask: `false`, `\"auto\"` or `\"manual\"`.",
            ))
            .into()
    }
}

impl ToSchema for Gated {}

impl PartialSchema for Event {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some("Something that happened in a discussion."))
            .property(
                "id",
                said("What the hub knows it by: lower-case hexadecimal."),
            )
            .property(
                "type",
                said("What happened.").enum_values(Some([
                    "comment",
                    "status-change",
                    "commit",
                    "title-change",
                ])),
            )
            .property(
                "author",
                said_of::<Account>("Who did it. Absent when the account is gone."),
            )
            .property("createdAt", said_of::<Timestamp>("When."))
            .property("data", said_of::<EventData>("What, by the type."))
            .required("id")
            .required("type")
            .required("createdAt")
            .required("data")
            .into()
    }
}

impl ToSchema for Event {
    fn schemas(schemas: &mut Schemas) {
        add::<Account>(schemas);
        add::<Timestamp>(schemas);
        add::<EventData>(schemas);
    }
}

impl PartialSchema for EventData {
    fn schema() -> RefOr<Schema> {
        let status = all_of([(
            "status",
            said_of::<DiscussionStatus>("Where it stands since."),
        )]);
        let commit = all_of([
            ("subject", said("The first line of the commit.").into()),
            ("oid", said_of::<ObjectId>("The commit.")),
        ]);
        let title = all_of([
            ("from", said("The old title.").into()),
            ("to", said("The new title.").into()),
        ]);
        OneOfBuilder::new()
            .item(named::<CommentData>())
            .item(status)
            .item(commit)
            .item(title)
            .description(Some("What happened, by the `type` of the event."))
            .into()
    }
}

impl ToSchema for EventData {
    fn schemas(schemas: &mut Schemas) {
        add::<CommentData>(schemas);
        add::<DiscussionStatus>(schemas);
        add::<ObjectId>(schemas);
    }
}

impl PartialSchema for ResultData {
    fn schema() -> RefOr<Schema> {
        let metrics = ArrayBuilder::new()
            .items(named::<ResultMetric>())
            .description(Some("Every value."));
        ObjectBuilder::new()
            .description(Some(
                "An entry in both dialects at once. What else the file says stands beside these keys.",
            ))
            .property("dataset", said_of::<ResultDataset>("The benchmark."))
            .property(
                "value",
                ObjectBuilder::new().schema_type(Type::Number).description(Some(
                    "The value of the primary metric; the first listed when the entry lacks that.",
                )),
            )
            .property("metricId", said_of::<MetricId>("The metric that `value` is of."))
            .property("metrics", metrics)
            .property("verifyToken", said("The signed token."))
            .property("verify_token", said("The signed token once more."))
            .property("date", said("When the evaluation ran, or when the file was created."))
            .property("source", said_of::<ResultSource>("Where it is published."))
            .property("notes", said("The setup in words."))
            .property("framework", said_of::<ResultFramework>("What ran the evaluation."))
            .property("model_revision", said("The commit of the model."))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .required("dataset")
            .required("value")
            .into()
    }
}

impl ToSchema for ResultData {
    fn schemas(schemas: &mut Schemas) {
        add::<ResultDataset>(schemas);
        add::<MetricId>(schemas);
        add::<ResultMetric>(schemas);
        add::<ResultSource>(schemas);
        add::<ResultFramework>(schemas);
    }
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn said(description: &str) -> ObjectBuilder {
    text().description(Some(description))
}

/// An object whose keys are all there.
fn all_of<const N: usize>(properties: [(&str, RefOr<Schema>); N]) -> Object {
    let add = |object: ObjectBuilder, (key, schema)| object.property(key, schema).required(key);
    properties
        .into_iter()
        .fold(ObjectBuilder::new(), add)
        .build()
}

/// A shape, with what it is here.
fn said_of<T: ToSchema>(description: &str) -> RefOr<Schema> {
    let mut shape = Ref::from_schema_name(T::name());
    description.clone_into(&mut shape.description);
    shape.into()
}

fn named<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

fn add<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}
