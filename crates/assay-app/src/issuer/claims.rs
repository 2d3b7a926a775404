use assay_trust::{Claims, Digests, Jti};

use super::request::Request;
use super::{Authenticated, Issuer, Refusal, RefusalCode};
use crate::error::Error;
use crate::secret;

impl Issuer {
    /// Returns the claims of a token.
    pub(super) fn claims(
        &self,
        caller: &Authenticated,
        request: &Request,
    ) -> Result<Claims, Refusal> {
        let integration = caller.integration().ok_or_else(Refusal::unauthenticated)?;
        let most = caller.assurance();
        let assurance = request.assurance.unwrap_or(most);
        if assurance > most {
            let detail =
                format!("this run is worth at most `{most}`, and you ask for `{assurance}`");
            let refusal = Refusal::new(RefusalCode::AssuranceNotAllowed, detail);
            return Err(refusal.at("/assurance"));
        }
        let now = self.now().seconds();
        let mut facts = caller.facts.run.clone();
        facts.insert("identity".to_owned(), caller.key().to_string());
        Ok(Claims {
            iss: self.name().to_owned(),
            aud: self.audience(),
            sub: integration.id.clone(),
            jti: draw_jti()?,
            iat: now,
            nbf: now,
            exp: now + integration.lifetime_seconds,
            digests: Digests {
                subject: request.subject.digest(),
                entry: request.canonical.digest(),
            },
            subject: request.subject.clone(),
            assurance,
            policy: Some(caller.policy.digest()),
            act: Some(facts),
            evidence: request.evidence.clone(),
        })
    }

    /// The one hub that tokens are for.
    fn audience(&self) -> String {
        let given = self.hub.config.trust.audience.clone();
        given.unwrap_or_else(|| self.name().to_owned())
    }
}

fn draw_jti() -> Result<Jti, Error> {
    Ok(Jti::from_bytes(secret::bytes()?))
}
