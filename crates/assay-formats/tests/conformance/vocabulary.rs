use std::collections::BTreeSet;

use assay_formats::shape::{Object, Shape, Then};

/// The words of a shape: what its choices and tags may say, and what its keys are called.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) texts: Vec<&'static str>,
    pub(crate) keys: Vec<&'static str>,
}

impl Vocabulary {
    pub(crate) fn of(shape: &'static Shape) -> Self {
        let (mut texts, mut keys) = (BTreeSet::new(), BTreeSet::new());
        walk(shape, &mut |shape| {
            if let Shape::Choice(options) = shape {
                texts.extend(options.iter().copied());
            }
            for object in objects_of(shape) {
                keys.extend(object.fields.iter().map(|field| field.name));
                for condition in object.conditions {
                    keys.extend(condition.then.iter().filter_map(held_key));
                }
            }
        });
        Self {
            texts: texts.into_iter().collect(),
            keys: keys.into_iter().collect(),
        }
    }
}

fn held_key(then: &Then) -> Option<&'static str> {
    match then {
        Then::Holds(key, _) => Some(key),
        Then::Needs(_) => None,
    }
}

/// The maps that a shape names itself.
pub(crate) fn objects_of(shape: &Shape) -> Vec<&'static Object> {
    match shape {
        Shape::Object(object) | Shape::Details(object) | Shape::IfMap(object) => vec![object],
        Shape::Tagged { variants, .. } => variants.iter().map(|(_, object)| *object).collect(),
        Shape::Any
        | Shape::Null
        | Shape::Bool
        | Shape::String
        | Shape::Choice(_)
        | Shape::Pattern(_)
        | Shape::Integer { .. }
        | Shape::Number { .. }
        | Shape::List { .. }
        | Shape::Map(_)
        | Shape::Either(_) => Vec::new(),
    }
}

/// Visits a shape and all that it is made of.
fn walk(shape: &'static Shape, visit: &mut dyn FnMut(&'static Shape)) {
    visit(shape);
    match shape {
        Shape::List { items, .. } => walk(items, visit),
        Shape::Map(values) => walk(values, visit),
        Shape::Either(shapes) => shapes.iter().for_each(|shape| walk(shape, visit)),
        Shape::Any
        | Shape::Null
        | Shape::Bool
        | Shape::String
        | Shape::Choice(_)
        | Shape::Pattern(_)
        | Shape::Integer { .. }
        | Shape::Number { .. }
        | Shape::Object(_)
        | Shape::Details(_)
        | Shape::IfMap(_)
        | Shape::Tagged { .. } => {}
    }
    for object in objects_of(shape) {
        for field in object.fields {
            walk(field.shape, visit);
        }
    }
}
