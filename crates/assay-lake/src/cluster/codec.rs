use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference, not_impl_err};
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion_proto::logical_plan::LogicalExtensionCodec;

use crate::catalog::LakeTable;

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
