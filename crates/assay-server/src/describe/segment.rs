use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// The named parts of a path, in its order, without braces and stars.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| name.trim_start_matches('*'))
}

/// The path as the document spells it: a part that may hold slashes looks like any other.
pub(super) fn plain(path: &str) -> String {
    path.replace("{*", "{")
}

/// Returns the parameter for a named part of a path.
pub(super) fn parameter(name: &str) -> Parameter {
    let schema = match name {
        "num" => ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1)),
        "kind" => text().enum_values(Some(["model", "dataset"])),
        "log" => text().enum_values(Some(["results", "control"])),
        _ => text(),
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(description(name))
        .schema(Some(schema))
        .build()
}

/// None for a part that nobody has described, which a test finds.
fn description(name: &str) -> Option<&'static str> {
    Some(match name {
        "account" => "The name of an account.",
        "branch" => "The name of a branch; it may hold slashes.",
        "day" => "The account and the day, as the hub wrote them.",
        "download" => {
            "A table and `.parquet`: `results`, `reported`, `records`, `instances`, `messages`, `models`, `benchmarks`, `history` or `standings`."
        }
        "event" => "The `id` of a comment's event.",
        "hash" => "The hash of a xorb, as Xet writes it.",
        "index" => "The index of a leaf, from 0.",
        "jti" => "The identity of a token, 22 characters of base64url.",
        "kind" => "What the repository holds.",
        "log" => "Which log.",
        "name" => "The second part of the repository's name.",
        "namespace" => "The first part of the repository's name: an account.",
        "num" => "The number of a discussion or pull request.",
        "oid" => "The SHA-256 digest of the file.",
        "path" => "A path in the repository; slashes may stand as they are or as `%2F`.",
        "picture" => "The name of an account, and `.svg`.",
        "prefix" => "Always `default`.",
        "question" => "What a permalink names: the question, in base64url.",
        "revision" => {
            "A branch, a tag, a commit (or at least 5 digits of one) or `refs/pr/N`; a slash in it is written `%2F`."
        }
        "tile" => {
            "The rest of a name in C2SP tlog-tiles, such as `0/x001/234`, `entries/000.p/7` or `1/000`."
        }
        "tag" => "The name of a tag to delete; to make one, the revision it is for.",
        "topic" => "What is counted.",
        "webhook" => "The `id` of a webhook.",
        _ => return None,
    })
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_parts_of_a_path_are_found_in_order() {
        let path = "/api/models/{namespace}/{name}/tree/{revision}/{*path}";

        let found: Vec<&str> = names(path).collect();

        assert_eq!(found, ["namespace", "name", "revision", "path"]);
        assert!(plain(path).ends_with("/{revision}/{path}"));
    }
}
