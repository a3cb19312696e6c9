/** Since when a session is in its status. */
export const sessionSince = `-- v8 (compatible with v6+)
ALTER TABLE sessions ADD COLUMN status_since INTEGER NOT NULL DEFAULT 0; -- 0: not known
`;
