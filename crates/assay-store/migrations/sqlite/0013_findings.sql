-- The codes of the findings that stay with an entry, with spaces between them; nothing when there are none. Boards read them with
-- every row. What the findings say is in `details`.
ALTER TABLE entries ADD COLUMN codes TEXT;
