-- Whom a comment mentions, so that an inbox finds it. Written with the comment and replaced when it is edited.
CREATE TABLE mentions (
    event TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    account BIGINT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (event, account)
);
CREATE INDEX mentions_by_account ON mentions (account, created_ms);
