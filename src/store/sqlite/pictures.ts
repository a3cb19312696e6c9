import type { PictureRecord, PictureStore } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<PictureRecord, 'preview'> & { preview: number };

/** Profile pictures in the table `pictures`. */
export function sqlitePictures({ sqlite, run }: OpenDatabase): PictureStore {
  const replace = sqlite.prepare<Row & { clientId: string }>(
    `REPLACE INTO pictures (client_id, jid, preview, version, url, file_id, reason, fetched_at)
     VALUES (@clientId, @jid, @preview, @version, @url, @fileId, @reason, @fetchedAt)`,
  );
  const select = sqlite.prepare<[string, string, number], Row>(
    `SELECT jid, preview, version, url, file_id AS fileId, reason, fetched_at AS fetchedAt
     FROM pictures WHERE client_id = ? AND jid = ? AND preview = ?`,
  );

  return {
    async get(clientId, jid, preview) {
      const row = run(() => select.get(clientId, jid, Number(preview)));
      return row && { ...row, preview };
    },
    async put(clientId, picture) {
      run(() => replace.run({ ...picture, clientId, preview: Number(picture.preview) }));
    },
  };
}
