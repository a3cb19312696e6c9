import { randomUUID } from 'node:crypto';
import type { StatusAnswer } from '../../contract/index.js';
import { readAnswer } from '../../domain/json.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { objectIn } from './request-inputs.js';
import { explainLostAnswer } from './send.js';
import { detectType, isAddress, openUpload } from './send-media.js';

/** A status as it was typed. */
export interface StatusToPost {
  clientId: string;
  text: string | undefined;
  /** A path, or a URL that the daemon downloads. */
  file: string | undefined;
  caption: string | undefined;
  backgroundColor: string | undefined;
  font: number | undefined;
  audience: string[] | undefined;
  /** A JSON object. */
  meta: string | undefined;
}

/** Posts a text, a local file, or one that the daemon downloads. @throws CliError */
export async function postStatus(
  client: DaemonClient,
  { text, file, meta, clientId, caption, audience, ...look }: StatusToPost,
  key: string = randomUUID(),
): Promise<StatusAnswer> {
  if ((text === undefined) === (file === undefined)) {
    const words = file === undefined ? 'which status?' : '--file takes no text';
    throw new CliError('usage', words, { suggestions: ['give a text, or --file with --caption'] });
  }
  const metaData = meta === undefined ? undefined : objectIn('meta', meta);
  const options = { idempotencyKey: key };
  return explainLostAnswer(key, async () => {
    if (file === undefined)
      return client.postStatus({ clientId, body: text, audience, metaData, ...look }, options);
    if (isAddress(file))
      return client.postStatus({ clientId, downloadUrl: file, caption, audience, metaData }, options);
    const texts = { audience: audience?.join(','), metaData: metaData && JSON.stringify(metaData) };
    const fields = { clientId, caption, ...texts };
    const form = await openUpload(file, await detectType(file), fields, () => undefined);
    return readAnswer(await client.uploadForm('/post-status', clientId, form, { 'idempotency-key': key }));
  });
}
