//! The tables of the issuer of tokens, a file a table. No page shows changes here, so they leave
//! the generation as it is.

mod access_tokens;
mod assertions;
mod credentials;
mod events;
mod idempotency;
mod identities;
mod integrations;
mod quotas;

pub use access_tokens::AccessToken;
pub use credentials::{CredentialKind, IssuerCredential};
pub use events::{EventFilter, IssuerEvent, NewIssuerEvent};
pub use idempotency::Repeated;
pub use identities::IssuerIdentity;
pub use integrations::IssuerIntegration;
pub use quotas::Quota;

use crate::sql::Query;
use crate::{Error, Taken, Tx};

impl Tx {
    /// Makes a change that no page shows. The answer is how many rows.
    pub(crate) async fn quietly(
        &mut self,
        doing: &'static str,
        query: Query<'_>,
    ) -> Result<u64, Error> {
        let rows = query.execute(self.connection()).await;
        rows.map_err(|error| Error::of(doing, error))
    }

    /// Adds a row with something that may exist only once, unseen as well.
    async fn quietly_add(
        &mut self,
        doing: &'static str,
        what: Taken,
        query: Query<'_>,
    ) -> Result<(), Error> {
        let done = query.execute(self.connection()).await;
        done.map_err(Error::unless_taken(doing, what))?;
        Ok(())
    }
}
