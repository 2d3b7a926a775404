//! Values restated in the form that a shape asks for, where that loses nothing.

use assay_formats::Kind;
use assay_formats::json::{Layout, Map, Node, write};
use assay_formats::shape::{Field, Object, Shape};

use super::report::{ChangeKind, Ledger};

/// The key that free text gets when it stood where a map belongs.
const TEXT_KEY: &str = "text";

/// Walks a value along a shape and restates what departs from it only in form: a number where text
/// belongs, one text where a list of texts belongs, anything in a map of texts, null where a key
/// had better be absent. The rest is left as it is, for the shape itself to refuse.
pub(crate) fn conform(shape: &Shape, node: &mut Node, ledger: &mut Ledger) {
    match shape {
        Shape::String => number_to_text(node, ledger),
        Shape::List { items, .. } => list(items, node, ledger),
        Shape::Map(Shape::String) => texts(&[], node, ledger),
        Shape::Map(values) => {
            for (key, value) in node.map_mut().into_iter().flat_map(Map::entries_mut) {
                ledger.at_key(key, |ledger| conform(values, value, ledger));
            }
        }
        Shape::Object(object) => fields(object, node, ledger),
        Shape::Details(object) => {
            fields(object, node, ledger);
            texts(object.fields, node, ledger);
        }
        Shape::Either(shapes) => {
            let kind = node.kind();
            let fit = shapes.iter().find(|shape| shape.takes(kind));
            if let Some(shape) = fit.or(shapes.first()) {
                conform(shape, node, ledger);
            }
        }
        Shape::Tagged { tag, variants } => {
            let said = node.map().and_then(|map| map.text_of(tag));
            let variant = variants.iter().find(|(name, _)| said == Some(name));
            if let Some((_, object)) = variant {
                fields(object, node, ledger);
            }
        }
        Shape::Any
        | Shape::Null
        | Shape::Bool
        | Shape::Choice(_)
        | Shape::Pattern(_)
        | Shape::Integer { .. }
        | Shape::Number { .. }
        | Shape::IfMap(_) => {}
    }
}

/// The text of a value: text itself, or its JSON with every number as it was written.
pub(crate) fn as_text(node: &Node) -> String {
    match node {
        Node::String(text) => text.clone(),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::List(_) | Node::Map(_) => {
            write(node, Layout::Compact)
        }
    }
}

/// Returns the name of restating a value as text, for a report.
pub(crate) fn now_text(kind: Kind) -> String {
    format!("was {}, now its JSON text", kind.words())
}

fn number_to_text(node: &mut Node, ledger: &mut Ledger) {
    if node.kind() == Kind::Number {
        ledger.note(ChangeKind::Restated, now_text(Kind::Number));
        *node = Node::String(as_text(node));
    }
}

fn list(items: &Shape, node: &mut Node, ledger: &mut Ledger) {
    let of_texts = matches!(items, Shape::String);
    if of_texts && matches!(node.kind(), Kind::String | Kind::Number) {
        ledger.note(
            ChangeKind::Restated,
            format!("was {}, now a list of one", node.kind().words()),
        );
        *node = Node::List(vec![Node::String(as_text(node))]);
    }
    for (index, item) in node.items_mut().iter_mut().enumerate() {
        ledger.at_index(index, |ledger| {
            if of_texts {
                to_text(item, ledger);
            } else {
                conform(items, item, ledger);
            }
        });
    }
}

/// Restates anything but null, which says nothing and so has no text.
fn to_text(node: &mut Node, ledger: &mut Ledger) {
    if !matches!(node.kind(), Kind::String | Kind::Null) {
        ledger.note(ChangeKind::Restated, now_text(node.kind()));
        *node = Node::String(as_text(node));
    }
}

/// Makes a value a map of texts, but for the keys that have shapes of their own.
fn texts(known: &[Field], node: &mut Node, ledger: &mut Ledger) {
    wrap(node, ledger);
    let Some(map) = node.map_mut() else {
        return;
    };
    let is_known = |key: &str| known.iter().any(|field| field.name == key);
    for (key, _) in map.take_unless(|key, value| is_known(key) || value.kind() != Kind::Null) {
        ledger.note_at(&key, ChangeKind::Lost, "was null");
    }
    for (key, value) in map.entries_mut() {
        if !is_known(key) {
            ledger.at_key(key, |ledger| to_text(value, ledger));
        }
    }
}

/// Puts a value that stands where a map of texts belongs into such a map.
pub(crate) fn wrap(node: &mut Node, ledger: &mut Ledger) {
    if matches!(node.kind(), Kind::Map | Kind::Null) {
        return;
    }
    ledger.note(
        ChangeKind::Restated,
        format!(
            "was {}, now a mapping that holds it as `{TEXT_KEY}`",
            node.kind().words()
        ),
    );
    let mut map = Map::new();
    map.set(TEXT_KEY, as_text(node));
    *node = Node::Map(map);
}

fn fields(object: &Object, node: &mut Node, ledger: &mut Ledger) {
    let Some(map) = node.map_mut() else {
        return;
    };
    for field in object.fields {
        let Some(value) = map.get_mut(field.name) else {
            continue;
        };
        let unwanted = value.kind() == Kind::Null && !field.shape.takes(Kind::Null);
        if unwanted && !field.required {
            map.remove(field.name);
            ledger.note_at(field.name, ChangeKind::Lost, "was null");
        } else {
            ledger.at_key(field.name, |ledger| conform(field.shape, value, ledger));
        }
    }
}
