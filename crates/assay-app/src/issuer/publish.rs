use assay_model::{RepoId, RepoKind};
use assay_store::NewIssuerEvent;
use assay_trust::issuer::{IdToken, Provider};

use super::{ExchangeError, Issuer};
use crate::account::TokenSecret;
use crate::error::Error;
use crate::publisher::run_of;

/// Issuers that trusted publishers may name without any configuration.
const KNOWN: [&str; 2] = [
    "https://token.actions.githubusercontent.com",
    "https://gitlab.com",
];

impl Issuer {
    /// Returns the issuers whose ID tokens trusted publishers may have.
    pub fn publisher_issuers(&self) -> Vec<String> {
        let providers = self.publisher_providers();
        providers.into_iter().map(|one| one.issuer).collect()
    }

    /// Gives a hub token for one repository and one hour to a workload whose ID token a trusted
    /// publisher of the repository describes. `resource` is `namespace/name` or
    /// `datasets/namespace/name`, `audience` the address of the hub. An ID token is accepted again
    /// until it expires: clients exchange it in each process that they start.
    pub async fn publisher_token(
        &self,
        id_token: &str,
        resource: &str,
        audience: &str,
        request: &str,
    ) -> Result<TokenSecret, ExchangeError> {
        let (kind, id) = read_resource(resource).ok_or(ExchangeError::Target)?;
        let providers = self.publisher_providers();
        let token = IdToken::read(id_token, &providers)?;
        let provider = token.provider();
        let keys = self.keys_of(provider, token.kid()).await?;
        let assertion = token.verify(&keys, audience, self.now())?;
        let run = run_of(provider, &assertion);
        let matched = self
            .hub
            .accounts()
            .match_publisher(kind, &id, provider, &assertion)
            .await
            .map_err(ExchangeError::Internal)?;
        let outcome = if matched.is_some() { "done" } else { "refused" };
        self.note(NewIssuerEvent {
            action: "publish".to_owned(),
            outcome: outcome.to_owned(),
            detail: Some(format!("{resource} by {run}")),
            request: Some(request.to_owned()),
            ..NewIssuerEvent::default()
        })
        .await;
        let Some(matched) = matched else {
            return Err(ExchangeError::Publisher);
        };
        let made = self.hub.accounts().token_for_publisher(matched, &run).await;
        made.map_err(|error| match error {
            Error::Denied(_) | Error::BadCredentials | Error::TokenEnded(_) => {
                ExchangeError::Publisher
            }
            error => ExchangeError::Internal(error),
        })
    }

    /// The providers of the policy and those that everybody knows. Their audience is always the
    /// hub's address, whatever the policy says for tokens of results.
    fn publisher_providers(&self) -> Vec<Provider> {
        let policy = self.policy();
        let mut providers = policy.providers().to_vec();
        let known = KNOWN
            .iter()
            .filter_map(|issuer| Provider::well_known(issuer));
        for provider in known {
            if providers.iter().all(|one| one.issuer != provider.issuer) {
                providers.push(provider);
            }
        }
        for provider in &mut providers {
            provider.audience = None;
        }
        providers
    }
}

fn read_resource(resource: &str) -> Option<(RepoKind, RepoId)> {
    let (kind, name) = match resource.split_once('/')? {
        ("datasets", name) => (RepoKind::Dataset, name),
        ("models", name) if name.contains('/') => (RepoKind::Model, name),
        _ => (RepoKind::Model, resource),
    };
    let id: RepoId = name.parse().ok()?;
    id.namespace().is_some().then_some((kind, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_a_repository_as_the_client_spells_it() {
        let read = |text| read_resource(text).map(|(kind, id)| (kind, id.to_string()));

        assert_eq!(
            read("acme/small"),
            Some((RepoKind::Model, "acme/small".to_owned()))
        );
        assert_eq!(
            read("datasets/acme/sums"),
            Some((RepoKind::Dataset, "acme/sums".to_owned()))
        );
        assert_eq!(read("acme"), None);
        assert_eq!(read("spaces/acme/demo"), None);
    }
}
