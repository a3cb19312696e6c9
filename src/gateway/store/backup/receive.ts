import type { JsonObject } from '../../../domain/json.js';
import type { BackupContents } from './backup.js';
import { BackupFile, damaged, framesIn, readContent } from './file.js';
import { contentsIn } from './restore.js';

/**
 * Writes a backup that comes from a daemon to a file. The file gets its name only after the last frame of the backup has
 * arrived, so a backup that is cut off leaves no file behind. The signature is not checked: that needs the encryption key of
 * the store, which a restore has.
 *
 * @param path must not exist
 * @param counted counts the bytes
 * @returns its contents, and its length in bytes
 * @throws GatewayError `backup_damaged`; errors of the file system and of `bytes`
 */
export async function receiveBackup(
  bytes: AsyncIterable<Uint8Array>,
  { path, counted }: { path: string; counted: { add(count: number): void } },
): Promise<BackupContents & { bytes: number }> {
  const file = await BackupFile.create(path);
  try {
    let head: JsonObject | undefined;
    let foot: JsonObject | undefined;
    for await (const { type, content } of framesIn(writtenTo(file, bytes, counted))) {
      if (type === 'head') head = readContent(content);
      else if (type === 'foot') foot = readContent(content);
    }
    if (!head || !foot) throw damaged('its content was changed');
    return { ...contentsIn(head, foot), bytes: await file.finish() };
  } catch (error) {
    await file.abort();
    throw error;
  }
}

async function* writtenTo(
  file: BackupFile,
  bytes: AsyncIterable<Uint8Array>,
  counted: { add(count: number): void },
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    await file.write(piece);
    counted.add(piece.length);
    yield piece;
  }
}
