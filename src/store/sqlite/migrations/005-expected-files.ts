/** Files that are to be stored. */
export const expectedFiles = `-- v5 (compatible with v1+)
CREATE TABLE expected_files (
  id            TEXT    NOT NULL PRIMARY KEY,
  client_id     TEXT    NOT NULL,
  chat_room_id  TEXT    NOT NULL,
  message_id    TEXT    NOT NULL,
  since         INTEGER NOT NULL
) STRICT;
-- what a session left undone
CREATE INDEX expected_files_session ON expected_files (client_id, since);
`;
