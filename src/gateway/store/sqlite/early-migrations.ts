/** The first thirteen steps of `MIGRATIONS`. */
export const EARLY_MIGRATIONS: readonly string[] = [
  `-- v1 (compatible with v1+)
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
`,
  // own messages that are not finished: found again after a crash; older programs finish a send at once
  `-- v2 (compatible with v1+)
ALTER TABLE sends ADD COLUMN closed INTEGER NOT NULL DEFAULT 1;
-- what is unfinished, oldest first; stays small however much is kept closed
CREATE INDEX sends_open ON sends (client_id, sent_at) WHERE closed = 0;
`,
  // traces of messages, and the hosted inbox
  `-- v3 (compatible with v1+)
CREATE TABLE traces (
  client_id   TEXT    NOT NULL,
  message_id  TEXT    NOT NULL,
  chat        TEXT    NOT NULL,
  from_me     INTEGER NOT NULL,
  author_lid  TEXT    NOT NULL,
  author_pn   TEXT    NOT NULL,
  secret      BLOB,
  sent_at     INTEGER NOT NULL,
  PRIMARY KEY (client_id, message_id)
) STRICT, WITHOUT ROWID;
-- pruning
CREATE INDEX traces_sent_at ON traces (sent_at);

-- the rooms of a session lie side by side: listing them reads one range and sorts it
CREATE TABLE rooms (
  client_id             TEXT    NOT NULL,
  chat_room_id          TEXT    NOT NULL,
  name                  TEXT    NOT NULL,
  my_lid                TEXT    NOT NULL,
  client_lid            TEXT    NOT NULL,
  is_group              INTEGER NOT NULL,
  remote_jid            TEXT    NOT NULL,
  last_message_id       TEXT    NOT NULL, -- empty: the room shows none
  last_message          TEXT    NOT NULL,
  last_message_from_me  INTEGER NOT NULL,
  last_message_at       INTEGER NOT NULL,
  unread_count          INTEGER NOT NULL,
  avatar_url            TEXT    NOT NULL,
  PRIMARY KEY (client_id, chat_room_id)
) STRICT, WITHOUT ROWID;

-- the messages of a room lie side by side in their order: a page of them is one short range, however many there are;
-- pruning takes them from the range's beginning
CREATE TABLE messages (
  client_id     TEXT    NOT NULL,
  chat_room_id  TEXT    NOT NULL,
  sent_at       INTEGER NOT NULL,
  turn          INTEGER NOT NULL, -- counts messages of the same instant as they are recorded
  message_id    TEXT    NOT NULL,
  body          TEXT    NOT NULL,
  message_type  TEXT    NOT NULL,
  from_me       INTEGER NOT NULL,
  author        TEXT    NOT NULL,
  pushname      TEXT    NOT NULL,
  deleted       INTEGER NOT NULL,
  from_ai       INTEGER NOT NULL,
  media         TEXT,             -- JSON object
  file_id       TEXT    NOT NULL,
  extras        TEXT    NOT NULL, -- JSON object
  content       BLOB    NOT NULL,
  PRIMARY KEY (client_id, chat_room_id, sent_at, turn)
) STRICT, WITHOUT ROWID;
-- one message by its id
CREATE UNIQUE INDEX messages_id ON messages (client_id, chat_room_id, message_id);

CREATE TABLE pending_changes (
  client_id     TEXT    NOT NULL,
  chat_room_id  TEXT    NOT NULL,
  target_id     TEXT    NOT NULL,
  message_id    TEXT    NOT NULL,
  change        TEXT    NOT NULL, -- JSON object
  at            INTEGER NOT NULL,
  PRIMARY KEY (client_id, chat_room_id, target_id, message_id)
) STRICT;
-- pruning
CREATE INDEX pending_changes_at ON pending_changes (at);
`,
  // the media library; the bytes are files named by the id
  `-- v4 (compatible with v1+)
CREATE TABLE files (
  id            TEXT    NOT NULL PRIMARY KEY,
  client_id     TEXT    NOT NULL,
  chat_room_id  TEXT    NOT NULL,
  message_id    TEXT    NOT NULL, -- empty: the picture of a room
  mime_type     TEXT    NOT NULL,
  media_type    TEXT    NOT NULL,
  file_name     TEXT    NOT NULL,
  file_size     INTEGER NOT NULL,
  sha256        TEXT    NOT NULL,
  caption       TEXT    NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT;
-- the library of a session, newest first; counted without reading its rows
CREATE INDEX files_session ON files (client_id, created_at, id, message_id);
-- the one file of a message
CREATE UNIQUE INDEX files_message ON files (client_id, chat_room_id, message_id) WHERE message_id <> '';
-- pruning
CREATE INDEX files_created_at ON files (created_at);
`,
  // files that are still to be stored
  `-- v5 (compatible with v1+)
CREATE TABLE expected_files (
  id            TEXT    NOT NULL PRIMARY KEY,
  client_id     TEXT    NOT NULL,
  chat_room_id  TEXT    NOT NULL,
  message_id    TEXT    NOT NULL,
  since         INTEGER NOT NULL
) STRICT;
-- what a session left undone
CREATE INDEX expected_files_session ON expected_files (client_id, since);
`,
  // profile pictures, which rooms name by the stored file; traces of chats known by number only, found when the LID is learnt
  `-- v6 (compatible with v6+)
CREATE TABLE pictures (
  client_id   TEXT    NOT NULL,
  jid         TEXT    NOT NULL,
  preview     INTEGER NOT NULL,
  version     TEXT    NOT NULL, -- empty: there is none to be seen
  url         TEXT    NOT NULL,
  file_id     TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  fetched_at  INTEGER NOT NULL,
  PRIMARY KEY (client_id, jid, preview)
) STRICT, WITHOUT ROWID;

ALTER TABLE rooms RENAME COLUMN avatar_url TO avatar_id; -- of the stored file; empty: none

CREATE INDEX traces_pn ON traces (client_id, chat) WHERE chat GLOB '*@s.whatsapp.net';
`,
  // the status of own messages; the pruning index leaves out pictures of rooms
  `-- v7 (compatible with v6+)
-- by the message's id alone: the network tells of a message no more than that, and may tell it before the message is there
CREATE TABLE message_status (
  client_id   TEXT    NOT NULL,
  message_id  TEXT    NOT NULL,
  rank        INTEGER NOT NULL, -- place among the statuses that it can have
  at          INTEGER NOT NULL,
  PRIMARY KEY (client_id, message_id)
) STRICT, WITHOUT ROWID;
-- pruning
CREATE INDEX message_status_at ON message_status (at);

DROP INDEX files_created_at;
CREATE INDEX files_created_at ON files (created_at) WHERE message_id <> '';

ALTER TABLE expected_files ADD COLUMN past INTEGER NOT NULL DEFAULT 0;
`,
  // the time of the last change of status
  `-- v8 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN status_since INTEGER NOT NULL DEFAULT 0; -- 0: not known
`,
  // the end of a temporary ban; the newest client version
  `-- v9 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN banned_until INTEGER NOT NULL DEFAULT 0; -- 0: no end is known

CREATE TABLE client_version (
  id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  version  TEXT    NOT NULL
) STRICT;
`,
  // the proxy of a session
  `-- v10 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN proxy TEXT NOT NULL DEFAULT ''; -- sealed URL; empty: direct connections
`,
  // settings of chats
  `-- v11 (compatible with v6+)
-- null: no device has changed it
ALTER TABLE rooms ADD COLUMN archived INTEGER;
ALTER TABLE rooms ADD COLUMN muted_until INTEGER; -- 0: not muted
ALTER TABLE rooms ADD COLUMN pinned INTEGER;
`,
  // the copies of one message
  `-- v12 (compatible with v6+)
CREATE INDEX journal_message ON journal (client_id, message_id);
`,
  // calls
  `-- v13 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN reject_calls INTEGER NOT NULL DEFAULT 0;
`,
];
