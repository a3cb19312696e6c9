/** Profile pictures, which rooms name by the stored file; and traces of chats whose other party is known by number only, to be found when the LID is learnt. */
export const people = `-- v6 (compatible with v6+)
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
`;
