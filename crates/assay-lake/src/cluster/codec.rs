use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference, not_impl_err, plan_err};
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::catalog::LakeTable;
use crate::visibility::{RowVisibility, VisibilityFilterExec};

/// The first bytes of a visibility filter in a stage of a plan. No message of Ballista begins with a zero.
const VISIBILITY: &[u8] = b"\0assay visibility\0";

/// How tables of a lake travel in a plan. Nothing else of our own does.
#[derive(Debug)]
pub(super) struct LakeCodec;

impl LogicalExtensionCodec for LakeCodec {
    fn try_decode(
        &self,
        _bytes: &[u8],
        _inputs: &[LogicalPlan],
        _context: &TaskContext,
    ) -> Result<Extension> {
        not_impl_err!("a cluster of a lake has no operators of its own")
    }

    fn try_encode(&self, node: &Extension, _bytes: &mut Vec<u8>) -> Result<()> {
        not_impl_err!("`{}` cannot be sent to a cluster", node.node.name())
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        _name: &TableReference,
        _schema: SchemaRef,
        _context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        Ok(Arc::new(LakeTable::decode(bytes)?))
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        provider: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(table) = provider.downcast_ref::<LakeTable>() else {
            return not_impl_err!(
                "`{name}` is no table of the lake and cannot be sent to a cluster"
            );
        };
        let encoded = table
            .encode()
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        bytes.extend(encoded);
        Ok(())
    }
}

/// How the stages of a plan travel: those of Ballista, and visibility filters.
#[derive(Debug, Default)]
pub(super) struct StageCodec {
    ballista: BallistaPhysicalExtensionCodec,
}

/// A visibility filter as it is sent to an executor.
#[derive(Serialize)]
struct Telling<'v> {
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
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(told) = bytes.strip_prefix(VISIBILITY) else {
            return self.ballista.try_decode(bytes, inputs, context, converter);
        };
        let EncodedFilter { visibility, shown } = serde_json::from_slice(told)
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
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let Some(filter) = node.downcast_ref::<VisibilityFilterExec>() else {
            return self.ballista.try_encode(node, bytes, converter);
        };
        let (visibility, shown) = filter.told();
        bytes.extend_from_slice(VISIBILITY);
        serde_json::to_writer(bytes, &Telling { visibility, shown })
            .map_err(|error| DataFusionError::External(Box::new(error)))
    }
}
