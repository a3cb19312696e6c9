import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isObject, parseObject } from '../../../domain/json.js';
import { readBaileysFolders } from './baileys-folder.js';
import { readKeyFile } from './bounds.js';
import { clientIdOf, type LinkedNumber } from './linked-number.js';

/** WAHA's folder of the sessions of its engine NOWEB, which is Baileys. */
const ENGINE = 'noweb';
/** WAHA's file with the settings of a session (`src/core/storage/LocalSessionConfigRepository.ts`). */
const SETTINGS = '.waha.session.config.json';

/**
 * Reads the numbers of WAHA's engine NOWEB, with the address of their webhook.
 * @param dir WAHA's folder of sessions, the folder `noweb` in it, or that of one session
 * @throws CliError `not_found` when there is none
 */
export async function readWahaFolders(dir: string): Promise<LinkedNumber[]> {
  const engine = join(dir, ENGINE);
  const numbers = await readBaileysFolders(existsSync(engine) ? engine : dir);
  return Promise.all(
    numbers.map(async (number) => {
      const webhookUrl = await webhookOf(number.place);
      const clientId = clientIdOf(sessionName(basename(number.place)));
      return { ...number, clientId, webhookUrl: webhookUrl || undefined };
    }),
  );
}

/** The name of a session without the MD5 of the name, which WAHA appends to some folders. */
function sessionName(folder: string): string {
  const [, name = '', suffix] = /^(.+)-([0-9a-f]{32})$/.exec(folder) ?? [];
  return suffix === createHash('md5').update(name).digest('hex') ? name : folder;
}

/** The first webhook; empty if there is none. */
async function webhookOf(folder: string): Promise<string> {
  const settings = parseObject(await readKeyFile(join(folder, SETTINGS)));
  const [first]: unknown[] = Array.isArray(settings?.webhooks) ? settings.webhooks : [];
  return isObject(first) && typeof first.url === 'string' ? first.url : '';
}
