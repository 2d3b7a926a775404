use axum::body::Body;
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;

use super::people::Asker;
use super::scene::{Place, Visibility};

/// The access that an endpoint needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing; but a token that is wrong is refused everywhere.
    Nothing,
    /// An account.
    Account,
    /// An account, and a token that may write.
    Writing,
    /// To be the operator.
    Operator,
    /// The right to make repositories in the namespace.
    Creation,
    /// To see the repository, and the right to make repositories in the namespace.
    Copy,
    /// To be a member of the organisation.
    Membership,
    /// To see the repository.
    Read,
    /// To see it, an account, and a token that may write to it.
    Discuss,
    /// To have written the comment.
    Comment,
    /// To have opened the discussion, or the right to write.
    Author,
    /// The right to write.
    Write,
    /// The right to rename, delete and hide.
    Admin,
    /// Nothing that a hub knows: everybody with an account is answered alike.
    Machine,
    /// A machine identity, or to be the operator.
    MachineOrOperator,
}

/// The effect of a request: whether it changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Looks,
    Changes,
}

/// One question to the hub.
pub(super) struct Endpoint {
    pub(super) method: &'static str,
    /// The path as the description of the API has it, for models where there is one for datasets
    /// too.
    pub(super) route: &'static str,
    pub(super) needs: Needs,
    pub(super) effect: Effect,
    /// The status for those who are let in.
    pub(super) good: u16,
    pub(super) ask: fn(&Place) -> Ask,
}

/// The address and the body.
pub(super) struct Ask(pub(super) String, pub(super) Vec<u8>);

impl Endpoint {
    /// Returns the expected status.
    pub(super) fn expected(&self, asker: Asker, visibility: Visibility) -> u16 {
        match (self.needs, asker) {
            (Needs::Machine, _) | (Needs::MachineOrOperator, Asker::Operator) => return self.good,
            (Needs::MachineOrOperator, _) => return 401,
            _ => {}
        }
        match asker {
            Asker::ExpiredToken | Asker::UnknownToken => 401,
            _ => self.refusal(asker, visibility).unwrap_or(self.good),
        }
    }

    fn refusal(&self, asker: Asker, visibility: Visibility) -> Option<u16> {
        let is_anonymous = asker == Asker::Anonymous;
        let is_seen = visibility == Visibility::Public || sees(asker);
        let refused = match self.needs {
            Needs::Nothing | Needs::Machine | Needs::MachineOrOperator => return None,
            Needs::Account => false,
            Needs::Writing => !writes_anywhere(asker),
            Needs::Operator => asker != Asker::Operator,
            Needs::Creation => !creates(asker),
            Needs::Membership => matches!(asker, Asker::Stranger | Asker::Owner),
            Needs::Read if is_seen => return None,
            _ if !is_seen => return Some(if is_anonymous { 401 } else { 404 }),
            Needs::Copy => !creates(asker),
            Needs::Read | Needs::Discuss => !may_write_here(asker),
            Needs::Comment => asker != Asker::Reader && asker != Asker::Owner,
            Needs::Author => asker != Asker::Reader && !writes(asker),
            Needs::Write => !writes(asker),
            Needs::Admin => !manages(asker),
        };
        match (is_anonymous, refused) {
            (true, _) => Some(401),
            (false, true) => Some(403),
            (false, false) => None,
        }
    }

    pub(super) fn request(&self, place: &Place) -> Request<Body> {
        let Ask(path, body) = (self.ask)(place);
        Request::builder()
            .method(self.method)
            .uri(path)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body))
            .unwrap()
    }

    /// The kind of repository that it is asked about.
    pub(super) fn kind(&self) -> &'static str {
        let of_datasets = ["/api/datasets/", "/api/assay/benchmarks/"];
        if of_datasets
            .iter()
            .any(|start| self.route.starts_with(start))
        {
            "datasets"
        } else {
            "models"
        }
    }

    /// Returns whether it is about one repository.
    pub(super) fn is_of_repository(&self) -> bool {
        match self.needs {
            Needs::Nothing
            | Needs::Machine
            | Needs::MachineOrOperator
            | Needs::Account
            | Needs::Writing
            | Needs::Operator
            | Needs::Creation
            | Needs::Membership => false,
            Needs::Copy
            | Needs::Read
            | Needs::Discuss
            | Needs::Comment
            | Needs::Author
            | Needs::Write
            | Needs::Admin => true,
        }
    }
}

fn sees(asker: Asker) -> bool {
    !matches!(asker, Asker::Anonymous | Asker::Stranger)
}

fn may_write_here(asker: Asker) -> bool {
    writes_anywhere(asker) || asker == Asker::FineToken
}

fn writes_anywhere(asker: Asker) -> bool {
    !matches!(
        asker,
        Asker::Anonymous | Asker::ReadToken | Asker::FineToken | Asker::FineTokenElsewhere
    )
}

fn creates(asker: Asker) -> bool {
    writes(asker) || asker == Asker::Contributor
}

fn writes(asker: Asker) -> bool {
    manages(asker) || matches!(asker, Asker::Creator | Asker::Writer | Asker::FineToken)
}

fn manages(asker: Asker) -> bool {
    matches!(asker, Asker::Admin | Asker::Owner | Asker::Operator)
}
