//! Functions that queries have beyond those of the engine.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;

use crate::board_rows::BoardRows;
use crate::percentile::ExactPercentile;

/// Makes the functions known to whoever plans or runs queries: exact percentiles, the rows of boards, and functions of JSON texts
/// such as `json_get_str`.
pub(crate) fn register_functions(registry: &mut dyn FunctionRegistry) -> Result<()> {
    registry.register_udaf(Arc::new(ExactPercentile::udaf()))?;
    registry.register_udaf(Arc::new(BoardRows::udaf()))?;
    datafusion_functions_json::register_all(registry)
}
