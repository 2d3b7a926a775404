-- The boards that results have left since a moment: the page of changes may not go through every entry.
CREATE INDEX entries_by_until ON entries (until_ms) WHERE until_ms IS NOT NULL;
