use std::sync::Arc;

use datafusion::common::{Result, not_impl_err, plan_err};
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::visibility::{RowVisibility, VisibilityFilterExec};

/// Encodes the one operator of our own in the stages of a plan: the visibility filter.
#[derive(Debug)]
pub(super) struct StageCodec;

/// A visibility filter as it is sent to an executor.
#[derive(Serialize)]
struct FilterToEncode<'v> {
    visibility: &'v RowVisibility,
    shown: usize,
}

/// The same as it arrives.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EncodedFilter {
    visibility: RowVisibility,
    shown: usize,
}

impl PhysicalExtensionCodec for StageCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        _context: &TaskContext,
        _converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let EncodedFilter { visibility, shown } = serde_json::from_slice(bytes)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        let [input] = inputs else {
            return plan_err!("a visibility filter reads one table");
        };
        if shown > input.schema().fields().len() {
            return plan_err!("a visibility filter hands on no more columns than it reads");
        }
        Ok(Arc::new(VisibilityFilterExec::new(
            Arc::clone(input),
            Arc::new(visibility),
            shown,
        )?))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        _converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(filter) = node.downcast_ref::<VisibilityFilterExec>() else {
            return not_impl_err!("`{}` cannot be sent to a cluster", node.name());
        };
        let (visibility, shown) = filter.told();
        serde_json::to_writer(bytes, &FilterToEncode { visibility, shown })
            .map_err(|error| DataFusionError::External(Box::new(error)))
    }
}
