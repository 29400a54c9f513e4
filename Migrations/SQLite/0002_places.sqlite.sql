-- A history that is full writes each new version over the one that leaves: in place, so that a change touches one page of
-- the history and not two. `place` is the version modulo the length of the history, as RevisionRing.swift has it; what
-- was written before this step lies under its version, and is put in its place with its user's next change.
--
-- No row is written here, however many there are: what changes is the table's description.

-- The key's second half, which was the version.
ALTER TABLE revisions RENAME COLUMN version TO place;

-- The version of the row; NULL where that is the place.
ALTER TABLE revisions ADD COLUMN reused_by INTEGER;

-- What is read, by us and by everybody else who looks into the table.
ALTER TABLE revisions ADD COLUMN version INTEGER AS (coalesce(reused_by, place)) VIRTUAL;
