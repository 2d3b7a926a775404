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
