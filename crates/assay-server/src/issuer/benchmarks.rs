use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use assay_app::Error;
use assay_app::issuer::{BenchmarkSource, Defined};
use assay_model::{RepoId, Revision};

use super::fetch::KeyFetcher;
use crate::base_url::BaseUrl;

/// The largest definition that is read, in bytes.
const MAX_DEFINITION: usize = 1 << 20;

/// Benchmarks of another hub, for an issuer that has none of its own.
#[derive(Debug)]
pub(crate) struct HubBenchmarks {
    hub: String,
    fetcher: Arc<KeyFetcher>,
}

impl HubBenchmarks {
    /// The benchmarks of a hub. The operator names it, so it may stand on this machine when it is so configured.
    pub(crate) fn new(hub: &BaseUrl, allow_loopback: bool) -> Self {
        Self {
            hub: hub.to_string(),
            fetcher: Arc::new(KeyFetcher::new(allow_loopback)),
        }
    }
}

impl BenchmarkSource for HubBenchmarks {
    fn at<'a>(
        &'a self,
        benchmark: &'a RepoId,
        revision: &'a Revision,
    ) -> Pin<Box<dyn Future<Output = Result<Defined, Error>> + Send + 'a>> {
        let url = format!(
            "{}/datasets/{benchmark}/resolve/{revision}/eval.yaml",
            self.hub
        );
        let fetcher = Arc::clone(&self.fetcher);
        Box::pin(async move {
            let fetched = tokio::task::spawn_blocking(move || fetcher.get(&url, MAX_DEFINITION));
            let fetched = fetched.await.map_err(Error::internal)?;
            match fetched.map_err(Error::internal)? {
                Some(bytes) => Ok(Defined::read(bytes)),
                None => Ok(Defined::NoDefinition),
            }
        })
    }
}
