-- Workloads that may write to a repository without a stored secret. Each has a token that nobody knows the secret of: it says whose
-- rights the workload has, and every token that is given to the workload ends with it.
CREATE TABLE trusted_publishers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    token BIGINT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    issuer TEXT NOT NULL,
    claims TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX trusted_publishers_by_repo ON trusted_publishers (repo);
CREATE INDEX trusted_publishers_by_token ON trusted_publishers (token);

-- Sign-ins by device code (RFC 8628) that are under way. Both codes are kept as hashes.
CREATE TABLE device_codes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    device_hash BLOB NOT NULL UNIQUE,
    user_hash BLOB NOT NULL UNIQUE,
    expires_ms BIGINT NOT NULL,
    polled_ms BIGINT,
    denied BOOLEAN NOT NULL,
    account BIGINT REFERENCES accounts (id) ON DELETE CASCADE,
    scope TEXT,
    parent BIGINT REFERENCES tokens (id) ON DELETE CASCADE
);
CREATE INDEX device_codes_by_expiry ON device_codes (expires_ms);
CREATE INDEX device_codes_by_account ON device_codes (account);
CREATE INDEX device_codes_by_parent ON device_codes (parent);
