-- The tables of one database of layouts. Released: what changes comes as 0002.
--
-- Texts compare by their bytes (BINARY, the default). Times are milliseconds since 1970. `items` is the ids of a stored
-- list with commas between them, empty for an empty list and NULL while the user follows the catalog's defaults.
-- `checksum` is a CRC-32 over the whole row, its key included: see RowChecksum.swift.

-- 'PEGB': tells this file from any other SQLite database. https://sqlite.org/pragma.html#pragma_application_id
PRAGMA application_id = 1346717506;

-- One row a user: the newest version.
CREATE TABLE layouts (
    user_id    TEXT    NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    items      TEXT,
    locked     INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    checksum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last versions of each layout, the newest among them.
CREATE TABLE revisions (
    user_id    TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    items      TEXT,
    locked     INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    origin     TEXT    NOT NULL,
    actor      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    checksum   INTEGER NOT NULL,
    PRIMARY KEY (user_id, version)
) STRICT, WITHOUT ROWID;

-- The last version of each user who was erased, under a checksum of the id: their next one counts on from it. Two users
-- with one checksum only skip some versions.
CREATE TABLE erased (
    digest  INTEGER NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT;

-- What a repeated request is answered. With a rowid, for an answer is longer than the rows that
-- https://sqlite.org/withoutrowid.html recommends to keep in the key's tree, and records leave in the order they came.
CREATE TABLE idempotency (
    user_id     TEXT    NOT NULL,
    scope       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    status      INTEGER NOT NULL,
    entity_tag  TEXT    NOT NULL,
    content     BLOB    NOT NULL,
    created_at  INTEGER NOT NULL,
    checksum    INTEGER NOT NULL,
    PRIMARY KEY (user_id, scope, key)
) STRICT;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Every catalog that was published; the highest revision is in force.
CREATE TABLE catalogs (
    revision        INTEGER NOT NULL PRIMARY KEY,
    layout_revision INTEGER NOT NULL,
    document        BLOB    NOT NULL,
    published_at    INTEGER NOT NULL,
    published_by    TEXT    NOT NULL,
    checksum        INTEGER NOT NULL
) STRICT;

-- Which database this is. A restore raises `version_floor`, which all versions are counted from. `started_at` is written
-- at every start: a database that cannot be written is found then, not at the first change.
CREATE TABLE identity (
    one           INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    id            TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    version_floor INTEGER NOT NULL DEFAULT 0,
    started_at    INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO identity (one, id, created_at) VALUES (1, lower(hex(randomblob(16))), unixepoch() * 1000);

-- Which migrations made the schema, and the checksum of their text.
CREATE TABLE migrations (
    version    INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   INTEGER NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;
