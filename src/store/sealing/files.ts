import type { FileRecord, FileStore } from '../store.js';
import type { Sealer, Sealers } from './sealer.js';

/** Seals what files are called and what was written to them; their bytes are kept as they are. */
export function sealedFiles(files: FileStore, sealers: Sealers): FileStore {
  const opened = async (record: FileRecord) => openRecord(await sealers.of(record.clientId), record);
  return {
    async write(file, source) {
      try {
        const sealer = await sealers.of(file.clientId);
        const fileName = sealer.sealText(['files', 'fileName', file.id], file.fileName);
        const caption = sealer.sealText(['files', 'caption', file.id], file.caption);
        return openRecord(sealer, await files.write({ ...file, fileName, caption }, source));
      } finally {
        source.destroy();
      }
    },
    async get(id) {
      const record = await files.get(id);
      return record && opened(record);
    },
    async ofMessage(clientId, chatRoomId, messageId) {
      const record = await files.ofMessage(clientId, chatRoomId, messageId);
      return record && opened(record);
    },
    async open(id, range) {
      const found = await files.open(id, range);
      if (!found) return undefined;
      try {
        return { record: await opened(found.record), stream: found.stream };
      } catch (error) {
        found.stream.destroy();
        throw error;
      }
    },
    async list(clientId, page) {
      const { files: records, total } = await files.list(clientId, page);
      return { files: await Promise.all(records.map(opened)), total };
    },
    remove: (id) => files.remove(id),
    removeAll: (clientId) => files.removeAll(clientId),
    prune: (createdBefore) => files.prune(createdBefore),
    check: (options) => files.check(options),
  };
}

function openRecord(sealer: Sealer, record: FileRecord): FileRecord {
  return {
    ...record,
    fileName: sealer.openText(['files', 'fileName', record.id], record.fileName),
    caption: sealer.openText(['files', 'caption', record.id], record.caption),
  };
}
