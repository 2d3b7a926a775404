-- What a result says of its setup, all of it, as a JSON object: rows of a board are told apart by it.
ALTER TABLE entries ADD COLUMN setup TEXT;
-- What else a result says that nothing is searched or sorted by: listed setup, normalisation, evaluator, dates, cost.
ALTER TABLE entries ADD COLUMN details TEXT;
