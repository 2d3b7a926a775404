//! Columns read by name and by what they mean: their types vary from file to file.

use parquet::record::{Field, Row};

/// A column, unless it is absent or null.
pub(super) fn get<'r>(row: &'r Row, name: &str) -> Option<&'r Field> {
    row.get_column_iter()
        .find(|(own, _)| *own == name)
        .map(|(_, field)| field)
        .filter(|field| !matches!(field, Field::Null))
}

/// The columns of a group; nothing for anything else.
pub(super) fn group(field: &Field) -> Option<&Row> {
    match field {
        Field::Group(row) => Some(row),
        _ => None,
    }
}

/// The items of a list; of anything else itself, as lighteval writes a list of one as its item.
pub(super) fn items(field: Option<&Field>) -> &[Field] {
    match field {
        Some(Field::ListInternal(list)) => list.elements(),
        Some(field) => std::slice::from_ref(field),
        None => &[],
    }
}

/// A text; of a number its digits.
pub(super) fn text(field: &Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text.clone()),
        Field::Bytes(bytes) => Some(String::from_utf8_lossy(bytes.data()).into_owned()),
        _ => integer(field).map(|number| number.to_string()),
    }
}

/// The texts of a list.
pub(super) fn texts(field: Option<&Field>) -> Vec<String> {
    items(field).iter().filter_map(text).collect()
}

/// A whole number.
pub(super) fn integer(field: &Field) -> Option<i64> {
    Some(match *field {
        Field::Byte(number) => number.into(),
        Field::Short(number) => number.into(),
        Field::Int(number) => number.into(),
        Field::Long(number) => number,
        Field::UByte(number) => number.into(),
        Field::UShort(number) => number.into(),
        Field::UInt(number) => number.into(),
        Field::ULong(number) => i64::try_from(number).ok()?,
        _ => return None,
    })
}

/// A finite number; true is one and false is zero.
pub(super) fn number(field: &Field) -> Option<f64> {
    let number = match *field {
        Field::Bool(truth) => f64::from(u8::from(truth)),
        Field::Float(number) => number.into(),
        Field::Double(number) => number,
        Field::Float16(number) => number.to_f64(),
        #[expect(clippy::cast_precision_loss, reason = "scores are small numbers")]
        _ => integer(field)? as f64,
    };
    number.is_finite().then_some(number)
}

/// A value as JSON, for texts that hold structure.
pub(super) fn json(field: &Field) -> serde_json::Value {
    match field {
        Field::Group(row) => row
            .get_column_iter()
            .map(|(name, field)| (name.clone(), json(field)))
            .collect(),
        Field::ListInternal(list) => list.elements().iter().map(json).collect(),
        Field::Bool(truth) => (*truth).into(),
        Field::Str(text) => text.as_str().into(),
        _ => integer(field).map_or_else(|| number(field).into(), Into::into),
    }
}
