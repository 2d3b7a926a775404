use serde_json::{Map, Value as Json, json};

use super::{Condition, Object, Shape, Then, Unknown};

/// The shape as a JSON Schema (draft 7) with a title.
pub fn json_schema(title: &str, shape: &Shape) -> Json {
    let mut schema = Map::new();
    schema.insert(
        "$schema".to_owned(),
        json!("http://json-schema.org/draft-07/schema#"),
    );
    schema.insert("title".to_owned(), json!(title));
    schema.extend(of(shape));
    Json::Object(schema)
}

fn of(shape: &Shape) -> Map<String, Json> {
    let schema = match shape {
        Shape::Any => json!({}),
        Shape::Null => json!({ "type": "null" }),
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::String => json!({ "type": "string" }),
        Shape::Choice(options) => json!({ "type": "string", "enum": options }),
        Shape::Pattern(pattern) => json!({ "type": "string", "pattern": pattern.regex }),
        Shape::Integer { min: None } => json!({ "type": "integer" }),
        Shape::Integer { min: Some(min) } => json!({ "type": "integer", "minimum": min }),
        Shape::Number { min, max } => {
            let mut schema = json!({ "type": "number" });
            if let Some(min) = min {
                schema["minimum"] = json!(min);
            }
            if let Some(max) = max {
                schema["maximum"] = json!(max);
            }
            schema
        }
        Shape::List { items, min } => {
            let mut schema = json!({ "type": "array", "items": Json::Object(of(items)) });
            if *min > 0 {
                schema["minItems"] = json!(min);
            }
            schema
        }
        Shape::Map(values) => {
            json!({ "type": "object", "additionalProperties": Json::Object(of(values)) })
        }
        Shape::Object(object) => {
            let mut schema = json!({ "type": "object" });
            extend(&mut schema, of_object(object));
            schema
        }
        Shape::Details(object) => {
            let mut schema = json!({ "type": "object" });
            extend(&mut schema, of_object(object));
            schema["additionalProperties"] = json!({ "type": "string" });
            schema
        }
        Shape::IfMap(object) => Json::Object(of_object(object)),
        Shape::Either(shapes) => {
            let alternatives: Vec<Json> =
                shapes.iter().map(|shape| Json::Object(of(shape))).collect();
            json!({ "oneOf": alternatives })
        }
        Shape::Tagged { tag, variants } => {
            let alternatives: Vec<Json> = variants
                .iter()
                .map(|(name, object)| variant(tag, name, object))
                .collect();
            json!({ "type": "object", "oneOf": alternatives })
        }
    };
    into_map(schema)
}

fn of_object(object: &Object) -> Map<String, Json> {
    let mut properties = Map::new();
    for field in object.fields {
        let mut schema = of(field.shape);
        if !field.doc.is_empty() {
            schema.insert("description".to_owned(), json!(field.doc));
        }
        properties.insert(field.name.to_owned(), Json::Object(schema));
    }
    let required: Vec<&str> = object
        .fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    let mut schema = Map::new();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    if object.unknown == Unknown::Refuse {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    schema.insert("properties".to_owned(), Json::Object(properties));
    if !object.conditions.is_empty() {
        let conditions: Vec<Json> = object.conditions.iter().map(of_condition).collect();
        schema.insert("allOf".to_owned(), json!(conditions));
    }
    schema
}

fn of_condition(condition: &Condition) -> Json {
    let mut when = json!({ "properties": { condition.key: { "enum": condition.is } } });
    if !condition.or_absent {
        when["required"] = json!([condition.key]);
    }
    let mut then = Map::new();
    for part in condition.then {
        match part {
            Then::Needs(keys) => {
                then.insert("required".to_owned(), json!(keys));
            }
            Then::Holds(key, shape) => {
                let properties = then.entry("properties").or_insert_with(|| json!({}));
                properties[*key] = Json::Object(of(shape));
            }
        }
    }
    json!({ "if": when, "then": then })
}

fn variant(tag: &str, name: &str, object: &Object) -> Json {
    let mut schema = Json::Object(of_object(object));
    schema["properties"][tag] = json!({ "const": name });
    schema
}

fn into_map(schema: Json) -> Map<String, Json> {
    match schema {
        Json::Object(map) => map,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Map::new()
        }
    }
}

fn extend(schema: &mut Json, more: Map<String, Json>) {
    if let Json::Object(map) = schema {
        map.extend(more);
    }
}
