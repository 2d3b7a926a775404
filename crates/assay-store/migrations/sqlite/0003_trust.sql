-- Signed evidence. A repository has an identity that no name can bring back: tokens are bound to it.

ALTER TABLE repositories ADD COLUMN uid BLOB;
UPDATE repositories SET uid = randomblob(16);
CREATE UNIQUE INDEX repositories_by_uid ON repositories (uid);

-- What is to be written to the control log. Only one process appends to a log, so others leave a request here and wait
-- until it has an index or a fault.
CREATE TABLE control_requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    leaf TEXT NOT NULL,
    asked_ms BIGINT NOT NULL,
    idx BIGINT,
    fault TEXT
);

-- The rest belongs to the index. What the logs say, by the questions that are asked of it, up to the size in `log_cursor`.

CREATE TABLE log_cursor (
    log TEXT PRIMARY KEY CHECK (log IN ('results', 'control')),
    size BIGINT NOT NULL
);

CREATE TABLE log_issued (
    idx BIGINT PRIMARY KEY,
    jti TEXT NOT NULL,
    kid TEXT NOT NULL,
    integration TEXT NOT NULL,
    target TEXT
);
CREATE INDEX log_issued_by_jti ON log_issued (jti, idx);
CREATE INDEX log_issued_by_target ON log_issued (target) WHERE target IS NOT NULL;

-- A decision without a reason admitted.
CREATE TABLE log_decisions (
    idx BIGINT PRIMARY KEY,
    jti TEXT NOT NULL,
    uid TEXT NOT NULL,
    entry TEXT NOT NULL,
    reason TEXT
);
CREATE INDEX log_decisions_by_jti ON log_decisions (jti, idx);

-- What an entry brings for the verifier, and what that came to.
ALTER TABLE entries ADD COLUMN jti TEXT;
ALTER TABLE entries ADD COLUMN form TEXT;
ALTER TABLE entries ADD COLUMN repeated BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE entries ADD COLUMN revoked BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE entries ADD COLUMN attested TEXT;
CREATE INDEX entries_by_jti ON entries (jti) WHERE jti IS NOT NULL;
CREATE INDEX entries_with_form ON entries (repo, id) WHERE form IS NOT NULL;

-- No entry was judged by its evidence before, so the index is made again when the hub is opened.
DELETE FROM records;
DELETE FROM entries;
DELETE FROM benchmark_tasks;
DELETE FROM benchmarks;
DELETE FROM card_tags;
DELETE FROM cards;
DELETE FROM indexed_refs;
