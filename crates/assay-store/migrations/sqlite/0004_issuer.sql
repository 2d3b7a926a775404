-- The issuer of tokens. What a policy file says is not here: these are the facts that nothing else knows. Nothing that a
-- page shows depends on them, so they never change the generation.

CREATE TABLE integrations (
    id TEXT PRIMARY KEY,
    -- What is left of the name for the eye: two that look alike cannot both be registered.
    skeleton TEXT NOT NULL UNIQUE,
    created_ms BIGINT NOT NULL,
    suspended_ms BIGINT,
    reason TEXT
);

-- An identity without a definition is one that the policy defines; here is only what became of it.
CREATE TABLE identities (
    integration TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    definition TEXT,
    created_ms BIGINT NOT NULL,
    suspended_ms BIGINT,
    reason TEXT,
    PRIMARY KEY (integration, name)
);

CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    integration TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('personal', 'client', 'key')),
    label TEXT NOT NULL,
    -- Of a secret its hash, of a key the public JWK.
    hash BLOB,
    jwk TEXT,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    last_used_ms BIGINT,
    revoked_ms BIGINT
);
CREATE INDEX credentials_by_identity ON credentials (integration, name);

CREATE TABLE access_tokens (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL,
    integration TEXT NOT NULL,
    name TEXT NOT NULL,
    -- What was found out about the caller when the token was made.
    facts TEXT NOT NULL,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_ms);

CREATE TABLE seen_assertions (
    issuer TEXT NOT NULL,
    jti TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (issuer, jti)
);
CREATE INDEX seen_assertions_by_time ON seen_assertions (until_ms);

CREATE TABLE idempotency (
    identity TEXT NOT NULL,
    key TEXT NOT NULL,
    request BLOB NOT NULL,
    -- None while the first request is under way.
    response TEXT,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (identity, key)
);
CREATE INDEX idempotency_by_time ON idempotency (created_ms);

CREATE TABLE quotas (
    day BIGINT NOT NULL,
    key TEXT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (day, key)
);

CREATE TABLE issuer_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms BIGINT NOT NULL,
    action TEXT NOT NULL,
    integration TEXT,
    identity TEXT,
    outcome TEXT NOT NULL,
    code TEXT,
    detail TEXT,
    jti TEXT,
    leaf BIGINT,
    target TEXT,
    scores TEXT,
    request TEXT
);
CREATE INDEX issuer_events_by_time ON issuer_events (at_ms);
CREATE INDEX issuer_events_by_jti ON issuer_events (jti) WHERE jti IS NOT NULL;
