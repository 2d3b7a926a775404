//! The index and the hub's own records: SQL, migrations.
