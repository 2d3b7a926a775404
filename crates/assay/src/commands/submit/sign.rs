//! The signer, and the signing.

use assay_hub_api::EvalToken;
use assay_hub_api::client::{Client, Document};
use assay_model::RepoId;

use super::args::{SigningArgs, SubmitArgs};
use super::draft::Draft;
use super::outcome::{Outcome, Signing};
use super::{FilePlan, SubmitError};
use crate::config::Config;
use crate::issuer::{Artefact, Credential, Issuer, IssuerError, artefacts, request};

/// An issuer that will sign, connected when the first entry is to be signed.
pub(crate) struct Signer {
    address: String,
    credential: Credential,
    artefacts: Vec<Artefact>,
    issuer: Option<Issuer>,
}

impl Signer {
    /// Has an entry signed.
    pub(crate) fn sign(
        &mut self,
        model: &RepoId,
        draft: &mut Draft,
    ) -> Result<Document<EvalToken>, SubmitError> {
        let canonical = draft.canonical().map_err(IssuerError::Entry)?;
        // What could never be verified is refused here, before anybody is asked for anything.
        request(model, &canonical, &self.artefacts)?;
        let issuer = match &mut self.issuer {
            Some(issuer) => issuer,
            none => none.insert(Issuer::connect(&self.address, &self.credential)?),
        };
        let issued = issuer.issue(model, &canonical, &self.artefacts)?;
        draft.sign(&issued.value.verify_token)?;
        Ok(issued)
    }
}

/// The address of the issuer: the one that was named, else the hub.
pub(crate) fn issuer_of(args: &SigningArgs, hub: &Client, config: &Config) -> String {
    let named = args.issuer.as_deref().or(config.issuer.address.as_deref());
    let address = named.unwrap_or(hub.origin().as_str());
    address.trim_end_matches('/').to_owned()
}

/// Returns the signer, when there is a credential.
pub(crate) fn signer(
    args: &SigningArgs,
    address: &str,
    config: &Config,
) -> Result<Option<Signer>, SubmitError> {
    let credential = Credential::find(args.credential.as_deref(), address, config)?;
    let artefacts = artefacts(&args.evidence)?;
    Ok(credential.map(|credential| Signer {
        address: address.to_owned(),
        credential,
        artefacts,
        issuer: None,
    }))
}

/// Signs every new entry, unless that is not wanted, cannot be, or only tried.
pub(super) fn sign(
    args: &SubmitArgs,
    config: &Config,
    hub: &Client,
    plans: &mut [FilePlan],
    outcome: &mut Outcome,
) -> Result<(), SubmitError> {
    if args.no_token {
        return Ok(());
    }
    let address = issuer_of(&args.signing, hub, config);
    let Some(mut signer) = signer(&args.signing, &address, config)? else {
        outcome.signing = Signing::NoCredential(address);
        return Ok(());
    };
    for (index, draft) in plans.iter_mut().flat_map(|plan| &mut plan.drafts) {
        // A token that the author brings was made for this very entry, or is for the hub to decide
        // on.
        if draft.entry.token.is_some() {
            continue;
        }
        if args.dry_run {
            let canonical = draft.canonical().map_err(IssuerError::Entry)?;
            let body = request(&args.run.model, &canonical, &signer.artefacts)?;
            outcome.requests.push((address.clone(), body));
            continue;
        }
        signer.sign(&args.run.model, draft)?;
        if let Some(sent) = outcome.entries.get_mut(*index) {
            sent.entry.token.clone_from(&draft.entry.token);
        }
    }
    outcome.signing = Signing::By(address);
    Ok(())
}
