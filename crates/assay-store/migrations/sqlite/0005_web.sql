-- What the pages need to know of those who look at them. A session is known by the hash of its secret, and ends with the
-- token that opened it.

CREATE TABLE web_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    token BIGINT REFERENCES tokens (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    last_used_ms BIGINT NOT NULL
);
CREATE INDEX web_sessions_by_account ON web_sessions (account);
CREATE INDEX web_sessions_by_token ON web_sessions (token);
CREATE INDEX web_sessions_by_expiry ON web_sessions (expires_ms);

CREATE TABLE passwords (
    account BIGINT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    changed_ms BIGINT NOT NULL
);

-- Whom to tell what happens, of one repository or of all of an account, and what they were told.
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account BIGINT REFERENCES accounts (id) ON DELETE CASCADE,
    repo BIGINT REFERENCES repositories (repo) ON DELETE CASCADE,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    events TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    CHECK ((account IS NULL) <> (repo IS NULL))
);
CREATE INDEX webhooks_by_account ON webhooks (account);
CREATE INDEX webhooks_by_repo ON webhooks (repo);

CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook BIGINT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    due_ms BIGINT,
    tried_ms BIGINT,
    status BIGINT,
    problem TEXT
);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook, id);
CREATE INDEX deliveries_by_due ON deliveries (due_ms) WHERE due_ms IS NOT NULL;

-- The ranks of a board as they were last told.
CREATE TABLE told_ranks (
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    task TEXT NOT NULL,
    ranks TEXT NOT NULL,
    PRIMARY KEY (repo, task)
);
