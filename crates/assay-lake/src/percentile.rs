//! `percentile_cont` without the rounding of the engine.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray as _};
use datafusion::arrow::datatypes::{DataType, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::functions_aggregate::percentile_cont::{PercentileCont, percentile_cont_udaf};
use datafusion::logical_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature};
use datafusion::physical_expr::expressions::Literal;

/// Computes percentiles of doubles with the exact weight between two neighbours.
///
/// The function of the engine cuts the weight after six digits, and loses values that several
/// threads or machines gathered. Everything else is left to it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExactPercentile {
    inner: Arc<AggregateUDF>,
}

/// Gathers values by the engine's own accumulator and interpolates between them itself.
struct ExactAccumulator {
    inner: Box<dyn Accumulator>,
    percentile: f64,
}

impl ExactPercentile {
    /// Returns the function under the name of the engine's.
    pub(crate) fn udaf() -> AggregateUDF {
        AggregateUDF::from(Self {
            inner: percentile_cont_udaf(),
        })
    }
}

impl AggregateUDFImpl for ExactPercentile {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let is_double = *args.expr_fields[0].data_type() == DataType::Float64;
        let literal = args
            .exprs
            .get(1)
            .and_then(|own| own.downcast_ref::<Literal>());
        let percentile = literal.and_then(|literal| match literal.value() {
            ScalarValue::Float64(percentile) => *percentile,
            _ => None,
        });
        let order = args.order_bys.first();
        let is_descending = order.is_some_and(|order| order.options.descending);
        let is_distinct = args.is_distinct;
        let inner = PercentileCont::new().accumulator(args)?;
        Ok(match percentile {
            Some(percentile) if is_double && !is_distinct => Box::new(ExactAccumulator {
                inner,
                percentile: if is_descending {
                    1.0 - percentile
                } else {
                    percentile
                },
            }),
            Some(_) | None => inner,
        })
    }

    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        self.inner.simplify()
    }

    fn supports_within_group_clause(&self) -> bool {
        true
    }
}

impl fmt::Debug for ExactAccumulator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ExactAccumulator")
            .field("percentile", &self.percentile)
            .finish_non_exhaustive()
    }
}

impl Accumulator for ExactAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.update_batch(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [states] = states else {
            return internal_err!("the state of percentile_cont is one list of values");
        };
        // The engine's own takes the first of several states and forgets the others.
        for values in states.as_list::<i32>().iter().flatten() {
            self.inner.update_batch(&[values])?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        // Its state is all the values. A window asks again after more of them, so they are given
        // back.
        let state = self.inner.state()?;
        let [ScalarValue::List(list)] = &state[..] else {
            return internal_err!("the state of percentile_cont is one list of values");
        };
        let list = Arc::clone(list) as ArrayRef;
        let values = list.as_list::<i32>().value(0);
        let values = values.as_primitive::<Float64Type>().values().to_vec();
        self.merge_batch(&[list])?;
        Ok(ScalarValue::Float64(percentile(values, self.percentile)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.inner.size()
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}

/// Returns the value below which this share of the values lies, on the line between its two
/// neighbours.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the index lies between zero and the number of values, which memory bounds"
)]
fn percentile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    values.sort_unstable_by(f64::total_cmp);
    let index = share * last as f64;
    let below = index.floor();
    let low = *values.get(below as usize)?;
    let high = values.get(below as usize + 1).map_or(low, |high| *high);
    Some(low + (high - low) * (index - below))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::ListArray;
    use datafusion::arrow::datatypes::{Field, Schema};
    use datafusion::physical_expr::PhysicalExpr;
    use datafusion::physical_expr::expressions::Column;

    use super::*;

    #[test]
    fn values_that_several_threads_gathered_are_all_counted() {
        let mut all = ExactAccumulator {
            inner: double_accumulator(),
            percentile: 1.0,
        };
        let gathered = [
            Some(vec![Some(1.0), Some(2.0)]),
            None,
            Some(vec![Some(9.0)]),
        ];
        let states = ListArray::from_iter_primitive::<Float64Type, _, _>(gathered);

        all.merge_batch(&[Arc::new(states)]).unwrap();

        assert_eq!(all.evaluate().unwrap(), ScalarValue::Float64(Some(9.0)));
    }

    /// Returns the engine's own accumulator of doubles.
    fn double_accumulator() -> Box<dyn Accumulator> {
        let column = Arc::new(Field::new("x", DataType::Float64, true));
        let share = Arc::new(Field::new("p", DataType::Float64, false));
        let schema = Schema::new(vec![Arc::clone(&column), Arc::clone(&share)]);
        let x = Arc::new(Column::new("x", 0)) as Arc<dyn PhysicalExpr>;
        let p = Arc::new(Literal::new(ScalarValue::Float64(Some(1.0))));
        let arguments = AccumulatorArgs {
            return_field: Arc::clone(&column),
            schema: &schema,
            ignore_nulls: false,
            order_bys: &[],
            is_reversed: false,
            name: "percentile_cont",
            is_distinct: false,
            exprs: &[x, p],
            expr_fields: &[column, share],
        };
        PercentileCont::new().accumulator(arguments).unwrap()
    }

    #[test]
    fn the_weight_between_two_neighbours_is_not_cut() {
        assert_eq!(percentile(vec![1.0, 0.0], 0.333_333_3), Some(0.333_333_3));
        assert_eq!(percentile(vec![3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(percentile(vec![3.0, 1.0, 2.0], 1.0), Some(3.0));
        assert_eq!(percentile(Vec::new(), 0.5), None);
    }
}
