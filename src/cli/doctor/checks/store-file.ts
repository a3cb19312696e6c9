import { encryptionKeyBytes, readEncryptionKey } from '../../../config/secrets.js';
import { errorMessage } from '../../../domain/error-message.js';
import { isGatewayError } from '../../../domain/errors.js';
import { type Finding, fine, type GeneralCheck, skipped, wrong } from '../check.js';
import type { Trouble } from '../troubles.js';

const BY_CODE: Readonly<Record<string, readonly [trouble: Trouble, advice: string]>> = {
  store_in_use: [
    'store-locked',
    'stop that process; or, if it is the daemon that you mean, name where it listens: --url',
  ],
  encryption_key_wrong: [
    'key-wrong',
    'put back the key that the store was begun with: from your backup into encryption-key, or as ' +
      'SWITCHBOARD_ENCRYPTION_KEY',
  ],
  store_too_new: ['store-too-new', 'use the newer version of Switchboard that wrote it'],
};
const BROKEN = ['store-broken', 'look at the disk; put the data directory back from your backup'] as const;

/** Could a daemon open the store of the data directory? In question only while none runs. */
export const storeFile: GeneralCheck = {
  id: 'store-file',
  needs: ['settings', 'data-dir', 'encryption-key'],
  async look(room) {
    const { dataDir } = room.options;
    if (await room.isDaemonUp()) return skipped('the daemon has it open');
    const { store, encryptionKey } = await room.settings();
    if (store !== 'sqlite') return skipped('only the daemon asks that store');
    const key = encryptionKey ?? (await readEncryptionKey(dataDir));
    if (key === undefined) return skipped('there is no store yet');
    try {
      await room.options.tryStore({ dataDir, encryptionKey: encryptionKeyBytes(key) });
      return fine('free, and opens with the encryption key');
    } catch (error) {
      return explain(error);
    }
  },
};

function explain(error: unknown): Finding {
  if (isGatewayError(error) && error.code === 'store_missing') return skipped('there is no store yet');
  const detail = errorMessage(error);
  const [trouble, advice] = (isGatewayError(error) && BY_CODE[error.code]) || BROKEN;
  return wrong(trouble, detail, advice);
}
