-- A token that was made with another one ends with it.
ALTER TABLE tokens ADD COLUMN parent BIGINT REFERENCES tokens (id) ON DELETE CASCADE;
CREATE INDEX tokens_by_parent ON tokens (parent);

-- The user who founded an organisation, for the limit on organisations by account.
ALTER TABLE accounts ADD COLUMN founder BIGINT REFERENCES accounts (id) ON DELETE SET NULL;
CREATE INDEX accounts_by_founder ON accounts (founder);

-- The confusable skeleton of a name: names that look alike have the same one. The expression computes what
-- `assay_model::skeleton` does; a test holds the two together.
ALTER TABLE accounts ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
UPDATE accounts SET skeleton = replace(replace(
    replace(replace(replace(replace(replace(replace(replace(replace(replace(
        name_lower, '-', ''), '_', ''), '.', ''), 'i', 'l'), '1', 'l'), '0', 'o'), '5', 's'), '2', 'z'), '8', 'b'),
    'rn', 'm'), 'vv', 'w');
CREATE INDEX accounts_by_skeleton ON accounts (skeleton);

-- Wrong passwords, counted by account name and by address. A row ends with its window.
CREATE TABLE sign_in_failures (
    subject TEXT PRIMARY KEY,
    failures BIGINT NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL
);
CREATE INDEX sign_in_failures_by_first ON sign_in_failures (first_ms);
