/** Traces of messages, and the hosted inbox. */
export const history = `-- v3 (compatible with v1+)
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
`;
