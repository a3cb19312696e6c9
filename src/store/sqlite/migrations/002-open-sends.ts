/** What is unfinished among own messages is found again after a crash. Older programs finish what they send at once. */
export const openSends = `-- v2 (compatible with v1+)
ALTER TABLE sends ADD COLUMN closed INTEGER NOT NULL DEFAULT 1;
-- what is unfinished, oldest first; stays small however much is kept closed
CREATE INDEX sends_open ON sends (client_id, sent_at) WHERE closed = 0;
`;
