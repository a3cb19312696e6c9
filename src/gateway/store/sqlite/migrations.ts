import { FORMER_EXPORT_MARK } from '../port/sessions.js';
import { EARLY_MIGRATIONS } from './early-migrations.js';

/**
 * The schema's history: SQL whose first line is `-- vN (compatible with vM+)`. N grows by one; a database at version N can
 * be used by programs that know version M or later. A released migration is never edited.
 *
 * Every table that belongs to a session has a column `client_id`: `forget` finds the tables by it. Secret values arrive
 * sealed; the schema treats them as opaque.
 */
export const MIGRATIONS: readonly string[] = [
  ...EARLY_MIGRATIONS,
  // restores and retention
  `-- v14 (compatible with v6+)
-- has a row from the beginning of a restore to its end
CREATE TABLE restoring (
  id  INTEGER NOT NULL PRIMARY KEY CHECK (id = 1)
) STRICT;

ALTER TABLE sessions ADD COLUMN retention_days INTEGER; -- null: as the daemon's setting says; 0: for ever

-- pruning of one session
CREATE INDEX message_status_session ON message_status (client_id, at);
`,
  // the name of a sent file
  `-- v15 (compatible with v6+)
ALTER TABLE sends ADD COLUMN file_name TEXT; -- sealed; null: none
`,
  // what policies count
  `-- v16 (compatible with v6+)
ALTER TABLE sends ADD COLUMN counted TEXT; -- null: the session had no policy
-- the sends of one session in the last day
CREATE INDEX sends_session ON sends (client_id, sent_at);
-- whether a chat has begun, and whether the other side wrote
CREATE INDEX traces_chat ON traces (client_id, chat, from_me, sent_at);
`,
  // durable delivery
  `-- v17 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN retry TEXT; -- null: contract

CREATE TABLE waiting_deliveries (
  id          TEXT    NOT NULL PRIMARY KEY,
  client_id   TEXT    NOT NULL,
  chat        TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  message_id  TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  attempts    INTEGER NOT NULL,
  since       INTEGER NOT NULL,
  body        TEXT    NOT NULL
) STRICT;
-- what a session has to deliver, oldest first
CREATE INDEX waiting_deliveries_session ON waiting_deliveries (client_id, since, id);
`,
  // sends that a policy holds back
  `-- v18 (compatible with v6+)
ALTER TABLE sends ADD COLUMN held TEXT; -- sealed; null: no policy holds it back
-- those of one session, oldest first
CREATE INDEX sends_held ON sends (client_id, sent_at) WHERE held IS NOT NULL;
`,
  `-- v19 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN webhook_paused TEXT; -- why, for people; null: it gets calls
`,
  // the token before, while it is replaced
  `-- v20 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN previous_token TEXT; -- sealed; null: none
ALTER TABLE sessions ADD COLUMN previous_token_until INTEGER NOT NULL DEFAULT 0; -- 0: none
`,
  `-- v21 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN linked_at INTEGER; -- null: not known
ALTER TABLE sessions ADD COLUMN linked_number TEXT; -- null: not known
ALTER TABLE sessions ADD COLUMN restrictions TEXT; -- of that number, as JSON; null: none
`,
  // receivers beside the webhook
  `-- v22 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN receivers TEXT; -- sealed; null: none
ALTER TABLE failed_deliveries ADD COLUMN receiver TEXT; -- null: the webhook
ALTER TABLE waiting_deliveries ADD COLUMN receiver TEXT; -- null: the webhook
`,
  `-- v23 (compatible with v6+)
ALTER TABLE sends ADD COLUMN trace TEXT; -- W3C trace context of the request; null: none
`,
  `-- v24 (compatible with v6+)
ALTER TABLE sends ADD COLUMN text_hash TEXT; -- keyed; null: no policy counts the people who get the same text
`,
  // events that are kept to be sent again
  `-- v25 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN keep_events INTEGER; -- days; null: none

CREATE TABLE kept_events (
  id          TEXT    NOT NULL PRIMARY KEY,
  client_id   TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  type        TEXT    NOT NULL,
  chat        TEXT    NOT NULL,
  message_id  TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  body        TEXT    NOT NULL
) STRICT;
-- those of a session in the order of time, and their bytes without a look at the rows
CREATE INDEX kept_events_session ON kept_events (client_id, at, id, size);
-- pruning over all sessions
CREATE INDEX kept_events_at ON kept_events (at);
`,
  `-- v26 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN exported_at INTEGER; -- null: not exported
UPDATE sessions SET exported_at = status_since WHERE status = 'replaced' AND status_reason = '${FORMER_EXPORT_MARK}';
`,
  `-- v27 (compatible with v6+)
ALTER TABLE sends ADD COLUMN audience TEXT; -- sealed; null: the message of a chat
`,
];
