-- The tables of one database of layouts. Released: what changes comes as 0002.
--
-- Each statement stands alone, ends with a semicolon at the end of a line, and can be repeated: distributed engines take one
-- DDL statement a transaction, and whoever was interrupted begins again. For their sake there are no sequences, foreign
-- keys, triggers or server clocks, and every key of what belongs to a user begins with the user.
--
-- Texts compare by their bytes (COLLATE "C"). Times are milliseconds since 1970. `items` is the ids of a stored list with
-- commas between them, empty for an empty list and NULL while the user follows the catalog's defaults. `checksum` is a
-- CRC-32 over the whole row, its key included: see RowChecksum.swift.

-- One row a user: the newest version. A fifth of each page stays free, so that a new version finds place beside the old one
-- and no index has to be touched.
CREATE TABLE IF NOT EXISTS layouts (
    user_id    TEXT COLLATE "C" NOT NULL,
    version    BIGINT           NOT NULL,
    items      TEXT,
    locked     BOOLEAN          NOT NULL,
    updated_at BIGINT           NOT NULL,
    checksum   BIGINT           NOT NULL,
    PRIMARY KEY (user_id)
) WITH (fillfactor = 80);

-- The last versions of each layout, the newest among them.
CREATE TABLE IF NOT EXISTS revisions (
    user_id    TEXT COLLATE "C" NOT NULL,
    version    BIGINT           NOT NULL,
    items      TEXT,
    locked     BOOLEAN          NOT NULL,
    kind       TEXT             NOT NULL,
    origin     TEXT             NOT NULL,
    actor      TEXT             NOT NULL,
    created_at BIGINT           NOT NULL,
    checksum   BIGINT           NOT NULL,
    PRIMARY KEY (user_id, version)
);

-- The last version of each user who was erased, under a checksum of the id: their next one counts on from it. Two users
-- with one checksum only skip some versions.
CREATE TABLE IF NOT EXISTS erased (
    digest  BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (digest)
);

-- What a repeated request is answered.
CREATE TABLE IF NOT EXISTS idempotency (
    user_id     TEXT COLLATE "C" NOT NULL,
    scope       TEXT COLLATE "C" NOT NULL,
    key         TEXT COLLATE "C" NOT NULL,
    fingerprint BYTEA            NOT NULL,
    status      BIGINT           NOT NULL,
    entity_tag  TEXT             NOT NULL,
    content     BYTEA            NOT NULL,
    created_at  BIGINT           NOT NULL,
    checksum    BIGINT           NOT NULL,
    PRIMARY KEY (user_id, scope, key)
);

CREATE INDEX IF NOT EXISTS idempotency_by_age ON idempotency (created_at);

-- Every catalog that was published; the highest revision is in force.
CREATE TABLE IF NOT EXISTS catalogs (
    revision        BIGINT NOT NULL,
    layout_revision BIGINT NOT NULL,
    document        BYTEA  NOT NULL,
    published_at    BIGINT NOT NULL,
    published_by    TEXT   NOT NULL,
    checksum        BIGINT NOT NULL,
    PRIMARY KEY (revision)
);

-- Which database this is, and what all versions are counted from.
CREATE TABLE IF NOT EXISTS identity (
    one           BIGINT NOT NULL,
    id            TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    version_floor BIGINT NOT NULL,
    PRIMARY KEY (one)
);
