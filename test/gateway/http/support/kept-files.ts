import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { NewFile } from '../../../../src/gateway/store/store.js';
import type { TestServer } from './test-server.js';

/** Stores a file of a message. @returns its id */
export async function addFile(
  { store, clock }: Pick<TestServer, 'store' | 'clock'>,
  clientId: string,
  content: Buffer,
  facts: Partial<NewFile> = {},
): Promise<string> {
  const id = facts.id ?? randomUUID();
  const file: NewFile = {
    ...{ id, clientId, chatRoomId: `${clientId}-1-2`, messageId: `of ${id}`, createdAt: clock.now() },
    ...{ mimeType: 'image/jpeg', mediaType: 'image', fileName: 'a.jpg', caption: '', ...facts },
  };
  await store.files.write(file, Readable.from([content]));
  return id;
}
