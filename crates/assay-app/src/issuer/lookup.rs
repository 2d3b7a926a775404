use assay_hub_api::{EvalTokenStatus, TokenDecision, TokenLog};
use assay_model::Timestamp;
use assay_store::NewIssuerEvent;
use assay_trust::{ControlLeaf, Jti, ResultsLeaf, Scope};

use super::{Authenticated, Issuer, Refusal, RefusalCode};
use crate::access::Caller;
use crate::error::Error;
use crate::hub::blocking;

/// The caller who asks for the status of a token.
enum StatusCaller<'a> {
    Identity(&'a Authenticated),
    Operator,
}

impl Issuer {
    /// Returns the status of a token of the caller's own integration. Of others not even the
    /// existence is told.
    pub async fn status(
        &self,
        caller: &Authenticated,
        jti: &str,
    ) -> Result<EvalTokenStatus, Refusal> {
        self.status_for(&StatusCaller::Identity(caller), jti).await
    }

    /// Returns the status of any token. For operators.
    pub async fn status_for_operator(
        &self,
        caller: &Caller,
        jti: &str,
    ) -> Result<EvalTokenStatus, Refusal> {
        caller.check_operator().map_err(|_| no_token())?;
        self.status_for(&StatusCaller::Operator, jti).await
    }

    async fn status_for(
        &self,
        asker: &StatusCaller<'_>,
        jti: &str,
    ) -> Result<EvalTokenStatus, Refusal> {
        let jti: Jti = jti.parse().map_err(|_| no_token())?;
        self.catch_up().await?;
        let text = jti.to_string();
        let issued = self.store().issued(&text).await?.ok_or_else(no_token)?;
        if let StatusCaller::Identity(caller) = asker
            && caller.key().integration().as_str() != issued.integration
        {
            return Err(no_token());
        }
        let decision = self.store().decisions(&text).await?.into_iter().next();
        let log = self.hub.trust.results();
        let (leaf, receipt) = blocking(move || {
            let leaf = log.leaf(issued.index).map_err(Error::internal)?;
            let receipt = log.receipt(issued.index).map_err(Error::internal)?;
            Ok((leaf, receipt.to_string()))
        })
        .await?;
        let ResultsLeaf::Issue(leaf) = ResultsLeaf::read(&leaf).map_err(Error::internal)? else {
            return Err(Error::internal("the index names a leaf that issues nothing").into());
        };
        let decision = match decision {
            Some(decision) => Some(
                self.decision_status(decision.index, decision.reason)
                    .await?,
            ),
            None => None,
        };
        let revoked = self.revoked_reason(jti);
        let state = match (&revoked, &decision) {
            (Some(_), _) => "revoked",
            (None, None) => "issued",
            (None, Some(decision)) if decision.reason.is_some() => "refused",
            (None, Some(_)) => "admitted",
        };
        Ok(EvalTokenStatus {
            jti: text,
            state: state.to_owned(),
            integration: issued.integration,
            expires_at: Timestamp::from_seconds(leaf.exp),
            log: TokenLog {
                index: issued.index,
                receipt,
            },
            decision,
            revoked,
        })
    }

    async fn decision_status(
        &self,
        index: u64,
        reason: Option<String>,
    ) -> Result<TokenDecision, Error> {
        let log = self.hub.trust.results();
        let receipt = blocking(move || log.receipt(index).map_err(Error::internal)).await?;
        Ok(TokenDecision {
            reason,
            log: TokenLog {
                index,
                receipt: receipt.to_string(),
            },
        })
    }

    fn revoked_reason(&self, jti: Jti) -> Option<String> {
        let state = self.hub.trust.state();
        state.revocations().find_map(|(_, revocation)| {
            (revocation.scope == Scope::Jti(jti)).then(|| revocation.reason.clone())
        })
    }

    /// Revokes a token of the caller's own integration.
    pub async fn revoke(
        &self,
        caller: &Authenticated,
        jti: &str,
        reason: &str,
        request: &str,
    ) -> Result<(), Refusal> {
        let status = self.status(caller, jti).await?;
        let actor = caller.key().to_string();
        let nobody = Caller::anonymous();
        self.revoke_as(&nobody, &status, &actor, reason, request)
            .await
    }

    /// Revokes any token. For operators.
    pub async fn revoke_for_operator(
        &self,
        caller: &Caller,
        jti: &str,
        reason: &str,
        request: &str,
    ) -> Result<(), Refusal> {
        let status = self.status_for_operator(caller, jti).await?;
        let actor = caller.name().unwrap_or("operator").to_owned();
        self.revoke_as(caller, &status, &actor, reason, request)
            .await
    }

    async fn revoke_as(
        &self,
        caller: &Caller,
        status: &EvalTokenStatus,
        actor: &str,
        reason: &str,
        request: &str,
    ) -> Result<(), Refusal> {
        if status.revoked.is_some() {
            return Ok(());
        }
        let jti = status.jti.parse().map_err(|_| no_token())?;
        let leaf = ControlLeaf::Revoke {
            scope: Scope::Jti(jti),
            from_index: 0,
            reason: reason.to_owned(),
            actor: actor.to_owned(),
        };
        self.hub.evidence().log_control(caller, &leaf).await?;
        self.note(NewIssuerEvent {
            action: "revoke".to_owned(),
            integration: Some(status.integration.clone()),
            identity: None,
            outcome: "done".to_owned(),
            detail: Some(format!("{actor}: {reason}")),
            jti: Some(status.jti.clone()),
            request: Some(request.to_owned()),
            ..NewIssuerEvent::default()
        })
        .await;
        Ok(())
    }

    /// Takes in what the log says that the tables do not say yet.
    async fn catch_up(&self) -> Result<(), Error> {
        self.hub.operations().follow_logs().await
    }
}

fn no_token() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such token")
}
