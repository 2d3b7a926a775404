//! The aggregate function that ranks the scores of one task by one metric, with the code that ranks
//! the boards of a hub.
//!
//! `board_rows(…)` gathers the scores of a group and returns the rows of their board as a list. The
//! view `standings` unfolds it. As a function of the engine it runs on one machine and on the
//! machines of a cluster alike.

mod contender;

use std::sync::Arc;

use datafusion::arrow::array::{
    Array as _, ArrayRef, AsArray as _, Float64Array, Int64Array, ListArray, StringArray,
    StructArray, TimestampMicrosecondArray,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{
    DataType, Field, FieldRef, Fields, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType,
};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility,
};

use self::contender::{BoardRow, Contenders, ScoreRow};

/// The name of the function in SQL.
const NAME: &str = "board_rows";
/// The type of moments.
const MOMENT: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);
/// The arguments: model, record, ordinal, position, metric as stated, score, standard error, setup,
/// moment, origin, direction and what results are compared by.
const ARGUMENTS: [DataType; 12] = [
    DataType::Utf8,
    DataType::Utf8,
    DataType::Int64,
    DataType::Int64,
    DataType::Utf8,
    DataType::Float64,
    DataType::Float64,
    DataType::Utf8,
    MOMENT,
    DataType::Utf8,
    DataType::Boolean,
    DataType::Utf8,
];

/// Ranks the scores of a group.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct BoardRows {
    signature: Signature,
}

/// The scores of a group that came so far.
#[derive(Debug, Default)]
struct BoardAccumulator {
    contenders: Contenders,
}

impl BoardRows {
    /// Returns the function.
    pub(crate) fn udaf() -> AggregateUDF {
        AggregateUDF::from(Self {
            signature: Signature::user_defined(Volatility::Immutable),
        })
    }
}

impl AggregateUDFImpl for BoardRows {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::List(row_field()))
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        if given.len() != ARGUMENTS.len() {
            return Err(DataFusionError::Plan(format!(
                "`{NAME}` has {} arguments",
                ARGUMENTS.len()
            )));
        }
        Ok(ARGUMENTS.to_vec())
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format!("{}_scores", args.name);
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(BoardAccumulator::default()))
    }
}

impl Accumulator for BoardAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [
            model,
            record,
            ordinal,
            position,
            metric,
            score,
            error,
            setup,
            moment,
            origin,
            lower,
            comparable,
        ] = values
        else {
            return internal_err!("`{NAME}` is given all its arguments");
        };
        let text = |column: &ArrayRef, row: usize| {
            let texts = column.as_string::<i32>();
            (!texts.is_null(row)).then(|| texts.value(row).to_owned())
        };
        let integer = |column: &ArrayRef, row: usize| {
            let numbers = column.as_primitive::<Int64Type>();
            (!numbers.is_null(row)).then(|| numbers.value(row))
        };
        let bits = |column: &ArrayRef, row: usize| {
            let numbers = column.as_primitive::<Float64Type>();
            (!numbers.is_null(row)).then(|| numbers.value(row).to_bits())
        };
        for row in 0..model.len() {
            let moments = moment.as_primitive::<TimestampMicrosecondType>();
            let directions = lower.as_boolean();
            if !directions.is_null(row) {
                self.contenders.lower_is_better = Some(directions.value(row));
            }
            if let Some(keys) = text(comparable, row) {
                self.contenders.comparable_by = Some(keys);
            }
            let Some(score) = bits(score, row) else {
                continue;
            };
            self.contenders.scores.push(ScoreRow {
                model: text(model, row).unwrap_or_default(),
                record: text(record, row).unwrap_or_default(),
                ordinal: integer(ordinal, row),
                position: integer(position, row).unwrap_or_default(),
                metric: text(metric, row),
                score,
                standard_error: bits(error, row),
                setup: text(setup, row),
                moment: (!moments.is_null(row)).then(|| moments.value(row)),
                origin: text(origin, row).unwrap_or_default(),
            });
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [state] = states else {
            return internal_err!("the state of `{NAME}` is one column");
        };
        for part in state.as_binary::<i32>().iter().flatten() {
            let part = serde_json::from_slice(part)
                .map_err(|error| DataFusionError::External(Box::new(error)))?;
            self.contenders.merge(part);
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let state = serde_json::to_vec(&self.contenders)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        Ok(vec![ScalarValue::Binary(Some(state))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let rows = self.contenders.ranked();
        let list = ListArray::try_new(
            row_field(),
            OffsetBuffer::from_lengths([rows.len()]),
            Arc::new(columns_of(&rows)?),
            None,
        )?;
        Ok(ScalarValue::List(Arc::new(list)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.contenders.bytes()
    }
}

/// The columns of a row of a board.
fn row_fields() -> Fields {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    Fields::from(vec![
        field("rank", DataType::Int64),
        field("model", DataType::Utf8),
        field("score", DataType::Float64),
        field("standard_error", DataType::Float64),
        field("evaluated_at", MOMENT),
        field("origin", DataType::Utf8),
        field("record_id", DataType::Utf8),
        field("setup", DataType::Utf8),
        field("comparable", DataType::Utf8),
        field("runs", DataType::Int64),
        field("setups", DataType::Int64),
    ])
}

fn row_field() -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Struct(row_fields()), true))
}

fn columns_of(rows: &[BoardRow]) -> Result<StructArray> {
    let texts = |value: fn(&BoardRow) -> Option<&str>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<StringArray>())
    };
    let integers = |value: fn(&BoardRow) -> Option<i64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Int64Array>())
    };
    let numbers = |value: fn(&BoardRow) -> Option<f64>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<Float64Array>())
    };
    let moments = rows.iter().map(|row| row.moment);
    let columns = vec![
        integers(|row| row.rank),
        texts(|row| Some(&row.model)),
        numbers(|row| Some(row.score)),
        numbers(|row| row.standard_error),
        Arc::new(moments.collect::<TimestampMicrosecondArray>()),
        texts(|row| Some(&row.origin)),
        texts(|row| Some(&row.record)),
        texts(|row| row.setup.as_deref()),
        texts(|row| row.comparable.as_deref()),
        integers(|row| Some(row.runs)),
        integers(|row| Some(row.setups)),
    ];
    Ok(StructArray::try_new(row_fields(), columns, None)?)
}
