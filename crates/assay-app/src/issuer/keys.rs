use std::collections::BTreeMap;
use std::sync::Arc;

use assay_trust::issuer::{AssertionError, KeyCache, KeySet, Look, Provider};
use parking_lot::Mutex;

use super::Issuer;

/// The cached keys of each provider.
#[derive(Default)]
pub(super) struct KeyCaches(Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<KeyCache>>>>);

impl KeyCaches {
    fn of(&self, provider: &Provider) -> Arc<tokio::sync::Mutex<KeyCache>> {
        let mut caches = self.0.lock();
        Arc::clone(caches.entry(provider.keys.clone()).or_default())
    }
}

impl Issuer {
    /// The keys of a provider, for one that a token names. Whoever comes while they are fetched
    /// waits for that fetch.
    pub(super) async fn keys_of(
        &self,
        provider: &Provider,
        kid: Option<&str>,
    ) -> Result<Arc<KeySet>, AssertionError> {
        let cache = self.key_caches.of(provider);
        let mut cache = cache.lock().await;
        let looked = match cache.look(kid, self.now()) {
            Look::Fetch => {
                let (fetch, url) = (Arc::clone(&self.fetch), provider.keys.clone());
                let fetched = tokio::task::spawn_blocking(move || fetch.fetch(&url)).await;
                let fetched = fetched.unwrap_or_else(|error| {
                    Err(assay_trust::issuer::FetchError(error.to_string()))
                });
                cache.fetched(fetched, self.now());
                if let Some(failure) = cache.failure() {
                    tracing::warn!(issuer = provider.issuer, "no new key set: {failure}");
                }
                cache.look(kid, self.now())
            }
            looked => looked,
        };
        match looked {
            Look::Keys(keys) => Ok(keys),
            Look::Unavailable(failure) => Err(AssertionError::Keys(failure)),
            Look::Fetch => Err(AssertionError::Keys("it was just tried".to_owned())),
        }
    }
}
