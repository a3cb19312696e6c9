import type { MessageTrace, TraceStore } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<MessageTrace, 'fromMe' | 'secret'> & { fromMe: number; secret: Uint8Array | null };

/** Traces of messages in the table `traces`. */
export function sqliteTraces({ sqlite, run }: OpenDatabase): TraceStore {
  const insert = sqlite.prepare<Row & { clientId: string }>(
    `INSERT INTO traces (client_id, message_id, chat, from_me, author_lid, author_pn, secret, sent_at)
     VALUES (@clientId, @messageId, @chat, @fromMe, @authorLid, @authorPn, @secret, @sentAt)
     ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<[string, string], Row>(
    `SELECT message_id AS messageId, chat, from_me AS fromMe, author_lid AS authorLid, author_pn AS authorPn, secret,
       sent_at AS sentAt
     FROM traces WHERE client_id = ? AND message_id = ?`,
  );
  // the second condition is that of the index
  const rekey = sqlite.prepare<{ clientId: string; pn: string; lid: string }>(
    `UPDATE traces SET chat = @lid, author_lid = CASE WHEN author_pn = @pn AND author_lid = '' THEN @lid ELSE author_lid END
     WHERE client_id = @clientId AND chat = @pn AND chat GLOB '*@s.whatsapp.net'`,
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM traces WHERE sent_at < ?');

  return {
    async add(clientId, trace) {
      const { fromMe, secret = null } = trace;
      run(() => insert.run({ ...trace, clientId, fromMe: Number(fromMe), secret }));
    },
    async get(clientId, messageId) {
      const row = run(() => select.get(clientId, messageId));
      return row && { ...row, fromMe: row.fromMe === 1, secret: row.secret ?? undefined };
    },
    async rekey(clientId, pn, lid) {
      run(() => rekey.run({ clientId, pn, lid }));
    },
    async prune(sentBefore) {
      return run(() => prune.run(sentBefore).changes);
    },
  };
}
