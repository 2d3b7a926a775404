use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use assay_app::Error;
use assay_app::issuer::{BenchmarkSource, Defined, FetchError};
use assay_model::{RepoId, Revision};

use super::fetch::KeyFetcher;
use crate::base_url::BaseUrl;

/// The largest definition that is read, in bytes.
const MAX_DEFINITION: usize = 1 << 20;

/// The longest description of a repository that is read, in bytes.
const MAX_ABOUT: usize = 4 << 20;

/// Benchmarks of another hub, for an issuer that has none of its own.
#[derive(Debug)]
pub(crate) struct HubBenchmarks {
    hub: String,
    fetcher: Arc<KeyFetcher>,
}

impl HubBenchmarks {
    /// The benchmarks of a hub. The operator names it, so it may stand on this machine when it is
    /// so configured.
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
        let about = format!("{}/api/datasets/{benchmark}", self.hub);
        let fetcher = Arc::clone(&self.fetcher);
        Box::pin(async move {
            let fetched = tokio::task::spawn_blocking(move || {
                let definition = fetcher.get(&url, MAX_DEFINITION)?;
                let about = match &definition {
                    Some(_) => fetcher.get(&about, MAX_ABOUT)?,
                    None => None,
                };
                Ok((definition, about))
            });
            let fetched: Result<_, FetchError> = fetched.await.map_err(Error::internal)?;
            let (definition, about) = fetched.map_err(Error::internal)?;
            match (definition, about.and_then(|about| spelled(&about))) {
                (Some(_), Some(name)) if name != *benchmark => Ok(Defined::Spelled(name)),
                (Some(bytes), _) => Ok(Defined::read(bytes)),
                (None, _) => Ok(Defined::NoDefinition),
            }
        })
    }
}

/// Returns the name of a repository as its hub spells it.
fn spelled(about: &[u8]) -> Option<RepoId> {
    #[derive(serde::Deserialize)]
    struct About {
        id: String,
    }
    let about: About = serde_json::from_slice(about).ok()?;
    about.id.parse().ok()
}
