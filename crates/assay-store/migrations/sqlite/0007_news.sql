-- What is new is told on the first page, and all there is is counted there: neither may go through every entry.

CREATE INDEX entries_by_since ON entries (since_ms, id) WHERE until_ms IS NULL;
CREATE INDEX entries_verified_by_since ON entries (since_ms, id) WHERE until_ms IS NULL AND verified;
