/// Declares the actions with their names, so that neither can be forgotten.
macro_rules! audit_actions {
    ($($(#[$docs:meta])* $variant:ident = $name:literal,)*) => {
        /// Something that the audit log records. The names are stable: what was recorded can be
        /// looked for by them.
        ///
        /// ```
        /// # use assay_store::AuditAction;
        /// assert_eq!(AuditAction::TokenCreated.as_str(), "token.created");
        /// assert_eq!("repo.deleted".parse(), Ok(AuditAction::RepoDeleted));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AuditAction {
            $($(#[$docs])* $variant,)*
        }

        impl AuditAction {
            /// Every action, in the order in which they are documented.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The stable name: a subject, a dot, and what became of it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

audit_actions! {
    /// A session of the pages was opened, by password or token.
    SignInSucceeded = "sign_in.succeeded",
    /// A password or token was refused when a session was to be opened; repeated ones are counted
    /// in the detail.
    SignInFailed = "sign_in.failed",
    /// A session of the pages was ended.
    SessionEnded = "session.ended",
    /// An access token was created.
    TokenCreated = "token.created",
    /// An access token was revoked.
    TokenRevoked = "token.revoked",
    /// A password was set or replaced.
    PasswordSet = "password.set",
    /// A password was removed.
    PasswordRemoved = "password.removed",
    /// A user was created.
    AccountCreated = "account.created",
    /// A user was disabled.
    AccountDisabled = "account.disabled",
    /// A disabled user was enabled again.
    AccountEnabled = "account.enabled",
    /// The content or the records of an account were removed for good.
    AccountPurged = "account.purged",
    /// An organisation was created.
    OrganisationCreated = "organisation.created",
    /// A user became a member of an organisation.
    MemberAdded = "member.added",
    /// A member of an organisation was given another role.
    MemberChanged = "member.changed",
    /// A member was removed from an organisation.
    MemberRemoved = "member.removed",
    /// A repository was created.
    RepoCreated = "repo.created",
    /// A repository was renamed within its namespace.
    RepoRenamed = "repo.renamed",
    /// A repository was moved to another namespace.
    RepoMoved = "repo.moved",
    /// A repository was made public or private.
    RepoVisibilityChanged = "repo.visibility_changed",
    /// A repository was closed by an operator.
    RepoClosed = "repo.closed",
    /// A closed repository was opened again.
    RepoOpened = "repo.opened",
    /// A repository was deleted.
    RepoDeleted = "repo.deleted",
    /// Part of a repository was removed for good: a pull request, commits or large files.
    RepoPurged = "repo.purged",
    /// A comment was hidden by somebody other than its author.
    CommentHidden = "comment.hidden",
    /// A comment was removed with its history.
    CommentPurged = "comment.purged",
    /// A discussion or pull request was closed by somebody other than its author.
    DiscussionClosed = "discussion.closed",
    /// A closed discussion or pull request was opened again by somebody other than its author.
    DiscussionReopened = "discussion.reopened",
    /// A benchmark was marked as official.
    OfficialMarked = "official.marked",
    /// The official mark of a benchmark was removed.
    OfficialUnmarked = "official.unmarked",
    /// A webhook was created.
    WebhookCreated = "webhook.created",
    /// A webhook was deleted.
    WebhookDeleted = "webhook.deleted",
    /// A webhook was given another address, place, secret or other events.
    WebhookChanged = "webhook.changed",
    /// A webhook was paused, by who manages it or because its address failed for long.
    WebhookPaused = "webhook.paused",
    /// A paused webhook was resumed.
    WebhookResumed = "webhook.resumed",
    /// A trusted publisher was added to a repository.
    PublisherAdded = "publisher.added",
    /// A trusted publisher was removed with the tokens that it had.
    PublisherRemoved = "publisher.removed",
    /// A sign-in by device code was approved.
    DeviceApproved = "device.approved",
    /// A signing key was published or changed its state.
    KeyChanged = "key.changed",
    /// An issuer is trusted, or trusted on other terms.
    IssuerTrusted = "issuer.trusted",
    /// An issuer is no longer trusted.
    IssuerDistrusted = "issuer.distrusted",
    /// Evidence was revoked.
    EvidenceRevoked = "evidence.revoked",
    /// A revocation was taken back.
    EvidenceUnrevoked = "evidence.unrevoked",
    /// An integration of the issuer was registered.
    IntegrationAdded = "integration.added",
    /// An integration was suspended.
    IntegrationSuspended = "integration.suspended",
    /// A suspended integration may go on.
    IntegrationResumed = "integration.resumed",
    /// An identity of an integration was added.
    IdentityAdded = "identity.added",
    /// An identity was suspended.
    IdentitySuspended = "identity.suspended",
    /// A suspended identity may go on.
    IdentityResumed = "identity.resumed",
    /// An identity was removed.
    IdentityRemoved = "identity.removed",
    /// A credential of an identity was created.
    CredentialCreated = "credential.created",
    /// A credential was revoked.
    CredentialRevoked = "credential.revoked",
    /// Large files that no repository has were removed.
    LargeFilesCollected = "large_files.collected",
    /// The index was rebuilt from the repositories.
    IndexRebuilt = "index.rebuilt",
    /// The database was copied to another place.
    DatabaseCopied = "database.copied",
    /// A backup was made.
    BackupMade = "backup.made",
    /// The hub was restored from a backup.
    BackupRestored = "backup.restored",
    /// Repositories without a record were given one.
    ReposAdopted = "repo.adopted",
    /// Rows of the audit log were removed when their retention was over.
    AuditSwept = "audit.swept",
}

words!(
    AuditAction,
    "the name of an audited action such as `token.created`"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_subject_and_a_verb_and_comes_back() {
        let mut names: Vec<&str> = AuditAction::ALL.map(AuditAction::as_str).to_vec();
        for action in AuditAction::ALL {
            assert_eq!(action.as_str().parse(), Ok(action));
            assert_eq!(action.as_str().split('.').count(), 2, "{action}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), AuditAction::ALL.len());
    }
}
