/**
 * The first schema. Values that must stay secret arrive sealed: to this schema they are opaque.
 * Every table that belongs to a session has a column `client_id`: `forget` finds the tables by it.
 */
export const initial = `-- v1 (compatible with v1+)
CREATE TABLE sessions (
  client_id        TEXT    NOT NULL PRIMARY KEY,
  lid              TEXT    NOT NULL,
  pn               TEXT    NOT NULL,
  jid              TEXT    NOT NULL,
  name             TEXT    NOT NULL,
  org_id           TEXT    NOT NULL,
  webhook_url      TEXT    NOT NULL,
  webhook_token    TEXT    NOT NULL,
  poll_lookup_url  TEXT    NOT NULL,
  enable_group_ai  INTEGER NOT NULL,
  extra_events     TEXT    NOT NULL, -- JSON array of strings
  api_secret_hash  TEXT    NOT NULL,
  status           TEXT    NOT NULL,
  status_reason    TEXT    NOT NULL,
  created_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE data_keys (
  client_id  TEXT NOT NULL PRIMARY KEY, -- empty: the store's own
  wrapped    BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credentials (
  client_id  TEXT NOT NULL PRIMARY KEY,
  value      BLOB NOT NULL
) STRICT;

-- read for every message: the primary key is the table itself, one descent finds the value
CREATE TABLE keys (
  client_id  TEXT NOT NULL,
  type       TEXT NOT NULL,
  id         TEXT NOT NULL,
  value      BLOB NOT NULL,
  PRIMARY KEY (client_id, type, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  client_id    TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  message_id   TEXT    NOT NULL,
  plain        BLOB    NOT NULL,
  stanza       BLOB    NOT NULL,
  received_at  INTEGER NOT NULL,
  closed_at    INTEGER,
  PRIMARY KEY (client_id, id)
) STRICT;
-- what is unfinished, oldest first; stays small however much is kept closed
CREATE INDEX journal_open ON journal (client_id, received_at) WHERE closed_at IS NULL;
-- pruning
CREATE INDEX journal_closed ON journal (closed_at) WHERE closed_at IS NOT NULL;

CREATE TABLE contacts (
  client_id  TEXT    NOT NULL,
  lid        TEXT    NOT NULL,
  pn         TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  push_name  TEXT    NOT NULL,
  username   TEXT    NOT NULL,
  source     TEXT    NOT NULL,
  learnt_at  INTEGER NOT NULL,
  CHECK (lid <> '' OR pn <> '')
) STRICT;
-- found by either address; neither may belong to two people
CREATE UNIQUE INDEX contacts_lid ON contacts (client_id, lid) WHERE lid <> '';
CREATE UNIQUE INDEX contacts_pn ON contacts (client_id, pn) WHERE pn <> '';

CREATE TABLE sends (
  client_id     TEXT    NOT NULL,
  message_id    TEXT    NOT NULL,
  recipient     TEXT    NOT NULL,
  content       BLOB    NOT NULL,
  meta_data     TEXT    NOT NULL,
  sent_at       INTEGER NOT NULL,
  acknowledged  INTEGER NOT NULL,
  PRIMARY KEY (client_id, message_id)
) STRICT;
-- pruning
CREATE INDEX sends_sent_at ON sends (sent_at);

CREATE TABLE idempotency (
  client_id    TEXT    NOT NULL,
  key          TEXT    NOT NULL,
  fingerprint  TEXT    NOT NULL,
  message_id   TEXT    NOT NULL,
  answer       TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (client_id, key)
) STRICT;
-- pruning
CREATE INDEX idempotency_created_at ON idempotency (created_at);

CREATE TABLE failed_deliveries (
  id          TEXT    NOT NULL PRIMARY KEY,
  client_id   TEXT    NOT NULL,
  url         TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  message_id  TEXT    NOT NULL,
  body        TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  attempts    INTEGER NOT NULL,
  failed_at   INTEGER NOT NULL
) STRICT;
-- the newest of a session, and the bound that is kept for each
CREATE INDEX failed_deliveries_session ON failed_deliveries (client_id, failed_at, id);
-- the newest over all sessions, and pruning
CREATE INDEX failed_deliveries_failed_at ON failed_deliveries (failed_at, id);

-- written by ping: only a write proves that writing works
CREATE TABLE probe (
  id  INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  at  INTEGER NOT NULL
) STRICT;
`;
