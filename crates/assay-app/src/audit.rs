//! The audit log: who changed what, when and from where. A row is written in the transaction of the
//! change that it records, so neither exists without the other. Rows are never changed, and removed
//! only when their retention is over.

use assay_model::{RepoId, RepoKind, Timestamp};
use assay_store::{
    self as store, AuditAction, AuditActor, AuditFilter, AuditRow, AuditSubject, NewAuditRow, Tx,
};

use crate::access::{Caller, CallerKind};
use crate::error::Error;
use crate::origin::Origin;
use crate::services::OperationService;

mod failed_sign_ins;

pub(crate) use failed_sign_ins::FailedSignIns;
use failed_sign_ins::{Attempt, Report};

/// The most rows of one answer.
const MAX_ROWS: u32 = 1_000;
/// The most rows that one transaction of the sweep removes: those who want to write wait that long.
const SWEPT_AT_ONCE: u32 = 5_000;
/// The length of a day, in milliseconds.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// A question to the audit log; every condition that is present holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditQuery {
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// By this account, or about it.
    pub account: Option<String>,
    /// About this repository, whether it exists or not, also under other names.
    pub repo: Option<RepoId>,
    /// The name of an action, or the part before its dot for all of that subject.
    pub action: Option<String>,
    /// The number that the page before named as `next`.
    pub before: Option<i64>,
    /// The most rows; cut to 1,000.
    pub limit: u32,
}

/// A page of the audit log, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The rows.
    pub rows: Vec<AuditRow>,
    /// The number to ask for the next page with; none on the last one.
    pub next: Option<i64>,
}

/// The credential that a session of the pages is opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignInMethod {
    /// A name and a password.
    Password,
    /// An access token.
    Token,
}

impl SignInMethod {
    fn as_str(self) -> &'static str {
        match self {
            Self::Password => "by password",
            Self::Token => "by token",
        }
    }
}

impl OperationService<'_> {
    /// Appends a row to the audit log as part of a change: it is there if and only if the change is
    /// committed.
    pub(crate) async fn audit(
        self,
        tx: &mut Tx,
        caller: &Caller,
        action: AuditAction,
        subject: AuditSubject,
    ) -> Result<(), Error> {
        let actor = match &caller.inner {
            CallerKind::User(user) => AuditActor::Account {
                name: user.name.clone(),
                token: user.token,
            },
            CallerKind::Anonymous => AuditActor::Anonymous,
            CallerKind::Shell => match &self.hub.config.shell_user {
                Some(user) => AuditActor::Shell(user.clone()),
                None => AuditActor::Server,
            },
        };
        self.audit_as(tx, actor, &caller.origin, action, subject)
            .await
    }

    /// The same in a transaction of its own, for a change that is in no database, such as removed
    /// files.
    pub(crate) async fn audit_alone(
        self,
        caller: &Caller,
        action: AuditAction,
        subject: AuditSubject,
    ) -> Result<(), Error> {
        let mut tx = self.hub.store.begin().await?;
        self.audit(&mut tx, caller, action, subject).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Appends a row about something that the server did by itself.
    pub(crate) async fn audit_server(
        self,
        tx: &mut Tx,
        action: AuditAction,
        subject: AuditSubject,
    ) -> Result<(), Error> {
        let nowhere = Origin::default();
        self.audit_as(tx, AuditActor::Server, &nowhere, action, subject)
            .await
    }

    /// Records that somebody signed in, as part of the session that begins.
    pub(crate) async fn audit_sign_in(
        self,
        tx: &mut Tx,
        account: &store::Account,
        token: Option<&store::Token>,
        origin: &Origin,
    ) -> Result<(), Error> {
        let method = match token {
            Some(_) => SignInMethod::Token,
            None => SignInMethod::Password,
        };
        let actor = AuditActor::Account {
            name: account.name.clone(),
            token: token.map(|token| token.id.0),
        };
        let subject = AuditSubject::account(&account.name).with(method.as_str());
        let action = AuditAction::SignInSucceeded;
        self.audit_as(tx, actor, origin, action, subject).await
    }

    /// Records a failed sign-in and returns what is answered. Repeated failures are counted and
    /// recorded once a minute, so that nobody fills the disk with them. A name that no account has
    /// is not recorded: it may be a mistyped password.
    pub(crate) async fn refuse_sign_in(
        self,
        account: Option<&store::Account>,
        method: SignInMethod,
        origin: &Origin,
    ) -> Error {
        let attempt = Attempt {
            account: account.map(|account| account.name.clone()),
            address: origin.address,
            method,
        };
        let reports = self.hub.failed_sign_ins.note(attempt, self.hub.now());
        self.report_failures(reports, origin).await;
        Error::BadCredentials
    }

    /// Records the repeated failures of the minutes that are over. For the server, every minute.
    pub async fn record_failed_sign_ins(self) {
        let reports = self.hub.failed_sign_ins.close(self.hub.now());
        self.report_failures(reports, &Origin::default()).await;
    }

    /// The number of sign-ins that failed since this process began.
    pub fn failed_sign_in_count(self) -> u64 {
        self.hub.failed_sign_ins.total()
    }

    async fn report_failures(self, reports: Vec<Report>, origin: &Origin) {
        if reports.is_empty() {
            return;
        }
        let written = async {
            let mut tx = self.hub.store.begin().await?;
            for report in reports {
                let name = report.account.as_deref().unwrap_or_default();
                let subject = AuditSubject::account(name).with(report.detail);
                let origin = Origin {
                    address: report.address,
                    request_id: origin.request_id.clone().filter(|_| report.is_first),
                };
                let (actor, action) = (AuditActor::Anonymous, AuditAction::SignInFailed);
                self.audit_as(&mut tx, actor, &origin, action, subject)
                    .await?;
            }
            tx.commit().await?;
            Ok::<(), Error>(())
        };
        if let Err(error) = written.await {
            tracing::error!(%error, "failed to record a failed sign-in");
        }
    }

    async fn audit_as(
        self,
        tx: &mut Tx,
        actor: AuditActor,
        origin: &Origin,
        action: AuditAction,
        subject: AuditSubject,
    ) -> Result<(), Error> {
        let row = NewAuditRow {
            at: self.hub.now(),
            actor,
            action,
            subject,
            address: origin.address.map(|address| address.to_canonical()),
            request: origin.request_id.as_deref().map(str::to_owned),
        };
        Ok(tx.add_audit_row(&row).await?)
    }

    /// Returns a page of the audit log. For operators.
    pub async fn audit_page(self, caller: &Caller, query: &AuditQuery) -> Result<AuditPage, Error> {
        caller.check_operator()?;
        query.action.as_deref().map_or(Ok(()), check_action)?;
        let mut repo_keys = Vec::new();
        if let Some(repo) = &query.repo {
            for kind in [RepoKind::Model, RepoKind::Dataset] {
                let found = self.hub.store.find_repository(kind, repo).await?;
                repo_keys.extend(found.map(|found| found.repository.key));
            }
        }
        let filter = AuditFilter {
            since: query.since,
            account: query.account.clone(),
            repo: query.repo.as_ref().map(|repo| repo.as_str().to_owned()),
            repo_keys,
            action: query.action.clone(),
            before: query.before,
        };
        let limit = query.limit.clamp(1, MAX_ROWS);
        let mut rows = self.hub.store.audit_rows(&filter, limit + 1).await?;
        let is_last = rows.len() <= limit as usize;
        rows.truncate(limit as usize);
        let next = rows.last().map(|row| row.id).filter(|_| !is_last);
        Ok(AuditPage { rows, next })
    }

    /// Removes the rows that are older than so many days, and records that. Zero keeps all of them.
    /// Returns how many there were.
    pub async fn sweep_audit(self, days: u32) -> Result<u64, Error> {
        if days == 0 {
            return Ok(0);
        }
        let before = self.hub.now().millis() - i64::from(days) * DAY_MILLIS;
        let before = Timestamp::from_millis(before);
        let mut swept = 0;
        loop {
            let mut tx = self.hub.store.begin().await?;
            let some = tx.sweep_audit(before, SWEPT_AT_ONCE).await?;
            swept += some;
            let is_over = some < u64::from(SWEPT_AT_ONCE);
            if is_over && swept > 0 {
                let subject =
                    AuditSubject::hub().with(format!("{swept} rows from before {before}"));
                self.audit_server(&mut tx, AuditAction::AuditSwept, subject)
                    .await?;
            }
            tx.commit().await?;
            if is_over {
                return Ok(swept);
            }
        }
    }
}

/// Refuses what is neither an action nor the subject of one.
fn check_action(text: &str) -> Result<(), Error> {
    let is_known = |action: AuditAction| {
        let name = action.as_str();
        name == text || name.split('.').next() == Some(text)
    };
    if AuditAction::ALL.into_iter().any(is_known) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "`{text}` is no audited action such as `repo.deleted`, and no group of them such as `repo`"
    )))
}
