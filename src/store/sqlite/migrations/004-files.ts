/** The media library. The bytes lie in files of their own, named by the id. */
export const files = `-- v4 (compatible with v1+)
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
`;
