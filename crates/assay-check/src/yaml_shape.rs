//! The part of validation that the two YAML formats share: a shape whose optional keys may be left
//! empty, and scalars that are validated once.

use std::collections::BTreeSet;

use assay_formats::Value;
use assay_formats::shape::{self, Shape, ShapeFault, ShapeFaultKind};

use crate::apply;
use crate::rules;
use crate::sink::Sink;

/// Reports every departure from a shape, and returns where scalars stand that have been refused. A
/// rule of the format may take a departure for itself: `own` then returns true.
pub(crate) fn check<'d>(
    shape: &'static Shape,
    value: Value<'d>,
    own: &mut dyn FnMut(&ShapeFault<'d>, &mut Sink<'_>) -> bool,
    sink: &mut Sink<'_>,
) -> BTreeSet<usize> {
    let mut refused = BTreeSet::new();
    shape::evaluate(shape, value, &mut |fault| {
        if own(&fault, sink) {
            return;
        }
        if matches!(
            fault.kind,
            ShapeFaultKind::Null {
                required: false,
                ..
            }
        ) {
            rules::empty_key::report(fault.at, sink);
        } else if !apply::shape(&fault, sink) {
            refused.insert(fault.at.range().start);
        }
    });
    refused
}
