use super::{Condition, Field, Object, Pattern, Shape, Then, Unknown};
use crate::tape::Node;
use crate::{Kind, Value};

/// A place where a document departs from its shape.
#[derive(Debug, Clone, Copy)]
pub struct ShapeFault<'d> {
    /// The value at fault; for a missing key the map that lacks it, for an unknown key the key.
    pub at: Value<'d>,
    /// The kind of fault.
    pub kind: ShapeFaultKind,
}

/// A departure of a document from its shape.
#[derive(Debug, Clone, Copy)]
pub enum ShapeFaultKind {
    /// A required key is not there.
    MissingKey {
        /// The key.
        key: &'static str,
        /// The map that should have it.
        object: &'static Object,
    },
    /// A key that is required because of what another says.
    MissingWhen {
        /// The key.
        key: &'static str,
        /// The condition that requires it.
        condition: &'static Condition,
    },
    /// A value that may not be so because of what another says.
    UnfitWhen {
        /// The expected shape.
        expected: &'static Shape,
        /// The condition that asks for it.
        condition: &'static Condition,
    },
    /// A value of the wrong kind.
    WrongKind {
        /// The expected shape.
        expected: &'static Shape,
    },
    /// Null, or nothing at all, behind a key that does not take it.
    Null {
        /// The expected shape.
        expected: &'static Shape,
        /// True if the key must be there; if not, it could simply be left out.
        required: bool,
    },
    /// A text outside its list.
    NotOneOf {
        /// The list.
        options: &'static [&'static str],
    },
    /// A text that does not have its form.
    Pattern(&'static Pattern),
    /// A key that a closed map does not know.
    UnknownKey {
        /// The map.
        object: &'static Object,
    },
    /// A key that an open map does not know.
    StrangeKey {
        /// The map.
        object: &'static Object,
    },
    /// A number below its minimum.
    TooSmall {
        /// The least it may be.
        min: f64,
    },
    /// A number above its maximum.
    TooLarge {
        /// The most it may be.
        max: f64,
    },
    /// A list with too few items.
    TooFew {
        /// The least number of items.
        min: usize,
    },
    /// A map whose tag names none of the variants.
    UnknownVariant {
        /// The key that tells.
        tag: &'static str,
        /// The allowed values.
        variants: &'static [(&'static str, &'static Object)],
    },
}

static STRING: Shape = Shape::String;

/// Walks a value along a shape and reports every departure, in the order of the document.
pub fn evaluate<'d>(
    shape: &'static Shape,
    value: Value<'d>,
    report: &mut dyn FnMut(ShapeFault<'d>),
) {
    let kind = value.kind();
    if shape.settles(kind) {
        return;
    }
    if !shape.takes(kind) {
        report(ShapeFault {
            at: value,
            kind: ShapeFaultKind::WrongKind { expected: shape },
        });
        return;
    }
    let mut fault = |kind| report(ShapeFault { at: value, kind });
    match shape {
        Shape::Any | Shape::Null | Shape::Bool | Shape::String => {}
        Shape::Choice(options) => {
            if !options.iter().any(|option| value.is_text(option)) {
                fault(ShapeFaultKind::NotOneOf { options });
            }
        }
        Shape::Pattern(pattern) => {
            if !value.text().is_some_and(|text| (pattern.fits)(&text)) {
                fault(ShapeFaultKind::Pattern(pattern));
            }
        }
        Shape::Integer { min } => integer(shape, *min, value, &mut fault),
        Shape::Number { min, max } => number(*min, *max, value, &mut fault),
        Shape::List { items, min } => {
            let mut count = 0;
            for item in value.items() {
                count += 1;
                evaluate(items, item, report);
            }
            if count < *min {
                report(ShapeFault {
                    at: value,
                    kind: ShapeFaultKind::TooFew { min: *min },
                });
            }
        }
        Shape::Map(values) => {
            for (_, item) in value.entries() {
                evaluate(values, item, report);
            }
        }
        Shape::Object(object) => evaluate_object(object, None, value, report),
        Shape::Details(object) => evaluate_object(object, Some(&STRING), value, report),
        Shape::IfMap(object) => {
            if kind == Kind::Map {
                evaluate_object(object, None, value, report);
            }
        }
        Shape::Either(shapes) => {
            if let Some(fitting) = shapes.iter().find(|shape| shape.takes(kind)) {
                evaluate(fitting, value, report);
            }
        }
        Shape::Tagged { tag, variants } => {
            let named = value.get(tag);
            let variant = variants
                .iter()
                .find(|(name, _)| named.is_some_and(|text| text.is_text(name)));
            match variant {
                Some((_, object)) => evaluate_object(object, None, value, report),
                None => report(ShapeFault {
                    at: named.unwrap_or(value),
                    kind: ShapeFaultKind::UnknownVariant { tag, variants },
                }),
            }
        }
    }
}

fn integer(
    shape: &'static Shape,
    min: Option<i64>,
    value: Value<'_>,
    fault: &mut dyn FnMut(ShapeFaultKind),
) {
    // A literal without point or exponent is whole, even when it is too long for any integer type.
    let digits = value.raw().strip_prefix('-').unwrap_or(value.raw());
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let too_small = match value.integer() {
        Some(integer) => min.is_some_and(|min| integer < min),
        None if whole || value.number().is_some_and(|number| number.fract() == 0.0) => {
            min.is_some() && value.raw().starts_with('-')
        }
        None => {
            if !value.is_non_finite() {
                fault(ShapeFaultKind::WrongKind { expected: shape });
            }
            return;
        }
    };
    if let Some(min) = min.filter(|_| too_small) {
        #[expect(clippy::cast_precision_loss, reason = "minima are 0 and 1")]
        fault(ShapeFaultKind::TooSmall { min: min as f64 });
    }
}

fn number(
    min: Option<f64>,
    max: Option<f64>,
    value: Value<'_>,
    fault: &mut dyn FnMut(ShapeFaultKind),
) {
    if min.is_none() && max.is_none() {
        return;
    }
    let Some(number) = value.number() else { return };
    if let Some(min) = min.filter(|min| number < *min) {
        fault(ShapeFaultKind::TooSmall { min });
    }
    if let Some(max) = max.filter(|max| number > *max) {
        fault(ShapeFaultKind::TooLarge { max });
    }
}

/// Walks a map along its fields; keys that it does not know have the shape `others`, where that is
/// given.
fn evaluate_object<'d>(
    object: &'static Object,
    others: Option<&'static Shape>,
    value: Value<'d>,
    report: &mut dyn FnMut(ShapeFault<'d>),
) {
    let mut seen = 0_u64;
    // Writers repeat the order of keys, so the field after the last one is nearly always the next.
    let mut guess = 0;
    for (index, key, child) in value.pairs() {
        if let Some(position) = object.position(key, value.at(index), guess) {
            seen |= 1 << position;
            guess = position + 1;
            let field = &object.fields[position];
            if field.shape.settles(child.kind) {
                continue;
            }
            let at = value.at(index + 1);
            if child.kind == Kind::Null && !field.shape.takes(Kind::Null) {
                let kind = ShapeFaultKind::Null {
                    expected: field.shape,
                    required: field.required,
                };
                report(ShapeFault { at, kind });
            } else {
                evaluate(field.shape, at, report);
            }
        } else if let Some(shape) = others {
            evaluate(shape, value.at(index + 1), report);
        } else {
            let kind = match object.unknown {
                Unknown::Refuse => ShapeFaultKind::UnknownKey { object },
                Unknown::Keep | Unknown::Report => ShapeFaultKind::StrangeKey { object },
            };
            let at = value.at(index);
            report(ShapeFault { at, kind });
        }
    }
    if object.required & !seen != 0 {
        for (position, field) in object.fields.iter().enumerate() {
            if object.required & !seen & (1 << position) != 0 {
                report(ShapeFault {
                    at: value,
                    kind: ShapeFaultKind::MissingKey {
                        key: field.name,
                        object,
                    },
                });
            }
        }
    }
    for condition in object.conditions {
        evaluate_condition(condition, value, report);
    }
}

fn evaluate_condition<'d>(
    condition: &'static Condition,
    value: Value<'d>,
    report: &mut dyn FnMut(ShapeFault<'d>),
) {
    let applies = match value.get(condition.key) {
        Some(text) => condition.is.iter().any(|option| text.is_text(option)),
        None => condition.or_absent,
    };
    if !applies {
        return;
    }
    for then in condition.then {
        match then {
            Then::Needs(keys) => {
                for key in *keys {
                    if value.get(key).is_none() {
                        report(ShapeFault {
                            at: value,
                            kind: ShapeFaultKind::MissingWhen { key, condition },
                        });
                    }
                }
            }
            Then::Holds(key, expected) => {
                if let Some(held) = value.get(key)
                    && !fits(expected, held)
                {
                    report(ShapeFault {
                        at: held,
                        kind: ShapeFaultKind::UnfitWhen {
                            expected,
                            condition,
                        },
                    });
                }
            }
        }
    }
}

fn fits(shape: &'static Shape, value: Value<'_>) -> bool {
    let mut fits = true;
    evaluate(shape, value, &mut |fault| {
        fits &= matches!(fault.kind, ShapeFaultKind::StrangeKey { .. });
    });
    fits
}

impl Object {
    /// The field that a key names, tried first at `guess`.
    #[inline]
    fn position(&self, node: Node, key: Value<'_>, guess: usize) -> Option<usize> {
        let is_named = |field: &Field| key.is_text(field.name);
        let Some(print) = node.print() else {
            return self.fields.iter().position(is_named);
        };
        let is_named = |field: &Field| field.print == print && is_named(field);
        if self.fields.get(guess).is_some_and(is_named) {
            return Some(guess);
        }
        self.fields.iter().position(is_named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tape, json};

    static POSITIVE: Shape = Shape::Integer { min: Some(1) };

    fn faults(text: &str) -> Vec<String> {
        let mut tape = Tape::new();
        json::parse(text, &mut tape);
        let mut faults = Vec::new();
        evaluate(&POSITIVE, tape.root(text).unwrap(), &mut |fault| {
            faults.push(match fault.kind {
                ShapeFaultKind::TooSmall { min } => format!("too small, least is {min}"),
                ShapeFaultKind::WrongKind { .. } => "wrong kind".to_owned(),
                other => format!("{other:?}"),
            });
        });
        faults
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_spelled() {
        for text in ["1", "5.0", "1e3", "1E+30", "123456789012345678901234567890"] {
            assert_eq!(faults(text), Vec::<String>::new(), "{text}");
        }
        for text in ["1.5", "1e-1", "true", "\"1\""] {
            assert_eq!(faults(text), ["wrong kind"], "{text}");
        }
    }

    #[test]
    fn a_number_below_its_minimum_is_told_the_minimum_whatever_its_size() {
        for text in [
            "0",
            "-0.0",
            "-1",
            "-1e30",
            "-123456789012345678901234567890",
        ] {
            assert_eq!(faults(text), ["too small, least is 1"], "{text}");
        }
    }

    #[test]
    fn a_number_that_is_not_finite_is_left_to_the_syntax() {
        assert_eq!(faults("NaN"), Vec::<String>::new());
        assert_eq!(faults("-1e999"), Vec::<String>::new());
    }
}
