use assay_app::{AuditActor, AuditPage, AuditRow};
use assay_hub_api as hub_api;

/// A page of the audit log.
pub fn audit_page(page: AuditPage) -> hub_api::AuditPage {
    hub_api::AuditPage {
        rows: page.rows.into_iter().map(audit_row).collect(),
        next: page.next,
    }
}

fn audit_row(row: AuditRow) -> hub_api::AuditRow {
    let token = match &row.actor {
        AuditActor::Account { token, .. } => *token,
        AuditActor::Shell(_) | AuditActor::Server | AuditActor::Anonymous => None,
    };
    hub_api::AuditRow {
        id: row.id,
        at: row.at,
        actor: hub_api::AuditActor {
            actor_type: row.actor.kind().to_owned(),
            name: row.actor.name().map(str::to_owned),
            token,
        },
        action: row.action,
        subject: hub_api::AuditSubject {
            subject_type: row.subject.kind.to_string(),
            name: row.subject.name,
            detail: row.subject.detail,
        },
        address: row.address,
        request_id: row.request,
    }
}
