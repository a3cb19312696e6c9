/** How far own messages have come. Pictures of rooms are not pruned: the index leaves them out. */
export const messageStatus = `-- v7 (compatible with v6+)
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
`;
