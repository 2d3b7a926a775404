-- The hub's own facts: nothing else knows them, so they are backed up. Names are ASCII by grammar and unique whatever
-- their case, which the `_lower` columns hold. Times are milliseconds since 1970, UTC.

CREATE TABLE generation (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    value BIGINT NOT NULL
);
INSERT INTO generation (one, value) VALUES (1, 1);

CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    name_lower TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'org')),
    fullname TEXT,
    email TEXT,
    operator BOOLEAN NOT NULL,
    created_ms BIGINT NOT NULL,
    disabled BOOLEAN NOT NULL
);

CREATE TABLE members (
    organisation BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    account BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    PRIMARY KEY (organisation, account)
);
CREATE INDEX members_by_account ON members (account);

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    limited_to TEXT,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT,
    last_used_ms BIGINT,
    revoked_ms BIGINT
);
CREATE INDEX tokens_by_account ON tokens (account);

-- AUTOINCREMENT: the key of a deleted repository is never given again.
CREATE TABLE repositories (
    repo INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('model', 'dataset')),
    name TEXT NOT NULL,
    name_lower TEXT NOT NULL,
    namespace_lower TEXT NOT NULL,
    owner BIGINT NOT NULL REFERENCES accounts (id),
    creator BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    private BOOLEAN NOT NULL,
    description TEXT,
    gated TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    disabled BOOLEAN NOT NULL,
    discussions BIGINT NOT NULL DEFAULT 0,
    UNIQUE (kind, name_lower)
);
CREATE INDEX repositories_by_created ON repositories (kind, created_ms, repo);
CREATE INDEX repositories_by_updated ON repositories (kind, updated_ms, repo);
CREATE INDEX repositories_by_namespace ON repositories (namespace_lower, kind, repo);
CREATE INDEX repositories_by_owner ON repositories (owner);
CREATE INDEX repositories_by_creator ON repositories (creator);

CREATE TABLE redirects (
    kind TEXT NOT NULL,
    name_lower TEXT NOT NULL,
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    PRIMARY KEY (kind, name_lower)
);
CREATE INDEX redirects_by_repo ON redirects (repo);

CREATE TABLE discussions (
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    num BIGINT NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'closed', 'merged')),
    pull BOOLEAN NOT NULL,
    author BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    base TEXT,
    opened_at TEXT,
    merge_commit TEXT,
    ended_ms BIGINT,
    PRIMARY KEY (repo, num)
);
CREATE INDEX discussions_by_author ON discussions (author);

CREATE TABLE events (
    id TEXT PRIMARY KEY,
    repo BIGINT NOT NULL,
    num BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    author BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    created_ms BIGINT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (repo, num, seq),
    FOREIGN KEY (repo, num) REFERENCES discussions (repo, num) ON DELETE CASCADE
);
CREATE INDEX events_by_author ON events (author);

CREATE TABLE large_objects (
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    oid BLOB NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (repo, oid)
);
CREATE INDEX large_objects_by_oid ON large_objects (oid);

CREATE TABLE official (
    repo BIGINT PRIMARY KEY REFERENCES repositories (repo) ON DELETE CASCADE,
    since_ms BIGINT NOT NULL
);

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
