//! Services of a hub, by domain. Each borrows the hub, so `hub.boards()` costs nothing and holds
//! nothing.

use crate::hub::Hub;

/// Declares a service of the hub and the method that returns it.
macro_rules! service {
    ($name:ident, $method:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $name<'h> {
            pub(crate) hub: &'h Hub,
        }

        impl Hub {
            #[doc = $doc]
            pub fn $method(&self) -> $name<'_> {
                $name { hub: self }
            }
        }
    };
}

service!(
    BoardService,
    boards,
    "Boards, their news and previews, and the search for what is on them."
);
service!(
    DiscussionService,
    discussions,
    "Discussions and pull requests."
);
service!(
    RepositoryService,
    repositories,
    "Repositories: their files, refs, changes, large files and lists."
);
service!(
    AccountService,
    accounts,
    "Accounts, organisations, tokens, passwords, sessions and publishers."
);
service!(
    EvidenceService,
    evidence,
    "Keys, issuers, transparency logs, proofs and revocations."
);
service!(WebhookService, webhooks, "Webhooks and their deliveries.");
service!(
    LakeService,
    lake,
    "Export of public repositories to the lake."
);
service!(
    OperationService,
    operations,
    "Work of operators: checks, rebuilds, backups, adoption, purges, collection; the audit log and the status."
);
