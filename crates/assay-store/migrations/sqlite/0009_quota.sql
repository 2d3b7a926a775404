-- Storage of each repository, for quotas; what was purged, for everyone to read; and large files that no commit names yet.

CREATE TABLE storage (
    repo BIGINT PRIMARY KEY REFERENCES repositories (repo) ON DELETE CASCADE,
    git_bytes BIGINT NOT NULL,
    git_objects BIGINT NOT NULL
);

CREATE TABLE uploads (
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    oid BLOB NOT NULL,
    size BIGINT NOT NULL,
    account BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    uploaded_ms BIGINT NOT NULL,
    PRIMARY KEY (repo, oid)
);
CREATE INDEX uploads_by_oid ON uploads (oid);
CREATE INDEX uploads_by_account ON uploads (account);
CREATE INDEX uploads_by_time ON uploads (uploaded_ms);

CREATE TABLE purges (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    purged_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    repo BIGINT REFERENCES repositories (repo) ON DELETE SET NULL,
    subject TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX purges_by_repo ON purges (repo);
