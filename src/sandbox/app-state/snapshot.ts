import { proto } from '@whiskeysockets/baileys';

const { REMOVE } = proto.SyncdMutation.SyncdOperation;

/**
 * A snapshot and the patches after it, as one snapshot: of each setting only the last value is left. Nobody needs to
 * read them for that, as settings are told apart by the MAC of their index.
 */
export function fold(snapshot: proto.ISyncdSnapshot, patches: Buffer[]): proto.ISyncdSnapshot {
  const records = new Map((snapshot.records ?? []).map((record) => [indexOf(record), record]));
  const decoded = patches.map((patch) => proto.SyncdPatch.decode(patch));
  for (const { operation, record } of decoded.flatMap(({ mutations }) => mutations)) {
    if (!record) continue;
    if (operation === REMOVE) records.delete(indexOf(record));
    else records.set(indexOf(record), record);
  }
  const last = decoded.at(-1);
  return {
    version: last?.version ?? snapshot.version ?? null,
    records: [...records.values()],
    mac: last?.snapshotMac ?? snapshot.mac ?? null,
    keyId: last?.keyId ?? snapshot.keyId ?? null,
  };
}

function indexOf({ index }: proto.ISyncdRecord): string {
  return Buffer.from(index?.blob ?? []).toString('base64');
}
