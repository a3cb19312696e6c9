import { Readable } from 'node:stream';
import { files as api } from '../../contract/sandbox/files.js';
import { nameOfMedia } from '../phone/media.js';
import type { Phones } from '../phone/phone.js';
import { Refusal } from '../wire/refusals.js';
import { type Route, route } from './route.js';

/** The files that people send, and the expiry of those on the media host. */
export const fileRoutes: readonly Route[] = [
  route(api.addFile, async ({ payload }, { network }) => {
    if (!(payload instanceof Readable)) throw new Refusal('invalid_request', 'the file is missing');
    const { sha256: file, size } = await network.media.files.put([payload]);
    return { file, size };
  }),
  route(api.expireMedia, async ({ payload: { messageId } }, { network, phones }) => {
    // a phone that has not opened a message yet still fetches its file
    await phones.settled();
    const name = messageId === undefined ? undefined : requireMediaName(phones, messageId);
    return { expired: await network.media.blobs.expire(name) };
  }),
];

/** The name of a message's file on the media host. @throws Refusal `message_unknown` when no phone holds such a message */
function requireMediaName(phones: Phones, messageId: string): string {
  for (const { messages } of phones.all) {
    const message = messages.get(messageId);
    const name = message && nameOfMedia(message);
    if (name) return name;
  }
  throw new Refusal('message_unknown', `no phone holds a message ${messageId} with a file`);
}
