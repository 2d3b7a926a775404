-- The index: everything here follows from the repositories and the records, and can be thrown away and made again.

CREATE TABLE indexed_refs (
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    name TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (repo, name)
);

CREATE TABLE cards (
    repo BIGINT PRIMARY KEY REFERENCES repositories (repo) ON DELETE CASCADE,
    data TEXT NOT NULL,
    tags TEXT NOT NULL,
    base_models TEXT NOT NULL,
    license TEXT,
    pipeline_tag TEXT,
    library TEXT,
    parameters BIGINT
);

CREATE TABLE card_tags (
    tag TEXT NOT NULL,
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    PRIMARY KEY (tag, repo)
);
CREATE INDEX card_tags_by_repo ON card_tags (repo);

CREATE TABLE benchmarks (
    repo BIGINT PRIMARY KEY REFERENCES repositories (repo) ON DELETE CASCADE,
    revision TEXT NOT NULL,
    definition TEXT NOT NULL,
    valid BOOLEAN NOT NULL
);

CREATE TABLE benchmark_tasks (
    repo BIGINT NOT NULL REFERENCES benchmarks (repo) ON DELETE CASCADE,
    task TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (repo, task)
);

-- A row is one version of one entry. It was current from `since_ms` until just before `until_ms`, or still is.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    pull BIGINT NOT NULL,
    file TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    since_ms BIGINT NOT NULL,
    until_ms BIGINT,
    dataset TEXT NOT NULL,
    dataset_lower TEXT NOT NULL,
    task TEXT NOT NULL,
    scores TEXT NOT NULL,
    date TEXT,
    moment_ms BIGINT NOT NULL,
    source TEXT,
    notes TEXT,
    framework TEXT,
    subset TEXT,
    sample_size TEXT,
    model_revision TEXT,
    dataset_revision TEXT,
    token TEXT,
    verified BOOLEAN NOT NULL,
    reason TEXT,
    detail TEXT,
    data TEXT NOT NULL,
    introduced_by TEXT NOT NULL,
    committed_ms BIGINT NOT NULL,
    submitter BIGINT REFERENCES accounts (id) ON DELETE SET NULL,
    author TEXT NOT NULL,
    UNIQUE (repo, pull, file, ordinal, since_ms),
    CHECK (until_ms IS NULL OR until_ms > since_ms)
);
CREATE INDEX entries_by_board ON entries (dataset_lower, task, until_ms);
CREATE INDEX entries_by_model ON entries (repo, until_ms);
CREATE INDEX entries_by_submitter ON entries (submitter);

CREATE TABLE records (
    repo BIGINT NOT NULL REFERENCES repositories (repo) ON DELETE CASCADE,
    path TEXT NOT NULL,
    blob TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (repo, path)
);
