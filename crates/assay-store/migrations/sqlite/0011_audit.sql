-- The audit log. Rows name accounts and repositories as they were called then, and refer to nothing: they outlive both.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms BIGINT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor TEXT,
    token BIGINT,
    action TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    repo BIGINT,
    detail TEXT,
    address TEXT,
    request TEXT
);
CREATE INDEX audit_by_time ON audit (at_ms);
CREATE INDEX audit_by_actor ON audit (lower(actor), id);
CREATE INDEX audit_by_subject ON audit (lower(subject), id);
CREATE INDEX audit_by_repo ON audit (repo, id) WHERE repo IS NOT NULL;

-- Append-only: a row is never changed, and removed only by the sweep, which first writes down how far it goes.
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'rows of the audit log are never changed');
END;
CREATE TRIGGER audit_is_swept_only BEFORE DELETE ON audit
WHEN OLD.at_ms >= COALESCE((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'audit_swept_before_ms'), 0)
BEGIN
    SELECT RAISE(ABORT, 'rows of the audit log are removed only when their retention is over');
END;

-- Webhooks whose address has failed for long are paused; deliveries that somebody asked for by hand are counted.
ALTER TABLE webhooks ADD COLUMN failing_since_ms BIGINT;
ALTER TABLE webhooks ADD COLUMN paused_ms BIGINT;
ALTER TABLE deliveries ADD COLUMN by_hand BOOLEAN NOT NULL DEFAULT FALSE;
