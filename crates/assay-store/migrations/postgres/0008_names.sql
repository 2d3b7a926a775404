-- Who looks for a part of a name need not go through all of them: an index of their trigrams tells which may have it. The
-- extension comes with PostgreSQL, and whoever may create something in the database may create it. Where that is not so, names
-- are gone through as before. SQLite needs no such step: it goes through an index that has nothing but names.

DO $$
DECLARE
    place TEXT;
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    SELECT n.nspname INTO STRICT place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
    -- A repository gets a new row with every commit. Entries that wait to be sorted in would be gone through by every search.
    EXECUTE format('CREATE INDEX repositories_by_part ON repositories USING gin (name_lower %I.gin_trgm_ops) WITH (fastupdate = off)', place);
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        RAISE NOTICE 'names are searched without an index: %', SQLERRM;
END
$$;
