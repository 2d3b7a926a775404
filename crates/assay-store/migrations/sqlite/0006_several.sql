-- Several servers may work on one database. Only one of them writes the logs; the others ask it for leaves of either.

ALTER TABLE control_requests ADD COLUMN log TEXT NOT NULL DEFAULT 'control' CHECK (log IN ('results', 'control'));
CREATE INDEX control_requests_open ON control_requests (id) WHERE idx IS NULL AND fault IS NULL;
